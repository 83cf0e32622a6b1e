// The newest document is the given one, byte by byte, but for what the version adds.
import { HeaderVersioning } from 'express-versioning'
import { change, fields, versionHistory } from 'express-versioning/changes'
import { openapi, routesOf } from 'express-versioning/openapi'
import fc from 'fast-check'
import { json, list, NONE, object, ok, ref, text } from '../support/parts'
import { property } from '../support/property'

/** A scheme that adds nothing to documents, because it does not say how clients name versions. */
class Silent extends HeaderVersioning {
  override carry(): undefined {
    return undefined
  }
}

const at = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })
const id = { name: 'id', in: 'path', required: true, schema: text, 'x-own': { $ref: 'data' } }
const user = object({ id: text, name: { ...text, example: 'Ada' }, friends: list(ref('User')) }, 'id')

const RESPONSES = [
  { 200: at('responses', 'One') },
  { 200: ok(ref('User'), { example: { id: '1', name: 'x' } }), default: at('responses', 'Any') },
  { 200: ok(list(ref('User'))), '4XX': { description: 'No.', headers: { 'X-Left': at('headers', 'Left') } } },
  { 201: { description: '', content: { 'application/vnd.a+json; version=2': { schema: ref('User') } }, 'x-a': [] } },
  { 200: { description: '', content: { 'application/json; charset=utf-8': {}, 'text/csv': { schema: text } } } },
  { default: { description: '' }, 'x-note': null },
  {},
  undefined,
]
const BODIES = [
  undefined,
  at('requestBodies', 'Sent'),
  { content: { 'application/json; a=b': { schema: ref('User') } } },
  { required: false, content: { ...json(ref('User')), 'multipart/form-data': { schema: object({ file: text }) } } },
]
const PARAMETERS = [undefined, [], [at('parameters', 'Q')], [{ name: 'q', in: 'query', schema: text }, id]]

const operation = fc.record({
  responses: fc.constantFrom(...RESPONSES),
  requestBody: fc.constantFrom(...BODIES),
  parameters: fc.constantFrom(...PARAMETERS),
  summary: fc.constantFrom(undefined, 'A summary.', ''),
  deprecated: fc.constantFrom(undefined, true, false),
  tags: fc.constantFrom(undefined, [], ['a']),
  callbacks: fc.constantFrom(undefined, { told: { '{$request.body#/url}': { post: NONE } } }),
  'x-own': fc.constantFrom(undefined, { a: 1 }, null),
})
const item = fc.record({
  get: fc.option(operation, { nil: undefined }),
  put: fc.option(operation, { nil: undefined }),
  head: fc.option(operation, { nil: undefined }),
  parameters: fc.constantFrom(...PARAMETERS),
  summary: fc.constantFrom(undefined, 'A path.'),
})
const reference = fc.constantFrom(
  { $ref: '#/paths/~1a' },
  { $ref: '#/paths/~1a', summary: 'Another.' },
  { $ref: '#/components/pathItems/Shared' },
)

const documents = fc.record({
  openapi: fc.constantFrom('3.0.3', '3.1.0', '3.2.0'),
  info: fc.constant({ version: '2', title: 'Users', license: { name: 'MIT' } }),
  servers: fc.constantFrom(undefined, [], [{ url: 'https://example.com/v2', description: 'x' }]),
  security: fc.constantFrom(undefined, [], [{ key: [] }]),
  tags: fc.constantFrom(undefined, [{ name: 'a' }]),
  paths: fc.option(
    fc.record({
      '/a': item,
      '/b': fc.oneof(item, reference),
      '/c': fc.oneof(item, reference),
      '/d': fc.constant({ get: { responses: { 200: ok(ref('User')) } } }),
      'x-paths': fc.constant({ a: 1 }),
    }),
    { nil: undefined },
  ),
  webhooks: fc.constantFrom(undefined, { told: { post: NONE } }, { told: at('pathItems', 'Shared') }),
  components: fc.record({
    schemas: fc.constant({ User: user, Unused: { ...list(ref('User')), default: [] } }),
    responses: fc.constant({ One: ok(ref('User')), Any: { description: '' }, Unused: ok(text) }),
    requestBodies: fc.constant({ Sent: { content: json(ref('User')) } }),
    parameters: fc.constant({ Q: { name: 'q', in: 'query', schema: text }, Unused: id }),
    headers: fc.constant({ Left: { schema: text } }),
    examples: fc.constant({ Ada: { value: {} } }),
    pathItems: item.map((Shared) => ({ Shared, Unused: {} })),
    'x-own': fc.constant({}),
  }),
  'x-own': fc.constantFrom(undefined, 1, [{ $ref: '#/nowhere' }]),
})

/** Sorts the fields of all objects in another order. */
function shuffled(value: unknown, seed: number): unknown {
  if (Array.isArray(value)) return value.map((one) => shuffled(one, seed))
  if (typeof value !== 'object' || value === null) return value
  const rank = (name: string) => [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0) * seed) % 997, seed)
  const entries = Object.entries(value).toSorted(([a], [b]) => rank(a) - rank(b))
  return Object.fromEntries(entries.map(([name, one]) => [name, shuffled(one, seed)]))
}

const renamed = change('Names.', { User: fields({ renamed: { fullName: 'name' } }) })
const histories = [versionHistory('1').version('2', renamed), versionHistory('1').version('2')]

beforeAll(() => jest.spyOn(process, 'emitWarning').mockImplementation())
afterAll(() => jest.restoreAllMocks())

property(
  'the newest document is the given one',
  fc.property(documents, fc.nat(500), (made, seed) => {
    const given = JSON.stringify(shuffled(made, seed))
    for (const changes of made.paths === undefined ? histories.slice(1) : histories) {
      const routes = routesOf(JSON.parse(given) as object)
      const options = { scheme: Silent, defaultVersion: '2', changes, routes }
      expect(JSON.stringify(openapi(options as never).document('2'))).toBe(given)
    }
  }),
)
