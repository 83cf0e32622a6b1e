// Whole documents: what stays in each version, and what the changes make of it.
import {
  AcceptHeaderVersioning,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
} from 'express-versioning'
import { change, fields, versionHistory } from 'express-versioning/changes'
import { openapi, routesOf } from 'express-versioning/openapi'
import { documentOf } from '../support/documents'
import { expectValid, type Json, json, list, made, NONE, object, ok, ref, text } from '../support/parts'

const ADA = { id: '1', fullName: 'Ada L' }
const integer = { type: 'integer' }
const parameter = (name: string, place: string, more: object = {}) => ({ name, in: place, schema: text, ...more })

/** A document that uses what OpenAPI has, in the words of a version. */
function shop(openapi = '3.0.3'): Json {
  const isOld = openapi.startsWith('3.0')
  const above = isOld ? { minimum: 0, exclusiveMinimum: true } : { exclusiveMinimum: 0 }
  const maybe = isOld ? { ...text, nullable: true } : { type: ['string', 'null'] }
  const User = {
    ...object({
      id: { ...text, format: 'uuid' },
      fullName: { ...maybe, maxLength: 90, description: 'Both names.' },
      age: { type: 'number', ...above },
      kind: isOld ? { ...text, enum: ['user'] } : { const: 'user' },
      boss: isOld
        ? { allOf: [ref('User')], type: 'object', nullable: true }
        : { anyOf: [ref('User'), { type: 'null' }] },
    }),
    description: 'A user.',
    required: ['id', 'fullName'],
    example: ADA,
    'x-table': 'users',
  }
  const title = { ...text, default: 'None' }
  const Post = {
    ...object({ title, author: ref('User'), likes: list(ref('User')) }, 'title'),
    default: { title: 'None' },
  }
  const told = { post: { requestBody: { content: json(ref('Post')) }, ...NONE } }
  const getUser = {
    operationId: 'getUser',
    tags: ['users'],
    security: [{ key: ['read'] }],
    parameters: [
      { $ref: '#/components/parameters/Trace' },
      parameter('session', 'cookie'),
      parameter('fields', 'query', { style: 'form', explode: false, schema: list(text) }),
    ],
    responses: {
      200: {
        description: 'The user.',
        headers: { 'X-Left': { schema: integer, description: 'Calls left.' } },
        content: { ...json(ref('User'), { examples: { ada: { value: ADA } } }), 'text/csv': { schema: text } },
        links: { self: { operationId: 'getUser' } },
      },
      404: { $ref: '#/components/responses/Missing' },
      default: { description: 'Another.' },
    },
    'x-own': true,
  }
  const putUser = {
    operationId: 'putUser',
    requestBody: { description: 'The user.', required: true, content: json(ref('User'), { example: ADA }) },
    responses: { 201: ok(ref('User')), 422: ok(object({ why: text })) },
    callbacks: { told: { '{$request.body#/url}': told } },
  }
  const form = { 'multipart/form-data': { schema: object({ file: text }) } }
  return {
    openapi,
    info: { title: 'Shop', version: '7.1.0', description: 'A shop.', contact: { name: 'Ada' }, 'x-brand': 'a.png' },
    servers: [{ url: 'https://{region}.shop.example/api', variables: { region: { default: 'eu' } } }],
    tags: [{ name: 'users', description: 'People.' }],
    security: [{ key: [] }],
    externalDocs: { url: 'https://shop.example/docs' },
    'x-top': { any: ['thing'] },
    paths: {
      'x-paths': 1,
      '/users/{id}': {
        summary: 'One user',
        parameters: [parameter('id', 'path', { required: true }), parameter('lang', 'query', { example: 'en' })],
        get: getUser,
        put: putUser,
      },
      '/posts': {
        get: {
          operationId: 'listPosts',
          parameters: [parameter('page', 'query', { schema: { ...integer, ...above } })],
          responses: { 200: ok(list(ref('Post')), { example: [] }) },
        },
        post: {
          operationId: 'addPost',
          requestBody: { content: { ...form, ...json(ref('Post')) } },
          responses: { 201: ok(ref('Post')) },
        },
      },
      '/export': {
        get: { operationId: 'export', responses: { 200: { description: 'All.', content: { 'text/csv': {} } } } },
      },
      '/stats': { get: { operationId: 'stats', responses: { 200: ok(object({ total: integer })) } } },
    },
    components: {
      securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
      parameters: { Trace: parameter('X-Trace', 'header') },
      responses: { Missing: { description: 'Missing.', content: json(object({ code: integer })) } },
      examples: { nobody: { value: 1 } },
      schemas: { User, Post, Unused: object({ user: ref('User'), x: maybe }), Alone: text },
    },
    ...(isOld ? {} : { webhooks: { posted: told } }),
  }
}

