// Requests are validated with the document of their own version, before they are converted.
import express, { type ErrorRequestHandler } from 'express'
import { middleware } from 'express-openapi-validator'
import { byVersion, namedRoutes, URLPathVersioning, versioning } from 'express-versioning'
import { change, shape, versionHistory } from 'express-versioning/changes'
import { openapi } from 'express-versioning/openapi'
import { z } from 'zod'
import { start } from '../support'

const User = z.object({ given: z.string().min(1), family: z.string().min(1) }).meta({ id: 'User' })
const UserV1 = z.object({ name: z.string().min(1) })

const splitName = change(
  'Users have `given` and `family` in place of `name`, and lists take `limit` in place of `max`.',
  {
    User: shape(UserV1, User, {
      request({ name }) {
        const [given = '', ...family] = name.split(' ')
        return { given, family: family.join(' ') }
      },
      response: ({ given, family }) => ({ name: `${given} ${family}` }),
    }),
    'GET user-list': {
      query: ({ max, ...query }: { max?: string }) => (max === undefined ? query : { ...query, limit: max }),
      older: { query: z.object({ max: z.coerce.number().int().optional() }) },
    },
  },
)
const history = versionHistory('v1').version('v2', splitName)

const stored: unknown[] = []
const users = namedRoutes({ 'user-list': '/users' })
users.describe('GET user-list', {
  query: z.object({ limit: z.coerce.number().int().optional() }),
  response: z.array(User),
})
users.describe('POST user-list', { body: User, response: { 201: User } })
users
  .route('user-list')
  .get((req, res) => {
    res.json(stored.slice(0, Number(req.query.limit ?? 10)))
  })
  .post((req, res) => {
    stored.push(req.body)
    res.status(201).json(req.body)
  })

const routes = namedRoutes({}).include('/:version', users)
const options = { scheme: URLPathVersioning, changes: history, routes }

const documents = openapi(options, { info: { title: 'Users' } })
// Its types demand fields that OpenAPI does not require.
type Spec = Parameters<typeof middleware>[0]['apiSpec']

/** The middleware that validates requests in a version. The app answers what the document does not have. */
const validates = (version: string) =>
  middleware({ apiSpec: documents.document(version) as object as Spec, ignoreUndocumented: true })

const app = express()
app.use(versioning(options), express.json())
app.use(byVersion(Object.fromEntries(history.versions.map((version) => [version, validates(version)]))))
app.use(routes)
app.use((_req, res) => {
  res.status(404).json({ error: 'Not found.' })
})

const errors: ErrorRequestHandler = (err, _req, res, _next) => {
  res.status(err.status ?? 500).json({ error: err.status === undefined ? 'Internal Server Error' : err.message })
}
app.use(errors)

start(app, [
  { path: '/v1/users', body: '{"name":"Ada Lovelace"}', prints: '{"name":"Ada Lovelace"} 201' },
  {
    path: '/v1/users',
    body: '{"given":"Ada"}',
    prints: `{"error":"request/body must have required property 'name'"} 400`,
  },
  {
    path: '/v2/users',
    body: '{"given":"Ada"}',
    prints: `{"error":"request/body must have required property 'family'"} 400`,
  },
  { path: '/v1/users?max=1', prints: '[{"name":"Ada Lovelace"}] 200' },
  { path: '/v1/users?max=all', prints: '{"error":"request/query/max must be integer"} 400' },
  { path: '/v2/users?max=1', prints: `{"error":"Unknown query parameter 'max'"} 400` },
  { path: '/v2/users?limit=1', prints: '[{"given":"Ada","family":"Lovelace"}] 200' },
  { path: '/v2/nothing', prints: '{"error":"Not found."} 404' },
  { path: '/v3/users', prints: '{"error":"Invalid version in URL path."} 404' },
])
