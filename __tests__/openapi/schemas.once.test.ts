import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NamedRoutes, Schema, VersioningOptions } from 'express-versioning'
import { HeaderVersioning, namedRoutes } from 'express-versioning'
import { type OpenApiDocument, type OpenApiSchema, openapi } from 'express-versioning/openapi'
import { z } from 'zod'
import { DocumentSchemas } from '../../src/openapi/user-schemas'
import { DescribedNames } from '../../src/schemas/definitions'
import { expectValid } from '../support/parts'
import { rows } from '../support/rows'
import { respond } from '../support/tables'

/** The documents of these tests and of the examples. One linter reads all of them. */
const documents: OpenApiDocument[] = []

type Schemas = { response?: Schema[]; query?: Schema; body?: Schema }

/** Returns the document of an operation for each of the responses, and the first operation. */
function documentOf({ response = [true], query, body }: Schemas, isValid = true) {
  const routes = namedRoutes({}) as NamedRoutes
  for (const [index, schema] of response.entries()) {
    const name = `x${index || ''}`
    routes.add(name, `/${name}`).describe(`POST ${name}`, { response: schema, query, body })
    routes.route(name).post(respond)
  }
  const document = openapi({ scheme: HeaderVersioning, allowedVersions: ['v1'], routes }).document('v1')
  if (isValid) documents.push(document)
  const { parameters, requestBody, responses } = document.paths['/x']?.post ?? {}
  const ofQuery = parameters?.filter((parameter) => parameter.in === 'query')
  const components = document.components?.schemas ?? {}
  return { parameters: ofQuery, body: jsonOf(requestBody), response: jsonOf(responses?.[200]), components }
}

const jsonOf = (body: { content?: Record<string, { schema?: OpenApiSchema }> } | undefined) =>
  body?.content?.['application/json']?.schema
const to = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** Reads JSON in which `@A` refers to the component `A`. */
const parsed = (json = '') => JSON.parse(json.replaceAll(/@([\w-]+)/g, '{"$ref":"#/components/schemas/$1"}'))

// Schemas with `x` may be written, but are not valid.
const WRITTEN = rows(`
  {"allOf":7,"properties":null,"not":"x"} | {"allOf":7,"properties":null,"not":"x"}  | {} | x
  {"items":@Other}                                | {"items":@Other}                 | {} | x
  {"items":{"$ref":"#"}}                          | @post-x-response                 | {"post-x-response":{"items":@post-x-response}}
  {"not":{"$ref":"#/anyOf/0"},"anyOf":[{"title":""}]} | {"not":@post-x-response-part,"anyOf":[@post-x-response-part]} | {"post-x-response-part":{"title":""}}
  {"not":{"$ref":"#/anyOf/0"},"anyOf":[{"title":"Leaf"}]} | {"not":@Leaf,"anyOf":[@Leaf]} | {"Leaf":{"title":"Leaf"}}
  {"$id":"https://a.example/things/thing.json","type":"null"} | @thing                   | {"thing":{"type":"null"}}
`)
test.each(WRITTEN)('the schema %s is written as %s', (schema, expected, components, invalid = '') => {
  const found = documentOf({ response: [parsed(schema)] }, invalid !== 'x')
  expect([found.response, found.components]).toEqual([parsed(expected), parsed(components)])
})

test.each<[given: Schema, reason: string]>([
  [{ items: { $ref: '#/%zz' } }, 'it refers to "#/%zz", which does not exist'],
  [z.object({ at: z.date() }), 'Date cannot be represented in JSON Schema'],
])('%j is a TypeError that names the operation', (schema, reason) => {
  const message = `openapi(): the description of "POST x" cannot be written as OpenAPI: ${reason}.`
  expect(() => documentOf({ response: [schema] })).toThrow(expect.objectContaining({ name: 'TypeError', message }))
})

const exploded = '"name":"query","in":"query","style":"form","explode":true'
const QUERIES = rows(`
  {"properties":{"a":{},"b":true},"required":["b"]} | [{"name":"a","in":"query","required":false,"schema":{}},{"name":"b","in":"query","required":true,"schema":{}}]
  {"$ref":"#/$defs/q","$defs":{"q":{"properties":{"a":{}}}}} | [{"name":"a","in":"query","required":false,"schema":{}}]
  {"type":"object","properties":{}}                 | []
  true                                              | []
  {"$ref":"https://a.example/q"}                    | [{${exploded},"schema":{"$ref":"https://a.example/q"}}] | x
  {"$ref":"#"}                                      | [{${exploded},"schema":@post-x-query}] | x
`)
test.each(QUERIES)('the query %s is %s', (query, expected, invalid = '') => {
  expect(documentOf({ query: parsed(query) }, invalid !== 'x').parameters).toEqual(parsed(expected))
})

