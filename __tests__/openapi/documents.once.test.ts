import {
  AcceptHeaderVersioning,
  byVersion,
  CombinedVersioning,
  deprecated,
  HeaderVersioning,
  HostNameVersioning,
  NotAcceptable,
  namedRoutes,
  type OperationDescription,
  QueryParameterVersioning,
  URLPathVersioning,
  VersioningError,
  type VersioningErrorOptions,
  type VersioningOptions,
} from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { type OpenApiDocument, type OpenApiOperation, type OpenApiOptions, openapi } from 'express-versioning/openapi'

const answer = () => {}
const allowedVersions = ['v1', 'v2']
const header = { scheme: HeaderVersioning, allowedVersions }
const accept = { scheme: AcceptHeaderVersioning, allowedVersions }
const query = { scheme: QueryParameterVersioning, allowedVersions }
const text = { type: 'string' }

/** Builds a table of routes that all answer GET. */
const table = (paths: Record<string, string>) => {
  const routes = namedRoutes(paths)
  for (const name of Object.keys(paths)) routes.route(name).get(answer)
  return routes
}

/** Builds a table of one route with a description. */
function one(description?: OperationDescription, path = '/x') {
  const routes = table({ x: path })
  return description === undefined ? routes : routes.describe('GET x', description)
}

const documentOf = (options: Partial<VersioningOptions>, settings?: OpenApiOptions, version = 'v1'): OpenApiDocument =>
  openapi({ routes: one(), ...options } as VersioningOptions, settings).document(version)

/** Returns the only operation of a document. */
function operationIn(...[options, settings, version]: Parameters<typeof documentOf>): OpenApiOperation {
  const { paths } = documentOf(options, settings, version)
  const found = Object.values(paths).flatMap((item) => Object.values(item))
  expect(found).toHaveLength(1)
  return found[0] as OpenApiOperation
}

const ids = ({ paths }: OpenApiDocument) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId }]) => `${method} ${path} ${operationId}`),
  )

test('a whole document', () => {
  const routes = table({ 'user-detail': '/users/:id' })
  routes.describe('GET user-detail', { summary: 'One user', response: { type: 'object' } })
  const place = { in: 'header', required: true, description: 'The version of the API.' }
  expect(documentOf({ ...header, routes }, { info: { title: 'Shop' }, mount: '/api' })).toEqual({
    openapi: '3.1.1',
    info: { title: 'Shop', version: 'v1' },
    servers: [{ url: '/api' }],
    paths: {
      '/users/{id}': {
        get: {
          operationId: 'get-user-detail',
          summary: 'One user',
          parameters: [
            { name: 'id', in: 'path', required: true, schema: text },
            { name: 'X-API-Version', ...place, schema: { ...text, enum: ['v1'] } },
          ],
          responses: { 200: { description: 'OK', content: { 'application/json': { schema: { type: 'object' } } } } },
        },
      },
    },
  })
})

describe('answers', () => {
  const v1 = 'application/json; version=v1'
  test.each<[response: object | boolean | undefined, contents: object, descriptions: string[]]>([
    [undefined, { '2XX': [v1] }, ['Success.']],
    [text, { 200: [v1] }, ['OK']],
    [{ 200: true, 404: true }, { 200: [v1], 404: [v1] }, ['OK', 'Not Found']],
    [{ 200: undefined, 404: true }, { 404: [v1] }, ['Not Found']],
    [{ 200: undefined }, { '2XX': [v1] }, ['Success.']],
    [{ 204: null }, { 204: [], default: [v1] }, ['No Content', 'Any other answer.']],
    [
      { 299: true, '4XX': true, '5XX': true },
      { 299: [v1], '4XX': [v1], '5XX': [v1] },
      ['An answer.', 'Client error.', 'Server error.'],
    ],
  ])('%j name the version in their media types', (response, contents, descriptions) => {
    const routes = one(response === undefined ? undefined : { response: response as typeof text })
    const { responses } = operationIn({ ...accept, routes })
    const types = Object.entries(responses).map(([status, { content }]) => [status, Object.keys(content ?? {})])
    expect(Object.fromEntries(types)).toEqual(contents)
    expect(Object.values(responses).map(({ description }) => description)).toEqual(descriptions)
  })
})

