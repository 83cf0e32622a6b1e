// JSON texts one after another: lines (`application/x-ndjson`), and sequences (RFC 7464, `application/json-seq`).

import { isUtf8 } from 'node:buffer'
import { type Frame, type Framing, NO_BYTES } from './framing'
import { parsedJson } from './json'

/**
 * Decodes bytes. A byte order mark stays.
 *
 * @throws {TypeError} for bytes that are not UTF-8.
 */
export function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new TypeError('The bytes are not UTF-8.')
  return bytes.toString()
}

const RS = 0x1e
const LF = 0x0a
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = new Set([...'[{'].map((character) => character.charCodeAt(0)))
const CLOSING = new Set([...']}'].map((character) => character.charCodeAt(0)))

const framingBy = (endsOpen: boolean, scan: Framing['scan']): Framing => ({
  items: 'lines',
  endsOpen,
  scan,
  read: frameOf,
  hasItem: (bytes) => jsonIn(bytes.toString()) !== '',
})

/** The end of the last line may be missing (jsonlines.org). */
export const JSON_LINES = framingBy(true, () => (bytes, from) => {
  const at = bytes.indexOf(LF, from) + 1
  return at === 0 ? undefined : { at, kind: 'item' }
})

/** A text of a sequence ends with the first line end outside of its braces, or in front of the next text. */
export const JSON_SEQUENCE = framingBy(false, () => {
  let hasBegun = false
  let depth = 0
  let isInString = false
  let isEscaped = false
  const read = (byte: number) => {
    if (isInString) {
      if (byte === QUOTE && !isEscaped) isInString = false
      isEscaped = byte === BACKSLASH && !isEscaped
    } else if (byte > 0x20) {
      hasBegun = true
      if (byte === QUOTE) isInString = true
      else if (OPENING.has(byte)) depth++
      else if (CLOSING.has(byte)) depth--
    }
  }
  return (bytes, from) => {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] as number
      if (hasBegun && (byte === RS || (byte === LF && !isInString && depth <= 0))) {
        hasBegun = false
        depth = 0
        isInString = false
        isEscaped = false
        return { at: byte === RS ? at : at + 1, kind: 'item' }
      }
      read(byte)
    }
    return undefined
  }
})

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
