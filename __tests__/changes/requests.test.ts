import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { byVersion, HeaderVersioning, namedRoutes, QueryParameterVersioning, versioning } from 'express-versioning'
import { change, fields, type OperationChanges, sent, shape } from 'express-versioning/changes'
import { ask, type Fill, historyOf, serveChanges, serveOther, type Table, tableOf } from '../support/changes'
import { describing, released } from '../support/described'
import { major } from '../support/major'
import { rows } from '../support/rows'
import { serve } from '../support/serve'

const split = change('Split.', {
  'POST user-list': {
    request: (body: string | { name: string }) => {
      const name = typeof body === 'string' ? body.replaceAll('"', '') : body.name
      return { names: name.split(' ') }
    },
  },
  'GET user-list': { query: ({ name, ...rest }: { name?: string }) => ({ ...rest, given: name }) },
})
const history = historyOf([split])
const OLD = { name: 'Ada Lovelace' }
const NEW = { names: ['Ada', 'Lovelace'] }
const releases = (...all: OperationChanges[]) => historyOf(...all.map((given) => [change('Changed.', given)]))

const echo: RequestHandler = (req, res) => void res.json({ body: req.body ?? null, query: req.query })
const none: RequestHandler = (_req, _res, next) => next()
const setting = (own: object) => (req: object, _res: object, next: () => void) => [Object.assign(req, own), next()]
const read: RequestHandler = (req, _res, next) => void req.resume().once('end', () => next())
const json = express.json()
const echoing = (parser: RequestHandler) =>
  serveChanges(history, (users) => users.route('user-list').get(echo).post(echo), { parser })
const nothing = major === 4 ? {} : null
const bytes = express.raw({ type: () => true })
const buffer = { type: 'Buffer', data: [65, 100, 97] }

test.each<[title: string, body: unknown, parser: RequestHandler, headers: object, seen: unknown]>([
  ['as bytes of another type', 'Ada', express.raw(), { 'Content-Type': 'application/octet-stream' }, buffer],
  ['that is text of another type', '"Ada"', express.text(), { 'Content-Type': 'text/plain' }, { names: ['Ada'] }],
  ['that is a JSON string', '"Ada"', express.json({ strict: false }), {}, { names: ['Ada'] }],
  ['that another parser set', '{}', setting({ body: OLD }), {}, NEW],
  ['that is none', undefined, json, {}, nothing],
  ['of no length, without a parser', undefined, none, { 'Content-Length': '0' }, null],
])('a body %s', async (_title, body, parser, headers, seen) => {
  const response = await ask(await echoing(parser), 'v1', '/users', { method: 'POST', body, headers: { ...headers } })
  expect(response).toMatchObject({ status: 200, json: { body: seen, query: {} } })
})

test.each<[title: string, parser: RequestHandler, type: string]>([
  ['without a parser', none, 'application/json'],
  ['as bytes', bytes, 'application/json'],
  ['as bytes with a charset', bytes, 'application/json; charset=utf-8'],
  ['as bytes with another parameter', bytes, 'application/json; a=1'],
  ['as bytes of another type of JSON', bytes, 'application/hal+json'],
  ['as text', express.text({ type: () => true }), 'application/json'],
  ['as the empty object of Express 4', setting({ body: {} }), 'application/json'],
  ['read, and not kept', read, 'application/json'],
])('a body that no parser has read is rejected, with one warning: %s', async (_title, parser, type) => {
  const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const server = await echoing(parser)
  const sent = { method: 'POST', body: OLD, headers: { 'Content-Type': type } }
  const post = (version: string) => ask(server, version, '/users', sent)
  const error = 'No parser takes the type or encoding of this body.'
  const rejection = { status: 415, json: { name: 'VersioningError', code: 'ERR_VERSION_BODY', error } }
  for (const _ of [1, 2]) expect(await post('v1')).toMatchObject(rejection)
  expect((await post('v2')).status).toBe(200)
  const message =
    'The changes of "POST user-list" need the body of a request, which no parser has read; it was rejected with 415. Put express.json() in front of the routes, and let it take the types that your clients send.'
  expect(warn.mock.calls).toEqual([[message, { code: 'EXPRESS_VERSIONING_BODY' }]])
  warn.mockRestore()
})

test('chunks are converted', async () => {
  const head = 'Host: a|X-API-Version: v1|Connection: close|Transfer-Encoding: chunked|Content-Type: application/json'
  const bytes = `POST /users HTTP/1.1|${head}||17|{"name":"Ada Lovelace"}|0||`.replaceAll('|', '\r\n')
  expect(await (await echoing(json)).raw(bytes)).toContain(JSON.stringify(NEW))
})

