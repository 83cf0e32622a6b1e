// One OpenAPI document for each version, /openapi/v1.json and /openapi/v2.json, made from the routes and their descriptions.
import express from 'express'
import { byVersion, deprecated, namedRoutes, problemDetails, URLPathVersioning, versioning } from 'express-versioning'
import { openapi } from 'express-versioning/openapi'
import { z } from 'zod'
import { start } from './support/start'

const UserV1 = z.object({ id: z.string(), name: z.string() }).meta({ id: 'User' })
const User = z.object({ id: z.string(), given: z.string(), family: z.string() }).meta({ id: 'User' })

const users = namedRoutes({ 'user-list': '/users', 'user-detail': '/users/:id', export: '/export' })

users.route('user-list').get((_req, res) => {
  res.json([])
})
users.route('user-detail').get(
  byVersion({
    v1: (req, res) => res.json({ id: req.params.id, name: 'Ada Lovelace' }),
    v2: (req, res) => res.json({ id: req.params.id, given: 'Ada', family: 'Lovelace' }),
  }),
)
users.route('export').get(deprecated({ since: '2025-01-01', sunset: '2099-01-01' }), byVersion({ v1: sendExport }))

function sendExport(_req: express.Request, res: express.Response): void {
  res.type('csv').send('id\n')
}

users.describe('GET user-detail', {
  summary: 'One user',
  tags: ['users'],
  response: { 200: User, 404: z.object({ error: z.string() }) },
  versions: { v1: { response: UserV1 } },
})
users.describe('GET user-list', {
  query: z.object({ page: z.coerce.number().default(1) }),
  response: z.array(User),
  versions: { v1: { response: z.array(UserV1) } },
})
users.describe('GET export', {
  operation: {
    security: [{ key: [] }],
    responses: { 200: { description: 'All users.', content: { 'text/csv': { example: 'id\n7\n' } } } },
  },
})

const api = namedRoutes({ health: '/health' }).include('/:version', users)
api.route('health').get((_req, res) => {
  res.json({ ok: true })
})

const options = {
  scheme: URLPathVersioning,
  allowedVersions: ['v1', 'v2'],
  lifecycle: { v1: { deprecated: '2025-06-01', successor: 'v2' } },
  neutral: ['health'],
  routes: api,
}
const docs = openapi(options, {
  info: { title: 'Users', description: 'Who is who.' },
  mount: '/api',
  problemDetails: true,
  extend: ({ components, ...document }) => ({
    ...document,
    security: [],
    components: { ...components, securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
  }),
})

const app = express()
app.use('/openapi', docs)
app.use('/api', versioning(options), api)
app.use(problemDetails())

const documents = '{"documents":[{"version":"v1","url":"/openapi/v1.json"},{"version":"v2","url":"/openapi/v2.json"}]}'

start(app, [
  { path: '/openapi/', prints: `${documents} 200` },
  {
    path: '/openapi/v2.json',
    grep: '^(HTTP|Content-Type)',
    prints: ['HTTP/1.1 200 OK', 'Content-Type: application/json; charset=utf-8'],
  },
  { path: '/api/v1/users/7', prints: '{"id":"7","name":"Ada Lovelace"} 200' },
  { path: '/api/v2/users/7', prints: '{"id":"7","given":"Ada","family":"Lovelace"} 200' },
  {
    path: '/api/v9/users/7',
    prints:
      '{"type":"about:blank","title":"Not Found","status":404,"detail":"Invalid version in URL path.","code":"ERR_VERSION_NOT_FOUND","supportedVersions":["v1","v2"]} 404',
  },
])
