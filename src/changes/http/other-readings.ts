// Paths that two routers may read as two operations.
import type { Root } from '../../request/state'
import { matchesSegment, PARAMETER, type Segments, sampleOf, segmentsOf, type TablePaths } from './path-segments'

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
  const { table, method, isAhead } = place
  const path = String(place.path)
  if (!ODD.test(path)) return false
  const operationsOf = (read: string) => {
    const found = table.walk(read, method, isAhead, place).match?.viewName
    // Handlers elsewhere serve an operation that comes later all the same.
    const later = isAhead && table.walk(read, method, undefined, place).match?.viewName
    const names = later && isAhead(later) && table.handlersOf(later, method).length === 0 ? [found, later] : [found]
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

/** A segment that is no literal text of any path. */
const OTHER = sampleOf([PARAMETER]).join()

/** Returns a path as routers see it that mind the letter case: literal text in another case is the value of a parameter. */
function exactly(path: string, patterns: readonly Segments[]): string[] {
  const segments = segmentsOf(path)
  return patterns.flatMap((pattern) => {
    if (pattern.length !== segments.length) return []
    const seen = segments.map((segment, at) => (matchesSegment(pattern[at] as string, segment) ? segment : OTHER))
    return `/${seen.join('/')}`
  })
}
