// One response that is judged: its head, and its body so far.
import type { Framing } from '../http/framing'
import { isBodyless } from '../http/representation'
import { bytesOf, isBody, readRaw } from '../http/response-calls'
import { ContractFailure, type ContractIssue } from './failure'
import type { ResponseSchemas } from './version-schemas'

/** The head of a response that is judged. */
export interface Head {
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
export interface Failed {
  readonly key: string
  readonly error: ContractFailure
}

/** A response that is judged, and its body so far. */
export class Sent {
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
export function nameOf({ status, operation, version, framing }: Head): string {
  return `${framing === undefined ? 'the' : 'an item of the'} response ${status} of "${operation}" in version "${version}"`
}

/** Makes the failure of a response that does not fit its document. */
export function failureOf(head: Head, issues: readonly ContractIssue[]): ContractFailure {
  const list = issues.map(({ path, message }) => `${path.length === 0 ? 'it' : `"${path.join('/')}"`} ${message}`)
  const name = nameOf(head)
  const told = `${name.charAt(0).toUpperCase()}${name.slice(1)} does not fit its document`
  return new ContractFailure(`${told}: ${[...new Set(list)].join('; ')}.`, { issues })
}
