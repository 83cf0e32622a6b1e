import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { framingOf } from '../../src/http/framings'
import { ItemMapper } from '../../src/http/item-mapper'
import { property } from '../support/property'

// The framing of streams: any bytes, in any pieces.

type Change = (item: { data?: unknown; event?: string }) => { json: string; event?: string } | undefined

/** Maps the items of a stream that arrives in pieces. */
function mapped(type: string, pieces: readonly Buffer[], change: Change, limit = Number.MAX_SAFE_INTEGER): Buffer[] {
  const framing = framingOf(type)
  if (framing === undefined) throw new Error(`no framing of ${type}`)
  const map = (piece: Buffer) => {
    const frame = framing.read(piece)
    if (frame?.json === undefined && framing.items === 'lines' && frame !== undefined) throw new Error('no JSON')
    if (frame?.json === undefined) return piece
    const made = change(frame.item as object)
    return made === undefined ? frame.without() : frame.with(made.json, made.event)
  }
  const items = new ItemMapper({ framing, map, limits: { size: limit, reject: (what) => new Error(what) } })
  return [...pieces.map((piece) => items.add(piece)), items.end()]
}

const whole = (type: string, text: string, change: Change) =>
  Buffer.concat(mapped(type, [Buffer.from(text)], change)).toString()

const renamed: Change = ({ data, event }) => ({
  json: JSON.stringify({ old: data }),
  ...(event === undefined ? {} : { event: event.toUpperCase() }),
})
const inItem: Change = (item) => ({ json: JSON.stringify({ old: item }) })
const dropping: Change = (item) => (JSON.stringify(item).includes('7') ? undefined : renamed(item))
const SSE = 'text/event-stream'

const unnamed: Change = ({ data }) => ({ json: JSON.stringify({ old: data }) })
const one: Change = () => ({ json: '1' })
const named: Change = () => ({ json: '[\n1]', event: 'b' })
it.each<[title: string, text: string, older: string, change?: Change]>([
  ['no space', 'data:{"a":1}\n\n', 'data:{"old":{"a":1}}\n\n'],
  ['several lines', 'data: {"a":\ndata: 1}\n\n', 'data: {"old":{"a":1}}\n\n'],
  ['CRLF', 'id: 5\r\ndata: 1\r\n\r\n', 'id: 5\r\ndata: {"old":1}\r\n\r\n'],
  ['a byte order mark', '\ufeffdata: 1\n\n', '\ufeffdata: {"old":1}\n\n'],
  ['comments', ': hi\n\n:\ndata: 1\n: in\n\n', ': hi\n\n:\ndata: {"old":1}\n: in\n\n'],
  ['a name', 'event: a\nid\ndata: 1\nretry: 9\n\n', 'event: A\nid\ndata: {"old":1}\nretry: 9\n\n'],
  ['two names', 'event:x\nevent:b\ndata:1\n\n', 'event:B\ndata:{"old":1}\n\n'],
  ['a new name', 'data: 1\n\n', 'event: new\ndata: 1\n\n', () => ({ json: '1', event: 'new' })],
  ['no name any more', 'event: a\ndata: 1\n\n', 'data: 1\n\n', one],
  ['the name of those without one', 'event: message\ndata: 1\n\n', 'event: message\ndata: 1\n\n', one],
  ['the same JSON', 'event: a\ndata: [\ndata: 1]\n\n', 'event: b\ndata: [\ndata: 1]\n\n', named],
  ['lines that would run together', 'data:\rdata: 1\n\n', 'data:{"old":1}\r\n\n'],
  ['ends that would', 'data: 1\n: a\revent: b\n\n', 'data: {"old":1}\n: a\r\n\n', unnamed],
  ['unknown fields', 'DATA: 1\ndata : 2\n\n', 'DATA: 1\ndata : 2\n\n'],
  ['its id, which stays', 'event: a\nid: 3\ndata: 7\n\n', 'id: 3\n\n', dropping],
  ['a rest without data', 'data: 1\n\nid: 5\n', 'data: {"old":1}\n\nid: 5\n'],
  ['a part of a comment', ': a', ': a'],
  [
    'byte order marks in front of its fields',
    '\ufeff\ufeffevent: a\n\ufeffdata: 1\n\n',
    '\ufeff\ufeffevent: A\ndata: {"old":1}\n\n',
  ],
  ['a byte order mark in front of a comment', '\ufeff: a\ndata: 1\n\n', '\ufeff: a\ndata: {"old":1}\n\n'],
  [
    'a new name in front of a byte order mark',
    '\ufeffdata: 1\n\n',
    '\ufeffevent: new\ndata: 1\n\n',
    () => ({ json: '1', event: 'new' }),
  ],
  ['a byte order mark on its own line', '\ufeff\ndata: 7\n\n', '', dropping],
])('events: %s', (_title, text, older, change = renamed) => {
  expect(whole(SSE, text, change)).toBe(older)
})

