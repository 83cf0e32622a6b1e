// The overview of a survey: routes by version, and its JSON.

import { joinPaths } from '../routes/table'
import { type Definitions, NO_DEFINITIONS } from '../schemas/definitions'
import { type Advice, adviceOf, labelOf } from '../schemes/carriers'
import { descriptionIn } from '../survey/described'
import type { Operation, Served, Surveyor } from '../survey/survey'
import type { SurveyedVersion } from '../survey/versions'
import { totalOf } from '../usage/counts'
import {
  publicChange,
  type ToldChange,
  type ToldOperation,
  type ToldShape,
  type ToldVersion,
  whatChanged,
} from './changed-operations'
import { commandsFor, type Start } from './curl'
import type { Row } from './rows'
import type { ShownTouch, ShownUsage, ShownUse } from './shown-usage'

/** The options of an overview. */
interface OverviewOptions {
  /** The title of the page. Default: that of the document of `routesOf()`, else `API`. */
  readonly title?: string | undefined
  /** The start of the URLs in commands. Default: the option `origin` of `versioning()`, else a server on this machine. */
  readonly origin?: string | undefined
  /** The use of each version. */
  readonly usage?: ShownUsage | undefined
}

/** The default origin. */
const SOMEWHERE = 'http://localhost:3000'

/** A route in one version. */
export interface OverviewCell {
  readonly version: string
  readonly exists: boolean
  /** The whole pattern of a route that has another path in this version; undefined for the path of the row. */
  readonly path: string | undefined
  /** `true` if the version before has the route, but this one lacks it. */
  readonly removed: boolean
  /** The version whose handlers `byVersion()` runs; `null` for its `otherwise`, undefined without a `byVersion()`. */
  readonly servedBy: string | null | undefined
  /** `true` if the route serves requests of any version, as `otherwise` of `byVersion()` or as a neutral route. */
  readonly anyVersion: boolean
  /** `true` if the route serves only requests that name no version. This version is then the default. */
  readonly unnamed: boolean
  /** `true` if the route itself is deprecated now, whatever the state of its version. */
  readonly deprecated: boolean
  readonly sunset: number | undefined
  /** The curl commands, one a line for each carrier; undefined if the version does not serve the route. */
  readonly curl: string | undefined
  /** The version's changes that convert the route. */
  readonly changes: readonly MetChange[]
  /** The requests of the route in the version; undefined if that is not known. */
  readonly requests: number | undefined
}

/** A route: an operation in all versions. */
export interface OverviewRoute {
  /** `ALL` for the handlers of `.all()`. */
  readonly method: string
  /** The name with its namespaces, without the version's. */
  readonly name: string
  /** The whole pattern, with the mount. */
  readonly path: string
  /** The namespaces of the name, joined by colons. */
  readonly group: string
  /** The cells in the order of the versions. */
  readonly cells: readonly OverviewCell[]
}

/** A version with its plan, and with the changes in it. */
export interface OverviewVersion extends Omit<SurveyedVersion, 'changes'> {
  readonly changes: readonly OverviewChange[]
  /** Its use; undefined if that is not known. */
  readonly use: ShownUse | undefined
}

/** A change that converts a route, and what it says of that route: of its shapes, and of itself. */
interface MetChange {
  readonly description: string
  readonly said: readonly (ToldShape | ToldOperation)[]
}

/** A change. */
export interface OverviewChange extends ToldChange {
  /** The requests that it met; undefined if that is not known. */
  readonly touch: ShownTouch | undefined
}

/** The routes and versions of a page. `toJSON` returns the public part. */
export class Overview {
  constructor(
    readonly title: string,
    /** The versions, oldest first. */
    readonly versions: readonly OverviewVersion[],
    /** The routes, sorted by group. */
    readonly routes: readonly OverviewRoute[],
    /** The usage of the versions, if it is asked for. */
    readonly usage?: ShownUsage | undefined,
    /** The advice to clients of the newest version; undefined if the scheme does not tell. */
    readonly advice?: Advice | undefined,
  ) {}

  toJSON(): object {
    return {
      title: this.title,
      usage: usageJson(this.usage),
      versions: this.versions.map(
        ({ version, deprecated, sunset, info, successor, isGone, isPreview, changes, use }) => ({
          version,
          deprecated: iso(deprecated),
          sunset: iso(sunset),
          info,
          successor,
          gone: isGone ? true : undefined,
          preview: isPreview ? true : undefined,
          changes: changes.length === 0 ? undefined : changes.map(changeJson),
          usage: useJson(use),
        }),
      ),
      routes: this.routes.map(({ method, name, path, group, cells }) => ({
        method,
        name,
        path,
        group,
        versions: cells.map(({ version, exists, path, servedBy, curl, changes, requests }) => ({
          ...{ version, exists, path, servedBy, curl, requests },
          changes: changes.length === 0 ? undefined : changes.map(({ description }) => description),
        })),
      })),
    }
  }
}

function usageJson(usage: ShownUsage | undefined): object | undefined {
  if (usage === undefined) return undefined
  const { error, days, complete, since } = usage
  return error === undefined ? { days, complete, since: iso(since) } : { error }
}

