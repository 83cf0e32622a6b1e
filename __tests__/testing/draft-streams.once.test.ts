// Drafts of documents with streams and webhooks.
import { HeaderVersioning, namedRoutes } from 'express-versioning'
import { openapi } from 'express-versioning/openapi'
import { draftHistory } from 'express-versioning/testing'
import { rows } from '../support/rows'
import { complete, documentOf, expectIn, type Json, object, ref, text } from './shorthand'

const documentIn = (version: string, user: string, operations = '', webhooks: Json = {}) =>
  documentOf(version, user, operations, { rest: { openapi: '3.2.0', webhooks } })
const draft = (older: string, newer: string) =>
  draftHistory([documentIn('1', 'id!', `GET /feed ${older}`), documentIn('2', 'id!', `GET /feed ${newer}`)])

test.each(
  rows(`
  a shape in items alone | id! sum:number | 200=sse*created&jsonl*@User | 200=sse*created&jsonl*@User | User: fields({ renamed: {
  a property of items | id! total:number | 200=jsonl*(a!) | 200=jsonl*(a!;b!) | item: ({ b: _0, ...others }) => others, older: { item: {
  items beside JSON | id! total:number | 200=@User&jsonl*(a!) | 200=@User&jsonl*(a!;b!) | item: ({ b: _0, ...others }) => others, older: { item: {
  two streams of one item | id! total:number | 200=jsonl*(a!)&ndjson*(a!) | 200=jsonl*(a!;b!)&ndjson*(a!;b!) | item: ({ b: _0, ...others }) => others, older: { item: {
`),
)('the draft is complete: %s', (_, user = '', older, newer, written) => {
  const documents = [
    documentIn('1', user, `GET /feed ${older}`),
    documentIn('2', 'id! total:number', `GET /feed ${newer}`),
  ]
  expectIn(complete(...(documents as Parameters<typeof complete>)), written)
})

test('events that changed are left to do', () => {
  const written = draft('200=sse*new', '200=sse*created')
  expect(written).toMatch(/is not complete: it has 1 todo\(\)\.$/m)
  expect(written).toContain("item: todo('GET /feed: make the older item of the newer one')")
})

test.each(
  rows(`
  different items of two streams | 200=jsonl*(a!)&ndjson*(c!) | 200=jsonl*(a!;b!)&ndjson*(c!)
  a stream that is new | 200 200+{"content":{}} | 200=jsonl*(a!)
  a stream that is gone | 200=jsonl*(a!) | 200 200+{"content":{}}
  JSON that became a stream | 200=@User | 200=jsonl*(a!)
  JSON that became a stream of unknown items | 200=@User | 200 200+{"content":{"application/jsonl":{"schema":{"type":"string"}}}}
  a stream of an error | 404=jsonl*(a!) | 404=jsonl*(a!;b!)
`),
)('what no change can say is told: %s', (_, older = '', newer = '') => {
  const written = draft(older, newer)
  expect(written).toContain('The draft is not complete')
  expect(written).toMatch(/no change can say that GET \/feed has changed at .*json/)
  expect(written).not.toContain('response: ()')
})

test('a step of responses says nothing of a response with a stream alone', () => {
  expectIn(draft('200=jsonl*(a!) 201=(id!)', '200=jsonl*(a!) 201=(id!;b!)'), 'older: { response: { 201: {')
})

test('items that documents of OpenAPI 3.1 have in words are told', () => {
  const documentWith = (version: string, itemSchema: object) => {
    const routes = namedRoutes({ feed: '/feed' })
    routes.describe('GET feed', { response: { 200: { content: { 'application/jsonl': { itemSchema } } } } })
    routes.route('feed').get(() => {})
    return openapi({ scheme: HeaderVersioning, allowedVersions: [version], routes }).document(version)
  }
  const written = draftHistory([documentWith('1', object('a!')), documentWith('2', object('b!'))])
  expect(written).toContain('The draft is not complete')
  expect(written).toMatch(/GET \/feed has changed at .*itemSchema/)
})

const told = (schema: unknown) => {
  const responses = { 204: { description: '' } }
  return { told: { post: { requestBody: { content: { 'application/json': { schema } } }, responses } } }
}

test('webhooks have the shapes of their version', () => {
  const webhooks = told(ref('User'))
  complete(documentIn('1', 'id! sum:number', '', webhooks), documentIn('2', 'id! total:number', '', webhooks))
})

test.each([[told(text)], [{}]])('other webhooks are told', (older) => {
  const written = draftHistory([documentIn('1', 'id!', '', older), documentIn('2', 'id!', '', told(ref('User')))])
  expect(written).toMatch(/^\/\/ - no change can say that webhook POST told (?:has changed|is new)/m)
})
