import { type RequestHandler, Router } from 'express'
import {
  AcceptHeaderVersioning,
  type BaseVersioning,
  byVersion,
  CombinedVersioning,
  HeaderVersioning,
  HostNameVersioning,
  MediaTypeVersioning,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersionEvent,
  versioning,
} from 'express-versioning'
import { serve } from '../support/serve'

const SETTINGS = { allowedVersions: ['v1', 'v2'] }

/** Each scheme, and a request that it refuses. */
const schemes: [string, () => BaseVersioning, Record<string, string>, string][] = [
  ['Accept', () => new AcceptHeaderVersioning(SETTINGS), { Accept: 'a/b; version=v9' }, ''],
  ['URL path', () => new URLPathVersioning(SETTINGS), {}, ''],
  ['namespace', () => new NamespaceVersioning(SETTINGS), {}, ''],
  ['host', () => new HostNameVersioning(SETTINGS), { Host: 'v9.example.com' }, ''],
  ['query', () => new QueryParameterVersioning(SETTINGS), {}, '?version=v9'],
  ['header', () => new HeaderVersioning(SETTINGS), { 'X-API-Version': 'v9' }, ''],
  ['media type', () => new MediaTypeVersioning({ template: 'a/{version}', ...SETTINGS }), { Accept: 'a/v9' }, ''],
  [
    'combined',
    () => new CombinedVersioning({ schemes: [new HeaderVersioning()], ...SETTINGS }),
    { 'X-API-Version': 'v9' },
    '',
  ],
]

/** A table in which every route is in a namespace that is no version, so that every scheme refuses what is not neutral. */
function table() {
  const answer: RequestHandler = (req, res) => void res.json({ version: req.version })
  const docs = namedRoutes({ index: '/', page: '/pages/:page' })
  docs.route('index').get(answer)
  docs.route('page').get(answer)
  const inner = namedRoutes({ health: '/health', user: '/users/:id', hook: '/hooks/:id' })
  for (const name of ['health', 'user', 'hook'] as const) inner.route(name).all(answer)
  inner.include('/docs', docs, { namespace: 'docs' })
  return namedRoutes({})
    .include('/plain', Router().use(answer), { namespace: 'plain' })
    .include('/', inner, { namespace: 'all' })
}

describe.each(schemes)('%s', (_name, scheme, headers, query) => {
  const events: VersionEvent[] = []
  const start = (neutral: Iterable<string>) => {
    events.length = 0
    const routes = table()
    return serve((app) => {
      app.use(
        '/api',
        versioning({
          scheme: scheme(),
          routes,
          neutral,
          reportVersions: true,
          lifecycle: { v1: { deprecated: '2020-01-01' } },
          onVersion: (event) => void events.push(event),
        }),
        routes,
      )
    })
  }

  test.each<[string, string, boolean]>([
    ['/health', '/api/health', true],
    ['/health', '/api/health/', true],
    ['/health', '/api/HEALTH', true],
    ['/health', '/api/healthy', false],
    ['/health', '/api/users/7', false],
    ['/hooks/:id', '/api/hooks/7', true],
    ['/hooks/:id', '/api/hooks/%E0%A4', true],
    ['/hooks/:id', '/api/hooks', false],
    ['/docs{/*rest}', '/api/docs/pages/a', true],
    ['/grüße', '/api/gr%C3%BC%C3%9Fe', true],
    ['all:health', '/api/health', true],
    ['all:health', '/api/users/7', false],
    ['health', '/api/health', false],
    ['all:docs:page', '/api/docs/pages/a', true],
    ['all:docs:page', '/api/docs', false],
    ['all:docs:', '/api/docs/pages/a', true],
    ['all:docs:', '/api/docs/nothing', true],
    ['all:docs:', '/api/health', false],
    ['all:doc:', '/api/docs', false],
    ['all:', '/api/docs', true],
    ['plain:', '/api/plain/x', true],
    ['docs:', '/api/docs', false],
  ])('%j, %s: %s', async (neutral, path, expected) => {
    const server = await start(new Set([neutral]))
    const { status, headers: answered, json, text } = await server.get(`${path}${query}`, headers)
    // A path that is malformed is the router's to refuse.
    if (expected) {
      expect([200, 400, 404]).toContain(status)
      expect(text).not.toContain('Invalid version')
      if (status === 200) expect(json).toEqual({ version: null })
      expect(Object.keys(answered)).not.toEqual(expect.arrayContaining(['vary']))
      expect(answered).not.toHaveProperty('api-supported-versions')
      expect(events).toEqual([])
    } else {
      expect([404, 406]).toContain(status)
      expect(json).toMatchObject({ error: expect.stringContaining('Invalid version') })
      expect(answered).toHaveProperty('api-supported-versions', 'v1, v2')
      expect(events).toHaveLength(1)
    }
  })
})

test('byVersion uses otherwise', async () => {
  const handlers = byVersion(
    { v1: (_req, res) => void res.json('one') },
    { otherwise: (_req, res) => void res.json('any') },
  )
  const server = await serve((app) => {
    app.use(versioning({ scheme: QueryParameterVersioning, neutral: ['/any'], ...SETTINGS }))
    app.get(['/any', '/one'], handlers)
  })
  expect((await server.get('/any?version=v1')).json).toBe('any')
  expect((await server.get('/one?version=v1')).json).toBe('one')
})

test('a neutral route still makes links', async () => {
  const routes = namedRoutes({ health: '/health', user: '/users/:id' })
  routes.route('health').get((req, res) => void res.json(req.reverse('user', { args: [7] })))
  const server = await serve((app) =>
    app.use('/api', versioning({ scheme: QueryParameterVersioning, neutral: ['health'], routes, ...SETTINGS }), routes),
  )
  expect((await server.get('/api/health')).json).toBe('/api/users/7')
})

test('an inner versioning() still decides', async () => {
  const server = await serve((app) => {
    app.use(versioning({ scheme: QueryParameterVersioning, neutral: ['/x'], ...SETTINGS }))
    app.get(
      '/x',
      versioning({ scheme: QueryParameterVersioning, ...SETTINGS }),
      (req, res) => void res.json(req.version),
    )
  })
  expect((await server.get('/x?version=v2')).json).toBe('v2')
  expect((await server.get('/x?version=v9')).status).toBe(404)
})

test('inside a table, names are those of the table that handles', async () => {
  const routes = namedRoutes({ health: '/health', user: '/user' })
  routes.use(versioning({ scheme: QueryParameterVersioning, neutral: ['health'], ...SETTINGS }))
  for (const name of ['health', 'user'] as const) routes.route(name).get((req, res) => void res.json(req.version))
  const server = await serve((app) => app.use(routes))
  expect((await server.get('/health')).json).toBe(null)
  expect((await server.get('/user')).status).toBe(404)
})

const TAKES = `versioning(): option "neutral" takes a list of paths ('/health'), view names ('docs:index') and namespaces ('docs:'); got `
test.each<[unknown, string]>([
  ['/health', `${TAKES}'/health'.`],
  [null, `${TAKES}null.`],
  [[''], `${TAKES}[ '' ].`],
  [[':'], `${TAKES}[ ':' ].`],
  [[7], `${TAKES}[ 7 ].`],
  [['/a/:id?'], 'versioning(): option "neutral": \'/a/:id?\' is no path: Unexpected ? at index 6'],
])('a wrong option: %j', (neutral, message) => {
  expect(() => versioning({ scheme: QueryParameterVersioning, neutral: neutral as never })).toThrow(message)
})
