// Given documents, or the empty one of a table without: their operations as the table has them, and several as one.

import { isDeepStrictEqual } from 'node:util'
import type { GivenDocument, RouteFacts } from '../registry'
import { isContent, schemaIn } from '../schemas/check'
import { isObject, type JsonSchema } from '../schemas/model'
import { below } from '../schemas/pointers'
import { byStatus } from '../schemas/responses'
import type { Operation } from '../survey/survey'
import type { OperationDescription, Schema } from '../types'
import { FIELDS, type Kind, type PartsInVersion, type PartUse } from './document-parts'
import { NO_SCHEMAS } from './given/document-schemas'
import type { DocumentSchemas } from './user-schemas'
import { GONE } from './version-facts'

/** An operation before it is written for a version: that of a given document, or an empty one of a table without. */
export interface BaseOperation {
  readonly value: JsonSchema
  readonly use: PartUse
  /** The operation as the table has it. */
  readonly operation: Operation
  /** The description in the document, as the table reads it; undefined for an operation that no document has. */
  readonly given: OperationDescription | undefined
}

/** The operations of given documents, as the table has them. */
export class GivenTable {
  readonly #operations = new Map<string, Operation>()
  readonly #routes = new Map<string, RouteFacts>()

  constructor(
    facts: readonly RouteFacts[],
    operations: readonly Operation[],
    private readonly version: string,
  ) {
    for (const operation of operations) this.#operations.set(`${operation.method} ${operation.viewName}`, operation)
    for (const route of facts) if (route.givenAs !== undefined) this.#routes.set(route.viewName, route)
  }

  /** Tells whether an operation is one of a document. */
  isGiven({ viewName, method }: Operation): boolean {
    return this.#routes.get(viewName)?.givenFor(method) !== undefined
  }

  /** Tells whether the version has an operation. One that no request ever reaches stays as it was given. */
  isThere({ served, removed }: Operation): boolean {
    return served.has(this.version) || served.size + removed.size === 0
  }

  /** Returns a document as it was given, unless the version has any of the operations that were taken from older ones. */
  inVersion(document: GivenDocument): GivenDocument {
    const isThere = [...document.removable.keys()].some((operation) => {
      const [method, path] = operation.split(/ (.*)/s) as [string, string]
      const known = this.#operations.get(`${method} ${nameOf(document, path)}`)
      return known !== undefined && this.isThere(known)
    })
    return isThere ? document : { ...document, document: document.today }
  }

  /** Tells whether the version has any operation of a document. */
  hasAny(document: GivenDocument): boolean {
    const paths = Object.keys(isObject(document.document.paths) ? document.document.paths : {})
    return paths.some((path) => {
      const route = this.#routes.get(nameOf(document, path))
      return route?.methods.some((method) => {
        const operation = this.#operations.get(`${method} ${route.viewName}`)
        return operation !== undefined && this.isThere(operation)
      })
    })
  }

  /** Tells the names of all schemas that documents have. The schemas of one document share them, so one is enough. */
  tell(schemas: DocumentSchemas): void {
    for (const { viewName, methods, givenFor } of this.#routes.values()) {
      for (const method of methods) {
        // All methods of such a route are those of the document.
        const given = givenFor(method) as OperationDescription
        for (const schema of schemasOf(given)) schemas.know(schema, `${method} ${viewName}`)
      }
    }
  }

  /** Lists the operations of a path, each with the field that has it. */
  operationsOf(document: GivenDocument, path: string, item: JsonSchema, pointer: string) {
    const viewName = nameOf(document, path)
    const route = this.#routes.get(viewName)
    return Object.entries(item).flatMap(([field, value]) => {
      if (!FIELDS.has(field) || !isObject(value)) return []
      const method = field.toUpperCase()
      const given = route?.givenFor(method)
      if (given === undefined && document.removable.has(`${method} ${path}`)) return []
      const operation = given === undefined ? undefined : this.#operations.get(`${method} ${viewName}`)
      const neutral = operation?.neutral === true
      const use = { document, pointer: below(pointer, field), isSent: false, neutral }
      return [{ field, one: { value, use, operation, given } }]
    })
  }
}

function nameOf({ namespaces }: GivenDocument, path: string): string {
  return [...namespaces, path].join(':')
}

function schemasOf({ body, query, response }: OperationDescription): Schema[] {
  const bodies = [...byStatus(response, '200').values()].flatMap((one) =>
    one === null ? [] : isContent(one) ? Object.values(one.content).map(schemaIn) : [one as Schema],
  )
  return [body, query, ...bodies].filter((schema) => schema !== undefined && schema !== null) as Schema[]
}

