// The findings of `check`, in lines for people.
import type { HistoryProblem } from '../testing'
import { ended } from '../util/sentence'

/** Writes the mistakes of steps, each with the smallest value that shows it. */
export function findingsOf(problems: readonly HistoryProblem[]): string[] {
  if (problems.length === 0) return ['No step makes a mistake.']
  const all = problems.flatMap(({ kind, change, version, shape, operation, direction, path, value, got, message }) => {
    const at = path.length === 0 ? '' : ` at ${path.join('/')}`
    const told =
      kind === 'untried' ? [] : [`  value: ${JSON.stringify(value)}`, `  got:   ${JSON.stringify(got) ?? 'nothing'}`]
    return [
      `${shape ?? operation}, ${direction}, in version ${version} ("${change}")${at}:`,
      `  The step ${ended(message)}`,
      ...told,
    ]
  })
  return [...all, `${problems.length} ${problems.length === 1 ? 'mistake' : 'mistakes'}.`]
}
