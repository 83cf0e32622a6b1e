// The readings of a path by several routers: patterns as lists of segments, and paths that may lead to two operations.
import { parse } from 'path-to-regexp'
import type { RouteRegistry } from '../registry'
import type { Root } from '../request/state'
import { alternativesOf, encodeLiteral } from './pattern'

/** A pattern by its segments. Each parameter is one {@link PARAMETER}. */
export type Segments = readonly string[]

/** The place of a parameter in a segment. No path has this character. */
export const PARAMETER = '\0'

/** Returns the segments of a path. The slash at its end counts for nothing. */
export function segmentsOf(path: string): string[] {
  const segments = path.split('/').slice(1)
  return segments.at(-1) === '' ? segments.slice(0, -1) : segments
}

/** Returns segments with a value that no literal text has, in place of each parameter. */
export function sampleOf(pattern: Segments): string[] {
  return pattern.map((segment) => segment.replaceAll(PARAMETER, '~0'))
}

/** A segment that is no literal text of any path. */
const OTHER = sampleOf([PARAMETER]).join()

/** The values of some parameters, and the segments of a path that they may be. */
export interface TakenSegments {
  readonly values: readonly string[]
  readonly start: number
  readonly end: number
}

/**
 * Returns the readings of a path whose parameters are known by their values: as many segments as there are such values count as any
 * text. Where more segments equal a value, they are the first or the last.
 */
export function withParameters(segments: Segments, taken: readonly TakenSegments[]): Segments[] {
  const places = taken.flatMap(({ values, start, end }) =>
    [...new Set(values)].map((value) => {
      const equal = [...segments.keys()]
        .slice(start, end)
        .filter((at) => decodedSegment(segments[at] as string) === value)
      return { equal, count: values.filter((other) => other === value).length }
    }),
  )
  const read = (free: readonly number[]) => segments.map((segment, at) => (free.includes(at) ? OTHER : segment))
  const first = places.flatMap(({ equal, count }) => equal.slice(0, count))
  const last = places.flatMap(({ equal, count }) => equal.slice(-count))
  return places.some(({ equal, count }) => equal.length > count) ? [read(first), read(last)] : [read(first)]
}

/** Decodes a segment as routers do. */
function decodedSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Tells whether a pattern matches segments, in any letter case. */
export function matches(pattern: Segments, segments: Segments): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, at) => matchesSegment(part.toLowerCase(), (segments[at] as string).toLowerCase()))
  )
}

/** Tells whether a segment of a pattern matches text, in linear time. */
export function matchesSegment(pattern: string, text: string): boolean {
  const [first, ...others] = pattern.split(PARAMETER) as [string, ...string[]]
  const last = others.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let end = first.length
  for (const literal of others) {
    const start = text.indexOf(literal, end + 1)
    if (start === -1) return false
    end = start + literal.length
  }
  return text.endsWith(last) && text.length - last.length > end
}

/** A pattern of a router, with the names of its parameters. */
export interface RoutedPattern {
  readonly segments: Segments
  readonly names: readonly string[]
}

/**
 * Reads the path of a route of Express.
 *
 * @returns one pattern for each choice of its optional parts; `undefined` for what cannot be compared: wildcards and expressions.
 */
export function patternsIn(path: unknown): readonly RoutedPattern[] | undefined {
  if (Array.isArray(path)) {
    const all = path.map(patternsIn)
    return all.every((patterns) => patterns !== undefined) ? all.flat() : undefined
  }
  if (typeof path !== 'string') return undefined
  // Express 4 writes expressions behind parameters, and `?` behind optional ones.
  const plain = path.replace(/(:\w+)\([^()]*\)/g, '$1').replace(/\/(:\w+)\?/g, '{/$1}')
  try {
    const alternatives = alternativesOf(parse(plain, { encodePath: encodeLiteral }).tokens)
    if (alternatives.flat().some(({ type }) => type === 'wildcard')) return undefined
    return alternatives.map((tokens) => ({
      segments: segmentsOf(tokens.map((token) => (token.type === 'text' ? token.value : PARAMETER)).join('')),
      names: tokens.flatMap((token) => (token.type === 'text' ? [] : token.name)),
    }))
  } catch {
    return undefined
  }
}

/** The path of a name of a table. */
interface TablePath {
  /** The pattern as it was declared, with its prefixes. */
  readonly declared: string
  /** The patterns for each choice of optional parts, without those that have wildcards. */
  readonly patterns: readonly Segments[]
  /** The segments in front of the wildcards of the others. */
  readonly open: readonly Segments[]
}

