import { Ajv2020 } from 'ajv/dist/2020'
import express, { type RequestHandler } from 'express'
import { HeaderVersioning, problemDetails, versioning } from 'express-versioning'
import { change, convertRequest, sent, shape } from 'express-versioning/changes'
import { type ContractOptions, contract } from 'express-versioning/contract'
import { ask, historyOf, tableOf } from '../support/changes'
import { major } from '../support/major'
import { rows } from '../support/rows'
import { serve } from '../support/serve'

const text = { type: 'string' }
const object = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  ...more,
})
const body = new Ajv2020({ allErrors: true, strict: false, useDefaults: true })
const query = new Ajv2020({ allErrors: true, strict: false, coerceTypes: 'array' })
const compile: ContractOptions['compile'] = (schema, part) => (part === 'query' ? query : body).compile(schema)

const User = { $id: 'User', ...object({ given: text, tags: { type: 'array', items: text } }, { required: ['given'] }) }
const UserV1 = object(
  { name: text, nick: { ...text, default: 'none' }, age: { type: 'number' } },
  { required: ['name'] },
)
type V1 = { name: string; nick?: string; age?: number }
const named = shape<V1, { given: string }>(UserV1 as never, User as never, {
  request: ({ name, ...rest }) => ({ given: name, ...rest }),
})
const cursor = {
  query: ({ offset, ...rest }: { offset?: string }) => ({ ...rest, ...(offset && { cursor: `c${offset}` }) }),
  older: { query: { type: 'object', properties: { offset: { type: 'integer' } } } },
}
const changes = historyOf([
  change('Users have a given name.', { User: named }),
  change('Cursors.', { 'GET user-list': cursor }),
])

const echo: RequestHandler = (req, res) => {
  res.json({ body: req.body, query: req.query, sent: sent(req).body })
}
const Draft = { type: 'object', properties: { user: { $ref: 'User' }, status: text }, $defs: { User } }
const Paged = { type: 'object', properties: { cursor: text } }

function described() {
  const routes = tableOf()
  routes
    .describe('GET user-list', { query: Paged, response: {} })
    .describe('POST user-list', { body: Draft, response: {} })
    .describe('PUT user-detail', { body: User, response: {}, operation: { requestBody: { required: false } } })
    .describe('POST user-detail', { body: null, response: {} })
    .describe('PATCH other', { body: object({ on: { type: 'boolean' } }), response: {} })
  routes.route('user-list').get(echo).post(echo)
  routes.route('user-detail').put(echo).post(echo)
  const required: RequestHandler = (req, res, next) => void (req.headers.authorization ? next() : res.sendStatus(401))
  routes.route('other').patch(required, express.json(), convertRequest, echo)
  return routes
}

const parsers = [express.json({ type: ['application/json', 'text/json'] }), express.urlencoded({ extended: true })]
const served = (own: Partial<ContractOptions> = {}) =>
  serve((app) => {
    const routes = described()
    const options = { scheme: HeaderVersioning, defaultVersion: 'v2', changes, routes }
    app.use(versioning({ ...options, contract: contract({ compile, ...own }) }))
    app.use(/^(?!\/other)/, ...parsers)
    app.use(routes, problemDetails())
  })

/** Writes an answer in short: what the handler got, or the issues. */
function told({ status, json }: { status: number; json: unknown }): string {
  const { errors, body, query, code } = json as { errors?: object[]; body?: unknown; query?: object; code?: string }
  if (status === 200) return `200 ${JSON.stringify(body ?? null)} ${JSON.stringify(query)}`
  const issues = errors?.map((error) => Object.values(error).join(' ')).join(', ')
  return `${status} ${code ?? ''} ${issues ?? ''}`.trim()
}

const CASES = rows(`
  // unknown members go, at any depth, before the conversion
  v1 POST /users {"status":"x","evil":1,"user":{"name":"A","given":"B"}} | 200 {"status":"x","user":{"given":"A"}} {}
  v1 POST /users {"user":{"name":"A","nick":"N"}} | 200 {"user":{"given":"A","nick":"N"}} {}
  // the newest version is not checked
  v2 POST /users {"status":7,"evil":1} | 200 {"status":7,"evil":1} {}
  // issues are in the client's names
  v1 POST /users {"user":{}} | 400 ERR_VERSION_CONTRACT body #/user/name must have required property 'name'
  v1 POST /users {"user":{"name":7}} | 400 ERR_VERSION_CONTRACT body #/user/name must be string
  v1 POST /users [1] | 400 ERR_VERSION_CONTRACT body # must be object
  // the body must be there, but for one that may be left out
  v1 POST /users | 400 ERR_VERSION_CONTRACT body # must be there
  v1 PUT /users/1 | 200 BLANK {}
  v1 PUT /users/1 {"name":"A"} | 200 {"given":"A"} {}
  // none is described
  v1 POST /users/1 {"status":"draft"} | 200 BLANK {}
  v1 POST /users/1 | 200 BLANK {}
  // queries are texts
  v1 GET /users?offset=3&page=1 | 200 BLANK {"cursor":"c3"}
  v1 GET /users?offset=x | 400 ERR_VERSION_CONTRACT query #/offset must be integer
  v2 GET /users?offset=x | 200 BLANK {"offset":"x"}
`)
test.each(CASES)('%s', async (request = '', expected = '') => {
  const [version = '', method = '', path = '', sent] = request.split(' ', 4)
  const answer = await ask(await served(), version, path, { method, ...(sent && { body: sent }) })
  expect(told(answer)).toBe(expected.replace('BLANK', BLANK))
})

/** The body that a parser leaves for a request without one. */
const BLANK = major === 4 ? '{}' : 'null'

const OTHER_CASES = rows(`
  all v2 | POST /users {"status":7} | 400 ERR_VERSION_CONTRACT body #/status must be string
  all v2 | POST /users {"status":"x","evil":1} | 200 {"status":"x"} {}
  none v1 | POST /users {"user":{"name":"A"},"evil":1} | 200 {"user":{"given":"A"},"evil":1} {}
  keep v1 | POST /users {"user":{"name":"A","age":1},"evil":1} | 200 {"user":{"given":"A","age":1},"evil":1} {}
  refuse v1 | POST /users {"user":{"name":"A"},"evil":{},"user~/é":1} | 400 ERR_VERSION_CONTRACT body #/evil must not be there, body #/user~0~1%C3%A9 must not be there
  refuse v1 | GET /users?offset=1&page=1 | 400 ERR_VERSION_CONTRACT query #/page must not be there
  teapot v1 | POST /users {"user":1} | 418
  odd v1 | POST /users {"user":1} | 400 ERR_VERSION_CONTRACT body #/user must be object
`)
const SETTINGS: Record<string, Partial<ContractOptions>> = {
  all: { requests: 'all' },
  none: { requests: false },
  keep: { unknown: 'keep' },
  refuse: { unknown: 'refuse' },
  teapot: {
    refuse: (issues, { req, version, operation }) => {
      const facts = [issues.length, req?.path, version, operation]
      return Object.assign(new Error(facts.join(' ')), { status: 418 })
    },
  },
  odd: { refuse: () => 'no error' },
}
test.each(OTHER_CASES)('%s %s', async (named = '', request = '', expected = '') => {
  const [setting = '', version = ''] = named.split(' ')
  const [method = '', path = '', sent] = request.split(' ', 3)
  const answer = await ask(await served(SETTINGS[setting]), version, path, { method, ...(sent && { body: sent }) })
  expect(told(answer)).toBe(expected)
  if (setting === 'teapot') expect(answer.json).toMatchObject({ error: '1 /users v1 POST user-list' })
})
