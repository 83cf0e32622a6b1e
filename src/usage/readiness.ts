// Whether all processes know a version: the gate of a rollout.
import { UsageError } from './client'
import { doubtsNow, keyOf, presentIn, processOf } from './present'
import { type PrometheusUsageOptions, settingsOf } from './prometheus-usage'
import { targetOf } from './queries'

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
    const present = await presentIn(client.asking(), queries)
    if (present.info.length === 0) {
      throw new UsageError(`No process${queries.place} has the series ${queries.name('info')} now.`)
    }
    const processes = new Map(present.info.map(({ labels }) => [keyOf(targetOf(labels)), targetOf(labels)]))
    const unknown = new Map(processes)
    for (const { labels } of present.info) if (labels.version === version) unknown.delete(keyOf(targetOf(labels)))
    return {
      processes: processes.size,
      unknownTo: [...unknown.values()].map(processOf),
      doubts: doubtsNow(present, queries),
    }
  }
}
