import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Response } from 'express'
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { change, events, fields, type OperationChange, versionHistory } from 'express-versioning/changes'
import { contract } from 'express-versioning/contract'
import { Ajv } from '../support/ajv'
import { type Served, serve } from '../support/serve'

// The items of streams, judged in development.

const Order = {
  $id: 'Order',
  type: 'object',
  properties: { id: { type: 'number' }, title: { type: 'string' } },
  required: ['id', 'title'],
}
const renamed = change('Orders have `title` in place of `name`.', { Order: fields({ renamed: { name: 'title' } }) })
const unsaid = change('Orders are told as `created` in place of `new`.', {
  'GET feed': { item: (event: object) => ({ ...event, event: 'new' }) },
})
const V1 = { 'X-API-Version': 'v1' }
const GOOD = 'event: created\ndata: {"id":1,"title":"a"}\n\n'
const BAD = 'event: created\ndata: {"id":"1","title":"a"}\n\n'
const MISFIT = (version: string) =>
  `An item of the response 200 of "GET feed" in version "${version}" does not fit its document: "data/id" must be number; it must match exactly one schema in oneOf.`

function serving(
  responses: 'warn' | 'throw',
  send: (res: Response) => unknown,
  changes: object = renamed,
): Promise<Served> {
  return serve((app) => {
    const api = namedRoutes({ feed: '/feed' })
    api.describe('GET feed', {
      response: {
        200: {
          content: {
            'text/event-stream': { itemSchema: events({ created: Order }) },
            'application/x-ndjson': { itemSchema: Order },
          },
        },
        201: {
          content: {
            'application/x-ndjson': { itemSchema: Order },
            'application/jsonl': { itemSchema: { type: 'number' } },
          },
        },
      },
    })
    api.describe('*', { response: { '4XX': { type: 'object' }, '5XX': { type: 'object' } } })
    api.route('feed').get((_req, res) => void send(res.type('text/event-stream')))
    const ajv = new Ajv({ allErrors: true })
    const history = versionHistory('v1').version('v2', changes as never)
    const judged = contract({ compile: (schema) => ajv.compile(schema), requests: false, responses })
    app.use(
      versioning({ scheme: HeaderVersioning, defaultVersion: 'v2', changes: history, routes: api, contract: judged }),
      api,
    )
  })
}

function warnings() {
  const spy = jest.spyOn(process, 'emitWarning').mockReturnValue()
  return { seen: () => spy.mock.calls.map(([message]) => message), stop: () => spy.mockRestore() }
}

it('warns once of an item, and changes no byte', async () => {
  const { seen, stop } = warnings()
  const server = await serving('warn', (res) => {
    res.write(GOOD + BAD + BAD)
    res.end('data: [DONE]\n\n: end')
  })
  for (const _ of [1, 2])
    expect((await server.get('/feed', V1)).text).toBe(
      `${GOOD}${BAD}${BAD}data: [DONE]\n\n: end`.replaceAll('title', 'name'),
    )
  await server.get('/feed')
  expect(seen()).toEqual([MISFIT('v1'), MISFIT('v2')])
  stop()
})

it.each<[title: string, send: (res: Response) => unknown]>([
  ['what fits', (res) => res.end(GOOD)],
  ['an item without JSON', (res) => res.end(Buffer.from('data: \xff\n\n', 'latin1'))],
  ['an item without its end', (res) => res.end(BAD.slice(0, -1))],
  ['an encoded stream', (res) => res.set('Content-Encoding', 'gzip').end(BAD)],
  ['a stream that nobody described', (res) => res.status(201).end(BAD)],
  ['another status', (res) => res.status(202).end(BAD)],
  ['one of several schemas', (res) => res.status(201).type('application/jsonl').end('7\n')],
])('does not judge or warn: %s', async (_title, send) => {
  const { seen, stop } = warnings()
  for (const mode of ['warn', 'throw'] as const) {
    expect((await (await serving(mode, send)).get('/feed')).status).toBeLessThan(300)
  }
  expect(seen()).toEqual([])
  stop()
})

