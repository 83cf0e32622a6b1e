// The same API, with the version in the path: `/api` for the clients that you have, and `/api/v2` for new ones.
import express from 'express'
import { namedRoutes, URLPathVersioning, versioning } from 'express-versioning'
import { convertRequest } from 'express-versioning/changes'
import { start } from '../../support/start'
import { options, routes } from './app'
import { authenticated, errors, noPage } from './errors'
import { ordersRouter } from './orders'
import { usersRouter } from './users'

const versioned = namedRoutes({}).include('{/:version}', routes)

const app = express()
app.use('/api', versioning({ ...options, scheme: URLPathVersioning, routes: versioned }))
app.use(express.json(), authenticated, convertRequest)
app.use(['/api/v2/users', '/api/users'], usersRouter)
app.use(['/api/v2/orders', '/api/orders'], ordersRouter)
app.use(noPage, errors)

const token = 'Authorization: Bearer token'
start(app, [
  { path: '/api/users/1', header: token, prints: '{"id":1,"name":"Ada Lovelace"} 200' },
  { path: '/api/v2/users/1', header: token, prints: '{"id":1,"given":"Ada","family":"Lovelace"} 200' },
  { path: '/api/users', header: token, body: '{"name":"Plato"}', prints: '{"id":3,"name":"Plato"} 201' },
  {
    path: '/api/v9/users/1',
    header: token,
    prints: '{"title":"Not Found","status":404,"detail":"Invalid version in URL path."} 404',
  },
])
