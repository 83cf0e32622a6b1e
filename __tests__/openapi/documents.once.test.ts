import * as library from 'express-versioning'
import {
  deprecated,
  namedRoutes,
  type OperationDescription,
  type Schema,
  type VersioningOptions,
} from 'express-versioning'
import { change, fields, versionHistory } from 'express-versioning/changes'
import { type OpenApiDocument, type OpenApiOperation, type OpenApiOptions, openapi } from 'express-versioning/openapi'
import { rows } from '../support/rows'
import { respond, table } from '../support/tables'

const { BaseVersioning, HeaderVersioning, HostNameVersioning, QueryParameterVersioning } = library
const allowedVersions = ['v1', 'v2']
const header = { scheme: HeaderVersioning, allowedVersions }
const accept = { scheme: library.AcceptHeaderVersioning, allowedVersions }
const query = { scheme: QueryParameterVersioning, allowedVersions }
const text = { type: 'string' }
const GONE = { lifecycle: { v1: { sunset: '2020-01-01' } }, afterSunset: 'gone' } as const
const problem = { schema: { $ref: '#/components/schemas/Problem' } }
const same = (body: unknown) => body

const one = (description: OperationDescription = {}, path = '/x') => table({ x: path }).describe('GET x', description)

const documentOf = (options: Partial<VersioningOptions>, settings?: OpenApiOptions, version = 'v1'): OpenApiDocument =>
  openapi({ routes: one(), ...options } as VersioningOptions, settings).document(version)

const operationsIn = ({ paths }: OpenApiDocument) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, OpenApiOperation] => [`${method} ${path}`, operation]),
  )
const ids = (document: OpenApiDocument) => operationsIn(document).map(([at, { operationId }]) => `${at} ${operationId}`)

function operationIn(...[options, settings, version]: Parameters<typeof documentOf>): OpenApiOperation {
  const [found, ...others] = operationsIn(documentOf(options, settings, version))
  expect(others).toEqual([])
  return found?.[1] as OpenApiOperation
}

/** Writes responses as `200 OK [json]`. */
const briefly = ({ responses }: OpenApiOperation) =>
  Object.entries(responses)
    .map(([status, said]) => `${status} ${said?.description} [${Object.keys(said?.content ?? {}).join(', ')}]`)
    .join(', ')
    .replaceAll('application/', '')

test('a whole document, and the changes in its info', () => {
  const routes = table({ 'user-detail': '/users/:id' })
  routes.describe('GET user-detail', { summary: 'One user', response: { type: 'object' } })
  const steps = { 'GET user-detail': { response: same } }
  const changes = versionHistory('v1').version('v2', change('One came.', steps), change('Another one.', steps))
  const ends = { deprecated: '2020-01-01', sunset: '2099-06-30T12:00:00Z' }
  const lifecycle = { v1: { ...ends, successor: 'v2', info: 'https://a.example/v1' } }
  const options = { scheme: HeaderVersioning, changes, lifecycle, routes }
  const id = { name: 'id', in: 'path', required: true, schema: text }
  const carrier = { name: 'X-API-Version', in: 'header', required: true, description: 'The version of the API.' }
  const parameters = [id, { ...carrier, schema: { ...text, enum: ['v1'] } }]
  const responses = { 200: { description: 'One came.', content: { 'application/json': {} } } }
  const dated = { deprecated: true, 'x-sunset': '2099-06-30', description: 'Sunset: 2099-06-30T12:00:00.000Z.' }
  const get = { operationId: 'get-user-detail', summary: 'One user', ...dated, parameters, responses }
  const given = { title: 'Shop', description: 'All of it.', license: { name: 'MIT' } }
  const plan = 'Deprecated: 2020-01-01. Sunset: 2099-06-30T12:00:00.000Z. Successor: v2. More: <https://a.example/v1>'
  const info = { ...given, version: 'v1', description: `All of it.\n\n${plan}` }
  const document = documentOf(options, { info: given, mount: '/api' })
  const rest = { servers: [{ url: '/api' }], paths: { '/users/{id}': { get } } }
  expect(document).toEqual({ openapi: '3.1.1', info, ...rest })
  const description = 'Changes in this version:\n\n- One came.\n- Another one.'
  expect(documentOf(options, {}, 'v2').info).toEqual({ title: 'API', version: 'v2', description })
})

