// The lives of processes in the record. A process is its whole set of target labels, and begins anew whenever it counts from 0.
import type { Asker, Track } from './client'
import { keyOf, type Present, presentIn } from './present'
import { type Queries, type Spans, type Target, targetOf, WEEK } from './queries'

/** A time of a process in which its counters only grow. */
export interface Life {
  readonly target: Target
  /** The time since when it counts. */
  readonly since: number
  /** The times of its first and last samples that are known. The last one is exact. */
  readonly first: number
  last: number
  /** The times of samples. All are there at both ends, at gaps, and where counts begin. */
  readonly times: number[]
  /** `true` if a life of other labels goes on with its counters: the target was given another label. */
  goesOn: boolean
}

/** All lives, and the facts that they were made of. */
export interface Lives {
  readonly all: readonly Life[]
  /** The longest time between two samples that is no gap, in seconds. */
  readonly window: number
  /** The processes that are there now. */
  readonly present: Present
}

/** Reads the lives of all processes. `now` is in seconds since 1970. */
export async function livesIn(ask: Asker, queries: Queries, spans: Spans, now: number): Promise<Lives> {
  const { step, steps } = spans
  const grid = { start: now - (steps - 1) * step, end: now, step }
  const [lasts, moves, present] = await Promise.all([
    ask.tracks(queries.lastSince(step), grid),
    ask.tracks(queries.changesOfSince(step), grid),
    presentIn(ask, queries, now),
  ])
  const indexOf = (time: number) => Math.round((time - grid.start) / step)
  const moved = new Map(
    moves.map(({ labels, points }) => [keyOf(targetOf(labels)), points.map(([time]) => indexOf(time))]),
  )
  const coarse = lasts.map(({ labels, points }) => {
    const target = targetOf(labels)
    return {
      target,
      steps: points.map(([time, value]) => [indexOf(time), value] as const),
      moved: moved.get(keyOf(target)) ?? [],
    }
  })
  const wanted = new Set([steps - 1])
  for (const time of [now - spans.days, now - WEEK, now - 2 * WEEK]) wanted.add(indexOf(time)).add(indexOf(time) + 1)
  for (const { steps: own, moved } of coarse) {
    for (const index of moved) wanted.add(index).add(index - 1)
    for (const [at, [index, since]] of own.entries()) {
      const [next = Number.NaN, later] = own[at + 1] ?? []
      // Something ends or begins between the two, or there is a gap.
      if (next !== index + 1 || later !== since) wanted.add(index).add(next)
    }
    wanted.add(own[0]?.[0] as number)
  }
  const indices = [...wanted].filter((index) => index >= 0 && index < steps)
  const exact = new Map<number, readonly Track[]>()
  await Promise.all(
    indices.map(async (index) =>
      exact.set(index, await ask.tracks(queries.samplesOfSince(step), { time: grid.start + index * step })),
    ),
  )
  const all = coarse.flatMap(({ target, steps: own }) => {
    const key = keyOf(target)
    const points = own.flatMap(([index, since]): (readonly [number, number])[] => {
      const tracks = exact.get(index)
      if (tracks === undefined) return [[grid.start + index * step, since]]
      return tracks.flatMap(({ labels, points }) => (keyOf(targetOf(labels)) === key ? points : []))
    })
    return livesOf(target, points)
  })
  joinLives(all)
  return { all, window: 2.5 * intervalIn(exact.get(steps - 1) as readonly Track[]), present }
}

/** Divides the samples of a process into lives. */
function livesOf(target: Target, points: readonly (readonly [time: number, since: number])[]): Life[] {
  const lives: Life[] = []
  for (const [time, since] of points) {
    const life = lives.at(-1)
    if (life?.since !== since) lives.push({ target, since, first: time, last: time, times: [time], goesOn: false })
    else if (time > life.last) {
      life.last = time
      life.times.push(time)
    }
  }
  return lives
}

/** Marks lives that go on with other labels: a target was given a label more, and counts since the same time. */
function joinLives(all: readonly Life[]): void {
  for (const life of all) {
    const { job, instance } = life.target
    life.goesOn = all.some(
      ({ target, since, first }) =>
        since === life.since && first > life.last && target.job === job && target.instance === instance,
    )
  }
}

/** Returns the time between two samples of a process, as a rule. */
function intervalIn(tracks: readonly Track[]): number {
  const distances = tracks.flatMap(({ points }) =>
    points.slice(1).map(([time], index) => time - (points[index] as readonly [number, number])[0]),
  )
  return distances.sort((one, other) => one - other)[Math.floor(distances.length / 2)] ?? 120
}
