import type { Request, Response } from 'express'
import type { Params } from './pattern'

// Pieces of what `router` does to a request, for a loop of our own.

/** Scheme and authority of a request target in absolute form (RFC 9112, section 3.2.2), which mounts leave where they are. */
export function authorityOf(url: unknown): string {
  // Middleware may have put anything in its place.
  if (typeof url !== 'string' || url.startsWith('/')) return ''
  const end = url.search(/[?]|$/)
  const mark = url.slice(0, end).indexOf('://')
  return mark === -1 ? '' : url.slice(0, Math.max(0, url.indexOf('/', mark + 3)))
}

export function isEmpty(object: object): boolean {
  for (const _ in object) return false
  return true
}

/** `req.params` under a mount, as `router` merges them: names replace those of the parent, and groups of RegExps follow its. */
export function merged(parent: Request['params'] | undefined, own: Params): Request['params'] {
  if (parent === undefined || parent === null || isEmpty(parent)) return { ...own } as Request['params']
  if (!('0' in own) || !('0' in parent)) return { ...parent, ...own } as Request['params']
  const shifted: Record<string, unknown> = { ...own }
  const offset = countOf(parent)
  // From the last on, so that none is overwritten; what is behind a group without a match keeps its number.
  for (let index = countOf(own) - 1; index >= 0; index--) {
    shifted[index + offset] = own[index]
    if (index < offset) delete shifted[index]
  }
  return { ...parent, ...shifted } as Request['params']
}

/** How many groups of RegExps there are, up to the first without a match. */
function countOf(params: object): number {
  let count = 0
  while (count in params) count++
  return count
}

/** The answer of a table whose routes have no handler for OPTIONS (RFC 9110, section 9.3.7), as `router` gives it. */
export function answerOptions(res: Response, methods: ReadonlySet<string>): void {
  const allow = [...methods].sort().join(', ')
  res.setHeader('Allow', allow)
  res.setHeader('Content-Length', Buffer.byteLength(allow))
  res.setHeader('Content-Type', 'text/plain')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.end(allow)
}
