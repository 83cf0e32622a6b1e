import { tracingChannel } from 'node:diagnostics_channel'
import type { RequestHandler } from 'express'
import { namedRoutes, URLPathVersioning, versioning } from 'express-versioning'
import Router from 'router'
import { serve } from '../support/serve'

// Monitors put their own handlers into the layers of routers. `monitors.system` has real ones.

const tell: RequestHandler = (req, res) => void res.json([req.params, req.resolverMatch?.viewName])

function tables() {
  const books = namedRoutes({ book: '/:id' })
  books.route('book').get(tell)
  return namedRoutes({}).include('/:version', namedRoutes({}).include('/books', books))
}

afterEach(() => jest.restoreAllMocks())

test('a handler that wraps that of a table sees its mount', async () => {
  const seen: string[] = []
  const { use } = Router.prototype as { use(...args: unknown[]): unknown }
  jest.spyOn(Router.prototype, 'use').mockImplementation(function (this: Router.Router, ...args: unknown[]) {
    const result = use.apply(this, args)
    const layer = this.stack.at(-1) as { handle: (...args: unknown[]) => unknown }
    const { handle } = layer
    layer.handle = (...rest) => {
      seen.push(String(args[0]))
      return handle(...rest)
    }
    return result
  } as never)
  const routes = tables()
  const options = { scheme: URLPathVersioning, allowedVersions: ['v1'], routes }
  const { get } = await serve((app) => app.use('/api', versioning(options), routes))
  for (let count = 0; count < 2; count++) {
    expect((await get('/api/v1/books/7')).json).toEqual([{ version: 'v1', id: '7' }, 'book'])
    expect((await get('/api/v2/books/7')).status).toBe(404)
    expect(seen.splice(0).filter((path) => path !== '/api')).toEqual(['/:version', '/books'])
  }
})

test.each(['express.router.request', 'orchestrion:router:handle'])('layers run for listeners of %s', async (name) => {
  const routes = tables()
  const options = { scheme: URLPathVersioning, allowedVersions: ['v1'], routes }
  const { get } = await serve((app) => app.use(versioning(options), routes))
  const run = jest.spyOn((Router().use(tell as never).stack[0] as object).constructor.prototype, 'handleRequest')
  const layers = async () => {
    run.mockClear()
    expect((await get('/v1/books/7')).status).toBe(200)
    return run.mock.calls.length
  }
  const alone = await layers()
  const listener = { start() {}, end() {}, asyncStart() {}, asyncEnd() {}, error() {} }
  const channel = tracingChannel(name)
  channel.subscribe(listener)
  expect(await layers()).toBe(alone + 2)
  channel.unsubscribe(listener)
})