const fixed: RequestHandler = (req, _res, next) => {
  Object.defineProperty(req, 'query', { configurable: false, writable: true, value: { q: '1' } })
  next()
}
test.each<[title: string, front: RequestHandler, leave: unknown]>([
  ['by next()', none, undefined],
  ['by an error', none, new Error('no')],
  // As express-openapi-validator leaves it on Express 5.
  ['with a query that middleware has fixed', fixed, undefined],
])('body and query are converted when the handlers begin, and given back if the route is left: %s', async (...row) => {
  const [, front, leave] = row
  const seen: unknown[] = []
  const note: RequestHandler = (req, _res, next) => {
    next(void seen.push([req.body, { ...req.query }, ['body', 'query'].map((name) => Object.hasOwn(req, name))]))
  }
  const caught: ErrorRequestHandler = (_error, _req, _res, next) => next()
  const own = { request: (steps: string[]) => [...steps, 'own'], query: (query: object) => ({ ...query, own: 1 }) }
  const fill: Fill = (routes, app) => {
    routes.use(front, json, note)
    routes.route('other').post(note, (_req, _res, next) => next(leave))
    app.use(routes, caught, note, echo)
  }
  const server = await serveChanges(releases({ 'POST other': own }), fill, { parser: none })
  await ask(server, 'v1', '/other?q=1&q=2', { method: 'POST', body: ['sent'] })
  const q = front === fixed ? '1' : ['1', '2']
  expect(seen[1]).toEqual([['sent', 'own'], { q, own: 1 }, [true, true]])
  expect(seen[0]).toMatchObject([['sent'], { q }, expect.anything()])
  expect(seen[2]).toEqual(seen[0])
})

const SENT = { body: { old: 1 }, query: { max: '3' } }
test.each([
  ['v1', '3', [SENT, { body: { newer: true }, query: { limit: '3' } }]],
  ['v2', '3', [SENT, { body: { old: 1 } }]],
  ['v1', 'leave', { body: { old: 1 }, query: { max: 'leave' } }],
])('in %s, a copy of the request has newer values, and sent() those of the client: %s', async (version, max, seen) => {
  const both = { request: () => ({ newer: true }), query: ({ max }: { max?: string }) => ({ limit: max }) }
  const show: Parameters<typeof serveOther>[1] = (res, req, next) => {
    const { body, query } = { ...req }
    return query?.limit === 'leave' ? next() : res.json([sent(req), { body, query }])
  }
  const server = await serveOther(both, show, (app, routes) =>
    app.use(routes, (req, res) => void res.status(404).json(sent(req))),
  )
  const { json } = await ask(server, version, `/other?max=${max}`, { method: 'POST', body: { old: 1 } })
  expect(json).toMatchObject(seen)
})

const ran: string[] = []
const note = (text: string) => (path: string[]) => {
  ran.push(text)
  return [...path, text]
}
const noting = (text: string) =>
  change(text, { 'POST user-list': { request: note(`${text} in`), response: note(`${text} out`) } })
const came = change('One came, one went.', { 'GET user-detail': 'added', 'GET other': 'removed' })
// Clients cannot request the last version.
const changes = historyOf([noting('2a'), noting('2b'), came], [noting('3')], [])
const reject: ErrorRequestHandler = ({ code, allowedVersions }, _req, res, _next) =>
  void res.status(404).json({ [code]: allowedVersions })
const LISTS = rows(`
  // the request | the version of an outer versioning() | the version of one on the route, or the outer one again | response
  POST /users  | -  | v1    | ["2a in","2b in","3 in","3 out","2b out","2a out"]
  POST /users  | v1 | v2    | ["3 in","3 out"]
  POST /users  | v1 | v3    | []
  POST /users  | v3 | v1    | ["2a in","2b in","3 in","3 out","2b out","2a out"]
  POST /users  | v2 | again | ["3 in","3 out"]
  GET /users/7 | -  | v1    | {"ERR_VERSION_UNHANDLED":["v2","v3"]}
  GET /other   | -  | v3    | {"ERR_VERSION_UNHANDLED":["v1"]}
`)
test.each(LISTS)('%s, with versioning() in front (%s) and on the route (%s): %s', async (...row) => {
  const [asked = '', front = '', inside, expected] = row
  const table = tableOf()
  const routes = namedRoutes({}).include('/in', table) as Table
  const options = { changes, defaultVersion: 'v3', allowedVersions: ['v1', 'v2', 'v3', null], routes }
  const outer = versioning({ scheme: HeaderVersioning, ...options })
  const own = inside === 'again' ? outer : versioning({ scheme: QueryParameterVersioning, ...options })
  table.route('user-list').post(own, (req, res) => void res.json(req.body))
  for (const name of ['user-detail', 'other'] as const) table.route(name).get(own, (_req, res) => void res.json(1))
  const server = await serve((app) => app.use(json, ...(front === '-' ? [] : [outer]), routes, reject))
  const [method = '', path] = asked.split(' ')
  ran.length = 0
  const body = method === 'POST' ? [] : undefined
  expect((await ask(server, front, `/in${path}?version=${inside}`, { method, body })).text).toBe(expected)
  // The steps of one version run once.
  if (inside === 'again') expect(JSON.stringify(ran)).toBe(expected)
})

