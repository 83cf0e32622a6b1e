import {
  HeaderVersioning,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
} from 'express-versioning'
import { change, fields, shape, versionHistory } from 'express-versioning/changes'
import { openapi, routesOf } from 'express-versioning/openapi'
import { documentOf } from '../support/documents'
import { faultyOf } from '../support/lint-openapi'

// biome-ignore lint/suspicious/noExplicitAny: tests look deep into documents.
type Json = Record<string, any>

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: object, more: object = {}) => ({ 'application/json': { schema, ...more } })
const ok = (schema: object, more: object = {}) => ({ description: 'OK', content: json(schema, more) })

/** A document that uses what OpenAPI has, in the words of a version. */
function shop(openapi: string): Json {
  const isOld = openapi.startsWith('3.0')
  const maybe = (schema: Json) => (isOld ? { ...schema, nullable: true } : { ...schema, type: [schema.type, 'null'] })
  const above = isOld ? { minimum: 0, exclusiveMinimum: true } : { exclusiveMinimum: 0 }
  const user = {
    type: 'object',
    description: 'A user.',
    properties: {
      id: { type: 'string', format: 'uuid' },
      fullName: { ...maybe({ type: 'string', maxLength: 90 }), description: 'Both names.' },
      age: { type: 'number', ...above },
      kind: isOld ? { type: 'string', enum: ['user'] } : { const: 'user' },
      boss: isOld
        ? { allOf: [ref('User')], type: 'object', nullable: true }
        : { anyOf: [ref('User'), { type: 'null' }] },
    },
    required: ['id', 'fullName'],
    example: { id: '1', fullName: 'Ada L' },
    'x-table': 'users',
  }
  const post = {
    type: 'object',
    properties: {
      title: { type: 'string', default: 'None' },
      author: ref('User'),
      likes: { type: 'array', items: ref('User') },
    },
    required: ['title'],
    default: { title: 'None' },
  }
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
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'lang', in: 'query', schema: { type: 'string' }, example: 'en' },
        ],
        get: {
          operationId: 'getUser',
          tags: ['users'],
          security: [{ key: ['read'] }],
          parameters: [
            { $ref: '#/components/parameters/Trace' },
            { name: 'session', in: 'cookie', schema: { type: 'string' } },
            {
              name: 'fields',
              in: 'query',
              style: 'form',
              explode: false,
              schema: { type: 'array', items: { type: 'string' } },
            },
          ],
          responses: {
            200: {
              description: 'The user.',
              headers: { 'X-Left': { schema: { type: 'integer' }, description: 'Calls left.' } },
              content: {
                ...json(ref('User'), { examples: { ada: { value: { id: '1', fullName: 'Ada L' } } } }),
                'text/csv': { schema: { type: 'string' } },
              },
              links: { self: { operationId: 'getUser' } },
            },
            404: { $ref: '#/components/responses/Missing' },
            default: { description: 'Another.' },
          },
          'x-own': true,
        },
        put: {
          operationId: 'putUser',
          requestBody: {
            description: 'The user.',
            required: true,
            content: json(ref('User'), { example: { id: '1', fullName: 'A' } }),
          },
          responses: { 201: ok(ref('User')), 422: ok({ type: 'object', properties: { why: { type: 'string' } } }) },
          callbacks: {
            told: {
              '{$request.body#/url}': {
                post: { requestBody: { content: json(ref('Post')) }, responses: { 204: { description: '' } } },
              },
            },
          },
        },
      },
      '/posts': {
        get: {
          operationId: 'listPosts',
          parameters: [{ name: 'page', in: 'query', schema: { type: 'integer', ...above } }],
          responses: { 200: ok({ type: 'array', items: ref('Post') }, { example: [] }) },
        },
        post: {
          operationId: 'addPost',
          requestBody: {
            content: {
              'multipart/form-data': { schema: { type: 'object', properties: { file: { type: 'string' } } } },
              ...json(ref('Post')),
            },
          },
          responses: { 201: ok(ref('Post')) },
        },
      },
      '/export': {
        get: { operationId: 'export', responses: { 200: { description: 'All.', content: { 'text/csv': {} } } } },
      },
      '/stats': {
        get: {
          operationId: 'stats',
          responses: { 200: ok({ type: 'object', properties: { total: { type: 'integer' } } }) },
        },
      },
    },
    components: {
      securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
      parameters: { Trace: { name: 'X-Trace', in: 'header', schema: { type: 'string' } } },
      responses: {
        Missing: {
          description: 'Missing.',
          content: json({ type: 'object', properties: { code: { type: 'integer' } } }),
        },
      },
      examples: { nobody: { value: 1 } },
      schemas: {
        User: user,
        Post: post,
        Unused: { type: 'object', properties: { user: ref('User'), x: maybe({ type: 'string' }) } },
        Alone: { type: 'string' },
      },
    },
    ...(isOld
      ? {}
      : {
          webhooks: {
            posted: { post: { requestBody: { content: json(ref('Post')) }, responses: { 204: { description: '' } } } },
          },
        }),
  }
}

