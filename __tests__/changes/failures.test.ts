import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express'
import { HeaderVersioning, problemDetails, VersioningError, versioning } from 'express-versioning'
import { change, type OperationSteps } from 'express-versioning/changes'
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

/** Serves one step of a kind, asks it, and collects the errors that reach the end of the app. */
async function failing(kind: Kind, step: (value: unknown) => unknown, later = false) {
  const errors: unknown[] = []
  const note: ErrorRequestHandler = (error, _req, _res, next) => next(errors.push(error) && error)
  const show = (res: Response) => res.status(kind === 'error' ? 409 : 200).json(SECRET)
  const server = await serveOther(
    { [kind]: step },
    (res) => (later ? setTimeout(show, 1, res) : show(res)),
    (app, routes) => app.use(routes, note),
  )
  const answer = await ask(server, 'v1', '/other', { method: 'POST', body: { sent: 'by the client' } })
  // The process lives, and the next answer is correct.
  expect((await ask(server, 'v2', '/other', { method: 'POST', body: {} })).json).toEqual(SECRET)
  return { answer, errors }
}

const PROMISE = 'returned a promise, but steps are synchronous'
const UNSAYABLE = 'returned a value that JSON cannot express'
const GIVEN: [what: string, step: () => unknown, failed: string][] = [
  ['undefined', () => undefined, 'returned undefined, which JSON cannot express'],
  ['a function', () => () => 1, 'returned a function, which JSON cannot express'],
  ['a symbol', () => Symbol('x'), 'returned a symbol, which JSON cannot express'],
  ['a bigint', () => 1n, 'returned a bigint, which JSON cannot express'],
  ['infinity', () => Number.POSITIVE_INFINITY, 'returned Infinity, which JSON cannot express'],
  ['a promise', async () => 1, PROMISE],
  ['a promise that is rejected', () => Promise.reject(THREW), PROMISE],
  ['promises', () => [1, 2].map(() => Promise.reject(1)), PROMISE],
  ['a thenable', () => Object.fromEntries([['then', (done: (value: number) => void) => done(1)]]), PROMISE],
  ['a thenable in it', () => ({ a: Object.fromEntries([['then', () => {}]]) }), PROMISE],
  ['a promise in it', () => ({ a: 1, b: Promise.reject(1) }), PROMISE],
  ['promises in a list in it', () => ({ items: [1].map(async () => ({})) }), PROMISE],
  ['a map in it', () => ({ a: [{ b: new Map() }] }), UNSAYABLE],
  ['a set in it', () => ({ a: new Set([1]) }), UNSAYABLE],
  ['NaN in it', () => ({ price: Number.NaN }), UNSAYABLE],
  ['undefined in a list', () => ({ a: [undefined] }), UNSAYABLE],
  ['infinity in a list in it', () => [{ prices: [1, Number.NEGATIVE_INFINITY] }], UNSAYABLE],
  ['a `then` that fails', () => Object.defineProperty({}, 'then', { get: throwing }), UNSAYABLE],
  ['a loop', () => loop, UNSAYABLE],
  ['a bigint in it', () => ({ a: [1n] }), UNSAYABLE],
  ['toJSON of nothing', () => ({ toJSON: () => undefined }), UNSAYABLE],
]

test.each(
  (['response', 'error', 'request', 'query'] as const).flatMap((kind) => GIVEN.map((row) => [kind, ...row] as const)),
)('a %s that gives %s is 500 ERR_VERSION_CHANGE', async (kind, _what, step, failed) => {
  const { answer, errors } = await failing(kind, step)
  const error = `The change "Odd." failed: its "${kind}" of "POST other" ${failed}.`
  expect([answer.status, answer.json]).toEqual([500, { code: 'ERR_VERSION_CHANGE', error, name: 'Error' }])
  expect(errors).toMatchObject([{ status: 500, statusCode: 500, expose: false }])
  expect(errors[0]).not.toBeInstanceOf(VersioningError)
})

/** Returns the error of a step that gives a value, alone or in front of another step. */
function blamed(gives: () => unknown, isAlone: boolean): Error & { cause?: unknown } {
  const odd = change('Odd.', { 'GET other': { response: gives } })
  const older = change('Older.', { 'GET other': { response: () => 'older' } })
  const history = isAlone ? historyOf([odd]) : historyOf([older], [odd])
  try {
    history.response('GET other', {}, 'v1')
  } catch (error) {
    return error as Error
  }
  throw new Error('Nothing was thrown.')
}

