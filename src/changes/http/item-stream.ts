// The streams whose items are converted one by one, as they are written or as a whole.
import type { Transform } from 'node:stream'
import type { Response } from 'express'
import { decoderOf } from '../../http/encoding'
import { type Framing, NO_BYTES, type StreamEvent } from '../../http/framing'
import { framingOf, isUtf8Type } from '../../http/framings'
import { ItemMapper } from '../../http/item-mapper'
import { losesNumber } from '../../http/numbers'
import { dropNamesOfBytes, statusIn, withoutNamesOfBytes } from '../../http/representation'
import { type Body, bytesIn, bytesOf, callbackOf, isBody, readRaw } from '../../http/response-calls'
import type { Conversion } from '../convert/steps'
import { decoded, type OlderItems, type OlderResponse, type StreamCalls } from './older-response'
import type { Method, OutgoingResponse } from './outgoing-response'

const NOT_ENCODED = 'a body that is not in its encoding'

/** A response that is converted item by item. Each item leaves with the call that brings its end. */
export class ItemStream implements StreamCalls {
  readonly status: number
  private readonly conversion: Conversion
  readonly #type: unknown
  /** `true` for a response to HEAD, whose body nobody sends. */
  readonly #isHead: boolean
  readonly #items: ItemMapper | undefined
  /** Makes the decoder for the first bytes; undefined without an encoding. */
  readonly #create: ReturnType<typeof decoderOf>
  /** The reason why it cannot be converted. */
  readonly #error: unknown
  #decoder: Transform | undefined
  /** `true` while the client does not take more. */
  #isFull = false
  /** `true` once the previous methods got the head. */
  #hasHead = false
  isPassing = false

