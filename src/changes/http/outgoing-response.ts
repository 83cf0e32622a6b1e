// One response on its way: the methods on its response, what they pass on, and failures.
import type { NextFunction, Request, Response } from 'express'
import { withoutProblem } from '../../http/json'
import { dropNamesOfBytes, dropRepresentation } from '../../http/representation'
import { callbackOf, noteHead } from '../../http/response-calls'
import type { RequestState, Versioning } from '../../request/state'
import type { PlannedResponse } from '../timeline/response-plans'
import type { Collected } from './collected'
import { madeText } from './json-bodies'

/** The methods that send a response, or a part of it. */
// `flushHeaders` is missing, because it calls `writeHead`.
const METHODS = ['send', 'json', 'jsonp', 'writeHead', 'write', 'end'] as const
export type Method = (typeof METHODS)[number]
export type Methods = Record<Method, (...args: unknown[]) => unknown>

/** The conversion of calls of some methods. */
type Converters<Name extends Method> = Record<Name, (args: readonly unknown[]) => unknown>

/** One response on its way. Its older version is passed on, once, to the previous methods of the response. Their own calls pass. */
export class OutgoingResponse {
  /** The pieces that wait for the end. */
  collected: Collected | undefined
  /** The methods that convert. */
  own: Methods | undefined
  /** The methods that other middleware has put on the response before. */
  others: Partial<Methods> | undefined
  /** The status with which the response was passed on; undefined until then. */
  #handedOn: number | undefined
  /** The older response that was passed on. */
  #response: PlannedResponse | undefined
  /** `true` if its header fields have their older values, as far as possible. */
  #hasHead = false
  /** `true` if the conversion of an error failed. The response that reports it stays as it is. */
  #failed = false
  /** `true` if a function for header fields failed. The response that reports it keeps its fields. */
  #failedHead = false
  /** `true` while the caller that sent a failed response may still write the rest of it. */
  #isDropped = false
  /** `true` if a response failed while it was written in pieces: more of them may follow. */
  #hasRest = false

  constructor(
    readonly req: Request,
    readonly res: Response,
    private readonly state: RequestState,
  ) {}

  /** The highest number of bytes of a response that is converted as a whole. */
  get limit(): number {
    return (this.state.config as Versioning).maxCollected
  }

