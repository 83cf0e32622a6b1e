import type { Response } from 'express'

/** What `res.write` and `res.end` were called with, whichever of their overloads it was. */
export interface RawCall {
  readonly chunk: unknown
  readonly encoding: BufferEncoding | undefined
  readonly callback: (() => void) | undefined
}

export function readRaw(args: readonly unknown[]): RawCall {
  const at = args.findIndex((arg) => typeof arg === 'function')
  const [chunk, encoding] = at === -1 ? args : args.slice(0, at)
  return {
    chunk,
    encoding: typeof encoding === 'string' ? (encoding as BufferEncoding) : undefined,
    callback: at === -1 ? undefined : (args[at] as () => void),
  }
}

/** A copy of a chunk: who wrote it may fill the same memory again. */
export function bytesOf(chunk: string | Uint8Array, encoding: BufferEncoding | undefined): Buffer {
  return typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk)
}

/** Does what `res.writeHead` does, but for sending the head. */
export function noteHead(res: Response, [status, ...others]: readonly unknown[]): void {
  res.statusCode = status as number
  const [reason] = others
  if (typeof reason === 'string') res.statusMessage = reason
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

/** Of a list of pairs, or of names and values in turn. */
function pairsOf(fields: readonly unknown[]): Pair[] {
  if (Array.isArray(fields[0])) return fields as Pair[]
  return fields.flatMap((name, at) => (at % 2 === 0 ? [[name, fields[at + 1]] as Pair] : []))
}

/** Whether Node takes a value for a status; it throws for others. */
export function isStatus(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 100 && (value as number) <= 999
}
