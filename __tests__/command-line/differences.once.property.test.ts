import fc from 'fast-check'
import { differencesOf } from '../../src/openapi/meaning/documents'
import { CARRIER_WORDS } from '../../src/openapi/operation'
import { PROBLEM } from '../../src/openapi/responses'
import { property } from '../support/property'

// Documents with schemas that refer to each other, and the same ones as another person would write them.

type Json = Record<string, unknown>
const { constantFrom, record, integer } = fc

const NAMES = ['A', 'B', 'C', 'D']
const WORDS = ['title', 'description', 'required', 'enum', 'type', 'id', '$ref']
const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const { schema } = fc.letrec<{ schema: Json }>((tie) => {
  const inner = tie('schema')
  const properties = fc.dictionary(constantFrom(...WORDS), inner, { maxKeys: 3 })
  const object = fc.tuple(properties, integer({ min: 0, max: 3 })).map(([properties, count]) => ({
    type: 'object',
    properties,
    required: Object.keys(properties).slice(0, count),
  }))
  return {
    schema: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      constantFrom(...NAMES).map(refTo),
      record({ type: constantFrom('string', 'number', 'boolean') }),
      record({
        enum: fc.uniqueArray(
          fc.oneof(integer(), fc.constant(null), constantFrom('a', 'b'), fc.constant({ title: 'x' })),
          { selector: (value) => JSON.stringify(value) },
        ),
      }),
      object,
      record({ type: fc.constant('array'), items: inner }),
      record({
        type: fc.constant('array'),
        prefixItems: fc.array(inner, { minLength: 1, maxLength: 2 }),
        items: fc.boolean(),
      }),
      record({ anyOf: fc.array(inner, { minLength: 1, maxLength: 3 }) }),
      record({
        additionalProperties: fc.oneof(inner, fc.constant(true)),
        type: fc.constantFrom('object', ['object', 'null']),
      }),
    ),
  }
})
// A name that only refers to itself says nothing.
const component = schema.filter((one) => !('$ref' in one))
const description = record({
  schemas: fc.tuple(component, component, component, component),
  body: schema,
  response: schema,
  query: schema,
  item: schema,
})

const json = (schema: unknown) => ({ content: { 'application/json': { schema } } })
/** Makes a document of one operation, and of a webhook with the items of its stream. */
const documentOf = (schemas: Json, body: unknown, response: unknown, query: unknown, itemSchema: unknown): Json => ({
  openapi: '3.1.1',
  info: { title: 'T', version: 'v1' },
  paths: {
    '/x': {
      post: {
        operationId: 'x',
        tags: ['a', 'b'],
        parameters: [
          { name: 'q', in: 'query', required: false, schema: query },
          {
            name: 'V',
            in: 'header',
            required: false,
            description: CARRIER_WORDS,
            schema: { type: 'string', enum: ['v1'] },
          },
        ],
        requestBody: json(body),
        responses: {
          200: { description: 'OK', ...json(response) },
          206: { description: 'Some', content: { 'application/jsonl': { itemSchema } } },
        },
      },
    },
  },
  webhooks: { told: { post: { requestBody: json(itemSchema) } } },
  components: { schemas },
})

/** Chooses by a list of numbers, which shrink. */
const chooser = (numbers: readonly number[]) => {
  let at = 0
  return (count: number) => (numbers[at++ % numbers.length] as number) % count
}

