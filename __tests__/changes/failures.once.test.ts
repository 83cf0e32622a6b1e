import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express'
import { HeaderVersioning, VersioningError, versioning } from 'express-versioning'
import { type Change, change, type OperationSteps } from 'express-versioning/changes'
import { ask, historyOf, serveChanges, serveOther, tableOf } from '../support/changes'
import { listen } from '../support/serve'

type Kind = keyof OperationSteps
const SECRET = { secret: 'newest shape' }
const THREW = new Error('thrown by the step')
const throwing = (thrown: unknown = THREW): never => {
  throw thrown
}
const loop: { self?: unknown } = {}
loop.self = loop

const serveThen = (changed: OperationSteps, show: Parameters<typeof serveOther>[1], last: ErrorRequestHandler) =>
  serveOther(changed, show, (app, routes) => app.use(routes, last))

/** Asks for one step of a kind, and returns the response and the error that reached the end of the app. */
async function failing(kind: Kind, step: () => unknown, when = 'at once') {
  const errors: VersioningError[] = []
  const note: ErrorRequestHandler = (error, _req, _res, next) => next(errors.push(error) && error)
  const show = (res: Response) => void res.status(kind === 'error' ? 409 : 200).json(SECRET)
  const server = await serveThen({ [kind]: step }, when === 'later' ? (res) => setImmediate(show, res) : show, note)
  const response = await ask(server, 'v1', '/other', { method: 'POST', body: { sent: 'by the client' } })
  // The process lives, and the next response is correct.
  expect((await ask(server, 'v2', '/other', { method: 'POST', body: {} })).json).toEqual(SECRET)
  const [error, ...others] = errors
  expect(others).toEqual([])
  return { ...response, error: error as VersioningError }
}

const PROMISE = 'returned a promise, but steps are synchronous'
const UNSAYABLE = 'returned a value that JSON cannot express'
const then = (value: unknown) => Object.fromEntries([['then', value]])
const nothing = { toJSON: () => undefined }
const ALONE = 'which JSON cannot express'
const messageOf = (kind: Kind, failed: string) => `The change "Odd." failed: its "${kind}" of "POST other" ${failed}.`
test.each<[what: string, step: () => unknown, failed: string, cause?: unknown]>([
  ['undefined', () => undefined, `returned undefined, ${ALONE}`],
  ['a function', () => () => 1, `returned a function, ${ALONE}`],
  ['a bigint', () => 1n, `returned a bigint, ${ALONE}`],
  ['infinity', () => Number.POSITIVE_INFINITY, `returned Infinity, ${ALONE}`],
  ['promises', () => [1, 2].map(() => Promise.reject(1)), PROMISE],
  ['a thenable', () => then((done: (value: number) => void) => done(1)), PROMISE],
  ['a promise in it', () => ({ a: 1, b: Promise.reject(1) }), PROMISE],
  ['a map in it', () => ({ a: [{ b: new Map() }] }), UNSAYABLE],
  ['a thenable in it', () => ({ a: then(() => {}) }), PROMISE],
  ['undefined in a list', () => ({ a: [undefined] }), UNSAYABLE],
  ['NaN in it', () => ({ price: Number.NaN }), UNSAYABLE],
  ['toJSON of nothing', () => nothing, UNSAYABLE],
  ['a `then` that fails', () => Object.defineProperty({}, 'then', { get: throwing }), UNSAYABLE, THREW],
  ['a loop', () => loop, UNSAYABLE, expect.any(TypeError)],
])('by hand, alone and in front of another step: %s fails', (_what, response, failed, ...[cause]) => {
  const odd = change('Odd.', { 'GET other': { response } })
  const older = change('Older.', { 'GET other': { response: () => 'older' } })
  const message = `The change "Odd." failed: its "response" of "GET other" ${failed}.`
  for (const history of [historyOf([odd]), historyOf([older], [odd])]) {
    const convert = () => history.response('GET other', {}, 'v1')
    expect(convert).toThrow(expect.objectContaining({ message }))
    if (cause === undefined) expect(convert).not.toThrow(expect.objectContaining({ cause: expect.anything() }))
    else expect(convert).toThrow(expect.objectContaining({ cause }))
  }
})

test.each<[kind: Kind, when: string, step: () => unknown, failed: string, cause?: unknown]>([
  ['response', 'at once', () => loop, UNSAYABLE, expect.any(TypeError)],
  ['response', 'at once', () => nothing, UNSAYABLE],
  ['query', 'at once', async () => 1, PROMISE],
  ['request', 'at once', async () => 1, PROMISE],
  ['response', 'at once', throwing, 'threw', THREW],
  ['response', 'later', throwing, 'threw', THREW],
  ['error', 'at once', throwing, 'threw', THREW],
  ['error', 'later', throwing, 'threw', THREW],
])('a %s that fails %s is 500 ERR_VERSION_CHANGE: %#', async (kind, when, step, failed, ...[cause]) => {
  const { error, ...response } = await failing(kind, () => step(), when)
  const json = { code: 'ERR_VERSION_CHANGE', error: error.message, name: 'Error' }
  expect(response).toMatchObject({ status: 500, json, headers: { 'content-type': 'application/json; charset=utf-8' } })
  const message = messageOf(kind, failed)
  expect({ ...error, message: error.message }).toEqual({
    message,
    code: 'ERR_VERSION_CHANGE',
    status: 500,
    expose: false,
  })
  expect([error instanceof VersioningError, error.cause]).toEqual([false, cause])
})

