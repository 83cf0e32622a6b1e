import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import express, { type Application } from 'express'
import { ModuleKind, transpile } from 'typescript'
import { serve } from '../support/serve'

// A process may load the package several times: jest.resetModules(), an emptied `require.cache`, two paths of one folder. Loads of one
// version work together; what another version made is a TypeError.

const BRAND = join(__dirname, '../../src/util/brand')

/** Returns the module of brands as another version has it. */
function brandOf(version: string): object {
  const text = readFileSync(`${BRAND}.ts`, 'utf8').replace(/(?<=VERSION = ')[^']+/, version)
  const exports = {}
  new Function('exports', transpile(text, { module: ModuleKind.CommonJS }))(exports)
  return exports
}

/** Loads the package once more. */
function load(version?: string) {
  let loaded: ReturnType<typeof entries> | undefined
  jest.isolateModules(() => {
    if (version !== undefined) jest.doMock(BRAND, () => brandOf(version))
    loaded = entries()
    jest.dontMock(BRAND)
  })
  return loaded as ReturnType<typeof entries>
}
const entries = () => ({
  ...(require('express-versioning') as typeof import('express-versioning')),
  ...(require('express-versioning/changes') as typeof import('express-versioning/changes')),
  ...(require('express-versioning/client') as typeof import('express-versioning/client')),
  ...(require('express-versioning/contract') as typeof import('express-versioning/contract')),
  ...(require('express-versioning/explorer') as typeof import('express-versioning/explorer')),
  ...(require('express-versioning/openapi') as typeof import('express-versioning/openapi')),
})
type Load = ReturnType<typeof load>

const [one, two, three] = [load(), load(), load()]
const versions = ['v1', 'v2']
const song = {
  $id: 'Song',
  type: 'object',
  properties: { title: { type: 'string' }, writer: { type: 'object', properties: { name: { type: 'string' } } } },
}
const older = { ...song, properties: { name: { type: 'string' } } }

/** Makes a history whose parts are of the loads in turn. */
function historyOf(loads: readonly [Load, Load, Load]) {
  const [a, b, c] = loads
  const renamed = b.change('Songs have a title.', {
    Song: a.fields({ renamed: { name: 'title' } }),
    Writer: c.shape({ type: 'object' }, { response: (writer) => writer }),
  })
  return c.versionHistory('v1').version('v2', renamed as never)
}

function tableOf(a: Load, b: Load) {
  const songs = a.namedRoutes({ song: '/songs/:id', 'song-list': '/songs', feed: '/feed' })
  songs.route('song').get(a.deprecated({ since: '2020-01-01' }), (req, res) => {
    res.json({ title: 'Yesterday', link: req.reverse('song', { kwargs: { id: 2 } }) })
  })
  songs.route('song-list').post((req, res) => void res.json(req.body))
  songs.route('feed').get((_req, res) => void res.type('application/x-ndjson').send('{"title":"Help!"}\n'))
  songs.describe('GET song', { response: song }).describe('POST song-list', { body: song, response: song })
  songs.describe('GET feed', {
    response: { 200: { content: { 'application/x-ndjson': { itemSchema: song } } } },
  })
  return b.namedRoutes({ writer: '/writer' }).include('/plain', songs).include('/:version', songs, { namespace: 'v' })
}

const LOADS: [string, [Load, Load, Load]][] = [
  ['one load', [one, one, one]],
  ['three loads', [one, two, three]],
  ['three loads, in another order', [three, one, two]],
]
test.each(LOADS)('%s: schemes, tables, histories and contracts work together', async (_, loads) => {
  const [a, b, c] = loads
  class Own extends a.URLPathVersioning {}
  const schemes = [new Own(), new b.HeaderVersioning()]
  const scheme = new c.CombinedVersioning({ schemes, defaultVersion: 'v1', allowedVersions: versions })
  const routes = tableOf(b, c)
  routes.describe('GET writer', { response: { $id: 'Writer', type: 'object' } })
  routes.route('writer').get(
    b.byVersion({
      v1: (_req, res) => void res.json({ version: 1 }),
      v2: (_req, res) => void res.json({ version: 2 }),
    }),
  )
  const contract = a.contract({ compile: () => Object.assign(() => true, { errors: null }) })
  const options = { scheme, routes, changes: historyOf(loads), contract }
  const build = (app: Application) => {
    app.use('/docs', a.explorer(options), b.openapi(options))
    app.use(b.versioning(options), express.json(), routes, c.problemDetails())
  }
  const { get, send } = await serve(build)
  const found = [
    await get('/v1/songs/1'),
    await get('/v2/songs/1'),
    await get('/plain/songs/1', { 'X-API-Version': 'v2' }),
    await get('/plain/songs/1'),
    await get('/v1/feed'),
    await get('/writer', { 'X-API-Version': 'v2' }),
    await send('POST', '/v1/songs', { 'Content-Type': 'application/json' }, '{"name":"Help!"}'),
    await get('/v9/songs/1'),
  ]
  expect(found.map(({ status, text, headers }) => [status, text, headers.deprecation])).toEqual([
    [200, '{"name":"Yesterday","link":"/plain/songs/2"}', '@1577836800'],
    [200, '{"title":"Yesterday","link":"/plain/songs/2"}', '@1577836800'],
    [200, '{"title":"Yesterday","link":"/plain/songs/2"}', '@1577836800'],
    [200, '{"name":"Yesterday","link":"/plain/songs/2"}', '@1577836800'],
    [200, '{"name":"Help!"}\n', undefined],
    [200, '{"version":2}', undefined],
    [200, '{"name":"Help!"}', undefined],
    [404, expect.stringContaining('"code":"ERR_VERSION_NOT_FOUND"'), undefined],
  ])
  const document = JSON.stringify(c.openapi(options).document('v1'))
  expect(document).toBe(JSON.stringify(a.openapi(options).document('v1')))
  expect(document).toContain('"name":{"type":"string"}')
  expect(a.inVersion('v2', options).headers).toEqual({})
  expect((await get('/docs/v2.json')).status).toBe(200)
})

