import { expressOf, packageWith, responding } from './apps.mjs'

const ALLOWED = ['1', '2', '3']
// Both responses have the same length.
const ACCEPTED = '{"users":[]}'
const Rejected = '{"error":""}'

function accept(_req, res) {
  res.end(ACCEPTED)
}

// Express takes it for an error handler by its four parameters.
function reject(error, _req, res, _next) {
  res.statusCode = error.status
  res.end(Rejected)
}

const settings = { allowedVersions: ALLOWED }

/** For each scheme: how it is made, a request for a version, and what rejects it. */
const SCHEMES = {
  accept: ['AcceptHeaderVersioning', 406, (v) => ({ headers: { Accept: `application/json; version=${v}` } })],
  'media-type': [
    'MediaTypeVersioning',
    406,
    (v) => ({ headers: { Accept: `application/vnd.acme.${v}+json` } }),
    { template: 'application/vnd.acme.{version}+json' },
  ],
  header: ['HeaderVersioning', 406, (v) => ({ headers: { 'X-API-Version': v } })],
  query: ['QueryParameterVersioning', 404, (v) => ({ url: `/users?version=${v}` })],
  host: ['HostNameVersioning', 404, (v) => ({ headers: { Host: `${v}.example.com` } })],
  path: ['URLPathVersioning', 404, (v) => ({ url: `/${v}/users` })],
  namespace: ['NamespaceVersioning', 404, (v) => ({ url: `/${v}/users` })],
  combined: ['CombinedVersioning', 406, (v) => ({ headers: { 'X-API-Version': v } })],
}

function schemeOf(exported, name, more) {
  if (name !== 'CombinedVersioning') return new exported[name]({ ...settings, ...more })
  const schemes = [new exported.HeaderVersioning(), new exported.AcceptHeaderVersioning()]
  return new exported.CombinedVersioning({ ...settings, schemes })
}

/** The table that a scheme stands in front of: those that read the path have a place for the version there. */
function tableFor({ namedRoutes }, name) {
  const users = namedRoutes({ users: '/users' })
  users.route('users').get(accept)
  if (name === 'URLPathVersioning') return namedRoutes({}).include('/:version', users)
  if (name !== 'NamespaceVersioning') return users
  const table = namedRoutes({})
  // `/9` is a namespace, as one that is no longer allowed would be.
  for (const version of [...ALLOWED, '9']) table.include(`/${version}`, users, { namespace: version })
  return table
}

async function asked(id, version) {
  const [name, status, request, more] = SCHEMES[id]
  const exported = await packageWith('namedRoutes', name)
  const express = await expressOf(5)
  const routes = tableFor(exported, name)
  const app = express()
  app.use(exported.versioning({ scheme: schemeOf(exported, name, more), routes }), routes)
  app.use(reject)
  const outcome = ALLOWED.includes(version) ? { status: 200, body: ACCEPTED } : { status, body: Rejected }
  return responding(app, { url: '/users', ...request(version), ...outcome })
}

export const rejections = {
  id: 'rejections',
  batchMs: 60,
  generations: 3,
  rounds: 5,
  title: 'A rejection, over an accepted request',
  about:
    'Both requests are for the same table; one names a version that is not allowed. The error handler sends the status and a constant body, as long as that of the accepted request. Express 5.',
  cases: Object.entries(SCHEMES).flatMap(([id, [name]]) => [
    { id, label: `accepted: ${name}`, prepare: () => asked(id, '1') },
    {
      id: `${id}-rejected`,
      label: `rejected: **${name}**`,
      floor: id,
      limits: { ratio: 1.35 },
      prepare: () => asked(id, '9'),
    },
  ]),
}
