// What a document leaves open: the warning, the option `places`, and components that look like a shape.
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { change, convertRequest, fields, type VersionHistory, versionHistory } from 'express-versioning/changes'
import { openapi, routesOf } from 'express-versioning/openapi'
import { appOf, dispatch } from '../support/dispatch'
import { definitionsOf, documentOf, read, responding } from '../support/documents'
import { list, object, ref, renaming, text } from '../support/parts'
import { toldBy } from '../support/pasted'
import { rows } from '../support/rows'

const user = object({ id: text, mail: text }, 'id')
const U = ref('User')
const json = (schema?: unknown) => ({ content: { 'application/json': schema === undefined ? {} : { schema } } })
const history = versionHistory('1').version('2', renaming('User', 'email', 'mail')) as VersionHistory
const options = { scheme: HeaderVersioning, defaultVersion: '2', changes: history }

// The warning ------------------------------------------------------------------------------------------------------

const blank = (description: string) => ({ description })
const document = documentOf(
  {
    '/users': {
      get: { responses: { 200: json(U) } },
      post: { requestBody: json(), responses: { 201: blank(''), 400: json({}) } },
      put: { requestBody: json(true), responses: { 200: json(), 202: blank('Accepted.'), 204: blank('') } },
      patch: { requestBody: json(ref('Patch')) },
      delete: { responses: { 204: blank(''), '4XX': { $ref: '#/components/responses/Any' } } },
    },
    '/health': { get: { responses: { 200: json() } } },
  },
  {
    schemas: {
      User: user,
      Patch: object({ meta: ref('Meta') }),
      Meta: { type: 'object', description: 'x' },
      Unused: { type: 'object' },
    },
    responses: { Any: json(), Unused: json() },
  },
)

// `/*` is the place of a schema of JSON.
const OPEN = rows(`
  // what it is about | place | what is missing | the decorator of Nest | the place for YAML
  /components/responses/Any/*               | the response 4XX has no schema.  | ApiResponse({ status: '4XX', type: ... }) | /components/responses/Any/*
  /components/schemas/Meta                  | an object has no properties.     | ApiProperty({ type: ... }) or @ApiOkResponse({ type: ... }) | /components/schemas/Meta/properties
  /paths/~1health/get/responses/200/*       | the response 200 has no schema.  | ApiOkResponse({ type: ... })              | /paths/~1health/get/responses/200/*
  /paths/~1users/patch                      | it has no "responses".           | ApiOkResponse({ type: ... })              | /paths/~1users/patch/responses/200/*
  /paths/~1users/post/requestBody/*         | the body has no schema.          | ApiBody({ type: ... })                    | /paths/~1users/post/requestBody/*
  /paths/~1users/post/responses/201         | the response 201 has no content. | ApiCreatedResponse({ type: ... })         | /paths/~1users/post/responses/201/*
  /paths/~1users/post/responses/400/*       | the response 400 has no schema.  | ApiResponse({ status: 400, type: ... }) | /paths/~1users/post/responses/400/*
  /paths/~1users/put/requestBody/*          | the body has no schema.          | ApiBody({ type: ... })                    | /paths/~1users/put/requestBody/*
  /paths/~1users/put/responses/200/*        | the response 200 has no schema.  | ApiOkResponse({ type: ... })              | /paths/~1users/put/responses/200/*
`)
const JSON_IN = 'content/application~1json/schema'

