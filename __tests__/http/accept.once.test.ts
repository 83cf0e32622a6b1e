import {
  AcceptParameter,
  parseAccept,
  parseMediaTypes,
  plainForm,
  preferredRange,
  UNACCEPTABLE,
  UNUSABLE,
} from '../../src/http/accept'

type Answer = ReturnType<AcceptParameter['read']>

describe('AcceptParameter, any media type', () => {
  const cases: [header: string | undefined, answer: Answer][] = [
    // absent
    [undefined, undefined],
    ['', undefined],
    [' , ,\t,', undefined],
    ['application/json', undefined],
    ['application/json;;', undefined],
    ['application/json; versions=1; xversion=2', undefined],
    ['application/json; a="version=2"', undefined],
    ['application/version; a=version', undefined],
    // spelling
    ['application/json; version=1.0', '1.0'],
    ['application/json \t;\t version \t=\t 1.0 \t', '1.0'],
    ['APPLICATION/JSON; VeRsIoN=V1', 'V1'],
    [';version=2,*/*;version=3', '3'],
    ['application/json; q=0.5; version=1', '1'],
    ['application/json; a=b; ; version=1;', '1'],
    ['application/json; version=a=b', 'a=b'],
    ['application/json; version=1\\.0', '1\\.0'],
    ['application/json; version=\xe9', '\xe9'],
    // quoted strings
    ['application/json; version="1\\.0"', '1.0'],
    ['application/json; version="\\\\\\""', '\\"'],
    ['application/json; version=""', ''],
    ['application/json; version=" a b "', ' a b '],
    ['application/json; version="1,2;3"', '1,2;3'],
    ['application/json; a="x,\\",;"; version=2', '2'],
    // a double quote that does not begin a value is a character
    ['a/b; c=d"; version=1, e/f; g="', '1'],
    ['a/b; "c; version=1', '1'],
    // twice
    ['application/json; version=1; VERSION="\\1"', '1'],
    ['application/json; version=1; version=2', UNUSABLE],
    ['application/json; version=""; version=1', UNUSABLE],
    ['application/json; version=1; version', UNUSABLE],
    // unusable
    ['application/json; version', UNUSABLE],
    ['application/json; version=', UNUSABLE],
    ['application/json; version="1', UNUSABLE],
    ['application/json; version="1\\"', UNUSABLE],
    ['application/json; version="1"0', UNUSABLE],
    ['application/json; version=1"', UNUSABLE],
    ['application/json; version=1 2', UNUSABLE],
    ['application/json; version=1\x002', UNUSABLE],
    ['application/json; version=1\x7f', UNUSABLE],
    ['application/json; version="1" ;', '1'],
    // parts that the parser drops, or reads as part of something else
    ['application/json; a="1"version=2', UNUSABLE],
    ['application/json; a=b version=2', UNUSABLE],
    ['application/json; a="b"c; version=2', '2'],
    ['application/json; xversion', UNUSABLE],
    ['application/json; version=1; xversion=2', '1'],
    ['application/json, text/html; version', UNUSABLE],
    ['application/json, text/version', undefined],
    ['application/json, text/version, text/html; version=1', '1'],
    // an unterminated quote elsewhere
    ['application/json; a="x, text/html; VERSION=2', UNUSABLE],
    ['application/json; version=2; a="x', UNUSABLE],
    ['application/json; a="x', undefined],
    ['text/html; version=1, application/json; q=0.5; a="version', '1'],
    // weight, specificity, order
    ['a/b; version=1; q=0.5, c/d; version=2; q=0.9', '2'],
    ['*/*; version=1, a/*; version=2, a/b; version=3', '3'],
    ['*/*; version=1, */b; version=2', '2'],
    ['*/b; version=1, a/*; version=2', '2'],
    ['a/*; version=1, a/b*; version=2', '2'],
    ['a/*; version=1, a/b/*; version=2', '2'],
    ['*/*; version=1; q=0.9, a/b; version=2; q=0.8', '1'],
    ['a/b, c/d; version=2', '2'],
    ['a/b, c/d; x=y, c/d; version=2', undefined],
    ['a/b; q=1, c/d; version', UNUSABLE],
    ['a/b;;, a/b;version=1', '1'],
    ['a/b;=x, a/b;version=1', undefined],
    ['a/b;version=2;q=0.7, c/d;q="0.5', undefined],
    ['/b;x=1;version=1', '1'],
    ['a/b; version=2, a/b; version=1', '2'],
    // malformed weights, as negotiator reads them
    ['a/b; q=; version=1, c/d; version=2; q=0.9', '1'],
    ['a/b; q; version=1, c/d; version=2; q=0.9', '1'],
    ['a/b; q=1; version=1, c/d; version=2; q=5', '2'],
    ['a/b; q="0.5"; version=1, c/d; version=2; q=0.6', '2'],
    ['a/b; q=0.5; q=1; version=1, c/d; version=2; q=0.6', '2'],
    ['a/b; Q=0.5; version=1, c/d; version=2; q=0.6', '2'],
    ['a/b; q=x; version=1, c/d; version=2; q=0.1', '2'],
    // no type can be chosen
    ['a/b; q=0; version=1', undefined],
    ['a/b; q=0.000; version=1, */*; q=0', undefined],
    ['a/b; q=-0; version=1', undefined],
    ['a/b; q=x', undefined],
    ['a/b; q=x; version=1', UNUSABLE],
    ['a/b; q=x, c/d; q=-1; version=1', UNUSABLE],
    ['a/b; q=0x; version=1', UNUSABLE],
    ['a/b; q=" "; version=1', UNUSABLE],
    ['json', undefined],
    ['json; version=1', UNUSABLE],
    ['; version=1', UNUSABLE],
    ['json; version=1, a/b; q=0', UNUSABLE],
    ['json, a/b; version=1; q=0', undefined],
    // Java's URLConnection
    ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', undefined],
  ]
  it.each(cases)('%j -> %p', (header, answer) => {
    expect(new AcceptParameter('version', undefined).read(header)).toBe(answer)
  })
})