/** Takes away the parameter of the version, which the package adds. */
function bare(document: Json): Json {
  const copy = structuredClone(document)
  for (const operation of Object.values<Json>(copy.paths).flatMap((item) => Object.values<Json>(item))) {
    if (!Array.isArray(operation?.parameters)) continue
    operation.parameters = operation.parameters.filter(({ name }: Json) => name !== 'X-API-Version')
    if (operation.parameters.length === 0) delete operation.parameters
  }
  return copy
}

describe.each(['3.0.3', '3.1.0', '3.2.0'])('a document of OpenAPI %s', (version) => {
  const given = shop(version)

  test('stays whole in the newest version', async () => {
    const newest = made(routesOf(given), '2')
    expect(bare(newest)).toStrictEqual({ ...given, info: { ...given.info, version: '2' } })
    const schema = { ...text, enum: ['2'], default: '2' }
    const carrier = parameter('X-API-Version', 'header', { schema, description: 'The version of the API.' })
    expect(newest.paths['/posts'].get.parameters.at(-1)).toStrictEqual({ ...carrier, required: false })
    await expectValid(given, newest)
  })

  test('is the same in an older version, but for the changed shape and its examples', async () => {
    const older = made(routesOf(given), '1')
    const expected = structuredClone(given)
    expected.info.version = '1'
    const { User, Post } = expected.components.schemas
    const { id, fullName, ...rest } = User.properties
    User.properties = { id, name: fullName, ...rest }
    User.required = ['id', 'name']
    delete User.example
    delete Post.default
    delete expected.paths['/users/{id}'].get.responses[200].content['application/json'].examples
    delete expected.paths['/users/{id}'].put.requestBody.content['application/json'].example
    delete expected.paths['/posts'].get.responses[200].content['application/json'].example
    expect(bare(older)).toStrictEqual(expected)
    expect(Object.keys(older.components.schemas.User.properties)).toStrictEqual(['id', 'name', 'age', 'kind', 'boss'])
    await expectValid(older)
  })

  test('has rejections, and deprecation', async () => {
    const lifecycle = { '2': { deprecated: '2020-01-01', sunset: '2999-01-01' } }
    const more = { lifecycle, scheme: QueryParameterVersioning }
    const [newest, older] = ['2', '1'].map((one) => made(routesOf(given), one, more, { problemDetails: true })) as [
      Json,
      Json,
    ]
    const { get, put } = newest.paths['/users/{id}']
    expect(get).toMatchObject({ deprecated: true, 'x-sunset': '2999-01-01', description: 'Sunset: 2999-01-01.' })
    expect(newest.info.description).toBe('A shop.\n\nDeprecated: 2020-01-01. Sunset: 2999-01-01.')
    const problem = { 'application/problem+json': { schema: ref('Problem') } }
    expect(get.responses[404].content).toStrictEqual({ ...given.components.responses.Missing.content, ...problem })
    expect(put.responses[404].content).toStrictEqual(problem)
    await expectValid(newest, older)
  })
})

const A = { $ref: '#/paths/~1a' }
const SHARED = { $ref: '#/components/pathItems/Shared' }
const SILENT = { changes: versionHistory('1').version('2') }
const carrier = expect.objectContaining({ name: 'X-API-Version' })

