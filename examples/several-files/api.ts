// The table that includes all others, and the types of the app.
import { namedRoutes } from 'express-versioning'
import { books } from './books'
import { users } from './users'
import type { versions } from './versions'

const resources = namedRoutes({}).include('/', users).include('/', books)

export const api = namedRoutes({ health: '/health' }).include('/:version', resources)

api.route('health').get((_req, res) => {
  res.json({ ok: true })
})

declare module 'express-versioning' {
  interface Register {
    routes: typeof api
    versions: (typeof versions)[number]
  }
}
