import { connect } from 'node:net'
import express, { type ErrorRequestHandler, type Request, type RequestHandler } from 'express'
import { VersioningError, versioning } from 'express-versioning'
import corpus from '../corpus/hostile.json'
import { figure } from '../support/figures'
import { major } from '../support/major'
import { oracles, type Received, type Rules, type SchemeOracle, verdict } from '../support/oracle'
import { listen } from '../support/serve'

const RULES: Rules = { defaultVersion: 'v1', allowedVersions: ['v2', 'v3'] }
const HANG = 10_000
/** The number of requests at once, each to an app of its own. */
const LANES = 8
/** The text in hostile requests that no response may echo. */
const MARKER: string = corpus.marker
type Entry = string | readonly (string | (string | number)[])[]
const textOf = (entry: Entry): string =>
  [...entry].map((part) => (typeof part === 'string' ? part : String(part[0]).repeat(Number(part[1])))).join('')
const texts = (entries: readonly unknown[]): string[] => entries.map((entry) => textOf(entry as Entry))
const [accepts, hosts, targets] = [texts(corpus.accept), texts(corpus.hosts), texts(corpus.targets)]
const [extras, methods] = [texts(corpus.extras), texts(corpus.methods)]
const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T

function request(method: string, target: string, host = 'api.example.com', accept?: string, extra?: string): string {
  const more = [accept === undefined ? accept : `Accept: ${accept}`, extra].filter((line) => line !== undefined)
  return [`${method} ${target} HTTP/1.1`, `Host: ${host}`, ...more, 'Connection: close\r\n\r\n'].join('\r\n')
}

/** The requests: each part alone, then every target with several of each other part. */
const hostileRequests: readonly string[] = [
  ...texts(corpus.whole),
  ...accepts.map((accept) => request('GET', '/items', undefined, accept)),
  ...hosts.map((host) => request('GET', '/items', host)),
  ...targets.map((target) => request('GET', target)),
  ...extras.map((extra) => request('GET', '/v2/items?version=v2', 'v2.example.com', undefined, extra)),
  ...methods.map((method) => request(method, '/v2/items?version=v2', 'v2.example.com', 'a/b;version=v2')),
  ...targets.flatMap((target, row) =>
    [0, 1, 2, 3, 4].map((column) => {
      const index = row * 5 + column
      const extra = column === 4 ? at(extras, row) : undefined
      return request(column === 3 ? 'OPTIONS' : 'GET', target, at(hosts, index), at(accepts, index), extra)
    }),
  ),
]
/** Every sixth request, or all with `FUZZ_REQUESTS`, as in CI and `npm run prove`. */
const REQUESTS = hostileRequests.filter((_, index) => process.env.FUZZ_REQUESTS !== undefined || index % 6 === 0)
type Seen = Received & { outcome: { version: string | null | undefined } | 'rejected' | Error }

/** Builds an app with one scheme, which responds with errors as Express does, stack and all. */
function appOf(oracle: SchemeOracle, seen: Seen[]) {
  const note = ({ method, url, headers, rawHeaders }: Request, outcome: Seen['outcome']) => {
    const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && /^host$/i.test(name)).length
    seen.push({ method, url, headers, hosts, outcome })
  }
  const failed: ErrorRequestHandler = (error, req, _res, next) => {
    note(req, error instanceof VersioningError ? 'rejected' : error)
    next(error)
  }
  const served: RequestHandler = (req, res) => {
    note(req, { version: req.version })
    res.json({ version: req.version })
  }
  return express().use(versioning(oracle.options(RULES)), served, failed)
}

/** All that comes back until the socket is closed; `undefined` when it is not. */
function exchange(port: number, bytes: string): Promise<string | undefined> {
  return new Promise((done) => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes, 'latin1')).setEncoding('latin1')
    const timer = setTimeout(() => done(undefined), HANG)
    socket.on('data', (chunk) => {
      received += chunk
    })
    // A reset is also an end. Node closes the socket on a parse error while bytes still arrive.
    socket.on('error', () => {})
    socket.on('close', () => done(received)).on('close', () => clearTimeout(timer))
  })
}

/** Returns the fault of a response, if it has one. */
function complaint(oracle: SchemeOracle, response: string | undefined, seen: readonly Seen[]): string | undefined {
  if (response === undefined) return 'no end within ten seconds'
  const [head = ''] = response.split('\r\n\r\n', 1)
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1] ?? 0)
  if (status >= 500) return `status ${status}`
  if (status >= 400 && response.slice(head.length).includes(MARKER)) return 'the marker in the body of an error'
  if (head.includes(MARKER)) return 'the marker in a header'
  for (const { outcome, ...received } of seen) {
    if (outcome instanceof Error) return `an error that is no rejection: ${outcome.message}`
    const [found, expected] = [outcome, verdict(oracle, RULES, received)].map((one) => JSON.stringify(one))
    if (found !== expected) return `${found}, and the specification says ${expected}`
  }
  return status !== 0 && status < 400 && seen.length === 0 ? 'a response without a request' : undefined
}

test('the corpus is as large as it says', () => {
  expect(hostileRequests.length).toBeGreaterThanOrEqual(1000)
  expect(new Set(hostileRequests).size).toBe(hostileRequests.length)
})

test.each(oracles.map((oracle) => [oracle.name, oracle] as const))(
  '%s: every hostile request is responded to, none with 5xx, none echoed, none with a version it does not name',
  async (_name, oracle) => {
    const complaints: { request: string; complaint: string }[] = []
    let [next, judged] = [0, 0]
    const lane = async () => {
      const seen: Seen[] = []
      const { port } = await listen(appOf(oracle, seen))
      for (let request = REQUESTS[next++]; request !== undefined; request = REQUESTS[next++]) {
        const found = complaint(oracle, await exchange(port, request), seen)
        judged += seen.splice(0).length
        if (found !== undefined) complaints.push({ request: request.slice(0, 300), complaint: found })
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane))
    figure({
      figure: `raw sockets, Express ${major}, ${oracle.name}`,
      text: `${REQUESTS.length} hostile requests, ${judged} reached the app, ${complaints.length} complaints`,
    })
    expect(complaints).toEqual([])
    expect(judged).toBeGreaterThan(REQUESTS.length / 2)
  },
  600_000,
)
