// Answers sent by Node's own methods, such as `res.write()`.
import { isJsonType } from '../../http/json'
import { dropNamesOfBytes, isBodyless, withoutNamesOfBytes } from '../../http/representation'
import { bytesOf, callbackOf, noteHead, readRaw } from '../../http/response-calls'
import { type Body, isBody, madeText, olderBody } from '../json-bodies'
import type { Conversion } from '../steps'
import type { Answer } from './answer'
import { Collected } from './collected'

/** The conversion of answers that Node's own methods send, as streams and proxies do. Parts of a JSON answer wait for its end. */
export class NodeMethods {
  constructor(private readonly answer: Answer) {}

  write(args: readonly unknown[]): unknown {
    const { answer } = this
    const { chunk, encoding } = readRaw(args)
    const collected = isBody(chunk) ? this.#collect() : undefined
    if (collected === undefined) return answer.handOnRaw('write', args)
    collected.add(bytesOf(chunk as Body, encoding))
    if (collected.error !== undefined) return answer.failRaw(collected.error, collected.status, 'write')
    for (const callback of callbackOf(args)) process.nextTick(callback)
    return true
  }

  end(args: readonly unknown[]): unknown {
    const { answer } = this
    const { req, res } = answer
    const { chunk, encoding } = readRaw(args)
    const rest = callbackOf(args)
    const collected = !chunk || isBody(chunk) ? this.#collect() : undefined
    if (collected === undefined) return answer.handOnRaw('end', args)
    if (isBody(chunk)) collected.add(bytesOf(chunk, encoding))
    let older: Body | undefined
    try {
      if (collected.error !== undefined) throw collected.error
      const { conversion, made } = answer.older(collected.status) ?? {}
      if (conversion !== undefined) older = olderBody(collected.bytes, conversion, res, answer.limit)
      // The handler has changed the version since.
      else if (made === undefined) older = collected.bytes
      else {
        older = Buffer.from(madeText(made, res))
        res.setHeader('Content-Length', older.length)
      }
    } catch (error) {
      for (const callback of rest) res.once('finish', callback)
      return answer.failRaw(error, collected.status)
    }
    if (older !== undefined || req.method === 'HEAD') dropNamesOfBytes(res)
    if (older === undefined) {
      // Without a body, the length of the older one is unknown. It would not be encoded.
      if (req.method === 'HEAD') for (const name of ['Content-Length', 'Content-Encoding']) res.removeHeader(name)
      return answer.handOnRaw('end', rest)
    }
    if (res.hasHeader('Content-Length')) res.setHeader('Content-Length', older.length)
    if (!collected.hasTrailers) return answer.handOnRaw('end', [older, ...rest])
    // Node sends trailers only behind chunks.
    answer.handOnRaw('write', [older])
    return answer.passOn('end', rest)
  }

  writeHead(args: readonly unknown[]): unknown {
    const { answer } = this
    noteHead(answer.res, args)
    return this.#collect() === undefined ? answer.handOnRaw('writeHead', args.slice(0, 1)) : answer.res
  }

  /** Returns the pieces written so far, if the answer is converted as a whole. Drops those of another answer before. */
  #collect(): Collected | undefined {
    const { answer } = this
    const { res, collected } = answer
    const { statusCode } = res
    const type = String(res.getHeader('Content-Type'))
    if (collected?.status === statusCode) {
      if (!isBodyless(statusCode)) collected.check(type)
      return collected
    }
    const conversion = this.#conversionOf(statusCode, isJsonType(type))
    answer.collected = conversion && this.#begin(new Collected(statusCode, type, conversion, answer.limit))
    return answer.collected
  }

  #begin(collected: Collected): Collected {
    const { res } = this.answer
    const { addTrailers } = res
    res.addTrailers = (trailers) => {
      collected.hasTrailers = true
      addTrailers.call(res, withoutNamesOfBytes(trailers))
    }
    return collected
  }

  #conversionOf(status: number, isJson: boolean): Conversion | undefined {
    try {
      const older = this.answer.older(status)
      return older?.made ?? (isJson ? older?.conversion : undefined)
    } catch {
      // The error is reported when the answer is passed on.
      return undefined
    }
  }
}
