/** Read in place of a value that is there but cannot be trusted: it is refused, never taken for absent. */
export const UNUSABLE: unique symbol = Symbol('unusable')
