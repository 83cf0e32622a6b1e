import {
  AcceptHeaderVersioning,
  byVersion,
  CombinedVersioning,
  deprecated,
  HeaderVersioning,
  HostNameVersioning,
  NotAcceptable,
  namedRoutes,
  QueryParameterVersioning,
  type Schema,
  URLPathVersioning,
  type VersioningOptions,
} from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { type OpenApiDocument, type OpenApiOperation, type OpenApiOptions, openapi } from 'express-versioning/openapi'

const answer = () => {}
const allowedVersions = ['v1', 'v2']
const header = { scheme: HeaderVersioning, allowedVersions }

const one = (path = '/x') => {
  const routes = namedRoutes({ x: path })
  routes.route('x').get(answer)
  return routes
}

function documentOf(options: VersioningOptions, settings?: OpenApiOptions, version = 'v1'): OpenApiDocument {
  return openapi(options, settings).document(version)
}

/** The only operation of a document. */
function only(document: OpenApiDocument): OpenApiOperation {
  const found = Object.values(document.paths).flatMap((item) => Object.values(item))
  expect(found).toHaveLength(1)
  return found[0] as OpenApiOperation
}

const operationIn = (options: VersioningOptions, settings?: OpenApiOptions, version?: string) =>
  only(documentOf(options, settings, version))

const ids = ({ paths }: OpenApiDocument) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId }]) => `${method} ${path} ${operationId}`),
  )

test('a whole document', () => {
  const routes = namedRoutes({ 'user-detail': '/users/:id' })
  routes.route('user-detail').get(answer)
  routes.describe('GET user-detail', { summary: 'One user', response: { type: 'object' } })
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
            { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
            {
              name: 'X-API-Version',
              in: 'header',
              required: true,
              description: 'The version of the API.',
              schema: { type: 'string', enum: ['v1'] },
            },
          ],
          responses: { 200: { description: 'OK', content: { 'application/json': { schema: { type: 'object' } } } } },
        },
      },
    },
  })
})

describe('how the version is carried', () => {
  const contents = (responses: OpenApiOperation['responses']) =>
    Object.fromEntries(Object.entries(responses).map(([status, { content }]) => [status, Object.keys(content ?? {})]))
  const v1 = 'application/json; version=v1'

  test.each<[string, object | boolean | undefined, object]>([
    ['nobody described', undefined, { '2XX': [v1] }],
    ['with a response', { type: 'string' }, { 200: [v1] }],
    ['with several', { 200: true, 404: true }, { 200: [v1], 404: [v1] }],
    ['with one that is left out', { 200: undefined, 404: true }, { 404: [v1] }],
    ['with nothing but left out ones', { 200: undefined }, { '2XX': [v1] }],
    ['without any body', { 204: null }, { 204: [], default: [v1] }],
  ])('in the media types of an operation %s', (_name, response, expected) => {
    const routes = one()
    if (response !== undefined) routes.describe('GET x', { response: response as Schema })
    const options = { scheme: AcceptHeaderVersioning, allowedVersions, routes }
    expect(contents(operationIn(options).responses)).toEqual(expected)
  })

  test('the query of a user gives way to it', () => {
    const routes = one()
    const properties = { version: { type: 'integer' }, page: { type: 'integer' } }
    routes.describe('GET x', { query: { type: 'object', properties, required: ['page'] } })
    const inQuery = operationIn({ scheme: QueryParameterVersioning, allowedVersions, routes })
    expect(inQuery.parameters?.map(({ name, schema }) => [name, schema])).toEqual([
      ['version', { type: 'string', enum: ['v1'] }],
      ['page', { type: 'integer' }],
    ])
    const inHeader = operationIn({ scheme: new HeaderVersioning({ header: 'page', allowedVersions }), routes })
    expect(inHeader.parameters?.map(({ name, in: place, required }) => `${place} ${name} ${required}`)).toEqual([
      'header page true',
      'query version false',
      'query page true',
    ])
  })
})

