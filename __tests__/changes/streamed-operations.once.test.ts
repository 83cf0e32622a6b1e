// Steps for whole responses of operations that stream, and messages about descriptions of streams.
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { type Change, change, events, versionHistory } from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'
import { historyOf } from '../support/changes'

const text = { type: 'string' }
const Order = { $id: 'Order', type: 'object', properties: { id: text, title: text }, required: ['id', 'title'] }
const SSE = 'text/event-stream'
const LINES = 'application/x-ndjson'
const feed = { [SSE]: { itemSchema: events({ created: Order }) } }

const whole = (more: object = {}) => change('Whole.', { 'GET feed': { response: (body: unknown) => body, ...more } })
const lines = { content: { [LINES]: { itemSchema: Order } } }
const onlyStreams = (operation: string, by: string) =>
  `versioning(): the change "Whole." speaks of "${operation}", but it only streams by ${by}, and no "response" gets a stream, so older versions would get the newest items. Write "item" instead, which gets one item at a time; or, if the operation sends JSON too, describe that beside the stream.`

/** Binds a history to a table whose `GET feed` has this description. */
function bindWhole(description: object, ...changes: Change[]) {
  const routes = namedRoutes({ feed: '/feed' })
  routes.describe('GET feed', description as never).describe('*', { response: { '4XX': null, '5XX': null } })
  routes.route('feed').get((_req, res) => void res.end())
  const history = historyOf(changes)
  const options = { scheme: HeaderVersioning, defaultVersion: 'v2', routes, changes: history }
  versioning(options)
  history.for(options)
}

it.each<[title: string, response: object]>([
  ['events', { 200: { content: feed } }],
  ['lines alone', lines],
  [
    'all kinds of streams',
    { 200: { content: { ...feed, [LINES]: { itemSchema: Order }, 'application/json-seq': true } } },
  ],
  ['a stream without items', { 200: { content: { [SSE]: { type: 'string' } } } }],
  ['a stream and errors', { 200: lines, 404: Order, default: Order }],
  ['a stream and no content', { 200: lines, 204: null }],
  ['two statuses', { 200: lines, '2XX': { content: feed } }],
  ['`default` alone', { default: lines }],
])('a step "response" of an operation that only streams is a mistake: %s', (_title, response) => {
  expect(() => bindWhole({ response }, whole() as Change)).toThrow(new TypeError(onlyStreams('GET feed', 'describe()')))
})

const step = (change: object) => change as Change
it.each<[title: string, description: object, ...changes: Change[]]>([
  ['JSON beside a stream', { response: { 200: { content: { ...feed, 'application/json': Order } } } }, step(whole())],
  ['JSON of another status', { response: { 200: lines, 201: Order } }, step(whole())],
  [
    'another type beside a stream',
    { response: { 200: { content: { ...feed, 'text/csv': { type: 'string' } } } } },
    step(whole()),
  ],
  ['a success without JSON', { response: { 200: null } }, step(whole())],
  ['no success', { response: { 404: Order } }, step(whole())],
  ['no description', { response: undefined }, step(whole())],
  ['no media type', { response: { content: {} } }, step(whole())],
  ['an item too', { response: lines }, step(whole({ item: (item: unknown) => item }))],
  [
    'no step',
    { response: lines },
    step(change('Heads.', { 'GET feed': { headers: { Age: null }, status: { 200: 201 } } })),
  ],
  ['errors', { response: lines }, step(change('Errors.', { 'GET feed': { error: (body: unknown) => body } }))],
  ['a body that the step makes', { response: { 200: lines, 204: null } }, step(whole({ status: { 204: 200 } }))],
  ['another status of the handler', { response: { 200: lines } }, step(whole({ status: { 201: 200 } }))],
  ['a description of one version', { response: lines, versions: { v1: { response: Order } } }, step(whole())],
  [
    'JSON that older versions have',
    { response: lines },
    step(whole()),
    step(change('It streams.', { 'GET feed': { older: { response: Order } } })),
  ],
])('a step "response" may stand beside %s', (_title, description, ...changes) => {
  expect(() => bindWhole(description, ...changes)).not.toThrow()
})

