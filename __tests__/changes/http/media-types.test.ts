// Media types of streams and of others: which ones are converted, which are mistakes, and what nobody described.
import type { Request, Response } from 'express'
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { type Change, change, convertRequest, events, fields, versionHistory } from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'
import { z } from 'zod'
import { documentOf } from '../../support/documents'
import { json, list, named, object, ref, text } from '../../support/parts'
import { type Served, serve } from '../../support/serve'
import { catchWarnings } from '../../support/warnings'

const Song = { $id: 'Song', ...named('title') }
const RENAMED = change('Songs have another name.', { Song: fields({ renamed: { name: 'title' } }) })
const [SSE, LINES, CSV, XML] = ['text/event-stream', 'application/x-ndjson', 'text/csv', 'application/xml']
const ITEM = '{"id":"1","title":"a"}'
const OLDER = '{"id":"1","name":"a"}'
const V1 = { 'X-API-Version': 'v1' }
const warned = catchWarnings()

type Send = (res: Response, req: Request) => unknown
type Content = Record<string, { schema?: unknown; itemSchema?: unknown }>
const historyOf = (changes: Change[] = [RENAMED]) => versionHistory('v1').version('v2', ...changes)
const optionsOf = (routes: object, changes?: Change[]) =>
  ({ scheme: HeaderVersioning, defaultVersion: 'v2', changes: historyOf(changes), routes }) as never

/** Serves `GET /feed` with such responses, and `/song` with a song as JSON. Schemas of the document are written by names. */
type Serving = (responses: Record<string, Content | null>, send: Send, changes?: Change[]) => Promise<Served>

/** Lets schemas be those of `describe()`: the schema itself, and the definitions in place. */
function described(content: Content | null): unknown {
  if (content === null) return null
  const whole = (schema: unknown): unknown =>
    JSON.parse(JSON.stringify(schema), (_, value) => (value?.$ref === ref('Song').$ref ? Song : value))
  const entries = Object.entries(content).map(([type, { schema, itemSchema }]) => [
    type,
    itemSchema === undefined ? whole(schema) : { itemSchema: whole(itemSchema) },
  ])
  return { content: Object.fromEntries(entries) }
}

const byTable: Serving = (responses, send, changes) =>
  serve((app) => {
    const routes = namedRoutes({ feed: '/feed', song: '/song' })
    const response = Object.entries(responses).map(([status, content]) => [status, described(content)])
    routes.describe('GET feed', { response: Object.fromEntries(response) }).describe('GET song', { response: Song })
    routes.describe('*', { response: { '4XX': object({}), '5XX': object({}) } })
    routes.route('feed').get((req, res) => void send(res, req))
    routes.route('song').get((_req, res) => void res.end())
    app.use(versioning(optionsOf(routes, changes)), routes)
  })

const tableOf = (responses: Record<string, Content | null>) => {
  const all = Object.entries(responses).map(([status, content]) => [status, content === null ? {} : { content }])
  const paths = {
    '/feed': { get: { responses: Object.fromEntries(all) } },
    '/song': { get: { responses: { 200: { content: json(ref('Song')) } } } },
  }
  const table = routesOf(documentOf(paths, { schemas: { Song: named('title') } }, '3.2.0'))
  return table.describe('*', { response: { '4XX': object({}), '5XX': object({}) } })
}

const byDocument: Serving = (responses, send, changes) =>
  serve((app) => {
    app.use(versioning(optionsOf(tableOf(responses), changes)), convertRequest as never)
    app.get('/feed', (req, res) => void send(res, req))
  })

const items = (type: string, itemSchema: unknown = ref('Song')): Content => ({ [type]: { itemSchema } })
const whole = (type: string, schema: unknown = ref('Song')): Content => ({ [type]: { schema } })
const JSON_TOO = json(ref('Song'))
const sending =
  (type: string, body: string, status = 200): Send =>
  (res) =>
    res.status(status).type(type).end(body)
const EVENT = `event: added\ndata: ${ITEM}\n\n`

