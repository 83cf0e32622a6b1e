import type { Request } from 'express'
import { NoReverseMatch } from '../errors'
import { normalizedOrigin, requestHost } from '../http/host'
import { linkOrigin } from '../request/link'
import { peekState } from '../request/state'
import type { SchemeLinkOptions, VersionCarrier, VersioningSettings } from '../types'
import { badOption } from '../util/options'
import { BaseVersioning } from './base'

/** Settings of {@link HostNameVersioning}. */
export interface HostNameSettings extends VersioningSettings {
  /** Matches a hostname, its first group being the version. Default: the first of three labels. */
  hostnamePattern?: RegExp | undefined
}

const THREE_LABELS = /^([a-zA-Z0-9]+)\.[a-zA-Z0-9]+\.[a-zA-Z0-9]+$/

/**
 * ```http
 * GET /users HTTP/1.1
 * Host: v1.example.com
 * ```
 *
 * Express's `trust proxy` decides whether `X-Forwarded-Host` counts. A host that does not match the pattern names no version,
 * and the default is used unchecked. DRF, `HostNameVersioning`.
 */
export class HostNameVersioning extends BaseVersioning {
  static override readonly optionNames: readonly string[] = [...BaseVersioning.optionNames, 'hostnamePattern']

  override readonly carriedIn: VersionCarrier['in'] = 'host'
  override readonly linksVersion: boolean = true
  override readonly invalidVersionMessage: string = 'Invalid version in hostname.'
  protected override readonly checksDefault: boolean = false
  /** Matches a hostname, its first group being the version. */
  hostnamePattern: RegExp

  #pattern: RegExp | undefined

  constructor(settings: HostNameSettings = {}) {
    super(settings)
    const { hostnamePattern } = settings
    this.hostnamePattern =
      hostnamePattern === undefined ? THREE_LABELS : checkedPattern(new.target.name, hostnamePattern)
  }

  /** The pattern in force, checked on first use: a subclass may have set it by a class field. */
  private get pattern(): RegExp {
    this.#pattern ??= checkedPattern(this.constructor.name, this.hostnamePattern)
    return this.#pattern
  }

  override compile(): void {
    super.compile()
    this.pattern
  }

  override readVersion(req: Request): string | undefined {
    return this.versionOf(requestHost(req) ?? '')
  }

  private versionOf(host: string): string | undefined {
    const colon = host.indexOf(':')
    return this.pattern.exec(colon === -1 ? host : host.slice(0, colon))?.[1]
  }

  /**
   * The host carries the version, so a path stays in it. Another `version` changes the host: the link must be `absolute`.
   *
   * @throws {NoReverseMatch} for `version` without `absolute`, or when the host has no place for a version.
   */
  override reverse(viewname: string, options: SchemeLinkOptions = {}): string {
    const { version } = options
    if (version === undefined) return super.reverse(viewname, options)
    if (options.absolute !== true) {
      throw new NoReverseMatch('A link to another version changes the host, so it needs { absolute: true }.')
    }
    return super.reverse(viewname, { ...options, origin: this.switched(version, options) })
  }

  /** The link's origin with the version in its host replaced, or with `null` taken out together with its dot. */
  private switched(version: string | null, { origin: given, request, ...rest }: SchemeLinkOptions): string {
    const { protocol, hostname, port } = new URL(linkOrigin({ origin: given, request, ...rest }))
    const place = new RegExp(this.pattern.source, `${this.pattern.flags.replace('d', '')}d`).exec(hostname)
      ?.indices?.[1]
    if (place === undefined) throw new NoReverseMatch(`The host "${hostname}" has no place for a version.`)
    const [start, end] = place
    // Of a whole label that is taken out, no empty one is left.
    const label = (start === 0 || hostname[start - 1] === '.') && hostname[end] === '.'
    const tail = hostname.slice(version === null && label ? end + 1 : end)
    const host = `${hostname.slice(0, start)}${version ?? ''}${tail}`
    const result = normalizedOrigin(`${protocol}//${host}${port === '' ? '' : `:${port}`}`)
    // A URL's host is lower case, whatever the version is.
    if (result === undefined || this.versionOf(new URL(result).hostname) !== (version ?? undefined)) {
      throw new NoReverseMatch(`The host "${hostname}" cannot carry version ${JSON.stringify(version)}.`)
    }
    const config = peekState(request)?.config
    const allowedHosts = given === undefined && config?.origin === undefined ? config?.allowedHosts : undefined
    if (allowedHosts !== undefined && !allowedHosts.has(new URL(result).host)) {
      throw new NoReverseMatch(`"${host}" is not one of the allowed hosts.`)
    }
    return result
  }
}

function checkedPattern(owner: string, pattern: unknown): RegExp {
  const takes = 'a RegExp without the flags "g" and "y", whose first group is the version'
  if (!(pattern instanceof RegExp) || pattern.global || pattern.sticky || !hasGroup(pattern))
    throw badOption(owner, 'hostnamePattern', takes, pattern)
  return pattern
}

/** An alternative that is empty always matches, so the match shows what groups there are. */
function hasGroup({ source, flags }: RegExp): boolean {
  return (new RegExp(`${source}|`, flags).exec('') as RegExpExecArray).length > 1
}