test("the place of the version comes before a user's own parameter", () => {
  const properties = { version: { type: 'integer' }, page: { type: 'integer' } }
  const routes = one({ query: { type: 'object', properties, required: ['page'] } })
  const told = (options: Partial<VersioningOptions>) =>
    operationIn({ ...options, routes }).parameters?.map(({ name, in: place, required, schema }) => [
      `${place} ${name} ${required}`,
      (schema as { type?: unknown }).type,
    ])
  const page = ['query page true', 'integer']
  expect(told(query)).toEqual([['query version true', 'string'], page])
  const named = { scheme: new HeaderVersioning({ header: 'page', allowedVersions }) }
  expect(told(named)).toEqual([['header page true', 'string'], ['query version false', 'integer'], page])
})

describe('servers', () => {
  const hosts = { scheme: new HostNameVersioning({ allowedVersions, ignore: ['www'] }) }
  const schemes = [new HostNameVersioning(), new HeaderVersioning()]
  const both = { scheme: new CombinedVersioning({ schemes, allowedVersions }) }
  const capitals = { scheme: HostNameVersioning, allowedVersions: ['V1'] }
  test.each<[string, object, origin: string, mount: string | undefined, url: string, path?: string, version?: string]>([
    ['a parameter first', header, 'http://a.example', '/:a/b', 'http://a.example', '/{a}/b/x'],
    ['a host', hosts, 'https://api.example.com', '/api', 'https://v1.example.com/api'],
    ['two labels', hosts, 'https://example.com:8443', undefined, 'https://v1.example.com:8443'],
    ['no place', hosts, 'https://a.b.example.com', '/api', '/api'],
    ['other characters', hosts, 'https://a-b.example.com', undefined, '/'],
    ['a host or a header, two labels', both, 'https://example.com', undefined, 'https://example.com'],
    ['capitals, which URLs do not keep', capitals, 'https://api.example.com', undefined, '/', '/x', 'V1'],
  ])('%s', (_, options, origin, mount, url, path = '/x', version = 'v1') => {
    const document = documentOf({ ...options, origin }, { mount }, version)
    expect([document.servers, Object.keys(document.paths)]).toEqual([[{ url }], [path]])
  })
})

describe('paths', () => {
  test.each<[string, Record<string, string>, string[]]>([
    ['names of other characters', { a: '/:"a b"/:a_b/*ü' }, ['get /{a_b}/{a_b-2}/{_} get-a']],
    ['a taken name', { a: '/a{/:b}', 'a-2': '/c' }, ['get /a/{b} get-a-2', 'get /a get-a', 'get /c get-a-2-2']],
    ['optional parts', { a: '/a{/:b}{/:c}' }, ['get /a/{b}/{c} get-a-3', 'get /a/{b} get-a-2', 'get /a get-a']],
    ['literals', { a: '/é', b: '/' }, ['get /%C3%A9 get-a', 'get / get-b']],
    ['odd view names', { 'a b/c': '/a', ü: '/b' }, ['get /a get-a-b-c', 'get /b get--']],
  ])('%s', (_, paths, expected) => {
    expect(ids(documentOf({ ...header, routes: table(paths) }))).toEqual(expected)
  })

  test('have the methods that documents can tell, and what byVersion() serves', () => {
    const routes = namedRoutes({ x: '/x', all: '/all', own: '/own', lower: '/lower' })
    const x = routes.route('x')
    for (const method of ['get', 'head', 'options', 'trace', 'm-search', 'purge'] as const) x[method](answer)
    routes.route('all').all(answer)
    routes.route('own').get(byVersion({ v2: answer }))
    routes.route('lower').get(byVersion({ v1: answer }, { fallback: 'lower' }))
    const methods = (version: string) =>
      Object.entries(documentOf({ ...header, routes }, {}, version).paths).map(([path, item]) =>
        [path, ...Object.keys(item)].join(' '),
      )
    const always = ['/x get head options trace', '/all get post put patch delete']
    expect(methods('v1')).toEqual([...always, '/lower get'])
    expect(methods('v2')).toEqual([...always, '/own get', '/lower get'])
  })

  test('without the version are in the document of the default alone', () => {
    const options = { scheme: URLPathVersioning, allowedVersions, defaultVersion: 'v2' }
    expect(allowedVersions.map((version) => ids(documentOf(options, {}, version)))).toEqual([[], ['get /x get-x']])
  })
})

