// The paths of given documents in a version.

import { besideReference } from '../../schemas/keywords'
import { isObject, type JsonSchema } from '../../schemas/model'
import { below } from '../../schemas/pointers'
import type { Operation } from '../../survey/survey'
import type { GivenDocument, PathPart } from '../../types'
import type { OpenApiParameter } from '../model'
import { type DocumentPaths, templateOf } from '../paths'
import type { Shared } from '../responses'
import type { Joined } from './joined'
import type { GivenOperation } from './model'
import { graftedOperation, pathParametersOf } from './operation'
import { type GivenParts, located } from './parts'
import type { GivenTable } from './table'

/** A path of a document in a version, with its operations there. */
interface Item {
  readonly path: string
  /** The same path as the document has it. */
  readonly today: string
  /** The item in the document. */
  readonly value: JsonSchema
  readonly pointer: string
  /** The fields of the item beside its operations. */
  readonly beside: Readonly<Record<string, unknown>>
  readonly operations: ReturnType<GivenTable['operationsOf']>
}

/** The paths of given documents in a version. */
export class GivenPaths {
  constructor(
    private readonly table: GivenTable,
    private readonly joined: Joined,
    private readonly parts: GivenParts,
    private readonly shared: Shared,
  ) {}

  /** Adds the paths of a document, below the prefix of its table. */
  add(document: GivenDocument, start: readonly PathPart[], paths: DocumentPaths): void {
    const { template: prefix, parameters } = templateOf(start)
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
        const template = item.path === '/' && prefix !== '' ? prefix : prefix + item.path
        paths.add(template, this.joined.ownPath(document, made))
      }
    }
  }

  /** Returns the items of a path: one for each path that the version has its operations at. */
  #itemsOf(document: GivenDocument, today: string, given: JsonSchema): Item[] {
    const { value, pointer } = located(given, below('/paths', today), document)
    const operations = this.table.operationsOf(document, today, value, pointer)
    const there = operations.filter(({ one }) => one.operation === undefined || this.table.isThere(one.operation))
    if (operations.length > 0 && there.length === 0) return []
    const pathOf = ({ one }: (typeof there)[number]) => this.#movedFrom(one.operation) ?? today
    const paths = there.length === 0 ? [today] : new Set(there.map(pathOf))
    const all: Record<string, unknown> = { ...value, ...besideReference(given) }
    for (const { field } of operations) delete all[field]
    return [...paths].map((path) => {
      return { path, today, value, pointer, beside: all, operations: there.filter((one) => pathOf(one) === path) }
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
    { value, pointer, beside, operations }: Item,
    isShared: boolean,
    ofPrefix: readonly OpenApiParameter[],
  ): JsonSchema {
    const known = operations.flatMap(({ one }) => (one.operation === undefined ? [] : [one as GivenOperation]))
    const { version } = this.shared.version
    const place = below(pointer, 'parameters')
    const { moved, kept } = isShared
      ? { moved: { value: Array.isArray(value.parameters) ? value.parameters : [], pointer: place }, kept: [] }
      : pathParametersOf(value, place, document, known, version)
    const use = { document, pointer: moved.pointer, isReversed: false, isResponse: false, neutral: false }
    const parameters = [...(this.parts.all('parameter', kept, use) as unknown[]), ...ofPrefix]
    const { parameters: _all, ...item }: Record<string, unknown> = beside
    if (parameters.length > 0 || (moved.value.length === 0 && value.parameters !== undefined)) {
      item.parameters = parameters
    }
    for (const { field, one } of operations) {
      item[field] =
        one.operation === undefined
          ? this.parts.part('operation', one.value, one.use)
          : this.joined.own(document, graftedOperation(one as GivenOperation, moved, this.parts, this.shared))
    }
    return item
  }
}
