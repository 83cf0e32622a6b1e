// Lines of JSON: `application/x-ndjson` and `application/jsonl`.
import { type Frame, type Framing, Held, NO_BYTES, type Piece, type Splitter } from './framing'
import { parsedJson } from './json'
import { textOf } from './utf-8'

export const JSON_LINES: Framing = {
  items: 'lines',
  split: () => new LineSplitter(),
  read: jsonFrame,
  isCut: (rest) => !isBlank(rest),
}

const LF = 0x0a

class LineSplitter implements Splitter {
  readonly rest = new Held()

  push(bytes: Buffer): Piece[] {
    const pieces: Piece[] = []
    let start = 0
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
      pieces.push({ bytes: this.rest.take(bytes.subarray(start, end + 1)), kind: 'item' })
      start = end + 1
    }
    this.rest.add(bytes.subarray(start))
    return pieces
  }
}

/** Reads the JSON in a piece, which may have whitespace and record separators around it. */
export function jsonFrame(piece: Buffer): Frame | undefined {
  const text = textOf(piece)
  let start = 0
  let end = text.length
  while (start < end && isAround(text.charCodeAt(start))) start++
  while (end > start && isAround(text.charCodeAt(end - 1))) end--
  if (start === end) return undefined
  const json = text.slice(start, end)
  const parsed = parsedJson(json)
  if (parsed === undefined) return undefined
  return {
    item: parsed.value,
    json,
    with: (other) => (other === json ? piece : Buffer.from(text.slice(0, start) + other + text.slice(end))),
    without: () => NO_BYTES,
  }
}

/** Tells whether bytes are whitespace and record separators alone. */
export function isBlank(bytes: Buffer): boolean {
  return bytes.every(isAround)
}

/** Tells whether a byte is whitespace of JSON, or the record separator of `application/json-seq`. */
function isAround(byte: number): boolean {
  return byte === 0x20 || byte === LF || byte === 0x0d || byte === 0x09 || byte === 0x1e
}
