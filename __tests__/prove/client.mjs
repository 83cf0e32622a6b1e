// The other end of load.test.ts, a process of its own: sends numbered requests over raw keep-alive sockets, one at a time on
// each, and compares every answer with what that number must get. Prints one JSON object.
//   node client.mjs <port> <plan>:<from>:<count>[,...] <connections>
import { connect } from 'node:net'

const VERSIONS = ['v1', 'v2', 'v3']

/** Each plan: number -> target, headers, and the status and body that it must get. */
const plans = {
  bare: (id) => ({ target: '/bare', status: 200, body: { id: String(id) } }),
  mixed(id) {
    const version = VERSIONS[id % 3]
    const bad = id % 2 === 1
    const served = { status: 200, body: { id: String(id), version } }
    const refused = (status, error) => ({ status, body: { id: String(id), error } })
    const nowhere = ['v4', 'V1', 'v1%00', `x${id}`][(id >> 1) % 4]
    switch (Math.floor(id / 6) % 5) {
      case 0:
        return bad
          ? {
              target: '/accept',
              accept: `a/b;version=${['v4', '"v1', 'v1;version=v2', `"x${id}"`][(id >> 1) % 4]}`,
              ...refused(406, 'Invalid version in "Accept" header.'),
            }
          : { target: '/accept', accept: `c/d;q=0.1,a/b;version="${version}"`, ...served }
      case 1:
        return bad
          ? { target: `/path/${nowhere}/items`, ...refused(404, 'Invalid version in URL path.') }
          : { target: `/path/${version}/items`, ...served }
      case 2:
        return bad
          ? {
              target: `/namespace/v9/items/${id}`,
              ...refused(404, 'Invalid version in URL path. Does not match any version namespace.'),
            }
          : { target: `/namespace/${version}/items/${id}`, ...served }
      case 3:
        return bad
          ? { target: '/host', host: `x${id}.example.com`, ...refused(404, 'Invalid version in hostname.') }
          : { target: '/host', host: `${version}.example.com`, ...served }
      default:
        return bad
          ? {
              target: `/query?version=${[`x${id}`, 'v1&version=v2', '', '%zz'][(id >> 1) % 4]}`,
              ...refused(404, 'Invalid version in query parameter.'),
            }
          : { target: `/query?a=${id}&version=${version}`, ...served }
    }
  },
  /** Versions, links and errors that are each request's own, because its number is in them. */
  slow(id) {
    const version = `n${id}`
    if (id % 5 === 4)
      return {
        target: `/slow?version=${version}&fail=${id}`,
        status: 404,
        body: { id: String(id), error: `no ${version}` },
      }
    const link = `/slow/users/${id}?version=${version}`
    return { target: `/slow?version=${version}`, status: 200, body: { id: String(id), version, link, again: link } }
  },
}

const [port, phases, connections] = process.argv.slice(2)
const result = { sent: 0, answered: 0, wrong: 0, first: [], plans: {} }
const deadline = setTimeout(() => end('no end within an hour'), 3_600_000)
const sockets = await Promise.all(Array.from({ length: Number(connections) }, open))
const started = performance.now()
for (const phase of phases.split(',')) {
  const [plan, from, count] = phase.split(':')
  await run(plan, Number(from), Number(count))
}
result.seconds = (performance.now() - started) / 1000
end()

function open() {
  return new Promise((done, fail) => {
    const socket = connect(Number(port), '127.0.0.1', () => done(socket))
    socket.setEncoding('latin1')
    socket.setNoDelay(true)
    socket.on('error', fail)
  })
}

function run(plan, from, count) {
  const times = []
  result.plans[plan] ??= []
  let next = from
  const last = from + count
  return Promise.all(sockets.map(work)).then(() => result.plans[plan].push(...percentiles(times)))

  function work(socket) {
    return new Promise((done, fail) => {
      let received = ''
      let asked
      let since = 0
      const ask = () => {
        if (next >= last) {
          socket.removeAllListeners('data')
          socket.removeAllListeners('close')
          done()
          return
        }
        const id = next++
        asked = { id, ...plans[plan](id) }
        since = performance.now()
        result.sent++
        socket.write(
          `GET ${asked.target} HTTP/1.1\r\nHost: ${asked.host ?? 'localhost'}\r\nX-Id: ${id}\r\n${asked.accept === undefined ? '' : `Accept: ${asked.accept}\r\n`}\r\n`,
        )
      }
      socket.on('close', () => fail(new Error('a socket was closed')))
      socket.on('data', (chunk) => {
        received += chunk
        const split = received.indexOf('\r\n\r\n')
        if (split === -1) return
        const length = Number(/content-length: (\d+)/i.exec(received.slice(0, split))[1])
        if (received.length < split + 4 + length) return
        const status = Number(received.slice(9, 12))
        const body = received.slice(split + 4, split + 4 + length)
        received = received.slice(split + 4 + length)
        result.answered++
        times.push(performance.now() - since)
        if (status !== asked.status || body !== JSON.stringify(asked.body) || received !== '') {
          result.wrong++
          if (result.first.length < 5) result.first.push({ asked, status, body, received })
        }
        ask()
      })
      ask()
    })
  }
}

function percentiles(times) {
  const sorted = Float64Array.from(times).sort()
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  return [{ count: times.length, p50: at(0.5), p99: at(0.99) }]
}

function end(error) {
  clearTimeout(deadline)
  for (const socket of sockets ?? []) socket.destroy()
  process.stdout.write(`${JSON.stringify({ ...result, error })}\n`)
}
