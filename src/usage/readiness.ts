// Whether all processes know a version: the gate of a rollout.
import { UsageError } from './client'
import { keyOf, processOf } from './lives'
import { type PrometheusUsageOptions, settingsOf } from './prometheus-usage'
import { targetOf } from './queries'
import { isPart } from './record'

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
    const info = await ask.samples(queries.info)
    if (info.length === 0) {
      throw new UsageError(`No process${queries.place} has the series ${queries.name('info')} now.`)
    }
    const telling = new Map(info.map(({ labels }) => [keyOf(targetOf(labels)), targetOf(labels)]))
    const knowing = new Set(info.flatMap(({ labels }) => (labels.version === version ? [keyOf(targetOf(labels))] : [])))
    const jobs = [...new Set(info.map(({ labels: { job = '' } }) => job))]
    const targets = (await ask.samples(queries.targets(jobs))).map(({ labels, value }) => ({
      target: targetOf(labels),
      isUp: value === 1,
    }))
    return {
      processes: telling.size,
      unknownTo: [...telling].flatMap(([key, target]) => (knowing.has(key) ? [] : [processOf(target)])),
      doubts: [
        ...targets.flatMap(({ target, isUp }) => {
          if (!isUp) return [`${processOf(target)} is down.`]
          const isTelling = [...telling.values()].some((process) => isPart(target, process))
          return isTelling ? [] : [`${processOf(target)} has no series ${queries.name('info')}.`]
        }),
        ...jobs.flatMap((job) =>
          targets.some(({ target }) => (target.job ?? '') === job)
            ? []
            : [`Prometheus has no target of job ${job}, so it does not know which processes are down.`],
        ),
      ],
    }
  }
}
