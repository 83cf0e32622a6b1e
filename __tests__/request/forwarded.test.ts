import {
  HeaderVersioning,
  HostNameVersioning,
  type LinkOptions,
  namedRoutes,
  QueryParameterVersioning,
  reverse,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { serve } from '../support/serve'

// `Vary` must name the proxy's fields that an absolute link uses, or a cache in front gives the link to everybody.

const FORWARDED = 'X-Forwarded-Host, X-Forwarded-Proto'
const sent = { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' }
const header = { scheme: HeaderVersioning }

test.each<[string, trust: unknown, Partial<VersioningOptions>, LinkOptions, link: string, vary: string | undefined]>([
  ['trusted', true, {}, { absolute: true }, 'https://evil.example/', `Origin, ${FORWARDED}`],
  ['by a count', 1, header, { absolute: true }, 'https://evil.example/', `Origin, X-API-Version, ${FORWARDED}`],
  ['and not allowed', true, { allowedHosts: ['a.example'] }, { absolute: true }, '400', `Origin, ${FORWARDED}`],
  [
    'read by the scheme, too',
    true,
    { scheme: HostNameVersioning },
    { absolute: true },
    'https://evil.example/',
    `Origin, ${FORWARDED}`,
  ],
  ['of a proxy that is not trusted', '10.0.0.0/8', {}, { absolute: true }, 'http://a.example/', 'Origin'],
  ['without any trust', false, header, { absolute: true }, 'http://a.example/', 'Origin, X-API-Version'],
  ['with an origin', true, { origin: 'https://b.example' }, { absolute: true }, 'https://b.example/', 'Origin'],
  ['with one of the link', true, {}, { absolute: true, origin: 'https://c.example' }, 'https://c.example/', 'Origin'],
  ['with a path alone', true, {}, {}, '/', 'Origin'],
])('fields of a proxy %s', async (_title, trust, options, link, expected, vary) => {
  const routes = namedRoutes({ home: '/' })
  for (const headers of [sent, {}]) {
    const server = await serve((app) => {
      app.set('trust proxy', trust)
      app.use((_req, res, next) => {
        res.vary('Origin')
        next()
      })
      const settings = { scheme: QueryParameterVersioning, ...options, routes }
      app.use(versioning(settings), (req, res) => {
        // The handler makes two links, as pages do.
        reverse('home', { ...link, request: req })
        res.json(req.reverse('home', link))
      })
    })
    const { status, json, headers: got } = await server.get('/', { Host: 'a.example', ...headers })
    if (headers === sent) expect(status === 200 ? json : String(status)).toBe(expected)
    expect(got.vary?.toLowerCase()).toBe(vary?.toLowerCase())
  }
})
