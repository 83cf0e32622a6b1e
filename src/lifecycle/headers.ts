// The header fields of one `versioning()`: reports of all versions, and the plan of the decided one. Only apps with such options load it.
import type { Request, Response } from 'express'
import { VersioningError } from '../errors'
import { isListItem } from '../http/fields'
import { isPreflight } from '../http/preflight'
import { QueryAsSent } from '../http/query'
import { attemptFor } from '../request/link'
import type { DateField, RequestState } from '../request/state'
import type { BaseVersioning } from '../schemes/base'
import type { Version } from '../types'
import { shown } from '../util/options'
import type { Lifecycle } from './plans'
import { announce, write } from './written'

const GONE = 'This version is no longer served.'
const PAUSED = 'This version is paused.'

/** The header fields that list versions, and the instants between which they hold. */
interface Report {
  readonly from: number
  readonly until: number
  readonly headers: readonly (readonly [name: string, value: string])[]
}

/** The version headers of one `versioning()`, made only for `lifecycle` or `reportVersions`. */
export class VersionHeaders {
  #report: Report = { from: 0, until: 0, headers: [] }

  constructor(
    private readonly scheme: BaseVersioning,
    private readonly lifecycles: ReadonlyMap<string, Lifecycle>,
    private readonly reports: boolean,
  ) {}

  /** Writes the report. This precedes the decision, so that rejections carry it too. */
  report(res: Response, state: RequestState): void {
    if (!this.reports || res.headersSent) return
    const now = Date.now()
    if (now < this.#report.from || now >= this.#report.until) this.#report = this.reportAt(now)
    for (const [name, value] of this.#report.headers) write(res, state, { name, value, isReport: true })
  }

  /** Writes the fields of the decided version. Returns the rejection if that version is gone or paused. */
  announce(req: Request, res: Response, state: RequestState): VersioningError | undefined {
    const version = state.version as string | null
    const lifecycle = this.lifecycles.get(version as string)
    const extended = lifecycle?.extendedFor?.(req)
    state.decision.extended = extended
    if (!res.headersSent) {
      // A custom scheme may decide on any text.
      const isNamed = this.reports && version !== null && isListItem(version)
      if (isNamed) write(res, state, { name: 'API-Version', value: version })
      if (lifecycle !== undefined) {
        const links = [...lifecycle.links, ...successorLinks(req, state, lifecycle.successor)]
        const dates = extended === undefined ? lifecycle.dates : withSunset(lifecycle.dates, extended)
        announce(res, state, { dates, links })
      }
    }
    if (lifecycle === undefined || isPreflight(req)) return undefined
    const now = Date.now()
    if (this.isGone(version) && (extended === undefined || now >= extended)) {
      return this.#rejection(GONE, 'ERR_VERSION_GONE', version)
    }
    const end = extended === undefined ? lifecycle.pausedUntil(now) : undefined
    if (end === undefined) return undefined
    if (!res.headersSent) {
      write(res, state, { name: 'Retry-After', value: String(Math.ceil((end - now) / 1000)) })
      write(res, state, { name: 'Cache-Control', value: 'no-store' })
    }
    return this.#rejection(PAUSED, 'ERR_VERSION_BROWNOUT', version)
  }

  /** Makes a 410: a pause responds like the end, because clients retry a 503 and hide the rehearsal. */
  #rejection(message: string, code: string, version: string | null): VersioningError {
    const allowedVersions = this.scheme.acceptedVersions.filter((accepted) => this.isAnnounced(accepted))
    return new VersioningError(message, { status: 410, code, version, allowedVersions })
  }

  /** Tells whether responses may name a version: it is not gone, and no preview. */
  isAnnounced(version: string | null): boolean {
    return !this.isGone(version) && this.lifecycles.get(version as string)?.isPreview !== true
  }

  /** Tells whether the version's deprecation date is reached. */
  isDeprecated(version: string | null | undefined): boolean {
    return isReached(this.lifecycles.get(version as string)?.deprecatedFrom)
  }

  /** Tells whether the version is gone: its sunset is reached, and it is not served afterwards. */
  isGone(version: string | null): boolean {
    return isReached(this.lifecycles.get(version as string)?.goneFrom)
  }

  private reportAt(now: number): Report {
    const dates = [...this.lifecycles.values()].flatMap(({ deprecatedFrom, goneFrom }) => [deprecatedFrom, goneFrom])
    const supported = this.scheme.acceptedVersions.filter((version) => version !== null && this.isAnnounced(version))
    const deprecated = supported.filter((version) => this.isDeprecated(version))
    const headers: [string, string][] = []
    if (supported.length > 0) headers.push(['API-Supported-Versions', supported.join(', ')])
    if (deprecated.length > 0) headers.push(['API-Deprecated-Versions', deprecated.join(', ')])
    return {
      from: Math.max(...dates.filter((date) => date <= now)),
      until: Math.min(...dates.filter((date) => date > now)),
      headers,
    }
  }
}

/** Replaces the sunset by that of one client. */
function withSunset(dates: readonly DateField[], sunset: number): DateField[] {
  return dates.map((date) =>
    date.name === 'Sunset' ? { ...date, value: new Date(sunset).toUTCString(), at: sunset } : date,
  )
}

function isReached(date = Number.POSITIVE_INFINITY): boolean {
  return Date.now() >= date
}

/** Lists the link to the same route and query in the successor version, if the route exists there and a URL can carry the version. */
function successorLinks(req: Request, { changes, config }: RequestState, version: Version | undefined): string[] {
  const { viewName, params: kwargs } = req.resolverMatch || {}
  if (version === undefined || viewName == null || config?.scheme.linksVersion !== true) return []
  try {
    const url = changes === undefined ? req.url : changes.urlIn(req, viewName, version)
    if (url === null) return []
    const options = { kwargs, query: new QueryAsSent(url), version }
    // A version in the host needs an absolute link. The host must not be the client's choice.
    const isTrusted = config.origin !== undefined || config.allowedHosts !== undefined
    for (const absolute of isTrusted ? [false, true] : [false]) {
      const link = attemptFor(req, viewName, { ...options, absolute })
      if (typeof link === 'string') return [`<${link}>; rel="successor-version"`]
    }
  } catch {
    // The link is a hint: if a change or your own scheme fails here, it is left out.
  }
  return []
}

/** Checks that a list in a header field can hold the versions. */
export function checkReported(versions: readonly (string | null)[]): void {
  if (versions.every((version) => version === null)) {
    throw new TypeError(`versioning(): option "reportVersions" needs "allowedVersions", which it reports.`)
  }
  const odd = versions.find((version) => version !== null && !isListItem(version))
  if (odd === undefined) return
  throw new TypeError(
    `versioning(): option "reportVersions" needs versions of visible ASCII characters without commas; got ${shown(odd)} among them.`,
  )
}
