// The parts of given documents in a version: bodies, parameters, responses, schemas and webhooks.
import { AcceptHeaderVersioning, namedRoutes, QueryParameterVersioning } from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'
import { documentOf as documentWith } from '../support/documents'
import { type Json, json, list, made, NONE, object, ok, ref, text } from '../support/parts'

const User = object({ id: text, fullName: text, any: true }, 'id')
const Post = object({ author: ref('User') })

/** A document with some paths, and with a path that has users. */
const documentOf = (paths: Json, { schemas = {}, ...components }: Json = {}, version = '3.1.0'): Json =>
  documentWith(
    { ...paths, '/users': { get: { responses: { 200: ok(ref('User')) } } } },
    { ...components, schemas: { User, Post, ...schemas } },
    version,
  )

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
  const routes: Json = routesOf(documentOf({ '/a': { post } }))
  routes.describe('POST /a', { body })
  expect(made(routes, '2').paths['/a'].post.requestBody).toStrictEqual(expected)
})

test('parameters behind an address of their own stay', () => {
  const trace = { $ref: 'https://shop.example/trace' }
  const Trace = { $id: trace.$ref, name: 'X-Trace', in: 'header', schema: text }
  const given = documentOf({ '/a': { get: { ...NONE, parameters: [trace] } } }, { parameters: { Trace } })
  const carrier = expect.objectContaining({ name: 'X-API-Version', in: 'header' })
  expect(made(routesOf(given), '2').paths['/a'].get.parameters).toStrictEqual([trace, carrier])
})

// Webhooks, and operations that the table does not have --------------------------------------------------------------

test('all parts of webhooks are those of the version', () => {
  const operation = (schema: object, more: object) => ({
    parameters: [{ name: 'p', in: 'query', schema, ...more }, null],
    requestBody: { content: json(schema), 'x-more': {} },
    responses: { 200: { ...ok(schema), headers: { 'X-One': { schema } }, links: {} } },
    callbacks: { told: { '{$url}': { post: { requestBody: { content: json(schema) } } } } },
    security: [],
  })
  const parametersOf = (schema: object) => [{ name: 'q', in: 'query', content: json(schema), example: {} }]
  const webhooks = (schema: object, more: object) => {
    const [post, COPY] = [operation(schema, more), operation(schema, more)]
    const told = { parameters: parametersOf(schema), servers: [], post, additionalOperations: { COPY } }
    return { told, left: { parameters: parametersOf(text) } }
  }
  const given = { ...documentOf({}, {}, '3.2.0'), webhooks: webhooks(ref('User'), { example: {} }) }
  const older = made(routesOf(given), '1')
  expect(older.components.schemas.User).toStrictEqual(object({ id: text, name: text, any: {} }, 'id'))
  expect(older.webhooks).toStrictEqual(webhooks(ref('User'), {}))
})

test('a document of webhooks alone has them in each version', () => {
  const webhooks = { told: { post: { requestBody: { content: json(ref('User')) }, ...NONE } } }
  const { paths: _none, ...given } = documentOf({})
  const newest = made(routesOf({ ...given, webhooks }), '2', { changes: undefined, allowedVersions: ['1', '2'] })
  expect(newest).toStrictEqual({ ...given, webhooks, info: { ...given.info, version: '2' } })
})

test('HEAD of a document has the schemas of the version', () => {
  const head = (header: object) => ({ responses: { 200: { description: '', headers: { 'X-User': header } } } })
  const given = documentOf({ '/a': { get: NONE, head: head({ schema: ref('User'), example: {} }) } })
  expect(made(routesOf(given), '1').paths['/a'].head).toStrictEqual(head({ schema: ref('User') }))
})

test('a neutral operation has what its references lead to as it is today', () => {
  const posts = (name: string) => ok(list(ref(name)), { example: [] })
  const responses = { One: posts('Post'), Two: ok(text) }
  const [One, Two] = ['One', 'Two'].map((name) => ({ $ref: `#/components/responses/${name}` }))
  const get = { responses: { 200: One, 400: Two } }
  const given = documentOf({ '/a': { get }, '/b': { get } }, { responses })
  const { paths, components } = made(routesOf(given), '1', { neutral: ['/a'] })
  expect(paths['/a'].get.responses).toStrictEqual({ 200: posts('Post-2'), 400: Two })
  expect(paths['/b'].get.responses).toStrictEqual(get.responses)
  expect(components.schemas).toMatchObject({ 'Post-2': object({ author: ref('User-2') }), 'User-2': User })
  expect(components.responses).toStrictEqual({ ...responses, One: ok(list(ref('Post'))) })
})

// Responses ---------------------------------------------------------------------------------------------------------

const csv = { 'text/csv': { schema: text } }
const responding = (...content: object[]) => ({ description: '', content: Object.assign({}, ...content) })
const others = { ...NONE.responses, 202: responding(csv) }
const accepted = { '/a': { get: { responses: { 200: responding(json(ref('User')), csv), ...others } } } }
const accept = { scheme: AcceptHeaderVersioning }

test('the media type that carries the version is instead of JSON', () => {
  const newest = made(routesOf(documentOf(accepted)), '2', accept)
  const versioned = { 'application/json; version=2': { schema: ref('User') } }
  expect(newest.paths['/a'].get.responses).toStrictEqual({ 200: responding(versioned, csv), ...others })
})

