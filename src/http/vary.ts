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