test.each<[OperationDescription, responses: string]>([
  [{}, '2XX Success. [@]'],
  [{ response: text }, '200 OK [@]'],
  [{ response: { 200: undefined, 404: true } }, '404 Not Found [@]'],
  [{ response: { 200: undefined } }, '2XX Success. [@]'],
  [{ response: null, body: null }, '2XX Success. [], default Any other response. [@]'],
  [{ response: { 204: null } }, '204 No Content [], default Any other response. [@]'],
  [{ response: { 299: true } }, '299 A response. [@]'],
  [{ response: { '4XX': true, '5XX': true } }, '4XX Client error. [@], 5XX Server error. [@]'],
  [{ operation: { responses: {} } }, '2XX Success. [@]'],
  [{ operation: { responses: { 200: null } } }, '200 undefined [], default Any other response. [@]'],
  [{ operation: { responses: { 302: { description: 'There.' } } } }, '302 There. [], default Any other response. [@]'],
])('responses of %j name the version in their media types: %s', (description, expected) => {
  const routes = one(description)
  expect(briefly(operationIn({ ...accept, routes }))).toBe(expected.replaceAll('@', 'json; version=v1'))
  const plain = expected.replace(', default Any other response. [@]', '')
  const type = expected.startsWith('2XX') ? '' : 'json'
  expect(briefly(operationIn({ ...header, routes }))).toBe(plain.replaceAll('@', type))
})

test("the place of the version comes before a user's own parameter", () => {
  const properties = { version: { type: 'integer' }, page: { type: 'integer' } }
  const routes = one({ query: { type: 'object', properties, required: ['page'] } })
  const told = (options: Partial<VersioningOptions>) =>
    operationIn({ ...options, routes }).parameters?.map(
      ({ in: place, name, required }) => `${place} ${name} ${required}`,
    )
  expect(told(query)).toEqual(['query version true', 'query page true'])
  const named = { scheme: new HeaderVersioning({ header: 'page', allowedVersions }) }
  expect(told(named)).toEqual(['header page true', 'query version false', 'query page true'])
  // Names of header fields are the same in any case.
  routes.describe('GET x', { operation: { parameters: [{ name: 'x-api-version', in: 'header', 'x-own': 1 }] } })
  expect(told(header)).toEqual(['header x-api-version true'])
})

const schemes = [new HostNameVersioning(), new HeaderVersioning()]
const host = { scheme: HostNameVersioning, allowedVersions }
const both = { scheme: new library.CombinedVersioning({ schemes, allowedVersions }) }
const capitals = { ...host, allowedVersions: ['V1'] }
test.each<[string, object, origin: string, mount: string | undefined, url: string, path?: string, version?: string]>([
  ['a host', host, 'https://api.example.com', '/:a/b', 'https://v1.example.com', '/{a}/b/x'],
  ['no place', host, 'https://a.b.example.com', '/api', '/api'],
  ['a host or a header, two labels', both, 'https://example.com', undefined, 'https://example.com'],
  ['capitals, which URLs do not keep', capitals, 'https://api.example.com', undefined, '/', '/x', 'V1'],
])('the server of %s', (_, options, origin, mount, url, path = '/x', version = 'v1') => {
  const document = documentOf({ ...options, origin }, { mount }, version)
  expect([document.servers, Object.keys(document.paths)]).toEqual([[{ url }], [path]])
})

const PATHS = rows(`
  names of other characters | {"a": "/:\\"a b\\"/:a_b/*ü"}        | get /{a_b}/{a_b-2}/{_} get-a
  a taken name              | {"a": "/a{/:b}", "a-2": "/c"}       | get /a/{b} get-a-2, get /a get-a, get /c get-a-2-2
  literals                  | {"a": "/é", "b": "/"}               | get /%C3%A9 get-a, get / get-b
  odd view names            | {"a b/c": "/a", "ü": "/b"}          | get /a get-a-b-c, get /b get--
`)
test.each(PATHS)('paths: %s', (_, paths = '', expected = '') => {
  expect(ids(documentOf({ ...header, routes: table(JSON.parse(paths)) })).join(', ')).toBe(expected)
})

