// The watch over answers in development and tests: each must fit the document of its version.
import type { NextFunction, Request, Response } from 'express'
import { decode } from '../http/encoding'
import { isJsonType } from '../http/json'
import { dropRepresentation, isBodyless } from '../http/representation'
import { callbackOf, noteHead, readRaw } from '../http/response-calls'
import { openRouteOf, type RequestState } from '../request/state'
import { saidOf } from '../schemas/answers'
import { operationMethod } from '../util/operation'
import { ContractFailure, type ContractIssue } from './failure'
import type { AnswerSchemas, OperationSchemas } from './schemas'
import type { Validators } from './validators'

type Method = (...args: unknown[]) => unknown

/** Finds the schemas of an operation in a version. */
type SchemasOf = (method: string, viewName: string, version: string) => OperationSchemas | undefined

/** An answer as it is sent. */
interface SentAnswer {
  readonly operation: string
  readonly version: string
  readonly status: number
  readonly type: string
}

/** The failure of an answer, and the key of what it is about. */
interface Judged {
  readonly key: string
  readonly error: ContractFailure
}

/** The watch over answers of the routes' own handlers, as they are sent. */
export class AnswerWatch {
  readonly #watched = new WeakSet<Response>()
  readonly #warned = new Set<string>()

  constructor(
    private readonly mode: 'warn' | 'throw',
    private readonly validators: Validators,
    private readonly schemasOf: SchemasOf,
  ) {}

  /** Puts methods on a response that judge its answer. They get what the conversion sends, so they are put there before it. */
  begin(req: Request, res: Response, state: RequestState): void {
    if (this.#watched.has(res)) return
    this.#watched.add(res)
    if (this.mode === 'warn') this.#listen(req, res, state)
    else this.#hold(req, res, state)
  }

  /** Judges a copy of what is sent. Not a byte changes. */
  #listen(req: Request, res: Response, state: RequestState): void {
    const { write, end } = res as object as Record<'write' | 'end', Method>
    const pieces: Buffer[] = []
    Object.assign(res, {
      write: (...args: unknown[]) => {
        pieces.push(...pieceOf(args))
        return Reflect.apply(write, res, args)
      },
      end: (...args: unknown[]) => {
        if (!res.writableEnded) this.#warn(this.#judge(req, res, state, [...pieces, ...pieceOf(args)]))
        return Reflect.apply(end, res, args)
      },
    })
  }

  #warn(judged: Judged | undefined): void {
    if (judged === undefined || this.#warned.has(judged.key)) return
    this.#warned.add(judged.key)
    process.emitWarning(judged.error.message, { code: 'EXPRESS_VERSIONING_CONTRACT' })
  }

