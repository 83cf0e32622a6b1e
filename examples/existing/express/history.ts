// What changed since clients began. Only this file knows the formats of v1.
import { change, fields, shape, versionHistory } from 'express-versioning/changes'
import { z } from 'zod'
import type { Problem } from './errors'
import type { User } from './users'

// The schemas of v1, as they were.
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

const customers = change('Orders have a `customer` instead of a `buyer`.', {
  Order: fields({ renamed: { buyer: 'customer' } }),
})

const problems = change('Errors are problem details.', {
  '*': {
    error: ({ detail }: Problem) => ({ error: detail }),
    headers: {
      'Content-Type': (type, { status }) => (status < 400 ? type : 'application/json; charset=utf-8'),
    },
  },
})

export const history = versionHistory('v1').version('v2', splitName, customers, problems)
