import { Ajv2020 } from 'ajv/dist/2020'
import express, { type RequestHandler } from 'express'
import { problemDetails, QueryParameterVersioning } from 'express-versioning'
import { change, convertRequest, sent, shape } from 'express-versioning/changes'
import type { ContractOptions } from 'express-versioning/contract'
import { ask, historyOf, serveChanges, type Table } from '../support/changes'
import { lasting } from '../support/lasting'
import { major } from '../support/major'
import { rows } from '../support/rows'
import { addJudged, judged, object, text } from './judged'

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
const Numbered = { type: 'object', properties: { page: { type: 'integer' } } }
const Paged = { type: 'object', properties: { cursor: text } }

function fill(routes: Table) {
  routes
    .describe('GET user-list', { query: Paged, response: {} })
    .describe('POST user-list', { body: Draft, response: {} })
    .describe('PUT user-detail', {
      body: User,
      query: Numbered,
      response: {},
      operation: { requestBody: { required: false } },
    })
    .describe('DELETE user-detail', { body: User, query: Numbered, response: {} })
    .describe('PATCH user-detail', { body: null, query: Numbered, response: {} })
    .describe('POST user-detail', { body: null, response: {} })
    .describe('PATCH other', { body: object({ on: { type: 'boolean' } }), response: {} })
  routes.route('user-list').get(echo).post(echo)
  routes.route('user-detail').put(echo).post(echo).delete(echo).patch(echo)
  const required: RequestHandler = ({ query }, res, next) =>
    void (query.anonymous === undefined ? next() : res.sendStatus(401))
  routes.route('other').patch(required, express.json(), convertRequest, echo)
}

const SETTINGS: Record<string, Partial<ContractOptions>> = {
  all: { requests: 'all' },
  older: {},
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
  late: { refuse: () => Promise.reject(new Error('late')) },
}
const parsers = [express.json({ type: ['application/json', 'text/json'] }), express.urlencoded({ extended: true })]
const behind = [problemDetails()]
/** The API by the names of settings. The route `other` has its own parser. */
const served = lasting((setting: string, app) => {
  const front = parsers.map((parser): RequestHandler => {
    return (req, res, next) => (req.path === '/other' ? next() : parser(req, res, next))
  })
  const own = { defaultVersion: 'v2', changes, parsers: front, behind }
  addJudged(app, fill, { compile, ...SETTINGS[setting] }, own)
})

/** Writes a response in short: what the handler got, or the issues. */
function told({ status, json }: { status: number; json: unknown }): string {
  const { errors, body, query, code } = Object(json) as Partial<Record<string, object[]>>
  if (status === 200) return `200 ${JSON.stringify(body ?? null)} ${JSON.stringify(query)}`
  const issues = errors?.map((error) => Object.values(error).join(' ')).join(', ')
  return `${status} ${code ?? ''} ${issues ?? ''}`.trim()
}

/** The body that a parser leaves for a request without one. */
const BLANK = major === 4 ? '{}' : 'null'

