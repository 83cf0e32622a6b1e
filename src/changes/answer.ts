import { ServerResponse } from 'node:http'
import type { NextFunction, Request, Response } from 'express'
import { isJsonType } from '../http/json'
import { jsonCopy } from '../http/json-copy'
import { dropNamesOfBytes, dropRepresentation, withoutNamesOfBytes } from '../http/representation'
import type { RequestState } from '../request/state'
import type { AnswerConversion, OlderAnswer } from '../types'
import { type Body, isBody, olderBody, olderJson } from './body'
import { bytesOf, isStatus, noteHead, readRaw } from './raw'

/** All ways to send an answer, or a part of one. */
// `flushHeaders` calls `writeHead`.
const METHODS = ['send', 'json', 'jsonp', 'writeHead', 'write', 'end'] as const
type Method = (typeof METHODS)[number]
type Methods = Record<Method, (...args: unknown[]) => unknown>

/**
 * Sees to it that an answer leaves in the shape of the request's version, however it is sent, by own methods of the response.
 * Put on a response once; which history, operation and version count is read when it is sent.
 */
export function convertAnswers(req: Request, res: Response, state: RequestState): void {
  if (state.converting === res) return
  state.converting = res
  // It would cut a part out of the newest bytes. Whoever answers may ignore it (RFC 9110, section 14.2).
  Reflect.deleteProperty(req.headers, 'range')
  new Answer(req, res, state).install()
}

/** A text that `res.json` or `res.jsonp` is about to send, so that it is JSON whatever its type says. */
interface Sending {
  readonly name: 'json' | 'jsonp'
  /** Where Express makes the text of what the steps made. */
  readonly made: OlderAnswer | undefined
}

/** What was written of an answer that is converted as a whole. */
interface Collected {
  readonly status: number
  readonly parts: Buffer[]
  hasTrailers: boolean
}

/** What is to be called, of the methods that stood there before. */
interface Call {
  readonly name: Method
  readonly args: readonly unknown[]
  readonly answer: OlderAnswer | undefined
}

/**
 * One answer. What it is in the older version is handed on, once, to the methods that stood on the response before; what these
 * call themselves passes.
 */
class Answer {
  readonly #own: Methods = {
    json: (...args) => this.#json(args),
    jsonp: (...args) => (this.#isHandedOn() ? this.#call('jsonp', args) : this.#byExpress('jsonp', args)),
    send: (...args) => this.#send(args),
    write: (...args) => this.#write(args),
    end: (...args) => this.#end(args),
    writeHead: (...args) => this.#writeHead(args),
  }
  /** The methods that other middleware has put on the response before. */
  readonly #others: Partial<Methods> | undefined
  #sending: Sending | undefined
  #collected: Collected | undefined
  /** The status with which the answer was handed on; undefined until then. */
  #handedOn: number | undefined
  /** Whether a `json` to which it was handed on has not sent its text yet. */
  #awaitsText = false
  /** What the answer that was handed on is. */
  #answer: OlderAnswer | undefined
  /** Whether its header fields have their older values, as far as they can. */
  #hasHead = false
  /** Whether the conversion of an error failed: the answer that tells of it stays as it is. */
  #failed = false
  /** Whether a function for header fields failed: the answer that tells of it keeps its own. */
  #failedHead = false

  constructor(
    private readonly req: Request,
    private readonly res: Response,
    private readonly state: RequestState,
  ) {
    const others = METHODS.filter((name) => Object.hasOwn(res, name))
    if (others.length > 0) this.#others = Object.fromEntries(others.map((name) => [name, Reflect.get(res, name)]))
  }