  /** Holds back an answer until it was judged. One that does not fit becomes an error. */
  #hold(req: Request, res: Response, state: RequestState): void {
    const { write, end, writeHead } = res as object as Record<'write' | 'end' | 'writeHead', Method>
    let pieces: Buffer[] = []
    let isReleased = false
    const holds = () => {
      return !isReleased && !res.headersSent && isOwn(req, state) && isJsonType(res.getHeader('Content-Type'))
    }
    Object.assign(res, {
      writeHead: (...args: unknown[]) => {
        if (isReleased || !isOwn(req, state)) return Reflect.apply(writeHead, res, args)
        noteHead(res, args)
        return holds() ? res : Reflect.apply(writeHead, res, [res.statusCode])
      },
      write: (...args: unknown[]) => {
        if (!holds()) return Reflect.apply(write, res, args)
        pieces.push(...pieceOf(args))
        for (const callback of callbackOf(args)) process.nextTick(callback)
        return true
      },
      end: (...args: unknown[]) => {
        const held = pieces
        pieces = []
        const all = [...held, ...pieceOf(args)]
        const judged = isReleased || res.headersSent ? undefined : this.#judge(req, res, state, all)
        if (judged !== undefined) return fail(req, res, state, judged.error, callbackOf(args))
        // Node writes the head now. The answer of an error handler may still follow one that failed.
        isReleased = isOwn(req, state)
        return Reflect.apply(end, res, held.length === 0 ? args : [Buffer.concat(all), ...callbackOf(args)])
      },
    })
  }

  /** Returns the failure of an answer; `undefined` for one that fits, or that is not judged. */
  #judge(req: Request, res: Response, state: RequestState, pieces: readonly Buffer[]): Judged | undefined {
    const { version, begun } = state
    const { statusCode: status } = res
    if (!isOwn(req, state) || typeof version !== 'string' || begun === undefined || status === 304) return undefined
    const type = String(res.getHeader('Content-Type') ?? '')
    const body = Buffer.concat(pieces)
    const isEmpty = body.length === 0 || isBodyless(status)
    // HEAD has no body, and the type that a body would have.
    if (!(isEmpty && type === '') && !isJsonType(type)) return undefined
    const method = operationMethod(req.method)
    const sent = { operation: `${method} ${begun}`, version, status, type }
    const key = `${sent.operation} ${version} ${status}`
    try {
      const answers = this.schemasOf(method, begun, version)?.answers
      const said = answers && saidOf(answers, status)
      if (said === undefined && (answers === undefined || status >= 500)) return undefined
      const json = isEmpty || said?.isOpen ? undefined : jsonIn(body, res)
      const issues = said === undefined ? [UNDESCRIBED] : json === undefined ? [] : this.#misfits(sent, said, json)
      return issues.length === 0 ? undefined : { key, error: failureOf(sent, issues) }
    } catch (error) {
      return { key, error: error as ContractFailure }
    }
  }

  #misfits(
    { operation, version, status, type }: SentAnswer,
    { byType }: AnswerSchemas,
    json: string,
  ): readonly ContractIssue[] {
    const [name] = type.toLowerCase().split(';') as [string]
    const schemas = byType.get(name.trim()) ?? [...byType.values()].flat()
    let first: readonly ContractIssue[] | undefined
    for (const schema of schemas) {
      const told = `the answer ${status} of "${operation}" in version "${version}"`
      const issues = this.validators.of(schema, 'answer', told).issuesOf(JSON.parse(json), 'body')
      if (issues.length === 0) return []
      first ??= issues
    }
    return first ?? [UNSAID]
  }
}

const UNDESCRIBED = { in: 'body', path: [], message: 'has a status that nobody described', keyword: 'status' } as const
const UNSAID = { in: 'body', path: [], message: 'has a body, but none is described', keyword: 'response' } as const

/** Tells whether the route's own handlers send. Error handlers and later middleware do not. */
function isOwn(req: Request, state: RequestState): boolean {
  return openRouteOf(state, req) !== undefined
}

function failureOf({ operation, version, status }: SentAnswer, issues: readonly ContractIssue[]): ContractFailure {
  const list = issues.map(({ path, message }) => `${path.length === 0 ? 'it' : `"${path.join('/')}"`} ${message}`)
  const told = `The answer ${status} of "${operation}" in version "${version}" does not fit its document`
  return new ContractFailure(`${told}: ${[...new Set(list)].join('; ')}.`, { issues })
}

/** Returns a chunk as bytes, as a list of none or one. It is copied, because its writer may reuse the memory. */
function pieceOf(args: readonly unknown[]): Buffer[] {
  const { chunk, encoding } = readRaw(args)
  if (typeof chunk === 'string') return [Buffer.from(chunk, encoding)]
  return chunk instanceof Uint8Array ? [Buffer.from(chunk)] : []
}

/** Returns the JSON text of an answer; `undefined` if it cannot be read, which is no misfit. */
function jsonIn(body: Buffer, res: Response): string | undefined {
  try {
    const bytes = decode(body, String(res.getHeader('Content-Encoding') ?? ''), Number.MAX_SAFE_INTEGER)
    const text = Buffer.from(bytes as Uint8Array).toString()
    JSON.parse(text)
    return text
  } catch {
    return undefined
  }
}

/** Passes on the error of an answer that does not fit. It must not be thrown, because handlers send from callbacks. */
function fail(req: Request, res: Response, state: RequestState, error: Error, callbacks: (() => void)[]): Response {
  for (const callback of callbacks) res.once('finish', callback)
  state.config?.failed(req, res, state, error)
  dropRepresentation(res)
  res.removeHeader('Content-Type')
  res.statusCode = 500
  res.statusMessage = ''
  const next = req.next as NextFunction
  next(error)
  return res
}
