// Numbers in JSON strings that JavaScript cannot hold.

/** Tells whether a text may have a number that is not exact: JavaScript keeps 15 digits. One expression of both takes twice as long. */
const isDoubtful = (text: string) => /[\d.]{16}/.test(text) || /\d[eE]/.test(text)

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** The characters of a number behind its first digit. */
const OF_NUMBERS = new Set([...'0123456789.eE+-'].map((character) => character.charCodeAt(0)))

/**
 * Tells whether a JSON text has a number that JavaScript would write as another one. The values are compared, so `1.0` and
 * `1e2` are exact.
 *
 * @param json a valid JSON text.
 * @example losesNumber('[9007199254740993]') // => true
 */
export function losesNumber(json: string): boolean {
  if (!isDoubtful(json)) return false
  for (let at = 0; at < json.length; ) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = behindString(json, at)
    else if (!isDigit(code)) at++
    else {
      const end = behindNumber(json, at)
      if (isLost(json.slice(at, end))) return true
      at = end
    }
  }
  return false
}

/** Tells whether there is a number in a value. */
export function hasNumber(value: unknown): boolean {
  // A loop, because a client's value may be nested deeper than the stack allows.
  const open = [value]
  while (open.length > 0) {
    const part = open.pop()
    if (typeof part === 'number') return true
    // The bytes of a `Buffer` are no numbers of JSON.
    if (typeof part === 'object' && part !== null && !ArrayBuffer.isView(part))
      for (const inner of Object.values(part)) open.push(inner)
  }
  return false
}

/** Tells whether JavaScript would write a number without a sign as another one. */
function isLost(text: string): boolean {
  return isDoubtful(text) && decimalOf(text) !== decimalOf(String(Number(text)))
}

/** Writes a number in one form: its digits without zeros at either end, and the power of ten of the last one. */
function decimalOf(text: string): string {
  const [mantissa, power = '0'] = text.toLowerCase().split('e') as [string, string?]
  const [whole, fraction = ''] = mantissa.split('.') as [string, string?]
  const digits = whole + fraction
  let start = 0
  let end = digits.length
  while (digits[start] === '0') start++
  while (end > start && digits[end - 1] === '0') end--
  return start === end ? '0' : `${digits.slice(start, end)}e${Number(power) - fraction.length + digits.length - end}`
}

function behindString(json: string, start: number): number {
  let at = start + 1
  while (json.charCodeAt(at) !== QUOTE) at += json.charCodeAt(at) === BACKSLASH ? 2 : 1
  return at + 1
}

function behindNumber(json: string, start: number): number {
  let at = start + 1
  while (OF_NUMBERS.has(json.charCodeAt(at))) at++
  return at
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}
