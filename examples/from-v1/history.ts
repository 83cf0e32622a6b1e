// The changes of v2. Only this file knows the bodies of v1.
import { change, versionHistory } from 'express-versioning/changes'
import { z } from 'zod'
import { valid } from './checks'

export interface User {
  id: number
  given: string
  family: string
}
// Before `renamedList`
interface UserList {
  users: User[]
  next: unknown
}
export interface Failure {
  error: { code: string; message: string }
}

const NewUserV1 = z.object({ name: z.string().min(1) })

const toV1 = ({ id, given, family }: User) => ({ id, name: [given, family].filter(Boolean).join(' ') })

const splitName = change('Users have `given` and `family` in place of `name`.', {
  // The list still has `users` here: the next change renames them.
  'GET user-list': { response: ({ users, next }: UserList) => ({ users: users.map(toV1), next }) },
  'GET user-detail': { response: toV1 },
  'POST user-list': {
    request(body: unknown) {
      const [given = '', ...family] = valid(NewUserV1, body).name.split(' ')
      return { given, family: family.join(' ') }
    },
    response: toV1,
  },
})

const renamedList = change('Lists have `data` in place of `users`, and take `limit` in place of `max`.', {
  'GET user-list': {
    query: ({ max, ...query }: { max?: string }) => (max === undefined ? query : { ...query, limit: max }),
    response: ({ data, next }: { data: User[]; next: unknown }): UserList => ({ users: data, next }),
  },
})

const errorCodes = change('An error is an object with a `code` for programs and a `message`.', {
  '*': { error: ({ error }: Failure) => ({ error: error.message }) },
})

export const history = versionHistory('v1').version('v2', splitName, renamedList, errorCodes)
