// The options of `versioning()`, and their checks.

import type { VersionChanges, VersionContract } from '../bound-changes'
import { isToken } from '../http/fields'
import { normalizedOrigin } from '../http/host'
import { encodeReference, isPathPrefix } from '../http/reference'
import { asReport, ChangesReport } from '../lifecycle/changes-report'
import { checkReported, VersionHeaders } from '../lifecycle/headers'
import { type AfterSunset, asAfterSunset, compileLifecycle, type Lifecycle, type Plans } from '../lifecycle/plans'
import type { RouteRegistry } from '../registry'
import { type BaseVersioning, isScheme, rulesOf } from '../schemes/base'
import { SETTING_NAMES } from '../schemes/settings'
import type { Version, VersioningSettings } from '../types'
import { isMade } from '../util/brand'
import { badOption, checkKeys, listOption, shown } from '../util/options'
import { asContract, asHistory, bindHistory } from './history-options'
import { NeutralRoutes } from './neutral'
import type { VersionListener } from './version-events'

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
  /** The plans of the versions: header fields on their responses, and the behaviour after their sunset. */
  lifecycle?: Plans | undefined
  /** The behaviour after a version's `sunset`: go on serving (default), or 410. */
  afterSunset?: AfterSunset | undefined
  /** `true` sends the supported versions, the deprecated ones and the decided one on every response. Needs `allowedVersions`. Default `false`. */
  reportVersions?: boolean | undefined
  /**
   * `true` sends, in responses of older versions, the number of changes that met the request, and a link to the page `info` of the
   * version. The address of a changelog, such as `/explorer/changes`, is linked to instead. Needs `changes`. Default `false`.
   */
  reportChanges?: boolean | string | undefined
  /**
   * The listener of decisions, called once for each request, and again, with the `error`, if the request is rejected or fails later
   * because of its version.
   */
  onVersion?: VersionListener | undefined
  /**
   * Routes without a version: paths below the mount (`/health`), view names (`docs:index`) and namespaces (`docs:`), of all methods, or
   * of one (`GET /files/:name`). `routes` must have the names by then.
   */
  neutral?: Iterable<string> | undefined
  /**
   * The history of changes between versions, from `versionHistory()` of `express-versioning/changes`. Handlers speak only the
   * newest version. Without `allowedVersions`, the history's versions are accepted. Needs `routes`.
   */
  changes?: VersionChanges<Version> | undefined
  /**
   * The highest number of bytes that are held for one response of an older version, whose pieces `changes` convert as a whole. A
   * larger one is 500 `ERR_VERSION_CHANGE`. Default 104857600 (100 MiB).
   */
  maxCollected?: number | undefined
  /**
   * The contract of all versions, from `contract()` of `express-versioning/contract`. Requests are checked in their own version, before
   * `changes` convert them. Needs `changes`, `routes` and descriptions.
   */
  contract?: VersionContract | undefined
}

/** The checked options, in the form that requests read. There are no `headers` unless a header is to be written or a version has a plan. */
export type CompiledOptions = ReturnType<typeof compiled>

const made = new WeakSet<object>()

const OWNER = 'versioning()'

/** The options beside scheme and settings: what each takes, and its compiler, which returns `undefined` for other values. */
export const OWN_OPTIONS = {
  routes: ['a table made by namedRoutes()', asTable],
  origin: ["an http(s) origin such as 'https://api.example.com'", asOrigin],
  allowedHosts: ["an iterable of hosts, such as ['api.example.com', 'localhost:3000']", hostSet],
  publicPath: [
    "a path such as '/shop', without a slash at its end, empty or dot segments, query or fragment",
    (value: unknown) => (typeof value === 'string' && isPathPrefix(value) ? encodeReference(value) : undefined),
  ],
  lifecycle: ['an object of plans by version', asPlans],
  afterSunset: ["'serve' or 'gone'", asAfterSunset],
  reportVersions: ['true or false', (value: unknown) => (typeof value === 'boolean' ? value : undefined)],
  reportChanges: [
    "true or false, or the address of the changelog: an http(s) URL, or a path such as '/explorer/changes'",
    asReport,
  ],
  onVersion: ['a function', (value: unknown) => (typeof value === 'function' ? (value as VersionListener) : undefined)],
  neutral: [
    "a list of paths ('/health'), view names ('docs:index') and namespaces ('docs:'), with a method in front or without",
    (value: unknown, takes: string, routes: unknown) => new NeutralRoutes(value, takes, asTable(routes)),
  ],
  changes: ['a history made by versionHistory() of express-versioning/changes', asHistory],
  maxCollected: ['a whole number of bytes above 0', (value: unknown) => (isSize(value) ? value : undefined)],
  contract: ['a contract made by contract() of express-versioning/contract', asContract],
} satisfies Record<
  Exclude<keyof VersioningOptions, 'scheme' | keyof VersioningSettings>,
  [takes: string, compile: (value: unknown, takes: string, routes: unknown) => unknown]
>

/** The names of all options. */
export const OPTION_NAMES: readonly string[] = ['scheme', ...SETTING_NAMES, ...Object.keys(OWN_OPTIONS)]

type Own = { [Name in keyof typeof OWN_OPTIONS]: ReturnType<(typeof OWN_OPTIONS)[Name][1]> | undefined }

