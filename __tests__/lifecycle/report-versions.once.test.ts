import type { RequestHandler } from 'express'
import {
  exposedHeaders,
  type LifecycleDate,
  namedRoutes,
  QueryParameterVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { type Answer, serve } from '../support/serve'

const PAST = '2020-01-01'

const tell: RequestHandler = (req, res) => {
  res.json({ version: req.version })
}

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
    [['v1', 'v2'], { v1: gone(PAST), v2: gone(PAST) }, undefined, undefined],
  ])('of %j with %j', async (allowedVersions, lifecycle, supported, deprecated) => {
    const server = await serve((app) => app.use(reporting({ allowedVersions, lifecycle }), tell))
    expect(reportOf(await server.get('/?version=v2'))).toEqual([supported, deprecated])
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
    ['none', { allowedVersions: ['v1', null] }, '/', [200, undefined]],
    ['a neutral route', { neutral: ['/health'] }, '/health?version=v1', [200, undefined]],
  ])('%s', async (_title, options, path, expected) => {
    expect(versionOf(await (await named(options)).get(path))).toEqual(expected)
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
