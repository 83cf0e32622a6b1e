import { channel } from 'node:diagnostics_channel'
import type { RequestHandler } from 'express'
import {
  BaseVersioning,
  byVersion,
  deprecated,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  type VersionEvent,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { descriptionOf } from '../../src/middleware/description'
import { appOf, dispatch, type Sent } from '../support/dispatch'

const events = channel('express-versioning:version')
const heard: VersionEvent[] = []
const listener = (event: unknown) => void heard.push(event as VersionEvent)
afterEach(() => {
  events.unsubscribe(listener)
  heard.length = 0
  jest.restoreAllMocks()
})

const end: RequestHandler = (_req, res) => void res.end()
const past = deprecated({ since: '2020-01-01' })
const users = namedRoutes({ user: '/users/:id', export: '/export', all: '/all', later: '/later' })
users.route('user').get(end)
users
  .route('export')
  .post(end)
  .get((_req, _res, next) => next(), past, end)
users.route('all').get(end).all(past, end)
users.route('later').get(deprecated({ since: '2999-01-01' }), end)
const api = namedRoutes({ status: '/status' })
  .include('/v1', users, { namespace: 'v1' })
  .include('/v2', users, { namespace: 'v2' })
api.route('status').get(end)
const lifecycle = { v1: { deprecated: '2020-01-01' }, v2: { deprecated: '2999-01-01' } }
const spaced = { scheme: NamespaceVersioning, defaultVersion: 'v2', allowedVersions: ['v1', 'v2'], lifecycle }
const byQuery = { scheme: QueryParameterVersioning, allowedVersions: ['v1'] }

/** Sends a request through `versioning()` and its table. */
async function send(options: VersioningOptions, sent: Sent) {
  const { routes } = options
  const app = appOf((app) => app.use(versioning(options), (routes ?? []) as unknown as RequestHandler))
  const outcome = dispatch(app, sent)
  await new Promise(setImmediate)
  return outcome
}

const PREFLIGHT = { origin: 'http://a.example', 'access-control-request-method': 'GET' }
const INVALID = 'Invalid version in query parameter.'
const schemeOf = (decide: () => Promise<string | null>) =>
  class Later extends BaseVersioning {
    override determineVersion = decide
  }
/** A scheme as users of DRF write it: `determineVersion` does everything, the default included. */
class Own extends BaseVersioning {
  override determineVersion(req: { headers: object }) {
    const { own = this.defaultVersion } = req.headers as { own?: string }
    return own === 'none' ? null : own
  }
}
const own = { scheme: Own, defaultVersion: 'v2' }
class OwnLater extends Own {
  override determineVersion = (async (req: { headers: object }) => super.determineVersion(req)) as never
}

type Row = [options: VersioningOptions, sent: Sent, expected: object]
const inTable = (url: string, expected: object, method = 'GET'): Row => [
  { ...spaced, routes: api },
  { url, method },
  expected,
]
describe.each(['onVersion', 'diagnostics_channel'])('%s', (way) => {
  test.each<Row>([
    inTable('/v1/users/7', { version: 'v1', named: true, viewName: 'v1:user', deprecated: true }),
    inTable('/v2/users/7', { version: 'v2', named: true, viewName: 'v2:user', deprecated: false }),
    inTable('/v2/nothing', { version: 'v2', named: true, viewName: null, deprecated: false }),
    inTable('/status', { version: 'v2', named: false, viewName: 'status', deprecated: false }),
    inTable('/nothing', { version: 'v2', named: false, viewName: null, deprecated: false }),
    inTable('/v2/export', { viewName: 'v2:export', deprecated: true }),
    inTable('/v2/export', { viewName: 'v2:export', deprecated: false }, 'POST'),
    inTable('/v2/all', { viewName: 'v2:all', deprecated: true }, 'PUT'),
    inTable('/v2/later', { viewName: 'v2:later', deprecated: false }),
    [
      byQuery,
      { url: '/?version=v9' },
      { version: undefined, named: true, error: INVALID, viewName: null, deprecated: false },
    ],
    [byQuery, { url: '/' }, { version: undefined, named: false, error: INVALID }],
    [byQuery, { url: '/', method: 'OPTIONS', headers: PREFLIGHT }, { version: null, named: false, error: undefined }],
    [{ scheme: schemeOf(async () => 'later') }, { url: '/' }, { version: 'later', named: true, scheme: 'Later' }],
    [{ scheme: schemeOf(async () => null) }, { url: '/' }, { version: null, named: false }],
    [{ scheme: schemeOf(() => Promise.reject(new Error('no'))) }, { url: '/' }, { version: undefined, error: 'no' }],
    ...[own, { ...own, scheme: OwnLater }].flatMap((options): Row[] => [
      [options, { url: '/', headers: { own: 'v1' } }, { version: 'v1', named: true }],
      [options, { url: '/' }, { version: 'v2', named: false }],
      [options, { url: '/', headers: { own: 'none' } }, { version: null, named: false }],
    ]),
  ])('%# of %j: %j', async (options, sent, expected) => {
    if (way === 'diagnostics_channel') events.subscribe(listener)
    const { req, res } = await send(way === 'onVersion' ? { ...options, onVersion: listener } : options, sent)
    expect(heard).toHaveLength(1)
    const [event] = heard as [VersionEvent]
    const { version, named, viewName, error, scheme } = event
    const facts = { version, named, viewName, deprecated: event.deprecated, scheme: scheme.constructor.name }
    expect({ ...facts, error: (error as Error | undefined)?.message }).toMatchObject(expected)
    expect([event.request, event.response]).toEqual([req, res])
    // Copying an event resolves nothing.
    expect(Object.keys(event).sort()).toEqual(
      ['named', 'request', 'response', 'scheme', 'version', ...(error === undefined ? [] : ['error'])].sort(),
    )
  })
})

test('without listeners no event is made, and a path is resolved only when an event is read', async () => {
  const walk = jest.spyOn(api, 'walk')
  const options = { scheme: QueryParameterVersioning, routes: api }
  const ask = (more: object) =>
    dispatch(
      appOf((app) => app.use(versioning({ ...options, ...more }))),
      { url: '/status' },
    )
  ask({})
  ask({ onVersion: listener })
  expect([heard.length, walk.mock.calls.length]).toEqual([1, 0])
  expect([heard[0]?.viewName, walk.mock.calls.length]).toEqual(['status', 1])
})

test.each<[string, () => unknown]>([
  [
    'throws',
    () => {
      throw Object.create(null)
    },
  ],
  ['rejects', () => Promise.reject(new Error('listener'))],
])('a listener that %s breaks no request: one process warning', async (_what, onVersion) => {
  const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  for (const version of ['1', '2', '3']) {
    const { served, req } = await send({ scheme: QueryParameterVersioning, onVersion }, { url: `/?version=${version}` })
    expect([served, req.version]).toEqual([1, version])
  }
  const detail = expect.stringMatching(/listener|null prototype/)
  expect(warned.mock.calls).toEqual([
    [
      'An onVersion listener of express-versioning failed; requests go on.',
      { code: 'EXPRESS_VERSIONING_LISTENER', detail },
    ],
  ])
})

test('byVersion() leaves the description of its versions behind', () => {
  const described = [
    byVersion({ v2: end, v1: [end] }),
    byVersion({ v1: end, v2: undefined }, { fallback: 'lower' }),
    byVersion({ v1: end }, { otherwise: end }),
  ].map(descriptionOf)
  expect(described).toEqual([
    { versions: ['v2', 'v1'], otherwise: false },
    { versions: ['v1'], fallback: 'lower', otherwise: false },
    { versions: ['v1'], otherwise: true },
  ])
})