describe.each<[string, Serving]>([
  ['describe()', byTable],
  ['a document', byDocument],
])('by %s', (by, serving) => {
  test.each([
    ['application/x-ndjson'],
    ['application/ndjson'],
    ['application/jsonl'],
    ['application/x-jsonlines'],
    ['application/jsonlines'],
    ['application/x-json-stream'],
    ['application/stream+json'],
    ['application/json-seq'],
    ['application/geo+json-seq'],
    ['Application/Vnd.Songs+JSON-Seq'],
  ])('the items of %s are converted', async (type) => {
    const start = type.toLowerCase().endsWith('seq') ? '\x1e' : ''
    const server = await serving({ 200: items(type) }, sending(type, `${start}${ITEM}\n`))
    expect((await server.get('/feed', V1)).text).toBe(`${start}${OLDER}\n`)
    expect((await server.get('/feed')).text).toBe(`${start}${ITEM}\n`)
  })

  test.each<[type: string, responses: Record<string, Content>]>([
    [CSV, { 200: items(CSV) }],
    ['application/json', { 200: items('application/json') }],
    [CSV, { 200: { ...JSON_TOO, ...items(CSV) } }],
    [CSV, { 200: items(CSV, list(ref('Song'))) }],
    [XML, { 200: whole(XML) }],
    ['application/yaml', { 201: whole('application/yaml', list(ref('Song'))) }],
    ['multipart/mixed', { '2XX': whole('multipart/mixed') }],
    ['text/*', { default: whole('text/*') }],
    [XML, { 200: { ...whole(XML), ...items(LINES) } }],
    [XML, { 200: { ...whole(XML), ...items('application/json', text) } }],
  ])('a changed shape as %s is a mistake: %j', async (type, responses) => {
    const starting = serving(responses, () => {})
    await expect(starting).rejects.toThrow(TypeError)
    await expect(starting).rejects.toThrow(/^versioning\(\): the shape "Song" changes, but .* of "GET \/?feed"\.$/)
    await expect(starting).rejects.toThrow(JSON.stringify(type))
  })

  test.each<[title: string, responses: Record<string, Content>, changes?: Change[]]>([
    ['another shape', { 200: { ...whole(XML, text), ...items(CSV, text) } }],
    ['any', { 200: { ...whole(XML, {}), ...items(CSV, {}) } }],
    ['errors', { 200: JSON_TOO, 404: whole(XML), default: whole(XML) }],
    ['a history without shapes', { 200: { ...whole(XML), ...items(CSV) } }, []],
    ['a type without a schema', { 200: { [XML]: { schema: true } } }],
  ])('no mistake: %s', async (_title, responses, ...[changes]) => {
    const server = await serving(responses, sending(XML, '<a/>'), changes)
    expect(await server.get('/feed', V1)).toMatchObject({ status: 200, text: '<a/>' })
  })

  test('no mistake: an operation that older versions lack', async () => {
    const added = change('Feeds.', { [by === 'describe()' ? 'GET feed' : 'GET /feed']: 'added' })
    const server = await serving({ 200: whole(XML) }, sending(XML, '<a/>'), [RENAMED, added])
    expect((await server.get('/feed', V1)).status).toBe(404)
    expect(await server.get('/feed')).toMatchObject({ status: 200, text: '<a/>' })
  })

  const BOTH = { 200: { ...JSON_TOO, ...whole(XML), ...whole('text/*') }, 202: { ...JSON_TOO }, 404: whole(XML) }
  test.each<[title: string, status: number, send: Send]>([
    ['res.send', 500, (res) => res.type(XML).send('<title/>')],
    ['res.end', 500, sending(XML, '<title/>')],
    [
      'res.write',
      500,
      (res) => [res.writeHead(200, { 'Content-Type': `${XML}; charset=utf-8` }), res.write('<a/>'), res.end()],
    ],
    ['a type of a range', 500, sending('text/html', '<title/>')],
    ['several types', 500, (res) => [res.setHeader('Content-Type', ['image/png', 'Text/X']), res.end('a')]],
    ['a type that nobody described', 200, sending('image/png', 'a')],
    ['no type', 200, (res) => res.end('a')],
    ['another status', 202, sending(XML, '<a/>', 202)],
    ['an error', 404, sending(XML, '<a/>', 404)],
    ['JSON', 200, (res) => res.json(JSON.parse(ITEM))],
  ])('beside JSON, a type with a changed shape is 500 in older versions: %s', async (_title, status, send) => {
    const server = await serving(BOTH, send)
    const { status: got, text } = await server.get('/feed', V1)
    expect([got, text.includes('title')]).toEqual([status, false])
    expect((await server.get('/feed')).status).toBe(status === 500 ? 200 : status)
    const name = by === 'describe()' ? 'GET feed' : 'GET /feed'
    const what = 'These media types have shapes that change, but are not converted. They are 500 in older versions:'
    const lines = [XML, 'text/*'].map((type) => `- the response 200 of "${name}" as "${type}", with the shape "Song"`)
    expect(warned).toEqual([[[what, ...lines].join('\n'), { code: 'EXPRESS_VERSIONING_MEDIA_TYPE' }]])
  })

  test('any type may be JSON, and is 500 in older versions if it is another one', async () => {
    const server = await serving({ 200: whole('*/*') }, (res, { query }) => res.type(String(query.type)).send(ITEM))
    const get = (type: string) => server.get(`/feed?type=${type}`, V1)
    expect((await get('json')).json).toEqual(JSON.parse(OLDER))
    expect((await get('text')).status).toBe(500)
    expect(warned).toEqual([])
  })

  // Streams that nobody described -------------------------------------------------------------------------------------

  const UNDESCRIBED = { status: 500, json: { error: expect.stringContaining('which nobody had described') } }
  test.each<[title: string, responses: Record<string, Content | null>, send: Send]>([
    ['lines where JSON is described', { 200: JSON_TOO }, sending(LINES, `${ITEM}\n`)],
    ['events where JSON is described', { 200: JSON_TOO }, sending(SSE, EVENT)],
    ['events behind a comment', { 200: JSON_TOO }, (res) => [res.type(SSE).write(': hi\n\n'), res.end(EVENT)]],
    ['a head that is flushed', { 200: JSON_TOO }, (res) => [res.type(SSE).flushHeaders(), res.end(EVENT)]],
    ['res.send', { 200: JSON_TOO }, (res) => res.type(SSE).send(EVENT)],
    ['lines where nothing is described', { 200: null }, sending('application/jsonl', `${ITEM}\n`)],
    ['a sequence where nothing is described', { 200: null }, sending('application/geo+json-seq', `\x1e${ITEM}\n`)],
    [
      'lines where events are described',
      { 200: items(SSE, { properties: { data: text } }) },
      sending(LINES, `${ITEM}\n`),
    ],
    ['another status', { 200: { ...JSON_TOO, ...items(LINES) } }, sending(LINES, `${ITEM}\n`, 201)],
    ['errors', { 200: JSON_TOO, 404: json(ref('Song')) }, sending(LINES, `${ITEM}\n`, 404)],
    ['a schema of the whole', { 200: { ...JSON_TOO, ...whole(LINES) } }, sending(LINES, `${ITEM}\n`)],
  ])('a stream that nobody described is 500 in older versions: %s', async (_title, responses, send) => {
    const server = await serving(responses, send)
    expect(await server.get('/feed', V1)).toMatchObject(UNDESCRIBED)
    expect((await server.get('/feed')).text).toContain('title')
    expect((await server.send('HEAD', '/feed', V1)).text).toBe('')
  })

  test.each<[title: string, status: number, send: Send, changes?: Change[]]>([
    ['a history without shapes', 200, sending(LINES, `${ITEM}\n`), []],
    ['the end of a stream', 204, (res) => res.status(204).type(SSE).end()],
    ['an error as text', 404, sending(SSE, 'Not found', 404)],
  ])('it passes: %s', async (_title, status, send, ...[changes]) => {
    expect((await (await serving({ 200: JSON_TOO }, send, changes)).get('/feed', V1)).status).toBe(status)
  })
})

