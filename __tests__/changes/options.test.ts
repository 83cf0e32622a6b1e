import express from 'express'
import {
  type BaseVersioning,
  CombinedVersioning,
  HeaderVersioning,
  QueryParameterVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { ask, historyOf, serveChanges, tableOf } from '../support/changes'

const flat = change('Flat.', { 'GET other': { response: (value: unknown) => ({ value }) } })
const history = versionHistory('2024').version('2025', flat)
const routes = tableOf()

const options = (more: Partial<VersioningOptions>): VersioningOptions => ({
  scheme: HeaderVersioning,
  changes: history,
  routes,
  ...more,
})
const make = (more: Partial<VersioningOptions>) => () => versioning(options(more))

describe('versioning() refuses', () => {
  class Listed extends HeaderVersioning {
    override allowedVersions = ['2023', '2024']
  }
  const typo = (operation: `GET ${string}`) =>
    versionHistory('1').version('2', change('Typo.', { [operation]: 'added' }))
  const combined = (more: object) => new CombinedVersioning({ schemes: [new HeaderVersioning()], ...more })

  test.each<[title: string, more: Partial<VersioningOptions>, message: string]>([
    [
      'no history',
      { changes: [] as never },
      'versioning(): option "changes" takes a history made by versionHistory() of express-versioning/changes; got [].',
    ],
    ['nothing', { changes: null as never }, 'express-versioning/changes; got null.'],
    ['a function', { changes: versionHistory as never }, 'express-versioning/changes; got [Function: versionHistory].'],
    [
      'an object like one',
      { changes: { bind: () => {}, versions: 'v1' } as never },
      'option "changes" takes a history',
    ],
    ['an object of versions', { changes: { versions: [] } as never }, 'option "changes" takes a history'],
    [
      'no routes',
      { routes: undefined },
      'versioning(): option "changes" needs "routes", the table that has the names of its operations.',
    ],
    [
      'a name that the table does not have',
      { changes: typo('GET user-lits') },
      'versioning(): the change "Typo." speaks of "GET user-lits", but "routes" has no name "user-lits". Did you mean "user-list"?',
    ],
    ['a namespace that it does not have', { changes: typo('GET v1:other') }, 'has no name "v1:other".'],
    ['the end of a name', { changes: typo('GET list') }, 'has no name "list".'],
    [
      'a listed version that the history does not have',
      { allowedVersions: ['2024', '2026'] },
      'versioning(): option "changes" has no version \'2026\', which the scheme accepts. Did you mean "2024" or "2025"?',
    ],
    ['a default', { defaultVersion: '2023' }, "has no version '2023', which the scheme accepts."],
    ['a default of an instance', { scheme: new HeaderVersioning({ defaultVersion: 'v9' }) }, "has no version 'v9'"],
    ['a class field', { scheme: Listed }, "has no version '2023'"],
    ["a combination's", { scheme: combined({ allowedVersions: ['2027'] }) }, "has no version '2027'"],
  ])('%s', (_title, more, message) => {
    expect(make(more)).toThrow(TypeError)
    expect(make(more)).toThrow(message)
  })

  test('an instance without versions of its own under a second history', () => {
    const scheme = new HeaderVersioning()
    make({ scheme })()
    expect(make({ scheme })).not.toThrow()
    expect(make({ scheme, changes: historyOf([]) })).toThrow(
      'HeaderVersioning: this instance already has the versions of another history of changes; give each history its own instance.',
    )
    expect(make({ scheme, changes: historyOf([]) })).toThrow(TypeError)
  })
})

describe('accepted versions', () => {
  const accepted = (more: Partial<VersioningOptions>, scheme: BaseVersioning) => {
    versioning(options({ ...more, scheme }))
    return scheme.acceptedVersions
  }

  test.each<[title: string, scheme: BaseVersioning, versions: (string | null)[]]>([
    ['of the history', new HeaderVersioning(), ['2024', '2025']],
    ['of the history, where the list is empty', new HeaderVersioning({ allowedVersions: [] }), ['2024', '2025']],
    ['of the scheme', new HeaderVersioning({ allowedVersions: ['2025'] }), ['2025']],
    ['with null', new HeaderVersioning({ allowedVersions: [null, '2024'] }), [null, '2024']],
    ['beside a default', new HeaderVersioning({ defaultVersion: '2024' }), ['2024', '2025']],
    ['of a combination', new CombinedVersioning({ schemes: [new HeaderVersioning()] }), ['2024', '2025']],
  ])('%s', (_title, scheme, versions) => {
    expect(accepted({}, scheme)).toEqual(versions)
  })

  test('keep the other settings of the scheme', async () => {
    const scheme = new QueryParameterVersioning({ versionParam: 'v', defaultVersion: '2024' })
    const server = await serveChanges(
      history,
      (table) => table.route('other').get((req, res) => void res.json(req.version)),
      {
        scheme,
        defaultVersion: undefined,
      },
    )
    expect((await server.get('/other')).json).toEqual({ value: '2024' })
    expect((await server.get('/other?v=2025')).json).toBe('2025')
    expect((await server.get('/other?v=2026')).status).toBe(404)
  })
})

test('one that is gone keeps the error format of its version', async () => {
  const format = change('Errors.', { '*': { error: ({ code }: { code: string }) => ({ old: code }) } })
  const server = await serveChanges(historyOf([format]), () => {}, {
    lifecycle: { v1: { sunset: '2020-01-01' } },
    afterSunset: 'gone',
  })
  expect(await ask(server, 'v1', '/other')).toMatchObject({ status: 410, json: { old: 'ERR_VERSION_GONE' } })
})

test('a refused version has no shape to convert to', async () => {
  const format = change('Errors.', { '*': { error: () => 'converted' } })
  const server = await serveChanges(historyOf([format]), () => {})
  expect(await ask(server, 'v9', '/other')).toMatchObject({ status: 406, json: { code: 'ERR_VERSION_NOT_ACCEPTABLE' } })
})

describe('appliesTo()', () => {
  const later = change('Later.', { 'GET other': { response: (value: unknown) => value } })
  const foreign = change('Elsewhere.', { 'GET other': 'added' })
  const told = async (which: typeof later | typeof foreign, version: string, assigned = version) => {
    const server = await serveChanges(historyOf([flat], [later], []), (table) => {
      table.route('user-list').get((req, res) => {
        req.version = assigned
        res.json(which.appliesTo(req))
      })
    })
    return (await ask(server, version, '/users')).json
  }

  test.each([
    ['v1', false],
    ['v2', false],
    ['v3', true],
    ['v4', true],
  ])('%s: %p', async (version, applies) => {
    expect(await told(later, version)).toBe(applies)
  })

  test.each([
    ['a change that the history does not have', () => told(foreign, 'v1')],
    ['a version that the history does not have', () => told(later, 'v1', 'v9')],
  ])('%s: true', async (_title, asked) => {
    expect(await asked()).toBe(true)
  })

  test.each([{}, { version: 'v1' }, { version: undefined }])(
    'a request without a versioning(): true, %j',
    (request) => {
      expect(later.appliesTo(Object.assign(Object.create(express.request), request))).toBe(true)
      expect(later.appliesTo(request as express.Request)).toBe(true)
    },
  )

  test('after a refusal, in an error handler: true', async () => {
    const server = await serveChanges(historyOf([later]), (routes, app) => {
      app.use(routes, ((_error, req, res, _next) => {
        res.json(later.appliesTo(req))
      }) as express.ErrorRequestHandler)
    })
    expect((await ask(server, 'v9', '/favicon.ico')).json).toBe(true)
  })
})
