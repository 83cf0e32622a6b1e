import { channel } from 'node:diagnostics_channel'
import type { Request, RequestHandler } from 'express'
import {
  BaseVersioning,
  byVersion,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  type VersionEvent,
  versioning,
} from 'express-versioning'
import { descriptionOf } from '../../src/middleware/description'
import { appOf, dispatch } from '../support/dispatch'
import { serve } from '../support/serve'

const tell: RequestHandler = (req, res) => void res.json({ version: req.version })
const facts = ({ version, named, scheme, viewName, deprecated, error }: VersionEvent) => ({
  version,
  named,
  scheme: scheme.constructor.name,
  viewName,
  deprecated,
  ...(error === undefined ? {} : { error: (error as Error).message }),
})

/** The events that the channel published during a test. */
const published: VersionEvent[] = []
const subscriber = (event: unknown) => void published.push(event as VersionEvent)
const events = channel('express-versioning:version')
afterEach(() => {
  events.unsubscribe(subscriber)
  published.length = 0
})

const api = () => {
  const users = namedRoutes({ user: '/users/:id' })
  users.route('user').get(tell)
  return namedRoutes({ status: '/status' })
    .include('/v1', users, { namespace: 'v1' })
    .include('/v2', users, { namespace: 'v2' })
}

describe.each(['onVersion', 'diagnostics_channel'])('%s', (way) => {
  const heard: VersionEvent[] = []
  beforeEach(() => {
    heard.length = 0
    if (way === 'diagnostics_channel') events.subscribe(subscriber)
  })
  const listener = way === 'onVersion' ? { onVersion: (event: VersionEvent) => void heard.push(event) } : {}
  const all = () => (way === 'onVersion' ? heard : published)

  test.each([
    ['/v1/users/7', { version: 'v1', named: true, viewName: 'v1:user', deprecated: true }],
    ['/v2/users/7', { version: 'v2', named: true, viewName: 'v2:user', deprecated: false }],
    ['/v2/nothing', { version: 'v2', named: true, viewName: null, deprecated: false }],
    ['/status', { version: 'v2', named: false, viewName: 'status', deprecated: false }],
    ['/nothing', { version: 'v2', named: false, viewName: null, deprecated: false }],
  ])('tells what was decided: %s', async (path, expected) => {
    const routes = api()
    const server = await serve((app) => {
      const lifecycle = { v1: { deprecated: '2020-01-01' }, v2: { deprecated: '2999-01-01' } }
      const options = {
        scheme: NamespaceVersioning,
        defaultVersion: 'v2',
        allowedVersions: ['v1', 'v2'],
        lifecycle,
        routes,
      }
      app.use(versioning({ ...options, ...listener }), routes)
    })
    await server.get(path)
    expect(all().map(facts)).toEqual([{ ...expected, scheme: 'NamespaceVersioning' }])
  })

  test('refusals too', async () => {
    const server = await serve((app) =>
      app.use(versioning({ scheme: QueryParameterVersioning, allowedVersions: ['v1'], ...listener }), tell),
    )
    await server.get('/?version=v9')
    await server.get('/')
    const refused = { version: undefined, scheme: 'QueryParameterVersioning', viewName: null, deprecated: false }
    const error = 'Invalid version in query parameter.'
    expect(all().map(facts)).toEqual([
      { ...refused, named: true, error },
      { ...refused, named: false, error },
    ])
  })

  test.each<[string, () => Promise<string | null>, object]>([
    ['gives', async () => 'later', { version: 'later', named: true }],
    ['gives none', async () => null, { version: null, named: false }],
    ['refuses', () => Promise.reject(new Error('refused')), { version: undefined, error: 'refused' }],
  ])('after an asynchronous decision that %s', async (_what, decide, expected) => {
    class Later extends BaseVersioning {
      override determineVersion = decide
    }
    const server = await serve((app) => app.use(versioning({ scheme: Later, ...listener }), tell))
    await server.get('/')
    expect(all().map(facts)).toMatchObject([expected])
  })

  test('a preflight that would have been refused: no version', async () => {
    const options = { scheme: QueryParameterVersioning, allowedVersions: ['v1'], ...listener }
    const server = await serve((app) => app.use(versioning(options), tell))
    await server.send('OPTIONS', '/', { Origin: 'http://a.example', 'Access-Control-Request-Method': 'GET' })
    expect(all().map(facts)).toMatchObject([{ version: null, named: false }])
    expect(all()[0]).not.toHaveProperty('error')
  })

  test('the request and the response are there, and the name of the route later too', async () => {
    const table = namedRoutes({ one: '/one' })
    table.use(versioning({ scheme: QueryParameterVersioning, ...listener }))
    const server = await serve((app) => app.use('/t', table, (_req, res) => void res.json(all()[0]?.viewName)))
    expect((await server.get('/t/one?version=1')).json).toBe('one')
    const [event] = all() as [VersionEvent]
    expect([event.request.originalUrl, event.response.statusCode, event.viewName]).toEqual([
      '/t/one?version=1',
      200,
      'one',
    ])
  })
})

