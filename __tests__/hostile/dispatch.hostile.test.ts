import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import corpus from '../corpus/dispatch.json'
import { type Answer, exchange, type Sent } from '../support/attack/client'
import { attack, plainRequest, Random } from '../support/attack/grammar'
import { type Kind, NUMBER, Places } from '../support/attack/places'
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
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000)
const CHUNK = 16_000
/** The number of servers that get requests at once, so that a server that waits for bytes does not block the others. */
const LANES = 6

/** A server, and the numbers of the requests that it is busy with. */
interface Served {
  readonly port: number
  readonly busy: (number: number) => boolean
}

/** A shape, built twice: bare, and with middleware, callbacks of parameters and `trust proxy`. */
interface Target extends Served {
  readonly shape: Shape
  /** The shape's plain requests. */
  readonly requests: readonly string[]
  readonly title: string
}

const targets: Target[] = []
const servers: Server[] = []
let control: Served

async function start(app: express.Application): Promise<Served> {
  const open = new Set<number>()
  const server = createServer((req, res) => {
    const field = req.headers[NUMBER.toLowerCase()]
    if (typeof field === 'string' && /^\d+$/.test(field)) {
      const number = Number(field)
      res.setHeader(NUMBER, field)
      open.add(number)
      res.on('close', () => open.delete(number))
    }
    app(req, res)
  })
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { port: (server.address() as AddressInfo).port, busy: (number) => open.has(number) }
}

/** An app whose answers cost little: without error pages, stacks and entity tags. */
function appOf(build: (app: express.Application) => unknown): express.Application {
  const app = express().disable('etag').disable('x-powered-by')
  build(app)
  app.use((_req, res) => void res.status(404).end())
  app.use(((error, _req, res, _next) => {
    res.status(error.status ?? 500).end()
  }) as express.ErrorRequestHandler)
  return app
}

beforeAll(async () => {
  for (const shape of shapes) {
    for (const crowded of [false, true]) {
      const app = appOf((app) => shape.build(app.set('trust proxy', crowded), new Places(app, crowded)))
      const requests = shape.plain.map(([request]) => request)
      targets.push({ shape, requests, title: `${shape.name}${crowded ? ', crowded' : ''}`, ...(await start(app)) })
    }
  }
  // The control app is Express without this package, as Express itself fails on some targets.
  const end: express.RequestHandler = (_req, res) => void res.end()
  control = await start(
    appOf((app) => {
      app.use(new Places(app, false).moved('x-to'))
      app.use('/api', express.Router().all('/:version/*path', end)).use(end)
    }),
  )
})

afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
})

/** A fault of an answer, and the kind of handler that shows it. */
interface Complaint {
  readonly kind: Kind | 'answer'
  readonly text: string
}

function complaintOf(sent: Sent, answer: Answer): Complaint | undefined {
  const { status, reached, hangs } = answer
  if (hangs) return { kind: 'answer', text: 'no end within ten seconds' }
  if (status === undefined) return sent.broken ? undefined : { kind: 'answer', text: 'no answer' }
  if (status >= 500) return { kind: 'answer', text: `status ${status}` }
  const isOptions = sent.broken || sent.bytes.startsWith('OPTIONS')
  if (status < 400 && reached.length === 0 && !isOptions) return { kind: 'answer', text: `${status} from no handler` }
  // Preflights are never refused, whatever they name.
  if (isOptions && /^Origin:/m.test(sent.bytes) && /^Access-Control-Request-Method:/m.test(sent.bytes)) return undefined
  const strays = reached.filter(([, , knows, version]) => knows !== null && !knows.some((known) => known === version))
  const [worst] = [...strays].sort(([one], [other]) => Number(one === 'middleware') - Number(other === 'middleware'))
  if (worst === undefined) return undefined
  const [kind, place, knows, version] = worst
  const of = `${kind} "${place}" of ${knows?.join(' or ')}`
  return { kind, text: `${of} was reached with req.version ${JSON.stringify(version)}` }
}

/** Returns the outcome of a plain request as shapes write it: the last place that it reached, or a status. */
function outcomeOf({ status = 0, reached }: Answer): readonly (string | number | null)[] {
  const last = reached.at(-1)
  return last === undefined || status >= 400 ? [status] : [last[1], last[3]]
}

function targetsOf(name: string): Target[] {
  const found = targets.filter(({ shape }) => shape.name === name)
  if (found.length === 0) throw new Error(`No shape is called ${name}.`)
  return found
}

async function ask(target: Served, sent: Sent): Promise<Answer> {
  const [answer] = await exchange(target.port, [sent], target.busy)
  return answer as Answer
}

describe('every plain request gets its own handler', () => {
  test.each(shapes)('$name', async ({ name, plain }) => {
    for (const target of targetsOf(name)) {
      const sent = plain.map(([request]) => plainRequest(request))
      const answers = await exchange(target.port, sent, target.busy)
      const seen = plain.map(([request], index) => [request, ...outcomeOf(answers[index] as Answer)])
      expect({ [target.title]: seen }).toEqual({ [target.title]: plain })
      const complaints = answers.map((answer, index) => complaintOf(sent[index] as Sent, answer))
      // Plain requests may pass middleware of one version on their way to another.
      expect(complaints.filter((complaint) => complaint !== undefined && complaint.kind !== 'middleware')).toEqual([])
    }
  })
})

