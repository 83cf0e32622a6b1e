// Event streams (WHATWG HTML, section 9.2): `text/event-stream`.
import { type Frame, type Framing, Held, NO_BYTES, type Piece, type Splitter, type StreamEvent } from './framing'
import { parsedJson } from './json'
import { textOf } from './utf-8'

export const EVENT_STREAM: Framing = {
  items: 'events',
  endsOpen: false,
  split: () => new EventSplitter(),
  read: (piece) => {
    const lines = linesOf(piece)
    return hasData(lines) ? new EventFrame(piece, lines) : undefined
  },
  hasItem: (bytes) => hasData(linesOf(bytes)),
}

const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const COLON = 0x3a
/** A byte order mark, as bytes. */
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
    const ends = new LineEnds(bytes)
    while (at < bytes.length) {
      const isBlank = this.#isLineStart && (bytes[at] === LF || bytes[at] === CR)
      if (this.#isLineStart && !isBlank && bytes[at] !== COLON) this.#hasBegun = true
      this.#isLineStart = false
      const end = ends.from(at)
      if (end === bytes.length) break
      at = behindEnd(bytes, end)
      this.#isBehindCr = at === bytes.length && bytes[end] === CR && at === end + 1
      this.#isLineStart = true
      if (isBlank || !this.#hasBegun) emit(at, this.#hasBegun ? 'item' : 'between')
    }
    this.rest.add(bytes.subarray(start))
    return pieces
  }
}

/** The places of a byte. Each search goes on where the last one ended, so that all of them together take each byte once. */
class Places {
  #known = -1

  constructor(
    private readonly bytes: Buffer,
    private readonly wanted: number,
  ) {}

  /** Returns the first place at or behind an index, which never falls; the length for none. */
  from(at: number): number {
    if (this.#known >= at) return this.#known
    const found = this.bytes.indexOf(this.wanted, at)
    this.#known = found === -1 ? this.bytes.length : found
    return this.#known
  }
}

/** The ends of lines: LF, CR, or both. */
class LineEnds {
  readonly #lf: Places
  readonly #cr: Places

  constructor(bytes: Buffer) {
    this.#lf = new Places(bytes, LF)
    this.#cr = new Places(bytes, CR)
  }

  from(at: number): number {
    return Math.min(this.#lf.from(at), this.#cr.from(at))
  }
}

/** Returns the index behind the end of a line. */
function behindEnd(bytes: Buffer, end: number): number {
  return bytes[end] === CR && bytes[end + 1] === LF ? end + 2 : end + 1
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

function linesOf(bytes: Buffer): Line[] {
  const lines: Line[] = []
  const ends = new LineEnds(bytes)
  const colons = new Places(bytes, COLON)
  for (let start = 0; start < bytes.length; ) {
    const end = ends.from(start)
    const colon = Math.min(colons.from(start), end)
    const before = bytes.toString('latin1', start, colon)
    let marks = 0
    while (before.startsWith(MARK, marks)) marks += MARK.length
    const name = start + marks
    const value = Math.min(bytes[colon + 1] === SPACE ? colon + 2 : colon + 1, end)
    const next = Math.min(behindEnd(bytes, end), bytes.length)
    lines.push({ field: name === end ? undefined : before.slice(marks), start, name, value, end, next })
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

  constructor(
    private readonly piece: Buffer,
    private readonly lines: readonly Line[],
  ) {
    const item: { -readonly [Field in keyof StreamEvent]?: StreamEvent[Field] } = {}
    let named: Line | undefined
    let text: string | undefined
    for (const line of lines) {
      const { field } = line
      if (field === 'event') named = line
      else if (field === 'data') {
        const value = this.#valueOf(line)
        text = text === undefined ? value : `${text}\n${value}`
      } else if (field === 'id') {
        // It may be in any encoding, and stays.
        const id = piece.toString('utf8', line.value, line.end)
        if (!id.includes('\0')) item.id = id
      } else if (field === 'retry') {
        const retry = piece.toString('latin1', line.value, line.end)
        if (/^\d+$/.test(retry)) item.retry = Number(retry)
      }
    }
    const event = named && this.#valueOf(named)
    if (event) item.event = event
    const parsed = parsedJson(text as string)
    this.item = { data: parsed === undefined ? text : parsed.value, ...item }
    this.json = parsed && text
    this.#event = event || DEFAULT_EVENT
    this.#named = named
  }

  /** @throws {TypeError} for a value that is not UTF-8. */
  #valueOf({ value, end }: Line): string {
    return textOf(this.piece.subarray(value, end))
  }

  with(json: string, event: string = DEFAULT_EVENT): Buffer {
    const { lines, piece } = this
    const named = this.#named
    const isSameName = event === this.#event
    const isSameJson = json === this.json
    if (isSameName && isSameJson) return piece
    const rewritten = new Rewriting(piece, lines)
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
    const rewritten = new Rewriting(this.piece, this.lines)
    for (const line of kept) rewritten.keep(line)
    return rewritten.made()
  }
}

/** The lines of an event, kept or written anew. */
class Rewriting {
  readonly #parts: Buffer[] = []
  /** The start of the first name: a byte order mark in front of it stays there. */
  readonly #first: number
  /** The kept bytes that are no part yet. */
  #from = 0
  #to: number

  constructor(
    private readonly piece: Buffer,
    [first]: readonly Line[],
  ) {
    this.#first = (first as Line).name
    this.#to = this.#first
  }

  /** Adds a line as it is. */
  keep(line: Line): void {
    const { piece } = this
    const start = Math.max(line.start, this.#first)
    if (start !== this.#to) {
      this.#close()
      // Where a line between them is gone, a LF behind a CR would be a part of the same line end.
      if (piece[start] === LF && piece[this.#to - 1] === CR) this.#parts.push(piece.subarray(start, start + 1))
      this.#from = start
    }
    this.#to = line.next
  }

  /** Adds a line with another value, in the style of a line: with or without a space, and with its end. */
  write({ value, end, next }: Line, field: string, text: string): void {
    this.#close()
    this.#parts.push(Buffer.from(`${field}:${this.piece[value - 1] === SPACE ? ' ' : ''}${text}`))
    this.#from = end
    this.#to = next
  }

  /** Returns the bytes of the added lines. */
  made(): Buffer {
    this.#close()
    return Buffer.concat(this.#parts)
  }

  #close(): void {
    if (this.#from < this.#to) this.#parts.push(this.piece.subarray(this.#from, this.#to))
    this.#from = this.#to
  }
}

/** The name of events without one. */
export const DEFAULT_EVENT = 'message'