test.each(
  rows(`
  // unknown properties go, at any depth, before the conversion
  older v1 POST /users {"status":"x","evil":1,"user":{"name":"A","given":"B"}} | 200 {"status":"x","user":{"given":"A"}} {}
  older v1 POST /users {"user":{"name":"A","nick":"N"}} | 200 {"user":{"given":"A","nick":"N"}} {}
  // the newest version is not checked
  older v2 POST /users {"status":7,"evil":1} | 200 {"status":7,"evil":1} {}
  // issues are in the client's names
  older v1 POST /users {"user":{}} | 400 ERR_VERSION_CONTRACT body #/user/name must have required property 'name'
  older v1 POST /users {"user":{"name":7}} | 400 ERR_VERSION_CONTRACT body #/user/name must be string
  older v1 POST /users [1] | 400 ERR_VERSION_CONTRACT body # must be object
  // the body must be there, but for one that may be left out
  older v1 POST /users | 400 ERR_VERSION_CONTRACT body # must be there
  older v1 PUT /users/1 | 200 BLANK {}
  older v1 PUT /users/1 {"name":"A"} | 200 {"given":"A"} {}
  // none is described
  older v1 POST /users/1 {"status":"draft"} | 200 BLANK {}
  older v1 POST /users/1 | 200 BLANK {}
  // queries are strings
  older v1 GET /users?offset=3&page=1 | 200 BLANK {"cursor":"c3"}
  older v1 GET /users?offset=x | 400 ERR_VERSION_CONTRACT query #/offset must be integer
  older v2 GET /users?offset=x | 200 BLANK {"offset":"x"}
  // convertRequest, behind another handler
  older v1 PATCH /other?anonymous {"on":true} | 401
  older v1 PATCH /other?anonymous {"on":7} | 401
  older v1 PATCH /other {"on":true,"evil":1} | 200 {"on":true} {}
  older v1 PATCH /other {"on":7} | 400 ERR_VERSION_CONTRACT body #/on must be boolean
  older v2 PATCH /other {"on":7} | 200 {"on":7} {}
  // other settings
  all v2 POST /users {"status":7} | 400 ERR_VERSION_CONTRACT body #/status must be string
  all v2 POST /users {"status":"x","evil":1} | 200 {"status":"x"} {}
  all v2 GET /users?cursor=a | 200 BLANK {"cursor":"a"}
  none v1 POST /users {"user":{"name":"A"},"evil":1} | 200 {"user":{"given":"A"},"evil":1} {}
  keep v1 POST /users {"user":{"name":"A","age":1},"evil":1} | 200 {"user":{"given":"A","age":1},"evil":1} {}
  refuse v1 POST /users {"user":{"name":"A"},"evil":{},"user~/é":1} | 400 ERR_VERSION_CONTRACT body #/evil must not be there, body #/user~0~1%C3%A9 must not be there
  refuse v1 GET /users?offset=1&page=1 | 400 ERR_VERSION_CONTRACT query #/page must not be there
  // where no body is described, JSON is unknown as a whole
  keep v1 POST /users/1 {"status":"draft"} | 200 {"status":"draft"} {}
  refuse v1 POST /users/1 {"status":"draft"} | 400 ERR_VERSION_CONTRACT body # must not be there
  refuse v1 POST /users/1 {} | 400 ERR_VERSION_CONTRACT body # must not be there
  refuse v1 POST /users/1 | 200 BLANK {}
  older v1 POST /users/1 [] | 200 BLANK {}
  // misfits of query and body, together
  older v1 PUT /users/1?page=x {"name":7} | 400 ERR_VERSION_CONTRACT query #/page must be integer, body #/name must be string
  older v1 DELETE /users/1?page=x | 400 ERR_VERSION_CONTRACT query #/page must be integer, body # must be there
  refuse v1 PUT /users/1?page=x&evil=1 {"name":7,"evil":1} | 400 ERR_VERSION_CONTRACT query #/evil must not be there, query #/page must be integer, body #/evil must not be there, body #/name must be string
  refuse v1 PATCH /users/1?page=x {"name":7} | 400 ERR_VERSION_CONTRACT query #/page must be integer, body # must not be there
  teapot v1 POST /users {"user":1} | 418
  odd v1 POST /users {"user":1} | 400 ERR_VERSION_CONTRACT body #/user must be object
`),
)('%s', async (request = '', expected = '') => {
  const [setting = '', version = '', method = '', path = '', sent] = request.split(' ', 5)
  const response = await ask(await served(setting), version, path, { method, ...(sent && { body: sent }) })
  expect(told(response)).toBe(expected.replace('BLANK', BLANK))
  if (setting === 'teapot') expect(response.json).toMatchObject({ error: '1 /users v1 POST user-list' })
})

test('a promise is no error of a misfit, and its rejection does not end the process', async () => {
  const unhandled = jest.fn()
  process.on('unhandledRejection', unhandled)
  const app = await served('late')
  const response = await ask(app, 'v1', '/users', { method: 'POST', body: '{"user":1}' })
  await new Promise(setImmediate)
  process.off('unhandledRejection', unhandled)
  expect([told(response), unhandled.mock.calls]).toEqual(['400 ERR_VERSION_CONTRACT body #/user must be object', []])
})

test.each([
  ['beside another method', (table: Table) => table.route('other').get(echo).all(echo)],
  ['alone', (table: Table) => table.route('other').all(echo)],
])('a described operation that all() serves %s is checked', async (_title, fill) => {
  const body = { type: 'object', properties: { n: { type: 'number' } } }
  const all = (routes: Table) => {
    for (const method of ['POST', 'PUT', 'PATCH'] as const) routes.describe(`${method} other`, { body, response: null })
    fill(routes)
  }
  const app = await judged(all, { compile, requests: 'all' })
  const ways = ['{"n":"x"}', '{"n":1,"evil":2}'].map((body) => ask(app, 'v1', '/other', { method: 'POST', body }))
  const [misfit, fit] = await Promise.all(ways)
  expect([misfit?.status, fit?.status, Object(fit?.json).body]).toEqual([400, 200, { n: 1 }])
})

test('convertRequest does nothing outside of a named route, and in one without anything to convert', async () => {
  const app = await serveChanges(historyOf([change('C.', { 'GET user-list': cursor })]), (routes, app) => {
    routes.describe('GET other', { response: {} }).describe('GET user-list', { response: {}, query: Paged })
    routes.route('other').get(convertRequest, echo)
    routes.route('user-list').get(convertRequest, echo)
    app.use('/plain', convertRequest, echo)
  })
  const queries = ['/plain?a=1', '/other?a=1', '/users?offset=3'].map(async (path) =>
    Object((await app.get(path)).json),
  )
  expect((await Promise.all(queries)).map(({ query }) => query)).toEqual([{ a: '1' }, { a: '1' }, { cursor: 'c3' }])
})

