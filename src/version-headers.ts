import type { Request, Response } from 'express'
import { NoReverseMatch, VersioningError } from './errors'
import type { Lifecycle } from './lifecycle'
import type { RequestState, WrittenHeaders } from './request-state'
import type { BaseVersioning } from './schemes/base'

const GONE = 'This version is no longer served.'

/** The version headers of one `versioning()`: built only where `lifecycle` or `reportVersions` ask for them. */
export class VersionHeaders {
  readonly #scheme: BaseVersioning
  readonly #lifecycles: ReadonlyMap<string, Lifecycle>
  readonly #reports: boolean
  #report: readonly (readonly [string, string])[] = []
  /** When the report changes next, by a date that is reached. */
  #reportUntil = Number.NEGATIVE_INFINITY

  constructor(scheme: BaseVersioning, lifecycles: ReadonlyMap<string, Lifecycle>, reports: boolean) {
    this.#scheme = scheme
    this.#lifecycles = lifecycles
    this.#reports = reports
  }

  /** Before anything is decided: the report, which refusals carry too. */
  report(res: Response, state: RequestState): void {
    if (!this.#reports || res.headersSent) return
    const now = Date.now()
    if (now >= this.#reportUntil) this.renew(now)
    for (const [name, value] of this.#report) write(res, state, name, value)
  }

  /** For the version that was decided. Returns the refusal when that version is gone. */
  announce(req: Request, res: Response, state: RequestState): VersioningError | undefined {
    const { version } = state
    const lifecycle = this.#lifecycles.get(version as string)
    if (lifecycle === undefined) return undefined
    if (!res.headersSent) {
      for (const [name, value] of lifecycle.headers) write(res, state, name, value)
      const successor =
        lifecycle.successor === undefined ? undefined : successorLink(req, lifecycle.successor, this.#scheme)
      const links = successor === undefined ? lifecycle.links : [...lifecycle.links, successor]
      if (links.length > 0) appendLink(res, state, links.join(', '))
    }
    if (!lifecycle.gone || Date.now() < lifecycle.sunset) return undefined
    const allowedVersions = this.#scheme.acceptedVersions
    return new VersioningError(GONE, { status: 410, code: 'ERR_VERSION_GONE', version, allowedVersions })
  }

  /** Whether the version's deprecation date is reached. */
  isDeprecated(version: string | null | undefined): boolean {
    return version != null && Date.now() >= (this.#lifecycles.get(version)?.deprecated ?? Number.POSITIVE_INFINITY)
  }

  private renew(now: number): void {
    const supported: string[] = []
    const deprecated: string[] = []
    this.#reportUntil = Number.POSITIVE_INFINITY
    for (const version of this.#scheme.acceptedVersions) {
      if (version === null) continue
      const lifecycle = this.#lifecycles.get(version)
      for (const date of [lifecycle?.deprecated, lifecycle?.sunset]) {
        if (date !== undefined && date > now) this.#reportUntil = Math.min(this.#reportUntil, date)
      }
      if (lifecycle?.gone === true && now >= lifecycle.sunset) continue
      supported.push(version)
      if (lifecycle !== undefined && now >= lifecycle.deprecated) deprecated.push(version)
    }
    this.#report = [['API-Supported-Versions', supported.join(', ')]]
    if (deprecated.length > 0) this.#report = [...this.#report, ['API-Deprecated-Versions', deprecated.join(', ')]]
  }
}

function writtenOn(state: RequestState): WrittenHeaders {
  state.written ??= { names: [], links: '' }
  return state.written
}

function write(res: Response, state: RequestState, name: string, value: string): void {
  res.setHeader(name, value)
  writtenOn(state).names.push(name)
}

function appendLink(res: Response, state: RequestState, links: string): void {
  const before = currentLink(res)
  res.setHeader('Link', before === '' ? links : `${before}, ${links}`)
  writtenOn(state).links = links
}

function currentLink(res: Response): string {
  const link = res.getHeader('Link')
  return Array.isArray(link) ? link.join(', ') : String(link ?? '')
}

/** Takes back what an outer `versioning()` wrote on this answer: the last that runs decides. */
export function retract(res: Response, state: RequestState): void {
  const { written } = state
  state.written = undefined
  if (written === undefined || res.headersSent) return
  for (const name of written.names) res.removeHeader(name)
  if (written.links === '') return
  const link = currentLink(res)
  const at = link.indexOf(written.links)
  if (at === -1) return
  const before = link.slice(0, at).replace(/, $/, '')
  const after = link.slice(at + written.links.length).replace(/^, /, '')
  const kept = before !== '' && after !== '' ? `${before}, ${after}` : before + after
  if (kept === '') res.removeHeader('Link')
  else res.setHeader('Link', kept)
}

/** `Link` to the same route in the successor version, when the scheme can carry it in a URL and the route is there. */
function successorLink(req: Request, successor: string, scheme: BaseVersioning): string | undefined {
  const viewName = req.resolverMatch?.viewName
  if (!scheme.linksVersion || viewName === undefined || viewName === null) return undefined
  const kwargs = req.resolverMatch?.params
  // A scheme that carries the version in the host makes no path.
  for (const absolute of [false, true]) {
    try {
      const link = scheme.reverse(viewName, { request: req, kwargs, version: successor, absolute })
      return `<${link}>; rel="successor-version"`
    } catch (error) {
      if (!(error instanceof NoReverseMatch)) throw error
    }
  }
  return undefined
}