test('named schemas that contain one with two sides, at any depth, have two sides', () => {
  const At = z.object({ at: z.string().default('') }).meta({ id: 'At' })
  const Unnamed = z.object({ at: At, kids: z.lazy((): z.ZodType => z.array(Unnamed)).optional() })
  const Inner = z.object({ unnamed: Unnamed }).meta({ id: 'Inner' })
  const User = z.object({ name: z.string() }).meta({ id: 'User' })
  const Outer = z.object({ inner: Inner.optional(), user: User }).meta({ id: 'Outer' })
  const { components } = documentOf({ body: Outer, response: [Outer] })
  const names = ['OuterInput', 'InnerInput', 'Inner-part', 'AtInput', 'User', 'Outer', 'Inner', 'Inner-part-2', 'At']
  expect(Object.keys(components)).toEqual(names)
  expect(components).toMatchObject({
    OuterInput: { properties: { inner: to('InnerInput'), user: to('User') } },
    Outer: { properties: { inner: to('Inner'), user: to('User') } },
    'Inner-part-2': { properties: { at: to('At'), kids: { items: to('Inner-part-2') } } },
  })
})

test('schemas need JSON Schema for the side in question only', () => {
  const body = z.object({ at: z.string().transform((text) => new Date(text)) }).meta({ id: 'At' })
  expect(Object.keys(documentOf({ body }).components)).toEqual(['At'])
})

test('named schemas that differ are a TypeError that names both operations, also if one side is the same', () => {
  const side = (required: string[]) => () => ({ $id: 'At', type: 'object', required, a: 1 })
  const sided = { '~standard': { jsonSchema: { input: side([]), output: side(['at']) } } }
  const response = [sided, true, side([])()]
  const reason = 'its schema "At" differs from that of "POST x" at "/required".'
  const message = `openapi(): the description of "POST x2" cannot be written as OpenAPI: ${reason}`
  expect(() => documentOf({ response })).toThrow(expect.objectContaining({ name: 'TypeError', message }))
})

test('named schemas have the definitions of the version, except in neutral operations', () => {
  const properties = { friend: { $ref: '#' } }
  const Old = { description: 'old', $ref: 'User', not: { $id: 'Gone' } }
  const definitions = { User: { $id: 'UserV1', properties }, Tree: { items: { $ref: '#' } }, Old }
  const schemas = new DocumentSchemas(
    new Map(Object.entries(definitions).map(([name, schema]) => [name, { schema, isOlder: true }])),
    new DescribedNames(),
  )
  const use = { direction: 'output', hint: 'x', operation: 'GET x', neutral: false } as const
  const told = [
    schemas.use({ items: { $id: 'User', type: 'null' }, not: { $ref: 'Old' } }, use),
    schemas.use({ $id: 'Tree', not: { $id: 'User', type: 'string' } }, use),
    schemas.use({ $id: 'User', type: 'null' }, { ...use, neutral: true }),
  ]
  const components = Object.entries(schemas.finish())
  expect(told).toEqual([{ items: to('User'), not: to('Old') }, to('Tree'), to('User-2')])
  expect(components).toEqual([
    ['User', { properties: { friend: to('User') } }],
    ['Old', { ...Old, ...to('User'), not: to('Gone') }],
    ['Gone', {}],
    ['Tree', { items: to('Tree') }],
    ['User-2', { type: 'null' }],
  ])
})

test('libraries give requests the input of schemas, and responses the output; arktype’s schemas are functions', () => {
  const User = z.object({ name: z.string(), role: z.string().default('user') })
  const { parameters, body, response } = documentOf({ response: [User], body: User, query: User })
  expect(parameters).toMatchObject([
    { name: 'name', required: true },
    { name: 'role', required: false },
  ])
  expect([body, response]).toMatchObject([{ required: ['name'] }, { required: ['name', 'role'] }])
  // arktype is an ES module, which jest's modules cannot load.
  const program = execFileSync(process.execPath, [join(__dirname, '../support/arktype-schemas.mjs')])
  const { kinds, page, tree } = JSON.parse(String(program))
  const jsonSchema = { input: () => page, output: () => tree }
  const schema = Object.assign(() => {}, { '~standard': { jsonSchema } })
  const found = documentOf({ body: schema, response: [schema] })
  const part = 'post-x-response-part'
  expect([kinds, found.body, found.response]).toMatchObject([['function', 'function'], { type: 'string' }, to(part)])
  expect(found.components[part]).toMatchObject({ properties: { children: to(`${part}-2`) } })
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
// The package itself loads a user interface.
jest.mock('swagger-ui-dist', () => ({ absolutePath: jest.requireActual('swagger-ui-dist/absolute-path.js') }))
jest.mock('../../examples/support/start', () => ({ start: () => {}, jsonErrors: () => {} }))

const hasDocuments = ({ routes, allowedVersions, changes }: VersioningOptions) => routes && (allowedVersions ?? changes)

test('all of those documents are valid, and those of all examples', async () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const isProgram = (file: string) => /^start\(app, /m.test(readFileSync(join(folder, file), 'utf8'))
  const from = new Set<string>()
  for (const file of files.filter((file) => file.endsWith('.ts') && isProgram(file))) {
    given = []
    require(join(folder, file))
    for (const options of given.filter(hasDocuments)) {
      const docs = openapi(options, { problemDetails: true })
      documents.push(...docs.versions.map((version) => docs.document(version)))
      from.add(file)
    }
  }
  const released = ['v1.json', 'v2.json'].map((file) => readFileSync(join(folder, 'released/api', file), 'utf8'))
  documents.push(...released.map((document) => JSON.parse(document)))
  expect(from.size).toBeGreaterThan(8)
  expect(documents.filter(({ paths }) => Object.keys(paths).length > 0).length).toBeGreaterThan(40)
  await expectValid(...documents)
}, 60_000)
