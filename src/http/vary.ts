// Changes to the `Vary` header.
import type { Response } from 'express'
import { toStatus } from './representation'
import { noteHead } from './response-calls'

/**
 * Merges header names, separated by commas, into `Vary` (RFC 9110, section 12.5.5). Other middleware, such as cors and
 * compression, writes it too. Does nothing once the headers are sent.
 */
export function appendVary(res: Response, fields: string): void {
  if (res.headersSent) return
  if (res.getHeader('Vary') === undefined) res.setHeader('Vary', fields)
  else res.vary(fields)
}

/** Joins the names that `Vary` has now with those of the response: proxies set the field of the service instead. */
export function keepVary(res: Response): void {
  const vary = res.getHeader('Vary')
  if (vary === undefined) return
  const { writeHead } = res
  res.writeHead = function keepingVary(...args: readonly unknown[]) {
    // Node rejects other statuses, and two heads.
    const isHead = !res.headersSent && toStatus(args[0]) >= 100
    if (isHead) noteHead(res, args)
    appendVary(res, String(vary))
    return Reflect.apply(writeHead, res, isHead ? [res.statusCode] : args)
  }
}

/** Lists the names in `Vary`. */
function namesIn(res: Response): string[] {
  const names = String(res.getHeader('Vary') ?? '').split(',')
  return names.map((name) => name.trim())
}

/** Tells whether `Vary` has header names, or `*`. */
export function variesOn(res: Response, fields: readonly string[]): boolean {
  const names = new Set(namesIn(res).map((name) => name.toLowerCase()))
  return names.has('*') || fields.every((name) => names.has(name.toLowerCase()))
}

/** Removes header names from `Vary`. */
export function dropVary(res: Response, fields: readonly string[]): void {
  const names = namesIn(res)
  const dropped = new Set(fields.map((name) => name.toLowerCase()))
  const kept = names.filter((name) => name !== '' && !dropped.has(name.toLowerCase()))
  if (kept.length === 0) res.removeHeader('Vary')
  else res.setHeader('Vary', kept.join(', '))
}
