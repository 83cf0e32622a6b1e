import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ErrorRequestHandler, Response } from 'express'
import { change, events, fields, type OperationChange } from 'express-versioning/changes'
import { Ajv } from '../support/ajv'
import { historyOf } from '../support/changes'
import { judged, object } from './judged'

// The items of streams, judged in development.

const Order = { $id: 'Order', ...object({ id: { type: 'number' }, title: { type: 'string' } }) }
const renamed = change('Orders have `title` in place of `name`.', { Order: fields({ renamed: { name: 'title' } }) })
const unsaid = change('Orders are told as `created` in place of `new`.', {
  'GET other': { item: (event: object) => ({ ...event, event: 'new' }) },
})
const V1 = { 'X-API-Version': 'v1' }
const GOOD = 'event: created\ndata: {"id":1,"title":"a"}\n\n'
const BAD = 'event: created\ndata: {"id":"1","title":"a"}\n\n'
const MISFIT = (version: string) =>
  `An item of the response 200 of "GET other" in version "${version}" does not fit its document: "data/id" must be number; it must match exactly one schema in oneOf.`
const jsonl = 'application/jsonl'
const ndjson = 'application/x-ndjson'

type Mode = 'warn' | 'throw'
type Description = { content: Record<string, object> }
/** Serves a route in two versions, of which the second is the default, and judges its responses. */
function api(
  responses: Mode,
  response: Record<string, Description>,
  changed: object,
  send: (res: Response) => unknown,
  behind: ErrorRequestHandler[] = [],
) {
  const ajv = new Ajv({ allErrors: true })
  return judged(
    (routes) => {
      routes.describe('*', { response: { '4XX': { type: 'object' }, '5XX': { type: 'object' } } })
      routes.describe('GET other', { response: response as never })
      routes.route('other').get((_req, res) => void send(res))
    },
    { compile: (schema) => ajv.compile(schema), requests: false, responses },
    { defaultVersion: 'v2', changes: historyOf([changed as never]), behind },
  )
}
const ITEMS = { 'text/event-stream': { itemSchema: events({ created: Order }) }, [ndjson]: { itemSchema: Order } }
const OTHERS = { [ndjson]: { itemSchema: Order }, [jsonl]: { itemSchema: { type: 'number' } } }
const serving = (mode: Mode, send: (res: Response) => unknown, changed: object = renamed) =>
  api(mode, { 200: { content: ITEMS }, 201: { content: OTHERS } }, changed, (res) =>
    send(res.type('text/event-stream')),
  )

let warned: jest.SpyInstance
beforeEach(() => {
  warned = jest.spyOn(process, 'emitWarning').mockReturnValue()
})
afterEach(() => jest.restoreAllMocks())
const warnings = () => warned.mock.calls.map(([message]) => message)

it('warns once of an item, and changes no byte', async () => {
  const sent = `${GOOD}${BAD}${BAD}data: [DONE]\n\n: end`
  const server = await serving('warn', (res) => {
    res.write(GOOD + BAD + BAD)
    res.end('data: [DONE]\n\n: end')
  })
  for (const _ of [1, 2]) expect((await server.get('/other', V1)).text).toBe(sent.replaceAll('title', 'name'))
  expect((await server.get('/other')).text).toBe(sent)
  expect(warnings()).toEqual([MISFIT('v1'), MISFIT('v2')])
})

it.each<[title: string, body: string | Buffer, head?: (res: Response) => Response]>([
  ['what fits', GOOD],
  ['an item without JSON', Buffer.from('data: \xff\n\n', 'latin1')],
  ['an item without its end', BAD.slice(0, -1)],
  ['an encoded stream', BAD, (res) => res.set('Content-Encoding', 'gzip')],
  ['a stream that nobody described', BAD, (res) => res.status(201)],
  ['another status', BAD, (res) => res.status(202)],
  ['one of several schemas', '7\n', (res) => res.status(201).type(jsonl)],
])('does not judge or warn: %s', async (_title, body, head = (res) => res) => {
  for (const mode of ['warn', 'throw'] as const) {
    const { status, text } = await (await serving(mode, (res) => head(res).end(body))).get('/other')
    expect([status < 300, text]).toEqual([true, body.toString()])
  }
  expect(warnings()).toEqual([])
})

it.each([
  ['of several', [BAD, GOOD, GOOD]],
  ['alone', [BAD]],
])('rejects an item before the first byte: %s', async (_title, items) => {
  const server = await serving('throw', (res) => {
    for (const item of items.slice(0, -1)) res.write(item)
    res.end(items.at(-1))
  })
  const json = { code: 'ERR_VERSION_CONTRACT', error: MISFIT('v2') }
  expect(await server.get('/other')).toMatchObject({ status: 500, json })
})

