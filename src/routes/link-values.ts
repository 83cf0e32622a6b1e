/** Characters by code, 1 for those that a parameter takes as they are; all behind the last of them are 0. */
export type Plain = Uint8Array

/** What `encodeURIComponent` leaves as it is, but for some characters. */
export function plainBut(others: Iterable<string>): Plain {
  const plain = new Uint8Array(0x80)
  for (const one of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~!*'()") {
    plain[one.charCodeAt(0)] = 1
  }
  for (const one of others) plain[one.charCodeAt(0)] = 0
  return plain
}

const PLAIN = plainBut('')

/**
 * Whether a text is a path segment as it is. A loop, because for the few characters of a usual value it is many times faster
 * than a RegExp.
 */
export function isPlain(text: string, plain: Plain = PLAIN): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    // To read behind the end of an array costs more than to ask.
    if (code >= plain.length || plain[code] === 0) return false
  }
  return text.length > 2 || (text !== '' && text !== '.' && text !== '..')
}

/** C0, DEL and C1 */
function hasControl(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return true
  }
  return false
}

/**
 * A value as one path segment, percent-encoded; `undefined` for what no segment can carry without moving the link: anything
 * but strings, finite numbers, bigints and booleans, the empty string, dot segments, control characters, lone surrogates.
 */
export function encodeSegment(value: unknown): string | undefined {
  if (typeof value === 'string') return encodeText(value)
  if (typeof value === 'number' && Number.isFinite(value)) return encodeText(String(value))
  return typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : undefined
}

function encodeText(text: string): string | undefined {
  return isPlain(text) ? text : encodeOther(text)
}

/** Of the characters up to U+00FF, encoded; undefined for control characters. */
const ENCODED = Array.from({ length: 0x100 }, (_, code) => {
  const character = String.fromCharCode(code)
  return hasControl(character) ? undefined : encodeURIComponent(character)
})

/** Up to this length the characters one by one are faster than a call of `encodeURIComponent`. */
const SHORT = 12

/** As {@link encodeSegment}, for a text that is not plain. */
export function encodeOther(text: string): string | undefined {
  if (text === '' || text === '.' || text === '..') return undefined
  if (text.length > SHORT) return encodeLong(text)
  let encoded = ''
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code >= ENCODED.length) return encodeLong(text)
    const character = ENCODED[code]
    if (character === undefined) return undefined
    encoded += character
  }
  return encoded
}

function encodeLong(text: string): string | undefined {
  if (hasControl(text)) return undefined
  try {
    return encodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** The items of a wildcard's list, each as a segment; `undefined` for what is no list, or has none or an unfit item. */
export function encodeList(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined
  let path = ''
  for (let index = 0; index < value.length; index++) {
    const segment = encodeSegment(value[index])
    if (segment === undefined) return undefined
    path += index === 0 ? segment : `/${segment}`
  }
  return path
}

/** The item of a list that no segment can carry; of anything but a list, the value itself. */
export function unfitItem(value: unknown): unknown {
  return Array.isArray(value) ? value.find((item) => encodeSegment(item) === undefined) : value
}

/** Why {@link encodeSegment} refused a value, as a clause. */
export function unfitness(value: unknown): string {
  if (typeof value !== 'string') return 'it takes a string, a finite number, a bigint or a boolean'
  if (value === '') return 'an empty segment would change the path'
  if (value === '.' || value === '..') return 'a dot segment would change the path'
  return hasControl(value) ? 'it has a control character' : 'it has a lone surrogate'
}
