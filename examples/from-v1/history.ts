// The changes of v2. Only this file knows the bodies of v1.
import { change, fields, shape, versionHistory } from 'express-versioning/changes'
import { z } from 'zod'

export const User = z.object({ id: z.int(), given: z.string(), family: z.string() }).meta({ id: 'User' })
export const NewUser = z.object({ given: z.string(), family: z.string() }).meta({ id: 'NewUser' })
export const UserList = z.object({ data: z.array(User), next: z.string().nullable() }).meta({ id: 'UserList' })
export type User = z.infer<typeof User>

export interface Failure {
  error: { code: string; message: string }
}

const UserV1 = z.object({ id: z.int(), name: z.string() })
const NewUserV1 = z.object({ name: z.string().min(1) })

const splitName = change('Users have `given` and `family` instead of `name`.', {
  User: shape(UserV1, {
    response: ({ id, given, family }: User) => ({ id, name: [given, family].filter(Boolean).join(' ') }),
  }),
  NewUser: shape(NewUserV1, {
    request({ name }) {
      const [given = '', ...family] = name.split(' ')
      return { given, family: family.join(' ') }
    },
  }),
})

const renamedList = change('Lists have `data` instead of `users`, and take `limit` instead of `max`.', {
  UserList: fields({ renamed: { users: 'data' } }),
  'GET user-list': {
    query: ({ max, ...query }: { max?: string }) => (max === undefined ? query : { ...query, limit: max }),
    older: { query: z.object({ max: z.string().optional(), page: z.string().optional() }) },
  },
})

const errorCodes = change('An error is an object with a `code` for programs and a `message`.', {
  '*': { error: ({ error }: Failure) => ({ error: error.message }) },
})

export const history = versionHistory('v1').version('v2', splitName, renamedList, errorCodes)
