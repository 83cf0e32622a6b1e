import type { NextFunction, Request, Response } from 'express'
import { dropRepresentation } from '../http/representation'
import type { RequestState } from '../request/state'
import type { OlderAnswer } from '../types'
import { noteHead, readRaw } from './raw'

/** All ways to send an answer, or a part of one. */
// `flushHeaders` calls `writeHead`.
const METHODS = ['send', 'json', 'jsonp', 'writeHead', 'write', 'end'] as const
export type Method = (typeof METHODS)[number]
export type Methods = Record<Method, (...args: unknown[]) => unknown>

/** A method to call, and what the answer is then. */
export interface Call {
  readonly name: Method
  readonly args: readonly unknown[]
  readonly answer: OlderAnswer | undefined
}

/** The parts written so far of an answer that is converted as a whole. */
export interface Collected {
  readonly status: number
  readonly parts: Buffer[]
  hasTrailers: boolean
}

/**
 * One answer on its way. Its older version is handed on, once, to the methods that stood on the response before; what these call
 * themselves passes.
 */
export class Answer {
  /** The parts that wait for the end. */
  collected: Collected | undefined
  /** The methods that convert. */
  #own: Methods | undefined
  /** The methods that other middleware has put on the response before. */
  #others: Partial<Methods> | undefined
  /** The status with which the answer was handed on; undefined until then. */
  #handedOn: number | undefined
  /** The answer that was handed on. */
  #answer: OlderAnswer | undefined
  /** Whether its header fields have their older values, as far as they can. */
  #hasHead = false
  /** Whether the conversion of an error failed: the answer that tells of it stays as it is. */
  #failed = false
  /** Whether a function for header fields failed: the answer that tells of it keeps its own. */
  #failedHead = false

  constructor(
    readonly req: Request,
    readonly res: Response,
    private readonly state: RequestState,
  ) {}

  /** Puts the methods that convert on the response. */
  install(own: Methods): void {
    const { res } = this
    const before = res as object as Methods
    for (const name of METHODS) {
      if (!Object.hasOwn(res, name)) continue
      this.#others ??= {}
      this.#others[name] = before[name]
    }
    this.#own = own
    putOn(res, own)
  }

  /** Tells whether a method of the response is still the one that converts. */
  isOwn(name: Method): boolean {
    return this.res[name] === this.#own?.[name]
  }

  /** Has `res.send` convert again: middleware behind `versioning()` has had its turn. */
  skipOthersBehind(): void {
    this.res.send = this.#own?.send as Response['send']
  }

  /** Whether other middleware put this method on the response before. */
  isWrapped(name: Method): boolean {
    return this.#others?.[name] !== undefined
  }

  /** Returns what the answer is in the request's version; `undefined` for one that stays as it is. */
  older(status: number): OlderAnswer | undefined {
    if (status >= 400 && this.#failed) return undefined
    return this.state.config?.changes?.answer(this.req, this.res, status)
  }

  /**
   * Whether those to whom the answer was handed on are calling. What has become an error meanwhile is another answer, which
   * they gave in its place.
   */
  isHandedOn(): boolean {
    const { statusCode, headersSent } = this.res
    return headersSent || (this.#handedOn !== undefined && (statusCode < 400 || statusCode === this.#handedOn))
  }

  /** Hands on what is sent by a method of Express. */
  handOn({ name, args, answer }: Call): unknown {
    this.#note(answer)
    return answer?.isBare ? this.passOn('end', []) : this.#try(name, args)
  }

  /** Takes the status of now for the one that was handed on: a method of Express that got it makes its text. */
  follow(): void {
    this.#handedOn = this.res.statusCode
  }

  /** Calls what another answer may follow, should it throw. */
  #try(name: Method, args: readonly unknown[]): unknown {
    try {
      return this.call(name, args)
    } catch (error) {
      this.#handedOn = undefined
      throw error
    }
  }

  /** Hands on what is not sent by a method of Express. */
  handOnRaw(name: Method, args: readonly unknown[]): unknown {
    const { statusCode } = this.res
    try {
      this.#note(this.older(statusCode))
    } catch (error) {
      return this.failRaw(error, statusCode, name)
    }
    return this.passOn(name, args)
  }

  #note(answer: OlderAnswer | undefined): void {
    const { res } = this
    this.collected = undefined
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
  passOn(name: Method, args: readonly unknown[]): unknown {
    const { res } = this
    if (res.headersSent && this.#answer?.isBare !== true) return this.call(name, args)
    if (name === 'writeHead') noteHead(res, args)
    const { statusCode } = res
    try {
      this.#writeHeaders()
    } catch (error) {
      this.#failedHead = true
      return this.failRaw(error, statusCode, name)
    }
    if (name === 'writeHead') return this.#try(name, [res.statusCode])
    if (this.#answer?.isBare !== true) return this.#try(name, args)
    const { callback } = readRaw(args)
    if (name !== 'write') return this.call(name, callback === undefined ? [] : [callback])
    if (callback !== undefined) process.nextTick(callback)
    return true
  }

  #writeHeaders(): void {
    const { res } = this
    if (res.headersSent || this.#hasHead || this.#failedHead) return
    // Express makes it 304, for one.
    if (res.statusCode !== this.#handedOn) this.#note(this.older(res.statusCode))
    this.#hasHead = true
    this.#answer?.writeHeaders()
  }

  /** Calls what stood there before, else the method of the response's app, which is another one in a sub-app. */
  call(name: Method, args: readonly unknown[]): unknown {
    const methods: Methods = Object.getPrototypeOf(this.res)
    return Reflect.apply(this.#others?.[name] ?? methods[name], this.res, args)
  }

  /** Hands on the error of an answer that is not sent by a method of Express. */
  failRaw(error: unknown, status: number, name?: Method): unknown {
    // What stands behind may have ended its part already, and would not send another answer.
    putOn(this.res, this.#own as Methods)
    this.fail(error, status)
    // Who writes on waits until there is room, which there never is.
    return name === 'write' ? false : this.res
  }

  /** Hands an error on. It must not be thrown: whoever sends from a callback would end the process. */
  fail(error: unknown, status: number): Response {
    const { req, res } = this
    if (status >= 400) this.#failed = true
    this.#handedOn = undefined
    this.collected = undefined
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

/** Writes them out: `Object.assign` finds its way anew for each response. */
function putOn(res: Response, own: Methods): void {
  const target = res as object as Methods
  target.send = own.send
  target.json = own.json
  target.jsonp = own.jsonp
  target.writeHead = own.writeHead
  target.write = own.write
  target.end = own.end
}
