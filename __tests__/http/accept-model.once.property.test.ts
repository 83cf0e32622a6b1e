import fc from 'fast-check'
import Negotiator from 'negotiator'
import { AcceptParameter, parseAccept, plainForm, UNACCEPTABLE } from '../../src/http/accept'
import { model, modelRanges, modelWithout, trim } from '../support/accept-model'
import { property } from '../support/property'

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
const character = fc.nat({ max: 255 }).map((code) => String.fromCharCode(code))
const latin1 = joined(character, 60)
const anyHeader = fc.oneof(structured, structured, soup, latin1)
const types = fc.option(fc.uniqueArray(words('a/b a/c d/e f/g'), { minLength: 1 }), { nil: undefined })
const read = (header: string, list: string[] | undefined) => new AcceptParameter('version', list).read(header)
const without = (header: string) => new AcceptParameter('version', undefined).without(header)
const negotiated = (accept: string, offers?: string[]) => new Negotiator({ headers: { accept } }).mediaTypes(offers)

property(
  'AcceptParameter reads what the literal model reads',
  fc.property(anyHeader, types, (header, list) => {
    expect(read(header, list)).toBe(model(header, 'version', list))
  }),
)

let matched = 0
const plain = fc
  .tuple(
    words('a/b A/B a/c */* a/* f/g'),
    words('; ;', ';\t ', ' ;'),
    words('version Version'),
    words('1 v2.0 ~-_', ''),
  )
  .map(([type, semicolon, key, value]) => `${type}${semicolon}${key}=${value}`)
property(
  'what the plain form reads is what the model reads',
  fc.property(fc.oneof(plain, name, anyHeader), types, (header, list) => {
    const match = plainForm('version', list).exec(header)
    if (match === null) return
    matched++
    expect(model(header, 'version', list)).toBe(match[1])
  }),
  () => expect(matched).toBeGreaterThan(0),
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

// Well-formed headers without two ranges that differ in their weight only (of those negotiator takes the last one).
const VERSIONS = { '': undefined, 'version=1': '1', 'version=2': '2', 'version="1,0;\\""': '1,0;"' }
const wellFormed = fc.uniqueArray(
  fc.record({
    type: words('a/x a/y a/* b/x b/y b/* */*'),
    version: fc.constantFrom(...(Object.keys(VERSIONS) as (keyof typeof VERSIONS)[])),
    weight: words('q=1 q=0.9 q=0.5 q=0.001 q=0 q=0.000', ''),
  }),
  { maxLength: 10, selector: ({ type, version }) => `${type} ${version}` },
)
const partsOf = (...parts: string[]) => parts.filter((part) => part !== '').join('; ')

property(
  'the best range is the one whose own type negotiator prefers; bare types are acceptable when it says so',
  fc.property(wellFormed, types, (list, mediaTypes) => {
    const header = list.map(({ type, version, weight }) => partsOf(type, version, weight)).join()
    // A wildcard is represented by a media type that only it matches.
    const offers = list.map(({ type, version }) => partsOf(type.replaceAll('*', 'wild'), version))
    const best = list[offers.indexOf(negotiated(header, offers)[0] ?? '')]
    expect(read(header, undefined)).toBe(VERSIONS[best?.version ?? ''])
    const bare = list.flatMap(({ type, version, weight }) => (version === '' ? [partsOf(type, weight)] : [])).join()
    if (bare === '' || mediaTypes === undefined) return
    expect(read(bare, mediaTypes) === UNACCEPTABLE).toBe(negotiated(bare, mediaTypes).length === 0)
  }),
)

/** Returns the parameters that the parser keeps: the first of each name, if its value is complete. */
function kept(params: { name: string; text: string | undefined }[]): Record<string, string> {
  const pairs = params.flatMap(({ name, text }) => (text === undefined ? [] : [[name, text] as const]))
  return Object.fromEntries(pairs.toReversed())
}

property(
  'without() takes the parameter out, and keeps all else; ranges that do not mention it stay byte for byte',
  fc.property(anyHeader, types, (header, list) => {
    const rest = without(header)
    const part = ({ raw, params }: ReturnType<typeof modelRanges>[number]) => {
      const others = kept(params.filter(({ name }) => name !== 'version'))
      return { type: trim(raw.split(/[;,]/, 1)[0] ?? ''), others }
    }
    const isTold = ({ type, others }: ReturnType<typeof part>) => type !== '' || Object.keys(others).length > 0
    const parts = (text: string) => modelRanges(text).map(part).filter(isTold)
    expect(parts(rest)).toEqual(parts(header))
    for (const one of parseAccept(rest)) expect(one.parameters.version).toBeUndefined()
    if (!header.toLowerCase().includes('version')) expect(rest).toBe(header)
    const silent = parseAccept(header).filter(({ text }) => !text.toLowerCase().includes('version'))
    for (const { text } of silent) expect(rest).toContain(text)
    // negotiator picks the same as of the header with nothing but the parameter taken out.
    expect(negotiated(rest, list)).toEqual(negotiated(modelWithout(header, 'version'), list))
    if (!rest.toLowerCase().includes('version')) expect([undefined, UNACCEPTABLE]).toContain(read(rest, list))
  }),
)
