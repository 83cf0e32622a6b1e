// Versions in an app of Nest by one call, on a stand-in for Nest.
import express, { type Request } from 'express'
import { CombinedVersioning, HeaderVersioning, URLPathVersioning, versioning } from 'express-versioning'
import { change, fields, versionHistory } from 'express-versioning/changes'
import { ConvertRequest, type HttpContext, type NestVersioningOptions, VersioningModule } from 'express-versioning/nest'
import { routesOf } from 'express-versioning/openapi'
import { json, object, ok, ref, text } from '../support/parts'
import { serve } from '../support/serve'
import { catchWarnings } from '../support/warnings'
import { type AppSpec, type ControllerSpec, contextOf, FileInterceptor, type MethodSpec, nestApp } from './stand-in'

const warned = catchWarnings()
const NEUTRAL = Symbol('VERSION_NEUTRAL')
const plant = { ...object({ id: { type: 'integer' }, label: text }, 'id', 'label') }
const renames = fields({ renamed: { name: 'label' } })
const history = (older = '1', newer = '2', more: object = {}) =>
  versionHistory(older).version(newer, change('Plants have a `label`.', { Plant: renames, ...more }))
const byHeader = (): NestVersioningOptions => ({ scheme: HeaderVersioning, defaultVersion: '1', changes: history() })
const byPath = (): NestVersioningOptions => ({ ...byHeader(), scheme: URLPathVersioning })

const id = { name: 'id', in: 'path', required: true, schema: text }
const one = { get: { parameters: [id], responses: { 200: ok(ref('Plant')) } } }
const add = { requestBody: { content: json(ref('Plant')) }, responses: { 201: ok(ref('Plant')) } }
const documentOf = (paths: object, more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Plants', version: '2' },
  paths,
  components: { schemas: { Plant: plant } },
  ...more,
})
const plantsAt = (prefix = '') => ({ [`${prefix}/plants`]: { post: add }, [`${prefix}/plants/{id}`]: one })

const FERN = { id: 1, label: 'Fern' }
const show: MethodSpec = { path: ':id', handle: () => FERN }
const create: MethodSpec = { verb: 1, path: '', handle: ({ body }) => ({ id: 2, label: body.label }) }
const plants: ControllerSpec = { path: 'plants', methods: { create, show } }

function setUp(spec: AppSpec, document: object, options: NestVersioningOptions) {
  const app = nestApp(spec)
  return { ...app, documents: VersioningModule.setup(app.nest, document, options) }
}
const codes = () => warned.map(([, more]) => (more as { code: string }).code)
const told = () =>
  warned.filter(([, more]) => (more as { code: string }).code === 'EXPRESS_VERSIONING_NEST').map(String)
const V2 = { 'X-API-Version': '2' }
const OLD = { id: 1, name: 'Fern' }

test('bodies and responses are converted, and rejections are exceptions with the error as cause', async () => {
  const server = await setUp({ controllers: [plants] }, documentOf(plantsAt()), byHeader()).listen()
  expect((await server.get('/plants/1')).json).toEqual(OLD)
  expect((await server.get('/plants/1', V2)).json).toEqual(FERN)
  const wrong = await server.get('/plants/1', { 'X-API-Version': '7' })
  expect([wrong.status, wrong.json]).toEqual([
    406,
    expect.objectContaining({ status: 406, code: 'ERR_VERSION_NOT_ACCEPTABLE', cause: 'ERR_VERSION_NOT_ACCEPTABLE' }),
  ])
  expect(codes()).toEqual([])
})

