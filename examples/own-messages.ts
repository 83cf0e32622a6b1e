// Old clients read the messages that they know: the schema of their version, which somebody wrote in zod, judges their requests.
import express from 'express'
import { namedRoutes, problemDetails, URLPathVersioning, versioning } from 'express-versioning'
import { change, shape, versionHistory } from 'express-versioning/changes'
import { contract } from 'express-versioning/contract'
import { z } from 'zod'
import { start } from './support/start'

const User = z
  .object({ given: z.string('Who are you?').min(1, 'Who are you?'), family: z.string('And the family?') })
  .meta({ id: 'User' })
// The schema of v1, as it was.
const UserV1 = z.object({ name: z.string('A name, please.').min(2, 'That is no name.') })

const changes = versionHistory('v1').version(
  'v2',
  change('Users have `given` and `family` instead of `name`.', {
    User: shape(UserV1, User, {
      response: ({ given, family }) => ({ name: `${given} ${family}`.trim() }),
      request: ({ name }) => {
        const [given = '', ...family] = name.split(' ')
        return { given, family: family.join(' ') }
      },
    }),
  }),
)

const users = namedRoutes({ 'user-list': '/users' })
users.describe('GET user-list', { response: z.array(User) })
users.describe('POST user-list', { body: User, response: { 201: User } })
const stored: unknown[] = []
users
  .route('user-list')
  .get((_req, res) => {
    res.json(stored)
  })
  .post((req, res) => {
    stored.push(req.body)
    res.status(201).json(req.body)
  })
const routes = namedRoutes({}).include('/:version', users)

export const options = {
  scheme: URLPathVersioning,
  changes,
  routes,
  contract: contract({ standard: true, requests: 'all' }),
}

const app = express()
app.use(versioning(options), express.json())
app.use(routes)
app.use(problemDetails())

const rejected = (version: string, detail: string, field: string) =>
  `{"type":"about:blank","title":"Bad Request","status":400,"detail":"The request is not valid in version ${version}.","code":"ERR_VERSION_CONTRACT","errors":[{"in":"body","pointer":"#/${field}","detail":"${detail}"}]} 400`

start(app, [
  { path: '/v1/users', body: '{"name":"A"}', prints: rejected('v1', 'That is no name.', 'name') },
  { path: '/v2/users', body: '{"given":"","family":""}', prints: rejected('v2', 'Who are you?', 'given') },
  { path: '/v1/users', body: '{"name":"Ada Lovelace"}', prints: '{"name":"Ada Lovelace"} 201' },
  { path: '/v2/users', prints: '[{"given":"Ada","family":"Lovelace"}] 200' },
  {
    path: '/v9/users',
    prints:
      '{"type":"about:blank","title":"Not Found","status":404,"detail":"Invalid version in URL path.","code":"ERR_VERSION_NOT_FOUND","supportedVersions":["v1","v2"]} 404',
  },
])
