// Given documents beside other parts: schemas in the words of OpenAPI 3.0, own routes, other documents, and the servers of versions.
import { HostNameVersioning, namedRoutes, URLPathVersioning } from 'express-versioning'
import { routesOf } from 'express-versioning/openapi'
import { documentOf } from '../support/documents'
import { expectValid, type Json, made as madeOf, object, ref, text } from '../support/parts'
import { rows } from '../support/rows'

const done = { responses: { 204: { description: 'Done.' } } }
const one = { '/one': { get: done } }
const Tag = object({ label: text })

/** The documents of all tests, which are valid. */
const all: Json[] = []

/** Makes the document of the first version. */
function made(routes: object, more: Json = {}, settings: Json = {}, isValid = true): Json {
  const unchanged = { changes: undefined, defaultVersion: undefined, allowedVersions: ['v1', 'v2'] }
  const document = madeOf(routes, 'v1', { ...unchanged, ...more }, settings)
  if (isValid) all.push(document)
  return document
}

// `@Tag` refers to the component.
const WORDS = rows(`
  true                                          | {}
  false                                         | {"not":{}}
  {"anyOf":[true,{"allOf":[false]}]}            | {"anyOf":[{},{"allOf":[{"not":{}}]}]}
  {"not":true}                                  | {"not":{}}
  {"not":{"not":false}}                         | {"not":{"not":{"not":{}}}}
  {"const":null}                                | {"allOf":[NULL]}
  {"enum":["a",null]}                           | {"allOf":[{"anyOf":[{"enum":["a"]},NULL]}]}
  {"enum":["a"]}                                | {"enum":["a"]}
  {"type":"null"}                               | NULL
  {"type":["string","null"]}                    | {"type":"string","nullable":true}
  {"type":["array","string"]}                   | {"allOf":[{"anyOf":[{"type":"array","items":{}},{"type":"string"}]}],"items":{}}
  {"type":["integer","string","null"],"x-a":1}  | {"x-a":1,"allOf":[{"anyOf":[{"type":"integer","nullable":true},{"type":"string"}]}]}
  // limits
  {"type":"number","minimum":3,"exclusiveMinimum":1} | {"type":"number","minimum":3}
  {"type":"number","minimum":1,"exclusiveMinimum":1} | {"type":"number","minimum":1,"exclusiveMinimum":true}
  {"type":"number","maximum":1,"exclusiveMaximum":3} | {"type":"number","maximum":1}
  {"type":"number","exclusiveMaximum":3}        | {"type":"number","maximum":3,"exclusiveMaximum":true}
  // lists
  {"type":"array"}                              | {"type":"array","items":{}}
  {"type":"array","items":true}                 | {"type":"array","items":{}}
  {"type":"array","items":false}                | {"type":"array","items":{},"maxItems":0}
  {"type":"array","items":{"const":1}}          | {"type":"array","items":{"enum":[1]}}
  {"type":"array","prefixItems":[true,false]}   | {"type":"array","items":{"anyOf":[{},{"not":{}},{}]}}
  {"type":"array","prefixItems":[{"const":1}]}  | {"type":"array","items":{"anyOf":[{"enum":[1]},{}]}}
  {"type":"array","prefixItems":[{"const":1}],"items":true}        | {"type":"array","items":{"anyOf":[{"enum":[1]},{}]}}
  {"type":"array","prefixItems":[{"const":1}],"items":false}       | {"type":"array","items":{"enum":[1]},"maxItems":1}
  {"type":"array","prefixItems":[{"const":1}],"items":{"const":2}} | {"type":"array","items":{"anyOf":[{"enum":[1]},{"enum":[2]}]}}
  {"type":"array","prefixItems":[{"const":1},{"const":2}],"items":false,"maxItems":1} | {"type":"array","items":{"anyOf":[{"enum":[1]},{"enum":[2]}]},"maxItems":1}
  // objects
  {"type":"object","additionalProperties":false}       | {"type":"object","additionalProperties":false}
  {"type":"object","additionalProperties":{"const":1}} | {"type":"object","additionalProperties":{"enum":[1]}}
  {"type":"object","patternProperties":{"^a":{}},"additionalProperties":false} | {"type":"object"}
  {"type":"object","dependentRequired":{"a":["b"]}}    | {"type":"object","allOf":[{"anyOf":[{"not":{"required":["a"]}},{"required":["a","b"]}]}]}
  // inner schemas
  {"oneOf":[{"const":1},{"const":2}]}           | {"oneOf":[{"enum":[1]},{"enum":[2]}]}
  {"not":{"const":1}}                           | {"not":{"enum":[1]}}
  {"not":{"contains":{"const":1}}}              | {}
  {"not":{"anyOf":[{"const":1},{"if":{"const":2}}]}} | {}
  // texts and references
  {"type":"string","examples":["a","b"]}        | {"type":"string","example":"a"}
  {"type":"string","examples":[]}               | {"type":"string"}
  {"type":"string","example":"c","examples":["a"]} | {"type":"string","example":"c"}
  {"$ref":"Tag"}                                | @Tag
  {"$ref":"Tag","description":"A tag."}         | {"description":"A tag.","allOf":[@Tag]}
  {"$ref":"Tag","allOf":[{"const":1}]}          | {"allOf":[@Tag,{"enum":[1]}]}
  {"$id":"Own","type":["object","null"]}        | {"$ref":"#/components/schemas/Own"} | {"type":"object","nullable":true}
`)
const NULL = '{"type":"object","nullable":true,"enum":[null]}'
const read = (words = '') => JSON.parse(words.replaceAll('NULL', NULL).replaceAll('@Tag', JSON.stringify(ref('Tag'))))

