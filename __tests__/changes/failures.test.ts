import express, { type ErrorRequestHandler, type Request, type Response } from 'express'
import { HeaderVersioning, problemDetails, VersioningError, versioning } from 'express-versioning'
import { change, type OperationSteps } from 'express-versioning/changes'
import { ask, historyOf, serveChanges, tableOf } from '../support/changes'
import { listen } from '../support/serve'

type Kind = keyof OperationSteps
const SECRET = 'newest shape'

function loop(): unknown {
  const own: { self?: unknown } = {}
  own.self = own
  return own
}

/** Serves an app of one operation with one step of a kind, and collects the errors that reach its end. */
async function failing(kind: Kind, step: (value: unknown) => unknown, later = false) {
  const errors: unknown[] = []
  const odd = change('Odd.', { 'POST other': { [kind]: step } })
  const server = await serveChanges(historyOf([odd]), (routes, app) => {
    routes.route('other').post((_req, res) => {
      const answer = () => void res.status(kind === 'error' ? 409 : 200).json({ secret: SECRET })
      if (later) setTimeout(answer, 1)
      else answer()
    })
    app.use(routes, ((error, _req, _res, next) => {
      errors.push(error)
      next(error)
    }) as ErrorRequestHandler)
  })
  const answer = await ask(server, 'v1', '/other', { method: 'POST', body: { sent: 'by the client' } })
  // The process lives, and the next answer is correct.
  expect((await ask(server, 'v2', '/other', { method: 'POST', body: {} })).text).toContain(SECRET)
  return { answer, errors }
}

const thenable = Object.fromEntries([['then', (done: (value: number) => void) => done(1)]])
const THREW = new Error('thrown by the step')
const throwing = () => {
  throw THREW
}

describe.each<Kind>(['response', 'error', 'request', 'query'])('%s', (kind) => {
  const gives: [what: string, step: () => unknown, message: string][] = [
    ['undefined', () => undefined, 'returned undefined, which JSON cannot express'],
    ['a function', () => () => 1, 'returned a function, which JSON cannot express'],
    ['a symbol', () => Symbol('x'), 'returned a symbol, which JSON cannot express'],
    ['a bigint', () => 1n, 'returned a bigint, which JSON cannot express'],
    ['a promise', async () => 1, 'returned a promise, but steps are synchronous'],
    [
      'a promise that is rejected',
      () => Promise.reject(new Error('x')),
      'returned a promise, but steps are synchronous',
    ],
    ['promises', () => [1, 2].map(() => Promise.reject(1)), 'returned a promise, but steps are synchronous'],
    ['a thenable', () => thenable, 'returned a promise, but steps are synchronous'],
    ['a promise in it', () => ({ a: 1, b: Promise.reject(1) }), 'returned a promise, but steps are synchronous'],
    [
      'promises in a list in it',
      () => ({ items: [1].map(async () => ({})) }),
      'returned a promise, but steps are synchronous',
    ],
    ['a map in it', () => ({ a: [{ b: new Map() }] }), 'returned a value that JSON cannot express'],
    ['a set in it', () => ({ a: new Set([1]) }), 'returned a value that JSON cannot express'],
    ['NaN in it', () => ({ price: Number.NaN }), 'returned a value that JSON cannot express'],
    ['undefined in a list', () => ({ a: [undefined] }), 'returned a value that JSON cannot express'],
    [
      'infinity in a list in it',
      () => [{ prices: [1, Number.NEGATIVE_INFINITY] }],
      'returned a value that JSON cannot express',
    ],
    ['infinity', () => Number.POSITIVE_INFINITY, 'returned Infinity, which JSON cannot express'],
    [
      'a `then` that fails',
      () => Object.defineProperty({}, 'then', { get: throwing }),
      'returned a value that JSON cannot express',
    ],
    ['a loop', loop, 'returned a value that JSON cannot express'],
    ['a bigint in it', () => ({ a: [1n] }), 'returned a value that JSON cannot express'],
    ['what toJSON makes nothing of', () => ({ toJSON: () => undefined }), 'returned a value that JSON cannot express'],
  ]

  test.each(gives)('that gives %s is 500 ERR_VERSION_CHANGE', async (_what, step, failed) => {
    const { answer, errors } = await failing(kind, step)
    const message = `The change "Odd." failed: its "${kind}" of "POST other" ${failed}.`
    expect(answer).toMatchObject({ status: 500, json: { code: 'ERR_VERSION_CHANGE', error: message } })
    expect(answer.text).not.toContain(SECRET)
    expect(errors).toHaveLength(1)
    expect(errors[0]).not.toBeInstanceOf(VersioningError)
    expect(errors[0]).toMatchObject({ status: 500, statusCode: 500, expose: false })
  })
})

