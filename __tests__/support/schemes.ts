import type { Request, RequestHandler } from 'express'
import * as library from 'express-versioning'
import { type BaseVersioning, VersioningError, type VersioningSettings, versioning } from 'express-versioning'
import { run } from './dispatch'

// Builders of schemes, which keep the rows of tables short.
export const accept = (settings?: library.AcceptHeaderSettings) => new library.AcceptHeaderVersioning(settings)
export const header = (settings?: library.HeaderSettings) => new library.HeaderVersioning(settings)
export const host = (settings?: library.HostNameSettings) => new library.HostNameVersioning(settings)
export const namespace = (settings?: library.NamespaceSettings) => new library.NamespaceVersioning(settings)
export const path = (settings?: VersioningSettings) => new library.URLPathVersioning(settings)
export const query = (settings?: VersioningSettings) => new library.QueryParameterVersioning(settings)
export const vendor = (template: string | string[] = VENDOR, settings: VersioningSettings = {}) =>
  new library.MediaTypeVersioning({ template, ...settings })
export const combined = (schemes: BaseVersioning[], settings?: Partial<library.CombinedSettings>) =>
  new library.CombinedVersioning({ schemes, ...settings })

/** The template of `vendor()`. */
const VENDOR = 'application/vnd.acme.{version}+json'

/** A refusal in one line, or the class and message of another error. */
export const inOneLine = (error: Error): string =>
  error instanceof VersioningError
    ? `${error.status} ${error.code} ${error.message}`
    : `${error.constructor.name} ${error.message}`

/** Returns a function that asks one `versioning()` without a socket. It gives the version, or the error in one line. */
export function deciding(options: library.VersioningOptions) {
  const handler = versioning(options)
  return (url = '/', headers: Record<string, string> = {}, more: Partial<Request> = {}) =>
    new Promise<unknown>((done) => {
      const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
      const decided: RequestHandler = (req, res) =>
        handler(req, res, (error) => done(error ? inOneLine(error) : req.version))
      run(decided, { url, headers: Object.fromEntries(lower) }, more)
    })
}

/** Asks one scheme. */
export const decide = (scheme: BaseVersioning, url?: string, headers?: Record<string, string>): Promise<unknown> =>
  deciding({ scheme })(url, headers)

/** The smallest route table that schemes can read: `<anything>/<version>/items` is versioned, `/items` is not. */
export function tableOf(
  describe: (version: string | undefined) => Partial<library.ResolverMatch>,
): library.RouteRegistry {
  const resolve = (pathname: string): library.ResolverMatch | null => {
    const [last, version = ''] = pathname.split('/').reverse()
    if (last !== 'items') return null
    const named = version === '' || version === 'api' ? undefined : decodeURIComponent(version)
    return { viewName: 'items', namespaces: [], namespace: '', params: {}, ...describe(named) }
  }
  const walk = (pathname: string) => ({ match: resolve(pathname) })
  return {
    link: (viewName: string) => `/${viewName}`,
    names: () => [],
    walk,
    resolve,
  } as Partial<library.RouteRegistry> as never
}

/** A request, as the contract suite sends it. */
export type Asked = { readonly path: string; readonly headers?: Record<string, string> }
const inPath = (version: string): Asked => ({ path: `/${encodeURIComponent(version)}/items` })
const sending = (name: string, value: string): Asked => ({ path: '/items', headers: { [name]: value } })
const accepting = (accept: string): Asked => sending('Accept', accept)

/** The facts about a scheme that the contract suite needs: those of most schemes. */
const COMMON = {
  /** A request that names a version. */
  named: (_version: string, _param?: string): Asked => ({ path: '/items' }),
  /** Tells whether a request can name this version (a host label has no spaces). */
  canName: (_version: string): boolean => true,
  /** A request that names none, and requests whose version is not usable. */
  absent: { path: '/items' } as Asked,
  unusable: [] as Asked[],
  /** Returns the other options for `versioning()`. */
  surroundings: (_param?: string): Pick<library.VersioningOptions, 'routes'> => ({}),
  varyOn: [] as string[],
  /** True if the default must be an allowed version too. */
  checksDefault: true,
  /** True if `versionParam` says where the version is. */
  usesParam: false,
}
function harness(Scheme: library.SchemeClass, place: string, facts: Partial<typeof COMMON>) {
  const message = `Invalid version in ${place}.`
  const refusal = place.endsWith('header')
    ? { Class: library.NotAcceptable, status: 406, code: 'ERR_VERSION_NOT_ACCEPTABLE', message }
    : { Class: library.NotFound, status: 404, code: 'ERR_VERSION_NOT_FOUND', message }
  return { name: Scheme.name, Scheme, refusal, ...COMMON, ...facts }
}

