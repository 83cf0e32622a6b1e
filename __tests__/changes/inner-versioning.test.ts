// An inner `versioning()` that brings no changes: those of the outer one stay in force for the version that it decided.
import express, { type Application, type ErrorRequestHandler, type RequestHandler, Router } from 'express'
import {
  HeaderVersioning,
  NotFound,
  namedRoutes,
  problemDetails,
  QueryParameterVersioning,
  versioning,
} from 'express-versioning'
import { change, convertRequest, fields } from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'
import { ask, historyOf } from '../support/changes'
import { ADA, HISTORY, OLD_ADA, USERS } from '../support/elsewhere'
import { rows } from '../support/rows'
import { type Served, serve } from '../support/serve'

const Song = { $id: 'Song', type: 'object', required: ['title'], properties: { title: { type: 'string' } } }
const changes = historyOf([
  change('Songs have a title.', { Song: fields({ renamed: { name: 'title' } }) }),
  change('Late songs are new, an error is a text.', {
    'GET late': 'added',
    '*': { error: (error) => ({ older: error }) },
  }),
])
const songs = () =>
  namedRoutes({ song: '/song', late: '/late', any: '/:id' })
    .describe('GET song', { response: Song })
    .describe('PUT song', { body: Song, response: Song })
    .describe('GET late', { response: {} })
    .describe('GET any', { response: {} })
type Songs = ReturnType<typeof songs>
const ran: string[] = []
const note: RequestHandler = (req, _res, next) =>
  next(void ran.push(`${req.method} ${JSON.stringify(req.body ?? null)}`))
