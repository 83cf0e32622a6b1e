// The public API of a history: its versions, and its steps by hand.

import type { RequestChanges, RequestContract, VersionChanges } from '../bound-changes'
import { compileTable } from '../middleware/table-options'
import type { VersioningOptions } from '../middleware/versioning-options'
import type { RouteRegistry } from '../registry'
import type { Register, Version } from '../types'
import { brand, isMade } from '../util/brand'
import { isDate } from '../util/dates'
import { parseOperation } from '../util/operation'
import { badOption, shown } from '../util/options'
import {
  type ConversionMetrics,
  type HistoryByHand,
  historyInTable,
  type ListedVersion,
  olderBody,
  olderItem,
  positionIn,
} from './by-hand'
import { converted } from './convert/steps'
import type { CompiledChange } from './describe/change'
import type { NextShapes, ShapeOf, SomeShape } from './describe/shape'
import { type RequestConverter, requestConverter } from './requests'
import { boundHistory } from './timeline/bound-history'
import { type ShapesByHand, shapesByHand } from './timeline/bound-shapes'
import { changesByOperation, changesOf, type Release } from './timeline/operation-changes'
import { type Plan, type Timeline, timelineOf } from './timeline/operation-plans'
import type { Fitting, NextDemands, SomeDemand } from './types/fitting'
import type { Change } from './types/operations'

/**
 * The versions of an API with their changes, made by {@link versionHistory}. It never changes: `versioning()`, documents and
 * pages bind it for themselves. Its type contains the demands on the steps of the next version, and with {@link Register} the
 * names of the versions and the types of the shapes in them. The plain type `VersionHistory` demands nothing.
 */
export interface VersionHistory<
  Last extends SomeDemand = never,
  Names extends string = Version,
  Shapes extends SomeShape = SomeShape,
> extends VersionChanges<Names>,
    HistoryByHand<Names, Shapes> {
  /** The versions, oldest first. */
  readonly versions: readonly Version[]

  /**
   * Returns a history with one more version, which is the newest then. Steps that do not fit the older ones do not compile: a
   * `response` or `error` returns what the older one takes, and a `request` or `query` takes what the older one returns.
   * Untyped steps fit.
   *
   * @param changes the changes of the version, oldest first. Requests pass them in that order, responses in reverse.
   * @throws {TypeError} for a version or a change that the history already has, and for a date before that of another version.
   */
  version<Name extends string, Changes extends readonly Change<object>[]>(
    name: Name,
    ...changes: Changes & NoInfer<Fitting<Last, Changes>>
  ): VersionHistory<NextDemands<Last, Changes>, Names | Name, NextShapes<Shapes, Names, Changes>>

  /**
   * Returns the conversions by hand for a table: operations are checked, and their shapes are found. The history stays as it is.
   *
   * @param options those of `versioning()`. It reads `routes`, `neutral` and `contract`, and `metrics`, which count the conversions.
   * @throws {TypeError} without `routes`, and for the mistakes in the history that `versioning()` finds.
   * @example
   * const byHand = history.for(options)
   * byHand.response('GET user-detail', user, subscriber.version)
   */
  for(options: OptionsByHand): HistoryByHand<Names, Shapes>

  /** Lists all versions with their changes, oldest first. */
  list(): ListedVersion<Names>[]
}

/** Options of `history.for()`. */
export interface OptionsByHand extends Partial<VersioningOptions> {
  /** The metrics that count conversions by hand, made by `versionMetrics()` of `express-versioning/metrics`. */
  metrics?: ConversionMetrics | undefined
}

const RELEASES: unique symbol = Symbol.for('express-versioning.history.releases') as never

/** Returns the versions of a history with their changes, oldest first. */
export function releasesOf(history: object): readonly Release[] {
  return (history as { [RELEASES]: readonly Release[] })[RELEASES]
}

class History implements VersionHistory {
  readonly versions: readonly string[]
  readonly #releases: readonly Release[]
  /** The plans without a table, made on first use: the shorter histories on the way are never asked. */
  #timeline: Timeline | undefined
  #byHand: ShapesByHand | undefined

  constructor(releases: readonly Release[]) {
    this.#releases = releases
    Object.defineProperty(this, RELEASES, { value: releases })
    this.versions = Object.freeze(releases.map(({ version }) => version))
  }

