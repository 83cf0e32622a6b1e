import fc from 'fast-check'
import { CARRIER_WORDS } from '../../src/openapi/document-operation'
import { PROBLEM } from '../../src/openapi/document-responses'
import { differencesOf, differenceText } from '../../src/openapi/meaning/document-differences'
import { property } from '../support/property'
import { rows } from '../support/rows'

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
const json = (schema: unknown) => ({ content: { 'application/json': { schema } } })
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
/** The first steps to places of the shop. The step `~` leads to the schema of JSON. */
const PLACES: Record<string, string[]> = {
  users: ['paths', '/users'],
  get: ['paths', '/users', 'get'],
  put: ['paths', '/users', 'put'],
  all: ['paths', '/users', 'get', 'responses', '200'],
  page: ['components', 'parameters', 'page'],
  ...Object.fromEntries(['User', 'Tree', 'Wood'].map((name) => [name, ['components', 'schemas', name]])),
}
const stepsTo = (place: string) => {
  const [start = '', ...steps] = place.split('.')
  const all = [...(PLACES[start] ?? [start]), ...steps]
  return all.flatMap((step) => (step === '~' ? ['content', 'application/json', 'schema'] : step))
}
const find = (shop: Json, steps: string[]) => steps.reduce<Json>((holder, step) => holder[step] as Json, shop)

/** Returns the shop after edits `place=JSON`. In JSON, `@Name` is a reference, and `=place` a copy of a place; `-` is nothing. */
function edited(edits: string): Json {
  const shop: Json = structuredClone(SHOP())
  const given = (_key: string, value: unknown) => {
    if (value === '@PROBLEM') return PROBLEM
    if (typeof value !== 'string' || !/^[@=]/.test(value)) return value
    return value.startsWith('@') ? refTo(value.slice(1)) : structuredClone(find(shop, stepsTo(value.slice(1))))
  }
  for (const edit of edits.split(' ')) {
    const [, place = '', text = ''] = /^(.*?)=(.*)$/.exec(edit) ?? []
    const steps = stepsTo(place)
    const holder = find(shop, steps.slice(0, -1))
    if (text === '-') delete holder[steps.at(-1) as string]
    else holder[steps.at(-1) as string] = JSON.parse(text, given)
  }
  return shop
}

