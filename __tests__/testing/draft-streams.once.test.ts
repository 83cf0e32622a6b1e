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

test.each<[string, older: Json, newer: Json, written: RegExp, orders?: [object, object]]>([
  [
    'a shape in items alone',
    { 200: stream({ [SSE]: { oneOf: [event('created')] }, [JSONL]: ref }) },
    { 200: stream({ [SSE]: { oneOf: [event('created')] }, [JSONL]: ref }) },
    /Order: fields\(\{\s+renamed: \{/,
    [orderWith('sum'), orderWith('total')],
  ],
  [
    'a property of items',
    { 200: stream({ [JSONL]: item('a') }) },
    { 200: stream({ [JSONL]: item('a', 'b') }) },
    /item: \(\{ b: _0, \.\.\.others \}\) => others,\s+older: \{ item: \{/,
  ],
  [
    'items beside JSON',
    { 200: { ...stream({ [JSONL]: item('a') }), content: { ...stream({ [JSONL]: item('a') }).content, ...json } } },
    {
      200: {
        ...stream({ [JSONL]: item('a', 'b') }),
        content: { ...stream({ [JSONL]: item('a', 'b') }).content, ...json },
      },
    },
    /item: /,
  ],
  [
    'two streams of one item',
    { 200: stream({ [JSONL]: item('a'), 'application/x-ndjson': item('a') }) },
    { 200: stream({ [JSONL]: item('a', 'b'), 'application/x-ndjson': item('a', 'b') }) },
    /item: /,
  ],
])(
  'the draft is complete: %s',
  (_, older, newer, expected, [before, after] = [orderWith('total'), orderWith('total')]) => {
    const documents = [documentOf('1', older, { order: before }), documentOf('2', newer, { order: after })] as const
    const written = draftHistory(documents)
    expect(written).toContain('The draft is complete')
    expect(written).toMatch(expected)
    expect(differencesOf(alone(documents[0]), givenBy(drafted(written), documents[1], '1'))).toStrictEqual([])
  },
)

test('events that changed are left to do', () => {
  const written = draftHistory([
    documentOf('1', { 200: stream({ [SSE]: { oneOf: [event('new')] } }) }),
    documentOf('2', { 200: stream({ [SSE]: { oneOf: [event('created')] } }) }),
  ])
  expect(written).toMatch(/is not complete: it has 1 todo\(\)\.$/m)
  expect(written).toContain("item: () => todo('GET /feed: make the older item of the newer one')")
})

test.each<[string, older: Json, newer: Json]>([
  [
    'different items of two streams',
    { 200: stream({ [JSONL]: item('a'), 'application/x-ndjson': item('c') }) },
    { 200: stream({ [JSONL]: item('a', 'b'), 'application/x-ndjson': item('c') }) },
  ],
  ['a stream that is new', { 200: stream({}) }, { 200: stream({ [JSONL]: item('a') }) }],
  ['a stream that is gone', { 200: stream({ [JSONL]: item('a') }) }, { 200: stream({}) }],
  ['JSON that became a stream', { 200: { description: '', content: json } }, { 200: stream({ [JSONL]: item('a') }) }],
  [
    'JSON that became a stream of unknown items',
    { 200: { description: '', content: json } },
    { 200: { description: '', content: { [JSONL]: { schema: text } } } },
  ],
  ['a stream of an error', { 404: stream({ [JSONL]: item('a') }) }, { 404: stream({ [JSONL]: item('a', 'b') }) }],
])('what no change can say is told: %s', (_, older, newer) => {
  const written = draftHistory([documentOf('1', older), documentOf('2', newer)])
  expect(written).toContain('The draft is not complete')
  expect(written).toMatch(/another one: GET \/feed has changed at .*json/)
  expect(written).not.toContain('response: ()')
})

test('a step of responses says nothing of a response with a stream alone', () => {
  const both = (...names: string[]) => ({
    200: stream({ [JSONL]: item('a') }),
    201: { description: '', content: { 'application/json': { schema: item('id', ...names) } } },
  })
  const written = draftHistory([documentOf('1', both()), documentOf('2', both('b'))])
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

const webhooks = (schema: unknown) => ({
  told: {
    post: { requestBody: { content: { 'application/json': { schema } } }, responses: { 204: { description: '' } } },
  },
})
const none = { 204: { description: '' } }

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
