// The headers and links of a version's clients: `inVersion()` and its options.

import type { LinkedPath, LinkOptionsTo, ViewName } from '../express'
import { type CompiledOptions, compileOptions, type VersioningOptions } from '../middleware/versioning-options'
import type { FullPath } from '../routes/typing'
import { carriedParts } from '../schemes/carriers'
import type { LinkKwargs, LinkQuery, Version, VersionCarrier } from '../types'
import { badOption, checkKeys, shown } from '../util/options'
import { didYouMean, near } from '../util/suggest'
import { hostHeader, urlStart } from './client-hosts'
import { Mount, VersionPaths } from './client-paths'

/** Options of {@link inVersion}. */
export interface ClientOptions<MountPath extends string = string> {
  /** The mount path of `versioning()` and its table, as given to Express (`/api`, `/:version`). Default `/`. */
  mount?: MountPath | undefined
  /** The host below the versions, for schemes that read hosts: `example.com` of `v1.example.com`. */
  host?: string | undefined
  /** `true` takes a version that is not allowed, to test rejections. Default `false`. */
  unchecked?: boolean | undefined
}

/** A route's path below a literal mount, with the parameters of both. */
type Below<MountPath extends string, Path extends string> = string extends MountPath
  ? string
  : string extends Path
    ? string
    : FullPath<MountPath, Path>

/** The options of a client's link. The client gives version and origin. */
type ClientLinkOptions<Path extends string> = LinkOptionsTo<Path> & {
  absolute?: undefined
  origin?: undefined
  version?: undefined
}

type PathArguments<Path extends string> =
  object extends LinkOptionsTo<Path> ? [options?: ClientLinkOptions<Path>] : [options: ClientLinkOptions<Path>]

/** The arguments of `url()` behind the name; `undefined` where the route requires nothing. */
export type ClientUrlOptions<Path extends string> =
  object extends LinkOptionsTo<Path> ? ClientLinkOptions<Path> | undefined : ClientLinkOptions<Path>

/** The options of a path below the mount; `kwargs` belong to the mount. */
interface PathOptions {
  kwargs?: LinkKwargs | undefined
  query?: LinkQuery | undefined
  hash?: string | undefined
}

/** Headers and links of a client of one version: plain data for any HTTP client. */
export interface VersionClient<MountPath extends string = string> {
  /** The header fields that carry the version; `{}` where it is carried elsewhere. */
  readonly headers: Record<string, string>

  /**
   * Returns a literal path below the mount. Adds the version only to the mount and the query.
   *
   * @param options `kwargs` for the mount's own parameters, `query` and `hash`.
   * @throws {NoReverseMatch} for missing, unknown or unfit arguments, and for a path to another host.
   * @example v1.path('/users/7') // '/api/users/7'
   */
  path(path: `/${string}`, options?: PathOptions): string
  /**
   * Returns the path of a named route, with the version where the scheme puts it.
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
   * Returns the URL of a literal path below the mount.
   *
   * @param base the start: an origin, and the path that a proxy removes. Default: the option `origin` of `versioning()`. A
   *   version that hosts carry replaces the first of three labels.
   * @throws {NoReverseMatch} also for a wrong `base`, and one that cannot carry the version.
   * @example v1.url('/users/7', {}, 'http://127.0.0.1:3000') // 'http://127.0.0.1:3000/api/users/7'
   */
  url(path: `/${string}`, options?: PathOptions, base?: string | URL): string
  /**
   * Returns the URL of a named route.
   *
   * @param options as those of `path`; `undefined` or `{}` for none.
   * @param base as for a literal path.
   * @throws {NoReverseMatch} also for a wrong `base`, and one that cannot carry the version.
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
 * Derives the headers and links of a version's clients from the server's own options: for tests, jobs, mails and SDKs.
 *
 * @param options the same object as for `versioning()`; it is never changed.
 * @throws {TypeError} for a version that is not allowed or that the scheme cannot carry, a host scheme without option `host`, and
 *   wrong options.
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
 * Lists the versions that clients can ask for: the allowed ones in their order, then an unlisted default.
 *
 * @param options the same object as for `versioning()`; it is never changed.
 * @throws {TypeError} for wrong options.
 * @example versionsOf({ scheme: HeaderVersioning, allowedVersions: ['v1', 'v2', null] }) // ['v1', 'v2']
 */
export function versionsOf(options: VersioningOptions): Version[] {
  const { acceptedVersions, defaultVersion } = compileOptions(options).scheme
  // `acceptedVersions` has the default, unless every version is accepted.
  const versions = new Set([...acceptedVersions, defaultVersion])
  return [...versions].filter((version) => typeof version === 'string') as Version[]
}

function checkVersion(version: unknown, { scheme }: CompiledOptions, unchecked: boolean): void {
  if (typeof version !== 'string') throw new TypeError(`${OWNER} takes a version (a string); got ${shown(version)}.`)
  if (unchecked || scheme.isAllowedVersion(version)) return
  const accepted = scheme.acceptedVersions.filter((one) => one !== null)
  throw new TypeError(
    `${OWNER}: version ${shown(version)} is not allowed.${didYouMean(near(version, accepted))} Allowed: ${accepted.map(shown).join(', ')}. To test that it is rejected: { unchecked: true }.`,
  )
}

function carrierOf(version: string, { scheme }: CompiledOptions): VersionCarrier {
  const carrier = scheme.carry(version)
  if (carrier !== undefined) return carrier
  throw new TypeError(
    `${OWNER}: no request can carry version ${shown(version)}: carry() of ${scheme.constructor.name} returns undefined.`,
  )
}

function headersOf(carrier: VersionCarrier, { scheme }: CompiledOptions, host: unknown): Record<string, string> {
  const { headers = {}, label } = carriedParts(carrier)
  if (label === undefined) return headers
  if (host !== undefined) return { Host: hostHeader(OWNER, label, host) }
  throw new TypeError(
    `${OWNER}: ${scheme.constructor.name} reads versions from hosts, so it needs the option "host", such as 'example.com' for '${label}.example.com'.`,
  )
}
