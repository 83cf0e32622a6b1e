import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { BaseVersioning, namedRoutes, QueryParameterVersioning, versioning } from 'express-versioning'
import { major } from '../support/major'
import { at, listen } from '../support/serve'
import { catchWarnings } from '../support/warnings'

class Slow extends BaseVersioning {
  override async determineVersion(req: express.Request): Promise<string> {
    const version = String(new URL(req.url, 'http://h').searchParams.get('version'))
    await setTimeout(20)
    return version
  }
}

const throws = (error: unknown) => () => {
  throw error
}
const rejected = () => Promise.reject(new Error('rejected'))
/** Passes rejections on, as applications of Express 4 do. Express 4 itself leaves them to the process. */
const rejects: RequestHandler = major === 5 ? rejected : (_req, _res, next) => void rejected().catch(next)
const one: RequestHandler = (_req, res, next) => next(void res.send('one'))
const unsets: RequestHandler = (req, _res, next) =>
  next(new Error(String(Object.assign(req, { version: undefined }).version)))

/** Faulty handlers by path, and the statuses that a waiting client may get. */
const faults: Record<string, [statuses: readonly number[], ...handlers: RequestHandler[]]> = {
  throws: [[500], throws(new Error('thrown'))],
  // Express takes a thrown undefined for "go on".
  'throws-nothing': [[404], throws(undefined)],
  rejects: [[500], rejects],
  'responses-twice': [[200], (_req, res) => void [res.send('one'), res.send('two')]],
  'calls-next-twice': [[404], (_req, _res, next) => void [next(), next()]],
  'responses-and-goes-on': [[200], one],
  // Express ends the socket, with or without the part.
  'headers-already-sent': [[200, 0], (_req, res, next) => void [res.write('part'), next(new Error('late'))]],
  'throws-after-responding': [[200], (_req, res) => void [res.send('one'), throws(new Error('late'))()]],
  'unsets-the-version': [[500], unsets],
  'asks-for-no-link': [[500], (req, res) => void res.send(req.reverse('nothing'))],
  'destroys-its-socket': [[0], (req) => void req.socket.destroy()],
  'versions-again': [[200], one, versioning({ scheme: QueryParameterVersioning, allowedVersions: ['v9'] })],
}

const twice: ErrorRequestHandler = (error, _req, res, next) => {
  if (res.headersSent) next(error)
  else res.status(500).send('one') && res.send('two')
}
const fails: ErrorRequestHandler = (_error, _req, _res, _next) => throws(new Error('the error handler throws'))()
const ERROR_HANDLERS: Record<string, ErrorRequestHandler[]> = {
  "Express's own error handler": [],
  'an error handler that throws': [fails],
  'an error handler that responses twice': [twice],
}

const unhandled: unknown[] = []
const note = (error: unknown) => void unhandled.push(error)
beforeEach(() => {
  unhandled.length = 0
  process.on('unhandledRejection', note)
})
afterEach(() => void process.off('unhandledRejection', note))
// All listeners fail here. The package warns once, about the first.
catchWarnings()

/** Serves the faulty handlers behind a scheme, and watches sockets and rejections. */
async function watched(scheme: typeof Slow | typeof QueryParameterVersioning, errors: ErrorRequestHandler[]) {
  const routes = namedRoutes(Object.fromEntries(Object.keys(faults).map((name) => [name, `/${name}`])))
  for (const [name, [, ...handlers]] of Object.entries(faults)) routes.route(name).get(...handlers)
  let events = 0
  const onVersion = () => {
    if (events++ % 2 === 0) throw new Error('a listener throws')
    return Promise.reject(new Error('a listener rejects'))
  }
  const sockets = new Set<Socket>()
  const watch: RequestHandler = ({ socket }, _res, next) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    next()
  }
  const app = express().use(watch, versioning({ scheme, routes, onVersion }), routes)
  app.get('/well', (req, res) => void res.json({ version: req.version }))
  for (const handler of errors) app.use(handler)
  const end = async () => {
    for (const began = performance.now(); sockets.size > 0 && performance.now() < began + 5000; ) await setTimeout(2)
    expect([sockets.size, unhandled]).toEqual([0, []])
  }
  const { port } = await listen(app)
  return { port, end }
}

/** The status and body of a response; 0 when the socket ended without one. */
async function ask(port: number, path: string): Promise<{ status: number; body: string }> {
  const asked = at(port).raw(`GET ${path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`)
  const received = await asked.catch((error) => {
    if (error.code !== 'ECONNRESET') throw error
    return ''
  })
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1] ?? 0)
  return { status, body: received.slice(received.indexOf('\r\n\r\n') + 4) }
}

/** Sends the end of a request late, and goes away. */
async function leave(port: number, path: string, after: number): Promise<void> {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.write(`GET ${path} HTTP/1.1\r\nHost: h\r\n`)
  await setTimeout(after)
  socket.write('\r\n')
  await setTimeout(after)
  socket.destroy()
}

const WELL = { status: 200, body: '{"version":"v7"}' }
// The server goes on, every socket ends, and clients that go away leave nothing.
const sound = async (scheme: typeof Slow | typeof QueryParameterVersioning) => {
  const behind = async ([title, handlers]: [string, ErrorRequestHandler[]]) => {
    const { port, end } = await watched(scheme, handlers)
    const faulty = async ([name, [statuses]]: [string, (typeof faults)[string]]) => {
      const responses = await Promise.all(['v1', 'v2', 'v1'].map((one) => ask(port, `/${name}?version=${one}`)))
      for (const { status } of responses)
        expect([name, title, statuses]).toContainEqual(expect.arrayContaining([status]))
      expect([name, title, await ask(port, '/well?version=v7')]).toEqual([name, title, WELL])
    }
    await Promise.all(Object.entries(faults).map(faulty))
    await end()
    await Promise.all(Array.from({ length: 100 }, (_, index) => leave(port, `/well?version=v${index}`, index % 25)))
    expect([title, await ask(port, '/well?version=v7')]).toEqual([title, WELL])
    await end()
  }
  await Promise.all(Object.entries(ERROR_HANDLERS).map(behind))
}
test('a scheme that responds at once', () => sound(QueryParameterVersioning), 120_000)
test('a scheme that waits', () => sound(Slow), 120_000)
