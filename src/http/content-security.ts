// Content Security Policy Level 3.
import { createHash } from 'node:crypto'

/** Returns the source that admits one inline style or script, such as `'sha256-...'` (CSP 3, section 2.3.1). */
export function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