const errorWith = (own: object) => Object.assign(new Error('own'), own)
const [OF_3XX, UNREADABLE] = [errorWith({ status: 399 }), Object.defineProperty({}, 'status', { get: throwing })]
const MISFIT = 'The request is not valid in version v1.'
test.each<[does: string, step: () => unknown, thrown: unknown, failed?: string]>([
  ['throws an error', throwing, THREW],
  ['throws a 3xx', () => throwing(OF_3XX), OF_3XX],
  ['throws a status that throws', () => throwing(UNREADABLE), UNREADABLE],
  ['throws null', () => throwing(null), null],
  ['gives undefined', () => undefined, {}, `returned undefined, ${ALONE}`],
  ['gives NaN', () => Number.NaN, {}, `returned NaN, ${ALONE}`],
  ['gives NaN in it', () => ({ price: Number('abc') }), {}, UNSAYABLE],
  ['gives a loop', () => loop, {}, UNSAYABLE],
])('a request or query that %s is the fault of the client', async (_does, step, thrown, ...[failed]) => {
  for (const kind of ['request', 'query'] as const) {
    const { error, status, json } = await failing(kind, () => step())
    expect([status, json]).toEqual([400, { code: 'ERR_VERSION_BODY', error: MISFIT, name: 'VersioningError' }])
    expect([error.message, error.version, error.expose]).toEqual([MISFIT, 'v1', true])
    if (failed === undefined) expect(error.cause).toBe(thrown)
    else expect(error.cause).toMatchObject({ message: messageOf(kind, failed) })
    expect(JSON.stringify(error)).not.toContain('cause')
  }
})

test.each([{ status: 422 }, { statusCode: 499 }, { status: 400 }])('a 4xx of a step passes: %j', async (own) => {
  const thrown = errorWith(own)
  for (const kind of ['request', 'query'] as const) {
    expect((await failing(kind, () => throwing(thrown))).error).toBe(thrown)
  }
})

test('a number that JavaScript does not have is the fault of the client', async () => {
  const server = await serveOther({ request: (body) => body }, (res, { body }) => res.json(body))
  const post = (version: string) => ask(server, version, '/other', { method: 'POST', body: '{"a":[1e400]}' })
  expect(await post('v1')).toMatchObject({ status: 400, json: { code: 'ERR_VERSION_BODY' } })
  expect(await post('v2')).toMatchObject({ status: 200, json: { a: [null] } })
})

test.each([
  ['sent', (depth: number) => '['.repeat(depth) + ']'.repeat(depth), (body: unknown) => body],
  ['that a step keeps', (depth: number) => `{"x":${'['.repeat(depth)}${']'.repeat(depth)}}`, Object],
])('a body %s that is too deep is the fault of the client', async (_what, sent, step) => {
  const server = await serveOther({ request: step }, (res) => res.json('served'))
  const post = (depth: number) => ask(server, 'v1', '/other', { method: 'POST', body: sent(depth) })
  expect(await post(45_000)).toMatchObject({ status: 400, json: { code: 'ERR_VERSION_BODY' } })
  expect((await post(10)).json).toBe('served')
})

const flat = (value: object) => ({ flat: value })
const handled = (response: (req: Request, res: Response, code?: string) => unknown): ErrorRequestHandler => {
  return (error, req, res, _next) => void response(req, res, error.code)
}

test('a failed step for errors is not asked again, and a success of the error handler is converted', async () => {
  let asked = 0
  const odd = { response: flat, error: () => throwing(++asked) }
  const last = handled((req, res, code) => res.status(req.query.ok ? 200 : 500).json([code, req.body, req.query]))
  const server = await serveThen(odd, (res) => res.status(409).json({}), last)
  const post = (query: string) => ask(server, 'v1', `/other?${query}=1`, { method: 'POST', body: { b: 2 } })
  const told = ['ERR_VERSION_CHANGE', { b: 2 }]
  expect(await post('ok')).toMatchObject({ status: 200, json: { flat: [...told, { ok: '1' }] } })
  expect(await post('bad')).toMatchObject({ status: 500, json: [...told, { bad: '1' }] })
  expect(asked).toBe(2)
})

test.each([setImmediate, queueMicrotask, process.nextTick])('an error may be sent later: %p', async (later) => {
  const last = handled((_req, res) => later(() => res.writeHead(500).end('failed')))
  const raw = (res: Response) => setImmediate(() => res.type('json').write('{"bad') && res.end('}'))
  const server = await serveThen({ response: flat }, raw, last)
  expect(await ask(server, 'v1', '/other')).toMatchObject({ status: 500, text: 'failed' })
})

