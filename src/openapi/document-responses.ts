// The responses of an operation in a document, rejections included.
import { STATUS_CODES } from 'node:http'
import { isContent, isItemContent, schemaIn } from '../schemas/check'
import { isObject, type JsonSchema } from '../schemas/model'
import { unknownSince } from '../schemas/unknown'
import { JSON_TYPE, olderHead, ownDescription, responsesIn, type VersionedOperation } from '../survey/described'
import type { Operation, Surveyor } from '../survey/survey'
import type { SurveyedVersion } from '../survey/versions'
import type { ResponseBody, Schema, VersionDescription } from '../types'
import { itemKeyOf } from './item-words'
import { merged } from './merging'
import type { OpenApiMediaType, OpenApiResponse, OpenApiSchema } from './openapi-types'
import type { DocumentSchemas, Use } from './user-schemas'

/** The parts that the operations of one document share. */
export interface Shared {
  readonly options: Surveyor['options']
  readonly version: SurveyedVersion
  readonly schemas: DocumentSchemas
  /** The schema of rejections; `undefined` if documents do not describe rejections. */
  readonly problem: OpenApiSchema | undefined
  readonly now: number
  /** The identifiers of operations that are taken. */
  readonly ids: Set<string>
  /** The version of OpenAPI of the document. */
  readonly openapi: string
}

type Responses = Record<string, OpenApiResponse>

/** Returns the described responses in a version, by their status there. */
export function described(
  operation: Operation,
  said: VersionedOperation,
  using: (direction: Use['direction'], part: string) => Use,
  { version, schemas, openapi }: Shared,
): Responses {
  const responses: Responses = {}
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
export function unknownIn(body: ResponseBody | string): string[] {
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

/** Lists the statuses by which requests for an operation are rejected because of their version, where documents describe that. */
export function rejectionsOf(operation: Operation, { options, version, problem }: Shared): number[] {
  if (problem === undefined || operation.neutral) return []
  const reads = operation.readsRequests(version.version)
  return [...new Set([...options.scheme.rejectionStatuses, ...(reads ? [400] : [])])]
}

/** The schema of the responses of `problemDetails()` (RFC 9457, section 3). */
export const PROBLEM: JsonSchema = {
  type: 'object',
  description: 'Why a request was rejected because of its version (RFC 9457).',
  properties: {
    type: { type: 'string', format: 'uri-reference' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string' },
    instance: { type: 'string', format: 'uri-reference' },
    supportedVersions: { type: 'array', items: { type: 'string' } },
  },
  required: ['type', 'title', 'status', 'detail', 'code'],
}

/** The same schema with the issues of a contract. */
export const PROBLEM_WITH_ISSUES: JsonSchema = {
  ...PROBLEM,
  properties: {
    ...(PROBLEM.properties as object),
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          in: { type: 'string', enum: ['body', 'query'] },
          pointer: { type: 'string' },
          detail: { type: 'string' },
        },
        required: ['in', 'pointer', 'detail'],
      },
    },
  },
}

/** The media type of these responses. */
export const PROBLEM_TYPE = 'application/problem+json'

const MEANINGS: Readonly<Record<number, string>> = {
  400: 'The request contradicts itself about the version, or does not fit it.',
  404: 'The version does not exist.',
  406: 'The version does not exist.',
  410: 'The version is no longer served.',
}

/** Describes a rejection, beside other contents. */
export function rejection(
  status: number,
  schema: OpenApiSchema | undefined,
  others: Record<string, OpenApiMediaType> = {},
): OpenApiResponse {
  const content = { ...others, ...(schema === undefined ? {} : { [PROBLEM_TYPE]: { schema } }) }
  const description = MEANINGS[status] ?? phraseOf(status)
  return { description, ...(Object.keys(content).length === 0 ? {} : { content }) }
}

/** The description of any success. */
export const SUCCESS = 'Success.'

const RANGES: Readonly<Record<string, string>> = {
  '2XX': SUCCESS,
  '4XX': 'Client error.',
  '5XX': 'Server error.',
  default: 'Any other response.',
}

/** Returns the phrase of a status, or of a range of statuses. */
export function phraseOf(status: number | string): string {
  return STATUS_CODES[status] ?? RANGES[status] ?? 'A response.'
}
