// Sequences of JSON texts (RFC 7464): `application/json-seq`.
import { type Framing, Held, type Piece, type Splitter } from './framing'
import { isBlank, jsonFrame } from './json-lines'

export const JSON_SEQUENCE: Framing = {
  items: 'lines',
  split: () => new SequenceSplitter(),
  read: jsonFrame,
  isCut: (rest) => !isBlank(rest),
}

const RS = 0x1e
const LF = 0x0a
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = new Set([...'[{'].map((character) => character.charCodeAt(0)))
const CLOSING = new Set([...']}'].map((character) => character.charCodeAt(0)))

/** The splitter of a sequence. A text ends with the first line end outside of its braces, or in front of the next text. */
class SequenceSplitter implements Splitter {
  readonly rest = new Held()
  #hasText = false
  #depth = 0
  #isInString = false
  #isEscaped = false

  push(bytes: Buffer): Piece[] {
    const pieces: Piece[] = []
    let start = 0
    const emit = (end: number) => {
      pieces.push({ bytes: this.rest.take(bytes.subarray(start, end)), kind: 'item' })
      start = end
      this.#hasText = false
      this.#depth = 0
      this.#isInString = false
      this.#isEscaped = false
    }
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number
      if (byte === RS) {
        if (this.#hasText) emit(at)
      } else if (this.#isInString) this.#readString(byte)
      else if (byte === LF) {
        if (this.#hasText && this.#depth <= 0) emit(at + 1)
      } else if (byte > 0x20) this.#read(byte)
    }
    this.rest.add(bytes.subarray(start))
    return pieces
  }

  #read(byte: number): void {
    this.#hasText = true
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
