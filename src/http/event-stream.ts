// Event streams (WHATWG HTML, section 9.2): `text/event-stream`.
import { isAscii } from 'node:buffer'
import { type Frame, type Framing, NO_BYTES, type Scan, type StreamEvent } from './framing'
import { parsedJson } from './json'
import { textOf } from './json-texts'

export const EVENT_STREAM: Framing = {
  items: 'events',
  endsOpen: false,
  scan: scanEvents,
  read: frameOf,
  hasItem: (bytes) => hasData(linesOf(bytes)),
}

const LF = 0x0a
const CR = 0x0d
const COLON = 0x3a
/** A byte order mark, in latin1. */
const MARK = '\xef\xbb\xbf'

/** Finds the ends of events, which are blank lines. A blank line or a comment in front of one passes at once. */
function scanEvents(): Scan {
  let isLineStart = true
  /** `true` behind the first line of an event. */
  let hasBegun = false
  /** `true` behind a CR, whose line a LF may still belong to. */
  let isBehindCr = false
  return (bytes, from) => {
    const { length } = bytes
    let at = from
    if (isBehindCr && at < length) {
      isBehindCr = false
      if (bytes[at] === LF) at++
      if (at > from && !hasBegun) return { at, kind: 'tail' }
    }
    while (at < length) {
      const isBlank = isLineStart && (bytes[at] === LF || bytes[at] === CR)
      if (isLineStart && !isBlank && bytes[at] !== COLON) hasBegun = true
      while (at < length && bytes[at] !== LF && bytes[at] !== CR) at++
      isLineStart = at < length
      if (!isLineStart) break
      at += bytes[at] === CR && bytes[at + 1] === LF ? 2 : 1
      isBehindCr = at === length && bytes[at - 1] === CR
      if (!isBlank && hasBegun) continue
      const kind = hasBegun ? 'item' : 'between'
      hasBegun = false
      return { at, kind }
    }
    return undefined
  }
}

/** One line of an event, in latin1. */
interface Line {
  /** The byte order marks in front of its field. */
  readonly marks: string
  /** The name of its field; `''` for a comment, and undefined for a blank line. */
  readonly field: string | undefined
  /** The colon behind the name, and a space. */
  readonly colon: string
  readonly value: string
  readonly end: string
  /** The whole line. The byte order marks of the first one stay in front of all, whatever becomes of it. */
  readonly text: string
}

function linesOf(bytes: Buffer): Line[] {
  const lines: Line[] = []
  const parts = bytes.toString('latin1').split(/(\r\n|\r|\n)/)
  for (let at = 0; at < parts.length; at += 2) {
    const text = parts[at] as string
    const end = parts[at + 1] ?? ''
    if (text === '' && end === '') break
    let start = 0
    while (text.startsWith(MARK, start)) start += MARK.length
    const found = text.indexOf(':', start)
    const colon = found === -1 ? text.length : found
    const value = text[colon + 1] === ' ' ? colon + 2 : colon + 1
    lines.push({
      marks: text.slice(0, start),
      field: start === text.length ? undefined : text.slice(start, colon),
      colon: text.slice(colon, value),
      value: text.slice(value),
      end,
      text: text.slice(at === 0 ? start : 0) + end,
    })
  }
  return lines
}

function hasData(lines: readonly Line[]): boolean {
  return lines.some(({ field }) => field === 'data')
}

/** Reads an event. All but its names and its data may be in any encoding. */
function frameOf(piece: Buffer): Frame | undefined {
  const lines = linesOf(piece)
  if (!hasData(lines)) return undefined
  const isPlain = isAscii(piece)
  const decoded = (value: string) => (isPlain ? value : textOf(Buffer.from(value, 'latin1')))
  const item: { -readonly [Field in keyof StreamEvent]: StreamEvent[Field] } = { data: undefined }
  /** The last line with a name. */
  let named: Line | undefined
  let data: string | undefined
  for (const line of lines) {
    const { field, value } = line
    if (field === 'event') named = line
    else if (field === 'data') data = data === undefined ? decoded(value) : `${data}\n${decoded(value)}`
    else if (field === 'id') {
      if (!value.includes('\0')) item.id = Buffer.from(value, 'latin1').toString()
    } else if (field === 'retry' && /^\d+$/.test(value)) item.retry = Number(value)
  }
  const name = named === undefined ? '' : decoded(named.value)
  if (name !== '') item.event = name
  const parsed = parsedJson(data as string)
  item.data = parsed === undefined ? data : parsed.value
  const json = parsed && data

  const { marks } = lines[0] as Line
  const bytesOf = (made: string) => Buffer.from(made, isPlain ? 'utf8' : 'latin1')
  /** Writes a line in the style of another one: with or without a space, and with its end. */
  const lineOf = ({ colon, end }: Line, field: string, value: string) =>
    `${field}:${colon.slice(1)}${isPlain ? value : Buffer.from(value).toString('latin1')}${end}`
  return {
    item,
    json,
    with: (newJson, event = DEFAULT_EVENT) => {
      const isSameName = event === (name || DEFAULT_EVENT)
      const isSameJson = newJson === json
      if (isSameName && isSameJson) return piece
      let made = marks
      let isBehindData = false
      for (const line of lines) {
        const { field } = line
        if (field === 'data') {
          if (!isBehindData && !isSameName && named === undefined) made += lineOf(line, 'event', event)
          if (isSameJson) made += line.text
          else if (!isBehindData) made += lineOf(line, 'data', newJson)
          isBehindData = true
        } else if (field !== 'event' || isSameName) made += kept(line, made)
        else if (line === named && event !== DEFAULT_EVENT) made += lineOf(line, 'event', event)
      }
      return bytesOf(made)
    },
    without: () => {
      const others = lines.filter(({ field }) => field !== 'data' && field !== 'event')
      // The id is the client's `Last-Event-ID`, also without an event.
      if (others.every(({ field }) => field === undefined)) return NO_BYTES
      return bytesOf(others.reduce((made, line) => made + kept(line, made), marks))
    },
  }
}

/** Returns the text of a line that stays behind others. Where a line between is gone, a LF behind a CR would be a part of the same end. */
function kept({ text }: Line, made: string): string {
  return text === '\n' && made.endsWith('\r') ? '\n\n' : text
}

/** The name of events without one. */
export const DEFAULT_EVENT = 'message'
