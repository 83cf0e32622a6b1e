// The record: what it covers, and what is missing in it. This is the one place that tells.
import type { Asker, Sample, Track } from './client'
import type { Life, Lives } from './lives'
import { doubtsNow, isPart, jobOf, keyOf, lackingText, processOf } from './present'
import { type Queries, type Spans, targetOf } from './queries'
import { lengthText } from './words'

/** Says which labels of targets have moved those of the metrics. */
export function movedLabels(samples: readonly Sample[]): string[] {
  const names = samples.flatMap(({ labels }) => Object.keys(labels).filter((name) => name.startsWith('exported_')))
  const own = [...new Set(names)]
    .map((name) => name.slice('exported_'.length))
    .filter((name) => !['job', 'instance'].includes(name))
  return own.map(
    (name) =>
      `Targets have a label ${name}, which moves that of the metrics to exported_${name}: rename the label of the targets by relabelling.`,
  )
}

/** Lists the sentences about what is missing in the record. `now` is in seconds since 1970. */
export async function missingIn(
  lives: Lives,
  ask: Asker,
  queries: Queries,
  spans: Spans,
  now: number,
): Promise<string[]> {
  const { present, all } = lives
  const { jobs } = present
  const from = now - spans.days
  const step = Math.max(spans.step, Math.ceil(spans.days / 240))
  const grid = { start: now - Math.floor(spans.days / step) * step, end: now, step }
  const asked = (what: 'all' | 'up') =>
    jobs.length === 0 ? Promise.resolve([]) : ask.tracks(queries.countOfTargets(jobs, step, what), grid)
  const [since, info, requests, gauges, known, up, counted, overflown] = await Promise.all([
    ask.tracks(queries.since, grid),
    ask.tracks(queries.presence('info'), grid),
    ask.tracks(queries.presence('requests_total'), grid),
    ask.tracks(queries.presence('last_request_timestamp'), grid),
    asked('all'),
    asked('up'),
    ask.tracks(queries.countOfSince(step), grid),
    ask.samples(queries.overflown(spans.days), now),
  ])
  const needed = [
    [queries.name('info'), info],
    [queries.name('requests_total'), requests],
    [queries.name('last_request_timestamp_seconds'), gauges],
  ] as const
  return [
    ...(jobs.length === 0 ? [`No process has the series ${queries.name('info')} now.`] : []),
    ...doubtsNow(present, queries),
    ...jobs.flatMap((job) => {
      const own = all.filter(({ target }) => jobOf({ labels: target }) === job)
      const begun = Math.min(now, ...own.map(({ first }) => first))
      return begun <= from + spans.hole
        ? []
        : [`The record of job ${job} is ${lengthText(now - begun)} long, and not ${lengthText(spans.days)}.`]
    }),
    ...(await lossesIn(lives, ask, queries, from, now)),
    ...withoutSince(info, since, queries),
    ...needed.flatMap(([name, tracks]) => lacking(name, tracks, since, step)),
    ...fallen(requests, since),
    ...unseen(lives, known, up, counted, queries, spans, step),
    ...replicas(all, now - 300),
    ...overflown.map(
      ({ labels }) =>
        `${processOf(targetOf(labels))} adds up requests without their version: raise its limit of attribute sets.`,
    ),
  ]
}

/**
 * Lists the processes that began anew, or ended, while Prometheus had no samples of them: what they counted from the last sample on
 * is lost. Where a process counted on, nothing is.
 */
async function lossesIn(lives: Lives, ask: Asker, queries: Queries, from: number, now: number): Promise<string[]> {
  const { all, window, present } = lives
  const down = present.targets.filter(({ value }) => value !== 1).map(({ labels }) => targetOf(labels))
  const lost = await Promise.all(
    all.map(async (life) => {
      const { target, last, goesOn } = life
      const key = keyOf(target)
      const next = all.find((other) => keyOf(other.target) === key && other.first > last)
      const until = next?.since ?? Number.POSITIVE_INFINITY
      if (goesOn || until - last <= window || until <= from || (next === undefined && last > now - window)) return []
      // It is told already.
      if (next === undefined && down.some((one) => isPart(one, target))) return []
      if (!(await isLost(life, until, lives, ask, queries, from))) return []
      const what = next === undefined ? 'ended' : 'began anew'
      return [
        `The record of ${processOf(target)} has a hole from ${timeText(last)} on, in which it ${what}: its last counts are lost.`,
      ]
    }),
  )
  return lost.flat()
}

/** Tells whether a life may have counted after its last sample. */
async function isLost(
  { target, last }: Life,
  until: number,
  { window }: Lives,
  ask: Asker,
  queries: Queries,
  from: number,
) {
  const job = jobOf({ labels: target })
  const tracks = await ask.tracks(queries.samplesOfTargets([job], 3 * window), { time: last + 3 * window })
  const own = tracks.filter(({ labels }) => isPart(targetOf(labels), target)).flatMap(timesIn)
  const isNear = (time: number) => time > last + 0.001 && time <= last + window
  // Prometheus still knew it as a target, and could not reach it.
  const isKept = own.some(isNear) && own.some((time) => time > last + window && time < until)
  const isSeen =
    tracks.flatMap(timesIn).some(isNear) ||
    (await ask.samples(queries.scraped(window - 0.001), last + window)).length > 0
  // It ended, and was no target any more. If it is back, it may have counted in between.
  if (!isKept && isSeen && (until === Number.POSITIVE_INFINITY || last <= from)) return false
  if (last > from) return true
  // Did it end before the days?
  if (isKept)
    return (await ask.samples(queries.targets([job]), from)).some(({ labels }) => isPart(targetOf(labels), target))
  return (await ask.samples(queries.scraped(from - last - 0.001), from)).length === 0
}

