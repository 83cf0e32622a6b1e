import {
  AcceptHeaderVersioning,
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
  type VersioningOptions,
  type VersioningSettings,
} from 'express-versioning'

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

const NOT_FOUND = { Class: NotFound, status: 404, code: 'ERR_VERSION_NOT_FOUND' } as const
const NOT_ACCEPTABLE = { Class: NotAcceptable, status: 406, code: 'ERR_VERSION_NOT_ACCEPTABLE' } as const

/** The smallest route table that schemes can read: `<anything>/<version>/items` is versioned, `/items` is not. */
export function tableOf(describe: (version: string | undefined) => Partial<ResolverMatch>): RouteRegistry {
  return {
    link: (viewName) => `/${viewName}`,
    has: () => true,
    names: () => ['items'],
    near: () => [],
    namespaces: () => [],
    takes: () => true,
    handlersOf: () => [],
    methodsOf: () => [],
    facts: () => [],
    revision: () => 0,
    wayTo: () => null,
    placesOf: () => [],
    walk(pathname) {
      const match = resolve(pathname)
      return {
        match,
        viewName: match?.viewName ?? null,
        namespaces: match?.namespaces ?? [],
        params: match?.params ?? {},
      }
    },
    resolve,
  }

  function resolve(pathname: string): ResolverMatch | null {
    const [last, version] = pathname.split('/').reverse()
    if (last !== 'items') return null
    const named = version === '' || version === 'api' || version === undefined ? undefined : decodeURIComponent(version)
    return { viewName: 'items', namespaces: [], namespace: '', params: {}, ...describe(named) }
  }
}

const inPath = (version: string): Asked => ({ path: `/${encodeURIComponent(version)}/items` })
const oneSegment = (version: string) => version !== '' && !version.includes(':')

export const acceptHeader: SchemeHarness = {
  name: 'AcceptHeaderVersioning',
  Scheme: AcceptHeaderVersioning,
  named: (version, param = 'version') => ({
    path: '/items',
    headers: { Accept: `application/json; ${param}=${/^[\w.]+$/.test(version) ? version : JSON.stringify(version)}` },
  }),
  canName: () => true,
  absent: { path: '/items', headers: { Accept: 'application/json' } },
  unusable: ['version="v1', 'version=', 'version', 'version=v1; version=v2', 'version=v1 v1'].map((parameter) => ({
    path: '/items',
    headers: { Accept: `application/json; ${parameter}` },
  })),
  surroundings: () => ({}),
  refusal: { ...NOT_ACCEPTABLE, message: 'Invalid version in "Accept" header.' },
  varyOn: ['Accept'],
  checksDefault: true,
  usesParam: true,
}

export const urlPath: SchemeHarness = {
  name: 'URLPathVersioning',
  Scheme: URLPathVersioning,
  named: inPath,
  canName: oneSegment,
  absent: { path: '/items' },
  unusable: [{ path: '/~list/items' }],
  surroundings: (param = 'version') => ({
    routes: tableOf((version) => ({ params: { [param]: version === '~list' ? ['v1', 'v2'] : version } })),
  }),
  refusal: { ...NOT_FOUND, message: 'Invalid version in URL path.' },
  varyOn: [],
  checksDefault: true,
  usesParam: true,
}

export const namespace: SchemeHarness = {
  name: 'NamespaceVersioning',
  Scheme: NamespaceVersioning,
  named: inPath,
  canName: oneSegment,
  absent: { path: '/items' },
  unusable: [],
  surroundings: () => ({
    routes: tableOf((version) => (version === undefined ? {} : { namespace: version, namespaces: [version] })),
  }),
  refusal: { ...NOT_FOUND, message: 'Invalid version in URL path. Does not match any version namespace.' },
  varyOn: [],
  checksDefault: false,
  usesParam: false,
}

export const hostName: SchemeHarness = {
  name: 'HostNameVersioning',
  Scheme: HostNameVersioning,
  named: (version) => ({ path: '/items', headers: { Host: `${version}.example.com` } }),
  canName: (version) => /^[a-zA-Z0-9]+$/.test(version),
  absent: { path: '/items', headers: { Host: 'localhost:8080' } },
  unusable: [],
  surroundings: () => ({}),
  refusal: { ...NOT_FOUND, message: 'Invalid version in hostname.' },
  varyOn: [],
  checksDefault: false,
  usesParam: false,
}

export const queryParameter: SchemeHarness = {
  name: 'QueryParameterVersioning',
  Scheme: QueryParameterVersioning,
  named: (version, param = 'version') => ({ path: `/items?${param}=${encodeURIComponent(version)}` }),
  canName: () => true,
  absent: { path: '/items?page=2' },
  unusable: [{ path: '/items?version=v1&version=v2' }, { path: '/items?version=v1&version' }],
  surroundings: () => ({}),
  refusal: { ...NOT_FOUND, message: 'Invalid version in query parameter.' },
  varyOn: [],
  checksDefault: true,
  usesParam: true,
}

export const header: SchemeHarness = {
  name: 'HeaderVersioning',
  Scheme: HeaderVersioning,
  named: (version) => ({ path: '/items', headers: { 'X-API-Version': version } }),
  // A field value has no space around it, a comma joins repeated lines, and an empty field is not there.
  canName: (version) => /^[ -~]+$/.test(version) && version.trim() === version && !version.includes(','),
  absent: { path: '/items' },
  unusable: ['v1, v2', 'v1,v1,', ',v1', 'v1, V1'].map((value) => ({
    path: '/items',
    headers: { 'X-API-Version': value },
  })),
  surroundings: () => ({}),
  refusal: { ...NOT_ACCEPTABLE, message: 'Invalid version in "X-API-Version" header.' },
  varyOn: ['X-API-Version'],
  checksDefault: true,
  usesParam: false,
}

/** `MediaTypeVersioning` for one vendor's types. */
class VendorTypes extends MediaTypeVersioning {
  constructor(settings: VersioningSettings = {}) {
    super({ template: 'application/vnd.acme.{version}+json', ...settings })
  }
}

export const mediaType: SchemeHarness = {
  name: 'VendorTypes',
  Scheme: VendorTypes,
  named: (version) => ({ path: '/items', headers: { Accept: `application/vnd.acme.${version}+json` } }),
  canName: (version) => /^[\w.-]+$/.test(version),
  absent: { path: '/items', headers: { Accept: 'application/json' } },
  unusable: [
    'application/vnd.acme.+json',
    'application/vnd.acme.v1+json;q=high',
    'application/vnd.acme.v1+json;q=high, */*',
    'text/html;a="b, application/vnd.acme.v1+json',
  ].map((accept) => ({ path: '/items', headers: { Accept: accept } })),
  surroundings: () => ({}),
  refusal: { ...NOT_ACCEPTABLE, message: 'Invalid version in "Accept" header.' },
  varyOn: ['Accept'],
  checksDefault: true,
  usesParam: false,
  wrapped: true,
}

/** `CombinedVersioning` of a header and the query. */
class HeaderOrQuery extends CombinedVersioning {
  constructor(settings: Partial<CombinedSettings> = {}) {
    super({ schemes: [new HeaderVersioning(), new QueryParameterVersioning()], ...settings })
  }
}

export const combined: SchemeHarness = { ...header, name: 'HeaderOrQuery', Scheme: HeaderOrQuery, wrapped: true }

export const schemes: readonly SchemeHarness[] = [
  acceptHeader,
  urlPath,
  namespace,
  hostName,
  queryParameter,
  header,
  mediaType,
  combined,
]
