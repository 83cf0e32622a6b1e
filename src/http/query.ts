import { UNUSABLE } from './fields'
import { encodeReference } from './reference'

/** Where the query of a request target starts (after `?`) and ends (before `#`); `undefined` when it has none. */
function queryBounds(url: string): { start: number; end: number } | undefined {
  const hash = url.indexOf('#')
  const end = hash === -1 ? url.length : hash
  const mark = url.indexOf('?')
  return mark === -1 || mark >= end ? undefined : { start: mark + 1, end }
}

/** The raw query of a request target; empty when it has none. */
export function queryOf(url: string): string {
  const bounds = queryBounds(url)
  return bounds === undefined ? '' : url.slice(bounds.start, bounds.end)
}

/** The query of a request target for a link: byte for byte, but for what no URL can have. */
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

/** What a form decoder makes of one raw value: `+` is a space, malformed escapes stay as they are (WHATWG URL, section 5.1). */
function decoded(raw: string): string {
  if (!raw.includes('%') && !raw.includes('+')) return raw
  return new URLSearchParams(`v=${raw}`).get('v') as string
}

/** Walks the pairs of a raw query by positions, empty ones included. */
class PairCursor {
  /** The current pair. */
  start = 0
  end: number
  /** At its `=`, or at its end. */
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

  /** Goes to the next pair, if there is one. */
  next(): boolean {
    if (this.end === this.stop) return false
    this.start = this.end + 1
    this.end = this.find('&', this.start)
    // Sought again only once it was passed: a query without any is not searched anew for every pair.
    if (this.equals < this.start) this.equals = this.find('=', this.start)
    this.keyEnd = Math.min(this.equals, this.end)
    return true
  }

  /** Whether the key decodes to `name`; a raw key is never shorter than what it decodes to. */
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
 * The value of one query parameter of a request target, as `URLSearchParams` reads it, by exact name; `undefined` when it is
 * not there, {@link UNUSABLE} when it is there with different values. Independent of Express's `query parser`, linear, and
 * without a limit on the number of parameters.
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
 * A link with one query parameter set: removed wherever it stands, then appended; every other parameter and the fragment
 * stay byte for byte. `undefined` as the value only removes it.
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

/** The raw query `url[start..end)` less every pair that names the parameter. */
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