  constructor(
    private readonly response: OutgoingResponse,
    framing: Framing,
    older: OlderItems,
  ) {
    const { req, res } = response
    const { conversion } = older
    this.conversion = conversion
    this.status = statusIn(res)
    this.#type = res.getHeader('Content-Type')
    this.#isHead = req.method === 'HEAD'
    try {
      this.#items = olderItems(framing, this.#type, older, response.limit)
      this.#create = decoderOf(String(res.getHeader('Content-Encoding') ?? ''))
    } catch (error) {
      this.#error = error instanceof TypeError ? conversion.unusable('a body in an unknown encoding', error) : error
    }
    const { addTrailers } = res
    res.addTrailers = (trailers) => addTrailers.call(res, withoutNamesOfBytes(trailers))
    response.on.call(res, 'drain', () => {
      this.#isFull = false
      this.#decoder?.resume()
    })
    res.once('close', () => this.#decoder?.destroy())
  }

  write(args: readonly unknown[]): unknown {
    const { chunk, encoding } = readRaw(args)
    if (this.#isHead || !isBody(chunk)) return this.#pass('write', args)
    const bytes = bytesOf(chunk, encoding)
    const callbacks = callbackOf(args)
    if (this.#create !== undefined) return this.#decoderFor(bytes).write(bytes, ...callbacks) && !this.#isFull
    return this.#send(bytes, callbacks)
  }

  end(args: readonly unknown[]): unknown {
    if (this.#isHead) return this.#pass('end', args)
    const bytes = bytesIn(args)
    const callbacks = callbackOf(args)
    if (this.#create === undefined || (this.#decoder === undefined && bytes.length === 0)) {
      return this.#finish(bytes, callbacks)
    }
    this.#decoderFor(bytes)
      .on('end', () => this.#finish(NO_BYTES, callbacks))
      .end(bytes)
    return this.response.res
  }

  flushHeaders(): unknown {
    // The body of a stream that cannot be converted may still follow.
    const canBegin = this.#isHead || this.#converted('write', () => NO_BYTES) !== undefined
    return canBegin ? this.#pass('flushHeaders', []) : undefined
  }

  #send(bytes: Buffer, callbacks: (() => void)[]): unknown {
    const older = this.#converted('write', (items) => items.add(bytes))
    if (older === undefined) return false
    if (older.length > 0) this.#isFull = this.#pass('write', [older, ...callbacks]) === false
    else for (const callback of callbacks) process.nextTick(callback)
    return !this.#isFull
  }

  #finish(bytes: Buffer, callbacks: (() => void)[]): unknown {
    const older = this.#converted('end', (items) => Buffer.concat([items.add(bytes), items.end()]))
    if (older !== undefined) return this.#pass('end', older.length === 0 ? callbacks : [older, ...callbacks])
    const { res } = this.response
    for (const callback of callbacks) res.once('finish', callback)
    return res
  }

  /** Passes on a call, and in front of the first one the head, without the names and the length of the newest bytes. */
  #pass(name: Method, args: readonly unknown[]): unknown {
    const { res } = this.response
    // A step may have sent another response.
    if (!this.response.isOf(this)) return false
    if (!this.#hasHead) {
      dropNamesOfBytes(res)
      res.removeHeader('Content-Length')
      if (this.#create !== undefined) res.removeHeader('Content-Encoding')
      this.#hasHead = true
    }
    this.isPassing = true
    try {
      return this.response.passItems(name, args)
    } finally {
      this.isPassing = false
    }
  }

  /** Converts bytes. An error is passed on, because a throw from the callback of a handler would end the process. */
  #converted(name: Method, convert: (items: ItemMapper) => Buffer): Buffer | undefined {
    const { res } = this.response
    if (!this.response.isOf(this)) {
      this.#decoder?.destroy()
      return undefined
    }
    try {
      if (this.#error !== undefined) throw this.#error
      if (!this.#hasHead && res.getHeader('Content-Type') !== this.#type) {
        throw this.conversion.unusable('another "Content-Type" after the response had begun')
      }
      return convert(this.#items as ItemMapper)
    } catch (error) {
      this.#decoder?.destroy()
      this.response.failItems(error, this.status, name)
      return undefined
    }
  }

  #decoderFor(bytes: Buffer): Transform {
    if (this.#decoder !== undefined) return this.#decoder
    const decoder = (this.#create as NonNullable<ReturnType<typeof decoderOf>>)(bytes)
    this.#decoder = decoder
    const { res } = this.response
    decoder.on('data', (bytes: Buffer) => {
      this.#send(bytes, [])
      if (this.#isFull) decoder.pause()
    })
    // The client may have taken all that its socket got, and would not tell of it again.
    decoder.on('drain', () => {
      if (!this.#isFull) res.emit('drain')
    })
    decoder.on('error', (cause) => {
      this.#converted('write', () => {
        throw this.conversion.unusable(NOT_ENCODED, cause)
      })
    })
    return decoder
  }
}

/**
 * Makes the converter of the items of one stream. It takes its bytes, and throws what a step throws, and for an item that cannot be
 * converted.
 *
 * @param type the `Content-Type`.
 * @param size the highest number of bytes of one item.
 * @throws {Error} for a success whose items nobody described, and for a charset other than UTF-8. Event streams have none.
 */
function olderItems(framing: Framing, type: unknown, items: OlderItems, size: number): ItemMapper {
  const { conversion, plan } = items
  // Its step rejects each item. The head must not leave before that.
  if (plan.isUnknown) conversion.run(undefined)
  if (framing.items === 'lines' && !isUtf8Type(type)) throw conversion.unusable('a stream that is not UTF-8')
  return new ItemMapper({
    framing,
    map: (piece) => olderPiece(piece, framing, items),
    limits: { size, reject: (what) => conversion.unusable(what) },
  })
}

/**
 * Converts a stream that was sent as a whole. An encoded one is decoded.
 *
 * @param limit the highest number of bytes.
 * @returns `undefined` for a body that stays as it is, because its type is no stream whose items are converted.
 * @throws {Error} as a stream that is written in pieces.
 */
export function olderStream(
  body: Body,
  older: OlderResponse | undefined,
  res: Response,
  limit: number,
): Body | undefined {
  const type = res.getHeader('Content-Type')
  const framing = framingOf(type)
  const converted = framing && older?.itemsIn(framing)
  if (framing === undefined || converted === undefined) return undefined
  const items = olderItems(framing, type, converted, limit)
  const made = Buffer.concat([items.add(decoded(body, converted.conversion, res, limit, NOT_ENCODED)), items.end()])
  res.removeHeader('Content-Encoding')
  return typeof body === 'string' ? made.toString() : made
}

/** Converts one item. Data of events that is not JSON stays if it can hold no shape. */
function olderPiece(piece: Buffer, framing: Framing, { conversion, plan }: OlderItems): Buffer {
  const frame = read(piece, framing, conversion)
  if (frame === undefined || plan.passes(frame.item, frame.json !== undefined)) return piece
  if (frame.json === undefined) throw conversion.unusable('an item that is not JSON')
  const older = conversion.run(frame.item)
  if (conversion.hasDropped) return frame.without()
  const { data, event } = framing.items === 'events' ? eventIn(older, conversion) : { data: older }
  const json = conversion.toJson(data)
  if (json !== frame.json && losesNumber(frame.json)) {
    throw conversion.unusable('a number that JavaScript cannot hold')
  }
  return frame.with(json, event)
}

function read(piece: Buffer, framing: Framing, conversion: Conversion): ReturnType<Framing['read']> {
  try {
    return framing.read(piece)
  } catch (cause) {
    throw conversion.unusable('an item that is not UTF-8', cause)
  }
}

/** Checks that a step has returned an event. */
function eventIn(value: unknown, conversion: Conversion): Pick<StreamEvent, 'data' | 'event'> {
  const { data, event } = Object(value) as Record<string, unknown>
  if (data === undefined) throw conversion.failed('returned no event: { data, event }, or null for none')
  if (event === undefined || event === '') return { data }
  if (typeof event === 'string' && !/[\r\n\0]/.test(event)) return { data, event }
  throw conversion.failed('returned an event whose name is not a line of text')
}
