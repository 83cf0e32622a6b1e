import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HeaderVersioning, namedRoutes, type Schema, type VersioningOptions } from 'express-versioning'
import { type OpenApiDocument, type OpenApiSchema, openapi } from 'express-versioning/openapi'
import { z } from 'zod'
import { DocumentSchemas } from '../../src/openapi/schemas'
import { lintAll } from '../support/lint-openapi'

/** The documents of these tests and of the examples. One linter reads all of them. */
const documents: { readonly from: string; readonly document: OpenApiDocument }[] = []

interface Schemas {
  readonly response?: readonly Schema[]
  readonly query?: Schema
  readonly body?: Schema
}

/** Returns the document of operations with these schemas. */
function documentOf({ response = [], query, body }: Schemas, isValid = true): OpenApiDocument {
  const names = response.length === 0 ? ['x'] : response.map((_, index) => `x${index || ''}`)
  const routes = namedRoutes(Object.fromEntries(names.map((name) => [name, `/${name}`])))
  for (const [index, name] of names.entries()) {
    routes.route(name).post(() => {})
    routes.describe(`POST ${name}`, { response: response[index], query, body })
  }
  const document = openapi({ scheme: HeaderVersioning, allowedVersions: ['v1'], routes }).document('v1')
  if (isValid) documents.push({ from: 'schemas', document })
  return document
}

const jsonOf = (body: { content?: Record<string, { schema?: OpenApiSchema }> } | undefined) =>
  body?.content?.['application/json']?.schema

/** Returns the schema of an operation's answer, and the components. */
function answered(schema: Schema, isValid = true) {
  const { paths, components } = documentOf({ response: [schema] }, isValid)
  return { schema: jsonOf(paths['/x']?.post?.responses[200]), components: components?.schemas ?? {} }
}

const at = (name: string) => `#/components/schemas/${name}`
const to = (name: string) => ({ $ref: at(name) })
const none = { type: 'null' }

test.each<[string, Schema, expected: OpenApiSchema, isValid?: boolean]>([
  ['without $schema', { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'null' }, none],
  ['true', true, {}],
  ['false', false, { not: {} }],
  ['true and false inside', { anyOf: [true, false], not: true }, { anyOf: [{}, { not: {} }], not: {} }],
  ['with an anchor that nobody uses', { $anchor: 'a', type: 'null' }, none],
  ['with an $id that is no name', { $id: 'https://a.example/?x', ...none }, none],
  ['with no schemas where some should be', { allOf: 7, not: 'x' } as Schema, { allOf: 7, not: 'x' }, false],
  ...['https://a.example/other.json', 'urn:other', '#/components/schemas/Other', 'http://[', 'other.json#x'].map(
    ($ref): [string, Schema, OpenApiSchema, boolean] => [
      `that refers elsewhere, to ${$ref}`,
      itemsOf($ref),
      itemsOf($ref),
      false,
    ],
  ),
])('a schema %s', (_, schema, expected, isValid = true) => {
  expect(answered(schema, isValid)).toEqual({ schema: expected, components: {} })
})

function itemsOf($ref: string) {
  return { items: { $ref } }
}

const part = 'post-x-response-part'
test.each<[string, Schema, expected: OpenApiSchema, components: Record<string, OpenApiSchema>]>([
  ['itself', { items: { $ref: '#' } }, to('post-x-response'), { 'post-x-response': { items: to('post-x-response') } }],
  [
    'itself, with a title',
    { title: 'My thing', items: { $ref: '#' } },
    to('My_thing'),
    { My_thing: { title: 'My thing', items: to('My_thing') } },
  ],
  [
    'other parts',
    { anyOf: [{ $ref: '#/anyOf/1' }, none, { $ref: '#/anyOf/3' }, { title: 'Leaf' }] },
    { anyOf: [to(part), to(part), to('Leaf'), to('Leaf')] },
    { [part]: none, Leaf: { title: 'Leaf' } },
  ],
  ['nothing, with an $id', { $id: 'https://a.example/things/thing.json', ...none }, to('thing'), { thing: none }],
])('a schema that refers to %s', (_, schema, expected, components) => {
  expect(answered(schema)).toEqual({ schema: expected, components })
})

test.each<[given: Schema, reason: string]>([
  ...['#/$defs/none', '#/constructor', '#none', '#/a/b', '#/items/$ref/x', '#/%zz'].map(($ref): [Schema, string] => [
    { items: { $ref } },
    `it refers to "${$ref}", which does not exist`,
  ]),
  [z.object({ at: z.date() }), 'Date cannot be represented in JSON Schema'],
])('%j is a TypeError that names the operation', (schema, reason) => {
  const message = `openapi(): the description of "POST x" cannot be written as OpenAPI: ${reason}.`
  expect(() => answered(schema)).toThrow(expect.objectContaining({ name: 'TypeError', message }))
})

test.each<[string, query: Schema, parameters: object[], isValid?: boolean]>([
  [
    'of properties',
    { properties: { a: none, b: true }, required: ['b'] },
    [
      { name: 'a', in: 'query', required: false, schema: none },
      { name: 'b', in: 'query', required: true, schema: {} },
    ],
  ],
  [
    'that is a reference',
    { $ref: '#/$defs/q', $defs: { q: { properties: { a: none } } } },
    [{ name: 'a', in: 'query', required: false, schema: none }],
  ],
  ['of no properties', { type: 'object', properties: {} }, []],
  ['of anything', true, []],
  [
    'from elsewhere',
    { $ref: 'https://a.example/q' },
    [{ name: 'query', in: 'query', style: 'form', explode: true, schema: { $ref: 'https://a.example/q' } }],
    false,
  ],
  [
    'that is but itself',
    { $ref: '#' },
    [{ name: 'query', in: 'query', style: 'form', explode: true, schema: to('post-x-query') }],
    false,
  ],
])('a query %s', (_, query, expected, isValid = true) => {
  const { parameters = [] } = documentOf({ query }, isValid).paths['/x']?.post ?? {}
  expect(parameters.filter(({ in: place }) => place === 'query')).toEqual(expected)
})

