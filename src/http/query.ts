// The parameters in the raw query of a request target: reading and replacing them.
import { UNUSABLE } from './fields'
import { encodeReference } from './reference'

/** Returns the positions of the `?` and of the end of a query (before `#`). Both are the end if there is no query. */
function queryBounds(url: string): { mark: number; end: number } {
  const hash = url.indexOf('#')
  const end = hash === -1 ? url.length : hash
  const mark = url.indexOf('?')
  return { mark: mark === -1 ? end : Math.min(mark, end), end }
}

/** Returns the raw query of a request target; `''` without one. */
export function queryOf(url: string): string {
  const { mark, end } = queryBounds(url)
  return url.slice(mark + 1, end)
}

/**
 * Replaces the whole query of a request target by that of another one.
 *
 * @example withQueryOf('/users?a=1', '/?b=2') // '/users?b=2'
 */
export function withQueryOf(url: string, other: string): string {
  const { mark, end } = queryBounds(url)
  const bounds = queryBounds(other)
  return url.slice(0, mark) + other.slice(bounds.mark, bounds.end) + url.slice(end)
}

/** Replaces the whole query of a request target by a raw one. */
export function withQuery(url: string, query: string): string {
  return withQueryOf(url, query === '' ? '' : `?${query}`)
}

/** The query of a request target for a link: byte for byte, except characters that no URL can have. */
export class QueryAsSent extends URLSearchParams {
  readonly #text: string

  constructor(url: string) {
    super(queryOf(url))
    this.#text = encodeReference(queryOf(url))
  }

  override toString(): string {
    return this.#text
  }
}

/** Decodes a raw name or value as forms do: `+` is a space, malformed escapes stay (WHATWG URL, section 5.1). */
export function decoded(raw: string): string {
  if (!raw.includes('%') && !raw.includes('+')) return raw
  return new URLSearchParams(`v=${raw}`).get('v') as string
}

/** The position of a pair in a request target. */
interface Pair {
  readonly start: number
  /** The position of its `=`, or its end. */
  readonly keyEnd: number
  readonly end: number
}

/** Lists the pairs of a query that have a name. */
function pairsNamed(name: string, url: string): readonly Pair[] {
  const query = queryBounds(url)
  const found: Pair[] = []
  let equals = url.indexOf('=', query.mark)
  for (let start = query.mark + 1, end: number; start < query.end; start = end + 1) {
    const ampersand = url.indexOf('&', start)
    end = ampersand === -1 ? query.end : Math.min(ampersand, query.end)
    // Look for `=` only behind the last one. The query may be long, and may have none.
    if (equals !== -1 && equals < start) equals = url.indexOf('=', start)
    const keyEnd = equals === -1 ? end : Math.min(equals, end)
    if (keyEnd - start < name.length) continue
    if (decoded(url.slice(start, keyEnd)) === name) found.push({ start, keyEnd, end })
  }
  return found
}

/**
 * Returns the value of one query parameter by its exact name, as `URLSearchParams` reads it; `undefined` if it is absent,
 * {@link UNUSABLE} if it has different values. Does not depend on Express's `query parser`, takes linear time, and has no
 * limit on the number of parameters.
 *
 * @example queryParameter('/users?version=2', 'version') // '2'
 */
export function queryParameter(url: string, name: string): string | undefined | typeof UNUSABLE {
  let found: string | undefined
  for (const { keyEnd, end } of pairsNamed(name, url)) {
    const value = decoded(url.slice(keyEnd + 1, end))
    if (found !== undefined && found !== value) return UNUSABLE
    found = value
  }
  return found
}

/**
 * Sets one query parameter of a link: removes it everywhere, then appends it. All other parameters and the fragment stay
 * byte for byte. With `undefined` it only removes.
 *
 * @example replaceQueryParameter('/users?version=1&a=%20#top', 'version', '2') // '/users?a=%20&version=2#top'
 */
export function replaceQueryParameter(url: string, name: string, value: string | undefined): string {
  const { mark, end } = queryBounds(url)
  let kept = ''
  let from = mark + 1
  for (const pair of pairsNamed(name, url)) {
    kept += url.slice(from, pair.start)
    from = pair.end + 1
  }
  // A last pair takes the `&` before it along.
  kept = from > end ? kept.slice(0, -1) : kept + url.slice(from, end)
  const pair = value === undefined ? '' : `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
  const query = kept === '' || pair === '' ? kept + pair : `${kept}&${pair}`
  return `${url.slice(0, mark)}${query === '' ? '' : `?${query}`}${url.slice(end)}`
}
