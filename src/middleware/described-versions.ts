// The descriptions that handlers carry of what they were made from.

/** The key of a handler's description; the same in every copy of the package. */
const DESCRIPTION: unique symbol = Symbol.for('express-versioning.description') as never

/** Attaches to a handler the description of what it was made from. */
export function describe<Handler extends object>(handler: Handler, description: object): Handler {
  return Object.defineProperty(handler, DESCRIPTION, { value: description })
}

/** Returns the description of a handler of this package. */
export function descriptionOf(handler: object): object | undefined {
  return (handler as { [DESCRIPTION]?: object })[DESCRIPTION]
}
