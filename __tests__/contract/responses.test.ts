import { gzipSync } from 'node:zlib'
import { Ajv2020 } from 'ajv/dist/2020'
import express, { type Application, type ErrorRequestHandler, type RequestHandler, type Response } from 'express'
import { HeaderVersioning, versioning } from 'express-versioning'
import { change, shape } from 'express-versioning/changes'
import { type CompileSchema, contract } from 'express-versioning/contract'
import { ask, historyOf, type Table, tableOf } from '../support/changes'
import { lasting } from '../support/lasting'
import { rows } from '../support/rows'
import { serve } from '../support/serve'
import { judged, object, text } from './judged'

const User = { $id: 'User', ...object({ given: text }) }
const UserV1 = object({ name: text })
const split = shape<{ name?: string }, { given: string }>(UserV1 as never, User as never, {
  // Its response for the older version is wrong where the given name is empty.
  response: ({ given }) => (given === '' ? ({} as never) : { name: given }),
})
const changes = historyOf([change('Users have a given name.', { User: split })])
const ajv = new Ajv2020({ allErrors: true, strict: false })
const compile: CompileSchema = (schema) => ajv.compile(schema)

const typed = { content: { 'application/vnd.a+json': object({ a: text }), 'application/json': object({ b: text }) } }
const RESPONSES = {
  200: { $ref: 'User', $defs: { User } },
  201: typed,
  202: null,
  204: null,
  409: { content: { 'text/csv': text } },
}
const good = JSON.stringify({ given: 'Ada' })
const WAYS: Record<string, (res: Response) => unknown> = {
  pieces: (res) => {
    res.writeHead(200, { 'Content-Type': 'application/json' })
    res.write('{"given":', () => {})
    res.end(Buffer.from('7}'), () => {})
  },
  whole: (res) => {
    res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': good.length })
    res.write(good.slice(0, 5))
    res.end(good.slice(5))
  },
  zipped: (res) => res.set('Content-Encoding', 'gzip').type('json').end(gzipSync('{"given":7}')),
  unreadable: (res) => res.set('Content-Encoding', 'x').type('json').end('{"given":7}'),
  html: (res) => {
    res.writeHead(299, { 'Content-Type': 'text/html' })
    res.write('<p>')
    res.end()
  },
  late: (res) => {
    res.status(206).type('json').write('{}')
    res.end()
  },
  twice: (res) => res.json({ given: 'Ada' }).end(),
  moved: (res) => res.redirect('/other'),
  relocated: (res) => res.set('Location', '/other').status(303).end(),
}
const METHODS: Record<string, (res: Response, body: string) => unknown> = {
  json: (res, body) => res.json(JSON.parse(body)),
  jsonp: (res, body) => res.jsonp(JSON.parse(body)),
  send: (res, body) => res.send(body),
  bytes: (res, body) => res.send(Buffer.from(body)),
  end: (res, body) => (body === '' ? res.end() : res.end(body)),
}
/** Responds in one of these ways, or with a status, a type (`-` for none), a method and a body, such as `200 - json {}`. */
const handler: RequestHandler = ({ query }, res, next) => {
  const way = String(query.way)
  const [status, type = '', method = '', body = ''] = way.split(' ')
  if (way === 'next') next(Object.assign(new Error('No.'), { status: 422 }))
  else if (WAYS[way] !== undefined) WAYS[way](res)
  else METHODS[method]?.(type === '-' ? res.status(Number(status)) : res.status(Number(status)).type(type), body)
}
const errors: ErrorRequestHandler = (error, _req, res, _next) => {
  res.status(error.status).json({ code: error.code, issues: error.issues, message: error.message })
}

function addApi(responses: 'warn' | 'throw' | false, app: Application): void {
  const routes = tableOf()
  routes.describe('GET user-list', { response: RESPONSES }).describe('GET other', { response: {} })
  for (const name of ['user-list', 'other'] as const) routes.route(name).get(handler)
  const options = { scheme: HeaderVersioning, changes, routes, neutral: ['/other'] }
  const one = versioning({ ...options, contract: contract({ compile, responses }) })
  // The last one that runs decides. Each response is watched once.
  app.use(one, one, express.json(), routes, errors)
}
const lastingApi = lasting(addApi)
/** An API of its own, because each one warns once. */
const watching = () => serve((app) => addApi('warn', app))

