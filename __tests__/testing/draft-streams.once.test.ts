// Drafts of documents with streams and webhooks.
import { HeaderVersioning, namedRoutes } from 'express-versioning'
import { openapi } from 'express-versioning/openapi'
import { draftHistory } from 'express-versioning/testing'
import { complete, expectIn } from '../support/drafts'
import { documentOf, type Json, number, object, operation, ref, response, text } from './api-documents'

const documentIn = (version: string, more: Parameters<typeof documentOf>[1]) =>
  documentOf(version, { openapi: '3.2.0', webhooks: {}, ...more })
const feed = (responses: Json) => ({ '/feed': { get: operation({ responses }) } })
/** Drafts the history of the responses of one operation. */
const draftOf = (older: Json, newer: Json) =>
  draftHistory([documentIn('1', { paths: feed(older) }), documentIn('2', { paths: feed(newer) })])

const a = object({ a: text }, ['a'])
const aAndB = object({ a: text, b: text }, ['a', 'b'])
const c = object({ c: text }, ['c'])
/** The items of a stream of server-sent events: one event, whose data is a user. */
const eventOf = (name: string) => {
  const data = { ...text, contentMediaType: 'application/json', contentSchema: ref('User') }
  return { oneOf: [object({ event: { const: name }, data }, ['event', 'data'])] }
}

const users = {
  'text/event-stream': { itemSchema: eventOf('created') },
  'application/jsonl': { itemSchema: ref('User') },
}
const total = object({ id: text, total: number }, ['id'])
test.each([
  {
    name: 'a shape in items alone',
    user: object({ id: text, sum: number }, ['id']),
    older: users,
    newer: users,
    draft: 'User: fields({ renamed: {',
  },
  {
    name: 'a property of items',
    user: total,
    older: { 'application/jsonl': { itemSchema: a } },
    newer: { 'application/jsonl': { itemSchema: aAndB } },
    draft: 'item: ({ b: _0, ...others }) => others, older: { item: {',
  },
  {
    name: 'items beside JSON',
    user: total,
    older: { 'application/json': { schema: ref('User') }, 'application/jsonl': { itemSchema: a } },
    newer: { 'application/json': { schema: ref('User') }, 'application/jsonl': { itemSchema: aAndB } },
    draft: 'item: ({ b: _0, ...others }) => others, older: { item: {',
  },
  {
    name: 'two streams of one item',
    user: total,
    older: { 'application/jsonl': { itemSchema: a }, 'application/x-ndjson': { itemSchema: a } },
    newer: { 'application/jsonl': { itemSchema: aAndB }, 'application/x-ndjson': { itemSchema: aAndB } },
    draft: 'item: ({ b: _0, ...others }) => others, older: { item: {',
  },
])('the draft is complete: $name', ({ user, older, newer, draft }) => {
  const written = complete(
    documentIn('1', { user, paths: feed({ 200: { description: '', content: older } }) }),
    documentIn('2', { user: total, paths: feed({ 200: { description: '', content: newer } }) }),
  )
  expectIn(written, draft)
})

test('events that changed are left to do', () => {
  const events = (name: string) => ({
    200: { description: '', content: { 'text/event-stream': { itemSchema: eventOf(name) } } },
  })
  const written = draftOf(events('new'), events('created'))
  expect(written).toMatch(/is not complete: it has 1 todo\(\)\.$/m)
  expect(written).toContain("item: todo('GET /feed: make the older item of the newer one')")
})

const noMediaType = { description: '', content: {} }
const lines = (itemSchema: Json) => ({ description: '', content: { 'application/jsonl': { itemSchema } } })
const twoStreams = (jsonl: Json, ndjson: Json) => ({
  description: '',
  content: { 'application/jsonl': { itemSchema: jsonl }, 'application/x-ndjson': { itemSchema: ndjson } },
})
test.each([
  { name: 'different items of two streams', older: { 200: twoStreams(a, c) }, newer: { 200: twoStreams(aAndB, c) } },
  { name: 'a stream that is new', older: { 200: noMediaType }, newer: { 200: lines(a) } },
  { name: 'a stream that is gone', older: { 200: lines(a) }, newer: { 200: noMediaType } },
  { name: 'JSON that became a stream', older: { 200: response(ref('User')) }, newer: { 200: lines(a) } },
  {
    name: 'JSON that became a stream of unknown items',
    older: { 200: response(ref('User')) },
    newer: { 200: { description: '', content: { 'application/jsonl': { schema: text } } } },
  },
  { name: 'a stream of an error', older: { 404: lines(a) }, newer: { 404: lines(aAndB) } },
])('what no change can say is told: $name', ({ older, newer }) => {
  const written = draftOf(older, newer)
  expect(written).toContain('The draft is not complete')
  expect(written).toMatch(/no change can say that GET \/feed has changed at .*json/)
  expect(written).not.toContain('response: ()')
})

test('a step of responses says nothing of a response with a stream alone', () => {
  const id = object({ id: text }, ['id'])
  const idAndB = object({ id: text, b: text }, ['id', 'b'])
  const written = draftOf({ 200: lines(a), 201: response(id) }, { 200: lines(a), 201: response(idAndB) })
  expectIn(written, 'older: { response: { 201: {')
})

test('items that documents of OpenAPI 3.1 have in words are told', () => {
  const documentWith = (version: string, itemSchema: object) => {
    const routes = namedRoutes({ feed: '/feed' })
    routes.describe('GET feed', { response: { 200: { content: { 'application/jsonl': { itemSchema } } } } })
    routes.route('feed').get(() => {})
    return openapi({ scheme: HeaderVersioning, allowedVersions: [version], routes }).document(version)
  }
  const b = object({ b: text }, ['b'])
  const written = draftHistory([documentWith('1', a), documentWith('2', b)])
  expect(written).toContain('The draft is not complete')
  expect(written).toMatch(/GET \/feed has changed at .*itemSchema/)
})

const told = (schema: unknown) => {
  const responses = { 204: { description: '' } }
  return { told: { post: { requestBody: { content: { 'application/json': { schema } } }, responses } } }
}

test('webhooks have the shapes of their version', () => {
  const webhooks = told(ref('User'))
  const user = object({ id: text, sum: number }, ['id'])
  complete(documentIn('1', { user, webhooks }), documentIn('2', { user: total, webhooks }))
})

test.each([[told(text)], [{}]])('other webhooks are told', (older) => {
  const written = draftHistory([documentIn('1', { webhooks: older }), documentIn('2', { webhooks: told(ref('User')) })])
  expect(written).toMatch(/^\/\/ - no change can say that webhook POST told (?:has changed|is new)/m)
})