// The next step gets a JSON copy of each result. JSON must not lose anything, and the error names the step that returned it.
test.each<[what: string, gives: () => unknown, failed: string]>([
  ['a promise in it', () => ({ a: Promise.reject(1) }), 'returned a promise, but steps are synchronous'],
  ['NaN in it', () => ({ a: Number.NaN }), 'returned a value that JSON cannot express'],
  ['a map in it', () => ({ a: new Map() }), 'returned a value that JSON cannot express'],
  ['a loop', loop, 'returned a value that JSON cannot express'],
  ['what toJSON makes nothing of', () => ({ toJSON: () => undefined }), 'returned a value that JSON cannot express'],
])('a step in front of another one that gives %s is 500 ERR_VERSION_CHANGE', (_what, gives, failed) => {
  const blamed = change('Newer.', { 'GET other': { response: gives } })
  const older = change('Older.', { 'GET other': { response: () => 'older' } })
  const message = `The change "Newer." failed: its "response" of "GET other" ${failed}.`
  expect(() => historyOf([older], [blamed]).response('GET other', {}, 'v1')).toThrow(message)
})

describe('what JSON itself says of a result is the cause', () => {
  const caughtBy = (history: ReturnType<typeof historyOf>): Error => {
    try {
      history.response('GET other', {}, 'v1')
    } catch (error) {
      return error as Error
    }
    throw new Error('Nothing was thrown.')
  }
  const older = change('Older.', { 'GET other': { response: () => 'older' } })

  test.each<[what: string, gives: () => unknown]>([
    ['NaN in it', () => ({ a: Number.NaN })],
    ['undefined in a list', () => [{}, undefined]],
    ['what toJSON makes nothing of', () => ({ toJSON: () => undefined })],
  ])('%s: there is none', (_what, gives) => {
    const odd = change('Odd.', { 'GET other': { response: gives } })
    expect(caughtBy(historyOf([odd]))).not.toHaveProperty('cause')
    expect(caughtBy(historyOf([older], [odd]))).not.toHaveProperty('cause')
  })
})

describe.each<Kind>(['response', 'error'])('%s', (kind) => {
  test.each([false, true])('that throws is 500 ERR_VERSION_CHANGE; in a callback: %p', async (later) => {
    const { answer, errors } = await failing(kind, throwing, later)
    const error = `The change "Odd." failed: its "${kind}" of "POST other" threw.`
    expect(answer).toMatchObject({ status: 500, json: { code: 'ERR_VERSION_CHANGE', error } })
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer.text).not.toContain(SECRET)
    expect(errors).toEqual([expect.objectContaining({ cause: THREW })])
  })
})

