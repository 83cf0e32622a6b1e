import type { LinkedPath, LinkOptionsTo, ViewName } from '../express'
import { type CompiledOptions, compileOptions, type VersioningOptions } from '../middleware/options'
import type { FullPath } from '../routes/typing'
import type { LinkKwargs, LinkQuery, Version, VersionCarrier } from '../types'
import { badOption, checkKeys, shown } from '../util/options'
import { didYouMean, near } from '../util/suggest'
import { hostHeader, urlStart } from './hosts'
import { Mount } from './mount'
import { VersionPaths } from './paths'

/** Options of {@link inVersion}. */
export interface ClientOptions<MountPath extends string = string> {
  /** Where `versioning()` and its table are mounted, as Express was given it (`/api`, `/:version`). Default `/`. */
  mount?: MountPath | undefined
  /** The host below which versions are, for a scheme that reads them there: `example.com` of `v1.example.com`. */
  host?: string | undefined
  /** Whether the version may be one that is not allowed, to test refusals. Default `false`. */
  unchecked?: boolean | undefined
}

/** A route's path below a literal mount, whose parameters are then those of both. */
type Below<MountPath extends string, Path extends string> = string extends MountPath
  ? string
  : string extends Path
    ? string
    : FullPath<MountPath, Path>

/** What a link says of itself; its version and origin are the client's. */
type ClientLinkOptions<Path extends string> = LinkOptionsTo<Path> & {
  absolute?: undefined
  origin?: undefined
  version?: undefined
}

type PathArguments<Path extends string> =
  object extends LinkOptionsTo<Path> ? [options?: ClientLinkOptions<Path>] : [options: ClientLinkOptions<Path>]

/** What `url()` takes behind the name, which may be `undefined` where nothing is required. */
export type ClientUrlOptions<Path extends string> =
  object extends LinkOptionsTo<Path> ? ClientLinkOptions<Path> | undefined : ClientLinkOptions<Path>

/** What a path below the mount takes: `kwargs` are the mount's own. */
interface PathOptions {
  kwargs?: LinkKwargs | undefined
  query?: LinkQuery | undefined
  hash?: string | undefined
}

/** What a client of one version sends: plain data for any HTTP client. */
export interface VersionClient<MountPath extends string = string> {
  /** The header fields that carry the version; none where it is carried elsewhere. */
  readonly headers: Record<string, string>

  /**
   * A path that is written out, below the mount. No version is added but that of the mount and of the query.
   *
   * @param options `kwargs` for the mount's own parameters, `query` and `hash`.
   * @throws {NoReverseMatch} for missing, unknown or unfit arguments, and for what leads to another host.
   * @example v1.path('/users/7') // '/api/users/7'
   */
  path(path: `/${string}`, options?: PathOptions): string
  /**
   * The path of a named route, with the version where the scheme puts it.
   *
   * @param options as those of `req.reverse`: `kwargs`, `args`, `query`, `hash`.
   * @throws {NoReverseMatch} for a name that the version does not have, and for missing, unknown or unfit arguments.
   * @example v1.path('user-detail', { kwargs: { id: 7 } }) // '/api/v1/users/7'
   */
  path<Name extends ViewName & string, Path extends string = Below<MountPath, LinkedPath<Name>>>(
    viewname: Name,
    ...options: PathArguments<Path>
  ): string

  /**
   * What {@link VersionClient.path} gives for a path that is written out, as a URL.
   *
   * @param base what it starts with: an origin, and the path that a proxy takes off. Default: the option `origin` of
   *   `versioning()`. Where its host has three labels, a version that hosts carry is put in place of the first.
   * @throws {NoReverseMatch} also for a `base` that is none, or that cannot carry the version.
   * @example v1.url('/users/7', {}, 'http://127.0.0.1:3000') // 'http://127.0.0.1:3000/api/users/7'
   */
  url(path: `/${string}`, options?: PathOptions, base?: string | URL): string
  /**
   * What {@link VersionClient.path} gives for a named route, as a URL.
   *
   * @param options as those of `path`, `undefined` or `{}` for none.
   * @param base as for a path that is written out.
   * @throws {NoReverseMatch} also for a `base` that is none, or that cannot carry the version.
   * @example v1.url('user-list', {}, 'http://127.0.0.1:3000') // 'http://127.0.0.1:3000/api/v1/users'
   */
  url<Name extends ViewName & string, Path extends string = Below<MountPath, LinkedPath<Name>>>(
    viewname: Name,
    options: ClientUrlOptions<Path>,
    base?: string | URL,
  ): string
}

