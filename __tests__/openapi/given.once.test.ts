import { routesOf } from 'express-versioning/openapi'
import { definitionsOf, described, documentOf, read, responding, withPaths } from '../support/documents'
import { rows } from '../support/rows'

const U = { $ref: '#/components/schemas/User' }
const named = { $ref: 'User' }
const text = { type: 'string' }
const user = { type: 'object', properties: { id: text } }
const schemas = { User: user }
const json = (schema?: unknown) => ({ 'application/json': schema === undefined ? {} : { schema } })
const ok = { 200: { description: '', content: json(U) } }
/** The document with one operation, `GET /`, that has some fields. */
const having = (fields: object, components: object = {}) =>
  documentOf({ '/': { get: { responses: ok, ...fields } } }, { schemas, ...components })

// Schemas: as written in a version, and as read ------------------------------------------------------------------

const READ = rows(`
  3.0.3 | {"type":"string","nullable":true}                        | {"type":["string","null"]}
  3.0.3 | {"type":"string","nullable":false}                       | {"type":"string"}
  3.0.3 | {"type":"string","nullable":true,"enum":["a"]}           | {"type":["string","null"],"enum":["a",null]}
  3.0.3 | {"nullable":true,"enum":["a",null]}                      | {"enum":["a",null]}
  3.0.3 | {"nullable":true}                                        | {}
  3.0.3 | {"$ref":"#/components/schemas/User","nullable":true}     | {"anyOf":[{"$ref":"User"},{"type":"null"}]}
  3.0.3 | {"$ref":"#/components/schemas/User","type":"object"}     | {"$ref":"User"}
  3.0.3 | {"type":"object","nullable":true,"allOf":[{"$ref":"#/components/schemas/User"}]} | {"anyOf":[{"type":"object","allOf":[{"$ref":"User"}]},{"type":"null"}]}
  3.0.3 | {"nullable":true,"anyOf":[{"type":"string"}]}            | {"anyOf":[{"type":"string"},{"type":"null"}]}
  3.0.3 | {"nullable":true,"oneOf":[{"type":"string"}]}            | {"anyOf":[{"oneOf":[{"type":"string"}]},{"type":"null"}]}
  3.0.3 | {"minimum":1,"exclusiveMinimum":true,"maximum":2,"exclusiveMaximum":true} | {"exclusiveMinimum":1,"exclusiveMaximum":2}
  3.0.3 | {"minimum":1,"exclusiveMinimum":false}                   | {"minimum":1}
  3.0.3 | {"exclusiveMaximum":true}                                | {}
  3.0.3 | {"items":{"nullable":true,"type":"integer"}}             | {"items":{"type":["integer","null"]}}
  3.1.0 | {"type":["string","null"]}                               | {"type":["string","null"]}
  3.1.0 | {"type":"string","const":"a","nullable":true}            | {"type":["string","null"],"enum":["a",null]}
  3.1.0 | {"$ref":"#/components/schemas/User","description":"x"}   | {"$ref":"User","description":"x"}
  3.1.0 | {"$schema":"x","$id":"y","$defs":{"A":{}},"not":true}    | {"not":{}}
  3.1.0 | {"items":[{"type":"string"}]}                            | {"prefixItems":[{"type":"string"}]}
  3.1.0 | {"items":[{}],"additionalItems":false}                   | {"prefixItems":[{}],"items":false}
  3.1.0 | {"dependencies":{"a":["b"],"c":{"$ref":"#/components/schemas/User"}}} | {"dependencies":{"a":["b"],"c":{"$ref":"User"}}}
  3.1.0 | {"enum":[{"$ref":"#/x"}],"default":{"$ref":"x.json"}}    | {"enum":[{"$ref":"#/x"}],"default":{"$ref":"x.json"}}
  3.1.0 | {"properties":{"a":{"$ref":"#/components/schemas/User/properties/id"}}} | {"properties":{"a":{"$ref":"#/components/schemas/User/properties/id"}}}
  3.1.0 | true                                                     | {}
  3.1.0 | false                                                    | {"not":{}}
  3.2.0 | {"allOf":[{"$ref":"#/components/schemas/User"}]}         | {"allOf":[{"$ref":"User"}]}
`)