describe('schemas with a name', () => {
  const User = z.object({ name: z.string() }).meta({ id: 'User' })

  test('that contain one with two sides, at any depth, have two sides', () => {
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
      OuterInput: { properties: { inner: to('InnerInput'), user: to('User') } },
      Outer: { properties: { inner: to('Inner'), user: to('User') } },
      'Inner-part-2': { properties: { at: to('At'), kids: { items: to('Inner-part-2') } } },
    })
  })

  test('that differ are a TypeError that names both operations, also if one side is the same', () => {
    const side = (required: string[]) => () => ({ $id: 'At', type: 'object', required, a: 1 })
    const sided = { '~standard': { jsonSchema: { input: side([]), output: side(['at']) } } }
    const response = [sided, true, side([])()]
    const error = {
      name: 'TypeError',
      message: expect.stringMatching(/"POST x2" .* its schema "At" differs from that of "POST x" at "\/required"\.$/),
    }
    expect(() => documentOf({ response })).toThrow(expect.objectContaining(error))
  })

  test('need JSON Schema for the side in question only', () => {
    const at = z.object({ at: z.string().transform((text) => new Date(text)) }).meta({ id: 'At' })
    expect(Object.keys(documentOf({ body: at }).components?.schemas ?? {})).toEqual(['At'])
  })

  test('have the definitions of the version, except in neutral operations', () => {
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
    expect(told).toEqual([{ items: to('User') }, { items: to('User'), not: to('Old') }, to('Tree'), to('User-2')])
    expect(components).toMatchObject({
      User: { properties: { name: { type: 'string' }, friend: to('User') } },
      Old: { description: 'old', $ref: at('User'), not: to('Gone') },
      Tree: { items: to('Tree') },
    })
    expect(components['User-2']).toEqual(none)
    expect(Object.keys(components)).toEqual(['User', 'Old', 'Gone', 'Tree', 'User-2'])
  })
})

describe('libraries', () => {
  // arktype is an ES module, which jest's modules cannot load.
  const program = execFileSync(process.execPath, [join(__dirname, '../support/arktype-schemas.mjs')])
  const arktype = JSON.parse(String(program))
  /** Returns a schema of arktype, which is a function. */
  const schemaOf = (name: string): Schema => {
    const { kind, input, output } = arktype[name]
    expect(kind).toBe('function')
    return Object.assign(() => {}, { '~standard': { jsonSchema: { input: () => input, output: () => output } } })
  }

  test('give requests the input of schemas, and answers the output', () => {
    const User = z.object({ name: z.string(), role: z.string().default('user') })
    const { parameters, requestBody, responses } =
      documentOf({ response: [User], body: User, query: User }).paths['/x']?.post ?? {}
    expect(parameters?.slice(1).map(({ name, required }) => [name, required])).toEqual([
      ['name', true],
      ['role', false],
    ])
    expect(jsonOf(requestBody)).toMatchObject({ required: ['name'] })
    expect(jsonOf(responses?.[200])).toMatchObject({ required: ['name', 'role'] })
    const page = documentOf({ body: schemaOf('page') }).paths['/x']?.post?.requestBody
    expect(jsonOf(page)).toMatchObject({ type: 'string' })
  })

  test('may have recursive schemas', () => {
    const Node = z.object({
      get children() {
        return z.array(Node)
      },
    })
    const { schema, components } = answered(Node)
    expect(schema).toEqual(to('post-x-response'))
    expect(components['post-x-response']).toMatchObject({
      properties: { children: { type: 'array', items: to('post-x-response') } },
    })
    const tree = answered(schemaOf('tree'))
    expect(tree.schema).toEqual(to(part))
    expect(tree.components[part]).toMatchObject({ properties: { children: to(`${part}-2`) } })
  })
})

const folder = join(__dirname, '../../examples')
let given: VersioningOptions[] = []
jest.mock('express-versioning', () => {
  const library = jest.requireActual('express-versioning')
  const versioning = (options: VersioningOptions) => {
    given.push(options)
    return library.versioning(options)
  }
  return { ...library, versioning }
})
jest.mock('../../examples/support', () => ({ start: () => {}, jsonErrors: () => {} }))

test('all of those documents are valid, and those of all examples', async () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const isProgram = (file: string) => /^start\(app, /m.test(readFileSync(join(folder, file), 'utf8'))
  for (const from of files.filter((file) => file.endsWith('.ts') && isProgram(file))) {
    given = []
    require(join(folder, from))
    for (const options of given) {
      try {
        const docs = openapi(options, { problemDetails: true })
        for (const version of docs.versions) documents.push({ from, document: docs.document(version) })
      } catch (error) {
        // Some have no table, or no versions.
        expect((error as Error).message).toMatch(/^openapi\(\) needs the option "(routes|allowedVersions)"/)
      }
    }
  }
  for (const file of ['v1.json', 'v2.json']) {
    const document = JSON.parse(readFileSync(join(folder, 'released/api', file), 'utf8'))
    documents.push({ from: 'released', document })
  }
  expect(new Set(documents.map(({ from }) => from)).size).toBeGreaterThan(10)
  expect(documents.filter(({ document }) => Object.keys(document.paths).length > 0).length).toBeGreaterThan(40)
  const faults = await lintAll(documents.map(({ document }) => document))
  expect(
    documents.map(({ from }, index) => ({ from, faults: faults[index] })).filter((one) => one.faults?.length),
  ).toEqual([])
}, 60_000)
