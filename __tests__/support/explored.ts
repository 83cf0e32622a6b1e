import type { RequestHandler } from 'express'
import {
  AcceptHeaderVersioning,
  byVersion,
  CombinedVersioning,
  HeaderVersioning,
  HostNameVersioning,
  MediaTypeVersioning,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersioningOptions,
} from 'express-versioning'

const tell: RequestHandler = ({ version, resolverMatch }, res) =>
  void res.set('X-Version', String(version)).json({ version, route: resolverMatch?.viewName })

/** Builds a table of methods of all kinds, parameters, optional parts and handlers by version. */
function table() {
  const detail = '/users/:id{.:format}'
  const routes = namedRoutes({ list: '/users', detail, files: '/files/*path', any: '/any', old: '/old' })
  routes.route('list').get(tell).post(tell)
  routes.route('detail').get(tell).put(tell).patch(tell).delete(tell)
  routes.route('files').head(tell).options(tell)
  routes.route('any').all(tell)
  routes.route('old').get(byVersion({ v1: tell }))
  const body = { properties: { name: { type: 'string' } }, required: ['name'] }
  return routes.describe('POST list', { body }).describe('PUT detail', { body })
}

/** An API for each scheme. */
export interface Explored {
  readonly name: string
  readonly options: VersioningOptions
  readonly mount: string
  /** The paths of the neutral routes. */
  readonly neutral: readonly string[]
}

const allowedVersions = ['v1', 'v2']

const named = (scheme: VersioningOptions['scheme']) => (typeof scheme === 'function' ? scheme : scheme.constructor).name

/** Makes an API with a neutral route beside those of versions. */
function healthy(scheme: VersioningOptions['scheme'], mount: string, prefix: string, more = {}): Explored {
  const routes = namedRoutes({ health: '/health' })
  routes.route('health').get(tell)
  const options = { scheme, routes: routes.include(prefix, table()), neutral: ['health'], ...more }
  return { name: named(scheme), options, mount, neutral: [`${mount === '/' ? '' : mount}/health`] }
}

/** Makes an API without neutral routes. */
function plain(scheme: VersioningOptions['scheme'], mount: string, more: object): Explored {
  return { name: named(scheme), options: { scheme, routes: table(), ...more }, mount, neutral: [] }
}

const schemes = [new URLPathVersioning(), new HostNameVersioning(), new HeaderVersioning()]
const combined = new CombinedVersioning({ schemes, allowedVersions, defaultVersion: 'v1' })
const mediaType = new MediaTypeVersioning({ template: 'application/vnd.acme.{version}+json', allowedVersions })
const namespaces = namedRoutes({})
for (const namespace of allowedVersions) namespaces.include(`/${namespace}`, table(), { namespace })

/** The eight schemes. */
export const EXPLORED: readonly Explored[] = [
  healthy(AcceptHeaderVersioning, '/api', '/', { allowedVersions }),
  healthy(URLPathVersioning, '/', '/:version', { allowedVersions }),
  plain(NamespaceVersioning, '/api', { allowedVersions, routes: namespaces }),
  healthy(HostNameVersioning, '/', '/', { allowedVersions }),
  healthy(QueryParameterVersioning, '/api/:tenant', '/', { allowedVersions, defaultVersion: 'v2' }),
  plain(HeaderVersioning, '/', { allowedVersions }),
  plain(mediaType, '/', {}),
  healthy(combined, '/', '{/:version}'),
]