afterEach(() => jest.restoreAllMocks())

const at = (path: string, message: string) => ({ in: 'body', path: path === 'it' ? [] : [path], message })
const CASES = rows(`
  v2 200 - json {"given":"Ada"} | -
  v1 200 - json {"given":"Ada"} | -
  v2 200 - json {"given":7} | given must be string
  v1 200 - json {"given":7} | name must be string
  // the step's response, as it is sent
  v1 200 - json {"given":""} | name must have required property 'name'
  v2 200 - json {"given":""} | -
  v2 200 - bytes {"given":7} | -
  v2 200 json bytes {"given":7} | given must be string
  v2 pieces | given must be string
  v1 pieces | name must be string
  v2 whole | -
  v2 zipped | given must be string
  v2 unreadable | -
  v2 200 json end { | -
  v2 html | -
  // media types
  v2 201 application/vnd.a+json send {"a":1} | a must be string
  v2 201 application/x+json send {"b":"x"} | -
  v2 201 application/x+json send {"c":1} | a must have required property 'a'
  v2 202 - json {} | it has a body, but none is described
  v2 409 - json {} | it has a body, but none is described
  v2 204 - end | -
  v2 202 - end | -
  v2 206 - json {} | it has a status that nobody described
  v1 207 - end | it has a status that nobody described
  v2 503 - json {"any":1} | -
  v2 304 - end | -
  v2 twice | -
  v2 moved | -
  v2 late | it has a status that nobody described
  v2 relocated | -
  v2 303 - json {} | -
  // what was converted is JSON, whatever its type says
  v1 200 html json {"given":""} | name must have required property 'name'
  v2 200 html json {"given":""} | -
  v1 200 - jsonp {"given":""} | name must have required property 'name'
  v2 200 - jsonp {"given":""} | -
  v1 200 text send 7 | -
  v2 200 - end {"given":7} | -
  // error handlers send what they like
  v2 next | -
`)
// An older version rejects some of these itself.
test.each(CASES)('%s: %s', async (sent = '', expected = '') => {
  const [version = '', way = ''] = [sent.slice(0, 2), sent.slice(3)]
  const path = `/users?way=${encodeURIComponent(way)}${way.includes('jsonp') ? '&callback=f' : ''}`
  const warned = jest.spyOn(process, 'emitWarning').mockReturnValue()
  const [plain, watched, thrown] = [await lastingApi(false), await watching(), await lastingApi('throw')]
  const [one, other] = [await ask(plain, version, path), await ask(watched, version, path)]
  const bytes = ({ status, text, headers: { date: _, ...headers } }: typeof one) => ({ status, text, headers })
  expect(bytes(other)).toEqual(bytes(one))
  await ask(watched, version, path)
  const messages = warned.mock.calls.map(([message]) => message)
  const response = await ask(thrown, version, path)
  if (expected === '-') {
    expect([messages, response.status, response.text]).toEqual([[], one.status, one.text])
    return
  }
  const issue = at(expected.slice(0, expected.indexOf(' ')), expected.slice(expected.indexOf(' ') + 1))
  const told = `The response ${one.status} of "GET user-list" in version "${version}" does not fit its document: `
  const message = `${told}${issue.path.length === 0 ? 'it' : `"${issue.path[0]}"`} ${issue.message}.`
  expect(messages).toEqual([message])
  expect(warned.mock.calls[0]).toEqual([message, { code: 'EXPRESS_VERSIONING_CONTRACT' }])
  expect(response).toMatchObject({ status: 500, json: { code: 'ERR_VERSION_CONTRACT', issues: [issue], message } })
})

test('a redirection by HEAD is no JSON', async () => {
  expect((await ask(await lastingApi('throw'), 'v2', '/users?way=moved', { method: 'HEAD' })).status).toBe(302)
})

