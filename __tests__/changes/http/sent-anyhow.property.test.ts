// Responses that are sent in random ways. An older client gets the older format, the same bytes, or an error; never the newest JSON.
import { Readable } from 'node:stream'
import type { ErrorRequestHandler, RequestHandler, Response } from 'express'
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { change, fields, versionHistory } from 'express-versioning/changes'
import fc from 'fast-check'
import { property } from '../../support/property'
import { serve } from '../../support/serve'

const CLOSED = [201, 203, 301, 302, 399, 600, 777]
const SONG = { $id: 'Song', type: 'object', required: ['title'], properties: { title: { type: 'string' } } }
const songs = { anyOf: [SONG, { type: 'array', items: { $ref: 'Song' } }] }
const RESPONSES = { 200: songs, 300: songs, 404: songs, 500: songs }
const STATUSES = [...Object.keys(RESPONSES).map(Number), ...CLOSED]
const renamed = change('Songs have a title instead of a name.', { Song: fields({ renamed: { name: 'title' } }) })

const JSONS = ['{"title":"Łuca"}', '{ "title" : "}\\"{" }', '[{"title":"a"},{"title":"b"}]', '[]', '7', '"title"']
const TEXTS = ['{{title}} by {{band}}', '[INFO] title', '{"title":', '[{"title":"a"}', 'a title', '{', '']
const text = fc.record({
  front: fc.constantFrom('', '', ' \r\n', '\ufeff'),
  body: fc.constantFrom(...JSONS, ...TEXTS),
  behind: fc.constantFrom('', '', '', '\n', ' ok', '{"title":"b"}'),
})

type Way = (res: Response, whole: string, pieces: readonly Buffer[]) => unknown
const inPieces: Way = (res, _whole, pieces) => {
  for (const piece of pieces) res.write(piece)
  setImmediate(() => res.end())
}
/** Node's own methods, which other packages call too. */
const BY_NODE: Record<string, Way> = {
  end: (res, whole) => res.end(whole),
  'end of bytes': (res, whole) => res.end(new Uint8Array(Buffer.from(whole))),
  'end in hex': (res, whole) => res.end(Buffer.from(whole).toString('hex'), 'hex'),
  pieces: inPieces,
  'pieces behind flushed header fields': (res, ...whole) => [res.flushHeaders(), inPieces(res, ...whole)],
  'a stream': (res, _whole, pieces) => Readable.from(pieces).pipe(res),
}
const BY_SEND: Record<string, Way> = {
  send: (res, whole) => res.send(whole),
  'send of bytes': (res, whole) => res.send(Buffer.from(whole)),
}
/** These make JSON, whatever the type is. */
const OF_VALUES: Record<string, Way> = {
  json: (res, whole) => res.json(JSON.parse(whole)),
  jsonp: (res, whole) => res.jsonp(JSON.parse(whole)),
  'send of a value': (res, whole) => res.send({ list: JSON.parse(whole) }.list),
}
/** What other packages replace behind `versioning()`. */
const WRAPPERS: Record<string, (res: Response) => unknown> = {
  nothing: () => {},
  'json by end': (res) => Object.assign(res, { json: (value: unknown) => res.end(JSON.stringify(value)) }),
  'send by end': (res) => withSend(res, (text) => res.end(text)),
  'send by write': (res) => withSend(res, (text) => [res.write(text), res.end()]),
}

function withSend(res: Response, send: (text: string | Buffer) => unknown): void {
  const isText = (body: unknown) => typeof body === 'string' || Buffer.isBuffer(body)
  Object.assign(res, { send: (body: unknown) => (isText(body) ? send(body as string) : res.json(body)) })
}

const ofText = { text, way: fc.constantFrom(...Object.keys({ ...BY_NODE, ...BY_SEND })) }
const ofValues = {
  text: fc.record({ front: fc.constant(''), body: fc.constantFrom(...JSONS.slice(0, 4)), behind: fc.constant('') }),
  way: fc.constantFrom(...Object.keys(OF_VALUES)),
}
const others = {
  status: fc.constantFrom(...STATUSES),
  /** Careless programs write statuses of which Node makes the same. */
  written: fc.constantFrom<(status: number) => unknown>(Number, String, (status) => status + 0.7),
  type: fc.constantFrom(undefined, undefined, '', 'application/json', 'application/hal+json; a=1', 'text/plain'),
  /** `true` if `writeHead` gets both, instead of the response. */
  inHead: fc.boolean(),
  cuts: fc.array(fc.nat(30), { maxLength: 4 }),
  wrapper: fc.constantFrom(...Object.keys(WRAPPERS)),
  callback: fc.constantFrom('', '?callback=f'),
}
const sent = fc.oneof(fc.record({ ...ofText, ...others }), fc.record({ ...ofValues, ...others }))
type Sent = typeof sent extends fc.Arbitrary<infer One> ? One : never

