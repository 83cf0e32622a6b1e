import fc from 'fast-check'
import Negotiator from 'negotiator'
import { AcceptParameter, parseAccept, plainForm, readParameter, UNACCEPTABLE } from '../../src/http/accept'
import { model, modelRanges, modelWithout, trim } from '../support/accept-model'
import { property } from '../support/property'

const pick = (...words: string[]): fc.Arbitrary<string> => fc.constantFrom(...words)
const name = pick(
  'a/b',
  'A/B',
  'a/c',
  'd/e',
  'a/*',
  '*/b',
  '*/*',
  'ab',
  '*',
  '/',
  'a / b',
  '',
  'a/b/c',
  'a/b*',
  'a/b/*',
  '*/b/*',
)
const param = fc.oneof(
  fc
    .tuple(
      pick('version', 'Version', ' version ', 'q', 'Q', 'x', 'xversion', ''),
      pick('=', '=', '=', ' =\t', ''),
      pick('', '"'),
    )
    .chain(([key, equals, quote]) =>
      pick(
        '1',
        '2',
        '1',
        '0',
        '0.5',
        '0.50',
        '1.5',
        '-1',
        'e',
        '\\1',
        '1 2',
        ' ',
        '',
        '"',
        'a,b',
        'x;version=2',
        '0x',
        '*',
        'version',
      ).chain((text) =>
        pick(quote, quote, quote, quote, '', `${quote} y`).map((end) => `${key}${equals}${quote}${text}${end}`),
      ),
    ),
  pick('version=1', 'version=2', 'q=0', 'q=0.5', 'x=*', 'x=', 'x=1', '', ' '),
)
const range = fc
  .tuple(name, fc.array(param, { maxLength: 3 }), pick('', ' ', '\t'))
  .map(([type, params, space]) => [type, ...params].join(`${space};${space}`))
const structured = fc
  .array(range, { maxLength: 5 })
  .chain((ranges) => pick(',', ', ', ' ,').map((comma) => ranges.join(comma)))
const soup = fc
  .array(pick('a/b', '*/*', 'version', 'q', ';', ';', ',', '=', '=', '"', '\\', ' ', '\t', '1', '0', '2', '\x00'), {
    maxLength: 24,
  })
  .map((words) => words.join(''))
const latin1 = fc.string({ unit: fc.nat({ max: 255 }).map((code) => String.fromCharCode(code)), maxLength: 60 })
const anyHeader = fc.oneof(structured, structured, soup, latin1)
const types = fc.option(fc.uniqueArray(pick('a/b', 'a/c', 'd/e', 'f/g'), { minLength: 1 }), { nil: undefined })
const read = (header: string, list: string[] | undefined) => new AcceptParameter('version', list).read(header)

property(
  'AcceptParameter reads what the literal model reads',
  fc.property(anyHeader, types, (header, list) => {
    expect(read(header, list)).toBe(model(header, 'version', list))
  }),
)

const plain = fc
  .tuple(
    pick('a/b', 'A/B', 'a/c', '*/*', 'a/*', 'f/g'),
    pick('', ';', '; ', ';\t ', ' ;'),
    pick('version', 'Version'),
    pick('1', 'v2.0', '~-_', '', '1 '),
  )
  .map(([type, semicolon, key, value]) => (semicolon === '' ? type : `${type}${semicolon}${key}=${value}`))
let matched = 0
property(
  'what the plain form reads is what the model reads',
  fc.property(fc.oneof(plain, anyHeader), types, (header, list) => {
    const match = plainForm('version', list).exec(header)
    if (match === null) return
    matched++
    expect(model(header, 'version', list)).toBe(match[1])
  }),
)

test('the plain form is what many headers have', () => {
  expect(matched).toBeGreaterThan(0)
})

property(
  'a header of one range is read as it is read in a list',
  fc.property(fc.oneof(range, soup, latin1), types, (text, list) => {
    const header = text.replaceAll(',', '').replaceAll('"', '')
    const alone = read(header, list)
    expect(read(`${header},`, list)).toBe(alone)
    expect(read(`, ,${header}`, list)).toBe(alone)
  }),
)

property(
  'the ranges stand in the header where they say',
  fc.property(anyHeader, (header) => {
    const ranges = parseAccept(header)
    expect(ranges.map(({ text }) => text)).toEqual(modelRanges(header).map((one) => one.raw.replace(/^[ \t]+/, '')))
    for (const { text, end } of ranges) expect(header.slice(end - text.length, end)).toBe(text)
  }),
)

/** Returns the parameters that the parser keeps: the first of each name, if its value is complete. */
function kept(params: { name: string; text: string | undefined }[]): Record<string, string> {
  const pairs = params.flatMap(({ name, text }) => (text === undefined ? [] : [[name, text] as const]))
  return Object.fromEntries(pairs.toReversed())
}

property(
  'without() takes the parameter out, and keeps the types, the other parameters and the weights',
  fc.property(anyHeader, (header) => {
    const rest = new AcceptParameter('version', undefined).without(header)
    const expected = modelRanges(header).map((one) => ({
      type: trim(one.raw.split(/[;,]/, 1)[0] ?? ''),
      params: kept(one.params.filter(({ name }) => name !== 'version')),
    }))
    const seen = modelRanges(rest).map((one) => ({
      type: trim(one.raw.split(/[;,]/, 1)[0] ?? ''),
      params: kept(one.params),
    }))
    const full = (one: { type: string; params: object }): boolean =>
      one.type !== '' || Object.keys(one.params).length > 0
    expect(seen.filter(full)).toEqual(expected.filter(full))
    for (const one of parseAccept(rest)) expect(one.parameters.version).toBeUndefined()
  }),
)

property(
  'without() keeps a range that does not mention the parameter byte for byte',
  fc.property(anyHeader, (header) => {
    const rest = new AcceptParameter('version', undefined).without(header)
    if (!header.toLowerCase().includes('version')) expect(rest).toBe(header)
    const silent = parseAccept(header).filter(({ text }) => !text.toLowerCase().includes('version'))
    for (const { text } of silent) expect(rest).toContain(text)
  }),
)

property(
  'negotiator picks the same of what without() leaves as of the header with nothing but the parameter taken out',
  fc.property(anyHeader, types, (header, list) => {
    const picked = (accept: string) => new Negotiator({ headers: { accept } }).mediaTypes(list)
    expect(picked(new AcceptParameter('version', undefined).without(header))).toEqual(
      picked(modelWithout(header, 'version')),
    )
  }),
)

property(
  'a header that does not mention the parameter has none',
  fc.property(anyHeader, types, (header, list) => {
    const rest = new AcceptParameter('version', undefined).without(header)
    for (const one of parseAccept(rest)) expect(readParameter(one, 'absent')).toBeUndefined()
    if (!rest.toLowerCase().includes('version')) expect([undefined, UNACCEPTABLE]).toContain(read(rest, list))
  }),
)