test.each(GIVEN)(
  'a step in front of another one is blamed for %s, without a needless cause',
  (_what, gives, failed) => {
    for (const isAlone of [true, false]) {
      expect(blamed(gives, isAlone).message).toBe(`The change "Odd." failed: its "response" of "GET other" ${failed}.`)
    }
    const isThrownByJson = /loop|bigint in it|fails/.test(_what)
    expect([blamed(gives, true).cause !== undefined, blamed(gives, false).cause !== undefined]).toEqual([
      isThrownByJson,
      isThrownByJson,
    ])
  },
)

test.each([
  ['response', false],
  ['response', true],
  ['error', false],
  ['error', true],
] as const)('a %s that throws is 500 ERR_VERSION_CHANGE; in a callback: %p', async (kind, later) => {
  const { answer, errors } = await failing(kind, () => throwing(), later)
  const error = `The change "Odd." failed: its "${kind}" of "POST other" threw.`
  expect([answer.status, answer.json]).toEqual([500, { code: 'ERR_VERSION_CHANGE', error, name: 'Error' }])
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(errors).toEqual([expect.objectContaining({ cause: THREW })])
})

const errorWith = (own: object) => Object.assign(new Error('own'), own)
test.each(
  (['request', 'query'] as const).flatMap((kind) =>
    [
      ['an error', THREW],
      ['a 5xx', errorWith({ status: 503 })],
      ['500', errorWith({ status: 500 })],
      ['a 3xx', errorWith({ status: 399 })],
      ['a text as status', errorWith({ status: '400' })],
      ['a status that throws', Object.defineProperty({}, 'status', { get: throwing })],
      ['null', null],
    ].map(([what, thrown]) => [kind, what, thrown] as const),
  ),
)('a %s that throws %s is 400 ERR_VERSION_BODY', async (kind, _what, thrown) => {
  const { answer, errors } = await failing(kind, () => throwing(thrown))
  const json = { code: 'ERR_VERSION_BODY', error: 'The request does not fit its version.', name: 'VersioningError' }
  expect([answer.status, answer.json]).toEqual([400, json])
  const [error] = errors as VersioningError[]
  expect([error?.cause, error?.version, error?.expose]).toEqual([thrown, 'v1', true])
  expect(JSON.stringify(error)).not.toContain('cause')
})

test.each([{ status: 422 }, { statusCode: 499 }, { status: 400 }])(
  'a request that throws %j passes it on',
  async (own) => {
    const thrown = errorWith(own)
    for (const kind of ['request', 'query'] as const) {
      expect((await failing(kind, () => throwing(thrown))).errors[0]).toBe(thrown)
    }
  },
)

test('objects without members and null of toJSON are no losses', async () => {
  const given = { a: {}, b: [[], {}], at: new Date(0), own: { toJSON: () => ({}) }, price: { toJSON: () => null } }
  const json = { a: {}, b: [[], {}], at: '1970-01-01T00:00:00.000Z', own: {}, price: null }
  expect((await failing('response', () => given)).answer).toMatchObject({ status: 200, json })
  expect((await failing('request', () => given)).errors).toEqual([])
})

const PROBLEM = 'application/problem+json'
test.each<[convert: boolean | undefined, version: string, type: string, json: object]>([
  [undefined, 'v1', 'application/json', { was: 'ERR_VERSION_UNHANDLED' }],
  [true, 'v1', 'application/json', { was: 'ERR_VERSION_UNHANDLED' }],
  [false, 'v1', PROBLEM, { code: 'ERR_VERSION_UNHANDLED' }],
  [undefined, 'v3', PROBLEM, { code: 'ERR_VERSION_UNHANDLED' }],
  // No version was decided.
  [undefined, 'v9', PROBLEM, { code: 'ERR_VERSION_NOT_ACCEPTABLE' }],
])('problemDetails({ convert: %p }) in %s answers with %s', async (convert, version, type, json) => {
  const format = change('Errors.', { '*': { error: ({ code }: { code: string }) => ({ was: code }) } })
  const gone = change('Came and went.', { 'GET other': 'removed' })
  const came = change('Came.', { 'GET other': 'added' })
  const server = await serveChanges(historyOf([came, format], [gone]), (routes, app) => {
    routes.route('other').get((_req, res) => void res.json(1))
    app.use(problemDetails({ convert }), routes, problemDetails({ convert }))
  })
  const answer = await ask(server, version, '/other')
  expect([answer.headers['content-type'], answer.json]).toEqual([type, expect.objectContaining(json)])
  expect(answer.headers['content-length']).toBe(String(answer.text.length))
})