test('references of paths stay where they lead to the same item; an item among the components is that of its paths', () => {
  const Shared = { get: { operationId: 'get', ...NONE } }
  const more = { 'x-items': { Own: { put: NONE } }, pathItems: { Shared, Unused: {} } }
  const paths = { '/a': { put: NONE }, '/b': A, '/c': SHARED, '/d': SHARED, '/e': { $ref: '#/components/x-items/Own' } }
  const newest = made(routesOf(documentOf(paths, more)), '2', SILENT)
  const carried = { ...NONE, parameters: [carrier] }
  expect(newest.paths).toStrictEqual({ ...paths, '/a': { put: carried }, '/e': { put: carried } })
  expect(newest.components.pathItems).toStrictEqual({ Shared: { get: { operationId: 'get', ...carried } }, Unused: {} })
  const told = { ...documentOf({ '/c': SHARED }, { pathItems: { Shared } }), webhooks: { told: SHARED } }
  const both = made(routesOf(told), '2', SILENT)
  expect(both.paths['/c'].get).toStrictEqual({ operationId: 'get', ...carried })
  expect(both).toMatchObject({ webhooks: told.webhooks, components: { pathItems: { Shared } } })
  const below = made(namedRoutes({}).include('/x', routesOf(documentOf(paths, more))), '2', SILENT)
  expect(below.paths['/x/b']).toStrictEqual({ $ref: '#/paths/~1x~1a' })
})

test('a reference of a path is written out where a change is about one of its paths alone', () => {
  const paths = { '/a': { put: { operationId: 'put', ...NONE } }, '/b': A }
  const changes = versionHistory('1').version('2', change('x', { 'PUT /b': { status: { 204: 202 } } }))
  const older = made(routesOf(documentOf(paths)), '1', { changes })
  expect(older.paths['/a'].put.responses).toStrictEqual(NONE.responses)
  expect(older.paths['/b'].put).toMatchObject({ operationId: 'put-2', responses: { 202: { description: '' } } })
})

test('an operation that no request reaches stays as it was given', () => {
  const outer = namedRoutes({ own: '/own' })
  outer.route('own').get(() => {})
  const { info: _none, ...given } = documentOf({ '/own': { get: NONE }, '/other': { put: NONE } })
  const { paths, info } = made(outer.include('/', routesOf(given)), '2', SILENT)
  expect(paths).toStrictEqual({ '/own': { get: NONE }, '/other': { put: { ...NONE, parameters: [carrier] } } })
  expect(info).toStrictEqual({ title: 'API', version: '2' })
})

test('a path scheme needs the mount, or no request reaches the operations of a document', () => {
  const given = documentOf({ '/users': { get: NONE } })
  const options = { scheme: URLPathVersioning, defaultVersion: '2', changes: versionHistory('1').version('2') }
  const lacking = `openapi(): nothing in the paths of the document names the version "1", so no request reaches its operations. Tell where versioning() is mounted: openapi(options, { mount: '/:version' }).`
  expect(() => made(routesOf(given), '2', options)).toThrow(new TypeError(lacking))
  expect(Object.keys(made(routesOf(given), '1', options, { mount: '/:version' }).paths)).toStrictEqual(['/1/users'])
  const below = namedRoutes({}).include('/:version', routesOf(given))
  expect(Object.keys(made(below, '1', options).paths)).toStrictEqual(['/1/users'])
  const added = versionHistory('1').version('2', change('x', { 'GET /users': 'added' }))
  expect(made(routesOf(given), '1', { ...options, changes: added }).paths).toStrictEqual({})
  const { paths } = made(routesOf(given), '1', { ...options, neutral: ['/users'] })
  expect(paths).toStrictEqual(given.paths)
})

test('a document between the oldest and the newest tells its changes; the newest keeps its own words', () => {
  const changes = versionHistory('1')
    .version('2', change('The export is old.', { 'GET /export': { status: { 200: 201 } } }))
    .version('3', change('Statistics are gone.', { 'GET /stats': 'removed' }))
  const told = ['1', '2', '3'].map((version) => made(routesOf(shop()), version, { changes }).info.description)
  const news = 'Changes in this version:\n\n- The export is old.\n  - `GET /export`: 200 instead of 201.'
  expect(told).toStrictEqual(['A shop.', `A shop.\n\n${news}`, 'A shop.'])
})