/** Rewrites a document without a change of its meaning: other names, order, strings, and places of schemas. */
function rewritten(document: Json, choose: (count: number) => number): Json {
  const { schemas } = document.components as { schemas: Json }
  // Names may move to other schemas.
  const shift = choose(4)
  const renamed = new Map(NAMES.map((name, at) => [name, choose(3) === 0 ? `Other${name}` : NAMES[(at + shift) % 4]]))
  const added: Json = {}
  const shuffled = (list: readonly unknown[]) => {
    const rest = [...list]
    return list.map(() => rest.splice(choose(rest.length), 1)[0])
  }
  const mixed = (entries: [string, unknown][]) => Object.fromEntries(shuffled(entries) as [string, unknown][])
  const schemaOf = (given: unknown, depth = 0): unknown => {
    if (typeof given !== 'object' || given === null) return given
    const { $ref, ...all } = given as Json
    if (typeof $ref === 'string') {
      const name = $ref.split('/').at(-1) as string
      // A name may be taken away, as far as a recursive schema allows.
      if (depth < 3 && choose(4) === 0) return schemaOf(schemas[name], depth + 1)
      return refTo(renamed.get(name) as string)
    }
    const told = Object.entries(all).map(([key, value]): [string, unknown] => {
      if (key === 'properties')
        return [key, mixed(Object.entries(value as Json).map(([name, one]) => [name, schemaOf(one, depth)]))]
      if (key === 'items' || key === 'additionalProperties') return [key, schemaOf(value, depth)]
      if (key === 'prefixItems') return [key, (value as unknown[]).map((one) => schemaOf(one, depth))]
      if (key === 'anyOf') return [key, shuffled((value as unknown[]).map((one) => schemaOf(one, depth)))]
      return [key, Array.isArray(value) ? shuffled(value) : value]
    })
    const made = mixed([
      ...told,
      ...(choose(3) === 0
        ? [
            ['description', 'Text.'],
            ['examples', [choose(9)]],
            ['deprecated', true],
          ]
        : []),
    ] as [string, unknown][])
    if (choose(4) !== 0) return made
    const name = `New${Object.keys(added).length}`
    added[name] = made
    return refTo(name)
  }
  const own = Object.entries(schemas).map(([name, one]): [string, unknown] => [
    renamed.get(name) as string,
    schemaOf(one, 1),
  ])
  const post = (document.paths as Record<string, { post: Json }>)['/x']?.post as Json
  const [query, version] = post.parameters as Json[]
  const at = (holder: unknown) => (holder as ReturnType<typeof json>).content['application/json'].schema
  const made = documentOf(
    {},
    schemaOf(at(post.requestBody)),
    schemaOf(at((post.responses as Json)[200])),
    schemaOf(query?.schema),
    schemaOf(at((document.webhooks as Record<string, { post: Json }>).told?.post.requestBody)),
  )
  const operation = (made.paths as Record<string, { post: Json }>)['/x']?.post as Json
  const parameters = shuffled([
    { ...(operation.parameters as Json[])[0], deprecated: true },
    { ...version, required: choose(2) === 0 },
  ])
  Object.assign(operation, {
    tags: shuffled(post.tags as string[]),
    parameters,
    summary: 'S',
    deprecated: true,
    'x-sunset': '2030-01-01',
  })
  return {
    ...made,
    info: { title: 'Other', description: 'D', version: 'v1' },
    components: { schemas: mixed([...own, ...Object.entries(added)]) },
  }
}

const made = ({ schemas, body, response, query, item }: Record<string, Json> & { schemas: Json[] }) =>
  documentOf(Object.fromEntries(NAMES.map((name, at) => [name, schemas[at]])), body, response, query, item)
const numbers = fc.array(integer({ min: 0, max: 60 }), { minLength: 20, maxLength: 60 })

property(
  'other names, order, strings and places of schemas are no change',
  fc.property(description, numbers, (given, choices) => {
    const document = made(given as never)
    const other = rewritten(document, chooser(choices))
    expect(differencesOf(document, other)).toEqual([])
    expect(differencesOf(other, document)).toEqual([])
  }),
)

// Each case edits a document of a user and a tree, and names what has changed then.
const HEADERS = () => ({ title: { schema: { type: 'string' } }, schema: { schema: { type: 'string' } } })
const SHOP = () => ({
  openapi: '3.1.1',
  info: { title: 'Shop', description: 'All of it.', version: 'v1' },
  servers: [{ url: '/api', description: 'Here.' }],
  security: [{ key: ['read', 'write'] }],
  paths: {
    '/users': {
      summary: 'Users',
      get: {
        operationId: 'list',
        security: [{ title: [] }],
        tags: ['users', 'people'],
        parameters: [
          {
            name: 'V',
            in: 'header',
            required: false,
            description: CARRIER_WORDS,
            schema: { type: 'string', enum: ['v1'] },
          },
          { $ref: '#/components/parameters/page' },
        ],
        responses: {
          200: {
            description: 'OK',
            headers: HEADERS(),
            ...json({ type: 'array', items: refTo('User') }),
          },
        },
      } as Json,
      put: {
        operationId: 'change',
        parameters: [{ name: 'only', in: 'query', schema: { type: 'string', enum: ['v1'] } }],
        requestBody: json(refTo('User')),
        responses: { 200: json({ oneOf: [refTo('User'), refTo('Tree')] }), 204: { description: 'None.' } },
      } as Json,
    },
  } as Record<string, Json>,
  components: {
    schemas: {
      User: {
        title: 'A user',
        type: ['object', 'null'],
        properties: {
          title: { type: 'string', default: 'x', examples: ['y'] },
          tree: refTo('Tree'),
          kind: { enum: ['a', { title: 'b' }] },
        },
        required: ['title', 'kind'],
        additionalProperties: { type: 'string' },
      } as Json,
      Tree: {
        type: 'object',
        default: { a: 1 },
        properties: { kids: { type: 'array', items: refTo('Tree') }, of: true },
      } as Json,
      Lost: { $ref: '#/components/schemas/Lost' } as Json,
    } as Record<string, Json>,
    parameters: {
      page: { name: 'page', in: 'query', description: 'The page.', schema: { type: 'integer', minimum: 1 } } as Json,
    },
    examples: { one: { value: 1 } } as Json,
  },
})
type Shop = ReturnType<typeof SHOP>
const problem = { 'application/problem+json': { schema: PROBLEM } }
const at = '/responses/200/content/application/json/schema'
const operations = ({ paths }: Shop) => paths['/users'] as { get: Json; put: Json }
const headersOf = (shop: Shop) =>
  (operations(shop).get.responses as Record<string, { headers: Record<string, Json> }>)[200]?.headers as Record<
    string,
    Json
  >
