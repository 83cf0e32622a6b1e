// Schemes of another copy of this package, which `instanceof` does not know.
import { BaseVersioning } from './base'

/** Returns a sentence about another copy of this package, if a value is a scheme of it; else an empty string. */
export function otherCopy(value: unknown): string {
  const start = typeof value === 'function' ? value : Object(value).constructor
  for (let type: unknown = start; typeof type === 'function'; type = Object.getPrototypeOf(type)) {
    if (type === BaseVersioning) return ''
    if (type.name !== 'BaseVersioning') continue
    return ' It belongs to another copy of the package: `npm ls express-versioning` shows where the copies are, and `npm dedupe` may join them.'
  }
  return ''
}
