// A handler that had an older version's request unconverted cannot respond with success.
import { Readable } from 'node:stream'
import express, { type ErrorRequestHandler, type RequestHandler, Router } from 'express'
import {
  HeaderVersioning,
  type OperationDescription,
  QueryParameterVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { change, convertRequest, type OperationChange } from 'express-versioning/changes'
import { contract } from 'express-versioning/contract'
import { Ajv } from '../../support/ajv'
import { ask, historyOf, type Table, tableOf } from '../../support/changes'
import { serve } from '../../support/serve'

const next: RequestHandler = (_req, _res, next) => next()
const goOn: ErrorRequestHandler = (_error, _req, _res, next) => next()
const done: RequestHandler = (_req, res) => void res.status(200).json('done')
const never: RequestHandler = () => {
  throw new Error('This handler must not run.')
}
const rejected = { status: 500, json: { code: 'ERR_VERSION_CHANGE' } }
const send =
  (status: number): RequestHandler =>
  (_req, res) =>
    void res.status(status).json('sent')
const echo: RequestHandler = (req, res) => void res.json(req.body)
const body = { name: 'Ada' }

const steps: OperationChange = {
  request({ name }: { name: string }) {
    if (name === '') throw new Error('no name')
    return { given: name }
  },
}
/** Serves POST of `/other` with a change. The table is described before `versioning()` reads it. */
const serveSteps = (fill: Fill, changed: OperationChange = steps, rules: Rules = {}) =>
  serve((app) => {
    const { description, ...options } = rules
    const changes = historyOf([change('Split.', { 'POST other': changed })])
    const routes = tableOf().describe('POST other', description ?? {})
    const plain = Router()
    fill(routes, plain)
    app.use(versioning({ scheme: HeaderVersioning, defaultVersion: 'v1', changes, routes, ...options }), express.json())
    app.use(plain, routes)
  })
type Fill = (routes: Table, app: Router) => unknown
type Rules = Partial<VersioningOptions> & { description?: OperationDescription }
const post = { method: 'POST', body }
/** The handlers of the route, and those behind the table. */
const behind =
  (handlers: RequestHandler | RequestHandler[], ...after: (RequestHandler | ErrorRequestHandler)[]): Fill =>
  (routes, app) => [routes.route('other').post(handlers), app.use(routes, ...after)]
const route =
  (...handlers: RequestHandler[]): Fill =>
  (routes) =>
    routes.route('other').post(handlers)
/** Handlers in front of the table. */
const inFront =
  (...handlers: RequestHandler[]): Fill =>
  (routes, app) => [app.use(handlers), routes.route('other').post(never)]

const fromText = (text: string) => Readable.from([Buffer.from(text)])
test.each<[title: string, send: RequestHandler]>([
  ['json', (_req, res) => void res.json(1)],
  ['jsonp', (_req, res) => void res.jsonp({ a: 1 })],
  ['an object by send', (_req, res) => void res.send({ a: 1 })],
  ['a string by send', (_req, res) => void res.send('text')],
  ['send without a body', (_req, res) => void res.status(204).send()],
  ['sendStatus', (_req, res) => void res.sendStatus(202)],
  ['end', (_req, res) => void res.end('text')],
  ['end without a body', (_req, res) => void res.status(201).end()],
  ['end as JSON', (_req, res) => void res.type('json').end('{}')],
  ['write', (_req, res) => [res.write('a'), res.write('b'), res.end()]],
  ['write as JSON', (_req, res) => [res.type('json'), res.write('{'), res.end('}')]],
  ['writeHead', (_req, res) => void res.writeHead(200, { 'X-A': '1' }).end('text')],
  ['writeHead as JSON', (_req, res) => void res.writeHead(201, 'Made', ['Content-Type', 'application/json']).end('{}')],
  ['flushHeaders', (_req, res) => [res.flushHeaders(), res.end('text')]],
  ['a stream', (_req, res) => void fromText('text').pipe(res)],
  ['a stream of JSON', (_req, res) => void fromText('{}').pipe(res.type('json'))],
  ['304', (_req, res) => void res.status(304).end()],
  ['sendFile', (_req, res) => void res.sendFile(__filename, { dotfiles: 'allow' })],
  ['later', (_req, res) => void setImmediate(() => res.json(1))],
  ['in spite of an error', (_req, res) => void res.status(404).status(200).json(1)],
])('behind a route that is left, success does not pass, however it is sent: %s', async (_title, send) => {
  const server = await serveSteps(behind(next, send))
  expect(await ask(server, 'v1', '/other', post)).toMatchObject(rejected)
  expect((await ask(server, 'v2', '/other', post)).status).toBeLessThan(400)
})

test('the message names operation, version, status and remedy', async () => {
  const server = await serveSteps(behind(next, send(204)))
  const { json } = await ask(server, 'v1', '/other', post)
  expect(json).toMatchObject({
    error:
      '"POST other" in version "v1" got the response 204 from a handler that had the request unconverted: after next() in its route, in front of convertRequest, or outside of the route. Such a handler may only send 4xx or 5xx. Send the response in the route, behind convertRequest if the route has it.',
  })
})

const failing: RequestHandler = (_req, _res, next) => next(new Error('failed'))
const handling =
  (handler: RequestHandler): ErrorRequestHandler =>
  (_error, req, res, next) =>
    handler(req, res, next)
const redirecting: RequestHandler = (_req, res) => res.redirect('/a')
const WHO: [title: string, fill: Fill, body?: object][] = [
  ['a handler behind the table', behind(next, done)],
  ['a handler of another table entry', (routes) => [routes.route('other').post(next), routes.use(done)]],
  ['one behind convertRequest and next()', behind([convertRequest, next], done)],
  ['one in front of convertRequest', route(done, convertRequest, never)],
  ['one in front of the table', inFront(done)],
  ['middleware of the table', (routes) => [routes.use(done), routes.route('other').post(never)]],
  ['a plain router in front', inFront(Router().post('/other', done))],
  ['one behind an error handler that calls next()', behind(failing, goOn, done)],
  ['the same, for an error of the conversion', behind(never, goOn, done), { name: '' }],
  ['the same in the route, for an error of convertRequest', route(convertRequest, goOn as never, done), { name: '' }],
  ['an error handler', behind(failing, handling(done))],
  ['an error handler that redirects', behind(failing, handling(redirecting))],
  ['one behind the error handler of that very error', behind(next, done, goOn, done)],
]
const noStep: OperationChange = { headers: { 'X-A': null } }
const check: OperationChange = { request: (body: object) => body, older: { body: { type: 'object' } } }
const ajv = new Ajv()
const checked = (requests: 'older' | 'all') => ({
  contract: contract({ compile: (schema) => ajv.compile(schema), requests }),
})
const any = { body: { type: 'object' }, response: null } as const
const KINDS: [kind: string, changed: OperationChange, rules: Rules][] = [
  ['request steps', steps, {}],
  ['query steps', { query: (query: object) => query }, {}],
  ['both', { ...steps, query: (query: object) => query }, {}],
  ['steps and converted responses', { ...steps, response: (value: unknown) => value }, {}],
  ['checks of bodies', noStep, { ...checked('older'), description: any }],
  ['checks of queries', noStep, { ...checked('older'), description: { ...any, query: any.body } }],
  ['checks and steps', check, { ...checked('older'), description: any }],
]
const CASES = KINDS.flatMap((kind) => WHO.map((who) => [kind[0], who[0], kind, who] as const))
  // Only steps reject an empty name.
  .filter(([kind, , , [, , sent]]) => sent === undefined || kind.startsWith('request') || kind === 'both')
test.each(CASES)('an operation with %s: %s', async (_kind, _who, [, changed, rules], [, fill, sent]) => {
  const server = await serveSteps(fill, changed, rules)
  expect(await ask(server, 'v1', '/other', { ...post, body: sent ?? body })).toMatchObject(rejected)
})

const CONVERTED = { status: 200, json: { given: 'Ada' } }
const inner = { scheme: QueryParameterVersioning, allowedVersions: [null, 'v1'], changes: historyOf() }
const PREFLIGHT = { Origin: 'http://a', 'Access-Control-Request-Method': 'POST' }
const KEPT: [title: string, fill: Fill, expected: object, asked?: object][] = [
  ['4xx behind the route', behind(next, send(404)), { status: 404, json: 'sent' }],
  ['5xx of an error handler', behind(failing, handling(send(503))), { status: 503 }],
  ['401 in front of convertRequest', route(send(401), convertRequest), { status: 401 }],
  ['401 in front of the table', inFront(send(401)), { status: 401 }],
  ['no body', behind(next, send(200)), { status: 200, json: 'sent' }, { body: undefined }],
  ['no body, behind convertRequest', route(convertRequest, send(201)), { status: 201 }, { body: undefined }],
  [
    'bytes of another type',
    (routes, app) => behind(next, send(200))(routes, app.use(express.raw())),
    { status: 200 },
    { headers: { 'Content-Type': 'application/octet-stream' } },
  ],
  ['a router in the route', route(Router().use(echo)), CONVERTED],
  ['a router behind convertRequest', route(convertRequest, Router().use(echo)), CONVERTED],
  ['the second of two handlers', route(next, convertRequest, next, echo), CONVERTED],
  ['a second convertRequest', route(convertRequest, convertRequest, echo), CONVERTED],
  [
    'an inner versioning() without a version, which takes the conversion back',
    (routes) => route((req, res, next) => versioning({ ...inner, routes })(req, res, next), echo)(routes, Router()),
    { status: 200, json: body },
  ],
  ['a redirect in the route', route(redirecting), { status: 302 }],
  ['a response that is sent later', route((req, res) => void setImmediate(() => res.json(req.body))), CONVERTED],
  ['next() after the response', route((_req, res, next) => [res.json('sent'), next()]), { status: 200, json: 'sent' }],
  ['another path', inFront(Router().use('/plain', echo)), { status: 200, json: body }, { path: '/plain' }],
  ['another method', behind(never, echo), { status: 200, json: body }, { method: 'PUT' }],
  ['a preflight', inFront(send(204)), { status: 204 }, { method: 'OPTIONS', headers: PREFLIGHT }],
]
test.each(KEPT)('%s passes', async (_title, fill, expected, asked = {}) => {
  const server = await serveSteps(fill)
  const { path = '/other', ...others } = asked as { path?: string }
  expect(await ask(server, 'v1', path, { ...post, ...others })).toMatchObject(expected)
})

test.each(['older', 'all'] as const)(
  'with "requests: %s", the newest version is held to its checks',
  async (requests) => {
    const server = await serveSteps(behind(next, done), check, { ...checked(requests), description: any })
    const newest = await ask(server, 'v2', '/other', post)
    expect(newest).toMatchObject(requests === 'all' ? rejected : { status: 200, json: 'done' })
  },
)

test('a body that a contract needs and that is missing is owed too', async () => {
  const optional = { ...any, operation: { requestBody: { required: false } } }
  for (const [description, expected] of [
    [any, rejected],
    [optional, { status: 200 }],
  ] as const) {
    const server = await serveSteps(inFront(done), noStep, { ...checked('older'), description })
    expect(await ask(server, 'v1', '/other', { method: 'POST' })).toMatchObject(expected)
  }
})

test('observers are told once, with the facts of the failure', async () => {
  const events: unknown[] = []
  const onVersion = ({ error }: { error?: unknown }) => void events.push(error)
  await ask(await serveSteps(behind(next, done), steps, { onVersion }), 'v1', '/other', post)
  expect(events).toEqual([undefined, expect.objectContaining({ code: 'ERR_VERSION_CHANGE', expose: false })])
  expect(events[1]).toMatchObject({ operation: 'POST other', step: 'request', version: 'v1', change: undefined })
})
