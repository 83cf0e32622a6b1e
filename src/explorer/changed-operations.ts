// What changed, by version and operation: the one model behind pages, texts, JSON, letters and the changelog.

import type { ListedChange, RequestChanges } from '../bound-changes'
import type { VersioningOptions } from '../middleware/versioning-options'
import { joinPaths } from '../routes/table'
import { type Operation, type Survey, Surveyor } from '../survey/survey'
import type { SurveyedVersion } from '../survey/versions'
import type { ListedOperation, ListedPart, ListedShape } from '../types'
import { ALL } from '../util/operation'
import { checkKeys, shown } from '../util/options'
import { didYouMean, near } from '../util/suggest'
import { ExampleMaker, type Examples, type Sides } from './change-examples'
import { type Row, rowsOf } from './rows'

/** One part of an operation, with what clients must do, and an example of each side. */
export interface ChangedPart {
  /** The part of requests or of responses. */
  readonly part: 'query' | 'body' | 'response' | 'error' | 'item' | 'headers' | 'status'
  /** The sentences for the people who call the API; names are code in Markdown. */
  readonly sentences: readonly string[]
  /** The example in the version before; undefined if nobody can tell one. */
  readonly before?: unknown
  /** The same in this version. */
  readonly after?: unknown
}

/** An operation that a change names. */
export interface ChangedOperation {
  /** Its method; `*` for all operations. */
  readonly method: string
  /** Its name, without the namespace of a version. */
  readonly name: string
  /** Its path as a pattern, in this version; that of the version before if it was removed. */
  readonly path: string
  /** The path in the version before, if it was moved. */
  readonly olderPath?: string
  /** The kind of its change. */
  readonly kind: 'added' | 'removed' | 'moved' | 'changed'
  /** Its parts that changed. */
  readonly parts: readonly ChangedPart[]
}

/** A shape that a change names: the same in all operations that contain it. */
export interface ChangedShape {
  /** The name of its schema. */
  readonly name: string
  /** The sentences for the people who call the API. */
  readonly sentences: readonly string[]
  /** The example in the version before; undefined if nobody can tell one. */
  readonly before?: unknown
  /** The same in this version. */
  readonly after?: unknown
  /** The operations that contain it, such as `GET user`. */
  readonly operations: readonly string[]
}

/** A change of a version. */
export interface ChangeOfVersion {
  /** The description, for people. */
  readonly description: string
  /** The shapes that it names. */
  readonly shapes: readonly ChangedShape[]
  /** The operations that it names. */
  readonly operations: readonly ChangedOperation[]
}

/** A version, and what changed in it. */
export interface ChangedVersion {
  /** Its name. */
  readonly version: string
  /** The date of its deprecation, in ISO 8601. */
  readonly deprecated?: string
  /** The date of its end, in ISO 8601. */
  readonly sunset?: string
  /** `true` if it is served no more. */
  readonly gone?: true
  /** Its changes, oldest first. */
  readonly changes: readonly ChangeOfVersion[]
}

/** The changes between two versions. */
export interface ApiChanges {
  /** The versions behind the first one, oldest first. */
  readonly versions: readonly ChangedVersion[]
}

/** Options of {@link changesOf}. */
export interface ChangesOptions {
  /** The version that clients are written for; its own changes are left out. Default: all versions. */
  readonly from?: string | undefined
  /** The version to go to. Default: the newest one that is no preview. */
  readonly to?: string | undefined
  /** The mount path of `versioning()` and its table, such as `/api`. Default `/`. */
  readonly mount?: string | undefined
}

const OWNER = 'changesOf()'

/**
 * Lists what changed between two versions, for the people who call the API: what to send instead, and examples as the server
 * has them.
 *
 * @param options the same object as for `versioning()`.
 * @throws {TypeError} for options without `routes` or allowed versions, and for unknown versions.
 * @example
 * const { versions } = changesOf(options, { from: 'v1', to: 'v3' })
 */
export function changesOf(options: VersioningOptions, given: ChangesOptions = {}): ApiChanges {
  checkKeys(OWNER, given, ['from', 'to', 'mount'])
  const { versions } = whatChanged(new Surveyor(OWNER, options, given.mount))
  return JSON.parse(JSON.stringify({ versions: between(versions, given).map(publicVersion) }))
}

/** A shape of the model, and the rows of the table that contain it. */
export interface ToldShape extends ChangedShape {
  readonly rows: readonly Row[]
}

