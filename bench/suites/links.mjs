import { readFileSync } from 'node:fs'
import { createRequire, Module } from 'node:module'
import { dirname, join } from 'node:path'
import { heldRequest } from '../lib/dispatch.mjs'
import { expressOf, packageWith } from './apps.mjs'
import { agreeing, looping, varied } from './looping.mjs'

const encode = encodeURIComponent
const ALLOWED = ['1', '2', '3']
const IDS = varied((index) => String(1000 + index))

const literal = (id) => `/api/users/${encode(id)}`

/** For each scheme: its class, the request that names version 1, and the link that stays there. */
const SCHEMES = {
  accept: ['AcceptHeaderVersioning', { headers: { Accept: 'application/json; version=1' } }, literal],
  'media-type': ['MediaTypeVersioning', { headers: { Accept: 'application/vnd.acme.1+json' } }, literal],
  header: ['HeaderVersioning', { headers: { 'X-API-Version': '1' } }, literal],
  host: ['HostNameVersioning', { headers: { Host: '1.example.com' } }, literal],
  query: ['QueryParameterVersioning', { url: '/api/users/7?version=1' }, (id) => `${literal(id)}?version=1`],
  path: ['URLPathVersioning', { url: '/api/1/users/7' }, (id) => `/api/1/users/${encode(id)}`],
  namespace: ['NamespaceVersioning', { url: '/api/1/users/7' }, (id) => `/api/1/users/${encode(id)}`],
  combined: ['CombinedVersioning', { url: '/api/1/users/7' }, (id) => `/api/1/users/${encode(id)}`],
}

function schemeOf(exported, name) {
  const settings = { allowedVersions: ALLOWED }
  if (name === 'MediaTypeVersioning') settings.template = 'application/vnd.acme.{version}+json'
  if (name === 'CombinedVersioning')
    settings.schemes = [new exported.URLPathVersioning(), new exported.HeaderVersioning()]
  return new exported[name](settings)
}

/** A table with `user` where the scheme wants the version, and `status` outside of all versions. */
function tableFor({ namedRoutes }, name, show) {
  const users = namedRoutes({ user: '/users/:id' })
  users.route('user').get(show)
  const root = namedRoutes({ status: '/status/:id' })
  if (name === 'URLPathVersioning' || name === 'CombinedVersioning') return root.include('/:version', users)
  if (name !== 'NamespaceVersioning') return root.include('/', users)
  for (const version of ALLOWED) root.include(`/${version}`, users, { namespace: version })
  return root
}

/** A request that a route of the table is handling, as after an `await` in its handler. */
async function onRequest(id) {
  const [name, request] = SCHEMES[id]
  const exported = await packageWith('namedRoutes', name)
  const express = await expressOf(5)
  return heldRequest(
    (hold) => {
      const routes = tableFor(exported, name, hold)
      const app = express()
      const options = { scheme: schemeOf(exported, name), routes, origin: 'https://api.example.com' }
      app.use('/api', exported.versioning(options), routes)
      return app
    },
    { url: '/api/users/7', ...request },
  )
}

/** A row: links of a request in a scheme, over a literal that knows nothing of versions. */
function linking(id, label, scheme, call, expected, more) {
  return {
    id,
    label,
    floor: 'literal',
    prepare: async () => {
      const req = await onRequest(scheme)
      const make = (value) => call(req, value)
      agreeing(make, expected, IDS)
      return looping(make, IDS)
    },
    ...more,
  }
}

const toUser = (req, id) => req.reverse('user', { kwargs: { id } })
const toStatus = (req, id) => req.reverse('status', { kwargs: { id } })
const status = (id) => `/api/status/${encode(id)}`

const LIMITS = { ratio: 5 }
const FALLBACK = { ratio: 6, us: 0.5 }
const REFERENCE = { reference: true }