const say = (text: string) => ({ response: (path: string[]) => [...path, text] })
const listed = (text: string) => releases({ 'GET user-list': say(text) })
const newest: RequestHandler = (_req, res) => void res.json(['newest'])
const usersOf = (handler = newest) => {
  const users = tableOf()
  users.route('user-list').get(handler)
  return users
}
const own = { scheme: QueryParameterVersioning, defaultVersion: 'v1' }
const outer = (table: Table) => versioning({ scheme: HeaderVersioning, changes: listed('outer'), routes: table })
const inner = (table: Table, more: object = {}) =>
  versioning({ ...own, changes: listed('inner'), routes: table, ...more })
const nested = () => tableOf().include('/in', usersOf(), { namespace: 'v1' }) as never
const chosen = () => usersOf(byVersion({ v1: newest, v2: (_req, res) => void res.json(['two']) }))

test.each<[title: string, path: string, table: () => Table, use: (table: Table) => RequestHandler[], json: string[]]>([
  ['a table in a table', '/in/users', nested, (table) => [outer(table)], ['outer']],
  ['an inner versioning() without changes', '/users', usersOf, (table) => [outer(table), versioning(own)], ['outer']],
  ['an inner versioning() with changes', '/users', usersOf, (table) => [outer(table), inner(table)], ['inner']],
  ['a neutral inner one', '/users', usersOf, (table) => [outer(table), inner(table, { neutral: ['/users'] })], []],
  ['a table beside the given one', '/users', usersOf, () => [outer(tableOf())], ['outer']],
  ['middleware that assigns a version', '/users', usersOf, (table) => [outer(table), setting({ version: 'v2' })], []],
  ['byVersion(), which responses in the newest shape', '/users', chosen, (table) => [outer(table)], ['outer']],
])('in v1, %s', async (_title, path, make, use, expected) => {
  const table = make()
  const server = await serve((app) => app.use(...use(table), table))
  expect((await ask(server, 'v1', path)).json).toEqual(['newest', ...expected])
})

test('marks with steps: a removed operation keeps its steps, and a returning one has them', async () => {
  const [left, back] = [{ removed: true, ...say('2') } as const, { added: true, ...say('3') } as const]
  const changes = releases({ 'GET other': left }, { 'GET other': back })
  const server = await serveChanges(changes, (routes) => routes.route('other').get(newest))
  const responses = await Promise.all(changes.versions.map((version) => ask(server, version, '/other')))
  const rejected = { code: 'ERR_VERSION_UNHANDLED', error: 'This operation was removed in version v2.' }
  expect(responses.map((response) => response.json)).toMatchObject([['newest', '3', '2'], rejected, ['newest']])
})

