// One operation in a document.
import { documentParameter } from '../schemes/carriers'
import { JSON_TYPE, type VersionedOperation } from '../survey/described'
import type { Address } from '../survey/operation-addresses'
import type { Operation } from '../survey/survey'
import type { Schema } from '../types'
import { responsesOf, type Shared } from './document-responses'
import { merged } from './merging'
import type { OpenApiOperation, OpenApiParameter } from './openapi-types'
import type { DocumentSchemas, Use } from './user-schemas'

/** The description of the parameter that carries the version. */
export const CARRIER_WORDS = 'The version of the API.'

/** Describes an operation at one of its addresses, for the document of a version. */
export function operationAt(
  operation: Operation,
  said: VersionedOperation,
  { carrier, required }: Address,
  pathParameters: readonly OpenApiParameter[],
  operationId: string,
  shared: Shared,
): OpenApiOperation {
  const { method, viewName, neutral } = operation
  const using = (direction: Use['direction'], part: string): Use => {
    return { direction, hint: `${operationId}-${part}`, operation: `${method} ${viewName}`, neutral }
  }
  const accept = acceptedBy(carrier)
  const carried = carriedBy({ carrier, required })
  const query =
    typeof said.query === 'string' ? [] : queryParameters(said.query, using('input', 'query'), shared.schemas)
  const parameters = [
    ...pathParameters,
    ...carried,
    ...query.filter(({ name }) => !carried.some((other) => other.in === 'query' && other.name === name)),
  ]
  const tags = [...new Set(said.tags ?? operation.namespaces)]
  const { deprecated, sunset } = endOf(operation, shared)
  const end = sunset === undefined ? undefined : `Sunset: ${dateOf(sunset)}.`
  const changed = typeof said.query === 'string' ? `Its query is that of an older version: ${said.query}` : undefined
  const description = [said.description, changed, end].filter((text) => text !== undefined && text !== '').join('\n\n')
  const made: OpenApiOperation = {
    operationId,
    ...(tags.length === 0 ? {} : { tags }),
    ...(said.summary === undefined ? {} : { summary: said.summary }),
    ...(description === '' ? {} : { description }),
    ...(deprecated || said.deprecated === true ? { deprecated: true, ...asData(sunset) } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...bodyOf(said.body, using('input', 'body'), shared.schemas),
    responses: responsesOf(operation, said, accept, using, shared),
  }
  return merged(made, { ...said.operation, operationId, responses: undefined }) as OpenApiOperation
}

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

function bodyOf(
  body: VersionedOperation['body'],
  use: Use,
  schemas: DocumentSchemas,
): Pick<OpenApiOperation, 'requestBody'> {
  if (body === undefined || body === null) return {}
  if (typeof body === 'string')
    return { requestBody: { required: true, description: body, content: { [JSON_TYPE]: {} } } }
  return { requestBody: { required: true, content: { [JSON_TYPE]: { schema: schemas.use(body, use) } } } }
}

export function queryParameters(schema: Schema | undefined, use: Use, schemas: DocumentSchemas): OpenApiParameter[] {
  if (schema === undefined) return []
  const properties = schemas.properties(schema, use)
  if (properties !== undefined) return properties.map(({ name, ...property }) => ({ name, in: 'query', ...property }))
  if (typeof schema === 'boolean') return []
  // OpenAPI takes each property of this schema as a parameter (3.1.1, section 4.8.12.3).
  return [{ name: 'query', in: 'query', style: 'form', explode: true, schema: schemas.use(schema, use) }]
}
