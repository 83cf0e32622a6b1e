import type { RequestHandler } from 'express'
import { namedRoutes } from 'express-versioning'
import { serve } from '../support/serve'

// What a table does at the edges of a dispatch: answers to OPTIONS, urls that are none, odd methods. As `router` does.

const end: RequestHandler = (req, res) => void res.json(req.url)
const pass: RequestHandler = (_req, _res, next) => next()

describe('OPTIONS', () => {
  const table = () => {
    const made = namedRoutes({ x: '/x', y: '/y' })
    made.route('x').get(end).post(end)
    return made
  }

  test('is answered with the methods of the routes that match, in order', async () => {
    const { send } = await serve((app) => app.use(table()))
    expect(await send('OPTIONS', '/x')).toMatchObject({
      status: 200,
      text: 'GET, HEAD, POST',
      headers: {
        allow: 'GET, HEAD, POST',
        'content-type': 'text/plain',
        'content-length': '15',
        'x-content-type-options': 'nosniff',
      },
    })
    expect((await send('OPTIONS', '/y')).status).toBe(404)
  })
})

describe('callbacks of param()', () => {
  const calls: unknown[] = []
  const serving = (
    callback: Parameters<ReturnType<typeof namedRoutes>['param']>[1],
    handlers: RequestHandler[] = [pass],
  ) => {
    calls.length = 0
    const table = namedRoutes({ first: '/:id/:other', second: '/:id/x', third: '/:other/x' })
    table.param('id', (req, res, next, value, name) => {
      calls.push([name, value])
      return callback(req, res, next, value, name)
    })
    table.route('first').get(...handlers)
    table.route('second').get(...handlers)
    table.route('third').get((req, res) => void res.json(req.params))
    return serve((app) => app.use(table))
  }

  test('one that declines is asked again for the next route, with the same value', async () => {
    const { get } = await serving((_req, _res, next) => next('route'), [end])
    expect((await get('/7/x')).json).toEqual({ other: '7' })
    expect(calls).toEqual([['id', '7']])
  })

  test('one that puts another value in its place does so for all routes', async () => {
    const seen: unknown[] = []
    const note: RequestHandler = (req, _res, next) => {
      seen.push(req.params.id)
      next()
    }
    const { get } = await serving(
      (req, _res, next, value) => {
        req.params.id = `${value}!`
        next()
      },
      [note],
    )
    expect((await get('/7/x')).json).toEqual({ other: '7' })
    expect([seen, calls]).toEqual([['7!', '7!'], [['id', '7']]])
  })
})
