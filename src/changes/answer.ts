// One answer on its way: the state that all ways to send it share.
import type { NextFunction, Request, Response } from 'express'
import { dropNamesOfBytes, dropRepresentation } from '../http/representation'
import { type RequestState, showConditions, type Versioning } from '../request/state'
import { madeText } from './body'
import type { Collected } from './collected'
import type { PlannedAnswer } from './older-answer'
import { noteHead, readRaw } from './raw'
import type { Conversion } from './steps'

/** The methods that send an answer, or a part of it. */
// `flushHeaders` is missing, because it calls `writeHead`.
const METHODS = ['send', 'json', 'jsonp', 'writeHead', 'write', 'end'] as const
export type Method = (typeof METHODS)[number]
export type Methods = Record<Method, (...args: unknown[]) => unknown>

/** A method to call, and the older answer then. */
export interface Call {
  readonly name: Method
  readonly args: readonly unknown[]
  readonly answer: PlannedAnswer | undefined
}

/** One answer on its way. Its older version is passed on, once, to the previous methods of the response. Their own calls pass. */
export class Answer {
  /** The pieces that wait for the end. */
  collected: Collected | undefined
  /** The methods that convert. */
  #own: Methods | undefined
  /** The methods that other middleware has put on the response before. */
  #others: Partial<Methods> | undefined
  /** The status with which the answer was passed on; undefined until then. */
  #handedOn: number | undefined
  /** The older answer that was passed on. */
  #answer: PlannedAnswer | undefined
  /** `true` if its header fields have their older values, as far as possible. */
  #hasHead = false
  /** `true` if the conversion of an error failed. The answer that reports it stays as it is. */
  #failed = false
  /** `true` if a function for header fields failed. The answer that reports it keeps its fields. */
  #failedHead = false
  /** `true` while the caller that sent a failed answer may still write the rest of it. */
  isDropped = false
  /** `true` if an answer failed while it was written in pieces: more of them may follow. */
  #hasRest = false

  constructor(
    readonly req: Request,
    readonly res: Response,
    private readonly state: RequestState,
  ) {}

  /** The highest number of bytes of an answer that is converted as a whole. */
  get limit(): number {
    return (this.state.config as Versioning).maxCollected
  }

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

  /** Makes `res.send` convert again: middleware behind `versioning()` has had its turn. */
  skipOthersBehind(): void {
    this.res.send = this.#own?.send as Response['send']
  }

  /** Tells whether other middleware put this method on the response before. */
  isWrapped(name: Method): boolean {
    return this.#others?.[name] !== undefined
  }

  /** Returns the older answer; `undefined` if it stays as it is. */
  older(status: number): PlannedAnswer | undefined {
    if (status >= 400 && this.#failed) return undefined
    return this.state.config?.changes?.answer(this.req, this.res, status) as PlannedAnswer | undefined
  }

  /** Tells whether the previous methods are calling. An answer that has become an error is a new answer of theirs. */
  isHandedOn(): boolean {
    const { statusCode, headersSent } = this.res
    return headersSent || (this.#handedOn !== undefined && (statusCode < 400 || statusCode === this.#handedOn))
  }

  /** Tells whether a piece belongs to an answer that failed before. The answer in its place has a type, or no body. */
  isRest(): boolean {
    return this.#hasRest && (this.res.writableEnded || !this.res.hasHeader('Content-Type'))
  }

  /** Passes on an answer that a method of Express sends. */
  handOn({ name, args, answer }: Call): unknown {
    if (answer?.made !== undefined) return this.#make(answer.made, answer)
    this.#note(answer)
    return answer?.isBare ? this.passOn('end', []) : this.#try(name, args)
  }

  /** Sends the body that a step makes for an answer without one. */
  #make(made: Conversion, answer: PlannedAnswer): unknown {
    const { res } = this
    let text: string
    try {
      text = madeText(made, res)
    } catch (error) {
      return this.fail(error, res.statusCode)
    }
    this.#note(answer)
    return this.#try('send', [text])
  }

  /** Notes the current status as the passed one: a method of Express that got the answer makes its text. */
  follow(): void {
    this.#handedOn = this.res.statusCode
  }

  /** Calls a method. If it throws, another answer may follow. */
  #try(name: Method, args: readonly unknown[]): unknown {
    try {
      return this.call(name, args)
    } catch (error) {
      this.#handedOn = undefined
      throw error
    }
  }

