import { parse } from 'content-type'
import Negotiator from 'negotiator'
import { badOption, listOption } from '../util/options'
import { isToken } from './token'
import { UNUSABLE } from './unusable'

export { UNUSABLE } from './unusable'

/** None of the media types that the API produces is acceptable. */
export const UNACCEPTABLE: unique symbol = Symbol('unacceptable')

/** One media range of an Accept header (RFC 9110, section 12.5.1). */
export interface MediaRange {
  /** `type/subtype` in lower case, either of them perhaps `*`. */
  readonly name: string
  /** The weight as negotiator reads `q`, which is not held to 0..1; a range is chosen only when it is above 0. */
  readonly quality: number
  /** Cannot be chosen, and not because the client said so: there is no slash, or its `q` is no weight. */
  readonly malformed: boolean
  /** By lower-case name, unquoted and unescaped; the first of two. */
  readonly parameters: Readonly<Record<string, string>>
  /** As it was sent, from its type to the comma (or the header's end) at `end`. */
  readonly text: string
  readonly end: number
}

/** The media ranges of an Accept header in their order, as negotiator reads them; empty list elements are none. */
export function parseAccept(header: string): MediaRange[] {
  const ranges: MediaRange[] = []
  let start = 0
  while (start < header.length) {
    if (' \t,'.includes(header.charAt(start))) {
      start++
      continue
    }
    const { type, parameters, index } = parse(header, { comma: true, start })
    const { q } = parameters
    const quality = q ? Number.parseFloat(q) : 1
    const weighed = quality > 0 || (quality === 0 && Number(q) === 0)
    const malformed = !weighed || !type.includes('/')
    ranges.push({ name: type, quality, malformed, parameters, text: header.slice(start, index), end: index })
    start = index
  }
  return ranges
}

function mentions(text: string, name: string): boolean {
  return text.toLowerCase().includes(name)
}

/** negotiator's bits: 4 for a named type, 2 for a named subtype, 1 for parameters other than `q`. */
function specificity({ name, parameters, text }: MediaRange, parameter?: string): number {
  const named = (name.startsWith('*/') ? 0 : 4) + (/^[^/]*\/\*$/.test(name) ? 0 : 2)
  // A parameter that is looked for counts even where the parser dropped it, so that it is found out.
  const dropped = parameter !== undefined && mentions(text.slice(name.length), parameter)
  return dropped || Object.keys(parameters).some((key) => key !== 'q') ? named + 1 : named
}

/** The range that a client prefers: the higher weight, then the more specific, then the earlier. Of weight 0 is none. */
export function preferredRange(ranges: readonly MediaRange[], parameter?: string): MediaRange | undefined {
  let best: MediaRange | undefined
  for (const range of ranges) {
    if (!(range.quality > 0) || !range.name.includes('/')) continue
    const better =
      best === undefined ||
      range.quality > best.quality ||
      (range.quality === best.quality && specificity(range, parameter) > specificity(best, parameter))
    if (better) best = range
  }
  return best
}

/** A parameter, up to the semicolon that ends it; the group is the double quote that closes its value, empty where none does. */
const PARAMETER = /;[^;=]*(?:=[\t ]*(?:"(?:[^"\\]|\\.)*("?)[^;]*|[^;]*))?/gs

/** One of which the parser drops nothing, with a value (RFC 9110, section 5.6.6; not so strict about the characters of a token). */
const COMPLETE = /^;[^=]*=[\t ]*(?:"(?:[^"\\]|\\.)*"|[^ "\p{Cc}]+)[\t ]*$/su

/**
 * What a range says about the parameter `name` (in lower case): its value, nothing, or nothing usable. The parser drops what
 * it cannot read and takes the first of two values, so that the text has the last word.
 */
export function readParameter({ text }: MediaRange, name: string): string | undefined | typeof UNUSABLE {
  if (!mentions(text, name)) return undefined
  let found: string | undefined
  for (const [parameter, closing] of text.matchAll(PARAMETER)) {
    // What an unterminated quote swallowed may have been the parameter.
    if (closing === '') return UNUSABLE
    if (!mentions(parameter, name)) continue
    if (!COMPLETE.test(parameter)) return UNUSABLE
    const value = parse(parameter).parameters[name]
    if (value === undefined) continue
    if (found !== undefined && found !== value) return UNUSABLE
    found = value
  }
  return found
}

const TAKES = "a list of media types without wildcards and parameters, such as ['application/json']"

/**
 * Checks and prepares the option `mediaTypes`.
 *
 * @param owner who is named in the error.
 * @returns the media types in lower case.
 * @throws {TypeError} for anything but a non-empty list of media types.
 */
export function parseMediaTypes(owner: string, list: Iterable<string>): readonly string[] {
  const entries = listOption(owner, 'mediaTypes', list, TAKES)
  const types = entries.map((entry) => {
    const [type, subtype, ...rest] = typeof entry === 'string' ? entry.toLowerCase().split('/') : []
    // `*` is a token character, but here a wildcard.
    const named = isToken(type) && isToken(subtype) && rest.length === 0 && type !== '*' && subtype !== '*'
    if (!named) throw badOption(owner, 'mediaTypes', TAKES, entry)
    return `${type}/${subtype}`
  })
  if (types.length === 0) throw badOption(owner, 'mediaTypes', TAKES, entries)
  return types
}

/** negotiator lets a range with such a parameter match a media type without parameters, and prefers it. */
const ANY_VALUE = ';*=*'

/**
 * What a media type without parameters may be matched by, the first of those that are there deciding about it: negotiator's
 * order. `*`/subtype is no media range of RFC 9110, but negotiator matches it.
 */