test('errors that the document does not say are asked for, in words of Nest', async () => {
  // As decorators without a status write it.
  const responses = { default: ok(ref('Plant')) }
  const document = documentOf({ ...plantsAt(), '/plants/{id}': { get: { parameters: [id], responses } } })
  const asked =
    /all errors need a description: of all operations by the option errors: \{ \$ref: 'Plant' \}, or of one operation by @ApiResponse\(\{ status: '4XX' \}\)\. A response without a status is one of errors too; if it is a success, say so: @ApiResponse\(\{ status: 200 \}\)\. There is none for 4XX and 5XX of pages without a route, 4XX and 5XX of "POST \/plants"/
  expect(() => setUp({ controllers: [plants] }, document, byHeader())).toThrow(asked)
  const listed = { 404: { description: '', ...{ content: json({ type: 'array', items: ref('Plant') }) } } }
  const others = documentOf({ ...plantsAt(), '/plants/{id}': { get: { ...one.get, responses: listed } } })
  expect(() => setUp({ controllers: [plants] }, others, byHeader())).toThrow("errors: { type: 'object' }, or of")
  for (const errors of [null, { type: 'object' }, { $ref: 'Plant' }]) {
    for (const options of [byHeader(), byPath()]) {
      const server = await setUp({ controllers: [plants] }, document, { ...options, errors }).listen()
      await holds(server, [
        ['GET /plants/1', NONE, 200, OLD],
        ['POST /plants {"name":"Moss"}', NONE, 201, { id: 2, name: 'Moss' }],
      ])
    }
  }
})

/** Asks as a client of a row, and compares the status and the body, or a part of it. */
async function holds(server: Awaited<ReturnType<ReturnType<typeof setUp>['listen']>>, rows: readonly Row[]) {
  for (const [asked, headers, status, body] of rows) {
    const [method = '', path = '', sent] = asked.split(' ')
    const fields = sent === undefined ? headers : { 'Content-Type': 'application/json', ...headers }
    const response = await server.send(method, path, fields, sent)
    expect([asked, headers, response.status, response.json]).toEqual([asked, headers, status, body])
  }
}
type Row = [asked: string, headers: Record<string, string>, status: number, body: unknown]
const problem = (code: string) => expect.objectContaining({ code, cause: code })
const NONE = {}
const V1 = { 'X-API-Version': '1' }
const hidden: MethodSpec = { path: 'hidden', handle: () => FERN }
const withHidden: ControllerSpec = { path: 'plants', methods: { create, hidden, show } }
const health: ControllerSpec = {
  path: 'health',
  version: NEUTRAL,
  methods: { fine: { path: '', handle: () => 'fine' } },
}
const fine = { '/health': { get: { responses: { 200: ok(text) } } } }
const NO_PAGE: Row[3] = undefined