const KINDS: Readonly<Record<string, Kind>> = {
  parameters: 'parameter',
  requestBodies: 'requestBody',
  responses: 'response',
  headers: 'header',
  callbacks: 'callback',
  pathItems: 'pathItem',
  mediaTypes: 'media',
}

/** The given documents that a version has operations of. */
export class Joined {
  readonly first: GivenDocument
  readonly openapi: string
  /** @throws {TypeError} for documents of different versions of OpenAPI. */
  constructor(readonly documents: readonly GivenDocument[]) {
    this.first = documents[0] as GivenDocument
    this.openapi = String(this.first.document.openapi)
    const other = documents.find(({ document }) => minorOf(document) !== minorOf(this.first.document))
    if (other === undefined) return
    throw new TypeError(
      `openapi(): the table has documents of OpenAPI ${this.openapi} and ${String(other.document.openapi)}, which cannot be one document. Convert one of them.`,
    )
  }

  /** Returns an operation of a document as the joined document has it: with the document's security. */
  own({ document }: GivenDocument, operation: JsonSchema): JsonSchema {
    const { security } = document
    const isOther = !isDeepStrictEqual(security, this.first.document.security) && operation.security === undefined
    return isOther ? { ...operation, security: security ?? [] } : operation
  }

  /** Returns a path of a document as the joined document has it: with the document's servers. */
  ownPath({ document }: GivenDocument, item: JsonSchema): JsonSchema {
    const { servers } = document
    const isOther = !isDeepStrictEqual(servers, this.first.document.servers) && item.servers === undefined
    return isOther ? { ...item, servers: servers ?? [{ url: '/' }] } : item
  }

  /** Returns everything but the paths and the schemas. */
  rest(parts: PartsInVersion): Record<string, unknown> & { components: Record<string, unknown> } {
    const components: Record<string, unknown> = {}
    const found: Record<string, unknown> = { ...this.first.document, components }
    for (const given of this.documents) {
      const { document } = given
      const use = { document: given, neutral: false }
      for (const [kind, all] of Object.entries(isObject(document.components) ? document.components : {})) {
        if (!isObject(all) || kind === 'schemas') {
          components[kind] ??= all
          continue
        }
        const known = KINDS[kind]
        // The items of paths are in place. Only webhooks and callbacks refer to others.
        const isSent = ['responses', 'headers', 'mediaTypes', 'pathItems'].includes(kind)
        const here = { ...use, pointer: `/components/${kind}`, isSent }
        const own = known === undefined ? all : (parts.all(known, all, here) as JsonSchema)
        components[kind] = this.#merged(kind, components[kind], own, all)
      }
      if (document.webhooks !== undefined) {
        const own = parts.all('pathItem', document.webhooks, { ...use, pointer: '/webhooks', isSent: true })
        found.webhooks = given === this.first ? own : { ...(own as object), ...(found.webhooks as object | undefined) }
      }
      if (given !== this.first && Array.isArray(document.tags)) found.tags = withTags(found.tags, document.tags)
    }
    return found as ReturnType<Joined['rest']>
  }

  /** @throws {TypeError} for two different components of one name. */
  #merged(kind: string, known: unknown, own: JsonSchema, given: JsonSchema): JsonSchema {
    if (known === undefined) return own
    for (const [name, value] of Object.entries(given)) {
      const other = this.documents
        .map(({ document }) => Object(Object(document.components)[kind])[name])
        .find((one) => one !== undefined)
      if (isDeepStrictEqual(other, value)) continue
      throw new TypeError(
        `openapi(): two documents of the table have different "${name}" in "components/${kind}". Rename one of them.`,
      )
    }
    return { ...own, ...(known as JsonSchema) }
  }
}

function minorOf({ openapi }: GivenDocument['document']): string {
  return String(openapi).slice(0, 3)
}

function withTags(known: unknown, added: readonly unknown[]): unknown[] {
  const all = Array.isArray(known) ? known : []
  const has = (tag: unknown) => all.some((one) => Object(one).name === Object(tag).name)
  return [...all, ...added.filter((tag) => !has(tag))]
}

/**
 * Returns the document of a table that was made from none: nothing is said there but its server, with its fields in order.
 *
 * @param url the URL of the server.
 */
export function emptyDocument(openapi: string, url: string): GivenDocument {
  const document = {
    openapi,
    'x-preview': undefined,
    [GONE]: undefined,
    info: { title: 'API' },
    servers: [{ url }],
    paths: {},
    webhooks: undefined,
    components: undefined,
  }
  const none = { isOfNest: false, removable: new Map(), schemas: NO_SCHEMAS, prefix: '', namespaces: [] }
  return { document, today: document, ...none }
}