/** An operation of the model, and its row in the table; undefined for all operations. */
export interface ToldOperation extends ChangedOperation {
  readonly row: Row | undefined
}

/** A change of the model. */
export interface ToldChange {
  /** Its place in the history, from 1, for addresses. */
  readonly number: number
  readonly description: string
  readonly shapes: readonly ToldShape[]
  readonly operations: readonly ToldOperation[]
}

/** A version of the model. */
export interface ToldVersion extends Omit<SurveyedVersion, 'changes'> {
  readonly changes: readonly ToldChange[]
}

/** The model of what changed, as of one survey. Examples are made when they are read. */
export class WhatChanged {
  /** The rows of the table. */
  readonly rows: readonly Row[]
  /** The versions, oldest first. */
  readonly versions: readonly ToldVersion[]
  readonly #surveyor: Surveyor
  readonly #maker: ExampleMaker

  constructor(surveyor: Surveyor, { operations, versions }: Survey) {
    const { options, routes, mountPattern } = surveyor
    this.#surveyor = surveyor
    // Without a history, nobody asks for examples.
    this.#maker = new ExampleMaker(options.changes as RequestChanges, routes.elsewhere()?.documents ?? [])
    this.rows = rowsOf(operations, versions, mountPattern)
    this.versions = versions.map((version) => ({
      ...version,
      changes: version.changes.map((change) =>
        this.#told(change, { older: change.olderVersion, newer: version.version }),
      ),
    }))
  }

  #told({ number, description, shapes, operations }: ListedChange, sides: Sides): ToldChange {
    return {
      number,
      description,
      shapes: shapes.map((shape) => this.#shape(shape, sides)),
      operations: operations.flatMap((operation) => this.#operations(operation, sides)),
    }
  }

  #shape(shape: ListedShape, sides: Sides): ToldShape {
    const { name, sentences } = shape
    const rows = this.rows.filter(({ operations }) =>
      operations.some(
        ({ method, viewName, neutral }) => !neutral && shape.operations.includes(`${method} ${viewName}`),
      ),
    )
    const operations = rows.map((row) => `${row.method} ${row.name}`)
    return withExamples({ name, sentences, operations, rows }, () => this.#maker.ofShape(shape, sides))
  }

  #operations({ method, viewNames, kind, olderPath, parts }: ListedOperation, sides: Sides): ToldOperation[] {
    if (method === ALL) return [{ method, name: ALL, path: ALL, kind, parts: parts.map(plainPart), row: undefined }]
    const { older, newer } = sides
    return this.rows.flatMap((row) => {
      const own = row.operations.filter(
        (one) => !one.neutral && one.method === method && viewNames.includes(one.viewName),
      )
      const operation = own.find(({ served }) => served.has(newer)) ?? own.at(-1)
      if (operation === undefined) return []
      const pathIn = (version: string) => this.#pathIn(operation, version) ?? row.path
      return {
        method,
        name: row.name,
        path: pathIn(kind === 'removed' ? older : newer),
        ...(olderPath === undefined ? {} : { olderPath: pathIn(older) }),
        kind,
        parts: parts.map((part) => this.#part(part, operation, sides)),
        row,
      }
    })
  }

  #part(part: ListedPart, operation: Operation, sides: Sides): ChangedPart {
    if (part.statuses !== undefined) return plainPart(part)
    return withExamples(plainPart(part), () => this.#maker.ofPart(part.part, operation, sides))
  }

  /** Returns the whole path that an operation has in a version; undefined if it was never moved. */
  #pathIn({ method, viewName }: Operation, version: string): string | undefined {
    const { options, mountPattern } = this.#surveyor
    const moved = options.changes?.moves?.routeIn(method, viewName, version)
    return moved && joinPaths(mountPattern, moved.pattern)
  }
}

/** Writes an operation as code. */
export function called({ method, path }: Pick<ChangedOperation, 'method' | 'path'>): string {
  return method === ALL ? 'all operations' : `\`${method} ${path}\``
}

/** Lists the sentences that say more than the description of their change. */
export function newsIn({ sentences }: Pick<ChangedPart, 'sentences'>, { description }: ChangeOfVersion): string[] {
  return sentences.filter((one) => one !== description)
}