const OPENAPI = ['3.0.3', '3.1.0', '3.2.0']
const renamed = change('Users have `fullName` instead of `name`.', { User: fields({ renamed: { name: 'fullName' } }) })
const history = versionHistory('1').version('2', renamed)

const optionsOf = (document: object, changes: object = history, more: Json = {}): Json => {
  const versions = (changes as { versions: string[] }).versions
  return {
    scheme: HeaderVersioning,
    defaultVersion: versions.at(-1),
    changes,
    routes: more.routes ?? routesOf(document),
    ...more,
  }
}

/** Makes the document of a version. */
const made = (
  document: object,
  version: string,
  changes: object = history,
  settings: Json = {},
  more: Json = {},
): Json => openapi(optionsOf(document, changes, more) as never, settings).document(version)

/** Takes away what the package adds. */
function bare(document: Json): Json {
  const copy = structuredClone(document)
  for (const item of Object.values<Json>(copy.paths)) {
    for (const operation of Object.values<Json>(item)) {
      if (!Array.isArray(operation?.parameters)) continue
      operation.parameters = operation.parameters.filter(({ name }: Json) => name !== 'X-API-Version')
      if (operation.parameters.length === 0) delete operation.parameters
    }
  }
  return copy
}

const valid = async (...documents: Json[]) =>
  expect((await faultyOf(documents)).map(({ faults }) => faults)).toStrictEqual([])