describe('descriptions', () => {
  test('have parts for one version', () => {
    const own = { summary: 'S1', description: undefined, deprecated: true, tags: [] }
    const versions = { v1: own, v9: { summary: 'S9' }, v2: undefined }
    const routes = one({ summary: 'S', description: 'D', tags: ['t', 't', 'u'], response: text, versions } as object)
    const responses = { 200: { description: 'OK', content: { 'application/json': { schema: text } } } }
    const told = { operationId: 'get-x', description: 'D', parameters: expect.anything(), responses }
    const [v1, v2] = allowedVersions.map((version) => operationIn({ ...header, routes }, undefined, version))
    expect(v1).toEqual({ ...told, summary: 'S1', deprecated: true })
    expect(v2).toEqual({ ...told, summary: 'S', tags: ['t', 'u'] })
  })

  test('may have no body, and no answer with one', () => {
    const routes = namedRoutes({ x: '/x' }).describe('POST x', { body: null, response: null })
    routes.route('x').post(answer)
    const { requestBody, responses } = operationIn({ ...header, routes })
    expect([requestBody, responses]).toEqual([undefined, { '2XX': { description: 'Success.' } }])
  })
})

describe("a user's own parts of OpenAPI", () => {
  const routes = one(
    {
      summary: 'One',
      tags: ['a'],
      query: { properties: { page: { type: 'integer' } } },
      response: text,
      operation: {
        operationId: 'getX',
        summary: 'Two',
        tags: ['b'],
        security: [{ key: [] }],
        parameters: [
          { name: 'page', in: 'query', example: 2, schema: { type: 'number' } },
          { name: 'page', in: 'cookie', schema: text },
        ],
        responses: {
          200: {
            headers: { ETag: { schema: text } },
            content: { 'application/json': { examples: { a: { value: 'A' } } }, 'text/csv': {} },
          },
          404: { description: 'None.' },
          406: { $ref: '#/components/responses/none' },
          500: undefined,
        },
      },
      versions: {
        v1: { operation: { summary: 'Old', responses: { 200: { description: 'Fine.', headers: {} }, 410: {} } } },
      },
    },
    '/x{/:id}',
  )
  const told = (options: Partial<VersioningOptions>, version: string) => {
    const { paths } = documentOf({ ...header, routes, ...options }, { problemDetails: true }, version)
    return Object.values(paths).map(({ get }) => get as OpenApiOperation)
  }

  test('are merged last, parameters by name and place, and those of a version last of all', () => {
    const [withId, plain] = told(header, 'v1')
    expect([withId?.operationId, plain?.operationId]).toEqual(['getX-2', 'getX'])
    expect(plain).toMatchObject({ summary: 'Old', tags: ['b'], security: [{ key: [] }] })
    expect(plain?.parameters?.slice(1)).toEqual([
      { name: 'page', in: 'query', required: false, example: 2, schema: { type: 'number' } },
      { name: 'page', in: 'cookie', schema: text },
    ])
    const { 200: fine, 404: none, 406: refused, 410: gone, ...others } = plain?.responses ?? {}
    const json = { schema: text, examples: { a: { value: 'A' } } }
    expect(fine).toEqual({
      description: 'Fine.',
      headers: { ETag: { schema: text } },
      content: { 'application/json': json, 'text/csv': {} },
    })
    expect([none, refused, gone, others]).toEqual([
      { description: 'None.' },
      { $ref: '#/components/responses/none' },
      {},
      {},
    ])
  })

  test('for JSON are those of the media type that names the version', () => {
    expect(told(accept, 'v2')[0]?.responses[200]?.content).toEqual({
      'application/json; version=v2': { schema: text, examples: { a: { value: 'A' } } },
      'text/csv': {},
    })
  })

  test('for answers are not those of a version that is gone', () => {
    const [gone] = told({ lifecycle: { v1: { sunset: '2020-01-01' } }, afterSunset: 'gone' }, 'v1')
    expect([Object.keys(gone?.responses ?? {}), gone?.security]).toEqual([['410'], [{ key: [] }]])
  })

  test('for all versions have the statuses and header fields of each', () => {
    const header = { schema: text }
    const routes = namedRoutes({ x: '/x' }).describe('POST x', {
      response: { 200: text, 201: { type: 'null' }, 202: text, default: {} },
      operation: {
        responses: {
          200: { headers: { A: header } },
          201: { description: 'Made.', headers: { Location: header, B: header, C: header } },
          '4XX': { headers: { Location: header } },
          409: {},
        },
      },
      versions: { v0: { response: { 201: true }, operation: { responses: { 201: { description: 'Own.' } } } } },
    })
    routes.route('x').post(answer)
    const newest = { status: { 201: 200 }, headers: { location: null, C: null } } as const
    const changes = versionHistory('v0')
      .version('v1', change('0', { 'POST x': { headers: { c: () => 'c' } } }))
      .version('v2', change('1', { 'POST x': newest, '*': { headers: { B: () => 'b' } } }))
    const told = (version: string) => operationIn({ scheme: HeaderVersioning, changes, routes }, {}, version).responses
    const headersIn = (version: string, status: string) => Object.keys((told(version)[status]?.headers ?? {}) as object)
    expect(Object.keys(told('v2'))).toEqual(['200', '201', '202', '409', 'default', '4XX'])
    expect(['200', '201', '4XX'].map((status) => headersIn('v2', status))).toEqual([
      ['A'],
      ['Location', 'B', 'C'],
      ['Location'],
    ])
    expect(Object.keys(told('v1'))).toEqual(['200', '202', '409', 'default', '4XX'])
    expect(told('v1')[200]).toEqual({
      description: 'Made.',
      headers: { B: header, A: header },
      content: { 'application/json': { schema: { anyOf: [text, { type: 'null' }] } } },
    })
    expect(headersIn('v0', '200')).toEqual(['B', 'C', 'A'])
    expect(told('v0')[201]).toEqual({ description: 'Own.', content: { 'application/json': { schema: {} } } })
  })

  test.each<[object, options: object, responses: object]>([
    [{ 302: { description: 'There.' } }, header, { 302: { description: 'There.' } }],
    [{}, header, { '2XX': { description: 'Success.' } }],
    [{ 200: null }, accept, { 200: null, default: expect.anything() }],
  ])('%j stand alone where nothing else is said of answers', (responses, options, expected) => {
    expect(operationIn({ ...options, routes: one({ operation: { responses } }) }).responses).toEqual(expected)
  })
})

