// The parts of given documents in a version: bodies, parameters, responses, schemas and webhooks.
import { AcceptHeaderVersioning, HeaderVersioning, namedRoutes } from 'express-versioning'
import { change, fields, versionHistory } from 'express-versioning/changes'
import { openapi, routesOf } from 'express-versioning/openapi'
import { documentOf as documentWith } from '../support/documents'

// biome-ignore lint/suspicious/noExplicitAny: tests look deep into documents.
type Json = Record<string, any>

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: object) => ({ 'application/json': { schema } })
const ok = (schema: object) => ({ description: 'OK', content: json(schema) })
const text = { type: 'string' }
const User = { type: 'object', properties: { id: text, fullName: text, any: true }, required: ['id'] }
const Post = { type: 'object', properties: { author: ref('User') } }
const NONE = { responses: { 204: { description: '' } } }

/** A document with some paths, and with a path that has users. */
const documentOf = (paths: Json, { schemas = {}, ...components }: Json = {}, version = '3.1.0'): Json =>
  documentWith(
    { ...paths, '/users': { get: { responses: { 200: ok(ref('User')) } } } },
    { ...components, schemas: { User, ...schemas } },
    version,
  )
const AT = { name: 'X-API-Version', in: 'header' }

const renamed = change('Users have `fullName`.', { User: fields({ renamed: { name: 'fullName' } }) })
const history = versionHistory('1').version('2', renamed)

/** Makes the document of a version. */
function made(routes: object, version: string, more: Json = {}, settings: Json = {}): Json {
  const options = { scheme: HeaderVersioning, defaultVersion: '2', changes: history, routes, ...more }
  return openapi(options as never, settings).document(version) as Json
}

// Bodies and parameters ---------------------------------------------------------------------------------------------

const form = { 'multipart/form-data': { schema: { type: 'object' } } }

test.each<[string, Json | undefined, Json | null, Json | undefined]>([
  ['where the document has none', undefined, text, { required: true, content: json(text) }],
  ['beside a form', { content: form }, text, { content: { ...form, ...json(text) } }],
  ['beside no content', { description: 'x' }, text, { description: 'x', content: json(text) }],
  ['of no JSON', { content: { ...form, ...json(Post) } }, null, { content: form }],
  ['of nothing', { content: json(Post) }, null, undefined],
])('a described body %s', (_, requestBody, body, expected) => {
  const post = { ...NONE, ...(requestBody && { requestBody }) }
  const routes: Json = routesOf(documentOf({ '/a': { post } }, { schemas: { User, Post } }))
  routes.describe('POST /a', { body })
  expect(made(routes, '2').paths['/a'].post.requestBody).toStrictEqual(expected)
})

test('parameters behind an address of their own stay', () => {
  const trace = { $ref: 'https://shop.example/trace' }
  const Trace = { $id: trace.$ref, name: 'X-Trace', in: 'header', schema: text }
  const given = documentOf({ '/a': { get: { ...NONE, parameters: [trace] } } }, { parameters: { Trace } })
  expect(made(routesOf(given), '2').paths['/a'].get.parameters).toStrictEqual([trace, expect.objectContaining(AT)])
})

// Webhooks, and operations that the table does not have --------------------------------------------------------------

test('all parts of webhooks are those of the version', () => {
  const parameter = (schema: object) => ({ name: 'q', in: 'query', content: json(schema), example: {} })
  const operation = (schema: object) => ({
    parameters: [{ name: 'p', in: 'query', schema, example: {} }, null],
    requestBody: { content: json(schema), 'x-more': {} },
    responses: { 200: { ...ok(schema), headers: { 'X-One': { schema } }, links: {} } },
    callbacks: { told: { '{$url}': { post: { requestBody: { content: json(schema) } } } } },
    security: [],
  })
  const webhooks = (schema: object) => ({
    told: {
      parameters: [parameter(schema)],
      servers: [],
      post: operation(schema),
      additionalOperations: { COPY: operation(schema) },
    },
    left: { parameters: [parameter(text)] },
  })
  const given = { ...documentOf({ '/a': { get: NONE } }, { schemas: { User, Post } }, '3.2.0') }
  const Other = { type: 'object', properties: { id: text, name: text, any: {} }, required: ['id'] }
  const older = made(routesOf({ ...given, webhooks: webhooks(ref('User')) }), '1')
  expect(older.components.schemas.User).toStrictEqual(Other)
  const expected: Json = webhooks(ref('User'))
  for (const one of [expected.told.post, expected.told.additionalOperations.COPY]) delete one.parameters[0].example
  expect(older.webhooks).toStrictEqual(expected)
})

