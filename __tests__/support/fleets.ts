// Fleets of processes, what they were asked, and what Prometheus recorded of them.
import { INTERVAL, NOW } from './prometheus'
import type { Recorded } from './promql'

export interface Asked {
  readonly time: number
  readonly version: 'v1' | 'v2'
  readonly consumer: string
  readonly route: 'article' | 'tags'
  /** `false` for a request that got an error, so that no change met it. */
  readonly isConverted: boolean
}

/** A process from its beginning to its end; `target` is its whole set of labels. */
export interface Run {
  readonly target: Readonly<Record<string, string>>
  readonly from: number
  readonly to: number
  /** The time until which it is a target; without it, until its end. */
  readonly known?: number
  readonly asked: readonly Asked[]
}

export type Span = readonly [from: number, to: number]

export interface Fleet {
  readonly runs: readonly Run[]
  /** The times in which Prometheus was away. */
  readonly away: readonly Span[]
  /** The times in which it could not reach a target. */
  readonly unreachable: readonly (Span & { readonly length: 2 })[]
  readonly unreachableTarget?: string
  /** The metric that relabelling drops. */
  readonly dropped?: string
  /** The consumers that are told apart from a time on; before, they were `other`. */
  readonly listedFrom?: Readonly<Record<string, number>>
}

export const SPLIT = 'Articles have `heading`.'
export const TAGS = 'Tags are a list.'
const CHANGES = { article: SPLIT, tags: TAGS }

const within = (spans: readonly Span[], time: number) => spans.some(([from, to]) => time >= from && time < to)

/** Makes the record of a fleet: a scrape sees what a process counted so far. */
export function recordOfFleet(fleet: Fleet): Recorded[] {
  const { runs, away, unreachable, unreachableTarget, dropped, listedFrom = {} } = fleet
  const isAway = (time: number) => within(away, time)
  const cannotReach = (run: Run, time: number) => run.target.instance === unreachableTarget && within(unreachable, time)
  return runs.flatMap((run): Recorded[] => {
    const { target, from, to, asked } = run
    const series: Recorded[] = []
    const isTarget = (time: number) => time >= from && time < (run.known ?? to) && !isAway(time)
    const isSeen = (time: number) => isTarget(time) && time < to && !cannotReach(run, time)
    series.push({
      name: 'up',
      labels: target,
      value: (time) => (isTarget(time) ? Number(isSeen(time)) : undefined),
    })
    const add = (name: string, own: Record<string, string>, value: (time: number) => number | undefined) => {
      if (name === dropped) return
      series.push({
        name: `api_version_${name}`,
        labels: { ...own, ...target },
        value: (time) => (isSeen(time) ? value(time) : undefined),
      })
    }
    const before = (time: number, isMeant: (one: Asked) => boolean) =>
      asked.filter((one) => one.time <= time && isMeant(one))
    const labelOf = ({ consumer, time }: Asked) => (time < (listedFrom[consumer] ?? 0) ? 'other' : consumer)
    add('counting_since_timestamp_seconds', {}, () => from + 0.25)
    for (const version of ['v1', 'v2']) {
      const isOf = (one: Asked) => one.version === version
      add('info', { version, state: 'served' }, () => 1)
      for (const route of ['article', 'tags'] as const) {
        const labels = { version, named: 'true', route, method: 'GET', status: '2xx', code: '' }
        add('requests_total', labels, (time) => before(time, (one) => isOf(one) && one.route === route).length)
      }
      const names = new Set(['acme', 'globex', ...asked.map(labelOf)])
      for (const consumer of names) {
        const isOwn = (one: Asked) => isOf(one) && labelOf(one) === consumer
        add('consumer_requests_total', { version, named: 'true', consumer }, (time) => before(time, isOwn).length)
        add('last_request_timestamp_seconds', { version, named: 'true', consumer }, (time) =>
          before(time, isOwn).reduce((last, one) => Math.max(last, one.time), 0),
        )
        for (const route of ['article', 'tags'] as const) {
          const isHere = (one: Asked) => isOwn(one) && one.route === route
          const labels = { version, consumer, route, method: 'GET' }
          add('consumer_operation_requests_total', labels, (time) => before(time, isHere).length || undefined)
          if (version !== 'v1') continue
          const isMet = (one: Asked) => isHere(one) && one.isConverted
          const change = { version, change: CHANGES[route], consumer }
          add('change_consumer_requests_total', change, (time) => before(time, isMet).length || undefined)
          add('change_last_request_timestamp_seconds', change, (time) =>
            before(time, isMet).reduce<number | undefined>((_, one) => one.time, undefined),
          )
        }
      }
    }
    for (const [route, change] of Object.entries(CHANGES))
      add(
        'change_requests_total',
        { version: 'v1', change },
        (time) => before(time, (one) => one.version === 'v1' && one.isConverted && one.route === route).length,
      )
    return series
  })
}

/** The requests of v1 in the last seconds. */
export function askedIn({ runs }: Fleet, seconds: number): Asked[] {
  const all = runs.flatMap(({ asked }) => asked)
  return all.filter(({ version, time }) => version === 'v1' && time > NOW - seconds)
}

/** Tells whether Prometheus has seen all that was counted: each request, at a scrape of its process behind it. */
export function isWhole(fleet: Fleet, seconds: number): boolean {
  return fleet.runs.every((run) => {
    const series = recordOfFleet({ ...fleet, runs: [run] }).find(({ name }) => name === 'api_version_info')
    return run.asked.every(({ time }) => {
      if (time <= NOW - seconds) return true
      for (let at = Math.ceil(time / INTERVAL) * INTERVAL; at <= Math.min(run.to, NOW); at += INTERVAL)
        if (series?.value(at) !== undefined) return true
      return false
    })
  })
}
