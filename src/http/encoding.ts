// The encodings of bodies.
import { constants } from 'node:buffer'
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, type ZlibOptions } from 'node:zlib'

type Decoder = (bytes: Uint8Array, options: ZlibOptions) => Uint8Array

/** Tells whether `deflate` has the frame of zlib, which some servers leave out. Its first byte names the method 8 (RFC 1950, section 2.2). */
export function isZlib(bytes: Uint8Array): boolean {
  return ((bytes[0] as number) & 0x0f) === 8
}

const inflate: Decoder = (bytes, options) =>
  isZlib(bytes) ? inflateSync(bytes, options) : inflateRawSync(bytes, options)

/** The decoders by their name in `Content-Encoding` (RFC 9110, section 8.4.1). */
const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflate],
  ['br', brotliDecompressSync],
  ['identity', (bytes) => bytes],
  // A list may have empty elements.
  ['', (bytes) => bytes],
])

/**
 * Decodes a body.
 *
 * @param encodings the value of `Content-Encoding`: the encodings in the order in which they were applied.
 * @param limit the highest number of bytes.
 * @returns `undefined` for a body that is larger than that.
 * @throws {Error} for an unknown encoding, and for bytes that are not in that encoding.
 */
export function decode(body: Uint8Array, encodings: string, limit: number): Uint8Array | undefined {
  const maxOutputLength = Math.min(limit, constants.MAX_LENGTH)
  try {
    return encodings.split(',').reduceRight((bytes, encoding) => {
      const decoder = DECODERS.get(encoding.trim().toLowerCase())
      if (decoder === undefined) throw new TypeError('The encoding is unknown.')
      return decoder(bytes, { maxOutputLength })
    }, body)
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') return undefined
    throw error
  }
}
