// The patterns in `patternProperties`.

/**
 * Returns the pattern as validators read it: in Unicode mode, or without that mode if it is only valid so.
 *
 * @throws {SyntaxError} for a pattern that is neither.
 */
export function patternOf(source: string): RegExp {
  try {
    return new RegExp(source, 'u')
  } catch {
    return new RegExp(source)
  }
}