describe('plainForm', () => {
  const TYPES = 'application/json application/vnd.acme+json text/html'
  it.each<[header: string, types: string | undefined, value: string | undefined | null]>([
    ['a/b; version=v1.0~beta-2_x', undefined, 'v1.0~beta-2_x'],
    ['A/B;\t VERSION=Z', undefined, 'Z'],
    ['*/*', undefined, undefined],
    ['APPLICATION/JSON', TYPES, undefined],
    ['application/vnd.acme+json;version=2', TYPES, '2'],
    ['text/html;version=3', TYPES, '3'],
    ['*/*; version=4', TYPES, '4'],
    // null: it does not match, and negotiation reads it
    ['a', undefined, null],
    ['/b', undefined, null],
    ['a/', undefined, null],
  ])('%j, %p -> %p', (header, types, value) => {
    const match = plainForm('version', types?.split(' ')).exec(header)
    expect(match === null ? null : match[1]).toBe(value)
  })

  it.each(['v.1', 'a+b', 'x*', '$^', 'a|b', "!#%&'-_`~"])('the parameter %s stands for itself', (name) => {
    const form = plainForm(name, undefined)
    expect(form.exec(`a/b; ${name}=1`)?.[1]).toBe('1')
    for (const other of ['vx1', 'aab', 'xx', '', 'a', 'b']) expect(form.test(`a/b; ${other}=1`)).toBe(false)
  })
})

