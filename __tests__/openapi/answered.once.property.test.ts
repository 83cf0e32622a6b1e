import express, { type Application, type RequestHandler } from 'express'
import {
  AcceptHeaderVersioning,
  byVersion,
  CombinedVersioning,
  deprecated,
  HeaderVersioning,
  HostNameVersioning,
  MediaTypeVersioning,
  type NamedRoutes,
  NamespaceVersioning,
  namedRoutes,
  problemDetails,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { type OpenApiDocument, type OpenApiOptions, openapi } from 'express-versioning/openapi'
import fc from 'fast-check'
import { samplePath } from '../../src/survey/addresses'
import { Surveyor } from '../../src/survey/survey'
import { lintAll } from '../support/lint-openapi'
import { requestsOf, send } from '../support/openapi-client'
import { property } from '../support/property'
import { jsonErrors, listen, type Served } from '../support/serve'

const VERSIONS = ['v1', 'v2', 'v3']
const tell: RequestHandler = (req, res) => {
  res.json({ version: req.version, view: req.resolverMatch?.viewName })
}

/** Factories of each kind of scheme. Parts of combined schemes get the settings. */
const schemes = {
  header: (settings: object) => new HeaderVersioning(settings),
  accept: (settings: object) =>
    new AcceptHeaderVersioning({ ...settings, mediaTypes: ['text/html', 'application/json'] }),
  mediaType: (settings: object) =>
    new MediaTypeVersioning({ ...settings, template: 'application/vnd.a.{version}+json' }),
  query: (settings: object) => new QueryParameterVersioning({ ...settings, versionParam: 'v' }),
  path: (settings: object) => new URLPathVersioning(settings),
  namespace: (settings: object) => new NamespaceVersioning(settings),
  host: (settings: object) => new HostNameVersioning({ ...settings, ignore: ['api'] }),
  pathOrHeader: (settings: object) =>
    new CombinedVersioning({ ...settings, schemes: [new URLPathVersioning(), new HeaderVersioning()] }),
  hostOrAccept: (settings: object) =>
    new CombinedVersioning({
      ...settings,
      schemes: [new HostNameVersioning({ ignore: ['api'] }), new AcceptHeaderVersioning()],
    }),
}

const schema = fc.constantFrom<object | null | boolean>(
  { type: 'object', properties: { a: { type: 'string' }, 'b c': true }, required: ['a'] },
  { type: 'array', items: { $ref: '#' } },
  { $ref: '#/$defs/X', $defs: { X: { type: 'object', properties: { x: { $ref: '#/$defs/X' } } } } },
  { $id: 'https://a.example/Thing.json', title: 'A thing', allOf: [true, { $ref: 'Thing.json#/allOf/0' }] },
  true,
)
const part = fc.record(
  {
    summary: fc.constantFrom('', 'A `summary`'),
    description: fc.constant('More.'),
    tags: fc.constantFrom<string[]>([], ['a', 'a']),
    deprecated: fc.boolean(),
    query: schema,
    response: fc.oneof(
      schema,
      fc.dictionary(fc.constantFrom('200', '201', '204', '404', '406'), fc.oneof(schema, fc.constant(null)), {
        minKeys: 1,
      }),
    ),
  },
  { requiredKeys: [] },
)
const description = fc.oneof(
  fc.constant(undefined),
  fc.record({ general: part, own: fc.dictionary(fc.constantFrom(...VERSIONS, 'v9'), part) }),
)
const route = fc.record({
  path: fc.constantFrom(
    ...[
      '/a',
      '/A/',
      '/a/:id',
      '/a/:name',
      '/a/:"the name"/x',
      '/b{/:id}',
      '/b{/:x}{/:y}',
      '/c/*rest',
      '/d/:id{.:format}',
    ],
    ...['/', '/{:x}', '/e/:"a b"/:a_b', '/é/:ü', '/:version/f', '/g/one', '/g/:id', '/h/:a-:b'],
  ),
  methods: fc.uniqueArray(fc.constantFrom('get', 'post', 'all', 'put', 'options', 'm-search'), {
    minLength: 1,
    maxLength: 2,
  }),
  by: fc.oneof(
    fc.constant(undefined),
    fc.record({
      keys: fc.uniqueArray(fc.constantFrom(...VERSIONS), { minLength: 1 }),
      fallback: fc.constantFrom(undefined, 'lower' as const, 'inherit' as const),
      otherwise: fc.boolean(),
    }),
  ),
  description,
  mark: fc.constantFrom(undefined, undefined, 'added' as const, 'removed' as const),
  neutral: fc.integer({ min: 0, max: 5 }).map((chance) => chance === 0),
  deprecated: fc.constantFrom(undefined, undefined, '2020-01-01', '2090-01-01'),
})
const api = fc.record({
  scheme: fc.constantFrom(...(Object.keys(schemes) as (keyof typeof schemes)[])),
  routes: fc.array(route, { minLength: 1, maxLength: 4 }),
  namespaced: fc.uniqueArray(fc.constantFrom(...VERSIONS), { maxLength: 3 }),
  prefix: fc.constantFrom('', '/:version', '{/:version}'),
  mount: fc.constantFrom('/', '/api', '/:version', '/:tenant/api'),
  origin: fc.constantFrom(undefined, 'https://api.example.com', 'https://example.com:8443'),
  publicPath: fc.constantFrom(undefined, '/shop'),
  defaultVersion: fc.constantFrom(undefined, ...VERSIONS),
  gone: fc.boolean(),
  history: fc.boolean(),
  problems: fc.boolean(),
})
type Api = typeof api extends fc.Arbitrary<infer Value> ? Value : never

interface Made {
  options: VersioningOptions
  settings: OpenApiOptions
  app: Application
  neutral: ReadonlySet<string>
}

function fill(table: NamedRoutes, { routes }: Api, offset: number): void {
  routes.forEach(({ path, methods, by, description, deprecated: since }, index) => {
    const name = `r${index + offset}`
    table.add(name, path)
    const keyed = Object.fromEntries((by?.keys ?? []).map((key) => [key, tell]))
    const handler =
      by === undefined ? tell : byVersion(keyed, { fallback: by.fallback, otherwise: by.otherwise ? tell : undefined })
    const before = since === undefined ? [] : [deprecated({ since, sunset: '2099-01-01' })]
    for (const method of methods) {
      const declared = table.route(name) as unknown as Record<string, (...handlers: RequestHandler[]) => void>
      declared[method]?.(...before, handler)
      if (description === undefined || method === 'all') continue
      table.describe(`${method.toUpperCase()} ${name}`, {
        ...(description.general as object),
        versions: description.own as object,
      })
    }
  })
}

/** Builds a table, or returns `undefined` if the table is invalid, such as with the version twice in one path. */
function made(given: Api): Made | undefined {
  const byPath = given.scheme === 'path' || given.scheme === 'pathOrHeader'
  const root = namedRoutes({}) as NamedRoutes
  const child = namedRoutes({}) as NamedRoutes
  const named = new Set<string>()
  try {
    fill(child, given, 0)
    if (given.scheme === 'namespace') {
      for (const version of given.namespaced) root.include(`/${version}`, child, { namespace: version })
      fill(root, given, 10)
    } else if (byPath && given.prefix !== '') root.include(given.prefix, child)
    else root.include('/', child)
  } catch {
    return undefined
  }
  const views = root.list().map(({ name }) => name)
  const plain = (view: string) => Number(/\d+$/.exec(view)?.[0]) % 10
  const neutral = views.filter((view) => given.routes[plain(view)]?.neutral)
  for (const view of neutral) named.add(view)
  const marks = views.flatMap((view) => {
    const found = given.routes[plain(view)]
    const method = found?.methods.find((name) => name !== 'all' && name !== 'm-search')
    return found?.mark === undefined || method === undefined
      ? []
      : [[`${method.toUpperCase()} ${view}`, found.mark] as const]
  })
  const changes =
    given.history && marks.length > 0
      ? versionHistory('v1')
          .version('v2')
          .version('v3', change('Much.', Object.fromEntries(marks)))
      : undefined
  const scheme = schemes[given.scheme]({ allowedVersions: VERSIONS, defaultVersion: given.defaultVersion })
  const { origin, publicPath } = given
  // A host that names the version needs an origin in documents.
  const hosted = given.scheme.startsWith('host') ? (origin ?? 'https://example.com') : origin
  const options = {
    scheme,
    routes: root,
    origin: hosted,
    publicPath,
    neutral,
    changes,
    ...(given.gone
      ? { lifecycle: { v1: { deprecated: '2020-01-01', sunset: '2021-01-01' } }, afterSunset: 'gone' as const }
      : {}),
  }
  const mount = byPath || given.mount !== '/:version' ? given.mount : '/'
  const app = express()
  app.use((req, _res, next) => {
    // As a proxy does.
    if (publicPath !== undefined) req.url = req.url.slice(publicPath.length) || '/'
    next()
  })
  const settings = { mount, problemDetails: given.problems, info: { title: 'Random' } }
  try {
    app.use(mount, versioning(options), root as unknown as RequestHandler)
  } catch {
    return undefined
  }
  app.use(problemDetails(), jsonErrors)
  return { options, settings, app, neutral: named }
}

let current: Application
let server: Served
beforeEach(async () => {
  const outer = express()
  outer.use((req, res) => current(req, res))
  server = await listen(outer)
})

const documents: OpenApiDocument[] = []
/** More are not looked at: the validator takes some milliseconds for each. */
const MOST = 1000

property(
  'each operation, sent as its document says, is answered in that version, and what is not there is not',
  fc.asyncProperty(api, async (given) => {
    const built = made(given)
    if (built === undefined) return
    const { options, settings, app, neutral } = built
    current = app
    const docs = openapi(options, settings)
    const surveyor = new Surveyor('test', options, settings.mount)
    for (const version of VERSIONS) {
      const document = docs.document(version)
      if (documents.length < MOST) documents.push(document)
      const isDefault = version === given.defaultVersion
      for (const said of [...requestsOf(document), ...(isDefault ? requestsOf(document, { bare: true }) : [])]) {
        const { operation, ...asked } = said
        const answer = await send(server, asked)
        const told = answer.json as { version?: unknown; view?: string } | undefined
        const isNeutral = told?.view !== undefined && neutral.has(told.view)
        const gone = given.gone && version === 'v1'
        const expected =
          gone && !isNeutral
            ? { status: 410, json: expect.anything() }
            : { status: 200, json: { version: isNeutral ? null : version, view: expect.anything() } }
        expect({ version, asked, answer }).toEqual({ version, asked, answer: expected })
        if (gone && !isNeutral) expect(Object.keys(operation.responses)).toEqual(['410'])
      }
      for (const absent of surveyor.survey.operations.filter(({ served }) => !served.has(version))) {
        for (const [other, { addresses }] of absent.served) {
          for (const { path } of addresses) {
            const carrier = surveyor.options.scheme
              .carriers(version)
              .find((one) => one.in === 'header' || one.in === 'host')
            const headers: Record<string, string> =
              carrier === undefined
                ? {}
                : carrier.in === 'host'
                  ? { Host: `${version}.example.com` }
                  : { [carrier.name as string]: carrier.value }
            const query = given.scheme === 'query' ? `?v=${version}` : ''
            const place = samplePath(path).replaceAll(`/${other}`, `/${version}`)
            const asked = { method: absent.method, path: `${given.publicPath ?? ''}${place}${query}`, headers }
            const answer = await send(server, asked)
            expect({ asked, answer }).not.toEqual({
              asked,
              answer: { status: 200, json: { version, view: absent.viewName } },
            })
          }
        }
      }
    }
  }),
)

test('all of those documents are valid', async () => {
  expect(documents.length).toBeGreaterThan(100)
  const problems = await lintAll(documents)
  const found = problems
    .map((list, index) => ({ list, document: documents[index] }))
    .filter(({ list }) => list.length > 0)
  expect(found.slice(0, 1)).toEqual([])
}, 120_000)
