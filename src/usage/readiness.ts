// Whether all processes know a version: the gate of a rollout.
import { UsageError } from './client'
import { type PrometheusUsageOptions, responsesTo, settingsOf } from './prometheus-usage'
import { processOf } from './record'

/** The processes, and those that do not know a version, or of which nothing is known. */
export interface Readiness {
  readonly processes: number
  /** The processes that do not know the version. */
  readonly unknownTo: readonly string[]
  /** The sentences that say why it cannot be said. */
  readonly doubts: readonly string[]
}

/**
 * Makes a function that asks Prometheus whether all processes know a version.
 *
 * @returns a function whose promise rejects unless Prometheus gives whole responses in time.
 * @throws {TypeError} for wrong options.
 */
export function readinessFor(version: string, options: PrometheusUsageOptions): () => Promise<Readiness> {
  const { client, queries } = settingsOf(options)
  return async () => {
    const ask = client.asking()
    const jobs = (await ask(queries.jobs)).filter(({ value }) => value === 1)
    if (jobs.length === 0) throw new UsageError(`No process${queries.place} has the series ${queries.info} now.`)
    const names = jobs.map(({ labels: { job = '' } }) => job)
    const { known, targets } = await responsesTo({ known: queries.known, targets: queries.targets(names) }, ask)
    const telling = new Set(known.map(processOf))
    const knowing = new Set(known.filter(({ labels }) => labels.version === version).map(processOf))
    const isUp = (value: number) => value === 1
    const scraped = new Set(targets.map(({ labels: { job = '' } }) => job))
    return {
      processes: telling.size,
      unknownTo: [...telling].filter((process) => !knowing.has(process)),
      doubts: [
        ...targets.flatMap((target) => (isUp(target.value) ? [] : [`${processOf(target)} is down.`])),
        ...targets.flatMap((target) =>
          isUp(target.value) && !telling.has(processOf(target))
            ? [`${processOf(target)} has no series ${queries.info}.`]
            : [],
        ),
        ...names.flatMap((job) =>
          scraped.has(job)
            ? []
            : [`Prometheus has no target of job ${job}, so it does not know which processes are down.`],
        ),
      ],
    }
  }
}
