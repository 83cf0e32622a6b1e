import { NO_DEFINITIONS } from '../schemas/definitions'
import { sampleOf } from '../schemas/sample'
import type { Address } from '../survey/addresses'
import { descriptionIn } from '../survey/described'
import type { Operation, Served, Surveyor } from '../survey/survey'
import type { SurveyedVersion } from '../survey/versions'
import type { VersionDescription } from '../types'
import { curlOf, labelOf, type Start } from './curl'
import { rowsOf } from './rows'

/** What is shown beside a survey. */
export interface OverviewOptions {
  /** What the page is called. Default `API`. */
  readonly title?: string | undefined
  /** What commands start with. Default: the option `origin` of `versioning()`, else a server on this machine. */
  readonly origin?: string | undefined
}

/** Where a server that nobody named is. */
const SOMEWHERE = 'http://localhost:3000'

/** A route in one version. */
export interface OverviewCell {
  readonly version: string
  readonly exists: boolean
  /** Whether it was there in the version before. */
  readonly removed: boolean
  /** The version whose handlers `byVersion()` runs for it, `null` for its `otherwise`; undefined without a `byVersion()`. */
  readonly servedBy: string | null | undefined
  /** Whether it serves requests of any version, by `byVersion()`'s `otherwise` or because it has none. */
  readonly anyVersion: boolean
  /** Whether it is there only for requests that name no version, this one being the default. */
  readonly unnamed: boolean
  /** Whether it is deprecated as of now, whatever is said of its version; and until when it is there. */
  readonly deprecated: boolean
  readonly sunset: number | undefined
  /** Undefined where there is nothing to ask. */
  readonly curl: string | undefined
}

/** A route: an operation in all versions. */
export interface OverviewRoute {
  /** `ALL` for the handlers of `.all()`. */
  readonly method: string
  /** With namespaces, but for the version's. */
  readonly name: string
  /** The whole pattern, from the host on. */
  readonly path: string
  /** Those namespaces, joined by colons. */
  readonly group: string
  /** In the order of the versions. */
  readonly cells: readonly OverviewCell[]
}

/** Routes and versions, as a page shows them; `toJSON` gives what is public of it. */
export class Overview {
  constructor(
    readonly title: string,
    /** Oldest first. */
    readonly versions: readonly SurveyedVersion[],
    /** Those of one group one after the other. */
    readonly routes: readonly OverviewRoute[],
  ) {}

  toJSON(): object {
    return {
      title: this.title,
      versions: this.versions.map(({ version, deprecated, sunset, info, successor, isGone }) => ({
        version,
        deprecated: iso(deprecated),
        sunset: iso(sunset),
        info,
        successor,
        gone: isGone ? true : undefined,
      })),
      routes: this.routes.map(({ method, name, path, group, cells }) => ({
        method,
        name,
        path,
        group,
        versions: cells.map(({ version, exists, servedBy, curl }) => ({ version, exists, servedBy, curl })),
      })),
    }
  }
}

function iso(instant: number | undefined): string | undefined {
  return instant === undefined ? undefined : new Date(instant).toISOString()
}

/** What is served in which version, as of now. */
export function overviewOf(surveyor: Surveyor, { title = 'API', origin }: OverviewOptions = {}): Overview {
  const { options, survey, mountPattern } = surveyor
  const { versions, operations } = survey
  const publicPath = options.publicPath ?? ''
  const starts = versions.map(({ version }): Start => {
    const label = labelOf(options.scheme, version)
    return { origin: origin ?? options.origin ?? SOMEWHERE, publicPath, label }
  })
  const now = Date.now()
  const routes = rowsOf(operations, versions, mountPattern).map(({ operations, ...row }) => {
    const cells: OverviewCell[] = []
    for (const [index, version] of versions.entries()) {
      const operation = operations.find(({ served }) => served.has(version.version))
      const start = starts[index] as Start
      cells.push(
        operation === undefined ? absent(version, cells.at(-1)) : present(operation, row.method, version, start, now),
      )
    }
    return { ...row, cells }
  })
  return new Overview(title, versions, routes)
}

function absent({ version }: SurveyedVersion, before: OverviewCell | undefined): OverviewCell {
  return { ...NOWHERE, version, removed: before?.exists === true && !before.unnamed }
}

const NOWHERE = {
  exists: false,
  servedBy: undefined,
  anyVersion: false,
  unnamed: false,
  deprecated: false,
  sunset: undefined,
  curl: undefined,
}

function present(
  operation: Operation,
  method: string,
  { version, isGone }: SurveyedVersion,
  start: Start,
  now: number,
): OverviewCell {
  const { neutral, served, deprecation } = operation
  const { addresses, by } = served.get(version) as Served
  const said = descriptionIn(operation, version)
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
    curl: isGone
      ? undefined
      : curlOf(method, plainest(addresses), neutral ? { ...start, label: undefined } : start, bodyOf(method, said)),
  }
}

/** The methods whose commands send no body. */
const BODILESS = new Set(['GET', 'HEAD', 'ALL'])

/** Makes a body for a command; `undefined` for none, and for a schema that JSON Schema cannot say. */
function bodyOf(method: string, { body }: VersionDescription): unknown {
  if (body === undefined || body === null || BODILESS.has(method)) return undefined
  try {
    return sampleOf(body, NO_DEFINITIONS)
  } catch {
    return undefined
  }
}

/** The address with the fewest parameters: a parameter that may be left out is a wrong one as a rule, if it is made up. */
function plainest(addresses: readonly Address[]): Address {
  const parameters = ({ path }: Address) => path.filter((part) => typeof part !== 'string').length
  return addresses.reduce((best, address) => (parameters(address) < parameters(best) ? address : best))
}
