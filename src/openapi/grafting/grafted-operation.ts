// One operation of a given document in a version: what a change, a description or the version itself says of it is replaced.

import type { GivenDocument } from '../../registry'
import { isObject, type JsonSchema } from '../../schemas/model'
import { mayBeJson } from '../../schemas/responses'
import { descriptionIn, JSON_TYPE, type VersionedOperation } from '../../survey/described'
import type { Operation } from '../../survey/survey'
import type { OperationDescription } from '../../types'
import { acceptedBy, asData, carriedBy, dateOf, endOf, queryParameters } from '../document-operation'
import { ownWordsOf, type Shared } from '../document-responses'
import { merged } from '../merging'
import type { OpenApiParameter, OpenApiSchema } from '../openapi-types'
import type { Use } from '../user-schemas'
import { type GivenOperation, patched, type SharedParameters } from './context'
import { type GivenParts, located } from './document-parts'
import { GivenResponses } from './grafted-responses'

/** Returns an operation as a version has it. */
export function graftedOperation(
  one: GivenOperation,
  path: SharedParameters,
  parts: GivenParts,
  shared: Shared,
): JsonSchema {
  const { value, use, operation, given } = one
  const { version } = shared.version
  const said: VersionedOperation = { ...descriptionIn(operation, version), operation: ownWordsOf(operation, shared) }
  const address = operation.served.get(version)?.addresses[0]
  const accept = acceptedBy(address?.carrier)
  const name = `${operation.method} ${operation.viewName}`
  const hint = typeof value.operationId === 'string' ? value.operationId : name.replace(/\W+/g, '-')
  const using = (direction: Use['direction'], part: string): Use => {
    return { direction, hint: `${hint}-${part}`, operation: name, neutral: operation.neutral }
  }
  const { parameters: _own, requestBody: _body, responses: _all, ...rest } = value
  const made: Record<string, unknown> = { ...value, ...(parts.part('operation', rest, use) as JsonSchema) }
  for (const part of ['summary', 'description', 'tags', 'deprecated'] as const) {
    if (said[part] !== given[part]) made[part] = said[part]
  }
  const carried = address === undefined ? [] : carriedBy(address)
  const parameters = parametersOf(one, said, path, carried, using('input', 'query'), parts, shared)
  const requestBody = bodyOf(one, said, using('input', 'body'), parts, shared)
  const responses = new GivenResponses(one, said, parts, shared).all(accept, using)
  Object.assign(made, { parameters, requestBody, responses })
  addEnd(made, operation, shared)
  // What the document says itself is there already.
  const own = said.operation === undefined || isGiven(said.operation, given) ? made : merged(made, said.operation)
  return patched(own as JsonSchema, {})
}

function isGiven(operation: object, given: OperationDescription): boolean {
  return JSON.stringify(operation) === JSON.stringify(given.operation)
}

/** Says that an operation is deprecated, and when it ends. */
function addEnd(made: Record<string, unknown>, operation: Operation, shared: Shared): void {
  const { deprecated, sunset } = endOf(operation, shared)
  if (deprecated) Object.assign(made, { deprecated: true, ...asData(sunset) })
  if (sunset === undefined) return
  const texts = [made.description, `Sunset: ${dateOf(sunset)}.`]
  made.description = texts.filter((text) => typeof text === 'string' && text !== '').join('\n\n')
}

function parametersOf(
  { value, use, given }: GivenOperation,
  said: VersionedOperation,
  path: SharedParameters,
  carried: readonly OpenApiParameter[],
  queryUse: Use,
  parts: GivenParts,
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
  // Those of the path move to the operation where the query of one of its operations has changed.
  const all = [...list(path.value, path.pointer), ...list(value.parameters, `${use.pointer}/parameters`)]
  const own = all.filter(
    ({ parameter }, index) => !all.slice(index + 1).some((later) => isSame(later.parameter, parameter)),
  )
  const kept = own.filter(
    ({ parameter }) => !(isChanged && parameter.in === 'query') && !carried.some((one) => isSame(one, parameter)),
  )
  const query = !isChanged || typeof said.query === 'string' ? [] : queryParameters(said.query, queryUse, schemas)
  const added = query.filter((one) => !carried.some((other) => isSame(other, one)))
  const parameters = [...kept.map(({ made }) => made), ...added, ...carried]
  return parameters.length === 0 && value.parameters === undefined ? undefined : parameters
}

interface Parameter {
  readonly name?: unknown
  readonly in?: unknown
}

function isSame(one: Parameter, other: Parameter): boolean {
  return one.in === other.in && nameOf(one) === nameOf(other)
}

/** Returns the name of a parameter. Names of header fields are the same in any case. */
function nameOf({ name, in: place }: Parameter): string {
  return place === 'header' ? String(name).toLowerCase() : String(name)
}

function bodyOf(
  { value, use, given }: GivenOperation,
  said: VersionedOperation,
  bodyUse: Use,
  parts: GivenParts,
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
  operations: readonly GivenOperation[],
  version: string,
): { readonly moved: SharedParameters; readonly kept: readonly unknown[] } {
  const all = Array.isArray(item.parameters) ? item.parameters : []
  const isChanged = operations.some(({ operation, given }) => descriptionIn(operation, version).query !== given.query)
  const isMoved = (one: unknown) => isChanged && isObject(one) && located(one, pointer, document).value.in === 'query'
  return {
    moved: { value: all.filter(isMoved), pointer },
    kept: all.filter((one) => !isMoved(one)),
  }
}