describe('ranges', () => {
  describe('parseAccept, preferredRange, readParameter', () => {
    it('describes each range', () => {
      expect(parseAccept(' Text/* ;q=0.5, ,x;A="b, c",a/b;q=x')).toEqual([
        { name: 'text/*', quality: 0.5, malformed: false, parameters: { q: '0.5' }, text: 'Text/* ;q=0.5', end: 14 },
        { name: 'x', quality: Number.NaN, malformed: true, parameters: { a: 'b, c' }, text: 'x;A="b, c"', end: 27 },
        { name: 'a/b', quality: Number.NaN, malformed: true, parameters: { q: 'x' }, text: 'a/b;q=x', end: 35 },
      ])
    })

    it.each([
      // RFC 9110, section 12.5.1
      ['text/*, text/plain, text/plain;format=flowed, */*', 'text/plain;format=flowed'],
      ['*/*, */b, a/*, a/*;x=y', 'a/*;x=y'],
      ['*/*, */b, a/b', 'a/b'],
    ])('of %j: %s', (header, text) => {
      expect(preferredRange(parseAccept(header))?.text).toBe(text)
    })
  })

  describe('AcceptParameter.without', () => {
    it.each([
      // as they were, where the name is not mentioned
      ['', ''],
      [' Application/JSON ; q=1 , , a/b', ' Application/JSON ; q=1 , , a/b'],
      ['a/b; x="', 'a/b; x="'],
      ['application/json; version=1', 'application/json'],
      ['Application/JSON; version=1; q=0.5', 'Application/JSON;q=0.5'],
      [
        'application/json;q=0.5;version="1,2" , text/html ; VERSION = 2 ;a=b ,a/b; C = d',
        'application/json;q=0.5, text/html;a=b, a/b; C = d',
      ],
      ['a/b; x="; version=1"; version=2', 'a/b;x="; version=1"'],
    ])('%j -> %j', (header, rest) => {
      expect(new AcceptParameter('Version', undefined).without(header)).toBe(rest)
    })
  })

  test.each<[string, (size: number) => string]>([
    ['commas', (size) => ','.repeat(size)],
    ['quotes', (size) => '"'.repeat(size)],
    ['semicolons', (size) => ';'.repeat(size)],
    ['spaces', (size) => ' '.repeat(size)],
    ['backslashes', (size) => `a/b;c="${'\\'.repeat(size)}`],
    ['spaces in a value', (size) => `a/b;version=1${' '.repeat(size)}2`],
    ['escapes', (size) => `a/b;version="${'\\1'.repeat(size / 2)}"`],
  ])('a header of 256 KB is read in linear time: %s', (_, build) => {
    const header = build(2 ** 18)
    const list = Array.from({ length: 200 }, (_, at) => `a/x${at}`)
    const start = process.cpuUsage()
    new AcceptParameter('version', undefined).read(`${header},x/y;version=1`)
    new AcceptParameter('version', list).read(`${header},x/y;version=1`)
    new AcceptParameter('version', list).without(header)
    plainForm('version', undefined).test(header)
    plainForm('version', list).test(header)
    // Some 30 ms; anything quadratic takes minutes.
    expect(process.cpuUsage(start).user / 1e6).toBeLessThan(5)
  })

  describe('a range of more than 1 KB', () => {
    const json = ['application/json']
    const read = (header: string, types?: string[]) => new AcceptParameter('version', types).read(header)
    const long = 'b'.repeat(5000)

    test.each<[what: string, parameters: string, value: string | typeof UNUSABLE]>([
      ['other parameters, however many', `${';x=y'.repeat(2000)};version=2${';z=y'.repeat(2000)}`, '2'],
      ['a long one', `;a=${long};Version=2`, '2'],
      ['empty ones', `${';'.repeat(5000)}version=2`, '2'],
      ['the same one again and again', ';version=2'.repeat(1000), '2'],
      ['the parameter and another value of it', `;a=${long};version=2;version=1`, UNUSABLE],
      ['many values of it', Array.from({ length: 500 }, (_, at) => `;version=${at}`).join(''), UNUSABLE],
      ['a quoted string that nobody means', `;a="${long}";version=2`, UNUSABLE],
    ])('with %s', (_what, parameters, value) => {
      const range = `application/json${parameters}`
      for (const header of [range, `${range},a/b`, `a/b;q=0.1, ${range}`])
        expect([read(header), read(header, json)]).toEqual([value, value])
    })

    test.each<[header: string, value: Answer]>([
      [`application/json;a=${long};q=0;version=2`, UNACCEPTABLE],
      [`application/json;a=${long};\t q =0;version=2`, UNACCEPTABLE],
      [`application/json;a=${long};Q=0`, UNACCEPTABLE],
      [`text/html;a=${long}`, UNACCEPTABLE],
      [`application/json;a=${long};q=1;version=2`, '2'],
      [`application/json;a=${long};q=0.5,application/json;version=2`, '2'],
      [`application/json;a=${long}`, undefined],
      [`application/json;a="${long}";q=0.5`, undefined],
    ])('keeps its weight: %#', (header, value) => {
      expect(read(header, json)).toBe(value)
      if (value === undefined) expect(read(header)).toBeUndefined()
    })
  })
})

