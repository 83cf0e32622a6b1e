import { expressOf, packageWith, passing, responding, responseVersion, setting, versionNames } from './apps.mjs'

/** Ten routes as an API has them. A request finds the last. */
const ROUTES = {
  'user-list': '/users',
  'user-detail': '/users/:id',
  'order-list': '/orders',
  'order-detail': '/orders/:id',
  'item-list': '/orders/:id/items',
  'item-detail': '/orders/:id/items/:item',
  'product-list': '/products',
  'product-detail': '/products/:id',
  'report-list': '/reports',
  'report-detail': '/reports/:id',
}

function routesOf({ namedRoutes }, middleware) {
  const table = namedRoutes(ROUTES)
  for (const one of middleware) table.use(one)
  for (const name of Object.keys(ROUTES)) table.route(name).get(responseVersion)
  return table
}

/**
 * @typedef {object} Shape
 * @property {number} versions
 * @property {string} asked the version of the request
 * @property {Function[]} root middleware in front of all versions
 * @property {Function[]} each middleware in front of the routes of each version
 */

/** @param {Shape} shape */
async function tabled(major, shape, schemeName, include) {
  const exported = await packageWith('namedRoutes', schemeName)
  const express = await expressOf(major)
  const names = versionNames(shape.versions)
  const api = exported.namedRoutes({})
  for (const one of shape.root) api.use(one)
  include(api, names, () => routesOf(exported, shape.each))
  const app = express()
  app.use(exported.versioning({ scheme: exported[schemeName], allowedVersions: names, routes: api }), api)
  return responding(app, asking(shape))
}

function byPath(major, shape) {
  return tabled(major, shape, 'URLPathVersioning', (api, _names, routes) => api.include('/:version', routes()))
}

function byNamespace(major, shape) {
  return tabled(major, shape, 'NamespaceVersioning', (api, names, routes) => {
    for (const version of names) api.include(`/${version}`, routes(), { namespace: version })
  })
}

/** The same app mounted by hand. */
async function mounted(major, shape) {
  const express = await expressOf(major)
  const app = express()
  for (const one of shape.root) app.use(one)
  for (const version of versionNames(shape.versions)) {
    const router = express.Router()
    for (const one of shape.each) router.use(one)
    for (const path of Object.values(ROUTES)) router.get(path, responseVersion)
    app.use(`/${version}`, setting(version), router)
  }
  return responding(app, asking(shape))
}

const asking = ({ asked }) => ({ url: `/${asked}/reports/7`, body: asked })

const PLAIN = { root: [], each: [] }
const ONE = { root: [], each: [passing] }
// Another function than the first, as two middlewares are.
const TWO = { root: [(req, res, next) => passing(req, res, next)], each: [passing] }

const SHAPES = [
  ['2-first', '2 versions, the first', { versions: 2, asked: 'v1', ...PLAIN }, 1.25],
  ['2', '2 versions, the last', { versions: 2, asked: 'v2', ...PLAIN }, 1.25],
  ['10', '10 versions, the last', { versions: 10, asked: 'v10', ...PLAIN }, 1.25],
  ['2-use', '2 versions, middleware in each', { versions: 2, asked: 'v2', ...ONE }, 1.25],
  ['10-use', '10 versions, middleware in each', { versions: 10, asked: 'v10', ...ONE }, 1.25],
  ['2-use-2', '2 versions, middleware in front of all and in each', { versions: 2, asked: 'v2', ...TWO }, 1.25],
  ['10-use-2', '10 versions, middleware in front of all and in each', { versions: 10, asked: 'v10', ...TWO }, 1.25],
]

/** @param {4 | 5} major of Express */
export function tables(major) {
  return {
    id: `tables-${major}`,
    batchMs: 60,
    generations: 3,
    rounds: 6,
    title: `A table of ten routes, over the same app mounted by hand, Express ${major}`,
    about:
      "By hand: `app.use('/v1', setVersion, router)` for each version, which rejects no version and makes no links. A request finds the last of the ten routes.",
    cases: SHAPES.flatMap(([id, label, shape, ratio]) => [
      { id: `hand-${id}`, label: `by hand: ${label}`, prepare: () => mounted(major, shape) },
      {
        id: `path-${id}`,
        label: `**namedRoutes()** behind URLPathVersioning: ${label}`,
        floor: `hand-${id}`,
        limits: { ratio },
        prepare: () => byPath(major, shape),
      },
      {
        id: `namespace-${id}`,
        label: `**namedRoutes()** behind NamespaceVersioning: ${label}`,
        floor: `hand-${id}`,
        limits: { ratio },
        prepare: () => byNamespace(major, shape),
      },
    ]),
  }
}
