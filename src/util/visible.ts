/** Characters that are not seen, or that change how what is around them is seen. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/**
 * A text as people can be shown it, on a terminal or a page: what would steer either, or turn the direction of the text, is
 * written as its code point.
 *
 * @example visible('v\x1b[2J1') // 'v\\u{1b}[2J1'
 */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`)
}
