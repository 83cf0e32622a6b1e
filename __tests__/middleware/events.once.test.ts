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
const go: RequestHandler = (_req, _res, next) => next()
const past = deprecated({ since: '2020-01-01' })
const users = namedRoutes({ user: '/users/:id', export: '/export', all: '/all', later: '/later' })
users.route('user').get(end)
users.route('export').post(end).get(go, past, end)
users.route('all').get(end).all(past, end)
users.route('later').get(deprecated({ since: '2999-01-01' }), end)
const api = namedRoutes({ status: '/status' })
for (const namespace of ['v1', 'v2']) api.include(`/${namespace}`, users, { namespace })
api.route('status').get(end)
const lifecycle = { v1: { deprecated: '2020-01-01' }, v2: { deprecated: '2999-01-01' } }
const spaced = {
  scheme: NamespaceVersioning,
  defaultVersion: 'v2',
  allowedVersions: ['v1', 'v2'],
  lifecycle,
  routes: api,
}
const byQuery = { scheme: QueryParameterVersioning, allowedVersions: ['v1'] }

/** Sends a request through `versioning()` and its table. */
async function send(options: VersioningOptions, sent: Sent) {
  const app = appOf((app) => app.use(versioning(options), (options.routes ?? []) as unknown as RequestHandler))
  const outcome = dispatch(app, sent)
  await new Promise(setImmediate)
  return outcome
}

const INVALID = 'Invalid version in query parameter.'
const later = (decide: () => Promise<string | null>) => ({
  scheme: class Later extends BaseVersioning {
    override determineVersion = decide
  },
})
/** A scheme as users of DRF write it: `determineVersion` does everything, the default included. */
class Own extends BaseVersioning {
  override determineVersion(req: { headers: object }) {
    const { own = this.defaultVersion } = req.headers as { own?: string }
    return own === 'none' ? null : own
  }
}
const own = { scheme: Own, defaultVersion: 'v2' }
const as = (own: string) => ({ headers: { own } })
const PREFLIGHT = { origin: 'http://a.example', 'access-control-request-method': 'GET' }
const preflight = { method: 'OPTIONS', headers: PREFLIGHT }

type Row = [VersioningOptions, url: string, version: unknown, named: boolean, more?: object, sent?: Partial<Sent>]
describe.each(['onVersion', 'diagnostics_channel'])('%s', (way) => {
  test.each<Row>([
    [spaced, '/v1/users/7', 'v1', true, { viewName: 'v1:user', deprecated: true }],
    [spaced, '/v2/users/7', 'v2', true, { viewName: 'v2:user', deprecated: false }],
    [spaced, '/v2/nothing', 'v2', true, { viewName: null, deprecated: false }],
    [spaced, '/status', 'v2', false, { viewName: 'status', deprecated: false }],
    [spaced, '/nothing', 'v2', false, { viewName: null, deprecated: false }],
    [spaced, '/v2/export', 'v2', true, { viewName: 'v2:export', deprecated: true }],
    [spaced, '/v2/export', 'v2', true, { viewName: 'v2:export', deprecated: false }, { method: 'POST' }],
    [spaced, '/v2/all', 'v2', true, { viewName: 'v2:all', deprecated: true }, { method: 'PUT' }],
    [spaced, '/v2/later', 'v2', true, { viewName: 'v2:later', deprecated: false }],
    [byQuery, '/?version=v9', undefined, true, { error: INVALID, viewName: null, deprecated: false }],
    [byQuery, '/', undefined, false, { error: INVALID }],
    [byQuery, '/', null, false, { error: undefined }, preflight],
    [later(async () => 'later'), '/', 'later', true, { scheme: 'Later' }],
    [later(async () => null), '/', null, false],
    [later(() => Promise.reject(new Error('no'))), '/', undefined, true, { error: 'no' }],
    [own, '/', 'v1', true, {}, as('v1')],
    [own, '/', 'v2', false],
    [own, '/', null, false, {}, as('none')],
  ])('%#, %j: %s', async (options, url, version, named, more = {}, sent = {}) => {
    if (way === 'diagnostics_channel') events.subscribe(listener)
    const { req, res } = await send(way === 'onVersion' ? { ...options, onVersion: listener } : options, {
      url,
      ...sent,
    })
    expect(heard).toHaveLength(1)
    const { viewName, deprecated, error, scheme, ...event } = heard[0] as VersionEvent
    const facts = {
      viewName,
      deprecated,
      scheme: scheme.constructor.name,
      error: (error as Error | undefined)?.message,
    }
    // Copying an event resolves nothing.
    expect(event).toEqual({ request: req, response: res, version, named })
    expect(facts).toMatchObject(more)
    expect(Object.hasOwn(heard[0] as object, 'error')).toBe(error !== undefined)
  })
})

test('without listeners no event is made, and a path is resolved only when an event is read', async () => {
  const walk = jest.spyOn(api, 'walk')
  const options = { scheme: QueryParameterVersioning, routes: api }
  await send({ ...options, routes: api, onVersion: undefined }, { url: '/status' })
  const walks = walk.mock.calls.length
  const app = appOf((app) => app.use(versioning({ ...options, onVersion: listener })))
  dispatch(app, { url: '/status' })
  expect([heard.length, walk.mock.calls.length]).toEqual([1, walks])
  expect([heard[0]?.viewName, walk.mock.calls.length]).toEqual(['status', walks + 1])
})

const throws = () => {
  throw Object.create(null)
}
test.each([throws, () => Promise.reject(new Error('listener'))])(
  'a listener that fails (%#) breaks no request: one process warning',
  async (onVersion) => {
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    for (const version of ['1', '2']) {
      const { served, req } = await send({ scheme: Own, onVersion }, { url: '/', ...as(version) })
      expect([served, req.version]).toEqual([1, version])
    }
    const code = { code: 'EXPRESS_VERSIONING_LISTENER', detail: expect.stringMatching(/listener|null prototype/) }
    const told = 'An onVersion listener of express-versioning failed; requests go on.'
    expect(warned.mock.calls).toEqual([[told, code]])
  },
)

test('byVersion() leaves the description of its versions behind', () => {
  const described = [
    byVersion({ v2: end, v1: [end] }),
    byVersion({ v1: end, v2: undefined }, { fallback: 'lower', otherwise: end }),
  ].map(descriptionOf)
  expect(described).toEqual([
    { versions: ['v2', 'v1'], otherwise: false },
    { versions: ['v1'], fallback: 'lower', otherwise: true },
  ])
})
