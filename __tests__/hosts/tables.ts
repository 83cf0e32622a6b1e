// Tables of the shop that are written by hand. Their names are the paths of the document, so that one history fits all.
import { type NamedRoutes, type NamedRoutesOptions, namedRoutes } from 'express-versioning'
import { z } from 'zod'

const text = z.string()
const name = text.min(1)
const email = text.regex(/@/)
const role = z.enum(['admin', 'customer'])
const status = z.enum(['open', 'paid', 'cancelled'])

const NewUser = z.object({ given: name, family: text, email }).meta({ id: 'NewUser' })
const UserPatch = z.object({ given: name.optional(), family: text.optional(), email: email.optional() })
const User = z.object({ id: z.int(), given: name, family: text, email, role }).meta({ id: 'User' })
const UserList = z.object({ data: z.array(User), total: z.int() }).meta({ id: 'UserList' })
const Item = z.object({ sku: name, quantity: z.int().min(1), price: z.int().min(0) }).meta({ id: 'Item' })
const Order = z
  .object({
    id: z.int(),
    status,
    customer: User,
    approvedBy: User.nullable(),
    items: z.array(Item).min(1),
    total: z.object({ amount: z.int(), currency: text }),
    note: text.optional(),
  })
  .meta({ id: 'Order' })
const NewOrder = z.object({ customer: NewUser, items: z.array(Item).min(1), note: text.optional() })
const OrderList = z.object({ data: z.array(Order), total: z.int() }).meta({ id: 'OrderList' })

const paths = {
  '/users': '/users',
  '/users/{id}': '/users/:id',
  '/orders': '/orders',
  '/orders/{id}': '/orders/:id',
  '/orders/{id}/cancellation': '/orders/:id/cancellation',
  '/orders/{id}/receipt': '/orders/:id/receipt',
  '/stats': '/stats',
}

/** Makes a table whose operations are described. */
export function tableByHand(options?: NamedRoutesOptions): NamedRoutes<typeof paths> {
  const query = z.object({ role: role.optional(), limit: z.int().min(1).max(100).optional() })
  return namedRoutes(paths, options)
    .describe('GET /users', { query, response: UserList })
    .describe('POST /users', { body: NewUser, response: { 201: User } })
    .describe('GET /users/{id}', { response: User })
    .describe('PATCH /users/{id}', { body: UserPatch.meta({ id: 'UserPatch' }), response: User })
    .describe('DELETE /users/{id}', { response: { 204: null } })
    .describe('GET /orders', { response: OrderList })
    .describe('POST /orders', { body: NewOrder.meta({ id: 'NewOrder' }), response: { 201: Order } })
    .describe('GET /orders/{id}', { response: Order })
    .describe('POST /orders/{id}/cancellation', { body: null, response: { 202: Order } })
    .describe('GET /orders/{id}/receipt', { response: null })
    .describe('GET /stats', { response: z.object({ users: z.int(), orders: z.int() }) })
}
