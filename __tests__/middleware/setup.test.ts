import { type Application, type RequestHandler, Router } from 'express'
import * as library from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { explorer } from 'express-versioning/explorer'
import { openapi } from 'express-versioning/openapi'
import { combined, header, namespace, path } from '../support/schemes'
import { serve } from '../support/serve'
import { include, inNamespaces, routed } from '../support/tables'
import { catchWarnings } from '../support/warnings'

const { BaseVersioning, byVersion, CombinedVersioning, HeaderVersioning, NamespaceVersioning } = library
const { namedRoutes, URLPathVersioning, versioning } = library

// What the process warns of: setups that are probably mistakes, each once, and no others.

const warned = catchWarnings()

class Open extends HeaderVersioning {}
class OpenPath extends URLPathVersioning {}
class OpenInstance extends HeaderVersioning {}
class OpenCombination extends CombinedVersioning {}
class Checking extends BaseVersioning {
  override isAllowedVersion = (version: string | null) => version === 'v1'
}
class Deciding extends BaseVersioning {
  override determineVersion = () => 'v1'
}
class Listing extends HeaderVersioning {
  override allowedVersions = ['v1']
}
const routes = namedRoutes({ home: '/' })
const known = { allowedVersions: ['v1', 'v2'] }

test.each<[what: string, options: library.VersioningOptions, isTold?: boolean]>([
  ['no list', { scheme: Open }, true],
  ['a class that was warned of', { scheme: Open }],
  ['a default alone', { scheme: OpenPath, defaultVersion: 'v1' }, true],
  ['an empty list', { scheme: new OpenInstance({ allowedVersions: [] }) }, true],
  ['a combination', { scheme: new OpenCombination({ schemes: [header()] }) }, true],
  ['a list', { scheme: HeaderVersioning, allowedVersions: ['v1'] }],
  ['null alone', { scheme: HeaderVersioning, allowedVersions: [null] }],
  ['a list of the class', { scheme: Listing }],
  ['changes', { scheme: HeaderVersioning, changes: versionHistory('v1').version('v2'), routes }],
  ['namespaces of the table', { scheme: NamespaceVersioning, routes }],
  ['a parser', { scheme: HeaderVersioning, parseVersion: (text) => (text === 'v1' ? text : undefined) }],
  ['a check of its own', { scheme: Checking }],
  ['a decision of its own', { scheme: Deciding }],
])('every version is accepted: %s', (_, options, isTold = false) => {
  versioning(options)
  versioning(options)
  const message = expect.stringMatching(/^versioning\(\): Open\w* has no "allowedVersions", .* \['v1', 'v2'\]\.$/)
  expect(warned).toEqual(isTold ? [[message, { code: 'EXPRESS_VERSIONING_ANY_VERSION' }]] : [])
})

const response: RequestHandler = (req, res) => void res.json({ version: req.version })
const api = routed({ item: '/items/:id' }, response)
const versioned = include('{/:version}', api)
const inSpaces = inNamespaces(namedRoutes({}), { v1: api, v2: api })
/** A table without a parameter of that name. */
const unversioned = namedRoutes({ other: '/other' })
const byPath = (more = {}) => versioning({ scheme: URLPathVersioning, ...known, ...more })
const byHeader = versioning({ scheme: HeaderVersioning, ...known })
const inRouter = (options = {}) => Router(options).use(byPath(), response)
const partly = versioning({ scheme: combined([path(), header()], known) })
const spaced = versioning({ scheme: combined([path(), namespace()], known), routes: inSpaces })

const UNREAD = [
  expect.stringMatching(
    /^versioning\(\): the path of a request has "v2", but no route .* a parameter ":version".*mergeParams/,
  ),
  { code: 'EXPRESS_VERSIONING_NO_PARAMETER' },
]
test.each<[isTold: boolean, what: string, mount: string, handlers: RequestHandler[], asked: string]>([
  [true, 'a router without mergeParams', '/:version', [inRouter()], '/v2/x /v2/x /v2'],
  [false, 'a router with mergeParams', '/:version', [inRouter({ mergeParams: true })], '/v2/x'],
  [true, 'a mount that has another parameter', '/:v', [byPath()], '/v2/x?a'],
  [true, 'in front of plain routes', '/', [byPath(), Router().get('/:version', response)], '/v2'],
  [true, 'in front of another table', '/', [byPath({ routes: unversioned }), unversioned], '/v2/other'],
  [true, 'part of a combination', '/', [partly], '/v2/x'],
  [false, 'no version in the path', '/', [byPath()], '/items/v22 /?v2 /v9'],
  [false, 'a parameter that is optional', '{/:version}', [byPath()], '/v2/x'],
  [false, 'an optional prefix', '/', [byPath({ routes: versioned }), versioned], '/v1/items/7 /items/v2 /items/v1'],
  [false, 'an item', '/', [byPath({ routes: versioned, defaultVersion: 'v1' }), versioned], '/items/v2'],
  [false, 'namespaces in a combination', '/', [spaced, inSpaces], '/v2/items/7'],
  [false, 'a literal mount of the default', '/v2', [byPath({ defaultVersion: 'v2' })], '/v2/x'],
  [false, 'a scheme that does not read the path', '/', [byHeader], '/v2/x'],
])('nobody reads the version in the path: %p: %s', async (isTold, _, mount, handlers, asked) => {
  const { get } = await serve((app) => void app.use(mount, ...handlers))
  for (const path of asked.split(' ')) await get(path)
  expect(warned).toEqual(isTold ? [UNREAD] : [])
})

