import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Queries, targetOf } from '../../src/usage/queries'
import { type Fleet, type Run, recordOfFleet, SPLIT } from '../support/fleets'
import { DAY, INTERVAL, NOW } from '../support/prometheus'
import { type Recorded, SmallPrometheus } from '../support/promql'
import { binary } from './support/debian'
import { fleetOf } from './support/fleet'

// The small Prometheus of the unit tests responds as a real one does, to each question about the same record.

const { folder, scraping } = fleetOf('exports.options = {}')
const HOUR = 3600
const FROM = NOW - 2 * DAY
const target = (pod: string) => ({ job: 'shop', instance: '10.0.0.1:3000', pod })
const asked = [30, 20, 4].map((hours, at) => ({
  ...{ time: NOW - hours * HOUR + 70, version: 'v1' as const, consumer: 'acme', route: 'article' as const },
  isConverted: at !== 1,
}))
const run = (pod: string, from: number, to: number): Run => {
  return { target: target(pod), from, to, asked: asked.filter(({ time }) => time > from && time < to) }
}
const anew = NOW - 10 * HOUR
const fleet: Fleet = {
  runs: [run('a', FROM - DAY, anew + 1), run('a', anew + 20, NOW + DAY), run('b', NOW - 25 * HOUR, NOW - 15 * HOUR)],
  away: [[NOW - 22 * HOUR, NOW - 21 * HOUR]],
  unreachable: [[NOW - 13 * HOUR, NOW - 12 * HOUR]],
  unreachableTarget: '10.0.0.1:3000',
}
const record: Recorded[] = [
  ...recordOfFleet(fleet),
  {
    name: 'api_version_consumers_info',
    labels: { ...target('a'), source: 'function', limited: 'true' },
    value: () => 1,
  },
  { name: 'api_version_requests_total', labels: { ...target('a'), otel_scope_name: 'x' }, value: () => 7 },
  { name: 'api_version_info', labels: { ...target('a'), version: 'stable', exported_version: 'v1' }, value: () => 1 },
]

/** Writes a record as OpenMetrics. A process that begins anew goes on with its series. */
function openMetrics(): string {
  const families = new Map<string, Map<string, [time: number, line: string][]>>()
  for (const { name, labels, value } of record) {
    const key = `${name}{${Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`)}}`
    const family = families.get(name) ?? new Map()
    families.set(name, family)
    const lines = family.get(key) ?? []
    family.set(key, lines)
    for (let time = FROM; time <= NOW; time += INTERVAL) {
      const found = value(time)
      if (found !== undefined) lines.push([time, `${key} ${found} ${time}`])
    }
  }
  const texts = [...families].map(([name, family]) => {
    const type = name.endsWith('_total') ? 'counter' : 'gauge'
    const lines = [...family.values()].flatMap((own) =>
      own.sort(([one], [other]) => one - other).map(([, line]) => line),
    )
    return `# TYPE ${name.replace(/_total$/, '')} ${type}\n${lines.join('\n')}\n`
  })
  return `${texts.join('')}# EOF\n`
}

const queries = new Queries('api_version', undefined)
const ofJob = new Queries('api_version', 'shop')
const own = targetOf(target('a'))
const STEP = 1700
const INSTANTS = [
  queries.info,
  ofJob.info,
  queries.since,
  queries.lastSince(STEP),
  queries.changesOfSince(STEP),
  queries.countOfSince(STEP),
  queries.countOfTargets(['shop', 'a.b'], STEP, 'up'),
  queries.countOfTargets(['shop'], STEP, 'all'),
  queries.targets(['shop']),
  queries.scraped(650.001),
  ...(['info', 'requests_total', 'last_request_timestamp'] as const).map((name) => queries.presence(name)),
  queries.counters(undefined),
  queries.counters([own, targetOf(target('b'))]),
  queries.gauges(undefined),
  queries.gauges([own]),
  queries.overflown(DAY),
  queries.moved,
  queries.countedChanges(DAY, 1000),
  queries.limited(DAY),
]
const RANGES = [queries.samplesOfSince(1810), queries.samplesOfTargets(['shop'], 1810)]
/** Times on no boundary of a scrape, and times around the holes. */
const TIMES = [0.5, 4, 9.9, 12.5, 14, 21.4, 24].map((hours) => NOW - hours * HOUR - 37)

type Series = { readonly metric: object; readonly value?: [number, string]; readonly values?: [number, string][] }
const sorted = (all: readonly unknown[]) => all.map((one) => JSON.stringify(one)).sort()
const labelsOf = (labels: object) => Object.entries(labels).sort()
const round = (value: unknown) => Number(Number(value).toFixed(6))

test('each question to a record has the same answer', async () => {
  const data = mkdtempSync(join(folder, 'data-'))
  const file = join(data, 'record.txt')
  writeFileSync(file, openMetrics())
  const words = ['tsdb', 'create-blocks-from', 'openmetrics', '--max-block-duration=1440h', '-q', file, `${data}/tsdb`]
  expect(spawnSync(binary('promtool'), words, { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
  const { origin } = await scraping([], data)
  const real = async (path: string, parameters: object) => {
    const response = await fetch(`${origin}/api/v1/${path}?${new URLSearchParams({ ...parameters })}`)
    const { data, error } = (await response.json()) as { data: { result: Series[] }; error?: string }
    if (error !== undefined) throw new Error(error)
    return data.result
  }
  const small = new SmallPrometheus(record, INTERVAL, FROM, NOW)
  let series = 0
  for (const query of INSTANTS)
    for (const [time, shown] of small.instants(query, TIMES)) {
      const found = await real('query', { query, time: String(time) })
      series += found.length
      const expected = found.map(({ metric, value }) => [labelsOf(metric), round(value?.[1])])
      const got = shown.map(({ labels, value }) => [labelsOf(labels), round(value)])
      expect([query, time, sorted(got)]).toEqual([query, time, sorted(expected)])
    }
  for (const query of RANGES)
    for (const time of TIMES) {
      const found = await real('query', { query, time: String(time) })
      series += found.length
      const expected = found.map(({ metric, values }) => [
        labelsOf(metric),
        values?.map(([at, value]) => [at, round(value)]),
      ])
      const got = small.range(query, time).map(({ labels, points }) => [labelsOf(labels), points])
      expect([query, time, sorted(got)]).toEqual([query, time, sorted(expected)])
    }
  expect(series).toBeGreaterThan(300)
  expect(JSON.stringify(small.instants(queries.counters(undefined), [NOW]))).toContain(SPLIT)
})
