// One response on its way: the methods on its response, what they pass on, and failures.
import type { Request, Response } from 'express'
import { hideFields } from '../../http/conditions'
import type { ItemStream } from '../../http/item-stream'
import { dropNamesOfBytes, isError, setReason, statusIn, toStatus } from '../../http/representation'
import { callbackOf, noteHead } from '../../http/response-calls'
import { FailingResponse } from '../../request/failing-response'
import type { ConvertedExchange, RequestState, Versioning } from '../../request/state'
import { type Items, madeText, type OlderResponse, OPEN, type Passed, type Phase } from './older-response'
import type { ExchangeHistory } from './planned'

/** The methods that send a response, or a part of it. */
const METHODS = ['send', 'json', 'jsonp', 'writeHead', 'flushHeaders', 'write', 'end'] as const
export type Method = (typeof METHODS)[number]
export type Methods = Record<Method, (...args: unknown[]) => unknown>

/** The conversion of calls of these methods. */
export type Converters = Readonly<Record<Method, (response: OutgoingResponse, args: readonly unknown[]) => unknown>>

/** One response on its way. Its older version is passed on, once, to the previous methods of the response. Their own calls pass. */
export class OutgoingResponse extends FailingResponse {
  phase: Phase = OPEN
  /** The methods that convert. */
  own: Methods | undefined
  /** The methods that other middleware has put on the response before. */
  others: Partial<Methods> | undefined
  /** Listens to the previous methods. Middleware behind may put another `on` on the response. */
  readonly on: Response['on']
  /** Shows the conditions of the request again; undefined while none are hidden. */
  #showConditions: (() => void) | undefined
  /** `true` if the conversion of an error failed: the response in its place stays as it is. */
  #keepsError = false
  /** `true` if a function for header fields failed: the response in its place keeps its fields. */
  #keepsHead = false

  constructor(req: Request, res: Response, state: RequestState) {
    super(req, res, state)
    this.on = res.on
  }

  /** The highest number of bytes of a response that is converted as a whole. */
  get limit(): number {
    return (this.state.config as Versioning).maxCollected
  }

  /** Puts methods on the response that convert a response until it is passed on. */
  install(converters: Converters): void {
    const { res } = this
    const before = res as object as Methods
    for (const name of METHODS) if (Object.hasOwn(res, name)) this.others = { ...this.others, [name]: before[name] }
    this.own = {
      json: (...args) => (this.isPassed() ? this.call('json', args) : converters.json(this, args)),
      jsonp: (...args) => (this.isPassed() ? this.call('jsonp', args) : converters.jsonp(this, args)),
      send: (...args) => (this.#takesText() ? this.call('send', args) : converters.send(this, args)),
      writeHead: (...args) => {
        if (this.isDropping) return res
        if (!isStatus(toStatus(args[0]))) return this.call('writeHead', args)
        return this.isPassed() ? this.passOn('writeHead', args) : converters.writeHead(this, args)
      },
      flushHeaders: (...args) => {
        if (this.isDropping) return
        return this.isPassed() ? this.call('flushHeaders', args) : converters.flushHeaders(this, args)
      },
      write: (...args) => {
        if (this.isDropping || this.isRest) return false
        const stream = this.#stream
        if (stream !== undefined) return stream.write(args)
        return this.isPassed() ? this.passOn('write', args) : converters.write(this, args)
      },
      end: (...given) => {
        const args = this.isRest ? callbackOf(given) : given
        const stream = this.isDropping ? undefined : this.#stream
        if (stream !== undefined) return stream.end(args)
        if (this.isPassed()) return this.passOn('end', args)
        if (!this.isDropping) return converters.end(this, args)
        for (const callback of callbackOf(given)) res.once('finish', callback)
        return res
      },
    }
    putOn(res, this.own)
  }

  /** Hides conditions of the request until the response is passed on. */
  hideConditions(names: readonly string[]): void {
    this.#showConditions = hideFields(this.req, names)
  }

  showConditions(): void {
    this.#showConditions?.()
    this.#showConditions = undefined
  }

  /** Returns the older response; `undefined` if it stays as it is. */
  older(status: number): OlderResponse | undefined {
    if (isError(status) && this.#keepsError) return undefined
    return this.state.exchange?.response(this.req, this.res, status) as OlderResponse | undefined
  }

  /** Tells whether the previous methods are calling. A response that has become an error is a new response of theirs. */
  isPassed(): boolean {
    const { phase } = this
    const { headersSent } = this.res
    if (phase.name === 'items') return headersSent || phase.isPassing
    if (headersSent || phase.name !== 'passed') return headersSent
    const status = statusIn(this.res)
    return !isError(status) || status === phase.status
  }

  /** The stream whose items are converted, once its head was sent; undefined while the previous methods are calling. */
  get #stream(): ItemStream | undefined {
    const { phase, res } = this
    return phase.name === 'items' && res.headersSent && !phase.isPassing ? phase.stream : undefined
  }

  /** Tells whether `send` gets the text of a response that was passed on, or another call of the previous methods. */
  #takesText(): boolean {
    const { phase, res } = this
    if (phase.name === 'stringified') return false
    if (phase.name !== 'passed' || !phase.awaitsText) return this.isPassed()
    phase.awaitsText = false
    phase.status = statusIn(res)
    return true
  }