test('a held response of which an error handler sends the rest is that of the error handler', async () => {
  const failing: RequestHandler = (_req, res, next) => {
    res.type('json').write('{"given":7')
    next(Object.assign(new Error('No.'), { status: 422 }))
  }
  const fill = (routes: Table) =>
    routes
      .describe('GET other', { response: object({ given: text }) })
      .route('other')
      .get(failing)
  const app = await judged(fill, { compile, responses: 'throw' })
  expect(await ask(app, 'v1', '/other')).toMatchObject({ status: 422, json: { error: 'No.' } })
})

const PIECES = 50
/** Sends a response in pieces, each with the same bytes. */
const STREAMS: Record<string, [expected: number, (res: Response) => unknown]> = {
  'an event stream': [0, (res) => res.type('text/event-stream')],
  'a file': [0, (res) => res.type('application/octet-stream')],
  'bytes without a type': [0, () => {}],
  'an undescribed status': [0, (res) => res.status(299).type('json')],
  'a status with an unknown schema': [0, (res) => res.status(206).type('json')],
  'a status without a described body': [0, (res) => res.status(202).type('json')],
  'an undescribed error': [0, (res) => res.status(503).type('json')],
  'described JSON': [PIECES, (res) => res.type('json')],
}
test.each(Object.entries(STREAMS))('%s keeps as many pieces as it is judged by', async (_title, [expected, begin]) => {
  jest.spyOn(process, 'emitWarning').mockReturnValue()
  const piece = Buffer.from('"data" ')
  const copied = jest.spyOn(Buffer, 'from')
  const fill = (routes: Table) => {
    const operation = { responses: { 206: { description: 'A' } } }
    routes.describe('GET other', { response: { 200: {}, 202: null }, operation })
    routes.route('other').get((_req, res) => {
      begin(res)
      for (let index = 0; index < PIECES; index++) res.write(piece)
      res.end()
    })
  }
  const app = await judged(fill, { compile, responses: 'warn' })
  expect((await ask(app, 'v1', '/other')).text).toBe(String(piece).repeat(PIECES))
  expect(copied.mock.calls.filter(([bytes]) => (bytes as unknown) === piece).length).toBe(expected)
})

test('once a warning is given, nothing more is kept for it', async () => {
  const warned = jest.spyOn(process, 'emitWarning').mockReturnValue()
  const app = await watching()
  await ask(app, 'v2', '/users?way=pieces')
  const judged = jest.spyOn(JSON, 'parse')
  const before = judged.mock.calls.length
  await ask(app, 'v2', '/users?way=pieces')
  const parsed = judged.mock.calls.slice(before).filter(([json]) => json === '{"given":7}')
  // The test parses it itself.
  expect([warned.mock.calls.length, parsed.length]).toEqual([1, 1])
})

test('what cannot be judged is told, and ends no process: a late route, and a response deeper than the stack allows', async () => {
  const warned = jest.spyOn(process, 'emitWarning').mockReturnValue()
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
  const nested = (list: unknown): boolean => !Array.isArray(list) || list.every(nested)
  const api = async (responses: 'warn' | 'throw') => {
    let routes = tableOf()
    const fill = (table: Table) => {
      routes = table.describe('GET other', { response: {} })
      routes.route('other').get((_req, res) => void res.type('json').end(deep))
    }
    const app = await judged(fill, { compile: () => nested, responses })
    routes.describe('GET user-list', { response: { $ref: 'Nobody' } })
    routes.route('user-list').get((_req, res) => void setImmediate(() => res.json({})))
    return app
  }
  const [warning, throwing] = [await api('warn'), await api('throw')]
  const told = [
    ['/users', 'The contract failed: it does not hold for routes that were added later.'],
    [
      '/other',
      'The contract failed: the response 200 of "GET other" in version "v2" is nested deeper than the stack allows.',
    ],
  ] as const
  for (const [path, error] of told) {
    expect((await ask(warning, 'v2', path)).status).toBe(200)
    expect(await ask(throwing, 'v2', path)).toMatchObject({
      status: 500,
      json: { code: 'ERR_VERSION_CONTRACT', error },
    })
  }
  expect(warned.mock.calls.map(([message]) => message)).toEqual(told.map(([, message]) => message))
})
