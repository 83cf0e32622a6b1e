// Streams of any bytes, cut anywhere, however they are sent: an older client never gets an item as the newest version has it.
import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Response } from 'express'
import fc from 'fast-check'
import { Order, serveFeed, V1 } from '../../support/feeds'
import { property } from '../../support/property'
import type { Served } from '../../support/serve'

const [SSE, LINES, SEQUENCE] = ['text/event-stream', 'application/jsonl', 'application/geo+json-seq']
const json = { type: 'string', contentMediaType: 'application/json', contentSchema: Order }
const created = { properties: { event: { const: 'created' }, data: json }, required: ['event'] }
const content = {
  [SSE]: { itemSchema: { oneOf: [created, { properties: { event: { const: 'message' }, data: json } }] } },
  [LINES]: { itemSchema: Order },
  'application/x-ndjson': { itemSchema: Order },
  [SEQUENCE]: { itemSchema: Order },
}

// `title` is only in the newest version. No comment and no id has it.
const ITEM = '{"id":1,"title":"a"}'
const ITEMS = [
  ITEM,
  JSON.stringify(JSON.parse(ITEM), null, 1),
  ITEM.replace('title', 'ti\\u0074le'),
  `[${ITEM}]`,
  `"${'title'}"`,
]
const MARKS = '\n|\r|\r\n|\n\n|\x1e|\ufeff| |{|}|[|]|,|"|NaN|[DONE]|7| ok|\\|\xff'.split('|')
const FIELDS = [
  'data: ',
  'data:',
  'data',
  'event: created\n',
  'event: other\n',
  'id: 7\n',
  ': hi\n',
  'retry: 1\n',
  '\ufeffdata: ',
]
const part = fc.oneof(fc.constantFrom(...ITEMS), fc.constantFrom(...MARKS), fc.constantFrom(...FIELDS))
const whole = fc.constantFrom(`data: ${ITEM}\n\n`, `event: created\ndata: ${ITEM}\n\n`, `${ITEM}\n`, `\x1e${ITEM}\n`)
const bodies = fc.array(fc.oneof(part, whole), { maxLength: 14 }).map((parts) => parts.join(''))
const cuts = fc.array(fc.nat(120), { maxLength: 8 })
const types = fc.constantFrom(SSE, LINES, SEQUENCE, 'application/x-ndjson')

type Way = (res: Response, pieces: readonly Buffer[]) => void
const WAYS: Record<string, Way> = {
  write: (res, pieces) => {
    for (const piece of pieces) res.write(piece)
    res.end()
  },
  later: (res, pieces) => {
    res.flushHeaders()
    const next = (index: number): unknown =>
      index < pieces.length ? [res.write(pieces[index]), setImmediate(next, index + 1)] : res.end()
    next(0)
  },
  end: (res, pieces) => {
    for (const piece of pieces.slice(0, -1)) res.write(piece)
    res.end(pieces.at(-1))
  },
  send: (res, pieces) => res.send(Buffer.concat(pieces)),
  text: (res, pieces) => res.send(Buffer.concat(pieces).toString()),
  gzip: (res, pieces) => {
    const bytes = gzipSync(Buffer.concat(pieces))
    res.setHeader('Content-Encoding', 'gzip')
    res.write(bytes.subarray(0, 9))
    res.end(bytes.subarray(9))
  },
}

/** Gets all bytes of a response, also of one that breaks off, even in front of its head. */
async function received(port: number): Promise<string> {
  let text = ''
  const sent = request({ port, path: '/feed', headers: V1, agent: false })
  sent.on('error', () => {})
  sent.on('response', (res) => {
    res.on('error', () => {})
    res.on('data', (bytes: Buffer) => {
      if (res.statusCode === 200) text += bytes.toString('latin1')
    })
  })
  await new Promise((done) => sent.on('close', done).end())
  return Buffer.from(text, 'latin1').toString()
}

/** Returns what may be an item for a client, however it reads: a parser of events ignores lines of other fields. */
function readable(type: string, text: string): string {
  if (type !== SSE) return text
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.replaceAll('\ufeff', ''))
  return lines.filter((line) => /^data(?::|$)/.test(line)).join('\n')
}

let sent: (res: Response) => void
let server: Promise<Served>
beforeAll(() => void jest.spyOn(process, 'emitWarning').mockReturnValue())
afterAll(() => jest.restoreAllMocks())

property(
  'an older client never gets an item of the newest version',
  fc.asyncProperty(types, bodies, cuts, fc.constantFrom(...Object.keys(WAYS)), async (type, body, cuts, way) => {
    const bytes = Buffer.from(body)
    const ends = [...cuts.filter((cut) => cut < bytes.length).toSorted((one, other) => one - other), bytes.length]
    const pieces = ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end))
    server ??= serveFeed((_req, res) => sent(res), { content })
    sent = (res) => WAYS[way]?.(res.type(type), pieces)
    expect(readable(type, await received((await server).port))).not.toMatch(/ti(?:t|\\u0074)le/)
  }),
)