const MISSED = [
  expect.stringMatching(
    /^versioning\(\): the path of a request has a version, but the router .* app\.use\('\/:version\/users', users\)/,
  ),
  { code: 'EXPRESS_VERSIONING_NO_PARAMETER' },
]
type Fill = (app: Application) => unknown
test.each<[isTold: boolean, what: string, asked: string, fill: Fill]>([
  [true, 'a router', '/v1/items/7 /v1/items/8', (app) => app.use('/:version', byPath()).use('/items', response)],
  [true, 'a route', '/v1/items/7', (app) => app.use('/:version', byPath()).get('/items/:id', response)],
  [true, 'below a path', '/api/v1/x', (app) => app.use('/api/:version', byPath()).use('/api/x', response)],
  [false, 'a page that is nowhere', '/v1/nothing', (app) => app.use('/:version', byPath()).use('/items', response)],
  [false, 'an escape', '/v1/%E0', (app) => app.use('/:version', byPath()).get('/:id', response)],
  [false, 'behind it', '/v1/items/7', (app) => app.use('/:version', byPath(), response).use('/items', response)],
  [
    false,
    'there too',
    '/v1/items/7',
    (app) => app.use('/:version', byPath()).use(['/items', '/:version/items'], response),
  ],
  [
    false,
    'the seventeenth request',
    `${'/v1/x '.repeat(16)}/v1/items/7`,
    (app) => app.use('/:version', byPath()).use('/items', response),
  ],
])('routers are mounted without the version: %p: %s', async (isTold, _, asked, fill) => {
  const { get } = await serve((app) => void fill(app))
  for (const path of asked.split(' ')) await get(path)
  expect(warned).toEqual(isTold ? [MISSED] : [])
})

const changed = namedRoutes({ item: '/items/:id', elsewhere: '/elsewhere' })
changed.route('item').get((req, res) => void res.json({ id: req.params.id }))
const changes = versionHistory('v1').version('v2', change('More.', { 'GET item': { response: () => ({}) } }))
const options = { scheme: HeaderVersioning, defaultVersion: 'v1', changes, routes: changed, neutral: ['/health'] }
const assigned: RequestHandler = (req, _res, next) => next(void Object.assign(req, { version: 'v2' }))
const nested = namedRoutes({}).include('/r', Router().use(response))
const byBoth = byVersion({ v1: response, v2: response })
type Sent = { mount?: string; version?: string }
test.each<[sender: string | false, what: string, path: string, handlers: RequestHandler[], Sent?]>([
  ['', 'a plain route', '/plain', [response]],
  ['', 'a plain router in the table', '/r/plain', [nested], { mount: '/' }],
  [
    ' The route "/:id" of Express sent it.',
    'a route of Express',
    '/plain',
    [Router().get('/:id', response)],
    { mount: '/' },
  ],
  ['', 'a string that is JSON', '/plain', [(_req, res) => void res.type('application/problem+json').end('{}')]],
  [false, 'the newest version', '/plain', [response], { version: 'v2' }],
  [false, 'a neutral route', '/health', [response]],
  [false, 'a named route', '/items/7', [response], { mount: '/none' }],
  [false, 'the path of a named route', '/elsewhere', [response]],
  [false, 'an error', '/plain', [(_req, res) => void res.status(404).json({})]],
  [false, 'a redirect', '/plain', [(_req, res) => void res.status(302).json({})]],
  [false, 'another type', '/plain', [(_req, res) => void res.type('text').send('{}')]],
  [false, 'no type', '/plain', [(_req, res) => void res.end()]],
  [false, 'byVersion()', '/plain', [byBoth]],
  [false, 'another versioning()', '/plain', [byHeader, response]],
  [false, 'a version that a handler assigned', '/plain', [assigned, response]],
  [false, 'documents', '/docs/v1.json', [openapi(options)], { mount: '/docs' }],
  [false, 'a page', '/docs', [explorer(options)]],
])('JSON of a plain router in an older version: %p: %s', async (sender, _, path, handlers, sent = {}) => {
  const { mount = path, version = 'v1' } = sent
  const { get } = await serve((app) => app.use(versioning(options), changed).use(mount, ...handlers))
  const fields = { 'X-API-Version': version, Accept: 'application/json' }
  for (const search of ['', '?again']) await get(path + search, fields)
  const told = [
    `JSON was sent to version "v1" as the newest version has it, because no named route has the path of the request.${sender} Give it a name in the table, or list the path in "neutral".`,
    { code: 'EXPRESS_VERSIONING_UNCONVERTED' },
  ]
  expect(warned).toEqual(sender === false ? [] : [told])
})

test('a warning about a request that came while another one was responded to is not said twice', async () => {
  const waiting: (() => void)[] = []
  const { get } = await serve((app) => {
    app.use(versioning(options), changed)
    app.get('/plain', (_req, res) => {
      waiting.push(() => res.json({}))
      if (waiting.length === 2) for (const go of waiting) go()
    })
  })
  await Promise.all([get('/plain'), get('/plain')])
  expect(warned).toHaveLength(1)
})
