// An API in two versions. Server and clients are made from the same options.
import express from 'express'
import { byVersion, namedRoutes, URLPathVersioning, type VersioningOptions, versioning } from 'express-versioning'
import { jsonErrors } from '../support/start'

const users = namedRoutes({ 'user-list': '/users', 'user-detail': '/users/:id' })

users.route('user-list').get((req, res) => {
  res.json({ first: req.reverse('user-detail', { kwargs: { id: 7 } }) })
})
users.route('user-detail').get(
  byVersion({
    v1: (req, res) => res.json({ id: req.params.id, name: 'Ada Lovelace' }),
    v2: (req, res) => res.json({ id: req.params.id, given: 'Ada', family: 'Lovelace' }),
  }),
)

const routes = namedRoutes({ health: '/health' }).include('/:version', users)
routes.route('health').get((_req, res) => {
  res.json({ ok: true })
})

export const mount = '/api'
export const options: VersioningOptions = {
  scheme: URLPathVersioning,
  allowedVersions: ['v1', 'v2'],
  neutral: ['health'],
  routes,
}

export const app = express()
app.use(mount, versioning(options), routes)
app.use(jsonErrors)
