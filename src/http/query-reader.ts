// Queries as an app's own parser reads them, without its limit of pairs.
import { grouped, put } from '../util/collections'
import { decoded } from './query'

/** A parser of queries, such as the setting `query parser fn` of Express. */
export type QueryParser = (query: string) => unknown

/** A query as it was read. */
export interface ReadQuery {
  readonly value: object
  /** `true` if the parser itself would make the same of the whole query. */
  readonly isPlain: boolean
}

/** The lowest number of pairs that shows the limit of a parser. `qs` and Node's `querystring` read 1,000. */
const TRIED = 2048

const KNOWN = new WeakMap<QueryParser, QueryReader>()

/** Returns the reader for a parser; without one, queries have no parameters. */
export function readerOf(parse: QueryParser = () => ({})): QueryReader {
  const reader = KNOWN.get(parse) ?? new QueryReader(parse)
  KNOWN.set(parse, reader)
  return reader
}

/** The reading of queries by the rules of one parser. */
export class QueryReader {
  /** The names that the parser gives to every query, such as defaults. */
  readonly #always: ReadonlySet<string>
  /** `true` if the parser reads pairs, each with its name; `false` if it is off, or makes something else of the whole query. */
  readonly #readsPairs: boolean
  #tried = 0
  /** The number of pairs that the parser reads. */
  #limit = Number.POSITIVE_INFINITY

  constructor(private readonly parse: QueryParser) {
    this.#always = new Set(Object.keys(this.#tryOn('')))
    this.#readsPairs = 'k0' in this.#tryOn('k0=0')
  }

  /**
   * Reads a query: all of its pairs, by the rules of the parser.
   *
   * @throws {unknown} what the parser throws.
   */
  read(query: string): ReadQuery {
    const sent = query.split('&')
    const limit = this.#limitFor(sent.length)
    const pairs = sent.map(readAlike)
    const whole = pairs.join('&')
    if (pairs.length <= limit) return { value: this.#parsed(whole), isPlain: whole === query }
    // Parsers count empty pairs too.
    const filled = pairs.filter((pair) => pair !== '')
    const value = filled.length > limit ? this.#readInParts(filled, limit) : this.#parsed(filled.join('&'))
    return { value, isPlain: false }
  }

  /** Reads one pair alone. The result has the name to which the pair belongs; nothing for a pair that the parser ignores. */
  alone(pair: string): Readonly<Record<string, unknown>> {
    const root = rootOf(nameIn(pair))
    if (!this.#readsPairs) return { [root]: decoded(pair.split('=').slice(1).join('=')) }
    const read = Object.entries(this.#parsed(readAlike(pair)))
    return Object.fromEntries(read.filter(([key]) => key === root || !this.#always.has(key)))
  }

  /** Reads pairs in as many parts as the limit takes. The pairs of a name are in one part, unless they are more than that. */
  #readInParts(pairs: readonly string[], limit: number): object {
    const read: Record<string, unknown> = {}
    const readPart = (part: ReadonlyMap<string, readonly string[]>) => {
      for (const [name, value] of Object.entries(this.#parsed([...part.values()].flat().join('&')))) {
        if (this.#always.has(name) && !part.has(name)) continue
        put(read, name, Object.hasOwn(read, name) ? joined(read[name], value) : value)
      }
    }
    let part = new Map<string, readonly string[]>()
    let room = limit
    for (const [root, group] of grouped(pairs.map((pair) => [rootOf(nameIn(pair)), pair]))) {
      for (let at = 0; at < group.length; at += limit) {
        const own = group.slice(at, at + limit)
        if (own.length > room) {
          readPart(part)
          part = new Map()
          room = limit
        }
        part.set(root, own)
        room -= own.length
      }
    }
    readPart(part)
    return { ...this.#parsed(''), ...read }
  }

  /** Returns the number of pairs that the parser reads of so many. A parser that reads no pairs gets the whole query. */
  #limitFor(count: number): number {
    if (count <= this.#tried || this.#limit < this.#tried) return this.#limit
    this.#tried = Math.max(TRIED, 2 * count)
    const names = Array.from({ length: this.#tried }, (_, index) => `k${index}`)
    const read = this.#tryOn(names.map((name) => `${name}=0`).join('&'))
    const lost = names.findIndex((name) => !(name in read))
    if (lost > 0) this.#limit = lost
    return this.#limit
  }

  #parsed(query: string): Readonly<Record<string, unknown>> {
    return Object(this.parse(query))
  }

  /** Tries the parser; returns nothing if it throws, such as for too many pairs. */
  #tryOn(query: string): object {
    try {
      return this.#parsed(query)
    } catch {
      return {}
    }
  }
}

/** Returns the name in a pair. */
export function nameIn(pair: string): string {
  return decoded(pair.split('=', 1)[0] as string)
}

/** Returns the outermost name in one with brackets: `filter` of `filter[a]`. */
function rootOf(name: string): string {
  const open = name.indexOf('[')
  return open > 0 ? name.slice(0, open) : name
}

/**
 * Returns a pair so that every parser reads the same name. `qs` ends a name at the first `]=`, all others at the first `=`: without
 * this, it would take `limit=all]=1` for a parameter of another name.
 */
function readAlike(pair: string): string {
  const equals = pair.indexOf('=')
  if (equals === -1 || /\[|%5b/i.test(pair.slice(0, equals))) return pair
  return pair.slice(0, equals) + pair.slice(equals).replace(/(\]|%5d)=/gi, '$1%3D')
}

/** Joins what a parser made of a parameter in two parts: the first part grows. */
function joined(first: unknown, second: unknown): unknown {
  const [before, after] = [first, second].map(itemsOf)
  if (before === undefined && after === undefined && isRecord(first) && isRecord(second)) {
    for (const [name, value] of Object.entries(second)) {
      put(first, name, Object.hasOwn(first, name) ? joined(first[name], value) : value)
    }
    return first
  }
  const all = Array.isArray(first) ? first : (before ?? [first])
  for (const item of after ?? [second]) all.push(item)
  // `qs` makes an object of a long list.
  const isObject = [first, second].some((part) => !Array.isArray(part) && itemsOf(part) !== undefined)
  return isObject ? { ...all } : all
}

/** Returns the items of a list, or of an object that `qs` made of a long one; undefined for anything else. */
export function itemsOf(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value
  const names = isRecord(value) ? Object.keys(value) : []
  return names.length > 0 && names.every((name, index) => name === String(index))
    ? Object.values(Object(value))
    : undefined
}

/** Tells whether a value is an object, and no list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