/** The paths of a table's names. */
export class TablePaths {
  readonly #known = new Map<string, TablePath>()
  readonly #rivals = new Map<string, boolean>()

  constructor(private readonly routes: RouteRegistry) {}

  of(viewName: string): TablePath {
    const known = this.#known.get(viewName)
    if (known !== undefined) return known
    for (const { viewName, paths, pattern } of this.routes.facts()) {
      const found: TablePath & { patterns: Segments[]; open: Segments[] } = {
        declared: pattern,
        patterns: [],
        open: [],
      }
      for (const parts of paths) {
        const wildcard = parts.findIndex((part) => typeof part !== 'string' && part.wildcard)
        const text = parts.slice(0, wildcard === -1 ? undefined : wildcard)
        const path = text.map((part) => (typeof part === 'string' ? part : PARAMETER)).join('')
        if (wildcard === -1) found.patterns.push(segmentsOf(path))
        else found.open.push(path.split('/').slice(1, -1))
      }
      this.#known.set(viewName, found)
    }
    return this.#known.get(viewName) as TablePath
  }

  /** Tells whether paths of an operation would be those of another one, if literal text in them were the value of a parameter. */
  hasRivals(method: string, viewName: string): boolean {
    const key = `${method} ${viewName}`
    const known = this.#rivals.get(key)
    if (known !== undefined) return known
    const own = this.of(viewName)
    const samples = own.patterns.map(sampleOf)
    const isRival = (other: string) => {
      const { patterns, open } = this.of(other)
      const begin = (pattern: Segments) => samples.some((one) => matches(pattern, one.slice(0, pattern.length)))
      return patterns.some((pattern) => samples.some((one) => matches(pattern, one))) || open.some(begin)
    }
    const others = [...this.routes.names()].filter((name) => name !== viewName && this.routes.serves(name, method))
    const found = others.length > 0 && (own.open.length > 0 || others.some(isRival))
    // Clients cannot add to it.
    if (this.routes.serves(viewName, method)) this.#rivals.set(key, found)
    return found
  }
}

/** The signs of a path that routers read in several ways: letter case, escapes, parameters, empty and dot segments, other characters. */
const ODD = /[^!$&-.0-:=@_a-z~/]|\/\.|\/\/|.\/$/

/** The other readings of a path. Each applies to the results of those before too. */
const READINGS: readonly ((path: string) => string)[] = [
  (path) => path.replace(/%(?!2f|5c)[0-7][0-9a-f]/gi, decoded),
  (path) => path.replace(/\\|%2f|%5c/gi, '/'),
  (path) => path.replace(/;[^/]*/g, ''),
  plain,
]

function decoded(triplet: string): string {
  return String.fromCharCode(Number.parseInt(triplet.slice(1), 16))
}

/** Resolves dot segments, and removes empty ones. */
function plain(path: string): string {
  const segments: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return `/${segments.join('/')}`
}

/**
 * Tells whether another router may read the path of a request as another operation of the table.
 *
 * @param place the table and the path.
 * @param viewName the operation by the table's reading.
 */
export function hasOtherReading(place: Root, viewName: string | undefined, paths: TablePaths): boolean {
  const { table, method, isSkipped } = place
  const path = String(place.path)
  if (!ODD.test(path)) return false
  const operationsOf = (read: string) => {
    const found = table.walk(read, method, isSkipped, place).match?.viewName
    // Handlers elsewhere serve an operation that comes later all the same.
    const later = isSkipped && table.walk(read, method, undefined, place).match?.viewName
    const names = later && isSkipped(later) && table.handlersOf(later, method).length === 0 ? [found, later] : [found]
    return names.filter((name): name is string => typeof name === 'string' && table.serves(name, method))
  }
  let readings = [path]
  for (const read of READINGS) readings = [...new Set([...readings, ...readings.map(read)])]
  return readings.some((read) => {
    const names = [read, read.toLowerCase()].flatMap(operationsOf)
    const exact = names.flatMap((name) => exactly(read, paths.of(name).patterns))
    return [...names, ...exact.flatMap(operationsOf)].some((name) => name !== viewName)
  })
}

/** Returns a path as routers see it that mind the letter case: literal text in another case is the value of a parameter. */
function exactly(path: string, patterns: readonly Segments[]): string[] {
  const segments = segmentsOf(path)
  return patterns.flatMap((pattern) => {
    if (pattern.length !== segments.length) return []
    const seen = segments.map((segment, at) => (matchesSegment(pattern[at] as string, segment) ? segment : OTHER))
    return `/${seen.join('/')}`
  })
}