  install(): void {
    Object.assign(this.res, this.#own)
  }

  #json(args: readonly unknown[]): unknown {
    if (this.#isHandedOn()) return this.#call('json', args)
    // A replacer, and what stands behind `versioning()`, get the newest shape.
    if (args.length !== 1 || !this.#mayConvertValues()) return this.#byExpress('json', args)
    return this.#value('json', args, { at: 0, status: this.res.statusCode })
  }

  /** Whether nobody else is to have a value before it is converted. */
  #mayConvertValues(): boolean {
    const { res } = this
    return res.send === this.#own.send && !res.app.get('json replacer')
  }

  /** Converts the value itself where that comes to the same: its text need not be parsed, nor made twice. */
  #value(name: 'json' | 'send', args: readonly unknown[], { at, status }: { at: number; status: number }): unknown {
    const { res } = this
    let answer: OlderAnswer | undefined
    try {
      answer = this.#older(status)
    } catch (error) {
      return this.#fail(error, status)
    }
    const conversion = answer?.conversion
    if (conversion === undefined) return this.#handOn({ name, args, answer })
    // What this throws is the handler's, as with Express.
    const copy = jsonCopy(args[at])
    if (copy === undefined) return this.#handOn({ name, args, answer })
    const straight = name === 'json' && this.#isExpress('json')
    let older: unknown
    try {
      older = straight ? conversion.run(copy) : JSON.parse(conversion.runToJson(copy, undefined))
    } catch (error) {
      return this.#fail(error, status)
    }
    if (straight) return this.#byExpress('json', [older], answer)
    dropNamesOfBytes(res)
    return this.#handOn({ name, args: args.with(at, older), answer })
  }

  /** Whether a method of the response is that of Express: of no middleware, and of none of the apps that the answer passes. */
  #isExpress(name: 'json' | 'send'): boolean {
    if (this.#others?.[name] !== undefined) return false
    let owner: object = Object.getPrototypeOf(this.res)
    while (!Object.hasOwn(owner, name)) owner = Object.getPrototypeOf(owner)
    return Object.getPrototypeOf(owner) === ServerResponse.prototype
  }

