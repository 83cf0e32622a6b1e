// The options of `versioning()`, and their checks.
import { isListItem, isToken } from '../http/fields'
import { normalizedOrigin } from '../http/host'
import { encodeReference, isPathPrefix } from '../http/reference'
import { VersionHeaders } from '../lifecycle/headers'
import type { AfterSunset, Lifecycle, Plans } from '../lifecycle/plans'
import { BaseVersioning, lendVersions } from '../schemes/base'
import { SETTING_NAMES } from '../schemes/settings'
import type { RequestChanges, RouteRegistry, VersionChanges, VersioningSettings } from '../types'
import { badOption, checkKeys, listOption, shown } from '../util/options'
import { didYouMean, near } from '../util/suggest'
import type { VersionListener } from './events'
import { NeutralRoutes } from './neutral'

/** A scheme class that `versioning()` can build with the shared settings. */
export type SchemeClass = new (settings?: VersioningSettings) => BaseVersioning

/** Options of `versioning()`. The shared settings go beside a scheme class; a ready instance brings its own. */
export interface VersioningOptions extends VersioningSettings {
  /** The scheme that reads the version: a class or an instance. */
  scheme: SchemeClass | BaseVersioning
  /** The root `namedRoutes()` table, which `req.reverse` and route-based schemes use. */
  routes?: RouteRegistry | undefined
  /** The start of absolute links, such as `https://api.example.com`. Default: the request's protocol and host. */
  origin?: string | undefined
  /** Hosts (`api.example.com`, `localhost:3000`) that an absolute link may take from a request. Default: any well-formed one. */
  allowedHosts?: Iterable<string> | undefined
  /** The path that a proxy in front of the app removes (`/shop`): every link starts with it. An inner `versioning()` inherits it. */
  publicPath?: string | undefined
  /** The plans of the versions: header fields on their answers, and the behaviour after their sunset. */
  lifecycle?: Plans | undefined
  /** The behaviour after a version's `sunset`: go on serving (default), or 410. */
  afterSunset?: AfterSunset | undefined
  /** `true` sends the supported versions, the deprecated ones and the decided one on every answer. Needs `allowedVersions`. Default `false`. */
  reportVersions?: boolean | undefined
  /** The listener of decisions, called once for each request. */
  onVersion?: VersionListener | undefined
  /**
   * Routes without a version: paths below the mount (`/health`), view names (`docs:index`) and namespaces (`docs:`). `routes` must
   * have the names by then.
   */
  neutral?: Iterable<string> | undefined
  /**
   * The history of changes between versions, from `versionHistory()` of `express-versioning/changes`. Handlers speak only the
   * newest version. Without `allowedVersions`, the history's versions are accepted. Needs `routes`.
   */
  changes?: VersionChanges | undefined
}

/** The checked options, in the form that requests read. */
export interface CompiledOptions {
  readonly scheme: BaseVersioning
  readonly routes: RouteRegistry | undefined
  readonly origin: string | undefined
  readonly allowedHosts: ReadonlySet<string> | undefined
  readonly publicPath: string | undefined
  /** The plans by version. */
  readonly lifecycles: ReadonlyMap<string, Lifecycle>
  /** Undefined unless a header is to be written or a version has a plan. */
  readonly headers: VersionHeaders | undefined
  readonly onVersion: VersionListener | undefined
  readonly neutral: NeutralRoutes | undefined
  readonly changes: RequestChanges | undefined
}

const OWNER = 'versioning()'

/** Loads the checks of plans, which few apps have. */
const plans = (): typeof import('../lifecycle/plans') => require('../lifecycle/plans')

/** The compilers of the options beside scheme and settings. A missing one is a type error. */
const COMPILED = {
  routes: checkedRoutes,
  origin: checkedOrigin,
  allowedHosts: hostSet,
  publicPath: checkedPublicPath,
  lifecycle: checkedPlans,
  afterSunset: (value: unknown) => plans().checkAfterSunset('afterSunset', value),
  reportVersions: checkedBoolean,
  onVersion: checkedListener,
  neutral: (value: unknown) => new NeutralRoutes(value),
  changes: checkedHistory,
} satisfies Record<Exclude<keyof VersioningOptions, 'scheme' | keyof VersioningSettings>, (value: unknown) => unknown>