describe('the place of the version', () => {
  const api = { controllers: [withHidden, health], prefix: 'api', excluded: 'health' }
  const rowsAt = (start: string, v2: string, headers: Record<string, string>): Row[] => [
    [`GET ${start}/plants/1`, NONE, 200, OLD],
    [`GET ${v2}/plants/1`, headers, 200, FERN],
    [`POST ${start}/plants {"name":"Moss"}`, NONE, 201, { id: 2, name: 'Moss' }],
    [`POST ${v2}/plants {"label":"Moss"}`, headers, 201, { id: 2, label: 'Moss' }],
    // The document does not have it, though it has a path that looks like it.
    [`GET ${start}/plants/hidden`, NONE, 404, problem('ERR_VERSION_UNHANDLED')],
    [`GET ${v2}/plants/hidden`, headers, 200, FERN],
    ['GET /health', headers, 200, 'fine'],
    // A page of others.
    ['GET /page', { 'X-API-Version': '7' }, 200, FERN],
    ['GET /nothing', NONE, 404, NO_PAGE],
  ]

  test.each<[what: string, spec: AppSpec, document: object, options: () => NestVersioningOptions, rows: Row[]]>([
    ['a header', { ...api, prefix: '' }, documentOf({ ...plantsAt(), ...fine }), byHeader, rowsAt('', '', V2)],
    ['a header, a prefix', api, documentOf({ ...plantsAt('/api'), ...fine }), byHeader, rowsAt('/api', '/api', V2)],
    [
      'a header, a prefix that the document lacks',
      api,
      documentOf({ ...plantsAt(), ...fine }),
      byHeader,
      rowsAt('/api', '/api', V2),
    ],
    [
      'the path',
      { ...api, prefix: '' },
      documentOf({ ...plantsAt(), ...fine }),
      byPath,
      [
        ...rowsAt('', '/2', NONE),
        ['GET /1/plants/1', NONE, 200, OLD],
        ['GET /9/plants/1', NONE, 404, NO_PAGE],
        ['GET /2/health', NONE, 200, 'fine'],
      ],
    ],
    [
      'the path, a prefix',
      api,
      documentOf({ ...plantsAt('/api'), ...fine }, { servers: [{ url: 'https://plants.example' }] }),
      byPath,
      [
        ...rowsAt('/api', '/api/2', NONE),
        ['GET /api/1/plants/1', NONE, 200, OLD],
        ['GET /api/9/plants/1', NONE, 404, problem('ERR_VERSION_NOT_FOUND')],
        ['GET /api/9/nothing', NONE, 404, NO_PAGE],
        ['GET /API/2/plants/1?a=1', NONE, 200, FERN],
      ],
    ],
    [
      'the path, a prefix that the document lacks',
      api,
      documentOf({ ...plantsAt(), ...fine }),
      byPath,
      rowsAt('/api', '/api/2', NONE),
    ],
  ])('%s', async (_, spec, document, options, rows) => {
    const app = setUp(spec, document, options())
    app.express.get('/page', (_req, res) => void res.json(FERN))
    await holds(await app.listen(), rows)
  })

  test('the root of the app', async () => {
    const root = { path: '', methods: { root: { path: '', handle: () => FERN } } }
    const info = { get: { responses: { 200: ok(ref('Plant')) } } }
    const document = documentOf({ '/': info, '/health': fine['/health'] })
    const spec = { controllers: [root, health], excluded: 'health' }
    const app = setUp(spec, document, { ...byPath(), neutral: ['/health'] })
    await holds(await app.listen(), [
      ['GET /', NONE, 200, OLD],
      ['GET /2', NONE, 200, FERN],
    ])
    expect(Object.keys(app.documents.document('2').paths)).toEqual(['/2', '/2/health'])
    await holds(await setUp({ ...spec, prefix: 'api' }, document, byHeader()).listen(), [['GET /api', NONE, 200, OLD]])
    const inNest = setUp({ ...spec, versioning: { type: 0 } }, document, byPath())
    expect(Object.keys(inNest.documents.document('2').paths)).toEqual(['/', '/health'])
  })

  test('paths that moved', async () => {
    const document = documentOf(plantsAt('/api'))
    const changes = () => history('1', '2', { 'GET /api/plants/{id}': { path: '/api/herbs/{id}' } })
    const spec = { controllers: [plants], prefix: 'api' }
    await holds(await setUp(spec, document, { ...byHeader(), changes: changes() }).listen(), [
      ['GET /api/herbs/1', NONE, 200, OLD],
      ['GET /api/plants/1', NONE, 404, problem('ERR_VERSION_UNHANDLED')],
    ])
    await holds(await setUp(spec, document, { ...byPath(), changes: changes() }).listen(), [
      ['GET /api/herbs/1', NONE, 200, OLD],
      ['GET /api/1/herbs/1', NONE, 200, OLD],
      ['GET /api/2/plants/1', NONE, 200, FERN],
    ])
  })

  test('links have the version behind the prefix', async () => {
    const at = (name: string, kwargs: Record<string, number>): MethodSpec => ({
      path: 'link',
      handle: (req) => ({ id: 1, label: req.reverse(name, { kwargs }) }),
    })
    const linked = async (name: string, start: string, kwargs = {}, more = {}) => {
      const paths = { ...plantsAt(start), '/health': one, [`${start}/plants/link`]: { get: one.get } }
      const spec = { controllers: [{ path: 'plants', methods: { link: at(name, kwargs) } }, health] }
      return setUp({ ...spec, prefix: 'api', excluded: 'health' }, documentOf(paths), { ...byPath(), ...more }).listen()
    }
    for (const start of ['/api', '']) {
      const plant = await linked(`${start}/plants/{id}`, start, { id: 7 })
      await holds(plant, [
        ['GET /api/plants/link', NONE, 200, { id: 1, name: '/api/1/plants/7' }],
        ['GET /api/2/plants/link', NONE, 200, { id: 1, label: '/api/2/plants/7' }],
      ])
    }
    await holds(await linked('/health', '/api'), [['GET /api/2/plants/link', NONE, 200, { id: 1, label: '/2/health' }]])
    const neutral = ['/api/plants/link']
    await holds(await linked('/health', '/api', undefined, { neutral }), [
      ['GET /api/plants/link', NONE, 200, { id: 1, label: '/health' }],
    ])
    const schemes = [new HeaderVersioning(), new URLPathVersioning()]
    const both = { scheme: new CombinedVersioning({ schemes, defaultVersion: '1' }), defaultVersion: undefined }
    await holds(await linked('/api/plants/{id}', '/api', { id: 7 }, both), [
      ['GET /api/plants/link', V2, 200, { id: 1, label: '/api/plants/7' }],
      ['GET /api/2/plants/link', NONE, 200, { id: 1, label: '/api/2/plants/7' }],
    ])
  })

  test('a target in absolute form', async () => {
    const server = await setUp({ controllers: [plants] }, documentOf(plantsAt()), byHeader()).listen()
    expect((await server.send('GET', 'http://127.0.0.1:99999/plants/1', V2)).json).toEqual(FERN)
  })
})