function matchesOf(type: string): readonly string[] {
  const slash = type.indexOf('/')
  const names = [type, `${type.slice(0, slash)}/*`, `*${type.slice(slash)}`, '*/*']
  return names.flatMap((name) => [name + ANY_VALUE, name])
}

/** What Express's negotiation takes a range for once the parameter is gone; undefined: for one that no bare media type matches. */
function withoutConstraint({ name, parameters }: MediaRange, parameter: string): string | undefined {
  const values = Object.keys(parameters).flatMap((key) => (key === 'q' || key === parameter ? [] : [parameters[key]]))
  if (values.length === 0) return name
  return values.every((value) => value === '' || value === '*') ? name + ANY_VALUE : undefined
}

/** The parameter of one name in Accept headers: where an API has its version, say. */
export class AcceptParameter {
  readonly #name: string
  readonly #produced: ReadonlyMap<string, readonly string[]> | undefined
  readonly #mention: RegExp
  readonly #plain: RegExp

  /**
   * @param name of the parameter: a token, in any letter case.
   * @param mediaTypes what the API produces, in lower case; undefined: anything.
   */
  constructor(name: string, mediaTypes: readonly string[] | undefined) {
    this.#name = name.toLowerCase()
    this.#produced = mediaTypes && new Map(mediaTypes.map((type) => [type, matchesOf(type)]))
    this.#mention = new RegExp(literally(name), 'i')
    this.#plain = plainForm(name, mediaTypes)
  }

  /**
   * The parameter's value in the range that negotiation chooses. `undefined`: that range does not have it; `UNUSABLE`: it has
   * it, but not so that it can be trusted; `UNACCEPTABLE`: there is no such range for any of the media types.
   */
  read(header: string | undefined): string | undefined | typeof UNUSABLE | typeof UNACCEPTABLE {
    // A browser's header ends here.
    if (header === undefined || (this.#produced === undefined && !this.#mention.test(header))) return undefined
    const plain = this.#plain.exec(header)
    if (plain !== null) return plain[1]
    const ranges = parseAccept(header)
    if (ranges.length === 0) return undefined
    if (this.#produced !== undefined) {
      const range = this.#deciding(ranges, this.#produced)
      return range === undefined ? UNACCEPTABLE : readParameter(range, this.#name)
    }
    const range = preferredRange(ranges, this.#name)
    if (range !== undefined) return readParameter(range, this.#name)
    return ranges.some(({ malformed, text }) => malformed && this.#mention.test(text)) ? UNUSABLE : undefined
  }

  /** The range that decides about the media type of the answer. */
  #deciding(ranges: readonly MediaRange[], produced: ReadonlyMap<string, readonly string[]>): MediaRange | undefined {
    // As Express answers. Where it would not, a range's other parameters are let pass.
    const type =
      negotiate(ranges, produced, (range) => withoutConstraint(range, this.#name)) ??
      negotiate(ranges, produced, ({ name }) => name)
    for (const match of produced.get(type ?? '') ?? []) {
      const range = preferredRange(
        ranges.filter(({ name }) => name === match),
        this.#name,
      )
      if (range !== undefined) return range
    }
    return undefined
  }

  /** The header as if the parameter were not there; ranges that do not mention it byte for byte as they were. */
  without(header: string): string {
    if (!this.#mention.test(header)) return header
    return parseAccept(header)
      .map((range) => (this.#mention.test(range.text) ? this.#rewritten(range) : range.text))
      .join(', ')
  }

  #rewritten({ name, parameters, text }: MediaRange): string {
    const kept = Object.entries(parameters).filter(([key]) => key !== this.#name)
    const written = kept.map(([key, value]) => `;${key}=${isToken(value) ? value : quoted(value)}`)
    return text.slice(0, name.length) + written.join('')
  }
}

/**
 * The media type that negotiator picks. It compares each media type with each range, so that it gets no more of them than can
 * make a difference: of the ranges that are one for it, the one it would go by; of the media types that a range decides about,
 * the first.
 */
function negotiate(
  ranges: readonly MediaRange[],
  produced: ReadonlyMap<string, readonly string[]>,
  seenAs: (range: MediaRange) => string | undefined,
): string | undefined {
  const weights = new Map<string, number>()
  for (const range of ranges) {
    const seen = seenAs(range)
    // Never greater than a weight that is not known yet.
    if (seen === undefined || (weights.get(seen) ?? Number.NaN) > range.quality) continue
    // Of two with one weight negotiator goes by the later, in its order too.
    weights.delete(seen)
    weights.set(seen, range.quality)
  }
  const offers = new Map<string, string>()
  for (const [type, matches] of produced) {
    const match = matches.find((one) => weights.has(one))
    if (match !== undefined && !offers.has(match)) offers.set(match, type)
  }
  const accept = [...weights].flatMap(([seen, weight]) => (offers.has(seen) ? `${seen};q=${weight}` : [])).join()
  return new Negotiator({ headers: { accept } }).mediaType([...offers.values()])
}

/** A quoted string (RFC 9110, section 5.6.4). */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** A token or media type, to be matched as it is. */
function literally(text: string): string {
  return text.replace(/[$*+.^|]/g, '\\$&')
}

/**
 * What most clients send: one range in one spelling, with the parameter alone or with none. Its first group is the value. A
 * RegExp, because it takes a third of the time; what it does not match may mean the same.
 */
export function plainForm(name: string, mediaTypes: readonly string[] | undefined): RegExp {
  const produced = mediaTypes?.map(literally)
  const ranges = produced === undefined ? '[^\\s,;/"]+/[^\\s,;"]+' : [...produced, '\\*/\\*'].join('|')
  return new RegExp(`^(?:${ranges})(?:;[\\t ]*${literally(name)}=([\\w.~-]+))?$`, 'i')
}
