// Rows of messages that print something to paste, and the reading of what they print.

/**
 * A message that prints something to paste.
 *
 * @param printed finds it in the message. Its first group is what a user copies.
 * @param program provokes the message for `''`, and obeys it for the copied text.
 */
export type Remedy = readonly [title: string, printed: RegExp, program: (pasted: string) => unknown]

/** Reads copied text as an expression of JavaScript, with the names that it has. Nothing copied is 7, a wrong value of all options. */
// biome-ignore lint/suspicious/noExplicitAny: any option may be meant.
export function evaluated(code: string, names: object = {}): any {
  return code === '' ? 7 : new Function(...Object.keys(names), `return (${code})`)(...Object.values(names))
}

/** Reads copied text as options: an object, or its properties. */
export const optionsOf = (code: string, names: object = {}): object =>
  evaluated(code.startsWith('{') ? code : `{${code}}`, names)