/** Says what became of an operation as a whole; undefined if it is where it was. */
export function fateOf(operation: ChangedOperation): string | undefined {
  const { kind, method, olderPath } = operation
  if (kind === 'changed') return undefined
  if (kind === 'moved') return `${called({ method, path: String(olderPath) })} is ${called(operation)} now.`
  return `${called(operation)} is ${kind === 'added' ? 'new' : 'removed'}.`
}

/**
 * Lists what a change says to clients, beside its description.
 *
 * @param isListed `true` where a list of added and removed operations stands beside it.
 */
export function sentencesIn(change: ToldChange, isListed = false): string[] {
  const ofOperations = change.operations.flatMap((operation) => [
    (isListed && operation.kind !== 'moved' ? undefined : fateOf(operation)) ?? [],
    ...operation.parts.flatMap((part) => newsIn(part, change).map((one) => `${called(operation)}: ${one}`)),
  ])
  const ofShapes = change.shapes.flatMap((shape) => newsIn(shape, change).map((one) => `\`${shape.name}\`: ${one}`))
  return [...ofOperations.flat(), ...ofShapes]
}

const models = new WeakMap<Survey, WhatChanged>()

/** Returns the model of a survey, by default that as of now. It is made once. */
export function whatChanged(surveyor: Surveyor, survey: Survey = surveyor.survey): WhatChanged {
  const model = models.get(survey) ?? new WhatChanged(surveyor, survey)
  models.set(survey, model)
  return model
}

function plainPart({ part, sentences, statuses }: ListedPart): ChangedPart {
  return { part, sentences, ...(statuses && { before: statuses.older, after: statuses.newer }) }
}

/** Adds two examples, which are made when one of them is read. */
function withExamples<Told extends object>(told: Told, make: () => Examples): Told & Examples {
  let made: Examples | undefined
  const examples = () => {
    made ??= make()
    return made
  }
  return Object.defineProperties(told as Told & Examples, {
    before: { enumerable: true, get: () => examples().before },
    after: { enumerable: true, get: () => examples().after },
  })
}

/**
 * Returns the versions behind one, up to another.
 *
 * @throws {TypeError} for an unknown version, and for versions in the wrong order.
 */
export function between(
  versions: readonly ToldVersion[],
  { from, to }: Pick<ChangesOptions, 'from' | 'to'>,
  owner = OWNER,
): readonly ToldVersion[] {
  const found = knownBetween(versions, { from, to })
  if (found !== undefined) return found
  const names = versions.map(({ version }) => version)
  for (const [option, version] of Object.entries({ from, to })) {
    if (version === undefined || names.includes(version)) continue
    const hint = didYouMean(near(String(version), names))
    throw new TypeError(`${owner}: option "${option}" takes a version of the API; got ${shown(version)}.${hint}`)
  }
  throw new TypeError(`${owner}: option "from" takes a version before ${shown(to)}; got ${shown(from)}.`)
}

/** Does the same, and returns undefined for an unknown version, and for versions in the wrong order. */
export function knownBetween(
  versions: readonly ToldVersion[],
  { from, to }: Pick<ChangesOptions, 'from' | 'to'>,
): readonly ToldVersion[] | undefined {
  const at = (name: string) => versions.findIndex(({ version }) => version === name)
  const first = from === undefined ? 0 : at(from) + 1
  const last = to === undefined ? versions.length : at(to) + 1
  const isKnown = (from === undefined || first > 0) && (to === undefined || last > 0)
  if (!isKnown || first > last) return undefined
  return versions.slice(first, last).filter(({ version, isPreview }) => !isPreview || version === to)
}

/** Returns a version as JSON shows it. */
export function publicVersion({ version, deprecated, sunset, isGone, changes }: ToldVersion): ChangedVersion {
  return {
    version,
    ...(deprecated === undefined ? {} : { deprecated: new Date(deprecated).toISOString() }),
    ...(sunset === undefined ? {} : { sunset: new Date(sunset).toISOString() }),
    ...(isGone ? { gone: true } : {}),
    changes: changes.map(publicChange),
  }
}

/** Returns a change as JSON shows it. */
export function publicChange({ description, shapes, operations }: ToldChange): ChangeOfVersion {
  return {
    description,
    shapes: shapes.map(({ name, sentences, before, after, operations }) => ({
      name,
      sentences,
      before,
      after,
      operations,
    })),
    operations: operations.map(({ row: _, ...operation }) => operation),
  }
}