  version(name: string, ...changes: readonly Change<object>[]): VersionHistory {
    const owner = `version(${shown(name)})`
    if (this.versions.includes(checkedVersion('version()', name))) {
      throw new TypeError(`${owner}: the history already has this version.`)
    }
    checkOrder(owner, name, this.versions)
    const known = new Set<object>(this.#releases.flatMap((release) => release.changes))
    for (const change of changes) {
      if (!isMade('change', change)) {
        throw new TypeError(`${owner} takes changes made by change(); got ${shown(change)}.`)
      }
      if (known.has(change)) {
        throw new TypeError(`${owner}: the history already has the change "${change.description}".`)
      }
      known.add(change)
    }
    return new History([...this.#releases, { version: name, changes: changes as readonly CompiledChange[] }])
  }

  request(operation: string, body: unknown, from: string): unknown {
    return converted('request()', this.#plan('request()', operation, from).request, body, from)
  }

  response(operation: string, body: unknown, to: string): unknown {
    return olderBody(this.#plan('response()', operation, to).responses, body, to)
  }

  item(operation: string, item: unknown, to: string): unknown {
    const { items } = { ...this.#plan('item()', operation, to).responses.of(200) }
    return olderItem(items?.events.steps ?? [], item, to)
  }

  shape<Name extends string, To extends string>(name: Name, value: unknown, to: To): ShapeOf<SomeShape, Name, To>
  shape(name: string, value: unknown, to: string): unknown {
    const versionIndex = positionIn(this.versions, 'shape()', to)
    this.#byHand ??= shapesByHand(changesOf(this.#releases))
    return converted('shape()', this.#byHand(name, versionIndex), value, to)
  }

  #plan(owner: string, operation: string, version: string): Plan {
    const { method, viewName } = parseOperation(owner, operation)
    const versionIndex = positionIn(this.versions, owner, version)
    this.#timeline ??= timelineOf(changesByOperation(this.#releases))
    if (this.#timeline.changes.hasShapes) {
      throw new TypeError(
        `${owner}: the history has shapes, and only a table tells where they are in "${operation}". Use history.for(options).${owner.slice(0, -2)}(...), with the options of versioning().`,
      )
    }
    return this.#timeline.of(method, viewName).planOf(versionIndex)
  }

  list(): ListedVersion[] {
    return this.#releases.map(({ version, changes }) => ({
      version,
      changes: changes.map(({ description, operations }) => ({ description, operations })),
    }))
  }

  has(change: Change<object>, version: string): boolean {
    const versionIndex = positionIn(this.versions, 'has()', version)
    const since = this.#releases.findIndex(({ changes }) => (changes as readonly object[]).includes(change))
    if (since !== -1) return versionIndex >= since
    const told = isMade('change', change) ? `the change "${change.description}"` : shown(change)
    throw new TypeError(`has() takes a change of the history; it lacks ${told}.`)
  }

  for(options: OptionsByHand): HistoryByHand {
    const { routes, isNeutral, contract } = compileTable('for()', options)
    const { metrics } = options
    if (metrics !== undefined && typeof metrics?.onConversion !== 'function') {
      throw badOption('for()', 'metrics', 'the result of versionMetrics()', metrics)
    }
    this.checkDone('for()')
    const contractFor =
      contract && ((changes: RequestChanges) => contract.bind(routes, changes, { versions: this.versions, isNeutral }))
    return historyInTable(this, this.bind(routes, isNeutral, contractFor), metrics)
  }

  checkDone(owner: string): void {
    const todos = this.#releases.flatMap(({ version, changes }) =>
      changes.flatMap((change) => change.todos().map((what) => `- ${what} (version ${shown(version)})`)),
    )
    if (todos.length === 0) return
    throw new TypeError(
      `${owner}: the changes have ${todos.length} todo() that must be written first:\n${todos.join('\n')}`,
    )
  }

  bind(
    routes: RouteRegistry,
    isNeutral: (viewName: string, method: string) => boolean = () => false,
    contractFor?: (changes: RequestChanges) => RequestContract,
    queryCarriers?: () => ReadonlySet<string>,
  ): RequestConverter {
    return requestConverter(boundHistory(this.#releases, routes, isNeutral), contractFor, queryCarriers)
  }
}

brand('history', History.prototype)

/**
 * Starts the history of an API with its oldest version.
 *
 * @throws {TypeError} for anything but a non-empty string.
 * @example
 * const history = versionHistory('2024-01-01').version('2024-06-01', splitName, renamed)
 * app.use(versioning({ scheme: HeaderVersioning, defaultVersion: '2024-06-01', changes: history, routes: api }))
 */
// It reads no type of `Register`, because that may be the type of the history which is made here.
export function versionHistory<Oldest extends string>(
  oldest: Oldest,
): 'versions' extends keyof Register ? VersionHistory<never, Oldest, never> : VersionHistory
export function versionHistory(oldest: string): VersionHistory {
  return new History([{ version: checkedVersion('versionHistory()', oldest), changes: [] }])
}

/** Checks that versions that are dates stand in their order. */
function checkOrder(owner: string, name: string, before: readonly string[]): void {
  const later = isDate(name) ? before.findLast((other) => isDate(other) && other > name) : undefined
  if (later === undefined) return
  throw new TypeError(
    `${owner}: the history has the later date ${shown(later)} already. List the versions oldest first.`,
  )
}

function checkedVersion(owner: string, version: unknown): string {
  if (typeof version === 'string' && version !== '') return version
  throw new TypeError(`${owner} takes a version, a non-empty string; got ${shown(version)}.`)
}
