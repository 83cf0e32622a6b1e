import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { HeaderVersioning, namedRoutes, type Schema } from 'express-versioning'
import { type OpenApiDocument, type OpenApiSchema, openapi } from 'express-versioning/openapi'
import { z } from 'zod'
import { DocumentSchemas } from '../../src/openapi/schemas'
import { lintAll } from '../support/lint-openapi'

const documents: OpenApiDocument[] = []

/** The document of operations with these schemas. */
function documentOf({
  response = [],
  query,
  body,
}: {
  response?: Schema[]
  query?: Schema
  body?: Schema
}): OpenApiDocument {
  const names = response.length === 0 ? ['x'] : response.map((_, index) => `x${index || ''}`)
  const routes = namedRoutes(Object.fromEntries(names.map((name) => [name, `/${name}`])))
  for (const [index, name] of names.entries()) {
    routes.route(name).post(() => {})
    routes.describe(`POST ${name}`, { response: response[index], query, body })
  }
  const document = openapi({ scheme: HeaderVersioning, allowedVersions: ['v1'], routes }).document('v1')
  documents.push(document)
  return document
}

/** The schema of an operation's answer, and the components. */
function answered(schema: Schema): { schema: OpenApiSchema | undefined; components: Record<string, OpenApiSchema> } {
  const document = documentOf({ response: [schema] })
  const { responses } = document.paths['/x']?.post ?? {}
  return {
    schema: responses?.[200]?.content?.['application/json']?.schema,
    components: document.components?.schemas ?? {},
  }
}

const at = (name: string) => `#/components/schemas/${name}`

describe('JSON Schema', () => {
  test.each<[string, Schema, expected: OpenApiSchema]>([
    ['without $schema', { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'null' }, { type: 'null' }],
    ['true', true, {}],
    ['false', false, { not: {} }],
    ['true and false inside', { anyOf: [true, false], not: true }, { anyOf: [{}, { not: {} }], not: {} }],
    ['with an anchor that nobody uses', { $anchor: 'a', type: 'null' }, { type: 'null' }],
    [
      'with no schemas where some should be',
      { allOf: 7, properties: null, not: 'x' } as never,
      { allOf: 7, properties: null, not: 'x' },
    ],
  ])('%s', (name, schema, expected) => {
    expect(answered(schema)).toEqual({ schema: expected, components: {} })
    if (name.startsWith('with no schemas')) documents.pop()
  })

  const id = 'https://a.example/things/thing.json'
  const part = 'post-x-response-part'
  const none = { type: 'null' }
  test.each<[string, Schema, expected: OpenApiSchema, components: Record<string, OpenApiSchema>]>([
    [
      'itself',
      { items: { $ref: '#' } },
      { $ref: at('post-x-response') },
      { 'post-x-response': { items: { $ref: at('post-x-response') } } },
    ],
    [
      'itself, with a title',
      { title: 'My thing', items: { $ref: '#' } },
      { $ref: at('My_thing') },
      { My_thing: { title: 'My thing', items: { $ref: at('My_thing') } } },
    ],
    [
      'other parts',
      { anyOf: [{ $ref: '#/anyOf/1' }, none, { $ref: '#/anyOf/3' }, { title: 'Leaf' }] },
      { anyOf: [{ $ref: at(part) }, { $ref: at(part) }, { $ref: at('Leaf') }, { $ref: at('Leaf') }] },
      { [part]: none, Leaf: { title: 'Leaf' } },
    ],
    ['nothing, with an $id that is no name', { $id: 'https://a.example/?x', ...none }, none, {}],
    ['nothing, with an $id', { $id: id, ...none }, { $ref: at('thing') }, { thing: none }],
  ])('that refers to %s', (_name, schema, expected, components) => {
    expect(answered(schema)).toEqual({ schema: expected, components })
  })

  test.each([
    'https://a.example/other.json',
    'urn:other',
    '#/components/schemas/Other',
    'other.json',
    'http://[',
    'other.json#x',
  ])('that refers elsewhere, to %s, is left as it is', ($ref) => {
    expect(answered({ items: { $ref } })).toEqual({ schema: { items: { $ref } }, components: {} })
    documents.pop()
  })

  test.each(['#/$defs/none', '#/constructor', '#none', '#/a/b', '#/items/$ref/x', '#/%zz'])(
    'that refers to what it does not have, %s, is a TypeError that names the operation',
    ($ref) => {
      expect(() => answered({ items: { $ref } })).toThrow(TypeError)
      expect(() => answered({ items: { $ref } })).toThrow(
        `openapi(): the description of "POST x" cannot be written as OpenAPI: it refers to "${$ref}", which does not exist.`,
      )
    },
  )

  test('elsewhere for a query is one parameter', () => {
    const { paths } = documentOf({ query: { $ref: 'https://a.example/query.json' } })
    documents.pop()
    expect(paths['/x']?.post?.parameters?.at(-1)).toMatchObject({ name: 'query', explode: true })
  })
})

