import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import express, { type Application, type RequestHandler } from 'express'
import * as library from 'express-versioning'
import { byVersion, deprecated, type NamedRoutes, namedRoutes } from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { type OpenApiDocument, openapi } from 'express-versioning/openapi'
import fc from 'fast-check'
import { samplePath } from '../../src/survey/operation-addresses'
import { Surveyor } from '../../src/survey/survey'
import { expectValid } from '../support/parts'
import { property, RUNS } from '../support/property'
import { accept, combined, header, host, namespace, path, query, vendor } from '../support/schemes'
import { jsonErrors, listen } from '../support/serve'

const VERSIONS = ['v1', 'v2', 'v3']
const tell: RequestHandler = (req, res) => void res.json({ version: req.version, view: req.resolverMatch?.viewName })

const hosted = { ignore: ['api'] }
const schemes = {
  header,
  accept: (own: object) => accept({ ...own, mediaTypes: ['text/html', 'application/json'] }),
  mediaType: (own: object) => vendor('application/vnd.a.{version}+json', own),
  query: (own: object) => query({ ...own, versionParam: 'v' }),
  path,
  namespace,
  host: (own: object) => host({ ...own, ...hosted }),
  pathOrHeader: (own: object) => combined([path(), header()], own),
  hostOrAccept: (own: object) => combined([host(hosted), accept()], own),
}

const { constantFrom, oneof, record, constant, uniqueArray, dictionary, boolean, integer } = fc
const schema = constantFrom<object | null | boolean>(
  { type: 'object', properties: { a: { type: 'string' }, 'b c': true }, required: ['a'] },
  { type: 'array', items: { $ref: '#' } },
  { $ref: '#/$defs/X', $defs: { X: { type: 'object', properties: { x: { $ref: '#/$defs/X' } } } } },
  { $id: 'https://a.example/Thing.json', title: 'A thing', allOf: [true, { $ref: 'Thing.json#/allOf/0' }] },
  true,
)
const status = constantFrom('200', '201', '204', '404', '406')
const byStatus = dictionary(status, oneof(schema, constant(null)), { minKeys: 1 })
const texts = { summary: constantFrom('', 'A `summary`'), tags: constantFrom<string[]>([], ['a', 'a']) }
const said = { ...texts, description: constant('More.'), deprecated: boolean(), query: schema }
const part = record({ ...said, response: oneof(schema, byStatus) }, { requiredKeys: [] })
const version = constantFrom(...VERSIONS)
const fallback = constantFrom(undefined, 'lower' as const, 'inherit' as const)
const method = constantFrom('get', 'post', 'all', 'put', 'options', 'm-search')
const paths =
  '/a /A/ /a/:id /a/:name /a/:"the name"/x /b{/:id} /b{/:x}{/:y} /c/*rest /d/:id{.:format} / /{:x} /e/:"a b"/:a_b /é/:ü ' +
  '/:version/f /g/one /g/:id /h/:a-:b'
const own = dictionary(constantFrom(...VERSIONS, 'v9'), part)
const keys = uniqueArray(version, { minLength: 1 })
const route = record({
  path: constantFrom(...paths.split(/ (?=\/)/)),
  methods: uniqueArray(method, { minLength: 1, maxLength: 2 }),
  by: oneof(constant(undefined), record({ keys, fallback, otherwise: boolean() })),
  description: oneof(constant(undefined), record({ general: part, own })),
  mark: constantFrom(undefined, undefined, 'added' as const, 'removed' as const),
  neutral: integer({ min: 0, max: 5 }).map((chance) => chance === 0),
  deprecated: constantFrom(undefined, undefined, '2020-01-01', '2090-01-01'),
})
const api = record({
  scheme: constantFrom(...(Object.keys(schemes) as (keyof typeof schemes)[])),
  routes: fc.array(route, { minLength: 1, maxLength: 4 }),
  namespaced: uniqueArray(version, { maxLength: 3 }),
  prefix: constantFrom('', '/:version', '{/:version}'),
  mount: constantFrom('/', '/api', '/:version', '/:tenant/api'),
  origin: constantFrom(undefined, 'https://api.example.com', 'https://example.com:8443'),
  publicPath: constantFrom(undefined, '/shop'),
  defaultVersion: constantFrom(undefined, ...VERSIONS),
  gone: boolean(),
  history: boolean(),
  problems: boolean(),
  addresses: constantFrom(undefined, 'all' as const),
})
type Api = typeof api extends fc.Arbitrary<infer Value> ? Value : never

