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
  ],
}