describe('after a failure', () => {
  const flat = (value: object) => ({ flat: value })
  const handled = (answer: (req: Request, res: Response, error: { code?: string }) => unknown): ErrorRequestHandler =>
    (error, req, res, _next) => void answer(req, res, error) // biome-ignore format: a row

  test('a step for errors is not asked again', async () => {
    let asked = 0
    const odd = { response: () => throwing(), error: () => throwing(++asked) }
    const answers = handled((_req, res, { code }) => res.status(500).json({ code }))
    const server = await serveOther(odd, (res) => res.json(SECRET), (app, routes) => app.use(routes, answers, answers)) // biome-ignore format: a row
    expect(await ask(server, 'v1', '/other')).toMatchObject({ status: 500, json: { code: 'ERR_VERSION_CHANGE' } })
    expect(asked).toBe(1)
  })

  test('a success is still converted', async () => {
    const fine = handled((_req, res) => res.status(200).json('fine'))
    const odd = { response: flat, error: () => throwing() }
    const server = await serveOther(odd, (res) => res.status(409).json({}), (app, routes) => app.use(routes, fine)) // biome-ignore format: a row
    expect(await ask(server, 'v1', '/other')).toMatchObject({ status: 200, json: { flat: 'fine' } })
  })

  test('body and query are as they were sent', async () => {
    const shown = handled((req, res) => res.status(500).json([req.body, req.query]))
    const odd = { request: flat, query: flat, response: () => throwing() }
    const server = await serveOther(odd, (res, req) => res.json(req.body), (app, routes) => app.use(routes, shown)) // biome-ignore format: a row
    const { json } = await ask(server, 'v1', '/other?a=1', { method: 'POST', body: { b: 2 } })
    expect(json).toEqual([{ b: 2 }, { a: '1' }])
  })

  test.each([setImmediate, queueMicrotask, process.nextTick])('the error may be answered later: %p', async (later) => {
    const answers = handled((_req, res) => later(() => res.writeHead(500).end('failed')))
    const raw = (res: Response) => setImmediate(() => res.type('json').write('{"bad') && res.end('}'))
    const server = await serveOther({ response: flat }, raw, (app, routes) => app.use(routes, answers))
    expect(await ask(server, 'v1', '/other')).toMatchObject({ status: 500, text: 'failed' })
  })

  test('Express tells nothing', async () => {
    const routes = tableOf()
    const odd = change('Odd.', { '*': { error: () => throwing() }, 'GET other': { response: () => throwing() } })
    routes.route('other').get((_req, res) => void res.json(SECRET))
    const app = express().set('env', 'production')
    jest.spyOn(console, 'error').mockImplementation()
    app.use(versioning({ scheme: HeaderVersioning, changes: historyOf([odd]), routes }), routes)
    const { status, text } = await ask(await listen(app), 'v1', '/other')
    expect([status, text]).toEqual([500, expect.stringContaining('<pre>Internal Server Error</pre>')])
  })

  test('it is a bare 500 if all routers were left', async () => {
    const routes = tableOf()
    const changes = historyOf([change('Odd.', { '*': { error: () => throwing() } })])
    const inner = express().use(versioning({ scheme: HeaderVersioning, changes, routes }), routes)
    const outer = (req: Request, res: Response) =>
      inner(req, res, () => void res.status(404).set('X-Secret', 'yes').json(SECRET))
    const { status, text, headers } = await ask(await listen(outer as object as express.Application), 'v1', '/none')
    expect([status, text]).toEqual([500, ''])
    expect(Object.keys(headers).sort()).toEqual(['connection', 'date'])
  })
})

