// Answers sent by Node's own methods, such as `res.write()`.
import { isJsonType } from '../http/json'
import { dropNamesOfBytes, isBodyless, withoutNamesOfBytes } from '../http/representation'
import type { Answer, Collected } from './answer'
import { type Body, isBody, madeText, olderBody } from './body'
import type { PlannedAnswer } from './older-answer'
import { noteHead, readRaw } from './raw'

/** Node's own methods that send an answer, which streams and proxies use. Parts of a JSON answer wait for its end. */
export class NodeWays {
  readonly #answer: Answer

  constructor(answer: Answer) {
    this.#answer = answer
  }

  write(args: readonly unknown[]): unknown {
    const answer = this.#answer
    if (answer.isDropped) return false
    if (answer.isHandedOn()) return answer.passOn('write', args)
    const { chunk, encoding, callback } = readRaw(args)
    const collected = isBody(chunk) ? this.#collect() : undefined
    if (collected === undefined) return answer.handOnRaw('write', args)
    collected.parts.push(bytesOf(chunk as Body, encoding))
    if (callback !== undefined) process.nextTick(callback)
    return true
  }

  end(args: readonly unknown[]): unknown {
    const answer = this.#answer
    const { req, res } = answer
    if (answer.isHandedOn()) return answer.passOn('end', args)
    const { chunk, encoding, callback } = readRaw(args)
    if (answer.isDropped) return callback === undefined ? res : res.once('finish', callback)
    const collected = !chunk || isBody(chunk) ? this.#collect() : undefined
    if (collected === undefined) return answer.handOnRaw('end', args)
    const bytes = Buffer.concat([...collected.parts, ...(isBody(chunk) ? [bytesOf(chunk, encoding)] : [])])
    const rest = callback === undefined ? [] : [callback]
    let older: Body | undefined
    try {
      const { conversion, made } = answer.older(collected.status) as PlannedAnswer
      older = made === undefined ? conversion && olderBody(bytes, conversion, res) : Buffer.from(madeText(made, res))
      if (made !== undefined) res.setHeader('Content-Length', (older as Buffer).length)
    } catch (error) {
      if (callback !== undefined) res.once('finish', callback)
      return answer.failRaw(error, collected.status)
    }
    if (older !== undefined || req.method === 'HEAD') dropNamesOfBytes(res)
    // Without a body, the length of the older one is unknown.
    if (older === undefined && req.method === 'HEAD') res.removeHeader('Content-Length')
    if (older === undefined) return answer.handOnRaw('end', rest)
    if (res.hasHeader('Content-Length')) res.setHeader('Content-Length', older.length)
    if (!collected.hasTrailers) return answer.handOnRaw('end', [older, ...rest])
    // Node sends trailers only behind chunks.
    answer.handOnRaw('write', [older])
    return answer.passOn('end', rest)
  }

  writeHead(args: readonly unknown[]): unknown {
    const answer = this.#answer
    if (answer.isDropped) return answer.res
    if (!isStatus(args[0])) return answer.call('writeHead', args)
    if (answer.isHandedOn()) return answer.passOn('writeHead', args)
    noteHead(answer.res, args)
    return this.#collect() === undefined ? answer.handOnRaw('writeHead', args.slice(0, 1)) : answer.res
  }

  /** Returns the parts written so far, if the answer is converted as a whole. Drops those of another answer before. */
  #collect(): Collected | undefined {
    const answer = this.#answer
    const { res } = answer
    const { statusCode } = res
    const isJson = isJsonType(res.getHeader('Content-Type'))
    if ((isJson || isBodyless(statusCode)) && answer.collected?.status === statusCode) return answer.collected
    answer.collected = undefined
    if (!this.#mayConvert(statusCode, isJson)) return undefined
    const collected: Collected = { status: statusCode, parts: [], hasTrailers: false }
    const { addTrailers } = res
    res.addTrailers = (trailers) => {
      collected.hasTrailers = true
      addTrailers.call(res, withoutNamesOfBytes(trailers))
    }
    answer.collected = collected
    return collected
  }

  #mayConvert(status: number, isJson: boolean): boolean {
    if (!isJson && !isBodyless(status)) return false
    try {
      const older = this.#answer.older(status)
      return older?.made !== undefined || (isJson && older?.conversion !== undefined)
    } catch {
      // The error is reported at the end, when all is written.
      return true
    }
  }
}

/** Copies a chunk, because its writer may reuse the memory. */
function bytesOf(chunk: string | Uint8Array, encoding: BufferEncoding | undefined): Buffer {
  return typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk)
}

/** Tells whether Node accepts a value as a status. It throws for others. */
function isStatus(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 100 && (value as number) <= 999
}
