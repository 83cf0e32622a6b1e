import express, { type Application, type Request, Router } from 'express'
import {
  BaseVersioning,
  byVersion,
  CombinedVersioning,
  HeaderVersioning,
  NamespaceVersioning,
  namedRoutes,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { explorer } from 'express-versioning/explorer'
import { openapi } from 'express-versioning/openapi'
import { serve } from '../support/serve'

// What the process warns of: setups that are probably mistakes, each once, and no others.

/** The warnings of this package, by code. */
let warned: [message: string, code: string][]
beforeEach(() => {
  warned = []
  jest.spyOn(process, 'emitWarning').mockImplementation(((message: string, { code }: { code: string }) => {
    warned.push([message, code])
  }) as never)
})
afterEach(() => jest.restoreAllMocks())

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

test.each<[what: string, options: VersioningOptions, isTold?: boolean]>([
  ['no list', { scheme: Open }, true],
  ['a class that was warned of', { scheme: Open }],
  ['a default alone', { scheme: OpenPath, defaultVersion: 'v1' }, true],
  ['an empty list', { scheme: new OpenInstance({ allowedVersions: [] }) }, true],
  ['a combination', { scheme: new OpenCombination({ schemes: [new HeaderVersioning()] }) }, true],
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
  expect(warned).toEqual(isTold ? [[message, 'EXPRESS_VERSIONING_ANY_VERSION']] : [])
})

const answer = (req: Request, res: express.Response) => void res.json({ version: req.version })
const api = namedRoutes({ item: '/items/:id' })
api.route('item').get(answer)
const versioned = namedRoutes({}).include('{/:version}', api)
const inSpaces = namedRoutes({}).include('/v1', api, { namespace: 'v1' }).include('/v2', api, { namespace: 'v2' })
/** A table without a parameter of that name. */
const unversioned = namedRoutes({ other: '/other' })
const combined = (...schemes: BaseVersioning[]) => ({ scheme: new CombinedVersioning({ schemes, ...known }) })
const inOwnRouter = (options: object) => (app: Application) =>
  app.use('/:version', Router(options).use(versioning({ scheme: URLPathVersioning, ...known }), answer))

const UNREAD = [
  expect.stringMatching(
    /^versioning\(\): the path of a request has "v2", but no route .* a parameter ":version".*mergeParams/,
  ),
  'EXPRESS_VERSIONING_NO_PARAMETER',
]
test.each<[what: string, build: (app: Application) => unknown, asked: string[], isTold?: boolean]>([
  ['a router without mergeParams', inOwnRouter({}), ['/v2/x', '/v2/x', '/v2'], true],
  ['a router with mergeParams', inOwnRouter({ mergeParams: true }), ['/v2/x']],
  [
    'a mount that has another parameter',
    (app) => app.use('/:v', versioning({ scheme: URLPathVersioning, ...known })),
    ['/v2/x?a'],
    true,
  ],
  [
    'in front of plain routes',
    (app) => app.use(versioning({ scheme: URLPathVersioning, ...known })).get('/:version', answer),
    ['/v2'],
    true,
  ],
  [
    'in front of a table without such a parameter',
    (app) => app.use(versioning({ scheme: URLPathVersioning, ...known, routes: unversioned }), unversioned),
    ['/v2/other'],
    true,
  ],
  [
    'part of a combination',
    (app) => app.use(versioning(combined(new URLPathVersioning(), new HeaderVersioning()))),
    ['/v2/x'],
    true,
  ],
  [
    'no version in the path',
    (app) => app.use(versioning({ scheme: URLPathVersioning, ...known })),
    ['/items/v22', '/?v2', '/v9'],
  ],
  [
    'a parameter that is optional',
    (app) => app.use('{/:version}', versioning({ scheme: URLPathVersioning, ...known })),
    ['/v2/x'],
  ],
  [
    'an optional prefix of a table',
    (app) => app.use(versioning({ scheme: URLPathVersioning, ...known, routes: versioned }), versioned),
    ['/v1/items/7', '/items/v2', '/items/v1'],
  ],
  [
    'an item that is called as a version',
    (app) =>
      app.use(versioning({ scheme: URLPathVersioning, ...known, routes: versioned, defaultVersion: 'v1' }), versioned),
    ['/items/v2'],
  ],
  [
    'namespaces in a combination',
    (app) =>
      app.use(
        versioning({ ...combined(new URLPathVersioning(), new NamespaceVersioning()), routes: inSpaces }),
        inSpaces,
      ),
    ['/v2/items/7'],
  ],
  [
    'a literal mount of the default',
    (app) => app.use('/v2', versioning({ scheme: URLPathVersioning, ...known, defaultVersion: 'v2' })),
    ['/v2/x'],
  ],
  [
    'a scheme that does not read the path',
    (app) => app.use(versioning({ scheme: HeaderVersioning, ...known })),
    ['/v2/x'],
  ],
])('nobody reads the version in the path: %s', async (_, build, asked, isTold = false) => {
  const { get } = await serve(build)
  for (const path of asked) await get(path)
  expect(warned).toEqual(isTold ? [UNREAD] : [])
})

const changed = namedRoutes({ item: '/items/:id', elsewhere: '/elsewhere' })
changed.route('item').get((req, res) => void res.json({ id: req.params.id }))
const changes = versionHistory('v1').version('v2', change('More.', { 'GET item': { response: () => ({}) } }))
const options = { scheme: HeaderVersioning, defaultVersion: 'v1', changes, routes: changed, neutral: ['/health'] }
const plain =
  (path: string, handler = answer) =>
  (app: Application) =>
    app.get(path, handler)
test.each<[what: string, build: (app: Application) => unknown, path: string, version: string, isTold?: boolean]>([
  ['a plain route', plain('/plain'), '/plain', 'v1', true],
  [
    'a plain router in the table',
    (app) => app.use(namedRoutes({}).include('/r', Router().use(answer))),
    '/r/plain',
    'v1',
    true,
  ],
  [
    'a text that is JSON',
    plain('/plain', (_req, res) => void res.type('application/problem+json').end('{}')),
    '/plain',
    'v1',
    true,
  ],
  ['the newest version', plain('/plain'), '/plain', 'v2'],
  ['a neutral route', plain('/health'), '/health', 'v1'],
  ['a named route', plain('/none'), '/items/7', 'v1'],
  ['the path of a named route', plain('/elsewhere'), '/elsewhere', 'v1'],
  ['an error', plain('/plain', (_req, res) => void res.status(404).json({})), '/plain', 'v1'],
  ['a redirect', plain('/plain', (_req, res) => void res.status(302).json({})), '/plain', 'v1'],
  ['another type', plain('/plain', (_req, res) => void res.type('text').send('{}')), '/plain', 'v1'],
  ['no type', plain('/plain', (_req, res) => void res.end()), '/plain', 'v1'],
  ['byVersion()', (app) => app.get('/plain', byVersion({ v1: answer, v2: answer })), '/plain', 'v1'],
  [
    'another versioning()',
    (app) => app.use('/plain', versioning({ scheme: HeaderVersioning, ...known }), answer),
    '/plain',
    'v1',
  ],
  [
    'a version that a handler assigned',
    plain('/plain', (req, res) => {
      req.version = 'v2'
      answer(req, res)
    }),
    '/plain',
    'v1',
  ],
  ['documents', (app) => app.use('/docs', openapi(options)), '/docs/v1.json', 'v1'],
  ['a page', (app) => app.use('/docs', explorer(options)), '/docs', 'v1'],
])('JSON of a plain router in an older version: %s', async (_, build, path, version, isTold = false) => {
  const { get } = await serve((app) => {
    app.use(versioning(options), changed)
    build(app)
  })
  const fields = { 'X-API-Version': version, Accept: 'application/json' }
  for (const search of ['', '?again']) await get(path + search, fields)
  const told = [
    `JSON was sent to version "v1" as the newest version has it, because no named route has the path of GET "${path}". Give it a name in the table, or list the path in "neutral".`,
    'EXPRESS_VERSIONING_UNCONVERTED',
  ]
  expect(warned).toEqual(isTold ? [told] : [])
})

test('a warning about a request that came while another one was answered is not said twice', async () => {
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

test.each<[what: string, given: (copy: typeof import('express-versioning')) => unknown]>([
  ['a class', ({ HeaderVersioning }) => HeaderVersioning],
  ['an instance', ({ HeaderVersioning }) => new HeaderVersioning()],
  ['the base class', ({ BaseVersioning }) => BaseVersioning],
  ['a class of their own', ({ BaseVersioning }) => class Own extends BaseVersioning {}],
])('a scheme of another copy of the package: %s', (_, given) => {
  let scheme: unknown
  jest.isolateModules(() => {
    scheme = given(require('express-versioning'))
  })
  const told = /It belongs to another copy of the package: `npm ls express-versioning` shows where/
  expect(() => versioning({ scheme: scheme as never })).toThrow(told)
  expect(() => new CombinedVersioning({ schemes: [scheme as never] })).toThrow(told)
  const ours = expect.objectContaining({ message: expect.not.stringContaining('npm ls') })
  expect(() => new CombinedVersioning({ schemes: [HeaderVersioning as never] })).toThrow(ours)
})
