// Decoders of bodies that arrive in pieces.
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { isZlib } from './encoding'

type Create = (first: Buffer) => Transform

/** The decoders by their name in `Content-Encoding` (RFC 9110, section 8.4.1). */
const DECODERS: ReadonlyMap<string, Create> = new Map<string, Create>([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', (first) => (isZlib(first) ? createInflate() : createInflateRaw())],
  ['br', () => createBrotliDecompress()],
])

/**
 * Finds the decoder of a body that arrives in pieces.
 *
 * @param encodings the value of `Content-Encoding`.
 * @returns a function that makes it for the first bytes; undefined for a body without an encoding.
 * @throws {TypeError} for an unknown encoding, and for several.
 */
export function decoderOf(encodings: string): Create | undefined {
  const names = encodings
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity')
  const [name] = names
  if (name === undefined) return undefined
  const create = DECODERS.get(name)
  if (create === undefined || names.length > 1) throw new TypeError('The encoding is unknown.')
  return create
}