  /**
   * Passes on a response that a method of Express sends. A step may make its body.
   *
   * @param isConverted `true` if a conversion has made the body.
   */
  handOn(older: OlderResponse | undefined, name: Method, args: readonly unknown[], isConverted = false): unknown {
    const { res } = this
    let text: string | undefined
    if (isConverted) this.noteConverted()
    try {
      text = older?.made && madeText(older.made, res)
    } catch (error) {
      return this.fail(error, statusIn(res))
    }
    this.#pass(older, name !== 'send' && text === undefined && older?.isBare !== true)
    if (older?.isBare) return this.passOn('end', [])
    return text === undefined ? this.#try(name, args) : this.#try('send', [text])
  }

  /** Notes that a conversion has made the body, which is JSON then, whatever its type. */
  noteConverted(): void {
    ;(this.state.exchange as ConvertedExchange).isConverted = true
  }

  /** Calls a method. If it throws, another response may follow. */
  #try(name: Method, args: readonly unknown[]): unknown {
    try {
      return this.call(name, args)
    } catch (error) {
      if (!this.res.headersSent) this.phase = OPEN
      throw error
    }
  }

  /** Passes on a response that no method of Express sends. */
  handOnRaw(name: Method, args: readonly unknown[]): unknown {
    const status = statusIn(this.res)
    try {
      this.#pass(this.older(status))
    } catch (error) {
      return this.failRaw(error, status, name)
    }
    return this.passOn(name, args)
  }

  #pass(older: OlderResponse | undefined, awaitsText = false): Passed {
    const { res } = this
    // Nothing reads them for the newest bytes any more, and Express compares its own `ETag` with them.
    this.showConditions()
    if (older !== undefined && older.status !== statusIn(res)) {
      res.statusCode = older.status
      // The reason phrase belongs to the newer status.
      setReason(res, '')
    }
    older?.writeType()
    if (older?.isBare) for (const name of ['Content-Type', 'Content-Length']) res.removeHeader(name)
    const passed: Passed = { name: 'passed', status: statusIn(res), older, awaitsText, hasHead: false }
    this.phase = passed
    return passed
  }

  /** Passes on a call of the stream whose items are converted, and in front of the first one its older head. */
  passItems(items: Items, name: Method, args: readonly unknown[]): unknown {
    const { res } = this
    if (items.passed === undefined) {
      dropNamesOfBytes(res)
      res.removeHeader('Content-Length')
      if (items.isEncoded) res.removeHeader('Content-Encoding')
    }
    items.isPassing = true
    try {
      if (items.passed === undefined) {
        items.passed = this.#pass(items.older)
        this.phase = items
      }
      return this.passOn(name, args)
    } finally {
      items.isPassing = false
    }
  }

  /** Passes on a call of the previous methods, and writes the older header fields before they are sent. */
  passOn(name: Method, args: readonly unknown[]): unknown {
    const { res } = this
    if (res.headersSent && !this.#isBare()) return this.call(name, args)
    // Node's own call has only the status.
    if (name === 'writeHead' && args.length > 1) noteHead(res, args)
    else if (name === 'writeHead') res.statusCode = toStatus(args[0])
    const status = statusIn(res)
    try {
      this.#writeHeaders()
    } catch (error) {
      this.#keepsHead = true
      return this.failRaw(error, status, name)
    }
    if (name === 'writeHead') {
      this.state.changesReport?.write(this.req, res, this.state)
      return this.#try(name, [res.statusCode])
    }
    if (!this.#isBare()) return this.#try(name, args)
    // A response without a body is ended once, and what is written of it goes.
    const callbacks = callbackOf(args)
    if (name !== 'write') return this.call(name, callbacks)
    for (const callback of callbacks) process.nextTick(callback)
    return true
  }

  #writeHeaders(): void {
    const { phase, res } = this
    const before = phase.name === 'items' ? phase.passed : phase
    if (before?.name !== 'passed' || res.headersSent || before.hasHead || this.#keepsHead) return
    // Express may change the status, for example to 304 for its own `ETag`.
    const status = statusIn(res)
    const isOther = status !== before.status
    const passed = isOther ? this.#pass(this.older(status), before.awaitsText) : before
    if (!isOther && passed.older?.namesNothing) dropNamesOfBytes(res)
    passed.hasHead = true
    if (passed.older !== undefined && passed.older.headers.length > 0) passed.older.writeHeaders()
  }

  #isBare(): boolean {
    return this.phase.name === 'passed' && this.phase.older?.isBare === true
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
    this.hasRest = name === 'write' || name === 'writeHead'
    // A writer waits for room, which never comes.
    return name === 'write' ? false : this.res
  }

  /** Passes on the error of a stream whose items are converted. If its beginning was sent, the client must not take it for a whole. */
  failItems(error: unknown, status: number, name: Method): void {
    if (!this.res.headersSent) this.failRaw(error, status, name)
    // No error handler can respond any more.
    else if (this.cut(error)) (this.state.changes as ExchangeHistory | undefined)?.warnOfCut(error)
  }

  /** Passes on an error of a response. */
  fail(error: unknown, status: number): Response {
    const { res } = this
    this.#keepsError ||= isError(status)
    this.phase = OPEN
    if (this.replace(error)) return res
    // The caller of the app responds.
    this.#keepsError = true
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
  target.flushHeaders = own.flushHeaders
  target.write = own.write
  target.end = own.end
}

/** Tells whether Node accepts a value as a status. It throws for others. */
function isStatus(status: number): boolean {
  return status >= 100 && status <= 999
}
