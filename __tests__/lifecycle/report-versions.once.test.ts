import express, { type Application, type RequestHandler } from 'express'
import {
  AcceptHeaderVersioning,
  BaseVersioning,
  exposedHeaders,
  type LifecycleDate,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { type Answer, listen, serve } from '../support/serve'

const PAST = '2020-01-01'

const tell: RequestHandler = (req, res) => {
  res.json({ version: req.version })
}

const broken: RequestHandler = (_req, _res, next) => next(new Error('x'))

const reporting = (options: Partial<VersioningOptions> = {}) =>
  versioning({ scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'], reportVersions: true, ...options })

function reportOf({ headers }: Answer) {
  return [headers['api-supported-versions'], headers['api-deprecated-versions']]
}

const gone = (sunset: LifecycleDate) => ({ sunset, afterSunset: 'gone' as const })

afterEach(() => {
  jest.restoreAllMocks()
})

describe('what is reported', () => {
  test.each<[Iterable<string | null>, VersioningOptions['lifecycle'], string | undefined, string | undefined]>([
    [['v1'], undefined, 'v1', undefined],
    [['v2', 'v10', 'v1'], undefined, 'v2, v10, v1', undefined],
    [new Set(['v1', 'v2', null]), {}, 'v1, v2', undefined],
    [[null, 'v1', 'v1'], {}, 'v1', undefined],
    [['2026-01-31', '1.0+b;x="1"'], {}, '2026-01-31, 1.0+b;x="1"', undefined],
    [['v1', 'v2'], { v1: { deprecated: PAST } }, 'v1, v2', 'v1'],
    [['v1', 'v2'], { v1: gone(PAST), v2: gone(PAST) }, undefined, undefined],
  ])('of %j with %j', async (allowedVersions, lifecycle, supported, deprecated) => {
    const server = await serve((app) => app.use(reporting({ allowedVersions, lifecycle }), tell))
    expect(reportOf(await server.get('/?version=v2'))).toEqual([supported, deprecated])
  })
})

describe('where it is reported', () => {
  const lifecycle = { v1: { deprecated: PAST }, v3: gone(PAST) }
  const middleware = reporting({ allowedVersions: ['v1', 'v2', 'v3'], defaultVersion: 'v2', lifecycle })

  test.each<[string, (app: Application) => unknown, string, number]>([
    ['a handler', (app) => app.use(tell), '/?version=v1', 200],
    ['a handler, in the default version', (app) => app.use(tell), '/', 200],
    ['a refusal', (app) => app.use(tell), '/?version=v9', 404],
    ['a version that is gone', (app) => app.use(tell), '/?version=v3', 410],
    ["nobody: Express's own 404", () => {}, '/?version=v1', 404],
    ["an error, answered by Express's default", (app) => app.use(broken), '/?version=v1', 500],
  ])('on the answer of %s', async (_title, answer, path, status) => {
    const app = express().use(middleware)
    answer(app)
    const got = await (await listen(app)).get(path)
    expect([got.status, ...reportOf(got)]).toEqual([status, 'v1, v2', 'v1'])
  })

  test.each<[string, RequestHandler, (string | undefined)[]]>([
    ['reports its own', reporting({ allowedVersions: ['v8', 'v9'], defaultVersion: 'v9' }), ['v8, v9', undefined]],
    [
      'without reportVersions removes the report',
      versioning({ scheme: AcceptHeaderVersioning }),
      [undefined, undefined],
    ],
  ])('an inner versioning() %s', async (_title, inner, report) => {
    const server = await serve((app) => app.use(middleware).use('/inner', inner, tell).use(tell))
    expect(reportOf(await server.get('/inner'))).toEqual(report)
    expect(reportOf(await server.get('/outer'))).toEqual(['v1, v2', 'v1'])
  })
})

test('the report changes when a date is reached, and with a clock that is put back', async () => {
  const now = jest.spyOn(Date, 'now')
  const lifecycle = {
    v1: { deprecated: '2030-01-01', ...gone('2031-01-01') },
    v2: { deprecated: '2030-06-01T00:00:00+02:00', sunset: '2030-09-01' },
    v3: {},
  }
  const middleware = reporting({ allowedVersions: ['v1', 'v2', 'v3'], lifecycle })
  const server = await serve((app) => app.use(middleware, tell))
  const steps: [string, ...(string | undefined)[]][] = [
    ['1960-01-01T00:00:00.000Z', 'v1, v2, v3', undefined],
    ['2029-12-31T23:59:59.999Z', 'v1, v2, v3', undefined],
    ['2030-01-01T00:00:00.000Z', 'v1, v2, v3', 'v1'],
    ['2030-01-01T00:00:00.001Z', 'v1, v2, v3', 'v1'],
    ['2030-05-31T21:59:59.999Z', 'v1, v2, v3', 'v1'],
    ['2030-05-31T22:00:00.000Z', 'v1, v2, v3', 'v1, v2'],
    ['2030-12-31T23:59:59.999Z', 'v1, v2, v3', 'v1, v2'],
    ['2031-01-01T00:00:00.000Z', 'v2, v3', 'v2'],
    ['2040-01-01T00:00:00.000Z', 'v2, v3', 'v2'],
    ['2030-03-01T00:00:00.000Z', 'v1, v2, v3', 'v1'],
    ['2029-01-01T00:00:00.000Z', 'v1, v2, v3', undefined],
  ]
  for (const [date, ...report] of steps) {
    now.mockReturnValue(Date.parse(date))
    expect([date, ...reportOf(await server.get('/?version=v3'))]).toEqual([date, ...report])
  }
})

describe('construction errors', () => {
  const NEEDS = 'option "reportVersions" needs "allowedVersions", which it reports.'
  const odd = (shown: string) =>
    `option "reportVersions" needs versions of visible ASCII characters without commas; got ${shown} among them.`

  test.each<[object, string]>([
    [{ allowedVersions: undefined }, NEEDS],
    [{ allowedVersions: [] }, NEEDS],
    [{ allowedVersions: [null] }, NEEDS],
    [{ allowedVersions: [], defaultVersion: 'v1' }, NEEDS],
    [{ allowedVersions: ['v1', 'v1,v2'] }, odd("'v1,v2'")],
    [{ allowedVersions: ['v 1'] }, odd("'v 1'")],
    [{ reportVersions: 'yes' }, 'option "reportVersions" takes true or false; got \'yes\'.'],
  ])('%j', (options, message) => {
    expect(() => reporting(options)).toThrow(new TypeError(`versioning(): ${message}`))
  })
})

describe('API-Version', () => {
  const PLANS = { v1: { deprecated: PAST }, v3: gone(PAST) }
  const versionOf = ({ status, headers }: Answer) => [status, headers['api-version']]
  const named = (options: Partial<VersioningOptions>) => serve((app) => app.use(reporting(options), tell))

  test.each<[string, Partial<VersioningOptions>, string, unknown[]]>([
    ['the version that was named', {}, '/?version=v2', [200, 'v2']],
    ['the default', { defaultVersion: 'v1' }, '/', [200, 'v1']],
    ['one that is deprecated', { lifecycle: PLANS, allowedVersions: ['v1', 'v3'] }, '/?version=v1', [200, 'v1']],
    ['one that is gone', { lifecycle: PLANS, allowedVersions: ['v1', 'v3'] }, '/?version=v3', [410, 'v3']],
    ['what a text means', { parseVersion: () => 'v2' }, '/?version=latest', [200, 'v2']],
    ['none', { allowedVersions: ['v1', null] }, '/', [200, undefined]],
    ['a neutral route', { neutral: ['/health'] }, '/health?version=v1', [200, undefined]],
  ])('%s', async (_title, options, path, expected) => {
    expect(versionOf(await (await named(options)).get(path))).toEqual(expected)
  })

  test.each(['\u2603', 'v\u00e9', 'v 1', 'v1,v2', ' v1', '', 'v1\r\nX-Evil: 1'])(
    'a scheme of one\u2019s own decides on %j, which no field can name',
    async (version) => {
      class Own extends BaseVersioning {
        override allowedVersions = ['v1']
        override determineVersion = () => version
      }
      const answer = await (await named({ scheme: new Own(), allowedVersions: undefined })).get('/')
      expect([...versionOf(answer), answer.headers['x-evil'], answer.json]).toEqual([
        200,
        undefined,
        undefined,
        { version },
      ])
    },
  )

  test('is taken back where the dispatch refuses, and what stood there before is back', async () => {
    const api = namedRoutes({ user: '/:version/users' })
    api.route('user').get(tell)
    const rewrite: RequestHandler = (req, _res, next) => {
      req.url = '/v2/users'
      next()
    }
    const before: RequestHandler = (req, res, next) => {
      if (req.get('Before') !== undefined) res.set('API-Version', 'before')
      next()
    }
    const server = await serve((app) =>
      app.use(before, reporting({ scheme: URLPathVersioning, routes: api }), rewrite, api),
    )
    expect(versionOf(await server.get('/v2/users', { Before: '1' }))).toEqual([200, 'v2'])
    expect(versionOf(await server.get('/v1/users'))).toEqual([404, undefined])
    expect(versionOf(await server.get('/v1/users', { Before: '1' }))).toEqual([404, 'before'])
    expect(reportOf(await server.get('/v1/users'))).toEqual(['v1, v2', undefined])
  })

  test('not once the headers are sent', async () => {
    const sent: RequestHandler = (_req, res, next) => {
      res.write('x')
      next()
    }
    const server = await serve((app) => app.use(sent, reporting(), (_req, res) => void res.end('y')))
    expect(await server.get('/?version=v1')).toMatchObject({ status: 200, text: 'xy' })
  })
})

describe('exposedHeaders', () => {
  test('exposedHeaders lists what answers gain, and nothing else but Vary, which browsers need not see', async () => {
    const routes = namedRoutes({ x: '/x' })
    routes.route('x').get((_req, res) => {
      res.end()
    })
    const lifecycle = {
      v1: { deprecated: '2024-01-01', sunset: '2099-01-01', info: 'https://api.example.com/v1', successor: 'v2' },
    }
    const { get } = await serve((app) => {
      app.use('/bare', routes)
      app.use(
        '/api',
        versioning({
          scheme: QueryParameterVersioning,
          allowedVersions: ['v1', 'v2'],
          lifecycle,
          reportVersions: true,
          routes,
        }),
        routes,
      )
    })
    const bare = Object.keys((await get('/bare/x')).headers)
    const versioned = Object.keys((await get('/api/x?version=v1')).headers)
    const gained = versioned.filter((name) => !bare.includes(name) && name !== 'vary')
    expect(gained.sort()).toEqual(exposedHeaders.map((name) => name.toLowerCase()).sort())
    expect(Object.isFrozen(exposedHeaders)).toBe(true)
  })
})
