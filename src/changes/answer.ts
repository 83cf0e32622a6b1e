import type { OutgoingHttpHeader } from 'node:http'
import type { NextFunction, Request, Response } from 'express'
import { isJsonType, unwrapJson } from '../http/json'
import type { RequestState } from '../request/state'

type Send = (args: readonly unknown[]) => unknown

/** By these a handler named the bytes of the newest shape (RFC 9110, section 8.8.3; RFC 9530). */
const NAMES_OF_BYTES = ['ETag', 'Content-Digest', 'Repr-Digest']

/**
 * Sees to it that an answer leaves in the shape of the request's version, by own methods of the response. All of Express's
 * ways to send JSON end in `res.send` of a text; converted there, its length, its `ETag`, 304 and HEAD come out right. Put on a
 * response once; which history, operation and version count is read when it is sent.
 */
export function convertAnswers(req: Request, res: Response, state: RequestState): void {
  if (state.converting === res) return
  state.converting = res
  const answer = new Answer(req, res, state)
  const own = res as object as Record<string, (...args: unknown[]) => unknown>
  const send = originalOf(res, 'send')
  own.send = (...args) => answer.send(send, args)
  for (const name of ['json', 'jsonp']) {
    const original = originalOf(res, name)
    own[name] = (...args) => answer.json(original, args)
  }
}

/** The method that other middleware has put on a response, else that of its app, which is another one in a sub-app. */
function originalOf(res: Response, name: string): Send {
  const own: unknown = Object.hasOwn(res, name) ? Reflect.get(res, name) : undefined
  return (args) => Reflect.apply((own ?? Reflect.get(Object.getPrototypeOf(res), name)) as () => unknown, res, args)
}

class Answer {
  /** While `res.json` or `res.jsonp` is under way, what is sent is JSON; and the type that stood there before. */
  #json: { readonly type: OutgoingHttpHeader | undefined } | undefined
  /** Whether the converted text is on its way: what is below `send` may send again. */
  #sent = false
  /** Whether a step for errors failed: the answer that tells of it takes no such steps. */
  #failed = false

  constructor(
    private readonly req: Request,
    private readonly res: Response,
    private readonly state: RequestState,
  ) {}

  json(original: Send, args: readonly unknown[]): unknown {
    this.#json = { type: this.res.getHeader('Content-Type') }
    try {
      return original(args)
    } finally {
      this.#json = undefined
    }
  }

  send(original: Send, args: readonly unknown[]): unknown {
    const { res } = this
    const json = this.#json
    this.#json = undefined
    const { at, status } = readArguments(res, args)
    const text = args[at]
    if (this.#sent || res.headersSent || typeof text !== 'string') return original(args)
    if (json === undefined && !isJsonType(res.getHeader('Content-Type'))) return original(args)
    let converted: string | undefined
    try {
      converted = this.#converted(text, status)
    } catch (error) {
      if (json !== undefined) restoreType(res, json.type)
      this.#fail(error, status)
      return res
    }
    if (converted === undefined) return original(args)
    for (const name of NAMES_OF_BYTES) res.removeHeader(name)
    this.#sent = true
    try {
      return original(args.with(at, converted))
    } catch (error) {
      this.#sent = false
      throw error
    }
  }

  #converted(text: string, status: number): string | undefined {
    const { req, res } = this
    if (status >= 400 ? this.#failed : !hasBody(status)) return undefined
    const { json, wrap } = unwrapJson(text)
    const converted = this.state.config?.changes?.answer(req, res, json, status)
    return converted === undefined ? undefined : wrap(converted)
  }

  /** Hands an error on. It must not be thrown: whoever sends from a callback would end the process. */
  #fail(error: unknown, status: number): void {
    const { req, res } = this
    if (status >= 400) this.#failed = true
    const next = req.next as NextFunction | undefined
    if (next !== undefined) {
      next(error)
      return
    }
    // All routers were left: the one who called the app answers by itself.
    for (const name of res.getHeaderNames()) res.removeHeader(name)
    res.statusCode = 500
    res.end()
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
