// Items that are no JSON, text in event streams, and the last line of a stream.
import { once } from 'node:events'
import { text as read } from 'node:stream/consumers'
import type { Response } from 'express'
import { change, type OperationChanges } from 'express-versioning/changes'
import { historyOf } from '../../support/changes'
import { Order, opened, serveFeed, V1 } from '../../support/feeds'

const [SSE, LINES, SEQUENCE] = ['text/event-stream', 'application/x-ndjson', 'application/json-seq']
const text = { type: 'string' }
const json = (contentSchema: object) => ({ ...text, contentMediaType: 'application/json', contentSchema })
const named = (name: string, data: object) => ({ properties: { event: { const: name }, data }, required: ['event'] })
const FEED = { oneOf: [named('created', json(Order)), named('token', text)] }
const content = { [SSE]: { itemSchema: FEED }, [LINES]: { itemSchema: Order }, [SEQUENCE]: { itemSchema: Order } }
const ITEM = '{"id":1,"title":"a"}'
const OLDER = '{"id":1,"name":"a"}'

/** Serves a stream of a type, which `send` writes. */
const streaming = (type: string, send: (res: Response) => unknown, feed: Parameters<typeof serveFeed>[1] = {}) =>
  serveFeed((_req, res) => void send(res.type(type)), { content, ...feed })

const UNREADABLE: [title: string, type: string, item: string][] = [
  ['indented JSON', LINES, `${JSON.stringify(JSON.parse(ITEM), null, 2)}\n`],
  ['NaN, as Python writes it', LINES, '{"id": NaN, "title": "a"}\n'],
  ['two texts in a line', LINES, `${ITEM}${ITEM}\n`],
  ['a list of one item a line', LINES, `[${ITEM},\n${ITEM}]\n`],
  ['CR as the end', LINES, `${ITEM}\r${ITEM}\r\n`],
  ['text', LINES, '[DONE]\n'],
  ['more behind a text', SEQUENCE, `\x1e${ITEM} and more\n`],
  ['a text that is cut off', SEQUENCE, `\x1e${ITEM.slice(0, -1)}\x1e${ITEM}\n`],
  ['more behind an object', SSE, `event: created\ndata: ${ITEM} ok\n\n`],
  ['a string that goes on', SSE, 'event: created\ndata: "title": a\n\n'],
  ['a byte order mark in front of data', SSE, `event: created\ndata: \ufeff${ITEM}\n\n`],
  ['an event of another name', SSE, `event: tokens\ndata: ${ITEM} ok\n\n`],
  ['an event without a name', SSE, `data: ${ITEM} ok\n\n`],
]

describe.each(UNREADABLE)('%s', (_title, type, item) => {
  const failure = {
    status: 500,
    json: { code: 'ERR_VERSION_CHANGE', error: expect.stringContaining('that is not JSON.') },
  }

  test.each<[title: string, send: (res: Response) => unknown]>([
    ['res.write', (res) => [res.write(item), res.end()]],
    ['res.send', (res) => res.send(item)],
  ])('is 500 before the first byte: %s', async (_title, send) => {
    const server = await streaming(type, send)
    expect(await server.get('/feed', V1)).toMatchObject(failure)
    expect((await server.get('/feed')).text).toBe(item)
  })

  test('ends the connection later', async () => {
    let sent!: Response
    const warn = jest.spyOn(process, 'emitWarning').mockReturnValue()
    const server = await streaming(type, (res) => {
      sent = res
      res.write(type === SEQUENCE ? '\x1e{"id":0,"title":""}\n' : '\n')
    })
    const res = await opened(server)
    await once(res, 'data')
    sent.end(item)
    await expect(read(res)).rejects.toThrow('aborted')
    warn.mockRestore()
  })
})

test.each<[title: string, type: string, newest: string, older?: string]>([
  ['words', SSE, 'data: [DONE]\n\nevent: created\ndata: ping: 7\n\n'],
  ['tokens of a chat', SSE, 'event: token\ndata:  He said "{"\n\nevent: token\ndata: 1.0\n\n'],
  ['tokens that look like JSON', SSE, 'event: token\ndata: {"a": 9007199254740993}\n\n'],
  ['a blank line', LINES, `${ITEM}\n \t\r\n\n`, `${OLDER}\n \t\r\n\n`],
  [
    'a byte order mark in front',
    SSE,
    `\ufeffevent: created\ndata: ${ITEM}\n\n`,
    `\ufeffevent: created\ndata: ${OLDER}\n\n`,
  ],
  ['a byte order mark in front of lines', LINES, `\ufeff${ITEM}\n`, `\ufeff${OLDER}\n`],
  ['the last line without its end', LINES, `${ITEM}\n${ITEM}`, `${OLDER}\n${OLDER}`],
  ['one line without its end', LINES, ITEM, OLDER],
  ['a last line with CR', LINES, `${ITEM}\r`, `${OLDER}\r`],
])('%s', async (_title, type, newest, older = newest) => {
  const ways = [
    (res: Response) => res.send(newest),
    (res: Response) => [res.write(newest.slice(0, 7)), res.end(newest.slice(7))],
    (res: Response) => [res.write(newest), res.end()],
    (res: Response) => [...Buffer.from(newest)].map((byte) => res.write(Buffer.of(byte))) && res.end(),
  ]
  // Who reads text takes a byte order mark away.
  const expected = older.replace('\ufeff', '')
  for (const send of ways) expect((await (await streaming(type, send)).get('/feed', V1)).text).toBe(expected)
})