const wholeOf = ({ text: { front, body, behind } }: Sent) => front + body + behind

function handlerOf({ status, written, type, inHead, cuts, way, wrapper, ...rest }: Sent): RequestHandler {
  const whole = wholeOf(rest as Sent)
  const bytes = Buffer.from(whole)
  const ends = [...cuts.toSorted((one, other) => one - other), bytes.length]
  const pieces = ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end))
  const send = { ...BY_NODE, ...BY_SEND, ...OF_VALUES }[way] as Way
  return (_req, res) => {
    WRAPPERS[wrapper]?.(res)
    if (inHead && way in BY_NODE) {
      res.writeHead(written(status) as number, type === undefined ? {} : { 'Content-Type': type })
    } else {
      res.statusCode = written(status) as number
      if (type !== undefined) res.setHeader('Content-Type', type)
    }
    send(res, whole, pieces)
  }
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
const withoutMark = (text: string) => text.replace(/^\ufeff/, '')
const beginsAsJson = (text: string) =>
  /^\s*[[{]/.test(text) && [...text].some((_, at) => parsed(text.slice(0, at + 1)) !== undefined)
const toOld = ({ title, ...rest }: { title?: string }) => ({ ...rest, ...(title !== undefined && { name: title }) })

/** The older JSON; `'the same'` for bytes that pass, and `'an error'`. */
function modelled(one: Sent): unknown {
  const { status, type, way, wrapper } = one
  const text = withoutMark(wholeOf(one))
  const isMade = way in OF_VALUES && (wrapper !== 'json by end' || way === 'jsonp')
  const isTyped = type?.includes('json') === true
  // Express gives bytes a type.
  const isUntyped = !type && (way !== 'send of bytes' || wrapper.startsWith('send'))
  if (wholeOf(one) === '') return 'the same'
  if (!isMade && !isTyped && !(isUntyped && beginsAsJson(text))) return 'the same'
  const json = parsed(text)
  if (CLOSED.includes(status) || typeof json?.value !== 'object') return 'an error'
  return Array.isArray(json.value) ? json.value.map(toOld) : toOld(Object(json.value))
}

const failed: ErrorRequestHandler = (error, _req, res, _next) => void res.status(500).type('text').send(error.code)
const unwrapped = (text: string) => text.replace(/^\/\*\*\/ typeof f === 'function' && f\((.*)\);$/s, '$1')

property(
  'however a response is sent, an older client gets the older format, the same bytes or an error',
  fc.asyncProperty(sent, async (one) => {
    const routes = namedRoutes({ song: '/song' })
    routes.describe('GET song', { response: { ...RESPONSES, '4XX': {}, '5XX': {} } })
    routes.describe('*', { response: { '4XX': {}, '5XX': {} } })
    routes.route('song').get(handlerOf(one))
    const changes = versionHistory('v1').version('v2', renamed)
    const options = { scheme: HeaderVersioning, changes, routes }
    const { send } = await serve((app) => app.use(versioning(options), routes, failed))
    const [newest, older, head] = await Promise.all(
      ['GET v2', 'GET v1', 'HEAD v1'].map((asked) => {
        const [method, version] = asked.split(' ') as [string, string]
        return send(method, `/song${one.callback}`, { 'X-API-Version': version })
      }),
    )
    const expected = modelled(one)
    const shown = (response = newest) => [response?.status, response?.text, response?.headers['content-type']]
    if (expected === 'the same') expect(shown(older)).toEqual(shown())
    else if (expected === 'an error') expect([older?.status, older?.text]).toEqual([500, 'ERR_VERSION_CHANGE'])
    else expect([older?.status, parsed(unwrapped(`${older?.text}`))]).toEqual([one.status, { value: expected }])
    expect([head?.status, head?.text]).toEqual([older?.status, ''])
    expect(newest?.status).toBe(one.status)
  }),
)
