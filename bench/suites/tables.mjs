import { answering, answerOne, answerVersion, expressOf, packageWith } from './apps.mjs'

const SMALL = [1, 10]
const LARGE = [100, 1000]

/** Of `count` routes in one version. */
function paths(count) {
  return Array.from({ length: count }, (_, index) => (index % 2 === 0 ? `/r${index}` : `/r${index}/:id`))
}

/** The last route of the last version. */
function lastOf([versions, routes]) {
  return { url: `/v${versions}/r${routes - 1}/7` }
}

const versionNames = ([versions]) => Array.from({ length: versions }, (_, index) => `v${index + 1}`)

async function table(size) {
  const { namedRoutes, versioning, NamespaceVersioning } = await packageWith('namedRoutes', 'NamespaceVersioning')
  const express = await expressOf(5)
  const api = namedRoutes({})
  const names = versionNames(size)
  for (const version of names) {
    const child = namedRoutes(Object.fromEntries(paths(size[1]).map((path, index) => [`r${index}`, path])))
    for (let index = 0; index < size[1]; index++) child.route(`r${index}`).get(answerVersion)
    api.include(`/${version}`, child, { namespace: version })
  }
  const app = express()
  app.use(versioning({ scheme: NamespaceVersioning, allowedVersions: names, routes: api }), api)
  return answering(app, { ...lastOf(size), body: names.at(-1) })
}

async function mounts(size) {
  const express = await expressOf(5)
  const app = express()
  for (const version of versionNames(size)) {
    const router = express.Router()
    for (const path of paths(size[1])) router.get(path, answerOne)
    app.use(`/${version}`, router)
  }
  return answering(app, lastOf(size))
}

async function flat(size) {
  const express = await expressOf(5)
  const app = express()
  for (const version of versionNames(size)) for (const path of paths(size[1])) app.get(`/${version}${path}`, answerOne)
  return answering(app, lastOf(size))
}

async function findMyWay(size) {
  const router = (await import('find-my-way')).default()
  for (const version of versionNames(size)) {
    for (const path of paths(size[1])) router.on('GET', `/${version}${path}`, answerOne)
  }
  return answering((req, res) => router.lookup(req, res), lastOf(size))
}

function pair(id, label, prepare, more = {}) {
  const name = ([versions, routes]) => `${versions} x ${routes}`
  return [
    { id: `${id}-small`, label: `${label}: ${name(SMALL)}`, prepare: () => prepare(SMALL) },
    {
      id: `${id}-large`,
      label: `${label}: ${name(LARGE)}`,
      floor: `${id}-small`,
      prepare: () => prepare(LARGE),
      ...more,
    },
  ]
}

export const tables = {
  id: 'tables',
  batchMs: 60,
  generations: 1,
  title: '100 versions x 1000 routes, over 1 x 10',
  about:
    'A request for the last route of the last version; the ratio is what 99,990 more routes cost it. Express 5. Fastify, which stands on find-my-way, takes minutes to declare them.',
  cases: [
    ...pair('table', '**namedRoutes()** behind NamespaceVersioning', table, { target: 1.3 }),
    ...pair('find-my-way', 'find-my-way, without Express', findMyWay),
    ...pair('mounts', "Express, `app.use('/vN', router)`", mounts),
    ...pair('flat', 'Express, all routes in one app', flat, { rare: true }),
  ],
}