test('nobody listening, nothing is made: the path is not even resolved', async () => {
  const routes = api()
  const resolve = jest.spyOn(routes, 'walk')
  const heard: VersionEvent[] = []
  const server = await serve((app) => {
    app.get('/silent', versioning({ scheme: QueryParameterVersioning, routes }), tell)
    app.get(
      '/heard',
      versioning({ scheme: QueryParameterVersioning, routes, onVersion: (event) => heard.push(event) }),
      tell,
    )
  })
  await server.get('/silent?version=1')
  await server.get('/heard?version=1')
  expect([heard.length, resolve.mock.calls.length]).toEqual([1, 0])
  expect([heard[0]?.viewName, resolve.mock.calls.length]).toEqual([null, 1])
  resolve.mockRestore()
})

describe('a listener that fails breaks no request', () => {
  test.each<[string, () => unknown]>([['rejects', () => Promise.reject(new Error('listener'))]])(
    '%s: one process warning',
    async (_what, onVersion) => {
      const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
      const server = await serve((app) => app.use(versioning({ scheme: QueryParameterVersioning, onVersion }), tell))
      for (const version of ['1', '2', '3']) {
        expect((await server.get(`/?version=${version}`)).json).toEqual({ version })
      }
      expect(warned.mock.calls).toEqual([
        [
          'An onVersion listener of express-versioning failed; requests go on.',
          { code: 'EXPRESS_VERSIONING_LISTENER', detail: expect.stringMatching(/listener|null prototype/) },
        ],
      ])
      warned.mockRestore()
    },
  )
})

test.each([['x'], [null], [{}]])('onVersion takes a function, not %j', (onVersion) => {
  expect(() => versioning({ scheme: QueryParameterVersioning, onVersion: onVersion as never })).toThrow(
    /versioning\(\): option "onVersion" takes a function; got /,
  )
})

describe('the event of a named route', () => {
  /** A custom scheme as DRF's users write it: `determineVersion` does everything, the default included. */
  class Own extends BaseVersioning {
    override determineVersion(req: Request) {
      const sent = req.headers['x-own']
      if (sent === 'none') return null
      return typeof sent === 'string' ? sent : this.defaultVersion
    }
  }
  class Later extends BaseVersioning {
    override async determineVersion(req: Request) {
      const sent = req.headers['x-own']
      if (sent === 'none') return null
      return typeof sent === 'string' ? sent : this.defaultVersion
    }
  }

  describe.each([Own, Later])('%p: an event says that a version was named', (scheme) => {
    test.each<[headers: Record<string, string>, version: string | null, named: boolean]>([
      [{ 'x-own': 'v1' }, 'v1', true],
      [{}, 'v2', false],
      [{ 'x-own': 'none' }, null, false],
    ])('%j: %s, %p', async (headers, version, named) => {
      const heard: VersionEvent[] = []
      const onVersion = (event: VersionEvent) => heard.push(event)
      const app = appOf((app) => app.use(versioning({ scheme, defaultVersion: 'v2', onVersion })))
      dispatch(app, { url: '/', headers })
      await new Promise(setImmediate)
      expect(heard.map((event) => [event.version, event.named])).toEqual([[version, named]])
    })
  })
})

describe('descriptions', () => {
  describe('byVersion() leaves its versions behind, and what serves the others', () => {
    const handler = () => {}
    test.each<[what: string, made: object, described: object]>([
      ['alone', byVersion({ v2: handler, v1: [handler] }), { versions: ['v2', 'v1'], otherwise: false }],
      [
        "with 'lower'",
        byVersion({ v1: handler, v2: undefined }, { fallback: 'lower' }),
        { versions: ['v1'], fallback: 'lower', otherwise: false },
      ],
      ['with otherwise', byVersion({ v1: handler }, { otherwise: handler }), { versions: ['v1'], otherwise: true }],
    ])('%s', (_what, made, described) => {
      expect(descriptionOf(made)).toEqual(described)
    })
  })
})
