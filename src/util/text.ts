// Texts of messages: values and thrown errors, written so that they can be read.
import { inspect } from 'node:util'

/** Returns a thrown value as the detail of a warning. Programs can throw anything, also an object with a failing getter. */
export function inspected(value: unknown): string {
  try {
    return inspect(value)
  } catch {
    return 'An error that cannot be shown.'
  }
}

/** Ends a message with one full stop. */
export function ended(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`
}

/** Writes names in quotes, one behind the other. */
export function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}

/** Matches invisible characters, and those that change how their neighbours look. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/**
 * Makes a string safe to show on a terminal or a page: writes control and direction characters as code points.
 *
 * @example visible('v\x1b[2J1') // 'v\\u{1b}[2J1'
 */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`)
}