it('rejects an item before the first byte', async () => {
  for (const send of [
    (res: Response) => {
      res.write(BAD)
      res.write(GOOD)
      res.end(GOOD)
    },
    (res: Response) => res.end(BAD),
  ]) {
    const server = await serving('throw', send)
    expect(await server.get('/feed')).toMatchObject({
      status: 500,
      json: { code: 'ERR_VERSION_CONTRACT', error: MISFIT('v2') },
    })
  }
})

it('breaks a stream off at an item that does not fit, and warns of it', async () => {
  const calls: unknown[] = []
  const { seen, stop } = warnings()
  const server = await serving('throw', (res) => {
    res.writeHead(200).flushHeaders()
    calls.push(
      res.write(GOOD.slice(0, 9), () => calls.push('part')),
      res.write(GOOD.slice(9)),
    )
    setTimeout(() => {
      calls.push(res.write(BAD), res.write(GOOD))
      res.end()
    }, 20)
  })
  const [res] = (await once(request(`${server.origin}/feed`).end(), 'response')) as [IncomingMessage]
  await expect(text(res)).rejects.toThrow('aborted')
  expect(calls).toEqual([true, true, 'part', false, false])
  expect(seen()).toEqual([MISFIT('v2')])
  stop()
})

it('sends each item that fits', async () => {
  const server = await serving('throw', (res) => {
    res.write(GOOD)
    res.end()
  })
  expect((await server.get('/feed')).text).toBe(GOOD)
})

it('sends the head before the first item', async () => {
  let sent!: Response
  const server = await serving('throw', (res) => {
    sent = res
    res.flushHeaders()
  })
  const [res] = (await once(request(`${server.origin}/feed`, { headers: V1 }).end(), 'response')) as [IncomingMessage]
  sent.end(GOOD)
  expect(await text(res)).toBe(GOOD.replace('title', 'name'))
})

it('takes any item where a step does not say what it makes', async () => {
  const server = await serving('throw', (res) => res.end(BAD), unsaid)
  expect((await server.get('/feed', V1)).text).toBe(BAD.replace('created', 'new'))
})

it.each<[title: string, steps: object, type: string, body: string, status: number]>([
  ['the same JSON beside items', {}, 'application/json', '[]', 200],
  ['other JSON beside items', {}, 'application/json', '{}', 500],
  ['JSON of a step that does not say what it makes', { response: () => ({}) }, 'application/json', '[]', 200],
  [
    'JSON of a step that does',
    { response: () => ({}), older: { response: { type: 'object' } } },
    'application/json',
    '[]',
    200,
  ],
  [
    'JSON of a type that a step names',
    { response: () => [], older: { response: { content: { 'application/json': { type: 'object' } } } } },
    'application/json',
    '[]',
    500,
  ],
  [
    'items beside it',
    { response: () => ({}), older: { item: { type: 'string' } }, item: () => 'a' },
    'application/jsonl',
    '1\n',
    200,
  ],
  [
    'items that do not fit beside it',
    { older: { item: { type: 'string' } }, item: () => 7 },
    'application/jsonl',
    '1\n',
    500,
  ],
  ['no body of an older status', { status: { 200: 204 } }, 'application/jsonl', '1\n', 204],
])('judges %s', async (_title, steps, type, body, status) => {
  const server = await serve((app) => {
    const api = namedRoutes({ feed: '/feed' })
    api.describe('GET feed', {
      response: {
        200: {
          content: { 'application/json': { type: 'array' }, 'application/jsonl': { itemSchema: { type: 'number' } } },
        },
      },
    })
    api.route('feed').get((_req, res) => void res.type(type).end(body))
    const changes = versionHistory('v1').version(
      'v2',
      change('Odd.', { 'GET feed': { ...steps, headers: { 'X-Odd': null } } as OperationChange }),
    )
    const judged = contract({ compile: (schema) => new Ajv().compile(schema), requests: false, responses: 'throw' })
    app.use(versioning({ scheme: HeaderVersioning, defaultVersion: 'v2', changes, routes: api, contract: judged }), api)
  })
  expect((await server.get('/feed', V1)).status).toBe(status)
})