describe.each<Kind>(['request', 'query'])('%s', (kind) => {
  test.each<[what: string, thrown: unknown]>([
    ['an error', THREW],
    ['a TypeError', new TypeError('of undefined')],
    ['a 5xx', Object.assign(new Error('x'), { status: 503 })],
    ['the first of them', Object.assign(new Error('x'), { status: 500 })],
    ['a 3xx', Object.assign(new Error('x'), { status: 399 })],
    ['a status that is no number', Object.assign(new Error('x'), { status: '400' })],
  ])('that throws %s is 400 ERR_VERSION_BODY', async (_what, thrown) => {
    const { answer, errors } = await failing(kind, () => {
      throw thrown
    })
    expect(answer).toMatchObject({
      status: 400,
      json: { code: 'ERR_VERSION_BODY', error: 'The request does not fit its version.', name: 'VersioningError' },
    })
    const [error] = errors as VersioningError[]
    expect(error).toBeInstanceOf(VersioningError)
    expect([error?.cause, error?.version, error?.expose]).toEqual([thrown, 'v1', true])
    expect(JSON.stringify(error)).not.toContain('cause')
  })

  test.each([{ status: 422 }, { statusCode: 499 }, { status: 400 }])('that throws %j hands that on', async (status) => {
    const thrown = Object.assign(new Error('own'), status)
    const { errors } = await failing(kind, () => {
      throw thrown
    })
    expect(errors).toEqual([thrown])
    expect(errors[0]).toBe(thrown)
  })
})

test.each<[convert: boolean | undefined, version: string, type: string, json: unknown]>([
  [undefined, 'v1', 'application/json', { was: 'ERR_VERSION_UNHANDLED' }],
  [true, 'v1', 'application/json', { was: 'ERR_VERSION_UNHANDLED' }],
  [false, 'v1', 'application/problem+json', expect.objectContaining({ code: 'ERR_VERSION_UNHANDLED' })],
  [undefined, 'v3', 'application/problem+json', expect.objectContaining({ code: 'ERR_VERSION_UNHANDLED' })],
  // No version was decided.
  [undefined, 'v9', 'application/problem+json', expect.objectContaining({ code: 'ERR_VERSION_NOT_ACCEPTABLE' })],
])('problemDetails({ convert: %p }) in %s answers with %s', async (convert, version, type, json) => {
  const format = change('Errors.', { '*': { error: ({ code }: { code: string }) => ({ was: code }) } })
  const gone = change('Came and went.', { 'GET other': 'removed' })
  const came = change('Came.', { 'GET other': 'added' })
  const server = await serveChanges(historyOf([came, format], [gone]), (routes, app) => {
    routes.route('other').get((_req, res) => void res.json(1))
    app.use(problemDetails({ convert }), routes, problemDetails({ convert }))
  })
  const answer = await ask(server, version, '/other')
  expect([answer.headers['content-type'], answer.json]).toEqual([type, json])
  expect(answer.headers['content-length']).toBe(String(answer.text.length))
})

