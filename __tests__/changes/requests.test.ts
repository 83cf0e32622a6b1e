import express, { type Request, type RequestHandler } from 'express'
import { HeaderVersioning, versioning } from 'express-versioning'
import { change } from 'express-versioning/changes'
import { ask, historyOf, serveChanges, tableOf } from '../support/changes'
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

const echo: RequestHandler = (req, res) => void res.json({ body: req.body ?? null, query: req.query })
const OLD = { name: 'Ada Lovelace' }
const NEW = { given: 'Ada', family: 'Lovelace' }

const echoing = (options: Parameters<typeof serveChanges>[2] = {}) =>
  serveChanges(
    history,
    (users) => {
      users.route('user-list').get(echo).post(echo)
      users.route('other').post(echo)
    },
    options,
  )

const nothingRead = major === 4 ? {} : null

describe('a body', () => {
  test.each([
    ['v1', '/users', OLD, NEW],
    ['v2', '/users', NEW, NEW],
    ['v2', '/users', OLD, OLD],
    ['v1', '/other', OLD, OLD],
  ])('%s %s: %j is %j', async (version, path, sent, body) => {
    const answer = await ask(await echoing(), version, path, { method: 'POST', body: sent })
    expect(answer.json).toEqual({ body, query: {} })
  })

  test.each<[title: string, headers: Record<string, string>, parser: RequestHandler, sent: string, body: unknown]>([
    [
      'bytes',
      { 'Content-Type': 'application/octet-stream' },
      express.raw(),
      'Ada',
      { type: 'Buffer', data: [65, 100, 97] },
    ],
    [
      'what another parser set by itself',
      { 'Content-Type': 'application/json' },
      (req, _res, next) => {
        req.body = OLD
        next()
      },
      '{}',
      NEW,
    ],
  ])('%s', async (_title, headers, parser, sent, body) => {
    const answer = await ask(await echoing({ parser }), 'v1', '/users', { method: 'POST', body: sent, headers })
    if (body === 'refused') expect(answer).toMatchObject({ status: 400, json: { code: 'ERR_VERSION_BODY' } })
    else expect(answer.json).toEqual({ body, query: {} })
  })

  test.each([
    ['a request without one', {}],
    ['a request with a type and no body', { 'Content-Type': 'application/json' }],
  ])('%s skips the step', async (_title, headers) => {
    const answer = await ask(await echoing(), 'v1', '/users', { method: 'POST', headers })
    expect(answer.json).toEqual({ body: nothingRead, query: {} })
  })

  const empty = { 'Content-Type': 'application/json', 'Content-Length': '0' }

  const none: RequestHandler = (_req, _res, next) => next()

  test('of no length is none without a parser', async () => {
    const answer = await ask(await echoing({ parser: none }), 'v1', '/users', { method: 'POST', headers: empty })
    expect(answer).toMatchObject({ status: 200, json: { body: null } })
  })

  test.each<[title: string, parser: RequestHandler, headers: Record<string, string>]>([
    ['nothing read it', none, {}],
    ['a parser of something else left it', express.urlencoded({ extended: false }), {}],
    ['it was read as bytes', express.raw({ type: '*/*' }), {}],
    [
      'what Express 4 leaves stands there',
      (req, _res, next) => {
        req.body = {}
        next()
      },
      {},
    ],
    ['it was read, and not kept', (req, _res, next) => void req.resume().once('end', () => next()), {}],
  ])('that no parser has read as JSON is refused: %s', async (_title, parser, headers) => {
    const server = await echoing({ parser })
    const answer = await ask(server, 'v1', '/users', { method: 'POST', body: OLD, headers })
    expect(answer).toMatchObject({
      status: 415,
      json: {
        name: 'VersioningError',
        code: 'ERR_VERSION_BODY',
        error: 'No parser takes the type or encoding of this body.',
      },
    })
  })

  test.each([
    'application/problem+json',
    'application/merge-patch+json',
    'text/json',
    'application/json, application/json',
    'application/json;',
  ])('of a type that no parser takes is refused, with one warning: %s', async (type) => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const server = await echoing({ parser: express.json({ type: () => false }) })
    const newest = await ask(server, 'v2', '/users', { method: 'POST', body: NEW, headers: { 'Content-Type': type } })
    const old = () => ask(server, 'v1', '/users', { method: 'POST', body: OLD, headers: { 'Content-Type': type } })
    expect(await old()).toMatchObject({ status: 415, json: { code: 'ERR_VERSION_BODY' } })
    expect((await old()).status).toBe(415)
    expect(newest.status).toBe(200)
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/"POST user-list".*Put express\.json\(\) in front/), { code: 'EXPRESS_VERSIONING_BODY' }],
    ])
    warn.mockRestore()
  })

  test('is converted when the handlers begin: parsers may stand anywhere before them', async () => {
    const routes = tableOf()
    const seen: unknown[] = []
    const note: RequestHandler = (req, _res, next) => {
      seen.push(req.body)
      next()
    }
    routes.use(express.json(), note)
    routes.route('user-list').get(echo).post(note, echo)
    const server = await serve((app) => {
      app.use(versioning({ scheme: HeaderVersioning, changes: history, routes }), routes)
    })
    await ask(server, 'v1', '/users', { method: 'POST', body: OLD })
    expect(seen).toEqual([OLD, NEW])
  })
})

