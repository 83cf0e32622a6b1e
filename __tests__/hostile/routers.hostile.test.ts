import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type ErrorRequestHandler } from 'express'
import { HeaderVersioning, versioning } from 'express-versioning'
import { change, convertRequest, fields, versionHistory } from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'
import { Random } from '../support/attack/grammar'
import { DOCUMENT, noting, type Outcome, operationOf, pathFrom, program } from '../support/attack/routers'
import { figure } from '../support/figures'
import { major } from '../support/major'

/**
 * Where handlers are elsewhere, none of another operation succeeds in an older version, and nearly all of the right ones do.
 *
 * `FUZZ_REQUESTS=20000 npx jest routers.hostile` sends more; a complaint says by which `FUZZ_SEED` it comes again.
 */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 1000)
const SEED = Number(process.env.FUZZ_SEED ?? 1)
/** The requests to one program. */
const EACH = 25

const changes = versionHistory('v1').version(
  'v2',
  change('Things have a title.', { Thing: fields({ renamed: { name: 'title' } }) }),
)
const options = { scheme: HeaderVersioning, defaultVersion: 'v1', changes, routes: routesOf(DOCUMENT) }

let app: RequestListener
const server = createServer((req, res) => app(req, res)).listen(0, '127.0.0.1')
let port: number
beforeAll(async () => {
  if (!server.listening) await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(() => void server.close().closeAllConnections())

async function statusOf(path: string, id: number): Promise<[status: number, body: string]> {
  const [response] = (await once(get({ port, path, headers: { 'X-Id': id } }), 'response')) as [IncomingMessage]
  let body = ''
  for await (const piece of response.setEncoding('utf8')) body += piece
  return [response.statusCode as number, body]
}

test(
  'in random programs, no handler of another operation succeeds, and at most 1 of 200 right ones does not',
  async () => {
    const counts = { sent: 0, right: 0, rejected: 0, others: 0, wrong: 0 }
    const shown = { rejected: [] as string[], wrong: [] as string[] }
    const fail: ErrorRequestHandler = (error, _req, res, _next) =>
      void res.status(error.status ?? 500).json({ error: error.message })
    for (let seed = SEED; counts.sent < REQUESTS; seed++) {
      const random = new Random(seed)
      const outcomes = new Map<number, Outcome>()
      const built = express().disable('x-powered-by')
      built.use(noting((req) => outcomes.get(Number(req.headers['x-id'])) as Outcome))
      built.use(versioning(options), convertRequest)
      const lines = program(random, built)
      app = built.use(fail) as RequestListener
      const paths = Array.from({ length: EACH }, () => pathFrom(random))
      const judged = paths.map(async (path, id) => {
        const outcome: Outcome = {}
        outcomes.set(id, outcome)
        const [status, body] = await statusOf(path, id)
        const own = operationOf(path)
        counts.sent++
        const { operation } = outcome
        if (operation === undefined) return
        const kind = operation === own ? 'right' : 'others'
        counts[kind]++
        const again = `FUZZ_SEED=${seed} FUZZ_REQUESTS=1 npx jest --selectProjects 'express ${major}' routers.hostile`
        const told = `GET ${path} of ${own}: ${status} ${body} from ${operation}\n${lines.join('\n')}\n${again}`
        if (kind === 'right' && status !== 200) {
          counts.rejected++
          shown.rejected.push(told)
        } else if (status < 400 && (kind === 'others' || body !== '{"name":"Yesterday"}')) {
          counts.wrong++
          shown.wrong.push(told)
        }
      })
      await Promise.all(judged)
    }
    const { sent, right, rejected, others, wrong } = counts
    const said = `${sent} requests: ${right} to handlers of their operation, of which ${rejected} were rejected; ${others} to others, of which ${wrong} succeeded`
    figure({ figure: `handlers elsewhere in random programs, Express ${major}`, text: said })
    if (process.env.FUZZ_REQUESTS !== undefined) {
      process.stderr.write(
        `Express ${major}, FUZZ_SEED=${SEED}: ${said}\n${shown.rejected.slice(0, 12).join('\n\n')}\n`,
      )
    }
    expect(shown.wrong.slice(0, 3).join('\n\n')).toBe('')
    if (sent < 1000) return
    expect(right).toBeGreaterThan(sent / 10)
    expect(rejected / right).toBeLessThanOrEqual(1 / 200)
  },
  Math.max(60_000, REQUESTS * 5),
)