describe('after a failure', () => {
  const flat = (value: object) => ({ flat: value })

  test('a step for errors is not asked again', async () => {
    let asked = 0
    const odd = change('Odd.', {
      'GET other': {
        response: throwing,
        error() {
          asked++
          throw THREW
        },
      },
    })
    const answers: ErrorRequestHandler = (error, _req, res, _next) => void res.status(500).json({ code: error.code })
    const server = await serveChanges(historyOf([odd]), (routes, app) => {
      routes.route('other').get((_req, res) => void res.json({ secret: SECRET }))
      app.use(routes, answers, answers)
    })
    expect(await ask(server, 'v1', '/other')).toMatchObject({ status: 500, json: { code: 'ERR_VERSION_CHANGE' } })
    expect(asked).toBe(1)
  })

  test('a success is still converted', async () => {
    const odd = change('Odd.', { 'GET other': { response: flat, error: throwing } })
    const server = await serveChanges(historyOf([odd]), (routes, app) => {
      routes.route('other').get((_req, res) => void res.status(409).json({}))
      app.use(routes, ((_error, _req, res, _next) => void res.status(200).json('fine')) as ErrorRequestHandler)
    })
    expect(await ask(server, 'v1', '/other')).toMatchObject({ status: 200, json: { flat: 'fine' } })
  })

  test('the route is left: body and query are as they were sent', async () => {
    const odd = change('Odd.', { 'POST other': { request: flat, query: flat, response: throwing } })
    const server = await serveChanges(historyOf([odd]), (routes, app) => {
      routes.route('other').post((req, res) => void res.json(req.body))
      app.use(routes, ((_error, req: Request, res, _next) => {
        res.status(500).json([req.body, req.query])
      }) as ErrorRequestHandler)
    })
    const answer = await ask(server, 'v1', '/other?a=1', { method: 'POST', body: { b: 2 } })
    expect(answer.json).toEqual([{ b: 2 }, { a: '1' }])
  })

  test('by default nothing is told', async () => {
    const routes = tableOf()
    const odd = change('Odd.', { '*': { error: throwing }, 'GET other': { response: throwing } })
    routes.route('other').get((_req, res) => void res.json({ secret: SECRET }))
    const app = express().set('env', 'production')
    jest.spyOn(console, 'error').mockImplementation()
    app.use(versioning({ scheme: HeaderVersioning, changes: historyOf([odd]), routes }), routes)
    const answer = await ask(await listen(app), 'v1', '/other')
    expect(answer.status).toBe(500)
    expect(answer.text).toContain('Internal Server Error')
    expect(answer.text).not.toMatch(/newest|Odd/)
  })

  test('where all routers were left, it is a bare 500', async () => {
    const odd = change('Odd.', { '*': { error: throwing } })
    const routes = tableOf()
    const inner = express().use(versioning({ scheme: HeaderVersioning, changes: historyOf([odd]), routes }), routes)
    const outer = Object.assign(
      (req: Request, res: Response) =>
        inner(req, res, () => {
          res.status(404).set('X-Secret', SECRET).json({ secret: SECRET })
        }),
      { listen: undefined },
    )
    const answer = await ask(await listen(outer as object as express.Application), 'v1', '/nowhere')
    expect([answer.status, answer.text]).toEqual([500, ''])
    expect(answer.headers).not.toHaveProperty('x-secret')
    expect(answer.headers).not.toHaveProperty('content-type')
  })
})

describe('a version that the history does not have', () => {
  const history = historyOf([
    change('Odd.', { 'GET other': { response: () => 1 }, '*': { error: (value: object) => value } }),
  ])

  test('assigned before the route begins is an error', async () => {
    const server = await serveChanges(history, (routes, app) => {
      app.use((req, _res, next) => {
        req.version = 'v9'
        next()
      })
      routes.route('other').get((_req, res) => void res.json({ secret: SECRET }))
    })
    const answer = await ask(server, 'v2', '/other')
    const error = "req.version is 'v9', which the history of changes does not have."
    expect(answer).toMatchObject({ status: 500, json: { name: 'TypeError', error } })
  })

  test('assigned by a handler sends nothing of the newest shape', async () => {
    const server = await serveChanges(history, (routes) => {
      routes.route('other').get((req, res) => {
        req.version = 'v9'
        res.json({ secret: SECRET })
      })
    })
    const answer = await ask(server, 'v1', '/other')
    expect(answer.status).toBe(500)
    expect(answer.text).not.toContain(SECRET)
  })

  test('that a scheme of one’s own decides is refused as the scheme refuses', async () => {
    class Anything extends HeaderVersioning {
      override determineVersion(req: Request) {
        return req.get('X-API-Version') ?? null
      }
    }
    const server = await serveChanges(
      history,
      (routes) => {
        routes.route('other').get((_req, res) => void res.json({ secret: SECRET }))
      },
      { scheme: Anything },
    )
    expect(await ask(server, 'v9', '/other')).toMatchObject({
      status: 406,
      json: { code: 'ERR_VERSION_NOT_ACCEPTABLE' },
    })
    expect((await ask(server, 'v1', '/other')).json).toBe(1)
    const preflight = { Origin: 'http://a', 'Access-Control-Request-Method': 'GET' }
    expect((await ask(server, 'v9', '/other', { method: 'OPTIONS', headers: preflight })).status).toBe(200)
  })
})

