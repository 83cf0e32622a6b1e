// The web client names versions in the query, partners name theirs in a header: each router has a scheme of its own.
import express, { type RequestHandler } from 'express'
import { HeaderVersioning, namedRoutes, QueryParameterVersioning, versioning } from 'express-versioning'
import { jsonErrors, start } from '../support'

/** Shows what was decided, and a link in it. */
const show =
  (name: string): RequestHandler =>
  (req, res) => {
    res.json({ version: req.version, scheme: req.versioningScheme?.constructor.name, self: req.reverse(name) })
  }

const partners = namedRoutes({ order: '/order' })
// In front of the routes that it is for. It needs no `routes`: it finds the table that handles the request.
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
    // Or this one would decide first, and refuse what it does not know.
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
  // A parameter of that name is the partners' own business.
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
