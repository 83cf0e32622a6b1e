// The header fields about versions: writing them, and taking them back.
import type { Request, Response } from 'express'
import { VersioningError } from '../errors'
import { isListItem } from '../http/fields'
import { QueryAsSent } from '../http/query'
import { attemptFor } from '../request/reverse'
import { type Announcement, type RequestState, type WrittenField, WrittenHeaders } from '../request/state'
import type { BaseVersioning } from '../schemes/base'
import type { LinkQuery, Version } from '../types'
import type { Lifecycle } from './plans'

/**
 * The header fields about versions in answers. Browsers show them to scripts of other origins only if
 * `Access-Control-Expose-Headers` lists them (Fetch Standard, section 3.3.4).
 *
 * @example app.use(cors({ exposedHeaders: [...exposedHeaders] }))
 */
export const exposedHeaders: readonly string[] = Object.freeze([
  'API-Supported-Versions',
  'API-Deprecated-Versions',
  'API-Version',
  'Deprecation',
  'Sunset',
  'Link',
])

const GONE = 'This version is no longer served.'

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

  /** Writes the report. This precedes the decision, so that refusals carry it too. */
  report(res: Response, state: RequestState): void {
    if (!this.reports || res.headersSent) return
    const now = Date.now()
    if (now < this.#report.from || now >= this.#report.until) this.#report = this.reportAt(now)
    const { report } = writtenOn(state)
    for (const [name, value] of this.#report.headers) write(res, report, name, value)
  }

  /** Writes the fields of the decided version. Returns the refusal if that version is gone. */
  announce(req: Request, res: Response, state: RequestState): VersioningError | undefined {
    const version = state.version as string | null
    const lifecycle = this.lifecycles.get(version as string)
    if (!res.headersSent) {
      // A custom scheme may decide on any text.
      const named = this.reports && version !== null && isListItem(version)
      if (named) write(res, writtenOn(state).version, 'API-Version', version)
      if (lifecycle !== undefined) {
        const links = [...lifecycle.links, ...successorLinks(req, state, lifecycle.successor)]
        announce(res, writtenOn(state), { dates: lifecycle.dates, links })
      }
    }
    if (lifecycle === undefined || !this.isGone(version)) return undefined
    const allowedVersions = this.scheme.acceptedVersions.filter((accepted) => !this.isGone(accepted))
    return new VersioningError(GONE, { status: 410, code: 'ERR_VERSION_GONE', version, allowedVersions })
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
    const supported = this.scheme.acceptedVersions.filter((version) => version !== null && !this.isGone(version))
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

function isReached(date = Number.POSITIVE_INFINITY): boolean {
  return Date.now() >= date
}

function writtenOn(state: RequestState): WrittenHeaders {
  state.written ??= new WrittenHeaders()
  return state.written
}

function write(res: Response, written: WrittenField[], name: string, value: string, at?: number): void {
  written.push({ name, value, at, before: res.getHeader(name) })
  res.setHeader(name, value)
}

/** Announces that a route is deprecated, in addition to its version. */
export function announceRoute(res: Response, state: RequestState, route: Announcement): void {
  if (res.headersSent) return
  const written = writtenOn(state)
  announce(res, written, route)
  written.routes = [...written.routes, route]
}

/** Writes dates and links. The earlier date of version and route wins; both links are sent. */
function announce(res: Response, written: WrittenHeaders, { dates, links }: Announcement): void {
  for (const { name, value, at } of dates) {
    const other = written.version.findLast((field) => field.name === name)?.at
    if (other === undefined || at < other) write(res, written.version, name, value, at)
  }
  if (links.length > 0) appendLinks(res, written, links.join(', '))
}

function appendLinks(res: Response, written: WrittenHeaders, links: string): void {
  const before = currentLink(res)
  res.setHeader('Link', before === '' ? links : `${before}, ${links}`)
  written.links.push(links)
}

function currentLink(res: Response): string {
  const link = res.getHeader('Link') ?? ''
  return Array.isArray(link) ? link.join(', ') : String(link)
}

/** Takes back the fields that an outer `versioning()` wrote, unless others have changed them: the last `versioning()` decides. */
export function retract(res: Response, state: RequestState): void {
  const { written } = state
  if (written === undefined) return
  const { routes } = written
  retractVersion(res, state)
  takeBack(res, written.report)
  state.written = undefined
  // The deprecation of a route does not depend on which `versioning()` decides.
  for (const route of routes) announceRoute(res, state, route)
}

/** Takes back the fields of the decided version and of its routes, because the request is refused. */
export function retractVersion(res: Response, { written }: RequestState): void {
  if (written === undefined || res.headersSent) return
  takeBack(res, written.version.splice(0))
  written.routes = []
  for (const links of written.links.splice(0)) {
    const kept = `, ${currentLink(res)}, `.replace(`, ${links}, `, ', ').slice(2, -2)
    if (kept === '') res.removeHeader('Link')
    else res.setHeader('Link', kept)
  }
}

/** Takes back fields, the last one first, because one may have replaced another. */
function takeBack(res: Response, written: readonly WrittenField[]): void {
  if (res.headersSent) return
  for (const { name, value, before } of written.toReversed()) {
    if (res.getHeader(name) !== value) continue
    if (before === undefined) res.removeHeader(name)
    else res.setHeader(name, before)
  }
}

/** Lists the link to the same route and query in the successor version, if the route exists there and a URL can carry the version. */
function successorLinks(req: Request, { config }: RequestState, version: Version | undefined): string[] {
  const { viewName, params: kwargs } = req.resolverMatch || {}
  if (version === undefined || viewName == null || config?.scheme.linksVersion !== true) return []
  try {
    const converted = config.changes?.queryIn(req, viewName, version) as LinkQuery | null | undefined
    if (converted === null) return []
    const options = { kwargs, query: converted ?? new QueryAsSent(req.url), version }
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