test('documents have the methods that OpenAPI knows', () => {
  const known = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const
  const routes = namedRoutes({ x: '/x' })
  for (const method of [...known, 'm-search'] as const) routes.route('x')[method](respond)
  expect(ids(documentOf({ ...header, routes }))).toEqual(known.map((method) => `${method} /x ${method}-x`))
})

test('descriptions have parts for one version', () => {
  const own = { summary: 'S1', description: undefined, deprecated: true, tags: [] }
  const versions = { v1: own, v9: { summary: 'S9' }, v2: undefined }
  const routes = one({ summary: 'S', description: 'D', tags: ['t', 't', 'u'], response: text, versions } as object)
  const [v1, v2] = allowedVersions.map((version) => operationIn({ ...header, routes }, undefined, version))
  const told = { operationId: 'get-x', description: 'D', parameters: expect.anything(), responses: expect.anything() }
  expect(v1).toEqual({ ...told, summary: 'S1', deprecated: true })
  expect(v2).toEqual({ ...told, summary: 'S', tags: ['t', 'u'] })
})

test('own parts of OpenAPI are merged last, parameters by name and place, and those of a version last of all', () => {
  const examples = { a: { value: 'A' } }
  const headers = { ETag: { schema: text } }
  const [number, cookie] = [{ type: 'number' }, { name: 'page', in: 'cookie', schema: text }]
  const own = { 404: { description: 'None.' }, 406: { $ref: '#/components/responses/none' } }
  const content = { 'application/json': { examples }, 'text/csv': {} }
  const parameters = [{ name: 'page', in: 'query', example: 2, schema: number }, cookie]
  const responses = { ...own, 200: { headers, content }, 500: undefined }
  const operation = { operationId: 'getX', summary: 'Two', tags: ['b'], security: [], parameters, responses }
  const ofV1 = { summary: 'Old', responses: { 200: { description: 'Fine.', headers: {} }, 410: {} } }
  const general = { summary: 'One', tags: ['a'], query: { properties: { page: {} } }, response: text, operation }
  const routes = one({ ...general, versions: { v1: { operation: ofV1 } } }, '/x{/:id}')
  const told = (options: Partial<VersioningOptions>, version: string) =>
    operationsIn(documentOf({ ...header, routes, ...options }, { problemDetails: true }, version)).map(([, it]) => it)
  const [withId, plain] = told(header, 'v1')
  expect([withId?.operationId, plain?.operationId]).toEqual(['getX-2', 'getX'])
  expect(plain).toMatchObject({ summary: 'Old', tags: ['b'], security: [] })
  expect(plain?.parameters?.slice(1)).toEqual([{ ...parameters[0], required: false }, cookie])
  const json = { schema: text, examples }
  const ok = { description: 'Fine.', headers, content: { ...content, 'application/json': json } }
  expect(plain?.responses).toEqual({ ...own, 200: ok, 410: {} })
  // JSON names the version in its media type, and a version that is gone has no own responses.
  const versioned = { 'application/json; version=v2': json, 'text/csv': {} }
  expect(told(accept, 'v2')[0]?.responses[200]?.content).toEqual(versioned)
  const [gone] = told(GONE, 'v1')
  expect([Object.keys(gone?.responses ?? {}), gone?.security]).toEqual([['410'], []])
})

test('own parts for all versions have the statuses and header fields of each', () => {
  const header = { schema: text }
  const location = { headers: { Location: header, B: header, C: header } }
  const responses = { 200: { headers: { A: header } }, 201: { description: 'Made.', ...location }, '4XX': location }
  const own = { response: { 201: true }, operation: { responses: { 201: { description: 'Own.' } } } } as const
  const response = { 200: text, 201: { type: 'null' }, 202: text, default: {} }
  const routes = namedRoutes({ x: '/x' })
  const described = routes.describe('POST x', { response, operation: { responses }, versions: { v0: own } })
  described.route('x').post(respond)
  const newest = { status: { 201: 200 }, headers: { location: null, C: null } } as const
  const changes = versionHistory('v0')
    .version('v1', change('0', { 'POST x': { headers: { c: () => 'c' } } }))
    .version('v2', change('1', { 'POST x': newest, '*': { headers: { B: () => 'b' } } }))
  const told = (version: string) => operationIn({ scheme: HeaderVersioning, changes, routes }, {}, version).responses
  const heads = (version: string) =>
    Object.entries(told(version)).map(([status, { headers }]) => [status, ...Object.keys(headers ?? {})].join(' '))
  expect(heads('v2')).toEqual(['200 A', '201 Location B C', '202', 'default', '4XX Location B C'])
  expect(heads('v1')).toEqual(['200 B A', '202', 'default', '4XX B'])
  expect(heads('v0')).toContain('200 B C A')
  const content = { 'application/json': { schema: { anyOf: [text, { type: 'null' }] } } }
  expect(told('v1')[200]).toEqual({ description: 'Made.', headers: { B: header, A: header }, content })
  expect(told('v0')[201]).toEqual({ description: 'Own.', content: { 'application/json': { schema: {} } } })
})

