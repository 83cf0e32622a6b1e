// Event streams (WHATWG HTML, section 9.2): `text/event-stream`.
import { type Frame, type Framing, Held, NO_BYTES, type Piece, type Splitter, type StreamEvent } from './framing'
import { parsedJson } from './json'
import { textOf } from './utf-8'

export const EVENT_STREAM: Framing = {
  items: 'events',
  split: () => new EventSplitter(),
  read: (piece) => {
    const lines = linesOf(piece)
    const data = lines.filter(({ field }) => field === 'data')
    if (data.length === 0) return undefined
    const json = data.map(({ value }) => textOf(value)).join('\n')
    const parsed = parsedJson(json)
    return parsed && new EventFrame(piece, lines, json, parsed.value)
  },
  isCut: (rest) => linesOf(rest).some(({ field }) => field === 'data'),
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

/** One line of an event. */
interface Line {
  /** The name of its field; `''` for a comment, and undefined for a blank line. */
  readonly field: string | undefined
  readonly value: Buffer
  /** The line with its end. */
  readonly bytes: Buffer
  /** The indexes of the value in the line. */
  readonly start: number
  readonly end: number
}

function linesOf(piece: Buffer): Line[] {
  const lines: Line[] = []
  const ends = new LineEnds(piece)
  for (let at = 0; at < piece.length; ) {
    const found = ends.from(at)
    const end = found === -1 ? piece.length : found
    const next = piece[end] === CR && piece[end + 1] === LF ? end + 2 : Math.min(end + 1, piece.length)
    lines.push(lineOf(piece.subarray(at, next), end - at))
    at = next
  }
  return lines
}

function lineOf(bytes: Buffer, end: number): Line {
  const colon = bytes.subarray(0, end).indexOf(COLON)
  const name = colon === -1 ? end : colon
  const space = bytes[name + 1] === 0x20 && name + 1 < end ? 1 : 0
  const start = Math.min(name + 1 + space, end)
  const field = end === 0 ? undefined : bytes.toString('latin1', 0, name)
  return { field, value: bytes.subarray(start, end), bytes, start, end }
}

class EventFrame implements Frame {
  readonly item: StreamEvent
  /** The name of the event; `message` without one. */
  readonly #event: string

  constructor(
    private readonly piece: Buffer,
    private readonly lines: readonly Line[],
    readonly json: string,
    data: unknown,
  ) {
    const last = (name: string) => lines.findLast(({ field }) => field === name)
    const [event, id, retry] = ['event', 'id', 'retry'].map((name) => {
      const line = last(name)
      return line && textOf(line.value)
    })
    this.#event = event || DEFAULT_EVENT
    this.item = {
      data,
      ...(event ? { event } : {}),
      ...(id === undefined || id.includes('\0') ? {} : { id }),
      ...(retry !== undefined && /^\d+$/.test(retry) ? { retry: Number(retry) } : {}),
    }
  }

  with(json: string, event: string = DEFAULT_EVENT): Buffer {
    const isSame = event === this.#event
    if (isSame && json === this.json) return this.piece
    const { lines } = this
    const isOf = (name: string) => (line: Line) => line.field === name
    const [data, named] = [lines.find(isOf('data')) as Line, lines.findLast(isOf('event'))]
    return joined(
      lines.flatMap((line) => {
        const name = isSame || named !== undefined || event === DEFAULT_EVENT ? [] : [withValue(data, event, 'event')]
        if (line === data) return [...name, json === this.json ? line.bytes : withValue(line, json, 'data')]
        if (line.field === 'data') return json === this.json ? line.bytes : []
        if (line.field !== 'event' || isSame) return line.bytes
        return line === named && event !== DEFAULT_EVENT ? withValue(line, event, 'event') : []
      }),
    )
  }

  without(): Buffer {
    const others = this.lines.filter(({ field }) => field !== 'data' && field !== 'event')
    // The id is the client's `Last-Event-ID`, also without an event.
    const isNeeded = others.some(({ field }) => field !== undefined)
    return isNeeded ? joined(others.map(({ bytes }) => bytes)) : NO_BYTES
  }
}

/** Joins lines. Where a line between them is gone, a LF behind a CR would be a part of the same line end. */
function joined(lines: readonly Buffer[]): Buffer {
  return Buffer.concat(
    // The first line is never blank.
    lines.flatMap((line, at) => (line[0] === LF && (lines[at - 1] as Buffer).at(-1) === CR ? [LINE_END, line] : line)),
  )
}

const LINE_END = Buffer.of(LF)

/** The name of events without one. */
export const DEFAULT_EVENT = 'message'

/** Writes a line with another value, in the style of a line: with or without a space, and with its end. */
function withValue({ bytes, start, end }: Line, value: string, field: string): Buffer {
  const space = bytes[start - 1] === 0x20 ? ' ' : ''
  return Buffer.concat([Buffer.from(`${field}:${space}${value}`), bytes.subarray(end)])
}
