// What changed since the recordings. It knows shapes by the names of the document, and nothing of the hosts.
import { change, fields, shape, versionHistory } from 'express-versioning/changes'
import type { List, Order, Problem, User } from './shop'

const text = { type: 'string' } as const
const name = { type: 'string', minLength: 1 } as const
const email = { type: 'string', pattern: '@' } as const
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const object = (properties: object, required: readonly string[]) => ({ type: 'object', properties, required })

type Named = { name: string; email: string }
function split({ name, ...others }: Named) {
  const [given = '', ...family] = name.split(' ')
  return { given, family: family.join(' '), ...others }
}

export const splitName = change('Users have `given` and `family` instead of `name`.', {
  User: shape(
    object({ id: { type: 'integer' }, name, email, role: { type: 'string', enum: ['admin', 'customer'] } }, [
      'id',
      'name',
      'email',
      'role',
    ]),
    {
      response: ({ id, given, family, ...others }: User) => ({
        id,
        name: [given, family].filter(Boolean).join(' '),
        ...others,
      }),
    },
  ),
  NewUser: shape(object({ name, email }, ['name', 'email']), { request: split }),
  UserPatch: shape(object({ name, email }, []), {
    request: (patch: Partial<Named>) => ('name' in patch ? split(patch as Named) : patch),
  }),
})

const orders = change('Orders have `items` instead of `lines`, and a currency.', {
  Order: fields({
    renamed: { lines: 'items' },
    converted: { total: { schema: { type: 'integer' }, response: ({ amount }: Order['total']) => amount } },
  }),
  NewOrder: fields({ renamed: { lines: 'items' } }),
})

const lists = change('Lists have an envelope, and take `limit` instead of `max`.', {
  OrderList: shape({ type: 'array', items: reference('Order') }, { response: ({ data }: List<Order>) => data }),
  UserList: shape({ type: 'array', items: reference('User') }, { response: ({ data }: List<User>) => data }),
  'GET /users': {
    query: ({ max, ...query }: { max?: string }) => (max === undefined ? query : { ...query, limit: max }),
    older: {
      query: object(
        { role: { type: 'string', enum: ['admin', 'customer'] }, max: { type: 'integer', minimum: 1, maximum: 100 } },
        [],
      ),
    },
  },
})

const cancelled = change('A cancellation is accepted with 202.', {
  'POST /orders/{id}/cancellation': { status: { 202: 200 } },
})

const problems = change('Errors are problem details.', {
  '*': {
    error: ({ detail }: Problem) => ({ error: detail }),
    older: { error: object({ error: text }, ['error']) },
    headers: {
      'Content-Type': (type, { status }) => (status < 400 ? type : 'application/json; charset=utf-8'),
    },
  },
})

const stats = change('There are numbers.', { 'GET /stats': 'added' })

export const history = versionHistory('2024-01-01')
  .version('2025-01-01', splitName)
  .version('2026-01-01', orders, lists, cancelled, problems, stats)
