// What a version adds to an operation in its document: the carrier, and its end.
import { documentParameter } from '../schemes/carriers'
import type { Address } from '../survey/operation-addresses'
import type { Operation } from '../survey/survey'
import type { Schema } from '../types'
import type { Shared } from './document-responses'
import type { OpenApiParameter } from './openapi-types'
import type { DocumentSchemas, Use } from './user-schemas'

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

/** Returns the parameters of a query. */
export function queryParameters(schema: Schema | undefined, use: Use, schemas: DocumentSchemas): OpenApiParameter[] {
  if (schema === undefined) return []
  const properties = schemas.properties(schema, use)
  if (properties !== undefined) return properties.map(({ name, ...property }) => ({ name, in: 'query', ...property }))
  if (typeof schema === 'boolean') return []
  // OpenAPI takes each property of this schema as a parameter (3.1.1, section 4.8.12.3).
  return [{ name: 'query', in: 'query', style: 'form', explode: true, schema: schemas.use(schema, use) }]
}
