// The schemas that a version says of an operation, each with all of its definitions.

import type { OperationInVersion, RequestChanges } from '../bound-changes'
import type { ItemKind } from '../http/framing'
import { DocumentSchemas } from '../openapi/user-schemas'
import type { RouteRegistry } from '../registry'
import { isContent, isItemContent, schemaIn } from '../schemas/check'
import { DescribedNames, NO_DEFINITIONS } from '../schemas/definitions'
import { stepItemsOf } from '../schemas/events'
import { mapSchemas, patternsIn, referenceIn, referenceTo } from '../schemas/keywords'
import { type Direction, isObject, type JsonSchema } from '../schemas/model'
import { withoutOfOther } from '../schemas/one-sided'
import { oddPatternsIn, patternOf } from '../schemas/patterns'
import { mayBeJson } from '../schemas/responses'
import { descriptionIn, olderHead, responsesIn, type VersionedOperation } from '../survey/described'
import type { ResponseBody, Schema } from '../types'
import { METHODS_WITH_BODY, operationMethods } from '../util/operation'
import { shown } from '../util/options'
import type { Report } from '../util/problems'
import { ended } from '../util/text'
import { type StandardSchema, writtenFor } from './validators'

/** The bodies of responses with one status. */
export interface ResponseSchemas {
  /** The schemas of JSON by media type, in lower case; `''` for any JSON type. */
  readonly byType: ReadonlyMap<string, readonly JsonSchema[]>
  /** The schemas of the items of streams, with the data of events parsed. */
  readonly items: Readonly<Record<ItemKind, readonly JsonSchema[]>>
  /** `true` if nobody knows the schema of some of them. */
  readonly isOpen: boolean
}

/** The schemas of one operation in one version. */
export interface OperationSchemas {
  /** Its body; `null` for none, `undefined` if nobody described it. */
  readonly body: JsonSchema | null | undefined
  /** `true` if requests must have the body. */
  readonly needsBody: boolean
  readonly query: JsonSchema | undefined
  /** The Standard Schemas that somebody wrote for them in that version, and that judge instead of compiled ones. */
  readonly written: { readonly [Part in 'body' | 'query']?: StandardSchema | undefined }
  /** The responses by status; `undefined` if nobody described any. */
  readonly responses: ReadonlyMap<string, ResponseSchemas> | undefined
}

const COMPONENTS = '#/components/schemas/'

/** The judges of requests that the options name. */
export interface Judges {
  /** `true` if Standard Schemas judge what they were written for. */
  readonly standard: boolean
  /** `true` if `compile` makes the other judges. */
  readonly compiled: boolean
}

/** The schemas of all operations in one version. */
export type VersionSchemas = ReturnType<typeof versionSchemas>

/**
 * Reads the schemas of all operations in one version.
 *
 * @param report gets what is missing, and what JSON Schema cannot say.
 */