describe("Nest's own versions", () => {
  const of1: ControllerSpec = {
    path: 'plants',
    version: '1',
    methods: { show: { path: ':id', handle: () => ({ old: 'Fern' }) } },
  }
  const since2: ControllerSpec = { ...plants, version: ['2', '3'] }
  const controllers = [of1, since2, health, { path: 'info', methods: { info: { path: '', handle: () => FERN } } }]
  const from2 = (scheme: NestVersioningOptions['scheme']) => ({
    scheme,
    defaultVersion: '2',
    changes: history('2', '3'),
  })
  const old = { get: { parameters: [id], responses: { 200: ok(object({ old: text })) } } }
  const info = { get: { responses: { 200: ok(ref('Plant')) } } }

  test.each([
    ['/api', '/api', 'v', {}],
    ['/api', '', '', { prefix: false as const }],
    ['', '', 'v', { prefix: 'v' }],
  ])('copies below "%s", in the document below "%s", with "%s" in front', async (start, given, v, more) => {
    const paths = {
      [`${given}/${v}1/plants/{id}`]: old,
      ...plantsAt(`${given}/${v}2`),
      ...plantsAt(`${given}/${v}3`),
      ...fine,
      [`${given}/info`]: info,
    }
    const spec = { controllers, prefix: start.slice(1), excluded: 'health', versioning: { type: 0, ...more } }
    const app = setUp(spec, documentOf(paths), from2(URLPathVersioning))
    await holds(await app.listen(), [
      [`GET ${start}/${v}1/plants/1`, NONE, 200, { old: 'Fern' }],
      [`GET ${start}/${v}2/plants/1`, NONE, 200, OLD],
      [`GET ${start}/${v}3/plants/1`, NONE, 200, FERN],
      [`HEAD ${start}/${v}2/plants/1`, NONE, 200, NO_PAGE],
      [`POST ${start}/${v}2/plants {"name":"Moss"}`, NONE, 201, { id: 2, name: 'Moss' }],
      [`GET ${start}/${v}9/plants/1`, NONE, 404, NO_PAGE],
      [`OPTIONS ${start}/${v}2/plants/1`, NONE, 200, NO_PAGE],
      [`GET ${start}/${v}2/nothing`, NONE, 404, NO_PAGE],
      [`GET ${start}/info`, NONE, 200, OLD],
      ['GET /health', NONE, 200, 'fine'],
    ])
    const pathsOf = (version: string) => Object.keys(app.documents.document(version).paths).sort()
    const common = [`${given}/${v}1/plants/{id}`, `${given}/info`, '/health']
    expect(pathsOf('2')).toEqual([...common, `${given}/${v}2/plants`, `${given}/${v}2/plants/{id}`].sort())
    expect(pathsOf('3')).toEqual([...common, `${given}/${v}3/plants`, `${given}/${v}3/plants/{id}`].sort())
  })

  test('copies below the version, and a path that moved', async () => {
    const changes = versionHistory('2').version(
      '3',
      change('Herbs.', { 'GET /v3/plants/{id}': { path: '/v3/herbs/{id}' } }),
    )
    const document = documentOf({ ...plantsAt('/v2'), ...plantsAt('/v3') })
    const spec = { controllers: [since2], versioning: { type: 0 } }
    const app = setUp(spec, document, { ...from2(URLPathVersioning), changes })
    await holds(await app.listen(), [
      ['GET /v2/herbs/1', NONE, 200, FERN],
      ['GET /v3/plants/1', NONE, 200, FERN],
      ['GET /v3/herbs/1', NONE, 404, NO_PAGE],
    ])
  })

  test('links name the copy of the version, and its path', async () => {
    const changes = history('2', '3', { 'GET /v3/plants/{id}': { path: '/v3/herbs/{id}' } })
    const to = (req: Request, name: string) => {
      try {
        return req.reverse(name, { kwargs: { id: 7 } })
      } catch (error) {
        return (error as Error).message
      }
    }
    const names = ['/v3/plants/{id}', '/v3/seeds/{id}', '/v1/plants/{id}']
    const linking: MethodSpec = { path: '', handle: (req) => ({ label: names.map((name) => to(req, name)).join(' ') }) }
    const all: ControllerSpec = { path: 'links', version: ['2', '3'], methods: { linking } }
    const seeds: ControllerSpec = { ...plants, path: 'seeds', version: '3', methods: { show } }
    const links = { get: { responses: { 200: ok(ref('Plant')) } } }
    const document = documentOf({
      ...{ '/v1/plants/{id}': old, ...plantsAt('/v2'), ...plantsAt('/v3'), '/v3/seeds/{id}': one },
      ...{ '/v2/links': links, '/v3/links': links },
    })
    const spec = { controllers: [of1, since2, all, seeds], versioning: { type: 0 } }
    const app = setUp(spec, document, { ...from2(URLPathVersioning), changes })
    const isGone = '"/v3/seeds/{id}" is not there in the version of the link.'
    await holds(await app.listen(), [
      ['GET /v2/links', NONE, 200, { name: `/v2/herbs/7 ${isGone} /v1/plants/7` }],
      ['GET /v3/links', NONE, 200, { label: '/v3/plants/7 /v3/seeds/7 /v1/plants/7' }],
    ])
    const paths = ['/v1/plants/{id}', '/v2/herbs/{id}', '/v2/links', '/v2/plants']
    expect(Object.keys(app.documents.document('2').paths).sort()).toEqual(paths)
  })

  test('copies by a header', async () => {
    const document = documentOf({ ...plantsAt(), ...fine })
    const app = setUp(
      { controllers: [of1, since2, health], versioning: { type: 1, defaultVersion: NEUTRAL } },
      document,
      from2(HeaderVersioning),
    )
    await holds(await app.listen(), [
      ['GET /plants/1', V1, 200, { old: 'Fern' }],
      ['GET /plants/1', V2, 200, OLD],
      ['GET /plants/1', { 'X-API-Version': '3' }, 200, FERN],
      ['GET /plants/1', { 'X-API-Version': '9' }, 406, problem('ERR_VERSION_NOT_ACCEPTABLE')],
      ['GET /health', { 'X-API-Version': '9' }, 200, 'fine'],
    ])
  })

  test('dates in a header on top of a version that never changes; what takes any version is converted if it changes', async () => {
    const changes = history('2024-01-01', '2025-01-01')
    const any: ControllerSpec = { ...plants, path: 'any', version: NEUTRAL, methods: { show } }
    const lacked: ControllerSpec = { ...health, path: 'lacked' }
    const spec = { controllers: [{ ...plants, version: '1' }, any, health, lacked], versioning: { type: 0 } }
    const document = documentOf({ ...plantsAt('/v1'), '/any/{id}': one, ...fine })
    const app = setUp(spec, document, {
      scheme: HeaderVersioning,
      defaultVersion: '2024-01-01',
      changes,
      neutral: ['/pages'],
    })
    await holds(await app.listen(), [
      ['GET /v1/plants/1', NONE, 200, OLD],
      ['GET /v1/plants/1', { 'X-API-Version': '2025-01-01' }, 200, FERN],
      ['GET /any/1', NONE, 200, OLD],
      ['GET /health', { 'X-API-Version': '9' }, 200, 'fine'],
      ['GET /lacked', { 'X-API-Version': '9' }, 200, 'fine'],
    ])
    expect(told()).toEqual([])
  })
})

