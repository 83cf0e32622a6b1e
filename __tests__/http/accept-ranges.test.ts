import {
  negotiateParameter,
  parseAccept,
  parseMediaTypes,
  plainForm,
  rankRanges,
  readParameter,
  UNUSABLE,
  withoutParameter,
} from '../../src/http/accept'

describe('parseAccept, rankRanges, readParameter', () => {
  it('describes each range', () => {
    expect(parseAccept(' Text/* ;q=0.5, ,x;a="b, c"')).toEqual([
      { name: 'text/*', weight: 0.5, malformed: false, specificity: 4, order: 0, start: 1, end: 14 },
      { name: 'x', weight: 0, malformed: true, specificity: 7, order: 1, start: 17, end: 27 },
    ])
  })

  it.each([
    // RFC 9110, section 12.5.1
    ['audio/*; q=0.2, audio/basic', 'audio/basic audio/*'],
    ['text/plain; q=0.5, text/html, text/x-dvi; q=0.8, text/x-c', 'text/html text/x-c text/x-dvi text/plain'],
    ['text/*, text/plain, text/plain;format=flowed, */*', 'text/plain text/plain text/* */*'],
    ['*/*, */b, a/*, a/*;x=y, a/b', 'a/b a/* a/* */b */*'],
    ['a/b;q=0, c/d;q=x, e', ''],
  ])('ranks %j: %s', (header, names) => {
    expect(
      rankRanges(parseAccept(header))
        .map((range) => range.name)
        .join(' '),
    ).toBe(names)
  })

  it('reads the parameter of the range it is asked about', () => {
    const header = 'a/b; version="1", c/d, e/f;version'
    expect(parseAccept(header).map((range) => readParameter(header, range, 'version'))).toEqual([
      '1',
      undefined,
      UNUSABLE,
    ])
  })
})

describe('withoutParameter', () => {
  it.each([
    ['', ''],
    ['application/json', 'application/json'],
    ['application/json; version=1', 'application/json'],
    ['application/json; version=1; q=0.5', 'application/json; q=0.5'],
    ['application/json;q=0.5;version="1,2" , text/html ; VERSION = 2 ;a=b', 'application/json;q=0.5 , text/html  ;a=b'],
    ['a/b;version;version=;version="1"x;versions=1', 'a/b;versions=1'],
    ['a/b; x="; version=1"; version=2', 'a/b; x="; version=1"'],
    ['a/b; version="1, c/d; q=0 ', 'a/b'],
    ['a/b; x="; version=1', 'a/b; x="; version=1'],
    [' ,a/b;;version=1;,', ' ,a/b;;,'],
    [';version=1', ''],
  ])('%j -> %j', (header, rest) => {
    expect(withoutParameter(header, 'version')).toBe(rest)
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
  ['open quotes', (size) => 'a/b;c=",'.repeat(size / 8)],
  ['names without a slash', (size) => 'a,'.repeat(size / 2)],
  ['malformed ranges', (size) => 'a;b=c,'.repeat(size / 6)],
  ['one parameter many times', (size) => `a/b${';version=1'.repeat(size / 10)}`],
  ['ranges', (size) => 'a/b;q=1,'.repeat(size / 8)],
  ['different ranges', (size) => Array.from({ length: size / 8 }, (_, at) => `a/${at}`).join()],
])('a header of 256 KB is read in linear time: %s', (_, build) => {
  const header = build(2 ** 18)
  const list = parseMediaTypes(
    'test',
    Array.from({ length: 200 }, (_, at) => `a/x${at}`),
  )
  const start = process.cpuUsage()
  negotiateParameter(header, 'version', undefined)
  negotiateParameter(`${header},`, 'version', list)
  withoutParameter(header, 'version')
  plainForm('version', undefined).test(header)
  plainForm('version', list).test(header)
  // Some 30 ms; anything quadratic takes minutes.
  expect(process.cpuUsage(start).user / 1e6).toBeLessThan(5)
})
