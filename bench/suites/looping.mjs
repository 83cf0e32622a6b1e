/** How many different values calls take in turn, so that nothing can be computed once. */
export const VARIETY = 64

/** @returns {unknown[]} the values of as many calls */
export function varied(make) {
  return Array.from({ length: VARIETY }, (_, index) => make(index))
}

/** An operation of a function that makes a string: `op(n)` calls it `n` times, with the values in turn. */
export function looping(make, list) {
  return (n) => {
    let length = 0
    for (let index = 0; index < n; index++) length += make(list[index & (VARIETY - 1)]).length
    if (length < n) throw new Error('an empty text')
  }
}

/** Throws unless both make the same text of every value. */
export function agreeing(make, expected, list) {
  for (const values of list) {
    if (make(values) !== expected(values)) throw new Error(`expected ${expected(values)}, got ${make(values)}`)
  }
}