function timesIn({ points }: Track): number[] {
  return points.map(([time]) => time)
}

/** Lists the processes that do not say since when they count. */
function withoutSince(info: readonly Track[], since: readonly Track[], queries: Queries): string[] {
  const known = new Set(since.map(({ labels }) => keyOf(targetOf(labels))))
  return info.flatMap(({ labels }) => {
    const target = targetOf(labels)
    return known.has(keyOf(target)) ? [] : [lackingText(target, queries.name('counting_since_timestamp_seconds'))]
  })
}

/** Lists the processes that lack a metric at times: relabelling may drop it. */
function lacking(name: string, tracks: readonly Track[], since: readonly Track[], step: number): string[] {
  const times = new Map(tracks.map((track) => [keyOf(targetOf(track.labels)), new Set(timesIn(track))]))
  return since.flatMap((track) => {
    const target = targetOf(track.labels)
    const own = times.get(keyOf(target))
    if (own === undefined) return [lackingText(target, name)]
    const missing = timesIn(track).filter((time) => !own.has(time)).length
    return missing === 0 ? [] : [`${processOf(target)} had no series ${name} for ${lengthText(missing * step)}.`]
  })
}

/** Lists the processes whose counters fell, although they did not begin anew: a worker of a cluster ended with its counts. */
function fallen(requests: readonly Track[], since: readonly Track[]): string[] {
  return since.flatMap(({ labels, points }) => {
    const target = targetOf(labels)
    const key = keyOf(target)
    const values = new Map(requests.find((one) => keyOf(targetOf(one.labels)) === key)?.points)
    const isFallen = points.some(([time, value], at) => {
      const [before, valueBefore] = points[at - 1] ?? []
      return value === valueBefore && (values.get(time) ?? 0) < (values.get(before as number) ?? 0)
    })
    return isFallen
      ? [`The counts of ${processOf(target)} fell, though it did not begin anew: a worker of it took some along.`]
      : []
  })
}

/** Lists the targets whose processes the record does not have: up without the metrics, or unreachable before it has them. */
function unseen(
  { present, window, all }: Lives,
  known: readonly Track[],
  up: readonly Track[],
  counted: readonly Track[],
  queries: Queries,
  { hole }: Spans,
  step: number,
): string[] {
  const interval = window / 2.5
  const ups = countsIn(up)
  const processes = counted.map(({ labels, points }) => ({ target: targetOf(labels), counts: new Map(points) }))
  const name = queries.name('info')
  return known.flatMap(({ labels, points }) => {
    const target = targetOf(labels)
    const own = processes.filter((one) => isPart(target, one.target))
    const lives = all.filter((life) => isPart(target, life.target))
    const now = present.targets.find(({ labels }) => keyOf(targetOf(labels)) === keyOf(target))?.value
    // It is told already.
    if (own.length === 0 && now !== undefined) return []
    const counts = ups.get(keyOf(target)) as ReadonlyMap<number, number>
    const secondsOf = (missed: (time: number, count: number, up: number) => number) =>
      interval *
      points.reduce((sum, [time, count]) => sum + Math.max(0, missed(time, count, counts.get(time) as number)), 0)
    // A new target may be down for a while, until its process has begun.
    const begun = Math.min(...lives.map(({ since }) => since))
    const down = secondsOf((time, count, up) => (time - step < begun ? count - up : 0))
    const silent = secondsOf((time, _, up) => up - Math.max(0, ...own.map(({ counts }) => counts.get(time) ?? 0)))
    return [
      ...(down > hole && now !== 0
        ? [`${processOf(target)} was down for ${lengthText(down)} before the record has it: its counts are lost.`]
        : []),
      ...(silent > hole ? [`${processOf(target)} had no series ${name} for ${lengthText(silent)}.`] : []),
    ]
  })
}

/** Returns the values of each process, by their times. */
function countsIn(tracks: readonly Track[]): Map<string, ReadonlyMap<number, number>> {
  return new Map(tracks.map(({ labels, points }) => [keyOf(targetOf(labels)), new Map(points)]))
}

/** Matches labels of which each value is another view of the same processes. */
const REPLICA = /replica|^prometheus|^monitor$|^receive/i

/** Lists the labels by which one process is there several times. */
function replicas(all: readonly Life[], after: number): string[] {
  const current = all.filter(({ last }) => last > after)
  const names = current.flatMap((one) =>
    current.flatMap((other) => {
      if (one === other || one.since !== other.since) return []
      const labels = Object.keys({ ...one.target, ...other.target })
      const differing = labels.filter((name) => one.target[name] !== other.target[name])
      return differing.every((name) => REPLICA.test(name)) ? differing : []
    }),
  )
  return [...new Set(names)].map(
    (name) => `The label ${name} has each process several times: ask a view that merges replicas of Prometheus.`,
  )
}

/** Writes a time in seconds since 1970. */
function timeText(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')}Z`
}
