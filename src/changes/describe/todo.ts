// `todo()`: a part of a change that nobody has written yet.
import { badOption } from '../../util/options'

// Symbol.for, because a process may have several copies of the package.
const WHAT = Symbol.for('express-versioning.todo')

/** The levels of a change in which its steps and values are. Schemas are below. */
const LEVELS = 3

/**
 * Stands for a step or a value of a change that is still to be written. It can be imported: `versioning()` then lists all that is
 * to do, and documents of the versions can be made already.
 *
 * @param what the task, for people.
 * @returns a function that throws.
 * @throws {TypeError} for anything but a string.
 * @example
 * change('Users have a country.', { User: fields({ added: { country: todo('the country of users of older clients') } }) })
 */
export function todo(what: string): () => never {
  if (typeof what !== 'string' || what === '') throw badOption('todo()', 'what', 'the task as a string', what)
  const fail = (): never => {
    throw new Error(`To do: ${what}`)
  }
  // A step may return it by mistake: JSON then fails, too.
  return Object.assign(() => fail(), { [WHAT]: what, toJSON: fail })
}

/** Lists what is to do in the steps and values of a change. */
export function todosIn(value: unknown, levels = LEVELS): string[] {
  if (typeof value === 'function') return [(value as { [WHAT]?: string })[WHAT] ?? []].flat()
  if (typeof value !== 'object' || value === null || levels === 0) return []
  return Object.values(value).flatMap((inner) => todosIn(inner, levels - 1))
}