const JSONL = 'application/jsonl; charset=utf-8'
const SEQ = 'application/json-seq'
const TYPES = ['ndjson', 'x-jsonlines', 'jsonlines', 'x-json-stream', 'stream+json']
const sequence = (first: string, last: string) => `\x1e${first}\n\x1e\x1e${last}\n`
it.each<[type: string, text: string, older: string, change?: Change]>([
  ['application/x-ndjson', '{"a":1}\n \n[2]\r\n', '{"old":{"a":1}}\n \n{"old":[2]}\r\n'],
  ['application/x-ndjson', '\ufeff1\n"\u00e9"\n', '\ufeff{"old":1}\n{"old":"\u00e9"}\n'],
  ['application/x-ndjson', '1\n\ufeff2', '{"old":1}\n\ufeff{"old":2}'],
  ['application/x-ndjson', '\ufeff', '\ufeff'],
  ['application/x-ndjson', '1\r', '{"old":1}\r'],
  [JSONL, '7\n8\n', '{"old":8}\n', (item) => (JSON.stringify(item) === '7' ? undefined : inItem(item))],
  ['Application/JSON-Seq', sequence('{"a":\n1}', '["\\""]'), sequence('{"old":{"a":1}}', '{"old":["\\""]}')],
  ['application/geo+json-seq', '\x1e1\x1e2\n', '\x1e{"old":1}\x1e{"old":2}\n'],
  ...TYPES.map((name): [string, string, string] => [`application/${name}`, '1\n2', '{"old":1}\n{"old":2}']),
])('%s: %j', (type, text, older, change = inItem) => {
  expect(whole(type, text, change)).toBe(older)
})

const UNENDED = 'an item without its end'
const LARGE = 'an item of more than 15 bytes'
it.each([
  [UNENDED, SSE, 'data: 1\n'],
  [UNENDED, SSE, 'data: 1\r\nid: 1\r\n'],
  [UNENDED, SSE, 'data'],
  ['no JSON', JSONL, '1\n{"a":'],
  ['no JSON', JSONL, '[1,\n2]\n'],
  ['no JSON', JSONL, '1\r2\n'],
  ['no JSON', JSONL, '[DONE]\n'],
  ['no JSON', SEQ, '\x1e{"a":\x1e1\n\n'],
  ['no JSON', SEQ, '\x1e"\\"\n"\n\x1e'],
  [UNENDED, SEQ, '\x1e1\n\x1e2'],
  [UNENDED, SEQ, '\x1e{"a":\n'],
  [LARGE, SSE, 'data: 1234567890\n'],
  [LARGE, SSE, 'data: 1234567890\n\n'],
  [LARGE, SSE, ': 123456789012345'],
  [LARGE, JSONL, '1234567890123456'],
  [LARGE, SEQ, '\x1e123456789012345\n'],
  ['The bytes are not UTF-8.', SSE, 'data: "\xff"\n\n'],
  ['The bytes are not UTF-8.', SSE, 'data: 1\nevent: \xff\n\n'],
])('%s: %s: %j', (message, type, text) => {
  const limit = message === LARGE ? 15 : undefined
  expect(() => mapped(type, [Buffer.from(text, 'latin1')], renamed, limit)).toThrow(message)
})

it('leaves comments in another encoding alone, also beside new data', () => {
  const latin1 = (text: string) => Buffer.concat(mapped(SSE, [Buffer.from(text, 'latin1')], renamed)).toString('latin1')
  const text = ': \xff\nid: \xff\ndata: [DONE]\n\n'
  expect(latin1(text)).toBe(text)
  expect(latin1(': \xff\ndata: "\xc3\xa9"\n\n')).toBe(': \xff\ndata: {"old":"\xc3\xa9"}\n\n')
})

