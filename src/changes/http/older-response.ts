// The older version of a response: its head, its JSON, and the phases on the way there.
import type { Response } from 'express'
import { decode } from '../../http/encoding'
import type { Framing } from '../../http/framing'
import { framingOf } from '../../http/framings'
import type { ItemStream } from '../../http/item-stream'
import { escapeMarkup, isAmong, isJsonType, mediaTypesIn, olderTypeOf, parsedJson, unwrapJson } from '../../http/json'
import { losesNumber } from '../../http/numbers'
import { dropRepresentation, isBodyless } from '../../http/representation'
import type { Body } from '../../http/response-calls'
import { kindOfText, type TextStart, withoutMark } from '../../http/untyped-text'
import { kindOf } from '../../util/options'
import { isThenable } from '../../util/thenable'
import { ChangeFailure, Conversion } from '../convert/steps'
import type { HeaderChange } from '../describe/change'
import type { ItemsPlan, ResponsePlan } from '../timeline/operation-plans'
import type { HeaderContext } from '../types/operations'
import type { RequestContext } from './request-parts'

/** The phase of a response, before and while it is passed on to the previous methods. */
export type Phase =
  /** Nothing was passed on. */
  | { readonly name: 'open' }
  /** `res.json` or `res.jsonp` of Express makes the text, which reaches `res.send`. It is JSON, whatever its type. */
  | {
      readonly name: 'stringified'
      readonly by: 'json' | 'jsonp'
      /** The older response, if Express makes the text from converted values. */
      readonly made: OlderResponse | undefined
    }
  /** Its pieces wait for the end. */
  | { readonly name: 'collecting'; readonly collected: Collected }
  /** Its items are converted one by one. */
  | Items
  | Passed

/** The phase of a response whose items are converted one by one. */
export interface Items {
  readonly name: 'items'
  /** The status with which it began. */
  readonly status: number
  readonly stream: ItemStream
  /** The older response. */
  readonly older: OlderResponse
  readonly isEncoded: boolean
  /** `true` while the previous methods are called: their own calls pass. */
  isPassing: boolean
  /** The facts of its head; undefined before that was passed on. */
  passed: Passed | undefined
}

/** The phase of a response that was passed on. */
export interface Passed {
  readonly name: 'passed'
  /** The status with which it was passed on. */
  status: number
  /** The older response. */
  readonly older: OlderResponse | undefined
  /** `true` if a `json` got it, and has not sent its text yet. */
  awaitsText: boolean
  /** `true` if its header fields have their older values, as far as possible. */
  hasHead: boolean
}

/** The first phase. */
export const OPEN: Phase = { name: 'open' }

/** The conversion of the items of one stream. */
export interface OlderItems {
  readonly plan: ItemsPlan
  readonly conversion: Conversion
}

/** One response of the newest version on its way to an older one. */
export class OlderResponse {
  /** The conversion of a JSON body; `undefined` if it stays. */
  readonly conversion: Conversion | undefined
  /** The steps that make its JSON body, whatever the newer one. */
  readonly made: Conversion | undefined
  /** The older status. */
  readonly status: number
  /** `true` if it has no body, because a status on the way has none. */
  readonly isBare: boolean
  /** `true` if the handler decided it by the bytes of the newest version: it must not name them. */
  readonly namesNothing: boolean
  /** The changes of its header fields. */
  readonly headers: ResponsePlan['headers']
  readonly #types: ResponsePlan['types']
  readonly #items: ResponsePlan['items'] | undefined
  readonly #context: RequestContext

  /** @throws {ChangeFailure} for a media type that nobody converts, and that holds changed shapes. */
  constructor(
    { steps, types, items, others, status, headers, source, namesNothing, restated }: ResponsePlan,
    newest: number,
    context: RequestContext,
    keepsBody: boolean,
  ) {
    if (others.length > 0 && !keepsBody) rejectTypes(others, context)
    this.#items = keepsBody || source !== 'handler' ? undefined : items
    const conversion = steps.length === 0 || keepsBody ? undefined : new Conversion(steps, context)
    this.conversion = source === 'handler' ? conversion : undefined
    this.made = source === 'step' ? conversion : undefined
    this.status = status
    this.isBare = source === undefined && (status !== newest || !isBodyless(newest))
    this.namesNothing = namesNothing
    this.headers = headers
    this.#types = types
    this.#context = context
    if (context.met !== undefined) for (const description of restated) context.met.add(description)
  }

