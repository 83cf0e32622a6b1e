// The `Accept` header: media ranges, their parameters and negotiation.
import { parse } from 'content-type'
import Negotiator from 'negotiator'
import { badOption, listOption } from '../util/options'
import { isToken, quotedString, UNUSABLE } from './fields'

export { UNUSABLE } from './fields'

/** Stands for a header that accepts no media type of the API. */
export const UNACCEPTABLE: unique symbol = Symbol('unacceptable')

/** One media range of an Accept header (RFC 9110, section 12.5.1). */
export interface MediaRange {
  /** `type/subtype` in lower case, either of them perhaps `*`. */
  readonly name: string
  /** Its weight as negotiator reads `q`: maybe outside 0..1, maybe NaN. Only ranges above 0 can be chosen. */
  readonly quality: number
  /** `true` if a mistake of the client excludes it: it has no slash, or its `q` is not a weight. */
  readonly malformed: boolean
  /** The values by lower-case name, unquoted and unescaped; the first of two. */
  readonly parameters: Readonly<Record<string, string>>
  /** The bytes as sent, from its type to the comma (or the header's end) at `end`. */
  readonly text: string
  readonly end: number
}

const HTAB = 9
const SP = 32
const COMMA = 44

/** Parses the media ranges of an Accept header in their order, as negotiator reads them. Skips empty list elements. */
export function parseAccept(header: string): MediaRange[] {
  const ranges: MediaRange[] = []
  let start = 0
  while (start < header.length) {
    const code = header.charCodeAt(start)
    if (code === COMMA || code === SP || code === HTAB) {
      start++
      continue
    }
    const { type, parameters, index } = parse(header, { comma: true, start })
    const { q } = parameters
    const quality = !type.includes('/') ? Number.NaN : q ? Number.parseFloat(q) : 1
    const malformed = !(quality > 0 || (quality === 0 && Number(q) === 0))
    ranges.push({ name: type, quality, malformed, parameters, text: header.slice(start, index), end: index })
    start = index
  }
  return ranges
}

function mentions(text: string, name: string): boolean {
  return text.toLowerCase().includes(name)
}

/** Returns negotiator's bits: 4 for a named type, 2 for a named subtype, 1 for parameters other than `q`. */
function specificity({ name, parameters, text }: MediaRange, parameter?: string): number {
  const named = (name.startsWith('*/') ? 0 : 4) + (name.endsWith('/*') && name.indexOf('/') === name.length - 2 ? 0 : 2)
  // Count the wanted parameter even where the parser dropped it, so that its range is chosen and rejected.
  const dropped = parameter !== undefined && mentions(text.slice(name.length), parameter)
  return dropped || Object.keys(parameters).some((key) => key !== 'q') ? named + 1 : named
}

/** Returns the range that a client prefers: the highest weight, then the most specific, then the first. Never weight 0. */
export function preferredRange(ranges: readonly MediaRange[], parameter?: string): MediaRange | undefined {
  let best: MediaRange | undefined
  let quality = 0
  let rank = 0
  for (const range of ranges) {
    if (!(range.quality > 0) || range.quality < quality) continue
    const own = specificity(range, parameter)
    if (range.quality === quality && own <= rank) continue
    best = range
    quality = range.quality
    rank = own
  }
  return best
}

/** Matches a parameter as the parser delimits it, with the empty ones before it. */
const PARAMETER = /;+[^;=]*(?:=[\t ]*(?:"(?:[^"\\]|\\.)*(?:"[^;]*|\\?$)|[^;]*))?/gs

/** Matches a parameter whose quoted string does not end. */
const OPEN = /^;[^=]*=[\t ]*"(?:[^"\\]|\\.)*\\?$/s

/** Matches a parameter that the parser reads whole (RFC 9110, section 5.6.6, with a few more token characters). */
const COMPLETE = /^;[^=]*=[\t ]*(?:"(?:[^"\\]|\\.)*"|[^ "\p{Cc}]+)[\t ]*$/su

/**
 * Returns the value of the parameter `name` (in lower case) of a range; `undefined` if absent, {@link UNUSABLE} if malformed.
 * Reads the text once more, because the parser drops malformed parameters and takes the first of two values.
 */
export function readParameter(range: MediaRange, name: string): string | undefined | typeof UNUSABLE {
  if (!mentions(range.text, name)) return undefined
  let found: string | undefined
  for (const parameter of new Set(range.text.match(PARAMETER))) {
    // An unterminated quote may have swallowed the parameter.
    if (OPEN.test(parameter)) return UNUSABLE
    if (!mentions(parameter, name)) continue
    if (!COMPLETE.test(parameter)) return UNUSABLE
    const value = parse(parameter).parameters[name]
    if (value !== undefined && found !== undefined && value !== found) return UNUSABLE
    found ??= value
  }
  return found
}

const TAKES = "a list of media types without wildcards and parameters, such as ['application/json']"

/**
 * Checks and prepares the option `mediaTypes`.
 *
 * @param owner the name in the error.
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

/** A parameter that negotiator matches with bare media types. It makes the range more specific. */
const ANY_VALUE = ';*=*'

/** A media type that the API produces. */
interface Produced {
  readonly type: string
  /** The names of the matching ranges, most specific first. */
  readonly matches: readonly string[]
  /** The same ranges as negotiator gets them. */
  readonly seen: readonly string[]
}

function produce(type: string): Produced {
  const slash = type.indexOf('/')
  // RFC 9110 has no `*/subtype`, but negotiator matches it.
  const matches = [type, `${type.slice(0, slash)}/*`, `*${type.slice(slash)}`, '*/*']
  return { type, matches, seen: matches.flatMap((name) => [name + ANY_VALUE, name]) }
}

