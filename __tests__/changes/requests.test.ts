import express, { type ErrorRequestHandler, type Request, type RequestHandler } from 'express'
import { HeaderVersioning, namedRoutes, QueryParameterVersioning, versioning } from 'express-versioning'
import { change, sent } from 'express-versioning/changes'
import { ask, historyOf, serveChanges, serveOther, type Table, tableOf } from '../support/changes'
import { major } from '../support/major'
import { serve } from '../support/serve'

const splitName = change('Users have `given` and `family` in place of `name`.', {
  'POST user-list': {
    request({ name, ...rest }: { name: string }) {
      const [given = '', family = ''] = name.split(' ')
      return { ...rest, given, family }
    },
  },
  'GET user-list': { query: ({ name, ...rest }: { name?: string }) => ({ ...rest, given: name }) },
})
const history = historyOf([splitName])
const OLD = { name: 'Ada Lovelace' }
const NEW = { given: 'Ada', family: 'Lovelace' }

const echo: RequestHandler = (req, res) => void res.json({ body: req.body ?? null, query: req.query })
const none: RequestHandler = (_req, _res, next) => next()
const setting =
  (own: object): RequestHandler =>
  (req, _res, next) =>
    next(void Object.assign(req, own))
const read: RequestHandler = (req, _res, next) => void req.resume().once('end', () => next())
const echoing = (parser: RequestHandler = express.json()) =>
  serveChanges(
    history,
    (users) => {
      users.route('user-list').get(echo).post(echo)
      users.route('other').post(echo)
    },
    { parser },
  )
const JSON_TYPE = { 'Content-Type': 'application/json' }
const BYTES = { 'Content-Type': 'application/octet-stream' }
const nothing = major === 4 ? {} : null

test.each<
  [title: string, version: string, path: string, body: unknown, parser: RequestHandler, headers: object, seen: unknown]
>([
  ['in an older version', 'v1', '/users', OLD, express.json(), {}, NEW],
  ['in the newest', 'v2', '/users', OLD, express.json(), {}, OLD],
  ['of another operation', 'v1', '/other', OLD, express.json(), {}, OLD],
  ['as bytes of another type', 'v1', '/users', 'Ada', express.raw(), BYTES, { type: 'Buffer', data: [65, 100, 97] }],
  ['that another parser set', 'v1', '/users', '{}', setting({ body: OLD }), {}, NEW],
  ['that is none', 'v1', '/users', undefined, express.json(), {}, nothing],
  ['that is none, with a type', 'v1', '/users', undefined, express.json(), JSON_TYPE, nothing],
  ['of no length, without a parser', 'v1', '/users', undefined, none, { ...JSON_TYPE, 'Content-Length': '0' }, null],
])('a body %s', async (_title, version, path, body, parser, headers, seen) => {
  const server = await echoing(parser)
  const answer = await ask(server, version, path, { method: 'POST', body, headers: headers as Record<string, string> })
  expect(answer).toMatchObject({ status: 200, json: { body: seen, query: {} } })
})

const UNREAD = 'No parser takes the type or encoding of this body.'
const typed = (type: string): [string, RequestHandler, string] => [type, express.json({ type: () => false }), type]
test.each<[title: string, parser: RequestHandler, type: string]>([
  ['without a parser', none, 'application/json'],
  ['with a parser of something else', express.urlencoded({ extended: false }), 'application/json'],
  ['as bytes', express.raw({ type: '*/*' }), 'application/json'],
  ['as bytes with a charset', express.raw({ type: '*/*' }), 'application/json; charset=utf-8'],
  ['as the empty object of Express 4', setting({ body: {} }), 'application/json'],
  ['read, and not kept', read, 'application/json'],
  typed('application/problem+json'),
  typed('text/json'),
  typed('application/json, application/json'),
  typed('application/json;'),
])('a body that no parser has read is refused, with one warning: %s', async (_title, parser, type) => {
  const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const server = await echoing(parser)
  const headers = { 'Content-Type': type }
  const post = (version: string) => ask(server, version, '/users', { method: 'POST', body: OLD, headers })
  const json = { name: 'VersioningError', code: 'ERR_VERSION_BODY', error: UNREAD }
  for (const _ of [1, 2]) expect(await post('v1')).toMatchObject({ status: 415, json })
  expect((await post('v2')).status).toBe(200)
  const message = /^The changes of "POST user-list" need the body .* 415\. Put express\.json\(\) in front of the routes/
  expect(warn.mock.calls).toEqual([[expect.stringMatching(message), { code: 'EXPRESS_VERSIONING_BODY' }]])
  warn.mockRestore()
})

