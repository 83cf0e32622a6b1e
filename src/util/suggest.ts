// The search for near words, for "Did you mean".

/** The limit of a word's length. Longer words have no near ones, because a client may have chosen them. */
const LONGEST = 64
/** The limit of words of about that length. A search then takes two milliseconds. */
const MOST = 150

/** Returns the number of edits between two words. Two neighbours that are swapped are one edit (optimal string alignment). */
function distance(a: string, b: string): number {
  let before: readonly number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let index = 0; index < a.length; index++) {
    const next = [index + 1]
    for (let column = 0; column < b.length; column++) {
      const replaced = (row[column] as number) + (a[index] === b[column] ? 0 : 1)
      const isSwapped = index > 0 && column > 0 && a[index] === b[column - 1] && a[index - 1] === b[column]
      const swapped = isSwapped ? (before[column - 1] as number) + 1 : replaced
      next.push(Math.min(replaced, swapped, (row[column + 1] as number) + 1, (next[column] as number) + 1))
    }
    before = row
    row = next
  }
  return row[b.length] as number
}

/**
 * Returns the known words that a mistyped word may mean, nearest first, at most three. At most a third of its letters differ, and
 * at most three; two neighbours that are swapped count as one. Letter case does not count.
 *
 * @example near('user-lst', ['user-list', 'home']) // ['user-list']
 */
export function near(word: string, words: Iterable<string>): string[] {
  if (word.length > LONGEST) return []
  const limit = Math.min(3, Math.max(1, Math.floor(word.length / 3)))
  const alike = [...words].filter(({ length }) => Math.abs(length - word.length) <= limit).slice(0, MOST)
  const found = alike.map((name) => ({ name, edits: distance(word.toLowerCase(), name.toLowerCase()) }))
  const nearest = found.filter(({ edits }) => edits <= limit).sort((a, b) => a.edits - b.edits)
  return nearest.slice(0, 3).map(({ name }) => name)
}

/** Returns ` Did you mean "a" or "b"?`, or `''` without candidates. */
export function didYouMean(candidates: readonly string[]): string {
  if (candidates.length === 0) return ''
  return ` Did you mean ${candidates.map((candidate) => `"${candidate}"`).join(' or ')}?`
}