describe('servers', () => {
  const hosts = { scheme: new HostNameVersioning({ allowedVersions, ignore: ['www'] }) }
  const both = () => ({
    scheme: new CombinedVersioning({ schemes: [new HostNameVersioning(), new HeaderVersioning()], allowedVersions }),
  })
  test.each<[string, Partial<VersioningOptions>, mount: string | undefined, url: string, path?: string]>([
    [
      'a mount with a parameter first',
      { ...header, origin: 'http://a.example' },
      '/:a/b',
      'http://a.example',
      '/{a}/b/x',
    ],
    ['a host', { ...hosts, origin: 'https://api.example.com' }, '/api', 'https://v1.example.com/api'],
    [
      'a host of two labels',
      { ...hosts, origin: 'https://example.com:8443' },
      undefined,
      'https://v1.example.com:8443',
    ],
    ['a host without a place', { ...hosts, origin: 'https://a.b.example.com' }, '/api', '/api'],
    ['a host of other characters', { ...hosts, origin: 'https://a-b.example.com' }, undefined, '/'],
    ['a host or a header, two labels', { ...both(), origin: 'https://example.com' }, undefined, 'https://example.com'],
  ])('%s', (_name, options, mount, url, place = '/x') => {
    const document = documentOf({ ...options, routes: one() } as VersioningOptions, { mount })
    expect(document.servers).toEqual([{ url }])
    expect(Object.keys(document.paths)).toEqual([place])
  })

  test('a version in capitals, which URLs do not keep', () => {
    const options = { scheme: HostNameVersioning, allowedVersions: ['V1'], origin: 'https://api.example.com' }
    expect(documentOf({ ...options, routes: one() }, undefined, 'V1').servers).toEqual([{ url: '/' }])
  })
})

describe('paths', () => {
  const paths = (table: Record<string, string>, options: Partial<VersioningOptions> = header) => {
    const routes = namedRoutes(table)
    for (const name of Object.keys(table)) routes.route(name).get(answer)
    return ids(documentOf({ ...options, routes } as VersioningOptions))
  }

  test.each<[string, Record<string, string>, string[]]>([
    ['names of other characters', { a: '/:"a b"/:a_b/*ü' }, ['get /{a_b}/{a_b-2}/{_} get-a']],
    ['a name that is taken', { a: '/a{/:b}', 'a-2': '/c' }, ['get /a/{b} get-a-2', 'get /a get-a', 'get /c get-a-2-2']],
    [
      'two optional parts of one shape',
      { a: '/a{/:b}{/:c}' },
      ['get /a/{b}/{c} get-a-3', 'get /a/{b} get-a-2', 'get /a get-a'],
    ],
    ['literals', { a: '/é', b: '/' }, ['get /%C3%A9 get-a', 'get / get-b']],
    ['odd view names', { 'a b/c': '/a', ü: '/b' }, ['get /a get-a-b-c', 'get /b get--']],
  ])('%s', (_name, table, expected) => {
    expect(paths(table)).toEqual(expected)
  })

  test('methods of which documents can tell', () => {
    const routes = namedRoutes({ x: '/x', all: '/all' })
    const x = routes.route('x')
    for (const method of ['get', 'head', 'options', 'trace', 'm-search', 'purge'] as const) x[method](answer)
    routes.route('all').all(answer)
    const { paths } = documentOf({ ...header, routes })
    expect(Object.keys(paths['/x'] ?? {})).toEqual(['get', 'head', 'options', 'trace'])
    expect(Object.keys(paths['/all'] ?? {})).toEqual(['get', 'post', 'put', 'patch', 'delete'])
  })

  test('a path that names no version is in the default alone', () => {
    const options = { scheme: URLPathVersioning, allowedVersions, defaultVersion: 'v2', routes: one() }
    expect(ids(documentOf(options))).toEqual([])
    expect(ids(documentOf(options, undefined, 'v2'))).toEqual(['get /x get-x'])
  })
})

