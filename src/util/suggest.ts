/** Words of more than this have no near ones: a client may have chosen them. */
const LONGEST = 64
/** The edits that a suggestion may be away, at most. */
const FARTHEST = 3
/** What one search may cost, in cells of the table of edits: some half a millisecond. */
const BUDGET = 60_000

const row = new Uint8Array(LONGEST + FARTHEST + 1)

/** Levenshtein distance in at most `limit` edits, else `limit + 1`; in cells of one row that is used again, near the diagonal only. */
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
      // Above the end of the last row's band there is nothing to come from.
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

/** The letters of a word, letter case aside, as bits; others may share one. */
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
 * The known words that a mistyped one may have meant, nearest first, three at most: within a third of its length in edits and
 * three of them, letter case aside. Of very many words that are alike, only the first are looked at.
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

/** ` Did you mean "a" or "b"?`, or nothing when there is no near word. */
export function didYouMean(candidates: readonly string[]): string {
  if (candidates.length === 0) return ''
  return ` Did you mean ${candidates.map((candidate) => `"${candidate}"`).join(' or ')}?`
}
