import type { Request, Response } from 'express'
import { VersioningError } from '../errors'
import { queryOf } from '../http/query'
import { type RequestState, type WrittenField, WrittenHeaders } from '../request/state'
import type { BaseVersioning } from '../schemes/base'
import type { Version } from '../types'
import type { Lifecycle } from './plans'

const GONE = 'This version is no longer served.'

/** Header fields that name versions, and the instants between which they hold. */
interface Report {
  readonly from: number
  readonly until: number
  readonly headers: readonly (readonly [name: string, value: string])[]
}

/** The version headers of one `versioning()`: built only where `lifecycle` or `reportVersions` ask for them. */
export class VersionHeaders {
  #report: Report = { from: 0, until: 0, headers: [] }

  constructor(
    private readonly scheme: BaseVersioning,
    private readonly lifecycles: ReadonlyMap<string, Lifecycle>,
    private readonly reports: boolean,
  ) {}

  /** Before anything is decided: the report, which refusals carry too. */
  report(res: Response, state: RequestState): void {
    if (!this.reports || res.headersSent) return
    const now = Date.now()
    if (now < this.#report.from || now >= this.#report.until) this.#report = this.reportAt(now)
    const { report } = writtenOn(state)
    for (const [name, value] of this.#report.headers) write(res, report, name, value)
  }

  /** For the version that was decided. Returns the refusal when that version is gone. */
  announce(req: Request, res: Response, state: RequestState): VersioningError | undefined {
    const version = state.version as string | null
    const lifecycle = this.lifecycles.get(version as string)
    if (lifecycle === undefined) return undefined
    if (!res.headersSent) {
      for (const [name, value] of lifecycle.headers) write(res, writtenOn(state).version, name, value)
      const links = [...lifecycle.links, ...successorLinks(req, state, lifecycle.successor, this.scheme)]
      if (links.length > 0) appendLinks(res, state, links.join(', '))
    }
    if (!this.isGone(version)) return undefined
    const allowedVersions = this.scheme.acceptedVersions.filter((accepted) => !this.isGone(accepted))
    return new VersioningError(GONE, { status: 410, code: 'ERR_VERSION_GONE', version, allowedVersions })
  }

  /** Whether the version's deprecation date is reached. */
  isDeprecated(version: string | null | undefined): boolean {
    return isReached(this.lifecycles.get(version as string)?.deprecatedFrom)
  }

  /** Whether the version's sunset is reached, and it is not served after it. */
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

function write(res: Response, written: WrittenField[], name: string, value: string): void {
  written.push({ name, value, before: res.getHeader(name) })
  res.setHeader(name, value)
}

function appendLinks(res: Response, state: RequestState, links: string): void {
  const before = currentLink(res)
  res.setHeader('Link', before === '' ? links : `${before}, ${links}`)
  writtenOn(state).links = links
}

function currentLink(res: Response): string {
  const link = res.getHeader('Link') ?? ''
  return Array.isArray(link) ? link.join(', ') : String(link)
}

/** Takes back what an outer `versioning()` wrote on this answer, if it still stands there: the last that runs decides. */
export function retract(res: Response, state: RequestState): void {
  const { written } = state
  if (written === undefined) return
  retractVersion(res, state)
  takeBack(res, written.report)
  state.written = undefined
}

/** Takes back what was written of the version that was decided, because it is not the one that would have been served. */
export function retractVersion(res: Response, { written }: RequestState): void {
  if (written === undefined || res.headersSent) return
  takeBack(res, written.version.splice(0))
  if (written.links === '') return
  const kept = `, ${currentLink(res)}, `.replace(`, ${written.links}, `, ', ').slice(2, -2)
  written.links = ''
  if (kept === '') res.removeHeader('Link')
  else res.setHeader('Link', kept)
}

function takeBack(res: Response, written: readonly WrittenField[]): void {
  if (res.headersSent) return
  for (const { name, value, before } of written) {
    if (res.getHeader(name) !== value) continue
    if (before === undefined) res.removeHeader(name)
    else res.setHeader(name, before)
  }
}

/** The link to the same route and query in the successor version, when the scheme can carry it in a URL and the route is there. */
function successorLinks(
  req: Request,
  { config }: RequestState,
  successor: Version | undefined,
  scheme: BaseVersioning,
): string[] {
  const { viewName, params: kwargs } = (successor !== undefined && scheme.linksVersion && req.resolverMatch) || {}
  if (viewName == null) return []
  const query = new URLSearchParams(queryOf(req.url))
  // A scheme that carries the version in the host makes no path, and a host that the client chose makes no link.
  const trusted = config?.origin !== undefined || config?.allowedHosts !== undefined
  for (const absolute of trusted ? [false, true] : [false]) {
    try {
      const link = scheme.reverse(viewName, { request: req, kwargs, query, version: successor, absolute })
      return [`<${link}>; rel="successor-version"`]
    } catch {
      // The link is a hint: what makes none leaves it out.
    }
  }
  return []
}