test('a middleware may pin a version before the route begins', async () => {
  const pinned = historyOf([change('Flat.', { 'GET other': { response: (value: object) => ({ old: value }) } })])
  const server = await serveChanges(
    pinned,
    (routes, app) => {
      app.use((req, _res, next) => {
        req.version = 'v1'
        next()
      })
      routes.route('other').get((_req, res) => void res.json(1))
    },
    { defaultVersion: 'v2' },
  )
  expect((await server.get('/other')).json).toEqual({ old: 1 })
})

test.each<Kind>(['response', 'request'])('objects without members are no failure of a %s', async (kind) => {
  const given = { a: {}, b: [[], {}], at: new Date(0), own: { toJSON: () => ({}) } }
  const { answer, errors } = await failing(kind, () => given)
  expect([answer.status, errors]).toEqual([200, []])
  if (kind === 'response') expect(answer.json).toEqual({ a: {}, b: [[], {}], at: '1970-01-01T00:00:00.000Z', own: {} })
})

test.each([
  ['deep', (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`, (body: unknown) => body],
  ['deep, in what a step keeps', (depth: number) => `{"x":${'['.repeat(depth)}${']'.repeat(depth)}}`, Object],
])('a body that is too %s is the fault of the client', async (_what, sent, step) => {
  const odd = change('Odd.', { 'POST other': { request: step } })
  const server = await serveChanges(historyOf([odd]), (routes) => {
    routes.route('other').post((_req, res) => void res.json('served'))
  })
  const answer = await ask(server, 'v1', '/other', { method: 'POST', body: sent(45_000) })
  expect(answer).toMatchObject({ status: 400, json: { code: 'ERR_VERSION_BODY' } })
  expect((await ask(server, 'v1', '/other', { method: 'POST', body: sent(10) })).json).toBe('served')
})

test('an answer whose step failed does not end well, whoever ends it', async () => {
  const odd = change('Odd.', { 'POST other': { response: throwing } })
  const server = await serveChanges(historyOf([odd]), (routes) => {
    routes.route('other').post((_req, res) => {
      res.json({ secret: SECRET })
      res.end()
    })
  })
  const answer = await ask(server, 'v1', '/other', { method: 'POST', body: {} })
  expect(answer.status).toBe(500)
  expect(answer.text).not.toContain(SECRET)
})

describe('middleware in front', () => {
  /** An app with middleware that has put a method of its own on the response before `versioning()`. */
  const wrapped = (wrap: (res: Response, next: (error?: unknown) => void) => void, answer: (res: Response) => void) => {
    const routes = tableOf()
    routes.route('other').post((_req, res) => answer(res))
    const older = { response: () => ({ older: true }), error: () => ({ olderError: true }) }
    const changes = historyOf([change('Odd.', { 'POST other': older })])
    const app = express()
    app.use((_req, res, next) => {
      wrap(res, next)
      next()
    })
    app.use(versioning({ scheme: HeaderVersioning, changes, routes }), routes)
    const onError: ErrorRequestHandler = (_error, _req, res, _next) => void res.status(409).json({ secret: SECRET })
    app.use(onError)
    return listen(app)
  }

  test('that sends an error in place of an answer has that converted', async () => {
    const server = await wrapped(
      (res, next) => {
        const { send } = res
        res.send = function (body) {
          if (this.statusCode >= 400) return send.call(this, body)
          next(new Error('invalid'))
          return this
        }
      },
      (res) => void res.json({ secret: SECRET }),
    )
    const answer = await ask(server, 'v1', '/other', { method: 'POST', body: {} })
    expect([answer.status, answer.json]).toEqual([409, { olderError: true }])
  })

  test.each(['application/json', 'text/plain'])(
    'that answers later, of type %s, sends the older shape',
    async (type) => {
      const server = await wrapped(
        (res) => {
          const { json } = res
          res.json = function (body) {
            setImmediate(() => json.call(this, body))
            return this
          }
        },
        (res) => void res.type(type).json({ secret: SECRET }),
      )
      const answer = await ask(server, 'v1', '/other', { method: 'POST', body: {} })
      expect([answer.status, answer.json]).toEqual([200, { older: true }])
    },
  )
})
