import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { namedRoutes } from 'express-versioning'
import Router from 'router'
import { serve } from '../support/serve'

// Each is built twice, with `router` and with a table, and must answer alike.

interface Made {
  param(name: string, handler: (req: Request, res: Response, next: NextFunction, value: string) => void): unknown
  use(path: RegExp | string, ...handlers: RequestHandler[]): unknown
}
type Make = (routes: readonly string[]) => Made & { at(path: string): { get(handler: RequestHandler): unknown } }

const withRouter: Make = () => {
  const router = new Router({ mergeParams: true })
  return Object.assign(router as object, { at: (path: string) => router.route(path) }) as never
}
const withTable: Make = (routes) => {
  const table = namedRoutes(Object.fromEntries(routes.map((path) => [path.replaceAll(':', '.'), path])))
  return Object.assign(table as object, { at: (path: string) => table.route(path.replaceAll(':', '.')) }) as never
}

const tell: RequestHandler = (req, res) => void res.json({ url: req.url, route: req.route?.path, params: req.params })

const cases: [title: string, build: (make: Make) => object, path: string][] = [
  [
    'a param() callback that moves the request below a mount',
    (make) => {
      const child = make(['/a', '/b'])
      child.at('/a').get(tell)
      child.at('/b').get(tell)
      const parent = make([])
      parent.param('p', (req, _res, next) => {
        req.url = req.url.replace('/a', '/b')
        next()
      })
      if ('include' in parent) (parent as never as ReturnType<typeof namedRoutes>).include('/:p', child as never)
      else parent.use('/:p', child as never)
      return parent
    },
    '/x/a',
  ],
  [
    'a param() callback that replaces all parameters',
    (make) => {
      const table = make(['/:p/:q'])
      table.param('p', (req, _res, next) => {
        req.params = { q: 'new' }
        next()
      })
      table.param('q', (req, _res, next, value) => {
        req.params.seen = value
        next()
      })
      table.at('/:p/:q').get(tell)
      return table
    },
    '/1/2',
  ],
  [
    'groups of a RegExp without a match, below another RegExp',
    (make) => {
      const table = make([])
      table.use(/^\/(a)?(b)?(c)?/, tell)
      return table
    },
    '/ac',
  ],
  [
    'more groups of a RegExp than above it',
    (make) => {
      const table = make([])
      table.use(/^\/(a)(b)(c)/, tell)
      return table
    },
    '/abc',
  ],
]

test.each(cases)('%s', async (_title, build, path) => {
  const { get } = await serve((app) => {
    for (const make of [withRouter, withTable]) {
      const mount = new Router()
      mount.use(/^\/(\w+)\/(\w)\w/, build(make) as never)
      app.use(`/${make.name}`, mount as never)
    }
  })
  const { json } = await get(`/withTable/m/mm${path}`)
  expect(json).toMatchObject({ params: {} })
  expect(json).toEqual((await get(`/withRouter/m/mm${path}`)).json)
})
