/** Levenshtein distance, given up (as `limit + 1`) once it must exceed `limit`. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    let best = row
    for (let column = 1; column <= b.length; column++) {
      const substituted = (previous[column - 1] as number) + (a[row - 1] === b[column - 1] ? 0 : 1)
      const cost = Math.min(substituted, (previous[column] as number) + 1, (current[column - 1] as number) + 1)
      current.push(cost)
      best = Math.min(best, cost)
    }
    if (best > limit) return limit + 1
    previous = current
  }
  return previous[b.length] as number
}

/**
 * The known words that a mistyped one may have meant, nearest first, three at most: within a third of its length in edits,
 * letter case aside.
 *
 * @example near('user-lst', ['user-list', 'home']) // ['user-list']
 */
export function near(word: string, words: Iterable<string>): string[] {
  const lower = word.toLowerCase()
  const limit = Math.max(1, Math.floor(lower.length / 3))
  const found: { candidate: string; edits: number }[] = []
  for (const candidate of words) {
    const edits = distance(lower, candidate.toLowerCase(), limit)
    if (edits <= limit) found.push({ candidate, edits })
  }
  return found
    .sort((a, b) => a.edits - b.edits)
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

/** ` Did you mean "a" or "b"?`, or nothing when there is no near word. */
export function didYouMean(candidates: readonly string[]): string {
  if (candidates.length === 0) return ''
  return ` Did you mean ${candidates.map((candidate) => `"${candidate}"`).join(' or ')}?`
}
