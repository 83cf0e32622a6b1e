// The option `webhooks`: requests that the server sends, in each version.
import { HeaderVersioning, namedRoutes } from 'express-versioning'
import { change, fields, shape, versionHistory } from 'express-versioning/changes'
import { type OpenApiOptions, openapi, routesOf } from 'express-versioning/openapi'
import { z } from 'zod'
import { documentOf as documentWith } from '../support/documents'
import { faultyOf } from '../support/lint-openapi'
import { table } from '../support/tables'

// biome-ignore lint/suspicious/noExplicitAny: tests look deep into documents.
type Json = Record<string, any>

const text = { type: 'string' }
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const named = (name: string) => ({ type: 'object', properties: { id: text, [name]: text }, required: ['id', name] })
const Order = { $id: 'Order', ...named('title') }
const renamed = change('Orders have `title`.', { Order: fields({ renamed: { name: 'title' } }) })
const history = versionHistory('v1').version('v2', renamed)
const json = (schema: unknown) => ({ content: { 'application/json': { schema } } })
const sent = (schema: unknown) => ({ required: true, ...json(schema) })

function documentsOf(webhooks: unknown, settings: OpenApiOptions = {}, more: Json = {}) {
  const routes = table({ order: '/order' }).describe('GET order', { response: Order })
  const options = { scheme: HeaderVersioning, defaultVersion: 'v2', changes: history, routes, ...more }
  return openapi(options as never, { webhooks: webhooks as never, ...settings })
}