test.each([
  ['application/json; charset', 200],
  ['application/json; charset="utf-8"', 200],
  ['application/json; other=1', 200],
  ['application/json; charset=utf-8; other=1', 200],
])('bytes of type %s stay as they are', async (type, status) => {
  const server = await echoing(express.raw({ type: () => true }))
  const answer = await ask(server, 'v1', '/users', { method: 'POST', body: OLD, headers: { 'Content-Type': type } })
  expect(answer).toMatchObject({ status, json: { body: { type: 'Buffer' } } })
})

test.each<[title: string, parser: RequestHandler, received: string]>([
  ['are converted', express.json(), JSON.stringify(NEW)],
  ['without a parser are refused', none, '415 Unsupported Media Type'],
])('chunks %s', async (_title, parser, received) => {
  jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const { raw } = await echoing(parser)
  const body = JSON.stringify(OLD)
  const head =
    'POST /users HTTP/1.1\r\nHost: a\r\nX-API-Version: v1\r\nConnection: close\r\nContent-Type: application/json'
  const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
  expect(await raw(`${head}\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`)).toContain(received)
})

test('a body is converted when the handlers begin: parsers may run anywhere before them', async () => {
  const seen: unknown[] = []
  const note: RequestHandler = (req, _res, next) => next(void seen.push(req.body))
  const server = await serveChanges(
    history,
    (routes) => {
      routes.use(express.json(), note)
      routes.route('user-list').post(note, echo)
    },
    { parser: none },
  )
  await ask(server, 'v1', '/users', { method: 'POST', body: OLD })
  expect(seen).toEqual([OLD, NEW])
})

test.each(['simple', 'extended'])('the query is converted with the query parser %s', async (parser) => {
  const server = await serveChanges(history, (users, app) => {
    app.set('query parser', parser)
    users.route('user-list').get(echo)
  })
  const { json } = await ask(server, 'v1', '/users?name=Ada&x=1&x=2')
  expect(json).toMatchObject({ query: { given: 'Ada', x: ['1', '2'] } })
})

describe('a route that is left gives back what was sent', () => {
  const own = {
    request: ({ steps }: { steps: string[] }) => ({ steps: steps.concat('own') }),
    query: (query: object) => ({ ...query, own: 1 }),
  }
  const fixed: RequestHandler = (req, _res, next) => {
    Object.defineProperty(req, 'query', { configurable: false, writable: true, value: { q: '1' } })
    next()
  }
  test.each<[title: string, front: RequestHandler, leave: unknown]>([
    ['by next()', none, undefined],
    ['by an error', none, new Error('no')],
    // As express-openapi-validator leaves it on Express 5.
    ['with a query that middleware has fixed', fixed, undefined],
  ])('%s', async (_title, front, leave) => {
    const seen: unknown[] = []
    const note: RequestHandler = (req, _res, next) => {
      const isOwn = ['body', 'query'].map((name) => Object.hasOwn(req, name))
      next(void seen.push([req.body, { ...req.query }, isOwn]))
    }
    const caught: ErrorRequestHandler = (_error, _req, _res, next) => next()
    const server = await serveChanges(historyOf([change('Own.', { 'POST other': own })]), (routes, app) => {
      app.use(front, note)
      routes.route('other').post(note, (_req, _res, next) => next(leave))
      app.use(routes)
      app.use(caught)
      app.use(note, (_req, res) => void res.json(null))
    })
    await ask(server, 'v1', '/other?q=1', { method: 'POST', body: { steps: ['sent'] } })
    expect(seen[1]).toEqual([{ steps: ['sent', 'own'] }, { q: '1', own: 1 }, [true, true]])
    expect(seen[0]).toMatchObject([{ steps: ['sent'] }, { q: '1' }, expect.anything()])
    expect(seen[2]).toEqual(seen[0])
  })
})

test('a copy of the request has the newer body and query; sent() returns those of the client', async () => {
  const both = { request: () => ({ newer: true }), query: ({ max }: { max?: string }) => ({ limit: max }) }
  const server = await serveOther(
    both,
    (res, req, next) => {
      const { body, query } = { ...req }
      if (req.query.limit === 'leave') next()
      else res.json([sent(req), { body, query }, req.reverse('other', { query: { ...sent(req).query, page: 2 } })])
    },
    (app, routes) => app.use(routes, (req, res) => void res.json(sent(req))),
  )
  const post = async (version: string, max: string) =>
    (await ask(server, version, `/other?max=${max}`, { method: 'POST', body: { old: 1 } })).json
  const client = { body: { old: 1 }, query: { max: '3' } }
  const link = '/other?max=3&page=2'
  expect(await post('v1', '3')).toEqual([client, { body: { newer: true }, query: { limit: '3' } }, link])
  expect(await post('v2', '3')).toMatchObject([client, { body: { old: 1 } }, link])
  expect(await post('v1', 'leave')).toEqual({ body: { old: 1 }, query: { max: 'leave' } })
})

