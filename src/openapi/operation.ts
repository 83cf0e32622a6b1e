import { isByStatus } from '../routes/description'
import type { Address } from '../survey/addresses'
import type { Operation, Surveyor } from '../survey/survey'
import type { SurveyedVersion } from '../survey/versions'
import type { Schema, VersionDescription } from '../types'
import type { OpenApiMediaType, OpenApiOperation, OpenApiParameter, OpenApiResponse, OpenApiSchema } from './model'
import { phraseOf, refusal } from './refusals'
import type { DocumentSchemas } from './schemas'

/** What the operations of one document share. */
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
const JSON_TYPE = 'application/json'

/** One operation at one of its addresses, as the document of a version tells of it. */
export function operationAt(
  operation: Operation,
  { carrier, required }: Address,
  pathParameters: readonly OpenApiParameter[],
  operationId: string,
  shared: Shared,
): OpenApiOperation {
  const said = descriptionIn(operation, shared.version.version)
  // OpenAPI ignores a parameter of that name (3.1.1, section 4.8.12.1).
  const accept = carrier?.name?.toLowerCase() === 'accept' ? carrier.value : undefined
  const carried: OpenApiParameter[] = []
  if (accept === undefined && carrier?.name !== undefined && (carrier.in === 'header' || carrier.in === 'query')) {
    carried.push({
      name: carrier.name,
      in: carrier.in,
      required,
      description: 'The version of the API.',
      schema: { type: 'string', enum: [carrier.value] },
    })
  }
  const query = said.query === undefined ? [] : queryParameters(said.query, `${operationId}-query`, shared.schemas)
  const parameters = [
    ...pathParameters,
    ...carried,
    ...query.filter(({ name }) => !carried.some((other) => other.in === 'query' && other.name === name)),
  ]
  const tags = [...new Set(said.tags ?? operation.namespaces)]
  const { deprecated, sunset } = endOf(operation, shared)
  const description = [said.description, sunset].filter((text) => text !== undefined && text !== '').join('\n\n')
  return {
    operationId,
    ...(tags.length === 0 ? {} : { tags }),
    ...(said.summary === undefined ? {} : { summary: said.summary }),
    ...(description === '' ? {} : { description }),
    ...(deprecated || said.deprecated === true ? { deprecated: true } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(said.body === undefined || said.body === null
      ? {}
      : {
          requestBody: {
            required: true,
            content: { [JSON_TYPE]: { schema: shared.schemas.use(said.body, 'input', `${operationId}-body`) } },
          },
        }),
    responses: responsesOf(operation, said, accept, operationId, shared),
  }
}

/** What was said of an operation for one version. */
function descriptionIn({ description }: Operation, version: string): VersionDescription {
  const { versions, ...general } = description ?? {}
  const own: VersionDescription =
    (versions !== undefined && Object.hasOwn(versions, version) && versions[version]) || {}
  const kept = Object.entries(own).filter(([, value]) => value !== undefined)
  return { ...general, ...Object.fromEntries(kept) }
}

/** Whether an operation is on its way out as of now, by its version or by itself, and when it ends: at the earlier of two dates. */
function endOf(
  { neutral, deprecation }: Operation,
  { version, now }: Shared,
): { deprecated: boolean; sunset?: string } {
  const byVersion = !neutral && (version.isDeprecated || version.isGone)
  const deprecated = byVersion || (deprecation !== undefined && now >= deprecation.since)
  const dates = [neutral ? undefined : version.sunset, deprecation?.sunset].filter((date) => date !== undefined)
  return dates.length === 0 ? { deprecated } : { deprecated, sunset: `Sunset: ${dateOf(Math.min(...dates))}.` }
}

/** A day, or where it is not its first instant, that. */
export function dateOf(instant: number): string {
  return new Date(instant).toISOString().replace('T00:00:00.000Z', '')
}

function queryParameters(schema: Schema, name: string, schemas: DocumentSchemas): OpenApiParameter[] {
  const properties = schemas.properties(schema, 'input', name)
  if (properties !== undefined) return properties.map(({ name, ...property }) => ({ name, in: 'query', ...property }))
  if (typeof schema === 'boolean') return []
  // Each of its properties is then a parameter (3.1.1, section 4.8.12.3).
  return [{ name: 'query', in: 'query', style: 'form', explode: true, schema: schemas.use(schema, 'input', name) }]
}

type Responses = Record<string, OpenApiResponse>

function responsesOf(
  operation: Operation,
  { response }: VersionDescription,
  accept: string | undefined,
  operationId: string,
  { options, version, schemas, problem, refusals }: Shared,
): Responses {
  const any: Record<string, OpenApiMediaType> = accept === undefined ? {} : { [accept]: {} }
  const content = accept === undefined ? {} : { content: any }
  if (version.isGone && !operation.neutral)
    return { 410: refusal(410, problem, { description: MEANS_GONE, ...content }) }
  const byStatus = isByStatus(response) ? response : { 200: response as Schema | undefined }
  const responses: Responses = {}
  for (const [status, schema] of Object.entries(byStatus)) {
    if (schema === undefined) continue
    responses[status] = { description: phraseOf(status) }
    if (schema === null) continue
    const name = `${operationId}-${status === '200' ? 'response' : status}`
    responses[status].content = { [accept ?? JSON_TYPE]: { schema: schemas.use(schema as Schema, 'output', name) } }
  }
  if (Object.keys(responses).length === 0) responses['2XX'] = { description: phraseOf('2XX'), ...content }
  // Where no described answer has a body, this says what to accept.
  else if (accept !== undefined && Object.values(responses).every((one) => one.content === undefined)) {
    responses.default = { description: phraseOf('default'), ...content }
  }
  if (problem === undefined || operation.neutral) return responses
  for (const [status, plain] of refusals) {
    const described = responses[status]
    responses[status] = described === undefined ? plain : refusal(status, problem, described)
  }
  const { method, viewName } = operation
  if (!refusals.has(400) && options.changes?.convertsRequests(method, viewName, version.version) === true) {
    responses[400] = refusal(400, problem, responses[400])
  }
  return responses
}

const MEANS_GONE = 'The version is no longer served.'
