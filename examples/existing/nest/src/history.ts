// What changed, and how clients of the older version still see it.
import { change, shape, versionHistory } from 'express-versioning/changes'
import type { NewUser, User } from './users.js'

const text = { type: 'string' } as const
const NewUserV1 = { type: 'object', properties: { name: text }, required: ['name'] }
const UserV1 = { type: 'object', properties: { id: { type: 'number' }, name: text }, required: ['id', 'name'] }

export const history = versionHistory('v1').version(
  'v2',
  change('Users have `given` and `family` instead of `name`.', {
    NewUser: shape(NewUserV1, {
      request({ name }: { name: string }): NewUser {
        const [given = '', ...family] = name.split(' ')
        return { given, family: family.join(' ') }
      },
    }),
    User: shape(UserV1, {
      response: ({ id, given, family }: User) => ({ id, name: `${given} ${family}` }),
    }),
  }),
)