it('leaves out the second half of a line end with its event', () => {
  const pieces = ['data: 7\r\r', '\ndata: 1\r\r', '\n'].map((text) => Buffer.from(text))
  expect(mapped(SSE, pieces, dropping).join('|')).toBe('|data: {"old":1}\r\r|\n|')
})

it('takes an id and a retry as clients do', () => {
  const change = jest.fn<{ json: string }, [object]>(() => ({ json: '0' }))
  whole(SSE, 'id: a\nretry: 10\ndata: 1\n\nid: \0\nretry: -1\nevent:\ndata: 2\n\n', change)
  expect(change.mock.calls).toEqual([[{ data: 1, id: 'a', retry: 10 }], [{ data: 2 }]])
})

it('is no stream', () => {
  expect(['text/plain', undefined, 'application/json'].map(framingOf)).toEqual([undefined, undefined, undefined])
  expect(framingOf(['text/html', 'text/event-stream'])).toBe(framingOf(SSE))
})

// Time and memory -----------------------------------------------------------------------------------------------------

/** Counts the bytes and characters that searches of lines pass while a stream is read. */
function searched(type: string, text: string): number {
  let count = 0
  const spies = [Buffer.prototype, String.prototype].map((prototype) => {
    const { indexOf } = prototype as { indexOf(value: never, from: number): number }
    const counting = function (this: Buffer, value: never, from = 0) {
      const found = indexOf.call(this, value, from)
      count += (found === -1 ? this.length : found + 1) - from
      return found
    }
    return jest.spyOn(prototype as Buffer, 'indexOf').mockImplementation(counting as never)
  })
  try {
    mapped(type, [Buffer.from(text)], one)
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return count
}

const LINE = 20_000
it.each<[title: string, type: string, text: string]>([
  ['LF', SSE, `${'data: 1\n'.repeat(LINE)}\n`],
  ['CRLF at the end alone', SSE, `${'data: 1\n'.repeat(LINE)}\r\n`],
  ['CR', SSE, `${'data: 1\r'.repeat(LINE)}\r`],
  ['no colon', SSE, `${'data\n'.repeat(LINE)}\n`],
  ['a colon at the end alone', SSE, `${'other\n'.repeat(LINE)}data:1\n\n`],
  ['comments', SSE, `data: 1\n${':\n'.repeat(LINE)}\n`],
  ['lines', 'application/x-ndjson', '1\n'.repeat(LINE)],
  ['a text of many lines', SEQ, `\x1e[${'1,\n'.repeat(LINE)}1]\n`],
])('reads each byte a few times: %s', (_title, type, text) => {
  expect(searched(type, text)).toBeLessThan(10 * text.length)
})

it.each([SSE, 'application/x-ndjson', SEQ])('takes little more memory for an item in small pieces: %s', (type) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const held = () => {
    collect()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const framing = framingOf(type) as NonNullable<ReturnType<typeof framingOf>>
  const items = new ItemMapper({ framing, map: (piece) => piece })
  items.add(Buffer.from('data:"'))
  const before = held()
  const count = 100_000
  for (let index = 0; index < count; index++) items.add(Buffer.from('a'))
  // 100 bytes for each are 10 MB.
  expect(held() - before).toBeLessThan(2 * count + 3_000_000)
  expect(items.end().length).toBe(6 + count)
})

// Any bytes -----------------------------------------------------------------------------------------------------------

const WORDS =
  'data: |data:|data|event: a|event|:|id: 7|retry: 1|{"a":1}|7|[DONE]|"\u00e9\ud83d\ude00"|\x1e|"|\\|{|}|\ufeff| '
const part = fc.constantFrom(...WORDS.split('|'), '\n', '\r', '\r\n', '\n\n')
const texts = fc.array(part, { maxLength: 30 }).map((parts) => parts.join(''))
const types = fc.constantFrom(SSE, 'application/x-ndjson', 'application/json-seq')

const cuts = fc.array(fc.nat(80), { maxLength: 6 })

property(
  'a stream has the same bytes in any pieces',
  fc.property(types, texts, cuts, (type, text, cuts) => {
    const bytes = Buffer.from(`${text}\n\n\n`)
    const ends = [...cuts.filter((cut) => cut < bytes.length).toSorted((one, other) => one - other), bytes.length]
    const pieces = ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end))
    const outcome = (given: readonly Buffer[]) => {
      try {
        return Buffer.concat(mapped(type, given, dropping)).toString('latin1')
      } catch (error) {
        return (error as Error).message
      }
    }
    expect(outcome(pieces)).toBe(outcome([bytes]))
    expect(outcome([...bytes].map((byte) => Buffer.of(byte)))).toBe(outcome([bytes]))
  }),
)

