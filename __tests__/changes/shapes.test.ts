import { change, shape, versionHistory } from 'express-versioning/changes'
import { z } from 'zod'
import { ask } from '../support/changes'
import { serveShapes } from '../support/shapes'

const User = z.object({ id: z.string(), given: z.string(), family: z.string() }).meta({ id: 'User' })
const Post = z
  .object({ id: z.string(), author: User, likedBy: z.array(User), reviewer: User.nullable() })
  .meta({ id: 'Post' })
const UserV1 = z.object({ id: z.string(), name: z.string() })

const splitName = change('Users have `given` and `family` in place of `name`.', {
  User: shape(UserV1, User, {
    response: ({ id, given, family }) => ({ id, name: `${given} ${family}` }),
    request: ({ id, name }) => {
      const [given = '', family = ''] = name.split(' ')
      return { id, given, family }
    },
  }),
})

const ADA = { id: '1', given: 'Ada', family: 'Lovelace' }
const BOB = { id: '2', given: 'Bob', family: 'Martin' }
const POST = { id: 'p', author: ADA, likedBy: [ADA, BOB], reviewer: null }

test('a shape is converted wherever it stands', async () => {
  const history = versionHistory('v1').version('v2', splitName)
  const served = await serveShapes(history, (table) => {
    table.describe('GET user-list', { response: z.object({ data: z.array(Post) }) })
    table.describe('POST user-list', { response: { 201: Post }, body: Post })
    table
      .route('user-list')
      .get((_req, res) => res.json({ data: [POST, POST] }))
      .post((req, res) => res.status(201).json({ ...req.body, id: JSON.stringify(req.body) }))
  })
  const list = await ask(served, 'v1', '/users')
  const old = {
    id: 'p',
    author: { id: '1', name: 'Ada Lovelace' },
    likedBy: [
      { id: '1', name: 'Ada Lovelace' },
      { id: '2', name: 'Bob Martin' },
    ],
    reviewer: null,
  }
  expect(list.json).toEqual({ data: [old, old] })
  const posted = await ask(served, 'v1', '/users', { method: 'POST', body: old })
  expect(posted.json).toEqual({ ...old, id: JSON.stringify(POST) })
})
