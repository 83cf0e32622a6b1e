import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import express, { type Application, type ErrorRequestHandler, type RequestHandler } from 'express'
import * as library from 'express-versioning'
import { figure } from '../support/figures'
import { listen } from '../support/serve'
import { inNamespaces, routed } from '../support/tables'

const { AcceptHeaderVersioning, HostNameVersioning, NamespaceVersioning, NotFound, namedRoutes } = library
const { QueryParameterVersioning, URLPathVersioning, versioning } = library

// `npm run prove` sends a million.
const REQUESTS = Number(process.env.LOAD_REQUESTS ?? 1000)
const SLOW = Math.min(REQUESTS / 2, 10_000)
const CONNECTIONS = Math.min(500, REQUESTS / 4)
const ROUNDS = Math.min(5, Math.ceil(REQUESTS / 2000))
const tell: RequestHandler = (req, res) => void res.json({ id: req.get('x-id'), version: req.version })
const reject: ErrorRequestHandler = (error, req, res, _next) =>
  void res.status(error.status ?? 500).json({ id: req.get('x-id'), error: error.message })
const random = (limit: number) => new Promise((done) => setTimeout(done, Math.random() * limit))

class Slow extends QueryParameterVersioning {
  override determineVersion = (async ({ url }: express.Request) => {
    const query = new URL(url, 'http://h').searchParams
    await random(20)
    if (query.has('fail')) throw new NotFound(`no ${query.get('version')}`)
    return query.get('version')
  }) as never
}

function build(app: Application): void {
  app.get('/bare', (req, res) => void res.json({ id: req.get('x-id') }))
  const rules = { defaultVersion: null, allowedVersions: ['v1', 'v2', 'v3'] }
  const schemes = { accept: AcceptHeaderVersioning, host: HostNameVersioning, query: QueryParameterVersioning }
  for (const [name, scheme] of Object.entries(schemes)) app.use(`/${name}`, versioning({ scheme, ...rules }), tell)
  const paths = routed({ items: '/:version/items' }, tell)
  app.use('/path', versioning({ scheme: URLPathVersioning, routes: paths, ...rules }), paths)
  const items = routed({ item: '/items/:id' }, tell)
  const spaces = inNamespaces(namedRoutes({}), { v1: items, v2: items, v3: items, v9: items })
  app.use('/namespace', versioning({ scheme: NamespaceVersioning, routes: spaces, ...rules }), spaces)
  const users = namedRoutes({ user: '/users/:id' })
  const slowly = async (req: express.Request, res: express.Response) => {
    const id = req.get('x-id') as string
    await random(10)
    const link = req.reverse('user', { kwargs: { id } })
    await random(10)
    res.json({ id, version: req.version, link, again: req.reverse('user', { kwargs: { id } }) })
  }
  app.use('/slow', versioning({ scheme: Slow, routes: users }), (req, res, next) => void slowly(req, res).catch(next))
  app.use(reject)
}

/** Serves the app to a client in another process, and expects each request to get its own response. */
async function load(phases: string, all: number) {
  const count = { received: 0, finished: 0 }
  const app = express().use((_req, res, next) => {
    count.received++
    res.on('finish', () => count.finished++)
    next()
  })
  build(app)
  const { port } = await listen(app)
  const words = [join(__dirname, '../prove/client.mjs'), String(port), phases, String(CONNECTIONS)]
  const { stdout } = await promisify(execFile)(process.execPath, words)
  const { seconds, plans, ...told } = JSON.parse(stdout)
  const counts = { sent: all, responded: all, received: all, finished: all }
  expect({ ...count, ...told }).toEqual({ ...counts, wrong: 0, first: [], error: undefined })
  return { seconds, plans }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] as number
test(`${REQUESTS} requests on ${CONNECTIONS} sockets, half of them bad: each gets its own status and version`, async () => {
  const part = REQUESTS / ROUNDS
  const rounds = Array.from({ length: ROUNDS }, (_, round) => round * part)
  const phases = rounds.map((from) => `mixed:${from}:${part},bare:${from}:${part / 2}`).join()
  const { seconds, plans } = await load(phases, REQUESTS * 1.5)
  const p99 = (plan: string) => median(plans[plan].map((phase: { p99: number }) => phase.p99)).toFixed(1)
  const sent = `${REQUESTS} requests (and ${REQUESTS / 2} of bare Express) on ${CONNECTIONS} sockets, none wrong`
  const speed = `${Math.round((REQUESTS * 1.5) / seconds)} per second`
  figure({ figure: 'load', text: `${sent}; p99 ${p99('mixed')} ms, bare Express ${p99('bare')} ms; ${speed}` })
}, 3_600_000)

test(`${SLOW} slow requests that interleave: no version, link or error is ever of another`, async () => {
  await load(`slow:0:${SLOW}`, SLOW)
  figure({ figure: 'interleaving', text: `${SLOW} slow requests on ${CONNECTIONS} sockets, none wrong` })
}, 600_000)