const edit = (change: (shop: Shop) => unknown) => change
const user = (more: Json) => edit(({ components: { schemas } }) => Object.assign(schemas.User as Json, more))
const getting = (more: Json) => edit((shop) => Object.assign(operations(shop).get, more))
const responding = (schema: unknown) => getting({ responses: { 200: { headers: HEADERS(), ...json(schema) } } })
const puts = (more: Json) => edit((shop) => Object.assign(operations(shop).put.responses as Json, more))
test.each<[what: string, change: (shop: Shop) => unknown, ...changed: string[]]>([
  // No change.
  ['strings', user({ title: 'Other', description: 'D', examples: [1], deprecated: true, $comment: 'C' })],
  [
    'the strings of a path, a response and a server',
    edit(
      (shop) =>
        Object.assign(shop, { servers: [{ url: '/api' }] }) &&
        Object.assign(shop.paths['/users'] as Json, { summary: 'S', description: 'D' }),
    ),
  ],
  ['dates', getting({ deprecated: true, 'x-sunset': '2030-01-01', description: 'Sunset.' })],
  [
    'the strings of the API',
    edit((shop) => Object.assign(shop.info, { title: 'T', description: 'Changes', summary: 'S' })),
  ],
  ['examples', edit((shop) => Object.assign(shop.components, { examples: {} }))],
  [
    'a version that is no longer the default',
    edit((shop) => {
      const [version] = operations(shop).get.parameters as Json[]
      Object.assign(version as Json, { required: true })
    }),
  ],
  ['the rejection of a body', puts({ 400: { description: 'Rejected.', content: problem } })],
  [
    'a rule of responses alone',
    responding({
      type: 'array',
      items: { $ref: '#/components/schemas/User', description: 'A user' },
      additionalProperties: false,
    }),
  ],
  ['an inlined schema', edit((shop) => responding({ type: ['array'], items: shop.components.schemas.User })(shop))],
  [
    'a schema that nothing refers to',
    edit((shop) => Object.assign(shop.components.schemas, { Other: { type: 'string' } })),
  ],
  [
    'a component that nothing refers to',
    edit((shop) => Object.assign(shop.components.parameters, { limit: { name: 'limit', in: 'query' } })),
  ],
  [
    'a path with a name',
    edit((shop) => {
      Object.assign(shop.components, { pathItems: { Users: shop.paths['/users'] } })
      shop.paths = { '/users': { $ref: '#/components/pathItems/Users', summary: 'Users' } }
    }),
  ],
  ['another order of branches', puts({ 200: json({ oneOf: [refTo('Tree'), refTo('User')] }) })],
  [
    'another order of tags and parameters',
    edit((shop) => {
      const { get } = operations(shop)
      get.tags = ['people', 'users']
      ;(get.parameters as Json[]).reverse()
    }),
  ],
  [
    'a parameter, a header and a body that need not be there, and say so',
    edit((shop) => {
      Object.assign(shop.components.parameters.page, { required: false })
      Object.assign(operations(shop).put.requestBody as Json, { required: false })
      Object.assign(headersOf(shop).title as Json, { required: false })
    }),
  ],
  [
    'a version that is gone',
    edit((shop) => {
      shop.paths = { '/users': { get: { deprecated: true, responses: { 410: { description: 'Gone.' } } } } }
      Object.assign(shop, { 'x-gone': true, security: undefined })
    }),
  ],
  // Changes.
  [
    'what a version that is gone still serves',
    edit((shop) => {
      operations(shop).get.responses = { 410: { description: 'Gone.' } }
      Object.assign(operations(shop).put, { requestBody: json({ type: 'string' }) })
      Object.assign(shop, { 'x-gone': true })
    }),
    'PUT /users has changed at /requestBody/content/application/json/schema/type',
  ],
  [
    'an operation that is always gone, and another one',
    edit((shop) => {
      operations(shop).get.responses = { 410: { description: 'Gone.' } }
      Object.assign(operations(shop).put, { requestBody: json({ type: 'string' }) })
    }),
    'GET /users has changed at /responses/200',
    'PUT /users has changed at /requestBody/content/application/json/schema/type',
  ],
  [
    'the type of a header that is called `schema`',
    edit((shop) => Object.assign(headersOf(shop).schema?.schema as Json, { type: 'integer' })),
    'GET /users has changed at /responses/200/headers/schema/schema/type',
  ],
  ...['title', 'description', 'schema', 'enum', 'required'].map((name): [string, (shop: Shop) => unknown, string] => [
    `a security scheme that is called \`${name}\``,
    edit((shop) => Object.assign(shop, { security: [{ key: ['read', 'write'], [name]: [] }] })),
    `security has changed at /0/${name}`,
  ]),
  [
    'the security of an operation',
    edit((shop) => {
      operations(shop).get.security = [{ description: [] }]
    }),
    'GET /users has changed at /security/0/title',
  ],
  [
    "a required parameter whose only value is the version's name",
    edit((shop) => Object.assign((operations(shop).put.parameters as Json[])[0] as Json, { required: true })),
    'PUT /users has changed at /parameters/query only/required',
  ],
  ['a type', user({ type: 'object' }), 'User has changed at /type'],
  ['a required property', user({ required: ['title'] }), 'User has changed at /required'],
  [
    'a property that is called as a string is',
    user({ properties: { tree: refTo('Tree'), kind: { enum: ['a', { title: 'b' }] } } }),
    'User has changed at /properties/title',
  ],
  [
    'a value that has such a property',
    user({
      properties: {
        title: { type: 'string', default: 'x' },
        tree: refTo('Tree'),
        kind: { enum: ['a', { title: 'c' }] },
      },
    }),
    'User has changed at /properties/kind/enum',
  ],
  [
    'a default',
    user({
      properties: {
        title: { type: 'string', default: 'z' },
        tree: refTo('Tree'),
        kind: { enum: ['a', { title: 'b' }] },
      },
    }),
    'User has changed at /properties/title/default',
  ],
  ['a rule of requests', user({ additionalProperties: false }), 'User has changed at /additionalProperties'],
  [
    'a recursive schema',
    edit(({ components: { schemas } }) =>
      Object.assign(schemas.Tree as Json, { properties: { kids: { type: 'array', items: refTo('User') }, of: true } }),
    ),
    'Tree has changed at /properties/kids/items/type',
  ],
  [
    'a schema for a rule',
    edit(({ components: { schemas } }) =>
      Object.assign(schemas.Tree as Json, { properties: { kids: { type: 'array', items: refTo('Tree') }, of: {} } }),
    ),
    'Tree has changed at /properties/of',
  ],
  [
    'another name for another schema',
    responding({ type: 'array', items: refTo('Tree') }),
    `GET /users has changed at ${at}/items/type`,
  ],
  [
    'a reference that leads nowhere',
    responding({ type: 'array', items: refTo('Nobody') }),
    `GET /users has changed at ${at}/items/type`,
  ],
  [
    'a reference into a string',
    responding({ type: 'array', items: { $ref: '#/info/title/x' } }),
    `GET /users has changed at ${at}/items/type`,
  ],
  [
    'a recursive schema of another name',
    edit(({ components: { schemas } }) => {
      const properties = { kids: { type: 'array', items: refTo('Wood') }, of: {} }
      schemas.Wood = { type: 'object', default: { a: 1 }, properties }
      Object.assign(schemas.User?.properties as Json, { tree: refTo('Wood') })
    }),
    'User has changed at /properties/tree/properties/of',
  ],
  [
    'a default with more',
    edit(({ components: { schemas } }) => Object.assign(schemas.Tree as Json, { default: { a: 1, b: 2 } })),
    'Tree has changed at /default/b',
  ],
  [
    'a default of another kind',
    edit(({ components: { schemas } }) => Object.assign(schemas.Tree as Json, { default: [] })),
    'Tree has changed at /default',
  ],
  [
    'a reference to itself',
    responding({ type: 'array', items: refTo('Lost') }),
    `GET /users has changed at ${at}/items/type`,
  ],
  [
    'a schema elsewhere',
    responding({ type: 'array', items: { $ref: 'https://example.com/User' } }),
    `GET /users has changed at ${at}/items/type`,
  ],
  [
    'a rule beside a reference',
    responding({ type: 'array', items: { ...refTo('User'), minProperties: 1 } }),
    `GET /users has changed at ${at}/items/type`,
  ],
  [
    'one branch more',
    puts({ 200: json({ oneOf: [refTo('User'), refTo('Tree'), { type: 'null' }] }) }),
    `PUT /users has changed at ${at}/oneOf/2`,
  ],
  ['a union that is none', puts({ 200: json({ oneOf: 'none' }) }), `PUT /users has changed at ${at}/oneOf`],
  ['no schema', puts({ 200: json(undefined) }), `PUT /users has changed at ${at}`],
  [
    'a header that is called as a string is',
    getting({ responses: { 200: json({ type: 'array', items: refTo('User') }) } }),
    'GET /users has changed at /responses/200/headers',
  ],
  ['a response', puts({ 204: undefined, 202: { description: 'Later.' } }), 'PUT /users has changed at /responses/204'],
  [
    'another rejection',
    puts({ 400: { content: { 'application/problem+json': { schema: { type: 'object' } } } } }),
    'PUT /users has changed at /responses/400',
  ],
  ['a tag', getting({ tags: ['users'] }), 'GET /users has changed at /tags'],
  [
    'a parameter',
    edit((shop) => Object.assign(shop.components.parameters.page, { required: true })),
    'GET /users has changed at /parameters/query page/required',
  ],
  [
    'its schema',
    edit((shop) => Object.assign(shop.components.parameters.page, { schema: { type: 'integer' } })),
    'GET /users has changed at /parameters/query page/schema/minimum',
  ],
  [
    'security',
    edit((shop) => Object.assign(shop, { security: [{ key: ['read'] }] })),
    'security has changed at /0/key',
  ],
  [
    'an operation, and a whole path',
    edit((shop) => {
      shop.paths = { '/users': { get: operations(shop).get }, '/x': { get: {} } }
    }),
    'PUT /users was removed',
    'GET /x is new',
  ],
])('%s', (_what, change, ...changed) => {
  const other = SHOP()
  change(other)
  expect(differencesOf(SHOP(), JSON.parse(JSON.stringify(other)))).toEqual(changed)
  // The end of a version is no change, its return is one.
  const back = differencesOf(JSON.parse(JSON.stringify(other)), SHOP())
  if ('x-gone' in other) expect(back).toContain('GET /users has changed at /responses/410')
  else expect(back).toHaveLength(changed.length)
})