test('the table tells the parts that say too little, with the decorator of Nest and the line of YAML', () => {
  const messages = OPEN.map(([place, missing, decorator, yaml = '']) => {
    const property = yaml.endsWith('properties') ? 'properties' : 'schema'
    return `at "${place}", ${missing} In Nest: @${decorator}. In YAML: "${property}" at "${yaml}".`
  })
  const open = routesOf(document).elsewhere()?.open ?? []
  const told = open.map(({ message }) => message.replaceAll(JSON_IN, '*'))
  expect(told.toSorted()).toStrictEqual(messages.toSorted())
  const operationOf = (word: string) => open.find(({ message }) => message.includes(word))?.operation
  expect(operationOf('health')).toStrictEqual({ method: 'GET', viewName: '/health' })
  expect(operationOf('components')).toBeUndefined()
  const plain = (_req: unknown, _res: unknown, next: () => void) => next()
  const outer = namedRoutes({}).include('/y', plain).include('/x', routesOf(document), { namespace: 'x' })
  expect(outer.elsewhere()?.open.map(({ operation }) => operation?.viewName)).toContain('x:/users')
})

/** The warnings of a run. */
function warned(run: () => void): { message: string; code: string }[] {
  const spy = jest.spyOn(process, 'emitWarning').mockImplementation()
  run()
  const found = spy.mock.calls.map(([message, options]) => ({ message, code: options?.code })) as never
  spy.mockRestore()
  return found
}

test('they are one warning at the start, once for each table, also before there is a change', () => {
  const first = versionHistory('1') as VersionHistory
  const [early, ...later] = warned(() =>
    versioning({ ...options, defaultVersion: '1', changes: first, routes: routesOf(document) }),
  )
  expect(later).toStrictEqual([])
  expect(early?.message.match(/\n- at /g)).toHaveLength(9)
  const routes = routesOf(document)
  const described = { ...options, routes, neutral: ['/health'] }
  const [only, ...others] = warned(() => {
    versioning(described)
    openapi(described)
  })
  expect(others).toStrictEqual([])
  expect(only?.code).toBe('EXPRESS_VERSIONING_UNDOCUMENTED')
  expect(only?.message).toContain('The document does not say what these parts hold, so no change converts them.')
  expect(only?.message.match(/\n- at /g)).toHaveLength(8)
  expect(only?.message).not.toContain('health')
})

const OBJECT = [
  'an object has no properties.',
  'properties',
  '@ApiProperty({ type: ... }) or @ApiOkResponse({ type: ... })',
]
const LIST = ['a list has no items.', 'items', '@ApiProperty({ type: [...] }) or @ApiOkResponse({ type: [...] })']
const OTHERS = ['other properties may hold anything.', '', '@ApiProperty({ additionalProperties: ... })']
const VALUE = ['a value has no type.', 'type', '@ApiProperty({ type: ... })']
const known = { a: text }

const NOTHING: string[] = []

test.each<[schema: object, place: string, kind: string[]]>([
  [{ type: 'object' }, '', OBJECT],
  [{ type: ['object', 'null'], description: 'x', required: ['a'] }, '', OBJECT],
  [{ type: 'object', properties: {} }, '', OBJECT],
  [{ properties: {}, patternProperties: {} }, '', OBJECT],
  [{ type: 'object', additionalProperties: true }, '', OBJECT],
  [{ additionalProperties: {} }, '', OBJECT],
  [{ type: 'object', additionalProperties: { description: 'x' } }, '', OBJECT],
  [{ properties: known, additionalProperties: true }, '/additionalProperties', OTHERS],
  [{ allOf: [U], additionalProperties: {} }, '/additionalProperties', OTHERS],
  [{ type: 'array' }, '', LIST],
  [{ items: {} }, '', LIST],
  [{ type: 'array', items: true }, '', LIST],
  [list({ type: 'object' }), '/items', OBJECT],
  [object({ meta: { properties: {} } }), '/properties/meta', OBJECT],
  [object({ a: list(object({ 'b/c': {} })) }), '/properties/a/items/properties/b~1c', VALUE],
  [object({ a: true }), '/properties/a', VALUE],
  [{ patternProperties: { '^a': { title: 'x' } } }, '/patternProperties/^a', VALUE],
  [{ oneOf: [text, {}] }, '/oneOf/1', VALUE],
  [{ type: 'array', prefixItems: [text, {}] }, '/prefixItems/1', VALUE],
  [{ additionalProperties: { items: {} } }, '/additionalProperties', LIST],
  [{ type: 'object', additionalProperties: false }, '', NOTHING],
  [{ type: 'object', additionalProperties: text }, '', NOTHING],
  [{ type: 'object', properties: known }, '', NOTHING],
  [{ type: 'object', patternProperties: { '^a': text } }, '', NOTHING],
  [{ type: 'object', allOf: [U] }, '', NOTHING],
  [{ type: 'array', prefixItems: [text] }, '', NOTHING],
  [{ type: 'array', items: false }, '', NOTHING],
  [{ anyOf: [U, { nullable: true }] }, '', NOTHING],
  [{ const: {} }, '', NOTHING],
])('%j is open at "%s"', (schema, place, kind) => {
  const whole = object({ in: schema })
  const document = documentOf({ '/': { get: { responses: { 200: json(whole) } } } }, { schemas: { User: user } })
  const at = `/paths/~1/get/responses/200/${JSON_IN}/properties/in${place}`
  const [what, keyword, decorator] = kind
  const yaml = kind === OTHERS ? `"additionalProperties" at "${at}"` : `"${keyword}" at "${at}/${keyword}"`
  const told = kind === NOTHING ? [] : [`at "${at}", ${what} In Nest: ${decorator}. In YAML: ${yaml}.`]
  expect(
    routesOf(document)
      .elsewhere()
      ?.open.map(({ message }) => message),
  ).toStrictEqual(told)
})

