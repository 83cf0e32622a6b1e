// This suite measures requests to handlers elsewhere, in plain routers, over the same app with its handlers in a table.
import { expressOf, packageWith, responding } from './apps.mjs'

const NEWEST = 'v2'
const OLD = 'v1'
const USER = { id: '7', given: 'Ada', family: 'Lovelace', email: 'ada@example.com', active: true, roles: ['author'] }
const OLDER = { ...USER, given: undefined, family: undefined, name: 'Ada Lovelace' }
const toOld = ({ given, family, ...user }) => ({ ...user, name: `${given} ${family}` })

const responses = { 200: { description: 'A user', content: { 'application/json': { schema: { type: 'object' } } } } }
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Users', version: NEWEST },
  paths: {
    '/users': { get: { responses } },
    '/users/{id}': { get: { parameters: [id], responses } },
    '/orders/{id}': { get: { parameters: [id], responses } },
  },
}

const one = (_req, res) => void res.json(USER)

/** @param {'table' | 'elsewhere'} where the handlers are */
async function app(major, where, asked) {
  const { HeaderVersioning, namedRoutes, versioning } = await packageWith('namedRoutes', 'HeaderVersioning')
  const { change, convertRequest, versionHistory } = await import('express-versioning/changes')
  const { routesOf } = await import('express-versioning/openapi')
  const express = await expressOf(major)
  const isTable = where === 'table'
  const names = { '/users': '/users', '/users/{id}': '/users/:id', '/orders/{id}': '/orders/:id' }
  const routes = isTable ? namedRoutes(names) : routesOf(DOCUMENT)
  const handlers = isTable ? routes : express.Router()
  for (const [name, path] of Object.entries(names)) {
    if (isTable) routes.route(name).get(one)
    else handlers.get(path, one)
  }
  const split = change('Users have `given` and `family` instead of `name`.', { 'GET /users/{id}': { response: toOld } })
  const changes = versionHistory(OLD).version(NEWEST, split)
  const before = isTable ? [] : [convertRequest]
  const server = express()
  server.use(versioning({ scheme: HeaderVersioning, changes, routes }), ...before, handlers)
  const { url, version, body } = asked
  return responding(server, { url, headers: { 'X-API-Version': version }, body: JSON.stringify(body) })
}

const ROWS = [
  ['newest', 'the newest version', 1.1, { url: '/users/7', version: NEWEST, body: USER }],
  ['untouched', 'an old version, a route without changes', undefined, { url: '/orders/7', version: OLD, body: USER }],
  ['one', 'an old version, one object and one step', 1.1, { url: '/users/7', version: OLD, body: { ...OLDER } }],
]

/** @param {4 | 5} major of Express */
export function elsewhere(major) {
  return {
    id: `elsewhere-${major}`,
    batchMs: 60,
    generations: 3,
    rounds: 6,
    title: `Handlers in plain routers, over the same app with a table, Express ${major}`,
    about:
      'Three routes behind `HeaderVersioning`, one change, responses with `ETag`. The plain router has a table of `routesOf()` beside it, which compares each older response with the path.',
    cases: ROWS.flatMap(([id, label, ratio, asked]) => [
      { id: `table-${id}`, label: `a table: ${label}`, prepare: () => app(major, 'table', asked) },
      {
        id,
        label: `**handlers elsewhere**: ${label}`,
        floor: `table-${id}`,
        ...(ratio === undefined ? { reference: true } : { limits: { ratio } }),
        prepare: () => app(major, 'elsewhere', asked),
      },
    ]),
  }
}