test('info is what was given, with the version, its changes and its plan', () => {
  const same = { 'GET x': { response: (body: unknown) => body } }
  const changes = versionHistory('v1').version('v2', change('One came.', same), change('Another one.', same))
  const ends = { deprecated: '2020-01-01', sunset: '2099-06-30T12:00:00Z' }
  const lifecycle = { v1: { ...ends, successor: 'v2', info: 'https://a.example/v1' } }
  const options = { scheme: HeaderVersioning, changes, lifecycle }
  const info = { title: 'Shop', description: 'All of it.', license: { name: 'MIT' } }
  const plan = 'Deprecated: 2020-01-01. Sunset: 2099-06-30T12:00:00.000Z. Successor: v2. More: <https://a.example/v1>'
  const description = `All of it.\n\n${plan}`
  expect(documentOf(options, { info }).info).toEqual({ ...info, version: 'v1', description })
  const news = 'Changes in this version:\n\n- One came.\n- Another one.'
  expect(documentOf(options, {}, 'v2').info).toEqual({ title: 'API', version: 'v2', description: news })
})

describe('deprecation, as of now', () => {
  afterEach(() => {
    jest.useRealTimers()
  })
  const routes = table({ x: '/x', health: '/health' })
  routes
    .add('old', '/old')
    .route('old')
    .get(deprecated({ since: '2026-03-01', sunset: '2026-08-01' }), answer)
  const lifecycle = { v1: { deprecated: '2026-02-01', sunset: '2026-09-01' }, v2: { sunset: '2026-07-01' } }
  const options = { ...header, lifecycle, neutral: ['health'], routes }
  const [july, august, september] = ['Sunset: 2026-07-01.', 'Sunset: 2026-08-01.', 'Sunset: 2026-09-01.']

  test.each<[now: string, version: string, x: unknown[], old: unknown[]]>([
    ['2026-01-01', 'v1', [undefined, september], [undefined, august]],
    ['2026-02-01', 'v1', [true, september], [true, august]],
    ['2026-02-01', 'v2', [undefined, july], [undefined, july]],
    ['2026-03-01', 'v2', [undefined, july], [true, july]],
  ])('on %s, in %s', (now, version, x, old) => {
    jest.useFakeTimers({ now: Date.parse(now) })
    const { paths } = documentOf(options, undefined, version)
    const told = (path: string) => [paths[path]?.get?.deprecated, paths[path]?.get?.description]
    expect([told('/x'), told('/old'), told('/health')]).toEqual([x, old, [undefined, undefined]])
  })

  test('of a neutral route is its own', () => {
    jest.useFakeTimers({ now: Date.parse('2026-05-01') })
    expect(documentOf({ ...options, neutral: ['old'] }).paths['/old']?.get).toEqual({
      operationId: 'get-old',
      description: august,
      deprecated: true,
      responses: { '2XX': { description: 'Success.' } },
    })
  })

  test('changes a document when a date is reached', () => {
    jest.useFakeTimers({ now: Date.parse('2026-01-31') })
    const docs = openapi(options)
    expect(docs.document('v1').paths['/x']?.get).not.toHaveProperty('deprecated')
    jest.setSystemTime(Date.parse('2026-02-01'))
    expect(docs.document('v1').paths['/x']?.get).toHaveProperty('deprecated', true)
  })
})

