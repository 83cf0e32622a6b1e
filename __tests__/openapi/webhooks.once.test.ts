// The option `webhooks`: requests that the server sends, in each version.
import { HeaderVersioning, namedRoutes } from 'express-versioning'
import { change, shape, versionHistory } from 'express-versioning/changes'
import { type OpenApiOptions, openapi, routesOf } from 'express-versioning/openapi'
import { z } from 'zod'
import { documentOf as documentWith } from '../support/documents'
import { expectValid, type Json, json, list, NONE, named, object, ok, ref, renaming, text } from '../support/parts'
import { table } from '../support/tables'

const Order = { $id: 'Order', ...named('title') }
const history = versionHistory('v1').version('v2', renaming('Order', 'name', 'title'))
const sent = (schema: unknown) => ({ required: true, content: json(schema) })
/** Each version, and the name of the property that a change renamed. */
const inVersions = (older: string, newer: string) => Object.entries({ v1: older, v2: newer })

function documentsOf(webhooks: unknown, settings: OpenApiOptions = {}, more: Json = {}) {
  const routes = table({ order: '/order' }).describe('GET order', { response: Order })
  const options = { scheme: HeaderVersioning, defaultVersion: 'v2', changes: history, routes, ...more }
  return openapi(options as never, { webhooks: webhooks as never, ...settings })
}

test.each(['3.1.1', '3.2.0'] as const)(
  'webhooks are in each document of OpenAPI %s, in its shapes',
  async (version) => {
    const webhooks = { 'order-created': { body: Order }, 'orders told': { body: list(Order) }, none: undefined }
    const { document } = documentsOf(webhooks, { openapi: version })
    const posted = (operationId: string, schema: object) => {
      return { post: { operationId, requestBody: sent(schema), responses: { '2XX': { description: 'Success.' } } } }
    }
    for (const [name, title] of inVersions('name', 'title')) {
      const made = document(name) as Json
      expect(made.webhooks).toStrictEqual({
        'order-created': posted('webhook-order-created', ref('Order')),
        'orders told': posted('webhook-orders-told', list(ref('Order'))),
      })
      expect(made.components.schemas).toStrictEqual({ Order: named(title) })
      await expectValid(made)
    }
  },
)

test('the document of a version that is gone has them too', () => {
  const ends = { lifecycle: { v1: { sunset: '2020-01-01' } }, afterSunset: 'gone' }
  const made = documentsOf({ told: { body: Order } }, {}, ends).document('v1') as Json
  expect(made['x-gone']).toBe(true)
  expect(made.webhooks.told.post.requestBody).toStrictEqual(sent(ref('Order')))
})

test('a body of a webhook is what the server sends', () => {
  const User = z.object({ id: z.string(), tier: z.string().default('a') }).meta({ id: 'User' })
  const UserV1 = z.object({ id: z.string(), rank: z.string().default('a') })
  const steps = { response: (user: object) => user, request: (user: object) => user }
  const routes = namedRoutes({ user: '/user' }).describe('PUT user', { body: User, response: User })
  routes.route('user').put(() => {})
  const changes = versionHistory('v1').version('v2', change('Other.', { User: shape(UserV1, User, steps as never) }))
  const { document } = documentsOf({ told: { body: User } }, {}, { changes, routes })
  for (const [version, member] of inVersions('rank', 'tier')) {
    const { webhooks, components } = document(version) as Json
    expect(webhooks.told.post.requestBody.content['application/json'].schema).toStrictEqual(ref('User'))
    expect(components.schemas.User.required).toStrictEqual(['id', member])
    expect(components.schemas.UserInput.required).toStrictEqual(['id'])
  }
})

test('documents without the option have none', () => {
  expect(documentsOf(undefined).document('v1')).not.toHaveProperty('webhooks')
  expect(documentsOf({}).document('v1')).not.toHaveProperty('webhooks')
})

const EXAMPLE = "{ 'order-created': { body: Order } }"
const SCHEMA = 'JSON Schema 2020-12, or a Standard Schema with "~standard.jsonSchema" (zod 4, arktype, Joi 18)'
test.each<[unknown, string]>([
  [null, `" takes an object such as ${EXAMPLE}; got null.`],
  [[], `" takes an object such as ${EXAMPLE}; got [].`],
  ['told', `" takes an object such as ${EXAMPLE}; got 'told'.`],
  [{ told: Order }, '.told": unknown option "$id". It takes "body".'],
  [{ told: { boddy: Order } }, '.told": unknown option "boddy". Did you mean "body"? It takes "body".'],
  [{ told: 7 }, '.told" takes an object of options; got 7.'],
  [{ told: {} }, `.told.body" takes ${SCHEMA}; got undefined.`],
  [{ told: { body: null } }, `.told.body" takes ${SCHEMA}; got null.`],
])('%j is told: the option webhooks%s', (webhooks, message) => {
  expect(() => documentsOf(webhooks)).toThrow(new TypeError(`openapi(): option "webhooks${message}`))
})

