// A response in pieces, mapped item by item on its way.
import type { Transform } from 'node:stream'
import type { Response } from 'express'
import { NO_BYTES } from './framing'
import type { ItemMapper } from './item-mapper'
import { bytesIn, bytesOf, callbackOf, isBody, readRaw } from './response-calls'

/** The calls that a stream passes on. */
export type StreamCall = 'write' | 'end' | 'flushHeaders'

/** The response of a stream. */
export interface StreamedResponse {
  readonly res: Response
  /** Listens to the response under all middleware. */
  readonly on: Response['on']
  /** Tells whether it is still the stream. Another response may have taken its place while it was decoded, or in a step. */
  isStream(): boolean
  pass(name: StreamCall, args: readonly unknown[]): unknown
  /** Takes an error, which must not be thrown: a throw from the callback of a handler would end the process. */
  fail(error: unknown, name: StreamCall): void
}

/** The parts of a stream. */
interface Settings {
  /**
   * Returns the mapper of its items.
   *
   * @throws {Error} if they cannot be mapped.
   */
  items(): ItemMapper
  /** `true` for a response to HEAD, whose body nobody sends. */
  readonly isHead?: boolean
  /** Makes the decoder of its bytes, for the first of them; undefined without an encoding. */
  readonly decoder?: ((first: Uint8Array) => Transform) | undefined
  /** Makes the error for bytes that are not in their encoding. */
  readonly notEncoded?: (cause: unknown) => Error
}

/** A stream of items. Each of them leaves with the call that brings its end. */
export class ItemStream {
  #decoder: Transform | undefined
  /** `true` while the client does not take more. */
  #isFull = false

  constructor(
    private readonly response: StreamedResponse,
    private readonly settings: Settings,
  ) {
    const { res, on } = response
    on.call(res, 'drain', () => {
      this.#isFull = false
      this.#decoder?.resume()
    })
    res.once('close', () => this.#decoder?.destroy())
  }

  write(args: readonly unknown[]): unknown {
    const { chunk, encoding } = readRaw(args)
    const { isHead, decoder } = this.settings
    if (isHead || !isBody(chunk)) return this.#pass('write', args)
    const bytes = bytesOf(chunk, encoding)
    const callbacks = callbackOf(args)
    if (decoder !== undefined) return this.#decoderFor(bytes).write(bytes, ...callbacks) && !this.#isFull
    return this.#send(bytes, callbacks)
  }

  end(args: readonly unknown[]): unknown {
    if (this.settings.isHead) return this.#pass('end', args)
    const bytes = bytesIn(args)
    const callbacks = callbackOf(args)
    if (this.settings.decoder === undefined || (this.#decoder === undefined && bytes.length === 0)) {
      return this.#finish(bytes, callbacks)
    }
    this.#decoderFor(bytes)
      .on('end', () => this.#finish(NO_BYTES, callbacks))
      .end(bytes)
    return this.response.res
  }

  flushHeaders(): unknown {
    // The body of a stream that cannot be mapped may still follow.
    const canBegin = this.settings.isHead || this.#mapped('write', [], () => NO_BYTES) !== undefined
    return canBegin ? this.#pass('flushHeaders', []) : undefined
  }

  #send(bytes: Buffer, callbacks: (() => void)[]): unknown {
    const mapped = this.#mapped('write', callbacks, (items) => items.add(bytes))
    if (mapped === undefined) return false
    if (mapped.length > 0) this.#isFull = this.#pass('write', [mapped, ...callbacks]) === false
    else for (const callback of callbacks) process.nextTick(callback)
    return !this.#isFull
  }

  #finish(bytes: Buffer, callbacks: (() => void)[]): unknown {
    const mapped = this.#mapped('end', callbacks, (items) => Buffer.concat([items.add(bytes), items.end()]))
    if (mapped === undefined) return this.response.res
    return this.#pass('end', mapped.length === 0 ? callbacks : [mapped, ...callbacks])
  }

  #pass(name: StreamCall, args: readonly unknown[]): unknown {
    return this.response.isStream() ? this.response.pass(name, args) : false
  }

  #mapped(name: StreamCall, callbacks: (() => void)[], map: (items: ItemMapper) => Buffer): Buffer | undefined {
    if (this.response.isStream()) {
      try {
        return map(this.settings.items())
      } catch (error) {
        this.response.fail(error, name)
      }
    }
    this.#decoder?.destroy()
    for (const callback of callbacks) this.response.res.once('finish', callback)
    return undefined
  }

  #decoderFor(bytes: Buffer): Transform {
    if (this.#decoder !== undefined) return this.#decoder
    const { decoder: create, notEncoded } = this.settings as Required<Settings>
    const decoder = (create as NonNullable<typeof create>)(bytes)
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
      this.#mapped('write', [], () => {
        throw notEncoded(cause)
      })
    })
    return decoder
  }
}
