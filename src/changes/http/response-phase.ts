// The phases of a response on its way to an older version.
import type { Framing } from '../../http/framing'
import { isBodyless } from '../../http/representation'
import { Conversion } from '../convert/steps'
import { changeHeader } from '../describe/response-head'
import type { ResponsePlan } from '../timeline/plans'
import { tooLarge } from './json-bodies'
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
      readonly made: PlannedResponse | undefined
    }
  /** Its pieces wait for the end. */
  | { readonly name: 'collecting'; readonly collected: Collected }
  /** Its items are converted one by one. */
  | Items
  | Passed

/** The calls of a response whose items are converted one by one. */
export interface StreamCalls {
  /** The status with which it began. */
  readonly status: number
  /** `true` while the previous methods are called: their own calls pass. */
  readonly isPassing: boolean
  write(args: readonly unknown[]): unknown
  end(args: readonly unknown[]): unknown
  flushHeaders(): unknown
}

/** The phase of a response whose items are converted one by one. */
interface Items {
  readonly name: 'items'
  readonly stream: StreamCalls
  /** The older response. */
  readonly older: PlannedResponse
  /** The facts of its head; undefined before that was passed on. */
  passed: Passed | undefined
}

/** The phase of a response that was passed on. */
export interface Passed {
  readonly name: 'passed'
  /** The status with which it was passed on. */
  status: number
  /** The older response. */
  readonly older: PlannedResponse | undefined
  /** `true` if a `json` got it, and has not sent its text yet. */
  awaitsText: boolean
  /** `true` if its header fields have their older values, as far as possible. */
  hasHead: boolean
}

/** The failure of a response. Another response, which reports it, takes its place. */
export class Failure {
  /** `true` if the conversion of an error failed: the response in its place stays as it is. */
  keepsError = false
  /** `true` if a function for header fields failed: the response in its place keeps its fields. */
  keepsHead = false
  /** `true` while the caller that sent the failed response may still write the rest of it. */
  isDropping = false
  /** `true` if it failed while it was written in pieces: more of them may follow. */
  hasRest = false
}

/** The first phase. */
export const OPEN: Phase = { name: 'open' }

/** One response of the newest version on its way to an older one. */
export class PlannedResponse {
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
  readonly #items: ResponsePlan['items'] | undefined
  /** `true` if its header fields change. */
  readonly hasHeaders: boolean
  readonly #headers: ResponsePlan['headers']
  readonly #context: RequestContext

  constructor(
    { steps, items, status, headers, source, namesNothing, restated }: ResponsePlan,
    newest: number,
    context: RequestContext,
    keepsBody: boolean,
  ) {
    this.#items = keepsBody || source !== 'handler' ? undefined : items
    const conversion = steps.length === 0 || keepsBody ? undefined : new Conversion(steps, context)
    this.conversion = source === 'handler' ? conversion : undefined
    this.made = source === 'step' ? conversion : undefined
    this.status = status
    this.isBare = source === undefined && (status !== newest || !isBodyless(newest))
    this.namesNothing = namesNothing
    this.hasHeaders = headers.length > 0
    this.#headers = headers
    this.#context = context
    if (context.met !== undefined) for (const description of restated) context.met.add(description)
  }

  /** Returns the conversion of the items of a stream; `undefined` if they stay. */
  itemsIn({ items: kind }: Framing): Conversion | undefined {
    const steps = this.#items?.[kind] ?? []
    return steps.length === 0 ? undefined : new Conversion(steps, this.#context)
  }

  /**
   * Writes the older values of the header fields.
   *
   * @throws {ChangeFailure} if a function fails.
   */
  writeHeaders(): void {
    for (const { change, status } of this.#headers) changeHeader(change, this.#context.res, status, this.#context)
  }
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
   * @param limit the highest number of bytes.
   */
  constructor(
    readonly status: number,
    private readonly type: string,
    private readonly conversion: Conversion,
    private readonly limit: number,
  ) {}

  /** Compares the `Content-Type` with that at the beginning: the pieces before would pass as another one. */
  check(type: string): void {
    if (type === this.type) return
    this.#reject(this.conversion.unusable('another "Content-Type" after the response had begun'))
  }

  add(piece: Buffer): void {
    this.#size += piece.length
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