const OPTION_NAMES: readonly string[] = ['scheme', ...SETTING_NAMES, ...Object.keys(COMPILED)]

type Own = typeof COMPILED
type CompiledOwn = { [Name in keyof Own]: ReturnType<Own[Name]> | undefined }

/**
 * Checks the options of `versioning()` and completes them.
 *
 * @throws {TypeError} naming the option, what it got and what it takes.
 */
export function compileOptions(options: VersioningOptions): CompiledOptions {
  if (typeof options === 'object' && options !== null && 'headers' in options && 'url' in options) {
    throw new TypeError(
      'versioning is a factory of middleware: app.use(versioning({ scheme: ... })), not app.use(versioning).',
    )
  }
  if (isSchemeClass(options) || options instanceof BaseVersioning) {
    throw new TypeError('versioning() takes an object of options with the scheme in it: versioning({ scheme: ... }).')
  }
  checkOwnOptions(options)
  checkKeys(OWNER, options, OPTION_NAMES)
  const scheme = buildScheme(options)
  const own = Object.fromEntries(
    Object.entries(COMPILED).map(([name, compile]) => {
      const given = options[name as keyof Own]
      return [name, given === undefined ? undefined : compile(given)]
    }),
  ) as CompiledOwn
  const { routes, origin, allowedHosts, publicPath, onVersion, neutral } = own
  if (routes !== undefined) neutral?.check(routes)
  // Bind the history before the scheme is checked, and before the headers, which report the accepted versions.
  const changes = own.changes === undefined ? undefined : bindHistory(own.changes, scheme, routes, neutral)
  scheme.compile()
  checkVaryOn(scheme)
  const { lifecycle, afterSunset = 'serve', reportVersions = false } = own
  if (reportVersions) checkReported(scheme.acceptedVersions)
  const lifecycles = lifecycle === undefined ? new Map() : plans().compileLifecycle(lifecycle, afterSunset, scheme)
  const announces = reportVersions || lifecycles.size > 0
  const headers = announces ? new VersionHeaders(scheme, lifecycles, reportVersions) : undefined
  return { scheme, routes, origin, allowedHosts, publicPath, lifecycles, onVersion, neutral, changes, headers }
}

function isSchemeClass(value: unknown): value is SchemeClass & typeof BaseVersioning {
  return typeof value === 'function' && (value === BaseVersioning || value.prototype instanceof BaseVersioning)
}

/** Refuses an option of a scheme, and says where it belongs. */
function checkOwnOptions(options: VersioningOptions): void {
  const given = options?.scheme
  const scheme = given instanceof BaseVersioning ? (given.constructor as typeof BaseVersioning) : given
  if (!isSchemeClass(scheme)) return
  const own = Object.keys(options).find((key) => !OPTION_NAMES.includes(key) && scheme.optionNames.includes(key))
  if (own === undefined) return
  throw new TypeError(
    `${OWNER}: "${own}" is an option of the scheme itself: scheme: new ${scheme.name}({ ${own}, ... }), with the scheme's other settings.`,
  )
}

function buildScheme({ scheme, ...options }: VersioningOptions): BaseVersioning {
  const { defaultVersion, allowedVersions, versionParam, parseVersion } = options
  const settings = { defaultVersion, allowedVersions, versionParam, parseVersion }
  if (scheme instanceof BaseVersioning) {
    const beside = SETTING_NAMES.filter((name) => settings[name] !== undefined)
    if (beside.length === 0) return scheme
    const names = beside.map((name) => `"${name}"`).join(', ')
    throw new TypeError(
      `${OWNER}: ${names} beside a scheme instance, which brings its own: pass it to new ${scheme.constructor.name}({ ... }), or give the class as "scheme".`,
    )
  }
  if (isSchemeClass(scheme)) return new scheme(settings)
  throw badOption(OWNER, 'scheme', 'a scheme class such as URLPathVersioning, or an instance of one', scheme)
}

function checkVaryOn(scheme: BaseVersioning): void {
  const varyOn: unknown = scheme.varyOn
  if (typeof varyOn === 'function' || (Array.isArray(varyOn) && varyOn.every(isToken))) return
  const takes = "a list of header names, such as ['Accept'], or a function of the request that gives one"
  throw badOption(scheme.constructor.name, 'varyOn', takes, varyOn)
}

