import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { BaseVersioning, namedRoutes, QueryParameterVersioning, versioning } from 'express-versioning'
import { major } from '../support/major'

/** A version that takes its time. */
class Slow extends BaseVersioning {
  override async determineVersion(req: express.Request): Promise<string> {
    const version = String(new URL(req.url, 'http://h').searchParams.get('version'))
    await new Promise((done) => setTimeout(done, 20))
    if (version === 'broken') throw new Error('broken')
    return version
  }
}

const rejects: RequestHandler = async () => {
  throw new Error('rejected')
}
/** Passes rejections on, as applications of Express 4 do. Express 4 itself leaves them to the process. */
const passedOn: RequestHandler = (req, res, next) => {
  Promise.resolve(rejects(req, res, next)).catch(next)
}

/** Faulty handlers by path, and the status that a waiting client gets. */
const faults: Record<string, { handlers: RequestHandler[]; status: number | readonly number[] }> = {
  throws: {
    handlers: [
      () => {
        throw new Error('thrown')
      },
    ],
    status: 500,
  },
  'throws-nothing': {
    handlers: [
      () => {
        throw undefined
      },
    ],
    // Express takes a thrown undefined for "go on".
    status: 404,
  },
  rejects: { handlers: [major === 5 ? rejects : passedOn], status: 500 },
  'answers-twice': {
    handlers: [
      (_req, res) => {
        res.send('one')
        res.send('two')
      },
    ],
    status: 200,
  },
  'calls-next-twice': { handlers: [(_req, _res, next) => [next(), next()]], status: 404 },
  'answers-and-goes-on': {
    handlers: [
      (_req, res, next) => {
        res.send('one')
        next()
      },
    ],
    status: 200,
  },
  'headers-already-sent': {
    handlers: [
      (_req, res, next) => {
        res.write('part')
        next(new Error('late'))
      },
    ],
    // Express ends the socket, with or without the part.
    status: [200, 0],
  },
  'throws-after-answering': {
    handlers: [
      (_req, res) => {
        res.send('one')
        throw new Error('late')
      },
    ],
    status: 200,
  },
  'unsets-the-version': {
    handlers: [
      (req, _res, next) => {
        req.version = undefined
        next(new Error(String(req.version)))
      },
    ],
    status: 500,
  },
  'asks-for-no-link': { handlers: [(req, res) => void res.send(req.reverse('nothing'))], status: 500 },
  'destroys-its-socket': { handlers: [(req) => void req.socket.destroy()], status: 0 },
  'versions-once-more-after-answering': {
    handlers: [
      (_req, res, next) => {
        res.send('one')
        next()
      },
      versioning({ scheme: QueryParameterVersioning, allowedVersions: ['v9'] }),
    ],
    status: 200,
  },
}

const ERROR_HANDLERS: Record<string, ErrorRequestHandler[]> = {
  "Express's own error handler": [],
  'an error handler that throws': [
    (_error, _req, _res, _next) => {
      throw new Error('the error handler throws')
    },
  ],
  'an error handler that answers twice': [
    (error, _req, res, next) => {
      if (res.headersSent) return next(error)
      res.status(500).send('one')
      res.send('two')
    },
  ],
}

interface Watched {
  server: Server
  port: number
  sockets: Set<Socket>
  unhandled: unknown[]
}