describe('no known attack reaches a handler of another version', () => {
  test.each(corpus.attacks)('$shape: $name', async ({ shape, request }) => {
    for (const target of targetsOf(shape)) {
      const sent = plainRequest(request)
      const complaint = complaintOf(sent, await ask(target, sent))
      expect(complaint?.kind === 'middleware' ? undefined : complaint).toBeUndefined()
    }
  })
})

/** A generated request, and the seed that makes it again. */
interface Case {
  readonly seed: number
  readonly sent: Sent
  /** The expected outcome if it is one of the shape's plain requests. */
  readonly plain: Plain | undefined
}

/** The requests of some seeds, by the app that they go to. */
function generated(from: number, until: number): [Target, Case[]][] {
  const cases = new Map<Target, Case[]>()
  for (let seed = from; seed < until; seed++) {
    const random = new Random(seed)
    const target = random.of(targets)
    // Plain ones in between show that no attack leaves anything behind.
    const own = random.chance(5) ? random.of(target.shape.plain) : undefined
    const sent = own === undefined ? attack(random, target.requests) : plainRequest(own[0])
    const list = cases.get(target) ?? []
    cases.set(target, list)
    list.push({ seed, sent, plain: own })
  }
  return [...cases]
}

function caseComplaint({ sent, plain }: Case, answer: Answer): Complaint | undefined {
  const complaint = complaintOf(sent, answer)
  if (plain === undefined || (complaint !== undefined && complaint.kind !== 'middleware')) return complaint
  const outcome = JSON.stringify(outcomeOf(answer))
  if (outcome === JSON.stringify(plain.slice(1))) return complaint
  return { kind: 'answer', text: `${outcome} for a plain request` }
}

/** Tells whether Express alone also answers these bytes with a 5xx. */
async function isOfExpress(sent: Sent, { status = 0 }: Answer): Promise<boolean> {
  return status >= 500 && ((await ask(control, sent)).status ?? 0) >= 500
}

test(
  'of generated requests none reaches a handler of another version, gets a 5xx or no answer',
  async () => {
    const counts = { sent: 0, served: 0, route: 0, param: 0, middleware: 0, answer: 0 }
    const shown = new Map<string, string>()
    const started = performance.now()
    const judge = async (target: Target, one: Case, answer: Answer) => {
      counts.sent++
      if (answer.reached.some(([kind]) => kind === 'route')) counts.served++
      const complaint = caseComplaint(one, answer)
      if (complaint === undefined || (await isOfExpress(one.sent, answer))) return
      counts[complaint.kind]++
      const key = `${complaint.kind}, ${target.shape.name}`
      if (!shown.has(key)) shown.set(key, reportOf(target, one, complaint))
    }
    for (let from = SEED; from < SEED + REQUESTS; from += CHUNK) {
      const work = generated(from, Math.min(from + CHUNK, SEED + REQUESTS))
      const lane = async () => {
        for (let next = work.shift(); next !== undefined; next = work.shift()) {
          const [target, cases] = next
          const sent = cases.map((one) => one.sent)
          const answers = await exchange(target.port, sent, target.busy)
          for (const [index, one] of cases.entries()) await judge(target, one, answers[index] as Answer)
        }
      }
      await Promise.all(Array.from({ length: LANES }, lane))
    }
    const seconds = Math.round((performance.now() - started) / 1000)
    const { sent, served, route, param, answer, middleware } = counts
    const text = `${sent} requests to ${targets.length} apps in ${seconds} s, ${served} reached a route; of another version: ${route} routes, ${param} callbacks of param(), ${middleware} plain middleware; ${answer} bad answers`
    figure({ figure: `dispatch on raw sockets, Express ${major}`, text })
    const passed = [...shown].filter(([key]) => key.startsWith('middleware')).map(([, report]) => report)
    const complaints = [...shown.values()].filter((report) => !passed.includes(report))
    if (process.env.FUZZ_REQUESTS !== undefined) {
      process.stderr.write(`Express ${major}, FUZZ_SEED=${SEED}: ${text}\n${passed.slice(0, 3).join('\n')}\n`)
    }
    expect(complaints.join('\n')).toBe('')
    // An app that refuses everything reaches no handler of another version either.
    if (sent >= 1000) expect(served).toBeGreaterThan(sent / 5)
  },
  Math.max(60_000, REQUESTS * 5),
)

function reportOf(target: Target, { seed, sent }: Case, { text }: Complaint): string {
  return `${text}
  ${target.title}: ${JSON.stringify(sent.bytes)}
  FUZZ_SEED=${seed} FUZZ_REQUESTS=1 npx jest --selectProjects 'express ${major}' dispatch.hostile`
}
