import type { Request, RequestHandler } from 'express'
import {
  AcceptHeaderVersioning,
  type BaseVersioning,
  type CombinedSettings,
  CombinedVersioning,
  HeaderVersioning,
  HostNameVersioning,
  MediaTypeVersioning,
  NamespaceVersioning,
  NotAcceptable,
  NotFound,
  QueryParameterVersioning,
  type ResolverMatch,
  type RouteRegistry,
  type SchemeClass,
  URLPathVersioning,
  VersioningError,
  type VersioningOptions,
  type VersioningSettings,
  versioning,
} from 'express-versioning'
import { run } from './dispatch'

/** A request, as the contract suite sends it. */
export interface Asked {
  readonly path: string
  readonly headers?: Record<string, string>
}

/** The facts about a scheme that the contract suite needs. */
export interface SchemeHarness {
  readonly name: string
  readonly Scheme: SchemeClass
  /** A request that names a version. */
  named(version: string, param?: string): Asked
  /** Tells whether a request can name this version (a host label has no spaces). */
  canName(version: string): boolean
  /** A request that names none. */
  readonly absent: Asked
  /** Requests whose version is not usable. */
  readonly unusable: readonly Asked[]
  /** Returns the other options for `versioning()`. */
  surroundings(param?: string): Pick<VersioningOptions, 'routes'>
  readonly refusal: {
    readonly Class: typeof NotFound
    readonly status: number
    readonly code: string
    readonly message: string
  }
  readonly varyOn: readonly string[]
  /** True if the default must be an allowed version too. */
  readonly checksDefault: boolean
  /** True if `versionParam` says where the version is. */
  readonly usesParam: boolean
  /** True if `Scheme` is a test class that adds required settings. */
  readonly wrapped?: boolean
}

/** A refusal in one line, or the class and message of another error. */
export const inOneLine = (error: Error): string =>
  error instanceof VersioningError
    ? `${error.status} ${error.code} ${error.message}`
    : `${error.constructor.name} ${error.message}`

/** Returns a function that asks one `versioning()` without a socket. It gives the version, or the error in one line. */
export function deciding(options: VersioningOptions) {
  const handler = versioning(options)
  return (url = '/', headers: Record<string, string> = {}, more: Partial<Request> = {}): Promise<unknown> => {
    const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
    return new Promise((done) => {
      const decided: RequestHandler = (req, res) =>
        handler(req, res, (error) => done(error ? inOneLine(error) : req.version))
      run(decided, { url, headers: Object.fromEntries(lower) }, more)
    })
  }
}

/** Asks one scheme. */
export const decide = (scheme: BaseVersioning, url?: string, headers?: Record<string, string>): Promise<unknown> =>
  deciding({ scheme })(url, headers)

/** The smallest route table that schemes can read: `<anything>/<version>/items` is versioned, `/items` is not. */
export function tableOf(describe: (version: string | undefined) => Partial<ResolverMatch>): RouteRegistry {
  const resolve = (pathname: string): ResolverMatch | null => {
    const [last, version] = pathname.split('/').reverse()
    if (last !== 'items') return null
    const named = version === '' || version === 'api' || version === undefined ? undefined : decodeURIComponent(version)
    return { viewName: 'items', namespaces: [], namespace: '', params: {}, ...describe(named) }
  }
  const table: Partial<RouteRegistry> = {
    link: (viewName) => `/${viewName}`,
    walk: (pathname) => ({ match: resolve(pathname) }),
    resolve,
  }
  return table as RouteRegistry
}

const NOT_FOUND = { Class: NotFound, status: 404, code: 'ERR_VERSION_NOT_FOUND' } as const
const NOT_ACCEPTABLE = { Class: NotAcceptable, status: 406, code: 'ERR_VERSION_NOT_ACCEPTABLE' } as const
const IN_ACCEPT = { ...NOT_ACCEPTABLE, message: 'Invalid version in "Accept" header.' }

/** The facts of most schemes. */
const COMMON = {
  absent: { path: '/items' },
  unusable: [],
  canName: () => true,
  surroundings: () => ({}),
  varyOn: [],
  checksDefault: true,
  usesParam: false,
}
const inPath = (version: string): Asked => ({ path: `/${encodeURIComponent(version)}/items` })
const oneSegment = (version: string) => version !== '' && !version.includes(':')
const accepting = (accept: string): Asked => ({ path: '/items', headers: { Accept: accept } })

