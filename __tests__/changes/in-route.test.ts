import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express'
import {
  HeaderVersioning,
  namedRoutes,
  QueryParameterVersioning,
  type VersioningError,
  versioning,
} from 'express-versioning'
import { change } from 'express-versioning/changes'
import { ask, historyOf, tableOf } from '../support/changes'
import { serve } from '../support/serve'

// A `versioning()` with `changes` that stands on a named route, whose own handlers have begun when it decides.

type Path = { path: string[] }
const onward =
  (text: string) =>
  ({ path, ...rest }: Path) => ({ ...rest, path: [...path, text] })
const mark = (text: string) =>
  change(text, {
    'POST user-list': {
      request: onward(`${text} body`),
      query: (query: object) => ({ ...query, newer: text }),
      response: onward(`${text} answer`),
    },
    'POST other': { request: onward(`${text} other`) },
  })
const came = change('One came, one went.', { 'GET user-detail': 'added', 'GET other': 'removed' })
const history = historyOf([mark('2'), came], [mark('3')])

const shown = (req: Request) => ({ path: req.body.path, query: { ...req.query } })
const echo: RequestHandler = (req, res) => void res.json(shown(req))
const post = { method: 'POST', body: { path: [] } }

const options = { scheme: HeaderVersioning, changes: history, allowedVersions: [...history.versions, null] }

/** An app of one table, alone and mounted in another one. */
const served = (fill: (own: RequestHandler, routes: ReturnType<typeof tableOf>) => void) =>
  serve((app) => {
    app.use(express.json())
    const alone = tableOf()
    fill(versioning({ ...options, routes: alone }), alone)
    const mounted = tableOf()
    const routes = namedRoutes({}).include('/in', mounted)
    fill(versioning({ ...options, routes }), mounted)
    app.use('/alone', alone)
    app.use(routes)
    app.use((error: VersioningError, _req: Request, res: Response, next: NextFunction) => {
      if (error.status === 404) res.status(404).json({ code: error.code, allowed: error.allowedVersions })
      else next(error)
    })
  })

describe.each(['/alone', '/in'])('%s', (at) => {
  test.each([
    ['v1', ['2 body', '3 body', '3 answer', '2 answer'], { newer: '3' }],
    ['v2', ['3 body', '3 answer'], { newer: '3' }],
    ['v3', [], {}],
  ])('in %s request and answer are converted', async (version, path, query) => {
    const server = await served((own, routes) => {
      routes.route('user-list').post(own, echo)
    })
    expect((await ask(server, version, `${at}/users`, post)).json).toEqual({ path, query })
  })

  test('without a version everything is there, as it is', async () => {
    const server = await served((own, routes) => {
      routes.route('user-list').post(own, echo)
      routes.route('user-detail').get(own, (_req, res) => void res.json(1))
      routes.route('other').get(own, (_req, res) => void res.json(1))
    })
    const json = { 'Content-Type': 'application/json' }
    const list = await fetch(`${server.origin}${at}/users`, { ...post, headers: json, body: JSON.stringify(post.body) })
    expect(await list.json()).toEqual({ path: [], query: {} })
    expect((await server.send('GET', `${at}/users/7`)).json).toBe(1)
    expect((await server.send('GET', `${at}/other`)).json).toBe(1)
  })

  test.each([
    ['v1', 'user-detail', '/users/7', { code: 'ERR_VERSION_UNHANDLED', allowed: ['v2', 'v3'] }],
    ['v2', 'user-detail', '/users/7', 1],
    ['v1', 'other', '/other', 1],
    ['v3', 'other', '/other', { code: 'ERR_VERSION_UNHANDLED', allowed: ['v1'] }],
  ] as const)('in %s %s is there or is refused: %s is %j', async (version, name, path, json) => {
    const server = await served((own, routes) => {
      routes.route(name).get(own, (_req, res) => void res.json(1))
    })
    expect((await ask(server, version, at + path)).json).toEqual(json)
  })

  test.each<[how: string, leave: RequestHandler]>([
    ['next()', (_req, _res, next) => next()],
    ["next('route')", (_req, _res, next) => next('route')],
    ['next() later', (_req, _res, next) => void setTimeout(next, 1)],
  ])('a route that is left by %s gives back what was sent', async (_how, leave) => {
    const server = await served((own, routes) => {
      routes.route('user-list').post(own, leave)
      routes.use('/users', echo)
    })
    // The answer is of the operation that began last, as ever.
    const { json } = await ask(server, 'v1', `${at}/users?q=1`, post)
    expect(json).toEqual({ path: ['3 answer', '2 answer'], query: { q: '1' } })
  })
})