/** Returns the range as Express negotiates it without the parameter; `undefined` if no bare media type would match. */
function seenWithout({ name, parameters }: MediaRange, parameter: string): string | undefined {
  let seen = name
  for (const key in parameters) {
    if (key === 'q' || key === parameter) continue
    if (parameters[key] !== '' && parameters[key] !== '*') return undefined
    seen = name + ANY_VALUE
  }
  return seen
}

/**
 * Returns the media type that negotiator picks. negotiator compares each media type with each range, so it gets only those
 * that matter: of equal ranges the one that wins, of media types with the same deciding range the first.
 */
function negotiate(
  ranges: readonly MediaRange[],
  produced: readonly Produced[],
  seenAs: (range: MediaRange) => string | undefined,
): Produced | undefined {
  const weights = new Map<string, number>()
  for (const range of ranges) {
    const seen = seenAs(range)
    // NaN, and an unknown weight, are never greater.
    if (seen === undefined || (weights.get(seen) ?? Number.NaN) > range.quality) continue
    // With equal weights negotiator takes the later range, and its place.
    weights.delete(seen)
    weights.set(seen, range.quality)
  }
  const offers = new Map<string, Produced>()
  for (const one of produced) {
    const deciding = one.seen.find((seen) => weights.has(seen))
    if (deciding !== undefined && !offers.has(deciding)) offers.set(deciding, one)
  }
  const accept = [...weights].flatMap(([seen, weight]) => (offers.has(seen) ? `${seen};q=${weight}` : []))
  const offered = [...offers.values()]
  const picked = new Negotiator({ headers: { accept: accept.join() } }).mediaType(offered.map(({ type }) => type))
  return offered.find(({ type }) => type === picked)
}

/** Returns the range that decides the response's media type: by Express's negotiation, else by ours. */
function decidingRange(
  ranges: readonly MediaRange[],
  produced: readonly Produced[],
  parameter: string,
): MediaRange | undefined {
  const picked =
    negotiate(ranges, produced, (range) => seenWithout(range, parameter)) ??
    // Ignore the other parameters.
    negotiate(ranges, produced, ({ name }) => name)
  for (const match of picked?.matches ?? []) {
    const matching = ranges.filter(({ name }) => name === match)
    const range = preferredRange(matching, parameter)
    if (range !== undefined) return range
  }
  return undefined
}

/** A reader of one parameter in Accept headers, such as `version`. */
export class AcceptParameter {
  /** The first of the media types that the API produces. */
  readonly mediaType: string | undefined
  readonly #name: string
  readonly #produced: readonly Produced[] | undefined
  readonly #matches: ReadonlySet<string>
  readonly #mention: RegExp
  readonly #plain: RegExp

  /**
   * @param name the parameter's name: a token, in any letter case.
   * @param mediaTypes the media types that the API produces, in lower case; `undefined`: any.
   */
  constructor(name: string, mediaTypes: readonly string[] | undefined) {
    this.mediaType = mediaTypes?.[0]
    this.#name = name.toLowerCase()
    this.#produced = mediaTypes?.map(produce)
    this.#matches = new Set(this.#produced?.flatMap(({ matches }) => matches))
    this.#mention = new RegExp(literally(name), 'i')
    this.#plain = plainForm(name, mediaTypes)
  }

  /**
   * Returns the parameter's value in the range that negotiation chooses; `undefined` if that range lacks it, `UNUSABLE` if it is
   * malformed, `UNACCEPTABLE` if no range accepts one of the media types.
   */
  read(header: string | undefined): string | undefined | typeof UNUSABLE | typeof UNACCEPTABLE {
    // A browser's header needs no more.
    if (header === undefined || (this.#produced === undefined && !this.#mention.test(header))) return undefined
    const plain = this.#plain.exec(header)
    if (plain !== null) return plain[1]
    const ranges = parseAccept(header)
    if (ranges.length === 0) return undefined
    const range =
      this.#produced === undefined
        ? preferredRange(ranges, this.#name)
        : decidingRange(
            ranges.filter(({ name }) => this.#matches.has(name)),
            this.#produced,
            this.#name,
          )
    if (range !== undefined) return readParameter(range, this.#name)
    if (this.#produced !== undefined) return UNACCEPTABLE
    // A malformed range that names a version must not become the default.
    return ranges.some(({ malformed, text }) => malformed && this.#mention.test(text)) ? UNUSABLE : undefined
  }

  /** Removes the parameter from a header. Other ranges stay byte for byte. */
  without(header: string): string {
    if (!this.#mention.test(header)) return header
    return parseAccept(header)
      .map((range) => (this.#mention.test(range.text) ? this.#rewritten(range) : range.text))
      .join(', ')
  }

  #rewritten({ name, parameters, text }: MediaRange): string {
    const kept = Object.entries(parameters).filter(([key]) => key !== this.#name)
    const written = kept.map(([key, value]) => `;${key}=${isToken(value) ? value : quotedString(value)}`)
    return text.slice(0, name.length) + written.join('')
  }
}

/** Escapes a token or media type for a RegExp. */
function literally(text: string): string {
  return text.replace(/[$*+.^|]/g, '\\$&')
}

/**
 * Matches what most clients send: one range with this parameter or none; the first group is the value. It takes a third of
 * the time. Headers that it does not match go through the parser.
 */
function plainForm(name: string, mediaTypes: readonly string[] | undefined): RegExp {
  const produced = mediaTypes?.map(literally)
  const ranges = produced === undefined ? '[^\\s,;/"]+/[^\\s,;"]+' : [...produced, '\\*/\\*'].join('|')
  return new RegExp(`^(?:${ranges})(?:;[\\t ]*${literally(name)}=([\\w.~-]+))?$`, 'i')
}
