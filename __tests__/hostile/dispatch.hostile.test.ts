import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import corpus from '../corpus/dispatch.json'
import { ask, type HttpResponse, type Sent } from '../support/attack/client'
import { attack, plainRequest, Random } from '../support/attack/grammar'
import { type Kind, Places } from '../support/attack/places'
import { type Plain, type Shape, shapes } from '../support/attack/shapes'
import { figure } from '../support/figures'
import { major } from '../support/major'

/**
 * The version of the matched handler always equals `req.version`. Every handler knows the version of its place and reports
 * `req.version` when a request reaches it. The tests never read a path.
 *
 * `FUZZ_REQUESTS=20000 npx jest dispatch.hostile` sends more; a complaint says by which `FUZZ_SEED` it comes again.
 */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 1000)
const SEED = Number(process.env.FUZZ_SEED ?? 1)
/** The number of requests at once. */
const LANES = 16

/** The servers. Each shape has two: bare, and with middleware, callbacks of parameters and `trust proxy`. */
const targets: { port: number; shape: Shape; title: string }[] = []
const servers: Server[] = []
let control: number

/** Serves an app whose responses cost little: without error pages, stacks and entity tags. Resolves with the port. */
async function start(build: (app: express.Application) => unknown): Promise<number> {
  const app = express().disable('etag').disable('x-powered-by')
  build(app)
  const missing: express.RequestHandler = (_req, res) => void res.status(404).end()
  const fail: express.ErrorRequestHandler = (error, _req, res, _next) => void res.status(error.status ?? 500).end()
  const server = createServer(app.use(missing, fail))
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return (server.address() as AddressInfo).port
}

beforeAll(async () => {
  const each = shapes.flatMap((shape) => [false, true].map((crowded) => ({ shape, crowded })))
  const served = each.map(async ({ shape, crowded }) => {
    const port = await start((app) => shape.build(app.set('trust proxy', crowded), new Places(app, crowded)))
    return { port, shape, title: `${shape.name}${crowded ? ', crowded' : ''}` }
  })
  targets.push(...(await Promise.all(served)))
  // The control app is Express without this package, as Express itself fails on some targets.
  const end: express.RequestHandler = (_req, res) => void res.end()
  const routes = express.Router().all('/:version/*path', end)
  control = await start((app) => app.use(new Places(app, false).moved('x-to')).use('/api', routes, end).use(end))
})

afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
})

/** A fault of a response, and the kind of handler that shows it. */
type Complaint = readonly [kind: Kind | 'response', text: string]

/** Judges a response, and the outcome if the request is one of the shape's plain requests. */
function complaintOf(sent: Sent, plain: Plain | undefined, response: HttpResponse): Complaint | undefined {
  const complaint = strayOf(sent, response)
  // Plain requests may pass middleware of one version on their way to another.
  if (plain === undefined || (complaint !== undefined && complaint[0] !== 'middleware')) return complaint
  const { status = 0, reached } = response
  const last = reached.at(-1)
  // As shapes write it: the last place that it reached, or a status.
  const outcome = JSON.stringify(last === undefined || status >= 400 ? [status] : [last[1], last[3]])
  return outcome === JSON.stringify(plain.slice(1)) ? complaint : ['response', `${outcome} for a plain request`]
}

function strayOf({ bytes, broken }: Sent, { status, reached, hangs }: HttpResponse): Complaint | undefined {
  if (hangs) return ['response', 'no end within ten seconds']
  if (status === undefined) return broken ? undefined : ['response', 'no response']
  if (status >= 500) return ['response', `status ${status}`]
  const isOptions = broken || bytes.startsWith('OPTIONS')
  if (status < 400 && reached.length === 0 && !isOptions) return ['response', `${status} from no handler`]
  // Preflights are never rejected, whatever they name.
  if (isOptions && /^Origin:/m.test(bytes) && /^Access-Control-Request-Method:/m.test(bytes)) return undefined
  const strays = reached.filter(([, , knows, version]) => knows !== null && knows !== version)
  const worst = strays.find(([kind]) => kind !== 'middleware') ?? strays[0]
  if (worst === undefined) return undefined
  const [kind, place, knows, version] = worst
  return [kind, `${kind} "${place}" of ${knows} was reached with req.version ${JSON.stringify(version)}`]
}

