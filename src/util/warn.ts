// Process warnings of a start: once for each owner, as documents and pages bind the same table again.

/** The number of parts that a warning lists. */
const LISTED = 20

/** The codes of the warnings of each table or document. */
const warned = new WeakMap<object, Set<string>>()
let isQuiet = false

/** Warns once of a table or a document. */
export function warnOnce(owner: object, code: string, text: string): void {
  const codes = warned.get(owner) ?? new Set()
  if (isQuiet || codes.has(code)) return
  warned.set(owner, codes.add(code))
  process.emitWarning(text, { code })
}

/**
 * Writes parts as lines. Long lists are cut.
 *
 * @param end the end of the last line then.
 */
export function linesOf(parts: readonly string[], end = ''): string {
  const rest = parts.length > LISTED ? [`and ${parts.length - LISTED} more${end}`] : []
  return [...parts.slice(0, LISTED), ...rest].map((part) => `\n- ${part}`).join('')
}

/** Runs a function without these warnings, as nothing is served. */
export function quietly<Result>(run: () => Result): Result {
  const before = isQuiet
  isQuiet = true
  try {
    return run()
  } finally {
    isQuiet = before
  }
}
