// Handlers elsewhere: requests are converted in front of them.
import express, { type Application, type RequestHandler, Router } from 'express'
import { HeaderVersioning, type VersioningOptions, versioning } from 'express-versioning'
import { change, convertRequest, sent, shape, versionHistory } from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'
import { ask } from '../support/changes'
import { serve } from '../support/serve'

const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const users = { description: 'Users', ...json({ type: 'array', items: ref('User') }) }
const user = { description: 'A user', ...json(ref('User')) }
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
const body = { required: true, ...json(ref('User')) }
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Users', version: 'v2' },
  paths: {
    '/users': {
      get: { parameters: [{ name: 'given', in: 'query', schema: { type: 'string' } }], responses: { 200: users } },
      post: { requestBody: body, responses: { 201: user } },
    },
    '/users/me': { get: { responses: { 200: user } } },
    '/users/{id}': {
      parameters: [id],
      get: { responses: { 200: user } },
      put: { requestBody: body, responses: { 200: user } },
      delete: { responses: { 204: { description: 'Gone' } } },
    },
    '/health': {
      get: {
        responses: { 200: { description: 'OK', ...json({ type: 'object', properties: { ok: { type: 'boolean' } } }) } },
      },
    },
  },
  components: {
    schemas: {
      User: {
        type: 'object',
        required: ['id', 'given', 'family'],
        properties: { id: { type: 'string' }, given: { type: 'string' }, family: { type: 'string' } },
      },
    },
  },
}
const OLDER = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'string' }, name: { type: 'string' } },
}
type New = { id: string; given: string; family: string }
type Old = { id: string; name: string }
const splitName = change('Users have `given` and `family` instead of `name`.', {
  User: shape<Old, New>(OLDER, DOCUMENT.components.schemas.User, {
    response: ({ id, given, family }) => ({ id, name: `${given} ${family}` }),
    request({ id, name }) {
      const [given = '', family = ''] = name.split(' ')
      return { id, given, family }
    },
  }),
  'GET /users': {
    query: ({ name, ...query }: { name?: string }) => (name === undefined ? query : { ...query, given: name }),
  },
} as never)
const changes = versionHistory('v1').version('v2', splitName as never)
const scheme = { scheme: HeaderVersioning, defaultVersion: 'v2', changes } as never as VersioningOptions
const ADA = { id: '7', given: 'Ada', family: 'Lovelace' }
const OLD_ADA = { id: '7', name: 'Ada Lovelace' }

const plain = () => {
  const router = Router()
  router.get('/', (req, res) => void res.json([{ ...ADA, given: String(req.query.given ?? 'Ada') }]))
  router.post('/', (req, res) => void res.status(201).json({ ...req.body, seen: undefined, sent: undefined }))
  router.get('/me', (_req, res) => void res.json(ADA))
  router.get('/:userId', (_req, res) => void res.json(ADA))
  router.put('/:userId', (req, res) => void res.json(req.body))
  router.delete('/:userId', (_req, res) => void res.sendStatus(204))
  return router
}
const serveUsers = (
  fill: (app: Application) => unknown,
  options: Partial<VersioningOptions> = {},
  document: object = DOCUMENT,
  settings = {},
) =>
  serve((app) => {
    app.use(versioning({ ...scheme, routes: routesOf(document, settings) as never, ...options }))
    fill(app)
  })

test('x', async () => {
  const server = await serveUsers((app) => app.use(express.json(), convertRequest).use('/users', plain()))
  for (const [method, path, body] of [
    ['GET', '/users'],
    ['GET', '/users?name=Bob'],
    ['POST', '/users', OLD_ADA],
    ['GET', '/users/me'],
    ['GET', '/users/7'],
    ['HEAD', '/users/7'],
    ['PUT', '/users/7', OLD_ADA],
    ['DELETE', '/users/7'],
    ['DELETE', '/users/7', {}],
    ['GET', '/users/ME'],
    ['GET', '/users/m%65'],
    ['GET', '/users/7/'],
    ['GET', '/users/me/'],
    ['GET', '/users//me'],
    ['GET', '/users/me;a'],
    ['GET', '/nothing'],
    ['PATCH', '/users/7/x'],
    ['OPTIONS', '/users/7'],
  ] as [string, string, object?][]) {
    const r = await ask(server, 'v1', path, { method, body })
    console.log(method, path, r.status, r.text)
  }
})
