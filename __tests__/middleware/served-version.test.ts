import type { ErrorRequestHandler, RequestHandler } from 'express'
import { byVersion, QueryParameterVersioning, servedVersion, versioning } from 'express-versioning'
import { serve } from '../support/serve'

const pass: RequestHandler = (_req, _res, next) => next()
afterEach(() => jest.restoreAllMocks())

const settings = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2', 'v3'] }

describe('servedVersion() is that of the last byVersion()', () => {
  test.each<[path: string, method: string, served: unknown]>([
    // The first serves v1 and v2 and passes on, the second only v2.
    ['/?version=v1', 'GET', 'refused undefined'],
    ['/?version=v2', 'GET', 'reached v2'],
    ['/?version=v3', 'GET', 'refused undefined'],
  ])('%s %s', async (path, method, served) => {
    const server = await serve((app) =>
      app
        .use(versioning(settings), byVersion({ v1: pass, v2: pass }, { otherwise: pass }), byVersion({ v2: pass }))
        .use((req, res) => void res.json(`reached ${servedVersion(req)}`))
        .use(((_error, req, res, _next) => void res.json(`refused ${servedVersion(req)}`)) as ErrorRequestHandler),
    )
    expect((await server.send(method, path)).json).toBe(served)
  })
})
