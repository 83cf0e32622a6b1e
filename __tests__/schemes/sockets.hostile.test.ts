import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import express from 'express'
import { VersioningError, versioning } from 'express-versioning'
import { hostileRequests, MARKER } from '../support/corpus'
import { figure } from '../support/figures'
import { major } from '../support/major'
import { oracles, type Rules, type SchemeOracle, verdict } from '../support/oracle'

const RULES: Rules = { defaultVersion: 'v1', allowedVersions: ['v2', 'v3'] }
const HANG = 10_000
/** Every sixth request, or all with `FUZZ_REQUESTS`, as in CI and `npm run prove`. */
const REQUESTS = hostileRequests.filter((_, index) => process.env.FUZZ_REQUESTS !== undefined || index % 6 === 0)

/** The server's view of one request. */
interface Seen {
  method: string
  url: string
  headers: IncomingHttpHeaders
  hosts: number
  outcome: { version: string | null | undefined } | 'refused' | Error
}

/** One scheme on a server that answers errors as Express does, stack and all. */
async function serverOf(oracle: SchemeOracle, seen: Seen[]): Promise<{ server: Server; port: number }> {
  const app = express()
  const note = ({ method, url, headers, rawHeaders }: express.Request, outcome: Seen['outcome']) => {
    const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && /^host$/i.test(name)).length
    seen.push({ method, url, headers, hosts, outcome })
  }
  app.use(versioning(oracle.options(RULES)))
  app.use((req, res) => {
    note(req, { version: req.version })
    res.json({ version: req.version })
  })
  app.use(((error, req, _res, next) => {
    note(req, error instanceof VersioningError ? 'refused' : error)
    next(error)
  }) as express.ErrorRequestHandler)
  const server = createServer(app)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { server, port: (server.address() as AddressInfo).port }
}

/** All that comes back until the socket is closed; `undefined` when it is not. */
function exchange(port: number, bytes: string): Promise<string | undefined> {
  return new Promise((done) => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes, 'latin1'))
    const timer = setTimeout(() => {
      done(undefined)
      socket.destroy()
    }, HANG)
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      received += chunk
    })
    // A reset is also an end. Node closes the socket on a parse error while bytes still arrive.
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      done(received)
    })
  })
}

/** Returns the fault of an answer, if it has one. */
function complaint(oracle: SchemeOracle, answer: string | undefined, seen: readonly Seen[]): string | undefined {
  if (answer === undefined) return 'no end within ten seconds'
  const [head = ''] = answer.split('\r\n\r\n', 1)
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)
  if (status >= 500) return `status ${status}`
  if (status >= 400 && answer.slice(head.length).includes(MARKER)) return 'the marker in the body of an error'
  if (head.includes(MARKER)) return 'the marker in a header'
  for (const { method, url, headers, hosts, outcome } of seen) {
    if (outcome instanceof Error) return `an error that is no refusal: ${outcome.message}`
    const expected = verdict(oracle, RULES, { method, url, headers, hosts })
    if (JSON.stringify(outcome) !== JSON.stringify(expected)) {
      return `${JSON.stringify(outcome)}, and the specification says ${JSON.stringify(expected)}`
    }
  }
  if (status !== 0 && status < 400 && seen.length === 0) return 'an answer without a request'
  return undefined
}

test('the corpus is as large as it says', () => {
  expect(hostileRequests.length).toBeGreaterThanOrEqual(1000)
  expect(new Set(hostileRequests).size).toBe(hostileRequests.length)
})

test.each(oracles.map((oracle) => [oracle.name, oracle] as const))(
  '%s: every hostile request is answered, none with 5xx, none echoed, none with a version it does not name',
  async (_name, oracle) => {
    const seen: Seen[] = []
    const { server, port } = await serverOf(oracle, seen)
    const complaints: { request: string; complaint: string }[] = []
    let judged = 0
    try {
      for (const request of REQUESTS) {
        seen.length = 0
        const answer = await exchange(port, request)
        const found = complaint(oracle, answer, seen)
        judged += seen.length
        if (found !== undefined) complaints.push({ request: request.slice(0, 300), complaint: found })
      }
    } finally {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    }
    figure({
      figure: `raw sockets, Express ${major}, ${oracle.name}`,
      text: `${REQUESTS.length} hostile requests, ${judged} reached the app, ${complaints.length} complaints`,
    })
    expect(complaints).toEqual([])
    expect(judged).toBeGreaterThan(REQUESTS.length / 2)
  },
  600_000,
)
