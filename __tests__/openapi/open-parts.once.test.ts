// What a document leaves open: the warning, and the option `places`.
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { change, fields, type VersionHistory, versionHistory } from 'express-versioning/changes'
import { openapi, routesOf } from 'express-versioning/openapi'
import { definitionsOf, documentOf, read, responding } from '../support/documents'

const text = { type: 'string' }
const user = { type: 'object', properties: { id: text, mail: text }, required: ['id'] }
const U = { $ref: '#/components/schemas/User' }
const json = (schema?: unknown) => ({ content: { 'application/json': schema === undefined ? {} : { schema } } })
const renamed = change('x', { User: fields({ renamed: { email: 'mail' } }) })
const history = versionHistory('1').version('2', renamed) as VersionHistory
const options = { scheme: HeaderVersioning, defaultVersion: '2', changes: history }

// The warning ------------------------------------------------------------------------------------------------------

const document = documentOf(
  {
    '/users': {
      get: { responses: { 200: json(U) } },
      post: { requestBody: json(), responses: { 201: { description: '' }, 400: json({}) } },
      put: {
        requestBody: json(true),
        responses: { 200: json(), 202: { description: 'Accepted.' }, 204: { description: '' } },
      },
      patch: { requestBody: json({ $ref: '#/components/schemas/Patch' }) },
      delete: { responses: { 204: { description: '' }, '4XX': { $ref: '#/components/responses/Any' } } },
    },
    '/health': { get: { responses: { 200: json() } } },
  },
  {
    schemas: {
      User: user,
      Patch: { type: 'object', properties: { meta: { $ref: '#/components/schemas/Meta' } } },
      Meta: { type: 'object', description: 'x' },
      Unused: { type: 'object' },
    },
    responses: { Any: json(), Unused: json() },
  },
)

const NEST = (name: string, place: string) => `In Nest: @${name}({ type: ... }). In YAML: "schema" at "${place}".`
const JSON_IN = '/content/application~1json/schema'
const at = (pointer: string, says: string) => `at "${pointer}", ${says}`
const without = (pointer: string, status: string, decorator: string) =>
  at(
    pointer + JSON_IN,
    `the response ${status} has no schema. ${decorator.includes('status') ? `In Nest: @ApiResponse(${decorator}). In YAML: "schema" at "${pointer}${JSON_IN}".` : NEST(decorator, pointer + JSON_IN)}`,
  )
const P = '/paths/~1users'

