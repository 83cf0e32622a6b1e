// Texts that nobody gave a type. They count as JSON if they are an object or a list.
import { parsedJson } from './json'

/** Spaces in JSON, and the bytes of a byte order mark. */
const BLANK = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf])

/** The characters that may follow the bracket of an object or a list. */
const BEHIND: ReadonlyMap<number, string> = new Map([
  [0x7b, '"}'],
  [0x5b, '"{[]-0123456789tfn'],
])

/** The beginning of a text, which may come byte by byte. */
export class TextStart {
  #behind: string | undefined
  /** Tells whether the text may be a JSON object or list; undefined while too little of it is known. */
  mayBeJson: boolean | undefined

  add(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.mayBeJson !== undefined) return
      if (BLANK.has(byte)) continue
      if (this.#behind !== undefined) this.mayBeJson = this.#behind.includes(String.fromCharCode(byte))
      else {
        this.#behind = BEHIND.get(byte)
        if (this.#behind === undefined) this.mayBeJson = false
      }
    }
  }
}

/** Tells what a text is: a JSON object or list, one with more behind it, or neither. */
export function kindOfText(text: string): 'json' | 'more' | 'other' {
  const json = withoutMark(text)
  if (!/^\s*[[{]/.test(json)) return 'other'
  if (parsedJson(json) !== undefined) return 'json'
  return parsedJson(json.slice(0, endOfFirst(json))) === undefined ? 'other' : 'more'
}

/** Returns a text without its byte order mark. */
export function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

/** Returns the end of the first object or list of a text; 0 for one without an end. */
function endOfFirst(text: string): number {
  let depth = 0
  let isString = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (isString) {
      if (character === '\\') at++
      else isString = character !== '"'
    } else if (character === '"') isString = true
    else if (character === '{' || character === '[') depth++
    else if ((character === '}' || character === ']') && --depth === 0) return at + 1
  }
  return 0
}
