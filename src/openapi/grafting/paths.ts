// The paths of given documents in a version.
import { isObject, type JsonSchema } from '../../schemas/model'
import type { GivenDocument, PathPart } from '../../types'
import { below } from '../given/references'
import type { OpenApiParameter } from '../model'
import { type DocumentPaths, templateOf } from '../paths'
import type { Shared } from '../responses'
import type { Joined } from './joined'
import type { GivenOperation } from './model'
import { graftedOperation, pathParametersOf } from './operation'
import { type GivenParts, located } from './parts'
import type { GivenTable } from './table'

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
    const all = isObject(document.document.paths) ? document.document.paths : {}
    for (const [path, value] of Object.entries(all)) {
      if (path.startsWith('x-') || !isObject(value)) {
        paths.items[path] = value as object
        continue
      }
      const item = this.#itemOf(document, path, value, parameters)
      if (item === undefined) continue
      paths.add(path === '/' && prefix !== '' ? prefix : prefix + path, this.joined.ownPath(document, item))
    }
  }

  /** Returns a path as the version has it; undefined if the version has none of its operations. */
  #itemOf(
    document: GivenDocument,
    path: string,
    given: JsonSchema,
    ofPrefix: readonly OpenApiParameter[],
  ): JsonSchema | undefined {
    const { $ref: _reference, ...beside } = given
    const { value, pointer } = located(given, below('/paths', path), document)
    const all = this.table.operationsOf(document, path, value, pointer)
    const there = all.filter(({ one }) => one.operation === undefined || this.table.isThere(one.operation))
    if (all.length > 0 && there.length === 0) return undefined
    const known = there.flatMap(({ one }) => (one.operation === undefined ? [] : [one as GivenOperation]))
    const { version } = this.shared.version
    const { moved, kept } = pathParametersOf(value, below(pointer, 'parameters'), document, known, version)
    const use = { document, pointer: moved.pointer, isReversed: false, isResponse: false, neutral: false }
    const parameters = [...(this.parts.all('parameter', kept, use) as unknown[]), ...ofPrefix]
    const { parameters: _all, ...item }: Record<string, unknown> = { ...value, ...beside }
    for (const { field } of all) delete item[field]
    if (parameters.length > 0 || (moved.value.length === 0 && value.parameters !== undefined)) {
      item.parameters = parameters
    }
    for (const { field, one } of there) {
      item[field] =
        one.operation === undefined
          ? this.parts.part('operation', one.value, one.use)
          : this.joined.own(document, graftedOperation(one as GivenOperation, moved, this.parts, this.shared))
    }
    return item
  }
}
