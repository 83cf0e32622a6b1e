import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { HeaderVersioning, namedRoutes, type Schema } from 'express-versioning'
import { type OpenApiDocument, type OpenApiSchema, openapi } from 'express-versioning/openapi'
import { z } from 'zod'
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
    [
      'as it is',
      { type: 'object', properties: { a: { $comment: '#' } } },
      { type: 'object', properties: { a: { $comment: '#' } } },
    ],
    ['without $schema', { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'null' }, { type: 'null' }],
    ['true', true, {}],
    ['false', false, { not: {} }],
    ['true and false inside', { anyOf: [true, false], not: true }, { anyOf: [{}, { not: {} }], not: {} }],
    [
      'false as a rule',
      { items: false, additionalProperties: false, unevaluatedItems: false, unevaluatedProperties: true },
      { items: false, additionalProperties: false, unevaluatedItems: false, unevaluatedProperties: true },
    ],
    ['with an anchor that nobody uses', { $anchor: 'a', type: 'null' }, { type: 'null' }],
    [
      'with $ref as data',
      { const: { $ref: '#' }, enum: [{ $ref: '#' }], default: { $id: 'x' } },
      { const: { $ref: '#' }, enum: [{ $ref: '#' }], default: { $id: 'x' } },
    ],
    [
      'with a property $ref',
      { properties: { $ref: { type: 'null' }, $id: {} } },
      { properties: { $ref: { type: 'null' }, $id: {} } },
    ],
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
  test.each<[string, Schema, name: string, expected: OpenApiSchema]>([
    ['#', { items: { $ref: '#' } }, 'post-x-response', { items: { $ref: at('post-x-response') } }],
    [
      'a pointer',
      { $defs: { 'a/b~%': { type: 'null' } }, not: { $ref: '#/$defs/a~1b~0%25' } },
      'post-x-response',
      {
        $defs: { a_2f_b_7e__25_: { type: 'null' } },
        not: { $ref: `${at('post-x-response')}/$defs/a_2f_b_7e__25_` },
      },
    ],
    [
      'its own title',
      { title: 'My thing', anyOf: [{ $ref: '#/anyOf/1' }, { type: 'null' }] },
      'My_thing',
      { title: 'My thing', anyOf: [{ $ref: `${at('My_thing')}/anyOf/1` }, { type: 'null' }] },
    ],
    ['its own $id', { $id: id, type: 'null' }, 'thing', { type: 'null' }],
    [
      'its own $id with an empty fragment',
      { $id: `${id}#`, items: { $ref: id } },
      'thing',
      { items: { $ref: at('thing') } },
    ],
    [
      'relative to $id',
      { $id: id, items: { $ref: 'thing.json#/not' }, not: {} },
      'thing',
      { items: { $ref: `${at('thing')}/not` }, not: {} },
    ],
    ['a urn', { $id: 'urn:example:thing', items: { $ref: '#' } }, 'thing', { items: { $ref: at('thing') } }],
    [
      'an anchor',
      { items: { $ref: '#leaf' }, contains: { $anchor: 'leaf', type: 'null' } },
      'post-x-response',
      { items: { $ref: `${at('post-x-response')}/contains` }, contains: { type: 'null' } },
    ],
    [
      'a dynamic anchor',
      { $dynamicAnchor: 'node', items: { $dynamicRef: '#node' } },
      'post-x-response',
      { items: { $ref: at('post-x-response') } },
    ],
    [
      'a schema within with an $id of its own',
      {
        $id: id,
        $defs: { other: { $id: 'other.json', items: { $ref: '#/not' }, not: { $anchor: 'no', type: 'null' } } },
        anyOf: [{ $ref: 'other.json' }, { $ref: '/things/other.json#no' }],
      },
      'thing',
      {
        $defs: { other: { items: { $ref: `${at('thing')}/$defs/other/not` }, not: { type: 'null' } } },
        anyOf: [{ $ref: `${at('thing')}/$defs/other` }, { $ref: `${at('thing')}/$defs/other/not` }],
      },
    ],
    [
      'wherever schemas stand',
      {
        $defs: { n: { type: 'null' } },
        patternProperties: { a: { $ref: '#/$defs/n' } },
        dependentSchemas: { a: { $ref: '#/$defs/n' } },
        prefixItems: [{ $ref: '#/$defs/n' }],
        if: { $ref: '#/$defs/n' },
        propertyNames: { $ref: '#/$defs/n' },
      },
      'post-x-response',
      {
        $defs: { n: { type: 'null' } },
        patternProperties: { a: { $ref: `${at('post-x-response')}/$defs/n` } },
        dependentSchemas: { a: { $ref: `${at('post-x-response')}/$defs/n` } },
        prefixItems: [{ $ref: `${at('post-x-response')}/$defs/n` }],
        if: { $ref: `${at('post-x-response')}/$defs/n` },
        propertyNames: { $ref: `${at('post-x-response')}/$defs/n` },
      },
    ],
  ])('that refers to itself: %s', (_name, schema, name, expected) => {
    expect(answered(schema)).toEqual({ schema: { $ref: at(name) }, components: { [name]: expected } })
  })

  test.each([
    'https://a.example/other.json',
    'urn:other',
    '#/components/schemas/Other',
    'other.json',
    'http://[',
    'other.json#x',
  ])('that refers elsewhere, to %s, is left as it is', ($ref) => {
    expect(answered({ items: { $ref } }).components).toEqual({ 'post-x-response': { items: { $ref } } })
    documents.pop()
  })

  test.each(['#/$defs/none', '#/constructor', '#none', '#/a/b', '#/items/$ref/x', '#/%zz'])(
    'that refers to what it does not have, %s, is a TypeError that names the operation',
    ($ref) => {
      expect(() => answered({ items: { $ref } })).toThrow(TypeError)
      expect(() => answered({ items: { $ref } })).toThrow(
        `openapi(): the description of "POST x" cannot be told in OpenAPI: it refers to "${$ref}", which is not there.`,
      )
    },
  )

  test('shared by operations is one component, others have names of their own', () => {
    const shared = { title: 'Thing', items: { $ref: '#' } }
    const document = documentOf({ response: [shared, shared, { ...shared }], body: shared })
    expect(Object.keys(document.components?.schemas ?? {})).toEqual(['Thing', 'Thing-2'])
    const used = ['/x', '/x1', '/x2'].map((path) => document.paths[path]?.post?.responses[200]?.content)
    expect(used.map((content) => content?.['application/json']?.schema)).toEqual([
      { $ref: at('Thing') },
      { $ref: at('Thing') },
      { $ref: at('Thing-2') },
    ])
  })

  test('is not changed', () => {
    const schema = { $schema: 'x', $id: 'https://a.example/y', items: { $ref: '#' } }
    const before = structuredClone(schema)
    answered(schema)
    expect(schema).toEqual(before)
  })
})