function fill(table: NamedRoutes, { routes }: Api, offset: number): void {
  for (const [index, { path, methods, by, description, deprecated: since }] of routes.entries()) {
    const name = `r${index + offset}`
    const keyed = Object.fromEntries((by?.keys ?? []).map((key) => [key, tell]))
    const otherwise = by?.otherwise ? tell : undefined
    const handler = by === undefined ? tell : byVersion(keyed, { fallback: by.fallback, otherwise })
    const before = since === undefined ? [] : [deprecated({ since, sunset: '2099-01-01' })]
    const route = table.add(name, path).route(name) as unknown as Record<string, (...all: RequestHandler[]) => void>
    for (const method of methods) {
      route[method]?.(...before, handler)
      if (description === undefined || method === 'all') continue
      const { general, own } = description as Record<string, object>
      table.describe(`${method.toUpperCase()} ${name}`, { ...general, versions: own })
    }
  }
}

/** Builds an API. Throws if it is invalid, such as with the version twice in one path. */
function built(given: Api) {
  const byPath = given.scheme === 'path' || given.scheme === 'pathOrHeader'
  const routes = namedRoutes({}) as NamedRoutes
  const child = namedRoutes({}) as NamedRoutes
  fill(child, given, 0)
  if (given.scheme === 'namespace') {
    for (const version of given.namespaced) routes.include(`/${version}`, child, { namespace: version })
    fill(routes, given, 10)
  } else routes.include(byPath && given.prefix !== '' ? given.prefix : '/', child)
  const views = routes.list().map(({ name }) => ({ name, ...given.routes[Number(/\d+$/.exec(name)?.[0]) % 10] }))
  const neutral = views.filter((view) => view.neutral).map(({ name }) => name)
  const marks = views.flatMap(({ name, methods, mark }) => {
    const method = methods?.find((one) => one !== 'all' && one !== 'm-search')
    return mark === undefined || method === undefined ? [] : [[`${method.toUpperCase()} ${name}`, mark] as const]
  })
  const marked = () => change('Much.', Object.fromEntries(marks))
  const isMarked = given.history && marks.length > 0
  const changes = isMarked ? versionHistory('v1').version('v2').version('v3', marked()) : undefined
  const lifecycle = given.gone ? { v1: { deprecated: '2020-01-01', sunset: '2021-01-01' } } : undefined
  const scheme = schemes[given.scheme]({ allowedVersions: VERSIONS, defaultVersion: given.defaultVersion })
  // A host that names the version needs an origin in documents.
  const origin = given.scheme.startsWith('host') ? (given.origin ?? 'https://example.com') : given.origin
  const { publicPath } = given
  const options = { scheme, routes, origin, publicPath, neutral, changes, lifecycle, afterSunset: 'gone' } as const
  const mount = byPath || given.mount !== '/:version' ? given.mount : '/'
  const app = express()
  // As a proxy does.
  app.use((req, _res, next) => next(void Object.assign(req, { url: req.url.slice(publicPath?.length ?? 0) || '/' })))
  app.use(mount, library.versioning(options), routes as unknown as RequestHandler, library.problemDetails(), jsonErrors)
  return { options, mount, app, isNeutral: (view: string | undefined) => neutral.includes(String(view)) }
}

type Asked = Readonly<Record<'method' | 'path', string>> & { readonly headers: Record<string, string> }

