import fc from 'fast-check'
import {
  type Asked,
  askedIn,
  type Fleet,
  isWhole,
  type Run,
  recordOfFleet,
  SPLIT,
  type Span,
  TAGS,
} from '../support/fleets'
import { DAY, INTERVAL, NOW, prometheus } from '../support/prometheus'
import { property } from '../support/property'
import { asked, writeModule } from './asked'

// Random fleets: what the command says must be true, and it must say it where the record is whole. A plain interpreter knows the truth.

writeModule(
  'fleet.js',
  { article: '/articles/:id', tags: '/tags' },
  `const changes = versionHistory('v1').version('v2',
  change(${JSON.stringify(SPLIT)}, { 'GET article': { response } }), change(${JSON.stringify(TAGS)}, { 'GET tags': { response } }))
exports.options = { scheme, routes, changes, defaultVersion: 'v2' }`,
)

const DAYS = 1
const START = NOW - 3 * DAY

/** A moment, in scrapes before now. */
const scrapes = (most: number) => fc.integer({ min: 4, max: most }).map((count) => NOW - count * INTERVAL)
const request = fc.record({
  time: scrapes(650).map((time) => time + 60),
  version: fc.constantFrom('v1', 'v2', 'v2'),
  consumer: fc.constantFrom('acme', 'globex'),
  route: fc.constantFrom('article', 'tags'),
  isConverted: fc.boolean(),
}) as fc.Arbitrary<Asked>
const span: fc.Arbitrary<Span> = fc
  .tuple(scrapes(650), fc.integer({ min: 2, max: 200 }))
  .map(([from, length]) => [from + 1, Math.min(from + length * INTERVAL, NOW - 3 * INTERVAL)])

interface Plan {
  readonly requests: readonly (readonly Asked[])[]
  readonly begun: readonly (readonly number[])[]
  readonly names: 'same' | 'new'
  readonly away: readonly Span[]
  readonly unreachable: readonly Span[]
  readonly dropped: string | undefined
  readonly listed: number | undefined
  readonly consumer: string
  /** `true` if nobody asks for v1 in the days. */
  readonly isFree: boolean
  /** `true` if the command is told that there are no caches in front. */
  readonly isUncached: boolean
}

const plans: fc.Arbitrary<Plan> = fc.record({
  requests: fc.array(fc.array(request, { maxLength: 5 }), { minLength: 1, maxLength: 3 }),
  begun: fc.array(fc.array(scrapes(600), { maxLength: 3 }), { minLength: 3, maxLength: 3 }),
  names: fc.constantFrom('same', 'new'),
  away: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(span, { maxLength: 2 }) }),
  unreachable: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(span, { maxLength: 2 }) },
  ),
  dropped: fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'requests_total',
        'last_request_timestamp_seconds',
        'change_last_request_timestamp_seconds',
        'info',
      ),
    },
  ),
  listed: fc.option(scrapes(500), { nil: undefined, freq: 5 }),
  consumer: fc.constantFrom('acme', 'globex'),
  isFree: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  isUncached: fc.oneof({ weight: 7, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
})

/** Makes the processes: each begins anew at some times, under the same labels or under new ones. */
function fleetOf({ isFree, requests, begun, names, away, unreachable, dropped, listed }: Plan): Fleet {
  const runs = requests.flatMap((asked, index): Run[] => {
    const times = [START, ...[...new Set(begun[index])].sort((one, other) => one - other)]
    return times.map((from, life): Run => {
      const to = times[life + 1] ?? NOW + DAY
      const pod = names === 'new' ? `press-${index}-${life}` : `press-${index}`
      // It begins seconds after a scrape, and is seen by the next.
      const begin = from + (life === 0 ? 0 : 20)
      return {
        target: { job: 'shop', instance: `10.0.0.${index}:3000`, pod },
        from: begin,
        to: to + 1,
        asked: asked
          .filter(
            ({ time, version }) =>
              time > begin && time < to && !(isFree && version === 'v1' && time > NOW - DAYS * DAY),
          )
          .sort((one, other) => one.time - other.time),
      }
    })
  })
  return {
    runs,
    away,
    unreachable: unreachable as Fleet['unreachable'],
    unreachableTarget: '10.0.0.0:3000',
    ...(dropped === undefined ? {} : { dropped }),
    ...(listed === undefined ? {} : { listedFrom: { globex: listed } }),
  }
}

/** Says which changes a letter calls "never". */
function neverIn(letter: string): string[] {
  const [, part = ''] = letter.split(/^\d+ changes? never met[^\n]*:\n/m)
  return [SPLIT, TAGS].filter((change) => part.includes(change))
}

const totals = { free: 0, never: 0, unknown: 0 }
property(
  'nobody uses it, and never, are said only where it was so, and where the record is whole',
  fc.asyncProperty(plans, async (plan) => {
    const fleet = fleetOf(plan)
    const record = recordOfFleet(fleet)
    const address = await prometheus(record, [], 4)
    const used = askedIn(fleet, DAYS * DAY)
    const words = `usage fleet.js v1 ${plan.isUncached ? '--no-cache-in-front ' : ''}--days ${DAYS} --prometheus ${address}`
    const { code, out: json } = await asked(`${words} --check --json`)
    if (code === 0) expect(used).toEqual([])
    if (code === 1) expect(used.length).toBeGreaterThan(0)
    if (code === 0) totals.free++
    if (code === 2) totals.unknown++
    const isUndisturbed = plan.away.length === 0 && plan.unreachable.length === 0 && plan.dropped === undefined
    if (isUndisturbed) {
      const free = plan.isUncached ? 0 : 2
      expect([code, isWhole(fleet, DAYS * DAY)]).toEqual([used.length > 0 ? 1 : free, true])
      expect(JSON.parse(json).versions[0].requests).toBe(used.length)
    }
    const { out } = await asked(`${words} --consumer ${plan.consumer}`)
    const own = used.filter((one) => one.consumer === plan.consumer)
    const never = neverIn(out)
    const asks = (change: string) => own.some(({ route }) => route === (change === SPLIT ? 'article' : 'tags'))
    expect(never.filter(asks)).toEqual([])
    totals.never += never.length
    if (!plan.isUncached) expect(never).toEqual([])
    else if (isUndisturbed && plan.listed === undefined)
      expect(never).toEqual([SPLIT, TAGS].filter((change) => !asks(change)))
  }),
  () => {
    expect(totals.free).toBeGreaterThan(75)
    expect(totals.never).toBeGreaterThan(150)
    expect(totals.unknown).toBeGreaterThan(40)
  },
)