/** A scheme of one's own, without `carry()`. */
class CookieVersioning extends BaseVersioning {
  override readonly varyOn: readonly string[] = ['Cookie']
  override readVersion(req: { headers: { cookie?: string | undefined } }) {
    return /(?:^|; )v=([^;]*)/.exec(req.headers.cookie ?? '')?.[1]
  }
}
class ReadingSpaces extends BaseVersioning {
  override readVersion(_req: unknown, _kwargs: unknown, match: { namespaces: readonly string[] } | null) {
    return match?.namespaces[0]
  }
}
class CarryingCookie extends CookieVersioning {
  override carry = (value: string) => ({ in: 'header', name: 'Cookie', value: `v=${value}` }) as const
}
const inSpace = table({}).include('/v2', table({ x: '/x' }), { namespace: 'v2' })
test.each<[version: string, scheme: library.SchemeClass, routes: object, path: string]>([
  ['v1', CookieVersioning, one(), '/x'],
  ['v2', CarryingCookie, one(), '/x'],
  ['v2', ReadingSpaces, inSpace, '/v2/x'],
])('the document of %s, by a scheme of its own, %p', (version, scheme, routes, path) => {
  const own = { scheme, routes, allowedVersions, defaultVersion: 'v1' } as VersioningOptions
  expect(Object.keys(documentOf(own, {}, version).paths)).toEqual([path])
})

test('a scheme without carry() says only how clients ask for the default version', () => {
  const own = { scheme: CookieVersioning, allowedVersions, defaultVersion: 'v1' }
  const message = 'openapi(): nothing says how clients name "v2", because CookieVersioning has no carry().'
  expect(() => documentOf(own, {}, 'v2')).toThrow(message)
})

const dated = table({ x: '/x' }).add('old', '/old').add('health', '/health')
for (const name of ['old', 'health'])
  dated.route(name).get(deprecated({ since: '2026-03-01', sunset: '2026-08-01' }), respond)
const lifecycle = { v1: { deprecated: '2026-02-01', sunset: '2026-09-01' }, v2: { sunset: '2026-07-01' } }
const docs = openapi({ ...header, lifecycle, afterSunset: 'gone', neutral: ['health'], routes: dated })
afterEach(() => jest.useRealTimers())
const DATES = rows(`
  // date, version | a route                       | a deprecated route             | that is neutral
  2026-01-01 | v1 | - Sunset: 2026-09-01.          | - Sunset: 2026-08-01.          | - Sunset: 2026-08-01.
  2026-02-01 | v1 | 2026-09-01 Sunset: 2026-09-01. | 2026-08-01 Sunset: 2026-08-01. | - Sunset: 2026-08-01.
  2026-02-28 | v2 | - Sunset: 2026-07-01.          | - Sunset: 2026-07-01.          | - Sunset: 2026-08-01.
  2026-03-01 | v2 | - Sunset: 2026-07-01.          | 2026-07-01 Sunset: 2026-07-01. | 2026-08-01 Sunset: 2026-08-01.
  2026-07-01 | v2 | 2026-07-01 Sunset: 2026-07-01. | 2026-07-01 Sunset: 2026-07-01. | 2026-08-01 Sunset: 2026-08-01.
  // The clock is set back.
  2026-06-30 | v2 | - Sunset: 2026-07-01.          | 2026-07-01 Sunset: 2026-07-01. | 2026-08-01 Sunset: 2026-08-01.
`)
test.each(DATES)('deprecation, as of %s, in %s', (now = '', version = '', ...expected) => {
  jest.useFakeTimers({ now: Date.parse(now) })
  const told = operationsIn(docs.document(version)).map(([, get]) => {
    expect('x-sunset' in get).toBe('deprecated' in get)
    return `${get['x-sunset'] ?? '-'} ${get.description}`
  })
  expect(told).toEqual(expected)
})

