// One operation in a version: what a change, a description or the version itself says of it is replaced.

import type { GivenDocument } from '../registry'
import { isObject, type JsonSchema } from '../schemas/model'
import { mayBeJson } from '../schemas/responses'
import { descriptionIn, JSON_TYPE, type VersionedOperation } from '../survey/described'
import type { Address } from '../survey/operation-addresses'
import type { Operation } from '../survey/survey'
import type { OperationDescription, Schema } from '../types'
import { located, merged, type PartsInVersion, patched } from './document-parts'
import { unique, withoutSame } from './document-paths'
import type { BaseOperation } from './given-documents'
import type { OpenApiParameter, OpenApiSchema } from './openapi-types'
import { ownWordsOf, ResponsesInVersion } from './responses-in-version'
import type { DocumentSchemas, Use } from './user-schemas'
import { acceptedBy, asData, carriedBy, dateOf, endOf, type Shared } from './version-facts'

/** The parameters of a path, for all its operations. */
export interface SharedParameters {
  readonly value: readonly unknown[]
  readonly pointer: string
}

const NOTHING: OperationDescription = {}

/** Returns an operation as a version has it, at an address there. */
export function operationInVersion(
  one: BaseOperation,
  path: SharedParameters,
  address: Address | undefined,
  parts: PartsInVersion,
  shared: Shared,
): JsonSchema {
  const { value, use, operation, given = NOTHING } = one
  const { version } = shared.version
  const said: VersionedOperation = { ...descriptionIn(operation, version), operation: ownWordsOf(operation, shared) }
  const accept = acceptedBy(address?.carrier)
  const name = `${operation.method} ${operation.viewName}`
  const id = [said.operation?.operationId, value.operationId].find((one) => typeof one === 'string')
  const operationId = id === undefined ? undefined : unique(id, shared.ids)
  const hint = operationId ?? name.replace(/\W+/g, '-')
  const using = (direction: Use['direction'], part: string): Use => {
    return { direction, hint: `${hint}-${part}`, operation: name, neutral: operation.neutral }
  }
  const { parameters: _own, requestBody: _body, responses: _all, ...rest } = value
  const made: Record<string, unknown> = { ...value, ...(parts.part('operation', rest, use) as JsonSchema) }
  if (operationId !== undefined) made.operationId = operationId
  if (said.summary !== given.summary) made.summary = said.summary
  if (said.description !== given.description) made.description = said.description || undefined
  if (one.given === undefined) made.tags = distinct(said.tags ?? operation.namespaces)
  else if (said.tags !== given.tags) made.tags = said.tags
  if (said.deprecated !== given.deprecated) made.deprecated = said.deprecated === true || undefined
  const carried = address === undefined ? [] : carriedBy(address)
  const parameters = parametersOf(one, said, path, carried, using('input', 'query'), parts, shared)
  const requestBody = bodyOf(one, said, using('input', 'body'), parts, shared)
  const responses = new ResponsesInVersion(one, said, parts, shared).all(accept, using)
  Object.assign(made, { parameters, requestBody, responses })
  addEnd(made, said, operation, shared)
  // What the document says itself is there already.
  const own = isGiven(said.operation, given) ? {} : { ...said.operation, operationId, responses: undefined }
  return patched(merged(made, own) as JsonSchema, {})
}

/** Returns the groups of an operation, each once; undefined for none. */
function distinct(tags: readonly string[]): readonly string[] | undefined {
  return tags.length === 0 ? undefined : [...new Set(tags)]
}

function isGiven(operation: object | undefined, given: OperationDescription): boolean {
  return JSON.stringify(operation) === JSON.stringify(given.operation)
}

/** Says that nobody knows the query, that an operation is deprecated, and when it ends. */
function addEnd(
  made: Record<string, unknown>,
  { query }: VersionedOperation,
  operation: Operation,
  shared: Shared,
): void {
  const { deprecated, sunset } = endOf(operation, shared)
  if (deprecated || made.deprecated === true) Object.assign(made, { deprecated: true, ...asData(sunset) })
  const texts = [
    made.description,
    ...(typeof query === 'string' ? [`Its query is that of an older version: ${query}`] : []),
    ...(sunset === undefined ? [] : [`Sunset: ${dateOf(sunset)}.`]),
  ]
  if (texts.length > 1) made.description = texts.filter((text) => typeof text === 'string' && text !== '').join('\n\n')
}

