import Negotiator from 'negotiator'
import { UNACCEPTABLE, UNUSABLE } from '../../src/http/accept'

// The rules once more, as slow and as literal as can be, on regular expressions and sorted lists.

type Range = ReturnType<typeof modelRanges>[number]
type Meaning = string | undefined | typeof UNUSABLE | typeof UNACCEPTABLE

export const trim = (text: string): string => text.replace(/^[ \t]+|[ \t]+$/g, '')
const unquote = (text: string): string => text.replace(/\\([\s\S])/g, '$1')

/** A parameter, with its value decoded. `ok`: a value that may be trusted; `open`: its quote is never closed. */
function modelParam(raw: string) {
  const [, name = '', equals, value = ''] = /^;([^=]*)(=?)([\s\S]*)$/.exec(raw) ?? []
  const param = (text?: string, ok = false, open = false) => ({ raw, name: trim(name).toLowerCase(), text, ok, open })
  if (equals === '') return param()
  const quoted = /^[ \t]*"((?:[^"\\]|\\[\s\S])*)"([\s\S]*)$/.exec(value)
  if (quoted) return param(unquote(quoted[1] ?? ''), trim(quoted[2] ?? '') === '')
  if (/^[ \t]*"/.test(value)) return param(undefined, false, true)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the model needs control characters
  return param(trim(value), /^[^"\x00-\x20\x7f-\x9f]+$/.test(trim(value)))
}

const VALUE = /[ \t]*"(?:[^"\\]|\\[\s\S])*"[^;,]*|[ \t]*"[\s\S]*|[^;,]*/.source
const PARAM = `;[^=;,]*(?:=(?:${VALUE}))?`
const ELEMENT = new RegExp(`([^;,]*)((?:${PARAM})*)(,|$)`, 'gy')
const PARAMS = new RegExp(PARAM, 'gy')

export function modelRanges(header: string) {
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

const qOf = (range: Range): string | undefined =>
  range.params.find((param) => param.name === 'q' && param.text !== undefined)?.text

function modelWeight(range: Range): number {
  const q = qOf(range)
  return range.name.includes('/') ? (q ? Number.parseFloat(q) : 1) : Number.NaN
}

const chosen = (range: Range): number => Math.max(0, modelWeight(range) || 0)
const mentions = (text: string, name: string): boolean => text.toLowerCase().includes(name)
const hasParams = (range: Range, name: string): boolean =>
  range.params.some((param) => (param.name !== 'q' && param.text !== undefined) || mentions(param.raw, name))
function level({ name }: Range): number {
  const [type, ...subtype] = name.split('/')
  return (type === '*' ? 0 : 2) + (subtype.join('/') === '*' ? 0 : 1)
}
const preferFor = (name: string) => (a: Range, b: Range) =>
  chosen(b) - chosen(a) || level(b) - level(a) || Number(hasParams(b, name)) - Number(hasParams(a, name))

function modelRead(range: Range, name: string): string | undefined | typeof UNUSABLE {
  if (range.params.some((param) => param.open)) return mentions(range.raw, name) ? UNUSABLE : undefined
  if (range.params.some((param) => !param.ok && mentions(param.raw, name))) return UNUSABLE
  const named = range.params.filter((param) => param.name === name)
  if (new Set(named.map((param) => param.text)).size > 1) return UNUSABLE
  return named[0]?.text
}

/** Returns negotiator's choice for the header without the parameter, or else for the types and weights alone. */
function modelType(header: string, ranges: Range[], name: string, types: string[]): string | undefined {
  const pick = (accept: string): string | undefined => new Negotiator({ headers: { accept } }).mediaType(types)
  const weights = ranges.map((range) => `${range.name};q="${(qOf(range) ?? '').replace(/["\\]/g, '\\$&')}"`)
  return pick(modelWithout(header, name)) ?? pick(weights.join())
}

/** Returns the meaning of an Accept header for a parameter. */
export function model(header: string, name: string, types: string[] | undefined): Meaning {
  const ranges = modelRanges(header)
  if (ranges.length === 0) return undefined
  const candidates = ranges.filter((range) => chosen(range) > 0).toSorted(preferFor(name))
  if (types !== undefined) {
    const type = modelType(header, ranges, name, types)
    if (type === undefined) return UNACCEPTABLE
    const [top = '', sub = ''] = type.split('/')
    const levels = [type, `${top}/*`, `*/${sub}`, '*/*'].map((key) => candidates.find((range) => range.name === key))
    return modelRead(levels.find((found) => found !== undefined) as Range, name)
  }
  const [best] = candidates
  if (best !== undefined) return modelRead(best, name)
  const honest = (range: Range): boolean => modelWeight(range) === 0 && Number(qOf(range)) === 0
  return ranges.some((range) => !honest(range) && mentions(range.raw, name)) ? UNUSABLE : undefined
}
