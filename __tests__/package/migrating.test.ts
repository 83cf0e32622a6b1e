import express, { type RequestHandler } from 'express'
import {
  byVersion,
  NamespaceVersioning,
  namedRoutes,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { major } from '../support/major'
import { page } from '../support/readme'
import { serve } from '../support/serve'

// Both kinds of app are asked for the differences in docs/from-copied-mounts.md, and for the surprises in docs/troubleshooting.md.

const answer =
  (text: string): RequestHandler =>
  (_req, res) => {
    res.send(text)
  }

/** Copied mounts in plain Express, with the 404 of the app behind them. */
function copied(app: express.IRouter): void {
  for (const version of ['v1', 'v2']) {
    const router = express.Router()
    if (version === 'v2') router.get('/users/me', answer('me'))
    router.get('/users/:id', answer('user'))
    app.use(`/${version}`, router)
  }
  app.use((_req, res) => {
    res.status(404).send('page not found')
  })
}

const users = namedRoutes({ me: '/users/me', user: '/users/:id' })
users.route('me').get(byVersion({ v2: answer('me') }))
users.route('user').get(answer('user'))

const allowedVersions = ['v1', 'v2']

/** The same behind one table. */
function shared(options: Partial<VersioningOptions> = {}) {
  const routes = (options.routes ?? namedRoutes({}).include('/:version', users)) as RequestHandler &
    NonNullable<VersioningOptions['routes']>
  return (app: express.IRouter): void => {
    app.use(versioning({ scheme: URLPathVersioning, allowedVersions, ...options, routes }), routes)
    app.use((_req, res) => {
      res.status(404).send('page not found')
    })
  }
}

const refused = { status: 404, json: { error: 'Invalid version in URL path.' } }
const served = { status: 200, text: 'user' }
const noPage = { status: 404, text: 'page not found' }

describe('what clients notice of a migration', () => {
  const rows = page('docs/from-copied-mounts.md').split('## What clients notice\n')[1]

  test('has a case here for each row', () => {
    expect(rows?.split('\n').filter((line) => /^\| [^w-]|^\| what/.test(line))).toHaveLength(1 + 6)
  })

  test('the letter case of a version', async () => {
    expect(await (await serve(copied)).get('/V1/users/7')).toMatchObject(served)
    expect(await (await serve(shared())).get('/V1/users/7')).toMatchObject(refused)
    const parseVersion = (text: string) => text.toLowerCase()
    expect(await (await serve(shared({ parseVersion }))).get('/V1/users/7')).toMatchObject(served)
    const routes = namedRoutes({}).include('/v1', users, { namespace: 'v1' })
    expect(await (await serve(shared({ scheme: NamespaceVersioning, routes }))).get('/V1/users/7')).toMatchObject(
      served,
    )
  })

  test.each(['/favicon.ico', '/robots.txt'])('%s', async (path) => {
    expect(await (await serve(copied)).get(path)).toMatchObject(noPage)
    expect(await (await serve(shared())).get(path)).toMatchObject(refused)
    const { get } = await serve((app) => {
      const router = express.Router()
      shared()(router)
      app.use('/api', router)
      app.use((_req, res) => {
        res.status(404).send('page not found')
      })
    })
    expect(await get(path)).toMatchObject(noPage)
  })

  test('an error handler that answers everything with 500', async () => {
    const careless: express.ErrorRequestHandler = (_err, _req, res, _next) => {
      res.status(500).send('oops')
    }
    for (const [build, status] of [
      [copied, 404],
      [shared(), 500],
    ] as const) {
      const { get } = await serve((app) => {
        build(app)
        app.use(careless)
      })
      expect(await get('/v9/users/7')).toMatchObject({ status })
    }
  })

  test('files below a wildcard', async () => {
    const show: RequestHandler = (req, res) => {
      res.json(req.params)
    }
    const files = namedRoutes({ one: '/one/*path', any: '/any{/*path}' })
    files.route('one').get(show)
    files.route('any').get(show)
    const { get } = await serve((app) => {
      if (major === 4) app.get('/files/*', show)
      app.use(files)
    })
    if (major === 4) {
      expect(await get('/files/a/b')).toMatchObject({ json: { 0: 'a/b' } })
      expect(await get('/files/')).toMatchObject({ json: { 0: '' } })
    }
    expect(await get('/one/a/b')).toMatchObject({ json: { path: ['a', 'b'] } })
    expect(await get('/one/')).toMatchObject({ status: 404 })
    expect(await get('/any/a/b')).toMatchObject({ json: { path: ['a', 'b'] } })
    expect(await get('/any/')).toMatchObject({ status: 200, json: {} })
  })

  test('a route that one version lacks', async () => {
    expect(await (await serve(copied)).get('/v1/users/me')).toMatchObject(served)
    expect(await (await serve(shared())).get('/v1/users/me')).toMatchObject({
      status: 404,
      json: { code: 'ERR_VERSION_UNHANDLED' },
    })
    const passing = namedRoutes({ me: '/users/me', user: '/users/:id' })
    passing.route('me').get(byVersion({ v2: answer('me') }, { otherwise: (_req, _res, next) => next('route') }))
    passing.route('user').get(answer('user'))
    const { get } = await serve(shared({ routes: namedRoutes({}).include('/:version', passing) }))
    expect(await get('/v1/users/me')).toMatchObject({ status: 200 })
  })

  test('a static page behind the versions', async () => {
    const child = namedRoutes({ item: '/:id' })
    child.route('item').get(answer('item'))
    const page = namedRoutes({ start: '/about/us' })
    page.route('start').get(answer('static'))
    const behind = namedRoutes({}).include('/:version', child).include('/', page)
    const before = namedRoutes({}).include('/', page).include('/:version', child)
    expect(await (await serve(shared({ routes: behind }))).get('/about/us')).toMatchObject(refused)
    expect(await (await serve(shared({ routes: before, defaultVersion: 'v1' }))).get('/about/us')).toMatchObject({
      status: 200,
      text: 'static',
    })
  })
})

describe('what is easily taken for a fault', () => {
  test('a namespace that no table declares is a plain 404', async () => {
    const routes = namedRoutes({}).include('/v1', users, { namespace: 'v1' }).include('/v2', users, { namespace: 'v2' })
    const { get } = await serve(shared({ scheme: NamespaceVersioning, routes }))
    expect(await get('/v3/users/7')).toMatchObject(noPage)
    expect(await (await serve(shared())).get('/v3/users/7')).toMatchObject(refused)
  })

  test('the order of the list counts for the closest lower version', async () => {
    const table = namedRoutes({ x: '/x' })
    table.route('x').get(byVersion({ 9: answer('nine') }, { fallback: 'lower' }))
    const routes = namedRoutes({}).include('/:version', table)
    const { get } = await serve(shared({ allowedVersions: ['9', '10'], routes }))
    expect(await get('/10/x')).toMatchObject({ status: 200, text: 'nine' })
  })
})
