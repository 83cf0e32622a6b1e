// Encodes values as path segments.
/** A flag for each character code: 1 if a parameter takes the character unencoded. Higher codes count as 0. */
export type Plain = Uint8Array

/** Returns the flags of the characters that `encodeURIComponent` does not change, except for some. */
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
 * Tells whether a text is a path segment without encoding. For short values this loop is many times faster than a
 * RegExp.
 */
export function isPlain(text: string, plain: Plain = PLAIN): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    // A read past the end of an array costs more than this check.
    if (code >= plain.length || plain[code] === 0) return false
  }
  return text.length > 2 || (text !== '' && text !== '.' && text !== '..')
}

/** Tells whether a text has a control character (C0, DEL or C1). */
function hasControl(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return true
  }
  return false
}

/**
 * Encodes a value as one path segment. It returns `undefined` for a value that no segment can carry without moving the
 * link: anything but strings, finite numbers, bigints and booleans; the empty string, dot segments, control characters,
 * lone surrogates.
 */
export function encodeSegment(value: unknown): string | undefined {
  if (typeof value === 'string') return encodeText(value)
  if (typeof value === 'number' && Number.isFinite(value)) return encodeText(String(value))
  return typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : undefined
}

function encodeText(text: string): string | undefined {
  return isPlain(text) ? text : encodeOther(text)
}

/** The encoded characters up to U+00FF; undefined for control characters. */
const ENCODED = Array.from({ length: 0x100 }, (_, code) => {
  const character = String.fromCharCode(code)
  return hasControl(character) ? undefined : encodeURIComponent(character)
})

/** The length up to which encoding by character is faster than a call of `encodeURIComponent`. */
const SHORT = 12

/** Encodes a text that is not plain, as {@link encodeSegment} does. */
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

/**
 * Encodes the items of a wildcard's list as segments. It returns `undefined` for an empty list, an item that does not
 * fit, or a value that is not a list.
 */
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

/** Returns the item of a list that no segment can carry; for other values, the value itself. */
export function unfitItem(value: unknown): unknown {
  return Array.isArray(value) ? value.find((item) => encodeSegment(item) === undefined) : value
}

/** Returns the reason why {@link encodeSegment} refused a value, as a clause. */
export function unfitness(value: unknown): string {
  if (typeof value !== 'string') return 'it takes a string, a finite number, a bigint or a boolean'
  if (value === '') return 'an empty segment would change the path'
  if (value === '.' || value === '..') return 'a dot segment would change the path'
  return hasControl(value) ? 'it has a control character' : 'it has a lone surrogate'
}
