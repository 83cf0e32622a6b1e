// Text in UTF-8.
import { isUtf8 } from 'node:buffer'

/**
 * Decodes bytes. A byte order mark stays.
 *
 * @throws {TypeError} for bytes that are not UTF-8.
 */
export function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new TypeError('The bytes are not UTF-8.')
  return bytes.toString()
}
