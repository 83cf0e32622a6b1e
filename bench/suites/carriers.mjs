import { behind, expressOf, packageWith, responding, responseOne, responseVersion, setting } from './apps.mjs'

const ALLOWED = ['1', '2', '3']
const LIMITS = { ratio: 1.08 }
/** Those of schemes that negotiate, and of two schemes. */
const LIMITS_OF = {
  accept: { ratio: 1.12 },
  'accept-types': { ratio: 1.12 },
  'media-type': { ratio: 1.12 },
  combined: { ratio: 1.2 },
}

const PLAIN = { url: '/users' }
const ACCEPT = { url: '/users', headers: { Accept: 'application/json; version=1' } }
const VENDOR = { url: '/users', headers: { Accept: 'application/vnd.acme.1+json' } }
const HEADER = { url: '/users', headers: { 'X-API-Version': '1' } }
const QUERY = { url: '/users?page=2&version=1' }
const PATH = { url: '/1/users' }
const HOST = { url: '/users', headers: { Host: '1.example.com' } }

const floor = setting('1')

/** The floor of a scheme that reads headers: it names them in `Vary`, which nobody may leave out. */
function varying(headers) {
  return (req, res, next) => {
    res.setHeader('Vary', headers)
    req.version = '1'
    next()
  }
}

/** The commonest hand-written way for each carrier. */
const ONE_LINERS = {
  accept(req, res, next) {
    res.setHeader('Vary', 'Accept')
    req.version = /version=([^;,\s]+)/.exec(req.headers.accept)?.[1] ?? '1'
    next()
  },
  header(req, res, next) {
    res.setHeader('Vary', 'X-API-Version')
    req.version = req.headers['x-api-version'] ?? '1'
    next()
  },
  query(req, _res, next) {
    req.version = req.query.version ?? '1'
    next()
  },
  path(req, _res, next) {
    req.version = req.params.version
    next()
  },
  host(req, _res, next) {
    req.version = req.hostname.split('.')[0]
    next()
  },
}

/** `versioning()` with options that are made when the package is loaded. */
async function ours(major, spec, needs, options) {
  const exported = await packageWith('versioning', ...needs)
  return behind(major, exported.versioning(options(exported)), spec)
}

/** An app whose routes stand below the version in the path. */
async function below(major, middleware) {
  const express = await expressOf(major)
  const app = express()
  app.use('/:version', middleware)
  app.get('/:version/users', responseVersion)
  return responding(app, PATH)
}

/** Three namespaces, each with the same routes. */
function namespaced({ namedRoutes }, middleware) {
  const api = namedRoutes({})
  for (const version of ALLOWED) {
    const paths = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`r${index}`, `/r${index}/:id`]))
    const child = namedRoutes({ ...paths, users: '/users' })
    for (const name of [...Object.keys(paths), 'users']) child.route(name).get(responseVersion)
    api.include(`/${version}`, child, { namespace: version })
  }
  return { api, middleware: middleware(api) }
}

async function tabled(major, middleware) {
  const exported = await packageWith('namedRoutes', 'NamespaceVersioning')
  const express = await expressOf(major)
  const app = express()
  const made = namespaced(exported, (api) => middleware(exported, api))
  app.use(made.middleware, made.api)
  return responding(app, PATH)
}

async function mounted(major) {
  const express = await expressOf(major)
  const app = express()
  for (const version of ALLOWED) {
    const router = express.Router()
    for (let index = 0; index < 10; index++) router.get(`/r${index}/:id`, responseVersion)
    router.get('/users', responseVersion)
    app.use(`/${version}`, setting(version), router)
  }
  return responding(app, PATH)
}

async function versionRoute(major, carrier, spec) {
  const express = await expressOf(major)
  const request = (await import('express-version-request')).default
  const route = (await import('express-version-route')).default
  const app = express()
  app.use(carrier(request))
  app.get('/users', route.route(new Map([['1.0.0', responseOne]])))
  return responding(app, spec)
}

