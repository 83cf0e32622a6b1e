// The record: what it covers, and what is missing in it.
import type { Sample } from './client'
import type { Queries, Spans } from './queries'

/** The presence of targets or jobs in the record. */
interface Presence {
  readonly first: readonly Sample[]
  readonly last: readonly Sample[]
  readonly moments: readonly Sample[]
  readonly begun: readonly Sample[]
  readonly before: readonly Sample[]
}

/** The results about the record. */
interface RecordResponses {
  /** The jobs: 1 for those that are recorded now. */
  readonly jobs: readonly Sample[]
  readonly since: readonly Sample[]
  readonly targets: readonly Sample[]
  readonly down: readonly Sample[]
  readonly silent: readonly Sample[]
  readonly overflown: readonly Sample[]
  readonly known: readonly Sample[]
  readonly ofJobs: Presence
  readonly ofTargets: Presence
  /** The longest time between two samples that is no hole, in seconds. */
  readonly window: number
}

/** Names a process. */
export function processOf({ labels: { job = '', instance = '' } }: Sample): string {
  return `${instance} of job ${job}`
}

/** Returns the sentences about what is missing in the record. `now` is in seconds since 1970. */
export function missingIn(responses: RecordResponses, { info }: Queries, spans: Spans, now: number): string[] {
  const { jobs, since, targets, down, silent, overflown, known, ofTargets } = responses
  const current = jobs.filter(({ value }) => value === 1).map(nameOf)
  const scraped = new Set(targets.map(nameOf))
  const telling = new Set(known.map(processOf))
  const asked = spans.days
  const jobHoles = holesIn(responses.ofJobs, nameOf, scraped, responses.window, spans, now)
  const ofJobs = current.flatMap((job) => {
    const begun = since.find((sample) => nameOf(sample) === job)?.value ?? now
    const seen = responses.ofJobs.first.find((sample) => nameOf(sample) === job)?.value ?? now
    const from = Math.max(begun > now - asked + 2 * spans.step ? begun : 0, seen)
    if (from > now - asked + spans.hole + spans.fine)
      return [`The record of job ${job} is ${long(now - from)} long, and not ${long(asked)}.`]
    return scraped.has(job)
      ? []
      : [`Prometheus has no target of job ${job}, so it does not know which processes were down.`]
  })
  const told = new Set(jobHoles.map(([job]) => job))
  // A hole of a job is one of its targets too.
  const others: Presence = { ...ofTargets, first: ofTargets.first.filter((sample) => !told.has(nameOf(sample))) }
  const isCurrent = new Set(targets.map(processOf))
  const holes = [
    ...jobHoles.map(([job, seconds]) => `The record of job ${job} has holes of ${long(seconds)}.`),
    ...holesIn(others, processOf, isCurrent, responses.window, spans, now).map(
      ([process, seconds]) => `The record of ${process} has holes of ${long(seconds)}.`,
    ),
  ]
  const isDown = targets.filter(({ value }) => value === 0)
  const isUp = targets.filter(({ value }) => value === 1)
  return [
    ...(current.length === 0 ? [`No process has the series ${info} now.`] : []),
    ...ofJobs,
    ...holes,
    ...isDown.map((target) => `${processOf(target)} is down.`),
    ...down.map((target) => `${processOf(target)} was down for ${long(target.value)}.`),
    ...isUp.flatMap((target) =>
      telling.has(processOf(target)) ? [] : [`${processOf(target)} has no series ${info}.`],
    ),
    ...silent.map((target) => `${processOf(target)} had no series ${info} for ${long(target.value)}.`),
    ...overflown.map(
      (target) => `${processOf(target)} adds up requests without their version: raise its limit of attribute sets.`,
    ),
  ]
}

/**
 * Lists the things whose record has holes that are too long when they are added. A restart within a hole loses what it had counted.
 *
 * @param current those that are in the record now, so that its end is now.
 */
function holesIn(
  { first, last, moments, begun, before }: Presence,
  name: (sample: Sample) => string,
  current: ReadonlySet<string>,
  window: number,
  { days, fine, hole }: Spans,
  now: number,
): [name: string, seconds: number][] {
  const valueIn = (samples: readonly Sample[], wanted: string) =>
    samples.find((sample) => name(sample) === wanted)?.value ?? 0
  return first.flatMap((sample): [string, number][] => {
    const thing = name(sample)
    const isOld = before.some((other) => name(other) === thing)
    // Moments are multiples of their distance.
    const from = isOld ? Math.ceil((now - days) / fine) * fine : sample.value
    const to = current.has(thing) ? now : valueIn(last, thing)
    const absent = Math.floor((to - from) / fine) + 1 - valueIn(moments, thing)
    const resumed = valueIn(begun, thing) - (isOld ? 0 : 1)
    // After its last sample, each hole was taken for present for the length of the window.
    const seconds = Math.max(0, absent) * fine + Math.max(0, resumed) * window
    return seconds >= hole ? [[thing, seconds]] : []
  })
}

function nameOf({ labels: { job = '' } }: Sample): string {
  return job
}

/** The units of lengths of time, in seconds. */
const UNITS = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const

/** Writes a length of time. */
function long(seconds: number): string {
  const [size, unit] = UNITS.find(([size]) => seconds >= size) ?? [1, 'second']
  const count = Math.floor((seconds / size) * 10) / 10
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