test.each(READ)('reads %s %s as %s', (version, given, expected) => {
  const document = responding({ not: JSON.parse(given as string) }, schemas, version)
  expect(read(document).response).toStrictEqual({ 200: { not: JSON.parse(expected as string) } })
})

test('components are the shapes, by their keys; other targets have their pointers', () => {
  const [inner, A, x] = ['schemas/User/properties/id', 'schemas/A~01~1%25', 'x'].map((way) => ({
    $ref: `#/components/${way}`,
  }))
  const odd = {
    '#x': text,
    'a b': { not: { $ref: '#/components/schemas/%23x' } },
    'A~1/%': { nullable: true, ...text },
  }
  const document = responding({ prefixItems: [inner, A, x] }, { ...schemas, ...odd })
  Object.assign(document.components as object, { x: { not: U } })
  expect(definitionsOf(document)).toStrictEqual({
    User: user,
    'a b': odd['a b'],
    'A~1/%': { type: ['string', 'null'] },
    '#/components/schemas/%23x': text,
    '#/components/schemas/User/properties/id': text,
    '#/components/x': { not: named },
  })
})

test('schemas may have addresses and anchors', () => {
  const own = {
    $id: 'https://a.example/A',
    $defs: { b: { $anchor: 'b', not: text } },
    properties: { b: { $ref: '#b' }, c: { $ref: '#/$defs/b' }, d: U, e: { $ref: '#' }, f: { $ref: 'C.json' } },
  }
  const tree = { $dynamicAnchor: 'node', items: { $dynamicRef: '#node' } }
  const all = {
    ...schemas,
    A: own,
    C: { $id: 'https://a.example/C.json' },
    Again: { $id: 'https://a.example/C.json', not: {} },
    Tree: tree,
    By: { $ref: 'https://a.example/A#b' },
  }
  const b = { $ref: '#/components/schemas/A/$defs/b' }
  expect(definitionsOf(responding({ $ref: '#/components/schemas/A' }, all))).toStrictEqual({
    User: user,
    A: { properties: { b, c: b, d: named, e: { $ref: 'A' }, f: { $ref: 'C' } } },
    C: {},
    Again: { not: {} },
    Tree: { items: { $ref: 'Tree' } },
    By: b,
    '#/components/schemas/A/$defs/b': { not: text },
  })
})

// Operations: fields of `GET /`, and what is described ------------------------------------------------------------

const form = { 'application/x-www-form-urlencoded': { schema: U } }
const files = { 'multipart/form-data': { schema: U } }
const others = { description: 'OK', content: { 'text/csv': {} } }
const said = (responses: object) => ({ responses })
const sent = (content: object, required = true) => ({ requestBody: { content, required } })

test.each<[title: string, fields: object, expected: object]>([
  [
    'words',
    { summary: 's', description: 'd', tags: ['t', 7], deprecated: true, operationId: 'x' },
    { summary: 's', description: 'd', tags: ['t'], deprecated: true },
  ],
  ['no words', { summary: 7, description: null, tags: 'x', deprecated: 'yes' }, {}],
  ['a body', sent(json(U)), { body: named }],
  ['a body of a range of types', sent({ '*/*': { schema: U } }), { body: named }],
  ['a form', sent(form), { body: named }],
  ['JSON beside a form', sent({ ...form, ...json(text) }), { body: text }],
  ['several JSON types', sent({ ...json(text), 'a/b+json': { schema: U } }), { body: { anyOf: [text, named] } }],
  ['one schema in two types', sent({ ...json(U), 'a/b+json': { schema: U } }), { body: named }],
  ['files', sent(files), {}],
  ['a body to leave out', sent(json(U), false), { body: named, operation: { requestBody: { required: false } } }],
  ['a body without a schema', sent(json()), {}],
  [
    'a response of another JSON type',
    said({ 200: { content: { 'application/hal+json': { schema: U } } } }),
    { response: { 200: { content: { 'application/hal+json': named } } } },
  ],
  ['a response without JSON', said({ 200: others }), { response: { 200: null } }],
  ['a response without content', said({ 201: { description: '' } }), { response: { 201: null } }],
  ['a response without a schema', said({ 200: { content: json() } }), { response: { 200: null } }],
  ['a response of anything', said({ 200: { content: json({}) } }), { response: { 200: null } }],
  ['an error without content', said({ ...ok, 404: { description: '' }, default: { description: '' } }), {}],
  ['an error without JSON', said({ ...ok, 404: others }), { response: { 200: named, 404: null } }],
  [
    'errors by range',
    said({ ...ok, '4xx': { content: json(text) }, default: { content: json(U) } }),
    { response: { 200: named, '4XX': text, default: named } },
  ],
  ['no success', said({ 404: { content: json(text) } }), { response: { 404: text, '2XX': null } }],
  ['all by default', said({ default: { content: json(U) } }), { response: { default: named } }],
  ['extensions', said({ ...ok, 'x-a': 1 }), {}],
  ['no responses', { responses: undefined }, { response: { '2XX': null } }],
])('describes %s', (_, fields, expected) => {
  expect(read(having(fields))).toStrictEqual({ body: null, response: { 200: named }, ...expected })
})

