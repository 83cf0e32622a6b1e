import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { prometheusUsage } from 'express-versioning/usage'
import { type Asked, type Fleet, type Run, recordOfFleet, SPLIT, TAGS } from '../support/fleets'
import { folder } from '../support/folder'
import { NOW, prometheus } from '../support/prometheus'
import { asked, writeModule } from './asked'

// What a record proves: histories of small fleets, and the sentences about them.

const HOUR = 3600
const ago = (hours: number) => NOW - hours * HOUR
const one = (hours: number, more: Partial<Asked> = {}): Asked => ({
  ...{ time: ago(hours) - 30, version: 'v1', consumer: 'acme', route: 'article', isConverted: true, ...more },
})
const pod = (name: string) => ({ job: 'shop', instance: '10.0.0.1:3000', pod: name })
const run = (name: string, more: Partial<Run> = {}): Run => ({
  ...{ target: pod(name), from: ago(200), to: NOW + HOUR, asked: [], ...more },
})
const fleet = (runs: readonly Run[], more: Partial<Fleet> = {}): Fleet => ({ runs, away: [], unreachable: [], ...more })
const hole = (from: number, to: number) => [ago(from) + 1, ago(to)] as const

async function usageOf(given: Fleet) {
  return prometheusUsage({ url: await prometheus(recordOfFleet(given), [], 10), days: 2 })()
}

const anew = [run('a', { to: ago(20) }), run('a', { from: ago(20) + 20 })]
const HIDDEN: Partial<Fleet> = { unreachableTarget: '10.0.0.1:3000' }
test.each<[what: string, given: Fleet, told: RegExp | undefined]>([
  ['two pods of one instance', fleet([run('a'), run('b')]), undefined],
  ['a hole through which it counted on', fleet([run('a')], { away: [hole(30, 26)] }), undefined],
  ['a hole over the beginning of the days', fleet([run('a')], { away: [hole(50, 47)] }), undefined],
  [
    'unreachable for hours, and counting on',
    fleet([run('a')], { ...HIDDEN, unreachable: [hole(30, 20)] as never }),
    undefined,
  ],
  ['a deployment', fleet(anew), undefined],
  [
    'a hole in which it began anew',
    fleet(anew, { away: [hole(21, 19)] }),
    /\(pod a\) has a hole from .* in which it began anew/,
  ],
  ['unreachable, and begun anew', fleet(anew, { ...HIDDEN, unreachable: [hole(21, 19)] as never }), /began anew/],
  [
    'begun anew in a hole before the days',
    fleet([run('a', { to: ago(60) }), run('a', { from: ago(60) + 20 })], { away: [hole(61, 59)] }),
    undefined,
  ],
  ['a pod that another replaced', fleet([run('a', { to: ago(20) }), run('b', { from: ago(20) })]), undefined],
  [
    'pods replaced in a hole',
    fleet([run('a', { to: ago(20) }), run('b', { from: ago(20) })], { away: [hole(21, 19)] }),
    /\(pod a\) has a hole .* ended/,
  ],
  [
    'pods replaced in a hole before the days',
    fleet([run('a', { to: ago(60) }), run('b', { from: ago(60) })], { away: [hole(61, 59)] }),
    undefined,
  ],
  [
    'a pod that was unreachable before its end',
    fleet([run('a', { to: ago(20), known: ago(19) }), run('b')]),
    /\(pod a\) has a hole .* ended/,
  ],
  ['the same before the days', fleet([run('a', { to: ago(60), known: ago(59) }), run('b')]), undefined],
  ['a pod that is down', fleet([run('a', { to: ago(1), known: NOW + HOUR }), run('b')]), /\(pod a\) is down/],
  ['a young record', fleet([run('a', { from: ago(5) })]), /The record of job shop is 5 hours long, and not 2 days/],
  [
    'no requests_total',
    fleet([run('a')], { dropped: 'requests_total' }),
    /\(pod a\) has no series api_version_requests_total/,
  ],
  [
    'gone as a target, and begun anew',
    fleet([run('a', { to: ago(20) }), run('a', { from: ago(19) }), run('b')]),
    /\(pod a\) has a hole from .* in which it began anew/,
  ],
  [
    'gone as a target over the beginning of the days',
    fleet([run('a', { to: ago(50) }), run('a', { from: ago(47) }), run('b')]),
    undefined,
  ],
  ['no info', fleet([run('a')], { dropped: 'info' }), /No process has the series api_version_info now/],
  [
    'no time since when it counts',
    fleet([run('a')], { dropped: 'counting_since_timestamp_seconds' }),
    /has no series api_version_counting_since/,
  ],
])('%s', async (_what, given, told) => {
  const { missing = [] } = await usageOf(given)
  expect(missing.join('\n')).toEqual(told === undefined ? '' : expect.stringMatching(told))
})

