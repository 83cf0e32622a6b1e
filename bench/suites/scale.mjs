import { expressOf, packageWith, responding, responseOne, responseVersion, versionNames } from './apps.mjs'

const SMALL = [1, 10]
const LARGE = [100, 1000]

/** Returns the paths of `count` routes in one version. */
function paths(count) {
  return Array.from({ length: count }, (_, index) => (index % 2 === 0 ? `/r${index}` : `/r${index}/:id`))
}

/** The last route of the last version. */
function lastOf([versions, routes]) {
  return { url: `/v${versions}/r${routes - 1}/7` }
}

function childTable({ namedRoutes }, count) {
  const child = namedRoutes(Object.fromEntries(paths(count).map((path, index) => [`r${index}`, path])))
  for (let index = 0; index < count; index++) child.route(`r${index}`).get(responseVersion)
  return child
}

async function tabled(size, schemeName, build) {
  const exported = await packageWith('namedRoutes', schemeName)
  const express = await expressOf(5)
  const names = versionNames(size[0])
  const api = exported.namedRoutes({})
  build(api, names, exported, size[1])
  const app = express()
  app.use(exported.versioning({ scheme: exported[schemeName], allowedVersions: names, routes: api }), api)
  return responding(app, { ...lastOf(size), body: names.at(-1) })
}

function byNamespace(size) {
  return tabled(size, 'NamespaceVersioning', (api, names, exported, count) => {
    for (const version of names) api.include(`/${version}`, childTable(exported, count), { namespace: version })
  })
}

function byPath(size) {
  return tabled(size, 'URLPathVersioning', (api, _names, exported, count) => {
    api.include('/:version', childTable(exported, count))
  })
}

async function mounts(size) {
  const express = await expressOf(5)
  const app = express()
  for (const version of versionNames(size[0])) {
    const router = express.Router()
    for (const path of paths(size[1])) router.get(path, responseOne)
    app.use(`/${version}`, router)
  }
  return responding(app, lastOf(size))
}

async function flat(size) {
  const express = await expressOf(5)
  const app = express()
  for (const version of versionNames(size[0]))
    for (const path of paths(size[1])) app.get(`/${version}${path}`, responseOne)
  return responding(app, lastOf(size))
}

async function findMyWay(size) {
  const router = (await import('find-my-way')).default()
  for (const version of versionNames(size[0])) {
    for (const path of paths(size[1])) router.on('GET', `/${version}${path}`, responseOne)
  }
  return responding((req, res) => router.lookup(req, res), lastOf(size))
}

function pair(id, label, prepare, { limits, ...both } = {}) {
  const name = ([versions, routes]) => `${versions} x ${routes}`
  return [
    { id: `${id}-small`, label: `${label}: ${name(SMALL)}`, prepare: () => prepare(SMALL), reference: both.reference },
    {
      id: `${id}-large`,
      label: `${label}: ${name(LARGE)}`,
      floor: `${id}-small`,
      prepare: () => prepare(LARGE),
      limits,
      ...both,
    },
  ]
}

const LIMITS = { ratio: 1.1 }

export const scale = {
  id: 'tables-scale',
  batchMs: 60,
  generations: 2,
  title: '100 versions x 1000 routes, over 1 x 10',
  about:
    'A request for the last route of the last version; the ratio is what 99,990 more routes cost it. Behind `URLPathVersioning` one child of 1000 routes stands below `/:version`. Express 5. Fastify, which stands on find-my-way, takes minutes to declare them.',
  cases: [
    ...pair('namespace', '**namedRoutes()** behind NamespaceVersioning', byNamespace, { limits: LIMITS }),
    ...pair('path', '**namedRoutes()** behind URLPathVersioning', byPath, { limits: LIMITS }),
    ...pair('find-my-way', 'find-my-way, without Express', findMyWay, { reference: true }),
    ...pair('mounts', "Express, `app.use('/vN', router)`", mounts, { reference: true }),
    ...pair('flat', 'Express, all routes in one app', flat, { reference: true, rare: true }),
  ],
}