const parameter = (name: string, more: object = {}) => ({ name, in: 'query', schema: text, ...more })
const list = { schema: { type: 'array', items: text } }
const filter = { type: 'object', properties: { a: text, b: U }, required: ['a'] }
const F = { $ref: '#/components/schemas/Filter' }
const integer = { type: 'integer' }
const inside = { a: text, b: named }
const within = (contentSchema: object) => ({ ...text, contentSchema })

test.each<[title: string, parameters: object[], properties: object, ...required: string[]]>([
  ['a string', [parameter('q')], { q: text }],
  ['a required one', [parameter('q', { required: true })], { q: text }, 'q'],
  ['a list', [parameter('q', list)], { q: list.schema }],
  ['a list in one text', [parameter('q', { ...list, explode: false })], { q: within(list.schema) }],
  ['a list by another style', [parameter('q', { ...list, style: 'pipeDelimited' })], { q: within(list.schema) }],
  ['one that does not explode', [parameter('q', { explode: false, schema: integer })], { q: integer }],
  ['a required object', [parameter('q', { schema: filter, required: true })], inside, 'a'],
  ['an object that may be null', [parameter('q', { schema: { ...filter, type: ['object', 'null'] } })], inside],
  ['an object in one text', [parameter('q', { schema: F, explode: false })], { q: within({ $ref: 'Filter' }) }],
  ['a deep object', [parameter('q', { schema: F, style: 'deepObject', explode: true })], { q: { $ref: 'Filter' } }],
  ['JSON', [parameter('q', { schema: undefined, content: json(U) })], { q: within({ $ref: 'User' }) }],
  [
    'a media type without a schema',
    [parameter('q', { schema: undefined, content: { 'text/csv': null } })],
    { q: text },
  ],
  ['no schema', [parameter('q', { schema: undefined })], { q: {} }],
  ['no name', [{ in: 'query' }], {}],
  ['a header beside', [parameter('q'), parameter('x', { in: 'header' })], { q: text }],
  ['that of the path replaced', [parameter('page', { schema: integer })], { page: integer }],
])('describes a query with %s', (_, parameters, properties, ...required) => {
  const wanted = required.filter((one) => typeof one === 'string')
  const isPage = parameters.some((one) => (one as { name?: string }).name === 'page')
  const item = { parameters: isPage ? [parameter('page')] : [], get: { parameters, responses: ok } }
  const query = { type: 'object', properties, ...(wanted.length > 0 && { required: wanted }) }
  expect(read(documentOf({ '/': item }, { schemas: { ...schemas, Filter: filter } }))).toHaveProperty('query', query)
})

test('describes a query with a component, whose changes it has', () => {
  const parameters = [parameter('page', { schema: integer }), parameter('q', { schema: F })]
  const document = documentOf(
    { '/': { get: { parameters, responses: ok } } },
    { schemas: { ...schemas, Filter: filter } },
  )
  const allOf = [{ $ref: 'GET / query#/q/Filter' }]
  expect(read(document)).toHaveProperty('query', { type: 'object', properties: { page: integer }, allOf })
  expect(definitionsOf(document)).toMatchObject({ 'GET / query#/q/Filter': { type: 'object', properties: inside } })
})

