import { NoReverseMatch } from '../errors'
import type { LinkQuery, RouteLinkOptions } from '../types'
import { shown } from '../util/options'

/** One component of a link, percent-encoded; lone surrogates have no encoding, so they are refused. */
function encoded(option: string, value: unknown): string {
  const flat = typeof value === 'string' || typeof value === 'bigint' || typeof value === 'boolean'
  if (!flat && !Number.isFinite(value)) {
    throw new NoReverseMatch(`"${option}" takes strings, finite numbers, bigints and booleans; got ${shown(value)}.`)
  }
  try {
    return encodeURIComponent(value as string)
  } catch (cause) {
    throw new NoReverseMatch(`"${option}" takes well-formed strings; got one with a lone surrogate.`, { cause })
  }
}

function serialized(query: LinkQuery): string {
  if (query instanceof URLSearchParams) return query.toString()
  if (typeof query !== 'object' || Symbol.iterator in query) {
    throw new NoReverseMatch(`"query" takes an object or URLSearchParams; got ${shown(query)}.`)
  }
  const pairs: string[] = []
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue
    for (const item of Array.isArray(value) ? value : [value]) {
      pairs.push(`${encoded('query', name)}=${encoded('query', item)}`)
    }
  }
  return pairs.join('&')
}

/**
 * Appends the `query` and `hash` of a link to its path. `undefined` and `null` values are left out, lists repeat the name.
 *
 * @throws {NoReverseMatch} for values that a query cannot carry (nested objects, `NaN`, lone surrogates).
 * @example appendQueryAndHash('/users', { query: { page: 2, tag: ['a', 'b'] }, hash: 'top' }) // '/users?page=2&tag=a&tag=b#top'
 */
export function appendQueryAndHash(path: string, options: RouteLinkOptions): string {
  let link = path
  if (options.query !== undefined && options.query !== null) {
    const query = serialized(options.query)
    if (query !== '') link += `?${query}`
  }
  if (options.hash !== undefined && options.hash !== null && options.hash !== '')
    link += `#${encoded('hash', options.hash)}`
  return link
}
