import { AcceptParameter, parseAccept, plainForm, preferredRange, UNACCEPTABLE, UNUSABLE } from '../../src/http/accept'

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
    ['audio/*; q=0.2, audio/basic', 'audio/basic'],
    ['text/plain; q=0.5, text/x-dvi; q=0.8, text/html, text/x-c', 'text/html'],
    ['text/*, text/plain, text/plain;format=flowed, */*', 'text/plain;format=flowed'],
    ['*/*, */b, a/*, a/*;x=y', 'a/*;x=y'],
    ['*/*, */b, a/b', 'a/b'],
    ['*/*, */b', '*/b'],
    ['c, a/b;q=0, c/d;q=x, e', undefined],
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

  describe.each([
    ['alone', (range: string) => range],
    ['before another one', (range: string) => `${range},a/b`],
    ['behind another one', (range: string) => `a/b;q=0.1, ${range}`],
  ])('%s', (_, header) => {
    test.each<[what: string, parameters: string, value: string | typeof UNUSABLE]>([
      ['other parameters, however many', `${';x=y'.repeat(2000)};version=2${';z=y'.repeat(2000)}`, '2'],
      ['a long one', `;a=${long};Version=2`, '2'],
      ['empty ones', `${';'.repeat(5000)}version=2`, '2'],
      ['the same one again and again', ';version=2'.repeat(1000), '2'],
      ['the parameter and another value of it', `;a=${long};version=2;version=1`, UNUSABLE],
      ['many values of it', Array.from({ length: 500 }, (_, at) => `;version=${at}`).join(''), UNUSABLE],
      ['a quoted string that nobody means', `;a="${long}";version=2`, UNUSABLE],
    ])('with %s', (_what, parameters, value) => {
      expect(read(header(`application/json${parameters}`))).toBe(value)
      expect(read(header(`application/json${parameters}`), json)).toBe(value)
    })
  })

  test('keeps its weight', () => {
    for (const weight of [';q=0', ';\t q =0', ';Q=0'])
      expect(read(`application/json;a=${long}${weight};version=2`, json)).toBe(UNACCEPTABLE)
    expect(read(`application/json;a=${long};q=1;version=2`, json)).toBe('2')
  })

  test('counts where it does not mention the parameter', () => {
    expect(read(`application/json;a=${long}`)).toBeUndefined()
    expect(read(`application/json;a=${long}`, json)).toBeUndefined()
    expect(read(`application/json;a=${long};q=0`, json)).toBe(UNACCEPTABLE)
    expect(read(`application/json;a=${long};q=0.5,application/json;version=2`, json)).toBe('2')
    expect(read(`text/html;a=${long}`, json)).toBe(UNACCEPTABLE)
    expect(read(`application/json;a="${long}"`, json)).toBeUndefined()
    expect(read(`application/json;a="${long}";q=0.5`, json)).toBeUndefined()
  })
})
