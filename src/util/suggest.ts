// The search for near words, for "Did you mean".

/** The limit of a word's length. Longer words have no near ones, because a client may have chosen them. */
const LONGEST = 64
/** The limit of edits between a word and a suggestion. */
const FARTHEST = 3
/** The limit of one search, in cells of the table of edits: about half a millisecond. */
const BUDGET = 60_000

const row = new Uint8Array(LONGEST + FARTHEST + 1)

/**
 * Returns the Levenshtein distance if it is at most `limit`, else `limit + 1`. Computes only cells near the diagonal, in one
 * reused row.
 */
function distance(a: string, b: string, limit: number): number {
  for (let column = 0; column <= b.length; column++) row[column] = column
  for (let index = 1; index <= a.length; index++) {
    const first = Math.max(1, index - limit)
    const last = Math.min(b.length, index + limit)
    let diagonal = row[first - 1] as number
    let before = first === 1 ? index : limit + 1
    let best = before
    row[first - 1] = before
    for (let column = first; column <= last; column++) {
      // The previous row has no cell above the end of its band.
      const above = column === index + limit ? limit + 1 : (row[column] as number)
      const substituted = diagonal + (a.charCodeAt(index - 1) === b.charCodeAt(column - 1) ? 0 : 1)
      diagonal = row[column] as number
      before = Math.min(substituted, above + 1, before + 1)
      row[column] = before
      if (before < best) best = before
    }
    if (best > limit) return limit + 1
  }
  return row[b.length] as number
}

/** Returns the letters of a word as bits, in lower case. Several letters may share a bit. */
function lettersOf(word: string): number {
  let letters = 0
  for (let index = 0; index < word.length; index++) letters |= 1 << (word.charCodeAt(index) & 31)
  return letters
}

function countOf(bits: number): number {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++
  return count
}

/**
 * Finds the known words that a mistyped word may mean, nearest first, at most three. At most a third of its letters differ, and
 * at most three. Letter case does not count. The search stops early in very many similar words.
 *
 * @example near('user-lst', ['user-list', 'home']) // ['user-list']
 */
export function near(word: string, words: Iterable<string>): string[] {
  if (word.length > LONGEST) return []
  const lower = word.toLowerCase()
  const letters = lettersOf(lower)
  const limit = Math.min(FARTHEST, Math.max(1, Math.floor(lower.length / 3)))
  const cost = lower.length * (2 * limit + 1)
  const found: { candidate: string; edits: number }[] = []
  let budget = BUDGET
  for (const candidate of words) {
    if (Math.abs(candidate.length - lower.length) > limit) continue
    if (countOf(letters & ~lettersOf(candidate)) > limit) continue
    budget -= cost
    if (budget < 0) break
    const edits = distance(lower, candidate.toLowerCase(), limit)
    if (edits <= limit) found.push({ candidate, edits })
  }
  return found
    .sort((a, b) => a.edits - b.edits)
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

/** Returns ` Did you mean "a" or "b"?`; an empty text without candidates. */
export function didYouMean(candidates: readonly string[]): string {
  if (candidates.length === 0) return ''
  return ` Did you mean ${candidates.map((candidate) => `"${candidate}"`).join(' or ')}?`
}
