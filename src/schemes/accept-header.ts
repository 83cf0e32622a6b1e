// The scheme that reads the version from a media-type parameter in `Accept`.
import type { Request } from 'express'
import { NotAcceptable } from '../errors'
import { AcceptParameter, parseMediaTypes, UNACCEPTABLE, UNUSABLE } from '../http/accept'
import { isFieldValue, isToken, quotedString } from '../http/fields'
import type { VersionCarrier, VersioningSettings } from '../types'
import { nameClass } from '../util/brand'
import { badOption } from '../util/options'
import { BaseVersioning, type RejectionClass } from './base'

/** Settings of {@link AcceptHeaderVersioning}. */
export interface AcceptHeaderSettings extends VersioningSettings {
  /** The media types that the API produces (`['application/json']`). Default: any, and the client's most preferred range decides. */
  mediaTypes?: Iterable<string> | undefined
}

/**
 * ```http
 * GET /users HTTP/1.1
 * Host: api.example.com
 * Accept: application/json; version=v1
 * ```
 *
 * The version is a parameter of the media range that negotiation chooses (RFC 9110, section 12.5.1). `req.accepts` and
 * `res.format` of Express still work. DRF, `AcceptHeaderVersioning`.
 */
export class AcceptHeaderVersioning extends BaseVersioning {
  static override readonly optionNames: readonly string[] = [...BaseVersioning.optionNames, 'mediaTypes']

  override readonly varyOn: readonly string[] = ['Accept']
  override readonly carriedIn: VersionCarrier['in'] = 'header'
  override readonly invalidVersionError: RejectionClass = NotAcceptable
  override readonly invalidVersionMessage: string = 'Invalid version in "Accept" header.'
  /** The media types that the API produces; undefined: any. */
  mediaTypes: Iterable<string> | undefined
  #parameter: AcceptParameter | undefined

  /** @throws {TypeError} for unknown options and wrong values. */
  constructor(settings: AcceptHeaderSettings = {}) {
    super(settings)
    const { mediaTypes } = settings
    this.mediaTypes = mediaTypes === undefined ? undefined : parseMediaTypes(new.target.name, mediaTypes)
  }

  /** Returns the parameter's reader, compiled on first use: a subclass may set the media types with a class field. */
  private get parameter(): AcceptParameter {
    this.#parameter ??= compileParameter(this.constructor.name, this.settings.versionParam, this.mediaTypes)
    return this.#parameter
  }

  override compile(): void {
    super.compile()
    this.parameter
  }

  /**
   * Reads the version parameter of the media range that negotiation chooses.
   *
   * @throws {NotAcceptable} if that parameter is malformed, or if `mediaTypes` are set and the client accepts none of them.
   */
  override readVersion(req: Request): string | undefined {
    const version = this.parameter.read(req.headers.accept)
    if (version === UNUSABLE) throw this.invalidVersion()
    if (version !== UNACCEPTABLE) return version
    const { acceptedVersions: allowedVersions } = this
    throw new NotAcceptable('Could not satisfy the request Accept header.', { allowedVersions })
  }

  /**
   * Returns the first media type that the API produces, with the version as its parameter. The version is quoted unless it is a
   * token (RFC 9110, section 5.6.6). A version that no header field can hold has no carrier.
   */
  override carry(version: string): VersionCarrier | undefined {
    const text = isToken(version) ? version : quotedString(version)
    const value = `${this.parameter.mediaType ?? 'application/json'}; ${this.settings.versionParam}=${text}`
    const readBack = isFieldValue(version) && this.parameter.read(value) === version && this.meansItself(version)
    return readBack ? { in: 'header', name: 'Accept', value } : undefined
  }

  /** Returns the `Accept` header for Express's own negotiation, without the version parameter. */
  negotiableAccept(accept: string): string {
    return this.parameter.without(accept)
  }
}

nameClass(AcceptHeaderVersioning, 'AcceptHeaderVersioning')

/** Compiles the parameter's reader. Rejects `q`, which is the weight of a range (RFC 9110, section 12.4.2). */
function compileParameter(
  owner: string,
  versionParam: string,
  mediaTypes: Iterable<string> | undefined,
): AcceptParameter {
  const takes = 'the name of a media-type parameter (a token, RFC 9110 section 5.6.2) other than "q"'
  if (!isToken(versionParam) || versionParam.toLowerCase() === 'q')
    throw badOption(owner, 'versionParam', takes, versionParam)
  return new AcceptParameter(versionParam, mediaTypes === undefined ? undefined : parseMediaTypes(owner, mediaTypes))
}
