// Today's OpenAPI document of the shop, as teams write it. Paths have no `/api`: that is in `servers`.
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (name: string) => ({ content: { 'application/json': { schema: ref(name) } } })
const ok = (name: string) => ({ description: 'OK', ...json(name) })
const body = (name: string) => ({ required: true, ...json(name) })
const query = (name: string, schema: object) => ({ name, in: 'query', schema })
const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }

const text = { type: 'string' }
const name = { type: 'string', minLength: 1 }
const email = { type: 'string', pattern: '@' }
const integer = { type: 'integer' }
const role = { type: 'string', enum: ['admin', 'customer'] }
const status = { type: 'string', enum: ['open', 'paid', 'cancelled'] }
const object = (properties: Record<string, object>, optional: readonly string[] = []) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((property) => !optional.includes(property)),
})
const list = (name: string) => object({ data: { type: 'array', items: ref(name) }, total: integer })
const items = { type: 'array', items: ref('Item'), minItems: 1 }

export const document = {
  openapi: '3.0.3',
  info: { title: 'Shop', version: '2026-01-01' },
  servers: [{ url: '/api' }],
  security: [{ token: [] }],
  paths: {
    '/users': {
      get: {
        parameters: [query('role', role), query('limit', { ...integer, minimum: 1, maximum: 100 })],
        responses: { 200: ok('UserList') },
      },
      post: {
        requestBody: body('NewUser'),
        responses: { 201: { ...ok('User'), headers: { Location: { schema: text } } } },
      },
    },
    '/users/{id}': {
      parameters: [id],
      get: { responses: { 200: ok('User') } },
      patch: { requestBody: body('UserPatch'), responses: { 200: ok('User') } },
      delete: { responses: { 204: { description: 'Deleted' } } },
    },
    '/orders': {
      get: { responses: { 200: ok('OrderList') } },
      post: { requestBody: body('NewOrder'), responses: { 201: ok('Order') } },
    },
    '/orders/{id}': { parameters: [id], get: { responses: { 200: ok('Order') } } },
    '/orders/{id}/cancellation': { parameters: [id], post: { responses: { 202: ok('Order') } } },
    '/orders/{id}/receipt': {
      parameters: [id],
      get: { responses: { 200: { description: 'OK', content: { 'text/plain': { schema: text } } } } },
    },
    '/stats': { get: { responses: { 200: ok('Stats') } } },
  },
  components: {
    securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    schemas: {
      User: object({ id: integer, given: name, family: text, email, role }),
      NewUser: object({ given: name, family: text, email }),
      UserPatch: object({ given: name, family: text, email }, ['given', 'family', 'email']),
      UserList: list('User'),
      Item: object({ sku: name, quantity: { ...integer, minimum: 1 }, price: { ...integer, minimum: 0 } }),
      Total: object({ amount: integer, currency: text }),
      Order: object(
        {
          id: integer,
          status,
          customer: ref('User'),
          approvedBy: { allOf: [ref('User')], nullable: true },
          items,
          total: ref('Total'),
          note: text,
        },
        ['note'],
      ),
      NewOrder: object({ customer: ref('NewUser'), items, note: text }, ['note']),
      OrderList: list('Order'),
      Stats: object({ users: integer, orders: integer }),
    },
  },
}