test.each(
  rows(`
  // No change.
  strings | User.title="Other" User.description="D" User.examples=[1] User.deprecated=true User.$comment="C" | -
  those of a path, a response and a server | users.summary="S" users.description="D" all.description="D" servers=[{"url":"/api"}] | -
  dates | get.deprecated=true get.x-sunset="2030-01-01" get.description="Sunset." | -
  the strings of the API | info.title="T" info.description="Changes" info.summary="S" | -
  examples | components.examples={} | -
  a version that is no longer the default | get.parameters.0.required=true | -
  the rejection of a body | put.responses.400={"content":{"application/problem+json":{"schema":"@PROBLEM"}}} | -
  a rule of responses alone | all.~.additionalProperties=false all.~.items.description="D" | -
  an inlined schema | all.~.type=["array"] all.~.items="=User" | -
  a schema that nothing refers to | components.schemas.Other={"type":"string"} | -
  a component that nothing refers to | components.parameters.limit={"name":"limit","in":"query"} | -
  a path with a name | components.pathItems={"U":"=users"} paths={"/users":{"$ref":"#/components/pathItems/U","summary":"U"}} | -
  another order of branches | put.responses.200.~.oneOf=["@Tree","@User"] | -
  another order of tags and parameters | get.tags=["people","users"] get.parameters=["=get.parameters.1","=get.parameters.0"] | -
  parts that need not be there, and say so | page.required=false put.requestBody.required=false all.headers.title.required=false | -
  a version that is gone | paths={"/users":{"get":{"responses":{"410":{}}}}} x-gone=true security=- | -
  // Changes.
  what a version that is gone still serves | get.responses={"410":{}} put.requestBody.~={"type":"string"} x-gone=true | PUT /users: /requestBody/~/type
  an operation that is always gone, and another one | get.responses={"410":{}} put.requestBody.~={"type":"string"} | GET /users: /responses/200, PUT /users: /requestBody/~/type
  the type of a header that is called \`schema\` | all.headers.schema.schema.type="integer" | GET /users: /responses/200/headers/schema/schema/type
  a security scheme \`title\` | security=[{"key":["read","write"],"title":[]}] | security: /0/title
  a security scheme \`description\` | security=[{"key":["read","write"],"description":[]}] | security: /0/description
  a security scheme \`schema\` | security=[{"key":["read","write"],"schema":[]}] | security: /0/schema
  a security scheme \`enum\` | security=[{"key":["read","write"],"enum":[]}] | security: /0/enum
  a security scheme \`required\` | security=[{"key":["read","write"],"required":[]}] | security: /0/required
  the security of an operation | get.security=[{"description":[]}] | GET /users: /security/0/title
  a required parameter whose only value is the version's name | put.parameters.0.required=true | PUT /users: /parameters/query only/required
  a type | User.type="object" | User: /type
  a required property | User.required=["title"] | User: /required
  a property that is called as a string is | User.properties.title=- | User: /properties/title
  a value that has such a property | User.properties.kind.enum=["a",{"title":"c"}] | User: /properties/kind/enum
  a default | User.properties.title.default="z" | User: /properties/title/default
  a rule of requests | User.additionalProperties=false | User: /additionalProperties
  a recursive schema | Tree.properties.kids.items="@User" | Tree: /properties/kids/items/type
  a schema for a rule | Tree.properties.of={} | Tree: /properties/of
  another name for another schema | all.~.items="@Tree" | GET /users: /responses/200/~/items/type
  a reference that leads nowhere | all.~.items="@Nobody" | GET /users: /responses/200/~/items/type
  a reference into a string | all.~.items={"$ref":"#/info/title/x"} | GET /users: /responses/200/~/items/type
  a reference to itself | all.~.items="@Lost" | GET /users: /responses/200/~/items/type
  a schema elsewhere | all.~.items={"$ref":"https://example.com/User"} | GET /users: /responses/200/~/items/type
  a rule beside a reference | all.~.items.minProperties=1 | GET /users: /responses/200/~/items/type
  a recursive schema of another name | Wood="=Tree" Wood.properties.kids.items="@Wood" Wood.properties.of={} User.properties.tree="@Wood" | User: /properties/tree/properties/of
  a default with more | Tree.default={"a":1,"b":2} | Tree: /default/b
  a default of another kind | Tree.default=[] | Tree: /default
  one branch more | put.responses.200.~.oneOf=["@User","@Tree",{"type":"null"}] | PUT /users: /responses/200/~/oneOf/2
  a union that is none | put.responses.200.~.oneOf="none" | PUT /users: /responses/200/~/oneOf
  no schema | put.responses.200.~=- | PUT /users: /responses/200/~
  headers that are called as strings are | all.headers=- | GET /users: /responses/200/headers
  a response | put.responses.204=- put.responses.202={} | PUT /users: /responses/204
  another rejection | put.responses.400={"content":{"application/problem+json":{"schema":{"type":"object"}}}} | PUT /users: /responses/400
  a tag | get.tags=["users"] | GET /users: /tags
  a parameter | page.required=true | GET /users: /parameters/query page/required
  its schema | page.schema.minimum=- | GET /users: /parameters/query page/schema/minimum
  security | security=[{"key":["read"]}] | security: /0/key
  an operation, and a whole path | put=- paths./x={"get":{}} | PUT /users was removed, GET /x is new
`),
)('%s: %s: %s', (_what, edits = '', told = '') => {
  const other = edited(edits)
  const changed = told === '-' ? [] : told.split(', ').map((one) => one.replace(': ', ' has changed at '))
  const expected = changed.map((one) => one.replace('~', 'content/application/json/schema'))
  expect(differencesOf(SHOP(), other).map(differenceText)).toEqual(expected)
  // The end of a version is no change, its return is one.
  const back = differencesOf(other, SHOP()).map(differenceText)
  if ('x-gone' in other) expect(back).toContain('GET /users has changed at /responses/410')
  else expect(back).toHaveLength(expected.length)
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
