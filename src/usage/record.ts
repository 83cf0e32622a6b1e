// The record: what it covers, and what is missing in it.
import type { Sample } from './client'
import type { Queries, Spans } from './queries'

/** The answers about the record. */
export interface RecordAnswers {
  /** The jobs: 1 for those that are recorded now. */
  readonly jobs: readonly Sample[]
  readonly since: readonly Sample[]
  readonly recorded: readonly Sample[]
  readonly targets: readonly Sample[]
  readonly down: readonly Sample[]
  readonly silent: readonly Sample[]
  readonly overflown: readonly Sample[]
  readonly known: readonly Sample[]
}

/** Names a process. */
export function processOf({ labels: { job = '', instance = '' } }: Sample): string {
  return `${instance} of job ${job}`
}

/** Returns the sentences about what is missing in the record. `now` is in seconds since 1970. */
export function missingIn(answers: RecordAnswers, { info }: Queries, spans: Spans, now: number): string[] {
  const { jobs, since, recorded, targets, down, silent, overflown, known } = answers
  const current = jobs.filter(({ value }) => value === 1).map(nameOf)
  const scraped = new Set(targets.map(nameOf))
  const telling = new Set(known.map(processOf))
  const asked = spans.days
  const ofJobs = current.flatMap((job) => {
    const begun = since.find((sample) => nameOf(sample) === job)?.value ?? now
    const steps = recorded.find((sample) => nameOf(sample) === job)?.value ?? 0
    const gaps = asked - steps * spans.step
    if (begun > now - asked + 2 * spans.step)
      return [`The record of job ${job} is ${long(now - begun)} long, and not ${long(asked)}.`]
    if (gaps > spans.limit + 2 * spans.step) return [`The record of job ${job} has gaps of ${long(gaps)}.`]
    return scraped.has(job)
      ? []
      : [`Prometheus has no target of job ${job}, so it does not know which processes were down.`]
  })
  const isDown = targets.filter(({ value }) => value === 0)
  const isUp = targets.filter(({ value }) => value === 1)
  return [
    ...(current.length === 0 ? [`No process has the series ${info} now.`] : []),
    ...ofJobs,
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
