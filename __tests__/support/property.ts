import fc from 'fast-check'
import { figure } from './figures'

/** Cases of each property: 100; `.ci/run` sets 250, `npm run prove` 100,000. */
export const RUNS = Number(process.env.FC_RUNS ?? 100)
/** The number of runs from which totals over all cases are reliable. */
const MANY = 250
const SEED = process.env.FC_SEED === undefined ? {} : { seed: Number(process.env.FC_SEED) }
const PATH = process.env.FC_PATH === undefined ? {} : { path: process.env.FC_PATH }
const TWO_HOURS = 7_200_000

/** The prefix by which `npm run prove` selects the property tests. */
export const PROPERTY = 'property:'

/**
 * Declares a test of a property. When it fails, the message tells the command that runs the failing case again (`FC_SEED`,
 * `FC_PATH`). `afterwards` checks what all cases came to, where they are many.
 */
export function property<Ts>(
  name: string,
  claim: fc.IProperty<Ts> | fc.IAsyncProperty<Ts>,
  afterwards: () => void = () => {},
): void {
  test(
    `${PROPERTY} ${name}`,
    async () => {
      const started = performance.now()
      const details = await fc.check(claim as fc.IAsyncProperty<Ts>, { numRuns: RUNS, ...SEED, ...PATH })
      figure({
        property: name,
        runs: details.numRuns,
        failed: details.failed,
        ms: Math.round(performance.now() - started),
      })
      if (details.failed) throw new Error(replayable(name, details), { cause: details.errorInstance })
      if (details.counterexamplePath === null && PATH.path === undefined && RUNS >= MANY) afterwards()
    },
    TWO_HOURS,
  )
}

function replayable<Ts>(name: string, details: fc.RunDetails<Ts>): string {
  const replay = `FC_SEED=${details.seed} FC_PATH=${details.counterexamplePath} npx jest -t ${JSON.stringify(name)}`
  return `${fc.defaultReportMessage(details)}\n\nRun this case again: ${replay}`
}
