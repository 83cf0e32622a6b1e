// An API of users whose handlers are elsewhere: its document, its history and its routers.
import express, { type Application, type Request, type RequestHandler, Router } from 'express'
import { HeaderVersioning, type VersioningOptions, versioning } from 'express-versioning'
import { change, convertRequest, shape, type VersionHistory, versionHistory } from 'express-versioning/changes'
import { type RoutesOfOptions, routesOf } from 'express-versioning/openapi'
import { type Served, serve } from './serve'

const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const text = { type: 'string' }
const User = {
  type: 'object',
  required: ['id', 'given', 'family'],
  properties: { id: text, given: text, family: text },
}
const OlderUser = { type: 'object', required: ['id', 'name'], properties: { id: text, name: text } }
const one = { 200: { description: 'A user', ...json(ref('User')) } }
const body = { required: true, ...json(ref('User')) }
const id = { name: 'id', in: 'path', required: true, schema: text }
const none = { 204: { description: 'Done' } }

export const USERS = {
  openapi: '3.1.0',
  info: { title: 'Users', version: 'v2' },
  paths: {
    '/users': {
      get: {
        parameters: [{ name: 'given', in: 'query', schema: text }],
        responses: { 200: { description: 'Users', ...json({ type: 'array', items: ref('User') }) } },
      },
      post: { requestBody: body, responses: { 201: { description: 'A user', ...json(ref('User')) } } },
    },
    '/users/me': { get: { responses: one } },
    '/users/{id}': {
      parameters: [id],
      get: { responses: one },
      put: { requestBody: body, responses: one },
      delete: { responses: none },
    },
    '/users/{id}/photo': { put: { parameters: [id], requestBody: { content: { 'image/png': {} } }, responses: none } },
    '/status': { get: { responses: { 200: { description: 'Fine', ...json(text) } } }, post: { responses: none } },
  },
  components: { schemas: { User } },
}

interface Older {
  id: string
  name: string
}
interface Newer {
  id: string
  given: string
  family: string
}
type Query = Record<string, unknown>

const splitName = change('Users have `given` and `family` instead of `name`.', {
  User: shape<Older, Newer>(OlderUser, User, {
    response: ({ id, given, family }) => ({ id, name: `${given} ${family}` }),
    request({ id, name }) {
      const [given = '', family = ''] = name.split(' ')
      return { id, given, family }
    },
  }),
})
const queried = change('The parameter `name` is `given`.', {
  'GET /users': {
    query: ({ name, ...query }: Query) => (name === undefined ? query : { ...query, given: name }),
    older: { query: { type: 'object', properties: { name: text } } },
  },
})
/** Its history: v1 has users with a name. */
export const HISTORY = versionHistory('v1').version(
  'v2',
  splitName as never,
  queried as never,
) as object as VersionHistory

export const ADA = { id: '7', given: 'Ada', family: 'Lovelace' }
export const OLD_ADA = { id: '7', name: 'Ada Lovelace' }

/** Lists what a handler sees of a request, in a header field. */
export const saw = (req: Request): string => JSON.stringify([req.query, req.body ?? null])

/** The router of today's users. `front` stands in front of the handlers of each route. */
export function users(router = Router(), ...front: RequestHandler[]): Router {
  const showing: RequestHandler = (req, res, next) => {
    res.set('X-Saw', saw(req))
    next()
  }
  const before = [...front, showing]
  router.get('/', ...before, (_req, res) => void res.json([ADA]))
  router.post('/', ...before, (req, res) => void res.status(201).json(req.body))
  router.get('/me', ...before, (_req, res) => void res.json({ ...ADA, id: 'me' }))
  router.get('/:userId', ...before, (req, res) => void res.json({ ...ADA, id: req.params.userId }))
  router.put('/:userId', ...before, (req, res) => void res.json(req.body))
  router.delete('/:userId', ...before, (_req, res) => void res.sendStatus(204))
  return router
}

export const status = (router = Router()): Router => router.get('/status', (_req, res) => void res.json('fine'))

type Settings = Partial<VersioningOptions> & { document?: object; table?: RoutesOfOptions }

/** The options of a `versioning()` of that API. */
export function usersOptions({ document = USERS, table, ...options }: Settings = {}): VersioningOptions {
  const routes = routesOf(document, table)
  return { scheme: HeaderVersioning, defaultVersion: 'v2', changes: HISTORY, routes, ...options } as VersioningOptions
}

/** Serves what `fill` adds behind a `versioning()` of that API. `front` stands in front of it. */
export function serveUsers(
  fill: (app: Application) => unknown,
  { front = [], ...settings }: Settings & { front?: RequestHandler[] } = {},
): Promise<Served> {
  return serve((app) => {
    app.use(...front, versioning(usersOptions(settings)))
    fill(app)
  })
}

export const parser = (): RequestHandler => express.json()
/** Parses and converts the requests of an app. */
export const both = (app: Application): Application => app.use(parser(), convertRequest)

/** Rejections of a response that is not converted, and of a request without a handler. */
export const CHANGED = { status: 500, json: { code: 'ERR_VERSION_CHANGE' } }
export const UNHANDLED = { status: 404, json: { code: 'ERR_VERSION_UNHANDLED', error: 'No handler for this version.' } }

/** Returns the warnings of each test, with their codes in front. They are not printed. */
export function warningsOfTests(): string[] {
  const warnings: string[] = []
  beforeEach(() => {
    warnings.length = 0
    jest.spyOn(process, 'emitWarning').mockImplementation(((message: string, options?: object) => {
      warnings.push(`${Object(options).code}: ${message}`)
    }) as never)
  })
  afterEach(() => jest.restoreAllMocks())
  return warnings
}
