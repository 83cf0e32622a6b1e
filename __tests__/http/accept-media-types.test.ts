import { negotiateParameter, parseMediaTypes, UNACCEPTABLE, UNUSABLE } from '../../src/http/accept'

type Answer = ReturnType<typeof negotiateParameter>

describe('negotiateParameter, given media types', () => {
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
    ['a/a, b/b; version=2', 'a/a b/b', '2'],
    ['b/b; version=2, a/a; version=1', 'a/a b/b', '2'],
    ['b/b; version=2, x/x; version=1', 'a/a b/b', '2'],
    ['x/x; version=1, *; version=2, a/a; version=3; q=0.1', 'a/a b/b', '3'],
  ]
  it.each(cases)('%j, %s -> %p', (header, types, answer) => {
    expect(negotiateParameter(header, 'version', parseMediaTypes('test', types.split(' ')))).toBe(answer)
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
    expect(negotiateParameter(RFC, 'version', parseMediaTypes('test', types.split(' ')))).toBe(answer)
  })

  it('takes another parameter name', () => {
    expect(negotiateParameter('a/b; version=1; V=2', 'v', undefined)).toBe('2')
  })
})

describe('parseMediaTypes', () => {
  it('prepares the names that match, in lower case', () => {
    expect(parseMediaTypes('test', new Set(['Application/vnd.acme+JSON']))).toEqual([
      {
        name: 'application/vnd.acme+json',
        anySubtype: 'application/*',
        anyType: '*/vnd.acme+json',
      },
    ])
  })

  it.each<[unknown, string]>([
    ['application/json', "'application/json'"],
    [null, 'null'],
    [undefined, 'undefined'],
    [{}, '{}'],
    [1, '1'],
    [[], '[]'],
    [[1], '1'],
    [['json'], "'json'"],
    [[''], "''"],
    [['text/*'], "'text/*'"],
    [['*/*'], "'*/*'"],
    [['*/json'], "'*/json'"],
    [['a/b', 'a/b;c=d'], "'a/b;c=d'"],
    [['a/b/c'], "'a/b/c'"],
    [[' a/b'], "' a/b'"],
    [['a/b\n'], "'a/b\\n'"],
  ])('refuses %j', (list, got) => {
    expect(() => parseMediaTypes('test', list as string[])).toThrow(
      new TypeError(
        `test: option "mediaTypes" takes a list of media types without wildcards and parameters, such as ['application/json']; got ${got}.`,
      ),
    )
  })
})