class Query418 extends QueryParameterVersioning {
  override readonly invalidVersionError = class extends library.VersioningError {
    constructor(message: string) {
      super(message, { code: 'ERR_VERSION_TEAPOT', status: 418 })
    }
  } as never
}
const unknown = 'The version does not exist.'
const wrong = 'The request contradicts itself about the version, or does not fit it.'
test.each<[string, Partial<VersioningOptions>, ...rejections: string[]]>([
  ['Accept', accept, `406 ${unknown}`],
  ['another status', { ...query, scheme: Query418 }, "418 I'm a Teapot"],
  ['a host', host, `400 ${wrong}`, `404 ${unknown}`],
])('rejections of %s', (_name, options, ...rejections) => {
  const told = rejections.map((rejection) => `${rejection} [problem+json]`).join(', ')
  const operation = operationIn(options, { problemDetails: true })
  expect(briefly(operation).replace(/(, )?2XX Success\. \[.*\]$/, '')).toBe(told)
  expect(operation.responses[Number(told.slice(0, 3))]?.content).toEqual({ 'application/problem+json': problem })
  expect(Object.keys(operationIn(options).responses)).toEqual(['2XX'])
})

test('rejections of requests that are converted and do not fit, and beside a described response of their status', () => {
  const routes = one().describe('PUT x', { response: { 200: true, 406: text } })
  routes.route('x').post(respond).put(respond)
  const steps = { 'POST x': { request: same }, 'GET x': { query: same as never }, 'PUT x': { response: same } }
  const changes = versionHistory('v1').version('v2', change('Much.', steps))
  const told = (version: string) =>
    operationsIn(documentOf({ scheme: HeaderVersioning, changes, routes }, { problemDetails: true }, version))
  const first = (version: string) => told(version).map(([, { responses }]) => Object.keys(responses)[0])
  expect([first('v1'), first('v2')]).toEqual([
    ['400', '400', '200'],
    ['406', '406', '200'],
  ])
  const content = { 'application/json': { schema: text }, 'application/problem+json': problem }
  const put = { 200: expect.anything(), 406: { description: 'Not Acceptable', content } }
  expect(told('v2')[2]?.[1].responses).toEqual(put)
})

test('a described problem stays beside the rejections of its status', () => {
  const PROBLEM = { type: 'object', required: ['own'] }
  const response = { 200: true, 406: { content: { 'application/problem+json': PROBLEM } } }
  const { responses } = operationIn({ ...accept, routes: one({ response }) }, { problemDetails: true })
  const schema = { anyOf: [PROBLEM, problem.schema] }
  expect(responses[406]?.content).toEqual({ 'application/problem+json': { schema } })
})

test.each<[options: object, problemDetails: boolean, types: string]>([
  [header, false, ''],
  [accept, true, 'json; version=v1, problem+json'],
])('responses of a gone version are 410: %#', (options, problemDetails, types) => {
  const routes = table({ x: '/x', health: '/health' }).describe('GET x', { response: { 200: true, 404: true } })
  const document = documentOf({ ...options, ...GONE, neutral: ['health'], routes }, { problemDetails })
  const told = [`410 The version is no longer served. [${types}]`, '2XX Success. []']
  expect(operationsIn(document).map(([, operation]) => briefly(operation))).toEqual(told)
})

test('names of Object.prototype are names like others, and what it has is no setting', () => {
  for (const name of ['__proto__', 'constructor', 'toString']) {
    const named = (value: object) => JSON.parse(`{"${name}":${JSON.stringify(value)}}`)
    const response = { $id: name, type: 'object', properties: named(text) }
    const routes = one({ response, operation: named({ 'x-own': 1 }) })
    const document = JSON.stringify(documentOf({ ...header, routes }, { info: named({ 'x-own': 2 }) }))
    for (const value of [{ 'x-own': 1 }, { 'x-own': 2 }, { type: 'object', properties: named(text) }])
      expect(document).toContain(`"${name}":${JSON.stringify(value)}`)
  }
  const inherited = Object.prototype as OpenApiOptions
  try {
    inherited.extend = () => ({ evil: true }) as never
    expect(documentOf(header)).toHaveProperty('openapi', '3.1.1')
  } finally {
    delete inherited.extend
  }
})

