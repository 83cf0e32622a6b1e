import { channel } from 'node:diagnostics_channel'
import { type RequestHandler, Router } from 'express'
import type { VersionEvent, VersioningOptions } from 'express-versioning'
import * as library from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { appOf, dispatch, type Sent } from '../support/dispatch'
import { rows } from '../support/rows'
import { include, routed } from '../support/tables'
import { catchWarnings } from '../support/warnings'

const { BaseVersioning, deprecated, NamespaceVersioning, namedRoutes, QueryParameterVersioning, versioning } = library

const events = channel('express-versioning:version')
const heard: VersionEvent[] = []
const listener = (event: unknown) => void heard.push(event as VersionEvent)
const warned = catchWarnings()
afterEach(() => {
  events.unsubscribe(listener)
  heard.length = 0
})

const end: RequestHandler = (_req, res) => void res.end()
const go: RequestHandler = (_req, _res, next) => next()
const past = deprecated({ since: '2020-01-01' })
const users = namedRoutes({ user: '/users/:id', export: '/export', all: '/all', later: '/later' })
users.route('user').get(end)
users.route('export').post(end).get(go, past, end)
users.route('all').get(end).all(past, end)
users.route('later').get(deprecated({ since: '2999-01-01' }), end)
const root = namedRoutes({ status: '/status' })
for (const namespace of ['v1', 'v2']) root.include(`/${namespace}`, users, { namespace })
root.route('status').get(end)
const lifecycle = { v1: { deprecated: '2020-01-01' }, v2: { deprecated: '2999-01-01' } }
const settings = { defaultVersion: 'v2', allowedVersions: ['v1', 'v2'], lifecycle }
const spaced = { scheme: NamespaceVersioning, ...settings, routes: root }
const scheme = QueryParameterVersioning
const byQuery = { scheme, allowedVersions: ['v1'] }

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
test.each<Row>([
  [spaced, '/v1/users/7', 'v1', true, { viewName: 'v1:user', deprecated: true }],
  [spaced, '/v2/nothing', 'v2', true, { viewName: null, deprecated: false }],
  [spaced, '/status', 'v2', false, { viewName: 'status', deprecated: false }],
  [spaced, '/v2/export', 'v2', true, { viewName: 'v2:export', deprecated: true }],
  [spaced, '/v2/export', 'v2', true, { viewName: 'v2:export', deprecated: false }, { method: 'POST' }],
  [spaced, '/v2/all', 'v2', true, { viewName: 'v2:all', deprecated: true }, { method: 'PUT' }],
  [spaced, '/v2/later', 'v2', true, { viewName: 'v2:later', deprecated: false }],
  [byQuery, '/?version=v9', undefined, true, { error: INVALID, viewName: null, deprecated: false }],
  [byQuery, '/', undefined, false, { error: INVALID }],
  [byQuery, '/', null, false, { error: undefined }, preflight],
  [later(async () => 'later'), '/', 'later', true, { scheme: 'Later' }],
  [later(() => Promise.reject(new Error('no'))), '/', undefined, true, { error: 'no' }],
  [own, '/', 'v1', true, {}, as('v1')],
  [own, '/', null, false, {}, as('none')],
])('%#, %j: %s', async (options, url, version, named, more = {}, sent = {}) => {
  const { req, res } = await send({ ...options, onVersion: listener }, { url, ...sent })
  expect(heard).toHaveLength(1)
  const { viewName, deprecated, error, scheme, ...event } = heard[0] as VersionEvent
  // Copying an event resolves nothing.
  expect(event).toEqual({ phase: 'decided', request: req, response: res, version, named })
  const told = (error as Error | undefined)?.message
  expect({ viewName, deprecated, scheme: scheme.constructor.name, error: told }).toMatchObject(more)
  expect(Object.hasOwn(heard[0] as object, 'error')).toBe(error !== undefined)
})

test('without listeners no event is made, and a path is resolved only when an event is read, as by the channel', async () => {
  const walk = jest.spyOn(root, 'walk')
  const options = { scheme, routes: root }
  await send(options, { url: '/status' })
  const walks = walk.mock.calls.length
  events.subscribe(listener)
  const app = appOf((app) => app.use(versioning(options)))
  dispatch(app, { url: '/status' })
  expect([heard.length, walk.mock.calls.length]).toEqual([1, walks])
  expect([heard[0]?.viewName, walk.mock.calls.length]).toEqual(['status', walks + 1])
})

const throws = () => {
  throw Object.create(null)
}
const rejects = () => Promise.reject(new Error('listener'))
test.each([throws, rejects])('a listener that fails (%p) breaks no request: one process warning', async (onVersion) => {
  for (const version of ['1', '2']) {
    const { served: passed, req } = await send({ scheme: Own, onVersion }, { url: '/', ...as(version) })
    expect([passed, req.version]).toEqual([1, version])
  }
  const code = { code: 'EXPRESS_VERSIONING_LISTENER', detail: expect.stringMatching(/listener|null prototype/) }
  const told = 'An onVersion listener of express-versioning failed; requests go on.'
  expect(warned).toEqual([[told, code]])
})

// Neutral routes: no version, no events, no header fields.

const allowedVersions = ['v1', 'v2']
const served: unknown[] = []
const response: RequestHandler = (req, res) => {
  served.push(req.version)
  res.end()
}

