import fc from 'fast-check'
import Negotiator from 'negotiator'
import { AcceptParameter, parseAccept, UNACCEPTABLE } from '../../src/http/accept'
import { property } from '../support/property'

function preferred(accept: string, offers?: string[]): string[] {
  return new Negotiator({ headers: { accept } }).mediaTypes(offers)
}

interface Range {
  type: string
  subtype: string
  version: string | undefined
  q: string | undefined
  versionFirst: boolean
}

// Well-formed headers without two ranges that differ in their weight only (of those negotiator takes the last one).
const range: fc.Arbitrary<Range> = fc.record({
  type: fc.constantFrom('a', 'b', 'c', '*'),
  subtype: fc.constantFrom('x', 'y', '*'),
  version: fc.constantFrom(undefined, '1', '2', '1,0;"'),
  q: fc.constantFrom(undefined, '1', '0.9', '0.5', '0.001', '0', '0.000'),
  versionFirst: fc.boolean(),
})
const ranges = fc
  .uniqueArray(range, { maxLength: 10, selector: (one) => [one.type, one.subtype, one.version].join(' ') })
  .map((list) => list.filter((one) => one.type !== '*' || one.subtype === '*'))

const parameter = (version: string | undefined): string =>
  version === undefined ? '' : `;version="${version.replaceAll('"', '\\"')}"`

function headerOf(list: Range[]): string {
  const texts = list.map(({ type, subtype, version, q, versionFirst }) => {
    const weight = q === undefined ? '' : `; q=${q}`
    return `${type}/${subtype}${versionFirst ? parameter(version) + weight : weight + parameter(version)}`
  })
  return texts.join(', ')
}

property(
  'any media type: the best range is the one whose own type negotiator prefers',
  fc.property(ranges, (list) => {
    // A wildcard is represented by a media type that only it matches.
    const offers = list.map((one) => `${one.type}/${one.subtype}`.replaceAll('*', 'wild') + parameter(one.version))
    const [best] = preferred(headerOf(list), offers)
    const expected = best === undefined ? undefined : list[offers.indexOf(best)]?.version
    expect(new AcceptParameter('version', undefined).read(headerOf(list))).toBe(expected)
  }),
)

const types = fc.uniqueArray(fc.constantFrom('a/x', 'a/y', 'b/x', 'c/z', 'd/x'), { minLength: 1 })

property(
  'bare media types: acceptable exactly when negotiator says so',
  fc.property(ranges, types, (list, mediaTypes) => {
    fc.pre(list.length > 0)
    const bare = headerOf(list.filter((one) => one.version === undefined))
    fc.pre(bare !== '')
    const answer = new AcceptParameter('version', mediaTypes).read(bare)
    expect(answer === UNACCEPTABLE).toBe(preferred(bare, mediaTypes).length === 0)
  }),
)

const word = fc.constantFrom(
  'a/b',
  '*/*',
  'c',
  'q',
  'q=0.5',
  ';q=',
  ';',
  ',',
  '=',
  '"',
  '\\',
  ' ',
  '\t',
  '1',
  '0',
  '-',
  '.',
)
const latin1 = fc.nat({ max: 255 }).map((code) => String.fromCharCode(code))
const bytes = fc
  .array(fc.oneof({ weight: 6, arbitrary: word }, latin1), { maxLength: 30 })
  .map((words) => words.join(''))
property(
  'whatever the bytes: the ranges that may be chosen are those that negotiator keeps',
  fc.property(bytes, (header) => {
    const kept = parseAccept(header).filter((one) => one.quality > 0 && one.name.includes('/'))
    const expected = preferred(header).map((name) => name.toLowerCase())
    expect(kept.map((one) => one.name).sort()).toEqual(expected.sort())
  }),
)