describe('the query', () => {
  const parameters = (query: Schema) => {
    const { paths } = documentOf({ query })
    return (paths['/x']?.post?.parameters ?? []).filter(({ in: place }) => place === 'query')
  }
  test.each<[string, Schema, expected: object[]]>([
    [
      'of listed properties',
      { type: 'object', properties: { 'a b': { type: 'string' }, c: true }, required: ['c'] },
      [
        { name: 'a b', in: 'query', required: false, schema: { type: 'string' } },
        { name: 'c', in: 'query', required: true, schema: {} },
      ],
    ],
    ['of no properties', { type: 'object', properties: {} }, []],
    ['of anything', true, []],
    [
      'of other objects',
      { additionalProperties: { type: 'string' } },
      [
        {
          name: 'query',
          in: 'query',
          style: 'form',
          explode: true,
          schema: { additionalProperties: { type: 'string' } },
        },
      ],
    ],
    [
      'of other objects that have parts',
      { $ref: '#/$defs/a', $defs: { a: { additionalProperties: { type: 'string' } } } },
      [{ name: 'query', in: 'query', style: 'form', explode: true, schema: { $ref: at('post-x-query') } }],
    ],
    [
      'of properties that refer to each other',
      { properties: { a: { type: 'string' }, 'b/c': { $ref: '#/properties/a' } } },
      [
        { name: 'a', in: 'query', required: false, schema: { $ref: `${at('post-x-query')}/properties/a` } },
        { name: 'b/c', in: 'query', required: false, schema: { $ref: `${at('post-x-query')}/properties/b~1c` } },
      ],
    ],
    [
      'of a part of itself',
      { $ref: '#/$defs/a', $defs: { a: { properties: { b: { type: 'string' } }, required: ['b'] } } },
      [{ name: 'b', in: 'query', required: true, schema: { $ref: `${at('post-x-query')}/$defs/a/properties/b` } }],
    ],
    [
      'with required for no list',
      { properties: { a: {} }, required: true } as never,
      [{ name: 'a', in: 'query', required: false, schema: {} }],
    ],
  ])('%s', (_name, query, expected) => {
    expect(parameters(query)).toEqual(expected)
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

  test('with named schemas in it', () => {
    const User = z.object({ name: z.string() }).meta({ id: 'User', title: 'One user' })
    const { components } = answered(z.object({ a: User, b: User }))
    expect(components['post-x-response']).toMatchObject({
      properties: { a: { $ref: `${at('post-x-response')}/$defs/User` } },
      $defs: { User: { title: 'One user' } },
    })
  })

  test('that JSON Schema cannot say is a TypeError that names the operation', () => {
    expect(() => answered(z.object({ at: z.date() }))).toThrow(
      'openapi(): the description of "POST x" cannot be told in OpenAPI: Date cannot be represented in JSON Schema.',
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

  test('an object', () => {
    expect(answered(schemaOf('user'))).toEqual({
      schema: { type: 'object', properties: { id: { type: 'string' }, age: { type: 'number' } }, required: ['id'] },
      components: {},
    })
  })

  test('recursive', () => {
    const { schema, components } = answered(schemaOf('tree'))
    expect(schema).toEqual({ $ref: at('post-x-response') })
    expect(JSON.stringify(components)).toContain('"children":{"$ref":"#/components/schemas/post-x-response/$defs/')
  })

  test('what is sent takes its input', () => {
    const { requestBody } = documentOf({ body: schemaOf('page') }).paths['/x']?.post ?? {}
    expect(requestBody?.content['application/json']?.schema).toMatchObject({ type: 'string' })
  })
})

test('all of those documents are valid', async () => {
  expect(documents.length).toBeGreaterThan(30)
  const found = (await lintAll(documents)).map((problems, index) => ({ problems, document: documents[index] }))
  expect(found.filter(({ problems }) => problems.length > 0)).toEqual([])
})
