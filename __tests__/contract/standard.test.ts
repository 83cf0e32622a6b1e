import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020'
import express, { type RequestHandler } from 'express'
import { HeaderVersioning, problemDetails, versioning } from 'express-versioning'
import { change, fields, shape } from 'express-versioning/changes'
import { type ContractOptions, contract } from 'express-versioning/contract'
import { z } from 'zod'
import { ask, historyOf, type Table, tableOf } from '../support/changes'
import { lasting } from '../support/lasting'
import { rows } from '../support/rows'
import type { HttpResponse } from '../support/serve'
import { addJudged, judgedBy, post, schemaWith } from './judged'

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

const A = z.object({ n: z.number('A number, please.'), at: z.object({ x: z.int('A whole number, please.') }) })
function fill(routes: Table) {
  routes
    .describe('GET user-list', { query: z.object({ cursor: z.string().optional() }), response: {} })
    .describe('POST user-list', { body: User, response: {} })
    .describe('PUT user-list', { body: z.array(User), response: {} })
    .describe('PUT other', { body: z.object({ user: User }), response: {} })
    .describe('POST other', { body: Post, response: {} })
    .describe('PATCH other', { body: A, response: {} })
  routes.route('user-list').get(echo).post(echo).put(echo)
  routes.route('other').put(echo).post(echo).patch(echo)
}
const parsers = [express.json(), express.urlencoded({ extended: true })]
const api = lasting((standard: boolean, app) =>
  addJudged(app, fill, { compile, standard, requests: 'all' }, { changes, parsers, behind: [problemDetails()] }),
)

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
  const response = await ask(await api(true), version, path, { method, ...(sent && { body: sent }) })
  const found = told(response).replace(/^200 (?:undefined|\{\}) \{"cursor/, '200 BLANK {"cursor')
  expect(found).toBe(expected)
})

test('without the option, compile judges', async () => {
  const response = await ask(await api(false), 'v1', '/users', { method: 'POST', body: { name: 'A' } })
  expect(told(response)).toMatch(/^400 body #\/name must NOT have fewer than 2 characters/)
})

test("a form is judged by its version's own schema too", async () => {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const send = async (body: string) =>
    told(await ask(await api(true), 'v1', '/users', { method: 'POST', headers, body }))
  expect([await send('name=A'), await send('name=Ada&evil=1')]).toEqual([
    '400 body #/name A longer name, please.',
    '200 {"given":"Ada","tags":[]} {}',
  ])
})

test('the judged value is a copy', async () => {
  const app = await judgedBy(schemaWith((value: object) => ({ value: Object.assign(value, { evil: 1 }) })))
  expect(Object((await post(app, { a: 1 })).json).body).toEqual({ a: 1 })
})

test('arktype judges in its own words', async () => {
  const [fit, misfit] = [{ name: 'Ada' }, { name: 'Ada', tags: ['a', 7] }]
  const program = join(__dirname, '../support/arktype-validate.mjs')
  const values = [fit, misfit].map((value) => JSON.stringify(value))
  const said = JSON.parse(String(execFileSync(process.execPath, [program, ...values])))
  const validate = (value: unknown) => {
    const { isList, issues, value: made } = new Map(said.results).get(JSON.stringify(value)) as Record<string, object[]>
    // Its issues are a list with a property `issues`.
    return isList ? Object.assign([...(issues as object[])], { issues }) : { value: made }
  }
  const told: unknown[] = []
  const schema = Object.assign(() => {}, schemaWith(validate, said.jsonSchema))
  const app = await judgedBy(schema, { refuse: (issues) => void told.push(...issues) })
  expect(await post(app, { ...fit, evil: 1 })).toMatchObject({ status: 200, json: { body: { name: 'Ada' } } })
  expect((await post(app, misfit)).status).toBe(400)
  const message = expect.stringMatching(/must be a string/)
  expect(told).toEqual([{ in: 'body', path: ['tags', '1'], message, keyword: '' }])
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
