import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { EVENT_STREAM } from '../../src/http/event-stream'
import { ItemMapper } from '../../src/http/item-mapper'
import { property } from '../support/property'

// What clients read from a converted event stream, by a parser of somebody else and by a plain interpreter of the standard.

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

property(
  'clients read the older events of a stream',
  fc.property(streams, fc.constantFrom('', '\ufeff'), fc.integer({ min: 1, max: 9 }), (text, mark, size) => {
    const map = (piece: Buffer) => {
      const frame = EVENT_STREAM.read(piece)
      if (frame === undefined) return piece
      const { data, event = 'message' } = frame.item as { data: unknown; event?: string }
      const name = NAMES[event] ?? event
      return event === 'gone'
        ? frame.without()
        : frame.with(JSON.stringify([data]), name === 'message' ? undefined : name)
    }
    const items = new ItemMapper({ framing: EVENT_STREAM, limit: 1e6, map, reject: (what) => new Error(what) })
    const bytes = Buffer.from(mark + text)
    const out: Buffer[] = []
    for (let at = 0; at < bytes.length; at += size) out.push(items.add(bytes.subarray(at, at + size)))
    const older = Buffer.concat([...out, items.end()])
    const told = interpreted(text).flatMap(olderOf)
    const shown = (all: Read[]) => all.map(({ event, data }) => ({ event, data }))
    expect(shown(parsed(older))).toEqual(shown(told))
    expect(interpreted(older.toString())).toEqual(told)
  }),
)
