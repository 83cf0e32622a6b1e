// The scheme that reads the version from the host name.
import { isIPv4 } from 'node:net'
import type { Request } from 'express'
import { NoReverseMatch, VersioningError } from '../errors'
import { hostnameOf, namesOneHost, normalizedOrigin, requestHost, trustsForwardedHost } from '../http/host'
import { attempted, Call } from '../request/link'
import type { LinkCall, Linked } from '../request/state'
import type { VersionCarrier, VersioningSettings } from '../types'
import { nameClass } from '../util/brand'
import { badOption, shown } from '../util/options'
import { BaseVersioning } from './base'
import { ignoredNames } from './settings'

/** Settings of {@link HostNameVersioning}. */
export interface HostNameSettings extends VersioningSettings {
  /** The pattern of host names, whose first group is the version. Default: the first of three labels. */
  hostnamePattern?: RegExp | undefined
  /** Labels that are not versions (`['www']`), in any letter case. Such a host names no version. */
  ignore?: Iterable<string> | undefined
}

const FORWARDED: readonly string[] = ['X-Forwarded-Host']
const NOTHING: readonly string[] = []
const forwardedHost = (req: Request) => (trustsForwardedHost(req) ? FORWARDED : NOTHING)
const THREE_LABELS = /^([a-zA-Z0-9]+)\.[a-zA-Z0-9]+\.[a-zA-Z0-9]+$/

/**
 * ```http
 * GET /users HTTP/1.1
 * Host: v1.example.com
 * ```
 *
 * Express's `trust proxy` decides whether `X-Forwarded-Host` counts. A host that does not match the pattern, such as one with a
 * trailing dot, names no version and gets the default, unchecked. If its first label is an accepted version, the process warns once (`EXPRESS_VERSIONING_HOST`). A
 * request that names two hosts is rejected (400, `ERR_VERSION_HOST`). DRF, `HostNameVersioning`.
 */
export class HostNameVersioning extends BaseVersioning {
  static override readonly optionNames: readonly string[] = [...BaseVersioning.optionNames, 'hostnamePattern', 'ignore']

  override readonly varyOn: BaseVersioning['varyOn'] = forwardedHost
  override readonly carriedIn: VersionCarrier['in'] = 'host'
  override readonly linksVersion: boolean = true
  override readonly invalidVersionMessage: string = 'Invalid version in hostname.'
  protected override readonly checksDefault: boolean = false
  /** The pattern of host names, whose first group is the version. */
  hostnamePattern: RegExp
  /** Labels that are not versions. */
  ignore: Iterable<string> | undefined

  #pattern: RegExp | undefined
  #warned = false
  #ignored: ReadonlySet<string> | undefined

  /** @throws {TypeError} for unknown options, a pattern without a group, and other wrong values. */
  constructor(settings: HostNameSettings = {}) {
    super(settings)
    const { hostnamePattern, ignore } = settings
    this.hostnamePattern =
      hostnamePattern === undefined ? THREE_LABELS : checkedPattern(new.target.name, hostnamePattern)
    this.ignore = ignore === undefined ? undefined : ignoredNames(new.target.name, ignore)
    // Class fields of a subclass may still change these.
    if (new.target === HostNameVersioning)
      checkNameable(new.target.name, this, this.allowedVersions as Iterable<string | null>)
  }

  /** Returns the pattern, checked on first use: a subclass may set it with a class field. */
  private get pattern(): RegExp {
    this.#pattern ??= checkedPattern(this.constructor.name, this.hostnamePattern)
    return this.#pattern
  }

  /** Returns the ignored labels in lower case, because host names are case-insensitive (RFC 4343). */
  private get ignored(): ReadonlySet<string> {
    this.#ignored ??= new Set(ignoredNames(this.constructor.name, this.ignore).map((name) => name.toLowerCase()))
    return this.#ignored
  }

  override compile(): void {
    super.compile()
    this.pattern
    this.ignored
    const { readVersion, determineVersion } = HostNameVersioning.prototype
    // A subclass with its own reading may accept any version.
    if (this.readVersion === readVersion && this.determineVersion === determineVersion)
      checkNameable(this.constructor.name, this, this.settings.allowedVersions)
  }

