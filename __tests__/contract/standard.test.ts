import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020'
import express, { type RequestHandler } from 'express'
import { HeaderVersioning, problemDetails, versioning } from 'express-versioning'
import { change, fields, shape } from 'express-versioning/changes'
import { type ContractOptions, contract } from 'express-versioning/contract'
import { z } from 'zod'
import { ask, historyOf, tableOf } from '../support/changes'
import { rows } from '../support/rows'
import { type HttpResponse, serve } from '../support/serve'

const ajv = new Ajv2020({ allErrors: true, strict: false, coerceTypes: true })
const compile: ContractOptions['compile'] = (schema) => ajv.compile(schema)
const echo: RequestHandler = (req, res) => void res.json({ body: req.body, query: req.query })

const Tag = z.object({ label: z.string('A label, please.') }).meta({ id: 'Tag' })
const User = z
  .object({ given: z.string('A given name, please.'), role: z.string().default('user'), tags: z.array(Tag).optional() })
  .meta({ id: 'User' })
const UserV1 = z
  .object({
    name: z.string('A name, please.').min(2, 'A longer name, please.'),
    role: z.string().default('old'),
    tags: z.array(z.string('A tag is a word.')).optional(),
  })
  .meta({ id: 'User' })
const Post = z.object({ title: z.string('A title, please.').trim().min(1, 'Some title, please.') }).meta({ id: 'Post' })
const PageV1 = z.object({ offset: z.coerce.number('A number, please.').int().optional() })

/** Users change in v2, tags and posts in v3. The users of v1 have the tags of v1. */
const changes = historyOf(
  [
    change('Users have a given name.', {
      User: shape(UserV1, { request: ({ name, ...rest }) => ({ given: name, ...rest, tags: [] }) }),
      'PUT other': { request: (body) => body, older: { body: z.object({ user: UserV1 }) } },
    }),
  ],
  [
    change('Posts have a title.', {
      Post: fields({ renamed: { name: 'title' } }),
      Tag: shape(z.string('A tag is a word.'), { request: (label) => ({ label }) }),
      'GET user-list': {
        query: ({ offset }: { offset?: string }) => ({ cursor: offset }),
        older: { query: PageV1 },
      },
    }),
  ],
)

function api(own: Partial<ContractOptions> = {}) {
  return serve((app) => {
    const routes = tableOf()
    routes
      .describe('GET user-list', { query: z.object({ cursor: z.string().optional() }), response: {} })
      .describe('POST user-list', { body: User, response: {} })
      .describe('PUT user-list', { body: z.array(User), response: {} })
      .describe('PUT other', { body: z.object({ user: User }), response: {} })
      .describe('POST other', { body: Post, response: {} })
      .describe('PATCH other', {
        body: z.object({ n: z.number('A number, please.'), at: z.object({ x: z.int('A whole number, please.') }) }),
        response: {},
      })
    routes.route('user-list').get(echo).post(echo).put(echo)
    routes.route('other').put(echo).post(echo).patch(echo)
    const options = { scheme: HeaderVersioning, changes, routes }
    const judged = contract({ compile, standard: true, requests: 'all', ...own })
    app.use(versioning({ ...options, contract: judged }), express.json(), express.urlencoded({ extended: true }))
    app.use(routes, problemDetails())
  })
}

/** What a response says: its status, and the body that the handler got, or the errors. */
function told({ status, json }: HttpResponse): string {
  const { body, query, errors } = json as { body: unknown; query: unknown; errors?: Record<string, string>[] }
  if (status === 200) return `200 ${JSON.stringify(body)} ${JSON.stringify(query)}`
  return `${status} ${errors?.map(({ in: part, pointer, detail }) => `${part} ${pointer} ${detail}`).join(', ')}`
}

