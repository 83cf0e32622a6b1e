import { type RequestHandler, Router } from 'express'
import { byVersion, namedRoutes, versioning } from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { appOf, dispatch, run } from '../support/dispatch'
import { schemes } from '../support/schemes'

let warned: jest.SpyInstance
beforeEach(() => {
  warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
})
afterEach(() => jest.restoreAllMocks())

const ALLOWED = { allowedVersions: ['v1', 'v2'] }
const served: unknown[] = []
const answer: RequestHandler = (req, res) => {
  served.push(req.version)
  res.end()
}

/** Sends requests through handlers. Returns the versions that handlers saw; for refusals, the statuses. */
function ask(handlers: RequestHandler[], ...urls: string[]): unknown[] {
  served.length = 0
  const app = appOf((app) => app.use(...handlers))
  for (const url of urls) served.push(...dispatch(app, { url }).errors.map(({ status }) => status))
  return [...served]
}

const docs = namedRoutes({ index: '/', page: '/pages/:page' })
const inner = namedRoutes({ health: '/health', user: '/users/:id', hook: '/hooks/:id' })
for (const name of ['index', 'page'] as const) docs.route(name).get(answer)
for (const name of ['health', 'user', 'hook'] as const) inner.route(name).all(answer)
inner.include('/docs', docs, { namespace: 'docs' })
/** Its namespaces are no versions, so every scheme refuses all routes but neutral ones. */
const api = namedRoutes({})
  .include('/plain', Router().use(answer), { namespace: 'plain' })
  .include('/', inner, { namespace: 'all' })

describe.each(schemes)('$name', ({ Scheme, named }) => {
  const asked = named('v9')

  test.each<[neutral: string[], url: string, isNeutral: boolean]>([
    [['/health'], '/health', true],
    [['/health'], '/health/', true],
    [['/health'], '/HEALTH', true],
    [['/health'], '/healthy', false],
    [['/health'], '/users/7', false],
    [['/hooks/:id'], '/hooks/7', true],
    [['/users', '/hooks/:id'], '/hooks/7/8', false],
    [['all:health'], '/health', true],
    [['all:health'], '/users/7', false],
    [['all:docs:'], '/health', false],
    [['all:docs:'], '/docs', true],
    [['all:docs:'], '/docs/pages/7', true],
    [['plain:'], '/plain/any', true],
    [['all:'], '/docs/pages/7', true],
    [[], '/health', false],
  ])('%j, %s: %s', (neutral, url, isNeutral) => {
    const onVersion = jest.fn()
    const lifecycle = { v1: { deprecated: '2020-01-01' } }
    const options = {
      scheme: Scheme,
      ...ALLOWED,
      routes: api,
      neutral: new Set(neutral),
      reportVersions: true,
      lifecycle,
    }
    const app = appOf((app) => app.use('/api', versioning({ ...options, onVersion }), api))
    const query = asked.path.split('?')[1]
    const headers = Object.entries(asked.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])
    served.length = 0
    const sent = { url: `/api${url}${query === undefined ? '' : `?${query}`}`, headers: Object.fromEntries(headers) }
    const { res, errors } = dispatch(app, sent)
    if (isNeutral) {
      expect([served, errors]).toEqual([[null], []])
      expect(res.getHeaderNames()).toEqual(['x-powered-by'])
    } else {
      expect([served, errors]).toMatchObject([[], [{ message: expect.stringContaining('Invalid version') }]])
      expect(res.getHeader('api-supported-versions')).toBe('v1, v2')
    }
    expect(onVersion).toHaveBeenCalledTimes(isNeutral ? 0 : 1)
  })
})

const { Scheme: scheme } = schemes.find(({ name }) => name === 'QueryParameterVersioning') as (typeof schemes)[0]

test('byVersion() serves neutral routes by otherwise', () => {
  const seen: string[] = []
  const handlers = byVersion({ v1: () => void seen.push('one') }, { otherwise: () => void seen.push('any') })
  ask([versioning({ scheme, neutral: ['/any'], ...ALLOWED }), handlers], '/any?version=v1', '/one?version=v1')
  expect(seen).toEqual(['any', 'one'])
})

test('a target without a path is not neutral', () => {
  const { req, served: passed } = run(versioning({ scheme, neutral: ['/health'], ...ALLOWED }), { url: '?version=v1' })
  expect([passed, req.version]).toEqual([1, 'v1'])
})

test.each<[neutral: string, viewName: string, isNeutral: boolean]>([
  ['all:', 'all:docs:page', true],
  ['all:docs:', 'all:docs:page', true],
  ['all:docs:page', 'all:docs:page', true],
  ['all:docs:', 'all:health', false],
  ['all:docs:page', 'all:docs:index', false],
])('a history sees that %j makes %s neutral: %p', (neutral, viewName, isNeutral) => {
  const changes = versionHistory('v1').version('v2', change('c', { [`GET ${viewName}`]: 'added' }))
  const make = () => versioning({ scheme, routes: api, neutral: [neutral], changes })
  if (isNeutral) expect(make).toThrow(`speaks of "GET ${viewName}", but "${viewName}" is neutral`)
  else expect(make()).toBeInstanceOf(Function)
})

describe('names without the option `routes`', () => {
  const CODE = { code: 'EXPRESS_VERSIONING_NEUTRAL' }
  const lacking = (names: string, hint = '') => [
    `versioning(): option "neutral" names ${names}, which the route table does not have (names are written with their namespaces).${hint}`,
    CODE,
  ]
  const nowhere = (names: string) => [
    `versioning(): option "neutral" has names, ${names}, but there is no route table in sight: give versioning() the option "routes".`,
    CODE,
  ]
  const deciding = (...neutral: string[]) => versioning({ scheme, neutral, ...ALLOWED })
  /** A table that decides within itself. */
  const inside = (...neutral: string[]) => {
    const table = namedRoutes({ health: '/health', user: '/user' }).use(deciding(...neutral))
    for (const name of ['health', 'user'] as const) table.route(name).get(answer)
    return table
  }
  const child = namedRoutes({}).include('/v1', inside('v1:health'), { namespace: 'v1' })
  const [HEALTH, USER] = ['/health?version=v1', '/user?version=v2']

  test.each<[what: string, handlers: RequestHandler[], urls: string[], seen: unknown[], warnings: unknown[]]>([
    [
      'an unknown one',
      [inside('helth')],
      [HEALTH, USER, HEALTH],
      ['v1', 'v2', 'v1'],
      [lacking('"helth"', ' Did you mean "health"?')],
    ],
    [
      'some',
      [inside('health', 'docs:', 'usr')],
      [HEALTH, USER],
      [null, 'v2'],
      [lacking('"docs:", "usr"', ' Did you mean "user"?')],
    ],
    ['known ones', [inside('health', 'user')], [HEALTH, USER, HEALTH], [null, null, null], []],
    ['a path', [inside('/health')], [HEALTH], [null], []],
    ['nothing', [inside()], [HEALTH], ['v1'], []],
    ['the root’s in a child', [child], ['/v1/health?version=v9', '/v1/user?version=v1'], [null, 'v1'], []],
    ['no table, a path', [deciding('/health'), answer], [HEALTH, USER], [null, 'v2'], []],
    [
      'no table',
      [deciding('/health', 'health', 'docs:'), answer],
      [USER, HEALTH, USER],
      ['v2', null, 'v2'],
      [nowhere('"health", "docs:"')],
    ],
  ])('%s', (_what, handlers, urls, seen, warnings) => {
    expect(ask(handlers, ...urls)).toEqual(seen)
    expect(warned.mock.calls).toEqual(warnings)
  })
})