export const queryParameter = harness(library.QueryParameterVersioning, 'query parameter', {
  named: (version, param = 'version') => ({ path: `/items?${param}=${encodeURIComponent(version)}` }),
  absent: { path: '/items?page=2' },
  unusable: [{ path: '/items?version=v1&version=v2' }, { path: '/items?version=v1&version' }],
  usesParam: true,
})

const headerFacts: Partial<typeof COMMON> = {
  named: (version) => sending('X-API-Version', version),
  // A field value has no space around it, a comma joins repeated lines, and an empty field is not there.
  canName: (version) => /^[ -~]+$/.test(version) && version.trim() === version && !version.includes(','),
  unusable: ['v1, v2', 'v1,v1,', ',v1', 'v1, V1'].map((value) => sending('X-API-Version', value)),
  varyOn: ['X-API-Version'],
}

/** One vendor's types. */
class VendorTypes extends library.MediaTypeVersioning {
  constructor(settings: VersioningSettings = {}) {
    super({ template: VENDOR, ...settings })
  }
}
class HeaderOrQuery extends library.CombinedVersioning {
  constructor(settings: Partial<library.CombinedSettings> = {}) {
    super({ schemes: [header(), query()], ...settings })
  }
}

const oneSegment = (version: string) => version !== '' && !version.includes(':')

export const schemes = [
  harness(library.AcceptHeaderVersioning, '"Accept" header', {
    named: (version, param = 'version') =>
      accepting(`application/json; ${param}=${/^[\w.]+$/.test(version) ? version : JSON.stringify(version)}`),
    absent: accepting('application/json'),
    unusable: ['="v1', '=', '', '=v1; version=v2', '=v1 v1'].map((rest) =>
      accepting(`application/json; version${rest}`),
    ),
    varyOn: ['Accept'],
    usesParam: true,
  }),
  harness(library.URLPathVersioning, 'URL path', {
    named: inPath,
    canName: oneSegment,
    unusable: [{ path: '/~list/items' }],
    surroundings: (param = 'version') => ({
      routes: tableOf((version) => ({ params: { [param]: version === '~list' ? ['v1', 'v2'] : version } })),
    }),
    usesParam: true,
  }),
  harness(library.NamespaceVersioning, 'URL path. Does not match any version namespace', {
    named: inPath,
    canName: oneSegment,
    surroundings: () => ({
      routes: tableOf((version) => (version === undefined ? {} : { namespace: version, namespaces: [version] })),
    }),
    checksDefault: false,
  }),
  harness(library.HostNameVersioning, 'hostname', {
    named: (version) => sending('Host', `${version}.example.com`),
    canName: (version) => /^[a-zA-Z0-9]+$/.test(version),
    absent: sending('Host', 'localhost:8080'),
    checksDefault: false,
  }),
  queryParameter,
  harness(library.HeaderVersioning, '"X-API-Version" header', headerFacts),
  harness(VendorTypes, '"Accept" header', {
    named: (version) => accepting(`application/vnd.acme.${version}+json`),
    canName: (version) => /^[\w.-]+$/.test(version),
    absent: accepting('application/json'),
    unusable: [
      accepting('application/vnd.acme.+json'),
      accepting('application/vnd.acme.v1+json;q=high'),
      accepting('application/vnd.acme.v1+json;q=high, */*'),
      accepting('text/html;a="b, application/vnd.acme.v1+json'),
    ],
    varyOn: ['Accept'],
  }),
  harness(HeaderOrQuery, '"X-API-Version" header', headerFacts),
]
