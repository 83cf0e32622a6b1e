import fc from 'fast-check'
import { differencesOf, differenceText } from '../../src/openapi/document-differences'
import { CARRIER_WORDS, PROBLEM } from '../../src/openapi/version-facts'
import { property } from '../support/property'

// Documents with schemas that refer to each other, and the same ones as another person would write them.

type Json = Record<string, unknown>
const { constantFrom, record, integer } = fc

const NAMES = ['A', 'B', 'C', 'D']
const WORDS = ['title', 'description', 'required', 'enum', 'type', 'id', '$ref']
const MAYBE = ['object', 'null']
const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const { schema } = fc.letrec<{ schema: Json }>((tie) => {
  const inner = tie('schema')
  const list = fc.constant('array')
  const values = fc.constantFrom<unknown>(null, 'a', 'b', { title: 'x' })
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
      record({ enum: fc.uniqueArray(fc.oneof(integer(), values), { selector: (value) => JSON.stringify(value) }) }),
      object,
      record({ type: list, items: inner }),
      record({ type: list, prefixItems: fc.array(inner, { minLength: 1, maxLength: 2 }), items: fc.boolean() }),
      record({ anyOf: fc.array(inner, { minLength: 1, maxLength: 3 }) }),
      record({ additionalProperties: fc.oneof(inner, fc.constant(true)), type: constantFrom('object', MAYBE) }),
    ),
  }
})
// A name that only refers to itself says nothing.
const component = schema.filter((one) => !('$ref' in one))
const parts = { body: schema, response: schema, query: schema, item: schema }
const described = record({ schemas: record({ A: component, B: component, C: component, D: component }), ...parts })
type Described = { schemas: Json; body: unknown; response: unknown; query: unknown; item: unknown }
const numbers = fc.array(integer({ min: 0, max: 60 }), { minLength: 20, maxLength: 60 })

/** The parameter of the version, which may be left out because the version is the default. */
const VERSION = {
  ...{ name: 'V', in: 'header', required: false, description: CARRIER_WORDS },
  schema: { type: 'string', enum: ['v1'] },
}
const json = <Schema>(schema: Schema) => ({ content: { 'application/json': { schema } } })
/** Makes a document of one operation, and of a webhook with the items of its stream. */
function documentOf({ schemas, body, response, query, item }: Described) {
  const post = {
    operationId: 'x',
    tags: ['a', 'b'],
    parameters: [{ name: 'q', in: 'query', required: false, schema: query }, VERSION],
    requestBody: json(body),
    responses: {
      200: { description: 'OK', ...json(response) },
      206: { description: 'Some', content: { 'application/jsonl': { itemSchema: item } } },
    },
  }
  return {
    openapi: '3.1.1',
    info: { title: 'T', version: 'v1' },
    paths: { '/x': { post } },
    webhooks: { told: { post: { requestBody: json(item) } } },
    components: { schemas },
  }
}
type Document = ReturnType<typeof documentOf>

/** Chooses by a list of numbers, which shrink. */
const chooser = (numbers: readonly number[]) => {
  let at = 0
  return (count: number) => (numbers[at++ % numbers.length] as number) % count
}

/** Makes a document as another person writes it: with other names, order, strings, and places of schemas. */
function rewritten({ schemas, ...parts }: Described, choose: (count: number) => number): Document {
  // Names may move to other schemas.
  const shift = choose(4)
  const renamed = new Map(NAMES.map((name, at) => [name, choose(3) === 0 ? `Other${name}` : NAMES[(at + shift) % 4]]))
  const added: Json = {}
  const shuffled = <Item>(list: readonly Item[]): Item[] => {
    const rest = [...list]
    return list.map(() => rest.splice(choose(rest.length), 1)[0] as Item)
  }
  const mixed = (entries: [string, unknown][]) => Object.fromEntries(shuffled(entries))
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
    const words = { description: 'Text.', examples: [choose(9)], deprecated: true }
    const made = mixed([...told, ...(choose(3) === 0 ? Object.entries(words) : [])])
    if (choose(4) !== 0) return made
    const name = `New${Object.keys(added).length}`
    added[name] = made
    return refTo(name)
  }
  const own = Object.entries(schemas).map(([name, one]): [string, unknown] => [
    renamed.get(name) as string,
    schemaOf(one, 1),
  ])
  const others = Object.entries(parts).map(([name, one]) => [name, schemaOf(one)])
  const all = { ...Object.fromEntries(others), schemas: mixed([...own, ...Object.entries(added)]) }
  const document = documentOf(all as Described)
  const { post } = document.paths['/x']
  const [query] = post.parameters
  const parameters = shuffled([
    { ...query, deprecated: true },
    { ...VERSION, required: choose(2) === 0 },
  ])
  const words = { summary: 'S', deprecated: true, 'x-sunset': '2030-01-01' }
  Object.assign(post, { tags: shuffled(post.tags), parameters, ...words })
  return Object.assign(document, { info: { title: 'Other', description: 'D', version: 'v1' } })
}

