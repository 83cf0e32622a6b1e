// The responses of an operation in a version.

import type { OperationInVersion } from '../bound-changes'
import { isContent, isItemContent, schemaIn } from '../schemas/check'
import { referenceIn } from '../schemas/keywords'
import { isObject, type JsonSchema } from '../schemas/model'
import { type ByStatus, byStatus, mayBeJson, statusNumber } from '../schemas/responses'
import { unknownSince } from '../schemas/unknown'
import { JSON_TYPE, olderHead, ownDescription, responsesIn, type VersionedOperation } from '../survey/described'
import type { Operation } from '../survey/survey'
import type { ResponseBody, Schema, VersionDescription } from '../types'
import { located, merged, type PartsInVersion, type PartUse, patched } from './document-parts'
import { hasItems } from './given/document-operations'
import type { BaseOperation } from './given-documents'
import { itemKeyOf } from './item-words'
import type { OpenApiMediaType, OpenApiResponse, OpenApiSchema } from './openapi-types'
import type { Use } from './user-schemas'
import { PROBLEM_TYPE, phraseOf, rejection, rejectionsOf, type Shared, SUCCESS } from './version-facts'

type Responses = Record<string, unknown>

/** The responses of one operation in a version. */
export class ResponsesInVersion {
  readonly #one: BaseOperation
  readonly #said: VersionedOperation
  readonly #parts: PartsInVersion
  readonly #shared: Shared
  /** Its operation as the changes make it in the version; undefined where none can. */
  readonly #inVersion: OperationInVersion | undefined
  readonly #use: PartUse
  /** The responses as the document has them, and their bodies as the table reads them. */
  readonly #responses: JsonSchema
  readonly #bodies: ByStatus

  constructor(one: BaseOperation, said: VersionedOperation, parts: PartsInVersion, shared: Shared) {
    this.#one = one
    this.#said = said
    this.#parts = parts
    this.#shared = shared
    this.#inVersion = one.operation.inVersion(shared.version.version)
    this.#use = { ...one.use, pointer: `${one.use.pointer}/responses`, isSent: true }
    this.#responses = isObject(one.value.responses) ? one.value.responses : {}
    this.#bodies = byStatus(one.given?.response, '200')
  }