  /** Passes on an answer that no method of Express sends. */
  handOnRaw(name: Method, args: readonly unknown[]): unknown {
    const { statusCode } = this.res
    try {
      this.#note(this.older(statusCode))
    } catch (error) {
      return this.failRaw(error, statusCode, name)
    }
    return this.passOn(name, args)
  }

  #note(answer: PlannedAnswer | undefined): void {
    const { res } = this
    this.collected = undefined
    // Nothing reads them for the newest bytes any more, and Express compares its own `ETag` with them.
    showConditions(this.state)
    this.#answer = answer
    this.#hasHead = false
    if (answer !== undefined && answer.status !== res.statusCode) {
      res.statusCode = answer.status
      // The reason phrase belongs to the newer status.
      res.statusMessage = ''
    }
    if (answer?.isBare) for (const name of ['Content-Type', 'Content-Length']) res.removeHeader(name)
    this.#handedOn = res.statusCode
  }

  /** Passes on a call of the previous methods, and writes the older header fields before they are sent. */
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
    // Express may change the status, for example to 304 for its own `ETag`.
    if (res.statusCode !== this.#handedOn) this.#note(this.older(res.statusCode))
    else if (this.#answer?.namesNothing) dropNamesOfBytes(res)
    this.#hasHead = true
    this.#answer?.writeHeaders()
  }

  /** Calls the previous method, else that of the response's app, which is another one in a sub-app. */
  call(name: Method, args: readonly unknown[]): unknown {
    const methods: Methods = Object.getPrototypeOf(this.res)
    return Reflect.apply(this.#others?.[name] ?? methods[name], this.res, args)
  }

  /** Passes on the error of an answer that no method of Express sends. */
  failRaw(error: unknown, status: number, name?: Method): unknown {
    // Middleware behind may have ended its part already, and would not send another answer.
    putOn(this.res, this.#own as Methods)
    this.fail(error, status)
    this.#hasRest = name === 'write' || name === 'writeHead'
    // A writer waits for room, which never comes.
    return name === 'write' ? false : this.res
  }

  /** Passes on an error. It must not be thrown: a handler that sends from a callback would end the process. */
  fail(error: unknown, status: number): Response {
    const { req, res } = this
    if (status >= 400) this.#failed = true
    this.state.config?.failed(req, res, this.state, error)
    this.#handedOn = undefined
    this.collected = undefined
    dropRepresentation(res)
    res.removeHeader('Content-Type')
    const next = req.next as NextFunction | undefined
    // Fail at once, so that a handler cannot end the answer with success.
    res.statusCode = 500
    res.statusMessage = ''
    if (next !== undefined) {
      // Either runs before an error handler that answers later.
      const resume = () => {
        this.isDropped = false
      }
      queueMicrotask(resume)
      process.nextTick(resume)
      next(error)
      this.isDropped = !res.headersSent
      return res
    }
    // All routers are left: the caller of the app answers.
    this.#failed = true
    for (const name of res.getHeaderNames()) res.removeHeader(name)
    res.end()
    return res
  }
}

/** Writes the methods out, because `Object.assign` is slow for new responses. */
function putOn(res: Response, own: Methods): void {
  const target = res as object as Methods
  target.send = own.send
  target.json = own.json
  target.jsonp = own.jsonp
  target.writeHead = own.writeHead
  target.write = own.write
  target.end = own.end
}
