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

afterEach(() => jest.restoreAllMocks())

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

/** Builds a table whose namespace is not a version, so that every scheme refuses all routes but neutral ones. */
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
    ['all:docs:', '/api/health', false],
  ])('%j, %s: %s', async (neutral, path, expected) => {
    const server = await start(new Set([neutral]))
    const { status, headers: answered, json, text } = await server.get(`${path}${query}`, headers)
    // The router refuses malformed paths.
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

describe('a name that the table of `routes` does not have', () => {
  const told = (names: string, hint = '') =>
    new TypeError(
      `versioning(): option "neutral" names ${names}, which "routes" does not have (names are written with their namespaces).${hint}`,
    )

  test.each<[neutral: string[], names: string, hint: string]>([
    [['all:helth'], '"all:helth"', ' Did you mean "all:health"?'],
    [['/health', 'all:health', 'all:helth', 'all:'], '"all:helth"', ' Did you mean "all:health"?'],
    [['all:helth', 'all:usr'], '"all:helth", "all:usr"', ' Did you mean "all:health" or "all:user"?'],
    [['all:helth', 'all:heath'], '"all:helth", "all:heath"', ' Did you mean "all:health"?'],
    [['all:HEALTH'], '"all:HEALTH"', ' Did you mean "all:health"?'],
    [['alll:', 'plane:'], '"alll:", "plane:"', ' Did you mean "all:" or "plain:"?'],
    [['constructor', '__proto__:'], '"constructor", "__proto__:"', ''],
  ])('%j', (neutral, names, hint) => {
    const options = { scheme: QueryParameterVersioning, routes: table(), neutral }
    expect(() => versioning(options)).toThrow(told(names, hint))
  })

  test.each(['all:', 'all:docs:', 'plain:', 'all:docs:page'])('and not of one that it has: %s', (neutral) => {
    const warned = jest.spyOn(process, 'emitWarning')
    expect(() => versioning({ scheme: QueryParameterVersioning, routes: table(), neutral: [neutral] })).not.toThrow()
    expect(warned).not.toHaveBeenCalled()
  })
})

describe('a name without `routes` is looked for in the table in sight', () => {
  let warned: jest.SpyInstance

  beforeEach(() => {
    warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  })

  const CODE = { code: 'EXPRESS_VERSIONING_NEUTRAL' }
  const lacking = (names: string, hint = '') => [
    `versioning(): option "neutral" names ${names}, which the route table does not have (names are written with their namespaces).${hint}`,
    CODE,
  ]
  const inside = (neutral: string[]) => versioning({ scheme: QueryParameterVersioning, neutral, ...SETTINGS })
  const tell: RequestHandler = (req, res) => void res.json(req.version)

  /** A table that decides within itself. */
  function deciding(middleware: RequestHandler) {
    const routes = namedRoutes({ health: '/health', user: '/user' }).use(middleware)
    for (const name of ['health', 'user'] as const) routes.route(name).get(tell)
    return routes
  }

  test.each<[neutral: string[], warning: unknown[]]>([
    [['helth'], lacking('"helth"', ' Did you mean "health"?')],
    [['health', 'docs:', 'usr'], lacking('"docs:", "usr"', ' Did you mean "user"?')],
  ])('%j: one process warning, and requests are decided as before', async (neutral, warning) => {
    const server = await serve((app) => app.use(deciding(inside(neutral))))
    expect(warned).not.toHaveBeenCalled()
    for (let turn = 0; turn < 3; turn++) {
      expect((await server.get('/health?version=v1')).json).toBe(neutral.includes('health') ? null : 'v1')
      expect((await server.get('/user?version=v2')).json).toBe('v2')
    }
    expect(warned.mock.calls).toEqual([warning])
  })

  test.each([[['health']], [['health', 'user']], [['/health']], [[]]])('%j: none', async (neutral) => {
    const server = await serve((app) => app.use(deciding(inside(neutral))))
    await server.get('/health?version=v1')
    expect(warned).not.toHaveBeenCalled()
  })

  test('one of the root, whose names count in its children', async () => {
    const server = await serve((app) => {
      const child = deciding(inside(['v1:health']))
      app.use(namedRoutes({}).include('/v1', child, { namespace: 'v1' }))
    })
    expect((await server.get('/v1/health?version=v9')).json).toBe(null)
    expect((await server.get('/v1/user?version=v9')).status).toBe(404)
    expect(warned).not.toHaveBeenCalled()
  })

  test('and no table is in sight', async () => {
    const server = await serve((app) =>
      app
        .use('/paths', inside(['/health']), tell)
        .use('/a', inside(['/health', 'health', 'docs:']), tell)
        .use('/b', inside(['docs:']), tell),
    )
    for (const path of ['/paths', '/a', '/b', '/a', '/b']) {
      expect((await server.get(`${path}?version=v1`)).json).toBe('v1')
      expect((await server.get(`${path}/user?version=v9`)).status).toBe(404)
    }
    expect((await server.get('/a/health')).json).toBe(null)
    const nowhere = (names: string) => [
      `versioning(): option "neutral" has names, ${names}, but there is no route table in sight: give versioning() the option "routes".`,
      CODE,
    ]
    expect(warned.mock.calls).toEqual([nowhere('"health", "docs:"'), nowhere('"docs:"')])
  })
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
