// The encodings of bodies: their decoders, for whole bodies and for those that arrive in pieces.
import { constants } from 'node:buffer'
import type { Transform } from 'node:stream'
import {
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  type ZlibOptions,
} from 'node:zlib'

/** One encoding. */
interface Encoding {
  /** Decodes a whole body. */
  decode(bytes: Buffer, options: ZlibOptions): Buffer
  /** Makes the decoder of a body in pieces, for the first of them. */
  create(first: Uint8Array): Transform
}

const GZIP: Encoding = { decode: gunzipSync, create: () => createGunzip() }

/** The encodings by their name in `Content-Encoding` (RFC 9110, section 8.4.1). */
const ENCODINGS: ReadonlyMap<string, Encoding> = new Map<string, Encoding>([
  ['gzip', GZIP],
  ['x-gzip', GZIP],
  [
    'deflate',
    {
      decode: (bytes, options) => (isZlib(bytes) ? inflateSync(bytes, options) : inflateRawSync(bytes, options)),
      create: (first) => (isZlib(first) ? createInflate() : createInflateRaw()),
    },
  ],
  ['br', { decode: brotliDecompressSync, create: () => createBrotliDecompress() }],
])

/** Returns the part of `Accept-Encoding` that names encodings which are decoded here. */
export function decodableIn(accepted: string): string {
  const all = accepted.split(',').map((one) => one.trim())
  return all.filter((one) => ENCODINGS.has((one.split(';')[0] as string).trim().toLowerCase())).join(', ')
}

/** Tells whether `deflate` has the frame of zlib, which some servers leave out. Its first byte names the method 8 (RFC 1950, section 2.2). */
function isZlib(bytes: Uint8Array): boolean {
  return ((bytes[0] as number) & 0x0f) === 8
}

/**
 * Lists the encodings of a body in the order in which they were applied.
 *
 * @param value of `Content-Encoding`. A list may have empty elements.
 * @throws {TypeError} for an unknown encoding.
 */
function encodingsIn(value: string): Encoding[] {
  const names = value.split(',').map((name) => name.trim().toLowerCase())
  return names.filter((name) => name !== '' && name !== 'identity').map((name) => ENCODINGS.get(name) ?? rejected())
}

function rejected(): never {
  throw new TypeError('The encoding is unknown.')
}

/**
 * Decodes a body.
 *
 * @param encodings the value of `Content-Encoding`: the encodings in the order in which they were applied.
 * @param limit the highest number of bytes.
 * @returns `undefined` for a body that is larger than that.
 * @throws {Error} for an unknown encoding, and for bytes that are not in that encoding.
 */
export function decode(body: Buffer, encodings: string, limit: number): Buffer | undefined {
  const maxOutputLength = Math.min(limit, constants.MAX_LENGTH)
  try {
    return encodingsIn(encodings).reduceRight((bytes, encoding) => encoding.decode(bytes, { maxOutputLength }), body)
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') return undefined
    throw error
  }
}

/**
 * Finds the decoder of a body that arrives in pieces.
 *
 * @param encodings the value of `Content-Encoding`.
 * @returns a function that makes it for the first bytes; undefined for a body without an encoding.
 * @throws {TypeError} for an unknown encoding, and for several.
 */
export function decoderOf(encodings: string): Encoding['create'] | undefined {
  const [encoding, ...others] = encodingsIn(encodings)
  return others.length > 0 ? rejected() : encoding?.create
}