const docs = routed({ index: '/', page: '/pages/:page' }, response)
const inner = routed({ health: '/health', user: '/users/:id', hook: '/hooks/:id' }, response)
include('/docs', docs, 'docs', inner)
/** Its namespaces are no versions, so all routes but neutral ones are rejected. */
const api = namedRoutes({})
  .include('/plain', Router().use(response), { namespace: 'plain' })
  .include('/', inner, { namespace: 'all' })

const NEUTRAL = rows(`
    /health           | /HEALTH/      | neutral
    /health           | /healthy      | rejected
    /users,/hooks/:id | /hooks/7      | neutral
    /users,/hooks/:id | /hooks/7/8    | rejected
    all:health        | /health       | neutral
    all:docs:         | /health       | rejected
    all:docs:         | /docs         | neutral
    plain:            | /plain/any    | neutral
    GET /health       | /health       | neutral
    POST /health      | /health       | rejected
    GET /pages/x,POST all:health | /docs/pages/7 | rejected
    GET all:docs:     | /docs/pages/7 | neutral
    POST all:docs:    | /docs/pages/7 | rejected
    GET all:health    | /health       | neutral
    all:              | /docs/pages/7 | neutral`)
describe.each([scheme, NamespaceVersioning])('neutral routes of %p', (scheme) => {
  test.each(NEUTRAL)('%s: %s is %s', (neutral = '', url = '', expected = '') => {
    const settings = { allowedVersions, reportVersions: true, lifecycle, onVersion: listener }
    const decides = versioning({ scheme, routes: api, ...settings, neutral: new Set(neutral.split(',')) })
    const app = appOf((app) => app.use('/api', decides, api))
    served.length = heard.length = 0
    const { res, errors } = dispatch(app, { url: `/api${url}?version=v9` })
    const fields = res.getHeaderNames().filter((name) => name !== 'x-powered-by')
    const isNeutral = expected === 'neutral'
    expect([served, errors.length]).toEqual(isNeutral ? [[null], 0] : [[], 1])
    expect([heard.length, fields.includes('api-supported-versions')]).toEqual(isNeutral ? [0, false] : [1, true])
    if (isNeutral) expect(fields).toEqual([])
  })
})

test('a history sees which names are neutral', () => {
  const changes = versionHistory('v1').version('v2', change('c', { 'GET all:docs:page': 'added' }))
  const make = (neutral: string) => () => versioning({ scheme, routes: api, neutral: [neutral], changes })
  expect(make('all:')).toThrow('speaks of "GET all:docs:page", but "all:docs:page" is neutral')
  expect(make('all:docs:index')()).toBeInstanceOf(Function)
})

// The handlers are a table that decides within itself, that table in another one, or no table.
test.each<{
  kind: 'table' | 'child' | 'none'
  neutral: string[]
  /** The URL of each request, and its version. */
  requests: [url: string, version: string | null][]
  /** The names in the warning, if there is one. */
  names?: string
  hint?: string
}>([
  {
    kind: 'table',
    neutral: ['helth'],
    requests: [
      ['/health?version=v1', 'v1'],
      ['/user?version=v2', 'v2'],
      ['/health?version=v1', 'v1'],
    ],
    names: '"helth"',
    hint: 'Did you mean "health"?',
  },
  {
    kind: 'table',
    neutral: ['health', 'docs:', 'usr'],
    requests: [
      ['/health?version=v1', null],
      ['/user?version=v2', 'v2'],
    ],
    names: '"docs:", "usr"',
    hint: 'Did you mean "user"?',
  },
  {
    kind: 'table',
    neutral: ['health', 'user'],
    requests: [
      ['/health?version=v1', null],
      ['/user?version=v2', null],
      ['/health?version=v1', null],
    ],
  },
  {
    kind: 'child',
    neutral: ['v1:health'],
    requests: [
      ['/v1/health?version=v9', null],
      ['/v1/user?version=v1', 'v1'],
    ],
  },
  {
    kind: 'none',
    neutral: ['/health', 'health', 'docs:'],
    requests: [
      ['/user?version=v2', 'v2'],
      ['/health?version=v1', null],
      ['/user?version=v2', 'v2'],
    ],
    names: '"health", "docs:"',
  },
])('names without `routes`: $kind, $neutral', ({ kind, neutral, requests, names, hint }) => {
  const decides = versioning({ scheme, allowedVersions, neutral })
  const table = namedRoutes({ health: '/health', user: '/user' }).use(decides)
  for (const name of ['health', 'user'] as const) table.route(name).get(response)
  const child = namedRoutes({}).include('/v1', table, { namespace: 'v1' })
  const app = appOf((app) => app.use(...{ table: [table], child: [child], none: [decides, response] }[kind]))
  served.length = 0
  for (const [url] of requests) dispatch(app, { url })
  expect(served).toEqual(requests.map(([, version]) => version))
  const option = 'versioning(): option "neutral"'
  const lacking = `${option} names ${names}, which the route table does not have (names are written with their namespaces).`
  const nowhere = `${option} has names, ${names}, but there is no route table in sight: give versioning() the option "routes".`
  const told = kind === 'none' ? nowhere : `${lacking} ${hint}`
  expect(warned).toEqual(names === undefined ? [] : [[told, { code: 'EXPRESS_VERSIONING_NEUTRAL' }]])
})