it('a step "response" may be that of one version alone, of those that its name fits', () => {
  const tableOf = (response: object) => {
    const table = namedRoutes({ feed: '/feed' })
    table
      .describe('GET feed', { response: response as never })
      .route('feed')
      .get(() => {})
    return table
  }
  const bound = (older: object) => () => {
    const routes = namedRoutes({})
      .include('/v1', tableOf(older), { namespace: 'v1' })
      .include('/v2', tableOf(lines), { namespace: 'v2' })
    versioning({
      scheme: HeaderVersioning,
      defaultVersion: 'v2',
      routes,
      changes: versionHistory('v1').version('v2', whole()),
    })
  }
  expect(bound(Order)).not.toThrow()
  expect(bound(lines)).toThrow(onlyStreams('GET feed', 'describe()'))
})

// Documents -----------------------------------------------------------------------------------------------------------

const given = (media: object) =>
  routesOf({
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    paths: { '/feed': { get: { responses: { 200: { description: 'A feed', content: { [SSE]: media } } } } } },
  })
const inDocument = (media: object, more: Change) => ({
  scheme: HeaderVersioning,
  routes: given(media),
  changes: versionHistory('v1').version('v2', more as never) as ReturnType<typeof versionHistory>,
})
const IN_DOCUMENT = { 'GET /feed': { item: (item: unknown) => item } }

it('messages are about the document of the table', () => {
  const unsaid = { schema: { type: 'string' } }
  expect(() => versioning(inDocument(unsaid, step(change('Odd.', IN_DOCUMENT))))).toThrow(
    new TypeError(
      'versioning(): the change "Odd." speaks of "GET /feed", but it is no stream by the document, so it has no "item". Write "itemSchema" there, whatever its version of OpenAPI: "content": { "text/event-stream": { "itemSchema": ... } }.',
    ),
  )
  const options = inDocument(unsaid, step(change('Odd.', { 'GET /feed': { error: (body: unknown) => body } })))
  expect(() => options.changes.for(options).item('GET /feed', {}, 'v1')).toThrow(
    'item(): the document says no { itemSchema } of "GET /feed": it has no items.',
  )
  const said = { itemSchema: { type: 'object' } }
  expect(() => versioning(inDocument(said, step(change('Odd.', IN_DOCUMENT))))).not.toThrow()
  const response = { 'GET /feed': { response: (body: unknown) => body } }
  expect(() => versioning(inDocument(said, step(change('Whole.', response))))).toThrow(
    onlyStreams('GET /feed', 'the document'),
  )
})

it.each<[title: string, isMistake: boolean, responses: object, response?: object]>([
  ['a stream without items', true, { 200: { content: { [SSE]: { schema: { type: 'string' } } } } }],
  ['streams in a range, and no content', true, { '2XX': { content: { [SSE]: {}, [LINES]: {} } }, 204: {} }],
  ['a stream for all other statuses', true, { 404: {}, default: { content: { [SSE]: {} } } }],
  ['a stream beside errors', true, { 200: { content: { [SSE]: {} } }, default: { content: { 'text/plain': {} } } }],
  ['another type', false, { 200: { content: { [SSE]: {}, 'text/csv': {} } } }],
  ['another status', false, { 200: { content: { [SSE]: {} } }, 202: { content: { 'text/plain': {} } } }],
  ['no content', false, { 200: {} }],
  ['no success', false, { 404: {} }],
  ['a description that replaces it', false, { 200: { content: { [SSE]: {} } } }, { response: Order }],
])('documents say what a step "response" gets: %s', (...[, isMistake, responses, described]) => {
  const routes = routesOf({ openapi: '3.0.3', paths: { '/feed': { get: { responses } } } })
  if (described !== undefined) routes.describe('GET /feed', described)
  const changes = versionHistory('v1').version(
    'v2',
    change('Whole.', { 'GET /feed': { response: (body: unknown) => body } }) as never,
  ) as ReturnType<typeof versionHistory>
  const bound = expect(() => versioning({ scheme: HeaderVersioning, routes, changes }))
  if (isMistake) bound.toThrow(onlyStreams('GET /feed', 'the document'))
  else bound.not.toThrow()
})

