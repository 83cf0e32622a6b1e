import fc from 'fast-check'
import Negotiator from 'negotiator'
import { AcceptParameter, parseAccept, UNACCEPTABLE, UNUSABLE } from '../../src/http/accept'
import { model, modelRanges, modelWithout } from '../support/accept-model'
import { property } from '../support/property'
import { rows, text } from '../support/rows'

type HttpResponse = ReturnType<AcceptParameter['read']>
const read = (header: string | undefined, types?: string[]) => new AcceptParameter('version', types).read(header)
const RESPONSES: Record<string, HttpResponse> = { none: undefined, unusable: UNUSABLE, unacceptable: UNACCEPTABLE }
const told = (column = ''): HttpResponse => (column in RESPONSES ? RESPONSES[column] : text(column))

// The response, then parameters of the range `a/b`.
const PARAMETERS = rows(String.raw`
  none     | '' | \x20 | versions=1; xversion=2 | a="version=2" | a="x | q=0; version=1 | q=-0;version=1
  1        | version=1 | \x09 version \x09=\x09 1 \x09 | q=0.5; VeRsIoN=1 | a=b; ; version=1; | version="1" ; | version="\1"
  1        | c=d"; version=1 | "c; version=1 | a="b"c; version=1 | version=1; VERSION="\1" | version=1; xversion=2
  ''       | version=""
  a=\xe9   | version=a=\xe9
  \x20",;\x20 | version=" \",; "
  // Two values, no value, an open quote, and characters that no value has
  unusable | version=1; version=2 | version=""; version=1 | version=1; version | version | version= | xversion
  unusable | version="1 | version="1\" | version="1"0 | version=1" | version=1 2 | version=1\x002 | version=1\x7f
  // Parts that the parser drops, or reads as part of something else
  unusable | a="1"version=2 | a=b version=2 | a="x, c/d; VERSION=2 | version=2; a="x
  // Malformed weights, alone
  unusable | q=x; version=1 | q=-1; version=1 | q=0x; version=1 | q=" "; version=1`)
test.each(PARAMETERS)('%s: %s', (response, ...parameters) => {
  for (const parameter of parameters.map(text))
    expect([parameter, read(`a/b;${parameter}`)]).toEqual([parameter, told(response)])
})

// The response, the types of the API, and headers of several ranges.
const RANGES = rows(`
  none         | any | '' | \\x20, ,\\x09, | a/b | json | a/b, text/version | a/b; q=x | json, a/b; version=1; q=0
  unusable     | any | a/b, c/d; version | a/b; q=1, c/d; version | json; version=1 | ; version=1
  unusable     | any | json; version=1, a/b; q=0 | a/b; q=x, c/d; q=-1; version=1
  // The weight decides, then the type's specificity, parameters, and the order.
  2            | any | */*; version=1, a/b; version=2, a/*; version=3 | */*; version=1, */b; version=2
  2            | any | */b; version=1, a/*; version=2 | a/*; version=1, a/b*; version=2 | a/*; version=1, a/b/*; version=2
  2            | any | a/b; version=2, a/b; version=1 | a/b;;, a/b;version=2 | /b;x=1;version=2
  none         | any | a/b, c/d; x=y, c/d; version=2 | a/b;=x, a/b;version=1 | a/b;version=2;q=0.7, c/d;q="0.5
  none         | any | a/b; q=0.000; version=1, */*; q=0
  // Weights as negotiator reads them
  1            | any | a/b; q=; version=1, c/d; version=2; q=0.9 | a/b; q; version=1, c/d; version=2; q=0.9
  2            | any | a/b; q=1; version=1, c/d; version=2; q=5 | a/b; q="0.5"; version=1, c/d; version=2; q=0.6
  2            | any | a/b; q=0.5; q=1; version=1, c/d; version=2; q=0.6
  // Types: the most specific level that matches decides, also by excluding.
  1            | a/b | a/b; version=1 | A/B; version=1 | */b; version=1 | */*; version=1
  unacceptable | a/b | c/d; version=1 | a/b; version=1; q=x | b; version=1, | ; | a/*; q=0, */b; version=2
  3            | a/b | */*; version=1, a/*; version=2, a/b; version=3; q=0.1 | */*; version=1, */b; version=3; q=0.1
  // On one level the weight decides, then parameters, then the order.
  2            | a/b | a/b; version=1; q=0.5, a/b; version=2 | a/b; q=0, a/b; version=2 | a/b; q=x, a/b; version=2; q=0.1
  none         | a/b | a/b, a/b; version=2; q=0.9
  // Among types: the weight, the level, parameters, the order in the header
  1            | a/a b/b | */*; version=1, b/b; version=2; q=0.9 | */*; x=*; version=1, */*; version=2
  // The version is no parameter that counts, or Express would send another type.
  none         | a/a b/b | a/a, b/b; version=2
  2            | a/a b/b | a/a; x=y; version=1, b/b; version=2 | a/a; version=1, b/b; x=*; version=2
  1            | a/a b/b | a/a; version=1, b/b; x=1; version=2
  2            | a/a b/b | a/a; version=1, b/b; version=2, a/a; version=3 | a/a; version=1; q=2, b/b; version=2; q=3
  // Where Express would send none of them, other parameters do not hinder.
  1            | a/a b/b | a/a; x=y; version=1
  2            | a/a b/b | x/x, b/b; charset=utf-8; version=2, a/a; x=y; version=1; q=0.9
  1            | a/a | a/a; x=y; version=1, */*; version=2
  // The first of the types that one range decides about
  1            | b/b a/a a/c | a/*; version=1, b/*; version=2
  3            | a/a b/b | x/x; version=1, *; version=2, a/a; version=3; q=0.1`)