test.each<[what: string, given: Fleet, requests: number]>([
  ['a counter from before the days', fleet([run('a', { asked: [one(75)] })], { away: [hole(50, 47)] }), 0],
  [
    'one request before a deployment, and one after',
    fleet([run('a', { to: ago(20), asked: [one(60), one(30)] }), run('a', { from: ago(20) + 20, asked: [one(8)] })]),
    2,
  ],
  [
    'one request in each of two pods',
    fleet([run('a', { to: ago(20), asked: [one(30)] }), run('b', { from: ago(20), asked: [one(8)] })]),
    2,
  ],
  [
    'a request before the days, in a short hole at their beginning',
    fleet([run('a', { asked: [one(48, { time: ago(48) - 180 })] })], { away: [[ago(48) - 239, ago(48) + 240]] }),
    0,
  ],
  ['a pod that ended just before the days', fleet([run('a', { to: ago(48) - 60 }), run('b', { asked: [one(30)] })]), 1],
  ['a target that was given a label more', fleet([run('a', { asked: [one(30)] })]), 1],
])('%s: %#', async (_what, given, requests) => {
  const { versions } = await usageOf(given)
  expect(versions[0]).toMatchObject({ version: 'v1', requests })
  expect(versions[0]?.consumers.map(({ consumer, requests }) => [consumer, requests])).toEqual(
    requests === 0 ? [] : [['acme', requests]],
  )
})

test('a target that was given a label more goes on with its counts', async () => {
  const before = recordOfFleet(fleet([run('a', { asked: [one(30)] })]))
  const moved = before.map((series) => ({
    ...series,
    value: (time: number) => (time < ago(20) ? series.value(time) : undefined),
  }))
  const after = before.map((series) => ({
    ...series,
    labels: { ...series.labels, zone: 'x' },
    value: (time: number) => (time >= ago(20) ? series.value(time) : undefined),
  }))
  const { versions, missing, processes } = await prometheusUsage({
    url: await prometheus([...moved, ...after], [], 10),
    days: 2,
  })()
  expect([versions[0]?.requests, missing, processes]).toEqual([1, [], 1])
})

test('views and labels that hide: replicas, and a label version of the targets', async () => {
  const own = recordOfFleet(fleet([run('a')]))
  const labelled = (labels: object) => own.map((series) => ({ ...series, labels: { ...series.labels, ...labels } }))
  const twice = await prometheusUsage({
    url: await prometheus([...labelled({ replica: 'a' }), ...labelled({ replica: 'b' })], [], 10),
    days: 2,
  })()
  expect(twice.missing).toEqual([expect.stringContaining('The label replica has each process several times')])
  const moved = own.map((series) => {
    const { version, ...labels } = series.labels as Record<string, string>
    return {
      ...series,
      labels: { ...labels, version: 'stable', ...(version === undefined ? {} : { exported_version: version }) },
    }
  })
  const other = await prometheusUsage({ url: await prometheus(moved, [], 10), days: 2 })()
  expect([other.versions, other.missing]).toEqual([[], [expect.stringContaining('exported_version')]])
})

test('a worker that took its counts along', async () => {
  const own = recordOfFleet(fleet([run('a', { asked: [one(30)] })]))
  const fallen = own.map((series) => ({
    ...series,
    value: (time: number) =>
      series.name.endsWith('_total') && time > ago(10)
        ? series.value(time) === undefined
          ? undefined
          : 0
        : series.value(time),
  }))
  const { missing } = await prometheusUsage({ url: await prometheus(fallen, [], 10), days: 2 })()
  expect(missing).toEqual([expect.stringContaining('fell, though it did not begin anew')])
})

writeModule(
  'record.js',
  { article: '/articles/:id', tags: '/tags' },
  `const changes = versionHistory('v1').version('v2',
  change(${JSON.stringify(SPLIT)}, { 'GET article': { response } }), change(${JSON.stringify(TAGS)}, { 'GET tags': 'removed' }))
exports.options = { scheme, routes, changes, defaultVersion: 'v2', lifecycle: { v1: { sunset: '2999-01-01', info: 'https://a.test/v1' } } }`,
)
const QUESTIONS = fleet([
  run('a', {
    asked: [
      one(30, { consumer: 'ci' }),
      one(20),
      one(19, { consumer: 'globex', isConverted: false }),
      one(18, { consumer: '../x', route: 'tags' }),
    ],
  }),
])
async function answered(words: string, given = QUESTIONS) {
  const address = await prometheus(recordOfFleet(given), [], 10)
  return asked(`usage record.js v1 --days 2 --prometheus ${address} ${words}`)
}

