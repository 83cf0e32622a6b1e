import { HeaderVersioning, HostNameVersioning, namedRoutes, URLPathVersioning } from 'express-versioning'
import { openapi, routesOf } from 'express-versioning/openapi'
import { documentOf } from '../support/documents'
import { faultyOf } from '../support/lint-openapi'

// biome-ignore lint/suspicious/noExplicitAny: tests look deep into documents.
type Json = Record<string, any>

const NULL = { type: 'object', nullable: true, enum: [null] }
const done = { responses: { 204: { description: 'Done.' } } }
const one = { '/one': { get: done } }
const tag = { type: 'object', properties: { label: { type: 'string' } } }

/** Makes the document of the first version. */
const made = (routes: object, more: Json = {}, settings: Json = {}): Json =>
  openapi({ scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], routes, ...more } as never, settings).document(
    'v1',
  )

/** The documents of all tests, which are valid. */
const all: Json[] = []
const validOf = (document: Json): Json => {
  all.push(document)
  return document
}

/** Returns a schema as a document of OpenAPI 3.0 has it. */
function written(schema: unknown): Json {
  const routes: Json = routesOf(documentOf(one, { schemas: { Tag: tag } }, '3.0.3'))
  routes.describe('GET /one', { response: { type: 'object', properties: { it: schema } } })
  const document = validOf(made(routes))
  return document.paths['/one'].get.responses[200].content['application/json'].schema.properties.it
}

test.each<[schema: unknown, expected: object]>([
  [true, {}],
  [false, { not: {} }],
  [{ anyOf: [true, { allOf: [false] }] }, { anyOf: [{}, { allOf: [{ not: {} }] }] }],
  [{ not: true }, { not: {} }],
  [{ not: { not: false } }, { not: { not: { not: {} } } }],
  [
    { type: 'array', prefixItems: [true, false] },
    { type: 'array', items: { anyOf: [{}, { not: {} }, {}] } },
  ],
  [{ const: null }, { allOf: [NULL] }],
  [{ enum: ['a', null] }, { allOf: [{ anyOf: [{ enum: ['a'] }, NULL] }] }],
  [{ enum: ['a'] }, { enum: ['a'] }],
  [{ type: 'null' }, NULL],
  [{ type: ['string', 'null'] }, { type: 'string', nullable: true }],
  [
    { type: ['array', 'string'] },
    { allOf: [{ anyOf: [{ type: 'array', items: {} }, { type: 'string' }] }], items: {} },
  ],
  [
    { type: ['integer', 'string', 'null'], 'x-own': 1 },
    { 'x-own': 1, allOf: [{ anyOf: [{ type: 'integer', nullable: true }, { type: 'string' }] }] },
  ],
  [
    { type: 'number', minimum: 3, exclusiveMinimum: 1 },
    { type: 'number', minimum: 3 },
  ],
  [
    { type: 'number', minimum: 1, exclusiveMinimum: 1 },
    { type: 'number', minimum: 1, exclusiveMinimum: true },
  ],
  [
    { type: 'number', maximum: 1, exclusiveMaximum: 3 },
    { type: 'number', maximum: 1 },
  ],
  [
    { type: 'number', exclusiveMaximum: 3 },
    { type: 'number', maximum: 3, exclusiveMaximum: true },
  ],
  [{ type: 'array' }, { type: 'array', items: {} }],
  [
    { type: 'array', items: true },
    { type: 'array', items: {} },
  ],
  [
    { type: 'array', items: false },
    { type: 'array', items: {}, maxItems: 0 },
  ],
  [
    { type: 'array', items: { const: 1 } },
    { type: 'array', items: { enum: [1] } },
  ],
  [
    { type: 'array', prefixItems: [{ const: 1 }], items: false },
    { type: 'array', items: { enum: [1] }, maxItems: 1 },
  ],
  [
    { type: 'array', prefixItems: [{ const: 1 }, { const: 2 }], items: false, maxItems: 1 },
    { type: 'array', items: { anyOf: [{ enum: [1] }, { enum: [2] }] }, maxItems: 1 },
  ],
  [
    { type: 'array', prefixItems: [{ const: 1 }], items: { const: 2 } },
    { type: 'array', items: { anyOf: [{ enum: [1] }, { enum: [2] }] } },
  ],
  [
    { type: 'array', prefixItems: [{ const: 1 }] },
    { type: 'array', items: { anyOf: [{ enum: [1] }, {}] } },
  ],
  [
    { type: 'array', prefixItems: [{ const: 1 }], items: true },
    { type: 'array', items: { anyOf: [{ enum: [1] }, {}] } },
  ],
  [
    { type: 'object', additionalProperties: false },
    { type: 'object', additionalProperties: false },
  ],
  [
    { type: 'object', additionalProperties: { const: 1 } },
    { type: 'object', additionalProperties: { enum: [1] } },
  ],
  [{ type: 'object', patternProperties: { '^a': {} }, additionalProperties: false }, { type: 'object' }],
  [
    { type: 'object', dependentRequired: { a: ['b'] } },
    { type: 'object', allOf: [{ anyOf: [{ not: { required: ['a'] } }, { required: ['a', 'b'] }] }] },
  ],
  [{ oneOf: [{ const: 1 }, { const: 2 }] }, { oneOf: [{ enum: [1] }, { enum: [2] }] }],
  [{ not: { const: 1 } }, { not: { enum: [1] } }],
  [{ not: { contains: { const: 1 } } }, {}],
  [{ not: { anyOf: [{ const: 1 }, { if: { const: 2 } }] } }, {}],
  [
    { type: 'string', examples: ['a', 'b'] },
    { type: 'string', example: 'a' },
  ],
  [{ type: 'string', examples: [] }, { type: 'string' }],
  [
    { type: 'string', example: 'c', examples: ['a'] },
    { type: 'string', example: 'c' },
  ],
  [{ $ref: 'Tag' }, { $ref: '#/components/schemas/Tag' }],
  [
    { $ref: 'Tag', description: 'A tag.' },
    { description: 'A tag.', allOf: [{ $ref: '#/components/schemas/Tag' }] },
  ],
  [{ $ref: 'Tag', allOf: [{ const: 1 }] }, { allOf: [{ $ref: '#/components/schemas/Tag' }, { enum: [1] }] }],
])('OpenAPI 3.0 has the schema %j in its words', (schema, expected) => {
  expect(written(schema)).toStrictEqual(expected)
})