describe('what is told at start', () => {
  const sse: MethodSpec = { path: 'events', metadata: { __sse__: true }, handle: () => FERN }
  const streams = (more: object) => ({
    get: { responses: { 200: { description: '', content: { 'text/event-stream': more } } } },
  })

  test.each<[what: string, methods: Record<string, MethodSpec>, paths: object, expected: string[]]>([
    ['nothing', { create, show }, plantsAt(), []],
    [
      'a route that the document lacks',
      { hidden },
      {},
      ['GET /plants/hidden (Controller.hidden) is not in the document'],
    ],
    [
      'all methods',
      { all: { ...hidden, verb: 5 } },
      {},
      ['ALL /plants/hidden (Controller.all) is not in the document'],
    ],
    ['one of all methods', { all: { ...hidden, verb: 5 } }, { '/plants/hidden': fine['/health'] }, []],
    [
      'a status',
      { create },
      { '/plants': { post: { ...add, responses: { 200: ok(ref('Plant')) } } } },
      ['POST /plants (Controller.create) sends 201'],
    ],
    [
      'a status without a described success',
      { create },
      { '/plants': { post: { ...add, responses: { 400: ok(text) } } } },
      ['POST /plants (Controller.create) sends 201'],
    ],
    [
      'a status by a decorator',
      { show: { ...show, metadata: { __httpCode__: 202 } } },
      plantsAt(),
      ['GET /plants/{id} (Controller.show) sends 202'],
    ],
    ['a range', { create }, { '/plants': { post: { ...add, responses: { '2XX': ok(ref('Plant')) } } } }, []],
    [
      'any status, by the response',
      { create: { ...create, parameters: { '1:0': {} } } },
      { '/plants': { post: { responses: { 200: ok(text) } } } },
      [],
    ],
    [
      'a redirect',
      { create: { ...create, metadata: { __redirect__: {} } } },
      { '/plants': { post: { responses: { 302: { description: '' } } } } },
      [],
    ],
    [
      'a stream',
      { sse },
      { '/plants/events': streams({ schema: text }) },
      ['GET /plants/events (Controller.sse) is a stream without "itemSchema"'],
    ],
    ['a stream with items', { sse }, { '/plants/events': streams({ itemSchema: object({ data: text }) }) }, []],
  ])('%s', (_, methods, paths, expected) => {
    setUp({ controllers: [{ path: 'plants', methods }] }, documentOf({ '/other': one, ...paths }), byHeader())
    const [message = ''] = told()
    expect(message.split('\n').slice(1)).toEqual(expected.map((line) => expect.stringContaining(line)))
  })

  test.each<[more: Partial<NestVersioningOptions>, status: number]>([
    [{ neutral: ['/plants/hidden'] }, 200],
    [{ undocumented: 'pass' }, 200],
  ])('nothing of what passes: %j', async (more, status) => {
    const app = setUp({ controllers: [{ path: 'plants', methods: { hidden } }] }, documentOf({ '/other': one }), {
      ...byHeader(),
      ...more,
    })
    expect(told()).toEqual([])
    await holds(await app.listen(), [['GET /plants/hidden', NONE, status, FERN]])
  })

  test.each<[what: string, prefix: string, paths: object]>([
    ['without a prefix', '', plantsAt()],
    ['with a prefix in the document', 'api', plantsAt('/api')],
    ['with a prefix that the document lacks', 'api', plantsAt()],
  ])('the line that the warning prints lets the route pass, %s', async (_, prefix, paths) => {
    const file: MethodSpec = { path: ':name', handle: () => FERN }
    const spec = { prefix, controllers: [plants, { path: 'files', methods: { file } }] }
    setUp(spec, documentOf(paths), byHeader())
    const [, printed = ''] = /let it pass: neutral: \['([^']+)'\]/.exec(String(told())) ?? []
    warned.length = 0
    const app = setUp(spec, documentOf(paths), { ...byHeader(), neutral: [printed] })
    expect(told()).toEqual([])
    const start = prefix === '' ? '' : `/${prefix}`
    await holds(await app.listen(), [
      [`GET ${start}/files/a`, NONE, 200, FERN],
      [`GET ${start}/plants/1`, NONE, 200, OLD],
    ])
  })

  test('a controller that the document lacks has the version of the request', async () => {
    const app = setUp(
      { controllers: [{ path: 'plants', methods: { hidden } }] },
      documentOf({ '/other': one }),
      byHeader(),
    )
    await holds(await app.listen(), [
      ['GET /plants/hidden', NONE, 404, problem('ERR_VERSION_UNHANDLED')],
      ['GET /plants/hidden', V2, 200, FERN],
      ['GET /plants/hidden', { 'X-API-Version': '7' }, 406, problem('ERR_VERSION_NOT_ACCEPTABLE')],
    ])
  })

  test('a method that neither the document nor a controller has is answered by the app, as it was', async () => {
    const hiddenDelete: MethodSpec = { verb: 3, path: ':id', handle: () => FERN }
    const controllers = [{ path: 'plants', methods: { show, create, hiddenDelete } }]
    const app = setUp({ controllers }, documentOf(plantsAt()), byHeader())
    app.express.put('/plants/:id', (_req, res) => void res.status(405).json(FERN))
    await holds(await app.listen(), [
      ['PUT /plants/1', NONE, 405, FERN],
      ['PUT /plants/1', { 'X-API-Version': '7' }, 405, FERN],
      ['HEAD /plants/1', NONE, 200, undefined],
      ['DELETE /plants/1', NONE, 404, problem('ERR_VERSION_UNHANDLED')],
      ['DELETE /plants/1', V2, 200, FERN],
    ])
  })

  test.each<[what: string, spec: Partial<AppSpec>, message: RegExp]>([
    ['Fastify', { type: 'fastify' }, /got one on fastify/],
    ['an app that has started', { isInitialized: true }, /this one has started/],
  ])('a TypeError of %s', (_, more, message) => {
    expect(() => setUp({ controllers: [plants], ...more }, documentOf(plantsAt()), byHeader())).toThrow(message)
  })

  test('a TypeError of what is no app, of unknown options, and of pages without their module', () => {
    expect(() => VersioningModule.setup({} as never, documentOf(plantsAt()), byHeader())).toThrow(/takes a Nest app/)
    const setUpWith = (more: object) =>
      setUp({ controllers: [plants] }, documentOf(plantsAt()), { ...byHeader(), ...more })
    expect(() => setUpWith({ swager: 'docs' })).toThrow(/swager/)
    expect(() => setUpWith({ swagger: 'docs' })).toThrow('option "swagger" needs "SwaggerModule"')
    expect(() => setUp({ controllers: [plants] }, {}, byHeader())).toThrow(/routesOf/)
  })
})