  /**
   * Returns the version that the pattern finds in the host.
   *
   * @throws {VersioningError} 400 `ERR_VERSION_HOST` for a request that names two hosts.
   */
  override readVersion(req: Request): string | undefined {
    if (!namesOneHost(req)) {
      const options = { status: 400, code: 'ERR_VERSION_HOST', allowedVersions: this.acceptedVersions }
      throw new VersioningError('Ambiguous host in request.', options)
    }
    const host = requestHost(req) ?? ''
    const version = this.versionOf(host)
    if (version === undefined && !this.#warned) this.warnOf(hostnameOf(host))
    return version
  }

  /** Warns of a host that begins with a version, but does not match the pattern: its client may not want the default. */
  private warnOf(hostname: string): void {
    if (this.pattern.test(hostname) || isIPv4(hostname)) return
    const label = hostname.toLowerCase().replace(/\..*/s, '')
    const meant = this.acceptedVersions.find((version) => version?.toLowerCase() === label)
    if (!meant || this.ignored.has(label)) return
    this.#warned = true
    process.emitWarning(
      `${this.constructor.name}: a host begins with the accepted version ${shown(meant)}, but does not match "hostnamePattern", so it gets the default. Give a "hostnamePattern" for such hosts, or list the label in "ignore".`,
      { code: 'EXPRESS_VERSIONING_HOST' },
    )
  }

  override get rejectionStatuses(): readonly number[] {
    return [400, ...super.rejectionStatuses]
  }

  private versionOf(host: string): string | undefined {
    const version = this.pattern.exec(hostnameOf(host))?.[1]
    return version === undefined || this.ignored.has(version.toLowerCase()) ? undefined : version
  }

  /** Returns the version as the first of three labels. A custom pattern has no carrier, because its place is unknown. */
  override carry(version: string): VersionCarrier | undefined {
    const fits = this.pattern === THREE_LABELS && this.versionOf(`${version}.example.com`) === version
    return fits && this.meansItself(version) ? { in: 'host', value: version } : undefined
  }

  /**
   * Makes a link. The host carries the version, so a path stays in it. Another `version` changes the host, so that link must be
   * `absolute`. If `parseVersion` mapped the host's text to another version, an absolute link has that version in its host, if
   * possible.
   *
   * @throws {NoReverseMatch} for `version` without `absolute`, and for a host without a place for a version (status 400 if that
   *   is the request's host).
   */
  protected override link(viewname: string, call: LinkCall): Linked {
    const { options, request } = call
    const { version, absolute } = options
    if (request === undefined || (version === undefined && absolute !== true)) return call.plain(viewname)
    if (absolute !== true) {
      throw new NoReverseMatch('A link to another version changes the host, so it needs { absolute: true }.')
    }
    const origin = version === undefined ? this.parsedOrigin(call, request) : this.switched(version, call)
    return origin === undefined ? call.plain(viewname) : new Call(request, { ...options, origin }).plain(viewname)
  }

  /** Returns the request's origin with the accepted version instead of the text that `parseVersion` mapped to it. */
  private parsedOrigin(call: LinkCall, request: Request): string | undefined {
    if (!isOfRequest(call)) return undefined
    const text = this.versionOf(requestHost(request) ?? '')
    const version = text === undefined ? undefined : this.accepted(text)
    if (version === undefined || version === text || version !== request.version) return undefined
    const made = attempted(() => this.switched(version, call))
    return typeof made === 'string' ? made : undefined
  }

  /** Returns the link's origin with another version in its host. `null` removes the version and its dot. */
  private switched(version: string | null, call: LinkCall): string {
    const { protocol, hostname, port, origin } = new URL(call.origin())
    const ofRequest = isOfRequest(call)
    const host = ofRequest ? 'The host of this request' : 'The host of "origin"'
    const place = new RegExp(this.pattern.source, `${this.pattern.flags.replace('d', '')}d`).exec(hostname)
      ?.indices?.[1]
    if (place === undefined) {
      throw new NoReverseMatch(`${host} has no place for a version.`, { status: ofRequest ? 400 : 500 })
    }
    const [start, end] = place
    if (version === null && this.ignored.has(hostname.slice(start, end))) return origin
    // Removing a whole label removes its dot too.
    const label = (start === 0 || hostname[start - 1] === '.') && hostname[end] === '.'
    const tail = hostname.slice(version === null && label ? end + 1 : end)
    const switched = `${hostname.slice(0, start)}${version ?? ''}${tail}`
    const result = normalizedOrigin(`${protocol}//${switched}${port === '' ? '' : `:${port}`}`)
    // URLs have their host in lower case; versions may be in any case.
    if (result === undefined || this.versionOf(new URL(result).hostname) !== (version ?? undefined)) {
      // The client chose the host that remains without a version (400). The programmer chose another version (500).
      const status = ofRequest && version === null ? 400 : 500
      throw new NoReverseMatch(`${host} cannot carry that version.`, { status, unfit: [version] })
    }
    if (ofRequest && call.state?.config?.allowedHosts?.has(new URL(result).host) === false) {
      throw new NoReverseMatch('The host of the other version is not one of the allowed hosts.', { unfit: [version] })
    }
    return result
  }
}

nameClass(HostNameVersioning, 'HostNameVersioning')

/** Tells whether the origin of a link is that of its request. */
function isOfRequest({ options, state }: LinkCall): boolean {
  return options.origin === undefined && state?.config?.origin === undefined
}

/** Rejects versions that no host can name. A default needs no host, and `parseVersion` may find versions elsewhere in the text. */
function checkNameable(
  owner: string,
  { hostnamePattern, parseVersion, defaultVersion }: HostNameVersioning,
  versions: Iterable<string | null>,
): void {
  if (hostnamePattern !== THREE_LABELS || parseVersion !== undefined) return
  for (const version of versions) {
    if (version === null || version === defaultVersion || THREE_LABELS.test(`${version}.example.com`)) continue
    throw new TypeError(
      `${owner}: option "allowedVersions" has ${shown(version)}, but the default pattern takes only letters and digits, so no host can name it: give "hostnamePattern" or "parseVersion".`,
    )
  }
}

function checkedPattern(owner: string, pattern: unknown): RegExp {
  const takes = 'a RegExp without the flags "g" and "y", whose first group is the version'
  if (!(pattern instanceof RegExp) || pattern.global || pattern.sticky || !hasGroup(pattern))
    throw badOption(owner, 'hostnamePattern', takes, pattern)
  return pattern
}

/** Tells whether a pattern has a group. An empty alternative always matches, and the match then lists all groups. */
function hasGroup({ source, flags }: RegExp): boolean {
  return (new RegExp(`${source}|`, flags).exec('') as RegExpExecArray).length > 1
}
