// Each account keeps the version that it began with. A header chooses another one for a single request.
import express, { type Request } from 'express'
import { BaseVersioning, CombinedVersioning, HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { jsonErrors, start } from '../support/start'

const pins = new Map([
  ['ada', '2024-01-01'],
  ['bob', '2026-01-01'],
])

/** Reads the version of the account. A header stands in for authentication here. */
class AccountVersioning extends BaseVersioning {
  // Caches must keep the responses of accounts apart.
  override readonly varyOn = ['Authorization']
  override readonly carriedIn = 'header'

  override readVersion(req: Request): string | undefined {
    return pins.get(req.get('Authorization') ?? '')
  }
}

const users = namedRoutes({ user: '/users/:id' })
users.route('user').get((req, res) => {
  res.json({ version: req.version })
})

const scheme = new CombinedVersioning({
  schemes: [new HeaderVersioning(), new AccountVersioning()],
  // The header wins. With 'reject', it would conflict with the account's version.
  onConflict: 'first',
  defaultVersion: '2026-01-01',
  allowedVersions: ['2024-01-01', '2025-01-01', '2026-01-01'],
})

const app = express()
app.use(versioning({ scheme, routes: users }), users)
app.use(jsonErrors)

start(app, [
  { path: '/users/7', header: 'Authorization: ada', prints: '{"version":"2024-01-01"} 200' },
  { path: '/users/7', header: 'Authorization: bob', prints: '{"version":"2026-01-01"} 200' },
  { path: '/users/7', prints: '{"version":"2026-01-01"} 200' },
  { path: '/users/7', header: 'X-API-Version: 2025-01-01', prints: '{"version":"2025-01-01"} 200' },
  {
    path: '/users/7',
    header: 'X-API-Version: 2023-01-01',
    prints: '{"error":"Invalid version in \\"X-API-Version\\" header."} 406',
  },
])
