// The schemas that a version says of an operation, each with all of its definitions.

import type { OperationInVersion, RequestChanges } from '../bound-changes'
import type { ItemKind } from '../http/framing'
import { DocumentSchemas } from '../openapi/user-schemas'
import type { RouteFacts, RouteRegistry } from '../registry'
import { isContent, isItemContent, schemaIn } from '../schemas/check'
import { type Definitions, DescribedNames, NO_DEFINITIONS } from '../schemas/definitions'
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
import { type StandardSchema, writtenFor } from './standard'

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
export class VersionSchemas {
  readonly #routes: RouteRegistry
  readonly #changes: RequestChanges
  readonly #version: string
  readonly #definitions: Definitions
  readonly #names = new DescribedNames()
  readonly #judges: Judges
  /** The patterns that do not compile in Unicode mode, by place. */
  readonly oddPatterns = new Map<string, string>()

  constructor(routes: RouteRegistry, changes: RequestChanges, version: string, judges: Judges) {
    this.#judges = judges
    this.#routes = routes
    this.#changes = changes
    this.#version = version
    this.#definitions = changes.definitionsIn(version)
  }

  /**
   * Returns the schemas of the operations that the version has, by view name and method.
   *
   * @param report gets what is missing, and what JSON Schema cannot say.
   */
  all(
    isNeutral: (viewName: string, method: string) => boolean,
    report: Report,
  ): Map<string, Map<string, OperationSchemas>> {
    const operations = this.#routes.facts().flatMap((facts) => {
      const { viewName } = facts
      const isThere = (method: string) => this.#changes.operation(method, viewName, this.#version).present
      const own = operationMethods(facts).filter((method) => !isNeutral(viewName, method) && isThere(method))
      return own.map((method) => ({ method, viewName, said: this.#said(facts, method) }))
    })
    // References may lead to the schemas of other operations.
    for (const { method, viewName, said } of operations) this.#name(`${method} ${viewName}`, said, report)
    const found = new Map<string, Map<string, OperationSchemas>>()
    for (const { method, viewName, said } of operations) {
      const methods = found.get(viewName) ?? new Map<string, OperationSchemas>()
      found.set(viewName, methods.set(method, this.#schemas(method, viewName, said, report)))
    }
    return found
  }

  #said(facts: RouteFacts, method: string): VersionedOperation {
    const { viewName, common } = facts
    const description = facts.describedAs(method)
    const inVersion = (version: string) => this.#changes.operation(method, viewName, version)
    return descriptionIn({ description, common, inVersion }, this.#version)
  }

  #name(operation: string, said: VersionedOperation, report: Report): void {
    const add = (schema: unknown, direction: Direction) => {
      if (schema === undefined || schema === null || typeof schema === 'string') return
      this.#try(operation, report, () => this.#names.add(schema as Schema, direction, this.#definitions, operation))
    }
    add(said.body, 'input')
    add(said.query, 'input')
    for (const body of [...said.responses.values(), ...said.own.values()]) {
      for (const schema of isContent(body) ? Object.values(body.content).map(schemaIn) : [body]) add(schema, 'output')
    }
  }

  #schemas(method: string, viewName: string, said: VersionedOperation, report: Report): OperationSchemas {
    const operation = `${method} ${viewName}`
    const { body, query } = said
    if (body === undefined && METHODS_WITH_BODY.has(method)) {
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
      this.#try(operation, report, () => this.#selfContained(operation, schema as Schema, direction))
    const ofRequest = (schema: unknown) =>
      schema === undefined || schema === null || typeof schema === 'string' ? undefined : read(schema, 'input')
    const parts = { body: ofRequest(body), query: ofRequest(query) }
    const written = (part: keyof typeof parts, json: JsonSchema | undefined) =>
      json && this.#written(operation, part, said[part] as Schema, json, report)
    const requestBody = said.operation?.requestBody
    return {
      body: body === null ? null : parts.body,
      written: { body: written('body', parts.body), query: written('query', parts.query) },
      needsBody: !isObject(requestBody) || requestBody.required !== false,
      query: parts.query,
      responses: this.#responses(this.#changes.operation(method, viewName, this.#version), said, (schema) =>
        read(schema, 'output'),
      ),
    }
  }

  #responses(
    operation: OperationInVersion,
    said: VersionedOperation,
    read: (schema: Schema) => JsonSchema | undefined,
  ): OperationSchemas['responses'] {
    const found = new Map<string, ResponseSchemas>()
    for (const [status, bodies] of responsesIn(said, operation)) {
      found.set(status, responseSchemas(bodies, read))
    }
    const own = said.operation?.responses
    for (const newest of Object.keys(isObject(own) ? own : {})) {
      const { status } = olderHead(newest, operation)
      // The schemas there may refer to anything in the document.
      found.set(status, { byType: new Map(), items: { events: [], lines: [] }, isOpen: true })
    }
    return found.size === 0 ? undefined : found
  }

  /** Returns the Standard Schema of a part in this version. Reports a part that nobody can judge. */
  #written(
    operation: string,
    part: 'body' | 'query',
    schema: Schema,
    json: JsonSchema,
    report: Report,
  ): StandardSchema | undefined {
    const { standard, compiled } = this.#judges
    const alone = (own: Schema) => this.#selfContained(operation, own, 'input', NO_DEFINITIONS, namesIn(own, operation))
    const found = standard ? writtenFor(schema, json, this.#definitions, alone) : undefined
    if (found === undefined && !compiled) {
      const needed = `option "contract" has no "compile", and nobody wrote a Standard Schema for the "${part}" of`
      report(needed, `"${operation}" in version "${this.#version}"`)
    }
    return found
  }

  /** Returns a schema with its definitions under `$defs`. */
  #selfContained(
    operation: string,
    schema: Schema,
    direction: Direction,
    definitions = this.#definitions,
    names = this.#names,
  ): JsonSchema {
    const schemas = new DocumentSchemas(definitions, names)
    const root = schemas.use(schema, { direction, hint: 'part', operation, neutral: false })
    const $defs = schemas.finish()
    const outside = new Set<string>()
    const whole = { ...(root as JsonSchema), ...(Object.keys($defs).length === 0 ? {} : { $defs }) }
    const local = localized(whole, outside, '', (path, source) => {
      const [, keyword, name, ...inner] = path.split('/')
      this.oddPatterns.set(keyword === '$defs' ? [`${name}#`, ...inner].join('/') : `${operation}#${path}`, source)
    })
    const isGiven = (this.#routes.elsewhere()?.documents.length ?? 0) > 0
    if (outside.size === 0) return isGiven ? withoutOfOther(local, direction) : local
    throw new TypeError(`its reference "${[...outside].join('", "')}" leads to no schema that a description has`)
  }

  #try<Result>(operation: string, report: Report, run: () => Result): Result | undefined {
    try {
      return run()
    } catch (error) {
      report(`"${operation}" in version "${this.#version}": ${ended((error as Error).message)}`)
      return undefined
    }
  }
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