test('a response whose schema only describes is one without a schema', () => {
  const [only, ...others] = routesOf(responding({ description: 'x' })).elsewhere()?.open ?? []
  expect([only?.message, others]).toStrictEqual([expect.stringContaining('the response 200 has no schema.'), []])
})

test('a part of shared parameters or of a method of OpenAPI 3.2', () => {
  const item = {
    parameters: [{ name: 'q', in: 'query', style: 'deepObject', explode: true, schema: { type: 'object' } }],
    additionalOperations: { COPY: { responses: { 200: json() } } },
  }
  const open = routesOf(documentOf({ '/': item }, {}, '3.2.0')).elsewhere()?.open
  expect(open?.map(({ operation }) => operation)).toStrictEqual([{ method: 'COPY', viewName: '/' }, undefined])
})

test('a long list is cut', () => {
  const get = { responses: { 200: json() } }
  const paths = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`/${index}`, { get }]))
  const users = { get: { responses: { 200: json(U) } } }
  const routes = routesOf(documentOf({ ...paths, '/users': users }, { schemas: { User: user } }))
  const [only] = warned(() => versioning({ ...options, routes }))
  expect(only?.message).toMatch(/\n- and 5 more\.$/)
})

test('a whole document warns of nothing', () => {
  const whole = routesOf(responding(U, { User: user }))
  const outer = namedRoutes({ a: '/a' }).describe('GET a', { response: user }).include('/', whole)
  for (const routes of [whole, outer]) expect(warned(() => versioning({ ...options, routes }))).toStrictEqual([])
})

// The option `places` ----------------------------------------------------------------------------------------------

const inline = object({ id: text })
const union = { oneOf: [U, text] }
const issue = object({ label: inline, labels: list(inline), by: union, 'a/b': inline, user: U })
const schemas = { User: user, Label: inline, Issue: issue, Copy: user }
const filter = { style: 'deepObject', explode: true, schema: { properties: { label: inline } } }
const errors = { 'application/a+json': { schema: inline }, 'application/b+json': { schema: union } }
const given = documentOf(
  {
    '/': {
      post: { requestBody: json(inline), responses: { 201: { $ref: '#/components/responses/Made' } } },
      get: {
        parameters: [
          { name: 'filter', in: 'query', ...filter },
          { name: 'x', in: 'query' },
        ],
        responses: { 200: json(ref('Issue')), '4XX': { content: errors } },
      },
    },
  },
  { schemas, responses: { Made: json({ items: inline }) } },
)
const named = { $ref: 'Label' }