test('extend has the last word, and gets a fresh document each time', () => {
  const routes = one()
  let made = 0
  const extend = (document: OpenApiDocument, version: string) =>
    Object.assign(document, { said: `${document.said ?? ''}${version} ${++made}` })
  const docs = openapi({ ...header, routes }, { extend })
  docs.document('v1').info.title = 'changed'
  expect(docs.document('v1')).toMatchObject({ openapi: '3.1.1', info: { title: 'API' }, said: 'v1 1' })
  expect(docs.document('v2').said).toBe('v2 2')
  routes.describe('GET x', { summary: 'More' })
  expect(docs.document('v1').said).toBe('v1 3')
})

const info = `option "info" takes an object such as { title: 'Shop' }; got`
const GIVES = 'option "extend" takes a function that returns the document; it returned'
test.each<[settings: object, message: string, version?: unknown]>([
  [{ info: 'x' }, `${info} 'x'.`],
  [{ info: null }, `${info} null.`],
  [{ info: [] }, `${info} [].`],
  [{ info: { title: 7 } }, 'option "info.title" takes a string; got 7.'],
  [{ info: { description: 7 } }, 'option "info.description" takes a string; got 7.'],
  [{ info: { version: '1' } }, 'option "info" takes no "version": each document has its own.'],
  [{ problemDetails: 'yes' }, `option "problemDetails" takes true or false; got 'yes'.`],
  [{ extend: 7 }, 'option "extend" takes a function of a document and its version; got 7.'],
  [{ extend: () => null }, `${GIVES} null.`],
  [{ extend: () => 'text' }, `${GIVES} 'text'.`],
  [{ extend: () => Object.fromEntries([['then', same]]) }, `${GIVES} { then: [Function: same] }.`],
  [{}, `there is no version 'v3'. Did you mean "v1" or "v2"?`, 'v3'],
  [{}, 'there is no version null.', null],
])('%j is a TypeError: %s', (settings, message, version = 'v1') => {
  const options = { ...header, allowedVersions: [null, ...allowedVersions], routes: one() }
  expect(openapi(options).versions).toEqual(allowedVersions)
  const make = () => openapi(options, settings).document(version as string)
  expect(make).toThrow(new TypeError(`openapi(): ${message}`))
})

test('a response that nobody knows any more has the media type that it had', () => {
  const step = { response: same, headers: { 'Content-Type': () => 'application/vnd.old+json' } }
  const changes = versionHistory('v1').version('v2', change('It was another one.', { 'GET x': step }))
  const { responses } = operationIn({ scheme: HeaderVersioning, changes, routes: one({ response: text }) })
  const content = { 'application/vnd.old+json': {} }
  expect(responses).toEqual({ 200: { description: 'It was another one.', content } })
})

test('an older response may refer to a schema that only older versions have', () => {
  const User = { $id: 'User', type: 'object', properties: { name: text } }
  const Legacy = { $id: 'Legacy', type: 'object', properties: { age: text } }
  const routes = table({ x: '/x', y: '/y' }).describe('GET x', { response: User }).describe('GET y', { response: text })
  const older = (response: Schema) => ({ response: same, older: { response } })
  const changes = versionHistory('v1').version(
    'v2',
    change('Users.', { User: fields({ renamed: { title: 'name' } }) }),
    change('Both.', {
      'GET x': older({ allOf: [{ $ref: 'Legacy' }, { $ref: 'User' }] }),
      'GET y': older(Legacy),
    }),
  )
  const { paths, components } = documentOf({ scheme: HeaderVersioning, changes, routes })
  const schema = { allOf: ['Legacy', 'User'].map((name) => ({ $ref: `#/components/schemas/${name}` })) }
  expect(paths['/x']).toMatchObject({ get: { responses: { 200: { content: { 'application/json': { schema } } } } } })
  expect(components?.schemas).toEqual({
    Legacy: { type: 'object', properties: { age: text } },
    User: { type: 'object', properties: { title: text } },
  })
})