describe('descriptions', () => {
  test('and what differs in a version', () => {
    const routes = one()
    routes.describe('GET x', {
      summary: 'S',
      description: 'D',
      tags: ['t', 't', 'u'],
      response: { type: 'string' },
      versions: { v1: { summary: 'S1', description: undefined, deprecated: true, tags: [] }, v9: { summary: 'S9' } },
    })
    const [v1, v2] = allowedVersions.map((version) => operationIn({ ...header, routes }, undefined, version))
    expect(v1).toMatchObject({
      summary: 'S1',
      description: 'D',
      deprecated: true,
      responses: { 200: expect.anything() },
    })
    expect(v1).not.toHaveProperty('tags')
    expect(v2).toMatchObject({ summary: 'S', description: 'D', tags: ['t', 'u'] })
    expect(v2).not.toHaveProperty('deprecated')
  })

  test('of no body, and of no answer with one', () => {
    const routes = namedRoutes({ x: '/x' })
    routes.route('x').post(answer)
    routes.describe('POST x', { body: null, response: null })
    const { requestBody, responses } = operationIn({ ...header, routes })
    expect([requestBody, responses]).toEqual([undefined, { '2XX': { description: 'Success.' } }])
  })
})

describe('the own words of OpenAPI', () => {
  const routes = namedRoutes({ x: '/x{/:id}' })
  routes.route('x').get(answer)
  routes.describe('GET x', {
    summary: 'One',
    tags: ['a'],
    query: { properties: { page: { type: 'integer' } } },
    response: { type: 'string' },
    operation: {
      operationId: 'getX',
      summary: 'Two',
      tags: ['b'],
      security: [{ key: [] }],
      parameters: [
        { name: 'page', in: 'query', example: 2, schema: { type: 'number' } },
        { name: 'page', in: 'cookie', schema: { type: 'string' } },
      ],
      responses: {
        200: {
          headers: { ETag: { schema: { type: 'string' } } },
          content: { 'application/json': { examples: { a: { value: 'A' } } }, 'text/csv': {} },
        },
        404: { description: 'None.' },
        406: { $ref: '#/components/responses/none' },
        500: undefined,
      },
    },
    versions: {
      v1: {
        operation: {
          summary: 'Old',
          responses: { 200: { description: 'Fine.', headers: {} }, 410: { description: 'X' } },
        },
      },
    },
  })
  const told = (options: Partial<VersioningOptions>, version: string) => {
    const { get } = documentOf({ ...header, routes, ...options }, { problemDetails: true }, version).paths['/x'] ?? {}
    return get as OpenApiOperation
  }

  test('of JSON are those of the media type that names the version', () => {
    const { content } = told({ scheme: AcceptHeaderVersioning }, 'v2').responses[200] ?? {}
    expect(content).toEqual({
      'application/json; version=v2': { schema: { type: 'string' }, examples: { a: { value: 'A' } } },
      'text/csv': {},
    })
  })

  test('of answers are not those of a version that is gone', () => {
    const gone = told({ lifecycle: { v1: { sunset: '2020-01-01' } }, afterSunset: 'gone' }, 'v1')
    expect(Object.keys(gone.responses)).toEqual(['410'])
    expect(gone.security).toEqual([{ key: [] }])
  })

  test('of all versions have the statuses and header fields of each', () => {
    const routes = namedRoutes({ x: '/x' })
    routes.route('x').post(answer)
    const header = { schema: { type: 'string' } }
    routes.describe('POST x', {
      response: { 200: { type: 'string' }, 201: { type: 'null' }, 202: { type: 'string' }, default: {} },
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
    const changes = versionHistory('v0')
      .version('v1', change('0', { 'POST x': { headers: { c: () => 'c' } } }))
      .version(
        'v2',
        change('1', {
          'POST x': { status: { 201: 200 }, headers: { location: null, C: null } },
          '*': { headers: { B: () => 'b' } },
        }),
      )
    const told = (version: string) => operationIn({ scheme: HeaderVersioning, changes, routes }, {}, version).responses
    const headersOf = (version: string, status: string) => Object.keys((told(version)[status]?.headers ?? {}) as object)
    expect([...['200', '201', '4XX'].map((status) => headersOf('v2', status)), Object.keys(told('v2'))]).toEqual([
      ['A'],
      ['Location', 'B', 'C'],
      ['Location'],
      ['200', '201', '202', '409', 'default', '4XX'],
    ])
    expect(Object.keys(told('v1'))).toEqual(['200', '202', '409', 'default', '4XX'])
    expect(told('v1')[200]).toEqual({
      description: 'Made.',
      headers: { B: header, A: header },
      content: { 'application/json': { schema: { anyOf: [{ type: 'string' }, { type: 'null' }] } } },
    })
    expect(headersOf('v0', '200')).toEqual(['B', 'C', 'A'])
    expect(told('v0')[201]).toEqual({ description: 'Own.', content: { 'application/json': { schema: {} } } })
  })

  test('stand alone where nothing else is said of answers', () => {
    const routes = one()
    routes.describe('GET x', { operation: { responses: { 302: { description: 'There.' } } } })
    expect(operationIn({ ...header, routes }).responses).toEqual({ 302: { description: 'There.' } })
    routes.describe('GET x', { operation: { responses: {} } })
    expect(operationIn({ ...header, routes }).responses).toEqual({ '2XX': { description: 'Success.' } })
    routes.describe('GET x', { operation: { responses: { 200: null } } })
    const { responses } = operationIn({ scheme: AcceptHeaderVersioning, allowedVersions, routes })
    expect(Object.keys(responses)).toEqual(['200', 'default'])
  })
})

describe('info', () => {
  test('is what was given, with the version, its changes and its plan', () => {
    const changes = versionHistory('v1').version(
      'v2',
      change('One came.', { 'GET x': { response: (x) => x } }),
      change('Another one.', { 'GET x': { response: (x) => x } }),
    )
    const lifecycle = {
      v1: { deprecated: '2020-01-01', sunset: '2099-06-30T12:00:00Z', successor: 'v2', info: 'https://a.example/v1' },
    }
    const options = { scheme: HeaderVersioning, changes, lifecycle, routes: one() }
    const settings = { info: { title: 'Shop', description: 'All of it.', license: { name: 'MIT' } } }
    expect(documentOf(options, settings).info).toEqual({
      title: 'Shop',
      license: { name: 'MIT' },
      version: 'v1',
      description:
        'All of it.\n\nDeprecated: 2020-01-01. Sunset: 2099-06-30T12:00:00.000Z. Successor: v2. More: <https://a.example/v1>',
    })
    expect(documentOf(options, {}, 'v2').info).toEqual({
      title: 'API',
      version: 'v2',
      description: 'Changes in this version:\n\n- One came.\n- Another one.',
    })
  })
})

describe('deprecation, as of now', () => {
  afterEach(() => {
    jest.useRealTimers()
  })
  const routes = namedRoutes({ x: '/x', old: '/old', health: '/health' })
  routes.route('x').get(answer)
  routes.route('old').get(deprecated({ since: '2026-03-01', sunset: '2026-08-01' }), answer)
  routes.route('health').get(answer)
  const lifecycle = { v1: { deprecated: '2026-02-01', sunset: '2026-09-01' }, v2: { sunset: '2026-07-01' } }
  const options = { ...header, lifecycle, neutral: ['health'], routes }

  test.each<[now: string, version: string, x: unknown[], old: unknown[]]>([
    ['2026-01-01', 'v1', [undefined, 'Sunset: 2026-09-01.'], [undefined, 'Sunset: 2026-08-01.']],
    ['2026-02-01', 'v1', [true, 'Sunset: 2026-09-01.'], [true, 'Sunset: 2026-08-01.']],
    ['2026-02-01', 'v2', [undefined, 'Sunset: 2026-07-01.'], [undefined, 'Sunset: 2026-07-01.']],
    ['2026-03-01', 'v2', [undefined, 'Sunset: 2026-07-01.'], [true, 'Sunset: 2026-07-01.']],
  ])('on %s, in %s', (now, version, x, old) => {
    jest.useFakeTimers({ now: Date.parse(now) })
    const { paths } = documentOf(options, undefined, version)
    const told = (path: string) => [paths[path]?.get?.deprecated, paths[path]?.get?.description]
    expect([told('/x'), told('/old'), told('/health')]).toEqual([x, old, [undefined, undefined]])
  })

  test('of a neutral route its own', () => {
    jest.useFakeTimers({ now: Date.parse('2026-05-01') })
    const { paths } = documentOf({ ...options, neutral: ['old'] })
    expect(paths['/old']?.get).toEqual({
      operationId: 'get-old',
      description: 'Sunset: 2026-08-01.',
      deprecated: true,
      responses: { '2XX': { description: 'Success.' } },
    })
  })

  test('a document changes when a date is reached', () => {
    jest.useFakeTimers({ now: Date.parse('2026-01-31') })
    const docs = openapi(options)
    expect(docs.document('v1').paths['/x']?.get).not.toHaveProperty('deprecated')
    jest.setSystemTime(Date.parse('2026-02-01'))
    expect(docs.document('v1').paths['/x']?.get).toHaveProperty('deprecated', true)
  })
})

describe('refusals', () => {
  const problem = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } }
  const statuses = (options: VersioningOptions, version = 'v1') =>
    Object.keys(operationIn(options, { problemDetails: true }, version).responses).filter((status) => status !== '2XX')
  class Header404 extends QueryParameterVersioning {
    override readonly invalidVersionError = NotAcceptable
  }
  test.each<[string, Partial<VersioningOptions>, string[]]>([
    ['a header', header, ['406']],
    ['Accept', { ...header, scheme: AcceptHeaderVersioning }, ['406']],
    ['the query', { ...header, scheme: QueryParameterVersioning }, ['404']],
    ['a class of one’s own', { ...header, scheme: Header404 }, ['406']],
    ['a host', { ...header, scheme: HostNameVersioning }, ['400', '404']],
    ['the path', { scheme: URLPathVersioning, allowedVersions, defaultVersion: 'v1' }, ['404']],
  ])('of %s', (_name, options, expected) => {
    const given = { ...options, routes: one() } as VersioningOptions
    expect(statuses(given)).toEqual(expected)
    const { responses } = operationIn(given, { problemDetails: true })
    for (const status of expected) {
      expect(responses[status]).toEqual({ description: expect.stringMatching(/\.$|teapot/i), content: problem })
    }
    expect(Object.keys(operationIn(given).responses)).toEqual(['2XX'])
  })

  test('of requests that are converted', () => {
    const routes = namedRoutes({ x: '/x' })
    routes.route('x').get(answer).post(answer).put(answer)
    const changes = versionHistory('v1').version(
      'v2',
      change('Much.', {
        'POST x': { request: (body) => body },
        'GET x': { query: (query) => query },
        'PUT x': { response: (body) => body },
      }),
    )
    const all = (scheme: VersioningOptions['scheme'], version: string) => {
      const { paths } = documentOf({ scheme, changes, routes }, { problemDetails: true }, version)
      return Object.entries(paths['/x'] ?? {}).map(([method, { responses }]) => [method, Object.keys(responses)[0]])
    }
    expect(all(HeaderVersioning, 'v1')).toEqual([
      ['get', '400'],
      ['post', '400'],
      ['put', '406'],
    ])
    expect(all(HeaderVersioning, 'v2')).toEqual([
      ['get', '406'],
      ['post', '406'],
      ['put', '406'],
    ])
    expect(all(HostNameVersioning, 'v1').map(([, status]) => status)).toEqual(['400', '400', '400'])
  })

  test('beside what is described with their status', () => {
    const routes = one()
    routes.describe('GET x', { response: { 200: true, 406: { type: 'string' } } })
    const { responses } = operationIn({ ...header, routes }, { problemDetails: true })
    expect(responses[406]).toEqual({
      description: 'Not Acceptable',
      content: { 'application/json': { schema: { type: 'string' } }, ...problem },
    })
  })

  test.each<[string, VersioningOptions['scheme'], problemDetails: boolean, content: object | undefined]>([
    ['alone', HeaderVersioning, false, undefined],
    ['as problem details', HeaderVersioning, true, problem],
    ['where Accept asks', AcceptHeaderVersioning, false, { 'application/json; version=v1': {} }],
    [
      'where Accept asks, as problem details',
      AcceptHeaderVersioning,
      true,
      { 'application/json; version=v1': {}, ...problem },
    ],
  ])('of a gone version is 410, %s', (_name, scheme, problemDetails, content) => {
    const routes = namedRoutes({ x: '/x', health: '/health' })
    routes.route('x').get(answer)
    routes.route('health').get(answer)
    routes.describe('GET x', { response: { 200: true, 404: true } })
    const lifecycle = { v1: { sunset: '2020-01-01' } }
    const options = { scheme, allowedVersions, lifecycle, afterSunset: 'gone' as const, neutral: ['health'], routes }
    const { paths } = documentOf(options, { problemDetails })
    const gone = { description: 'The version is no longer served.', ...(content && { content }) }
    expect(paths['/x']?.get).toMatchObject({ deprecated: true, description: 'Sunset: 2020-01-01.' })
    expect(paths['/x']?.get?.responses).toEqual({ 410: gone })
    expect(paths['/health']?.get).toEqual({
      operationId: 'get-health',
      responses: { '2XX': { description: 'Success.' } },
    })
  })
})

