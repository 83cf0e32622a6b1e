// Makes any text safe to show.

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
