import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express'
import {
  HeaderVersioning,
  namedRoutes,
  QueryParameterVersioning,
  type VersioningError,
  versioning,
} from 'express-versioning'
import { change } from 'express-versioning/changes'
import { ask, historyOf, tableOf } from '../support/changes'
import { serve } from '../support/serve'

// A `versioning()` with `changes` stands on a named route. It decides after the handlers of the route have begun.

type Path = { path: string[] }
const onward =
  (text: string) =>
  ({ path, ...rest }: Path) => ({ ...rest, path: [...path, text] })
const mark = (text: string) =>
  change(text, {
    'POST user-list': {
      request: onward(`${text} body`),
      query: (query: object) => ({ ...query, newer: text }),
      response: onward(`${text} answer`),
    },
    'POST other': { request: onward(`${text} other`) },
  })
const came = change('One came, one went.', { 'GET user-detail': 'added', 'GET other': 'removed' })
const history = historyOf([mark('2'), came], [mark('3')])

const shown = (req: Request) => ({ path: req.body.path, query: { ...req.query } })
const echo: RequestHandler = (req, res) => void res.json(shown(req))
const post = { method: 'POST', body: { path: [] } }

const options = { scheme: HeaderVersioning, changes: history, allowedVersions: [...history.versions, null] }

/** An app of one table, alone and mounted in another one. */
const served = (fill: (own: RequestHandler, routes: ReturnType<typeof tableOf>) => void) =>
  serve((app) => {
    app.use(express.json())
    const alone = tableOf()
    fill(versioning({ ...options, routes: alone }), alone)
    const mounted = tableOf()
    const routes = namedRoutes({}).include('/in', mounted)
    fill(versioning({ ...options, routes }), mounted)
    app.use('/alone', alone)
    app.use(routes)
    app.use((error: VersioningError, _req: Request, res: Response, next: NextFunction) => {
      if (error.status === 404) res.status(404).json({ code: error.code, allowed: error.allowedVersions })
      else next(error)
    })
  })

describe.each(['/alone', '/in'])('%s', (at) => {
  test.each([
    ['v1', ['2 body', '3 body', '3 answer', '2 answer'], { newer: '3' }],
    ['v2', ['3 body', '3 answer'], { newer: '3' }],
    ['v3', [], {}],
  ])('in %s request and answer are converted', async (version, path, query) => {
    const server = await served((own, routes) => {
      routes.route('user-list').post(own, echo)
    })
    expect((await ask(server, version, `${at}/users`, post)).json).toEqual({ path, query })
  })

  test.each([
    ['v1', 'user-detail', '/users/7', { code: 'ERR_VERSION_UNHANDLED', allowed: ['v2', 'v3'] }],
    ['v2', 'user-detail', '/users/7', 1],
    ['v1', 'other', '/other', 1],
    ['v3', 'other', '/other', { code: 'ERR_VERSION_UNHANDLED', allowed: ['v1'] }],
  ] as const)('in %s %s is there or is refused: %s is %j', async (version, name, path, json) => {
    const server = await served((own, routes) => {
      routes.route(name).get(own, (_req, res) => void res.json(1))
    })
    expect((await ask(server, version, at + path)).json).toEqual(json)
  })
})

describe('behind another versioning() with changes', () => {
  const twice = (between: RequestHandler = (_req, _res, next) => next()) =>
    serve((app) => {
      const routes = tableOf()
      const outer = versioning({ scheme: HeaderVersioning, defaultVersion: 'v3', changes: history, routes })
      const own = versioning({ scheme: QueryParameterVersioning, defaultVersion: 'v3', changes: history, routes })
      routes.route('user-list').post(between, own, echo)
      app.use(express.json(), outer, routes)
    })

  test.each([
    ['v1', 'v1', ['2 body', '3 body', '3 answer', '2 answer']],
    ['v1', 'v2', ['3 body', '3 answer']],
    ['v1', 'v3', []],
    ['v3', 'v1', ['2 body', '3 body', '3 answer', '2 answer']],
  ])('that decided %s, the one on the route decides: %s', async (first, last, path) => {
    const answer = await ask(await twice(), first, `/users?version=${last}`, post)
    expect(answer.json).toMatchObject({ path })
  })
})
