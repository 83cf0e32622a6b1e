import { type OutgoingHttpHeader, ServerResponse } from 'node:http'
import type { NextFunction, Request, Response } from 'express'
import { escapeMarkup, isJsonType, unwrapJson } from '../http/json'
import { jsonCopy } from '../http/json-copy'
import type { RequestState } from '../request/state'
import type { AnswerConversion } from '../types'

/** The ways of Express to send what may be JSON. */
const METHODS = ['send', 'json', 'jsonp'] as const
type Method = (typeof METHODS)[number]
type Methods = Record<Method, (...args: unknown[]) => unknown>

/** By these a handler named the bytes of the newest shape (RFC 9110, section 8.8.3; RFC 9530). */
const NAMES_OF_BYTES = ['ETag', 'Content-Digest', 'Repr-Digest']

/**
 * Sees to it that an answer leaves in the shape of the request's version, by own methods of the response. All of Express's
 * ways to send JSON end in `res.send` of a text; converted by then, its length, its `ETag`, 304 and HEAD come out right. Put on
 * a response once; which history, operation and version count is read when it is sent.
 */
export function convertAnswers(req: Request, res: Response, state: RequestState): void {
  if (state.converting === res) return
  state.converting = res
  const answer = new Answer(req, res, state)
  const own = res as object as Methods
  own.send = answer.ownSend
  own.json = (...args) => answer.json(args)
  own.jsonp = (...args) => answer.jsonp(args)
}

/** An answer that `res.json` or `res.jsonp` is about to send, so that it is JSON whatever its type says. */
interface Sending {
  /** The type that stood there before. */
  readonly type: OutgoingHttpHeader | undefined
  /** What has made the older shape, which Express puts into JSON; undefined where the text is to be converted. */
  readonly conversion: AnswerConversion | undefined
}

class Answer {
  readonly ownSend = (...args: unknown[]) => this.#send(args)
  /** The methods that other middleware has put on the response before. */
  readonly #others: Partial<Methods> | undefined
  #sending: Sending | undefined
  /** The converted text that is on its way just now: what is below `send` may send it again, or something else instead. */
  #sent: string | undefined
  /** Whether a step for errors failed: the answer that tells of it takes no such steps. */
  #failed = false

  constructor(
    private readonly req: Request,
    private readonly res: Response,
    private readonly state: RequestState,
  ) {
    const others = METHODS.filter((name) => Object.hasOwn(res, name))
    if (others.length > 0) this.#others = Object.fromEntries(others.map((name) => [name, Reflect.get(res, name)]))
  }

  /** Converts the value itself where that comes to the same: its text need not be parsed, nor made twice. */
  json(args: readonly unknown[]): unknown {
    if (!this.#isStraight(args)) return this.#asJson('json', args)
    const { statusCode } = this.res
    let conversion: AnswerConversion | undefined
    try {
      conversion = this.#conversion(statusCode)
    } catch (error) {
      return this.#fail(error, statusCode)
    }
    if (conversion === undefined) return this.#asJson('json', args)
    // What this throws is the handler's, as with Express.
    const copy = jsonCopy(args[0])
    if (copy === undefined) return this.#asJson('json', args)
    let older: unknown
    try {
      older = conversion.run(copy)
    } catch (error) {
      return this.#fail(error, statusCode)
    }
    return this.#asJson('json', [older], conversion)
  }

  jsonp(args: readonly unknown[]): unknown {
    return this.#asJson('jsonp', args)
  }

  /** Whether Express makes the text of `res.json` from that value alone, and hands it to this answer's `send`. */
  #isStraight(args: readonly unknown[]): boolean {
    const { res } = this
    if (args.length !== 1 || res.headersSent || this.#others?.json !== undefined) return false
    return res.send === this.ownSend && isExpressJson(res) && !res.app.get('json replacer')
  }

  #asJson(name: 'json' | 'jsonp', args: readonly unknown[], conversion?: AnswerConversion): unknown {
    this.#sending = { type: this.res.getHeader('Content-Type'), conversion }
    try {
      return this.#call(name, args)
    } catch (error) {
      const sending = this.#sending
      this.#sending = undefined
      if (conversion === undefined || sending === undefined) throw error
      // It did not come to be sent.
      return this.#fail(conversion.unsayable(error), this.res.statusCode)
    }
  }