test('components of every kind are followed', () => {
  const to = (kind: string, name = 'X') => ({ $ref: `#/components/${kind}/${name}` })
  const get = { requestBody: to('requestBodies'), responses: { 200: to('responses') } }
  const components = {
    schemas,
    pathItems: { X: { parameters: [to('parameters')], get } },
    parameters: { X: to('parameters', 'Y'), Y: parameter('q') },
    requestBodies: { X: { content: json(U), required: true } },
    responses: { X: { content: json(U) } },
  }
  const query = { type: 'object', properties: { q: text } }
  const expected = { query, body: named, response: { 200: named } }
  expect(read(documentOf({ '/': to('pathItems') }, components))).toStrictEqual(expected)
})

test('what operations share is read once', () => {
  const R = { $ref: '#/components/responses/R' }
  const components = { schemas, responses: { R: { content: json(U) }, Any: { content: json() } } }
  const get = { responses: { 200: R, 400: { $ref: '#/components/responses/Any' } } }
  const table = routesOf(documentOf({ '/a': { get }, '/b': { get } }, components))
  const [a, b] = table.facts().map((facts) => facts.describedAs('GET')?.response as Record<string, unknown>)
  expect(a?.[200]).toBe(b?.[200])
  expect(table.elsewhere()?.open).toHaveLength(1)
})

test('methods are those of path items; HEAD is that of GET', () => {
  const operation = { responses: ok }
  const methods = (...names: string[]) => Object.fromEntries(names.map((name) => [name, operation]))
  const more = { summary: 'x', 'x-a': 1, additionalOperations: methods('COPY', 'STRANGE') }
  const all = { ...methods('get', 'put', 'head', 'trace', 'options'), ...more }
  const paths = { '/a': all, '/b': methods('head'), 'x-c': methods('get') }
  expect(routesOf(documentOf(paths, { schemas })).list()).toStrictEqual([
    { name: '/a', path: '/a', params: [], methods: ['GET', 'PUT', 'OPTIONS', 'TRACE', 'COPY'] },
    { name: '/b', path: '/b', params: [], methods: [] },
  ])
})

test('a document is read once, and never changed', () => {
  const document = having({}) as { paths: Record<string, Record<string, unknown>> }
  const before = JSON.stringify(document)
  const table = routesOf(document)
  expect(JSON.stringify(document)).toBe(before)
  ;(document.paths['/'] as Record<string, unknown>).get = {}
  document.paths['/late'] = {}
  const [kept] = table.elsewhere()?.documents ?? []
  expect([described(table as never, 'GET /'), [...table.names()]]).toStrictEqual([
    { body: null, response: { 200: named } },
    ['/'],
  ])
  expect(kept).toMatchObject({ document: JSON.parse(before), prefix: '', namespaces: [] })
})

test('it is read as JSON has it', () => {
  const shared = { type: 'string', default: new Date(0), examples: [undefined, () => {}] }
  const given = responding({ properties: { a: shared, b: shared, c: { type: 'string', pattern: undefined } } })
  Object.defineProperty(given, '__proto__', { value: { polluted: true }, enumerable: true })
  const table = routesOf(given)
  const [{ document } = { document: {} }] = table.elsewhere()?.documents ?? []
  const like = { type: 'string', default: '1970-01-01T00:00:00.000Z', examples: [null, null] }
  expect(JSON.stringify(document)).toBe(JSON.stringify(given))
  expect(read(given).response).toStrictEqual({ 200: { properties: { a: like, b: like, c: text } } })
  expect(Object.getPrototypeOf(document)).toBe(Object.prototype)
})

// Mistakes -----------------------------------------------------------------------------------------------------------

const S = '/paths/~1/get/responses/200/content/application~1json/schema'
const GIVEN = { paths: withPaths, get: having, schema: responding } as Record<string, (...parts: unknown[]) => object>
const START: Record<string, string> = { paths: '/paths', get: '/paths/~1/get', schema: S }

