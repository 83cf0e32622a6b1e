import { HeaderVersioning, versioning } from 'express-versioning'
import { change, fields, shape } from 'express-versioning/changes'
import { contract } from 'express-versioning/contract'
import { openapi, routesOf } from 'express-versioning/openapi'
import { checkHistory } from 'express-versioning/testing'
import { Ajv } from '../support/ajv'
import { historyOf, type Table } from '../support/changes'
import { describing } from '../support/described'
import { catchWarnings } from '../support/warnings'

const warned = catchWarnings()
const told = () => warned.map(([message, more]) => ({ message, code: Object(more).code }))

const LOOSE = '^[\\w-.]+$'
const ref = { $ref: '#/components/schemas/User' }
const User = {
  type: 'object',
  properties: { mail: { type: 'string', pattern: LOOSE }, name: { type: 'string', pattern: '^\\p{L}+$' } },
  patternProperties: { '^x\\_': { type: 'string' } },
}
const media = { content: { 'application/json': { schema: ref } } }
const document = {
  openapi: '3.1.0',
  info: { title: 'Users', version: '2' },
  paths: {
    '/users/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      put: {
        parameters: [{ name: 'tag', in: 'query', schema: { type: 'string', pattern: '\\@' } }],
        requestBody: { required: true, ...media },
        responses: { 200: { description: 'Done.', ...media } },
      },
    },
  },
  components: { schemas: { User } },
}

const START =
  'These patterns do not compile with the flag "u", which JSON Schema asks for. Validators such as Ajv fail for them with the first request. '
const linesOf = (message: unknown) => String(message).split('\n').slice(1)
const ajv = () => new Ajv({ strict: false })
const compile = (schema: object) => ajv().compile(schema)

test('a document tells at start which patterns only compile without the flag u, once', () => {
  const routes = routesOf(structuredClone(document))
  const changes = historyOf([change('C.', { User: fields({ added: ['name'] }) })])
  versioning({ scheme: HeaderVersioning, routes, changes, contract: contract({ compile }) })
  const [first, ...others] = told()
  expect([others, first?.code]).toEqual([[], 'EXPRESS_VERSIONING_PATTERN'])
  expect(first?.message).toContain(START)
  expect(linesOf(first?.message)).toEqual([
    `- at "/components/schemas/User/properties/mail/pattern", '${LOOSE.replace('\\', '\\\\')}': Invalid character class`,
    `- at "/components/schemas/User/patternProperties", '^x\\\\_': Invalid escape`,
    `- at "/paths/~1users~1{id}/put/parameters/0/schema/pattern", '\\\\@': Invalid escape`,
  ])
  const given = structuredClone(document)
  routesOf(given)
  routesOf(given)
  expect(warned).toHaveLength(2)
})

const described = (schema: object): Table => describing({ 'POST other': { body: schema, response: null } })

test('a contract tells it of described schemas, and of older ones', () => {
  const older = { type: 'object', properties: { old: { type: 'string', pattern: '\\_' } } }
  const Own = { $id: 'Own', ...User }
  const routes = described({ type: 'object', properties: { own: Own, a: { pattern: '\\-' } } })
  const changes = historyOf([
    change('C.', { Own: shape(older, { request: (value) => value, response: (value) => value }) }),
  ])
  const options = { scheme: HeaderVersioning, routes, changes }
  versioning(options)
  expect(warned).toEqual([])
  const own = { ...options, contract: contract({ compile, requests: 'all' }) }
  versioning(own)
  openapi(own)
  expect(told().map(({ message }) => linesOf(message))).toEqual([
    [
      `- at "POST other#/properties/a/pattern", '\\\\-': Invalid escape`,
      `- at "Own#/properties/old/pattern", '\\\\_': Invalid escape`,
      `- at "Own#/patternProperties", '^x\\\\_': Invalid escape`,
      `- at "Own#/properties/mail/pattern", '^[\\\\w-.]+$': Invalid character class`,
    ],
  ])
})

test('a contract without compile has no use for patterns, and a long list is cut', () => {
  const many = Object.fromEntries([...Array(30).keys()].map((index) => [`a${index}`, { pattern: `\\_${index}` }]))
  const changes = historyOf([change('C.', { 'POST other': { status: { 201: 200 } } })])
  const start = (options: object) =>
    versioning({
      scheme: HeaderVersioning,
      routes: described({ properties: many }),
      changes,
      contract: contract(options as never),
    })
  expect(() => start({ standard: true })).toThrow()
  expect(warned).toEqual([])
  start({ compile })
  const lines = linesOf(told()[0]?.message)
  expect([lines.length, lines.at(-1)]).toEqual([21, '- and 10 more'])
})

test('steps are tried all the same', async () => {
  const { mail } = User.properties
  const schema = { $id: 'User', type: 'object', properties: { mail } }
  const routes = describing({ 'POST other': { body: schema, response: schema } })
  const changes = historyOf([change('C.', { User: fields({ renamed: { email: 'mail' } }) })])
  expect(await checkHistory({ scheme: HeaderVersioning, routes, changes }, { runs: 5 })).toEqual([])
})