/** Returns the operations of a document as requests. Parameters are `1`; `bare` leaves out optional ones. */
function requestsOf(document: OpenApiDocument, bare: boolean): (Asked & { readonly statuses: string[] })[] {
  const { host, pathname } = new URL(document.servers?.[0]?.url as string, 'http://localhost')
  return Object.entries(document.paths).flatMap(([template, item]) =>
    Object.entries(item).map(([method, { parameters = [], responses }]) => {
      let path = template
      const headers: Record<string, string> = host === 'localhost' ? {} : { Host: host }
      const query = new URLSearchParams()
      for (const { name, in: place, required, schema } of parameters) {
        const [value = ''] = (schema as { enum?: string[] }).enum ?? ['1']
        if (place === 'path') path = path.replace(`{${name}}`, '1')
        else if (bare && required !== true) continue
        else if (place === 'query') query.set(name, value)
        else headers[name] = value
      }
      const types = Object.values(responses).flatMap(({ content }) => Object.keys(content ?? {}))
      const accept = types.find((type) => type !== 'application/problem+json')
      if (accept !== undefined && !bare) headers.Accept = accept
      path = `${pathname.replace(/\/$/, '')}${path}${query.size === 0 ? '' : `?${query}`}`
      return { method: method.toUpperCase(), path, headers, statuses: Object.keys(responses) }
    }),
  )
}

let app: Application
let port: number
beforeAll(async () => {
  ;({ port } = await listen(express().use((req, res) => app(req, res))))
})

/** Its connections stay open, because each case sends dozens of requests. */
const agent = new Agent({ keepAlive: true })
async function send<One extends Asked>(asked: One) {
  const { method, path, headers } = asked
  const [response] = await once(request({ agent, port, method, path, headers }).end(), 'response')
  const content = await text(response)
  const json = content.startsWith('{') ? JSON.parse(content) : undefined
  return {
    asked,
    response: { status: response.statusCode, json: json as { view?: string; version?: unknown } | undefined },
  }
}

/** The documents for the linter, which takes some milliseconds for each. */
const documents: OpenApiDocument[] = []

property(
  'each operation, sent as its document says, is responded to in that version, and what is not there is not',
  fc.asyncProperty(api, async (given) => {
    let found: ReturnType<typeof built>
    try {
      found = built(given)
    } catch {
      return
    }
    const { options, mount, isNeutral } = found
    app = found.app
    const { problems: problemDetails, addresses } = given
    const docs = openapi(options, { mount, problemDetails, addresses, info: { title: 'Random' } })
    const { survey, options: compiled } = new Surveyor('test', options, mount)
    for (const version of VERSIONS) {
      const document = docs.document(version)
      if (documents.length < 200) documents.push(document)
      const bare = version === given.defaultVersion ? requestsOf(document, true) : []
      const responses = await Promise.all([...requestsOf(document, false), ...bare].map(send))
      const expected = responses.map(({ asked, response: { json } }) => {
        // Behind a route that is skipped, a neutral one is served in the version of the request.
        const neutral = isNeutral(json?.view) && json?.version !== version
        const served = { version: neutral ? null : version, view: expect.anything() }
        if (!given.gone || version !== 'v1' || neutral) return { asked, response: { status: 200, json: served } }
        return { asked: { ...asked, statuses: ['410'] }, response: { status: 410, json: expect.anything() } }
      })
      expect({ version, responses }).toEqual({ version, responses: expected })
      const headers: Record<string, string> = {}
      for (const { in: place, name = '', value } of compiled.scheme.carriers(version)) {
        if (place === 'host') headers.Host = `${value}.example.com`
        if (place === 'header') headers[name] = value
      }
      const query = given.scheme === 'query' ? `?v=${version}` : ''
      const absent = survey.operations.flatMap(({ method, viewName: view, served }) => {
        const elsewhere = served.has(version) ? [] : [...served]
        const places = elsewhere.flatMap(([other, { addresses }]) =>
          addresses.map(({ path }) => samplePath(path).replaceAll(`/${other}`, `/${version}`)),
        )
        const paths = [...new Set(places)].map((place) => `${given.publicPath ?? ''}${place}${query}`)
        return paths.map((path) => ({ method, path, headers, view }))
      })
      const isServed = ({ asked, response: { status, json } }: Awaited<ReturnType<typeof send<(typeof absent)[0]>>>) =>
        status === 200 && json?.view === asked.view && json.version === version
      expect((await Promise.all(absent.map(send))).filter(isServed)).toEqual([])
    }
  }),
)

test('all of those documents are valid', async () => {
  expect(documents.length).toBeGreaterThanOrEqual(Math.min(2 * RUNS, 200))
  await expectValid(...documents)
}, 120_000)