test('errors are those of each load, under names that no bundler changes', () => {
  for (const name of ['VersioningError', 'NotFound', 'NotAcceptable', 'NoReverseMatch'] as const) {
    class Own extends (two[name] as typeof two.NotFound) {}
    const [error, own] = [new (one[name] as typeof one.NotFound)('No.', { code: 'C' }), new Own('No.', { code: 'C' })]
    expect([name, error.name, own.name]).toEqual([name, name, 'Own'])
    expect([error instanceof two[name], own instanceof one[name], own instanceof Own]).toEqual([true, true, true])
    expect([error instanceof Own, (null as unknown) instanceof two[name], {} instanceof two[name]]).toEqual([
      false,
      false,
      false,
    ])
  }
  expect(new one.NotFound() instanceof two.VersioningError).toBe(true)
  expect(new one.NotFound() instanceof two.NotAcceptable).toBe(false)
  expect(() => new one.HeaderVersioning({ allowedVersions: 'v1' as never })).toThrow('HeaderVersioning: option')
})

test('one-shot lists of options are read once, whatever load reads them', () => {
  const options = { scheme: one.HeaderVersioning, allowedVersions: versions.values(), routes: tableOf(one, one) }
  for (const { openapi } of [one, two]) expect(openapi(options).versions).toEqual(versions)
})

const old = load('0.9.0')
const ours = { scheme: one.HeaderVersioning, routes: tableOf(one, one), changes: one.versionHistory('v1') }
const compile = () => Object.assign(() => true, { errors: null })
test.each<[kind: string, use: () => unknown]>([
  ['scheme', () => one.versioning({ ...ours, scheme: old.HeaderVersioning })],
  ['scheme', () => one.versioning({ ...ours, scheme: new old.HeaderVersioning() })],
  ['scheme', () => one.versioning(new old.HeaderVersioning() as never)],
  ['scheme', () => one.openapi({ ...ours, scheme: class extends old.BaseVersioning {} })],
  ['scheme', () => new one.CombinedVersioning({ schemes: [new old.HeaderVersioning()] })],
  ['table', () => one.versioning({ ...ours, routes: old.namedRoutes({ a: '/a' }) })],
  ['table', () => one.namedRoutes({}).include('/a', old.namedRoutes({ a: '/a' }))],
  ['history', () => one.versioning({ ...ours, changes: old.versionHistory('v1') })],
  ['contract', () => one.versioning({ ...ours, contract: old.contract({ compile }) })],
  ['contract', () => one.versionHistory('v1').for({ ...ours, contract: old.contract({ compile }) })],
  ['change', () => one.versionHistory('v1').version('v2', old.change('C.', { 'GET song': 'added' }))],
  ['change', () => one.versionHistory('v1').has(old.change('C.', { 'GET song': 'added' }), 'v1')],
  ['shape', () => one.change('C.', { Song: old.shape(older, song, {}) })],
  ['shape', () => one.change('C.', { Song: old.fields({ added: ['title'] }) })],
])('a %s of another version is a TypeError', (kind, use) => {
  const told = `This ${kind} was made by version 0.9.0 of express-versioning, and this is version 1.0.0. \`npm ls express-versioning\` shows where the copies are, and \`npm dedupe\` may join them.`
  expect(use).toThrow(new TypeError(told))
})
