// This suite compares the cost of counting requests with an empty listener of the same app.
import { createRequire } from 'node:module'
import { expressOf, packageWith, responding } from './apps.mjs'

const ACCOUNTS = Array.from({ length: 100 }, (_, index) => `account-${index}`)

/** Node's server emits this after the response, and here is none. */
const closing = (_req, res, next) => {
  res.on('finish', () => res.emit('close'))
  next()
}

/** @param {object | undefined} own the settings of the metrics; undefined for an empty listener */
async function appWith(own) {
  const { HeaderVersioning, namedRoutes, versioning } = await packageWith('namedRoutes', 'HeaderVersioning')
  const { versionMetrics } = await import('express-versioning/metrics')
  const client = createRequire(new URL('../../package.json', import.meta.url))('prom-client')
  const express = await expressOf(5)
  const routes = namedRoutes({ user: '/users/:id' })
  routes.route('user').get((_req, res) => res.end('1'))
  const options = { scheme: HeaderVersioning, defaultVersion: 'v1', allowedVersions: ['v1', 'v2'], routes }
  const settings = { prometheus: client, register: new client.Registry(), ...own }
  const onVersion = own === undefined ? () => {} : versionMetrics(options, settings).onVersion
  const app = express()
  app.use(closing, versioning({ ...options, onVersion }), routes)
  const headers = { 'X-API-Version': 'v2', 'X-Account': 'account-7' }
  return responding(app, { url: '/users/7', headers, body: '1' })
}

const toOld = ({ given, family, ...user }) => ({ ...user, name: `${given} ${family}` })
const USER = { id: 7, given: 'Ada', family: 'Lovelace', email: 'ada@example.com', roles: ['author', 'reviewer'] }
const LIST = Array.from({ length: 100 }, (_, id) => ({ ...USER, id }))
const text = { type: 'string' }
const schemaOf = (...names) => ({
  type: 'object',
  $id: 'User',
  properties: Object.fromEntries([...names, 'email'].map((name) => [name, text])),
})

/**
 * An app whose response is converted.
 *
 * @param {'one' | 'list'} kind one object by two steps, or a list of 100 shapes
 * @param {boolean} counted whether the metrics know the history
 */
async function converting(kind, counted) {
  const { HeaderVersioning, namedRoutes, versioning } = await packageWith('namedRoutes', 'HeaderVersioning')
  const { versionMetrics } = await import('express-versioning/metrics')
  const { change, shape, versionHistory } = await import('express-versioning/changes')
  const client = createRequire(new URL('../../package.json', import.meta.url))('prom-client')
  const express = await expressOf(5)
  const routes = namedRoutes({ user: '/users/:id' })
  const body = kind === 'one' ? USER : LIST
  routes.route('user').get((_req, res) => res.json(body))
  if (kind === 'list') routes.describe('GET user', { response: { type: 'array', items: schemaOf('given', 'family') } })
  const same = { 'GET user': { response: (user) => user } }
  const said =
    kind === 'one' ? { 'GET user': { response: toOld } } : { User: shape(schemaOf('name'), { response: toOld }) }
  const history = versionHistory('v1')
  const changes = history.version(
    'v2',
    change('Users have two names.', said),
    ...(kind === 'one' ? [change('Users are others.', same)] : []),
  )
  const options = { scheme: HeaderVersioning, defaultVersion: 'v1', allowedVersions: ['v1', 'v2'], routes }
  const known = counted ? { ...options, changes } : options
  const settings = { prometheus: client, register: new client.Registry(), consumer, consumers: ACCOUNTS }
  const { onVersion } = versionMetrics(known, settings)
  const app = express()
  app.use(closing, versioning({ ...options, changes, onVersion }), routes)
  const headers = { 'X-API-Version': 'v1', 'X-Account': 'account-7' }
  const older = kind === 'one' ? toOld(USER) : LIST.map(toOld)
  return responding(app, { url: '/users/7', headers, body: JSON.stringify(older) })
}

const consumer = (req) => req.headers['x-account']

export const metrics = {
  id: 'metrics',
  title: 'Metrics, over an empty listener, Express 5',
  about: 'One request through Express, `versioning()` and a table, without a socket.',
  cases: [
    { id: 'listener', label: 'an empty `onVersion`', prepare: () => appWith(undefined) },
    {
      id: 'counted',
      label: '**metrics** by version and route',
      floor: 'listener',
      limits: { ratio: 1.2 },
      prepare: () => appWith({}),
    },
    {
      id: 'consumers',
      label: '**metrics** by version, route and consumer',
      floor: 'listener',
      limits: { ratio: 1.2 },
      prepare: () => appWith({ consumer, consumers: ACCOUNTS }),
    },
    ...[
      ['one', 'one object and two changes'],
      ['list', 'a list of 100 shapes'],
    ].flatMap(([kind, label]) => [
      {
        id: `plain-${kind}`,
        label: `metrics by consumer, converted: ${label}`,
        prepare: () => converting(kind, false),
      },
      {
        id: `changes-${kind}`,
        label: `**metrics** by consumer and change, converted: ${label}`,
        floor: `plain-${kind}`,
        limits: { ratio: 1.1 },
        prepare: () => converting(kind, true),
      },
    ]),
  ],
}
