/** What the characters up to the last control character are in a path segment; those behind it are encoded. */
const KINDS = new Uint8Array(0xa0)
/** A text of these alone is fit, and its own encoding; the dot is not one, because of dot segments. */
const PLAIN = 1
const CONTROL = 2

for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~') {
  KINDS[character.charCodeAt(0)] = PLAIN
}
// C0, DEL and C1
KINDS.fill(CONTROL, 0, 0x20)
KINDS.fill(CONTROL, 0x7f)

function hasControl(value: string): boolean {
  for (let index = 0; index < value.length; index++) if (KINDS[value.charCodeAt(index)] === CONTROL) return true
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

/** A loop, because for the few characters of a usual value it is many times faster than a RegExp. */
function encodeText(value: string): string | undefined {
  let plain = value !== ''
  for (let index = 0; index < value.length; index++) {
    const kind = KINDS[value.charCodeAt(index)]
    if (kind === PLAIN) continue
    if (kind === CONTROL) return undefined
    plain = false
  }
  if (plain) return value
  if (value === '' || value === '.' || value === '..') return undefined
  try {
    return encodeURIComponent(value)
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
