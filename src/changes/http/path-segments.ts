// Path patterns as lists of segments, to compare those of different routers.
import { parse } from 'path-to-regexp'
import { alternativesOf, encodeLiteral } from '../../routes/pattern'
import type { RouteRegistry } from '../../types'

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
export interface TablePath {
  /** The pattern as it was declared, with its prefixes. */
  readonly declared: string
  /** The patterns for each choice of optional parts, without those that have wildcards. */
  readonly patterns: readonly Segments[]
}

/** The paths of a table's names. */
export class TablePaths {
  readonly #known = new Map<string, TablePath>()

  constructor(private readonly routes: RouteRegistry) {}

  of(viewName: string): TablePath {
    const known = this.#known.get(viewName)
    if (known !== undefined) return known
    for (const { viewName, paths, pattern } of this.routes.facts()) {
      const closed = paths.filter((parts) => parts.every((part) => typeof part === 'string' || !part.wildcard))
      const patterns = closed.map((parts) =>
        segmentsOf(parts.map((part) => (typeof part === 'string' ? part : PARAMETER)).join('')),
      )
      this.#known.set(viewName, { declared: pattern, patterns })
    }
    return this.#known.get(viewName) as TablePath
  }
}
