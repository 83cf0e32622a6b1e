// GET /users/7
// Api-Version: 2026-01-15
import express, { type Request } from 'express'
import { BaseVersioning, namedRoutes, VersioningError, versioning } from 'express-versioning'
import { jsonErrors, start } from './support'

/** The version is a request header. `Vary` gains it, links need nothing, and the settings are those of every scheme. */
class RequestHeaderVersioning extends BaseVersioning {
  override readonly varyOn = ['Api-Version']

  override determineVersion(req: Request): string | null {
    const version = req.get('Api-Version') ?? this.defaultVersion
    if (!this.isAllowedVersion(version)) throw this.refusal(version)
    return version
  }

  override refusal(version: string | null | undefined): VersioningError {
    return new VersioningError('Invalid version in "Api-Version" header.', {
      status: 400,
      code: 'ERR_VERSION_HEADER',
      version,
    })
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
    prints: '{"error":"Invalid version in \\"Api-Version\\" header."} 400',
  },
])