test('a near name of the option itself is told', () => {
  const message = /unknown option "webhook"\. Did you mean "webhooks"\?/
  expect(() => documentsOf({}, { webhook: {} } as never)).toThrow(message)
})

test.each<[unknown, string]>([
  [{ $id: 'Mine', ...named('a') }, 'its schema "Mine" differs from that of "GET order" at "/properties/b"'],
  [z.date(), 'Date cannot be represented in JSON Schema'],
])('a body that documents cannot have is told with its name', (body, message) => {
  const routes = table({ order: '/order' }).describe('GET order', { response: { $id: 'Mine', ...named('b') } })
  const more = { changes: undefined, allowedVersions: ['v1'], defaultVersion: 'v1', routes }
  const { document } = documentsOf({ told: { body } }, {}, more)
  expect(() => document('v1')).toThrow(`openapi(): the webhook "told" cannot be written as OpenAPI: ${message}.`)
})

// Given documents -----------------------------------------------------------------------------------------------------

const posted = (schema: unknown) => ({ post: { requestBody: { content: json(schema) }, ...NONE } })

function given(version: string, more: Json = {}, parts: Json = {}) {
  const paths = { '/order': { get: { responses: { 200: ok(ref('Order')) } } } }
  const document = { ...documentWith(paths, { schemas: { Order: named('title') }, ...parts }, version), ...more }
  return (webhooks?: unknown, changes: object = history) =>
    documentsOf(webhooks, {}, { routes: routesOf(document), changes })
}

test('webhooks of a given document are those of the version, beside those of the option, which win', async () => {
  const plain = object({ order: ref('Order'), id: text })
  const inline = { ...plain, default: { order: {} } }
  const webhooks = { told: posted(inline), made: posted(text), gone: posted(ref('Order')) }
  const { document } = given('3.1.0', { webhooks })({ made: { body: Order }, other: { body: ref('Order') } })
  for (const [version, name] of inVersions('name', 'title')) {
    const made = document(version) as Json
    const own = { post: expect.objectContaining({ requestBody: sent(ref('Order')) }) }
    const told = posted(version === 'v1' ? plain : inline)
    expect(made.webhooks).toStrictEqual({ told, gone: webhooks.gone, made: own, other: own })
    expect(made.components.schemas).toStrictEqual({ Order: named(name) })
    await expectValid(made)
  }
})

test('OpenAPI 3.0 has no webhooks: tools read `x-webhooks`', async () => {
  const body = object({ order: Order, kind: { const: 'x' } })
  const { document } = given('3.0.3', { 'x-webhooks': { told: posted(ref('Order')) } })({ made: { body } })
  const made = document('v1') as Json
  expect(made).not.toHaveProperty('webhooks')
  expect(made['x-webhooks'].told).toStrictEqual(posted(ref('Order')))
  const inOldWords = object({ order: ref('Order'), kind: { enum: ['x'] } })
  expect(made['x-webhooks'].made.post.requestBody).toStrictEqual(sent(inOldWords))
  await expectValid(made)
})

test('webhooks by reference are what the server sends', () => {
  const older = z.object({ id: z.string(), name: z.string().default('') })
  const steps = { response: (one: object) => one, request: (one: object) => one }
  const changes = versionHistory('v1').version('v2', change('Other.', { Order: shape(older, steps as never) }))
  const webhooks = { told: { $ref: '#/components/pathItems/Told' } }
  const pathItems = { Told: posted(ref('Order')) }
  const made = given('3.1.0', { webhooks }, { pathItems })(undefined, changes).document('v1') as Json
  expect([made.webhooks, made.components.pathItems]).toStrictEqual([webhooks, pathItems])
  expect(made.components.schemas.Order.required).toStrictEqual(['id', 'name'])
})

test('a shape that a change names must be in an operation too', () => {
  const webhooks = { ping: { body: { $id: 'Ping', ...named('title') } } }
  const changes = versionHistory('v1').version('v2', renaming('Ping', 'name', 'title'))
  expect(() => documentsOf(webhooks, {}, { changes })).toThrow(/the shape "Ping", which no description/)
})
