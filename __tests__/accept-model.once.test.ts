import fc from 'fast-check'
import {
  negotiateParameter,
  parseAccept,
  parseMediaTypes,
  readParameter,
  UNACCEPTABLE,
  UNUSABLE,
  withoutParameter,
} from '../src/http/accept'

const RUNS = { numRuns: Number(process.env.FC_RUNS ?? 500) }

// The rules once more, as slow and as literal as can be, on regular expressions and sorted lists.

interface Param {
  raw: string
  name: string
  open: boolean // the quote is never closed
  text: string | undefined // decoded; undefined without a value
  ok: boolean // a value that may be trusted
}

interface Range {
  raw: string
  name: string
  params: Param[]
}

const trim = (text: string): string => text.replace(/^[ \t]+|[ \t]+$/g, '')
const unquote = (text: string): string => text.replace(/\\([\s\S])/g, '$1')

function modelParam(raw: string): Param {
  const [, name = '', equals, value = ''] = /^;([^=]*)(=?)([\s\S]*)$/.exec(raw) ?? []
  const param = { raw, name: trim(name).toLowerCase(), open: false, text: undefined, ok: false }
  if (equals === '') return param
  const quoted = /^[ \t]*"((?:[^"\\]|\\[\s\S])*)"([\s\S]*)$/.exec(value)
  if (quoted) return { ...param, text: unquote(quoted[1] ?? ''), ok: trim(quoted[2] ?? '') === '' }
  if (/^[ \t]*"/.test(value)) return { ...param, open: true }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about
  return { ...param, text: trim(value), ok: /^[^"\x00-\x20\x7f]+$/.test(trim(value)) }
}

const VALUE = /[ \t]*"(?:[^"\\]|\\[\s\S])*"[^;,]*|[ \t]*"[\s\S]*|[^;,]*/.source
const PARAM = `;[^=;,]*(?:=(?:${VALUE}))?`
const ELEMENT = new RegExp(`([^;,]*)((?:${PARAM})*)(,|$)`, 'gy')
const PARAMS = new RegExp(PARAM, 'gy')

function modelRanges(header: string): Range[] {
  return [...header.matchAll(ELEMENT)]
    .map(([, type = '', params = '']) => ({
      raw: type + params,
      name: trim(type).toLowerCase(),
      params: [...params.matchAll(PARAMS)].map(([raw]) => modelParam(raw)),
    }))
    .filter((range) => trim(range.raw) !== '')
}

function modelWithout(header: string, name: string): string {
  const strip = (raw: string): string => {
    const param = modelParam(raw)
    if (param.name !== name) return raw
    return param.open ? '' : (/[ \t]*$/.exec(raw)?.[0] ?? '')
  }
  return header.replace(ELEMENT, (_, type: string, params: string, comma: string) => {
    return type + params.replace(PARAMS, strip) + comma
  })
}

function modelWeight(range: Range): number {
  const q = range.params.find((param) => param.name === 'q' && param.text !== undefined)?.text
  return range.name.includes('/') ? Math.min(1, q ? Number.parseFloat(q) : 1) : Number.NaN
}

const chosen = (range: Range): number => Math.max(0, modelWeight(range) || 0)
const hasParams = (range: Range): boolean => range.params.some((param) => param.name !== 'q' && trim(param.raw) !== ';')
function level({ name }: Range): number {
  const [type, ...subtype] = name.split('/')
  return (type === '*' ? 0 : 2) + (subtype.join('/') === '*' ? 0 : 1)
}
const prefer = (a: Range, b: Range): number =>
  chosen(b) - chosen(a) || level(b) - level(a) || Number(hasParams(b)) - Number(hasParams(a))
const mentions = (range: Range, name: string): boolean => range.raw.toLowerCase().includes(name)

function modelRead(range: Range, name: string): string | undefined | typeof UNUSABLE {
  if (range.params.some((param) => param.open)) return mentions(range, name) ? UNUSABLE : undefined
  const named = range.params.filter((param) => param.name === name)
  if (named.some((param) => !param.ok) || new Set(named.map((param) => param.text)).size > 1) return UNUSABLE
  return named[0]?.text
}

function model(header: string, name: string, types: string[] | undefined): ReturnType<typeof negotiateParameter> {
  if (types === undefined && !header.includes(';') && header.includes('/')) return undefined
  const ranges = modelRanges(header)
  if (ranges.length === 0) return undefined
  if (types !== undefined) {
    const deciding = types.flatMap((type) => {
      const [top = '', sub = ''] = type.split('/')
      const levels = [type, `${top}/*`, `*/${sub}`, '*/*'].map((key) => ranges.filter((range) => range.name === key))
      return (levels.find((found) => found.length > 0) ?? []).toSorted(prefer).slice(0, 1)
    })
    const acceptable = ranges.filter((range) => deciding.includes(range) && chosen(range) > 0)
    const [best] = acceptable.toSorted(prefer)
    return best === undefined ? UNACCEPTABLE : modelRead(best, name)
  }
  const [best] = ranges.filter((range) => chosen(range) > 0).toSorted(prefer)
  if (best !== undefined) return modelRead(best, name)
  const honest = (range: Range): boolean =>
    modelWeight(range) === 0 &&
    Number(range.params.find((param) => param.name === 'q' && param.text !== undefined)?.text) === 0
  return ranges.some((range) => !honest(range) && mentions(range, name)) ? UNUSABLE : undefined
}

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

test('negotiateParameter is the literal model', () => {
  fc.assert(
    fc.property(anyHeader, types, (header, list) => {
      expect(negotiateParameter(header, 'version', prepared(list))).toBe(model(header, 'version', list))
    }),
    { ...RUNS, numRuns: RUNS.numRuns * 4 },
  )
})

test('a header of one range is read as it is read in a list', () => {
  fc.assert(
    fc.property(fc.oneof(range, soup, latin1), types, (text, list) => {
      const header = text.replaceAll(',', '').replaceAll('"', '')
      const alone = negotiateParameter(header, 'version', prepared(list))
      expect(negotiateParameter(`${header},`, 'version', prepared(list))).toBe(alone)
      expect(negotiateParameter(`, ,${header}`, 'version', prepared(list))).toBe(alone)
    }),
    RUNS,
  )
})

test('the ranges stand in the header where they say', () => {
  fc.assert(
    fc.property(anyHeader, (header) => {
      const raws = parseAccept(header).map((one) => header.slice(one.start, one.end))
      expect(raws).toEqual(modelRanges(header).map((one) => one.raw.replace(/^[ \t]+/, '')))
    }),
    RUNS,
  )
})

test('withoutParameter keeps everything else byte for byte', () => {
  fc.assert(
    fc.property(anyHeader, (header) => {
      expect(withoutParameter(header, 'version')).toBe(modelWithout(header, 'version'))
    }),
    RUNS,
  )
})

test('after withoutParameter no range has the parameter, and each keeps its other parameters and its weight', () => {
  fc.assert(
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
    RUNS,
  )
})