test('other titles and licenses may be given', () => {
  const info = { title: 'Mine', license: { name: 'MIT' } }
  const newest = made(routesOf(shop()), '2', {}, { info })
  expect(newest.info).toStrictEqual({ ...shop().info, ...info, version: '2' })
})

test('operations that a change removed, and those that come later, are left out', async () => {
  const changes = versionHistory('1')
    .version('2', change('Statistics.', { 'GET /stats': 'added' }))
    .version('3', change('The export is gone.', { 'GET /export': 'removed' }))
    .version('4')
  const routes = routesOf(shop())
  const all = changes.versions.map((version) => made(routes, version, { changes }, { problemDetails: true }))
  expect(all.map(({ paths }) => Object.keys(paths).slice(3))).toStrictEqual([
    ['/export'],
    ['/export', '/stats'],
    ['/stats'],
    ['/stats'],
  ])
  await expectValid(...all)
})

test('operations say what their own steps make of them', async () => {
  const same = (value: object) => value
  const older = { body: object({ name: { type: ['string', 'null'] } }), response: object({ ok: { const: true } }) }
  const offset = object({ offset: { type: 'integer', exclusiveMinimum: 0 } }, 'offset')
  const steps = {
    'PUT /users/{id}': { request: same, response: same, status: { 201: 200 }, older },
    'GET /posts': { query: same, response: same, older: { query: offset } },
    'GET /users/{id}': { headers: { 'X-Left': null }, query: same, older: { query: object({ only: text }) } },
    'POST /posts': { request: same },
  }
  const given = shop()
  const changes = versionHistory('1').version('2', change('Other bodies.', steps as never))
  const document = made(routesOf(given), '1', { changes })
  const { put, get, parameters } = document.paths['/users/{id}']
  const today = given.paths['/users/{id}']
  expect(put.requestBody).toStrictEqual({
    description: 'The user.',
    required: true,
    content: json(object({ name: { ...text, nullable: true } })),
  })
  expect(put.responses).toStrictEqual({ 200: ok(object({ ok: { enum: [true] } })), 422: today.put.responses[422] })
  expect(parameters).toStrictEqual([today.parameters[0]])
  const names = ['#/components/parameters/Trace', 'session', 'only', 'X-API-Version']
  expect(get.parameters.map(({ name, $ref }: Json) => name ?? $ref)).toStrictEqual(names)
  expect(put.parameters.map(({ name }: Json) => name)).toStrictEqual(['lang', 'X-API-Version'])
  expect(get.responses[200].headers).toBeUndefined()
  expect(get.responses[200].content).toStrictEqual(today.get.responses[200].content)
  const posts = document.paths['/posts']
  const schema = { ...integer, minimum: 0, exclusiveMinimum: true }
  expect(posts.get.parameters[0]).toStrictEqual(parameter('offset', 'query', { required: true, schema }))
  const other = { description: 'Other bodies.', content: { 'application/json': {} } }
  expect(posts.get.responses[200]).toStrictEqual(other)
  const { content } = given.paths['/posts'].post.requestBody
  expect(posts.post.requestBody).toStrictEqual({ ...other, content: { ...content, ...other.content } })
  await expectValid(document)
})

