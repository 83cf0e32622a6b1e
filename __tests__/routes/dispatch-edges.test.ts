import type { RequestHandler } from 'express'
import { namedRoutes } from 'express-versioning'
import { serve } from '../support/serve'

// A table does as `router` does with OPTIONS, invalid URLs and odd methods.

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

  test('is answered with HEAD only where there is GET', async () => {
    const made = namedRoutes({ x: '/x' })
    made.route('x').post(end)
    const { send } = await serve((app) => app.use(made))
    expect((await send('OPTIONS', '/x')).headers.allow).toBe('POST')
  })
})

test('a route is entered for HEAD whatever it has, and does nothing there', async () => {
  const asked: string[] = []
  const table = namedRoutes({ x: '/:id' })
  table.param('id', (req, _res, next, value) => {
    asked.push(`${req.method} ${value}`)
    next()
  })
  table.route('x').post(end)
  const { send } = await serve((app) => app.use(table))
  expect([(await send('HEAD', '/a')).status, (await send('GET', '/b')).status, asked]).toEqual([404, 404, ['HEAD a']])
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

  test('run once for a value', async () => {
    const { get } = await serving((_req, _res, next) => next())
    expect((await get('/7/x')).json).toEqual({ other: '7' })
    expect(calls).toEqual([['id', '7']])
  })

  test.each<[what: string, fail: () => unknown, message: string]>([
    [
      'throws',
      () => {
        throw new Error('thrown')
      },
      'thrown',
    ],
    ['rejects', () => Promise.reject(new Error('rejected')), 'rejected'],
    ['rejects with nothing', () => Promise.reject(undefined), 'Rejected promise'],
  ])('one that %s fails the request', async (_what, fail, error) => {
    const { get } = await serving(() => fail())
    expect(await get('/7/x')).toMatchObject({ status: 500, json: { error } })
    expect(calls).toEqual([['id', '7']])
  })

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
