import type { Request } from 'express'
import { NotAcceptable } from '../errors'
import { isToken } from '../http/token'
import type { VersionCarrier, VersioningSettings } from '../types'
import { badOption } from '../util/options'
import { BaseVersioning, type RefusalClass } from './base'

/** Settings of {@link HeaderVersioning}. */
export interface HeaderSettings extends VersioningSettings {
  /** Name of the request header. Default `X-API-Version`. */
  header?: string | undefined
}

/**
 * ```http
 * GET /users HTTP/1.1
 * Host: api.example.com
 * X-API-Version: v1
 * ```
 *
 * The version is a request header of its own. Sent more than once, it must say the same each time.
 */
export class HeaderVersioning extends BaseVersioning {
  static override readonly optionNames: readonly string[] = [...BaseVersioning.optionNames, 'header']

  override readonly varyOn: readonly string[]
  override readonly carriedIn: VersionCarrier['in'] = 'header'
  override readonly invalidVersionError: RefusalClass = NotAcceptable
  override readonly invalidVersionMessage: string
  readonly #key: string

  constructor(settings: HeaderSettings = {}) {
    super(settings)
    const { header = 'X-API-Version' } = settings
    if (!isToken(header))
      throw badOption(new.target.name, 'header', 'a header field name (RFC 9110, section 5.1)', header)
    this.invalidVersionMessage = `Invalid version in "${header}" header.`
    this.#key = header.toLowerCase()
    this.varyOn = [header]
  }

  override readVersion(req: Request): string | undefined {
    // A name such as `constructor` must not be read from the prototype.
    const value = Object.hasOwn(req.headers, this.#key) ? req.headers[this.#key] : undefined
    if (value === undefined) return undefined
    const text = String(value)
    if (!text.includes(',')) return text.trim()
    // Repeated lines arrive joined by commas (RFC 9110, section 5.3).
    const [first, ...others] = text.split(',').map((line) => line.trim())
    if (others.some((line) => line !== first)) throw this.invalidVersion()
    return first
  }
}