describe('refusals', () => {
  const problem = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } }
  class Teapot extends VersioningError {
    constructor(message: string, options: VersioningErrorOptions) {
      super(message, { ...options, status: 418 })
    }
  }
  class Query406 extends QueryParameterVersioning {
    override readonly invalidVersionError = NotAcceptable
  }
  class Query418 extends QueryParameterVersioning {
    override readonly invalidVersionError = Teapot as never
  }
  const unknown = 'The version does not exist.'
  const wrong = 'The request contradicts itself about the version, or does not fit it.'
  test.each<[string, Partial<VersioningOptions>, Record<string, string>]>([
    ['a header', header, { 406: unknown }],
    ['Accept', accept, { 406: unknown }],
    ['the query', query, { 404: unknown }],
    ['a class of one’s own', { ...query, scheme: Query406 }, { 406: unknown }],
    ['another status', { ...query, scheme: Query418 }, { 418: "I'm a Teapot" }],
    ['a host', { ...header, scheme: HostNameVersioning }, { 400: wrong, 404: unknown }],
    ['the path', { scheme: URLPathVersioning, allowedVersions, defaultVersion: 'v1' }, { 404: unknown }],
  ])('of %s', (_name, options, expected) => {
    const { '2XX': success, ...refusals } = operationIn(options, { problemDetails: true }).responses
    const told = Object.entries(expected).map(([status, description]) => [status, { description, content: problem }])
    expect([success?.description, refusals]).toEqual(['Success.', Object.fromEntries(told)])
    expect(Object.keys(operationIn(options).responses)).toEqual(['2XX'])
  })

  test('of requests that are converted, and that do not fit', () => {
    const routes = namedRoutes({ x: '/x' })
    routes.route('x').get(answer).post(answer).put(answer)
    const same = (body: unknown) => body
    const steps = { 'POST x': { request: same }, 'GET x': { query: same as never }, 'PUT x': { response: same } }
    const changes = versionHistory('v1').version('v2', change('Much.', steps))
    const statuses = (scheme: VersioningOptions['scheme'], version: string) => {
      const { get, post, put } =
        documentOf({ scheme, changes, routes }, { problemDetails: true }, version).paths['/x'] ?? {}
      return [get, post, put].map((operation) => Object.keys(operation?.responses ?? {})[0])
    }
    expect(statuses(HeaderVersioning, 'v1')).toEqual(['400', '400', '406'])
    expect(statuses(HeaderVersioning, 'v2')).toEqual(['406', '406', '406'])
    expect(statuses(HostNameVersioning, 'v1')).toEqual(['400', '400', '400'])
  })

  test('beside a described answer of their status', () => {
    const routes = one({ response: { 200: true, 406: text } })
    expect(operationIn({ ...header, routes }, { problemDetails: true }).responses[406]).toEqual({
      description: 'Not Acceptable',
      content: { 'application/json': { schema: text }, ...problem },
    })
  })

  const asked = { 'application/json; version=v1': {} }
  test.each<[string, options: object, problemDetails: boolean, content: object]>([
    ['alone', header, false, {}],
    ['as problem details', header, true, { content: problem }],
    ['where Accept asks', accept, false, { content: asked }],
    ['where Accept asks, as problem details', accept, true, { content: { ...asked, ...problem } }],
  ])('of a gone version are 410, %s', (_name, options, problemDetails, content) => {
    const routes = table({ x: '/x', health: '/health' }).describe('GET x', { response: { 200: true, 404: true } })
    const ends = { lifecycle: { v1: { sunset: '2020-01-01' } }, afterSunset: 'gone', neutral: ['health'] } as const
    const { paths } = documentOf({ ...options, ...ends, routes }, { problemDetails })
    expect(paths['/x']?.get).toMatchObject({ deprecated: true, description: 'Sunset: 2020-01-01.' })
    expect(paths['/x']?.get?.responses).toEqual({
      410: { description: 'The version is no longer served.', ...content },
    })
    expect(paths['/health']?.get?.responses).toEqual({ '2XX': { description: 'Success.' } })
  })
})