describe.each(OPENAPI)('a document of OpenAPI %s', (version) => {
  const given = shop(version)

  test('stays whole in the newest version', async () => {
    const newest = made(given, '2')
    expect(bare(newest)).toStrictEqual({ ...given, info: { ...given.info, version: '2' } })
    expect(newest.paths['/posts'].get.parameters.at(-1)).toStrictEqual({
      name: 'X-API-Version',
      in: 'header',
      required: false,
      description: 'The version of the API.',
      schema: { type: 'string', enum: ['2'] },
    })
    await valid(given, newest)
  })

  test('is the same in an older version, but for the changed shape and its examples', async () => {
    const older = made(given, '1')
    const expected = structuredClone(given)
    expected.info.version = '1'
    const { User, Post } = expected.components.schemas
    const { fullName, ...others } = User.properties
    const { id, ...rest } = others
    User.properties = { id, name: fullName, ...rest }
    User.required = ['id', 'name']
    delete User.example
    delete Post.default
    delete expected.paths['/users/{id}'].get.responses[200].content['application/json'].examples
    delete expected.paths['/users/{id}'].put.requestBody.content['application/json'].example
    delete expected.paths['/posts'].get.responses[200].content['application/json'].example
    expect(bare(older)).toStrictEqual(expected)
    expect(Object.keys(older.components.schemas.User.properties)).toStrictEqual(['id', 'name', 'age', 'kind', 'boss'])
    await valid(older)
  })

  test('has two definitions where requests and responses differ', async () => {
    const changes = versionHistory('1').version(
      '2',
      change('Users have an `age`.', {
        User: fields({ removed: { nick: { schema: { type: 'string' }, value: 'x' } }, added: { age: 1 } }),
      }),
      change('Posts lose `mark`.', {
        Post: shape(
          {
            type: 'object',
            properties: { title: { type: ['string', 'null'] }, mark: { const: 1 }, author: { $ref: 'User' } },
            required: ['title', 'mark'],
          },
          { response: (post: Json) => ({ ...post, mark: 1 }), request: ({ mark: _mark, ...post }: Json) => post },
        ),
      }),
    )
    const older = made(given, '1', changes)
    const isOld = version.startsWith('3.0')
    expect(older.components.schemas.Post).toStrictEqual({
      type: 'object',
      properties: isOld
        ? { title: { type: 'string', nullable: true }, mark: { enum: [1] }, author: ref('User') }
        : { title: { type: ['string', 'null'] }, mark: { const: 1 }, author: ref('User') },
      required: ['title', 'mark'],
    })
    await valid(older)
  })

  test('has rejections, and deprecation', async () => {
    const scheme = QueryParameterVersioning
    const lifecycle = { '2': { deprecated: '2020-01-01', sunset: '2999-01-01' } }
    const newest = made(given, '2', history, { problemDetails: true }, { lifecycle, scheme })
    const { get, put } = newest.paths['/users/{id}']
    expect(get).toMatchObject({ deprecated: true, 'x-sunset': '2999-01-01', description: 'Sunset: 2999-01-01.' })
    expect(newest.info.description).toBe('A shop.\n\nDeprecated: 2020-01-01. Sunset: 2999-01-01.')
    const problem = { schema: ref('Problem') }
    expect(get.responses[404].content).toStrictEqual({
      ...given.components.responses.Missing.content,
      'application/problem+json': problem,
    })
    expect(put.responses[404].content).toStrictEqual({ 'application/problem+json': problem })
    await valid(newest, made(given, '1', history, { problemDetails: true }, { lifecycle, scheme }))
  })
})

test('other types and titles may be given', () => {
  const newest = made(shop('3.0.3'), '2', history, { info: { title: 'Mine', license: { name: 'MIT' } } })
  expect(newest.info).toStrictEqual({ ...shop('3.0.3').info, title: 'Mine', license: { name: 'MIT' }, version: '2' })
})

test('operations that a change removed stay in the newest document, which is whole; those that come later are left out', async () => {
  const changes = versionHistory('1')
    .version('2', change('Statistics.', { 'GET /stats': 'added' }))
    .version('3', change('The export is gone.', { 'GET /export': 'removed' }))
    .version('4')
  const given = shop('3.0.3')
  const all = ['1', '2', '3', '4'].map((version) => made(given, version, changes, { problemDetails: true }))
  expect(all.map(({ paths }) => Object.keys(paths))).toStrictEqual([
    ['x-paths', '/users/{id}', '/posts', '/export'],
    ['x-paths', '/users/{id}', '/posts', '/export', '/stats'],
    ['x-paths', '/users/{id}', '/posts', '/stats'],
    ['x-paths', '/users/{id}', '/posts', '/export', '/stats'],
  ])
  expect(all.map(({ paths }) => paths['/export']?.get.deprecated)).toStrictEqual([
    undefined,
    undefined,
    undefined,
    true,
  ])
  expect(all[3]?.paths['/export'].get.responses).toMatchObject({ 200: { description: 'All.' }, 404: {} })
  await valid(...all)
})

