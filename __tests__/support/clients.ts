import express, { type Application, type RequestHandler } from 'express'
import {
  AcceptHeaderVersioning,
  type BaseVersioning,
  CombinedVersioning,
  HeaderVersioning,
  HostNameVersioning,
  MediaTypeVersioning,
  type NamedRoutes,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersioningOptions,
  type VersioningSettings,
  versioning,
} from 'express-versioning'
import { jsonErrors } from './serve'

/** The place of a server and its way to read versions. */
export interface Setup {
  readonly name: string
  /** The mount of the server, as its clients know it. */
  readonly mount: string
  readonly host?: string
  scheme(settings: VersioningSettings): BaseVersioning
  /** The table around the users. */
  routes(users: NamedRoutes, versions: readonly string[]): NamedRoutes
}

const below = (users: NamedRoutes) => namedRoutes({}).include('/', users)
const flat = { mount: '/api', routes: below }

export const setups: readonly Setup[] = [
  { ...flat, name: 'header', scheme: (settings) => new HeaderVersioning(settings) },
  { ...flat, name: 'accept', scheme: (settings) => new AcceptHeaderVersioning(settings) },
  {
    ...flat,
    name: 'media type',
    scheme: (settings) => new MediaTypeVersioning({ ...settings, template: 'application/vnd.acme.{version}+json' }),
  },
  { ...flat, name: 'query', scheme: (settings) => new QueryParameterVersioning({ ...settings, versionParam: 'v' }) },
  { ...flat, name: 'host', host: 'example.com', scheme: (settings) => new HostNameVersioning(settings) },
  { ...flat, name: 'path in the mount', mount: '/:version', scheme: (settings) => new URLPathVersioning(settings) },
  {
    name: 'path in the table',
    mount: '/',
    scheme: (settings) => new URLPathVersioning({ ...settings, versionParam: 'v' }),
    routes: (users) => namedRoutes({}).include('/api{/:v}', users),
  },
  {
    name: 'namespace',
    mount: '/api',
    scheme: (settings) => new NamespaceVersioning(settings),
    routes: (users, versions) =>
      versions.reduce<NamedRoutes>(
        (table, version, index) => table.include(`/n${index}`, users, { namespace: version }),
        namedRoutes({}),
      ),
  },
  {
    name: 'nested namespace',
    mount: '/',
    scheme: (settings) => new NamespaceVersioning({ ...settings, ignore: ['api'] }),
    routes: (users, versions) => {
      const inner = versions.reduce<NamedRoutes>(
        (table, version, index) => table.include(`/n${index}`, users, { namespace: version }),
        namedRoutes({}),
      )
      return namedRoutes({}).include('/api', inner, { namespace: 'api' })
    },
  },
  {
    name: 'header, path or query',
    mount: '/api',
    routes: (users) => namedRoutes({}).include('{/:version}', users),
    scheme: (settings) =>
      new CombinedVersioning({
        ...settings,
        schemes: [new HeaderVersioning(), new URLPathVersioning(), new QueryParameterVersioning()],
      }),
  },
]

/** Builds an app of one setup whose handlers answer with their view of the request. Returns it with its options. */
export function serverOf(setup: Setup, versions: readonly string[], settings: Partial<VersioningOptions> = {}) {
  const users = namedRoutes({ 'user-list': '/users', 'user-detail': '/users/:id' })
  const tell =
    (name: string): RequestHandler =>
    (req, res) => {
      res.json({ name, version: req.version, params: req.params, query: req.query })
    }
  users.route('user-list').get(tell('user-list'))
  users.route('user-detail').get(tell('user-detail') as RequestHandler<{ id: string }>)
  const routes = setup.routes(users as object as NamedRoutes, versions)
  const options: VersioningOptions = { scheme: setup.scheme({ allowedVersions: versions }), routes, ...settings }
  const app: Application = express()
  app.use(setup.mount, versioning(options), routes)
  app.use(jsonErrors)
  return { app, options, client: { mount: setup.mount, ...(setup.host === undefined ? {} : { host: setup.host }) } }
}