test('the table tells the parts that say too little, with the decorator of Nest and the line of YAML', () => {
  const body = (method: string) =>
    at(
      `${P}/${method}/requestBody${JSON_IN}`,
      `the body has no schema. ${NEST('ApiBody', `${P}/${method}/requestBody${JSON_IN}`)}`,
    )
  const open = routesOf(document).elsewhere()?.open ?? []
  expect(open.map(({ message }) => message).toSorted()).toStrictEqual(
    [
      body('post'),
      at(
        `${P}/post/responses/201`,
        `the response 201 has no content. ${NEST('ApiCreatedResponse', `${P}/post/responses/201${JSON_IN}`)}`,
      ),
      without(`${P}/post/responses/400`, '400', "{ status: '400', type: ... }"),
      body('put'),
      without(`${P}/put/responses/200`, '200', 'ApiOkResponse'),
      at(`${P}/patch`, `it has no "responses". ${NEST('ApiOkResponse', `${P}/patch/responses/200${JSON_IN}`)}`),
      without('/components/responses/Any', '4XX', "{ status: '4XX', type: ... }"),
      without('/paths/~1health/get/responses/200', '200', 'ApiOkResponse'),
      at(
        '/components/schemas/Meta',
        'an object has no properties. In Nest: @ApiProperty({ type: ... }) or @ApiOkResponse({ type: ... }). In YAML: "properties" at "/components/schemas/Meta/properties".',
      ),
    ].toSorted(),
  )
  expect(open.find(({ message }) => message.includes('health'))?.operation).toStrictEqual({
    method: 'GET',
    viewName: '/health',
  })
  expect(open.find(({ message }) => message.includes('components'))?.operation).toBeUndefined()
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

test('they are one warning at the start, once for each table, where the history has shapes', () => {
  const routes = routesOf(document)
  const steps = versionHistory('1').version('2', change('x', { 'GET /users': { response: () => ({}) } }))
  expect(warned(() => versioning({ ...options, changes: steps as VersionHistory, routes }))).toStrictEqual([])
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

test('a part of shared parameters or of a method of OpenAPI 3.2', () => {
  const bare = { schema: { type: 'object' } }
  const item = {
    parameters: [{ name: 'q', in: 'query', style: 'deepObject', explode: true, ...bare }],
    additionalOperations: { COPY: { responses: { 200: json() } } },
  }
  const open = routesOf(documentOf({ '/': item }, {}, '3.2.0')).elsewhere()?.open
  expect(open?.map(({ operation }) => operation)).toStrictEqual([{ method: 'COPY', viewName: '/' }, undefined])
})

test('a long list is cut', () => {
  const paths = Object.fromEntries(
    Array.from({ length: 25 }, (_, index) => [`/${index}`, { get: { responses: { 200: json() } } }]),
  )
  const routes = routesOf(
    documentOf({ ...paths, '/users': { get: { responses: { 200: json(U) } } } }, { schemas: { User: user } }),
  )
  const [only] = warned(() => versioning({ ...options, routes }))
  expect(only?.message).toMatch(/\n- and 5 more\.$/)
})

test('a whole document warns of nothing', () => {
  const routes = routesOf(responding(U, { User: user }))
  expect(warned(() => versioning({ ...options, routes }))).toStrictEqual([])
  expect(
    warned(() =>
      versioning({
        ...options,
        routes: namedRoutes({ a: '/a' }).describe('GET a', { response: user }).include('/', routes),
      }),
    ),
  ).toStrictEqual([])
})

// The option `places` ----------------------------------------------------------------------------------------------

const inline = { type: 'object', properties: { id: text } }
const union = { oneOf: [U, text] }
const issue = {
  type: 'object',
  properties: { label: inline, labels: { type: 'array', items: inline }, by: union, 'a/b': inline, user: U },
}
const schemas = { User: user, Label: inline, Issue: issue, Copy: user }
const I = { $ref: '#/components/schemas/Issue' }
const given = documentOf(
  {
    '/': {
      post: { requestBody: json(inline), responses: { 201: { $ref: '#/components/responses/Made' } } },
      get: {
        parameters: [
          {
            name: 'filter',
            in: 'query',
            style: 'deepObject',
            explode: true,
            schema: { properties: { label: inline } },
          },
          { name: 'x', in: 'query' },
        ],
        responses: {
          200: json(I),
          '4XX': { content: { 'application/a+json': { schema: inline }, 'application/b+json': { schema: union } } },
        },
      },
    },
  },
  { schemas, responses: { Made: json({ items: inline }) } },
)
const named = { $ref: 'Label' }

test.each<[place: string, expected: object]>([
  ['Issue#/properties/label', { properties: { label: named } }],
  ['Issue#/properties/labels/items', { properties: { labels: { items: named } } }],
  ['Issue#/properties/a~1b', { properties: { 'a/b': named } }],
  ['Copy', named],
])('the name of a shape at %s', (place, expected) => {
  const [name] = place.split('#') as [string]
  expect(definitionsOf(given, { places: { [place]: 'Label' } })[name]).toMatchObject(expected)
})

test('places of operations', () => {
  const places = {
    'GET / query#/properties/filter/properties/label': 'Label',
    'GET / 4XX': 'Label',
    'POST / body': 'User',
    'POST / 201#/items': 'Label',
  }
  expect(read(given, { places })).toMatchObject({
    query: { properties: { filter: { properties: { label: named } } } },
    response: { '4XX': { content: { 'application/a+json': named, 'application/b+json': named } } },
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
  expect(outer.toldPlaces().map(({ place }) => place)).toStrictEqual([
    'Other',
    'Copy',
    'Issue#/properties/by',
    'GET x:/ 4XX',
  ])
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
  const document = responding({ $ref: `#/components/schemas/${name}` }, nullables, '3.0.3')
  const places = { [place]: response as null }
  expect(definitionsOf(document, { places })[name]).toMatchObject(expected)
  const [only] = routesOf(document, { places }).toldPlaces()
  if (typeof response !== 'string') expect(only?.schemas).toStrictEqual([schema])
})

test('a place that nothing reads has no schema', () => {
  const parameters = [{ name: 'q', in: 'query', explode: false, schema: { type: 'array', items: union } }]
  const document = documentOf({ '/': { get: { parameters, responses: { 200: json(U) } } } }, { schemas })
  const [only] = routesOf(document, { places: { 'GET / query#/properties/q/items': () => 0 } }).toldPlaces()
  expect(only?.schemas).toStrictEqual([])
})

test('a responded object is not warned of', () => {
  const bare = responding({ $ref: '#/components/schemas/Meta' }, { Meta: { type: 'object' } })
  expect(routesOf(bare).elsewhere()?.open).toHaveLength(1)
  expect(routesOf(bare, { places: { Meta: null } }).elsewhere()?.open).toStrictEqual([])
})

const LIKE =
  'A place is the name of a component, or an operation with a status, "body" or "query": \'GET /users/{id} 200#/properties/labels/items\'.'

test.each<[place: string, response: unknown, says: string]>([
  ['Isue', null, `the document has no such place. Did you mean "Issue"? ${LIKE}`],
  [
    'GET / 201',
    null,
    `the document has no such place. Did you mean "GET / 200" or "GET / 4XX" or "POST / 201"? ${LIKE}`,
  ],
  ['GET / body', null, 'the document has no such place. Did you mean "POST / body"?'],
  ['GET', null, 'the document has no such place. A place is'],
  ['Issue#properties', null, 'behind "#" stands a JSON pointer, which begins with "/".'],
  ['Issue#/properties/labl', null, 'there is no "labl" on the way. Did you mean "label"?'],
  ['Issue#/properties/label/type/x', null, 'there is no "x" on the way.'],
  ['Issue#/properties/label/type', null, 'there is no schema that is an object.'],
  [
    'Issue#/properties/user/properties',
    null,
    'there is a reference to "#/components/schemas/User" on the way. Write the place in that component.',
  ],
  [
    'Issue#/properties/label',
    () => 0,
    'a function tells the branches of "oneOf" or "anyOf", which the schema there does not have.',
  ],
  ['Issue#/properties/label', 'Labl', 'no component has the name "Labl". Did you mean "Label"?'],
  [
    'GET / query#/properties/filtre',
    null,
    'the query has no such parameter. Did you mean "filter"? Write "#/properties/<name>".',
  ],
  ['GET / query#/properties/x', null, 'the query has no such parameter. Did you mean "x"?'],
  ['GET / query#/items', null, 'the query has no such parameter.'],
  ['GET / query#/properties/filter/properties/labl', null, 'there is no "labl" on the way. Did you mean "label"?'],
])('rejects the place %s', (place, response, says) => {
  expect(() => routesOf(given, { places: { [place]: response as null } })).toThrow(
    `routesOf(): at "places: ${place}": ${says}`,
  )
})
