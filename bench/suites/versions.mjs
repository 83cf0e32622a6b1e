import { expressOf, packageWith, responding, responseOne } from './apps.mjs'

const SIZES = [1, 100]

/** The version that is asked for is the last one of those there are. */
function numbered(count) {
  return Array.from({ length: count }, (_, index) => String(index + 1))
}

const last = (count) => ({
  url: '/users',
  headers: { 'Accept-Version': `${count}.0.0`, 'X-API-Version': String(count) },
})

async function ours(count, serve) {
  const exported = await packageWith('byVersion', 'HeaderVersioning')
  const express = await expressOf(5)
  const app = express()
  const versions = numbered(count)
  app.use(exported.versioning({ scheme: exported.HeaderVersioning, allowedVersions: versions }))
  serve(app, versions, exported)
  return responding(app, last(count))
}

function byVersion(app, versions, exported) {
  app.get('/users', exported.byVersion(Object.fromEntries(versions.map((version) => [version, responseOne]))))
}

/** Decides the version in every hand-written case. */
function fromHeader(req, _res, next) {
  req.version = req.headers['x-api-version']
  next()
}

async function chain(count) {
  const express = await expressOf(5)
  const app = express()
  app.use(fromHeader)
  for (const version of numbered(count)) {
    app.get('/users', (req, res, next) => (req.version === version ? responseOne(req, res) : next()))
  }
  return responding(app, last(count))
}

async function mounts(count) {
  const express = await expressOf(5)
  const app = express()
  for (const version of numbered(count)) {
    const router = express.Router()
    router.get('/users', responseOne)
    app.use(`/v${version}`, router)
  }
  return responding(app, { url: `/v${count}/users` })
}

async function versionRoute(count) {
  const express = await expressOf(5)
  const request = (await import('express-version-request')).default
  const route = (await import('express-version-route')).default
  const app = express()
  app.use(request.setVersionByHeader())
  app.get('/users', route.route(new Map(numbered(count).map((version) => [`${version}.0.0`, responseOne]))))
  return responding(app, last(count))
}

async function routesVersioning(count) {
  const express = await expressOf(5)
  const routes = (await import('express-routes-versioning')).default
  const app = express()
  app.get('/users', routes()(Object.fromEntries(numbered(count).map((version) => [`${version}.0.0`, responseOne]))))
  return responding(app, last(count))
}

async function restify(count) {
  const { createServer, plugins } = (await import('restify')).default
  const app = createServer()
  const handler = (_req, res, next) => {
    res.end('1')
    next()
  }
  const handlers = numbered(count).map((version) => ({ version: `${version}.0.0`, handler }))
  app.get('/users', plugins.conditionalHandler(handlers))
  return responding((req, res) => app._onRequest(req, res), last(count))
}

async function fastify(count) {
  const app = (await import('fastify')).default()
  for (const version of numbered(count)) {
    app.get('/users', { constraints: { version: `${version}.0.0` } }, (_request, reply) => reply.send('1'))
  }
  await app.ready()
  return responding(app.routing, last(count))
}

async function nest(count) {
  await import('reflect-metadata')
  const { Controller, Get, Module, Version, VersioningType } = await import('@nestjs/common')
  const { NestFactory } = await import('@nestjs/core')
  class Users {}
  for (const version of numbered(count)) {
    const name = `list${version}`
    Object.defineProperty(Users.prototype, name, { value: () => '1', writable: true, configurable: true })
    const descriptor = Object.getOwnPropertyDescriptor(Users.prototype, name)
    Get()(Users.prototype, name, descriptor)
    Version(version)(Users.prototype, name, descriptor)
  }
  Controller('users')(Users)
  class App {}
  Module({ controllers: [Users] })(App)
  const app = await NestFactory.create(App, { logger: false })
  app.enableVersioning({ type: VersioningType.HEADER, header: 'X-API-Version' })
  await app.init()
  return responding(app.getHttpAdapter().getInstance(), last(count))
}

function pair(id, label, prepare, more = {}) {
  const [few, many] = SIZES
  return [
    { id: `${id}-${few}`, label: `${label}: ${few}`, prepare: () => prepare(few) },
    { id: `${id}-${many}`, label: `${label}: ${many}`, floor: `${id}-${few}`, prepare: () => prepare(many), ...more },
  ]
}

export const versions = {
  id: 'versions',
  batchMs: 60,
  generations: 2,
  title: '100 versions of one route, over 1 version',
  about: 'A request for the version that was declared last; the ratio is what 99 more versions cost it. Express 5.',
  cases: [
    ...pair('by-version', '**byVersion()** behind HeaderVersioning', (count) => ours(count, byVersion), {
      limits: { ratio: 1.1 },
    }),
    ...[
      ...pair('mounts', "Express, `app.use('/vN', router)`", mounts),
      ...pair('chain', 'Express, `app.get` with an `if` and `next()` for each version', chain),
      ...pair('evr', 'express-version-request + express-version-route', versionRoute),
      ...pair('routes-versioning', 'express-routes-versioning', routesVersioning),
      ...pair('nest', 'NestJS, header', nest),
      ...pair('restify', 'restify, `conditionalHandler`', restify),
      ...pair('fastify', 'Fastify, `constraints.version`', fastify),
    ].map((entry) => ({ ...entry, reference: true })),
  ],
}
