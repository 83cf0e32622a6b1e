import type { RequestHandler } from 'express'
import { namedRoutes, URLPathVersioning, versioning } from 'express-versioning'
import { serve } from '../support/serve'

// Long chains of handlers that call `next` at once must not overflow the stack.

const pass: RequestHandler = (_req, _res, next) => next()
const end: RequestHandler = (_req, res) => void res.json('end')

describe('the loop of a table takes any number of steps', () => {
  test('of tables of another version, which an asynchronous scheme judges', async () => {
    class Slow extends URLPathVersioning {
      override readVersion(...args: Parameters<URLPathVersioning['readVersion']>) {
        return Promise.resolve(super.readVersion(...args)) as never
      }
    }
    const table = namedRoutes({})
    for (let count = 0; count < 250; count++) table.include('/:version', namedRoutes({}), { namespace: `n${count}` })
    const { get } = await serve((app) => {
      app.use(versioning({ scheme: Slow, allowedVersions: ['v1', 'v2'], routes: table }))
      app.use((req, _res, next) => {
        req.url = '/v2/x'
        next()
      })
      app.use(table, end)
    })
    expect((await get('/v1/x')).json).toBe('end')
  })

  test('of middleware and routes, 20,000 of each', async () => {
    const table = namedRoutes({} as Record<string, string>)
    for (let count = 0; count < 20_000; count++) {
      table.use(pass).add(`r${count}`, '/:id').route(`r${count}`).get(pass)
    }
    const { get } = await serve((app) => void app.use(table, end))
    expect((await get('/7')).json).toBe('end')
  }, 60_000)
})
