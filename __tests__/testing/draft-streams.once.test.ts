// Drafts of documents with streams and webhooks.
import { HeaderVersioning, namedRoutes } from 'express-versioning'
import { openapi } from 'express-versioning/openapi'
import { draftHistory } from 'express-versioning/testing'
import { differencesOf } from '../../src/openapi/meaning/documents'
import { alone, type Document, drafted, givenBy } from '../support/drafts'

type Json = Record<string, unknown>

const text = { type: 'string' }
const number = { type: 'number' }
const ref = { $ref: '#/components/schemas/Order' }
const orderWith = (name: string) => ({ type: 'object', properties: { id: text, [name]: number }, required: ['id'] })
const item = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, text])),
  required: names,
})
const event = (name: string) => ({
  type: 'object',
  properties: { event: { const: name }, data: { ...text, contentMediaType: 'application/json', contentSchema: ref } },
  required: ['event', 'data'],
})
const SSE = 'text/event-stream'
const JSONL = 'application/jsonl'
const stream = (content: Json) => ({
  description: 'All.',
  content: Object.fromEntries(Object.entries(content).map(([type, itemSchema]) => [type, { itemSchema }])),
})
const json = { 'application/json': { schema: ref } }

function documentOf(
  version: string,
  responses: Json,
  { order = orderWith('total'), webhooks = {} }: Json = {},
): Document {
  return {
    openapi: '3.2.0',
    info: { title: 'Shop', version },
    paths: {
      '/feed': { get: { responses } },
      '/order': { get: { responses: { 200: { description: '', content: json } } } },
    },
    webhooks,
    components: { schemas: { Order: order } },
  } as unknown as Document
}

const NDJSON = 'application/x-ndjson'
const both = { 200: stream({ [SSE]: { oneOf: [event('created')] }, [JSONL]: ref }) }
const items = (...names: string[]) => ({ 200: stream({ [JSONL]: item(...names) }) })
const twice = (...names: string[]) => ({ 200: stream({ [JSONL]: item(...names), [NDJSON]: item(...names) }) })
const beside = (...names: string[]) => ({
  200: { ...stream({}), content: { [JSONL]: { itemSchema: item(...names) }, ...json } },
})
const WITHOUT_B = /item: \(\{ b: _0, \.\.\.others \}\) => others,\s+older: \{ item: \{/
test.each<[string, older: Json, newer: Json, written: RegExp, before?: object]>([
  ['a shape in items alone', both, both, /Order: fields\(\{\s+renamed: \{/, orderWith('sum')],
  ['a property of items', items('a'), items('a', 'b'), WITHOUT_B],
  ['items beside JSON', beside('a'), beside('a', 'b'), WITHOUT_B],
  ['two streams of one item', twice('a'), twice('a', 'b'), WITHOUT_B],
])('the draft is complete: %s', (_, older, newer, expected, order = orderWith('total')) => {
  const documents = [documentOf('1', older, { order }), documentOf('2', newer)] as const
  const written = draftHistory(documents)
  expect(written).toContain('The draft is complete')
  expect(written).toMatch(expected)
  expect(differencesOf(alone(documents[0]), givenBy(drafted(written), documents[1], '1'))).toStrictEqual([])
})

test('events that changed are left to do', () => {
  const written = draftHistory([
    documentOf('1', { 200: stream({ [SSE]: { oneOf: [event('new')] } }) }),
    documentOf('2', { 200: stream({ [SSE]: { oneOf: [event('created')] } }) }),
  ])
  expect(written).toMatch(/is not complete: it has 1 todo\(\)\.$/m)
  expect(written).toContain("item: () => todo('GET /feed: make the older item of the newer one')")
})

const different = (...names: string[]) => ({ 200: stream({ [JSONL]: item(...names), [NDJSON]: item('c') }) })
const error = (...names: string[]) => ({ 404: stream({ [JSONL]: item(...names) }) })
test.each<[string, older: Json, newer: Json]>([
  ['different items of two streams', different('a'), different('a', 'b')],
  ['a stream that is new', { 200: stream({}) }, items('a')],
  ['a stream that is gone', items('a'), { 200: stream({}) }],
  ['a stream of an error', error('a'), error('a', 'b')],
])('what no change can say is told: %s', (_, older, newer) => {
  const written = draftHistory([documentOf('1', older), documentOf('2', newer)])
  expect(written).toContain('The draft is not complete')
  expect(written).toMatch(/another one: GET \/feed has changed at .*jsonl/)
})

test('a step of responses says nothing of a response with a stream alone', () => {
  const made = (...names: string[]) => ({
    ...items('a'),
    201: { description: '', content: { 'application/json': { schema: item('id', ...names) } } },
  })
  const written = draftHistory([documentOf('1', made()), documentOf('2', made('b'))])
  expect(written).toMatch(/older: \{\s+response: \{ 201: \{/)
})

test('items that documents of OpenAPI 3.1 have in words are told', () => {
  const documentIn = (version: string, one: unknown) => {
    const routes = namedRoutes({ feed: '/feed' })
    routes.describe('GET feed', { response: { 200: { content: { [JSONL]: { itemSchema: one as object } } } } })
    routes.route('feed').get(() => {})
    return openapi({ scheme: HeaderVersioning, allowedVersions: [version], routes }).document(version)
  }
  const written = draftHistory([documentIn('1', item('a')), documentIn('2', item('b'))])
  expect(written).toContain('The draft is not complete')
  expect(written).toMatch(/GET \/feed has changed at .*itemSchema/)
})

const none = { 204: { description: '' } }
const webhooks = (schema: unknown) => ({
  told: { post: { requestBody: { content: { 'application/json': { schema } } }, responses: none } },
})

test('webhooks have the shapes of their version', () => {
  const documents = [
    documentOf('1', none, { order: orderWith('sum'), webhooks: webhooks(ref) }),
    documentOf('2', none, { webhooks: webhooks(ref) }),
  ] as const
  const written = draftHistory(documents)
  expect(written).toContain('The draft is complete')
  expect(differencesOf(alone(documents[0]), givenBy(drafted(written), documents[1], '1'))).toStrictEqual([])
})

test.each([[webhooks(text)], [{}]])('other webhooks are told', (older) => {
  const written = draftHistory([
    documentOf('1', none, { webhooks: older }),
    documentOf('2', none, { webhooks: webhooks(ref) }),
  ])
  expect(written).toMatch(
    /^\/\/ - the document of 1 that the draft gives is another one: webhook POST told (?:has changed|is new)/m,
  )
})
