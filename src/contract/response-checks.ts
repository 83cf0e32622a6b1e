// The watch over responses in development and tests: each must fit the document of its version.
import type { Request, Response } from 'express'
import { decode } from '../http/encoding'
import type { Framing } from '../http/framing'
import { framingOf } from '../http/framings'
import { ItemMapper } from '../http/item-mapper'
import { ItemStream, type StreamedResponse } from '../http/item-stream'
import { isJsonType, unwrapJson } from '../http/json'
import { isBodyless, statusIn } from '../http/representation'
import { bytesIn, bytesOf, callbackOf, isBody, noteHead, readRaw } from '../http/response-calls'
import { FailingResponse } from '../request/failing-response'
import { openRouteOf, type RequestState } from '../request/state'
import type { JsonSchema } from '../schemas/model'
import { saidOf } from '../schemas/responses'
import { operationMethod } from '../util/operation'
import { ContractFailure, type ContractIssue, type Validators } from './validators'
import type { OperationSchemas, ResponseSchemas } from './version-schemas'

/** The report of responses that do not fit: a process warning, a 500, or none. */
export type ResponsesRule = 'warn' | 'throw' | false

type Method = (...args: unknown[]) => unknown

/** Finds the schemas of an operation in a version. */
type SchemasOf = (method: string, viewName: string, version: string) => OperationSchemas | undefined

/**
 * Makes the watch over responses of the routes' own handlers, as they are sent. It puts methods on a response that judge it. They get
 * what the conversion sends, so they are put there before it.
 */
