import { isBodyless } from '../http/representation'
import { isByStatus } from '../schemas/answers'
import { isObject, type JsonSchema } from '../schemas/model'
import { merged } from '../survey/merging'
import type { Operation, Surveyor } from '../survey/survey'
import type { SurveyedVersion } from '../survey/versions'
import type { Schema, VersionDescription } from '../types'
import type { OpenApiMediaType, OpenApiResponse, OpenApiSchema } from './model'
import { phraseOf, refusal } from './refusals'
import type { DocumentSchemas, Use } from './schemas'

/** The things that the operations of one document share. */
export interface Shared {
  readonly options: Surveyor['options']
  readonly version: SurveyedVersion
  readonly schemas: DocumentSchemas
  /** Of refusals; `undefined` where nobody said that they are told as problem details. */
  readonly problem: OpenApiSchema | undefined
  /** How the scheme refuses, by status; none where nobody said that refusals are told as problem details. */
  readonly refusals: ReadonlyMap<number, OpenApiResponse>
  readonly now: number
}

/** The media type of what is described, where `Accept` says no other. */
export const JSON_TYPE = 'application/json'

type Responses = Record<string, OpenApiResponse>

/** Returns the answers of an operation in the version of a document, by status. */
export function responsesOf(
  operation: Operation,
  said: VersionDescription,
  accept: string | undefined,
  using: (direction: Use['direction'], part: string) => Use,
  shared: Shared,
): Responses {
  const { version, problem } = shared
  const any: Record<string, OpenApiMediaType> = accept === undefined ? {} : { [accept]: {} }
  const content = accept === undefined ? {} : { content: any }
  if (version.isGone && !operation.neutral) {
    return { 410: refusal(410, problem, { description: MEANS_GONE, ...content }) }
  }
  const responses = described(operation, said, accept, using, shared)
  const own = ownResponses(said, accept)
  const all = [...Object.values(responses), ...Object.values(own)]
  if (all.length === 0) responses['2XX'] = { description: phraseOf('2XX'), ...content }
  // Where no described answer has a body, this says what to accept.
  else if (accept !== undefined && all.every((one) => !isObject(one) || one.content === undefined)) {
    responses.default = { description: phraseOf('default'), ...content }
  }
  if (problem !== undefined && !operation.neutral) addRefusals(responses, problem, operation, shared)
  return merged(responses, own) as Responses
}

const MEANS_GONE = 'The version is no longer served.'

function described(
  operation: Operation,
  { response }: VersionDescription,
  accept: string | undefined,
  using: (direction: Use['direction'], part: string) => Use,
  { options, version, schemas }: Shared,
): Responses {
  const success = response === null ? { '2XX': null } : { 200: response }
  const responses: Responses = {}
  for (const [newest, schema] of Object.entries(isByStatus(response) ? response : success)) {
    if (schema === undefined) continue
    const status = olderStatus(operation, newest, options, version.version)
    const answer: OpenApiResponse = { description: phraseOf(status) }
    responses[status] ??= answer
    if (schema === null || isBodyless(Number(status))) continue
    const use = using('output', status === '200' ? 'response' : status)
    answer.content = { [accept ?? JSON_TYPE]: { schema: schemas.use(schema as Schema, use) } }
  }
  return responses
}

/** Returns the status of an answer in a version. A description of that version alone names its own statuses. */
function olderStatus(operation: Operation, status: string, options: Shared['options'], version: string): string {
  const { method, viewName, description, neutral } = operation
  const own = description?.versions as Readonly<Record<string, VersionDescription | undefined>> | undefined
  if (neutral || own?.[version]?.response !== undefined || !/^\d+$/.test(status)) return status
  return String(options.changes?.olderStatus(method, viewName, version, Number(status)) ?? status)
}

/** Returns the answers in OpenAPI's own words; JSON gets the media type that names the version. */
function ownResponses({ operation }: VersionDescription, accept: string | undefined): JsonSchema {
  const responses = operation?.responses
  if (!isObject(responses)) return {}
  const entries = Object.entries(responses).map(([status, response]) => {
    if (accept === undefined || !isObject(response) || !isObject(response.content)) return [status, response]
    const content = Object.entries(response.content).map(([type, media]) => [type === JSON_TYPE ? accept : type, media])
    return [status, { ...response, content: Object.fromEntries(content) }]
  })
  return Object.fromEntries(entries)
}

function addRefusals(
  responses: Responses,
  problem: OpenApiSchema,
  { method, viewName }: Operation,
  { options, version, refusals }: Shared,
): void {
  for (const [status, plain] of refusals) {
    const other = responses[status]
    responses[status] = other === undefined ? plain : refusal(status, problem, other)
  }
  if (!refusals.has(400) && options.changes?.convertsRequests(method, viewName, version.version) === true) {
    responses[400] = refusal(400, problem, responses[400])
  }
}
