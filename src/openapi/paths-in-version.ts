// The paths of a document in a version, with their operations.

import { isDeepStrictEqual } from 'node:util'
import type { GivenDocument, PathPart } from '../registry'
import { besideReference } from '../schemas/keywords'
import { isObject, type JsonSchema } from '../schemas/model'
import { below, stepsOf } from '../schemas/pointers'
import type { Operation } from '../survey/survey'
import { methodFieldsIn } from '../util/operation'
import { ended } from '../util/text'
import { FIELDS, located, type PartsInVersion, patched } from './document-parts'
import { type DocumentPaths, plainName, writtenPath } from './document-paths'
import type { BaseOperation, GivenTable, Joined } from './given-documents'
import type { OpenApiOperation, OpenApiParameter } from './openapi-types'
import { operationInVersion, pathParametersOf, type SharedParameters } from './operation-in-version'
import type { Shared } from './version-facts'

/** A path of a document in a version, with its operations there. */
interface Item {
  readonly path: string
  /** The same path as the document has it. */
  readonly today: string
  /** The item in the document, and its place. */
  readonly value: JsonSchema
  readonly pointer: string
  /** The same with the fields beside the reference that leads to it, and without its operations. */
  readonly rest: JsonSchema
  readonly operations: ReturnType<GivenTable['operationsOf']>
}

/** A path of a document that is a reference. */
interface Referring {
  readonly given: JsonSchema
  readonly template: string
  /** The prefix of the document's paths. */
  readonly prefix: string
}

/** The paths of given documents in a version. */
export class PathsInVersion {
  readonly #referring: Referring[] = []

  constructor(
    private readonly table: GivenTable,
    private readonly joined: Joined,
    private readonly parts: PartsInVersion,
    private readonly shared: Shared,
  ) {}