test.each(WORDS)('OpenAPI 3.0 has the schema %s in its words: %s', (schema, expected, own = '') => {
  const routes: Json = routesOf(documentOf(one, { schemas: { Tag } }, '3.0.3'))
  routes.describe('GET /one', { response: object({ it: read(schema) }) })
  const { paths, components } = made(routes)
  const { it } = paths['/one'].get.responses[200].content['application/json'].schema.properties
  expect(it).toStrictEqual(read(expected))
  expect(components.schemas.Own).toStrictEqual(own === '' ? undefined : read(own))
})

// Own routes beside a document --------------------------------------------------------------------------------------

/** A table with own routes, and a document at a prefix. */
function beside(document: object, prefix = '/', own: Record<string, string> = { own: '/own/:id', root: '' }): Json {
  const routes: Json = namedRoutes(own)
  routes.include(prefix, routesOf(document), { namespace: 'given' })
  for (const name of Object.keys(own)) routes.route(name).delete(() => undefined)
  return routes
}
const pathsOf = (...given: Parameters<typeof made>) => Object.keys(made(...given).paths).toSorted()

test.each(['/', '/api', '/api/:org'])(
  'own routes of a table are below the mount %s, as those of the document',
  (mount) => {
    expect(pathsOf(beside(documentOf(one)), {}, { mount })).toStrictEqual(['/', '/one', '/own/{id}'])
  },
)

test.each<[what: string, servers: Json[], expected: string[]]>([
  ['paths without servers', [], ['/v1', '/v1/one', '/v1/own/{id}']],
  ['servers', [{ url: 'https://a.example' }], ['/', '/one', '/own/{id}']],
])('own routes of a table have the version in %s, as those of the document', (_, servers, expected) => {
  const routes = beside({ ...documentOf(one), servers })
  expect(pathsOf(routes, { scheme: URLPathVersioning }, { mount: '/:version' })).toStrictEqual(expected)
})

const parameter = (name: string) => ({ name, in: 'path', required: true, schema: text })
const at = (name: string, method: string) => ({ [method]: { ...done, parameters: [parameter(name)] } })
test.each<[what: string, document: object, expected: Json]>([
  ['a root', documentOf({ '/': { get: done } }), { '/in': ['get'], '/in/a/{id}': ['delete'] }],
  ['no paths', { openapi: '3.1.0', info: { title: '', version: '' }, webhooks: {} }, { '/in/a/{id}': ['delete'] }],
  [
    'methods of no table',
    documentOf({ '/a': { head: done, trace: done, get: done } }),
    { '/in/a': ['head', 'trace', 'get'], '/in/a/{id}': ['delete'] },
  ],
  [
    'paths that differ by the names of parameters, where own operations are at the first,',
    documentOf({ '/a/{x}': at('x', 'get'), '/a/{y}': at('y', 'put') }),
    { '/in/a/{x}': ['get', 'delete'], '/in/a/{y}': ['put'] },
  ],
])('a table has %s of a document, and own routes', (what, document, expected) => {
  const name = what.startsWith('paths') ? 'x' : 'id'
  // Validators forbid such paths, which users have.
  const { paths } = made(beside(document, '/in', { own: '/in/a/:id' }), {}, {}, name !== 'x')
  const methods = Object.entries<Json>(paths).map(([path, item]) => [path, Object.keys(item)])
  expect(Object.fromEntries(methods)).toStrictEqual(expected)
  expect(paths[`/in/a/{${name}}`].delete.parameters[0]).toStrictEqual(parameter(name))
})

// Several documents -------------------------------------------------------------------------------------------------

/** Joins documents, each below a prefix. */
function joined(...documents: object[]): Json {
  const routes: Json = namedRoutes({})
  for (const [index, document] of documents.entries()) {
    routes.include(`/${index}`, routesOf(document), { namespace: `n${index}` })
  }
  return made(routes)
}

