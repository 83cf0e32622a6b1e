import { UNACCEPTABLE, UNUSABLE } from '../../src/http/accept'

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

export const trim = (text: string): string => text.replace(/^[ \t]+|[ \t]+$/g, '')
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

export function modelRanges(header: string): Range[] {
  return [...header.matchAll(ELEMENT)]
    .map(([, type = '', params = '']) => ({
      raw: type + params,
      name: trim(type).toLowerCase(),
      params: [...params.matchAll(PARAMS)].map(([raw]) => modelParam(raw)),
    }))
    .filter((range) => trim(range.raw) !== '')
}

export function modelWithout(header: string, name: string): string {
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

/** What an Accept header says about a parameter. */
export function model(
  header: string,
  name: string,
  types: string[] | undefined,
): string | undefined | typeof UNUSABLE | typeof UNACCEPTABLE {
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