function checkedRoutes(routes: unknown): RouteRegistry {
  const table = routes as Partial<RouteRegistry> | null
  if (typeof table?.link === 'function' && typeof table.resolve === 'function') return table as RouteRegistry
  throw badOption(OWNER, 'routes', 'a table made by namedRoutes()', routes)
}

function checkedOrigin(origin: unknown): string {
  const normalized = typeof origin === 'string' ? normalizedOrigin(origin) : undefined
  if (normalized === undefined)
    throw badOption(OWNER, 'origin', "an http(s) origin such as 'https://api.example.com'", origin)
  return normalized
}

function checkedPublicPath(path: unknown): string {
  if (typeof path === 'string' && isPathPrefix(path)) return encodeReference(path)
  const takes = "a path such as '/shop', without a slash at its end, empty or dot segments, query or fragment"
  throw badOption(OWNER, 'publicPath', takes, path)
}

function checkedBoolean(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw badOption(OWNER, 'reportVersions', 'true or false', value)
}

function checkedPlans(value: unknown): Plans {
  // Entries of a Map or a list would be missed.
  if (typeof value === 'object' && value !== null && !(Symbol.iterator in value)) return value as Plans
  throw badOption(OWNER, 'lifecycle', 'an object of plans by version', value)
}

/** Checks that a list in a header field can hold the versions. */
function checkReported(versions: readonly (string | null)[]): void {
  if (versions.every((version) => version === null)) {
    throw new TypeError(`${OWNER}: option "reportVersions" needs "allowedVersions", which it reports.`)
  }
  const odd = versions.find((version) => version !== null && !isListItem(version))
  if (odd === undefined) return
  throw new TypeError(
    `${OWNER}: option "reportVersions" needs versions of visible ASCII characters without commas; got ${shown(odd)} among them.`,
  )
}

function checkedListener(listener: unknown): VersionListener {
  if (typeof listener === 'function') return listener as VersionListener
  throw badOption(OWNER, 'onVersion', 'a function', listener)
}

function checkedHistory(value: unknown): VersionChanges {
  const history = value as Partial<VersionChanges> | null
  if (typeof history?.bind === 'function' && Array.isArray(history.versions)) return history as VersionChanges
  throw badOption(OWNER, 'changes', 'a history made by versionHistory() of express-versioning/changes', value)
}

/** Ties a history to the scheme, whose versions it must know, and to the table, which must have its operations. */
function bindHistory(
  history: VersionChanges,
  scheme: BaseVersioning,
  routes: RouteRegistry | undefined,
  neutral: NeutralRoutes | undefined,
): RequestChanges {
  if (routes === undefined) {
    throw new TypeError(`${OWNER}: option "changes" needs "routes", the table that has the names of its operations.`)
  }
  lendVersions(scheme, history)
  const { versions } = history
  for (const version of [scheme.defaultVersion, ...scheme.acceptedVersions]) {
    if (version === null || version === undefined || versions.includes(version)) continue
    throw new TypeError(
      `${OWNER}: option "changes" has no version ${shown(version)}, which the scheme accepts.${didYouMean(near(version, versions))}`,
    )
  }
  return history.bind(routes, (viewName) => neutral?.hasName(viewName) === true)
}

function hostSet(value: unknown): ReadonlySet<string> {
  const takes = "an iterable of hosts, such as ['api.example.com', 'localhost:3000']"
  const hosts = new Set<string>()
  for (const host of listOption(OWNER, 'allowedHosts', value, takes)) {
    // Requests are compared by the host of their origin, without the protocol's default port.
    const hostname = typeof host === 'string' ? host : ''
    const origins = ['http', 'https'].map((protocol) => normalizedOrigin(`${protocol}://${hostname}`))
    if (hostname.includes('*') || hostname.endsWith('/') || origins.includes(undefined)) {
      throw new TypeError(`${OWNER}: option "allowedHosts" takes ${takes}; got ${shown(host)} among them.`)
    }
    for (const origin of origins) hosts.add(new URL(origin as string).host)
  }
  return hosts
}