test('operations say what their own steps make of them', async () => {
  const changes = versionHistory('1').version(
    '2',
    change('Other bodies.', {
      'PUT /users/{id}': {
        request: (body: object) => body,
        response: (body: object) => body,
        status: { 201: 200 },
        older: {
          body: { type: 'object', properties: { name: { type: ['string', 'null'] } } },
          response: { type: 'object', properties: { ok: { const: true } } },
        },
      },
      'GET /posts': {
        query: (query: object) => query,
        response: (body: object) => body,
        older: {
          query: {
            type: 'object',
            properties: { offset: { type: 'integer', exclusiveMinimum: 0 } },
            required: ['offset'],
          },
        },
      },
      'GET /users/{id}': {
        headers: { 'X-Left': null },
        query: (query: object) => query,
        older: { query: { type: 'object', properties: { only: { type: 'string' } } } },
      },
      'POST /posts': { request: (body: object) => body },
    }),
  )
  const given = shop('3.0.3')
  const older = made(given, '1', changes)
  const { put, get, parameters } = older.paths['/users/{id}']
  expect(put.requestBody).toStrictEqual({
    description: 'The user.',
    required: true,
    content: json({ type: 'object', properties: { name: { type: 'string', nullable: true } } }),
  })
  expect(put.responses).toStrictEqual({
    200: { description: 'OK', content: json({ type: 'object', properties: { ok: { enum: [true] } } }) },
    422: given.paths['/users/{id}'].put.responses[422],
  })
  expect(parameters).toStrictEqual([given.paths['/users/{id}'].parameters[0]])
  expect(get.parameters.map(({ name, $ref }: Json) => name ?? $ref)).toStrictEqual([
    '#/components/parameters/Trace',
    'session',
    'only',
    'X-API-Version',
  ])
  expect(put.parameters.map(({ name }: Json) => name)).toStrictEqual(['lang', 'X-API-Version'])
  expect(get.responses[200].headers).toBeUndefined()
  expect(get.responses[200].content).toStrictEqual(given.paths['/users/{id}'].get.responses[200].content)
  const posts = older.paths['/posts']
  expect(posts.get.parameters[0]).toStrictEqual({
    name: 'offset',
    in: 'query',
    required: true,
    schema: { type: 'integer', minimum: 0, exclusiveMinimum: true },
  })
  expect(posts.get.responses[200]).toStrictEqual({ description: 'Other bodies.', content: { 'application/json': {} } })
  expect(posts.post.requestBody).toStrictEqual({
    description: 'Other bodies.',
    content: { ...given.paths['/posts'].post.requestBody.content, 'application/json': {} },
  })
  await valid(older)
})

test('included tables keep their prefix, and tables may have own routes', async () => {
  const given = { ...shop('3.0.3'), servers: undefined }
  const routes: Json = namedRoutes({ own: '/own/:id', more: '/shop/posts' })
  routes.include('/shop', routesOf(given), { namespace: 'shop' })
  routes.route('own').get(() => undefined)
  routes.route('more').delete(() => undefined)
  routes.describe('GET own', { response: { $id: 'Own', type: ['object', 'null'], properties: { a: { const: 1 } } } })
  routes.describe('DELETE more', { response: null })
  const newest = openapi(optionsOf({}, versionHistory('1'), { routes, defaultVersion: '1' }) as never).document(
    '1',
  ) as Json
  expect(newest.servers).toBeUndefined()
  expect(Object.keys(newest.paths)).toStrictEqual([
    'x-paths',
    '/shop/users/{id}',
    '/shop/posts',
    '/shop/export',
    '/shop/stats',
    '/own/{id}',
  ])
  expect(Object.keys(newest.paths['/shop/posts'])).toStrictEqual(['get', 'post', 'delete'])
  expect(newest.paths['/own/{id}'].get.responses[200].content).toStrictEqual(json(ref('Own')))
  expect(newest.components.schemas.Own).toStrictEqual({
    type: 'object',
    nullable: true,
    properties: { a: { enum: [1] } },
  })
  await valid(newest)
})