/** A table with own routes beside a document. */
function beside(document: object): Json {
  const routes: Json = namedRoutes({ own: '/own/:id', root: '' })
  routes.include('/', routesOf(document), { namespace: 'given' })
  routes.route('own').get(() => undefined)
  routes.route('root').get(() => undefined)
  return routes
}

test.each([
  ['/', ['/', '/one', '/own/{id}']],
  ['/api', ['/', '/one', '/own/{id}']],
  ['/api/:org', ['/', '/one', '/own/{id}']],
])('own routes of a table are below the mount %s, as those of the document', (mount, expected) => {
  const document = validOf(made(beside(documentOf(one)), {}, { mount }))
  expect(Object.keys(document.paths).toSorted()).toStrictEqual(expected)
})

test.each<[what: string, servers: Json[], expected: string[]]>([
  ['paths without servers', [], ['/v1', '/v1/one', '/v1/own/{id}']],
  ['servers', [{ url: 'https://a.example' }], ['/', '/one', '/own/{id}']],
])('own routes of a table have the version in %s, as those of the document', (_, servers, expected) => {
  const routes = beside({ ...documentOf(one), servers })
  const document = validOf(made(routes, { scheme: URLPathVersioning }, { mount: '/:version' }))
  expect(Object.keys(document.paths).toSorted()).toStrictEqual(expected)
})

/** Joins documents, each below a prefix. */
function joined(...documents: object[]): Json {
  const routes: Json = namedRoutes({})
  for (const [index, document] of documents.entries()) {
    routes.include(`/${index}`, routesOf(document), { namespace: `n${index}` })
  }
  return made(routes)
}

const hook = (summary: string) => ({ post: { summary, ...done } })
const plain = { openapi: '3.1.0', info: { title: 'Shop', version: '2' }, paths: one }

