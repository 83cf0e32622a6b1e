import fc from 'fast-check'
import {
  negotiateParameter,
  parseAccept,
  parseMediaTypes,
  plainForm,
  readParameter,
  UNACCEPTABLE,
  withoutParameter,
} from '../../src/http/accept'
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
    .tuple(pick('version', 'Version', ' version ', 'q', 'Q', 'x', ''), pick('=', '=', '=', ' =\t', ''), pick('', '"'))
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
      ).chain((text) =>
        pick(quote, quote, quote, quote, '', `${quote} y`).map((end) => `${key}${equals}${quote}${text}${end}`),
      ),
    ),
  pick('version=1', 'version=2', 'q=0', 'q=0.5', '', ' '),
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
const prepared = (list: string[] | undefined) => (list === undefined ? undefined : parseMediaTypes('test', list))

property(
  'negotiateParameter is the literal model',
  fc.property(anyHeader, types, (header, list) => {
    expect(negotiateParameter(header, 'version', prepared(list))).toBe(model(header, 'version', list))
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
  'what the plain form reads is what negotiation reads',
  fc.property(fc.oneof(plain, anyHeader), types, (header, list) => {
    const match = plainForm('version', prepared(list)).exec(header)
    if (match === null) return
    matched++
    expect(negotiateParameter(header, 'version', prepared(list))).toBe(match[1])
  }),
)

test('the plain form is what many headers have', () => {
  expect(matched).toBeGreaterThan(0)
})

property(
  'a header of one range is read as it is read in a list',
  fc.property(fc.oneof(range, soup, latin1), types, (text, list) => {
    const header = text.replaceAll(',', '').replaceAll('"', '')
    const alone = negotiateParameter(header, 'version', prepared(list))
    expect(negotiateParameter(`${header},`, 'version', prepared(list))).toBe(alone)
    expect(negotiateParameter(`, ,${header}`, 'version', prepared(list))).toBe(alone)
  }),
)

property(
  'the ranges stand in the header where they say',
  fc.property(anyHeader, (header) => {
    const raws = parseAccept(header).map((one) => header.slice(one.start, one.end))
    expect(raws).toEqual(modelRanges(header).map((one) => one.raw.replace(/^[ \t]+/, '')))
  }),
)

property(
  'withoutParameter keeps everything else byte for byte',
  fc.property(anyHeader, (header) => {
    expect(withoutParameter(header, 'version')).toBe(modelWithout(header, 'version'))
  }),
)

property(
  'after withoutParameter no range has the parameter, and each keeps its other parameters and its weight',
  fc.property(anyHeader, types, (header, list) => {
    const rest = withoutParameter(header, 'version')
    expect(withoutParameter(rest, 'version')).toBe(rest)
    const before = modelRanges(header).map((one) => ({
      name: one.name,
      params: one.params.filter((other) => other.name !== 'version').map((other) => trim(other.raw)),
    }))
    const after = modelRanges(rest).map((one) => ({
      name: one.name,
      params: one.params.map((other) => trim(other.raw)),
    }))
    const full = (one: { name: string; params: string[] }): boolean => one.name !== '' || one.params.length > 0
    expect(after).toEqual(before.filter(full))
    for (const one of parseAccept(rest)) {
      if (!rest.includes('"')) expect(readParameter(rest, one, 'version')).toBeUndefined()
    }
    const answer = negotiateParameter(rest, 'version', prepared(list))
    if (!rest.toLowerCase().includes('version')) expect([undefined, UNACCEPTABLE]).toContain(answer)
  }),
)