test('a last line that a step leaves out', async () => {
  const item = (order: { id: number }) => (order.id === 2 ? null : order)
  const changes = historyOf([change('Odd.', { 'GET feed': { item } } as OperationChanges)])
  const server = await streaming(LINES, (res) => res.end(`${ITEM}\n${ITEM.replace('1', '2')}`), { changes })
  expect((await server.get('/feed', V1)).text).toBe(`${ITEM}\n`)
})

// Text of events ------------------------------------------------------------------------------------------------------

const TEXT = 'event: token\ndata: "{\n\n'
const typed = { ...text, contentMediaType: 'application/json' }
test.each<[title: string, passes: boolean, itemSchema: object]>([
  ['a branch of that name', true, named('token', text)],
  ['any event', true, { properties: { data: text } }],
  [
    'text for all, and its branch',
    true,
    { properties: { data: text }, oneOf: [named('token', {}), named('created', json(Order))] },
  ],
  ['text by a reference', true, { properties: { data: { $ref: '#/$defs/Text' } }, $defs: { Text: text } }],
  ['text for all, and JSON in its branch', false, { properties: { data: text }, oneOf: [named('token', json(Order))] }],
  ['JSON of which nothing is known', false, named('token', typed)],
  ['JSON by a reference', false, { properties: { data: { $ref: '#/$defs/Data' } }, $defs: { Data: typed } }],
  ['a union with JSON', false, named('token', { oneOf: [json(Order), { ...text, maxLength: 3 }] })],
  ['a union with JSON in a string', false, named('token', { ...text, anyOf: [json(Order), { maxLength: 3 }] })],
  [
    'a loop',
    true,
    { properties: { data: { $ref: '#/$defs/A' } }, $defs: { A: { ...text, anyOf: [{ $ref: '#/$defs/A' }, text] } } },
  ],
  ['another branch', false, named('created', text)],
  ['a branch without data', false, { properties: { event: { const: 'token' } } }],
  ['any', false, true as never],
])('text passes where its branch says so: %s', async (_title, passes, itemSchema) => {
  const item = (event: object) => event
  const changes = historyOf([change('Odd.', { 'GET feed': { item } } as OperationChanges)])
  const response = { content: { [SSE]: { itemSchema } }, changes }
  const { status, text } = await (await streaming(SSE, (res) => res.end(TEXT), response)).get('/feed', V1)
  expect(passes ? text : status).toBe(passes ? TEXT : 500)
})

test('a step gets JSON of a branch that says text', async () => {
  const item = ({ data }: { data: { title: string } }) => ({ event: 'token', data: data.title })
  const changes = historyOf([change('Odd.', { 'GET feed': { item } } as OperationChanges)])
  const server = await streaming(SSE, (res) => res.end(`event: token\ndata: ${ITEM}\n\n`), { changes })
  expect((await server.get('/feed', V1)).text).toBe('event: token\ndata: "a"\n\n')
})

const branches = [json(Order), json({ type: 'array', items: Order }), { ...text, pattern: 'x' }]
test.each<[title: string, data: object]>([
  ['strings', { ...text, oneOf: branches }],
  ['any data', { oneOf: branches }],
])('the shapes of JSON in a union of %s are converted', async (_title, data) => {
  const server = await streaming(SSE, (res) => res.end(`data: ${ITEM}\n\ndata: [${ITEM}]\n\ndata: x\n\n`), {
    content: { [SSE]: { itemSchema: { properties: { data } } } },
  })
  expect((await server.get('/feed', V1)).text).toBe(`data: ${OLDER}\n\ndata: [${OLDER}]\n\ndata: x\n\n`)
})

test('a schema that JSON Schema cannot say is no text', async () => {
  const itemSchema = {
    '~standard': {
      jsonSchema: {
        input: () => ({}),
        output: () => {
          throw new Error('none')
        },
      },
    },
  }
  const changes = historyOf([change('Odd.', { 'GET feed': { item: (event: object) => event } } as OperationChanges)])
  const server = await streaming(SSE, (res) => res.end(`${TEXT}data: 7\n\n`), {
    content: { [SSE]: { itemSchema } },
    changes,
  })
  expect((await server.get('/feed', V1)).status).toBe(500)
  const other = await streaming(SSE, (res) => res.end('data: 7\n\n'), { content: { [SSE]: { itemSchema } }, changes })
  expect((await other.get('/feed', V1)).text).toBe('data: 7\n\n')
})

test('a step also gets the events of a status that nobody described', async () => {
  const renaming = change('Orders have a `title`.', {
    'GET feed': { item: ({ event, data }) => ({ event, data: { name: Object(data).title } }) },
  } as OperationChanges)
  const send = (res: Response) => res.status(203).end('event: created\ndata: {"title":"a"}\n\n')
  const server = await streaming(SSE, send, { changes: historyOf([renaming]) })
  const { status, text } = await server.get('/feed', V1)
  expect([status, text]).toEqual([203, 'event: created\ndata: {"name":"a"}\n\n'])
})