// A `versioning()` with `changes` on a named route decides after the handlers of the route have begun.
type Path = { path: string[] }
const onward =
  (text: string) =>
  ({ path, ...rest }: Path) => ({ ...rest, path: [...path, text] })
const mark = (text: string) =>
  change(text, {
    'POST user-list': {
      request: onward(`${text} in`),
      query: (query: object) => ({ ...query, newer: text }),
      response: onward(`${text} out`),
    },
    'POST other': { request: onward(`${text} other`) },
  })
const came = change('One came, one went.', { 'GET user-detail': 'added', 'GET other': 'removed' })
const marked = historyOf([mark('2a'), mark('2b'), came], [mark('3')])
const tell: RequestHandler = (req, res) => void res.json({ path: req.body.path, query: { ...req.query } })
const refuse: ErrorRequestHandler = (error, _req, res, _next) => {
  res.status(404).json({ code: error.code, allowed: error.allowedVersions })
}
const post = { method: 'POST', body: { path: [] } }
const PATH = ['2a in', '2b in', '3 in', '3 out', '2b out', '2a out']

describe.each(['in front of the table', 'on the route', 'on the route of a mounted table'])(
  'versioning() %s',
  (where) => {
    const at = where.endsWith('mounted table') ? '/in' : ''
    const served = (fill: (own: RequestHandler, routes: Table) => void) =>
      serve((app) => {
        const inner = tableOf()
        const routes = at === '' ? inner : (namedRoutes({}).include(at, inner) as Table)
        const options = { scheme: HeaderVersioning, changes: marked, allowedVersions: [...marked.versions, null] }
        const versions = versioning({ ...options, routes })
        const isInFront = where.startsWith('in front')
        fill(isInFront ? none : versions, inner)
        app.use(isInFront ? versions : none, express.json(), routes, refuse)
      })

    test.each([
      ['v1', PATH, { newer: '3' }],
      ['v2', ['3 in', '3 out'], { newer: '3' }],
      ['v3', [], {}],
    ])('in %s request and answer pass the changes in their order', async (version, path, query) => {
      const server = await served((own, routes) => routes.route('user-list').post(own, tell))
      expect((await ask(server, version, `${at}/users`, post)).json).toEqual({ path, query })
    })

    test.each([
      ['v1', '/users/7', { code: 'ERR_VERSION_UNHANDLED', allowed: ['v2', 'v3'] }],
      ['v2', '/users/7', 1],
      ['v1', '/other', 1],
      ['v3', '/other', { code: 'ERR_VERSION_UNHANDLED', allowed: ['v1'] }],
    ])('in %s %s is %j', async (version, path, json) => {
      const server = await served((own, routes) => {
        for (const name of ['user-detail', 'other'] as const)
          routes.route(name).get(own, (_req, res) => void res.json(1))
      })
      expect((await ask(server, version, at + path)).json).toEqual(json)
    })
  },
)

test.each([
  ['v1', 'v1', PATH],
  ['v1', 'v2', ['3 in', '3 out']],
  ['v1', 'v3', []],
  ['v3', 'v1', PATH],
])('after an outer versioning() that decided %s, the one on the route decides: %s', async (first, last, path) => {
  const routes = tableOf()
  const options = { defaultVersion: 'v3', changes: marked, routes }
  const server = await serve((app) => {
    routes.route('user-list').post(versioning({ scheme: QueryParameterVersioning, ...options }), tell)
    app.use(express.json(), versioning({ scheme: HeaderVersioning, ...options }), routes)
  })
  expect((await ask(server, first, `/users?version=${last}`, post)).json).toMatchObject({ path })
})

test('the same versioning() in front of the table and on the route converts once', async () => {
  let ran = 0
  const routes = tableOf()
  const changes = historyOf([
    change('Count.', { 'POST other': { request: () => ++ran, query: () => ({ ran: ++ran }) } }),
  ])
  const versions = versioning({ scheme: HeaderVersioning, changes, routes })
  routes.route('other').post(versions, echo)
  const server = await serve((app) => app.use(versions, express.json(), routes))
  expect((await ask(server, 'v1', '/other', post)).json).toEqual({ body: 2, query: { ran: 1 } })
})

test.each<[title: string, place: (app: express.Application, routes: Table, pin: RequestHandler) => unknown]>([
  ['in front of the table', (app, _routes, pin) => app.use(pin)],
  ['on the table', (_app, routes, pin) => routes.use(pin)],
])('middleware %s may assign a version before the route begins', async (_title, place) => {
  const flat = change('Flat.', { 'GET other': { response: (value: object) => ({ old: value }) } })
  const server = await serveChanges(
    historyOf([flat]),
    (routes, app) => {
      place(app, routes, setting({ version: 'v1' }))
      routes.route('other').get((req: Request, res) => void res.json(req.version))
    },
    { defaultVersion: 'v2' },
  )
  expect((await server.get('/other')).json).toEqual({ old: 'v1' })
})
