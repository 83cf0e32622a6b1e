// The refusals in documents.
import { STATUS_CODES } from 'node:http'
import type { JsonSchema } from '../schemas/model'
import type { OpenApiMediaType, OpenApiResponse, OpenApiSchema } from './model'

/** The schema of the answers of `problemDetails()` (RFC 9457, section 3). */
export const PROBLEM: JsonSchema = {
  type: 'object',
  description: 'Why a request was refused because of its version (RFC 9457).',
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

const PROBLEM_TYPE = 'application/problem+json'

const MEANINGS: Readonly<Record<number, string>> = {
  400: 'The request contradicts itself about the version, or does not fit it.',
  404: 'The version does not exist.',
  406: 'The version does not exist.',
  410: 'The version is no longer served.',
}

/** Describes a refusal, together with the other answers of its status. */
export function refusal(status: number, schema: OpenApiSchema | undefined, other?: OpenApiResponse): OpenApiResponse {
  const description = other?.description ?? MEANINGS[status] ?? phraseOf(status)
  const problem: Record<string, OpenApiMediaType> = schema === undefined ? {} : { [PROBLEM_TYPE]: { schema } }
  const content = { ...other?.content, ...problem }
  return { description, ...(Object.keys(content).length === 0 ? {} : { content }) }
}

const RANGES: Readonly<Record<string, string>> = {
  '2XX': 'Success.',
  '4XX': 'Client error.',
  '5XX': 'Server error.',
  default: 'Any other answer.',
}

/** Returns the phrase of a status, or of a range of statuses. */
export function phraseOf(status: number | string): string {
  return STATUS_CODES[status] ?? RANGES[status] ?? 'An answer.'
}
