import type { RequestHandler } from 'express'
import { byVersion, HeaderVersioning, namedRoutes, QueryParameterVersioning, versioning } from 'express-versioning'
import { change, type VersionHistory } from 'express-versioning/changes'
import { ask, historyOf, PATHS, serveChanges, tableOf } from '../support/changes'
import { serve } from '../support/serve'

const say = (text: string) => ({ response: (path: string[]) => [...path, text] })
const newest: RequestHandler = (_req, res) => void res.json(['newest'])
const list = (text: string) => historyOf([change(text, { 'GET user-list': say(text) })])
const history = list('old')

/** Users whose list answers in the newest shape. */
function usersOf() {
  const users = tableOf()
  users.route('user-list').get(newest)
  return users
}

describe('an inner versioning()', () => {
  const mounted = (outer: VersionHistory, inner: VersionHistory | undefined) =>
    serve((app) => {
      const users = usersOf()
      const routes = namedRoutes(PATHS).include('/in', users, { namespace: 'v1' })
      routes.route('user-list').get(newest)
      const own =
        inner === undefined
          ? versioning({ scheme: QueryParameterVersioning, defaultVersion: 'v1' })
          : versioning({ scheme: QueryParameterVersioning, defaultVersion: 'v1', changes: inner, routes })
      const table = namedRoutes({}).include('/', routes)
      app.use('/plain', versioning({ scheme: HeaderVersioning, changes: outer, routes: table }), table)
      const twice = namedRoutes({}).include('/', usersOf())
      app.use('/twice', versioning({ scheme: HeaderVersioning, changes: outer, routes: twice }), own, twice)
    })

  test('decides with its own history, or with none', async () => {
    const server = await mounted(list('outer'), undefined)
    expect((await ask(server, 'v1', '/plain/users')).json).toEqual(['newest', 'outer'])
    expect((await ask(server, 'v1', '/plain/in/users')).json).toEqual(['newest', 'outer'])
    // The last that ran has no changes.
    expect((await ask(server, 'v1', '/twice/users')).json).toEqual(['newest'])
  })

  test('of the same table converts once', async () => {
    const routes = usersOf()
    const server = await serve((app) => {
      app.use(versioning({ scheme: HeaderVersioning, changes: list('outer'), routes }))
      app.use(
        versioning({ scheme: QueryParameterVersioning, defaultVersion: 'v2', changes: list('inner'), routes }),
        routes,
      )
    })
    expect((await ask(server, 'v1', '/users?version=v1')).json).toEqual(['newest', 'inner'])
    expect((await ask(server, 'v1', '/users')).json).toEqual(['newest'])
    expect((await ask(server, 'v2', '/users?version=v1')).json).toEqual(['newest', 'inner'])
  })

  test('that is neutral converts nothing', async () => {
    const routes = usersOf()
    const server = await serve((app) => {
      app.use(versioning({ scheme: HeaderVersioning, changes: list('outer'), routes }))
      app.use(versioning({ scheme: HeaderVersioning, changes: list('inner'), routes, neutral: ['/users'] }), routes)
    })
    expect((await ask(server, 'v1', '/users')).json).toEqual(['newest'])
  })
})

test('what byVersion() answers counts as the newest shape', async () => {
  const routes = tableOf()
  routes
    .route('user-list')
    .get(byVersion({ v1: newest, v2: (_req, res) => void res.json(['two']) }, { fallback: 'lower' }))
  const server = await serve((app) => {
    app.use(versioning({ scheme: HeaderVersioning, changes: history, routes }), routes)
  })
  expect((await ask(server, 'v1', '/users')).json).toEqual(['newest', 'old'])
  expect((await ask(server, 'v2', '/users')).json).toEqual(['two'])
})

test('a table that the root does not contain is judged by its own names', async () => {
  const server = await serveChanges(history, (_routes, app) => {
    app.use('/apart', usersOf())
  })
  expect((await ask(server, 'v1', '/apart/users')).json).toEqual(['newest', 'old'])
})

test('one history may serve several tables, and one table several histories', async () => {
  const [first, second] = [usersOf(), usersOf()]
  const server = await serve((app) => {
    for (const [path, changes, routes] of [
      ['/a', history, first],
      ['/b', history, second],
      ['/c', list('other'), first],
    ] as const) {
      app.use(path, versioning({ scheme: HeaderVersioning, changes, routes }), routes)
    }
  })
  const texts = []
  for (const path of ['/a', '/b', '/c']) texts.push((await ask(server, 'v1', `${path}/users`)).json)
  expect(texts).toEqual([
    ['newest', 'old'],
    ['newest', 'old'],
    ['newest', 'other'],
  ])
})

test('200 mixed requests at once are never mixed up', async () => {
  const versions = ['v1', 'v2', 'v3', 'v4']
  const one = (text: string) => change(text, { 'GET user-detail': say(text) })
  const server = await serveChanges(historyOf([one('2')], [one('3')], [one('4')]), (users) => {
    users
      .route('user-detail')
      .get((req, res) => void setTimeout(() => res.json([req.params.id]), Number(req.params.id) % 7))
  })
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, id) => ask(server, versions[id % 4] as string, `/users/${id}`)),
  )
  const passed = [['4', '3', '2'], ['4', '3'], ['4'], []]
  expect(answers.map(({ json }) => json)).toEqual(answers.map((_, id) => [String(id), ...(passed[id % 4] as string[])]))
})