const OWNER = 'inVersion()'
const OPTION_NAMES = ['mount', 'host', 'unchecked'] satisfies (keyof ClientOptions)[]

/**
 * What a client of a version sends, by the server's own options: for tests, jobs, mails and SDKs.
 *
 * @param options the very object that `versioning()` got; it stays as it is.
 * @throws {TypeError} for a version that is not allowed or that a request cannot say, a scheme that reads hosts without the option
 *   `host`, and wrong options.
 * @example
 * const v1 = inVersion('v1', options, { mount: '/api' })
 * await fetch(v1.url('user-detail', { kwargs: { id: 7 } }, base), { headers: v1.headers })
 */
export function inVersion<const MountPath extends string = '/'>(
  version: Version,
  options: VersioningOptions,
  client?: ClientOptions<MountPath>,
): VersionClient<MountPath>
export function inVersion<const MountPath extends string = '/'>(
  version: string,
  options: VersioningOptions,
  client: ClientOptions<MountPath> & { unchecked: true },
): VersionClient<MountPath>
export function inVersion(version: string, options: VersioningOptions, client: ClientOptions = {}): VersionClient {
  checkKeys(OWNER, client, OPTION_NAMES)
  const { mount = '/', host, unchecked = false } = client
  if (typeof unchecked !== 'boolean') throw badOption(OWNER, 'unchecked', 'true or false', unchecked)
  const compiled = compileOptions(options)
  checkVersion(version, compiled, unchecked)
  const carrier = carrierOf(version, compiled)
  const paths = new VersionPaths(compiled, new Mount(OWNER, mount), version, carrier)
  const path = (name: unknown, linkOptions?: object) => paths.to(name, linkOptions)
  return {
    headers: headersOf(carrier, compiled, host),
    path,
    url: (name: unknown, linkOptions?: object, base: string | URL | undefined = compiled.origin) =>
      urlStart(base, carrier) + path(name, linkOptions),
  }
}

/**
 * The versions that clients can ask for: the allowed ones in their order, and behind them a default that is not among them.
 *
 * @param options the very object that `versioning()` got; it stays as it is.
 * @throws {TypeError} for wrong options.
 * @example versionsOf({ scheme: HeaderVersioning, allowedVersions: ['v1', 'v2', null] }) // ['v1', 'v2']
 */
export function versionsOf(options: VersioningOptions): Version[] {
  const { acceptedVersions, defaultVersion } = compileOptions(options).scheme
  // The accepted versions have the default, but where every version is accepted.
  const versions = new Set([...acceptedVersions, defaultVersion])
  return [...versions].filter((version) => typeof version === 'string') as Version[]
}

function checkVersion(version: unknown, { scheme }: CompiledOptions, unchecked: boolean): void {
  if (typeof version !== 'string') throw new TypeError(`${OWNER} takes a version (a string); got ${shown(version)}.`)
  if (unchecked || scheme.isAllowedVersion(version)) return
  const accepted = scheme.acceptedVersions.filter((one) => one !== null)
  throw new TypeError(
    `${OWNER}: version ${shown(version)} is not allowed.${didYouMean(near(version, accepted))} Allowed: ${accepted.map(shown).join(', ')}. To test that it is refused: { unchecked: true }.`,
  )
}

function carrierOf(version: string, { scheme }: CompiledOptions): VersionCarrier {
  const carrier = scheme.carry(version)
  if (carrier !== undefined) return carrier
  throw new TypeError(
    `${OWNER}: no request can be said to carry version ${shown(version)}: carry() of ${scheme.constructor.name} gives none.`,
  )
}

function headersOf({ in: place, name, value }: VersionCarrier, { scheme }: CompiledOptions, host: unknown) {
  const headers: Record<string, string> = {}
  if (place === 'header') return { [name as string]: value }
  if (place !== 'host') return headers
  if (host !== undefined) return { Host: hostHeader(OWNER, value, host) }
  throw new TypeError(
    `${OWNER}: ${scheme.constructor.name} reads versions from hosts, so it needs the option "host", such as 'example.com' for '${value}.example.com'.`,
  )
}