test('namespaces of versions have a document each', () => {
  const routes: Json = namedRoutes({})
  routes.include('/v1', routesOf(documentOf({ '/a': { get: NONE } }, {}, '3.0.0')), { namespace: 'v1' })
  routes.include('/v2', routesOf(shop('3.1.0')), { namespace: 'v2' })
  const docs = openapi({ scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'], routes } as never)
  const [v1, v2] = [docs.document('v1'), docs.document('v2')] as [Json, Json]
  expect([v1.openapi, Object.keys(v1.paths)]).toStrictEqual(['3.0.0', ['/v1/a']])
  expect([v2.openapi, Object.keys(v2.paths)[1]]).toStrictEqual(['3.1.0', '/v2/users/{id}'])
})

test('describe() replaces parts of the document', () => {
  const routes: Json = routesOf(shop())
  const response = { 200: { type: ['string', 'null'] } }
  routes.describe('GET /users/{id}', {
    summary: 'Mine',
    deprecated: false,
    tags: [],
    response,
    operation: { 'x-own': 2 },
  })
  routes.describe('GET /posts', { query: object({ q: text }) })
  routes.describe('PUT /users/{id}', { body: null, versions: { '1': { response: { 418: text } } } })
  const { paths } = made(routes, '1', { changes: versionHistory('1') })
  const { get, put } = paths['/users/{id}']
  expect(get).toMatchObject({ summary: 'Mine', tags: [], 'x-own': 2 })
  expect('deprecated' in get).toBe(false)
  const { content, ...rest } = shop().paths['/users/{id}'].get.responses[200]
  const described = { ...content, ...json({ ...text, nullable: true }) }
  expect(get.responses[200]).toStrictEqual({ ...rest, content: described })
  expect(put.requestBody).toBeUndefined()
  expect(put.responses[418].content).toStrictEqual(json(text))
  expect(paths['/posts'].get.parameters[0].name).toBe('q')
})

test('a version says of an operation of a document what it says of one of a table', () => {
  const given = documentOf({ '/a': { get: { deprecated: true, responses: { 200: ok(text), 404: NONE } } } })
  const operation = { operationId: 'mine', responses: { 200: ok(integer), 404: { $ref: '#/components/responses/No' } } }
  const routes: Json = routesOf(given)
  routes.describe('GET /a', { description: '', operation })
  const changes = versionHistory('1').version('2', change('Other pages.', { 'GET /a': { query: (query) => query } }))
  const lifecycle = { 1: { sunset: '2999-01-01' } }
  const { get } = made(routes, '1', { changes, lifecycle, scheme: AcceptHeaderVersioning }).paths['/a']
  const description = 'Its query is that of an older version: Other pages.\n\nSunset: 2999-01-01.'
  expect(get).toMatchObject({ operationId: 'mine', deprecated: true, 'x-sunset': '2999-01-01', description })
  expect(get.responses[200].content).toStrictEqual({ 'application/json; version=1': { schema: integer } })
  expect(get.responses[404].$ref).toBe(operation.responses[404].$ref)
  const gone = { lifecycle: { 1: { sunset: '2020-01-01' } }, afterSunset: 'gone' }
  expect(Object.keys(made(routes, '1', { changes, ...gone }).paths['/a'].get.responses)).toStrictEqual(['410'])
})

test('discriminators and references into changed shapes are those of the version', async () => {
  const pet = (name: string) => object({ petType: { ...text, enum: [name] }, age: integer }, 'petType')
  const mapping = { cat: ref('Cat').$ref, dog: ref('Dog').$ref }
  const pets = { oneOf: [ref('Cat'), ref('Dog')], discriminator: { propertyName: 'petType', mapping } }
  const getting = (operationId: string, schema: object) => ({ get: { operationId, responses: { 200: ok(schema) } } })
  const given = documentOf(
    { '/pets': getting('pets', pets), '/ages': getting('ages', list(ref('Cat/properties/age'))) },
    { schemas: { Cat: pet('cat'), Dog: pet('dog') } },
    '3.0.3',
  )
  const kinds = fields({ renamed: { kind: 'petType', years: 'age' } })
  const changes = versionHistory('1').version('2', change('Kinds.', { Cat: kinds, Dog: kinds }))
  const older = made(routesOf(given), '1', { changes })
  const schemaOf = (path: string) => older.paths[path].get.responses[200].content['application/json'].schema
  expect(schemaOf('/pets')).toMatchObject({ oneOf: pets.oneOf, discriminator: { propertyName: 'kind', mapping } })
  const { $ref } = schemaOf('/ages').items
  expect(older.components.schemas[$ref.split('/').at(-1)]).toStrictEqual(integer)
  await expectValid(older)
})