test('places of components and of operations, which are copies', () => {
  const places = {
    'Issue#/properties/a~1b': 'Label',
    'Issue#/properties/labels/items': 'Label',
    Copy: 'Label',
    'GET / query#/properties/filter/properties/label': 'Label',
    'GET / 4XX': 'Label',
    'POST / body': 'User',
    'POST / 201#/items': 'Label',
  }
  expect(definitionsOf(given, { places })).toMatchObject({
    Issue: object({ label: inline, 'a/b': named, labels: list(named) }),
    // It has more than a label.
    Copy: user,
  })
  expect(read(given, { places })).toMatchObject({
    query: { properties: { filter: { properties: { label: named } } } },
    response: {
      '4XX': { content: { 'application/a+json': named, 'application/b+json': { oneOf: [{ $ref: 'User' }, text] } } },
    },
  })
  const table = routesOf(given, { places })
  expect(table.toldPlaces().map(({ place, meaning }) => [place, meaning])).toStrictEqual(Object.entries(places))
})

test('null and functions are handed on with the schema that they are about', () => {
  const tell = () => 0
  const places = { Copy: null, 'Issue#/properties/by': tell, 'GET / 4XX': null }
  const table = routesOf(given, { places })
  expect(table.toldPlaces()).toStrictEqual([
    { place: 'Copy', meaning: null, schemas: [user] },
    { place: 'Issue#/properties/by', meaning: tell, schemas: [{ oneOf: [{ $ref: 'User' }, text] }] },
    { place: 'GET / 4XX', meaning: null, schemas: [inline, { oneOf: [{ $ref: 'User' }, text] }] },
  ])
  const outer = namedRoutes({}, { places: { Other: null } }).include('/x', table, { namespace: 'x' })
  const all = ['Other', 'Copy', 'Issue#/properties/by', 'GET x:/ 4XX']
  expect(outer.toldPlaces().map(({ place }) => place)).toStrictEqual(all)
})

const NULL = { type: 'null' }
const nullables = {
  User: user,
  Label: inline,
  Plain: { ...inline, nullable: true },
  Listed: { ...inline, type: ['object', 'null'] },
  Whole: { allOf: [{ properties: { a: inline } }], nullable: true },
  One: { ...union, nullable: true },
  Any: { anyOf: [inline, text], nullable: true },
}

test.each<[place: string, response: unknown, expected: object | undefined, read: object]>([
  ['Plain', 'Label', undefined, { anyOf: [named, NULL] }],
  ['Listed', 'Label', undefined, { anyOf: [named, NULL] }],
  ['Whole#/allOf/0/properties/a', 'Label', named, { anyOf: [{ allOf: [{ properties: { a: named } }] }, NULL] }],
  ['Whole#/anyOf/0/allOf/0/properties/a', 'Label', named, { anyOf: [{ allOf: [{ properties: { a: named } }] }, NULL] }],
  ['Whole#/anyOf/0', null, { allOf: [{ properties: { a: inline } }] }, {}],
  ['Whole', null, { allOf: [{ properties: { a: inline } }] }, {}],
  ['One', () => 0, { oneOf: [{ $ref: 'User' }, text] }, { anyOf: [{ oneOf: [{ $ref: 'User' }, text] }, NULL] }],
  ['Any', () => 0, { anyOf: [inline, text, NULL] }, { anyOf: [inline, text, NULL] }],
  ['Any#/anyOf/0', 'Label', named, { anyOf: [named, text, NULL] }],
])('the place %s may be null, in a document and as it is read', (place, response, schema, expected) => {
  const [name] = place.split('#') as [string]
  const document = responding(ref(name), nullables, '3.0.3')
  const places = { [place]: response as null }
  expect(definitionsOf(document, { places })[name]).toMatchObject(expected)
  const [only] = routesOf(document, { places }).toldPlaces()
  if (typeof response !== 'string') expect(only?.schemas).toStrictEqual([schema])
})

