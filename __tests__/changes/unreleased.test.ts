import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { serve } from '../support/serve'

// The last version of a history may be disallowed: handlers use it, and clients cannot request it.

const emails = change('Users have an `email`.', {
  'GET user': { response: ({ email, ...user }: { id: string; email: string }) => user },
})
const changes = versionHistory('v1')
  .version(
    'v2',
    change('Users have an `id`, not a `key`.', { 'GET user': { response: ({ id }: { id: string }) => ({ key: id }) } }),
  )
  .version('next', emails)

test.each([
  [{ 'X-API-Version': 'v1' }, 200, { key: '7' }],
  [{ 'X-API-Version': 'v2' }, 200, { id: '7' }],
  [{}, 200, { id: '7' }],
  [{ 'X-API-Version': 'next' }, 406, { code: 'ERR_VERSION_NOT_ACCEPTABLE' }],
])('%j', async (headers, status, json) => {
  const routes = namedRoutes({ user: '/users/:id' })
  routes.route('user').get((req, res) => void res.json({ id: req.params.id, email: 'ada@example.com' }))
  const settings = { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], defaultVersion: 'v2' }
  const server = await serve((app) => app.use(versioning({ ...settings, changes, routes }), routes))
  const answer = await server.get('/users/7', headers as Record<string, string>)
  expect(answer.status).toBe(status)
  if (status === 200) expect(answer.json).toEqual(json)
  else expect(answer.json).toMatchObject(json)
})
