import { type RequestHandler, Router } from 'express'
import { byVersion, namedRoutes, versioning } from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { appOf, dispatch, run } from '../support/dispatch'
import { rows } from '../support/rows'
import { queryParameter, schemes } from '../support/schemes'

let warned: jest.SpyInstance
beforeEach(() => {
  warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
})
afterEach(() => jest.restoreAllMocks())

const allowedVersions = ['v1', 'v2']
const served: unknown[] = []
const answer: RequestHandler = (req, res) => {
  served.push(req.version)
  res.end()
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

test.each(schemes)('$name', ({ Scheme, named }) => {
  const asked = named('v9')
  const query = asked.path.includes('?') ? asked.path.replace(/^[^?]*/, '') : ''
  const lower = Object.entries(asked.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])
  for (const [neutral = '', url = '', expected] of rows(`
    /health           | /health       | neutral
    /health           | /health/      | neutral
    /health           | /HEALTH       | neutral
    /health           | /healthy      | refused
    /health           | /users/7      | refused
    /hooks/:id        | /hooks/7      | neutral
    /users,/hooks/:id | /hooks/7/8    | refused
    all:health        | /health       | neutral
    all:health        | /users/7      | refused
    all:docs:         | /health       | refused
    all:docs:         | /docs         | neutral
    all:docs:         | /docs/pages/7 | neutral
    plain:            | /plain/any    | neutral
    all:              | /docs/pages/7 | neutral
  `)) {
    const onVersion = jest.fn()
    const lifecycle = { v1: { deprecated: '2020-01-01' } }
    const options = {
      allowedVersions,
      reportVersions: true,
      lifecycle,
      onVersion,
      neutral: new Set(neutral.split(',')),
    }
    const app = appOf((app) => app.use('/api', versioning({ scheme: Scheme, routes: api, ...options }), api))
    served.length = 0
    const { res, errors } = dispatch(app, { url: `/api${url}${query}`, headers: Object.fromEntries(lower) })
    const outcome = [served, errors.map(({ message }) => message), res.getHeader('api-supported-versions')]
    const wanted =
      expected === 'neutral' ? [[null], [], undefined] : [[], [expect.stringContaining('Invalid version')], 'v1, v2']
    expect([neutral, url, ...outcome]).toEqual([neutral, url, ...wanted])
    expect(onVersion).toHaveBeenCalledTimes(expected === 'neutral' ? 0 : 1)
    if (expected === 'neutral') expect(res.getHeaderNames()).toEqual(['x-powered-by'])
  }
})

const { Scheme: scheme } = queryParameter

test('byVersion() serves neutral routes by otherwise', () => {
  const handlers = byVersion({ v1: () => void served.push('one') }, { otherwise: () => void served.push('any') })
  const app = appOf((app) => app.use(versioning({ scheme, neutral: ['/any'], allowedVersions }), handlers))
  served.length = 0
  for (const url of ['/any?version=v1', '/one?version=v1']) dispatch(app, { url })
  expect(served).toEqual(['any', 'one'])
})

test('a target without a path is not neutral', () => {
  const { req, served: passed } = run(versioning({ scheme, neutral: ['/health'], allowedVersions }), {
    url: '?version=v1',
  })
  expect([passed, req.version]).toEqual([1, 'v1'])
})

test.each([
  ['all:', 'all:docs:page', true],
  ['all:docs:page', 'all:docs:page', true],
  ['all:docs:', 'all:health', false],
  ['all:docs:page', 'all:docs:index', false],
])('a history sees that %j makes %s neutral: %p', (neutral, viewName, isNeutral) => {
  const changes = versionHistory('v1').version('v2', change('c', { [`GET ${viewName}`]: 'added' }))
  const make = () => versioning({ scheme, routes: api, neutral: [neutral], changes })
  if (isNeutral) expect(make).toThrow(`speaks of "GET ${viewName}", but "${viewName}" is neutral`)
  else expect(make()).toBeInstanceOf(Function)
})

// The handlers are a table that decides within itself, that table in another one, or no table.
test.each(
  rows(`
    // handlers | neutral            | requests                   | versions  | names in the warning
    table | helth                    | health.v1 user.v2 health.v1 | v1 v2 v1 | "helth" Did you mean "health"?
    table | health docs: usr         | health.v1 user.v2           | null v2  | "docs:", "usr" Did you mean "user"?
    table | health user              | health.v1 user.v2 health.v1 | null null null | no warning
    table | /health                  | health.v1                   | null     | no warning
    child | v1:health                | v1/health.v9 v1/user.v1     | null v1  | no warning
    none  | /health                  | health.v1 user.v2           | null v2  | no warning
    none  | /health health docs:     | user.v2 health.v1 user.v2   | v2 null v2 | "health", "docs:"
  `),
)('names without the option `routes`: %s, %s', (kind, neutral = '', asked = '', versions, warning = '') => {
  const decides = versioning({ scheme, allowedVersions, neutral: neutral.split(' ') })
  const table = namedRoutes({ health: '/health', user: '/user' }).use(decides)
  for (const name of ['health', 'user'] as const) table.route(name).get(answer)
  const child = namedRoutes({}).include('/v1', table, { namespace: 'v1' })
  const app = appOf((app) => app.use(...({ table: [table], child: [child] }[String(kind)] ?? [decides, answer])))
  served.length = 0
  for (const url of asked.split(' ')) dispatch(app, { url: `/${url.replace('.', '?version=')}` })
  expect(served.map(String).join(' ')).toBe(versions)
  const [names, hint] = warning.split(' Did')
  const option = 'versioning(): option "neutral"'
  const lacking = `${option} names ${names}, which the route table does not have (names are written with their namespaces).`
  const nowhere = `${option} has names, ${names}, but there is no route table in sight: give versioning() the option "routes".`
  const told = kind === 'none' ? nowhere : `${lacking} Did${hint}`
  expect(warned.mock.calls).toEqual(warning === 'no warning' ? [] : [[told, { code: 'EXPRESS_VERSIONING_NEUTRAL' }]])
})