test.each(RANGES)('%s, of the types %s: %s', (response, types, ...headers) => {
  const list = types === 'any' ? undefined : types?.split(' ')
  for (const header of headers.map(text)) expect([header, read(header, list)]).toEqual([header, told(response)])
  expect(read(undefined, list)).toBeUndefined()
})

test.each(['v.1', 'a+b', 'x*', '$^', "a|b!#%&'-_`~"])('the parameter %s stands for itself', (name) => {
  const read = (parameters: string) => new AcceptParameter(name, undefined).read(`a/b;${parameters}=1`)
  expect([read(name), read(`x=y; ${name}`)]).toEqual(['1', '1'])
  for (const other of ['vx1', 'aab', 'xx', '', 'a', 'b']) expect(read(other)).toBeUndefined()
})

test('without the parameter, a range keeps its type and the others', () => {
  const rest = new AcceptParameter('Version', undefined).without('Application/JSON; version=1; q=0.5; a="b c"')
  expect(rest).toBe('Application/JSON;q=0.5;a="b c"')
})

test.each(['|,', '|"', '|;', 'a/b;c="|\\', 'a/b;version=1| |2'])('256 KB are read in linear time: %s', (text) => {
  const [before, unit = '', after = ''] = text.split('|')
  const header = `${before}${unit.repeat(2 ** 18 / unit.length)}${after}`
  const start = process.cpuUsage()
  for (const types of [undefined, Array.from({ length: 200 }, (_, at) => `a/x${at}`)]) {
    const parameter = new AcceptParameter('version', types)
    parameter.read(`${header},x/y;version=1`)
    parameter.without(header)
  }
  // Some 30 ms; anything quadratic takes minutes.
  expect(process.cpuUsage(start).user / 1e6).toBeLessThan(5)
})

// Accept headers as the literal model and negotiator read them.

const words = (text: string, ...more: string[]): fc.Arbitrary<string> => fc.constantFrom(...text.split(' '), ...more)
const joined = (unit: fc.Arbitrary<string>, maxLength: number, separator = '') =>
  fc.array(unit, { maxLength }).map((parts) => parts.join(separator))

const name = words('a/b A/B a/c d/e a/* */b */* ab * / a/b/c a/b* a/b/* */b/*', 'a / b', '')
const value = words('1 2 1 0 0.5 0.50 1.5 -1 e \\1 " a,b x;version=2 0x * version', '1 2', ' ', '')
const key = words('version Version q Q x xversion', ' version ', '')
const ends = words('same same same same', '', 'more')
const param = fc.oneof(
  fc.tuple(key, words('= = =', ' =\t', ''), words('"', ''), value, ends).map(([key, equals, quote, text, end]) => {
    return `${key}${equals}${quote}${text}${end === 'more' ? `${quote} y` : end && quote}`
  }),
  words('version=1 version=2 q=0 q=0.5 x=* x= x=1', '', ' '),
)
const range = fc
  .tuple(name, fc.array(param, { maxLength: 3 }), fc.constantFrom('', ' ', '\t'))
  .map(([type, params, space]) => [type, ...params].join(`${space};${space}`))
const structured = fc.oneof(joined(range, 5, ','), joined(range, 5, ' ,'))
const soup = joined(words('a/b */* version q q=0.5 ;q= ; ; , = = " \\ \t 1 0 2 - \x00', ' '), 24)
const latin1 = joined(
  fc.nat({ max: 255 }).map((code) => String.fromCharCode(code)),
  60,
)
// One range with the parameter alone, which needs no negotiation.
const plain = joined(words('a/b A/B a/c */* a/* f/g ;version= ;\tVersion= 1 v2.0 ~-_', '; version='), 3)
const anyHeader = fc.oneof(structured, structured, soup, latin1, plain)
const types = fc.option(fc.uniqueArray(words('a/b a/c d/e f/g'), { minLength: 1 }), { nil: undefined })
const negotiated = (accept: string, offers?: string[]) => new Negotiator({ headers: { accept } }).mediaTypes(offers)
property(
  'AcceptParameter reads what the literal model reads',
  fc.property(anyHeader, types, (header, list) => {
    expect(read(header, list)).toBe(model(header, 'version', list))
  }),
)

property(
  'the ranges stand in the header where they say, and those that may be chosen are those that negotiator keeps',
  fc.property(anyHeader, (header) => {
    const ranges = parseAccept(header)
    expect(ranges.map(({ text }) => text)).toEqual(modelRanges(header).map((one) => one.raw.replace(/^[ \t]+/, '')))
    for (const { text, end } of ranges) expect(header.slice(end - text.length, end)).toBe(text)
    const kept = ranges.filter(({ name, quality }) => quality > 0 && name.includes('/')).map(({ name }) => name)
    const chosen = negotiated(header).map((one) => one.toLowerCase())
    expect(kept.sort()).toEqual(chosen.sort())
  }),
)

property(
  'without() takes the parameter out; ranges that do not mention it stay byte for byte',
  fc.property(anyHeader, types, (header, list) => {
    const rest = new AcceptParameter('version', undefined).without(header)
    for (const one of parseAccept(rest)) expect(one.parameters.version).toBeUndefined()
    if (!header.toLowerCase().includes('version')) expect(rest).toBe(header)
    const silent = parseAccept(header).filter(({ text }) => !text.toLowerCase().includes('version'))
    for (const { text } of silent) expect(rest).toContain(text)
    // negotiator picks the same as of the header with nothing but the parameter taken out.
    expect(negotiated(rest, list)).toEqual(negotiated(modelWithout(header, 'version'), list))
    if (!rest.toLowerCase().includes('version')) expect([undefined, UNACCEPTABLE]).toContain(read(rest, list))
  }),
)