const hook = (summary: string) => ({ post: { summary, ...done } })
const plain: Json = { openapi: '3.1.0', info: { title: 'Shop', version: '2' }, paths: one }
const [T, U] = [{ name: 'T', description: '1' }, { name: 'U' }]
const [Missing, Gone] = [{ description: 'Missing.' }, { description: 'Gone.' }]

test.each<[part: string, one: unknown, other: unknown, both: unknown]>([
  ['components', undefined, undefined, undefined],
  ['components', undefined, { schemas: { Tag } }, { schemas: { Tag } }],
  ['components', { 'x-a': 1 }, { 'x-a': 2, 'x-b': 3 }, { 'x-a': 1, 'x-b': 3 }],
  ['components', { responses: { Missing } }, { responses: { Missing, Gone } }, { responses: { Missing, Gone } }],
  ['components', { schemas: { Tag } }, { schemas: { Tag, Item: {} } }, { schemas: { Tag, Item: {} } }],
  ['tags', [T], undefined, [T]],
  ['tags', undefined, [T], [T]],
  ['tags', [T], [{ name: 'T' }, U], [T, U]],
  ['webhooks', { a: hook('1') }, undefined, { a: hook('1') }],
  ['webhooks', undefined, { a: hook('2') }, { a: hook('2') }],
  ['webhooks', { a: hook('1') }, { a: hook('2'), b: hook('2') }, { a: hook('1'), b: hook('2') }],
])('the %s of joined documents, %j and %j, are %j', (part, one, other, both) => {
  expect(joined({ ...plain, [part]: one }, { ...plain, [part]: other })[part]).toStrictEqual(both)
})

test('the servers, the security and the identifiers of one document stay with its paths', () => {
  const [servers, own] = [[{ url: 'https://b.example' }], [{ url: 'https://own.example' }]]
  const get = { operationId: 'get', ...done }
  const paths = { '/one': { get }, '/two': { servers: own, get: { ...get, security: [] } } }
  const security = [{ key: [] }]
  const more = { paths, servers, security, components: { securitySchemes: { key: { type: 'http', scheme: 'basic' } } } }
  const second = joined(plain, { ...plain, ...more })
  expect([second.servers, second.security]).toStrictEqual([undefined, undefined])
  expect(second.paths).toStrictEqual({
    '/0/one': { get: expect.anything() },
    '/1/one': { servers, get: expect.objectContaining({ operationId: 'get', security }) },
    '/1/two': { servers: own, get: expect.objectContaining({ operationId: 'get-2', security: [] }) },
  })
  const first = joined({ ...plain, ...more }, { ...plain, paths: { '/one': { get } } })
  const other = { servers: [{ url: '/' }], get: expect.objectContaining({ operationId: 'get-3', security: [] }) }
  expect(first).toMatchObject({ servers, security, paths: { '/1/one': other } })
})

test.each<[string, Json, string]>([
  ['versions of OpenAPI', { openapi: '3.0.3' }, 'of OpenAPI 3.1.0 and 3.0.3'],
  [
    'components',
    { components: { responses: { Missing: { description: 'Other' } } } },
    'different "Missing" in "components/responses"',
  ],
])('different %s of several documents are an error', (_, other, message) => {
  expect(() => joined({ ...plain, components: { responses: { Missing } } }, { ...plain, ...other })).toThrow(message)
})

// Servers -----------------------------------------------------------------------------------------------------------

test.each<[what: string, scheme: object | undefined, given: unknown[], expected: unknown[]]>([
  [
    'paths, of any shape',
    URLPathVersioning,
    ['https://a.example', 'https://a.example/v2', '/v2/', '/', 'https://a.example?x=\n', 1],
    ['https://a.example/v1', 'https://a.example/v1', '/v1', '/v1', 'https://a.example/v1?x=\n', 1],
  ],
  ['hosts', HostNameVersioning, ['https://v2.a.example/x', '/x'], ['https://v1.a.example/x', '/x']],
  ['headers', undefined, ['https://a.example/v2'], ['https://a.example/v2']],
])('servers have the version of %s', (_, scheme, given, expected) => {
  const serversOf = (urls: unknown[]) => [...urls.map((url) => ({ url })), 'a']
  const mount = scheme === URLPathVersioning ? '/:version' : '/'
  const routes = routesOf({ ...plain, servers: serversOf(given) })
  // Users may have what validators forbid.
  const { servers } = made(routes, scheme && { scheme }, { mount }, false)
  expect(servers).toStrictEqual(serversOf(expected))
})

test('these documents are valid', () => expectValid(...all))
