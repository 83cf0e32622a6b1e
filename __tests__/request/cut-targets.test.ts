import type { RequestHandler } from 'express'
import { namedRoutes, URLPathVersioning, versioning } from 'express-versioning'
import { serve } from '../support/serve'

// Express cuts the length of the escaped path off the raw target, so a second mount stands elsewhere.

const tell: RequestHandler = (req, res) => void res.json(req.version)
const ask = (method: string, path: string, more = '') =>
  `${method} http://a${path} HTTP/1.1\r\nHost: a\r\n${more}Connection: close\r\n\r\n`
const PREFLIGHT = 'Origin: http://b\r\nAccess-Control-Request-Method: GET\r\n'

test.each<[string, string, string, number]>([
  ['refused', ask('GET', '/v{1/users'), 'Invalid version in URL path.', 404],
  ['never refused where it is a preflight', ask('OPTIONS', '/v{1/users', PREFLIGHT), '', 404],
  ['served where nothing is cut wrongly', ask('GET', '/v1/users'), '"v1"', 200],
])('such a target is %s', async (_what, bytes, text, status) => {
  const table = namedRoutes({ users: '/users' })
  table.route('users').get(tell)
  for (const allowedVersions of [['v1'], []]) {
    const server = await serve((app) =>
      app.use('/:version', versioning({ scheme: URLPathVersioning, allowedVersions, routes: table }), table),
    )
    const answer = await server.raw(bytes)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(answer).toContain(text)
  }
})

test('the error of a misplaced table is the programmer’s, and for such a target the client’s', async () => {
  const table = namedRoutes({ users: '/users' })
  table.use(versioning({ scheme: URLPathVersioning, routes: namedRoutes({}).include('/elsewhere', table) }), tell)
  const server = await serve((app) => app.use('/api', table))
  expect(await server.raw(ask('GET', '/api/users'))).toContain('it stands at')
  const answer = await server.raw(ask('GET', '/api/us{ers'))
  expect(answer).toMatch(/^HTTP\/1.1 404 /)
  expect(answer).toContain('Not found.')
})