describe('the query', () => {
  const parameters = (query: Schema) => {
    const { paths } = documentOf({ query })
    return (paths['/x']?.post?.parameters ?? []).filter(({ in: place }) => place === 'query')
  }
  test.each<[string, Schema, expected: object[]]>([
    ['of no properties', { type: 'object', properties: {} }, []],
    ['of anything', true, []],
  ])('%s', (name, query, expected) => {
    expect(parameters(query)).toEqual(expected)
    if (name === 'that is but itself') documents.pop()
  })
})

describe('schemas with a name', () => {
  const User = z.object({ name: z.string() }).meta({ id: 'User' })
  const Node = z
    .object({
      user: User,
      get kids() {
        return z.array(Node).optional()
      },
    })
    .meta({ id: 'Node' })
  /** Such a schema of a library whose input needs less. */
  const sided = (id: string, more: object = {}) => {
    const side = (required: string[]) => () => ({ $id: id, type: 'object', required, ...more })
    return { '~standard': { jsonSchema: { input: side([]), output: side(['at']) } } }
  }

  test('that holds what is two, at any depth, is two', () => {
    const At = z.object({ at: z.string().default('') }).meta({ id: 'At' })
    const Unnamed = z.object({
      at: At,
      get kids() {
        return z.array(Unnamed).optional()
      },
    })
    const Inner = z.object({ unnamed: Unnamed }).meta({ id: 'Inner' })
    const Outer = z.object({ inner: Inner.optional(), user: User }).meta({ id: 'Outer' })
    const { schemas } = documentOf({ body: Outer, response: [Outer] }).components ?? {}
    const names = ['OuterInput', 'InnerInput', 'Inner-part', 'AtInput', 'User', 'Outer', 'Inner', 'Inner-part-2', 'At']
    expect(Object.keys(schemas ?? {})).toEqual(names)
    expect(schemas).toMatchObject({
      OuterInput: { properties: { inner: { $ref: at('InnerInput') }, user: { $ref: at('User') } } },
      Outer: { properties: { inner: { $ref: at('Inner') }, user: { $ref: at('User') } } },
      'Inner-part-2': { properties: { at: { $ref: at('At') }, kids: { items: { $ref: at('Inner-part-2') } } } },
    })
  })

  test.each<[string, Schema, Schema, differ: string]>([
    [
      ', of which one side is the same',
      sided('At', { a: 1 }),
      { $id: 'At', type: 'object', required: [], a: 1 },
      '/required',
    ],
  ])('two different schemas of one name%s are a TypeError that names both operations', (_name, one, other, differ) => {
    expect(() => documentOf({ response: [one, true, other] })).toThrow(
      new RegExp(`"POST x2" .* its schema "\\w+" differs from that of "POST x" at "${differ}"\\.$`),
    )
  })

  test('of which JSON Schema can say but the side in question are described', () => {
    const at = z.object({ at: z.string().transform((text) => new Date(text)) }).meta({ id: 'At' })
    expect(Object.keys(documentOf({ body: at }).components?.schemas ?? {})).toEqual(['At'])
  })

  test('a version has its own definitions of names, but for neutral operations', () => {
    const V1 = z.object({ name: z.string(), friend: z.lazy((): z.ZodType => V1) }).meta({ id: 'UserV1' })
    const definitions = new Map<string, Schema>([
      ['User', V1],
      ['Tree', { items: { $ref: '#' } }],
      ['Old', { description: 'old', $ref: 'User', not: { $id: 'Gone' } }],
    ])
    const schemas = new DocumentSchemas(definitions)
    const use = { direction: 'output', hint: 'x', operation: 'GET x', neutral: false } as const
    const told = [
      schemas.use({ items: { $id: 'User', type: 'null' } }, use),
      schemas.use({ items: { $ref: 'User' }, not: { $ref: 'Old' } }, use),
      schemas.use({ $id: 'Tree', not: { $id: 'Other', type: 'string' } }, use),
      schemas.use({ $id: 'User', type: 'null' }, { ...use, neutral: true }),
    ]
    const components = schemas.finish()
    expect(told).toEqual([
      { items: { $ref: at('User') } },
      { items: { $ref: at('User') }, not: { $ref: at('Old') } },
      { $ref: at('Tree') },
      { $ref: at('User-2') },
    ])
    expect(components).toMatchObject({
      User: { properties: { name: { type: 'string' }, friend: { $ref: at('User') } } },
      Old: { description: 'old', $ref: at('User'), not: { $ref: at('Gone') } },
      Tree: { items: { $ref: at('Tree') } },
    })
    expect(components['User-2']).toEqual({ type: 'null' })
    expect(Object.keys(components)).toEqual(['User', 'Old', 'Gone', 'Tree', 'User-2'])
  })
})