  /** Has Express make the text, which comes back to `send`. */
  #byExpress(name: 'json' | 'jsonp', args: readonly unknown[], made?: OlderAnswer): unknown {
    const methods: Methods = Object.getPrototypeOf(this.res)
    this.#sending = { name, made }
    try {
      return Reflect.apply(methods[name], this.res, args)
    } catch (error) {
      const isSent = this.#sending === undefined
      this.#sending = undefined
      if (made === undefined || isSent) throw error
      return this.#fail((made.conversion as AnswerConversion).unsayable(error), this.res.statusCode)
    }
  }

  #send(args: readonly unknown[]): unknown {
    const { res } = this
    const sending = this.#sending
    this.#sending = undefined
    if (this.#awaitsText) {
      this.#awaitsText = false
      this.#handedOn = res.statusCode
      return this.#call('send', args)
    }
    if (sending === undefined && this.#isHandedOn()) return this.#call('send', args)
    const { at, status } = readArguments(res, args)
    const body = args[at]
    if (sending === undefined && !isBody(body) && body !== undefined && body !== null) {
      // Express sends it by `res.json`.
      if (this.#isExpress('send') || typeof body !== 'object') return this.#call('send', args)
      // What stands in front is to get the older value.
      if (res.json === this.#own.json && this.#mayConvertValues()) return this.#value('send', args, { at, status })
      return res.status(status).json(body)
    }
    let call: Call
    try {
      call = this.#sent(args, at, sending?.made ?? this.#older(status), sending)
    } catch (error) {
      return this.#fail(error, status)
    }
    return this.#handOn(call)
  }

  /** What a call of `send` comes to. */
  #sent(args: readonly unknown[], at: number, answer: OlderAnswer | undefined, sending: Sending | undefined): Call {
    const { res } = this
    const conversion = answer?.conversion
    const asItIs: Call = { name: 'send', args, answer }
    if (conversion === undefined) return asItIs
    const body = args[at]
    let older: Body | undefined
    if (sending?.made !== undefined) older = verified(conversion, body)
    else if (sending === undefined) older = isBody(body) ? olderBody(body, conversion, res) : undefined
    else {
      const { name } = sending
      const made = olderJson(body, conversion, res)
      if (made !== undefined && this.#others?.[name] !== undefined) {
        dropNamesOfBytes(res)
        // What stands behind has had the text.
        res.send = this.#own.send as Response['send']
        return { name, args: [JSON.parse(made.json)], answer }
      }
      older = made?.text
    }
    if (older === undefined) return asItIs
    dropNamesOfBytes(res)
    return { name: 'send', args: args.with(at, older), answer }
  }

  #write(args: readonly unknown[]): unknown {
    if (this.#isHandedOn()) return this.#passOn('write', args)
    const { chunk, encoding, callback } = readRaw(args)
    const collected = isBody(chunk) ? this.#collect() : undefined
    if (collected === undefined) return this.#handOnRaw('write', args)
    collected.parts.push(bytesOf(chunk as Body, encoding))
    if (callback !== undefined) process.nextTick(callback)
    return true
  }

  #end(args: readonly unknown[]): unknown {
    if (this.#isHandedOn()) return this.#passOn('end', args)
    const { req, res } = this
    const { chunk, encoding, callback } = readRaw(args)
    const collected = !chunk || isBody(chunk) ? this.#collect() : undefined
    if (collected === undefined) return this.#handOnRaw('end', args)
    const bytes = Buffer.concat([...collected.parts, ...(isBody(chunk) ? [bytesOf(chunk, encoding)] : [])])
    const rest = callback === undefined ? [] : [callback]
    let older: Body | undefined
    try {
      const conversion = this.#older(collected.status)?.conversion
      older = conversion && olderBody(bytes, conversion, res)
    } catch (error) {
      if (callback !== undefined) res.once('finish', callback)
      return this.#failRaw(error, collected.status)
    }
    if (older !== undefined || req.method === 'HEAD') dropNamesOfBytes(res)
    // Without a body nobody knows how long the older one would be.
    if (older === undefined && req.method === 'HEAD') res.removeHeader('Content-Length')
    if (older === undefined) return this.#handOnRaw('end', rest)
    if (res.hasHeader('Content-Length')) res.setHeader('Content-Length', older.length)
    if (!collected.hasTrailers) return this.#handOnRaw('end', [older, ...rest])
    // Node sends trailers behind chunks alone.
    this.#handOnRaw('write', [older])
    return this.#passOn('end', rest)
  }

  #writeHead(args: readonly unknown[]): unknown {
    if (!isStatus(args[0])) return this.#call('writeHead', args)
    if (this.#isHandedOn()) return this.#passOn('writeHead', args)
    noteHead(this.res, args)
    return this.#collect() === undefined ? this.#handOnRaw('writeHead', args.slice(0, 1)) : this.res
  }

  /** What was written so far, where the answer is one that is converted as a whole; of another one before, nothing is left. */
  #collect(): Collected | undefined {
    const { res } = this
    const { statusCode } = res
    const isJson = isJsonType(res.getHeader('Content-Type'))
    if (isJson && this.#collected?.status === statusCode) return this.#collected
    this.#collected = undefined
    if (!isJson || !this.#mayConvert(statusCode)) return undefined
    const collected: Collected = { status: statusCode, parts: [], hasTrailers: false }
    const { addTrailers } = res
    res.addTrailers = (trailers) => {
      collected.hasTrailers = true
      addTrailers.call(res, withoutNamesOfBytes(trailers))
    }
    this.#collected = collected
    return collected
  }

  #mayConvert(status: number): boolean {
    try {
      return this.#older(status)?.conversion !== undefined
    } catch {
      // Told at the end, when nobody writes any more.
      return true
    }
  }

  #older(status: number): OlderAnswer | undefined {
    if (status >= 400 && this.#failed) return undefined
    return this.state.config?.changes?.answer(this.req, this.res, status)
  }

  /**
   * Whether those to whom the answer was handed on are calling. What has become an error meanwhile is another answer, which
   * they gave in its place.
   */
  #isHandedOn(): boolean {
    const { statusCode, headersSent } = this.res
    return headersSent || (this.#handedOn !== undefined && (statusCode < 400 || statusCode === this.#handedOn))
  }

  #handOn({ name, args, answer }: Call): unknown {
    this.#note(answer)
    if (answer?.isBare) return this.#passOn('end', [])
    this.#awaitsText = name === 'json' || name === 'jsonp'
    return this.#try(name, args)
  }

  /** Calls what another answer may follow, should it throw. */
  #try(name: Method, args: readonly unknown[]): unknown {
    try {
      return this.#call(name, args)
    } catch (error) {
      this.#handedOn = undefined
      this.#awaitsText = false
      throw error
    }
  }

  /** Hands on what is not sent by a method of Express. */
  #handOnRaw(name: Method, args: readonly unknown[]): unknown {
    const { statusCode } = this.res
    try {
      this.#note(this.#older(statusCode))
    } catch (error) {
      return this.#failRaw(error, statusCode, name)
    }
    return this.#passOn(name, args)
  }

  #note(answer: OlderAnswer | undefined): void {
    const { res } = this
    this.#collected = undefined
    this.#answer = answer
    this.#hasHead = false
    if (answer !== undefined && answer.status !== res.statusCode) {
      res.statusCode = answer.status
      // The reason phrase was that of the newer status.
      res.statusMessage = ''
    }
    if (answer?.isBare) for (const name of ['Content-Type', 'Content-Length']) res.removeHeader(name)
    this.#handedOn = res.statusCode
  }

  /** Passes on a call of those to whom the answer was handed on, and sees to its header fields before they leave. */
  #passOn(name: Method, args: readonly unknown[]): unknown {
    const { res } = this
    if (res.headersSent && this.#answer?.isBare !== true) return this.#call(name, args)
    if (name === 'writeHead') noteHead(res, args)
    const { statusCode } = res
    try {
      this.#writeHeaders()
    } catch (error) {
      this.#failedHead = true
      return this.#failRaw(error, statusCode, name)
    }
    if (name === 'writeHead') return this.#try(name, [res.statusCode])
    if (this.#answer?.isBare !== true) return this.#try(name, args)
    const { callback } = readRaw(args)
    if (name !== 'write') return this.#call(name, callback === undefined ? [] : [callback])
    if (callback !== undefined) process.nextTick(callback)
    return true
  }

  #writeHeaders(): void {
    const { res } = this
    if (res.headersSent || this.#hasHead || this.#failedHead) return
    // Express makes it 304, for one.
    if (res.statusCode !== this.#handedOn) this.#note(this.#older(res.statusCode))
    this.#hasHead = true
    this.#answer?.writeHeaders()
  }

  /** Calls what stood there before, else the method of the response's app, which is another one in a sub-app. */
  #call(name: Method, args: readonly unknown[]): unknown {
    const methods: Methods = Object.getPrototypeOf(this.res)
    return Reflect.apply(this.#others?.[name] ?? methods[name], this.res, args)
  }

  #failRaw(error: unknown, status: number, name?: Method): unknown {
    // What stands behind may have ended its part already, and would not send another answer.
    this.install()
    this.#fail(error, status)
    // Who writes on waits until there is room, which there never is.
    return name === 'write' ? false : this.res
  }

  /** Hands an error on. It must not be thrown: whoever sends from a callback would end the process. */
  #fail(error: unknown, status: number): Response {
    const { req, res } = this
    if (status >= 400) this.#failed = true
    this.#handedOn = undefined
    this.#collected = undefined
    dropRepresentation(res)
    res.removeHeader('Content-Type')
    const next = req.next as NextFunction | undefined
    // At once: who goes on to end the answer must not end it well.
    res.statusCode = 500
    res.statusMessage = ''
    if (next !== undefined) {
      next(error)
      return res
    }
    // All routers were left: the one who called the app answers by itself.
    this.#failed = true
    for (const name of res.getHeaderNames()) res.removeHeader(name)
    res.end()
    return res
  }
}

/** The text that Express has made of what the steps made. */
function verified(conversion: AnswerConversion, text: unknown): string {
  if (typeof text !== 'string') throw conversion.unsayable()
  conversion.verify(text)
  return text
}

/** Where the body is among the arguments of `res.send`, and the status: Express 4 takes that beside the body, in either order. */
function readArguments(res: Response, args: readonly unknown[]): { at: number; status: number } {
  const [first, second] = args
  if (args.length !== 2 || !('sendfile' in res)) return { at: 0, status: res.statusCode }
  if (typeof first !== 'number' && typeof second === 'number') return { at: 0, status: second }
  return { at: 1, status: first as number }
}