test.each<[words: string, code: number, said: string]>([
  [
    '--no-cache-in-front --consumer globex',
    0,
    'You asked for operations of 1 change, and it is not known whether you would notice:\n  v2\n    - Articles',
  ],
  ['--no-cache-in-front --consumer globex', 0, 'More: <https://a.test/v1>\n'],
  ['--no-cache-in-front --consumer globex --markdown', 0, '- GET article, 1 request\n'],
  ['--consumer globex', 0, 'Of 1 change, no request of yours is known'],
  ['--change heading', 0, 'it met 2 requests in v1.\n  acme, 1 request, the last at '],
  ['--change heading', 0, 'without a response that it converted:\n  globex\n'],
  ['--change nothing', 2, "no change after 'v1' is 'nothing'. There are:\n"],
  ['--consumer acme --errors', 0, 'acme had 1 request in v1, and got 0 errors.'],
  ['--check --no-cache-in-front --since 2027-01-14T11:00:00Z', 1, 'was used'],
  ['--check --no-cache-in-front --since 2027-01-15T00:00:00Z', 0, 'had no request'],
  ['--check --no-cache-in-front --without ci', 1, 'was used'],
  ['--check --no-cache-in-front --without ci --without acme --without globex --without ../x', 0, 'had no request'],
  ['--since never', 2, 'option "since" takes a date'],
  ['--since 2999-01-01', 2, 'takes a date in the past'],
  ['--errors', 2, '--errors needs --consumer'],
  ['--all', 2, '--all needs a version and a folder'],
  ['--out x', 2, 'usage takes --out with --all only.'],
  ['--all --out x --check', 2, 'Ask for it alone.'],
  ['--change x --check', 2, 'Ask for it alone.'],
  ['--consumer acme --without ci', 2, '--without leaves consumers out'],
  ['--ready --since 2026-01-01', 2, '--ready is about processes'],
])('usage v1 %s: exit code %d', async (words, code, said) => {
  const { out, err, code: ended } = await answered(words)
  expect([ended, `${out}${err}`]).toEqual([code, expect.stringContaining(said)])
})

test('all letters at once, whatever names consumers have', async () => {
  const { code, out } = await answered('--all --out letters --no-cache-in-front')
  expect([code, out]).toEqual([0, expect.stringContaining('4 letters to consumers of v1\n')])
  const files = readdirSync(join(folder, 'letters')).sort()
  expect(files).toEqual(['_.%2Fx.txt', 'acme.txt', 'ci.txt', 'globex.txt'])
  expect(readFileSync(join(folder, 'letters/acme.txt'), 'utf8')).toContain('You will notice 1 of 2 changes')
})

/** Changes the series of a process, whose name has a part, at some times. */
const changed = (part: string, isMeant: (time: number) => boolean, to: number | undefined) =>
  recordOfFleet(fleet([run('a'), run('b')])).map((series) => ({
    ...series,
    value: (time: number) =>
      series.labels.pod === 'a' && series.name.includes(part) && isMeant(time) ? to : series.value(time),
  }))
const early = (time: number) => time < ago(30)
const whole = (time: number) => time < ago(-1)
test.each<[what: string, record: ReturnType<typeof changed>, told: RegExp]>([
  [
    'without requests_total for hours',
    changed('requests_total', early, undefined),
    /\(pod a\) had no series api_version_requests_total for 1\d/,
  ],
  [
    'up without metrics, and then with them',
    changed('api_version', early, undefined),
    /\(pod a\) had no series api_version_info for 1 day/,
  ],
  [
    'up without metrics, and gone',
    changed('api_version', whole, undefined).map((one) => ({
      ...one,
      value: (time: number) => (one.labels.pod === 'a' && time > ago(20) ? undefined : one.value(time)),
    })),
    /\(pod a\) had no series api_version_info for 1\.5 days/,
  ],
  [
    'down until it had metrics',
    recordOfFleet(fleet([run('b'), run('a', { from: ago(30) })])).map((one) => ({
      ...one,
      value: (time: number) => (one.name === 'up' && one.labels.pod === 'a' && early(time) ? 0 : one.value(time)),
    })),
    /\(pod a\) was down for 1 day before the record has it: its counts are lost\./,
  ],
])('a process %s', async (_what, record, told) => {
  const { missing = [] } = await prometheusUsage({ url: await prometheus(record, [], 10), days: 2 })()
  expect(missing.join('\n')).toMatch(told)
})

test('a process without a job and an instance', async () => {
  const record = recordOfFleet(fleet([run('a')])).map(({ labels: { job: _, instance: __, ...labels }, ...one }) => ({
    ...one,
    labels: labels as Record<string, string>,
    value: (time: number) => (one.name === 'up' && time > ago(1) ? 0 : one.value(time)),
  }))
  const { missing = [] } = await prometheusUsage({ url: await prometheus(record, [], 10), days: 2 })()
  expect(missing).toContain(' of job  (pod a) is down.')
})

test('a deployment within a step of the questions', async () => {
  const runs = [
    run('a', { from: ago(600), to: ago(20) + 1, asked: [one(60), one(30)] }),
    run('a', { from: ago(20) + 20, asked: [one(8)] }),
  ]
  const { versions, missing } = await prometheusUsage({
    url: await prometheus(recordOfFleet(fleet(runs)), [], 25),
    days: 10,
  })()
  expect([versions[0]?.requests, missing]).toEqual([3, []])
})