test.each<[what: string, documents: Json[], part: string, expected: unknown]>([
  ['no components', [plain, plain], 'components', undefined],
  [
    'components of the second alone',
    [plain, documentOf(one, { schemas: { Tag: tag } })],
    'components',
    { schemas: { Tag: tag } },
  ],
  ['tags of the first alone', [{ ...plain, tags: [{ name: 'a' }] }, plain], 'tags', [{ name: 'a' }]],
  ['tags of the second alone', [plain, { ...plain, tags: [{ name: 'a' }] }], 'tags', [{ name: 'a' }]],
  ['webhooks of the first alone', [{ ...plain, webhooks: { a: hook('1') } }, plain], 'webhooks', { a: hook('1') }],
  ['webhooks of the second alone', [plain, { ...plain, webhooks: { a: hook('2') } }], 'webhooks', { a: hook('2') }],
  [
    'webhooks of both',
    [
      { ...plain, webhooks: { a: hook('1') } },
      { ...plain, webhooks: { a: hook('2'), b: hook('2') } },
    ],
    'webhooks',
    { a: hook('1'), b: hook('2') },
  ],
  [
    'extensions of components',
    [documentOf(one, { 'x-a': 1 }), documentOf(one, { 'x-a': 2, 'x-b': 3 })],
    'components',
    { 'x-a': 1, 'x-b': 3 },
  ],
])('joined documents have %s', (_, documents, part, expected) => {
  const document = validOf(joined(...documents))
  expect(document[part]).toStrictEqual(expected)
})

test('the servers of one document stay with its paths', () => {
  const servers = [{ url: 'https://b.example' }]
  const own = [{ url: 'https://own.example' }]
  const document = validOf(joined(plain, { ...plain, servers, paths: { ...one, '/two': { servers: own, get: done } } }))
  expect([document.servers, document.paths['/0/one'].servers]).toStrictEqual([undefined, undefined])
  expect([document.paths['/1/one'].servers, document.paths['/1/two'].servers]).toStrictEqual([servers, own])
})

const methodsIn = ({ paths }: Json) =>
  Object.fromEntries(Object.entries<Json>(paths).map(([path, item]) => [path, Object.keys(item)]))

test.each<[what: string, document: object, expected: Json]>([
  ['a root', documentOf({ '/': { get: done } }), { '/in': ['get'], '/in/a/{id}': ['delete'] }],
  ['no paths', { openapi: '3.1.0', info: plain.info, webhooks: {} }, { '/in/a/{id}': ['delete'] }],
  [
    'methods of no table',
    documentOf({ '/a': { head: done, trace: done, get: done } }),
    { '/in/a': ['head', 'trace', 'get'], '/in/a/{id}': ['delete'] },
  ],
])('a table has %s of a document, and own routes', (_, document, expected) => {
  const routes: Json = namedRoutes({ own: '/in/a/:id' })
  routes.include('/in', routesOf(document), { namespace: 'given' })
  routes.route('own').delete(() => undefined)
  const whole = validOf(made(routes))
  expect(methodsIn(whole)).toStrictEqual(expected)
})

test('paths that differ by the names of parameters stay, and own operations are at the first', () => {
  const routes: Json = namedRoutes({ own: '/in/a/:id' })
  const document = documentOf({
    '/a/{x}': { get: { ...done, parameters: [parameter('x')] } },
    '/a/{y}': { put: { ...done, parameters: [parameter('y')] } },
  })
  routes.include('/in', routesOf(document), { namespace: 'given' })
  routes.route('own').delete(() => undefined)
  const whole = made(routes)
  expect(methodsIn(whole)).toStrictEqual({ '/in/a/{x}': ['get', 'delete'], '/in/a/{y}': ['put'] })
  expect(whole.paths['/in/a/{x}'].delete.parameters[0]).toStrictEqual(parameter('x'))
})

function parameter(name: string) {
  return { name, in: 'path', required: true, schema: { type: 'string' } }
}

test.each<[what: string, more: Json, given: unknown, expected: unknown]>([
  [
    'paths, of any shape',
    { scheme: URLPathVersioning },
    [{ url: 'https://a.example?x=\n' }, { url: 1 }, 'a'],
    [{ url: 'https://a.example/v1?x=\n' }, { url: 1 }, 'a'],
  ],
  [
    'hosts',
    { scheme: HostNameVersioning },
    [{ url: 'https://v2.a.example/x' }, { url: '/x' }],
    [{ url: 'https://v1.a.example/x' }, { url: '/x' }],
  ],
  ['headers', { scheme: HeaderVersioning }, [{ url: 'https://a.example/v2' }], [{ url: 'https://a.example/v2' }]],
])('servers have the version of %s', (_, more, given, expected) => {
  const mount = more.scheme === URLPathVersioning ? '/:version' : '/'
  expect(made(routesOf({ ...plain, servers: given }), more, { mount }).servers).toStrictEqual(expected)
})

test('these documents are valid', async () => {
  expect((await faultyOf(all)).map(({ faults }) => faults)).toStrictEqual([])
})