test.each<[title: string, body: string | object, status: number, message: string]>([
  ['that does not fit', {}, 400, 'The request does not fit its version.'],
  ['that is unread', post.body, 415, 'No parser takes'],
])('a body %s is an error', async (_title, body, status, message) => {
  let failed: unknown
  const server = await serve((app) => {
    const routes = tableOf()
    const own = versioning({ scheme: HeaderVersioning, changes: history, routes })
    routes.route('user-list').post(own, echo)
    if (status === 400) app.use(express.json())
    app.use(routes, (error: Error, _req: Request, _res: Response, next: NextFunction) => {
      failed = error
      next(error)
    })
  })
  expect((await ask(server, 'v1', '/users', { method: 'POST', body })).status).toBe(status)
  expect(String(failed)).toContain(message)
})

test('a preflight is let through', async () => {
  const server = await served((own, routes) => {
    routes
      .route('user-detail')
      .get(echo)
      .options(own, (_req, res) => void res.status(204).end())
  })
  const headers = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'GET' }
  expect((await server.send('OPTIONS', '/alone/users/7', headers)).status).toBe(204)
})

describe('behind another versioning() with changes', () => {
  const twice = (between: RequestHandler = (_req, _res, next) => next()) =>
    serve((app) => {
      const routes = tableOf()
      const outer = versioning({ scheme: HeaderVersioning, defaultVersion: 'v3', changes: history, routes })
      const own = versioning({ scheme: QueryParameterVersioning, defaultVersion: 'v3', changes: history, routes })
      routes.route('user-list').post(between, own, echo)
      app.use(express.json(), outer, routes)
    })

  test.each([
    ['v1', 'v1', ['2 body', '3 body', '3 answer', '2 answer']],
    ['v1', 'v2', ['3 body', '3 answer']],
    ['v1', 'v3', []],
    ['v3', 'v1', ['2 body', '3 body', '3 answer', '2 answer']],
  ])('that decided %s, the one on the route decides: %s', async (first, last, path) => {
    const answer = await ask(await twice(), first, `/users?version=${last}`, post)
    expect(answer.json).toMatchObject({ path })
  })

  test('nothing is converted anew for the same version', async () => {
    const server = await twice((req, _res, next) => {
      req.body = { path: ['validated'] }
      next()
    })
    const answer = await ask(server, 'v1', '/users?version=v1', post)
    expect(answer.json).toMatchObject({ path: ['validated', '3 answer', '2 answer'] })
  })
})

test('behind a table on the same route', async () => {
  const server = await served((own, routes) => {
    const aside = namedRoutes({ aside: '/users' })
    aside.route('aside').post((_req, _res, next) => next())
    routes.route('user-list').post(aside, own, echo)
  })
  expect((await ask(server, 'v1', '/alone/users', post)).json).toMatchObject({
    path: ['2 body', '3 body', '3 answer', '2 answer'],
  })
})

test('middleware of the table behind a route that was left leaves the request to the next route', async () => {
  let between: unknown
  const server = await served((own, routes) => {
    routes.route('user-list').post((req, _res, next) => {
      req.url = '/other'
      next()
    })
    routes.use(own, (req, _res, next) => {
      between = req.body
      next()
    })
    routes.route('other').post(echo)
  })
  const { json } = await ask(server, 'v1', '/alone/users', post)
  expect([between, json]).toEqual([post.body, { path: ['2 other', '3 other'], query: {} }])
})

test('a request that a handler dispatches again is converted when its route begins, and once', async () => {
  const server = await serve((app) => {
    const routes = tableOf()
    routes
      .route('other')
      .get(echo)
      .post((req, res) => {
        req.url = '/users'
        app(req, res)
      })
    routes.route('user-list').post(versioning({ scheme: HeaderVersioning, changes: history, routes }), echo)
    app.use(express.json(), routes)
  })
  expect((await ask(server, 'v1', '/other', post)).json).toEqual({
    path: ['2 body', '3 body', '3 answer', '2 answer'],
    query: { newer: '3' },
  })
})

test('the version of a route alone, whose answer a callback sends', async () => {
  const server = await served((own, routes) => {
    routes.route('user-list').post(own, (req, res) => void setTimeout(() => res.json(shown(req)), 1))
  })
  const { json } = await ask(server, 'v2', '/alone/users?q=1', post)
  expect(json).toEqual({ path: ['3 body', '3 answer'], query: { q: '1', newer: '3' } })
})
