import { badOption, listOption } from '../util/options'
import { AcceptCursor, type MediaRange, parseAccept } from './media-range'
import { isToken } from './token'
import { UNUSABLE } from './unusable'

export { type MediaRange, parseAccept } from './media-range'
export { UNUSABLE } from './unusable'

/** None of the media types that the API produces is acceptable. */
export const UNACCEPTABLE: unique symbol = Symbol('unacceptable')

/** A media type that the API produces, with the range names that match it. */
export interface MediaType {
  /** `type/subtype` in lower case. */
  readonly name: string
  /** `type/*` */
  readonly anySubtype: string
  /** `*`/subtype: no media range of RFC 9110, but negotiator matches it. */
  readonly anyType: string
}

const TAKES = "a list of media types without wildcards and parameters, such as ['application/json']"

/**
 * Checks and prepares the option `mediaTypes`.
 *
 * @param owner who is named in the error.
 * @throws {TypeError} for anything but a non-empty list of media types.
 */
export function parseMediaTypes(owner: string, list: Iterable<string>): readonly MediaType[] {
  const entries = listOption(owner, 'mediaTypes', list, TAKES)
  const types = entries.map((entry) => {
    const [type, subtype, ...rest] = typeof entry === 'string' ? entry.toLowerCase().split('/') : []
    // `*` is a token character, but here a wildcard.
    const named = isToken(type) && isToken(subtype) && rest.length === 0 && type !== '*' && subtype !== '*'
    if (!named) throw badOption(owner, 'mediaTypes', TAKES, entry)
    return { name: `${type}/${subtype}`, anySubtype: `${type}/*`, anyType: `*/${subtype}` }
  })
  if (types.length === 0) throw badOption(owner, 'mediaTypes', TAKES, entries)
  return types
}

/** Negative when `a` is preferred: the higher weight, then the more specific, then the earlier. */
function compareRanges(a: MediaRange, b: MediaRange): number {
  return b.weight - a.weight || b.specificity - a.specificity || a.order - b.order
}

function better(best: MediaRange | undefined, range: MediaRange | undefined): MediaRange | undefined {
  if (range === undefined || range.weight === 0) return best
  return best === undefined || compareRanges(range, best) < 0 ? range : best
}

/** The ranges that may be chosen, the preferred first. */
export function rankRanges(ranges: readonly MediaRange[]): MediaRange[] {
  return ranges.filter((range) => range.weight > 0).sort(compareRanges)
}

/** The range that decides about the most preferred of the media types, if any is acceptable. */
function rangeFor(mediaTypes: readonly MediaType[], ranges: readonly MediaRange[]): MediaRange | undefined {
  const byName = new Map<string, MediaRange>()
  for (const range of ranges) {
    const known = byName.get(range.name)
    if (known === undefined || compareRanges(range, known) < 0) byName.set(range.name, range)
  }
  const any = byName.get('*/*')
  let best: MediaRange | undefined
  for (const type of mediaTypes) {
    // The most specific level decides, even by a weight of 0; equal preferences leave the earlier media type.
    best = better(best, byName.get(type.name) ?? byName.get(type.anySubtype) ?? byName.get(type.anyType) ?? any)
  }
  return best
}

function mentions(header: string, range: MediaRange, name: string): boolean {
  return header.slice(range.start, range.end).toLowerCase().includes(name)
}

/** What a range says about the parameter `name` (in lower case): its value, nothing, or nothing usable. */
export function readParameter(header: string, range: MediaRange, name: string): string | undefined | typeof UNUSABLE {
  const cursor = new AcceptCursor(header)
  cursor.enter(range.start)
  let found: string | undefined
  while (cursor.next()) {
    // What an unterminated quote swallowed may have been the parameter.
    if (cursor.form === 'unterminated') return mentions(header, range, name) ? UNUSABLE : undefined
    if (!cursor.named(name)) continue
    const value = cursor.value()
    if (value === UNUSABLE || (found !== undefined && found !== value)) return UNUSABLE
    found = value
  }
  return found
}

/** Nothing can be chosen: the parameter is absent, unless it stands in a range that only a mistake left out. */
function readLeftOut(header: string, range: MediaRange, name: string): undefined | typeof UNUSABLE {
  return range.malformed && mentions(header, range, name) ? UNUSABLE : undefined
}

/**
 * The value of the parameter `name` (in lower case) in the range of an Accept header that negotiation chooses: for the media
 * types that the API produces, or for anything when those are undefined. `undefined`: the range does not have it.
 */
export function negotiateParameter(
  header: string | undefined,
  name: string,
  mediaTypes: readonly MediaType[] | undefined,
): string | undefined | typeof UNUSABLE | typeof UNACCEPTABLE {
  if (header === undefined) return undefined
  // Ranges without parameters carry no version; what has no slash is no range, and is looked at.
  if (mediaTypes === undefined && !header.includes(';') && header.includes('/')) return undefined
  const ranges = parseAccept(header)
  if (ranges.length === 0) return undefined
  if (mediaTypes !== undefined) {
    const range = rangeFor(mediaTypes, ranges)
    return range === undefined ? UNACCEPTABLE : readParameter(header, range, name)
  }
  const range = ranges.reduce<MediaRange | undefined>(better, undefined)
  if (range !== undefined) return readParameter(header, range, name)
  return ranges.some((one) => readLeftOut(header, one, name) === UNUSABLE) ? UNUSABLE : undefined
}

/** A token or media type, to be matched as it is. */
function literally(text: string): string {
  return text.replace(/[$*+.^|]/g, '\\$&')
}

/**
 * The plain form of what `negotiateParameter` reads, and what most clients send: one range in one spelling, with the parameter
 * alone or with none. Its first group is the value. A RegExp, because it takes a third of the time; what it does not match may
 * mean the same.
 */
export function plainForm(name: string, mediaTypes: readonly MediaType[] | undefined): RegExp {
  const produced = mediaTypes?.map((type) => literally(type.name))
  const ranges = produced === undefined ? '[^\\s,;/"]+/[^\\s,;"]+' : [...produced, '\\*/\\*'].join('|')
  return new RegExp(`^(?:${ranges})(?:;[\\t ]*${literally(name)}=([\\w.~-]+))?$`, 'i')
}

/** The header without the parameter `name` (in lower case) in any range; every other character as it was. */
export function withoutParameter(header: string, name: string): string {
  const cursor = new AcceptCursor(header)
  let kept = ''
  let from = 0
  for (let at = 0; at < header.length; at = cursor.end + 1) {
    cursor.enter(at)
    while (cursor.next()) {
      if (!cursor.named(name)) continue
      kept += header.slice(from, cursor.start)
      from = cursor.stop
    }
  }
  return from === 0 ? header : kept + header.slice(from)
}