function useJson(use: ShownUse | undefined): object | undefined {
  if (use === undefined) return undefined
  const { operations: _, lastRequest, isFree, ...counts } = use
  return { ...counts, lastRequest: iso(lastRequest), free: isFree ? true : undefined }
}

function changeJson(change: OverviewChange): object {
  const { requests, consumers } = { ...change.touch }
  return { ...publicChange(change), requests, consumers }
}

function iso(instant: number | undefined): string | undefined {
  return instant === undefined ? undefined : new Date(instant).toISOString()
}

/** Makes an overview of the routes that each version serves now. */
export function overviewOf(
  surveyor: Surveyor,
  { title = surveyor.title, origin, usage }: OverviewOptions = {},
): Overview {
  const { options, survey, mountPattern } = surveyor
  const { versions, operations } = survey
  const publicPath = options.publicPath ?? ''
  const starts = versions.map(({ version }): Start => {
    const label = labelOf(options.scheme.carriers(version))
    return { origin: origin ?? options.origin ?? SOMEWHERE, publicPath, label }
  })
  const definitions = versions.map(({ version }) => options.changes?.definitionsIn(version) ?? NO_DEFINITIONS)
  const now = Date.now()
  const heads = new Set(operations.flatMap(({ method, viewName }) => (method === 'HEAD' ? [viewName] : [])))
  const hasHead = (viewName: string) => heads.has(viewName)
  const changed = whatChanged(surveyor)
  const { rows } = changed
  const routes = rows.map((whole): OverviewRoute => {
    const { operations, ...row } = whole
    const cells: OverviewCell[] = []
    for (const [index, version] of versions.entries()) {
      const own = operations.filter(({ served }) => served.has(version.version))
      const [operation] = own
      if (operation === undefined) cells.push(absent(version, cells.at(-1)))
      else {
        const use = usage?.versions.get(version.version)
        const cell = present(
          operation,
          row.method,
          version,
          starts[index] as Start,
          definitions[index] as Definitions,
          now,
        )
        const changes = metBy(changed.versions[index] as ToldVersion, whole)
        const requests = use && requestsOf(operation, row.method, use, hasHead)
        const { method, viewName, neutral } = operation
        const moved = neutral ? undefined : options.changes?.moves?.routeIn(method, viewName, version.version)
        const path = moved && joinPaths(mountPattern, moved.pattern)
        cells.push({ ...cell, path, changes, requests })
      }
    }
    return { ...row, cells }
  })
  const planned = changed.versions.map((version) => ({
    ...version,
    changes: version.changes.map((change) => ({ ...change, touch: usage?.changes.get(change.description) })),
    use: usage?.versions.get(version.version),
  }))
  const newest = versions.findLast(({ isGone, isPreview }) => !isGone && !isPreview)
  const [carrier] = newest === undefined ? [] : options.scheme.carriers(newest.version)
  return new Overview(title, planned, routes, usage, carrier && adviceOf(carrier))
}

/** Lists the changes of a version that convert a row, or move it. Those that add or remove it alone do not count. */
function metBy({ changes }: ToldVersion, row: Row): MetChange[] {
  return changes.flatMap(({ description, shapes, operations }) => {
    const said = [
      ...shapes.filter(({ rows }) => rows.includes(row)),
      ...operations.filter((one) => one.row === row && (one.parts.length > 0 || one.kind === 'moved')),
    ]
    return said.length === 0 ? [] : { description, said }
  })
}

/** Counts the requests of an operation in a version; `undefined` for one without a version, which is not counted. */
function requestsOf(
  { neutral, viewName }: Operation,
  method: string,
  { operations }: ShownUse,
  hasHead: (viewName: string) => boolean,
): number | undefined {
  if (neutral) return undefined
  const methods = method === 'GET' && !hasHead(viewName) ? ['GET', 'HEAD'] : [method]
  const own = operations.filter((one) => one.route === viewName && (method === 'ALL' || methods.includes(one.method)))
  return totalOf(own)
}

function absent({ version }: SurveyedVersion, before: OverviewCell | undefined): OverviewCell {
  return { ...NOWHERE, version, removed: before?.exists === true && !before.unnamed }
}

const NOWHERE = {
  exists: false,
  path: undefined,
  servedBy: undefined,
  anyVersion: false,
  unnamed: false,
  deprecated: false,
  sunset: undefined,
  curl: undefined,
  changes: [],
  requests: undefined,
}

function present(
  operation: Operation,
  method: string,
  { version, isGone }: SurveyedVersion,
  start: Start,
  definitions: Definitions,
  now: number,
): Omit<OverviewCell, 'path' | 'changes' | 'requests'> {
  const { neutral, served, deprecation } = operation
  const { addresses, by } = served.get(version) as Served
  const said = descriptionIn(operation, version)
  const [known, place] = neutral ? [NO_DEFINITIONS, { ...start, label: undefined }] : [definitions, start]
  const deprecated = said.deprecated ?? (deprecation !== undefined && deprecation.since <= now)
  return {
    version,
    exists: true,
    removed: false,
    servedBy: by,
    anyVersion: neutral || by === null,
    unnamed: !neutral && addresses.every(({ named }) => !named),
    deprecated,
    sunset: deprecation?.sunset,
    curl: isGone ? undefined : commandsFor(method, addresses, said, known, place),
  }
}