test('a document of webhooks alone has them in each version', () => {
  const webhooks = { told: { post: { requestBody: { content: json(ref('User')) }, ...NONE } } }
  const { paths: _none, ...given } = documentOf({})
  const newest = made(routesOf({ ...given, webhooks }), '2', { changes: undefined, allowedVersions: ['1', '2'] })
  expect(newest.webhooks).toStrictEqual(webhooks)
  expect(newest.components.schemas).toStrictEqual({ User })
  expect(newest.paths).toStrictEqual({})
})

test('HEAD of a document has the schemas of the version', () => {
  const head = { responses: { 200: { description: '', headers: { 'X-User': { schema: ref('User'), example: {} } } } } }
  const given = documentOf({ '/a': { get: NONE, head } }, { schemas: { User } })
  const older = made(routesOf(given), '1')
  expect(older.paths['/a'].head).toStrictEqual({
    responses: { 200: { description: '', headers: { 'X-User': { schema: ref('User') } } } },
  })
})

test('a neutral operation has what its references lead to as it is today', () => {
  const responses = { One: ok(ref('User')), Two: ok(text) }
  const get = {
    responses: { 200: { $ref: '#/components/responses/One' }, 400: { $ref: '#/components/responses/Two' } },
  }
  const given = documentOf({ '/a': { get }, '/b': { get } }, { responses, schemas: { User } })
  const older = made(routesOf(given), '1', { neutral: ['/a'] })
  expect(older.paths['/a'].get.responses).toStrictEqual({ 200: ok(ref('User-2')), 400: get.responses[400] })
  expect(older.paths['/b'].get.responses).toStrictEqual(get.responses)
  expect(older.components.schemas['User-2']).toStrictEqual(User)
  expect(older.components.responses).toStrictEqual(responses)
})

// Responses ---------------------------------------------------------------------------------------------------------

const csv = { 'text/csv': { schema: text } }
const accepted = {
  '/a': {
    get: {
      responses: {
        200: { description: '', content: { ...json(ref('User')), ...csv } },
        204: { description: '' },
        202: { description: '', content: csv },
      },
    },
  },
}
const accept = { scheme: AcceptHeaderVersioning }

test('the media type that carries the version is instead of JSON', () => {
  const newest = made(routesOf(documentOf(accepted)), '2', accept)
  expect(newest.paths['/a'].get.responses).toStrictEqual({
    200: { description: '', content: { 'application/json; version=2': { schema: ref('User') }, ...csv } },
    204: { description: '' },
    202: { description: '', content: csv },
  })
})

test.each([
  [
    'a media type',
    accept,
    { description: 'The version is no longer served.', content: { 'application/json; version=1': {} } },
  ],
  ['a header', {}, { description: 'The version is no longer served.' }],
])('an operation of a version that is gone, by %s', (_, scheme, gone) => {
  const lifecycle = { 1: { sunset: '2020-01-01' } }
  const more = { ...scheme, lifecycle, afterSunset: 'gone', neutral: ['/b'] }
  const given = documentOf({ ...accepted, '/b': { get: NONE } })
  const { paths } = made(routesOf(given), '1', more)
  expect(paths['/a'].get.responses).toStrictEqual({ 410: gone })
  expect(paths['/b'].get.responses).toStrictEqual(NONE.responses)
})

test('responses with another media type in an older version', () => {
  const content = { 'application/vnd.new+json': { schema: User }, ...csv }
  const responses = { 200: { description: 'One.', content }, default: ok(text), 404: { description: 'None.' } }
  const given = documentOf({ '/a': { get: { responses } }, '/b': { get: {} } })
  const type = { headers: { 'Content-Type': () => 'application/vnd.old+json' } }
  const changes = versionHistory('1').version('2', change('Types.', { 'GET /a': type }))
  const older = made(routesOf(given), '1', { changes })
  expect(older.paths['/a'].get.responses).toStrictEqual({
    ...responses,
    200: { description: 'One.', content: { ...csv, 'application/vnd.old+json': { schema: User } } },
  })
  expect(older.paths['/b'].get.responses).toStrictEqual({})
})

