// What a version adds to its document: its state and end, the carrier, rejections.

import { STATUS_CODES } from 'node:http'
import type { JsonSchema } from '../schemas/model'
import { documentParameter } from '../schemes/carriers'
import type { Address } from '../survey/operation-addresses'
import type { Operation, Surveyor } from '../survey/survey'
import type { SurveyedVersion } from '../survey/versions'
import type {
  OpenApiDocument,
  OpenApiMediaType,
  OpenApiParameter,
  OpenApiResponse,
  OpenApiSchema,
} from './openapi-types'
import type { DocumentSchemas } from './user-schemas'

/** The property of the document of a version that is gone. */
export const GONE = 'x-gone'

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

/** Says in a document that its version is a preview, or gone. */
export function stateOf({ isPreview, isGone }: SurveyedVersion): Pick<OpenApiDocument, 'x-preview' | 'x-gone'> {
  return { ...(isPreview ? { 'x-preview': true } : {}), ...(isGone ? { [GONE]: true } : {}) }
}

/** Describes the end of a version: no sentence, or one paragraph. */
export function planOf({ deprecated, sunset, successor, info }: SurveyedVersion): string[] {
  const plan = [
    deprecated === undefined ? undefined : `Deprecated: ${dateOf(deprecated)}.`,
    sunset === undefined ? undefined : `Sunset: ${dateOf(sunset)}.`,
    successor === undefined ? undefined : `Successor: ${successor}.`,
    info === undefined ? undefined : `More: <${info}>`,
  ].filter((text) => text !== undefined)
  return plan.length === 0 ? [] : [plan.join(' ')]
}

/** The description of the parameter that carries the version. */
export const CARRIER_WORDS = 'The version of the API.'

/** Returns the media type that carries the version. OpenAPI ignores a parameter named `Accept` (3.1.1, section 4.8.12.1). */
export function acceptedBy(carrier: Address['carrier']): string | undefined {
  return carrier?.name?.toLowerCase() === 'accept' ? carrier.value : undefined
}

/** Returns the parameter that carries the version, as a list. */
export function carriedBy({ carrier, required }: Pick<Address, 'carrier' | 'required'>): OpenApiParameter[] {
  const parameter = carrier && documentParameter(carrier)
  if (parameter === undefined || acceptedBy(carrier) !== undefined) return []
  const value = carrier?.value
  // Pages and generators fill in a default. Beside `required`, generators would write an optional field, which clients forget.
  const schema = { type: 'string', enum: [value], ...(required ? {} : { default: value }) }
  return [{ ...parameter, required, description: CARRIER_WORDS, schema }]
}

/** Tells whether an operation is deprecated now, by its version or by itself, and when it ends. The earlier date wins. */
export function endOf(
  { neutral, deprecation }: Pick<Operation, 'neutral' | 'deprecation'>,
  { version, now }: Shared,
): { deprecated: boolean; sunset?: number } {
  const byVersion = !neutral && (version.isDeprecated || version.isGone)
  const deprecated = byVersion || (deprecation !== undefined && now >= deprecation.since)
  const dates = [neutral ? undefined : version.sunset, deprecation?.sunset].filter((date) => date !== undefined)
  return dates.length === 0 ? { deprecated } : { deprecated, sunset: Math.min(...dates) }
}

/** Writes a sunset as tools such as `oasdiff` read it: a date without a time. */
export function asData(sunset: number | undefined): object {
  return sunset === undefined ? {} : { 'x-sunset': new Date(sunset).toISOString().slice(0, 10) }
}

/** Writes an instant as a date; with the time, unless it is midnight in UTC. */
export function dateOf(instant: number): string {
  return new Date(instant).toISOString().replace('T00:00:00.000Z', '')
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