// `/users/me` came in v2, in front of `/users/:id`; `/users/export` left with v3.
const ASKED = rows(`
  GET v1 /users/me     | v1 user me
  HEAD v1 /users/me    | 200
  GET v2 /users/me     | v2 me
  PUT v1 /users/me     | v1 me
  DELETE v1 /new       | v1 tail
  GET v1 /new          | ERR_VERSION_UNHANDLED
  GET v3 /users/export | ERR_VERSION_UNHANDLED
  // Requests without a version have every operation.
  GET - /users/export  | gone
  GET - /users/me      | me
  GET v1 /any          | ERR_VERSION_UNHANDLED
  POST v1 /any         | v1 any
  GET v1 /items        | v1 older
  // Its handler leaves the older route.
  leave v1 /items      | nothing
  GET v1 /nothing      | nothing
  OPTIONS v1 /users/me     | DELETE, GET, HEAD, PUT
  OPTIONS v1 /new          | DELETE
  OPTIONS v3 /users/export | DELETE, GET, HEAD
  OPTIONS v2 /any          | v2 any
  OPTIONS v3 /any          | ERR_VERSION_UNHANDLED
  preflight v3 /any        | v3 any
`)
test.each(ASKED)('a later operation is passed by, and a removed one is rejected: %s: %s', async (request, expected) => {
  const [asked, version, path] = request.split(' ') as [string, string, string]
  const paths = { me: '/users/me', gone: '/users/export', user: '/users/:id', new: '/new', any: '/any' } as const
  const routes = namedRoutes({ ...paths, newer: '/items', older: '/items', tail: '/*rest' })
  const tell: RequestHandler = (req, res, next) =>
    asked === 'leave' ? next() : res.json([req.version, req.resolverMatch?.viewName, req.params.id].join(' ').trim())
  const handled = 'GET me, GET gone, GET user, GET new, GET newer, GET older, PUT me, POST new, ALL any, DELETE tail'
  for (const [method, name] of handled.split(', ').map((operation) => operation.split(' ')))
    routes.route(name as 'me')[method?.toLowerCase() as 'get'](tell)
  const later = 'GET me, GET new, POST new, GET any, GET newer'.split(', ').map((operation) => [operation, 'added'])
  const changes = releases(Object.fromEntries(later), { 'GET gone': 'removed', 'OPTIONS any': 'removed' })
  const rules = { allowedVersions: [...changes.versions, null], defaultVersion: null, changes, routes }
  const nobody: RequestHandler = (_req, res) => void res.status(404).json('nothing')
  const { send } = await serve((app) => app.use(versioning({ scheme: HeaderVersioning, ...rules }), routes, nobody))
  const method = { preflight: 'OPTIONS', leave: 'GET' }[asked] ?? asked
  const preflight = asked === 'preflight' && { Origin: 'http://a', 'Access-Control-Request-Method': 'GET' }
  const named = version !== '-' && { 'X-API-Version': version }
  const { headers, json, status } = await send(method, path, { ...named, ...preflight })
  expect(method === 'HEAD' ? String(status) : (headers.allow ?? Object(json).code ?? json)).toBe(expected)
})

const schemaOf = (name: string) => ({ $id: 'User', type: 'object', properties: { [name]: { type: 'string' } } })
const [UserV1, User] = [schemaOf('uid'), schemaOf('id')]
type Names = { id?: string; uid?: string }
const renamed = shape<object, object>(UserV1, User, {
  response: ({ id, ...rest }: Names) => ({ ...rest, uid: id }),
  request: ({ uid, ...rest }: Names) => ({ ...rest, id: uid }),
})
const step = (value: object) => value
const same = shape<object, object>(User, User, { response: step, request: step })
const headers = (name: string) => ({ headers: { [name]: null } })
const shapes = releases({ User: renamed }, { '*': headers('Via') }, { User: same, '*': headers('Age') })

const NOBODY = 'which nobody had described when versioning() was called.'
const SHAPES = rows(`
  v1 GET /users?status=302  | 500 "response" of "User" does not know the JSON in responses of "GET user-list" with status 302, where describe() says null.
  v4 GET /users?status=302  | 302 {"id":"1"}
  v1 GET /users?status=204  | 204
  v1 GET /users?status=201  | 500 "response" of "User" does not know responses of "GET user-list" with status 201, ${NOBODY}
  v1 PUT /users?status=201  | 201 {"id":"1"}
  v1 PATCH /users?sent=1    | 200 {"sent":{"id":"1"}}
  // neutral
  v1 GET /users/7           | 200 [{"id":"1"}]
  // added after versioning() was called
  v1 GET /other             | 500 "response" of "User" does not know the responses of "GET other", ${NOBODY}
  v1 GET /other?status=404  | 404 {"id":"1"}
  v1 POST /other            | 500 "request" of "User" does not know the body of "POST other", ${NOBODY}
  v4 POST /other?sent=1     | 200 {"sent":{"uid":"1"}}
`)
test.each(SHAPES)('shapes: %s: %s', async (asked, expected) => {
  const show: RequestHandler = ({ body, query: { sent, status = 200 } }, res) => {
    res.status(Number(status)).json(sent ? { sent: body } : status === 200 ? [{ id: '1' }] : { id: '1' })
  }
  const described = {
    '*': { response: { '4XX': {}, '5XX': {} } },
    'GET user-list': { response: { 200: { type: 'array', items: User }, 404: User, '3XX': null, '5XX': User } },
    'PUT user-list': { response: {}, body: null },
    'PATCH user-list': { response: {}, body: User },
  }
  const routes = describing(described, show)
  routes.route('user-detail').get(show)
  const fill: Fill = (_table, app) => [routes.route('other').get(show).post(show), app.use(routes)]
  const server = await serveChanges(shapes, fill, { routes, neutral: ['user-detail'] })
  const [version, method, path] = asked.split(' ') as [string, string, string]
  const body = method === 'GET' ? undefined : { uid: '1' }
  const { status, text, json } = await ask(server, version, path, { method, body })
  const said = status === 500 ? Object(json).error.replace('The change "Changed." failed: its ', '') : text
  expect(`${status} ${said}`.trim()).toBe(expected)
})

