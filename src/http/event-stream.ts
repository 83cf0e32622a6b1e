// Event streams (WHATWG HTML, section 9.2): `text/event-stream`.
import { isUtf8 } from 'node:buffer'
import { type Frame, type Framing, Held, NO_BYTES, type Piece, type Splitter, type StreamEvent } from './framing'
import { parsedJson } from './json'
import { textOf } from './utf-8'

export const EVENT_STREAM: Framing = {
  items: 'events',
  split: () => new EventSplitter(),
  read: (piece) => {
    const text = new PieceText(piece)
    const lines = linesOf(text.whole)
    let json: string | undefined
    for (const line of lines) {
      if (line.field !== 'data') continue
      const value = text.valueOf(line)
      json = json === undefined ? value : `${json}\n${value}`
    }
    const parsed = json === undefined ? undefined : parsedJson(json)
    return parsed && new EventFrame(piece, text, lines, json as string, parsed.value)
  },
  isCut: (rest) => linesOf(rest.toString('latin1')).some(({ field }) => field === 'data'),
}

const LF = 0x0a
const CR = 0x0d
const COLON = 0x3a

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
      if (end === -1) break
      at = end + 1
      if (bytes[end] === CR && bytes[at] === LF) at++
      else if (bytes[end] === CR && at === bytes.length) this.#isBehindCr = true
      this.#isLineStart = true
      if (isBlank || !this.#hasBegun) emit(at, this.#hasBegun ? 'item' : 'between')
    }
    this.rest.add(bytes.subarray(start))
    return pieces
  }
}

/** The ends of lines in bytes: LF, CR, or both. Each search goes on where the last one ended. */
class LineEnds {
  #lf = -2
  #cr = -2

  constructor(private readonly bytes: Buffer) {}

  /** Returns the index of the first end at or behind an index; -1 for none. */
  from(at: number): number {
    this.#lf = this.#next(this.#lf, LF, at)
    this.#cr = this.#next(this.#cr, CR, at)
    if (this.#lf === -1 || this.#cr === -1) return Math.max(this.#lf, this.#cr)
    return Math.min(this.#lf, this.#cr)
  }

  #next(known: number, byte: number, at: number): number {
    return known === -1 || known >= at ? known : this.bytes.indexOf(byte, at)
  }
}

/** One line of an event: its field, and its places in the text. */
interface Line {
  /** The name of its field; `''` for a comment, and undefined for a blank line. */
  readonly field: string | undefined
  readonly start: number
  /** The start of the value. */
  readonly value: number
  /** The start of the line end. */
  readonly end: number
  readonly next: number
}

function linesOf(text: string): Line[] {
  const lines: Line[] = []
  const hasCr = text.includes('\r')
  for (let start = 0; start < text.length; ) {
    const lf = indexOr(text.length, text.indexOf('\n', start))
    const cr = hasCr ? indexOr(text.length, text.indexOf('\r', start)) : lf
    const end = Math.min(lf, cr)
    const next = Math.min(cr + 1 === lf ? lf + 1 : end + 1, text.length)
    const colon = text.indexOf(':', start)
    const name = colon === -1 || colon > end ? end : colon
    const value = Math.min(text[name + 1] === ' ' ? name + 2 : name + 1, end)
    lines.push({ field: end === start ? undefined : text.slice(start, name), start, value, end, next })
    start = next
  }
  return lines
}

function indexOr(otherwise: number, index: number): number {
  return index === -1 ? otherwise : index
}

/** The text of a piece. Comments and ids may be in any encoding, and stay. */
class PieceText {
  readonly whole: string
  readonly #encoding: 'utf8' | 'latin1'
  #made = ''

  constructor(piece: Buffer) {
    this.#encoding = isUtf8(piece) ? 'utf8' : 'latin1'
    this.whole = piece.toString(this.#encoding)
  }

  /** @throws {TypeError} for a value that is not UTF-8. */
  valueOf({ value, end }: Line): string {
    const text = this.whole.slice(value, end)
    return this.#encoding === 'utf8' ? text : textOf(Buffer.from(text, 'latin1'))
  }

  /** Adds a line as it is. */
  keep({ start, next }: Line): void {
    // Where a line between them is gone, a LF behind a CR would be a part of the same line end.
    if (this.whole[start] === '\n' && this.#made.endsWith('\r')) this.#made += '\n'
    this.#made += this.whole.slice(start, next)
  }

  /** Adds a line with another value, in the style of a line: with or without a space, and with its end. */
  write({ value, end, next }: Line, field: string, text: string): void {
    const space = this.whole[value - 1] === ' ' ? ' ' : ''
    const written = this.#encoding === 'utf8' ? text : Buffer.from(text).toString('latin1')
    this.#made += `${field}:${space}${written}${this.whole.slice(end, next)}`
  }

  /** Returns the bytes of the added lines. */
  made(): Buffer {
    return Buffer.from(this.#made, this.#encoding)
  }
}

class EventFrame implements Frame {
  readonly item: StreamEvent
  /** The name of the event; `message` without one. */
  readonly #event: string
  /** The last line with a name. */
  readonly #named: Line | undefined

  constructor(
    private readonly piece: Buffer,
    private readonly text: PieceText,
    private readonly lines: readonly Line[],
    readonly json: string,
    data: unknown,
  ) {
    const item: { -readonly [Field in keyof StreamEvent]: StreamEvent[Field] } = { data }
    let named: Line | undefined
    for (const line of lines) {
      const { field } = line
      if (field === 'event') named = line
      else if (field === 'id') {
        const id = text.valueOf(line)
        if (!id.includes('\0')) item.id = id
      } else if (field === 'retry') {
        const retry = text.valueOf(line)
        if (/^\d+$/.test(retry)) item.retry = Number(retry)
      }
    }
    const event = named && text.valueOf(named)
    if (event) item.event = event
    this.item = item
    this.#event = event || DEFAULT_EVENT
    this.#named = named
  }

  with(json: string, event: string = DEFAULT_EVENT): Buffer {
    const { lines, text } = this
    const named = this.#named
    const isSameName = event === this.#event
    const isSameJson = json === this.json
    if (isSameName && isSameJson) return this.piece
    let hasData = false
    for (const line of lines) {
      if (line.field === 'data') {
        if (!hasData && !isSameName && named === undefined) text.write(line, 'event', event)
        if (isSameJson) text.keep(line)
        else if (!hasData) text.write(line, 'data', json)
        hasData = true
      } else if (line.field !== 'event' || isSameName) text.keep(line)
      else if (line === named && event !== DEFAULT_EVENT) text.write(line, 'event', event)
    }
    return text.made()
  }

  without(): Buffer {
    const kept = this.lines.filter(({ field }) => field !== 'data' && field !== 'event')
    // The id is the client's `Last-Event-ID`, also without an event.
    if (kept.every(({ field }) => field === undefined)) return NO_BYTES
    for (const line of kept) this.text.keep(line)
    return this.text.made()
  }
}

/** The name of events without one. */
export const DEFAULT_EVENT = 'message'
