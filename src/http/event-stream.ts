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
    const data = lines.filter(({ field }) => field === 'data')
    if (data.length === 0) return undefined
    const json = data.map(({ value }) => text.read(value)).join('\n')
    const parsed = parsedJson(json)
    return parsed && new EventFrame(piece, text, lines, json, parsed.value)
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

/** The text of a piece. Comments and ids may be in any encoding, and stay. */
class PieceText {
  readonly whole: string
  readonly #encoding: 'utf8' | 'latin1'

  constructor(piece: Buffer) {
    this.#encoding = isUtf8(piece) ? 'utf8' : 'latin1'
    this.whole = piece.toString(this.#encoding)
  }

  /** @throws {TypeError} for a part that is not UTF-8. */
  read(part: string): string {
    return this.#encoding === 'utf8' ? part : textOf(Buffer.from(part, 'latin1'))
  }

  /** Returns the bytes of parts of the text, with others between them. */
  bytes(parts: readonly (string | New)[]): Buffer {
    const encoding = this.#encoding
    const written = ({ text }: New) => (encoding === 'utf8' ? text : Buffer.from(text).toString('latin1'))
    return Buffer.from(parts.map((part) => (typeof part === 'string' ? part : written(part))).join(''), encoding)
  }
}

/** Text that is no part of a piece. */
interface New {
  readonly text: string
}

/** One line of an event. */
interface Line {
  /** The name of its field; `''` for a comment, and undefined for a blank line. */
  readonly field: string | undefined
  /** The text in front of the value, such as `data: `. */
  readonly start: string
  readonly value: string
  readonly end: string
}

const LINE = /([^\r\n]*)(\r\n|\r|\n|$)/y

function linesOf(text: string): Line[] {
  const lines: Line[] = []
  for (let at = 0; at < text.length; at = LINE.lastIndex) {
    LINE.lastIndex = at
    const [, line, end] = LINE.exec(text) as unknown as [string, string, string]
    const colon = line.indexOf(':')
    const name = colon === -1 ? line.length : colon
    const behind = line[name + 1] === ' ' ? name + 2 : name + 1
    const field = line === '' ? undefined : line.slice(0, name)
    lines.push({ field, start: line.slice(0, behind), value: line.slice(behind), end })
  }
  return lines
}

class EventFrame implements Frame {
  readonly item: StreamEvent
  /** The name of the event; `message` without one. */
  readonly #event: string

  constructor(
    private readonly piece: Buffer,
    private readonly text: PieceText,
    private readonly lines: readonly Line[],
    readonly json: string,
    data: unknown,
  ) {
    const [event, id, retry] = [this.#last('event'), this.#last('id'), this.#last('retry')]
    this.#event = event || DEFAULT_EVENT
    this.item = {
      data,
      ...(event ? { event } : {}),
      ...(id === undefined || id.includes('\0') ? {} : { id }),
      ...(retry !== undefined && /^\d+$/.test(retry) ? { retry: Number(retry) } : {}),
    }
  }

  #last(name: string): string | undefined {
    const line = this.lines.findLast(({ field }) => field === name)
    return line && this.text.read(line.value)
  }

  with(json: string, event: string = DEFAULT_EVENT): Buffer {
    const isSameName = event === this.#event
    const isSameJson = json === this.json
    if (isSameName && isSameJson) return this.piece
    const first = this.lines.find(({ field }) => field === 'data')
    const named = this.lines.findLast(({ field }) => field === 'event')
    return this.#joined((line) => {
      if (line.field === 'data') {
        const name = line !== first || isSameName || named !== undefined ? [] : withValue(line, event, 'event')
        if (isSameJson) return [...name, ...asIs(line)]
        return line === first ? [...name, ...withValue(line, json)] : []
      }
      if (line.field !== 'event' || isSameName) return asIs(line)
      return line === named && event !== DEFAULT_EVENT ? withValue(line, event) : []
    })
  }

  without(): Buffer {
    // The id is the client's `Last-Event-ID`, also without an event.
    const isKept = ({ field }: Line) => field !== 'data' && field !== 'event'
    const isNeeded = this.lines.some((line) => isKept(line) && line.field !== undefined)
    return isNeeded ? this.#joined((line) => (isKept(line) ? asIs(line) : [])) : NO_BYTES
  }

  /** Joins other lines. Where a line between them is gone, a LF behind a CR would be a part of the same line end. */
  #joined(others: (line: Line) => (string | New)[]): Buffer {
    const parts: (string | New)[] = []
    for (const line of this.lines) {
      const made = others(line)
      if (line.field === undefined && line.end === '\n' && parts.at(-1) === '\r') parts.push('\n')
      parts.push(...made)
    }
    return this.text.bytes(parts)
  }
}

/** The name of events without one. */
export const DEFAULT_EVENT = 'message'

function asIs({ start, value, end }: Line): string[] {
  return [start, value, end]
}

/** Writes a line with another value, in the style of a line: with or without a space, and with its end. */
function withValue({ field, start, end }: Line, text: string, name = field): (string | New)[] {
  return [`${name}:${start.endsWith(' ') ? ' ' : ''}`, { text }, end]
}
