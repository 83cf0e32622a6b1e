import type { Request } from 'express'
import { isPathSegment } from '../http/reference'
import { LateFailure, linkedVersion, plainLink, takes } from '../request/link'
import type { Linked } from '../request/state'
import type { LinkKwargs, LinkOptions, RouteParams, VersionCarrier } from '../types'
import { BaseVersioning } from './base'

/**
 * ```http
 * GET /v1/users HTTP/1.1
 * Host: api.example.com
 * ```
 *
 * The version is a parameter of the path (`app.use('/:version', versioning({ scheme: URLPathVersioning }))`). DRF, `URLPathVersioning`.
 */
export class URLPathVersioning extends BaseVersioning {
  override readonly carriedIn: VersionCarrier['in'] = 'path'
  override readonly linksVersion: boolean = true
  override readonly invalidVersionMessage: string = 'Invalid version in URL path.'

  override readVersion(_req: Request, kwargs: RouteParams): string | undefined {
    const { versionParam } = this.settings
    const version = Object.hasOwn(kwargs, versionParam) ? kwargs[versionParam] : undefined
    // Express writes null or undefined for an optional parameter that is not there; a wildcard's list is no version.
    if (version === undefined || version === null) return undefined
    if (typeof version === 'string') return version
    throw this.invalidVersion()
  }

  override carry(version: string): VersionCarrier | undefined {
    const fits = isPathSegment(version) && this.meansItself(version)
    return fits ? { in: 'path', name: this.settings.versionParam, value: version } : undefined
  }

  /**
   * The link with the version as the route's keyword argument, over the caller's.
   *
   * @throws {NoReverseMatch} for what is wrong with the link whatever its name.
   */
  protected override link(viewname: string, options: LinkOptions, request: Request | undefined): Linked {
    const version = linkedVersion(options, request)
    if (version === null) return plainLink(viewname, options, request)
    const { versionParam } = this.settings
    const link = () => plainLink(viewname, options, request, versioned(versionParam, version, options.kwargs))
    return takes(request, viewname, versionParam) ? link() : [new LateFailure(viewname, link)]
  }
}

/** The keyword arguments with the version first, as in most paths, and over the caller's. */
function versioned(parameter: string, version: string, given: LinkKwargs | undefined): LinkKwargs {
  const kwargs: Record<string, LinkKwargs[string]> = { [parameter]: version }
  for (const name in given) if (name !== parameter && Object.hasOwn(given, name)) kwargs[name] = given[name]
  return kwargs
}
