import express, { type ErrorRequestHandler, type IRoute, type RequestHandler } from 'express'
import { byVersion } from '../../src/middleware/by-version'
import { type NamedRoutes, namedRoutes } from '../../src/routes/named-routes'
import type { PathParams } from '../../src/routes/typing'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type Flat<T> = { [Key in keyof T]: T[Key] }

/** Compiles if `Value` is true. */
function yes<_Value extends true>(): void {}

const users = namedRoutes({ list: '/users', detail: '/users/:id{.:format}', files: '/files/*path' })
const api = namedRoutes({ home: '/' })
  .include('/v1', users, { namespace: 'v1' })
  .include('/', namedRoutes({ flat: '/flat/:x' }))
  .add('late', '/late/:y')
const tenants = namedRoutes({}).include('/:tenant/', api, { namespace: 't' })
const anything: NamedRoutes = namedRoutes({ list: '/users' } as Record<string, string>)
const auth: RequestHandler = (_req, _res, next) => next()

// This function is type-checked, and not run.
function checks() {
  // names and full paths are known
  type Routes<Table> = Table extends NamedRoutes<infer R> ? Flat<R> : never
  type Versioned = { 'v1:list': '/v1/users'; 'v1:detail': '/v1/users/:id{.:format}'; 'v1:files': '/v1/files/*path' }
  yes<Equal<Routes<typeof api>, Flat<{ home: '/' } & Versioned & { flat: '/flat/:x'; late: '/late/:y' }>>>()
  yes<Equal<Routes<typeof tenants>['t:v1:list'], '/:tenant/v1/users'>>()
  // parameters are read from paths
  yes<Equal<PathParams<'/:a-:b.:c'>, { a: string; b: string; c: string }>>()
  yes<Equal<PathParams<'/users/:id{.:format}'>, { id: string; format?: string }>>()
  yes<Equal<PathParams<'/x{/:a{/:b}}/:c'>, { a?: string; b?: string; c: string }>>()
  yes<Equal<PathParams<'/{*path}'>, { path?: string[] }>>()
  yes<Equal<PathParams<'/:"a \\" b"/x'>, { 'a " b': string }>>()
  yes<Equal<PathParams<'/a\\:b/\\*c/:d'>, { d: string }>>()
  yes<Equal<PathParams<string>, Record<string, string | string[]>>>()
  // handlers know the parameters of their route
  users.route('detail').get((req, res) => {
    yes<Equal<typeof req.params.id, string>>()
    yes<Equal<typeof req.params.format, string | undefined>>()
    // @ts-expect-error no such parameter
    req.params.nope
    res.json({ body: req.body.anything, page: req.query.page })
  })
  users.route('files').all((req) => void req.params.path.map((item) => item.length))
  // @ts-expect-error no such name
  users.route('nope')
  // @ts-expect-error the child's routes are the child's
  api.route('v1:list')
  api.route('late').get((req) => void req.params.y.length)
  // also behind others, and in byVersion()
  const tenant: RequestHandler<{ id: string; tenant: string }> = () => {}
  const detail = users.route('detail')
  detail.get(auth, [auth], (req) => void req.params.id.length)
  detail.get(byVersion({ v1: (req) => void req.params.id.length, v2: [auth, (req) => void req.params.format] }))
  detail.get(auth, byVersion({ v1: auth }, { otherwise: (req) => void req.params.id.length }))
  // @ts-expect-error no such parameter
  detail.get(byVersion({ v1: auth }, { otherwise: (req) => void req.params.typo }))
  // handlers that declare the types they need
  detail.get(byVersion({ v1: auth, v2: [tenant, [tenant]] }, { otherwise: auth }))
  const apart = byVersion({ v1: auth, v2: tenant })
  yes<Equal<typeof apart extends RequestHandler<infer Params> ? keyof Params : never, string | number>>()
  detail.get(auth, apart)
  // below() gives handlers the parameters of the prefixes
  const orders = namedRoutes({ order: '/orders/:id' }).below('/:version/tenants/:tenant{/:unit}').add('late', '/:x')
  orders.route('order').get((req) => {
    yes<Equal<keyof typeof req.params, 'version' | 'tenant' | 'unit' | 'id'>>()
    yes<Equal<typeof req.params.tenant, string>>()
    yes<Equal<typeof req.params.unit, string | undefined>>()
  })
  orders.route('late').get(byVersion({ v1: (req) => void (req.params.tenant + req.params.x).length }))
  // @ts-expect-error no such parameter
  orders.route('order').get((req) => void req.params.tennant)
  const root = namedRoutes({}).include('/:version/tenants/:tenant', orders, { namespace: 'x' })
  root.reverse('x:order', { kwargs: { version: 'v1', tenant: 'acme', id: 7 } })
  // a table is a request handler, and its route an Express route
  const route: IRoute = users.route('detail')
  const handler: RequestHandler = users
  express().use(users).use('/x', api, handler).use(anything)
  express.Router().use(route.path, users)
  const onError: ErrorRequestHandler = (error, _req, _res, next) => next(error)
  users.use((_req, _res, next) => next()).use('/x', (req, _res, next) => void next(req.path), [auth])
  users.use(onError).use('/x', onError, [onError, users])
  users.param('id', (_req, _res, next, value, name) => void next(`${value}${name}`))
  // @ts-expect-error an option that include() does not take
  users.include('/x', api, { name: 'x' })
  // links take the names and parameters of the table
  api.reverse('home')
  api.reverse('v1:detail', { kwargs: { id: '7', format: undefined } })
  api.reverse('v1:detail', { args: [7], kwargs: { format: 'json' } })
  api.reverse('v1:files', { kwargs: { path: ['a', 1] as const } })
  tenants.reverse('t:late', { kwargs: { tenant: 'a', y: 1 } })
  anything.reverse('any', { kwargs: { anything: 1 }, format: 'json' })
  // @ts-expect-error no such name
  api.reverse('v1:lst')
  // @ts-expect-error needs kwargs
  api.reverse('v1:detail')
  // @ts-expect-error no such parameter
  api.reverse('v1:detail', { kwargs: { id: 7, nope: 1 } })
  // @ts-expect-error a wildcard takes a list
  api.reverse('v1:files', { kwargs: { path: 'a' } })
  // @ts-expect-error no such option
  api.reverse('home', { params: {} })
}

test('types', () => expect(checks).toHaveLength(0))
