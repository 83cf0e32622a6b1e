// JSON texts one after another: lines (`application/x-ndjson`), and sequences (RFC 7464, `application/json-seq`).
import { type Frame, type Framing, Held, NO_BYTES, type Piece, type Splitter } from './framing'
import { parsedJson } from './json'
import { textOf } from './utf-8'

const RS = 0x1e
const LF = 0x0a
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = new Set([...'[{'].map((character) => character.charCodeAt(0)))
const CLOSING = new Set([...']}'].map((character) => character.charCodeAt(0)))

/** Finds the end of a text that goes on at an index of the next bytes; -1 if it does not end in them. */
type EndOf = (bytes: Buffer, from: number) => number

const framingBy = (endsOpen: boolean, makeEnds: () => EndOf): Framing => ({
  items: 'lines',
  endsOpen,
  split: () => new TextSplitter(makeEnds()),
  read: frameOf,
  hasItem: (bytes) => jsonIn(bytes.toString()) !== '',
})

/** The end of the last line may be missing (jsonlines.org). */
export const JSON_LINES = framingBy(true, () => (bytes, from) => bytes.indexOf(LF, from) + 1 || -1)

export const JSON_SEQUENCE = framingBy(false, () => {
  const text = new SequenceText()
  return (bytes, from) => text.endIn(bytes, from)
})

class TextSplitter implements Splitter {
  readonly rest = new Held()

  constructor(private readonly endOf: EndOf) {}

  push(bytes: Buffer): Piece[] {
    const pieces: Piece[] = []
    let start = 0
    for (let end = this.endOf(bytes, 0); end !== -1; end = this.endOf(bytes, end)) {
      pieces.push({ bytes: this.rest.take(bytes.subarray(start, end)), kind: 'item' })
      start = end
    }
    this.rest.add(bytes.subarray(start))
    return pieces
  }
}

/** A text of a sequence. It ends with the first line end outside of its braces, or in front of the next text. */
class SequenceText {
  #hasBegun = false
  #depth = 0
  #isInString = false
  #isEscaped = false

  endIn(bytes: Buffer, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] as number
      if (this.#hasBegun && (byte === RS || (byte === LF && !this.#isInString && this.#depth <= 0))) {
        this.#hasBegun = false
        this.#depth = 0
        this.#isInString = false
        this.#isEscaped = false
        return byte === RS ? at : at + 1
      }
      if (this.#isInString) this.#readString(byte)
      else if (byte > 0x20) this.#read(byte)
    }
    return -1
  }

  #read(byte: number): void {
    this.#hasBegun = true
    if (byte === QUOTE) this.#isInString = true
    else if (OPENING.has(byte)) this.#depth++
    else if (CLOSING.has(byte)) this.#depth--
  }

  #readString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === BACKSLASH) this.#isEscaped = true
    else if (byte === QUOTE) this.#isInString = false
  }
}

function frameOf(piece: Buffer): Frame | undefined {
  const text = textOf(piece)
  const json = jsonIn(text)
  if (json === '') return undefined
  const parsed = parsedJson(json)
  const start = text.indexOf(json)
  return {
    item: parsed === undefined ? json : parsed.value,
    json: parsed && json,
    with: (other) =>
      other === json ? piece : Buffer.from(text.slice(0, start) + other + text.slice(start + json.length)),
    without: () => NO_BYTES,
  }
}

/** Returns a text without what is around it: whitespace of JSON, record separators and byte order marks. */
function jsonIn(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isAround(text.charCodeAt(start))) start++
  while (end > start && isAround(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

function isAround(code: number): boolean {
  return code === 0x20 || code === LF || code === 0x0d || code === 0x09 || code === RS || code === 0xfeff
}
