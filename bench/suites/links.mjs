import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { dispatching } from '../lib/dispatch.mjs'
import { expressOf, packageWith } from './apps.mjs'

const PATH = '/orgs/:org/users/:user/posts/:post'
// Changes from call to call, as values do, so that nothing can be computed once.
const VALUES = Array.from({ length: 64 }, (_, index) => ({
  org: `acme-${index}`,
  user: String(1000 + index),
  post: index % 4 === 0 ? `été ${index}` : `summer-${index}`,
}))
const PLAIN_VALUES = VALUES.map((values, index) => ({ ...values, post: `summer-${index}` }))

function looping(make, list) {
  return (n) => {
    let length = 0
    for (let index = 0; index < n; index++) length += make(list[index & 63]).length
    if (length < n) throw new Error('an empty link')
  }
}

function literal({ org, user, post }) {
  return `/orgs/${encodeURIComponent(org)}/users/${encodeURIComponent(user)}/posts/${encodeURIComponent(post)}`
}

async function table() {
  const { namedRoutes } = await packageWith('namedRoutes')
  const routes = namedRoutes({ post: PATH })
  return (kwargs) => routes.reverse('post', { kwargs })
}

/** `req.reverse` of a request that Express is handling. */
async function onRequest(scheme) {
  const { namedRoutes, versioning, ...schemes } = await packageWith(scheme)
  const express = await expressOf(5)
  const routes = namedRoutes({ post: PATH })
  const app = express()
  app.use('/api', versioning({ scheme: schemes[scheme], defaultVersion: '1', routes }))
  let request
  app.use((req, res) => {
    request = req
    res.end('1')
  })
  const op = await dispatching(app, { url: '/api/' })
  await op(1)
  request.baseUrl = '/api'
  return (kwargs) => request.reverse('post', { kwargs })
}

async function compiled() {
  const { compile } = await import('path-to-regexp')
  return compile(PATH)
}

async function namedRoutesPackage() {
  const Router = (await import('named-routes')).default
  const router = new Router()
  router.add('get', PATH, () => {}, { name: 'post' })
  return (values) => router.build('post', values)
}

async function reversableRouter() {
  const Router = (await import('reversable-router')).default
  const router = new Router()
  router.add('get', PATH, () => {}, { name: 'post' })
  // Otherwise it builds no link before the route has had a request.
  router.routesByNameAndMethod.post.get.compile()
  return (values) => router.build('post', values)
}

function reversal(id, title, about, list) {
  const entry = (name, label, make, more = {}) => ({
    id: name,
    label,
    floor: 'literal',
    prepare: async () => looping(await make(), list),
    ...more,
  })
  return {
    id,
    generations: 1,
    title,
    about,
    cases: [
      {
        id: 'literal',
        label: 'floor: template literal with `encodeURIComponent`',
        prepare: () => looping(literal, list),
      },
      entry('table', '**table.reverse()**', table, { target: 1.2 }),
      entry('compile', 'path-to-regexp `compile()`', compiled),
      entry('named-routes', 'named-routes `build()` (leaves values unencoded)', namedRoutesPackage),
      entry('reversable-router', 'reversable-router `build()` (leaves values unencoded)', reversableRouter),
      entry('req', '**req.reverse()**, AcceptHeaderVersioning', () => onRequest('AcceptHeaderVersioning')),
      entry('req-query', '**req.reverse()**, QueryParameterVersioning', () => onRequest('QueryParameterVersioning')),
      entry('req-namespace', '**req.reverse()**, NamespaceVersioning, falls back to the unversioned name', () =>
        onRequest('NamespaceVersioning'),
      ),
    ],
  }
}

const LINK = '/users?page=2&sort=name&filter=active%20users&version=1&limit=50#top'

/** Not exported by the package: links use it. */
function replaceQueryParameter() {
  const require = createRequire(import.meta.url)
  const root = dirname(require.resolve('express-versioning/package.json'))
  return require(join(root, 'dist', 'http', 'query.js')).replaceQueryParameter
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
  const list = Array.from({ length: 64 }, (_, index) => LINK.replace('page=2', `page=${index}`))
  if (!replace(LINK).endsWith('&version=2#top')) throw new Error(`got ${replace(LINK)}`)
  return looping(replace, list)
}

export const links = [
  reversal(
    'reverse',
    'A link with three parameters, over a template literal',
    'Values need no encoding, as most do.',
    PLAIN_VALUES,
  ),
  reversal(
    'reverse-encoded',
    'The same, one value in four with a space and an accent',
    '`encodeURIComponent` does most of the work on either side.',
    VALUES,
  ),
  {
    id: 'query',
    generations: 1,
    title: 'Replacing the version in a query, over `URLSearchParams`',
    about: 'The target is a third of the time at the most: three times as fast.',
    cases: [
      { id: 'search-params', label: 'floor: `URLSearchParams`', prepare: replaced(() => bySearchParams) },
      {
        id: 'replace',
        label: '**QueryParameterVersioning**',
        floor: 'search-params',
        target: 1 / 3,
        prepare: replaced(() => {
          const replace = replaceQueryParameter()
          return (link) => replace(link, 'version', '2')
        }),
      },
      { id: 'qs', label: 'qs', floor: 'search-params', prepare: replaced(byQs) },
    ],
  },
]