describe('media types', () => {
  type Answer = ReturnType<AcceptParameter['read']>

  const read = (header: string | undefined, types: string): Answer =>
    new AcceptParameter('version', parseMediaTypes('test', types.split(' '))).read(header)

  describe('AcceptParameter, given media types', () => {
    const cases: [header: string | undefined, types: string, answer: Answer][] = [
      [undefined, 'application/json', undefined],
      [' ', 'application/json', undefined],
      [' ,, ', 'application/json', undefined],
      ['application/json; version=1', 'application/json', '1'],
      ['Application/JSON; version=1', 'application/Json', '1'],
      ['*/json; version=1', 'application/json', '1'],
      ['application/json; version', 'application/json', UNUSABLE],
      ['text/html; version=1', 'application/json', UNACCEPTABLE],
      ['text/html, image/*', 'application/json text/css', UNACCEPTABLE],
      ['application/json; version=1; q=x', 'application/json', UNACCEPTABLE],
      ['json; version=1,', 'application/json', UNACCEPTABLE],
      [';', 'application/json', UNACCEPTABLE],
      // the most specific level that matches decides
      ['application/json; q=0, */*; version=2', 'application/json', UNACCEPTABLE],
      ['application/*; q=0, */*; version=2', 'application/json', UNACCEPTABLE],
      ['application/*; q=0, */json; version=2', 'application/json', UNACCEPTABLE],
      ['application/json; q=0, */*; version=2', 'application/json text/html', '2'],
      ['*/*; version=1, application/*; version=2, application/json; version=3; q=0.1', 'application/json', '3'],
      ['*/*; version=1, */json; version=2; q=0.1', 'application/json', '2'],
      // on one level: weight, parameters over none, order
      ['application/json; version=1; q=0.5, application/json; version=2', 'application/json', '2'],
      ['application/json, application/json; version=2; q=0.9', 'application/json', undefined],
      ['application/json; version=1, application/json; version=2', 'application/json', '1'],
      ['application/json; q=0, application/json; version=2', 'application/json', '2'],
      ['application/json; q=x, application/json; version=2; q=0.1', 'application/json', '2'],
      // among media types: weight, level, parameters, order in the header
      ['a/a; version=1; q=0.5, b/b; version=2', 'a/a b/b', '2'],
      ['a/*; version=1, b/b; version=2', 'a/a b/b', '2'],
      ['*/*; version=1, b/b; version=2; q=0.9', 'a/a b/b', '1'],
      // the version is no parameter that counts, or Express would send another type
      ['a/a, b/b; version=2', 'a/a b/b', undefined],
      ['a/a; x=y; version=1, b/b; version=2', 'a/a b/b', '2'],
      ['*/*; x=*; version=1, */*; version=2', 'a/a b/b', '1'],
      ['a/a; version=1, b/b; x=*; version=2', 'a/a b/b', '2'],
      ['a/a; version=1, b/b; x=1; version=2', 'a/a b/b', '1'],
      ['a/a; version=1, b/b; version=2, a/a; version=3', 'a/a b/b', '2'],
      ['a/a; version=1; q=2, b/b; version=2; q=3', 'a/a b/b', '2'],
      ['a/a; version=1; q=0.5, a/a; version=2; q=x, b/b; version=3; q=0.1', 'a/a b/b', '3'],
      // where Express would send none of them, other parameters do not hinder
      ['a/a; x=y; version=1', 'a/a b/b', '1'],
      ['x/x, b/b; charset=utf-8; version=2, a/a; x=y; version=1; q=0.9', 'a/a b/b', '2'],
      ['a/a; x=y; q=0, */*; version=2', 'a/a', '2'],
      ['a/a; x=y; version=1, */*; version=2', 'a/a', '1'],
      // the first of the media types that one range decides about
      ['a/*; version=1, b/*; version=2', 'b/b a/a a/c', '1'],
      ['b/b; version=2, a/a; version=1', 'a/a b/b', '2'],
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
      ['text/html', 'a'],
      ['image/jpeg', 'e'],
      ['text/html image/jpeg text/plain', 'c'],
    ])('RFC 9110 12.5.1: %s -> %s', (types, answer) => {
      expect(read(RFC, types)).toBe(answer)
    })
  })

  test('the option is an iterable of types, in any letter case', () => {
    expect(parseMediaTypes('x', new Set(['A/B', 'c/d+e']))).toEqual(['a/b', 'c/d+e'])
    for (const wrong of [[], ['*/b'], ['a/*'], ['a'], ['a/b/c'], ['/b'], ['a/ b'], [7]])
      expect(() => parseMediaTypes('x', wrong as string[])).toThrow(
        'x: option "mediaTypes" takes a list of media types',
      )
  })
})