property(
  'other names, order, strings and places of schemas are no change',
  fc.property(described, numbers, (given, choices) => {
    const [document, other] = [documentOf(given), rewritten(given, chooser(choices))]
    expect(differencesOf(document, other)).toEqual([])
    expect(differencesOf(other, document)).toEqual([])
  }),
)

// Each case edits a document of a user and a tree, and names what has changed then.
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
        parameters: [VERSION, { $ref: '#/components/parameters/page' }],
        responses: {
          200: {
            description: 'OK',
            headers: { title: { schema: { type: 'string' } }, schema: { schema: { type: 'string' } } },
            ...json({ type: 'array', items: refTo('User') }),
          },
        },
      },
      put: {
        operationId: 'change',
        parameters: [{ name: 'only', in: 'query', schema: { type: 'string', enum: ['v1'] } }],
        requestBody: json(refTo('User')),
        responses: { 200: json({ oneOf: [refTo('User'), refTo('Tree')] }), 204: { description: 'None.' } },
      },
    },
  },
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
      },
      Tree: {
        type: 'object',
        default: { a: 1 },
        properties: { kids: { type: 'array', items: refTo('Tree') }, of: true },
      },
      Lost: refTo('Lost'),
    },
    parameters: {
      page: { name: 'page', in: 'query', description: 'The page.', schema: { type: 'integer', minimum: 1 } },
    },
    examples: { one: { value: 1 } },
  },
})

/** Makes a shop, and names the parts that cases edit. */
function shopParts() {
  const shop = structuredClone(SHOP())
  const { get, put } = shop.paths['/users']
  const { schemas, parameters } = shop.components
  const { 200: listed } = get.responses
  return {
    ...{ shop, users: shop.paths['/users'], get, put, listed, schemas, User: schemas.User, Tree: schemas.Tree },
    listedSchema: listed.content['application/json'].schema,
    changedSchema: put.responses[200].content['application/json'].schema,
    versionParameter: get.parameters[0] as object,
    onlyParameter: put.parameters[0] as object,
    page: parameters.page,
  }
}