test('parameters of a path are those of its operations, but for those that an operation has itself', () => {
  const query = (name: string, type: string) => ({ name, in: 'query', schema: { type } })
  const [page, size, number] = [query('page', 'integer'), query('size', 'integer'), query('page', 'string')]
  const before = {
    paths: { '/a': { parameters: [page, size], get: {}, additionalOperations: { COPY: { parameters: [number] } } } },
  }
  const now = (own: object) => ({
    paths: {
      '/a': { get: { parameters: [size, page] }, additionalOperations: { COPY: { parameters: [own, size] } } },
    },
  })
  expect(differencesOf(before, now(number))).toEqual([])
  expect(differencesOf(now(number), before)).toEqual([])
  expect(differencesOf(before, now(page))).toEqual(['COPY /a has changed at /parameters/query page/schema/type'])
})

/** Lists the schemas of simple types that an operation has, in its components too. */
function leavesOf(document: Json): Json[] {
  const { schemas } = document.components as { schemas: Json }
  const seen = new Set<unknown>()
  const leaves: Json[] = []
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return
    seen.add(value)
    const { $ref, type } = value as Json
    if (typeof $ref === 'string') visit(schemas[$ref.split('/').at(-1) as string])
    if (['string', 'number', 'boolean'].includes(type as string)) leaves.push(value as Json)
    for (const inner of Object.values(value)) visit(inner)
  }
  const { post } = (document.paths as Record<string, { post: Json }>)['/x'] as { post: Json }
  for (const part of [
    post.requestBody,
    post.responses,
    (post.parameters as Json[]).filter(({ in: place }) => place === 'query'),
  ])
    visit(part)
  return leaves
}

property(
  'another type is a change, whatever else was written in another way',
  fc.property(description, numbers, fc.nat(), (given, choices, chosen) => {
    const document = made(given as never)
    const other = structuredClone(rewritten(document, chooser(choices)))
    const leaves = leavesOf(other)
    fc.pre(leaves.length > 0)
    Object.assign(leaves[chosen % leaves.length] as Json, { type: 'integer' })
    expect(differencesOf(document, other)).not.toEqual([])
    expect(differencesOf(other, document)).not.toEqual([])
  }),
)
