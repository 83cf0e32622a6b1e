// Obeys messages as a user would: pastes the lines that they print.
import type { NamedRoutesOptions } from 'express-versioning'

export type Places = NonNullable<NamedRoutesOptions['places']>

/** Returns the lines of the option `places` at the end of a message, as JavaScript reads them. */
export function pastedFrom(message: string): Places {
  const [, lines] = /\nplaces: (\{\n[\s\S]*\n\})$/.exec(message) ?? []
  return lines === undefined ? {} : (new Function(`return (${lines})`)() as Places)
}

/** Runs the call for a table that a message prints, if it prints one: `routes.describe('*', ...)`. */
export function describedFrom(message: string): (routes: object) => void {
  const [line = ''] = /routes\.describe\('\*', .*? \} \}\)/.exec(message) ?? []
  return line === '' ? () => {} : (new Function('routes', line) as (routes: object) => void)
}

/** Returns the error of a start, and the lines that it prints. */
export function toldBy(start: () => unknown): { readonly message: string; readonly places: Places } {
  try {
    start()
  } catch (error) {
    const { message } = error as Error
    return { message, places: pastedFrom(message) }
  }
  return { message: 'starts', places: {} }
}