async function routesVersioning(major) {
  const express = await expressOf(major)
  const routes = (await import('express-routes-versioning')).default
  const app = express()
  app.get('/users', routes()({ '1.0.0': responseOne, '2.0.0': responseOne }))
  return responding(app, { url: '/users', headers: { 'Accept-Version': '1.0.0' } })
}

/** NestJS on Express, with a controller in the given way of versioning. */
async function nest(type, spec) {
  await import('reflect-metadata')
  const { Controller, Get, Module, Version, VersioningType } = await import('@nestjs/common')
  const { NestFactory } = await import('@nestjs/core')
  class Users {
    list() {
      return '1'
    }
  }
  const descriptor = Object.getOwnPropertyDescriptor(Users.prototype, 'list')
  Get()(Users.prototype, 'list', descriptor)
  if (type !== undefined) Version('1')(Users.prototype, 'list', descriptor)
  Controller('users')(Users)
  class App {}
  Module({ controllers: [Users] })(App)
  const app = await NestFactory.create(App, { logger: false })
  const options = {
    URI: { type: VersioningType.URI, prefix: '' },
    HEADER: { type: VersioningType.HEADER, header: 'X-API-Version' },
    MEDIA_TYPE: { type: VersioningType.MEDIA_TYPE, key: 'version=' },
  }
  if (type !== undefined) app.enableVersioning(options[type])
  await app.init()
  return responding(app.getHttpAdapter().getInstance(), spec)
}

async function fastify(constrained) {
  const make = (await import('fastify')).default
  const app = make()
  const constraints = constrained ? { version: '1.0.0' } : {}
  app.get('/users', { constraints }, (_request, reply) => reply.send('1'))
  await app.ready()
  return responding(app.routing, constrained ? { url: '/users', headers: { 'Accept-Version': '1.0.0' } } : PLAIN)
}

async function restify(versioned) {
  const { createServer, plugins } = (await import('restify')).default
  const app = createServer()
  const response = (_req, res, next) => {
    res.end('1')
    next()
  }
  const handler = versioned ? plugins.conditionalHandler([{ version: '1.0.0', handler: response }]) : response
  app.get('/users', handler)
  const spec = versioned ? { url: '/users', headers: { 'Accept-Version': '1.0.0' } } : PLAIN
  return responding((req, res) => app._onRequest(req, res), spec)
}

const DAY = 86_400_000
const date = (days) => new Date(Date.now() + days * DAY).toISOString()

/** Other packages and frameworks: what they cost is far from the floor, and shows in a few rounds. */
const PEERS = /^(?:evr-|routes-versioning|nest|restify|fastify)/

/** The names of the cases that the schemes are compared with. */
const REFERENCES = /^(?:one-|none$|mounts$|report$|lifecycle$)/

function withPeers(entry) {
  if (PEERS.test(entry.id)) return { ...entry, rare: true, reference: true }
  return REFERENCES.test(entry.id) ? { ...entry, reference: true } : entry
}

/**
 * One request that is responded to, in every scheme; the floor does as much without deciding anything.
 *
 * @param {4 | 5} major of Express
 */