const song: RequestHandler = (_req, res) => void res.json({ title: 'Emma' })
const handled = (routes: Songs, ...inner: RequestHandler[]) => {
  routes
    .route('song')
    .get(...inner, note, song)
    .put(...inner, note, song)
  routes.route('late').get((_req, res) => void res.json('late'))
  routes.route('any').get((req, res) => (req.params.id === 'missing' ? res.status(404).json('none') : res.json('any')))
  return routes
}
const inner = (options: object = {}) =>
  versioning({ scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1', ...options })
const outer = (routes: Songs) => versioning({ scheme: HeaderVersioning, defaultVersion: 'v1', changes, routes })

const PLACES: [title: string, fill: (app: Application) => unknown][] = [
  [
    'in the table',
    (app) => {
      const routes = songs()
      routes.use(inner())
      handled(routes)
      app.use(outer(routes), express.json(), routes)
    },
  ],
  [
    'on the route',
    (app) => {
      const routes = handled(songs(), inner())
      app.use(outer(routes), express.json(), inner(), routes)
    },
  ],
  [
    'in front of the table',
    (app) => {
      const routes = handled(songs())
      app.use(outer(routes), inner(), express.json(), routes)
    },
  ],
  [
    'with the table',
    (app) => {
      const routes = handled(songs())
      app.use(outer(routes), inner({ routes }), express.json(), routes)
    },
  ],
  [
    'twice',
    (app) => {
      const routes = handled(songs())
      app.use(outer(routes), inner(), express.json(), inner(), routes)
    },
  ],
  [
    'with a table of its own, which has other names',
    (app) => {
      const own = handled(songs())
      const routes = namedRoutes({}).include('/', own, { namespace: 'in' })
      const under = historyOf([
        change('Songs have a title.', { Song: fields({ renamed: { name: 'title' } }) }),
        change('Late songs are new.', { 'GET in:late': 'added', '*': { error: (error) => ({ older: error }) } }),
      ])
      const options = { scheme: HeaderVersioning, defaultVersion: 'v1', changes: under, routes } as never
      app.use(versioning(options), express.json(), inner({ routes: own }), own)
    },
  ],
]
const put = { method: 'PUT', body: { name: 'Emma' } }
const CASES = rows(`
  // the request | of the same version | of another one
  GET /song    | 200 {"name":"Emma"}  | 500
  HEAD /song   | 200                  | 500
  PUT /song    | 200 {"name":"Emma"}  | 500
  GET /other   | 200 "any"            | 200 "any"
`)
const send = async (server: Served, request: string, query: string) => {
  const [method = '', path] = request.split(' ')
  ran.length = 0
  const { status, text } = await ask(server, 'v1', `${path}${query}`, method === 'PUT' ? put : { method })
  return status === 500 ? '500' : `${status} ${text}`.trim()
}
describe.each(PLACES)('an inner versioning() without changes, %s', (_title, fill) => {
  test.each(CASES)('%s: %s; of another version %s', async (request, same, another) => {
    const server = await serve(fill)
    expect(await send(server, request as string, '')).toBe(same)
    if (request?.startsWith('PUT')) expect(ran).toEqual(['PUT {"title":"Emma"}'])
    expect(await send(server, request as string, '?version=v2')).toBe(another)
    // Nobody has got what is not converted.
    expect(ran).toEqual([])
    expect((await ask(server, 'v2', `/song?version=v2`)).text).toBe('{"title":"Emma"}')
  })

  test('an operation that is not there yet is passed by, errors are converted, and rejections stay', async () => {
    const server = await serve(fill)
    expect([(await ask(server, 'v1', '/late')).json, (await ask(server, 'v2', '/late?version=v2')).json]).toEqual([
      'any',
      'late',
    ])
    expect((await ask(server, 'v1', '/missing')).json).toEqual({ older: 'none' })
    expect((await ask(server, 'v1', '/song?version=v7')).status).toBe(404)
  })
})

test('of a table that the outer one does not contain, the path tells the operation', async () => {
  const server = await serve((app) => {
    const other = handled(songs())
    app.use(outer(handled(songs())), express.json(), inner({ routes: other }), other)
  })
  expect((await ask(server, 'v1', '/song', put)).json).toEqual({ name: 'Emma' })
  expect((await ask(server, 'v1', '/song?version=v2', put)).status).toBe(500)
})

test('a version that the inner one does not decide is another one', async () => {
  const server = await serve((app) => {
    const routes = handled(songs())
    app.use(outer(routes), inner({ defaultVersion: null, allowedVersions: [null, 'v1'] }), express.json(), routes)
  })
  const asked = ['/song', '/song?version=v1', '/other'].map(async (path) => (await ask(server, 'v1', path)).status)
  expect(await Promise.all(asked)).toEqual([500, 200, 200])
})

test('a neutral route of the inner one, and an error handler that goes on, get nothing unconverted', async () => {
  const goOn: ErrorRequestHandler = (_error, _req, _res, next) => next()
  for (const [options, query] of [
    [{ neutral: ['/song'] }, ''],
    [{}, '?version=v7'],
  ] as const) {
    const server = await serve((app) => {
      const routes = handled(songs())
      app.use(outer(routes), inner(options), goOn, express.json(), routes)
    })
    ran.length = 0
    const { status, json } = await ask(server, 'v1', `/song${query}`, put)
    expect([status, Object(json).error, ran]).toEqual([
      500,
      expect.stringContaining('"PUT song" has changes for version "v1", on which an outer versioning() has decided'),
      [],
    ])
    expect((await ask(server, 'v1', `/song${query}`)).status).toBe(500)
  }
})

test('an OPTIONS of another version passes if it is a preflight', async () => {
  const server = await serve((app) => {
    const routes = songs().describe('OPTIONS song', { response: Song })
    routes.route('song').options((_req, res) => void res.status(204).end())
    app.use(outer(handled(routes)), inner(), routes)
  })
  const headers = { Origin: 'https://a.test', 'Access-Control-Request-Method': 'PUT' }
  const asked = [headers, {}].map((headers) => ask(server, 'v1', '/song?version=v2', { method: 'OPTIONS', headers }))
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([204, 500])
})

test('an operation stays where its version has it', async () => {
  const moved = historyOf([change('Songs were tunes.', { 'GET any': { path: '/tunes/:id' } })])
  const server = await serve((app) => {
    const routes = namedRoutes({ any: '/songs/:id' })
    routes.route('any').get((req, res) => void res.json([req.url, req.reverse('any', { kwargs: { id: 2 } })]))
    app.use(
      versioning({ scheme: HeaderVersioning, defaultVersion: 'v1', changes: moved, routes }),
      inner({ routes }),
      routes,
    )
  })
  expect((await ask(server, 'v1', '/tunes/1?a=%22')).json).toEqual(['/songs/1?a=%22', '/tunes/2?version=v1'])
  expect((await ask(server, 'v1', '/songs/1')).status).toBe(404)
})

test('handlers elsewhere get what is converted for the version of both', async () => {
  const seen: unknown[] = []
  const server = await serve((app) => {
    const routes = routesOf(USERS)
    const options = { scheme: HeaderVersioning, defaultVersion: 'v1', changes: HISTORY, routes } as never
    app.use(versioning(options), inner(), express.json(), convertRequest)
    app.use(
      '/users',
      Router().post('/', (req, res) => [seen.push(req.body), res.status(201).json(req.body)]),
    )
  })
  const post = (query: string) => ask(server, 'v1', `/users${query}`, { method: 'POST', body: OLD_ADA })
  expect((await post('')).json).toEqual(OLD_ADA)
  expect((await post('?version=v2')).status).toBe(500)
  expect(seen).toEqual([ADA])
})

test('problemDetails() speaks the format of the version; the rejection of the inner one stays', async () => {
  const server = await serve((app) => {
    const routes = handled(songs())
    const fail: RequestHandler = (_req, _res, next) => next(new NotFound('no'))
    app.use(outer(routes), inner(), Router().get('/fail', fail), routes, problemDetails())
  })
  const asked = ['/fail', '/song?version=v7'].map(async (path) => (await ask(server, 'v1', path)).json)
  expect(await Promise.all(asked)).toMatchObject([{ older: { status: 404, detail: 'no' } }, { status: 404 }])
})

test('a request that only had steps does not succeed either', async () => {
  const goOn: ErrorRequestHandler = (_error, _req, _res, next) => next()
  const stepped = historyOf([change('Songs have a title.', { 'PUT song': { request: (body) => body } })])
  const server = await serve((app) => {
    const routes = namedRoutes({ song: '/song' })
    routes.route('song').put(song)
    const options = { scheme: HeaderVersioning, defaultVersion: 'v1', changes: stepped, routes }
    const behind: RequestHandler = (req, res) => void res.status(req.query.status ? 404 : 200).json(1)
    app.use(versioning(options), inner(), goOn, express.json(), behind)
  })
  const asked = ['?version=v2', '?version=v2&status=404', '?status=404'].map((query) =>
    ask(server, 'v1', `/song${query}`, put),
  )
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([500, 404, 404])
})
