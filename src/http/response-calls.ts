// The arguments of Node's own methods of a response.
import { constants, type Http2Stream } from 'node:http2'
import { TLSSocket } from 'node:tls'
import type { Response } from 'express'
import { NO_BYTES } from './framing'
import { setReason, toStatus } from './representation'

/** Reads the arguments of `res.write` and `res.end`, in any of their overloads. */
export function readRaw(args: readonly unknown[]): { chunk: unknown; encoding: BufferEncoding | undefined } {
  if (args.length === 1 && typeof args[0] !== 'function') return { chunk: args[0], encoding: undefined }
  const [chunk, encoding] = args.filter((arg) => typeof arg !== 'function')
  return { chunk, encoding: typeof encoding === 'string' ? (encoding as BufferEncoding) : undefined }
}

/** The bodies that `res.send`, `res.write` and `res.end` take. */
export type Body = string | Uint8Array

/** Tells whether a value is a body that can be read as text. */
export function isBody(value: unknown): value is Body {
  return typeof value === 'string' || value instanceof Uint8Array
}

/** Returns the bytes among the arguments of `res.write` or `res.end`, as a copy. */
export function bytesIn(args: readonly unknown[]): Buffer {
  const { chunk, encoding } = readRaw(args)
  return isBody(chunk) ? bytesOf(chunk, encoding) : NO_BYTES
}

/** Returns the callback among those arguments, as a list of none or one. */
export function callbackOf(args: readonly unknown[]): (() => void)[] {
  if (args.length === 1 && typeof args[0] !== 'function') return []
  return args.filter((arg): arg is () => void => typeof arg === 'function').slice(0, 1)
}

/** Applies the arguments of `res.writeHead` without sending the head. */
export function noteHead(res: Response, [status, ...others]: readonly unknown[]): void {
  res.statusCode = toStatus(status)
  const [reason] = others
  if (typeof reason === 'string') setReason(res, reason)
  const fields = typeof reason === 'string' ? others[1] : (others[1] ?? reason)
  if (typeof fields !== 'object' || fields === null) return
  if (!Array.isArray(fields)) {
    for (const [name, value] of Object.entries(fields))
      if (name !== '' && value !== undefined) res.setHeader(name, value)
    return
  }
  const pairs = pairsOf(fields)
  for (const [name] of pairs) res.removeHeader(name)
  for (const [name, value] of pairs) res.appendHeader(name, value)
}

type Pair = [name: string, value: string]

/** Lists the pairs of a list of pairs, or of alternating names and values. */
function pairsOf(fields: readonly unknown[]): Pair[] {
  if (Array.isArray(fields[0])) return fields as Pair[]
  return fields.flatMap((name, at) => (at % 2 === 0 ? [[name, fields[at + 1]] as Pair] : []))
}

/** Copies a chunk, because its writer may reuse the memory. */
export function bytesOf(chunk: Body, encoding: BufferEncoding | undefined): Buffer {
  return typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk)
}

/** Ends the connection of a response whose beginning was sent, so that its client does not take it for a whole one. */
export function breakOff(res: Response): void {
  const { stream, socket, chunkedEncoding } = res as Response & { readonly stream?: Http2Stream }
  if (stream !== undefined) stream.close(constants.NGHTTP2_INTERNAL_ERROR)
  // Without chunks, the end of the connection is that of the response. TLS has an end of its own.
  else if (chunkedEncoding || socket === null || socket instanceof TLSSocket) res.destroy()
  else socket.resetAndDestroy()
}