describe('what is there', () => {
  test('is what byVersion() serves', () => {
    const routes = namedRoutes({ own: '/own', lower: '/lower' })
    routes.route('own').get(byVersion({ v2: answer }))
    routes.route('lower').get(byVersion({ v1: answer }, { fallback: 'lower' }))
    const [v1, v2] = allowedVersions.map((version) => ids(documentOf({ ...header, routes }, undefined, version)))
    expect([v1, v2]).toEqual([['get /lower get-lower'], ['get /own get-own', 'get /lower get-lower']])
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
    expect(docs.document('v1')).not.toBe(first)
    expect(docs.document('v1').info.title).toBe('API')
    expect(docs.document('v2')).toMatchObject({ 'x-of': 'v2' })
    routes.describe('GET x', { summary: 'More' })
    expect(docs.document('v1')).toMatchObject({ 'x-of': 'v1' })
    expect(new Set(seen).size).toBe(seen.length)
  })

  test.each([undefined, null, 'text', Promise.resolve({})])('that gives %p is a TypeError', (given) => {
    const docs = openapi({ ...header, routes: one() }, { extend: () => given as never })
    expect(() => docs.document('v1')).toThrow(TypeError)
    expect(() => docs.document('v1')).toThrow('option "extend" takes a function that returns the document')
  })
})

