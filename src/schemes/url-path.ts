// The scheme that reads the version from a parameter of the path.
import type { Request } from 'express'
import { isPathSegment } from '../http/reference'
import type { LinkCall, Linked } from '../request/state'
import type { RouteParams, VersionCarrier } from '../types'
import { nameClass } from '../util/brand'
import { BaseVersioning } from './base'

/**
 * ```http
 * GET /v1/users HTTP/1.1
 * Host: api.example.com
 * ```
 *
 * The version is a parameter of the path (`app.use('/:version', versioning({ scheme: URLPathVersioning }))`). DRF,
 * `URLPathVersioning`.
 */
export class URLPathVersioning extends BaseVersioning {
  override readonly carriedIn: VersionCarrier['in'] = 'path'
  override readonly linksVersion: boolean = true
  override readonly invalidVersionMessage: string = 'Invalid version in URL path.'

  override readVersion(_req: Request, kwargs: RouteParams): string | undefined {
    const { versionParam } = this.settings
    const version = Object.hasOwn(kwargs, versionParam) ? kwargs[versionParam] : undefined
    // Express writes null or undefined for a missing optional parameter. The list of a wildcard is not a version.
    if (version === undefined || version === null) return undefined
    if (typeof version === 'string') return version
    throw this.invalidVersion()
  }

  override carry(version: string): VersionCarrier | undefined {
    const fits = isPathSegment(version) && this.meansItself(version)
    return fits ? { in: 'path', name: this.settings.versionParam, value: version } : undefined
  }

  /**
   * Returns the link with the version as the route's keyword argument, which overrides the caller's.
   *
   * @throws {NoReverseMatch} for errors that no other name can fix.
   */
  protected override link(viewname: string, call: LinkCall): Linked {
    const { version, options } = call
    if (version === null) return call.plain(viewname)
    const { versionParam } = this.settings
    return call.plain(viewname, { ...options.kwargs, [versionParam]: version })
  }
}

nameClass(URLPathVersioning, 'URLPathVersioning')