test('a document that says nothing of a stream, or of an operation, is told at start', async () => {
  const server = await byDocument({ 200: { [SSE]: {}, ...whole(LINES) } }, sending(LINES, `${ITEM}\n`))
  expect((await server.get('/feed', V1)).status).toBe(500)
  const [[message, settings] = []] = warned
  expect(settings).toEqual({ code: 'EXPRESS_VERSIONING_UNDOCUMENTED' })
  for (const type of ['text~1event-stream', 'application~1x-ndjson']) {
    expect(message).toContain(`${type}/itemSchema", the response 200 has no schema of its items.`)
  }
})

test('handlers elsewhere have no shape in JSON, and stream', async () => {
  const server = await byDocument({ 200: json(text) }, sending(LINES, `${ITEM}\n`))
  expect((await server.get('/feed', V1)).status).toBe(500)
})

test('a table tells of a stream by the schema of its whole', async () => {
  await byTable({ 200: { ...JSON_TOO, ...whole(LINES) } }, () => {})
  expect(warned).toEqual([[expect.stringContaining(`"${LINES}"`), { code: 'EXPRESS_VERSIONING_MEDIA_TYPE' }]])
})

test('a stream of a plain router in an older version is told', async () => {
  const server = await serve((app) => {
    const routes = namedRoutes({ song: '/song' }).describe('GET song', { response: Song })
    routes.describe('*', { response: { '4XX': object({}), '5XX': object({}) } })
    routes.route('song').get((_req, res) => void res.end())
    app.use(versioning(optionsOf(routes)), routes)
    app.get('/feed', (_req, res) => res.type(LINES).end(`${ITEM}\n`))
  })
  await server.get('/feed', V1)
  expect(warned).toEqual([
    [expect.stringMatching(/^JSON was sent to version "v1"/), { code: 'EXPRESS_VERSIONING_UNCONVERTED' }],
  ])
})
test.each<[title: string, schema: unknown]>([
  ['events()', events({ added: ref('Song') })],
  ['zod', z.object({ id: z.string() })],
  ['a function', Object.assign(() => {}, { '~standard': {} })],
])('a schema of a library in a document is a mistake: %s', (_title, itemSchema) => {
  const reading = () => tableOf({ 200: { [SSE]: { itemSchema } } })
  expect(reading).toThrow(TypeError)
  expect(reading).toThrow(
    'routesOf(): a schema of a library, or of events(), is no part of a document, at "/paths/~1feed/get/responses/200/content/text~1event-stream/itemSchema".',
  )
})
