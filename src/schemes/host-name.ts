import { isIPv4 } from 'node:net'
import type { Request } from 'express'
import { NoReverseMatch, VersioningError } from '../errors'
import { hostnameOf, namesOneHost, normalizedOrigin, requestHost, trustsForwardedHost } from '../http/host'
import { attempted, isFailed, plainLink } from '../request/link'
import { linkOrigin } from '../request/origin'
import { type Linked, peekState } from '../request/state'
import type { LinkOptions, VersionCarrier, VersioningSettings } from '../types'
import { badOption, shown } from '../util/options'
import { BaseVersioning } from './base'
import { ignoredNames } from './settings'

/** Settings of {@link HostNameVersioning}. */
export interface HostNameSettings extends VersioningSettings {
  /** Matches a hostname, its first group being the version. Default: the first of three labels. */
  hostnamePattern?: RegExp | undefined
  /** What may stand in the version's place and is none (`['www']`), in any letter case: such a host names no version. */
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
 * Express's `trust proxy` decides whether `X-Forwarded-Host` counts. A host that does not match the pattern names no version,
 * and the default is used unchecked, unless its first label is an accepted version: that is refused. A request that names two
 * hosts is refused, too (400, `ERR_VERSION_HOST`). DRF, `HostNameVersioning`.
 */
export class HostNameVersioning extends BaseVersioning {
  static override readonly optionNames: readonly string[] = [...BaseVersioning.optionNames, 'hostnamePattern', 'ignore']

  override readonly varyOn: BaseVersioning['varyOn'] = forwardedHost
  override readonly carriedIn: VersionCarrier['in'] = 'host'
  override readonly linksVersion: boolean = true
  override readonly invalidVersionMessage: string = 'Invalid version in hostname.'
  protected override readonly checksDefault: boolean = false
  /** Matches a hostname, its first group being the version. */
  hostnamePattern: RegExp
  /** What may stand in the version's place and is none. */
  ignore: Iterable<string> | undefined

  #pattern: RegExp | undefined
  #ignored: ReadonlySet<string> | undefined

  /** @throws {TypeError} for unknown options, a pattern without a group, and other wrong values. */
  constructor(settings: HostNameSettings = {}) {
    super(settings)
    const { hostnamePattern, ignore } = settings
    this.hostnamePattern =
      hostnamePattern === undefined ? THREE_LABELS : checkedPattern(new.target.name, hostnamePattern)
    this.ignore = ignore === undefined ? undefined : ignoredNames(new.target.name, ignore)
    // Class fields of a subclass may say otherwise.
    if (new.target === HostNameVersioning) checkNameable(new.target.name, this, this.allowedVersions)
  }

  /** The pattern in force, checked on first use: a subclass may have set it by a class field. */
  private get pattern(): RegExp {
    this.#pattern ??= checkedPattern(this.constructor.name, this.hostnamePattern)
    return this.#pattern
  }

  /** In lower case, because host names have none (RFC 4343). */
  private get ignored(): ReadonlySet<string> {
    this.#ignored ??= new Set(ignoredNames(this.constructor.name, this.ignore).map((name) => name.toLowerCase()))
    return this.#ignored
  }

  override compile(): void {
    super.compile()
    this.pattern
    this.ignored
    const { readVersion, determineVersion } = HostNameVersioning.prototype
    // A subclass that reads by itself may find any version.
    if (this.readVersion === readVersion && this.determineVersion === determineVersion)
      checkNameable(this.constructor.name, this, this.settings.allowedVersions)
  }

  /**
   * What the pattern finds in the host, but for what is no version.
   *
   * @throws {VersioningError} 400 `ERR_VERSION_HOST` for a request that names two hosts; as for a wrong version where the host
   *   does not match the pattern, and begins with an accepted version.
   */
  override readVersion(req: Request): string | undefined {
    if (!namesOneHost(req)) {
      const allowedVersions = this.acceptedVersions
      throw new VersioningError('Ambiguous host in request.', {
        status: 400,
        code: 'ERR_VERSION_HOST',
        allowedVersions,
      })
    }
    const host = requestHost(req) ?? ''
    const version = this.versionOf(host)
    if (version === undefined) this.refuseMisplaced(hostnameOf(host))
    return version
  }

  /** Refuses a host that begins with a version where the pattern does not find it: its client asked for no default. */
  private refuseMisplaced(hostname: string): void {
    if (this.pattern.test(hostname) || isIPv4(hostname)) return
    const [label = ''] = hostname.toLowerCase().split('.', 1)
    const listed = this.acceptedVersions.some((version) => version?.toLowerCase() === label)
    if (listed && !this.ignored.has(label)) throw this.invalidVersion(label)
  }