test('a place that nothing reads has no schema', () => {
  const parameters = [{ name: 'q', in: 'query', schema: { ...object({ a: text }), ...union } }]
  const document = documentOf({ '/': { get: { parameters, responses: { 200: json(U) } } } }, { schemas })
  const [only] = routesOf(document, { places: { 'GET / query#/properties/q': () => 0 } }).toldPlaces()
  expect(only?.schemas).toStrictEqual([])
})

test('a responded object is not warned of', () => {
  const bare = responding(ref('Meta'), { Meta: { type: 'object' } })
  expect(routesOf(bare).elsewhere()?.open).toHaveLength(1)
  expect(routesOf(bare, { places: { Meta: null } }).elsewhere()?.open).toStrictEqual([])
})

const NO_PLACE = 'the document has no such place.'
const TAKES = `A place is the name of a component, or an operation with a status, "body" or "query": 'GET /users/{id} 200#/properties/labels/items'.`
const NO_BRANCHES = 'a function tells the branches of "oneOf" or "anyOf", which the schema there does not have.'
const WRONG = rows(`
  // place | meaning | message
  Isue                           | null | ${NO_PLACE} Did you mean "Issue"? ${TAKES}
  GET / 201                      | null | ${NO_PLACE} Did you mean "GET / 200" or "GET / 4XX" or "POST / 201"? ${TAKES}
  GET / body                     | null | ${NO_PLACE} Did you mean "POST / body"?
  GET                            | null | ${NO_PLACE} A place is
  Issue#properties               | null | behind "#" stands a JSON pointer, which begins with "/".
  Issue#/properties/labl         | null | there is no "labl" on the way. Did you mean "label"?
  Issue#/properties/label/type/x | null | there is no "x" on the way.
  Issue#/properties/label/type   | null | there is no schema that is an object.
  Issue#/properties/user/properties | null | there is a reference to "#/components/schemas/User" on the way. Write the place in that component.
  Issue#/properties/label        | () => 0 | ${NO_BRANCHES}
  Issue#/properties/label        | Labl | no component has the name "Labl". Did you mean "Label"?
  GET / query#/properties/filtre | null | the query has no such parameter. Did you mean "filter"? Write "#/properties/<name>".
  GET / query#/properties/x      | null | the query has no such parameter. Did you mean "x"?
  GET / query#/items             | null | the query has no such parameter.
  GET / query#/properties/filter/properties/labl | null | there is no "labl" on the way. Did you mean "label"?
`)
test.each(WRONG)('rejects the place %s as %s: %s', (place = '', meaning = '', says) => {
  const told = { null: null, '() => 0': () => 0 }[meaning]
  const make = () => routesOf(given, { places: { [place]: told === undefined ? meaning : told } })
  expect(make).toThrow(`routesOf(): at "places: ${place}": ${says}`)
})

// Components for one thing, such as what a client sends and what it gets --------------------------------------------

const texts = (...names: string[]) => object(Object.fromEntries(names.map((name) => [name, text])))
const responses = { 200: json(U) }
/** An API of users, with another component in the body of POST. */
const sending = (sent: object, more: object = {}) =>
  documentOf(
    { '/users': { get: { responses }, post: { requestBody: json(ref('Sent')), responses } } },
    { schemas: { User: texts('id', 'given', 'family', 'email', 'role'), Sent: sent, ...more } },
  )
const names = fields({ renamed: { first: 'given', last: 'family' } })
const start = (routes: object, shapes: object = { User: names }) =>
  versioning({
    scheme: HeaderVersioning,
    defaultVersion: 'v2',
    changes: versionHistory('v1').version('v2', change('Names.', shapes as { User: typeof names })),
    routes: routes as ReturnType<typeof namedRoutes>,
  })

const like = texts('given', 'family', 'email', 'role')

