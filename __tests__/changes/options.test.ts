import express, { type ErrorRequestHandler, type Request, type RequestHandler } from 'express'
import {
  type BaseVersioning,
  byVersion,
  CombinedVersioning,
  HeaderVersioning,
  namedRoutes,
  QueryParameterVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { change, type VersionHistory, versionHistory } from 'express-versioning/changes'
import { ask, historyOf, PATHS, serveChanges, type Table, tableOf } from '../support/changes'
import { serve } from '../support/serve'

const flat = change('Flat.', { 'GET other': { response: (value: unknown) => ({ value }) } })
const history = versionHistory('2024').version('2025', flat)
const routes = tableOf()
const make = (more: Partial<VersioningOptions>) => () =>
  versioning({ scheme: HeaderVersioning, changes: history, routes, ...more })

class Listed extends HeaderVersioning {
  override allowedVersions = ['2023', '2024']
}
const typo = (operation: `GET ${string}`) => ({
  changes: versionHistory('1').version('2', change('Typo.', { [operation]: 'added' })),
})
const TAKES = 'versioning(): option "changes" takes a history made by versionHistory() of express-versioning/changes;'
const lacks = (version: string) =>
  `versioning(): option "changes" has no version '${version}', which the scheme accepts.`
const misnamed = (name: string) =>
  `versioning(): the change "Typo." speaks of "GET ${name}", but "routes" has no name "${name}".`

test.each<[title: string, more: Partial<VersioningOptions>, message: string]>([
  ['a list', { changes: [] as never }, `${TAKES} got [].`],
  ['null', { changes: null as never }, `${TAKES} got null.`],
  ['a function', { changes: versionHistory as never }, `${TAKES} got [Function: versionHistory].`],
  ['a `bind`', { changes: { bind: 1, versions: 'v1' } as never }, `${TAKES} got { bind: 1, versions: 'v1' }.`],
  ['versions', { changes: { versions: [] } as never }, `${TAKES} got { versions: [] }.`],
  [
    'no routes',
    { routes: undefined },
    'versioning(): option "changes" needs "routes", the table that has the names of its operations.',
  ],
  ['an unknown name', typo('GET user-lits'), `${misnamed('user-lits')} Did you mean "user-list"?`],
  ['an unknown namespace', typo('GET v1:other'), misnamed('v1:other')],
  ['the end of a name', typo('GET list'), misnamed('list')],
  ['an unknown version', { allowedVersions: ['2024', '2026'] }, `${lacks('2026')} Did you mean "2024" or "2025"?`],
  ['an unknown default', { defaultVersion: '2023' }, `${lacks('2023')} Did you mean "2024" or "2025"?`],
  ['a default of an instance', { scheme: new HeaderVersioning({ defaultVersion: 'v9' }) }, lacks('v9')],
  ['a class field', { scheme: Listed }, `${lacks('2023')} Did you mean "2024" or "2025"?`],
  [
    'a list of a combination',
    { scheme: new CombinedVersioning({ schemes: [new HeaderVersioning()], allowedVersions: ['2027'] }) },
    `${lacks('2027')} Did you mean "2024" or "2025"?`,
  ],
])('versioning() refuses %s', (_title, more, message) => {
  expect(make(more)).toThrow(new TypeError(message))
})

test('an instance without own versions takes those of one history', () => {
  const scheme = new HeaderVersioning()
  make({ scheme })()
  expect(make({ scheme })).not.toThrow()
  expect(make({ scheme, changes: historyOf([]) })).toThrow(
    new TypeError(
      'HeaderVersioning: this instance already has the versions of another history of changes; give each history its own instance.',
    ),
  )
})

test.each<[title: string, scheme: BaseVersioning, versions: (string | null)[]]>([
  ['of the history', new HeaderVersioning(), ['2024', '2025']],
  ['of the history, in place of an empty list', new HeaderVersioning({ allowedVersions: [] }), ['2024', '2025']],
  ['of the scheme', new HeaderVersioning({ allowedVersions: ['2025'] }), ['2025']],
  ['with null', new HeaderVersioning({ allowedVersions: [null, '2024'] }), [null, '2024']],
  ['beside a default', new HeaderVersioning({ defaultVersion: '2024' }), ['2024', '2025']],
  ['of a combination', new CombinedVersioning({ schemes: [new HeaderVersioning()] }), ['2024', '2025']],
])('the accepted versions are those %s', (_title, scheme, versions) => {
  make({ scheme })()
  expect(scheme.acceptedVersions).toEqual(versions)
})

test('versions of the history leave the other settings of a scheme', async () => {
  const scheme = new QueryParameterVersioning({ versionParam: 'v', defaultVersion: '2024' })
  const fill = (table: ReturnType<typeof tableOf>) => table.route('other').get((req, res) => void res.json(req.version))
  const server = await serveChanges(history, fill, { scheme, defaultVersion: undefined })
  expect((await server.get('/other')).json).toEqual({ value: '2024' })
  expect((await server.get('/other?v=2025')).json).toBe('2025')
  expect((await server.get('/other?v=2026')).status).toBe(404)
})

test.each([
  ['v1', 410, 'ERR_VERSION_GONE', true],
  ['v9', 406, 'ERR_VERSION_NOT_ACCEPTABLE', false],
])('the error of %s, %d %s, has the format of that version: %p', async (version, status, code, isOld) => {
  const format = change('Errors.', { '*': { error: ({ code }: { code: string }) => ({ old: code }) } })
  const lifecycle = { v1: { sunset: '2020-01-01' } }
  const server = await serveChanges(historyOf([format]), () => {}, { lifecycle, afterSunset: 'gone' })
  expect(await ask(server, version, '/other')).toMatchObject({ status, json: { [isOld ? 'old' : 'code']: code } })
})

const later = change('Later.', { 'GET other': { response: (value: unknown) => value } })
const foreign = change('Elsewhere.', { 'GET other': 'added' })
test.each<[title: string, asked: typeof later | typeof foreign, version: string, assigned: string, applies: boolean]>([
  ['an older version', later, 'v1', 'v1', false],
  ['the version before', later, 'v2', 'v2', false],
  ['the version itself', later, 'v3', 'v3', true],
  ['a newer version', later, 'v4', 'v4', true],
  ['a foreign change', foreign, 'v1', 'v1', true],
  ['an assigned version that the history lacks', later, 'v1', 'v9', true],
  ['a refused version, in an error handler', later, 'v9', '', true],
])('appliesTo() in %s', async (_title, asked, version, assigned, applies) => {
  const tell: RequestHandler = (req, res) => void res.json(asked.appliesTo(req))
  const handler: ErrorRequestHandler = (_error, req, res, next) => tell(req, res, next)
  const server = await serveChanges(historyOf([flat], [later], []), (table, app) => {
    table.route('user-list').get((req, _res, next) => next(void Object.assign(req, { version: assigned })), tell)
    app.use(table, handler)
  })
  expect((await ask(server, version, '/users')).json).toBe(applies)
})

test.each([{}, { version: 'v1' }, { version: undefined }])(
  'appliesTo() of a request without versioning(): %j',
  (own) => {
    expect(later.appliesTo(Object.assign(Object.create(express.request), own))).toBe(true)
    expect(later.appliesTo(own as Request)).toBe(true)
  },
)

// A history of which the oldest version was dropped, as docs/changes.md tells it.
const named = (was: string, is: string) => ({
  response: ({ [is]: value, ...rest }: Record<string, unknown>) => ({ ...rest, [was]: value }),
})
const first = change('`b` in place of `a`.', { 'GET user-detail': named('a', 'b') })
const gone = change('The list is gone.', { 'GET user-list': 'removed' })
const second = change('`c` in place of `b`.', { 'GET user-detail': named('b', 'c') })
const third = change('`d` in place of `c`.', { 'GET user-detail': named('c', 'd') })
const whole = versionHistory('v1').version('v2', first, gone).version('v3', second).version('v4', third)
const dropped = versionHistory('v2').version('v3', second).version('v4', third)

test.each([
  ['whole', 'v1', '/users/7', 200, { a: 1, since: false }],
  ['whole', 'v2', '/users/7', 200, { b: 1, since: true }],
  ['dropped', 'v2', '/users/7', 200, { b: 1, since: true }],
  ['whole', 'v4', '/users/7', 200, { d: 1, since: true }],
  ['dropped', 'v4', '/users/7', 200, { d: 1, since: true }],
  ['dropped', 'v1', '/users/7', 406, { code: 'ERR_VERSION_NOT_ACCEPTABLE' }],
  ['whole', 'v4', '/users', 404, { code: 'ERR_VERSION_UNHANDLED' }],
  ['dropped', 'v4', '/users', 200, []],
])('a %s history: %s %s', async (which, version, path, status, json) => {
  const changes: VersionHistory = which === 'whole' ? whole : dropped
  const server = await serveChanges(changes, (table) => {
    table.route('user-detail').get((req, res) => void res.json({ d: 1, since: first.appliesTo(req) }))
    table.route('user-list').get((_req, res) => void res.json([]))
  })
  expect(await ask(server, version, path)).toMatchObject({ status, json })
})

test.each([
  [{ 'X-API-Version': 'v2' }, 200, { b: 1 }],
  [{}, 200, { c: 1 }],
  [{ 'X-API-Version': 'v4' }, 406, { code: 'ERR_VERSION_NOT_ACCEPTABLE' }],
])('handlers may use a last version that clients cannot request: %j', async (headers, status, json) => {
  const options = { allowedVersions: ['v2', 'v3'], defaultVersion: 'v3' }
  const server = await serveChanges(dropped, (table) => table.route('user-detail').get((_, res) => void res.json({ d: 1 })), options) // biome-ignore format: a row
  expect(await server.get('/users/7', headers as Record<string, string>)).toMatchObject({ status, json })
})

// Several `versioning()`, tables and histories.
const say = (text: string) =>
  historyOf([change(text, { 'GET user-list': { response: (path: string[]) => [...path, text] } })])
const newest: RequestHandler = (_req, res) => void res.json(['newest'])
function usersOf() {
  const users = tableOf()
  users.route('user-list').get(newest)
  return users
}
const own = { scheme: QueryParameterVersioning, defaultVersion: 'v1' }

const outer = (table: Table) => versioning({ scheme: HeaderVersioning, changes: say('outer'), routes: table })
const inner = (table: Table, more: object = {}) => versioning({ ...own, changes: say('inner'), routes: table, ...more })
const nested = () => namedRoutes(PATHS).include('/in', usersOf(), { namespace: 'v1' }) as never
const chosen = () => {
  const table = tableOf()
  table.route('user-list').get(byVersion({ v1: newest, v2: (_req, res) => void res.json(['two']) }))
  return table
}

test.each<[title: string, path: string, table: () => Table, use: (table: Table) => RequestHandler[], json: string[]]>([
  ['a table in a table', '/in/users', nested, (table) => [outer(table)], ['outer']],
  ['an inner versioning() without changes', '/users', usersOf, (table) => [outer(table), versioning(own)], []],
  ['an inner versioning() with changes', '/users', usersOf, (table) => [outer(table), inner(table)], ['inner']],
  ['an inner newest version', '/users?version=v2', usersOf, (table) => [outer(table), inner(table)], []],
  ['a neutral inner one', '/users', usersOf, (table) => [outer(table), inner(table, { neutral: ['/users'] })], []],
  ['a table beside the given one', '/users', usersOf, () => [outer(tableOf())], ['outer']],
  ['byVersion(), which answers in the newest shape', '/users', chosen, (table) => [outer(table)], ['outer']],
])('in v1, %s', async (_title, path, make, use, json) => {
  const table = make()
  const server = await serve((app) => app.use(...use(table), table))
  expect((await ask(server, 'v1', path)).json).toEqual(['newest', ...json])
})

test('one history may serve several tables, and one table several histories', async () => {
  const [old, a, b] = [say('old'), usersOf(), usersOf()]
  const server = await serve((app) => {
    for (const [path, changes, table] of [['/a', old, a], ['/b', old, b], ['/c', say('other'), a]] as const) // biome-ignore format: a row
      app.use(path, versioning({ scheme: HeaderVersioning, changes, routes: table }), table)
  })
  const texts = await Promise.all(
    ['/a', '/b', '/c'].map(async (path) => (await ask(server, 'v1', `${path}/users`)).json),
  )
  expect(texts).toEqual([['newest', 'old'], ['newest', 'old'], ['newest', 'other']]) // biome-ignore format: a row
})