test("a form is strings, and bytes are nobody's described body", async () => {
  const app = await served('older')
  const send = (type: string, sent: string, path = '/users') =>
    ask(app, 'v1', path, { method: 'POST', body: sent, headers: { 'Content-Type': type } })
  const form = 'application/x-www-form-urlencoded'
  expect(told(await send(form, 'user[name]=A&user[age]=7&evil=1'))).toBe('200 {"user":{"given":"A","age":"7"}} {}')
  expect(told(await send(form, 'user[name]=A&user[age]=x'))).toBe(
    '400 ERR_VERSION_CONTRACT body #/user/age must be number',
  )
  // A form where no body is described may have files beside it.
  expect(told(await send(form, 'a=1', '/users/1'))).toBe('200 {"a":"1"} {}')
  expect(told(await send('text/json', '{"a":1}', '/users/1'))).toBe(`200 ${BLANK} {}`)
  const warned = jest.spyOn(process, 'emitWarning').mockReturnValue()
  expect(told(await send('application/octet-stream', 'abc'))).toBe('415 ERR_VERSION_BODY')
  expect(warned.mock.calls).toEqual([
    [expect.stringContaining('"POST user-list"'), { code: 'EXPRESS_VERSIONING_BODY' }],
  ])
})

const FORMS = rows(`
  // the body of JSON under the type of a form | described | nobody described it
  {"n":5}                | 400 | 400
  {"n":true}             | 400 | 400
  {"n":null}             | 400 | 400
  {"n":"5","l":[1]}      | 400 | 400
  {"n":"5","l":{"m":[]}} | 200 | 200
  {"n":"5","l":["a"]}    | 200 | 200
  {"n":"x"}              | 400 | 200
  ["5"]                  | 400 | 400
  {}                     | 400 | 200
`)
test.each(FORMS)('a form has strings alone, whatever the type says: %s', async (sent, described, undescribed) => {
  const strict: ContractOptions['compile'] = (_schema, part) => (value) =>
    part === 'query' ? /^\d$/.test(String(Object(value).n)) : false
  const fill = (routes: Table) => {
    routes.describe('POST other', { body: {}, response: {} }).describe('POST user-list', { body: null, response: {} })
    for (const name of ['other', 'user-list'] as const) routes.route(name).post(echo)
  }
  const parsers = [express.json({ type: '*/*' })]
  const app = await judged(fill, { compile: strict, unknown: 'refuse', requests: 'all' }, { parsers })
  for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    const asked = { method: 'POST', body: sent, headers: { 'Content-Type': type } }
    const got = await Promise.all(['/other', '/users'].map((path) => ask(app, 'v1', path, asked)))
    expect(got.map(({ status }) => String(status))).toEqual([described, undescribed])
  }
})

test("the query parameter of the version is nobody's property", async () => {
  const query = { ...cursor.older.query, additionalProperties: false }
  const fill = (routes: Table) =>
    routes.describe('GET user-list', { response: {}, query: Paged }).route('user-list').get(echo)
  const changes = historyOf([change('C.', { 'GET user-list': { ...cursor, older: { query } } })])
  const app = await judged(fill, { compile }, { scheme: QueryParameterVersioning, changes, parsers: [], behind })
  expect(told(await app.get('/users?version=v1&offset=3'))).toBe('200 null {"version":"v1","cursor":"c3"}')
  expect(told(await app.get('/users?version=v1&evil=3'))).toBe(
    '400 ERR_VERSION_CONTRACT query #/evil must NOT have additional properties',
  )
})

test('a value that is nested deeper than the stack allows is 400, and the validator is asked again', async () => {
  const Tree = { $id: 'Tree', ...object({ trees: { type: 'array', items: { $ref: '#' } } }) }
  const fill = (routes: Table) => routes.describe('POST other', { body: Tree, response: {} }).route('other').post(echo)
  const app = await judged(fill, { compile }, { parsers: [express.json({ limit: '9mb' })], behind })
  const codes = []
  for (const depth of [1, 1000, 2000, 4000, 8000, 100_000, 1]) {
    const sent = `${'{"trees":['.repeat(depth)}{"trees":[]}${']}'.repeat(depth)}`
    codes.push((await ask(app, 'v1', '/other', { method: 'POST', body: sent })).status)
  }
  expect([codes[0], codes.at(-1), codes.filter((code) => code !== 200 && code !== 400)]).toEqual([200, 200, []])
  expect(codes).toContain(400)
})
