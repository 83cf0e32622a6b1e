import { parse } from 'content-type'
import Negotiator from 'negotiator'
import { badOption, listOption } from '../util/options'
import { isToken, quotedString, UNUSABLE } from './fields'

export { UNUSABLE } from './fields'

/** None of the media types that the API produces is acceptable. */
export const UNACCEPTABLE: unique symbol = Symbol('unacceptable')

/** One media range of an Accept header (RFC 9110, section 12.5.1). */
export interface MediaRange {
  /** `type/subtype` in lower case, either of them perhaps `*`. */
  readonly name: string
  /** Its weight as negotiator reads `q`: not held to 0..1, and perhaps no number. Chosen is what has one above 0. */
  readonly quality: number
  /** Is not chosen, and not because the client said so: there is no slash, or its `q` is no weight. */
  readonly malformed: boolean
  /** By lower-case name, unquoted and unescaped; the first of two. */
  readonly parameters: Readonly<Record<string, string>>
  /** As it was sent, from its type to the comma (or the header's end) at `end`. */
  readonly text: string
  readonly end: number
}

const HTAB = 9
const SP = 32
const COMMA = 44

/** The media ranges of an Accept header in their order, as negotiator reads them; empty list elements are none. */
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

/** negotiator's bits: 4 for a named type, 2 for a named subtype, 1 for parameters other than `q`. */
function specificity({ name, parameters, text }: MediaRange, parameter?: string): number {
  const named = (name.startsWith('*/') ? 0 : 4) + (name.endsWith('/*') && name.indexOf('/') === name.length - 2 ? 0 : 2)
  // A parameter that is looked for counts even where the parser dropped it, so that it is found out.
  const dropped = parameter !== undefined && mentions(text.slice(name.length), parameter)
  return dropped || Object.keys(parameters).some((key) => key !== 'q') ? named + 1 : named
}

/** The range that a client prefers: the higher weight, then the more specific, then the earlier. Of weight 0 is none. */
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

/** A parameter as the parser delimits it, with the empty ones before it. */
const PARAMETER = /;+[^;=]*(?:=[\t ]*(?:"(?:[^"\\]|\\.)*(?:"[^;]*|\\?$)|[^;]*))?/gs

/** One whose quoted string does not end. */
const OPEN = /^;[^=]*=[\t ]*"(?:[^"\\]|\\.)*\\?$/s

/** One with a value, of which the parser drops nothing (RFC 9110, section 5.6.6, but for some more characters of a token). */
const COMPLETE = /^;[^=]*=[\t ]*(?:"(?:[^"\\]|\\.)*"|[^ "\p{Cc}]+)[\t ]*$/su

/**
 * What a range says about the parameter `name` (in lower case): its value, nothing, or nothing usable. The parser drops what
 * it cannot read and takes the first of two values, so that the text is looked at once more.
 */
export function readParameter(range: MediaRange, name: string): string | undefined | typeof UNUSABLE {
  if (!mentions(range.text, name)) return undefined
  const text = shortened(range.text, name)
  if (text.length > LONGEST) return UNUSABLE
  let found: string | undefined
  for (const parameter of new Set(text.match(PARAMETER))) {
    // What an unterminated quote swallowed may have been the parameter.
    if (OPEN.test(parameter)) return UNUSABLE
    if (!mentions(parameter, name)) continue
    if (!COMPLETE.test(parameter)) return UNUSABLE
    const value = parse(parameter).parameters[name]
    if (value !== undefined && found !== undefined && value !== found) return UNUSABLE
    found ??= value
  }
  return found
}

/** How long a range may be, but for parameters that say nothing here: many times what clients send. */
const LONGEST = 1024

/** Something like a weight. */
const LATE_WEIGHT = /;[\t ]*q/i
const WEIGHT = /^[\t ]*q[\t ]*=/

/** A range that is longer than anybody means it, without what says nothing of the parameter `name` (in lower case). */
function shortened(text: string, name: string): string {
  if (text.length <= LONGEST) return text
  // In quoted strings, what looks the same twice may mean two things.
  const quoted = text.includes('"')
  const kept: string[] = []
  let size = 0
  for (let start = 0, end = 0; end < text.length; start = end + 1) {
    end = text.indexOf(';', start)
    if (end === -1) end = text.length
    const part = text.slice(start, end)
    if (start > 0 && (!isTelling(part.toLowerCase(), name) || (!quoted && kept.includes(part)))) continue
    kept.push(part)
    size += part.length + 1
    // Too long all the same.
    if (size > LONGEST) return text
  }
  return kept.join(';')
}

