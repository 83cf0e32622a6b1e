// Thrown values as text.
import { inspect } from 'node:util'

/** Returns a thrown value as the detail of a warning. Programs can throw anything, also an object with a failing getter. */
export function inspected(value: unknown): string {
  try {
    return inspect(value)
  } catch {
    return 'An error that cannot be shown.'
  }
}
