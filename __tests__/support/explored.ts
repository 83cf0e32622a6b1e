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

const tell: RequestHandler = (req, res) => {
  res.set('X-Version', String(req.version)).json({ version: req.version, route: req.resolverMatch?.viewName })
}

/** Methods of all kinds, parameters, optional parts, handlers by version. */
function table() {
  const routes = namedRoutes({
    list: '/users',
    detail: '/users/:id{.:format}',
    files: '/files/*path',
    any: '/any',
    old: '/old',
  })
  routes.route('list').get(tell).post(tell)
  routes.route('detail').get(tell).put(tell).patch(tell).delete(tell)
  routes.route('files').head(tell).options(tell)
  routes.route('any').all(tell)
  routes.route('old').get(byVersion({ v1: tell }))
  const body = { properties: { name: { type: 'string' } }, required: ['name'] }
  routes.describe('POST list', { body }).describe('PUT detail', { body })
  return routes
}

/** A table with a route without a version beside it. */
function withHealth(prefix = '/') {
  const routes = namedRoutes({ health: '/health' })
  routes.route('health').get(tell)
  return routes.include(prefix, table())
}

/** An API for each scheme. */
export interface Explored {
  readonly name: string
  readonly options: VersioningOptions
  readonly mount?: string
  /** The paths of the routes without a version. */
  readonly neutral?: readonly string[]
}

const allowedVersions = ['v1', 'v2']
const template = 'application/vnd.acme.{version}+json'
const health = { neutral: ['health'] }

/** The eight schemes. */
export const EXPLORED: readonly Explored[] = [
  {
    name: 'AcceptHeaderVersioning',
    options: { scheme: AcceptHeaderVersioning, allowedVersions, routes: withHealth(), ...health },
    mount: '/api',
    neutral: ['/api/health'],
  },
  {
    name: 'URLPathVersioning',
    options: { scheme: URLPathVersioning, allowedVersions, routes: withHealth('/:version'), ...health },
    neutral: ['/health'],
  },
  {
    name: 'NamespaceVersioning',
    options: {
      scheme: NamespaceVersioning,
      allowedVersions,
      routes: namedRoutes({}).include('/v1', table(), { namespace: 'v1' }).include('/v2', table(), { namespace: 'v2' }),
    },
    mount: '/api',
  },
  {
    name: 'HostNameVersioning',
    options: { scheme: HostNameVersioning, allowedVersions, routes: withHealth(), ...health },
    neutral: ['/health'],
  },
  {
    name: 'QueryParameterVersioning',
    options: {
      scheme: QueryParameterVersioning,
      allowedVersions,
      defaultVersion: 'v2',
      routes: withHealth(),
      ...health,
    },
    mount: '/api/:tenant',
    neutral: ['/api/:tenant/health'],
  },
  { name: 'HeaderVersioning', options: { scheme: HeaderVersioning, allowedVersions, routes: table() } },
  {
    name: 'MediaTypeVersioning',
    options: { scheme: new MediaTypeVersioning({ template, allowedVersions }), routes: table() },
  },
  {
    name: 'CombinedVersioning',
    options: {
      scheme: new CombinedVersioning({
        schemes: [new URLPathVersioning(), new HostNameVersioning(), new HeaderVersioning()],
        allowedVersions,
        defaultVersion: 'v1',
      }),
      routes: withHealth('{/:version}'),
      ...health,
    },
    neutral: ['/health'],
  },
]