test('a component with the properties of a change of another one is a TypeError, with the line to paste', () => {
  const inner = { allOf: [object({ author: ref('Author') })] }
  const both = sending({ ...like, ...inner }, { Author: texts('given', 'family', 'role', 'id') })
  expect(() => start(routesOf(both))).toThrow(
    new TypeError(`versioning(): components have the properties of the shape "User" of the change "Names." too. Tell whether they are copies of it, by { places }; or name them in the same change: in "Sent", in "Author".
Or tell what they are, in the options of the table:
places: {
  "Sent": "User" /* null: it is another thing */,
  "Author": "User" /* null: it is another thing */,
}`),
  )
})

// Others are the properties of the shape that the change did not bring: id, email and role.
test.each<[title: string, given: object, shapes?: object, options?: object]>([
  ['that the same change names', sending(like), { User: names, Sent: names }],
  ['that is another thing', sending(like), { User: names }, { places: { Sent: null } }],
  ['in a body without any property that the change brought', sending(texts('id', 'email', 'role'))],
  ['that no operation has', sending(texts('id'), { Unused: like })],
])('a component %s passes', (_, given, shapes = undefined, options = undefined) => {
  expect(() => start(routesOf(given, options), shapes)).not.toThrow()
})

/** The properties of the body of an operation that responds with users: those of a DTO that Nest teams derive of one class. */
test.each([
  ['PickType', texts('given', 'email')],
  ['PickType of one name', texts('family')],
  ['PickType with more', texts('given', 'password', 'terms', 'captcha')],
  ['a list', { type: 'array', items: texts('given') }],
  ['an envelope', object({ user: texts('given') })],
  ['IntersectionType', { allOf: [texts('password'), texts('given')] }],
  ['a reference to a part', { $ref: '#/components/schemas/Sent/$defs/Part', $defs: { Part: texts('given') } }],
])('a body by %s is a suspect, and its line starts', (_, sent) => {
  const document = sending(sent)
  const told = toldBy(() => start(routesOf(document)))
  expect(told).toMatchObject({ message: expect.stringContaining('what older clients send there would be lost') })
  expect(Object.values(told.places)).toEqual(['User'])
  expect(() => start(routesOf(document, { places: told.places }))).not.toThrow()
})

test('a described schema with a name of its own passes', () => {
  const response = { $id: 'User', ...texts('id', 'given', 'family', 'email', 'role') }
  const routes = namedRoutes({ users: '/users' }).describe('POST users', { body: { $id: 'Sent', ...like }, response })
  routes.route('users').post(() => undefined)
  expect(() => start(routes)).not.toThrow()
})

test('a copy that looks like two shapes has one line to paste, and the other meaning beside it', () => {
  const whole = texts('given', 'family', 'email', 'role')
  const copy = json(texts('given', 'family', 'email', 'age'))
  const persons = sending(texts('id'), { Person: whole }) as { paths: object }
  const paths = { ...persons.paths, '/copy': { get: { responses: { 200: copy } } }, '/person': { get: { responses } } }
  const routes = routesOf({ ...persons, paths } as never)
  const places = '"GET /copy 200": "User" /* null: it is another thing */,\n  // or "GET /copy 200": "Person"'
  expect(() => start(routes, { User: names, Person: names })).toThrow(places)
})

test('a step of the operation converts a parameter that is one string', () => {
  const parameters = [{ name: 'f', in: 'query', explode: false, schema: U }]
  const described = documentOf(
    { '/a': { get: { parameters, responses: { 204: { description: '' } } } } },
    { schemas: { User: user } },
  )
  const step = (query: object) => ({ f: Object(query).f.replace('email', 'mail') })
  const changes = versionHistory('1').version(
    '2',
    change('`mail` was `email`.', {
      User: fields({ renamed: { email: 'mail' } }),
      'GET /a': { query: step, older: { query: { type: 'object', properties: { f: text } } } },
    } as never),
  )
  const options = { scheme: HeaderVersioning, defaultVersion: '2', changes, routes: routesOf(described) }
  const app = appOf((one) => void one.use(versioning(options), convertRequest))
  const { req } = dispatch(app, { url: '/a?f=email,Ada', headers: { 'x-api-version': '1' } })
  expect(req.query).toEqual({ f: 'mail,Ada' })
})