test.each<{ name: string; edit: (parts: ReturnType<typeof shopParts>) => unknown; told: string[] }>([
  // No change.
  {
    name: 'strings',
    edit: ({ User }) =>
      Object.assign(User, { title: 'Other', description: 'D', examples: [1], deprecated: true, $comment: 'C' }),
    told: [],
  },
  {
    name: 'those of a path, a response and a server',
    edit: ({ shop, users, listed }) => {
      Object.assign(users, { summary: 'S', description: 'D' })
      Object.assign(listed, { description: 'D' })
      Object.assign(shop, { servers: [{ url: '/api' }] })
    },
    told: [],
  },
  {
    name: 'dates',
    edit: ({ get }) => Object.assign(get, { deprecated: true, 'x-sunset': '2030-01-01', description: 'Sunset.' }),
    told: [],
  },
  {
    name: 'the strings of the API',
    edit: ({ shop }) => Object.assign(shop.info, { title: 'T', description: 'Changes', summary: 'S' }),
    told: [],
  },
  { name: 'examples', edit: ({ shop }) => Object.assign(shop.components, { examples: {} }), told: [] },
  {
    name: 'a version that is no longer the default',
    edit: ({ versionParameter }) => Object.assign(versionParameter, { required: true }),
    told: [],
  },
  {
    name: 'the rejection of a body',
    edit: ({ put }) =>
      Object.assign(put.responses, { 400: { content: { 'application/problem+json': { schema: PROBLEM } } } }),
    told: [],
  },
  {
    name: 'a rule of responses alone',
    edit: ({ listedSchema }) => {
      Object.assign(listedSchema, { additionalProperties: false })
      Object.assign(listedSchema.items, { description: 'D' })
    },
    told: [],
  },
  {
    name: 'an inlined schema',
    edit: ({ listedSchema, User }) => Object.assign(listedSchema, { type: ['array'], items: User }),
    told: [],
  },
  {
    name: 'a schema that nothing refers to',
    edit: ({ schemas }) => Object.assign(schemas, { Other: { type: 'string' } }),
    told: [],
  },
  {
    name: 'a component that nothing refers to',
    edit: ({ shop }) => Object.assign(shop.components.parameters, { limit: { name: 'limit', in: 'query' } }),
    told: [],
  },
  {
    name: 'a path with a name',
    edit: ({ shop, users }) => {
      Object.assign(shop.components, { pathItems: { U: users } })
      Object.assign(shop, { paths: { '/users': { $ref: '#/components/pathItems/U', summary: 'U' } } })
    },
    told: [],
  },
  {
    name: 'another order of branches',
    edit: ({ changedSchema }) => Object.assign(changedSchema, { oneOf: [refTo('Tree'), refTo('User')] }),
    told: [],
  },
  {
    name: 'another order of tags and parameters',
    edit: ({ get }) => Object.assign(get, { tags: ['people', 'users'], parameters: get.parameters.toReversed() }),
    told: [],
  },
  {
    name: 'parts that need not be there, and say so',
    edit: ({ put, listed, page }) => {
      Object.assign(page, { required: false })
      Object.assign(put.requestBody, { required: false })
      Object.assign(listed.headers.title, { required: false })
    },
    told: [],
  },
  {
    name: 'a version that is gone',
    edit: ({ shop }) => {
      Object.assign(shop, { paths: { '/users': { get: { responses: { 410: {} } } } }, 'x-gone': true })
      Reflect.deleteProperty(shop, 'security')
    },
    told: [],
  },
  // Changes.
  {
    name: 'what a version that is gone still serves',
    edit: ({ shop, get, put }) => {
      Object.assign(get, { responses: { 410: {} } })
      Object.assign(put.requestBody.content['application/json'], { schema: { type: 'string' } })
      Object.assign(shop, { 'x-gone': true })
    },
    told: ['PUT /users has changed at /requestBody/content/application/json/schema/type'],
  },
  {
    name: 'an operation that is always gone, and another one',
    edit: ({ get, put }) => {
      Object.assign(get, { responses: { 410: {} } })
      Object.assign(put.requestBody.content['application/json'], { schema: { type: 'string' } })
    },
    told: [
      'GET /users has changed at /responses/200',
      'PUT /users has changed at /requestBody/content/application/json/schema/type',
    ],
  },
  {
    name: 'the type of a header that is called `schema`',
    edit: ({ listed }) => Object.assign(listed.headers.schema.schema, { type: 'integer' }),
    told: ['GET /users has changed at /responses/200/headers/schema/schema/type'],
  },
  {
    name: 'a security scheme `title`',
    edit: ({ shop }) => Object.assign(shop, { security: [{ key: ['read', 'write'], title: [] }] }),
    told: ['security has changed at /0/title'],
  },
  {
    name: 'a security scheme `description`',
    edit: ({ shop }) => Object.assign(shop, { security: [{ key: ['read', 'write'], description: [] }] }),
    told: ['security has changed at /0/description'],
  },
  {
    name: 'a security scheme `schema`',
    edit: ({ shop }) => Object.assign(shop, { security: [{ key: ['read', 'write'], schema: [] }] }),
    told: ['security has changed at /0/schema'],
  },
  {
    name: 'a security scheme `enum`',
    edit: ({ shop }) => Object.assign(shop, { security: [{ key: ['read', 'write'], enum: [] }] }),
    told: ['security has changed at /0/enum'],
  },
  {
    name: 'a security scheme `required`',
    edit: ({ shop }) => Object.assign(shop, { security: [{ key: ['read', 'write'], required: [] }] }),
    told: ['security has changed at /0/required'],
  },
  {
    name: 'the security of an operation',
    edit: ({ get }) => Object.assign(get, { security: [{ description: [] }] }),
    told: ['GET /users has changed at /security/0/title'],
  },
  {
    name: "a required parameter whose only value is the version's name",
    edit: ({ onlyParameter }) => Object.assign(onlyParameter, { required: true }),
    told: ['PUT /users has changed at /parameters/query only/required'],
  },
  { name: 'a type', edit: ({ User }) => Object.assign(User, { type: 'object' }), told: ['User has changed at /type'] },
  {
    name: 'a required property',
    edit: ({ User }) => Object.assign(User, { required: ['title'] }),
    told: ['User has changed at /required'],
  },
  {
    name: 'a property that is called as a string is',
    edit: ({ User }) => Reflect.deleteProperty(User.properties, 'title'),
    told: ['User has changed at /properties/title'],
  },
  {
    name: 'a value that has such a property',
    edit: ({ User }) => Object.assign(User.properties.kind, { enum: ['a', { title: 'c' }] }),
    told: ['User has changed at /properties/kind/enum'],
  },
  {
    name: 'a default',
    edit: ({ User }) => Object.assign(User.properties.title, { default: 'z' }),
    told: ['User has changed at /properties/title/default'],
  },
  {
    name: 'a rule of requests',
    edit: ({ User }) => Object.assign(User, { additionalProperties: false }),
    told: ['User has changed at /additionalProperties'],
  },
  {
    name: 'a recursive schema',
    edit: ({ Tree }) => Object.assign(Tree.properties.kids, { items: refTo('User') }),
    told: ['Tree has changed at /properties/kids/items/type'],
  },
  {
    name: 'a schema for a rule',
    edit: ({ Tree }) => Object.assign(Tree.properties, { of: {} }),
    told: ['Tree has changed at /properties/of'],
  },
  {
    name: 'another name for another schema',
    edit: ({ listedSchema }) => Object.assign(listedSchema, { items: refTo('Tree') }),
    told: ['GET /users has changed at /responses/200/content/application/json/schema/items/type'],
  },
  {
    name: 'a reference that leads nowhere',
    edit: ({ listedSchema }) => Object.assign(listedSchema, { items: refTo('Nobody') }),
    told: ['GET /users has changed at /responses/200/content/application/json/schema/items/type'],
  },
  {
    name: 'a reference into a string',
    edit: ({ listedSchema }) => Object.assign(listedSchema, { items: { $ref: '#/info/title/x' } }),
    told: ['GET /users has changed at /responses/200/content/application/json/schema/items/type'],
  },
  {
    name: 'a reference to itself',
    edit: ({ listedSchema }) => Object.assign(listedSchema, { items: refTo('Lost') }),
    told: ['GET /users has changed at /responses/200/content/application/json/schema/items/type'],
  },
  {
    name: 'a schema elsewhere',
    edit: ({ listedSchema }) => Object.assign(listedSchema, { items: { $ref: 'https://example.com/User' } }),
    told: ['GET /users has changed at /responses/200/content/application/json/schema/items/type'],
  },
  {
    name: 'a rule beside a reference',
    edit: ({ listedSchema }) => Object.assign(listedSchema.items, { minProperties: 1 }),
    told: ['GET /users has changed at /responses/200/content/application/json/schema/items/type'],
  },
  {
    name: 'a recursive schema of another name',
    edit: ({ schemas, User, Tree }) => {
      const Wood = structuredClone(Tree)
      Object.assign(Wood.properties.kids, { items: refTo('Wood') })
      Object.assign(Wood.properties, { of: {} })
      Object.assign(schemas, { Wood })
      Object.assign(User.properties, { tree: refTo('Wood') })
    },
    told: ['User has changed at /properties/tree/properties/of'],
  },
  {
    name: 'a default with more',
    edit: ({ Tree }) => Object.assign(Tree, { default: { a: 1, b: 2 } }),
    told: ['Tree has changed at /default/b'],
  },
  {
    name: 'a default of another kind',
    edit: ({ Tree }) => Object.assign(Tree, { default: [] }),
    told: ['Tree has changed at /default'],
  },
  {
    name: 'one branch more',
    edit: ({ changedSchema }) =>
      Object.assign(changedSchema, { oneOf: [refTo('User'), refTo('Tree'), { type: 'null' }] }),
    told: ['PUT /users has changed at /responses/200/content/application/json/schema/oneOf/2'],
  },
  {
    name: 'a union that is none',
    edit: ({ changedSchema }) => Object.assign(changedSchema, { oneOf: 'none' }),
    told: ['PUT /users has changed at /responses/200/content/application/json/schema/oneOf'],
  },
  {
    name: 'no schema',
    edit: ({ put }) => Reflect.deleteProperty(put.responses[200].content['application/json'], 'schema'),
    told: ['PUT /users has changed at /responses/200/content/application/json/schema'],
  },
  {
    name: 'headers that are called as strings are',
    edit: ({ listed }) => Reflect.deleteProperty(listed, 'headers'),
    told: ['GET /users has changed at /responses/200/headers'],
  },
  {
    name: 'a response',
    edit: ({ put }) => {
      Reflect.deleteProperty(put.responses, '204')
      Object.assign(put.responses, { 202: {} })
    },
    told: ['PUT /users has changed at /responses/204'],
  },
  {
    name: 'another rejection',
    edit: ({ put }) =>
      Object.assign(put.responses, {
        400: { content: { 'application/problem+json': { schema: { type: 'object' } } } },
      }),
    told: ['PUT /users has changed at /responses/400'],
  },
  {
    name: 'a tag',
    edit: ({ get }) => Object.assign(get, { tags: ['users'] }),
    told: ['GET /users has changed at /tags'],
  },
  {
    name: 'a parameter',
    edit: ({ page }) => Object.assign(page, { required: true }),
    told: ['GET /users has changed at /parameters/query page/required'],
  },
  {
    name: 'its schema',
    edit: ({ page }) => Reflect.deleteProperty(page.schema, 'minimum'),
    told: ['GET /users has changed at /parameters/query page/schema/minimum'],
  },
  {
    name: 'security',
    edit: ({ shop }) => Object.assign(shop, { security: [{ key: ['read'] }] }),
    told: ['security has changed at /0/key'],
  },
  {
    name: 'an operation, and a whole path',
    edit: ({ shop, users }) => {
      Reflect.deleteProperty(users, 'put')
      Object.assign(shop.paths, { '/x': { get: {} } })
    },
    told: ['PUT /users was removed', 'GET /x is new'],
  },
])('$name', ({ edit, told }) => {
  const parts = shopParts()
  edit(parts)
  const other = parts.shop
  expect(differencesOf(SHOP(), other).map(differenceText)).toEqual(told)
  // The end of a version is no change, its return is one.
  const back = differencesOf(other, SHOP()).map(differenceText)
  if ('x-gone' in other) expect(back).toContain('GET /users has changed at /responses/410')
  else expect(back).toHaveLength(told.length)
})

