import fc from 'fast-check'
import { figure } from './figures'
import { major } from './major'

const { FC_RUNS = '20', FC_SEED, FC_PATH } = process.env
/**
 * Cases of each property: 20; `.ci/run` sets 250, `npm run prove` 100,000. Express 4 gets the first fourth of them, because
 * properties are about conversions, in which Express matters little; the tables are sent to both.
 */
export const RUNS = Math.ceil(Number(FC_RUNS) / (major === 4 ? 4 : 1))
/** One seed, so that `npm test` is the same on any machine. `npm run prove` takes a new one each time. */
const SEED = Number(FC_SEED ?? 1)
const PATH = FC_PATH === undefined ? {} : { path: FC_PATH }
const TWO_HOURS = 7_200_000

type Claim<Ts> = fc.IProperty<Ts> | fc.IAsyncProperty<Ts>

/**
 * Declares a test of a property, which `npm run prove` selects by its prefix. The message of a failure has the command that runs
 * the case again. `afterwards` checks the totals over all cases, from the number of cases on that makes them reliable.
 */
export function property<Ts>(name: string, claim: Claim<Ts>, afterwards: () => void = () => {}): void {
  const check = async () => {
    const details = await fc.check(claim as fc.IAsyncProperty<Ts>, { numRuns: RUNS, seed: SEED, ...PATH })
    const { numRuns: runs, failed, seed, counterexamplePath, errorInstance: cause } = details
    figure({ property: name, runs, failed })
    const replay = `FC_SEED=${seed} FC_PATH=${counterexamplePath} npx jest -t ${JSON.stringify(name)}`
    if (failed) throw new Error(`${fc.defaultReportMessage(details)}\n\nRun this case again: ${replay}`, { cause })
    if (FC_PATH === undefined && RUNS >= 250) afterwards()
  }
  test(`property: ${name}`, check, TWO_HOURS)
}
