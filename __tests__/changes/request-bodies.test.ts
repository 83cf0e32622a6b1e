// Bodies of requests: whether there is one, whether a parser has read it, and who gets one that does not fit.
import { connect, createServer, Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import express, { type Application, type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { change, convertRequest, fields, sent } from 'express-versioning/changes'
import { contract } from 'express-versioning/contract'
import { ask, historyOf, type Table, tableOf } from '../support/changes'
import { ADA, OLD_ADA, usersOptions } from '../support/elsewhere'
import { major } from '../support/major'
import { jsonErrors, serve } from '../support/serve'

const Song = { $id: 'Song', type: 'object', required: ['title'], properties: { title: { type: 'string' } } }
const titled = historyOf([change('Songs have a title.', { Song: fields({ renamed: { name: 'title' } }) })])
const stepped = historyOf([
  change('Songs have a title.', { 'POST other': { request: ({ name }: { name: string }) => ({ title: name }) } }),
])
const EVERY = { type: () => true }
const created: RequestHandler = (req, res) => void res.status(201).json({ title: 'x', read: String(req.body) })

beforeEach(() => void jest.spyOn(process, 'emitWarning').mockReturnValue())
afterEach(() => jest.restoreAllMocks())

describe.each([
  ['a shape', titled, {}],
  ['a step of a described operation', stepped, {}],
  ['checks', historyOf([]), { contract: contract({ compile: () => () => true, requests: 'all' }) }],
])('JSON that is described, with %s', (_title, changes, more) => {
  test.each([
    ['bytes', express.raw(EVERY), 415],
    ['text', express.text(EVERY), 415],
    ['a value', express.json(EVERY), 201],
  ])('a parser of every type that makes %s of it', async (_title, parser, status) => {
    const server = await serve((app) => {
      const routes = tableOf().describe('POST other', { body: Song, response: { 201: {} } })
      routes.route('other').post(created)
      app.use(versioning({ scheme: HeaderVersioning, defaultVersion: 'v1', changes, routes, ...more }), parser, routes)
    })
    const types = [
      'application/json',
      'application/json;profile=song',
      'application/hal+json',
      'text/plain',
      'image/png',
    ]
    for (const type of types) {
      const asked = { method: 'POST', body: { name: 'a', title: 'a' }, headers: { 'Content-Type': type } }
      expect({ type, status: (await ask(server, 'v1', '/other', asked)).status }).toEqual({ type, status })
    }
  })
})

// HTTP/2 ---------------------------------------------------------------------------------------------------------------

/** Sends a request by HTTP/2 to an app, as http2-express-bridge lets it. */
async function overHttp2(app: Express, headers: object, body: string | undefined): Promise<[number, string]> {
  for (const [own, base] of [
    [app.request, Http2ServerRequest],
    [app.response, Http2ServerResponse],
  ] as const) {
    const express = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(own))
    Object.setPrototypeOf(own, Object.create(base.prototype, express))
  }
  const server = createServer(app as never).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const stream = client.request({ ':method': 'POST', ':path': '/users', ...headers }, { endStream: body === undefined })
  const status = new Promise<number>((resolve) =>
    stream.once('response', (fields) => resolve(Number(fields[':status']))),
  )
  if (body !== undefined) stream.end(body)
  const result: [number, string] = [await status, await readAll(stream)]
  client.close()
  server.close()
  return result
}
/** A parser that does not ask for a length. */
const reading: RequestHandler = async (req, _res, next) => {
  req.body = JSON.parse(await readAll(req))
  next()
}
const text = JSON.stringify(OLD_ADA)
test.each<[title: string, status: number, parsers: RequestHandler[], headers: object, body: string | undefined]>([
  ['with a length', 201, [express.json()], { 'content-length': text.length }, text],
  ['without a length, and a parser that wants one', 415, [express.json()], {}, text],
  ['without a length, and another parser', 201, [reading], {}, text],
  ['that is none', 415, [express.json()], {}, ''],
  ['that is not there', 400, [express.json()], {}, undefined],
  ['of length 0', 400, [express.json()], { 'content-length': 0 }, ''],
])('a body of HTTP/2 %s: %s', async (_title, status, parsers, headers, body) => {
  const seen: unknown[] = []
  const showing: RequestHandler = (req, res) => {
    // Express 4 and parsers have an empty object for no body.
    const given = Object.keys(Object(req.body)).length === 0 ? null : req.body
    seen.push(given)
    res.status(given === null ? 400 : 201).json(ADA)
  }
  for (const place of [[...parsers, convertRequest], [convertRequest.with(...(parsers as [RequestHandler]))]]) {
    const app = express().use(versioning(usersOptions({ defaultVersion: 'v1' })), ...place, showing, jsonErrors)
    const [got] = await overHttp2(app, { 'content-type': 'application/json', ...headers }, body)
    expect(got).toBe(status)
  }
  const each = { 201: [ADA, ADA], 400: [null, null], 415: [] }
  expect(seen).toEqual(each[status as 201])
})

// Preflights -----------------------------------------------------------------------------------------------------------

const CORS = { Origin: 'https://a.test', 'Access-Control-Request-Method': 'POST' }
const Checked = { body: Song, query: { type: 'object', properties: {} }, response: null }
const strict = contract({ compile: () => () => false, requests: 'all', unknown: 'refuse' })
const allowed: RequestHandler = (_req, res) => void res.status(204).end()
const inTable = (app: Application, ...place: RequestHandler[]) => {
  const routes = tableOf().describe('OPTIONS other', Checked).describe('POST other', { body: Song, response: null })
  routes
    .route('other')
    .options(...place, allowed)
    .post(created)
  const own = { scheme: HeaderVersioning, defaultVersion: 'v1', routes, changes: titled }
  app.use(versioning({ ...own, contract: strict }), express.json(), routes)
}
test.each<[title: string, fill: (app: Application) => unknown]>([
  ['in front of handlers elsewhere', (app) => app.use(express.json(), convertRequest, allowed)],
  ['the same, with() a parser', (app) => app.use(convertRequest.with(express.json()), allowed)],
  ['in a table', (app) => inTable(app)],
  ['in a route with convertRequest', (app) => inTable(app, convertRequest)],
])('a preflight passes, whatever its body and query are: %s', async (title, fill) => {
  const isTable = title.includes('in a ')
  const server = await serve((app) => {
    if (!isTable) app.use(versioning(usersOptions({ defaultVersion: 'v1' })))
    fill(app)
  })
  const path = isTable ? '/other?evil=1' : '/users?evil=1'
  for (const [body, type] of [
    ['', 'application/json'],
    ['{}', 'application/json'],
    ['{"evil":9007199254740993}', 'application/json'],
    ['x', 'text/plain'],
  ] as const) {
    const { status } = await server.send('OPTIONS', path, { ...CORS, 'Content-Type': type }, body)
    expect({ body, status }).toEqual({ body, status: 204 })
  }
})

// Misfits --------------------------------------------------------------------------------------------------------------

const failing = {
  request(): never {
    throw new Error('no')
  },
}
const isNarrow = { query: { type: 'object', properties: {} } }
const goOn: ErrorRequestHandler = (_error, _req, _res, next) => next()
type Seen = { body: unknown; query: object; url: string; sent: object }
/** Notes what a handler has, and what the client sent. */
const noting =
  (seen: Seen[]): RequestHandler =>
  (req, _res, next) => {
    const { body, query, url } = req
    next(void seen.push({ body, query: { ...query }, url, sent: { ...sent(req), query: { ...sent(req).query } } }))
  }
test.each<[title: string, changed: object, more: object, parser?: RequestHandler]>([
  ['a step that fails', failing, {}],
  ['a body that does not fit', {}, { contract: contract({ compile: () => () => false, requests: 'all' }) }],
  [
    'a query that does not fit',
    isNarrow,
    { contract: contract({ compile: () => () => true, unknown: 'refuse', requests: 'all' }) },
  ],
  ['a body that no parser has read', failing, {}, express.raw(EVERY)],
])('after a misfit, nothing unchecked is there: %s', async (_title, described, more, parser = express.json()) => {
  const [behind, left]: Seen[][] = [[], []]
  const done: RequestHandler = (_req, res) => void res.status(404).end()
  const steps = 'request' in described ? { 'POST other': described } : {}
  const query = 'query' in described ? isNarrow : {}
  const changes = historyOf(Object.keys(steps).length === 0 ? [] : [change('Fails.', steps as never)])
  const fill = (handlers: 'elsewhere' | undefined) =>
    serve((app) => {
      const paths = { other: '/other' }
      const routes = (handlers ? namedRoutes(paths, { handlers }) : namedRoutes(paths)) as unknown as Table
      routes.describe('POST other', { body: Song, response: {}, ...query })
      const place = [convertRequest, goOn as never, noting(behind as Seen[])]
      if (!handlers) routes.route('other').post(...place, (_req, _res, next) => next())
      app.use(versioning({ scheme: HeaderVersioning, defaultVersion: 'v1', changes, routes, ...more }), parser)
      app.use(...(handlers ? place : [routes]), noting(left as Seen[]), done)
    })
  for (const handlers of [undefined, 'elsewhere'] as const) {
    const body = { title: 'a' }
    await ask(await fill(handlers), 'v1', '/other?evil=1', { method: 'POST', body })
    const whole = { body: parser.name === 'jsonParser' ? body : expect.any(Buffer), query: { evil: '1' } }
    const nothing = { body: major === 4 ? {} : undefined, query: {}, url: '/other', sent: whole }
    expect(behind?.pop()).toEqual(nothing)
    // The route gives back what was sent.
    expect(left?.pop()).toEqual(handlers ? nothing : { ...whole, url: '/other?evil=1', sent: whole })
  }
})