test.each([{ explode: false, schema: U }, json(U)])(
  'a parameter that stays as it is sent has the schema of today in all documents: %j',
  (parameter) => {
    const f = { name: 'f', in: 'query', ...parameter }
    // Another parameter has the same object as its schema, and is converted.
    const g = { name: 'g', in: 'query', style: 'deepObject', schema: U }
    const described = documentOf(
      { '/a': { get: { parameters: [f, g], responses: { 200: json(U) } } } },
      { schemas: { User: user } },
    )
    const routes = routesOf(described, { places: { 'GET /a query#/properties/f': null } })
    const [older, newest] = ['1', '2'].map((version) =>
      JSON.stringify(openapi({ ...options, routes }).document(version)),
    )
    expect(newest).toContain(JSON.stringify(f))
    expect(older).toContain(JSON.stringify(f).replace('schemas/User', 'schemas/User-2'))
    expect(older).toContain(JSON.stringify(g))
    expect(older).toContain(JSON.stringify({ 'User-2': user }).slice(1, -1))
    // The response has the same object, and is converted.
    expect(older).toContain(JSON.stringify({ responses: { 200: json(U) } }).slice(1, -1))
  },
)

test.each<[what: string, place: string, schema: object, isChanged: boolean]>([
  ['a reference', 'GET /a 200', U, true],
  ['a list', 'GET /a 200', list(list(U)), true],
  ['the items of a list', 'GET /a 200#/items', list(U), true],
  ['a reference by another name', 'GET /a 200', ref('Same'), true],
  ['a described reference', 'GET /a 200#/properties/u', object({ u: { allOf: [U], description: 'x' } }), true],
  ['a list that leads to itself', 'GET /a 200', ref('Tree'), false],
  ['an object with a reference in it', 'GET /a 200', object({ u: U }), false],
  ['a reference to what does not change', 'GET /a 200', ref('Other'), false],
  ['a value', 'GET /a 200', text, false],
])('null at a place of a changed shape is a TypeError: %s', (_, place, schema, isChanged) => {
  const Tree = list(ref('Tree'))
  const schemas = { User: user, Same: U, Other: object({ x: text }), Tree }
  const paths = { '/a': { get: { responses: { 200: json(schema) } } }, '/b': { get: { responses: { 200: json(U) } } } }
  const routes = routesOf(documentOf(paths, { schemas }), { places: { [place]: null } })
  const told = `versioning(): option "places" has null at "${place}", but the schema there is "User" itself, or a list of it, which changes. Leave the line out; or, if it is another thing, give it a schema of its own.`
  expect(toldBy(() => versioning({ ...options, routes })).message).toBe(isChanged ? told : 'starts')
})

test('a component that has its own change of the same properties is no copy, and the line says so', () => {
  const schemas = { User: user, Bot: object({ id: text, mail: text, model: text }) }
  const document = documentOf(
    { '/a': { get: { responses: { 200: json(object({ u: U, b: ref('Bot') })) } } } },
    { schemas },
  )
  const history = versionHistory('1')
    .version('2', renaming('Bot', 'address', 'mail'))
    .version('3', renaming('User', 'email', 'mail'))
  const start = (places: object) => {
    versioning({
      scheme: HeaderVersioning,
      defaultVersion: '3',
      changes: history,
      routes: routesOf(document, { places } as never),
    } as never)
  }
  const line = '"Bot": null /* if it is one, change "Bot" beside "User" in the same change */,'
  const { message, places } = toldBy(() => start({}))
  expect(message).toContain(line)
  expect(toldBy(() => start(places)).message).toBe('starts')
})