test('several documents become one', async () => {
  const one = { ...shop('3.1.0') }
  const two = {
    ...documentOf(
      { '/items': { get: { operationId: 'stats', responses: { 200: ok({ type: 'string' }) } } } },
      {
        responses: { Missing: one.components.responses.Missing, Gone: { description: 'Gone.' } },
        schemas: { Alone: { type: 'string' }, Item: {} },
      },
    ),
    tags: [{ name: 'users' }, { name: 'items' }],
  }
  const routes: Json = namedRoutes({})
  routes.include('/shop', routesOf(one), { namespace: 'shop' })
  routes.include('/items', routesOf(two), { namespace: 'items' })
  const both = openapi(optionsOf({}, versionHistory('1'), { routes, defaultVersion: '1' }) as never).document(
    '1',
  ) as Json
  const { get } = both.paths['/items/items']
  expect(get).toMatchObject({ operationId: 'stats-2', security: [] })
  expect(both.paths['/items/items'].servers).toStrictEqual([{ url: '/' }])
  expect(both.tags.map(({ name }: Json) => name)).toStrictEqual(['users', 'items'])
  expect(Object.keys(both.components.responses).toSorted()).toStrictEqual(['Gone', 'Missing'])
  expect(Object.keys(both.components.schemas)).toStrictEqual(['User', 'Post', 'Unused', 'Alone', 'Item'])
  await valid(both)
})

test.each<[string, Json, string]>([
  ['versions of OpenAPI', shop('3.0.3'), 'of OpenAPI 3.1.0 and 3.0.3'],
  [
    'components',
    {
      ...documentOf(
        { '/a': { get: { responses: { 204: { description: '' } } } } },
        { responses: { Missing: { description: 'Other' } } },
      ),
    },
    'different "Missing" in "components/responses"',
  ],
])('different %s of several documents are an error', (_, other, message) => {
  const routes: Json = namedRoutes({})
  routes.include('/shop', routesOf(shop('3.1.0')), { namespace: 'shop' })
  routes.include('/other', routesOf(other), { namespace: 'other' })
  const documents = openapi(optionsOf({}, versionHistory('1'), { routes, defaultVersion: '1' }) as never)
  expect(() => documents.document('1')).toThrow(message)
})