// Methods by path, fields of `GET /`, or a schema, perhaps in a list with the components. Pointers with `^` start there.
const MISTAKES = rows(`
  paths  | {"users":"get"}                     | ^/users     | a path begins with "/".
  paths  | {"/{}":"get"}                       | ^/~1{}      | a parameter has no name. Write one: {id}.
  paths  | {"/{a}/{a}":"get"}                  | ^/~1{a}~1{a} | the parameter "a" is there twice.
  paths  | {"/{a}{b}":"get"}                   | ^/~1{a}{b}  | nothing tells where "a" ends and "b" begins. Write text between them, such as "-".
  paths  | {"/{a}":"get","/{b}":"get"}         | ^/~1{b}     | its GET is for the same requests as that of "/{a}". Write one path for them, or set
  paths  | {"/a":"get","/A":"get"}             | ^/~1A       | its GET is for the same requests as that of "/a"
  paths  | {"/{a}":"get","/{b}/":"put"}        | ^/~1{b}~1   | it differs from "/{a}" by a slash at the end alone
  get    | {"parameters":{}}                   | ^/parameters | a list is expected here, got an object.
  get    | {"parameters":[{"$ref":"#/components/parameters/x"}]} | ^/parameters/0 | the reference leads to "#/components/parameters/x", which does not exist.
  get    | {"parameters":[{"name":"q","in":"query","schema":{"$ref":"#/x"}}]} | ^/parameters/0/schema | the reference leads to "#/x", which does not exist.
  get    | {"responses":7}                     | ^/responses | an object is expected here, got a number.
  get    | {"responses":{"OK":{}}}             | ^/responses/OK | "OK" is no status. Statuses are such as "200", "2XX" and "default".
  get    | {"responses":{"200":{"content":[]}}} | ^/responses/200/content | an object of media types is expected here, got a list.
  schema | {"not":"x"}                         | ^/not       | a schema is expected here, got a string.
  schema | {"type":"file"}                     | ^/type      | JSON Schema has no type 'file'. It has null, boolean, object,
  schema | {"type":["string",7]}               | ^/type      | JSON Schema has no type 7.
  schema | {"$ref":"#/components/schemas/Usr"} | ^           | the reference leads to "#/components/schemas/Usr", which does not exist.
  schema | {"$ref":"#user"}                    | ^           | the reference leads to "#user", which does not exist.
  schema | {"$dynamicRef":"#none"}             | ^           | the reference leads to "#none", which does not exist.
  schema | {"$ref":"User.yaml#/User"}          | ^           | the reference leads to "User.yaml#/User", which is not in this document. Bundle its files into one
  schema | {"$ref":"https://a.example/User"}   | ^           | the reference leads to "https://a.example/User", which is not in this document.
  schema | {"$ref":"http://["}                 | ^           | the reference leads to "http://[", which is not in this document.
  schema | {"$ref":"#/info/title"}             | ^           | the reference leads to "#/info/title", which is no schema.
  schema | [{"$ref":"#b"},{"A":{"$id":"A","$anchor":"b"}}] | ^ | the reference leads to "#b", which does not exist.
  schema | [{},{"A":{"$ref":"#/components/schemas/B"},"B":{"$ref":"#/components/schemas/A"}}] | /components/schemas/A | the references lead back to themselves. Write what they stand for.
  schema | [{"$dynamicRef":"#n"},{"A":{"$dynamicAnchor":"n"},"B":{"$dynamicAnchor":"n"}}] | ^ | the "$dynamicRef" may lead to several schemas. Write "$ref" to one of them.
  get    | [{"requestBody":{"$ref":"#/components/a/A"}},{"a":{"A":{"$ref":"#/components/a/A"}}}] | ^/requestBody | the reference "#/components/a/A" leads back to itself.
`)
test.each(MISTAKES)('rejects: %s %s at "%s": %s', (kind = '', given = '', pointer = '', says) => {
  const document = GIVEN[kind]?.(...[JSON.parse(given)].flat())
  const at = pointer.replace('^', START[kind] as string)
  const message = expect.stringContaining(`routesOf(): at "${at}": ${says}`)
  expect(() => routesOf(document as object)).toThrow(expect.objectContaining({ name: 'TypeError', message }))
})