/** Expects a request to reach no route, and no callback of `param()`, of another version at any server of a shape. */
async function expectNone(name: string, request: string, plain?: Plain): Promise<void> {
  const found = targets.filter(({ shape }) => shape.name === name)
  expect(found).toHaveLength(2)
  const complaints = found.map(async ({ port, title }) => {
    const sent = plainRequest(request)
    const [kind, text] = complaintOf(sent, plain, await ask(port, sent)) ?? []
    return kind === undefined || kind === 'middleware' ? [] : [title, request, text]
  })
  expect((await Promise.all(complaints)).flat()).toEqual([])
}

test.each(shapes)('every plain request gets its own handler: $name', async ({ name, plain }) => {
  await Promise.all(plain.map((own) => expectNone(name, own[0], own)))
})

test.each(corpus.attacks)('a known attack reaches no handler of another version: $shape: $name', (attack) =>
  expectNone(attack.shape, attack.request),
)

test(
  'of generated requests none reaches a handler of another version, gets a 5xx or no response',
  async () => {
    const counts = { sent: 0, served: 0, route: 0, param: 0, middleware: 0, response: 0 }
    const shown = new Map<string, string>()
    const started = performance.now()
    const judge = async (seed: number) => {
      const random = new Random(seed)
      const { port, shape, title } = random.of(targets)
      // Plain ones in between show that no attack leaves anything behind.
      const plain = random.chance(5) ? random.of(shape.plain) : undefined
      const requests = shape.plain.map(([request]) => request)
      const sent = plain === undefined ? attack(random, requests) : plainRequest(plain[0])
      const response = await ask(port, sent)
      counts.sent++
      if (response.reached.some(([kind]) => kind === 'route')) counts.served++
      const [kind, text] = complaintOf(sent, plain, response) ?? []
      if (kind === undefined) return
      // Express alone responses some bytes with a 5xx.
      if (Number(response.status) >= 500 && Number((await ask(control, sent)).status) >= 500) return
      counts[kind]++
      const key = `${kind}, ${shape.name}`
      const again = `FUZZ_SEED=${seed} FUZZ_REQUESTS=1 npx jest --selectProjects 'express ${major}' dispatch.hostile`
      if (!shown.has(key)) shown.set(key, `${text}\n  ${title}: ${JSON.stringify(sent.bytes)}\n  ${again}`)
    }
    let next = SEED
    const lane = async () => {
      while (next < SEED + REQUESTS) await judge(next++)
    }
    await Promise.all(Array.from({ length: LANES }, lane))
    const seconds = Math.round((performance.now() - started) / 1000)
    const { sent, served, route, param, response, middleware } = counts
    const text = `${sent} requests to ${targets.length} apps in ${seconds} s, ${served} reached a route; of another version: ${route} routes, ${param} callbacks of param(), ${middleware} plain middleware; ${response} bad responses`
    figure({ figure: `dispatch on raw sockets, Express ${major}`, text })
    const [passed, complaints]: [string[], string[]] = [[], []]
    for (const [key, report] of shown) (key.startsWith('middleware') ? passed : complaints).push(report)
    if (process.env.FUZZ_REQUESTS !== undefined) {
      process.stderr.write(`Express ${major}, FUZZ_SEED=${SEED}: ${text}\n${passed.slice(0, 3).join('\n')}\n`)
    }
    expect(complaints.join('\n')).toBe('')
    // An app that rejects everything reaches no handler of another version either.
    if (sent >= 1000) expect(served).toBeGreaterThan(sent / 5)
  },
  Math.max(60_000, REQUESTS * 5),
)