const stream = { content: { [SSE]: {} } }
type Statuses = Readonly<Record<number, number>>
it.each<[title: string, isMistake: boolean, responses: object, status: Statuses, common?: object]>([
  ['a stream', true, { 200: stream }, { 200: 201 }],
  ['a stream of a range', true, { '2XX': stream }, { 202: 200 }],
  ['a stream for all other statuses', true, { 404: {}, default: stream }, { 200: 201 }],
  ['one of two streams', true, { 200: stream, 201: { content: { [LINES]: { itemSchema: Order } } } }, { 201: 200 }],
  ['an error', true, { 200: stream, default: { content: { 'text/plain': {} } } }, { 409: 400 }],
  [
    'a status that only `default` describes',
    false,
    { 200: stream, default: { content: { 'text/plain': {} } } },
    { 201: 200 },
  ],
  ['a status that nothing describes', false, { 200: stream }, { 201: 200 }],
  ['a redirection', false, { 200: stream, 302: {} }, { 302: 200 }],
  ['no content', false, { '2XX': stream }, { 204: 200 }],
  ['a status that all operations share', false, { 200: stream }, { 201: 200 }, { 201: Order }],
])(
  'a document says whether the changed status has a step "response": %s',
  (...[, isMistake, responses, status, common]) => {
    const routes = routesOf({ openapi: '3.0.3', paths: { '/feed': { get: { responses } } } })
    if (common !== undefined) routes.describe('*', { response: common as never })
    const changes = versionHistory('v1').version(
      'v2',
      change('Whole.', { 'GET /feed': { response: (body: unknown) => body, status } }) as never,
    ) as ReturnType<typeof versionHistory>
    const bound = expect(() => versioning({ scheme: HeaderVersioning, routes, changes }))
    if (isMistake) bound.toThrow(onlyStreams('GET /feed', 'the document'))
    else bound.not.toThrow()
  },
)

it.each<[response: object, message: string]>([
  [
    { 200: { content: { [SSE]: { schema: events({ created: Order }) } } } },
    'At "response.200.content.text/event-stream" is { schema: [Object] }: write { itemSchema: ... } for the items of a stream.',
  ],
  [
    { content: { [LINES]: Order, 'application/json': { schema: events({ created: Order }) } } },
    'At "response.content.application/json" is { schema: [Object] }: write the schema itself.',
  ],
  [
    { 200: Order, 201: { schema: events({ created: Order }) } },
    'At "response.201" is { schema: [Object] }: write the schema itself; that of a stream by its media type, { content: { \'text/event-stream\': { itemSchema: ... } } }.',
  ],
  [
    { itemSchema: events({ created: Order }) },
    'At "response" is { itemSchema: [Object] }: write the schema itself; that of a stream by its media type, { content: { \'text/event-stream\': { itemSchema: ... } } }.',
  ],
  [
    { 200: { content: { 'text/plain': { itemSchema: 7 } } } },
    'At "response.200.content.text/plain" is { itemSchema: 7 }.',
  ],
  [
    { 200: { content: { [SSE]: { itemSchema: 7 } } } },
    'At "response.200.content.text/event-stream" is { itemSchema: 7 }.',
  ],
  [{ 200: { content: { [SSE]: 7 } } }, 'At "response.200.content.text/event-stream" is 7.'],
  [{ 200: 7 }, 'At "response.200" is 7.'],
])('tells which part of a description is no schema: %#', (response, message) => {
  const routes = namedRoutes({ feed: '/feed' })
  const describing = () => routes.describe('GET feed', { response: response as never })
  expect(describing).toThrow('describe(): "GET feed": option "response" takes JSON Schema 2020-12')
  expect(describing).toThrow(message)
})