export function carriers(major) {
  const scheme = (id, label, floorId, spec, needs, options) => ({
    id,
    label,
    floor: floorId,
    limits: LIMITS_OF[id] ?? LIMITS,
    prepare: () => ours(major, spec, needs, options),
  })
  const cases = [
    { id: 'floor', label: "floor: `req.version = '1'; next()`", prepare: () => behind(major, floor) },
    {
      id: 'control',
      label: 'the floor once more (what chance makes of it)',
      floor: 'floor',
      prepare: () => behind(major, floor),
    },
    {
      id: 'none',
      label: 'no middleware at all',
      floor: 'floor',
      prepare: () => behind(major, undefined, { ...PLAIN, body: '' }),
    },

    {
      id: 'vary',
      label: 'floor that sets `Vary`, same request as Accept',
      prepare: () => behind(major, varying('Accept'), ACCEPT),
    },
    scheme('accept', '**AcceptHeaderVersioning**', 'vary', ACCEPT, ['AcceptHeaderVersioning'], (p) => ({
      scheme: p.AcceptHeaderVersioning,
      allowedVersions: ALLOWED,
    })),
    scheme(
      'accept-types',
      '**AcceptHeaderVersioning**, `mediaTypes`',
      'vary',
      ACCEPT,
      ['AcceptHeaderVersioning'],
      (p) => ({
        scheme: new p.AcceptHeaderVersioning({ allowedVersions: ALLOWED, mediaTypes: ['application/json'] }),
      }),
    ),
    {
      id: 'one-accept',
      label: 'one-liner: a RegExp over `Accept`',
      floor: 'vary',
      prepare: () => behind(major, ONE_LINERS.accept, ACCEPT),
    },
    {
      id: 'evr-accept',
      label: 'express-version-request + express-version-route, Accept',
      floor: 'vary',
      prepare: () => versionRoute(major, (request) => request.setVersionByAcceptHeader(), ACCEPT),
    },

    {
      id: 'vary-vendor',
      label: 'floor that sets `Vary`, vendor media type',
      prepare: () => behind(major, varying('Accept'), VENDOR),
    },
    scheme('media-type', '**MediaTypeVersioning**', 'vary-vendor', VENDOR, ['MediaTypeVersioning'], (p) => ({
      scheme: new p.MediaTypeVersioning({ allowedVersions: ALLOWED, template: 'application/vnd.acme.{version}+json' }),
    })),

    {
      id: 'vary-header',
      label: 'floor that sets `Vary`, `X-API-Version`',
      prepare: () => behind(major, varying('X-API-Version'), HEADER),
    },
    scheme('header', '**HeaderVersioning**', 'vary-header', HEADER, ['HeaderVersioning'], (p) => ({
      scheme: new p.HeaderVersioning({ allowedVersions: ALLOWED }),
    })),
    {
      id: 'one-header',
      label: 'one-liner: `req.headers[...]`',
      floor: 'vary-header',
      prepare: () => behind(major, ONE_LINERS.header, HEADER),
    },
    {
      id: 'evr-header',
      label: 'express-version-request + express-version-route, header',
      floor: 'vary-header',
      prepare: () => versionRoute(major, (request) => request.setVersionByHeader(), HEADER),
    },
    {
      id: 'routes-versioning',
      label: 'express-routes-versioning (`Accept-Version`; sets no `Vary`)',
      floor: 'floor',
      prepare: () => routesVersioning(major),
    },

    { id: 'floor-query', label: 'floor, same request as query', prepare: () => behind(major, floor, QUERY) },
    scheme('query', '**QueryParameterVersioning**', 'floor-query', QUERY, ['QueryParameterVersioning'], (p) => ({
      scheme: p.QueryParameterVersioning,
      allowedVersions: ALLOWED,
    })),
    {
      id: 'one-query',
      label: 'one-liner: `req.query.version`',
      floor: 'floor-query',
      prepare: () => behind(major, ONE_LINERS.query, QUERY),
    },

    { id: 'floor-host', label: 'floor, same request as host', prepare: () => behind(major, floor, HOST) },
    scheme('host', '**HostNameVersioning**', 'floor-host', HOST, ['HostNameVersioning'], (p) => ({
      scheme: p.HostNameVersioning,
      allowedVersions: ALLOWED,
    })),
    {
      id: 'one-host',
      label: "one-liner: `req.hostname.split('.')[0]`",
      floor: 'floor-host',
      prepare: () => behind(major, ONE_LINERS.host, HOST),
    },

    {
      id: 'floor-path',
      label: "floor, mounted at `'/:version'` as the next two are",
      prepare: () => below(major, floor),
    },
    {
      id: 'path',
      label: '**URLPathVersioning**',
      floor: 'floor-path',
      limits: LIMITS,
      prepare: async () => {
        const { versioning, URLPathVersioning } = await packageWith('URLPathVersioning')
        return below(major, versioning({ scheme: URLPathVersioning, allowedVersions: ALLOWED }))
      },
    },
    {
      id: 'one-path',
      label: 'one-liner: `req.params.version`',
      floor: 'floor-path',
      prepare: () => below(major, ONE_LINERS.path),
    },

    {
      id: 'floor-table',
      label: 'floor, in front of the table that the next has',
      prepare: () => tabled(major, () => floor),
    },
    {
      id: 'namespace',
      label: '**NamespaceVersioning**, a table of 3 x 11 routes',
      floor: 'floor-table',
      limits: LIMITS,
      prepare: () =>
        tabled(major, ({ versioning, NamespaceVersioning }, routes) =>
          versioning({ scheme: NamespaceVersioning, allowedVersions: ALLOWED, routes }),
        ),
    },
    {
      id: 'mounts',
      label: "by hand: `app.use('/1', ...)`, routers of the same routes",
      floor: 'floor-table',
      prepare: () => mounted(major),
    },

    {
      id: 'vary-both',
      label: 'floor that sets `Vary` for two headers, same request as the next',
      prepare: () => behind(major, varying('X-API-Version, Accept'), ACCEPT),
    },
    scheme(
      'combined',
      '**CombinedVersioning** (header, then Accept)',
      'vary-both',
      ACCEPT,
      ['CombinedVersioning', 'HeaderVersioning'],
      (p) => ({
        scheme: new p.CombinedVersioning({
          schemes: [new p.HeaderVersioning(), new p.AcceptHeaderVersioning()],
          allowedVersions: ALLOWED,
        }),
      }),
    ),
    scheme('report', '**AcceptHeaderVersioning**, `reportVersions`', 'vary', ACCEPT, ['HeaderVersioning'], (p) => ({
      scheme: p.AcceptHeaderVersioning,
      allowedVersions: ALLOWED,
      reportVersions: true,
    })),
    scheme(
      'lifecycle',
      '**AcceptHeaderVersioning**, a deprecated version',
      'vary',
      ACCEPT,
      ['HeaderVersioning'],
      (p) => ({
        scheme: p.AcceptHeaderVersioning,
        allowedVersions: ALLOWED,
        lifecycle: { 1: { deprecated: date(-30), sunset: date(30) } },
      }),
    ),
  ]
  // Headers are responded to in addition to what the floor does, so no limit is set for them.
  for (const entry of cases) if (['report', 'lifecycle'].includes(entry.id)) delete entry.limits

  if (major === 5) {
    cases.push(
      { id: 'nest', label: 'NestJS without versions', prepare: () => nest(undefined, PLAIN) },
      { id: 'nest-uri', label: 'NestJS, URI, over NestJS without', floor: 'nest', prepare: () => nest('URI', PATH) },
      {
        id: 'nest-header',
        label: 'NestJS, header, over NestJS without',
        floor: 'nest',
        prepare: () => nest('HEADER', HEADER),
      },
      {
        id: 'nest-media',
        label: 'NestJS, media type, over NestJS without',
        floor: 'nest',
        prepare: () => nest('MEDIA_TYPE', ACCEPT),
      },
      { id: 'restify', label: 'restify without versions', prepare: () => restify(false) },
      {
        id: 'restify-version',
        label: 'restify, `conditionalHandler`, over restify without',
        floor: 'restify',
        prepare: () => restify(true),
      },
      { id: 'fastify', label: 'Fastify without versions', prepare: () => fastify(false) },
      {
        id: 'fastify-version',
        label: 'Fastify, `constraints.version`, over Fastify without',
        floor: 'fastify',
        prepare: () => fastify(true),
      },
    )
  }
  return {
    id: `carriers-${major}`,
    batchMs: 100,
    generations: 4,
    rounds: 5,
    title: `One request, Express ${major}`,
    about:
      'CPU time of a request that is responded to, as a multiple of the floor that responds with the same request.',
    cases: (major === 5 ? cases : cases.filter(({ id }) => !PEERS.test(id))).map(withPeers),
  }
}
