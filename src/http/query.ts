import { UNUSABLE } from './unusable'

/** Where the query of a request target starts (after `?`) and ends (before `#`); `undefined` when it has none. */
function queryBounds(url: string): { start: number; end: number } | undefined {
  const hash = url.indexOf('#')
  const end = hash === -1 ? url.length : hash
  const mark = url.indexOf('?')
  return mark === -1 || mark >= end ? undefined : { start: mark + 1, end }
}

/** What a form decoder makes of one raw value: `+` is a space, malformed escapes stay as they are (WHATWG URL, section 5.1). */
function decoded(raw: string): string {
  if (!raw.includes('%') && !raw.includes('+')) return raw
  return new URLSearchParams(`v=${raw}`).get('v') as string
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
  let start = bounds.start
  let equals = url.indexOf('=', start)
  while (start < bounds.end) {
    let end = url.indexOf('&', start)
    if (end === -1 || end > bounds.end) end = bounds.end
    // Sought again only once it was passed: a query without any is not searched anew for every pair.
    if (equals !== -1 && equals < start) equals = url.indexOf('=', start)
    const keyEnd = equals === -1 || equals > end ? end : equals
    if (keyNames(url, start, keyEnd, name)) {
      const value = keyEnd === end ? '' : decoded(url.slice(keyEnd + 1, end))
      if (found !== undefined && found !== value) return UNUSABLE
      found = value
    }
    start = end + 1
  }
  return found
}

/** Whether the raw key `url[start..end)` decodes to `name`; a raw key is never shorter than what it decodes to. */
function keyNames(url: string, start: number, end: number, name: string): boolean {
  if (end - start < name.length) return false
  const key = url.slice(start, end)
  return key === name ? decoded(key) === name : (key.includes('%') || key.includes('+')) && decoded(key) === name
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
  let from = start
  let equals = url.indexOf('=', start)
  while (from <= end) {
    let to = url.indexOf('&', from)
    if (to === -1 || to > end) to = end
    // Sought again only once it was passed: a query without any is not searched anew for every pair.
    if (equals !== -1 && equals < from) equals = url.indexOf('=', from)
    const keyEnd = equals === -1 || equals > to ? to : equals
    if (!keyNames(url, from, keyEnd, name)) {
      kept += url.slice(first ? from : from - 1, to)
      first = false
    }
    from = to + 1
  }
  return kept
}
