import type { RequestHandler } from 'express'
import * as library from 'express-versioning'
import { byVersion, namedRoutes, type VersioningOptions } from 'express-versioning'

const { HeaderVersioning, HostNameVersioning, NamespaceVersioning, URLPathVersioning } = library

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

const allowedVersions = ['v1', 'v2']

/** Makes an API with a neutral route, whose path is `health`, beside those of versions. */
function explored(scheme: VersioningOptions['scheme'], mount: string, prefix = '/', more = {}) {
  const routes = namedRoutes({ health: '/health' })
  routes.route('health').get(tell)
  if (scheme !== NamespaceVersioning) routes.include(prefix, table())
  else for (const namespace of allowedVersions) routes.include(`/${namespace}`, table(), { namespace })
  const { name } = typeof scheme === 'function' ? scheme : scheme.constructor
  const settings = typeof scheme === 'function' ? { allowedVersions, ...more } : {}
  const options: VersioningOptions = { scheme, routes, neutral: ['health'], ...settings }
  return { name, options, mount, health: `${mount === '/' ? '' : mount}/health` }
}

const schemes = [new URLPathVersioning(), new HostNameVersioning(), new HeaderVersioning()]
const template = 'application/vnd.acme.{version}+json'

/** The eight schemes. */
export const EXPLORED = [
  explored(library.AcceptHeaderVersioning, '/api'),
  explored(URLPathVersioning, '/', '/:version'),
  explored(NamespaceVersioning, '/api'),
  explored(HostNameVersioning, '/'),
  explored(library.QueryParameterVersioning, '/api/:tenant', '/', { defaultVersion: 'v2' }),
  explored(HeaderVersioning, '/'),
  explored(new library.MediaTypeVersioning({ template, allowedVersions }), '/'),
  explored(new library.CombinedVersioning({ schemes, allowedVersions, defaultVersion: 'v1' }), '/', '{/:version}'),
]

export type Explored = (typeof EXPLORED)[number]
