// A document as the draft reads it: its named schemas, and the bodies of its operations.
import { routesOf } from '../../openapi/given/routes-of'
import { shapeOf, templateOf } from '../../openapi/given/templates'
import type { ElsewhereFacts, RouteRegistry } from '../../registry'
import { behindReferences } from '../../schemas/addresses'
import { isContent, isItemContent, schemaIn } from '../../schemas/check'
import { isObject, type JsonSchema, type SchemaReading } from '../../schemas/model'
import { readSchema } from '../../schemas/reading'
import { byStatus } from '../../schemas/responses'
import type { ItemContent, OperationDescription, ResponseBody, Schema } from '../../types'
import { operationMethods } from '../../util/operation'
import { shown } from '../../util/options'

/** The schemas of a response by media type; `null` for none. */
export type Content = ReadonlyMap<string, SchemaReading> | null

/** An operation of a document. */
export interface OperationView {
  readonly method: string
  /** The path as the document writes it. */
  readonly path: string
  /** Its `operationId`. */
  readonly id: unknown
  readonly body: SchemaReading | null
  readonly query: SchemaReading | undefined
  /** The responses by status, by a range of statuses, or `default`. */
  readonly responses: ReadonlyMap<string, Content>
  /** The items of their streams. */
  readonly items: ReadonlyMap<string, Content>
  /** `true` if its successes are streams alone. */
  readonly isStreaming: boolean
  /** `true` if the newer document has it at another path, as far as one can guess. */
  readonly isGuess?: boolean
}

/** The comparison of schemas of two documents, and their text. */
export interface SchemaSettings {
  same(older: SchemaReading, newer: SchemaReading): boolean
  written(older: SchemaReading): JsonSchema
}

/** A document. */
export interface DocumentView {
  /** The name of its version. */
  readonly version: string
  readonly document: JsonSchema
  /** Its table. */
  readonly routes: RouteRegistry
  readonly definitions: ReadonlyMap<string, JsonSchema>
  /**
   * The operations by method and path; one that has moved has the path of the newest document that has it. Names of path parameters
   * do not count in the keys.
   */
  readonly operations: ReadonlyMap<string, OperationView>
  /** The parts that say too little. */
  readonly open: readonly string[]
}

/**
 * Reads a document.
 *
 * @throws {TypeError} for a document that `routesOf()` rejects, and for one without `info.version`.
 */
export function viewOf(document: object): DocumentView {
  const routes = routesOf(document) as unknown as RouteRegistry
  const { info } = document as JsonSchema
  const version = isObject(info) ? info.version : undefined
  if (typeof version !== 'string' || version === '') {
    throw new TypeError(`a document names its version as "info.version"; got ${shown(version)}.`)
  }
  const { open, documents } = routes.elsewhere() as ElsewhereFacts
  const read = documents[0]?.document as JsonSchema
  const operations = new Map<string, OperationView>()
  for (const facts of routes.facts()) {
    for (const method of operationMethods(facts)) {
      const path = facts.viewName
      const described = facts.describedAs(method) as OperationDescription
      operations.set(`${method} ${shapeIn(path)}`, {
        ...operationOf(method, path, described),
        id: idOf(method, path, read),
        isStreaming: facts.isStreaming(method),
      })
    }
  }
  return {
    version,
    routes,
    document: read,
    definitions: definitionsIn(operations.values()),
    operations,
    open: open.flatMap(({ message, isInside }) => (isInside ? [] : message)),
  }
}

/** Returns a path without the names of its parameters. Routers ignore letter case and a slash at the end. */
export function shapeIn(path: string): string {
  return shapeOf(templateOf(path), { caseSensitive: false, strict: false })
}

export function isSuccess(status: string): boolean {
  return status.startsWith('2')
}

/** Tells whether a framework made the `operationId`: NestJS of the controller, FastAPI of the path. */
export function isGeneratedId({ id, path, method }: OperationView): boolean {
  if (typeof id !== 'string') return false
  const end = `${path.replace(/\W/g, '_')}_${method.toLowerCase()}`
  return /^[A-Za-z\d]+Controller(?:V\d+)?_/.test(id) || id.endsWith(end)
}

function idOf(method: string, path: string, document: JsonSchema): unknown {
  const item = Object(behindReferences(Object(document.paths)[path], document))
  return Object(item[method.toLowerCase()] ?? Object(item.additionalOperations)[method]).operationId
}

function operationOf(
  method: string,
  path: string,
  { body, query, response }: OperationDescription,
): Omit<OperationView, 'id' | 'isStreaming'> {
  const said = [...byStatus<ResponseBody>(response, '200')]
  const read = (isRead: (media: Schema | ItemContent) => boolean) =>
    new Map(said.map(([status, one]) => [status, contentOf(one, isRead)]))
  return {
    method,
    path,
    body: body === undefined || body === null ? null : readSchema(body, 'input'),
    query: query === undefined ? undefined : readSchema(query, 'input'),
    responses: read((media) => !isItemContent(media)),
    items: read(isItemContent),
  }
}

function contentOf(said: ResponseBody, isRead: (media: Schema | ItemContent) => boolean): Content {
  if (said === null) return null
  const content = isContent(said) ? said.content : { 'application/json': said as Schema }
  const read = Object.entries(content).filter(([, media]) => isRead(media))
  return read.length === 0 ? null : new Map(read.map(([type, media]) => [type, readSchema(schemaIn(media), 'output')]))
}

/** Returns a function that tells whether both documents have a named schema. */
export function isSharedBy(older: DocumentView, newer: DocumentView): (name: string) => boolean {
  return (name) => older.definitions.has(name) && newer.definitions.has(name)
}

/** Returns the definitions that the operations of a document share. */
function definitionsIn(operations: Iterable<OperationView>): ReadonlyMap<string, JsonSchema> {
  const all = new Map<string, JsonSchema>()
  const seen = new Set<object>()
  for (const operation of operations) {
    for (const { definitions } of readingsIn(operation)) {
      if (seen.has(definitions)) continue
      seen.add(definitions)
      for (const [key, schema] of definitions) all.set(key, schema)
    }
  }
  return all
}

/** Lists the schemas of an operation. */
function readingsIn({ body, query, ...received }: OperationView): SchemaReading[] {
  return [body, query, ...responsesIn(received)].filter((reading) => reading !== null && reading !== undefined)
}

/** Lists the schemas of an operation's responses and of the items in them. */
export function responsesIn({ responses, items }: Pick<OperationView, 'responses' | 'items'>): SchemaReading[] {
  return [...responses.values(), ...items.values()].flatMap((content) => [...(content?.values() ?? [])])
}