function isTelling(parameter: string, name: string): boolean {
  if (parameter.includes(name)) return true
  // Quotes and escapes may belong to what stands before or after.
  return parameter.includes('"') || parameter.includes('\\') || (parameter.includes('q') && WEIGHT.test(parameter))
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

/** A parameter with which a range matches, for negotiator, a media type without parameters; it is the more specific by it. */
const ANY_VALUE = ';*=*'

/** A media type that the API produces. */
interface Produced {
  readonly type: string
  /** The names of the ranges that match it, the more specific first. */
  readonly matches: readonly string[]
  /** The same as negotiator is to see them. */
  readonly seen: readonly string[]
}

function produce(type: string): Produced {
  const slash = type.indexOf('/')
  // `*`/subtype is no media range of RFC 9110, but negotiator has it match.
  const matches = [type, `${type.slice(0, slash)}/*`, `*${type.slice(slash)}`, '*/*']
  return { type, matches, seen: matches.flatMap((name) => [name + ANY_VALUE, name]) }
}

/** How Express's negotiation sees a range without the parameter; `undefined`: as one that no bare media type matches. */
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
 * The media type that negotiator picks. It compares each media type with each range, so that it gets no more of them than make
 * a difference: of equal ranges the one that it would go by, of media types that one range decides about the first.
 */
function negotiate(
  ranges: readonly MediaRange[],
  produced: readonly Produced[],
  seenAs: (range: MediaRange) => string | undefined,
): Produced | undefined {
  const weights = new Map<string, number>()
  for (const range of ranges) {
    const seen = seenAs(range)
    // Not greater: a weight that is none, and one that is not known yet.
    if (seen === undefined || (weights.get(seen) ?? Number.NaN) > range.quality) continue
    // Of two with one weight negotiator goes by the later, also in their order.
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

/** The range that decides about the media type of the answer: of Express's, or where it would have none, of ours. */
function decidingRange(
  ranges: readonly MediaRange[],
  produced: readonly Produced[],
  parameter: string,
): MediaRange | undefined {
  const picked =
    negotiate(ranges, produced, (range) => seenWithout(range, parameter)) ??
    // Parameters other than the one that is looked for do not hinder.
    negotiate(ranges, produced, ({ name }) => name)
  for (const match of picked?.matches ?? []) {
    const matching = ranges.filter(({ name }) => name === match)
    const range = preferredRange(matching, parameter)
    if (range !== undefined) return range
  }
  return undefined
}

/** The parameter of one name in Accept headers: where an API has its version, say. */
export class AcceptParameter {
  /** The first of the media types that the API produces. */
  readonly mediaType: string | undefined
  readonly #name: string
  readonly #produced: readonly Produced[] | undefined
  readonly #matches: ReadonlySet<string>
  readonly #mention: RegExp
  readonly #plain: RegExp

  /**
   * @param name of the parameter: a token, in any letter case.
   * @param mediaTypes what the API produces, in lower case; undefined: anything.
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
   * The parameter's value in the range that negotiation chooses. `undefined`: that range does not have it; `UNUSABLE`: it has
   * it, but not so that it can be trusted; `UNACCEPTABLE`: there is no such range for any of the media types.
   */
  read(header: string | undefined): string | undefined | typeof UNUSABLE | typeof UNACCEPTABLE {
    // A browser's header ends here.
    if (header === undefined || (this.#produced === undefined && !this.#mention.test(header))) return undefined
    if (header.length <= LONGEST || header.includes(',')) return this.#negotiated(header)
    // One range that nobody means is cut down, or ends here, before it costs more than Express's own negotiation.
    const mentioned = this.#mention.test(header)
    const range = mentioned || LATE_WEIGHT.test(header) ? shortened(header, this.#name) : header
    return mentioned && range.length > LONGEST ? UNUSABLE : this.#negotiated(range.slice(0, LONGEST))
  }

  #negotiated(header: string): string | undefined | typeof UNUSABLE | typeof UNACCEPTABLE {
    const plain = header.length > LONGEST ? null : this.#plain.exec(header)
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
    // A mistake is not to turn what was named into the default.
    return ranges.some(({ malformed, text }) => malformed && this.#mention.test(text)) ? UNUSABLE : undefined
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
    const written = kept.map(([key, value]) => `;${key}=${isToken(value) ? value : quotedString(value)}`)
    return text.slice(0, name.length) + written.join('')
  }
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