test.each([
  ['a media type', accept, { content: { 'application/json; version=1': {} } }],
  ['a header', {}, {}],
])('an operation of a version that is gone, by %s', (_, scheme, content) => {
  const lifecycle = { 1: { sunset: '2020-01-01' } }
  const more = { ...scheme, lifecycle, afterSunset: 'gone', neutral: ['/b'] }
  const { paths } = made(routesOf(documentOf({ ...accepted, '/b': { get: NONE } })), '1', more)
  const gone = { description: 'The version is no longer served.', ...content }
  expect(paths['/a'].get.responses).toStrictEqual({ 410: gone })
  expect(paths['/b'].get.responses).toStrictEqual(NONE.responses)
})

test('responses with another media type in an older version', () => {
  const typed = (age: string) => responding(csv, { [`application/vnd.${age}+json`]: { schema: User } })
  const responses = { 200: typed('new'), default: ok(text), 404: { description: 'None.' } }
  const type = { headers: { 'Content-Type': () => 'application/vnd.old+json' } }
  const changes = versionHistory('1').version('2', change('Types.', { 'GET /a': type }))
  const { paths } = made(routesOf(documentOf({ '/a': { get: { responses } }, '/b': { get: {} } })), '1', { changes })
  expect(paths['/a'].get.responses).toStrictEqual({ ...responses, 200: typed('old') })
  expect(paths['/b'].get.responses).toBeUndefined()
})

test('rejections are beside the problems that a document has', () => {
  const problem = (media: object) => responding({ 'application/problem+json': media })
  const Problem = expect.objectContaining({ $ref: expect.stringContaining('Problem') })
  const one = (media: object) => ({ get: { responses: { ...NONE.responses, 404: problem(media) } } })
  const given = documentOf({ '/a': one({ schema: text, example: 'x' }), '/b': one({ example: 'x' }) })
  const { paths } = made(routesOf(given), '2', { scheme: QueryParameterVersioning }, { problemDetails: true })
  expect(paths['/a'].get.responses[404]).toStrictEqual(problem({ schema: { anyOf: [text, Problem] }, example: 'x' }))
  expect(paths['/b'].get.responses[404]).toStrictEqual(problem({ schema: Problem }))
})

// Schemas -----------------------------------------------------------------------------------------------------------

test.each<[openapi: string, maybe: object, none: object, beside: object]>([
  ['3.0.3', { nullable: true }, { type: 'object', nullable: true, enum: [null] }, {}],
  ['3.1.0', { type: ['object', 'null'] }, { type: 'null' }, ref('Alone')],
])('copies of a shape, with null or without, are references in OpenAPI %s', (openapi, maybe, none, beside) => {
  const copies = (one: object, two: object) => ({ ...object({ any: true, one, two, boss: ref('User') }), ...beside })
  const responses = { 200: ok(copies(User, { ...User, ...maybe })) }
  const given = documentOf({ '/a': { get: { responses } } }, { schemas: { Alone: object({ age: text }) } }, openapi)
  const place = 'GET /a 200#/properties'
  const routes = routesOf(given, { places: { [`${place}/one`]: 'User', [`${place}/two`]: 'User' } })
  const expected = ok(copies(ref('User'), { anyOf: [ref('User'), none] }))
  expect(made(routes, '1').paths['/a'].get.responses[200]).toStrictEqual(expected)
})

test('references into and beside the components stay where nothing has changed', () => {
  const inner = { $ref: '#/components/schemas/User/properties/any' }
  const elsewhere = { $ref: '#/components/responses/One/content/application~1json/schema' }
  const age = { $ref: '#/components/schemas/Alone/properties/age' }
  const one = object({ any: inner, other: elsewhere, post: ref('Long') })
  const schemas = { Long: object({ author: ref('User'), age }), Alone: object({ age: { type: 'integer' } }) }
  const given = documentOf(
    { '/a': { get: { responses: { 200: ok(one) } } } },
    { responses: { One: ok(text) }, schemas },
  )
  const { paths, components } = made(routesOf(given), '1')
  expect(paths['/a'].get.responses[200]).toStrictEqual(ok(one))
  expect(components.schemas.Long).toStrictEqual(schemas.Long)
  expect(components.schemas.User.properties).toStrictEqual({ id: text, name: text, any: {} })
})

test('one document below two prefixes has the paths of both', () => {
  const routes: Json = namedRoutes({})
  const given = routesOf(documentOf({ '/a': { get: NONE } }))
  for (const namespace of ['one', 'two']) routes.include(`/${namespace}`, given, { namespace })
  expect(Object.keys(made(routes, '2').paths)).toStrictEqual(['/one/a', '/one/users', '/two/a', '/two/users'])
})

test('a function tells the media types of a response apart', () => {
  const one = responding(
    { 'application/200+json': { schema: ref('User') } },
    { 'application/201+json': { schema: ref('Post') } },
  )
  const places = { 'GET /a 200': () => 0 }
  const routes = routesOf(documentOf({ '/a': { get: { responses: { 200: one } } } }), { places })
  expect(routes.toldPlaces()).toStrictEqual([{ place: 'GET /a 200', meaning: places['GET /a 200'], schemas: [] }])
  expect(made(routes, '1').paths['/a'].get.responses[200]).toStrictEqual(one)
})
