import fc from 'fast-check'
import { ask, type Case, type Result, type SchemeName, startDrf } from './support/drf'
import { CASES, ROUTES } from './support/drf-cases'
import { DECISIONS, differences, LINKS } from './support/drf-differences'

/** Requests of all schemes together. `npm run prove` sends more. */
const REQUESTS = Number(process.env.DRF_REQUESTS ?? 15_000)
const SEED = Number(process.env.FC_SEED ?? 1)
const BATCH = 1000
const TWO_HOURS = 7_200_000

let drf: ReturnType<typeof startDrf>
beforeAll(() => {
  drf = startDrf()
  // Hosts that begin with a version warn, which is not the subject here.
  jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
})
afterAll(() => drf.stop())

const BASE = { url: '/users', headers: { host: 'api.example.com' }, links: [] }
const fixed = (row: Partial<Case> & Pick<Case, 'scheme'>): Case => ({ ...BASE, routes: ROUTES[row.scheme], ...row })

const KNOWN = { ...DECISIONS, ...LINKS }
test.each(Object.keys(KNOWN))('this difference is one: %s', async (name) => {
  const one = fixed((KNOWN[name] as (typeof KNOWN)[string]).row)
  const [theirs] = await drf.ask([one])
  const found = differences(one, ask(one), theirs as Result)
  expect(found.length).toBeGreaterThan(0)
  for (const { names } of found) expect(names).toContain(name)
})

test.each(Object.keys(CASES) as SchemeName[])(
  '%s: random requests and links differ in nothing else',
  async (scheme) => {
    const cases = fc.sample(CASES[scheme], { numRuns: Math.ceil(REQUESTS / 5), seed: SEED })
    let alike = 0
    for (let start = 0; start < cases.length; start += BATCH) {
      const batch = cases.slice(start, start + BATCH)
      const theirs = await drf.ask(batch)
      const found = batch.map((one, at) => differences(one, ask(one), theirs[at] as Result))
      // The seed, and each request, repeat a failure.
      const unknown = found.flat().filter(({ names }) => names.length === 0)
      expect({ seed: SEED, unknown: unknown.map(({ what }) => what).slice(0, 5) }).toEqual({ seed: SEED, unknown: [] })
      alike += found.filter((list) => list.length === 0).length
    }
    // Most requests have no difference at all, or this would compare nothing.
    expect(alike / cases.length).toBeGreaterThan(0.4)
  },
  TWO_HOURS,
)
