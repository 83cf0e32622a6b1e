// Links to the next and the previous page keep the version and the query.
import express, { type Request } from 'express'
import { namedRoutes, QueryParameterVersioning, versioning } from 'express-versioning'
import { jsonErrors, start } from '../support/start'

const pages = 3

/** Returns the link to another page of the list, if there is one. */
function page(req: Request, number: number): string | undefined {
  if (number < 1 || number > pages) return undefined
  return req.reverse('user-list', { query: { ...req.query, page: number } })
}

const users = namedRoutes({ 'user-list': '/users' })
users.route('user-list').get((req, res) => {
  const number = Number(req.query.page ?? 1)
  res.json({ page: number, previous: page(req, number - 1), next: page(req, number + 1) })
})

const app = express()
app.set('query parser', 'extended')
app.use(versioning({ scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'], routes: users }), users)
app.use(jsonErrors)

start(app, [
  { path: '/users?version=v2&sort=name', prints: '{"page":1,"next":"/users?sort=name&page=2&version=v2"} 200' },
  // Nested parameters and lists read back as they were.
  {
    path: '/users?filter%5Bcity%5D=Paris&tag=a&tag=b&page=3&version=v1',
    prints: '{"page":3,"previous":"/users?filter%5Bcity%5D=Paris&tag=a&tag=b&page=2&version=v1"} 200',
  },
  { path: '/users?version=v9', prints: '{"error":"Invalid version in query parameter."} 404' },
])
