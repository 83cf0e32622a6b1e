// The parameters in the raw query of a request target: reading and replacing them.
import { UNUSABLE } from './fields'
import { encodeReference } from './reference'

/** Returns where the query of a request target starts (after `?`) and ends (before `#`); `undefined` without a query. */
function queryBounds(url: string): { start: number; end: number } | undefined {
  const hash = url.indexOf('#')
  const end = hash === -1 ? url.length : hash
  const mark = url.indexOf('?')
  return mark === -1 || mark >= end ? undefined : { start: mark + 1, end }
}

/** Returns the raw query of a request target; `''` without one. */
export function queryOf(url: string): string {
  const bounds = queryBounds(url)
  return bounds === undefined ? '' : url.slice(bounds.start, bounds.end)
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

/** Decodes a raw value as forms do: `+` is a space, malformed escapes stay (WHATWG URL, section 5.1). */
function decoded(raw: string): string {
  if (!raw.includes('%') && !raw.includes('+')) return raw
  return new URLSearchParams(`v=${raw}`).get('v') as string
}

/** A cursor over the pairs of a raw query, empty ones included. */
class PairCursor {
  /** The current pair. */
  start = 0
  end: number
  /** The position of its `=`, or its end. */
  keyEnd = 0
  private equals: number

  constructor(
    readonly url: string,
    start: number,
    readonly stop: number,
  ) {
    this.end = start - 1
    this.equals = this.find('=', start)
  }

  /** Moves to the next pair, if there is one. */
  next(): boolean {
    if (this.end === this.stop) return false
    this.start = this.end + 1
    this.end = this.find('&', this.start)
    // Search again only behind the last hit: a query without `=` would be scanned for every pair.
    if (this.equals < this.start) this.equals = this.find('=', this.start)
    this.keyEnd = Math.min(this.equals, this.end)
    return true
  }

  /** Tells whether the key decodes to `name`. A raw key is never shorter than its decoded form. */
  named(name: string): boolean {
    return this.keyEnd - this.start >= name.length && decoded(this.url.slice(this.start, this.keyEnd)) === name
  }

  value(): string {
    return decoded(this.url.slice(this.keyEnd + 1, this.end))
  }

  private find(mark: string, from: number): number {
    const at = this.url.indexOf(mark, from)
    return at === -1 || at > this.stop ? this.stop : at
  }
}

/**
 * Returns the value of one query parameter by its exact name, as `URLSearchParams` reads it; `undefined` if it is absent,
 * {@link UNUSABLE} if it has different values. Does not depend on Express's `query parser`, takes linear time, and has no
 * limit on the number of parameters.
 *
 * @example queryParameter('/users?version=2', 'version') // '2'
 */
export function queryParameter(url: string, name: string): string | undefined | typeof UNUSABLE {
  const bounds = queryBounds(url)
  if (bounds === undefined) return undefined
  let found: string | undefined
  const pair = new PairCursor(url, bounds.start, bounds.end)
  while (pair.next()) {
    if (!pair.named(name)) continue
    const value = pair.value()
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
  const pair = value === undefined ? '' : `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
  const bounds = queryBounds(url)
  if (bounds === undefined) {
    if (pair === '') return url
    const hash = url.indexOf('#')
    return hash === -1 ? `${url}?${pair}` : `${url.slice(0, hash)}?${pair}${url.slice(hash)}`
  }
  const kept = withoutParameter(url, bounds.start, bounds.end, name)
  const query = kept === '' || pair === '' ? kept + pair : `${kept}&${pair}`
  const path = url.slice(0, bounds.start - 1)
  return `${query === '' ? path : `${path}?${query}`}${url.slice(bounds.end)}`
}

/** Returns the raw query `url[start..end)` without the pairs that name the parameter. */
function withoutParameter(url: string, start: number, end: number, name: string): string {
  let kept = ''
  let first = true
  const pair = new PairCursor(url, start, end)
  while (pair.next()) {
    if (pair.named(name)) continue
    kept += url.slice(first ? pair.start : pair.start - 1, pair.end)
    first = false
  }
  return kept
}