describe('a version that the history does not have', () => {
  const steps = { response: () => 1, error: (value: object) => value }
  const error = "req.version is 'v9', which the history of changes does not have."
  const assign: RequestHandler = (req, _res, next) => next(void Object.assign(req, { version: 'v9' }))

  test.each<[when: string, isBefore: boolean, show: (res: Response) => unknown]>([
    ['before the route begins', true, (res) => res.json(SECRET)],
    ['by a handler, in front of res.json', false, (res) => res.json(SECRET)],
    ['by a handler, in front of res.send', false, (res) => res.send('text')],
    ['by a handler, in front of res.end', false, (res) => res.type('json').end(JSON.stringify(SECRET))],
    ['by a handler, in front of pieces', false, (res) => res.type('csv').write('text')],
  ])('is an error if it is assigned %s', async (_when, isBefore, show) => {
    const routes = tableOf()
    if (isBefore) routes.use(assign)
    routes.route('other').get(assign, (_req, res) => void show(res))
    const last: ErrorRequestHandler = (thrown, req, res, _next) => {
      req.version = 'v1'
      res.status(500).json({ error: thrown.message })
    }
    const changes = historyOf([change('Odd.', { 'GET other': steps })])
    const app = express().use(versioning({ scheme: HeaderVersioning, changes, routes }), routes, last)
    expect(await ask(await listen(app), 'v1', '/other')).toMatchObject({ status: 500, json: { error } })
  })

  test('is refused if a custom scheme decides it', async () => {
    class Anything extends HeaderVersioning {
      override determineVersion(req: Request) {
        return req.get('X-API-Version') ?? null
      }
    }
    const changes = historyOf([change('Odd.', { 'GET other': steps })])
    const fill = (routes: ReturnType<typeof tableOf>) =>
      void routes.route('other').get((_req, res) => void res.json(SECRET))
    const server = await serveChanges(changes, fill, { scheme: Anything })
    const json = { code: 'ERR_VERSION_NOT_ACCEPTABLE' }
    expect(await ask(server, 'v9', '/other')).toMatchObject({ status: 406, json })
    expect((await ask(server, 'v1', '/other')).json).toBe(1)
    const headers = { Origin: 'http://a', 'Access-Control-Request-Method': 'GET' }
    expect((await ask(server, 'v9', '/other', { method: 'OPTIONS', headers })).status).toBe(200)
  })
})

test.each([
  ['deep', (depth: number) => '['.repeat(depth) + ']'.repeat(depth), (body: unknown) => body],
  ['deep, in what a step keeps', (depth: number) => `{"x":${'['.repeat(depth)}${']'.repeat(depth)}}`, Object],
])('a body that is too %s is the fault of the client', async (_what, sent, step) => {
  const server = await serveOther({ request: step }, (res) => res.json('served'))
  const answer = await ask(server, 'v1', '/other', { method: 'POST', body: sent(45_000) })
  expect(answer).toMatchObject({ status: 400, json: { code: 'ERR_VERSION_BODY' } })
  expect((await ask(server, 'v1', '/other', { method: 'POST', body: sent(10) })).json).toBe('served')
})

test.each<[title: string, wrap: (res: Response, next: (error?: unknown) => void) => unknown, json: unknown]>([
  [
    'an error in place of an answer',
    (res, next) => {
      const { send } = res
      res.send = (body) => {
        if (res.statusCode >= 400) return send.call(res, body)
        next(THREW)
        return res
      }
    },
    [409, { olderError: true }],
  ],
  [
    'its answer later',
    (res) => {
      const { json } = res
      res.json = (body) => setImmediate(() => json.call(res, body)) && res
    },
    [200, { older: true }],
  ],
])('middleware in front of versioning() may send %s', async (_title, wrap, expected) => {
  for (const type of ['application/json', 'text/plain']) {
    const routes = tableOf()
    routes.route('other').get((_req, res) => void res.type(type).json(SECRET))
    const older = { response: () => ({ older: true }), error: () => ({ olderError: true }) }
    const changes = historyOf([change('Odd.', { 'GET other': older })])
    const app = express().use((_req, res, next) => next(void wrap(res, next)))
    const last: ErrorRequestHandler = (_error, _req, res, _next) => void res.status(409).json(SECRET)
    app.use(versioning({ scheme: HeaderVersioning, changes, routes }), routes, last)
    const { status, json } = await ask(await listen(app), 'v1', '/other')
    expect([status, json]).toEqual(expected)
  }
})