export function responseWatch(mode: 'warn' | 'throw', validators: Validators, schemasOf: SchemasOf) {
  const watched = new WeakSet<Response>()
  const warned = new Set<string>()

  /** Judges a copy of what is sent. Not a byte changes, and no byte is kept that no schema is about. */
  function listen(req: Request, res: Response, state: RequestState): void {
    const { write, end } = res as object as Record<'write' | 'end', Method>
    let isBegun = false
    let sent: Sent | undefined
    let isKept = false
    let items: ItemMapper | undefined
    const note = (args: readonly unknown[]) => {
      if (!isBegun) {
        // The head is complete now, because Node sends it with the first piece.
        isBegun = true
        sent = begin(req, res, state)
        if (sent !== undefined && warned.has(sent.key)) sent = undefined
        isKept = sent?.needsBody === true
        items = sent && itemsOf(sent, (failed) => warn(failed))
      }
      if (items === undefined) sent?.add(args, isKept)
      else items.add(bytesIn(args))
    }
    Object.assign(res, {
      write: (...args: unknown[]) => {
        note(args)
        return Reflect.apply(write, res, args)
      },
      end: (...args: unknown[]) => {
        if (!res.writableEnded) {
          note(args)
          if (items === undefined) warn(sent && judge(sent, res))
          else items.end()
        }
        return Reflect.apply(end, res, args)
      },
    })
  }

  function warn(failed: Failed | undefined): void {
    if (failed === undefined || warned.has(failed.key)) return
    warned.add(failed.key)
    process.emitWarning(failed.error.message, { code: 'EXPRESS_VERSIONING_CONTRACT' })
  }

  /** Holds back a response until it was judged. One that does not fit becomes an error. */
  function hold(req: Request, res: Response, state: RequestState): void {
    const { on } = res
    const before = { write: res.write, end: res.end, writeHead: res.writeHead, flushHeaders: res.flushHeaders }
    const call = (name: keyof typeof before, args: readonly unknown[]): unknown =>
      Reflect.apply(before[name], res, args)
    const failing = new FailingResponse(req, res, state)
    let sent: Sent | undefined
    let stream: ItemStream | undefined
    let isReleased = false
    const streamOf = () => {
      // The response of an error handler is another one.
      if (stream !== undefined && !res.headersSent && (sent as Sent).head.status !== statusIn(res)) {
        stream = undefined
        sent = undefined
      }
      const held = stream === undefined ? judged() : undefined
      const items =
        held &&
        itemsOf(held, ({ error }) => {
          throw error
        })
      if (held === undefined || items === undefined) return stream
      const fail = (error: unknown) => {
        if (res.headersSent) {
          failing.cut(error)
          warn({ key: held.key, error: error as ContractFailure })
          return
        }
        stream = undefined
        sent = undefined
        failing.replace(error)
        failing.hasRest = true
      }
      const streamed: StreamedResponse = {
        res,
        on,
        isStream: () => stream === begun,
        pass: (name, args) => {
          isReleased = true
          return call(name, args)
        },
        fail,
      }
      const begun = new ItemStream(streamed, { items: () => items })
      stream = begun
      return stream
    }
    const judged = (): Sent | undefined => {
      if (isReleased || res.headersSent || !isOwn(req, state)) return undefined
      sent ??= begin(req, res, state)
      return sent
    }
    Object.assign(res, {
      // A stream with that head cannot become an error any more.
      flushHeaders: () => {
        const own = streamOf()
        return own === undefined ? call('flushHeaders', []) : own.flushHeaders()
      },
      writeHead: (...args: unknown[]) => {
        if (isReleased || !isOwn(req, state)) return call('writeHead', args)
        noteHead(res, args)
        return judged() === undefined ? call('writeHead', [statusIn(res)]) : res
      },
      write: (...args: unknown[]) => {
        if (failing.isDropping || failing.isRest) return false
        const own = streamOf()
        if (own !== undefined) return own.write(args)
        const held = judged()
        if (held === undefined) return call('write', args)
        held.add(args, true)
        for (const callback of callbackOf(args)) process.nextTick(callback)
        return true
      },
      end: (...args: unknown[]) => {
        if (failing.isDropping) return res
        if (failing.isRest) return call('end', callbackOf(args))
        const isHeld = sent !== undefined
        const own = streamOf()
        if (own !== undefined) return own.end(args)
        const held = judged()
        sent = undefined
        held?.add(args, true)
        const failed = held && judge(held, res)
        if (failed !== undefined) {
          for (const callback of callbackOf(args)) res.once('finish', callback)
          failing.replace(failed.error)
          return res
        }
        // Node writes the head now. The response of an error handler may still follow one that failed.
        isReleased = isOwn(req, state)
        return call('end', isHeld && held !== undefined ? [held.bytes, ...callbackOf(args)] : args)
      },
    })
  }

  /** Begins to judge a response whose head is complete; `undefined` for one that is not judged. */
  function begin(req: Request, res: Response, state: RequestState): Sent | undefined {
    const { version, exchange } = state
    const begun = exchange?.begun
    const status = statusIn(res)
    if (!isOwn(req, state) || typeof version !== 'string' || begun === undefined || status === 304) return undefined
    const type = String(res.getHeader('Content-Type') ?? '')
    const framing = framingOf(type)
    const isJson = isJsonType(type) || (exchange?.isConverted === true && framing === undefined)
    if (!isJson && type !== '' && framing === undefined) return undefined
    const method = operationMethod(req.method)
    const head = { operation: `${method} ${begun}`, version, status, type, isJson }
    let responses: OperationSchemas['responses']
    try {
      responses = schemasOf(method, begun, version)?.responses
    } catch (error) {
      return new Sent(head, undefined, error as ContractFailure)
    }
    const said = responses && saidOf(responses, status)
    if (framing !== undefined) {
      const isJudged = said !== undefined && said.items[framing.items].length > 0 && !res.hasHeader('Content-Encoding')
      return isJudged ? new Sent({ ...head, framing }, said) : undefined
    }
    // Nobody describes all redirections and all errors of the server.
    const isFree = responses === undefined || [3, 5].includes(Math.floor(status / 100))
    return said === undefined && isFree ? undefined : new Sent(head, said)
  }

  /** Makes the reader that judges the items of a stream; `undefined` for another response. */
  function itemsOf({ key, head, said }: Sent, tell: (failed: Failed) => void): ItemMapper | undefined {
    const { framing } = head
    if (framing === undefined || said === undefined) return undefined
    const schemas = said.items[framing.items]
    const map = (piece: Buffer) => {
      const item = readItem(framing, piece)
      const failed = item && caught(key, head, () => misfits(head, schemas, () => structuredClone(item.value)))
      if (failed !== undefined) tell(failed)
      return piece
    }
    return new ItemMapper({ framing, map })
  }

  /** Returns the failure of a response; `undefined` for one that fits. */
  function judge(sent: Sent, res: Response): Failed | undefined {
    const { key, head, failure } = sent
    return failure === undefined ? caught(key, head, () => issuesOf(sent, res)) : { key, error: failure }
  }

  function caught(key: string, head: Head, issuesOf: () => readonly ContractIssue[]): Failed | undefined {
    try {
      const issues = issuesOf()
      return issues.length === 0 ? undefined : { key, error: failureOf(head, issues) }
    } catch (cause) {
      if (cause instanceof ContractFailure) return { key, error: cause }
      const deep = `The contract failed: ${nameOf(head)} is nested deeper than the stack allows.`
      return { key, error: new ContractFailure(deep, { cause }) }
    }
  }

  function issuesOf(sent: Sent, res: Response): readonly ContractIssue[] {
    const { head, said } = sent
    const isEmpty = sent.isEmpty || isBodyless(head.status)
    // Bytes without a type are no JSON.
    if (!isEmpty && !head.isJson) return []
    if (said === undefined) return [UNDESCRIBED]
    if (isEmpty || said.isOpen) return []
    if (said.byType.size === 0) return [UNSAID]
    const json = jsonIn(sent.bytes, res)
    if (json === undefined) return []
    const [name] = head.type.toLowerCase().split(';') as [string]
    const schemas = said.byType.get(name.trim()) ?? [...said.byType.values()].flat()
    return misfits(head, schemas, () => JSON.parse(json))
  }

  function misfits(head: Head, schemas: readonly JsonSchema[], copy: () => unknown): readonly ContractIssue[] {
    let first: readonly ContractIssue[] = []
    for (const schema of schemas) {
      const issues = validators(schema, 'response', nameOf(head))(copy(), 'body')
      if (issues.length === 0) return []
      if (first.length === 0) first = issues
    }
    return first
  }

  return (req: Request, res: Response, state: RequestState): void => {
    if (watched.has(res)) return
    watched.add(res)
    if (mode === 'warn') listen(req, res, state)
    else hold(req, res, state)
  }
}