test('namespaces of versions have a document each', async () => {
  const routes: Json = namedRoutes({})
  routes.include(
    '/v1',
    routesOf(documentOf({ '/a': { get: { responses: { 204: { description: 'old' } } } } }, {}, '3.0.0')),
    { namespace: 'v1' },
  )
  routes.include('/v2', routesOf(shop('3.1.0')), { namespace: 'v2' })
  const docs = openapi({ scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'], routes } as never)
  const [v1, v2] = [docs.document('v1'), docs.document('v2')] as [Json, Json]
  expect([v1.openapi, Object.keys(v1.paths)]).toStrictEqual(['3.0.0', ['/v1/a']])
  expect([v2.openapi, Object.keys(v2.paths)[1]]).toStrictEqual(['3.1.0', '/v2/users/{id}'])
})

const servers = (...urls: string[]) => urls.map((url) => ({ url }))

test.each([
  [undefined, undefined, '/v1/users/{id}'],
  [servers('https://a.example'), servers('https://a.example/v1'), '/users/{id}'],
  [servers('https://a.example/v2', '/v2/', '/'), servers('https://a.example/v1', '/v1', '/v1'), '/users/{id}'],
])('the version of a path is in servers %j', (given, expected, path) => {
  const changes = versionHistory('v1').version('v2', renamed)
  const more = { scheme: URLPathVersioning, defaultVersion: undefined }
  const older = made({ ...shop('3.0.3'), servers: given }, 'v1', changes, { mount: '/:version' }, more)
  expect(older.servers).toStrictEqual(expected)
  expect(Object.keys(older.paths)[1]).toBe(path)
})

test('describe() replaces parts of the document', () => {
  const routes: Json = routesOf(shop('3.0.3'))
  routes.describe('GET /users/{id}', {
    summary: 'Mine',
    tags: [],
    response: { 200: { type: ['string', 'null'] } },
    operation: { 'x-own': 2 },
  })
  routes.describe('GET /posts', { query: { type: 'object', properties: { q: { type: 'string' } } } })
  routes.describe('PUT /users/{id}', { body: null, versions: { '1': { response: { 418: { type: 'string' } } } } })
  const document = openapi(optionsOf({}, versionHistory('1'), { routes, defaultVersion: '1' }) as never).document(
    '1',
  ) as Json
  const { get, put } = document.paths['/users/{id}']
  expect(get).toMatchObject({ summary: 'Mine', tags: [], 'x-own': 2 })
  expect(get.responses[200]).toStrictEqual({
    description: 'The user.',
    headers: shop('3.0.3').paths['/users/{id}'].get.responses[200].headers,
    content: { 'text/csv': { schema: { type: 'string' } }, ...json({ type: 'string', nullable: true }) },
    links: { self: { operationId: 'getUser' } },
  })
  expect(put.requestBody).toBeUndefined()
  expect(put.responses[418].content).toStrictEqual(json({ type: 'string' }))
  expect(document.paths['/posts'].get.parameters[0].name).toBe('q')
})

test('inline copies of a shape are references in older versions, and neutral operations have the shapes of today', async () => {
  const given = shop('3.0.3')
  const { User } = given.components.schemas
  given.paths['/stats'].get.responses[200] = ok({ type: 'object', properties: { top: { ...User, nullable: true } } })
  given.paths['/export'].get.responses[200] = ok({ type: 'array', items: ref('Post') }, { example: [] })
  const routes = routesOf(given, { places: { 'GET /stats 200#/properties/top': 'User' } })
  const older = made({}, '1', history, {}, { routes, neutral: ['/export'] })
  expect(older.paths['/stats'].get.responses[200].content['application/json'].schema.properties.top).toStrictEqual({
    anyOf: [ref('User'), { type: 'object', nullable: true, enum: [null] }],
  })
  expect(older.paths['/export'].get.responses[200]).toStrictEqual(
    ok({ type: 'array', items: ref('Post-2') }, { example: [] }),
  )
  expect(older.components.schemas['Post-2'].properties.author).toStrictEqual(ref('User-2'))
  expect(older.components.schemas['User-2'].properties.fullName).toStrictEqual(User.properties.fullName)
  await valid(older)
})

test('discriminators and references into changed shapes are those of the version', async () => {
  const pet = (name: string) => ({
    type: 'object',
    properties: { petType: { type: 'string', enum: [name] }, age: { type: 'integer' } },
    required: ['petType'],
  })
  const given = documentOf(
    {
      '/pets': {
        get: {
          operationId: 'pets',
          responses: {
            200: ok({
              oneOf: [ref('Cat'), ref('Dog')],
              discriminator: { propertyName: 'petType', mapping: { cat: ref('Cat').$ref, dog: ref('Dog').$ref } },
            }),
          },
        },
      },
      '/ages': {
        get: {
          operationId: 'ages',
          responses: { 200: ok({ type: 'array', items: { $ref: '#/components/schemas/Cat/properties/age' } }) },
        },
      },
    },
    { schemas: { Cat: pet('cat'), Dog: pet('dog') } },
    '3.0.3',
  )
  const kinds = fields({ renamed: { kind: 'petType', years: 'age' } })
  const older = made(given, '1', versionHistory('1').version('2', change('Kinds.', { Cat: kinds, Dog: kinds })))
  expect(older.paths['/pets'].get.responses[200].content['application/json'].schema).toMatchObject({
    oneOf: [ref('Cat'), ref('Dog')],
    discriminator: { propertyName: 'kind', mapping: { cat: ref('Cat').$ref, dog: ref('Dog').$ref } },
  })
  const { $ref } = older.paths['/ages'].get.responses[200].content['application/json'].schema.items
  expect(older.components.schemas[$ref.split('/').at(-1)]).toStrictEqual({ type: 'integer' })
  await valid(older)
})
