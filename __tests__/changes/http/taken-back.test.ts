// An error in the place of another response has the header fields from before its handler, and none of the handler's.
import express, { type Application, type RequestHandler, type Response, Router } from 'express'
import { deprecated, HeaderVersioning, type VersioningOptions, versioning } from 'express-versioning'
import { change, convertRequest, type OperationChange } from 'express-versioning/changes'
import { contract } from 'express-versioning/contract'
import { ask, historyOf, type Table, tableOf } from '../../support/changes'
import { both, OLD_ADA, serveUsers } from '../../support/elsewhere'
import { type HttpResponse, type Served, serve } from '../../support/serve'

/** Middleware in front: some fields are only its own, and handlers change others. */
const front: RequestHandler = (_req, res, next) => {
  res.set({ 'X-Request-Id': '7', 'Access-Control-Allow-Origin': '*', 'X-Limit': '9', 'X-Removed': 'a', Vary: 'Origin' })
  res.append('Set-Cookie', ['session=1', 'other=2'])
  next()
}
const own = (res: Response) => {
  res
    .location('/a')
    .cookie('token', 'secret')
    .vary('Accept')
    .set({ 'X-Total': '1', 'X-Limit': '8', Link: '</b>; rel="next"' })
  res
    .appendHeader('Set-Cookie', 'late=3')
    .set({ ETag: '"a"', 'Content-Disposition': 'attachment', 'Cache-Control': 'no-store' })
  res.removeHeader('X-Removed')
  return res
}
const before = (isBehind = false) => ({
  'x-request-id': '7',
  'access-control-allow-origin': '*',
  'x-limit': '9',
  'x-removed': 'a',
  vary: isBehind ? 'Origin' : 'Origin, X-API-Version',
  'set-cookie': 'session=1, other=2',
  'x-powered-by': 'Express',
  'cache-control': 'no-store',
  'api-version': 'v1',
  'api-supported-versions': 'v1, v2',
})
/** Returns the header fields that are not of the error itself. */
function kept({ status, json, headers }: HttpResponse): unknown {
  expect([status, (json as { code?: string } | undefined)?.code]).toEqual([500, expect.stringMatching(/^ERR_VERSION_/)])
  const { date, connection, etag, 'content-length': length, 'content-type': type, ...fields } = headers
  return fields
}

type Fill = (routes: Table, app: Router) => unknown
const failing: OperationChange = { request: (body: object) => body, response: () => Promise.resolve() }
/** Serves POST of `/other` with steps, of which the `response` fails. The middleware is in front of `versioning()`, or behind it. */
const serveOther = (fill: Fill, isBehind = false, options: Partial<VersioningOptions> = {}): Promise<Served> =>
  serve((app) => {
    const routes = tableOf().describe('POST other', { body: {}, response: { 200: {} } })
    const plain = Router()
    fill(routes, plain)
    const changes = historyOf([change('Odd.', { 'POST other': failing })])
    const reporting = {
      scheme: HeaderVersioning,
      defaultVersion: 'v1',
      changes,
      routes,
      reportVersions: true,
      ...options,
    }
    const own = versioning(reporting)
    app.use(isBehind ? [own, front] : [front, own], express.json(), plain, routes)
  })
const asked = { method: 'POST', body: {} }
const next: RequestHandler = (_req, _res, next) => next()
const sends =
  (send: (res: Response) => unknown): RequestHandler =>
  (_req, res) =>
    void send(own(res))

const SENT: [title: string, send: (res: Response) => unknown][] = [
  ['201', (res) => res.status(201).json({})],
  ['a redirection', (res) => res.redirect('/a')],
  ['204', (res) => res.sendStatus(204)],
  ['a head with fields', (res) => res.writeHead(200, { 'X-Head': 'a', 'Set-Cookie': ['b=1'] }).end('text')],
  ['pieces', (res) => [res.write('text'), res.end('more')]],
]
const WHO: [title: string, fill: (sending: RequestHandler) => Fill][] = [
  ['behind a route', (sending) => (routes, app) => [routes.route('other').post(next), app.use(routes, sending)]],
  ['in front of convertRequest', (sending) => (routes) => routes.route('other').post(sending, convertRequest)],
]
const CASES = SENT.flatMap(([title, send]) => WHO.map(([who, fill]) => [title, who, fill(sends(send))] as const))
test.each(CASES)('an unconverted response leaves nothing: %s, %s', async (_title, _who, fill) => {
  for (const isBehind of [false, true]) {
    const server = await serveOther(fill, isBehind)
    expect(kept(await ask(server, 'v1', '/other', asked))).toEqual(before(isBehind))
  }
})

const json = sends((res) => res.status(201).json({}))
const unsaid = sends((res) => res.status(202).json({}))
const limited: RequestHandler = (_req, res, next) => [res.set('X-Limit', '7'), next()]
test.each<[title: string, handlers: RequestHandler[], others: object]>([
  ['by res.json', [json], {}],
  ['in pieces', [sends((res) => [res.type('json').status(201).write('{'), res.end('}')])], {}],
  [
    'of a deprecated route',
    [deprecated({ since: '2026-01-01', info: 'http://c/' }), json],
    { deprecation: '@1767225600', link: '<http://c/>; rel="deprecation"; type="text/html"' },
  ],
  ['behind middleware and convertRequest', [limited, convertRequest, json], { 'x-limit': '7' }],
])('a response whose conversion fails leaves nothing: %s', async (_title, handlers, others) => {
  const server = await serveOther((routes) => routes.route('other').post(handlers))
  expect(kept(await ask(server, 'v1', '/other', asked))).toEqual({ ...before(), ...others })
})

test.each(['v1', 'v2'])('nor does one that does not fit its contract, in %s', async (version) => {
  const judging = contract({ compile: () => () => true, requests: false, responses: 'throw' })
  const changes = historyOf([change('Odd.', { 'POST other': { headers: { 'X-Other': null } } })])
  const fill: Fill = (routes) => routes.route('other').post(json)
  const server = await serveOther(fill, false, { contract: judging, changes })
  expect(kept(await ask(server, version, '/other', asked))).toEqual({ ...before(), 'api-version': version })
})

test('in front of handlers elsewhere, fields stay that middleware set until convertRequest', async () => {
  const fill = (app: Application) => app.use(limited, both(Router() as Application), unsaid)
  const server = await serveUsers(fill, { front: [front] })
  const { vary, 'cache-control': cache, ...others } = before()
  const fields = kept(await ask(server, 'v1', '/users', { method: 'POST', body: OLD_ADA }))
  expect(fields).toMatchObject({ 'x-limit': '7', 'x-request-id': '7', 'set-cookie': others['set-cookie'] })
  for (const name of ['location', 'x-total', 'link']) expect(fields).not.toHaveProperty(name)
})