property(
  'a stream whose items stay has the same bytes',
  fc.property(types, texts, (type, text) => {
    const framing = framingOf(type) as NonNullable<ReturnType<typeof framingOf>>
    const map = (piece: Buffer) => {
      const frame = framing.read(piece)
      const { event } = (frame?.item ?? {}) as { event?: string }
      return frame?.json === undefined ? piece : frame.with(frame.json, event)
    }
    // The end of an item that has begun follows.
    const bytes = Buffer.from(`${text}\n\n\x1e\n`)
    const items = new ItemMapper({ framing, map })
    const out = items.add(bytes)
    expect(out).toEqual(bytes.subarray(0, out.length))
  }),
)

// What clients read of events, by a parser of somebody else and by a plain interpreter of the standard -----------------------

type Read = { event: string; data: string; id: string }

/** The interpretation of WHATWG HTML, section 9.2.6, line by line, without any doubt about speed. */
function interpreted(text: string): Read[] {
  const read: Read[] = []
  let [data, event, id] = ['', '', '']
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)
  lines.pop() // the last line has no end
  for (const line of lines) {
    if (line === '') {
      if (data !== '') read.push({ event: event || 'message', data: data.slice(0, -1), id })
      ;[data, event] = ['', '']
    }
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) as RegExpExecArray
    if (name === 'data') data += `${value}\n`
    if (name === 'event') event = value
    if (name === 'id' && !value.includes('\0')) id = value
  }
  return read
}

function parsed(bytes: Buffer): Read[] {
  const read: Read[] = []
  let id = ''
  const parser = createParser({
    onEvent: (event) => {
      id = event.id ?? id
      read.push({ event: event.event || 'message', data: event.data, id })
    },
  })
  parser.feed(new TextDecoder().decode(bytes)) // without the byte order mark
  return read
}

const isJson = (text: string) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The names by their older ones; events of the name `gone` are left out. */
const NAMES: Record<string, string> = { a: 'b', message: 'first', b: 'message', c: 'c' }
const olderOf = (read: Read): Read[] => {
  if (!isJson(read.data)) return [read]
  if (read.event === 'gone') return []
  return [{ ...read, event: NAMES[read.event] ?? read.event, data: JSON.stringify([JSON.parse(read.data)]) }]
}

const ends = fc.constantFrom('\n', '\r', '\r\n')
const words = ['', ...' a|b| c|gone| 7|{"a":| "\u00e9"}|[DONE]| {"x": 1}| message|null'.split('|')]
const values = fc.constantFrom(...words)
const fields = fc.constantFrom('data', 'data', 'data', 'event', 'id', 'retry', '', 'other')
const lines = fc.tuple(fields, values, ends).map(([field, value, end]) => `${field}:${value}${end}`)
const blank = fc.tuple(ends, ends).map((both) => both.join(''))
const streams = fc
  .array(fc.oneof(lines, lines, lines, blank), { maxLength: 24 })
  .map((parts) => `${parts.join('')}\n\n`)

const olderEvent: Change = ({ data, event = 'message' }) => {
  const name = NAMES[event] ?? event
  return event === 'gone' ? undefined : { json: JSON.stringify([data]), ...(name === 'message' ? {} : { event: name }) }
}
property(
  'clients read the older events of a stream',
  fc.property(streams, fc.constantFrom('', '\ufeff'), fc.integer({ min: 1, max: 9 }), (text, mark, size) => {
    const bytes = Buffer.from(mark + text)
    const starts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => index * size)
    const pieces = starts.map((at) => bytes.subarray(at, at + size))
    const older = Buffer.concat(mapped(SSE, pieces, olderEvent))
    const told = interpreted(text).flatMap(olderOf)
    const shown = (all: Read[]) => all.map(({ event, data }) => ({ event, data }))
    expect(shown(parsed(older))).toEqual(shown(told))
    expect(interpreted(older.toString())).toEqual(told)
  }),
)