  /** Puts methods on the response that convert a response until it is passed on. */
  install(express: Converters<'json' | 'jsonp' | 'send'>, node: Converters<'writeHead' | 'write' | 'end'>): void {
    const { res } = this
    const before = res as object as Methods
    for (const name of METHODS) if (Object.hasOwn(res, name)) this.others = { ...this.others, [name]: before[name] }
    this.own = {
      json: (...args) => (this.isHandedOn() ? this.call('json', args) : express.json(args)),
      jsonp: (...args) => (this.isHandedOn() ? this.call('jsonp', args) : express.jsonp(args)),
      send: (...args) => express.send(args),
      writeHead: (...args) => {
        if (this.#isDropped) return res
        if (!isStatus(args[0])) return this.call('writeHead', args)
        return this.isHandedOn() ? this.passOn('writeHead', args) : node.writeHead(args)
      },
      write: (...args) => {
        if (this.#isDropped || this.#isRest()) return false
        return this.isHandedOn() ? this.passOn('write', args) : node.write(args)
      },
      end: (...given) => {
        const args = this.#isRest() ? callbackOf(given) : given
        if (this.isHandedOn()) return this.passOn('end', args)
        if (!this.#isDropped) return node.end(args)
        for (const callback of callbackOf(given)) res.once('finish', callback)
        return res
      },
    }
    putOn(res, this.own)
  }

  /** Returns the older response; `undefined` if it stays as it is. */
  older(status: number): PlannedResponse | undefined {
    if (status >= 400 && this.#failed) return undefined
    const { req, res, state } = this
    return state.config?.changes?.response(req, res, state, status) as PlannedResponse | undefined
  }

  /** Tells whether the previous methods are calling. A response that has become an error is a new response of theirs. */
  isHandedOn(): boolean {
    const { statusCode, headersSent } = this.res
    return headersSent || (this.#handedOn !== undefined && (statusCode < 400 || statusCode === this.#handedOn))
  }

  /** Tells whether a piece belongs to a response that failed before. The response in its place has a type, or no body. */
  #isRest(): boolean {
    return this.#hasRest && (this.res.writableEnded || !this.res.hasHeader('Content-Type'))
  }

  /** Passes on a response that a method of Express sends. A step may make its body. */
  handOn(response: PlannedResponse | undefined, name: Method, args: readonly unknown[]): unknown {
    const { res } = this
    let text: string | undefined
    try {
      text = response?.made && madeText(response.made, res)
    } catch (error) {
      return this.fail(error, res.statusCode)
    }
    this.#note(response)
    if (response?.isBare) return this.passOn('end', [])
    return text === undefined ? this.#try(name, args) : this.#try('send', [text])
  }

  /** Notes that a conversion made the body. */
  noteConversion(): void {
    this.state.isConverted = true
  }

  /** Notes the current status as the passed one: a method of Express that got the response makes its text. */
  follow(): void {
    this.#handedOn = this.res.statusCode
  }

  /** Calls a method. If it throws, another response may follow. */
  #try(name: Method, args: readonly unknown[]): unknown {
    try {
      return this.call(name, args)
    } catch (error) {
      this.#handedOn = undefined
      throw error
    }
  }

  /** Passes on a response that no method of Express sends. */
  handOnRaw(name: Method, args: readonly unknown[]): unknown {
    const { statusCode } = this.res
    try {
      this.#note(this.older(statusCode))
    } catch (error) {
      return this.failRaw(error, statusCode, name)
    }
    return this.passOn(name, args)
  }

  #note(response: PlannedResponse | undefined): void {
    const { res, state } = this
    this.collected = undefined
    // Nothing reads them for the newest bytes any more, and Express compares its own `ETag` with them.
    state.showConditions?.()
    state.showConditions = undefined
    this.#response = response
    this.#hasHead = false
    if (response !== undefined && response.status !== res.statusCode) {
      res.statusCode = response.status
      // The reason phrase belongs to the newer status.
      res.statusMessage = ''
    }
    const type = res.getHeader('Content-Type')
    if (response?.conversion !== undefined && response.status >= 400 && typeof type === 'string') {
      res.setHeader('Content-Type', withoutProblem(type))
    }
    if (response?.isBare) for (const name of ['Content-Type', 'Content-Length']) res.removeHeader(name)
    this.#handedOn = res.statusCode
  }

  /** Passes on a call of the previous methods, and writes the older header fields before they are sent. */
  passOn(name: Method, args: readonly unknown[]): unknown {
    const { res } = this
    if (res.headersSent && this.#response?.isBare !== true) return this.call(name, args)
    // Node's own call has only the status.
    if (name === 'writeHead' && args.length > 1) noteHead(res, args)
    else if (name === 'writeHead') res.statusCode = args[0] as number
    const { statusCode } = res
    try {
      this.#writeHeaders()
    } catch (error) {
      this.#failedHead = true
      return this.failRaw(error, statusCode, name)
    }
    if (name === 'writeHead') return this.#try(name, [res.statusCode])
    if (this.#response?.isBare !== true) return this.#try(name, args)
    // A response without a body is ended once, and what is written of it goes.
    const callbacks = callbackOf(args)
    if (name !== 'write') return this.call(name, callbacks)
    for (const callback of callbacks) process.nextTick(callback)
    return true
  }

  #writeHeaders(): void {
    const { res } = this
    if (res.headersSent || this.#hasHead || this.#failedHead) return
    // Express may change the status, for example to 304 for its own `ETag`.
    if (res.statusCode !== this.#handedOn) this.#note(this.older(res.statusCode))
    else if (this.#response?.namesNothing) dropNamesOfBytes(res)
    this.#hasHead = true
    if (this.#response?.hasHeaders) this.#response.writeHeaders()
  }

  /** Calls the previous method, else that of the response's app, which is another one in a sub-app. */
  call(name: Method, args: readonly unknown[]): unknown {
    const methods: Methods = Object.getPrototypeOf(this.res)
    return Reflect.apply(this.others?.[name] ?? methods[name], this.res, args)
  }

  /** Passes on the error of a response that no method of Express sends. */
  failRaw(error: unknown, status: number, name?: Method): unknown {
    // Middleware behind may have ended its part already, and would not send another response.
    putOn(this.res, this.own as Methods)
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
    // Fail at once, so that a handler cannot end the response with success.
    res.statusCode = 500
    res.statusMessage = ''
    if (next !== undefined) {
      // Either runs before an error handler that responses later.
      const resume = () => {
        this.#isDropped = false
      }
      queueMicrotask(resume)
      process.nextTick(resume)
      next(error)
      this.#isDropped = !res.headersSent
      return res
    }
    // All routers are left: the caller of the app responses.
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

/** Tells whether Node accepts a value as a status. It throws for others. */
function isStatus(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 100 && (value as number) <= 999
}