export const queryParameter: SchemeHarness = {
  ...COMMON,
  name: 'QueryParameterVersioning',
  Scheme: QueryParameterVersioning,
  named: (version, param = 'version') => ({ path: `/items?${param}=${encodeURIComponent(version)}` }),
  absent: { path: '/items?page=2' },
  unusable: [{ path: '/items?version=v1&version=v2' }, { path: '/items?version=v1&version' }],
  refusal: { ...NOT_FOUND, message: 'Invalid version in query parameter.' },
  usesParam: true,
}

const header: SchemeHarness = {
  ...COMMON,
  name: 'HeaderVersioning',
  Scheme: HeaderVersioning,
  named: (version) => ({ path: '/items', headers: { 'X-API-Version': version } }),
  // A field value has no space around it, a comma joins repeated lines, and an empty field is not there.
  canName: (version) => /^[ -~]+$/.test(version) && version.trim() === version && !version.includes(','),
  unusable: ['v1, v2', 'v1,v1,', ',v1', 'v1, V1'].map((value) => ({
    path: '/items',
    headers: { 'X-API-Version': value },
  })),
  refusal: { ...NOT_ACCEPTABLE, message: 'Invalid version in "X-API-Version" header.' },
  varyOn: ['X-API-Version'],
}

/** `MediaTypeVersioning` for one vendor's types. */
class VendorTypes extends MediaTypeVersioning {
  constructor(settings: VersioningSettings = {}) {
    super({ template: 'application/vnd.acme.{version}+json', ...settings })
  }
}

/** `CombinedVersioning` of a header and the query. */
class HeaderOrQuery extends CombinedVersioning {
  constructor(settings: Partial<CombinedSettings> = {}) {
    super({ schemes: [new HeaderVersioning(), new QueryParameterVersioning()], ...settings })
  }
}

export const schemes: readonly SchemeHarness[] = [
  {
    ...COMMON,
    name: 'AcceptHeaderVersioning',
    Scheme: AcceptHeaderVersioning,
    named: (version, param = 'version') =>
      accepting(`application/json; ${param}=${/^[\w.]+$/.test(version) ? version : JSON.stringify(version)}`),
    absent: accepting('application/json'),
    unusable: ['version="v1', 'version=', 'version', 'version=v1; version=v2', 'version=v1 v1'].map((parameter) =>
      accepting(`application/json; ${parameter}`),
    ),
    refusal: IN_ACCEPT,
    varyOn: ['Accept'],
    usesParam: true,
  },
  {
    ...COMMON,
    name: 'URLPathVersioning',
    Scheme: URLPathVersioning,
    named: inPath,
    canName: oneSegment,
    unusable: [{ path: '/~list/items' }],
    surroundings: (param = 'version') => ({
      routes: tableOf((version) => ({ params: { [param]: version === '~list' ? ['v1', 'v2'] : version } })),
    }),
    refusal: { ...NOT_FOUND, message: 'Invalid version in URL path.' },
    usesParam: true,
  },
  {
    ...COMMON,
    name: 'NamespaceVersioning',
    Scheme: NamespaceVersioning,
    named: inPath,
    canName: oneSegment,
    surroundings: () => ({
      routes: tableOf((version) => (version === undefined ? {} : { namespace: version, namespaces: [version] })),
    }),
    refusal: { ...NOT_FOUND, message: 'Invalid version in URL path. Does not match any version namespace.' },
    checksDefault: false,
  },
  {
    ...COMMON,
    name: 'HostNameVersioning',
    Scheme: HostNameVersioning,
    named: (version) => ({ path: '/items', headers: { Host: `${version}.example.com` } }),
    canName: (version) => /^[a-zA-Z0-9]+$/.test(version),
    absent: { path: '/items', headers: { Host: 'localhost:8080' } },
    refusal: { ...NOT_FOUND, message: 'Invalid version in hostname.' },
    checksDefault: false,
  },
  queryParameter,
  header,
  {
    ...COMMON,
    name: 'VendorTypes',
    Scheme: VendorTypes,
    named: (version) => accepting(`application/vnd.acme.${version}+json`),
    canName: (version) => /^[\w.-]+$/.test(version),
    absent: accepting('application/json'),
    unusable: [
      'application/vnd.acme.+json',
      'application/vnd.acme.v1+json;q=high',
      'application/vnd.acme.v1+json;q=high, */*',
      'text/html;a="b, application/vnd.acme.v1+json',
    ].map(accepting),
    refusal: IN_ACCEPT,
    varyOn: ['Accept'],
    wrapped: true,
  },
  { ...header, name: 'HeaderOrQuery', Scheme: HeaderOrQuery, wrapped: true },
]
