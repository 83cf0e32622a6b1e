import { AcceptParameter, parseMediaTypes, UNACCEPTABLE, UNUSABLE } from '../../src/http/accept'

type Answer = ReturnType<AcceptParameter['read']>

const read = (header: string | undefined, types: string): Answer =>
  new AcceptParameter('version', parseMediaTypes('test', types.split(' '))).read(header)

describe('AcceptParameter, given media types', () => {
  const cases: [header: string | undefined, types: string, answer: Answer][] = [
    [undefined, 'application/json', undefined],
    ['', 'application/json', undefined],
    [' ', 'application/json', undefined],
    [' ,, ', 'application/json', undefined],
    ['application/json', 'application/json', undefined],
    ['application/json; version=1', 'application/json', '1'],
    ['Application/JSON; version=1', 'application/Json', '1'],
    ['application/json; a=b; version=1', 'application/json', '1'],
    ['application/*; version=1', 'application/json', '1'],
    ['*/json; version=1', 'application/json', '1'],
    ['*/*; version=1', 'application/json', '1'],
    ['application/json; version', 'application/json', UNUSABLE],
    ['text/html', 'application/json', UNACCEPTABLE],
    ['text/html; version=1', 'application/json', UNACCEPTABLE],
    ['text/html, text/*', 'application/json text/css', undefined],
    ['text/html, image/*', 'application/json text/css', UNACCEPTABLE],
    ['application/json; q=0', 'application/json', UNACCEPTABLE],
    ['application/json; version=1; q=x', 'application/json', UNACCEPTABLE],
    ['json; version=1', 'application/json', UNACCEPTABLE],
    ['json; version=1,', 'application/json', UNACCEPTABLE],
    [';', 'application/json', UNACCEPTABLE],
    // the most specific level that matches decides
    ['application/json; q=0, */*; version=2', 'application/json', UNACCEPTABLE],
    ['application/json; q=x, */*; version=2', 'application/json', UNACCEPTABLE],
    ['application/*; q=0, */*; version=2', 'application/json', UNACCEPTABLE],
    ['application/*; q=0, */json; version=2', 'application/json', UNACCEPTABLE],
    ['application/json; q=0, */*; version=2', 'application/json text/html', '2'],
    ['*/*; version=1, application/*; version=2, application/json; version=3; q=0.1', 'application/json', '3'],
    ['*/*; version=1, application/*; version=2; q=0.1', 'application/json', '2'],
    ['*/*; version=1, */json; version=2; q=0.1', 'application/json', '2'],
    // on one level: weight, parameters over none, order
    ['application/json; version=1; q=0.5, application/json; version=2', 'application/json', '2'],
    ['application/json, application/json; version=2; q=0.9', 'application/json', undefined],
    ['application/json, application/json; version=2', 'application/json', '2'],
    ['application/json; version=2, application/json', 'application/json', '2'],
    ['application/json; version=1, application/json; version=2', 'application/json', '1'],
    ['application/json; q=0, application/json; version=2', 'application/json', '2'],
    ['application/json; q=x, application/json; version=2; q=0.1', 'application/json', '2'],
    ['*/*; version=1, */*; version=2; q=0.9', 'application/json', '1'],
    // among media types: weight, level, parameters, order in the header
    ['a/a; version=1; q=0.5, b/b; version=2', 'a/a b/b', '2'],
    ['a/*; version=1, b/b; version=2', 'a/a b/b', '2'],
    ['*/*; version=1, b/b; version=2', 'a/a b/b', '2'],
    ['*/*; version=1, b/b; version=2; q=0.9', 'a/a b/b', '1'],
    // the version is no parameter that counts, or Express would send another type
    ['a/a, b/b; version=2', 'a/a b/b', undefined],
    ['a/a; x=y; version=1, b/b; version=2', 'a/a b/b', '2'],
    ['*/*; x=*; version=1, */*; version=2', 'a/a b/b', '1'],
    ['a/a; version=1, b/b; x=*; version=2', 'a/a b/b', '2'],
    ['a/a; version=1, b/b; x=; version=2', 'a/a b/b', '2'],
    ['a/a; version=1, b/b; x=1; version=2', 'a/a b/b', '1'],
    ['a/a; version=1, b/b; version=2, a/a; version=3', 'a/a b/b', '2'],
    ['a/a; version=1; q=2, b/b; version=2; q=3', 'a/a b/b', '2'],
    ['a/a; version=1; q=0.5, a/a; version=2; q=x, b/b; version=3; q=0.1', 'a/a b/b', '3'],
    // where Express would send none of them, other parameters do not hinder
    ['a/a; x=y; version=1', 'a/a b/b', '1'],
    ['x/x, b/b; charset=utf-8; version=2, a/a; x=y; version=1; q=0.9', 'a/a b/b', '2'],
    ['a/a; x=y; q=0', 'a/a b/b', UNACCEPTABLE],
    ['a/a; x=y; q=0, */*; version=2', 'a/a', '2'],
    ['a/a; x=y; version=1, */*; version=2', 'a/a', '1'],
    // the first of the media types that one range decides about
    ['a/*; version=1, b/*; version=2', 'b/b a/a a/c', '1'],
    ['b/b; version=2, a/a; version=1', 'a/a b/b', '2'],
    ['b/b; version=2, x/x; version=1', 'a/a b/b', '2'],
    ['x/x; version=1, *; version=2, a/a; version=3; q=0.1', 'a/a b/b', '3'],
  ]
  it.each(cases)('%j, %s -> %p', (header, types, answer) => {
    expect(read(header, types)).toBe(answer)
  })

  // The table of RFC 9110, section 12.5.1, with a version on each range to show which one decided.
  const RFC =
    'text/*;version=a;q=0.3, text/plain;version=b;q=0.7, text/plain;format=flowed;version=c, ' +
    'text/plain;format=fixed;version=d;q=0.4, */*;version=e;q=0.5'
  it.each([
    ['text/plain', 'c'],
    ['text/html', 'a'],
    ['image/jpeg', 'e'],
    ['text/html image/jpeg', 'e'],
    ['text/html image/jpeg text/plain', 'c'],
  ])('RFC 9110 12.5.1: %s -> %s', (types, answer) => {
    expect(read(RFC, types)).toBe(answer)
  })
})

describe('parseMediaTypes', () => {
  it.each<[unknown, string]>([
    ['application/json', "'application/json'"],
    [null, 'null'],
    [undefined, 'undefined'],
    [{}, '{}'],
    [['text/*'], "'text/*'"],
    [['*/*'], "'*/*'"],
    [['a/b/c'], "'a/b/c'"],
  ])('refuses %j', (list, got) => {
    expect(() => parseMediaTypes('test', list as string[])).toThrow(
      new TypeError(
        `test: option "mediaTypes" takes a list of media types without wildcards and parameters, such as ['application/json']; got ${got}.`,
      ),
    )
  })
})