/**
 * Checks the options of `versioning()` and completes them. Compiled ones stay as they are.
 *
 * @param isServed `true` if requests are served: nothing may be left to do then.
 * @throws {TypeError} naming the option, what it got and what it takes.
 */
export function compileOptions(options: VersioningOptions | CompiledOptions, isServed = false): CompiledOptions {
  if (made.has(options)) return options as CompiledOptions
  const own = compiled(options as VersioningOptions, isServed)
  made.add(own)
  return own
}

function compiled(options: VersioningOptions, isServed: boolean) {
  if (typeof options === 'object' && options !== null && 'headers' in options && 'url' in options) {
    throw new TypeError(
      'versioning is a factory of middleware: app.use(versioning({ scheme: ... })), not app.use(versioning).',
    )
  }
  if (isSchemeClass(options) || isScheme(options)) {
    throw new TypeError('versioning() takes an object of options with the scheme in it: versioning({ scheme: ... }).')
  }
  checkOwnOptions(options)
  checkKeys(OWNER, options, OPTION_NAMES)
  const scheme = buildScheme(options)
  const own = Object.fromEntries(
    Object.entries(OWN_OPTIONS).map(([name, [takes, compile]]) => {
      const given = options[name as keyof Own]
      const compiled = given === undefined ? undefined : compile(given, takes, options.routes)
      if (compiled === undefined && given !== undefined) throw badOption(OWNER, name, takes, given)
      return [name, compiled]
    }),
  ) as Own
  const { routes, origin, allowedHosts, publicPath, onVersion, neutral, maxCollected = 100 * 2 ** 20 } = own
  if (routes !== undefined) neutral?.check(routes)
  if (isServed) own.changes?.checkDone(OWNER)
  // Bind the history before the scheme is checked, and before the headers, which report the accepted versions.
  const changes =
    own.changes === undefined ? undefined : bindHistory(own.changes, scheme, routes, neutral, own.contract)
  const needy = changes === undefined ? (['contract', 'reportChanges'] as const).find((name) => own[name]) : undefined
  if (needy !== undefined) {
    throw new TypeError(
      `${OWNER}: option "${needy}" needs "changes", a history. An API of one version writes versionHistory('v1').`,
    )
  }
  scheme.compile()
  checkVaryOn(scheme)
  const { lifecycle, afterSunset = 'serve', reportVersions = false, reportChanges = false } = own
  if (reportVersions) checkReported(scheme.acceptedVersions)
  const lifecycles: ReadonlyMap<string, Lifecycle> =
    lifecycle === undefined ? new Map() : compileLifecycle(lifecycle, afterSunset, scheme)
  const previews = [...lifecycles].flatMap(([version, { isPreview }]) => (isPreview ? version : []))
  if (previews.length > 0) rulesOf(scheme).previews = new Set(previews)
  const announces = reportVersions || lifecycles.size > 0
  const changesReport =
    reportChanges === false || own.changes === undefined
      ? undefined
      : new ChangesReport(own.changes, scheme, lifecycles, reportChanges)
  const headers = announces ? new VersionHeaders(scheme, lifecycles, reportVersions) : undefined
  return {
    scheme,
    routes,
    origin,
    allowedHosts,
    publicPath,
    lifecycles,
    onVersion,
    neutral,
    changes,
    changesReport,
    maxCollected,
    headers,
  }
}

function isSchemeClass(value: unknown): value is SchemeClass & typeof BaseVersioning {
  return typeof value === 'function' && isMade('scheme', value.prototype)
}

/** Rejects an option of a scheme, and says where it belongs. */
function checkOwnOptions(options: VersioningOptions): void {
  const given = options?.scheme
  const scheme = isScheme(given) ? (given.constructor as typeof BaseVersioning) : given
  if (!isSchemeClass(scheme)) return
  const own = Object.keys(options).find((key) => !OPTION_NAMES.includes(key) && scheme.optionNames.includes(key))
  if (own === undefined) return
  throw new TypeError(
    `${OWNER}: "${own}" is an option of the scheme itself: scheme: new ${scheme.name}({ ${own}, ... }), with the scheme's other settings.`,
  )
}

/** Returns the scheme of the options: the given instance, or a new one of the given class. */
export function buildScheme({ scheme, ...options }: VersioningOptions): BaseVersioning {
  const { defaultVersion, allowedVersions, versionParam, parseVersion } = options
  const settings = { defaultVersion, allowedVersions, versionParam, parseVersion }
  if (isScheme(scheme)) {
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

function asTable(value: unknown): RouteRegistry | undefined {
  const table = value as Partial<RouteRegistry> | null
  // The interface is enough, but one of another version may mean something else.
  const isTable = isMade('table', table) || (typeof table?.link === 'function' && typeof table.resolve === 'function')
  return isTable ? (table as RouteRegistry) : undefined
}

function asOrigin(value: unknown): string | undefined {
  return typeof value === 'string' ? normalizedOrigin(value) : undefined
}

function asPlans(value: unknown): Plans | undefined {
  // Entries of a Map or a list would be missed.
  return typeof value === 'object' && value !== null && !(Symbol.iterator in value) ? (value as Plans) : undefined
}

function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0
}

function hostSet(value: unknown, takes: string): ReadonlySet<string> {
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