const links = {
  id: 'links',
  generations: 2,
  rounds: 10,
  title: 'A link by `req.reverse`, over the same template literal without a version',
  about:
    'The handler of a named route, mounted at `/api`, links to its neighbour. Falling back: the name exists outside of all versions only.',
  cases: [
    {
      id: 'literal',
      label: 'floor: template literal with `encodeURIComponent`',
      prepare: () => looping(literal, IDS),
    },
    ...Object.entries(SCHEMES).map(([id, [name, , expected]]) =>
      linking(id, `**req.reverse()**, ${name}`, id, toUser, expected, { limits: LIMITS }),
    ),
    linking('fallback-path', '**req.reverse()**, URLPathVersioning, falls back', 'path', toStatus, status, {
      limits: FALLBACK,
    }),
    linking('fallback-namespace', '**req.reverse()**, NamespaceVersioning, falls back', 'namespace', toStatus, status, {
      limits: FALLBACK,
    }),
    linking(
      'other-version',
      '**req.reverse()**, NamespaceVersioning, `version` of another',
      'namespace',
      (req, id) => req.reverse('user', { kwargs: { id }, version: '2' }),
      (id) => `/api/2/users/${encode(id)}`,
      REFERENCE,
    ),
    linking(
      'absolute',
      '**req.reverse()**, NamespaceVersioning, `absolute`, with an `origin`',
      'namespace',
      (req, id) => req.reverse('user', { kwargs: { id }, absolute: true }),
      (id) => `https://api.example.com/api/1/users/${encode(id)}`,
      REFERENCE,
    ),
    linking(
      'with-query',
      '**req.reverse()**, QueryParameterVersioning, `query` of two parameters',
      'query',
      (req, id) => req.reverse('user', { kwargs: { id }, query: { page: 2, sort: 'name' } }),
      (id) => `${literal(id)}?page=2&sort=name&version=1`,
      REFERENCE,
    ),
  ],
}

const LINK = '/users?page=2&sort=name&filter=active%20users&version=1&limit=50#top'

/** No function of the package does this and nothing else, so the one that its links go through is taken out of the build. */
function replaceQueryParameter() {
  const require = createRequire(import.meta.url)
  const file = join(dirname(require.resolve('express-versioning/package.json')), 'dist', 'shared', 'main.js')
  const part = new Module(file)
  part.paths = require.resolve.paths('express-versioning')
  part._compile(`${readFileSync(file, 'utf8')}\nexports.taken = replaceQueryParameter`, file)
  return part.exports.taken
}

const rawQuery = (link) => link.slice(link.indexOf('?') + 1, link.indexOf('#'))

function bySearchParams(link) {
  const params = new URLSearchParams(rawQuery(link))
  params.delete('version')
  params.append('version', '2')
  return `${link.slice(0, link.indexOf('?'))}?${params}${link.slice(link.indexOf('#'))}`
}

async function byQs() {
  const { default: qs } = await import('qs')
  return (link) => {
    const { version: _, ...params } = qs.parse(rawQuery(link))
    return `${link.slice(0, link.indexOf('?'))}?${qs.stringify({ ...params, version: '2' })}${link.slice(link.indexOf('#'))}`
  }
}

const replaced = (make) => async () => {
  const replace = await make()
  if (!replace(LINK).endsWith('&version=2#top')) throw new Error(`got ${replace(LINK)}`)
  return looping(
    replace,
    varied((index) => LINK.replace('page=2', `page=${index}`)),
  )
}

const query = {
  id: 'query',
  generations: 2,
  rounds: 10,
  title: 'Replacing the version in a query, over `URLSearchParams`',
  about: 'The limit is a third of the time: three times as fast.',
  cases: [
    { id: 'search-params', label: 'floor: `URLSearchParams`', prepare: replaced(() => bySearchParams) },
    {
      id: 'replace',
      label: '**QueryParameterVersioning**',
      floor: 'search-params',
      limits: { ratio: 1 / 3 },
      prepare: replaced(() => {
        const replace = replaceQueryParameter()
        return (link) => replace(link, 'version', '2')
      }),
    },
    { id: 'qs', label: 'qs', floor: 'search-params', reference: true, prepare: replaced(byQs) },
  ],
}

export const linkSuites = [links, query]