describe('extend', () => {
  test('has the last word, and gets a fresh document each time', () => {
    const seen: OpenApiDocument[] = []
    const routes = one()
    const docs = openapi(
      { ...header, routes },
      {
        extend(document, version) {
          expect(document).not.toHaveProperty('x-of')
          seen.push(document)
          return Object.assign(document, { 'x-of': version })
        },
      },
    )
    const first = docs.document('v1')
    expect(first).toMatchObject({ openapi: '3.1.1', 'x-of': 'v1' })
    first.info.title = 'changed'
    expect(docs.document('v1').info.title).toBe('API')
    expect(docs.document('v2')).toMatchObject({ 'x-of': 'v2' })
    routes.describe('GET x', { summary: 'More' })
    expect(docs.document('v1')).toMatchObject({ 'x-of': 'v1' })
    expect([seen.length, new Set(seen).size]).toEqual([3, 3])
  })

  test.each([undefined, null, 'text', Promise.resolve({})])('that gives %p is a TypeError', (given) => {
    const docs = openapi({ ...header, routes: one() }, { extend: () => given as never })
    expect(() => docs.document('v1')).toThrow(TypeError)
    expect(() => docs.document('v1')).toThrow('option "extend" takes a function that returns the document; it returned')
  })
})

describe('options', () => {
  const options = { ...header, routes: one() }
  const info = `option "info" takes an object such as { title: 'Shop' }; got`
  test.each<[settings: object, message: string]>([
    [{ info: 'x' }, `${info} 'x'.`],
    [{ info: null }, `${info} null.`],
    [{ info: [] }, `${info} [].`],
    [{ info: { title: 7 } }, 'option "info.title" takes a text; got 7.'],
    [{ info: { description: 7 } }, 'option "info.description" takes a text; got 7.'],
    [{ info: { version: '1' } }, 'option "info" takes no "version": each document has its own.'],
    [{ problemDetails: 'yes' }, `option "problemDetails" takes true or false; got 'yes'.`],
    [{ extend: 7 }, 'option "extend" takes a function of a document and its version; got 7.'],
  ])('%j is a TypeError', (settings, message) => {
    const error = { name: 'TypeError', message: `openapi(): ${message}` }
    expect(() => openapi(options, settings)).toThrow(expect.objectContaining(error))
  })

  test.each<[version: unknown, hint: string]>([
    ['v3', `'v3'. Did you mean "v1" or "v2"?`],
    [null, 'null.'],
  ])('there is no document of %p', (version, hint) => {
    const docs = openapi({ ...options, allowedVersions: [null, 'v1', 'v2'] })
    const error = { name: 'TypeError', message: `openapi(): there is no version ${hint}` }
    expect(() => docs.document(version as string)).toThrow(expect.objectContaining(error))
    expect(docs.versions).toEqual(allowedVersions)
  })
})