test('the pages of all versions', () => {
  const pages: unknown[] = []
  const SwaggerModule = {
    setup: (path: string, _app: unknown, { info }: never) =>
      void pages.push([path, (info as { version: string }).version]),
  }
  const { documents } = setUp({ controllers: [plants], prefix: 'api' }, documentOf(plantsAt('/api')), {
    ...byPath(),
    swagger: 'docs',
    SwaggerModule,
  })
  expect(pages).toEqual([
    ['docs/1', '1'],
    ['docs/2', '2'],
  ])
  const { paths, servers } = documents.document('2') as { paths: object; servers?: object }
  expect([Object.keys(paths), servers]).toEqual([['/api/2/plants', '/api/2/plants/{id}'], undefined])
})

test('the documents of a path scheme have the servers as given, and routes without a version where they are', () => {
  const spec = { controllers: [plants, health], prefix: 'api', excluded: 'health' }
  const servers = [{ url: 'https://plants.example' }]
  const { documents } = setUp(spec, documentOf({ ...plantsAt('/api'), ...fine }, { servers }), {
    ...byPath(),
    neutral: ['GET /health'],
  })
  expect(documents.document('1')).toMatchObject({ servers, paths: { '/api/1/plants': {}, '/1/health': {} } })
})

describe('uploads', () => {
  const form = { content: { 'multipart/form-data': { schema: ref('Plant') } } }
  const upload = (interceptors: unknown[], more: Partial<MethodSpec> = {}): ControllerSpec => ({
    path: 'plants',
    interceptors,
    methods: { create: { ...create, reads: (req) => void Object.assign(req, { body: { name: 'Moss' } }), ...more } },
  })
  const document = documentOf({ '/plants': { post: { ...add, requestBody: form } } })

  test.each([
    [
      'without ConvertRequest',
      [FileInterceptor],
      document,
      /FileInterceptor\('file'\), ConvertRequest.*\n- POST \/plants \(Controller.create\)/,
    ],
    ['with it', [FileInterceptor, ConvertRequest], document, undefined],
    ['with an instance', [FileInterceptor, new ConvertRequest()], document, undefined],
    [
      'that do not change',
      [FileInterceptor],
      documentOf({ '/other': one, '/plants': { post: { responses: add.responses } } }),
      undefined,
    ],
    ['of nobody', [class {}, {}], document, undefined],
  ])('%s', (_, interceptors, given, message) => {
    const start = () => setUp({ controllers: [upload(interceptors)] }, given, byHeader())
    if (message === undefined) expect(start).not.toThrow()
    else expect(start).toThrow(message)
  })

  test('are converted when they are read', async () => {
    const server = await setUp(
      { controllers: [upload([FileInterceptor, ConvertRequest])] },
      document,
      byHeader(),
    ).listen()
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x' }
    const { status, json: body } = await server.send('POST', '/plants', headers, '--x--')
    expect([status, body]).toEqual([201, { id: 2, name: 'Moss' }])
  })
})