  #send(args: unknown[]): unknown {
    const { res } = this
    const sending = this.#sending
    this.#sending = undefined
    const { at, status } = readArguments(res, args)
    const text = args[at]
    const conversion = sending?.conversion
    if (conversion === undefined) {
      if (res.headersSent || typeof text !== 'string' || text === this.#sent) return this.#call('send', args)
      if (sending === undefined && !isJsonType(res.getHeader('Content-Type'))) return this.#call('send', args)
    }
    let converted: string | undefined
    try {
      converted = conversion === undefined ? this.#converted(text as string, status) : verified(conversion, text)
    } catch (error) {
      if (sending !== undefined) restoreType(res, sending.type)
      return this.#fail(error, status)
    }
    if (converted === undefined) return this.#call('send', args)
    for (const name of NAMES_OF_BYTES) res.removeHeader(name)
    this.#sent = converted
    try {
      return this.#call('send', args.with(at, converted))
    } finally {
      this.#sent = undefined
    }
  }

  #converted(text: string, status: number): string | undefined {
    const conversion = this.#conversion(status)
    if (conversion === undefined) return undefined
    const { json, wrap } = unwrapJson(text)
    const value = parsed(json)
    if (value === undefined) return undefined
    const { app } = this.res
    const older = conversion.runToJson(value, app.get('json spaces'))
    return wrap(app.get('json escape') ? escapeMarkup(older) : older)
  }

  #conversion(status: number): AnswerConversion | undefined {
    if (status >= 400 ? this.#failed : !hasBody(status)) return undefined
    return this.state.config?.changes?.conversion(this.req, this.res, status)
  }

  /** Calls what stood there before, else the method of the response's app, which is another one in a sub-app. */
  #call(name: Method, args: readonly unknown[]): unknown {
    const methods: Methods = Object.getPrototypeOf(this.res)
    return Reflect.apply(this.#others?.[name] ?? methods[name], this.res, args)
  }

  /** Hands an error on. It must not be thrown: whoever sends from a callback would end the process. */
  #fail(error: unknown, status: number): Response {
    const { req, res } = this
    if (status >= 400) this.#failed = true
    const next = req.next as NextFunction | undefined
    // At once: who goes on to end the answer must not end it well.
    res.statusCode = 500
    if (next !== undefined) {
      next(error)
      return res
    }
    // All routers were left: the one who called the app answers by itself.
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

/** Whether the `json` of a response is that of Express, and of none of the apps that the answer passes. */
function isExpressJson(res: Response): boolean {
  let owner: object = Object.getPrototypeOf(res)
  while (!Object.hasOwn(owner, 'json')) owner = Object.getPrototypeOf(owner)
  return Object.getPrototypeOf(owner) === ServerResponse.prototype
}

/** What a text says in JSON; undefined for one that is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether a status is one of success with a body (RFC 9110, sections 15.3.5 and 15.3.6). */
function hasBody(status: number): boolean {
  return status >= 200 && status < 300 && status !== 204 && status !== 205
}

/** Where the body is among the arguments of `res.send`, and the status: Express 4 takes that beside the body, in either order. */
function readArguments(res: Response, args: readonly unknown[]): { at: number; status: number } {
  const [first, second] = args
  if (args.length !== 2 || !('sendfile' in res)) return { at: 0, status: res.statusCode }
  if (typeof first !== 'number' && typeof second === 'number') return { at: 0, status: second }
  return { at: 1, status: first as number }
}

function restoreType(res: Response, type: OutgoingHttpHeader | undefined): void {
  if (type === undefined) res.removeHeader('Content-Type')
  else res.setHeader('Content-Type', type)
}