  /**
   * Returns the responses by status.
   *
   * @param accept the media type that carries the version; undefined for none.
   */
  all(accept: string | undefined, using: (direction: Use['direction'], part: string) => Use): unknown {
    const { version, problem } = this.#shared
    const { operation } = this.#one
    if (version.isGone && !operation.neutral) {
      return { 410: rejection(410, problem, accept === undefined ? {} : { [accept]: {} }) }
    }
    const written = this.#parts.all('response', this.#responses, this.#use) as Responses
    const told = this.#isTold() ? this.#changed(written, using) : written
    const named = this.#said.operation?.responses
    const [typed, own] = [told, isObject(named) ? named : {}].map((all) => this.#withType(all, accept)) as [
      Responses,
      Responses,
    ]
    const whole = this.#one.given === undefined ? this.#withSuccess(typed, own, accept) : typed
    const all = merged(this.#withRejections(whole), own) as Responses
    return Object.keys(all).length === 0 ? this.#one.value.responses : all
  }

  /** Adds the success of an operation that nobody described, or a response that shows the media type to accept. */
  #withSuccess(responses: Responses, own: Responses, accept: string | undefined): Responses {
    const { operation } = this.#one
    const all = [...Object.values(responses), ...Object.values(own)]
    const any = accept === undefined ? {} : { content: { [accept]: {} } }
    const isSilent = all.length === 0 || (operation.description?.response === undefined && this.#said.own.size === 0)
    // Shared responses are errors.
    if (isSilent && Object.keys({ ...responses, ...own }).every((status) => /^[45]/.test(status))) {
      return { ...responses, '2XX': { description: SUCCESS, ...any } }
    }
    const isShown = accept === undefined || all.some((one) => isObject(one) && one.content !== undefined)
    return isShown ? responses : { ...responses, default: { description: phraseOf('default'), ...any } }
  }

  #headOf(status: string): ReturnType<typeof olderHead> {
    return olderHead(status, this.#inVersion)
  }

  /** Tells whether a change or a description says other responses than the document. */
  #isTold(): boolean {
    const { responses, own } = this.#said
    if (own.size > 0 || this.#bodies.size !== responses.size) return true
    if ([...responses].some(([status, body]) => body !== this.#bodies.get(status))) return true
    if (this.#inVersion === undefined) return false
    return Object.keys(this.#responses).some((key) => {
      const { status, without } = this.#headOf(statusIn(key))
      return status !== statusIn(key) || without.size > 0 || this.#hasOtherType(statusIn(key))
    })
  }

  /** Tells whether the bodies of a status have another media type in the version. */
  #hasOtherType(status: string): boolean {
    const body = this.#bodies.get(status)
    const at = statusNumber(status === 'default' ? '5XX' : status)
    const types = isContent(body) ? Object.keys(body.content) : []
    return types.some((type) => this.#inVersion?.mediaType(at, type) !== type)
  }

  /** Returns the responses where a change or a description says others. Those that stay are as the document has them. */
  #changed(written: Responses, using: (direction: Use['direction'], part: string) => Use): Responses {
    const { responses, own } = this.#said
    const made = described(this.#one.operation, this.#said, using, this.#shared)
    const found: Responses = {}
    const targets = [...responses.keys()].map((status) => this.#headOf(status).status)
    for (const [key, given] of Object.entries(written)) {
      const status = statusIn(key)
      const isSaid = this.#bodies.has(status)
      // A description of the responses replaces them all.
      if (isSaid && !responses.has(status) && !own.has(status)) continue
      const head = this.#headOf(status)
      const isHere = head.status === status
      const isSame = !isSaid || (responses.get(status) === this.#bodies.get(status) && !own.has(head.status))
      const isAlone = targets.filter((target) => target === head.status).length < 2
      const place = isHere ? key : head.status
      const hasSameBody = isSame && isAlone && !this.#hasOtherType(status)
      if (hasSameBody && head.without.size === 0) found[place] = given
      else {
        const bodies = hasSameBody ? undefined : made[head.status]
        found[place] ??= this.#replaced(key, given, bodies, head.without)
      }
    }
    for (const [status, response] of Object.entries(made)) found[status] ??= response
    return found
  }

  /**
   * Returns a response with other bodies, and without header fields that the version does not have.
   *
   * @param made the response with these bodies; undefined if they are the same.
   */
  #replaced(
    key: string,
    given: unknown,
    made: Partial<OpenApiResponse> | undefined,
    without: ReadonlySet<string>,
  ): JsonSchema {
    const whole = this.#whole(given)
    const { content, headers } = whole
    const fields = Object.entries(isObject(headers) ? headers : {}).filter(([name]) => !without.has(name.toLowerCase()))
    const isSaid = made !== undefined && this.#bodies.has(statusIn(key))
    const kept = Object.entries(isObject(content) ? content : {}).filter(
      ([type, media]) => !isSaid || !this.#isRead(type, media),
    )
    const all = { ...Object.fromEntries(kept), ...made?.content }
    const unknown = made === undefined ? [] : unknownIn(this.#said.responses.get(statusIn(key)) ?? null)
    return patched(whole, {
      ...(unknown.length === 0 ? {} : { description: unknown.join('\n\n') }),
      headers: fields.length === 0 ? undefined : Object.fromEntries(fields),
      content: Object.keys(all).length === 0 ? undefined : all,
    })
  }

  /** Tells whether the table reads a media type: JSON, or the items of a stream. */
  #isRead(type: string, media: unknown): boolean {
    return mayBeJson(type) || hasItems(type, located(Object(media), this.#use.pointer, this.#use.document).value)
  }

  /** Returns a response without a reference around it. */
  #whole(response: unknown): JsonSchema {
    if (!isObject(response)) return {}
    if (referenceIn(response) === undefined) return response
    const { value, pointer } = located(response, this.#use.pointer, this.#use.document)
    return this.#parts.part('response', value, { ...this.#use, pointer }) as JsonSchema
  }

  /** Returns the responses with the media type that carries the version instead of JSON. */
  #withType(responses: Responses, accept: string | undefined): Responses {
    if (accept === undefined) return responses
    const entries = Object.entries(responses).map(([status, given]) => {
      const whole = this.#whole(given)
      const { content } = whole
      if (!isObject(content) || content[JSON_TYPE] === undefined) return [status, given]
      const renamed = Object.entries(content).map(([type, media]) => [type === JSON_TYPE ? accept : type, media])
      return [status, patched(whole, { content: Object.fromEntries(renamed) })]
    })
    return Object.fromEntries(entries)
  }

  /** Adds the rejections of the version to the responses of their status. */
  #withRejections(responses: Responses): Responses {
    const { problem } = this.#shared
    const found = { ...responses }
    for (const status of rejectionsOf(this.#one.operation, this.#shared)) {
      const whole = this.#whole(found[status])
      const { content } = whole
      const { content: added, description } = rejection(status, problem)
      const known = isObject(content) ? content[PROBLEM_TYPE] : undefined
      const media =
        isObject(known) && known.schema !== undefined
          ? { ...known, schema: { anyOf: [known.schema, problem] } }
          : added?.[PROBLEM_TYPE]
      const all = { ...(isObject(content) ? content : {}), [PROBLEM_TYPE]: media }
      found[status] = patched({ description, ...whole }, { content: all })
    }
    return found
  }
}

function statusIn(key: string): string {
  return key === 'default' || key.startsWith('x-') ? key : key.toUpperCase()
}

/** Returns the described responses in a version, by their status there. */
function described(
  operation: Operation,
  said: VersionedOperation,
  using: (direction: Use['direction'], part: string) => Use,
  { version, schemas, openapi }: Shared,
): Record<string, OpenApiResponse> {
  const responses: Record<string, OpenApiResponse> = {}
  for (const [status, bodies] of responsesIn(said, operation.inVersion(version.version))) {
    const use = using('output', status === '200' ? 'response' : status)
    const schemaOf = (all: ReadonlySet<Schema>): OpenApiSchema | undefined => {
      if ([...all].some((schema) => unknownSince(schema) !== undefined)) return undefined
      const told = [...all].map((schema) => schemas.use(schema, use))
      return told.length > 1 ? { anyOf: told } : told[0]
    }
    const content: Record<string, OpenApiMediaType> = {}
    for (const [type, { wholes, items }] of byMediaType(bodies)) {
      const [schema, itemSchema] = [schemaOf(wholes), schemaOf(items)]
      content[type] = {
        ...(schema === undefined ? {} : { schema }),
        ...(itemSchema === undefined ? {} : { [itemKeyOf(openapi)]: itemSchema }),
      }
    }
    if (bodies.some((body) => typeof body === 'string')) content[JSON_TYPE] = {}
    const unknown = [...new Set(bodies.flatMap(unknownIn))]
    responses[status] = { description: unknown.length > 0 ? unknown.join('\n\n') : phraseOf(status) }
    if (Object.keys(content).length > 0) responses[status].content = content
  }
  return responses
}

/** Lists the descriptions of the changes since which nobody knows a part of a body. */
function unknownIn(body: ResponseBody | string): string[] {
  if (typeof body === 'string') return [body]
  return isContent(body) ? Object.values(body.content).flatMap((media) => unknownSince(schemaIn(media)) ?? []) : []
}

/** The schemas of a media type. */
interface Media {
  readonly wholes: Set<Schema>
  /** The schemas of the items of a stream. */
  readonly items: Set<Schema>
}

/** Sorts the schemas of bodies by media type. */
function byMediaType(bodies: readonly (ResponseBody | string)[]): ReadonlyMap<string, Media> {
  const found = new Map<string, Media>()
  for (const body of bodies) {
    if (body === null || typeof body === 'string') continue
    const content = isContent(body) ? body.content : { [JSON_TYPE]: body }
    for (const [type, media] of Object.entries(content)) {
      const { wholes, items } = found.get(type) ?? { wholes: new Set(), items: new Set() }
      found.set(type, { wholes, items })
      if (isItemContent(media)) items.add(media.itemSchema)
      else wholes.add(media as Schema)
    }
  }
  return found
}

/** Returns the user's own OpenAPI parts of an operation in a version: those for all versions, converted to this one, and its own. */
export function ownWordsOf(operation: Operation, { version }: Shared): VersionDescription['operation'] {
  const general = operation.description?.operation
  const responses: Record<string, unknown> = {}
  for (const [newest, response] of Object.entries(isObject(general?.responses) ? general.responses : {})) {
    const { status, without } = olderHead(newest, operation.inVersion(version.version))
    responses[status] = merged(withoutHeaders(response, without), responses[status])
  }
  const told = isObject(general?.responses) ? { ...general, responses } : general
  return merged(told, ownDescription(operation, version.version).operation) as VersionDescription['operation']
}

function withoutHeaders(response: unknown, names: ReadonlySet<string>): unknown {
  if (!isObject(response) || !isObject(response.headers)) return response
  const headers = Object.entries(response.headers).filter(([name]) => !names.has(name.toLowerCase()))
  return { ...response, headers: Object.fromEntries(headers) }
}