const TAKES = 'routesOf() takes an OpenAPI document of version 3.0, 3.1 or 3.2, as a parsed object; got'
const UNKNOWN = 'unknown option "handlers". It takes "caseSensitive", "strict", "undocumented", "places", "removed".'
const at = (pointer: string) => `routesOf(): at "${pointer}": `
const cyclic: Record<string, unknown> = { type: 'object' }
cyclic.properties = { left: cyclic }
/** Puts a schema into another one, again and again. */
const nested = (depth: number, outer: (inner: object) => object) => {
  let schema: object = {}
  for (let level = 0; level < depth; level++) schema = outer(schema)
  return responding(schema)
}
const deep = nested(500, (not) => ({ not }))
const bomb = nested(60, (inner) => ({ allOf: [inner, inner] }))
const toX = { $ref: '#/components/x' }

test.each<[message: string, given: unknown, ...options: unknown[]]>([
  [`${TAKES} a string. Parse it first, by JSON.parse() or a YAML parser.`, '{}'],
  [`${TAKES} null.`, null],
  [`${TAKES} [].`, []],
  [`${TAKES} Swagger 2.0. Convert it first, for example by "swagger2openapi".`, { swagger: '2.0' }],
  [`${TAKES} an object whose "openapi" is undefined.`, {}],
  [`${TAKES} an object whose "openapi" is '3.3.0'.`, { openapi: '3.3.0' }],
  [`${TAKES} an object whose "openapi" is 3.1.`, { openapi: 3.1 }],
  ['routesOf() takes an object of options; got true.', having({}), true],
  [`routesOf(): ${UNKNOWN}`, having({}), { handlers: 'elsewhere' }],
  [`routesOf(): option "undocumented" takes 'reject' or 'pass'; got 'ignore'.`, having({}), { undocumented: 'ignore' }],
  [`the document contains itself, at "${S}/properties/left". Give the document as it is before`, responding(cyclic)],
  ['routesOf(): the document has more than 500 values in each other, at "/paths/~1/get/responses/', deep],
  ['routesOf(): the document has more than 20000000 values if shared objects are written out, at "/paths', bomb],
  [`routesOf(): JSON has no 1n, at "${S}".`, responding({ minimum: 1n })],
  ['has a lone surrogate, at', responding({ properties: { '\ud800': {} } })],
  [`${at('/paths')}an object of paths is expected here, got a list.`, documentOf([] as never)],
  [`${at('/paths/~1')}an object is expected here, got a string.`, documentOf({ '/': 'x' })],
  [`${at('/paths/~1/get')}an operation is expected here, got null.`, documentOf({ '/': { get: null } })],
  [
    `as that of "/%C3%A9". Write one path for them.`,
    withPaths({ '/%C3%A9': 'get', '/é': 'get' }),
    { caseSensitive: true },
  ],
  [`${at('/components/x')}the references lead back to themselves.`, { ...responding(toX), components: { x: toX } }],
])('rejects: %s', (message, document, ...rest) => {
  // Jest adds a callback to short rows.
  const options = rest.filter((one) => typeof one !== 'function') as [object?]
  expect(() => routesOf(document as object, ...options)).toThrow(
    expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(message) }),
  )
})

test('all mistakes are told at once', () => {
  const responses = { 200: { content: json({ $ref: 'x' }) } }
  expect(() => routesOf(documentOf({ a: {}, '/b': 7, '/c': { get: { responses } } }))).toThrow(
    'routesOf(): 3 things do not fit in the document:\n' +
      '- "/paths/a": a path begins with "/".\n' +
      '- "/paths/~1b": an object is expected here, got a number.\n' +
      '- "/paths/~1c/get/responses/200/content/application~1json/schema": the reference leads to "x", which is not in this document. Bundle its files into one first, for example by "redocly bundle".',
  )
})

test('differences that routers see may be said', () => {
  const paths = ['/a', '/A', '/b', '/b/', '/']
  const document = withPaths(Object.fromEntries(paths.map((path) => [path, 'get'])))
  const table = routesOf(document, { caseSensitive: true, strict: true })
  expect(paths.map((path) => table.resolve(path)?.viewName)).toStrictEqual(paths)
})
