import type { Application, Request, RequestHandler } from 'express'
import { AcceptHeaderVersioning, NamespaceVersioning, namedRoutes, versioning } from 'express-versioning'
import { originalPathOf, pathnameOf } from '../../src/request/place'
import { serve } from '../support/serve'

// A request target from which no path can be read. The router of Express passes such a request by; behind it, within one
// route, the rest of the handlers see it.

const UNREADABLE = 'http://\u00ad/x'
const NONE = { version: null, match: null }

const rewriting =
  (url: string | undefined): RequestHandler =>
  (req, _res, next) => {
    req.url = url as string
    next()
  }
const tell: RequestHandler = (req, res) => void res.json({ version: req.version, match: req.resolverMatch })

test.each([[UNREADABLE], [undefined], [''], ['?a']])('%j has no path', (url) => {
  expect(pathnameOf({ url } as Request)).toBeUndefined()
})

test('the original path of a request that has none is the root', () => {
  const of = (originalUrl: string | undefined) => originalPathOf({ originalUrl, url: originalUrl } as Request)
  expect([UNREADABLE, undefined, '', '?a', '/a?b', '*'].map(of)).toEqual(['/', '/', '/', '/', '/a', '*'])
})

describe.each([[UNREADABLE], [undefined], ['?a']])('a request that was moved to %j', (url) => {
  const routes = namedRoutes({ x: '/x', root: '/' }).include('/v1', namedRoutes({ y: '/y' }), { namespace: 'v1' })

  const served = (build: (app: Application, rewrite: RequestHandler) => void) =>
    serve((app) => build(app, rewriting(url)))

  test('belongs to no route, and is in no namespace', async () => {
    const { get } = await served((app, rewrite) => {
      app.get('/v1/y', rewrite, versioning({ scheme: NamespaceVersioning, routes }), tell)
    })
    expect((await get('/v1/y')).json).toEqual(NONE)
  })

  test('is not neutral', async () => {
    const neutral = ['/', '/v1/y', '/undefined', 'x', 'root', 'v1:']
    const settings = { allowedVersions: ['1'], defaultVersion: '1' }
    const { get } = await served((app, rewrite) => {
      app.get('/v1/y', rewrite, versioning({ scheme: AcceptHeaderVersioning, ...settings, routes, neutral }), tell)
    })
    expect((await get('/v1/y')).json).toEqual({ version: '1', match: null })
  })

  test('is passed by by a table that handles it already, and by those it comes to', async () => {
    const reached: string[] = []
    const note =
      (name: string): RequestHandler =>
      (_req, _res, next) => {
        reached.push(name)
        next()
      }
    const { get } = await served((app, rewrite) => {
      const table = namedRoutes({ a: '/a', any: '/*rest' })
      table.route('a').get(rewrite, versioning({ scheme: NamespaceVersioning }), note('within'))
      table.route('any').all(note('any'))
      table.use(note('middleware'))
      app.get('/api/a', (req, res, next) => {
        req.url = '/a'
        table(req, res, (error?: unknown) => {
          table(req, res, () => void (error ? next(error) : tell(req, res, next)))
        })
      })
    })
    expect((await get('/api/a')).json).toEqual(NONE)
    expect(reached).toEqual(['within'])
  })
})