  override get refusalStatuses(): readonly number[] {
    return [400, ...super.refusalStatuses]
  }

  private versionOf(host: string): string | undefined {
    const version = this.pattern.exec(hostnameOf(host))?.[1]
    return version === undefined || this.ignored.has(version.toLowerCase()) ? undefined : version
  }

  /** As the first of three labels; where a pattern of one's own would find it, nobody can say. */
  override carry(version: string): VersionCarrier | undefined {
    const fits = this.pattern === THREE_LABELS && this.versionOf(`${version}.example.com`) === version
    return fits && this.meansItself(version) ? { in: 'host', value: version } : undefined
  }

  /**
   * The host carries the version, so a path stays in it. Another `version` changes the host: the link must be `absolute`. Where
   * `parseVersion` took the host's text for another version, an absolute link has that one in its host, if it can.
   *
   * @throws {NoReverseMatch} for `version` without `absolute`, or when the host has no place for a version (status 400 where
   *   that host is the request's).
   */
  protected override link(viewname: string, options: LinkOptions, request: Request | undefined): Linked {
    const { version } = options
    if (request === undefined) return plainLink(viewname, options, request)
    if (version === undefined) {
      const origin = options.absolute === true ? this.parsedOrigin(options, request) : undefined
      return plainLink(viewname, origin === undefined ? options : { ...options, origin }, request)
    }
    if (options.absolute !== true) {
      throw new NoReverseMatch('A link to another version changes the host, so it needs { absolute: true }.')
    }
    return plainLink(viewname, { ...options, origin: this.switched(version, options, request) }, request)
  }

  /** The request's own origin with the accepted version in place of the text that was taken for it. */
  private parsedOrigin(options: LinkOptions, request: Request): string | undefined {
    if (options.origin !== undefined || peekState(request)?.config?.origin !== undefined) return undefined
    const text = this.versionOf(requestHost(request) ?? '')
    const version = text === undefined ? undefined : this.accepted(text)
    if (version === undefined || version === text || version !== request.version) return undefined
    const made = attempted(() => this.switched(version, options, request))
    return isFailed(made) ? undefined : made
  }

  /** The link's origin with the version in its host replaced, or with `null` taken out together with its dot. */
  private switched(version: string | null, options: LinkOptions, request: Request): string {
    const { protocol, hostname, port, origin } = new URL(linkOrigin(options, request))
    const config = peekState(request)?.config
    const ofRequest = options.origin === undefined && config?.origin === undefined
    const host = ofRequest ? 'The host of this request' : 'The host of "origin"'
    const place = new RegExp(this.pattern.source, `${this.pattern.flags.replace('d', '')}d`).exec(hostname)
      ?.indices?.[1]
    if (place === undefined) {
      throw new NoReverseMatch(`${host} has no place for a version.`, { status: ofRequest ? 400 : 500 })
    }
    const [start, end] = place
    if (version === null && this.ignored.has(hostname.slice(start, end))) return origin
    // Of a whole label that is taken out, no empty one is left.
    const label = (start === 0 || hostname[start - 1] === '.') && hostname[end] === '.'
    const tail = hostname.slice(version === null && label ? end + 1 : end)
    const switched = `${hostname.slice(0, start)}${version ?? ''}${tail}`
    const result = normalizedOrigin(`${protocol}//${switched}${port === '' ? '' : `:${port}`}`)
    // A URL's host is lower case, whatever the version is.
    if (result === undefined || this.versionOf(new URL(result).hostname) !== (version ?? undefined)) {
      // What is left of the host without its version is the client's choice; the other version is the programmer's.
      const status = ofRequest && version === null ? 400 : 500
      throw new NoReverseMatch(`${host} cannot carry that version.`, { status, unfit: [version] })
    }
    if (ofRequest && config?.allowedHosts?.has(new URL(result).host) === false) {
      throw new NoReverseMatch('The host of the other version is not one of the allowed hosts.', { unfit: [version] })
    }
    return result
  }
}

/** Refuses versions that no host can name. A default needs no name, and a parser may find it elsewhere in the text. */
function checkNameable(
  owner: string,
  { hostnamePattern, parseVersion, defaultVersion }: HostNameVersioning,
  versions: Iterable<string | null> = [],
): void {
  if (hostnamePattern !== THREE_LABELS || parseVersion !== undefined) return
  for (const version of versions) {
    if (version === null || version === defaultVersion || THREE_LABELS.test(`${version}.example.com`)) continue
    throw new TypeError(
      `${owner}: option "allowedVersions" has ${shown(version)}, but the default pattern takes letters and digits alone, so no host can name it: give "hostnamePattern" or "parseVersion".`,
    )
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
