import { tracingChannel } from 'node:diagnostics_channel'
import type { RequestHandler } from 'express'
import { namedRoutes } from 'express-versioning'
import Router from 'router'
import { serve } from '../support/serve'

interface Told {
  handler: { name: string }
  route: unknown
}

const pass: RequestHandler = (_req, _res, next) => next()
const show: RequestHandler = (_req, res) => void res.json('shown')

/** Returns the messages of `router`'s tracing channel about a request: handlers, and the patterns that led to them. */
async function traced(table: unknown, path: string, before: RequestHandler = pass): Promise<unknown[]> {
  const told: unknown[] = []
  const nothing = () => undefined
  const start = (context: object) => {
    const { handler, route } = context as Told
    told.push([/^(router|routeTable|handle)$/.test(handler.name) ? 'a router' : handler.name, route])
  }
  const { get } = await serve((app) => void app.use('/api', before, table as never, pass))
  const channel = tracingChannel('express.router.request')
  const subscriber = { start, end: nothing, asyncStart: nothing, asyncEnd: nothing, error: nothing }
  channel.subscribe(subscriber as never)
  await get(path)
  channel.unsubscribe(subscriber as never)
  return told
}

test.each(['/api/v1/users/7', '/api/v1/none', '/api/b'])(
  'who traces %s is told the same as by router',
  async (path) => {
    const child = namedRoutes({ user: '/users/:id' }).use(pass)
    child.route('user').get(pass, show)
    const table = namedRoutes({}).use(pass).use(['/a', '/b'], pass).include('/:v', child)
    const users = new Router({ mergeParams: true })
    users.use(pass as never)
    users.route('/users/:id').get(pass as never, show as never)
    const plain = new Router({ mergeParams: true })
    plain.use(pass as never)
    plain.use(['/a', '/b'], pass as never)
    plain.use('/:v', users as never)
    const told = await traced(table, path)
    expect(told.length).toBeGreaterThan(3)
    expect(told).toEqual(await traced(plain, path))
  },
)