/** The head of a response that is judged. */
interface Head {
  readonly operation: string
  readonly version: string
  readonly status: number
  readonly type: string
  /** `true` if its body is JSON. */
  readonly isJson: boolean
  /** The framing of a stream with described items. */
  readonly framing?: Framing
}

/** The failure of a response, and the key of what it is about. */
interface Failed {
  readonly key: string
  readonly error: ContractFailure
}

/** A response that is judged, and its body so far. */
class Sent {
  readonly key: string
  readonly #pieces: Buffer[] = []
  isEmpty = true

  /**
   * @param said what its document says of it; undefined if nobody described its status.
   * @param failure the reason why nobody knows what the document says.
   */
  constructor(
    readonly head: Head,
    readonly said: ResponseSchemas | undefined,
    readonly failure?: ContractFailure,
  ) {
    this.key = `${head.operation} ${head.version} ${head.status}`
  }

  /** `true` if its body must fit a schema. */
  get needsBody(): boolean {
    const { head, said } = this
    return head.isJson && !isBodyless(head.status) && said?.isOpen === false && said.byType.size > 0
  }

  /** Takes the arguments of `res.write` or `res.end`. The bytes are copied, because their writer may reuse the memory. */
  add(args: readonly unknown[], isKept: boolean): void {
    const { chunk, encoding } = readRaw(args)
    if (!isBody(chunk)) return
    this.isEmpty &&= chunk.length === 0
    if (isKept) this.#pieces.push(bytesOf(chunk, encoding))
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#pieces)
  }
}

/** Names a response, or an item of it, for errors. */
function nameOf({ status, operation, version, framing }: Head): string {
  return `${framing === undefined ? 'the' : 'an item of the'} response ${status} of "${operation}" in version "${version}"`
}

/** Makes the failure of a response that does not fit its document. */
function failureOf(head: Head, issues: readonly ContractIssue[]): ContractFailure {
  const list = issues.map(({ path, message }) => `${path.length === 0 ? 'it' : `"${path.join('/')}"`} ${message}`)
  const name = nameOf(head)
  const told = `${name.charAt(0).toUpperCase()}${name.slice(1)} does not fit its document`
  return new ContractFailure(`${told}: ${[...new Set(list)].join('; ')}.`, { issues })
}

const UNDESCRIBED = { in: 'body', path: [], message: 'has a status that nobody described', keyword: 'status' } as const
const UNSAID = { in: 'body', path: [], message: 'has a body, but none is described', keyword: 'response' } as const

/** Tells whether the route's own handlers send. Error handlers and later middleware do not. */
function isOwn(req: Request, state: RequestState): boolean {
  return openRouteOf(state, req) !== undefined
}

/** Reads an item; returns undefined for bytes that are no JSON, which clients cannot read either. */
function readItem(framing: Framing, piece: Buffer): { readonly value: unknown } | undefined {
  try {
    const frame = framing.read(piece)
    return frame?.json === undefined ? undefined : { value: frame.item }
  } catch {
    return undefined
  }
}

/** Returns the JSON text of a response; `undefined` if it cannot be read, which is no misfit. */
function jsonIn(body: Buffer, res: Response): string | undefined {
  try {
    const bytes = decode(body, String(res.getHeader('Content-Encoding') ?? ''), Number.MAX_SAFE_INTEGER)
    const { json } = unwrapJson((bytes as Buffer).toString())
    JSON.parse(json)
    return json
  } catch {
    return undefined
  }
}