async function watched(scheme: typeof Slow | typeof QueryParameterVersioning, errors: ErrorRequestHandler[]) {
  const table = namedRoutes(Object.fromEntries(Object.keys(faults).map((name) => [name, `/${name}`])))
  for (const [name, { handlers }] of Object.entries(faults)) table.route(name).get(...handlers)
  const app = express()
  let events = 0
  const onVersion = () => {
    if (events++ % 2 === 0) throw new Error('a listener throws')
    return Promise.reject(new Error('a listener rejects'))
  }
  app.use(versioning({ scheme, routes: table, onVersion }), table)
  app.get('/well', (req, res) => void res.json({ version: req.version }))
  for (const handler of errors) app.use(handler)
  const server = createServer(app)
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  const unhandled: unknown[] = []
  const note = (error: unknown) => unhandled.push(error)
  process.on('unhandledRejection', note)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const watched: Watched = { server, port: (server.address() as AddressInfo).port, sockets, unhandled }
  return {
    ...watched,
    async stop() {
      process.off('unhandledRejection', note)
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

/** The status of an answer; 0 when the socket ended without one, -1 when it did not end. */
function ask(port: number, path: string, abortAfter?: number): Promise<{ status: number; body: string }> {
  return new Promise((done) => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n${abortAfter === undefined ? '\r\n' : ''}`)
      if (abortAfter === undefined) return
      setTimeout(() => socket.write('\r\n', () => setTimeout(() => socket.destroy(), abortAfter)), abortAfter)
    })
    const timer = setTimeout(() => finish(-1), 5000)
    const finish = (status: number) => {
      clearTimeout(timer)
      socket.destroy()
      done({ status, body: received.slice(received.indexOf('\r\n\r\n') + 4) })
    }
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => finish(Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1] ?? 0)))
  })
}

async function allSocketsEnd({ sockets }: Watched): Promise<void> {
  for (let waited = 0; sockets.size > 0 && waited < 5000; waited += 20)
    await new Promise((done) => setTimeout(done, 20))
  expect(sockets.size).toBe(0)
}

const schemes = { 'a scheme that answers at once': QueryParameterVersioning, 'a scheme that waits': Slow }
const cases = Object.entries(schemes).flatMap(([scheme, Scheme]) =>
  Object.entries(ERROR_HANDLERS).map(([handler, handlers]) => [scheme, handler, Scheme, handlers] as const),
)

// All listeners fail here. The package warns once, about the first.
beforeEach(() => void jest.spyOn(process, 'emitWarning').mockImplementation(() => {}))
afterEach(() => jest.restoreAllMocks())

const all = Object.entries(faults)

describe.each(cases)('%s, %s', (_scheme, _handler, Scheme, handlers) => {
  test('whatever handlers do, the server goes on and every socket ends', async () => {
    const watching = await watched(Scheme, handlers)
    try {
      const faulty = async ([name, { status }]: (typeof all)[number]) => {
        const answers = await Promise.all(
          ['v1', 'v2', 'v1'].map((version) => ask(watching.port, `/${name}?version=${version}`)),
        )
        for (const answer of answers)
          expect({ name, status: [status].flat() }).toMatchObject({ status: expect.arrayContaining([answer.status]) })
        const well = await ask(watching.port, '/well?version=v7')
        expect({ name, ...well }).toEqual({ name, status: 200, body: '{"version":"v7"}' })
      }
      await Promise.all(all.map(faulty))
      await allSocketsEnd(watching)
      expect(watching.unhandled).toEqual([])
    } finally {
      await watching.stop()
    }
  }, 60_000)

  test('clients that go away leave nothing behind', async () => {
    const watching = await watched(Scheme, handlers)
    try {
      await Promise.all(
        Array.from({ length: 100 }, (_, index) => ask(watching.port, `/well?version=v${index}`, index % 25)),
      )
      expect(await ask(watching.port, '/well?version=v7')).toEqual({ status: 200, body: '{"version":"v7"}' })
      await allSocketsEnd(watching)
      expect(watching.unhandled).toEqual([])
    } finally {
      await watching.stop()
    }
  }, 60_000)
})

test('a scheme that fails is an error of that request alone', async () => {
  const watching = await watched(Slow, [])
  try {
    const versions = Array.from({ length: 60 }, (_, index) => (index % 3 === 0 ? 'broken' : `v${index}`))
    const answers = await Promise.all(versions.map((version) => ask(watching.port, `/well?version=${version}`)))
    expect(answers.map(({ status }) => status)).toEqual(versions.map((version) => (version === 'broken' ? 500 : 200)))
    for (const [index, { status, body }] of answers.entries()) {
      if (status === 200) expect(JSON.parse(body)).toEqual({ version: versions[index] })
    }
  } finally {
    await watching.stop()
  }
})