test('a failure is a bare 500 if all routers were left', async () => {
  const changes = historyOf([change('Odd.', { '*': { error: () => throwing() } })])
  const inner = express().use(versioning({ scheme: HeaderVersioning, changes, routes: tableOf() }))
  const outer = (req: Request, res: Response) =>
    inner(req, res, () => void res.status(404).set('X-Secret', 'yes').json(SECRET))
  const { status, text, headers } = await ask(await listen(outer as never), 'v1', '/none')
  expect([status, text, Object.keys(headers).sort()]).toEqual([500, '', ['connection', 'date']])
})

const assign: RequestHandler = (req, _res, next) => next(void Object.assign(req, { version: 'v9' }))
test.each<[when: string, show: (res: Response) => unknown]>([
  ['before the route begins', (res) => res.json(SECRET)],
  ['in front of res.json', (res) => res.json(SECRET)],
  ['in front of res.send', (res) => res.send('text')],
  ['in front of res.end', (res) => res.type('json').end(JSON.stringify(SECRET))],
  ['in front of pieces', (res) => res.type('csv').write('text')],
])('an unknown version is an error if it is assigned %s', async (when, show) => {
  const last: ErrorRequestHandler = ({ message }, req, res, _next) => {
    req.version = 'v1'
    res.status(500).json({ message })
  }
  const changes = historyOf([change('Odd.', { 'GET other': { response: () => 1, error: flat } })])
  const server = await serveChanges(changes, (routes, app) => {
    if (when.startsWith('before')) routes.use(assign)
    routes.route('other').get(assign, (_req, res) => void show(res))
    app.use(routes, last)
  })
  const json = { flat: { message: "req.version is 'v9', which the history of changes does not have." } }
  expect(await ask(server, 'v1', '/other')).toMatchObject({ status: 500, json })
})

test('an unknown version is rejected if a custom scheme decides it', async () => {
  class Anything extends HeaderVersioning {
    override determineVersion = (req: Request) => req.get('X-API-Version') ?? null
  }
  const server = await serveOther({ response: flat }, (res) => res.json(2), undefined, { scheme: Anything })
  expect(await ask(server, 'v9', '/other')).toMatchObject({ status: 406, json: { code: 'ERR_VERSION_NOT_ACCEPTABLE' } })
  const headers = { Origin: 'http://a', 'Access-Control-Request-Method': 'GET' }
  expect((await ask(server, 'v9', '/other', { method: 'OPTIONS', headers })).status).toBe(200)
})

const later = change('Later.', { 'GET other': { response: (value: unknown) => value } })
const foreign = change('Elsewhere.', { 'GET other': 'added' })
test.each<[title: string, version: string, assigned: string | null, applies: boolean, asked?: Change<object>]>([
  ['the version before', 'v2', 'v2', false],
  ['the version itself', 'v3', 'v3', true],
  ['no version', 'v1', null, true],
  ['a foreign change', 'v1', 'v1', true, foreign],
  ['an assigned version that the history lacks', 'v1', 'v9', true],
  ['a rejected version, in an error handler', 'v9', '', true],
])('appliesTo() in %s', async (_title, version, assigned, applies, asked = later as Change<object>) => {
  const tell: RequestHandler = (req, res) => void res.json(asked.appliesTo(req))
  const server = await serveChanges(historyOf([], [later], []), (table, app) => {
    table.route('user-list').get((req, _res, next) => next(void Object.assign(req, { version: assigned })), tell)
    app.use(table, ((_error, req, res, next) => tell(req, res, next)) as ErrorRequestHandler)
  })
  expect((await ask(server, version, '/users')).json).toBe(applies)
})

test('appliesTo() without versioning()', () => {
  const requests = [{}, { version: 'v1' }].flatMap((own) => [own, Object.assign(Object.create(express.request), own)])
  expect(requests.map((req) => later.appliesTo(req as Request))).toEqual([true, true, true, true])
})

test('pieces of a response stay as they are if the handler changes the version between them', async () => {
  const server = await serveOther({ response: flat }, (res, req) => {
    res.type('json').write('{"a":')
    req.version = 'v2'
    res.end('1}')
  })
  expect((await ask(server, 'v1', '/other')).text).toBe('{"a":1}')
})

test('a header function that gives a promise is 500, and the process lives', async () => {
  const unhandled = jest.fn()
  process.on('unhandledRejection', unhandled)
  const server = await serveOther({ headers: { 'X-A': (async () => throwing()) as never } }, (res) => void res.json({}))
  const { status, json } = await ask(server, 'v1', '/other')
  await new Promise(setImmediate)
  process.off('unhandledRejection', unhandled)
  const message =
    'The change "Odd." failed: its "headers: X-A" of "GET other" returned an object, which is not a value of a header field.'
  expect([status, Object(json).error, unhandled.mock.calls]).toEqual([500, message, []])
})
