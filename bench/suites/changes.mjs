// This suite measures the cost of changes between versions, compared with the same app without them.
import { expressOf, packageWith, responding } from './apps.mjs'

const NEWEST = 'v2'
const OLD = 'v1'

const userOf = (id) => ({
  id,
  given: 'Ada',
  family: 'Lovelace',
  email: 'ada@example.com',
  active: true,
  since: '1843-09-01T00:00:00.000Z',
  roles: ['author', 'reviewer'],
  address: { street: '12 St James Square', city: 'London', country: 'GB' },
})
const toOld = ({ given, family, ...user }) => ({ ...user, name: `${given} ${family}` })

const ONE = userOf(7)
const LIST = Array.from({ length: 100 }, (_, index) => userOf(index))

const ROUTES = { 'user-list': '/users', 'user-detail': '/users/:id', 'order-detail': '/orders/:id' }

/** @typedef {{ url: string, version: string, body: unknown }} Asked */

const asking = ({ url, version, body }) => ({
  url,
  headers: { 'X-API-Version': version },
  body: JSON.stringify(body),
})

/** @param {Asked} asked */
async function appWith(major, asked, { history, allowedVersions, before = [] } = {}) {
  const { HeaderVersioning, namedRoutes, versioning } = await packageWith('namedRoutes', 'HeaderVersioning')
  const express = await expressOf(major)
  const api = namedRoutes(ROUTES)
  for (const name of ['user-detail', 'order-detail']) api.route(name).get((_req, res) => res.json(ONE))
  api.route('user-list').get((_req, res) => res.json(LIST))
  const app = express()
  const given = history === undefined ? { allowedVersions } : { changes: history }
  app.use(versioning({ scheme: HeaderVersioning, routes: api, ...given }), ...before, api)
  return responding(app, asking(asked))
}

/** Without changes: every version is responded to as the newest. */
function without(major, asked) {
  return appWith(major, { ...asked, body: asked.newest ?? asked.body }, { allowedVersions: [OLD, NEWEST] })
}

async function withChanges(major, asked) {
  const { change, versionHistory } = await import('express-versioning/changes')
  const named = change('Users have `given` and `family` instead of `name`.', {
    'GET user-detail': { response: toOld },
    'GET user-list': { response: (users) => users.map(toOld) },
  })
  return appWith(major, asked, { history: versionHistory(OLD).version(NEWEST, named) })
}

/** As tsadwyn has it: every response is cloned whole, through JSON, and goes through the steps of its version. */
async function cloning(major, asked) {
  const steps = { [OLD]: { '/users/:id': [toOld], '/users': [(users) => users.map(toOld)] } }
  const migrating = (req, res, next) => {
    const { json } = res
    res.json = (body) => {
      let migrated = JSON.parse(JSON.stringify(body))
      for (const step of steps[req.version]?.[req.route.path] ?? []) migrated = step(migrated)
      return json.call(res, migrated)
    }
    next()
  }
  return appWith(major, asked, { allowedVersions: [OLD, NEWEST], before: [migrating] })
}

/** @returns the names of `count` versions, oldest first */
function namesOf(count) {
  return Array.from({ length: count }, (_, index) => `v${index + 1}`)
}

/** An operation that changed twice, at the first version after the oldest and at the newest, or nearly. */
async function amongVersions(major, count) {
  const { change, versionHistory } = await import('express-versioning/changes')
  const [oldest, ...newer] = namesOf(count)
  const toName = change('Users have `given` and `family` instead of `name`.', {
    'GET user-detail': { response: toOld },
  })
  const toMail = change('Users have `email` instead of `mail`.', {
    'GET user-detail': { response: ({ email, ...user }) => ({ ...user, mail: email }) },
  })
  let history = versionHistory(oldest)
  for (const [index, version] of newer.entries()) {
    // Every version changes something; the measured operation only in two of them, or both in the only one.
    const changes = [
      ...(index === 0 ? [toMail] : []),
      ...(index === newer.length - 1 ? [toName] : []),
      ...(index === 0 || index === newer.length - 1
        ? []
        : [change('An order says more.', { 'GET order-detail': { response: (order) => order } })]),
    ]
    history = history.version(version, ...changes)
  }
  const { email, ...rest } = toOld(ONE)
  const { name, ...others } = rest
  return appWith(major, { url: '/users/7', version: oldest, body: { ...others, name, mail: email } }, { history })
}

const ASKED = {
  newest: { url: '/users/7', version: NEWEST, body: ONE },
  untouched: { url: '/orders/7', version: OLD, body: ONE },
  one: { url: '/users/7', version: OLD, body: toOld(ONE), newest: ONE },
  list: { url: '/users', version: OLD, body: LIST.map(toOld), newest: LIST },
}

const ROWS = [
  ['newest', 'the newest version', 1.02],
  ['untouched', 'an old version, a route without changes', 1.05],
  ['one', 'an old version, one object and one step', 1.35],
  ['list', 'an old version, a list of 100 objects and one step', 2.5],
]

/** @param {4 | 5} major of Express */
export function changes(major) {
  return {
    id: `changes-${major}`,
    batchMs: 60,
    generations: 3,
    rounds: 6,
    title: `Changes between versions, over the same app without them, Express ${major}`,
    about:
      'A table of three routes behind `HeaderVersioning`, responses with `ETag`. tsadwyn by hand: `res.json` of every response clones it (through JSON, as it does) before its steps.',
    cases: [
      ...ROWS.flatMap(([id, label, ratio]) => [
        { id: `without-${id}`, label: `without \`changes\`: ${label}`, prepare: () => without(major, ASKED[id]) },
        {
          id,
          label: `**changes**: ${label}`,
          floor: `without-${id}`,
          limits: { ratio },
          prepare: () => withChanges(major, ASKED[id]),
        },
        {
          id: `cloning-${id}`,
          label: `as tsadwyn, by hand: ${label}`,
          floor: `without-${id}`,
          reference: true,
          prepare: () => cloning(major, ASKED[id]),
        },
      ]),
      {
        id: 'versions-2',
        label: '**changes**: two for one operation, 2 versions',
        prepare: () => amongVersions(major, 2),
      },
      {
        id: 'versions-1000',
        label: '**changes**: two for one operation, 1,000 versions',
        floor: 'versions-2',
        limits: { ratio: 1.05 },
        prepare: () => amongVersions(major, 1000),
      },
    ],
  }
}
