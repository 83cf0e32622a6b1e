import express from 'express'
import { NamespaceVersioning, namedRoutes, type VersioningError, versioning } from 'express-versioning'
import { change } from 'express-versioning/changes'
import { ask, historyOf, serveChanges, type tableOf } from '../support/changes'
import { serve } from '../support/serve'

const added = (operation: `GET ${string}`) => change(`${operation} is new.`, { [operation]: 'added' })
const removed = (operation: `GET ${string}`) => change(`${operation} is gone.`, { [operation]: 'removed' })
const [ADDED, REMOVED] = [added('GET other'), removed('GET other')]

const UNHANDLED = { error: 'No handler for this version.', code: 'ERR_VERSION_UNHANDLED', name: 'NotFound' }

describe('an operation is there', () => {
  const again = added('GET other')

  test.each<[title: string, releases: Parameters<typeof historyOf>, present: string[]]>([
    ['from the version on that adds it', [[], [ADDED], []], ['v3', 'v4']],
    ['until the version that removes it', [[], [REMOVED], []], ['v1', 'v2']],
    ['between the two', [[ADDED], [], [REMOVED]], ['v2', 'v3']],
    ['but between removal and return', [[REMOVED], [], [ADDED]], ['v1', 'v4']],
    ['as the last of one version says', [[ADDED, REMOVED], []], []],
    ['as the last of one version says, the other way round', [[REMOVED, ADDED], []], ['v1', 'v2', 'v3']],
    ['as the last before a version says', [[ADDED], [REMOVED], [again]], ['v2', 'v4']],
  ])('%s', async (_title, releases, present) => {
    const history = historyOf(...releases)
    const server = await serveChanges(history, (routes) => {
      routes.route('other').get((req, res) => void res.json(req.version))
    })
    const found = []
    for (const version of history.versions) {
      const answer = await ask(server, version, '/other')
      if (answer.status === 200) found.push(answer.json)
      else expect(answer).toMatchObject({ status: 404, json: UNHANDLED })
    }
    expect(found).toEqual(present)
  })
})

test('the refusal is as that of byVersion(): it names the versions that have the operation', async () => {
  const errors: VersioningError[] = []
  const server = await serveChanges(
    historyOf([], [ADDED], [], [REMOVED]),
    (routes, app) => {
      routes.route('other').get((_req, res) => void res.json(1))
      app.use(routes, ((error, _req, _res, next) => {
        errors.push(error)
        next(error)
      }) as express.ErrorRequestHandler)
    },
    { allowedVersions: ['v1', 'v3', 'v5'], defaultVersion: 'v1' },
  )
  for (const version of ['v1', 'v5']) await ask(server, version, '/other')
  expect(errors.map((error) => [error.name, error.status, error.version, error.allowedVersions])).toEqual([
    ['NotFound', 404, 'v1', ['v3']],
    ['NotFound', 404, 'v5', ['v3']],
  ])
})

test.each([
  ['HEAD', 404],
  ['GET', 404],
  ['POST', 200],
  ['OPTIONS', 200],
])('%s: %d, where GET is absent', async (method, status) => {
  const server = await serveChanges(historyOf([ADDED]), (routes) => {
    routes.route('other').all((_req, res) => void res.json(1))
  })
  expect((await ask(server, 'v1', '/other', { method })).status).toBe(status)
})

test('a preflight is asked without the version of the request that follows', async () => {
  const gone = change('No options.', { 'OPTIONS other': 'removed' })
  const server = await serveChanges(
    historyOf([gone]),
    (routes) => {
      routes.route('other').options((_req, res) => void res.json('asked'))
    },
    { defaultVersion: 'v2' },
  )
  const options = (headers: Record<string, string>) => server.send('OPTIONS', '/other', headers)
  expect((await options({})).status).toBe(404)
  const preflight = { Origin: 'http://a', 'Access-Control-Request-Method': 'GET' }
  expect((await options(preflight)).json).toBe('asked')
})

test('neutral routes, and requests without a version, have every operation', async () => {
  const history = historyOf([ADDED], [REMOVED])
  const options = { allowedVersions: ['v1', null], defaultVersion: null }
  const fill = (routes: ReturnType<typeof tableOf>) => {
    routes.route('other').get((req, res) => void res.json([req.version, REMOVED.appliesTo(req)]))
  }
  const server = await serveChanges(history, fill, options)
  expect((await server.get('/other')).json).toEqual([null, true])
  expect((await ask(server, 'v1', '/other')).status).toBe(404)
  const neutral = await serveChanges(history, fill, { ...options, neutral: ['/other'] })
  expect((await ask(neutral, 'v1', '/other')).json).toEqual([null, true])
})

describe('the longest name that fits wins, within a change', () => {
  const table = () => {
    const users = namedRoutes({ list: '/users' })
    users.route('list').get((_req, res) => void res.json(['newest']))
    return namedRoutes({}).include('/v1', users, { namespace: 'v1' }).include('/v2', users, { namespace: 'v2' })
  }
  const say = (text: string) => ({ response: (path: string[]) => [...path, text] })

  test.each<[title: string, operations: Parameters<typeof change>[1], json: unknown]>([
    ['the bare name', { 'GET list': say('bare') }, ['newest', 'bare']],
    ['the full name', { 'GET v1:list': say('full') }, ['newest', 'full']],
    ['both', { 'GET list': say('bare'), 'GET v1:list': say('full') }, ['newest', 'full']],
    ['the full name, declared first', { 'GET v1:list': say('full'), 'GET list': say('bare') }, ['newest', 'full']],
    ["another's full name", { 'GET v2:list': say('other') }, ['newest']],
  ])('%s', async (_title, operations, json) => {
    const routes = table()
    const server = await serve((app) => {
      const changes = historyOf([change('Said.', operations)])
      app.use(versioning({ scheme: NamespaceVersioning, changes, routes }), express.json(), routes)
    })
    expect((await server.get('/v1/users')).json).toEqual(json)
    expect((await server.get('/v2/users')).json).toEqual(['newest'])
  })
})