export function versionSchemas(
  routes: RouteRegistry,
  changes: RequestChanges,
  version: string,
  { standard, compiled }: Judges,
  isNeutral: (viewName: string, method: string) => boolean,
  report: Report,
) {
  const definitions = changes.definitionsIn(version)
  const names = new DescribedNames()
  const odd = new Map<string, string>()
  const isGiven = (routes.elsewhere()?.documents.length ?? 0) > 0

  function attempt<Result>(operation: string, run: () => Result): Result | undefined {
    try {
      return run()
    } catch (error) {
      report(`"${operation}" in version "${version}": ${ended((error as Error).message)}`)
      return undefined
    }
  }

  function addNames(operation: string, said: VersionedOperation): void {
    const add = (schema: unknown, direction: Direction) => {
      if (isThere(schema)) attempt(operation, () => names.add(schema, direction, definitions, operation))
    }
    add(said.body, 'input')
    add(said.query, 'input')
    for (const body of [...said.responses.values(), ...said.own.values()]) {
      for (const schema of isContent(body) ? Object.values(body.content).map(schemaIn) : [body]) add(schema, 'output')
    }
  }

  /** Returns a schema with its definitions under `$defs`. */
  function selfContained(
    operation: string,
    schema: Schema,
    direction: Direction,
    meanings = definitions,
    known = names,
  ): JsonSchema {
    const schemas = new DocumentSchemas(meanings, known)
    const root = schemas.use(schema, { direction, hint: 'part', operation, neutral: false })
    const $defs = schemas.finish()
    const outside = new Set<string>()
    const whole = { ...(root as JsonSchema), ...(Object.keys($defs).length === 0 ? {} : { $defs }) }
    const local = localized(whole, outside, '', (path, source) => {
      const [, keyword, name, ...inner] = path.split('/')
      odd.set(keyword === '$defs' ? [`${name}#`, ...inner].join('/') : `${operation}#${path}`, source)
    })
    if (outside.size === 0) return isGiven ? withoutOfOther(local, direction) : local
    throw new TypeError(`its reference "${[...outside].join('", "')}" leads to no schema that a description has`)
  }

  /** Returns the Standard Schema of a part in this version. Reports a part that nobody can judge. */
  function writtenIn(operation: string, part: 'body' | 'query', schema: unknown, json: JsonSchema | undefined) {
    if (json === undefined) return undefined
    const alone = (own: Schema) => selfContained(operation, own, 'input', NO_DEFINITIONS, namesIn(own, operation))
    const found = standard ? writtenFor(schema as Schema, json, definitions, alone) : undefined
    if (found === undefined && !compiled) {
      const needed = `option "contract" has no "compile", and nobody wrote a Standard Schema for the "${part}" of`
      report(needed, `"${operation}" in version "${version}"`)
    }
    return found
  }

  function schemasOf(operation: string, said: VersionedOperation, plan: OperationInVersion): OperationSchemas {
    const { body, query } = said
    if (body === undefined && METHODS_WITH_BODY.has(operation.slice(0, operation.indexOf(' ')))) {
      report('describe() says no "body" (null where requests have none) of', `"${operation}"`)
    }
    for (const [part, kind] of [
      ['body', 'request'],
      ['query', 'query'],
    ] as const) {
      if (typeof said[part] !== 'string') continue
      report(`the change "${said[part]}" has a "${kind}" step, but no "older" "${part}", of`, `"${operation}"`)
    }
    const read = (schema: unknown, direction: Direction) =>
      isThere(schema) ? attempt(operation, () => selfContained(operation, schema, direction)) : undefined
    const parts = { body: read(body, 'input'), query: read(query, 'input') }
    const requestBody = said.operation?.requestBody
    const written = {
      body: writtenIn(operation, 'body', body, parts.body),
      query: writtenIn(operation, 'query', query, parts.query),
    }
    const responses = new Map<string, ResponseSchemas>()
    for (const [status, bodies] of responsesIn(said, plan)) {
      responses.set(
        status,
        responseSchemas(bodies, (schema) => read(schema, 'output')),
      )
    }
    const own = said.operation?.responses
    for (const newest of Object.keys(isObject(own) ? own : {})) {
      // The schemas there may refer to anything in the document.
      const open = { byType: new Map(), items: { events: [], lines: [] }, isOpen: true }
      responses.set(olderHead(newest, plan).status, open)
    }
    return {
      body: body === null ? null : parts.body,
      written,
      needsBody: !isObject(requestBody) || requestBody.required !== false,
      query: parts.query,
      responses: responses.size === 0 ? undefined : responses,
    }
  }

  const operations = routes.facts().flatMap((facts) => {
    const { viewName, common } = facts
    const own = operationMethods(facts).filter((method) => !isNeutral(viewName, method))
    return own.flatMap((method) => {
      const inVersion = (name: string) => changes.operation(method, viewName, name)
      const plan = inVersion(version)
      if (!plan.present) return []
      const said = descriptionIn({ description: facts.describedAs(method), common, inVersion }, version)
      return { method, viewName, said, plan }
    })
  })
  // References may lead to the schemas of other operations.
  for (const { method, viewName, said } of operations) addNames(`${method} ${viewName}`, said)
  const all = new Map<string, Map<string, OperationSchemas>>()
  for (const { method, viewName, said, plan } of operations) {
    const methods = all.get(viewName) ?? new Map<string, OperationSchemas>()
    all.set(viewName, methods.set(method, schemasOf(`${method} ${viewName}`, said, plan)))
  }
  return {
    /** The schemas of the operations that the version has, by view name and method. */
    all: all as ReadonlyMap<string, ReadonlyMap<string, OperationSchemas>>,
    /** The patterns that do not compile in Unicode mode, by place. */
    odd,
  }
}

/** Tells whether a part of a description is a schema: no absent body, and no change that leaves it unknown. */
function isThere(schema: unknown): schema is Schema {
  return schema !== undefined && schema !== null && typeof schema !== 'string'
}

function responseSchemas(
  bodies: readonly (ResponseBody | string)[],
  read: (schema: Schema) => JsonSchema | undefined,
): ResponseSchemas {
  const readable = (schema: Schema) => read(schema) ?? {}
  const byType = new Map<string, JsonSchema[]>()
  for (const body of bodies) {
    if (body === null || typeof body === 'string') continue
    for (const [type, schema] of isContent(body) ? Object.entries(body.content) : [['', body as Schema] as const]) {
      if (isItemContent(schema) || (type !== '' && !mayBeJson(type))) continue
      const known = byType.get(type.toLowerCase()) ?? []
      byType.set(type.toLowerCase(), [...known, readable(schema)])
    }
  }
  const items = (kind: ItemKind) =>
    bodies.flatMap((body) => (typeof body === 'string' ? [] : stepItemsOf(body, kind).map(readable)))
  return {
    byType,
    items: { events: items('events'), lines: items('lines') },
    isOpen: bodies.some((body) => typeof body === 'string'),
  }
}

function namesIn(schema: Schema, operation: string): DescribedNames {
  const names = new DescribedNames()
  names.add(schema, 'input', NO_DEFINITIONS, operation)
  return names
}

/** @throws {TypeError} for a name in `patternProperties` that is no regular expression. */
function checkPattern(source: string): void {
  try {
    patternOf(source)
  } catch (cause) {
    throw new TypeError(`its "patternProperties" has ${shown(source)}, which is no regular expression`, { cause })
  }
}

/** Removes a discriminator. The branches say the same, and its `mapping` would lead out of the schema. */
function withoutMapping({ discriminator: _told, ...schema }: JsonSchema): JsonSchema {
  return schema
}

/** Lets references lead to `$defs`. Notes those that lead out of the schema. */
function localized(
  schema: JsonSchema,
  outside: Set<string>,
  path: string,
  onOdd: (path: string, source: string) => void,
): JsonSchema {
  for (const [below, source] of oddPatternsIn(schema)) onOdd(path + below, source)
  for (const [source] of patternsIn(schema)) checkPattern(source)
  const copy = withoutMapping(
    mapSchemas(schema, (inner, below) => localized(inner as JsonSchema, outside, path + below, onOdd)),
  )
  const reference = referenceIn(schema)
  if (reference === undefined) return copy
  const name = reference.slice(COMPONENTS.length)
  // A reference to a part of another schema stays as it was written.
  if (reference.startsWith(COMPONENTS) && !name.includes('/')) return { ...copy, ...referenceTo(`#/$defs/${name}`) }
  outside.add(reference)
  return copy
}