  /** Sets the media type of a converted error to that of the older version. */
  writeType(): void {
    const { res } = this.#context
    const type = res.getHeader('Content-Type')
    if (this.conversion === undefined || typeof type !== 'string') return
    const older = this.#types.reduce(olderTypeOf, type)
    if (older !== type && isJsonType(type)) res.setHeader('Content-Type', older)
  }

  /** Returns the conversion of the items of a stream; `undefined` if they stay. */
  itemsIn({ items: kind }: Framing): OlderItems | undefined {
    const plan = this.#items?.[kind]
    if (plan === undefined || plan.steps.length === 0) return undefined
    return { plan, conversion: new Conversion(plan.steps, this.#context) }
  }

  /**
   * Writes the older values of the header fields.
   *
   * @throws {ChangeFailure} if a function fails.
   */
  writeHeaders(): void {
    for (const { change, status } of this.headers) changeHeader(change, status, this.#context)
  }
}

/** @throws {ChangeFailure} for a response of one of these media types. JSON in them is converted. */
function rejectTypes(others: ResponsePlan['others'], context: RequestContext): void {
  const type = context.res.getHeader('Content-Type')
  if (type === undefined || isJsonType(type) || framingOf(type) !== undefined) return
  const found = others.find(({ types }) => mediaTypesIn(type).some((one) => isAmong(one, types)))
  found?.rejection.convert(undefined, context, true)
}

/**
 * Sets a header field of a response to its older value.
 *
 * @param status the status on the older side.
 * @throws {ChangeFailure} if the function throws or returns an invalid value.
 */
function changeHeader(change: HeaderChange, status: number, context: RequestContext): void {
  const { name, step, operation, description } = change
  const { res, met } = context
  if (step !== null || res.hasHeader(name)) met?.add(description)
  if (step === null) {
    res.removeHeader(name)
    return
  }
  const failed = (how: string, options?: ErrorOptions) =>
    new ChangeFailure({ kind: `headers: ${name}`, operation, description }, how, context, options)
  let value: unknown
  try {
    const newer = res.getHeader(name)
    value = step(typeof newer === 'number' ? String(newer) : newer, { ...context, status } as HeaderContext)
  } catch (cause) {
    throw failed('threw', { cause })
  }
  if (value === undefined) {
    res.removeHeader(name)
    return
  }
  if (typeof value !== 'string' && typeof value !== 'number' && !Array.isArray(value)) {
    if (isThenable(value)) Promise.resolve(value).catch(() => {})
    throw failed(`returned ${kindOf(value)}, which is not a value of a header field`)
  }
  try {
    res.setHeader(name, value)
  } catch (cause) {
    throw failed('returned a value that no header field can have', { cause })
  }
}

/**
 * The reading of a body: its type is JSON; `res.json` or `res.jsonp` of Express made JSON of another type, which middleware may have
 * replaced; or it is text without a type, which is JSON if it is an object or a list.
 */
export type Reading = 'typed' | 'made' | 'text'

/** Returns the reading of a response's body; undefined for another type than JSON. */
export function readingOf(res: Response, phase: Phase): Reading | undefined {
  const type = res.getHeader('Content-Type')
  if (isJsonType(type)) return 'typed'
  if (phase.name === 'stringified') return 'made'
  // Express takes an empty type for none, too.
  return type ? undefined : 'text'
}

/** The pieces written so far of a response that is converted as a whole. */
export class Collected {
  hasTrailers = false
  /** The reason why the response cannot be converted. Nothing is held then. */
  error: unknown
  #pieces: Buffer[] = []
  #size = 0

  /**
   * @param type the `Content-Type`, with which it began.
   * @param reading the reading of its body.
   * @param start the beginning of text without a type, unless it is encoded.
   * @param limit the highest number of bytes.
   */
  constructor(
    readonly status: number,
    private readonly type: string,
    readonly reading: Reading,
    private readonly conversion: Conversion,
    private readonly limit: number,
    private readonly start?: TextStart,
  ) {}

  /** `true` if it is text that cannot be JSON. */
  get isOther(): boolean {
    return this.start?.mayBeJson === false
  }

  get isEmpty(): boolean {
    return this.#size === 0
  }

  /** Compares the `Content-Type` with that at the beginning: the pieces before would pass as another one. */
  check(type: string): void {
    if (type === this.type) return
    this.#reject(this.conversion.unusable('another "Content-Type" after the response had begun'))
  }

  add(piece: Buffer): void {
    this.#size += piece.length
    this.start?.add(piece)
    if (this.#size > this.limit) this.#reject(tooLarge(this.conversion, this.limit))
    else if (this.error === undefined) this.#pieces.push(piece)
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#pieces)
  }

  #reject(error: Error): void {
    this.error ??= error
    this.#pieces = []
  }
}

/**
 * Converts the text that `res.json` or `res.jsonp` has made.
 *
 * @returns `undefined` for a string without JSON, which stays as it is.
 * @throws {Error} if a step fails.
 */
export function olderJson(text: unknown, conversion: Conversion, { app }: Response): Converted | undefined {
  if (typeof text !== 'string') return undefined
  const { json, wrap } = unwrapJson(text)
  if (json === '') return undefined
  const older = olderText(parsed(json, conversion), conversion, app)
  return { json: older, text: wrap(older) }
}

/** A converted response. */
interface Converted {
  readonly json: string
  /** The JSON with the text around it. */
  readonly text: string
}

/**
 * Converts a body that was sent as text or as bytes. An encoded one is decoded.
 *
 * @param limit the highest number of bytes that a body may have.
 * @returns `undefined` for a body that stays as it is: it is empty, or text that need not be JSON and is not.
 * @throws {Error} if a step fails, and for JSON that is not readable, has more behind it, or has a number that JavaScript cannot hold.
 */
export function olderBody(
  body: Body,
  reading: Reading,
  conversion: Conversion,
  res: Response,
  limit: number,
): Body | undefined {
  if (body.length === 0) return undefined
  const isEncoded = typeof body !== 'string' || res.hasHeader('Content-Encoding')
  const plain = isEncoded ? decoded(body, conversion, res, limit, NO_JSON) : body
  if (reading === 'text') {
    const kind = kindOfText(plain.toString())
    if (kind === 'other') return undefined
    if (kind === 'more') throw conversion.unusable('JSON with more text behind it, and without a "Content-Type"')
  }
  const text = typeof plain === 'string' ? withoutMark(plain) : textOf(plain, conversion)
  const { json, wrap } = reading === 'made' ? unwrapJson(text) : { json: text, wrap: (older: string) => older }
  if (reading === 'made' && parsedJson(json) === undefined) return undefined
  const older = wrap(olderExact(json, conversion, res))
  res.removeHeader('Content-Encoding')
  return typeof body === 'string' ? older : Buffer.from(older)
}

/** Converts JSON that may have numbers which no value can hold. */
function olderExact(json: string, conversion: Conversion, { app }: Response): string {
  const value = parsed(json, conversion)
  if (losesNumber(json)) throw conversion.unusable('a number that JavaScript cannot hold')
  return olderText(value, conversion, app)
}

/** Makes the error for a response with more bytes than are held at once. */
function tooLarge(conversion: Conversion, limit: number): Error {
  return conversion.unusable(`a body of more than ${limit} bytes (option "maxCollected" of versioning())`)
}

function textOf(bytes: Uint8Array, conversion: Conversion): string {
  try {
    return UTF_8.decode(bytes)
  } catch (cause) {
    throw conversion.unusable(NO_JSON, cause)
  }
}

/**
 * Removes the encoding of a body that was sent as a whole.
 *
 * @param what the name of a body that is not in its encoding.
 * @throws {Error} for such a body, and for one that is too large.
 */
export function decoded(body: Body, conversion: Conversion, res: Response, limit: number, what: string): Buffer {
  const bytes =
    typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  let plain: Buffer | undefined
  try {
    plain = decode(bytes, String(res.getHeader('Content-Encoding') ?? ''), limit)
  } catch (cause) {
    throw conversion.unusable(what, cause)
  }
  if (plain === undefined) throw tooLarge(conversion, limit)
  return plain
}

/** Makes the JSON of a response without a body, and sets its type. */
export function madeText(made: Conversion, res: Response): string {
  const text = olderText(undefined, made, res.app)
  dropRepresentation(res)
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  return text
}

function parsed(json: string, conversion: Conversion): unknown {
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw conversion.unusable(NO_JSON, cause)
  }
}

function olderText(value: unknown, conversion: Conversion, app: Response['app']): string {
  const older = conversion.runToJson(value, app.get('json spaces'))
  return app.get('json escape') ? escapeMarkup(older) : older
}

const NO_JSON = 'a body that is not JSON, though its type says so'

/** The decoder of bodies. JSON is UTF-8 (RFC 8259, section 8.1); other encodings are errors, not guesses. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true })