test.each(['3.1.1', '3.2.0'] as const)(
  'webhooks are in each document of OpenAPI %s, in its shapes',
  async (version) => {
    const webhooks = {
      'order-created': { body: Order },
      'orders told': { body: { type: 'array', items: Order } },
      none: undefined,
    }
    const { document } = documentsOf(webhooks, { openapi: version })
    for (const [name, title] of [
      ['v1', 'name'],
      ['v2', 'title'],
    ] as const) {
      const made = document(name) as Json
      const responses = { '2XX': { description: 'Success.' } }
      expect(made.webhooks).toStrictEqual({
        'order-created': { post: { operationId: 'webhook-order-created', requestBody: sent(ref('Order')), responses } },
        'orders told': {
          post: {
            operationId: 'webhook-orders-told',
            requestBody: sent({ type: 'array', items: ref('Order') }),
            responses,
          },
        },
      })
      expect(made.components.schemas).toStrictEqual({ Order: named(title) })
      expect(await faultyOf([made])).toStrictEqual([])
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
  for (const [version, member] of [
    ['v1', 'rank'],
    ['v2', 'tier'],
  ] as const) {
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

test.each<[unknown, string]>([
  [null, 'option "webhooks" takes an object such as { \'order-created\': { body: Order } }; got null.'],
  [[], 'option "webhooks" takes an object such as { \'order-created\': { body: Order } }; got [].'],
  ['told', "option \"webhooks\" takes an object such as { 'order-created': { body: Order } }; got 'told'."],
  [{ told: Order }, 'option "webhooks.told": unknown option "$id". It takes "body".'],
  [{ told: { boddy: Order } }, 'option "webhooks.told": unknown option "boddy". Did you mean "body"? It takes "body".'],
  [{ told: 7 }, 'option "webhooks.told" takes an object of options; got 7.'],
  [
    { told: {} },
    'option "webhooks.told.body" takes JSON Schema 2020-12, or a Standard Schema with "~standard.jsonSchema" (zod 4, arktype, Joi 18); got undefined.',
  ],
  [
    { told: { body: null } },
    'option "webhooks.told.body" takes JSON Schema 2020-12, or a Standard Schema with "~standard.jsonSchema" (zod 4, arktype, Joi 18); got null.',
  ],
])('%j is told: %s', (webhooks, message) => {
  expect(() => documentsOf(webhooks)).toThrow(new TypeError(`openapi(): ${message}`))
})

test('a near name of the option itself is told', () => {
  expect(() => documentsOf({}, { webhook: {} } as never)).toThrow(
    /unknown option "webhook"\. Did you mean "webhooks"\?/,
  )
})

test.each<[unknown, string]>([
  [{ $id: 'Mine', ...named('a') }, 'its schema "Mine" differs from that of "GET order" at "/properties/b"'],
  [z.date(), 'Date cannot be represented in JSON Schema'],
])('a body that documents cannot have is told with its name', (body, message) => {
  const routes = table({ order: '/order' }).describe('GET order', { response: { $id: 'Mine', ...named('b') } })
  const { document } = documentsOf(
    { told: { body } },
    {},
    { changes: undefined, allowedVersions: ['v1'], defaultVersion: 'v1', routes },
  )
  expect(() => document('v1')).toThrow(`openapi(): the webhook "told" cannot be written as OpenAPI: ${message}.`)
})

// Given documents -----------------------------------------------------------------------------------------------------

const posted = (schema: unknown) => ({ post: { requestBody: json(schema), responses: { 204: { description: '' } } } })

function given(version: string, more: Json = {}, parts: Json = {}) {
  const paths = { '/order': { get: { responses: { 200: { description: 'One.', ...json(ref('Order')) } } } } }
  const document = { ...documentWith(paths, { schemas: { Order: named('title') }, ...parts }, version), ...more }
  return (webhooks?: unknown, changes: object = history) =>
    documentsOf(webhooks, {}, { routes: routesOf(document), changes })
}

test('webhooks of a given document are those of the version, beside those of the option, which win', async () => {
  const inline = { type: 'object', properties: { order: ref('Order'), id: text }, default: { order: {} } }
  const webhooks = { told: posted(inline), made: posted(text), gone: posted(ref('Order')) }
  const { document } = given('3.1.0', { webhooks })({ made: { body: Order }, other: { body: ref('Order') } })
  const { default: _, ...plain } = inline
  for (const [version, expected] of [
    ['v1', plain],
    ['v2', inline],
  ] as const) {
    const made = document(version) as Json
    expect(made.webhooks.told).toStrictEqual(posted(expected))
    expect(made.webhooks.gone).toStrictEqual(webhooks.gone)
    expect(made.webhooks.made.post.requestBody).toStrictEqual(sent(ref('Order')))
    expect(made.webhooks.other.post.requestBody).toStrictEqual(sent(ref('Order')))
    expect(made.components.schemas).toStrictEqual({ Order: named(version === 'v1' ? 'name' : 'title') })
    expect(await faultyOf([made])).toStrictEqual([])
  }
})

test('OpenAPI 3.0 has no webhooks: tools read `x-webhooks`', async () => {
  const body = { type: 'object', properties: { order: Order, kind: { const: 'x' } } }
  const made = given('3.0.3', { 'x-webhooks': { told: posted(ref('Order')) } })({ made: { body } }).document(
    'v1',
  ) as Json
  expect(made).not.toHaveProperty('webhooks')
  expect(made['x-webhooks'].told).toStrictEqual(posted(ref('Order')))
  expect(made['x-webhooks'].made.post.requestBody).toStrictEqual(
    sent({ type: 'object', properties: { order: ref('Order'), kind: { enum: ['x'] } } }),
  )
  expect(await faultyOf([made])).toStrictEqual([])
})

test('webhooks by reference are what the server sends', () => {
  const older = z.object({ id: z.string(), name: z.string().default('') })
  const steps = { response: (one: object) => one, request: (one: object) => one }
  const changes = versionHistory('v1').version('v2', change('Other.', { Order: shape(older, steps as never) }))
  const webhooks = { told: { $ref: '#/components/pathItems/Told' } }
  const pathItems = { Told: posted(ref('Order')) }
  const { document } = given('3.1.0', { webhooks }, { pathItems })(undefined, changes)
  const made = document('v1') as Json
  expect(made.webhooks).toStrictEqual(webhooks)
  expect(made.components.pathItems).toStrictEqual(pathItems)
  expect(made.components.schemas.Order.required).toStrictEqual(['id', 'name'])
})

test('a shape that a change names must be in an operation too', () => {
  const pings = change('Pings have `title`.', { Ping: fields({ renamed: { name: 'title' } }) })
  const webhooks = { ping: { body: { $id: 'Ping', ...named('title') } } }
  const changes = versionHistory('v1').version('v2', pings)
  expect(() => documentsOf(webhooks, {}, { changes })).toThrow(/the shape "Ping", which no description/)
})
