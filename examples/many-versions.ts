// Several versions over years: three places for the version, fallbacks, deprecation and errors.
import express, { type RequestHandler } from 'express'
import {
  byVersion,
  CombinedVersioning,
  HeaderVersioning,
  MediaTypeVersioning,
  namedRoutes,
  problemDetails,
  servedVersion,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { jsonErrors, start } from './support/start'

const allowedVersions = ['v1', 'v2', 'v3']
const defaultVersion = 'v3'

// The lifecycle is the same for all places of the version.
const plans: Omit<VersioningOptions, 'scheme'> = {
  lifecycle: {
    v1: { deprecated: '2023-01-01', sunset: '2024-01-01', afterSunset: 'gone', successor: 'v3' },
    v2: { deprecated: '2025-01-01', sunset: '2099-01-01', info: 'https://api.example.com/v2-ends', successor: 'v3' },
  },
  reportVersions: true,
  neutral: ['/health'],
}

const showUser: RequestHandler = (req, res) => {
  const id = String(req.params.id)
  res.json({ version: req.version, served: servedVersion(req), self: req.reverse('user', { kwargs: { id } }) })
}

// The version in the path is optional.
const api = namedRoutes({ user: '/users/:id', report: '/report' })
const routes = namedRoutes({ health: '/health' }).include('{/:version}', api)
// Version 3 changed nothing here, so requests of v3 go to v2.
api.route('user').get(byVersion({ v1: showUser, v2: showUser }, { fallback: 'lower' }))
api.route('report').get(byVersion({ v3: (req, res) => res.json({ report: 'new in v3', version: req.version }) }))
routes.route('health').get((req, res) => {
  res.json({ ok: true, version: req.version })
})

const header = new HeaderVersioning({ header: 'X-API-Version', allowedVersions, defaultVersion })
const template = 'application/vnd.acme.{version}+json'
const mediaType = new MediaTypeVersioning({ template, allowedVersions, defaultVersion })
const combined = new CombinedVersioning({
  schemes: [new URLPathVersioning(), new HeaderVersioning(), new MediaTypeVersioning({ template })],
  allowedVersions,
  defaultVersion,
})

const app = express()
app.use('/header', versioning({ ...plans, scheme: header, routes }), routes)
app.use('/media-type', versioning({ ...plans, scheme: mediaType, routes }), routes)
app.use('/combined', versioning({ ...plans, scheme: combined, routes }), routes)
app.use(problemDetails({ base: 'https://api.example.com/errors/' }))
app.use(jsonErrors)

function problem(code: string, title: string, status: number, detail: string, supported = ['v2', 'v3']): string {
  const type = `https://api.example.com/errors/${code}`
  return `${JSON.stringify({ type, title, status, detail, code, supportedVersions: supported })} ${status}`
}

function user(version: string, served: string, self: string): string {
  return `${JSON.stringify({ version, served, self })} 200`
}

start(app, [
  { path: '/header/users/7', header: 'X-API-Version: v2', prints: user('v2', 'v2', '/header/users/7') },
  {
    path: '/header/users/7',
    header: 'X-API-Version: v9',
    prints: problem(
      'ERR_VERSION_NOT_ACCEPTABLE',
      'Version not acceptable',
      406,
      'Invalid version in "X-API-Version" header.',
    ),
  },

  {
    path: '/media-type/users/7',
    header: 'Accept: application/vnd.acme.v2+json',
    prints: user('v2', 'v2', '/media-type/users/7'),
  },
  {
    path: '/media-type/users/7',
    header: 'Accept: application/vnd.acme.v9+json',
    prints: problem('ERR_VERSION_NOT_ACCEPTABLE', 'Version not acceptable', 406, 'Invalid version in "Accept" header.'),
  },

  // The version may be in each of three places. Links keep it in the client's place.
  { path: '/combined/v2/users/7', prints: user('v2', 'v2', '/combined/v2/users/7') },
  { path: '/combined/users/7', header: 'X-API-Version: v2', prints: user('v2', 'v2', '/combined/users/7') },
  { path: '/combined/users/7', prints: user('v3', 'v2', '/combined/users/7') },
  {
    path: '/combined/v2/users/7',
    header: 'X-API-Version: v3',
    prints: problem('ERR_VERSION_CONFLICT', 'Conflicting versions', 400, 'Conflicting versions in request.'),
  },
  {
    path: '/combined/v2/report',
    prints: problem('ERR_VERSION_UNHANDLED', 'Version not supported here', 404, 'No handler for this version.', ['v3']),
  },

  // The dates of version 2, and its successor.
  {
    path: '/combined/v2/users/7',
    grep: '^(HTTP|Deprecation|Sunset|Link)',
    prints: [
      'HTTP/1.1 200 OK',
      'Deprecation: @1735689600',
      'Sunset: Thu, 01 Jan 2099 00:00:00 GMT',
      'Link: <https://api.example.com/v2-ends>; rel="deprecation"; type="text/html", <https://api.example.com/v2-ends>; rel="sunset", </combined/v3/users/7>; rel="successor-version"',
    ],
  },
  {
    path: '/combined/v1/users/7',
    grep: '^(HTTP|Sunset|Link)',
    prints: [
      'HTTP/1.1 410 Gone',
      'Sunset: Mon, 01 Jan 2024 00:00:00 GMT',
      'Link: </combined/v3/users/7>; rel="successor-version"',
    ],
  },
  {
    path: '/combined/v3/users/7',
    grep: '^(HTTP|API-)',
    prints: ['HTTP/1.1 200 OK', 'API-Supported-Versions: v2, v3', 'API-Deprecated-Versions: v2', 'API-Version: v3'],
  },

  // Neutral: no version is read, and no request is rejected.
  { path: '/combined/health', header: 'X-API-Version: v9', prints: '{"ok":true,"version":null} 200' },
])
