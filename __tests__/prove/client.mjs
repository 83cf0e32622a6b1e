// Sends numbered requests on many sockets, each as soon as the last was responded to, and compares every response with what its
// number must get. Prints one JSON object.
//   node client.mjs <port> <plan>:<from>:<count>[,...] <connections>
import { once } from 'node:events'
import { connect } from 'node:net'

const one = (of, number) => of[number % of.length]

const [path, query] = ['Invalid version in URL path.', 'Invalid version in query parameter.']
const [accept, host] = ['Invalid version in "Accept" header.', 'Invalid version in hostname.']
const accepted = (id, n) => `a/b;version=${one(['v4', '"v1', 'v1;version=v2', `"x${id}"`], n)}`

/** A request with a version, and one that is rejected, for each way to carry a version: target, headers, status, message. */
const carriers = [
  (_, v) => ['/accept', { Accept: `c/d;q=0.1,a/b;version="${v}"` }],
  (_, v) => [`/path/${v}/items`],
  (id, v) => [`/namespace/${v}/items/${id}`],
  (_, v) => ['/host', { Host: `${v}.example.com` }],
  (id, v) => [`/query?a=${id}&version=${v}`],
]
const rejected = [
  (id, n) => ['/accept', { Accept: accepted(id, n) }, 406, accept],
  (id, n) => [`/path/${one(['v4', 'V1', 'v1%00', `x${id}`], n)}/items`, {}, 404, path],
  (id) => [`/namespace/v9/items/${id}`, {}, 404, `${path} Does not match any version namespace.`],
  (id) => ['/host', { Host: `x${id}.example.com` }, 404, host],
  (id, n) => [`/query?version=${one([`x${id}`, 'v1&version=v2', '', '%zz'], n)}`, {}, 404, query],
]

/** Each plan: number -> target, headers, status and body. */
const plans = {
  bare: (id) => ['/bare', {}, 200, { id: String(id) }],
  mixed(id) {
    const [way, version] = [Math.floor(id / 6), one(['v1', 'v2', 'v3'], id)]
    const [target, headers, status = 200, error] =
      id % 2 ? one(rejected, way)(id, id >> 1) : one(carriers, way)(id, version)
    return [target, headers, status, { id: String(id), ...(error ? { error } : { version }) }]
  },
  /** Versions, links and errors that are each request's own, because its number is in them. */
  slow(id) {
    const version = `n${id}`
    const target = `/slow?version=${version}`
    if (id % 5 === 4) return [`${target}&fail=${id}`, {}, 404, { id: String(id), error: `no ${version}` }]
    const link = `/slow/users/${id}?version=${version}`
    return [target, {}, 200, { id: String(id), version, link, again: link }]
  },
}

const [port, phases, connections] = process.argv.slice(2)
const result = { sent: 0, responded: 0, wrong: 0, first: [], plans: {} }
const sockets = Array.from({ length: Number(connections) }, () =>
  connect(Number(port), '127.0.0.1').setEncoding('latin1'),
)
await Promise.all(sockets.map((socket) => once(socket.setNoDelay(true), 'connect')))
const started = performance.now()
for (const phase of phases.split(',')) {
  const [plan, from, count] = phase.split(':')
  await run(plan, Number(from), Number(count))
}
result.seconds = (performance.now() - started) / 1000
for (const socket of sockets) socket.destroy()
process.stdout.write(`${JSON.stringify(result)}\n`)

async function run(plan, from, count) {
  const times = []
  let next = from
  const askAll = async (socket) => {
    while (next < from + count) times.push(await ask(socket, plan, next++))
  }
  await Promise.all(sockets.map(askAll))
  times.sort((a, b) => a - b)
  result.plans[plan] ??= []
  result.plans[plan].push({ p99: times[Math.floor(times.length * 0.99)] })
}

/** Sends a request, judges its response, and returns the time between. */
async function ask(socket, plan, id) {
  const [target, own, status, body] = plans[plan](id)
  const headers = Object.entries({ Host: 'localhost', 'X-Id': id, ...own }).map((pair) => `${pair.join(': ')}\r\n`)
  const since = performance.now()
  result.sent++
  socket.write(`GET ${target} HTTP/1.1\r\n${headers.join('')}\r\n`)
  const received = await response(socket)
  result.responded++
  if (!received.startsWith(`HTTP/1.1 ${status} `) || !received.endsWith(`\r\n\r\n${JSON.stringify(body)}`)) {
    result.wrong++
    if (result.first.length < 5) result.first.push({ id, target, received })
  }
  return performance.now() - since
}

function response(socket) {
  return new Promise((done, fail) => {
    let received = ''
    const lost = () => fail(new Error('a socket was closed'))
    const read = (chunk) => {
      received += chunk
      const split = received.indexOf('\r\n\r\n') + 4
      if (split === 3 || received.length < split + Number(/content-length: (\d+)/i.exec(received)[1])) return
      socket.off('data', read).off('close', lost)
      done(received)
    }
    socket.on('data', read).on('close', lost)
  })
}