describe('other contexts and errors', () => {
  test('interceptors of modules get requests converted: a cache may respond by itself', async () => {
    const app = nestApp({ controllers: [plants] })
    const cached = (context: HttpContext) => {
      const { body } = context.switchToHttp().getRequest() as Request
      return { id: 9, label: body.label }
    }
    app.global.push({ intercept: (context) => cached(context as HttpContext) })
    VersioningModule.setup(app.nest, documentOf(plantsAt()), byHeader())
    await holds(await app.listen(), [['POST /plants {"name":"Moss"}', NONE, 201, { id: 9, name: 'Moss' }]])
  })

  test.each(['graphql', 'ws', 'rpc'])('%s is not touched', (type) => {
    const { global } = setUp({ controllers: [plants] }, documentOf(plantsAt()), byHeader())
    for (const one of [...global, new ConvertRequest()]) {
      expect(one.intercept(contextOf({}, {}, {}, type), { handle: () => 'as it is' })).toBe('as it is')
    }
  })

  test('a request that the middleware in front has not seen is not touched', () => {
    const { global } = setUp({ controllers: [plants] }, documentOf(plantsAt()), byHeader())
    for (const one of [...global, new ConvertRequest()]) {
      expect(one.intercept(contextOf({}, {}, {}), { handle: () => 'as it is' })).toBe('as it is')
    }
  })

  test('a body that does not fit its version is 400, and an error of a step is 500', async () => {
    const failing = (status: number) =>
      versionHistory('1').version(
        '2',
        change('X.', {
          'POST /plants': {
            request: () => {
              throw Object.assign(new Error('no'), { status })
            },
          },
        }),
      )
    const at = async (changes: NestVersioningOptions['changes']) =>
      (await setUp({ controllers: [plants] }, documentOf(plantsAt()), { ...byHeader(), changes }).listen()).send(
        'POST',
        '/plants',
        { 'Content-Type': 'application/json' },
        '{}',
      )
    expect((await at(failing(0))).json).toEqual(problem('ERR_VERSION_BODY'))
    expect((await at(failing(422))).status).toBe(500)
  })

  test('without setup(), a rejection is the error of the package', async () => {
    const routes = routesOf(documentOf(plantsAt()))
    const server = await serve((app) => {
      app.use(versioning({ scheme: HeaderVersioning, defaultVersion: '1', changes: history(), routes }), express.json())
      app.post(
        '/plants',
        (req) => void new ConvertRequest().intercept(contextOf(req, {}, {}), { handle: () => undefined }),
      )
    })
    const { json: body } = await server.send(
      'POST',
      '/plants',
      { 'Content-Type': 'application/json' },
      '{"name":1e400}',
    )
    expect(body).toMatchObject({ code: 'ERR_VERSION_BODY', name: 'VersioningError' })
  })
})