describe('the query', () => {
  test.each(['simple', 'extended'])('of the query parser %s', async (parser) => {
    const server = await serveChanges(history, (users, app) => {
      app.set('query parser', parser)
      users.route('user-list').get(echo)
    })
    expect((await ask(server, 'v1', '/users?name=Ada&x=1&x=2')).json).toMatchObject({
      query: { given: 'Ada', x: ['1', '2'] },
    })
  })
})

describe('a route that is left gives back what was sent', () => {
  const own = change('Each has its own.', {
    'POST user-list': {
      request(body: { steps: string[] }) {
        body.steps.push('list')
        return body
      },
      query: (query: object) => ({ ...query, list: 1 }),
    },
    'POST other': { request: ({ steps }: { steps: string[] }) => ({ steps: [...steps, 'other'] }) },
  })
  const shown = (req: Request) => ({ body: req.body, query: { ...req.query } })

  test('to an error handler, too', async () => {
    const server = await serveChanges(historyOf([own]), (routes, app) => {
      routes.route('user-list').post((_req, _res, next) => next(new Error('no')))
      app.use(routes, (_error: unknown, req: Request, res: express.Response, _next: express.NextFunction) => {
        res.json(shown(req))
      })
    })
    const answer = await ask(server, 'v1', '/users?q=1', { method: 'POST', body: { steps: ['sent'] } })
    expect(answer.json).toEqual({ body: { steps: ['sent'] }, query: { q: '1' } })
  })

  test('an own property of the request stays one, and what was none is none again', async () => {
    const owned: unknown[] = []
    const note: RequestHandler = (req, _res, next) => {
      owned.push(['body', 'query'].map((name) => Object.hasOwn(req, name)))
      next()
    }
    const server = await serveChanges(historyOf([own]), (routes, app) => {
      app.use(note)
      routes.route('user-list').post(note)
      app.use(routes, note, (_req, res) => void res.json(null))
    })
    await ask(server, 'v1', '/users', { method: 'POST', body: { steps: [] } })
    expect(owned[1]).toEqual([true, true])
    expect(owned[2]).toEqual(owned[0])
  })

  // As express-openapi-validator leaves it on Express 5.
  test('a query that middleware has fixed is converted, and given back', async () => {
    const fixed = change('X.', { 'GET user-list': { query: (query: object) => ({ ...query, list: 1 }) } })
    const fix: RequestHandler = (req, _res, next) => {
      Object.defineProperty(req, 'query', { configurable: false, writable: true, value: { a: '1' } })
      next()
    }
    const queries: unknown[] = []
    const note: RequestHandler = (req, _res, next) => {
      queries.push(req.query)
      next()
    }
    const server = await serveChanges(historyOf([fixed]), (routes, app) => {
      app.use(fix)
      routes.route('user-list').get(note)
      app.use(routes, note, (_req, res) => void res.json(null))
    })
    expect((await ask(server, 'v1', '/users')).status).toBe(200)
    expect(queries).toEqual([{ a: '1', list: 1 }, { a: '1' }])
  })
})

test('the request passes the changes in their order, body and query alike', async () => {
  const mark = (text: string) =>
    change(text, {
      'POST other': {
        request: ({ path }: { path: string }) => ({ path: `${path} ${text}` }),
        query: ({ path = '' }: { path?: string }) => ({ path: `${path} ${text}` }),
      },
    })
  const server = await serveChanges(historyOf([mark('2a'), mark('2b')], [], [mark('4')]), (routes) => {
    routes.route('other').post(echo)
  })
  const outcomes = []
  for (const version of ['v1', 'v2', 'v3', 'v4']) {
    const { json } = await ask(server, version, '/other?path=q', { method: 'POST', body: { path: 'b' } })
    outcomes.push(json)
  }
  expect(outcomes).toEqual([
    { body: { path: 'b 2a 2b 4' }, query: { path: 'q 2a 2b 4' } },
    { body: { path: 'b 4' }, query: { path: 'q 4' } },
    { body: { path: 'b 4' }, query: { path: 'q 4' } },
    { body: { path: 'b' }, query: { path: 'q' } },
  ])
})

test('chunks that nothing read are an error, and a request of chunks is converted', async () => {
  const chunked = async (parser: RequestHandler) => {
    const { port, raw } = await echoing({ parser })
    const body = JSON.stringify(OLD)
    const head = `POST /users HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-API-Version: v1\r\nConnection: close\r\n`
    return raw(
      `${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    )
  }
  expect(await chunked(express.json())).toContain(JSON.stringify(NEW))
  expect(await chunked((_req, _res, next) => next())).toContain('415 Unsupported Media Type')
})

test('a copy of the request has the newer body and query', async () => {
  const newer = () => ({ newer: true })
  const both = change('Both.', { 'POST other': { request: newer, query: newer } })
  const server = await serveChanges(historyOf([both]), (routes) => {
    routes.route('other').post((req, res) => {
      const { body, query } = { ...req }
      res.json([body, query])
    })
  })
  const answer = await ask(server, 'v1', '/other', { method: 'POST', body: {} })
  expect(answer.json).toEqual([{ newer: true }, { newer: true }])
})