const atOnce: ErrorRequestHandler = (_error, _req, res, _next) => void res.status(500).end('failed')
const later: ErrorRequestHandler = (_error, _req, res, _next) => void setImmediate(() => res.send('failed'))
it.each<[title: string, send: (res: Response) => unknown, respond: ErrorRequestHandler]>([
  [
    'later, to an item with more behind it',
    (res) => {
      res.status(201).type(jsonl).write('"a"\n')
      res.write('7\n')
      res.end()
    },
    later,
  ],
  [
    'at once, to half an item of a handler that throws',
    (res) => {
      res.status(201).type(jsonl).write('7')
      throw new Error('failed')
    },
    atOnce,
  ],
  ['at once, to a whole body', (res) => res.type('json').end('[]'), atOnce],
  ['later, to a whole body that is ended twice', (res) => res.type('json').end('[]').end(), later],
])('sends the text of an error handler: %s', async (_title, send, respond) => {
  const described = { 200: Order as never, 201: { content: OTHERS } }
  const server = await api('throw', described, renamed, send, [respond])
  expect(await server.get('/other')).toMatchObject({ status: 500, text: 'failed' })
})

/** Serves a stream whose head is sent, and opens it. */
async function opened(headers: Record<string, string> = {}) {
  let sent!: Response
  const server = await serving('throw', (res) => {
    sent = res
    res.flushHeaders()
  })
  const [res] = (await once(request(`${server.origin}/other`, { headers }).end(), 'response')) as [IncomingMessage]
  return { sent, res }
}

it('sends the head before the first item', async () => {
  const { sent, res } = await opened(V1)
  sent.write(GOOD)
  sent.end()
  expect(await text(res)).toBe(GOOD.replace('title', 'name'))
})

it('breaks a stream off at an item that does not fit, and warns of it', async () => {
  const { sent, res } = await opened()
  const calls: unknown[] = []
  const note = () => calls.push('part')
  calls.push(sent.write(GOOD.slice(0, 9), note), sent.write(GOOD.slice(9)))
  await once(res, 'data')
  calls.push(sent.write(BAD), sent.write(GOOD))
  sent.end()
  await expect(text(res)).rejects.toThrow('aborted')
  expect(calls).toEqual([true, true, 'part', false, false])
  expect(warnings()).toEqual([MISFIT('v2')])
})

it('takes any item where a step does not say what it makes', async () => {
  const server = await serving('throw', (res) => res.end(BAD), unsaid)
  expect((await server.get('/other', V1)).text).toBe(BAD.replace('created', 'new'))
})

const json = 'application/json'
const made = { response: () => ({}) }
const typed = { response: () => [], older: { response: { content: { [json]: { type: 'object' } } } } }
const itemOf = (item: unknown) => ({ older: { item: { type: 'string' } }, item: () => item })
it.each<[title: string, steps: object, type: string, body: string, status: number]>([
  ['the same JSON beside items', {}, json, '[]', 200],
  ['other JSON beside items', {}, json, '{}', 500],
  ['JSON of a step that does not say what it makes', made, json, '[]', 200],
  ['JSON of a step that does', { ...made, older: { response: { type: 'object' } } }, json, '[]', 200],
  ['JSON of a type that a step names', typed, json, '[]', 500],
  ['items beside it', { ...made, ...itemOf('a') }, jsonl, '1\n', 200],
  ['items that do not fit beside it', itemOf(7), jsonl, '1\n', 500],
  ['no body of an older status', { status: { 200: 204 } }, jsonl, '1\n', 204],
])('judges %s', async (_title, steps, type, body, status) => {
  const changed = change('Odd.', { 'GET other': { ...steps, headers: { 'X-Odd': null } } as OperationChange })
  const content = { [json]: { type: 'array' }, [jsonl]: { itemSchema: { type: 'number' } } }
  const server = await api('throw', { 200: { content } }, changed, (res) => res.type(type).end(body))
  expect((await server.get('/other', V1)).status).toBe(status)
})

it('does not judge JSON of a step that does not say what it makes, where nothing streams', async () => {
  const listed = change('A list.', { 'GET other': { response: (order) => [order] } })
  const server = await api('throw', { 200: Order as never }, listed, (res) => res.json({ id: 7, title: 'a' }))
  expect((await server.get('/other', V1)).json).toEqual([{ id: 7, title: 'a' }])
})
