// The processes that are there now: one question, and one list of doubts, for the record and for the gate of a rollout.
import type { Asker, Sample } from './client'
import { type Queries, type Target, targetOf } from './queries'

/** The processes of an API and the targets of their jobs, at one time. */
export interface Present {
  /** The versions that each process knows. */
  readonly info: readonly Sample[]
  readonly jobs: readonly string[]
  /** The targets of these jobs: 1 for those that are up. */
  readonly targets: readonly Sample[]
}

/** Asks for the processes at a time, which is now unless one is given. */
export async function presentIn(ask: Asker, queries: Queries, time?: number): Promise<Present> {
  const info = await ask.samples(queries.info, time)
  const jobs = [...new Set(info.map(jobOf))]
  return { info, jobs, targets: jobs.length === 0 ? [] : await ask.samples(queries.targets(jobs), time) }
}

/** Lists the sentences about processes of which nothing is known now. */
export function doubtsNow({ info, jobs, targets }: Present, queries: Queries): string[] {
  const telling = info.map(({ labels }) => targetOf(labels))
  return [
    ...jobs.flatMap((job) =>
      targets.some((target) => jobOf(target) === job)
        ? []
        : [`Prometheus has no target of job ${job}, so it does not know which processes are down.`],
    ),
    ...targets.flatMap(({ labels, value }) => {
      const target = targetOf(labels)
      if (value !== 1) return [`${processOf(target)} is down.`]
      return telling.some((process) => isPart(target, process)) ? [] : [lackingText(target, queries.name('info'))]
    }),
  ]
}

/** Says that a process has no series of a metric. */
export function lackingText(target: Target, name: string): string {
  return `${processOf(target)} has no series ${name}.`
}

/** Returns the job of a series. */
export function jobOf({ labels }: Pick<Sample, 'labels'>): string {
  return labels.job ?? ''
}

/** Names a process by its labels. */
export function processOf(target: Target): string {
  const { job = '', instance = '', ...others } = target
  const rest = Object.entries(others).map(([name, value]) => `${name} ${value}`)
  return `${instance} of job ${job}${rest.length === 0 ? '' : ` (${rest.join(', ')})`}`
}

/** Returns the key of a process. */
export function keyOf(target: Target): string {
  return JSON.stringify(target)
}

/** Tells whether all labels of a target are those of a process. A collector of OpenTelemetry adds some. */
export function isPart(target: Target, whole: Target): boolean {
  return Object.entries(target).every(([name, value]) => whole[name] === value)
}
