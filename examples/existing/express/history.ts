// What changed since clients began. Only this file knows the formats of 2024.
import { change, fields, shape, versionHistory } from 'express-versioning/changes'
import { z } from 'zod'
import type { Problem } from './errors'
import type { Order } from './orders'
import type { User } from './users'

// The schemas of 2024, as they were.
const UserV1 = z.object({ id: z.int(), name: z.string() })
const NewUserV1 = z.object({ name: z.string('A name, please.').min(1, 'A name, please.') })

const splitName = change('Users have `given` and `family` instead of `name`.', {
  User: shape(UserV1, {
    response: ({ id, given, family }: User) => ({ id, name: `${given} ${family}`.trim() }),
  }),
  NewUser: shape(NewUserV1, {
    request({ name }) {
      const [given = '', ...family] = name.split(' ')
      return { given, family: family.join(' ') }
    },
  }),
})

const currencies = change('The total of an order has a currency.', {
  Order: fields({
    converted: {
      total: { schema: { type: 'integer' }, response: ({ amount }: Order['total']) => amount },
    },
  }),
})

const problems = change('Errors are problem details.', {
  '*': {
    error: ({ detail }: Problem) => ({ error: detail }),
    headers: {
      'Content-Type': (type, { status }) => (status < 400 ? type : 'application/json; charset=utf-8'),
    },
  },
})

export const history = versionHistory('2024-01-01').version('2026-01-01', splitName, currencies, problems)