describe('options', () => {
  const options = { ...header, routes: one() }
  test.each<[string, () => unknown, message: string]>([
    ['info: text', () => openapi(options, { info: 'x' as never }), 'option "info" takes'],
    ['info: null', () => openapi(options, { info: null as never }), 'option "info" takes'],
    ['info: list', () => openapi(options, { info: [] as never }), 'option "info" takes'],
    ['info.title', () => openapi(options, { info: { title: 7 as never } }), 'option "info.title" takes a text; got 7'],
    [
      'info.description',
      () => openapi(options, { info: { description: 7 as never } }),
      'option "info.description" takes a text',
    ],
    ['info.version', () => openapi(options, { info: { version: '1' } }), 'takes no "version"'],
    [
      'problemDetails',
      () => openapi(options, { problemDetails: 'yes' as never }),
      'option "problemDetails" takes true or false',
    ],
    ['extend', () => openapi(options, { extend: {} as never }), 'option "extend" takes a function'],
    [
      'document: unknown',
      () => openapi(options).document('v3'),
      'there is no version \'v3\'. Did you mean "v1" or "v2"?',
    ],
  ])('%s is a TypeError', (_name, make, message) => {
    expect(make).toThrow(TypeError)
    expect(make).toThrow(message)
  })

  test('null is no version of documents', () => {
    const docs = openapi({ ...header, allowedVersions: [null, 'v1'], routes: one() })
    expect(() => docs.document(null as never)).toThrow(TypeError)
    expect(docs.document('v1').info.version).toBe('v1')
  })
})
