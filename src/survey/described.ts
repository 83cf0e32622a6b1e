// The descriptions of operations by version.

import type { OperationInVersion } from '../bound-changes'
import { isBodyless } from '../http/representation'
import { isContent, isItemContent } from '../schemas/check'
import { type ByStatus, byStatus, describedResponses, says, statusNumber } from '../schemas/responses'
import { unknownSchema } from '../schemas/unknown'
import type {
  OlderDescription,
  OperationDescription,
  ResponseBody,
  Responses,
  Schema,
  VersionDescription,
} from '../types'

/** The media type of described bodies, unless `Accept` carries the version. */
export const JSON_TYPE = 'application/json'

/** The descriptions of one operation. */
export interface OperationDescriptions {
  /** The description of the newest version, with those for single versions. */
  readonly description: OperationDescription | undefined
  /** The described responses that the operation shares with others. */
  readonly common: Responses
  /** Returns the operation as the changes make it in a version; undefined where none can change it. */
  inVersion(version: string): OperationInVersion | undefined
}

/** The description of an operation in one version. A string stands for a body without a known schema. */
export interface VersionedOperation extends Omit<VersionDescription, 'body' | 'query' | 'response'>, OlderDescription {
  /** The bodies of responses by their status of the newest version. */
  readonly responses: ByStatus<ResponseBody | string>
  /** The bodies of responses that the description says for this version alone, by their status there. */
  readonly own: ByStatus
}

/** Returns the description of an operation for one version. */
export function descriptionIn(operation: OperationDescriptions, version: string): VersionedOperation {
  const { description, common } = operation
  const { versions: _, ...general } = description ?? {}
  const { response, ...own } = ownDescription(operation, version)
  const bodies: OlderDescription = operation.inVersion(version)?.bodies(description, common) ?? {
    responses: describedResponses(description?.response, common),
  }
  const shared = [...bodies.responses].filter(([status]) => Object.hasOwn(common, status))
  const responses = response === undefined ? bodies.responses : new Map(shared)
  return { ...general, ...bodies, ...own, responses, own: byStatus(response, '200') }
}

/** Returns the description for one version alone, which names the statuses of that version. */
export function ownDescription(
  { description }: Pick<OperationDescriptions, 'description'>,
  version: string,
): VersionDescription {
  const versions: Readonly<Record<string, VersionDescription | undefined>> = description?.versions ?? {}
  const own = Object.hasOwn(versions, version) ? versions[version] : undefined
  return Object.fromEntries(Object.entries(own ?? {}).filter(([, value]) => value !== undefined))
}

/** Tells whether any response is a stream of items. */
export function mayStream({ responses, own }: VersionedOperation): boolean {
  return [...responses.values(), ...own.values()].some(
    (body) => isContent(body) && Object.values(body.content).some(isItemContent),
  )
}

/** Returns the bodies of an operation's responses in a version, by their status there. Several responses of the newest version may share one. */
export function responsesIn(
  { responses, own }: VersionedOperation,
  operation: OperationInVersion | undefined,
): Map<string, (ResponseBody | string)[]> {
  const found = new Map<string, (ResponseBody | string)[]>()
  const add = (status: string, body: ResponseBody | string) => {
    found.set(status, [...(found.get(status) ?? []), ...(isBodyless(Number(status)) ? [] : [body])])
  }
  for (const [status, body] of own) add(status, body)
  for (const [newest, body] of responses) {
    const { status } = olderHead(newest, operation)
    if (says(own, status)) continue
    for (const one of olderTypes(newest, body, operation)) add(status, one)
  }
  return found
}

/** Returns a body with the media types that it has in a version. Two of them may be one there. */
function olderTypes(
  newest: string,
  body: ResponseBody | string,
  operation: OperationInVersion | undefined,
): (ResponseBody | string)[] {
  if (operation === undefined || body === null) return [body]
  const status = statusNumber(newest === 'default' ? '5XX' : newest)
  const typeOf = (type: string) => operation.mediaType(status, type)
  if (isContent(body))
    return Object.entries(body.content).map(([type, schema]) => ({ content: { [typeOf(type)]: schema } }))
  const type = typeOf(JSON_TYPE)
  if (type === JSON_TYPE) return [body]
  return [{ content: { [type]: typeof body === 'string' ? unknownSchema(body) : (body as Schema) } }]
}

/** Returns the status of a response in a version, and the header fields that it does not have there. */
export function olderHead(
  status: string,
  operation: OperationInVersion | undefined,
): { readonly status: string; readonly without: ReadonlySet<string> } {
  if (operation === undefined) return { status, without: new Set() }
  const isOne = /^\d+$/.test(status)
  // Changes of header fields hold for all statuses, so any stands for a range.
  const head = operation.head(isOne ? Number(status) : 200)
  return { ...head, status: isOne ? String(head.status) : status }
}
