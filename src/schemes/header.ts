import type { Request } from 'express'
import { NotAcceptable } from '../errors'
import { isFieldValue, isToken, trimWhitespace } from '../http/fields'
import type { VersionCarrier, VersioningSettings } from '../types'
import { badOption } from '../util/options'
import { BaseVersioning, type RefusalClass } from './base'

/** Settings of {@link HeaderVersioning}. */
export interface HeaderSettings extends VersioningSettings {
  /** Name of the request header. Default `X-API-Version`. */
  header?: string | undefined
}

// Of these Node drops the second line unseen, gives a list, or joins by semicolons (its documentation of `message.headers`).
const NOT_JOINED = new Set(
  (
    'age authorization content-length content-type cookie etag expires from host if-modified-since if-unmodified-since ' +
    'last-modified location max-forwards proxy-authorization referer retry-after server set-cookie user-agent'
  ).split(' '),
)
const JOINED = 'a header whose repeated lines Node joins by commas, so that two versions are seen to be two'

/**
 * ```http
 * GET /users HTTP/1.1
 * Host: api.example.com
 * X-API-Version: v1
 * ```
 *
 * The version is a request header of its own. Sent more than once, it must say the same each time; an empty one is not there.
 */
export class HeaderVersioning extends BaseVersioning {
  static override readonly optionNames: readonly string[] = [...BaseVersioning.optionNames, 'header']

  override readonly varyOn: readonly string[]
  override readonly carriedIn: VersionCarrier['in'] = 'header'
  override readonly invalidVersionError: RefusalClass = NotAcceptable
  override readonly invalidVersionMessage: string
  readonly #header: string
  readonly #key: string

  /** @throws {TypeError} for a name that is none, or of which Node does not show that it was sent twice. */
  constructor(settings: HeaderSettings = {}) {
    super(settings)
    const { header = 'X-API-Version' } = settings
    if (!isToken(header))
      throw badOption(new.target.name, 'header', 'a header field name (RFC 9110, section 5.1)', header)
    this.invalidVersionMessage = `Invalid version in "${header}" header.`
    this.#header = header
    this.#key = header.toLowerCase()
    if (NOT_JOINED.has(this.#key)) throw badOption(new.target.name, 'header', JOINED, header)
    this.varyOn = [header]
  }

  override readVersion(req: Request): string | undefined {
    // A name such as `constructor` must not be read from the prototype.
    const value = Object.hasOwn(req.headers, this.#key) ? req.headers[this.#key] : undefined
    if (value === undefined) return undefined
    const text = String(value)
    // Caches and proxies do not tell an empty field from one that is not there, so the answers must be the same.
    if (!text.includes(',')) return trimWhitespace(text) || undefined
    // Repeated lines arrive joined by commas (RFC 9110, section 5.3).
    const [first, ...others] = text.split(',').map(trimWhitespace)
    if (others.some((line) => line !== first)) throw this.invalidVersion()
    return first || undefined
  }

  /** Not a version with a comma, which joins repeated lines, or with whitespace around it; not an empty one. */
  override carry(version: string): VersionCarrier | undefined {
    const fits = isFieldValue(version) && /^[^,]+$/.test(version) && trimWhitespace(version) === version
    return fits && this.meansItself(version) ? { in: 'header', name: this.#header, value: version } : undefined
  }
}