test('a request that only a handler outside of the table would get is rejected, not passed unconverted', async () => {
  const shown = change('Shown.', { 'GET other': { response: (value) => ({ older: value }) } })
  const app = await serveChanges(historyOf([split, shown]), (_users, app) => {
    app.all(['/users', '/other'], echo)
  })
  const seen = async (method: string, version: string, path: string) => {
    const preflight = { Origin: 'https://a.test', 'Access-Control-Request-Method': 'POST' }
    const sent = { POST: { body: OLD }, OPTIONS: { headers: preflight } }[method]
    const { status, json } = await ask(app, version, path, { method, ...sent })
    const { error, code, ...others } = json as Record<string, unknown>
    return [status, code ?? Object.keys(others).join(), error]
  }
  const needs = (what: string) => [
    500,
    'ERR_VERSION_CHANGE',
    `The change "Split." failed: its ${what} needs a handler of that route in the table.`,
  ]
  expect(await seen('POST', 'v1', '/users')).toEqual(needs('"request" of "POST user-list"'))
  expect(await seen('GET', 'v1', '/users?name=Ada')).toEqual(needs('"query" of "GET user-list"'))
  expect(await seen('POST', 'v2', '/users')).toEqual([200, 'body,query', undefined])
  expect(await seen('GET', 'v1', '/other')).toEqual([200, 'older', undefined])
  expect(await seen('OPTIONS', 'v1', '/users')).toEqual([200, 'body,query', undefined])
})

const Article = { $id: 'Article', type: 'object', properties: { title: { type: 'string' } } }
const titled = change('Titled.', { Article: fields({ renamed: { name: 'title' } }) })
const absent = '404 No handler for this version.'
const failed = '500 The change "Titled." failed: its "request" of "Article"'
const nobodyDescribed =
  'does not know the body of "POST other", which nobody had described when versioning() was called.'
const asIs = () => {}
type Filled = (table: Table, app: express.Application) => unknown

// Clients ask for any method of a path. None is a 500, unless somebody serves it.
test.each<[asked: string, before: Filled, after: Filled, older: string, newer: string]>([
  ['GET', asIs, asIs, '200 {"name":"Emma"}', '200 {"title":"Emma"}'],
  ['HEAD', asIs, asIs, '200', '200'],
  ['OPTIONS', asIs, asIs, '200 GET, HEAD', '200 GET, HEAD'],
  ['POST', asIs, asIs, '404 nobody', '404 nobody'],
  ['POST {}', asIs, asIs, absent, '404 nobody'],
  ['PROPFIND {}', asIs, asIs, absent, '404 nobody'],
  ['POST {}', (table) => table.route('other').all(none), asIs, absent, '404 nobody'],
  ['DELETE', (table) => table.route('other').all(none), asIs, '404 nobody', '404 nobody'],
  ['POST {}', asIs, (_, app) => app.post('/other', echo), absent, '200 {"body":{},"query":{}}'],
  [
    'POST {}',
    asIs,
    (table) => table.route('other').post(echo),
    `${failed} ${nobodyDescribed}`,
    '200 {"body":{},"query":{}}',
  ],
  [
    'POST {}',
    (table) => table.describe('POST other', { body: Article }),
    asIs,
    `${failed} needs a handler of that route in the table.`,
    '404 nobody',
  ],
])('%s of a route that serves GET, in an API with shapes', async (asked, before, after, older, newer) => {
  const [method = '', body] = asked.split(' ')
  const server = await serve((app) => {
    const routes = describing({ 'GET other': { response: Article } }, (_req, res) => void res.json({ title: 'Emma' }))
    before(routes, app)
    app.use(versioning(released(routes, titled)), express.json(), routes)
    after(routes, app)
    app.use((_req, res) => void res.status(404).send('nobody'))
  })
  const found = ['v1', 'v2'].map(async (version) => {
    const { status, text, json } = await ask(server, version, '/other', { method, body })
    return `${status} ${Object(json).error ?? text}`.trim()
  })
  expect(await Promise.all(found)).toEqual([older, newer])
})
