// Changes to the `Vary` header.
import type { Response } from 'express'

/**
 * Merges header names, separated by commas, into `Vary` (RFC 9110, section 12.5.5). Other middleware, such as cors and
 * compression, writes it too. Does nothing once the headers are sent.
 */
export function appendVary(res: Response, fields: string): void {
  if (res.headersSent) return
  if (res.getHeader('Vary') === undefined) res.setHeader('Vary', fields)
  else res.vary(fields)
}

/** Removes header names from `Vary`. */
export function dropVary(res: Response, fields: readonly string[]): void {
  const names = String(res.getHeader('Vary') ?? '')
    .split(',')
    .map((name) => name.trim())
  const dropped = new Set(fields.map((name) => name.toLowerCase()))
  const kept = names.filter((name) => name !== '' && !dropped.has(name.toLowerCase()))
  if (kept.length === 0) res.removeHeader('Vary')
  else res.setHeader('Vary', kept.join(', '))
}
