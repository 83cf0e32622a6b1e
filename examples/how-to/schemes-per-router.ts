// The web client names the version in the query, and partners use a header: each router has its own scheme.
import express, { type RequestHandler } from 'express'
import { HeaderVersioning, namedRoutes, QueryParameterVersioning, versioning } from 'express-versioning'
import { jsonErrors, start } from '../support/start'

/** Responses the version, its scheme and a link. */
const show =
  (name: string): RequestHandler =>
  (req, res) => {
    res.json({ version: req.version, scheme: req.versioningScheme?.constructor.name, self: req.reverse(name) })
  }

const partners = namedRoutes({ order: '/order' })
// In front of its routes. `routes` is left out: the table that handles the request is used.
partners.use(versioning({ scheme: HeaderVersioning, allowedVersions: ['2025-01-01', '2026-01-01'] }))
partners.route('order').get(show('partners:order'))

const web = namedRoutes({ order: '/order' })
web.route('order').get(show('web:order'))

const api = namedRoutes({})
  .include('/web', web, { namespace: 'web' })
  .include('/partners', partners, { namespace: 'partners' })

const app = express()
app.use(
  versioning({
    scheme: QueryParameterVersioning,
    allowedVersions: ['v1', 'v2'],
    defaultVersion: 'v2',
    routes: api,
    // Otherwise this one would run first, and reject the partners' versions.
    neutral: ['partners:'],
  }),
  api,
)
app.use(jsonErrors)

start(app, [
  {
    path: '/web/order?version=v1',
    prints: '{"version":"v1","scheme":"QueryParameterVersioning","self":"/web/order?version=v1"} 200',
  },
  {
    path: '/partners/order',
    header: 'X-API-Version: 2025-01-01',
    prints: '{"version":"2025-01-01","scheme":"HeaderVersioning","self":"/partners/order"} 200',
  },
  // Partners may use a parameter of that name for something else.
  {
    path: '/partners/order?version=v9',
    header: 'X-API-Version: 2025-01-01',
    prints: '{"version":"2025-01-01","scheme":"HeaderVersioning","self":"/partners/order"} 200',
  },
  {
    path: '/partners/order',
    header: 'X-API-Version: v1',
    prints: '{"error":"Invalid version in \\"X-API-Version\\" header."} 406',
  },
])