const CASES = rows(`
  // the older of a shape
  v1 POST /users {"name":"A"} | 400 body #/name A longer name, please.
  v1 POST /users {"given":"A"} | 400 body #/name A name, please.
  v1 POST /users {"name":"Ada","tags":["a",7]} | 400 body #/tags/1 A tag is a word.
  // what it judges is a copy: no default of it, and no property that the version lacks, reaches the handler
  v1 POST /users {"name":"Ada","given":"X"} | 200 {"given":"Ada","tags":[]} {}
  // the description, where nothing in it has changed since
  v3 POST /users {"given":7} | 400 body #/given A given name, please.
  v3 POST /other {"title":" "} | 400 body #/title Some title, please.
  v3 POST /other {"title":" A "} | 200 {"title":" A "} {}
  v1 PATCH /other {"n":"x","at":{"x":1.5}} | 400 body #/n A number, please., body #/at/x A whole number, please.
  // nobody wrote these: a schema that holds a shape of another version, and what fields() makes
  v2 POST /users {"given":{}} | 400 body #/given must be string
  v1 PUT /users [{"name":{}}] | 400 body #/0/name must be string
  v2 POST /other {"name":{}} | 400 body #/name must be string
  // the older of an operation
  v1 GET /users?offset=x | 400 query #/offset A number, please.
  // it may hold a shape, as that version has it
  v1 PUT /other {"user":{"name":"A"}} | 400 body #/user/name A longer name, please.
  v2 PUT /other {"user":{"given":{}}} | 400 body #/user/given must be string
  v2 GET /users?offset=3 | 200 BLANK {"cursor":"3"}
`)
test.each(CASES)('%s: %s', async (request = '', expected = '') => {
  const [, version = '', method = '', path = '', sent] = /^(\S+) (\S+) (\S+) ?(.*)$/.exec(request) ?? []
  const response = await ask(await api(), version, path, { method, ...(sent && { body: sent }) })
  const found = told(response).replace(/^200 (?:undefined|\{\}) \{"cursor/, '200 BLANK {"cursor')
  expect(found).toBe(expected)
})

test('without the option, compile judges', async () => {
  const response = await ask(await api({ standard: false }), 'v1', '/users', { method: 'POST', body: { name: 'A' } })
  expect(told(response)).toMatch(/^400 body #\/name must NOT have fewer than 2 characters/)
})

test("a form is judged by its version's own schema too", async () => {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const send = async (body: string) => told(await ask(await api(), 'v1', '/users', { method: 'POST', headers, body }))
  expect([await send('name=A'), await send('name=Ada&evil=1')]).toEqual([
    '400 body #/name A longer name, please.',
    '200 {"given":"Ada","tags":[]} {}',
  ])
})

/** A Standard Schema with a function of a test. */
const schemaWith = (validate: (value: unknown) => unknown, json: object = {}) => ({
  '~standard': { version: 1, vendor: 'x', validate, jsonSchema: { input: () => json, output: () => json } },
})
const judgedBy = (schema: object, refuse?: ContractOptions['refuse']) =>
  serve((app) => {
    const routes = tableOf()
    routes
      .describe('POST other', { body: schema as never, response: {} })
      .route('other')
      .post(echo)
    const options = { scheme: HeaderVersioning, changes: historyOf([]), routes }
    app.use(versioning({ ...options, contract: contract({ standard: true, refuse }) }), express.json(), routes)
  })

test.each<[string, (value: unknown) => unknown]>([
  ['returned a promise', async () => ({ value: 1 })],
  ['returned a promise', () => Promise.reject(new Error('late'))],
  ['returned a promise', () => Object.assign(Promise.reject(new Error('late')), { value: 1, issues: [{}] })],
  ['returned undefined', () => undefined],
  ['returned a boolean', () => true],
  ['returned an object', () => ({})],
  [
    'threw',
    () => {
      throw new Error('secret')
    },
  ],
])('a schema that %s is 500, and is not asked again', async (how, validate) => {
  const unhandled = jest.fn()
  process.on('unhandledRejection', unhandled)
  const asked = jest.fn(validate)
  const app = await judgedBy(schemaWith(asked))
  for (const _ of [1, 2]) {
    const { status, json } = await ask(app, 'v1', '/other', { method: 'POST', body: {} })
    const error = `The contract failed: the validator of the body of "POST other" in version "v1" ${how}`
    const instead = how === 'threw' ? '.' : ' instead of a value or issues.'
    expect([status, json]).toMatchObject([500, { code: 'ERR_VERSION_CONTRACT', error: `${error}${instead}` }])
  }
  await new Promise(setImmediate)
  process.off('unhandledRejection', unhandled)
  expect([asked.mock.calls.length, unhandled.mock.calls]).toEqual([1, []])
})

const blank = { in: 'body', path: [], message: 'does not fit its schema', keyword: '' }
test.each<[string, unknown, object[]]>([
  [
    'segments',
    [{ message: 'm', path: ['a', { key: 'b' }, 0, Symbol('s')] }],
    [{ ...blank, message: 'm', path: ['a', 'b', '0', 'Symbol(s)'] }],
  ],
  ['no path', [{ message: 'm' }], [{ ...blank, message: 'm' }]],
  ['no message', [{ message: 7, path: 'a' }], [blank]],
  ['no issues', [], [blank]],
  ['no list', 'secret', [blank]],
  ['no objects', [null, 7], [blank]],
  ['null', null, [blank]],
])('issues with %s are read', async (_title, issues, expected) => {
  const told: unknown[] = []
  const app = await judgedBy(
    schemaWith(() => ({ issues })),
    (all) => void told.push(...all),
  )
  expect((await ask(app, 'v1', '/other', { method: 'POST', body: {} })).status).toBe(400)
  expect(told).toEqual(expected)
})

test('the judged value is a copy', async () => {
  const app = await judgedBy(schemaWith((value) => ({ value: Object.assign(value as object, { evil: 1 }) })))
  const { json } = await ask(app, 'v1', '/other', { method: 'POST', body: { a: 1 } })
  expect(json).toMatchObject({ body: { a: 1 } })
  expect(json).not.toMatchObject({ body: { evil: 1 } })
})

test('arktype judges in its own words', async () => {
  const run = (value: unknown) => {
    const program = join(__dirname, '../support/arktype-validate.mjs')
    return JSON.parse(String(execFileSync(process.execPath, [program, JSON.stringify(value)])))
  }
  const validate = (value: unknown) => {
    const { isList, issues, value: made } = run(value)
    // Its issues are a list with a property `issues`.
    return isList ? Object.assign([...issues], { issues }) : { value: made }
  }
  const { jsonSchema } = run(null)
  const app = await judgedBy(Object.assign(() => {}, schemaWith(validate, jsonSchema)))
  const send = (body: object) => ask(app, 'v1', '/other', { method: 'POST', body })
  const told: unknown[] = []
  const telling = await judgedBy(schemaWith(validate, jsonSchema), (issues) => void told.push(...issues))
  expect(await send({ name: 'Ada', evil: 1 })).toMatchObject({ status: 200, json: { body: { name: 'Ada' } } })
  const misfit = { method: 'POST', body: { name: 'Ada', tags: ['a', 7] } }
  expect((await ask(telling, 'v1', '/other', misfit)).status).toBe(400)
  expect(told).toEqual([{ ...blank, path: ['tags', '1'], message: expect.stringMatching(/must be a string/) }])
})

test('without compile, what nobody wrote a Standard Schema for is a mistake at start, listed', () => {
  const start = () => {
    const routes = tableOf()
    routes
      .describe('GET user-list', { query: PageV1, response: {} })
      .describe('POST user-list', { body: User, query: { type: 'object' }, response: {} })
      .describe('PUT user-list', { body: z.array(User), response: {} })
      .describe('POST other', { body: Post, response: {} })
      .describe('PUT other', { body: z.object({ at: z.number() }), response: {} })
    routes.route('user-list').get(echo).post(echo).put(echo)
    routes.route('other').put(echo).post(echo)
    versioning({ scheme: HeaderVersioning, changes, routes, contract: contract({ standard: true }) })
  }
  const needs = 'option "contract" has no "compile", and nobody wrote a Standard Schema for the'
  const both = '"PUT user-list" in version "v1", "POST other" in version "v1"'
  expect(start).toThrow(TypeError)
  expect(start).toThrow(
    `versioning(): 2 things do not fit in the option "contract":
- ${needs} "query" of "POST user-list" in version "v1", "POST user-list" in version "v2".
- ${needs} "body" of ${both}, "POST user-list" in version "v2", "PUT user-list" in version "v2", "POST other" in version "v2".`,
  )
})

test.each([
  [
    '{"standard":true,"responses":"warn"}',
    'contract(): option "responses" needs "compile": Standard Schemas judge requests only.',
  ],
  ['{"standard":false}', 'contract(): option "compile" takes a function'],
])('contract(%s): %s', (options, message) => {
  expect(() => contract(JSON.parse(options))).toThrow(TypeError)
  expect(() => contract(JSON.parse(options))).toThrow(message)
})