test('references to a part of a component are compared by the part', () => {
  const having = (title: object) => {
    const part = { $ref: '#/components/schemas/User/properties/title' }
    const get = { responses: { 200: json(part) } }
    return { paths: { '/a': { get } }, components: { schemas: { User: { properties: { title } } } } }
  }
  const [before, now] = [having({ type: 'string' }), having({ type: 'integer' })]
  expect(differencesOf(before, before)).toEqual([])
  const at = '/responses/200/content/application/json/schema/type'
  expect(differencesOf(before, now).map(differenceText)).toEqual([`GET /a has changed at ${at}`])
})

test('parameters of a path are those of its operations, but for those that an operation has itself', () => {
  const query = (name: string, type: string) => ({ name, in: 'query', schema: { type } })
  const [page, size, number] = [query('page', 'integer'), query('size', 'integer'), query('page', 'string')]
  const copying = (own: object[]) => ({ additionalOperations: { COPY: { parameters: own } } })
  const before = { paths: { '/a': { parameters: [page, size], get: {}, ...copying([number]) } } }
  const now = (own: object) => ({ paths: { '/a': { get: { parameters: [size, page] }, ...copying([own, size]) } } })
  expect(differencesOf(before, now(number))).toEqual([])
  expect(differencesOf(now(number), before)).toEqual([])
  expect(differencesOf(before, now(page)).map(differenceText)).toEqual([
    'COPY /a has changed at /parameters/query page/schema/type',
  ])
})

/** Lists the schemas of simple types that an operation has, in its components too. */
function leavesOf({ components: { schemas }, paths }: Document): Json[] {
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
  const { requestBody, responses, parameters } = paths['/x'].post
  visit([requestBody, responses, parameters.filter(({ in: place }) => place === 'query')])
  return leaves
}

property(
  'another type is a change, whatever else was written in another way',
  fc.property(described, numbers, fc.nat(), (given, choices, chosen) => {
    const document = documentOf(given)
    const other = structuredClone(rewritten(given, chooser(choices)))
    const leaves = leavesOf(other)
    fc.pre(leaves.length > 0)
    Object.assign(leaves[chosen % leaves.length] as Json, { type: 'integer' })
    expect(differencesOf(document, other)).not.toEqual([])
    expect(differencesOf(other, document)).not.toEqual([])
  }),
)