describe('zod', () => {
  test('what is sent takes its input, what is answered its output', () => {
    const User = z.object({ name: z.string(), role: z.string().default('user') })
    const document = documentOf({ response: [User], body: User, query: User })
    const { parameters, requestBody, responses } = document.paths['/x']?.post ?? {}
    const query = parameters?.filter(({ in: place }) => place === 'query').map(({ required }) => required)
    expect(query).toEqual([true, false])
    expect(requestBody?.content['application/json']?.schema).toMatchObject({ required: ['name'] })
    expect(responses?.[200]?.content?.['application/json']?.schema).toMatchObject({ required: ['name', 'role'] })
  })

  test('recursive', () => {
    const Node = z.object({
      get children() {
        return z.array(Node)
      },
    })
    const { schema, components } = answered(Node)
    expect(schema).toEqual({ $ref: at('post-x-response') })
    expect(components['post-x-response']).toMatchObject({
      properties: { children: { type: 'array', items: { $ref: at('post-x-response') } } },
    })
  })

  test('that JSON Schema cannot say is a TypeError that names the operation', () => {
    expect(() => answered(z.object({ at: z.date() }))).toThrow(
      'openapi(): the description of "POST x" cannot be written as OpenAPI: Date cannot be represented in JSON Schema.',
    )
  })
})

describe('arktype', () => {
  const told = JSON.parse(
    execFileSync(process.execPath, [join(__dirname, '../support/arktype-schemas.mjs')], { encoding: 'utf8' }),
  )
  /** Schemas of arktype are functions. */
  const schemaOf = (name: string): Schema => {
    const { kind, input, output } = told[name]
    expect(kind).toBe('function')
    const jsonSchema = { input: () => input, output: () => output }
    return Object.assign(() => {}, { '~standard': { jsonSchema } })
  }

  test('recursive', () => {
    const { schema, components } = answered(schemaOf('tree'))
    expect(schema).toEqual({ $ref: at('post-x-response-part') })
    expect(JSON.stringify(components)).toContain('"children":{"$ref":"#/components/schemas/post-x-response-part-2"}')
  })

  test('what is sent takes its input', () => {
    const { requestBody } = documentOf({ body: schemaOf('page') }).paths['/x']?.post ?? {}
    expect(requestBody?.content['application/json']?.schema).toMatchObject({ type: 'string' })
  })
})

test('all of those documents are valid', async () => {
  expect(documents.length).toBeGreaterThan(10)
  const found = (await lintAll(documents)).map((problems, index) => ({ problems, document: documents[index] }))
  expect(found.filter(({ problems }) => problems.length > 0)).toEqual([])
})
