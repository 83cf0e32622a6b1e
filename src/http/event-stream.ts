// Event streams (WHATWG HTML, section 9.2): `text/event-stream`.
import { type Frame, type Framing, Held, NO_BYTES, type Piece, type Splitter, type StreamEvent } from './framing'
import { parsedJson } from './json'
import { textOf } from './utf-8'

export const EVENT_STREAM: Framing = {
  items: 'events',
  endsOpen: false,
  split: () => new EventSplitter(),
  read: (piece) => {
    const text = piece.toString('latin1')
    const lines = linesOf(text)
    return hasData(lines) ? new EventFrame(piece, text, lines) : undefined
  },
  hasItem: (bytes) => hasData(linesOf(bytes.toString('latin1'))),
}

const LF = 0x0a
const CR = 0x0d
const COLON = 0x3a
/** A byte order mark, in latin1. */
const MARK = '\xef\xbb\xbf'

/** The splitter of an event stream. A blank line ends an event; comments in front of one pass at once. */
class EventSplitter implements Splitter {
  readonly rest = new Held()
  #isLineStart = true
  /** `true` behind the first line of an event. */
  #hasBegun = false
  /** `true` behind a CR, whose line a LF may still belong to. */
  #isBehindCr = false

  push(bytes: Buffer): Piece[] {
    const pieces: Piece[] = []
    let start = 0
    const emit = (end: number, kind: Piece['kind']) => {
      pieces.push({ bytes: this.rest.take(bytes.subarray(start, end)), kind })
      start = end
      this.#hasBegun = false
    }
    let at = 0
    if (this.#isBehindCr && bytes[0] === LF) {
      at = 1
      if (!this.#hasBegun) emit(1, 'tail')
    }
    if (bytes.length > 0) this.#isBehindCr = false
    const [lf, cr] = [new Places(bytes, LF), new Places(bytes, CR)]
    while (at < bytes.length) {
      const isBlank = this.#isLineStart && (bytes[at] === LF || bytes[at] === CR)
      if (this.#isLineStart && !isBlank && bytes[at] !== COLON) this.#hasBegun = true
      this.#isLineStart = false
      const end = Math.min(lf.from(at), cr.from(at))
      if (end === bytes.length) break
      at = bytes[end] === CR && bytes[end + 1] === LF ? end + 2 : end + 1
      this.#isBehindCr = at === bytes.length && bytes[at - 1] === CR
      this.#isLineStart = true
      if (isBlank || !this.#hasBegun) emit(at, this.#hasBegun ? 'item' : 'between')
    }
    this.rest.add(bytes.subarray(start))
    return pieces
  }
}

/** The places of a character. Each search goes on where the last one ended, so all of them together pass each character once. */
class Places {
  #known = -1

  constructor(
    private readonly within: Buffer | string,
    private readonly wanted: number | string,
  ) {}

  /** Returns the first place at or behind an index, which never falls; the length for none. */
  from(at: number): number {
    if (this.#known >= at) return this.#known
    const found = this.within.indexOf(this.wanted as string, at)
    this.#known = found === -1 ? this.within.length : found
    return this.#known
  }
}

/** One line of an event: its field, and its places in the bytes. */
interface Line {
  /** The name of its field, without a byte order mark; `''` for a comment, and undefined for a blank line. */
  readonly field: string | undefined
  readonly start: number
  /** The start of the name, behind byte order marks. */
  readonly name: number
  /** The start of the value. */
  readonly value: number
  /** The start of the line end. */
  readonly end: number
  readonly next: number
}

/** @param text the bytes in latin1. */
function linesOf(text: string): Line[] {
  const lines: Line[] = []
  const [lf, cr, colons] = [new Places(text, '\n'), new Places(text, '\r'), new Places(text, ':')]
  for (let start = 0; start < text.length; ) {
    const end = Math.min(lf.from(start), cr.from(start))
    const colon = Math.min(colons.from(start), end)
    let name = start
    while (text[name] === '\xef' && text.startsWith(MARK, name)) name += MARK.length
    const value = Math.min(text[colon + 1] === ' ' ? colon + 2 : colon + 1, end)
    const next = Math.min(text[end] === '\r' && text[end + 1] === '\n' ? end + 2 : end + 1, text.length)
    lines.push({ field: name === end ? undefined : text.slice(name, colon), start, name, value, end, next })
    start = next
  }
  return lines
}

function hasData(lines: readonly Line[]): boolean {
  return lines.some(({ field }) => field === 'data')
}

class EventFrame implements Frame {
  readonly item: StreamEvent
  readonly json: string | undefined
  /** The name of the event; `message` without one. */
  readonly #event: string
  /** The last line with a name. */
  readonly #named: Line | undefined

  /** @param text the piece in latin1. */
  constructor(
    private readonly piece: Buffer,
    private readonly text: string,
    private readonly lines: readonly Line[],
  ) {
    const item: { -readonly [Field in keyof StreamEvent]: StreamEvent[Field] } = { data: undefined }
    let named: Line | undefined
    let data: string | undefined
    for (const line of lines) {
      const { field } = line
      if (field === 'event') named = line
      else if (field === 'data') {
        const value = this.#valueOf(line)
        data = data === undefined ? value : `${data}\n${value}`
      } else if (field === 'id') {
        // It may be in any encoding, and stays.
        const id = piece.toString('utf8', line.value, line.end)
        if (!id.includes('\0')) item.id = id
      } else if (field === 'retry') {
        const retry = text.slice(line.value, line.end)
        if (/^\d+$/.test(retry)) item.retry = Number(retry)
      }
    }
    const event = named && this.#valueOf(named)
    if (event) item.event = event
    const parsed = parsedJson(data as string)
    item.data = parsed === undefined ? data : parsed.value
    this.item = item
    this.json = parsed && data
    this.#event = event || DEFAULT_EVENT
    this.#named = named
  }

  /** @throws {TypeError} for a value that is not UTF-8. */
  #valueOf({ value, end }: Line): string {
    const text = this.text.slice(value, end)
    return isAscii(text) ? text : textOf(this.piece.subarray(value, end))
  }

  with(json: string, event: string = DEFAULT_EVENT): Buffer {
    const { lines, piece, text } = this
    const named = this.#named
    const isSameName = event === this.#event
    const isSameJson = json === this.json
    if (isSameName && isSameJson) return piece
    const rewritten = new Rewriting(text, lines)
    let hasData = false
    for (const line of lines) {
      if (line.field === 'data') {
        if (!hasData && !isSameName && named === undefined) rewritten.write(line, 'event', event)
        if (isSameJson) rewritten.keep(line)
        else if (!hasData) rewritten.write(line, 'data', json)
        hasData = true
      } else if (line.field !== 'event' || isSameName) rewritten.keep(line)
      else if (line === named && event !== DEFAULT_EVENT) rewritten.write(line, 'event', event)
    }
    return rewritten.made()
  }

  without(): Buffer {
    const kept = this.lines.filter(({ field }) => field !== 'data' && field !== 'event')
    // The id is the client's `Last-Event-ID`, also without an event.
    if (kept.every(({ field }) => field === undefined)) return NO_BYTES
    const rewritten = new Rewriting(this.text, this.lines)
    for (const line of kept) rewritten.keep(line)
    return rewritten.made()
  }
}

/** The lines of an event, kept or written anew, in latin1. */
class Rewriting {
  /** The start of the first name: a byte order mark in front of it stays there. */
  readonly #first: number
  #made: string

  constructor(
    private readonly text: string,
    [first]: readonly Line[],
  ) {
    this.#first = (first as Line).name
    this.#made = text.slice(0, this.#first)
  }

  /** Adds a line as it is. */
  keep({ start, next }: Line): void {
    // Where a line between them is gone, a LF behind a CR would be a part of the same line end.
    if (this.text[start] === '\n' && this.#made.endsWith('\r')) this.#made += '\n'
    this.#made += this.text.slice(Math.max(start, this.#first), next)
  }

  /** Adds a line with another value, in the style of a line: with or without a space, and with its end. */
  write({ value, end, next }: Line, field: string, text: string): void {
    const space = this.text[value - 1] === ' ' ? ' ' : ''
    const written = isAscii(text) ? text : Buffer.from(text).toString('latin1')
    this.#made += `${field}:${space}${written}${this.text.slice(end, next)}`
  }

  /** Returns the bytes of the added lines. */
  made(): Buffer {
    return Buffer.from(this.#made, 'latin1')
  }
}

function isAscii(text: string): boolean {
  return !/[\u0080-\uffff]/.test(text)
}

/** The name of events without one. */
export const DEFAULT_EVENT = 'message'
