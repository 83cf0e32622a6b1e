import { UNUSABLE } from './unusable'

const TAB = 0x09
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const SEMICOLON = 0x3b
const EQUALS = 0x3d
const BACKSLASH = 0x5c
const DELETE = 0x7f

/** One media range of an Accept header (RFC 9110, section 12.5.1). */
export interface MediaRange {
  /** `type/subtype` in lower case, either of them perhaps `*`. */
  readonly name: string
  /** 0 to 1; a range of weight 0 is never chosen. */
  readonly weight: number
  /** Left out (weight 0) not because the client said so: there is no slash, or its `q` is none. */
  readonly malformed: boolean
  /** negotiator's bits: 4 for a named type, 2 for a named subtype, 1 for a parameter other than `q`. */
  readonly specificity: number
  /** Position among the header's ranges. */
  readonly order: number
  /** Where it stands in the header: its first character, and the comma (or the header's end) behind it. */
  readonly start: number
  readonly end: number
}

function isSpace(code: number): boolean {
  return code === SPACE || code === TAB
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (isSpace(text.charCodeAt(at))) at++
  return at
}

function trimEnd(text: string, start: number, from: number): number {
  let end = from
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--
  return end
}

/** The next `;` or `,`, or `stop`. */
function segmentEnd(text: string, from: number, stop = SEMICOLON): number {
  let at = from
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === SEMICOLON || code === COMMA || code === stop) break
  }
  return at
}

/**
 * Walks the ranges of an Accept header and their parameters, by positions, so that nothing is copied that nobody asked for.
 * A quoted string begins only where a value begins, as for negotiator 1.1: elsewhere a double quote is a character.
 */
export class AcceptCursor {
  /** The current parameter's `;`. */
  start = 0
  /** Behind the current parameter (or the range's type): at `;`, at `,` or at the header's end. */
  end = 0
  /** How the value is written; `bare`: there is no `=`; `trailing`: something follows the closing quote. */
  form: 'bare' | 'token' | 'quoted' | 'trailing' | 'unterminated' = 'bare'
  private nameStart = 0
  private nameEnd = 0
  private valueStart = 0
  private valueEnd = 0

  constructor(readonly header: string) {}

  /** Goes to the range at `from`, before its first parameter, and returns where its type begins. */
  enter(from: number): number {
    const start = skipSpace(this.header, from)
    this.end = segmentEnd(this.header, start)
    return start
  }

  /** Goes to the range's next parameter, if it has one. */
  next(): boolean {
    const { header } = this
    if (this.end >= header.length || header.charCodeAt(this.end) === COMMA) return false
    this.start = this.end
    this.nameStart = skipSpace(header, this.start + 1)
    const at = segmentEnd(header, this.nameStart, EQUALS)
    this.nameEnd = trimEnd(header, this.nameStart, at)
    if (header.charCodeAt(at) === EQUALS) this.readValue(skipSpace(header, at + 1))
    else {
      this.form = 'bare'
      this.end = at
    }
    return true
  }

  private readValue(start: number): void {
    const { header } = this
    const { length } = header
    if (header.charCodeAt(start) !== QUOTE) {
      this.form = 'token'
      this.end = segmentEnd(header, start)
      this.valueStart = start
      this.valueEnd = trimEnd(header, start, this.end)
      return
    }
    let at = start + 1
    for (; at < length; at++) {
      const code = header.charCodeAt(at)
      if (code === QUOTE) break
      if (code === BACKSLASH) at++
    }
    this.valueStart = start + 1
    this.valueEnd = at
    this.end = at < length ? segmentEnd(header, at + 1) : length
    this.form = at >= length ? 'unterminated' : trimEnd(header, at + 1, this.end) > at + 1 ? 'trailing' : 'quoted'
  }

  /** Whether this is the parameter `name` (in lower case). */
  named(name: string): boolean {
    if (this.nameEnd - this.nameStart !== name.length) return false
    return this.header.slice(this.nameStart, this.nameEnd).toLowerCase() === name
  }

  /** Whether nothing stands between two semicolons (`text/html;;q=1`): no parameter at all. */
  get empty(): boolean {
    return this.form === 'bare' && this.nameStart === this.nameEnd
  }

  /** Behind the parameter's own last character: optional whitespace after it belongs to the separator that follows. */
  get stop(): number {
    return this.form === 'unterminated' ? this.end : trimEnd(this.header, this.start, this.end)
  }

  /** The value, unquoted and unescaped. */
  decode(): string {
    const text = this.header.slice(this.valueStart, this.valueEnd)
    if (this.form === 'token' || !text.includes('\\')) return text
    let decoded = ''
    for (let at = 0; at < text.length; at++) {
      if (text.charCodeAt(at) === BACKSLASH) at++
      decoded += text.charAt(at)
    }
    return decoded
  }

  /** The value; `UNUSABLE` where RFC 9110 knows none (section 5.6.6). */
  value(): string | typeof UNUSABLE {
    if (this.form === 'quoted') return this.decode()
    if (this.form !== 'token' || this.valueStart === this.valueEnd) return UNUSABLE
    for (let at = this.valueStart; at < this.valueEnd; at++) {
      const code = this.header.charCodeAt(at)
      if (code <= SPACE || code === QUOTE || code === DELETE) return UNUSABLE
    }
    return this.decode()
  }
}

/** Weight of a `q` as negotiator reads it, held to 0..1; `NaN` where it is no weight (0 only when it is honestly zero). */
function weigh(quality: string): number {
  if (quality === '') return 1
  const weight = Number.parseFloat(quality)
  if (weight > 0) return Math.min(weight, 1)
  return weight === 0 && Number(quality) === 0 ? 0 : Number.NaN
}

/** Reads the range at `from`, and leaves the cursor behind it. */
function readRange(cursor: AcceptCursor, from: number, order: number): MediaRange {
  const { header } = cursor
  const start = cursor.enter(from)
  const name = header.slice(start, trimEnd(header, start, cursor.end)).toLowerCase()
  let quality: string | undefined
  let specificity = 0
  while (cursor.next()) {
    if (!cursor.named('q')) {
      if (!cursor.empty) specificity = 1
    } else if (quality === undefined && cursor.form !== 'bare' && cursor.form !== 'unterminated') {
      quality = cursor.decode()
    }
  }
  const slash = name.indexOf('/')
  if (!name.startsWith('*/')) specificity |= 4
  if (slash !== name.length - 2 || !name.endsWith('*')) specificity |= 2
  const weight = slash < 0 ? Number.NaN : weigh(quality ?? '')
  const malformed = Number.isNaN(weight)
  return { name, weight: malformed ? 0 : weight, malformed, specificity, order, start, end: cursor.end }
}

/** The next element of a list that is not empty (RFC 9110, section 5.6.1.2), or the header's end. */
function nextElement(header: string, from: number): number {
  let at = from
  while (header.charCodeAt(at) === COMMA || isSpace(header.charCodeAt(at))) at++
  return at
}

/** The ranges of an Accept header in their order, malformed ones included; empty list elements are none. */
export function parseAccept(header: string): MediaRange[] {
  const cursor = new AcceptCursor(header)
  const ranges: MediaRange[] = []
  for (let at = nextElement(header, 0); at < header.length; at = nextElement(header, cursor.end)) {
    ranges.push(readRange(cursor, at, ranges.length))
  }
  return ranges
}