function parametersOf(
  { value, use, given = NOTHING }: BaseOperation,
  said: VersionedOperation,
  path: SharedParameters,
  carried: readonly OpenApiParameter[],
  queryUse: Use,
  parts: PartsInVersion,
  { schemas }: Shared,
): readonly unknown[] | undefined {
  const { document } = use
  const isChanged = said.query !== given.query
  const list = (all: unknown, pointer: string) => {
    const written = parts.all('parameter', all, { ...use, pointer })
    return ((all ?? []) as readonly JsonSchema[]).map((one, index) => ({
      made: (written as readonly unknown[])[index],
      parameter: located(one, pointer, document).value,
    }))
  }
  const parameterOf = ({ parameter }: { readonly parameter: JsonSchema }) => parameter
  // Those of the path move to the operation where the query of one of its operations has changed.
  const ofPath = list(path.value, path.pointer)
  const own = list(value.parameters, `${use.pointer}/parameters`)
  const all = [...withoutSame(ofPath, own.map(parameterOf), parameterOf), ...own]
  const kept = withoutSame(all, carried, parameterOf).filter((one) => !(isChanged && one.parameter.in === 'query'))
  const isTold = isChanged && typeof said.query !== 'string'
  const query = isTold ? queryParameters(said.query as Schema, queryUse, schemas) : []
  const added = withoutSame(query, carried, (one) => one)
  // Documents of tables have the version in front of the query.
  const others = given === NOTHING ? [...carried, ...added] : [...added, ...carried]
  const parameters = [...kept.map(({ made }) => made), ...others]
  return parameters.length === 0 && value.parameters === undefined ? undefined : parameters
}

function bodyOf(
  { value, use, given = NOTHING }: BaseOperation,
  said: VersionedOperation,
  bodyUse: Use,
  parts: PartsInVersion,
  { schemas }: Shared,
): unknown {
  const { requestBody } = value
  const pointer = `${use.pointer}/requestBody`
  if (said.body === given.body) {
    return parts.part('requestBody', requestBody, { ...use, pointer })
  }
  const known = isObject(requestBody) ? located(requestBody, pointer, use.document) : undefined
  const base =
    known === undefined
      ? { required: true }
      : (parts.part('requestBody', known.value, { ...use, pointer: known.pointer }) as JsonSchema)
  const { content } = base as { readonly content?: unknown }
  const others = Object.entries(isObject(content) ? content : {})
  if (said.body === null || said.body === undefined) {
    const left = others.filter(([type]) => !mayBeJson(type))
    return left.length === 0 ? undefined : patched(base, { content: Object.fromEntries(left) })
  }
  const json = typeof said.body === 'string' ? {} : { schema: schemas.use(said.body, bodyUse) as OpenApiSchema }
  const types = others.filter(([type]) => mayBeJson(type)).map(([type]) => type)
  const entries = others.map(([type, media]) => [type, mayBeJson(type) ? json : media] as const)
  const made = types.length === 0 ? [...entries, [JSON_TYPE, json] as const] : entries
  const text = typeof said.body === 'string' ? { description: said.body } : {}
  return patched(base, { ...text, content: Object.fromEntries(made) })
}

/** Returns the parameters of a path that its operations must have themselves. */
export function pathParametersOf(
  item: JsonSchema,
  pointer: string,
  document: GivenDocument,
  operations: readonly BaseOperation[],
  version: string,
): { readonly moved: SharedParameters; readonly kept: readonly unknown[] } {
  const all = Array.isArray(item.parameters) ? item.parameters : []
  const isChanged = operations.some(({ operation, given }) => descriptionIn(operation, version).query !== given?.query)
  const isMoved = (one: unknown) => isChanged && isObject(one) && located(one, pointer, document).value.in === 'query'
  return {
    moved: { value: all.filter(isMoved), pointer },
    kept: all.filter((one) => !isMoved(one)),
  }
}

/** Returns the parameters of a query. */
function queryParameters(schema: Schema, use: Use, schemas: DocumentSchemas): OpenApiParameter[] {
  const properties = schemas.properties(schema, use)
  if (properties !== undefined) return properties.map(({ name, ...property }) => ({ name, in: 'query', ...property }))
  if (typeof schema === 'boolean') return []
  // OpenAPI takes each property of this schema as a parameter (3.1.1, section 4.8.12.3).
  return [{ name: 'query', in: 'query', style: 'form', explode: true, schema: schemas.use(schema, use) }]
}
