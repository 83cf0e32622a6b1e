// A scheme of your own: GET /users/7
// Api-Version: 2026-01-15
import express, { type Request } from 'express'
import { BaseVersioning, NotAcceptable, namedRoutes, type VersionCarrier, versioning } from 'express-versioning'
import { jsonErrors, start } from './support/start'

/** Reads the version from a header. The base class checks it, applies the default, refuses, and sets `Vary`. */
class RequestHeaderVersioning extends BaseVersioning {
  override readonly varyOn = ['Api-Version']
  override readonly carriedIn = 'header'
  override readonly invalidVersionMessage = 'Invalid version in "Api-Version" header.'
  override readonly invalidVersionError = NotAcceptable

  override readVersion(req: Request): string | undefined {
    return req.get('Api-Version')
  }

  override carry(version: string): VersionCarrier {
    return { in: 'header', name: 'Api-Version', value: version }
  }
}

const users = namedRoutes({ user: '/users/:id' })

users.route('user').get((req, res) => {
  res.json({ version: req.version, self: req.reverse('user', { kwargs: { id: req.params.id } }) })
})

const app = express()
const allowedVersions = ['2025-06-01', '2026-01-15']
const defaultVersion = '2025-06-01'
app.use(versioning({ scheme: RequestHeaderVersioning, defaultVersion, allowedVersions, routes: users }), users)
app.use(jsonErrors)

start(app, [
  { path: '/users/7', header: 'Api-Version: 2026-01-15', prints: '{"version":"2026-01-15","self":"/users/7"} 200' },
  { path: '/users/7', prints: '{"version":"2025-06-01","self":"/users/7"} 200' },
  {
    path: '/users/7',
    header: 'Api-Version: yesterday',
    prints: '{"error":"Invalid version in \\"Api-Version\\" header."} 406',
  },
])
