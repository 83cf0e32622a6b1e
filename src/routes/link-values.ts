// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is for (C0, DEL, C1)
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/

// characters of which every text is fit and is its own encoding; the dot is not one, because of dot segments
const PLAIN = new Uint8Array(128)
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~') {
  PLAIN[character.charCodeAt(0)] = 1
}

/**
 * A value as one path segment, percent-encoded; `undefined` for what no segment can carry without moving the link: anything
 * but strings, finite numbers, bigints and booleans, the empty string, dot segments, control characters, lone surrogates.
 */
export function encodeSegment(value: unknown): string | undefined {
  if (typeof value === 'string') return isPlain(value) ? value : encodeText(value)
  if (typeof value === 'number' && Number.isFinite(value)) return encodeURIComponent(value)
  return typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : undefined
}

/** A loop, because for the few characters of a usual value it is many times faster than `encodeURIComponent` or a RegExp. */
function isPlain(value: string): boolean {
  for (let index = 0; index < value.length; index++) if (PLAIN[value.charCodeAt(index)] !== 1) return false
  return value !== ''
}

function encodeText(value: string): string | undefined {
  if (value === '' || value === '.' || value === '..') return undefined
  try {
    const encoded = encodeURIComponent(value)
    // what needs no encoding has no control characters
    return encoded === value || !CONTROL.test(value) ? encoded : undefined
  } catch {
    return undefined
  }
}

/** Why {@link encodeSegment} refused a value, as a clause. */
export function unfitness(value: unknown): string {
  if (typeof value !== 'string') return 'it takes a string, a finite number, a bigint or a boolean'
  if (value === '') return 'an empty segment would change the path'
  if (value === '.' || value === '..') return 'a dot segment would change the path'
  return CONTROL.test(value) ? 'it has a control character' : 'it has a lone surrogate'
}
