/** Under which a handler of this package says what it was made from; the same in every copy of the package. */
const DESCRIPTION: unique symbol = Symbol.for('express-versioning.description') as never

/** Leaves behind, on a handler, what it was made from, so that nobody has to guess it from closures. */
export function describe<Handler extends object>(handler: Handler, description: object): Handler {
  return Object.defineProperty(handler, DESCRIPTION, { value: description })
}

/** What a handler was made from, if it is one of this package. */
export function descriptionOf(handler: object): object | undefined {
  return (handler as { [DESCRIPTION]?: object })[DESCRIPTION]
}
