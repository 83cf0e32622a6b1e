// The scheme that reads the version from a request header of its own.
import type { Request } from 'express'
import { NotAcceptable } from '../errors'
import { isFieldValue, isToken, trimWhitespace } from '../http/fields'
import type { VersionCarrier, VersioningSettings } from '../types'
import { nameClass } from '../util/brand'
import { badOption } from '../util/options'
import { BaseVersioning, type RejectionClass } from './base'

/** Settings of {@link HeaderVersioning}. */
export interface HeaderSettings extends VersioningSettings {
  /** The name of the request header. Default `X-API-Version`. */
  header?: string | undefined
}

// Node drops the second line of these, returns a list, or joins them with semicolons (documentation of `message.headers`).
const NOT_JOINED = new Set(
  (
    'age authorization content-length content-type cookie etag expires from host if-modified-since if-unmodified-since ' +
    'last-modified location max-forwards proxy-authorization referer retry-after server set-cookie user-agent'
  ).split(' '),
)
const JOINED = 'a header whose repeated lines Node joins with commas, so that two versions can be told apart'

/**
 * ```http
 * GET /users HTTP/1.1
 * Host: api.example.com
 * X-API-Version: v1
 * ```
 *
 * The version is the value of a request header. Repeated lines must have the same value. An empty field names no version.
 */
export class HeaderVersioning extends BaseVersioning {
  static override readonly optionNames: readonly string[] = [...BaseVersioning.optionNames, 'header']

  override readonly varyOn: readonly string[]
  override readonly carriedIn: VersionCarrier['in'] = 'header'
  override readonly invalidVersionError: RejectionClass = NotAcceptable
  override readonly invalidVersionMessage: string
  readonly #header: string
  readonly #key: string

  /** @throws {TypeError} for anything but a header name, and for a header whose repeated lines Node does not join with commas. */
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
    // Do not read names such as `constructor` from the prototype.
    const value = Object.hasOwn(req.headers, this.#key) ? req.headers[this.#key] : undefined
    if (value === undefined) return undefined
    const text = String(value)
    // Treat an empty field as a missing one, as caches and proxies do.
    if (!text.includes(',')) return trimWhitespace(text) || undefined
    // Repeated lines arrive joined by commas (RFC 9110, section 5.3).
    const [first, ...others] = text.split(',').map(trimWhitespace)
    if (others.some((line) => line !== first)) throw this.invalidVersion()
    return first || undefined
  }

  /**
   * Returns the header with the version. A version that is empty, has a comma (which joins repeated lines) or has whitespace
   * around it has no carrier.
   */
  override carry(version: string): VersionCarrier | undefined {
    const fits = isFieldValue(version) && /^[^,]+$/.test(version) && trimWhitespace(version) === version
    return fits && this.meansItself(version) ? { in: 'header', name: this.#header, value: version } : undefined
  }
}

nameClass(HeaderVersioning, 'HeaderVersioning')