test('rejections are beside the problems that a document has', () => {
  const problem = (media: object) => ({ description: 'x', content: { 'application/problem+json': media } })
  const Problem = expect.objectContaining({ $ref: expect.stringContaining('Problem') })
  const one = (media: object) => ({ get: { responses: { 204: { description: '' }, 404: problem(media) } } })
  const given = documentOf({ '/a': one({ schema: text, example: 'x' }), '/b': one({ example: 'x' }) })
  const { paths } = made(
    routesOf(given),
    '2',
    { changes: versionHistory('1').version('2', change('x', { 'GET /a': 'removed', 'GET /b': 'removed' })) },
    { problemDetails: true },
  )
  expect(paths['/a'].get.responses[404]).toStrictEqual(problem({ schema: { anyOf: [text, Problem] }, example: 'x' }))
  expect(paths['/b'].get.responses[404]).toStrictEqual(problem({ schema: Problem }))
})

// Schemas -----------------------------------------------------------------------------------------------------------

test('copies of a shape, with null or without, are references in older versions', () => {
  const copies = (one: object, two: object, more: object) => ({
    ...more,
    properties: { any: true, one, two, boss: ref('User'), other: text },
  })
  const maybe = { ...User, type: ['object', 'null'] }
  const given = documentOf(
    { '/a': { get: { responses: { 200: ok(copies(User, maybe, { $ref: '#/components/schemas/Alone' })) } } } },
    { schemas: { User, Alone: { type: 'object', properties: { age: text } } } },
  )
  const place = 'GET /a 200#/properties'
  const routes = routesOf(given, { places: { [`${place}/one`]: 'User', [`${place}/two`]: 'User' } })
  const older = made(routes, '1')
  expect(older.paths['/a'].get.responses[200]).toStrictEqual(
    ok(copies(ref('User'), { anyOf: [ref('User'), { type: 'null' }] }, { $ref: '#/components/schemas/Alone' })),
  )
})

test('references into and beside the components stay where nothing has changed', () => {
  const inner = '#/components/schemas/User/properties/any'
  const elsewhere = '#/components/responses/One/content/application~1json/schema'
  const age = '#/components/schemas/Alone/properties/age'
  const one = { type: 'object', properties: { any: { $ref: inner }, other: { $ref: elsewhere }, post: ref('Long') } }
  const Long = { type: 'object', properties: { author: ref('User'), age: { $ref: age } } }
  const given = documentOf(
    { '/a': { get: { responses: { 200: ok(one) } } } },
    {
      responses: { One: ok(text) },
      schemas: { User, Long, Alone: { type: 'object', properties: { age: { type: 'integer' } } } },
    },
  )
  const older = made(routesOf(given), '1')
  expect(older.paths['/a'].get.responses[200]).toStrictEqual(ok(one))
  expect(older.components.schemas.Long).toStrictEqual(Long)
  expect(older.components.schemas.User.properties).toStrictEqual({ id: text, name: text, any: {} })
})

test('one document below two prefixes has the paths of both', () => {
  const routes: Json = namedRoutes({})
  const given = routesOf(documentOf({ '/a': { get: NONE } }))
  routes.include('/one', given, { namespace: 'one' })
  routes.include('/two', given, { namespace: 'two' })
  expect(Object.keys(made(routes, '2').paths)).toStrictEqual(['/one/a', '/one/users', '/two/a', '/two/users'])
})

test('a function tells the media types of a response apart', () => {
  const all = [200, 201].map((status) => `application/${status}+json`)
  const content = Object.fromEntries(all.map((type, at) => [type, { schema: at === 0 ? ref('User') : ref('Post') }]))
  const given = documentOf(
    { '/a': { get: { responses: { 200: { description: '', content } } } } },
    { schemas: { Post } },
  )
  expect(routesOf(given, { places: { 'GET /a 200': () => 0 } }).toldPlaces()).toStrictEqual([
    { place: 'GET /a 200', meaning: expect.any(Function), schemas: [] },
  ])
  const older = made(routesOf(given, { places: { 'GET /a 200': () => 0 } }), '1')
  expect(older.paths['/a'].get.responses[200].content).toStrictEqual(content)
})
