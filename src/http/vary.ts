import type { Response } from 'express'

/**
 * Merges header names, a list with commas, into `Vary` (RFC 9110, section 12.5.5), which other middleware (cors,
 * compression) writes too. Does nothing once the headers are sent.
 */
export function appendVary(res: Response, fields: string): void {
  if (res.headersSent) return
  if (res.getHeader('Vary') === undefined) res.setHeader('Vary', fields)
  else res.vary(fields)
}

/** Takes header names out of `Vary` again. */
export function dropVary(res: Response, fields: readonly string[]): void {
  const names = String(res.getHeader('Vary') ?? '')
    .split(',')
    .map((name) => name.trim())
  const dropped = new Set(fields.map((name) => name.toLowerCase()))
  const kept = names.filter((name) => name !== '' && !dropped.has(name.toLowerCase()))
  if (kept.length === 0) res.removeHeader('Vary')
  else res.setHeader('Vary', kept.join(', '))
}