  /** Adds the paths of a document, below the prefix of its table. */
  add(document: GivenDocument, start: readonly PathPart[], paths: DocumentPaths): void {
    const { template: prefix, parameters } = writtenPath(start)
    const all = Object.entries(isObject(document.document.paths) ? document.document.paths : {})
    const found = all.map(([path, value]) => {
      const isItem = !path.startsWith('x-') && isObject(value)
      return { path, value, items: isItem ? this.#itemsOf(document, path, value) : undefined }
    })
    const moved = new Set(
      found.flatMap(({ items }) => items?.flatMap(({ path, today }) => (path === today ? [] : path)) ?? []),
    )
    for (const { path, value, items } of found) {
      if (items === undefined) paths.items[path] = value as object
      for (const item of items ?? []) {
        const made = this.#made(document, item, moved.has(item.path), parameters)
        const template = templateBelow(prefix, item.path)
        paths.add(template, this.joined.ownPath(document, made))
        const given = value as JsonSchema
        if (given.$ref !== undefined && item.path === path) this.#referring.push({ given, template, prefix })
      }
    }
  }

  /**
   * Puts the references of paths back that lead to the same item in the version. An item among the components is that of its paths,
   * unless webhooks or callbacks refer to it too. Called when all schemas are filled in.
   */
  restore({ items }: DocumentPaths, components: JsonSchema): JsonSchema {
    const pathItems: Record<string, unknown> = { ...Object(components.pathItems) }
    const known = new Set<string>()
    const restored = this.#referring.flatMap(({ given, template, prefix }) => {
      const { $ref, ...beside } = given
      const steps = stepsOf(String($ref))
      const name = String(steps.pop())
      const path = templateBelow(prefix, name)
      const isPath = steps.join() === 'paths'
      if (!isPath && steps.join() !== 'components,pathItems') return []
      const made = items[template] as object
      const isOwn = !isPath && !known.has(name) && !this.parts.pathItems.has(String($ref)) && isEmpty(beside)
      if (isOwn) pathItems[name] = made
      known.add(name)
      const item = { ...Object(isPath ? items[path] : pathItems[name]), ...beside }
      if (!isDeepStrictEqual(withoutIds(item), withoutIds(made))) return []
      return [[template, isPath && path !== name ? { ...given, $ref: `#${below('/paths', path)}` } : given]]
    })
    Object.assign(items, Object.fromEntries(restored))
    return isEmpty(pathItems) ? components : patched(components, { pathItems })
  }

  /** Returns the items of a path: one for each path that the version has its operations at. */
  #itemsOf(document: GivenDocument, today: string, given: JsonSchema): Item[] {
    const { value, pointer } = located(given, below('/paths', today), document)
    const operations = this.table.operationsOf(document, today, value, pointer)
    const there = operations.filter(({ one }) => one.operation === undefined || this.table.isThere(one.operation))
    const fields = Object.keys(value).filter((field) => FIELDS.has(field))
    if (fields.length > 0 && there.length === 0) return []
    const pathOf = ({ one }: (typeof there)[number]) => this.#movedFrom(one.operation) ?? today
    const paths = there.length === 0 ? [today] : new Set(there.map(pathOf))
    // They keep their places among the fields.
    const gone = Object.fromEntries(fields.map((field) => [field, undefined]))
    const rest = { ...value, ...besideReference(given), ...gone }
    return [...paths].map((path) => {
      return { path, today, value, pointer, rest, operations: there.filter((one) => pathOf(one) === path) }
    })
  }

  /** Returns the path of an operation in the version, if that is not today's. */
  #movedFrom(operation: Operation | undefined): string | undefined {
    const { options, version } = this.shared
    if (operation === undefined || operation.neutral) return undefined
    return options.changes?.moves?.routeIn(operation.method, operation.viewName, version.version)?.path
  }

  /** Makes an item. `isShared`: another item may have the same path, so its operations have the parameters themselves. */
  #made(
    document: GivenDocument,
    { value, pointer, rest, operations }: Item,
    isShared: boolean,
    ofPrefix: readonly OpenApiParameter[],
  ): JsonSchema {
    const known = operations.flatMap(({ one }) => (one.operation === undefined ? [] : [one as BaseOperation]))
    const { version } = this.shared.version
    const place = below(pointer, 'parameters')
    const { moved, kept } = isShared
      ? { moved: { value: Array.isArray(value.parameters) ? value.parameters : [], pointer: place }, kept: [] }
      : pathParametersOf(value, place, document, known, version)
    const use = { document, pointer: moved.pointer, isSent: false, neutral: false }
    const parameters = [...(this.parts.all('parameter', kept, use) as unknown[]), ...ofPrefix]
    const hasParameters = parameters.length > 0 || (moved.value.length === 0 && value.parameters !== undefined)
    const made = operations.map(({ field, one }) => [
      field,
      one.operation === undefined
        ? this.parts.part('operation', one.value, one.use)
        : this.joined.own(document, this.#operation(one as BaseOperation, moved)),
    ])
    return patched(rest, { parameters: hasParameters ? parameters : undefined, ...Object.fromEntries(made) })
  }

  #operation(one: BaseOperation, moved: SharedParameters): JsonSchema {
    const address = one.operation.served.get(this.shared.version.version)?.addresses[0]
    return operationInVersion(one, moved, address, this.parts, this.shared)
  }

  /**
   * Adds an operation that no document has, at each of its addresses.
   *
   * @param document the document that it is added to.
   * @param below returns a whole path as the document has it.
   */
  addOfTable(
    operation: Operation,
    document: GivenDocument,
    below: (path: readonly PathPart[]) => readonly PathPart[],
    paths: DocumentPaths,
  ): void {
    const { openapi, version } = this.shared
    const method = methodFieldsIn(openapi).find((field) => field === operation.method.toLowerCase())
    const served = operation.served.get(version.version)
    // OpenAPI has no field for other methods.
    if (method === undefined || served === undefined) return
    const found = served.addresses.flatMap((address) => {
      const { item, parameters } = paths.at(below(address.path))
      // Two operations may share a path. Requests reach the first.
      if (item[method] !== undefined) return []
      item[method] = PENDING
      return { address, item, parameters }
    })
    const { neutral } = operation
    const use = { document, pointer: '', isSent: false, neutral }
    // The shortest path, without optional parts, gets the plain name.
    for (const { address, item, parameters } of found.toReversed()) {
      const one = { value: emptyOperation(operation, method, parameters), use, operation, given: undefined }
      try {
        item[method] = operationInVersion(one, NO_PARAMETERS, address, this.parts, this.shared) as OpenApiOperation
      } catch (cause) {
        const what = `the description of "${operation.method} ${operation.viewName}"`
        throw new TypeError(`openapi(): ${what} cannot be written as OpenAPI: ${ended((cause as Error).message)}`, {
          cause,
        })
      }
    }
  }
}

/** The placeholder of an operation whose name is not known yet. */
const PENDING = { operationId: '', responses: {} }

const NO_PARAMETERS: SharedParameters = { value: [], pointer: '' }

/** Returns an operation of which nothing is said but its name and its path, with its fields in order. */
function emptyOperation(
  { namespaces, name }: Operation,
  method: string,
  parameters: readonly OpenApiParameter[],
): JsonSchema {
  return {
    operationId: [method, ...namespaces, name].map((part) => plainName(part, '-')).join('-'),
    tags: undefined,
    summary: undefined,
    description: undefined,
    deprecated: undefined,
    'x-sunset': undefined,
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody: undefined,
    responses: undefined,
  }
}

function templateBelow(prefix: string, path: string): string {
  return path === '/' && prefix !== '' ? prefix : prefix + path
}

/** Returns an item without the names of its operations, which are unique in a document. */
function withoutIds(item: object): object {
  const entries = Object.entries(item)
  return Object.fromEntries(
    entries.map(([field, one]) => [field, FIELDS.has(field) ? { ...one, operationId: undefined } : one]),
  )
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0
}
