// The counts of changes: which changes of the history met the requests of each version.
import type { Request } from 'express'
import type { VersionChanges } from '../bound-changes'
import { peekState, type RequestState } from '../request/state'
import { type Series, Tally } from './tally'

/** The counts of requests by the changes that met them. The labels are those of the history, so clients begin no series. */
export class ChangeCounts {
  readonly requests = new Tally('version', 'change')
  readonly byConsumer = new Tally('version', 'change', 'consumer')
  readonly lastRequests: Tally
  /** The series of each version, by the descriptions of the changes after it. */
  readonly #after = new Map<string, ReadonlyMap<string, Series>>()

  /**
   * Begins the series of each version and each change after it at 0. Prometheus sees no increase in a series that begins with its
   * first request.
   *
   * @param accepted the versions of requests.
   */
  constructor(history: VersionChanges, accepted: ReadonlySet<unknown>, hasConsumers: boolean) {
    this.lastRequests = new Tally('version', 'change', ...(hasConsumers ? ['consumer'] : []))
    const versions = history.list()
    const twice = new Set<string>()
    for (const [index, { version }] of versions.entries()) {
      if (!accepted.has(version)) continue
      const changes = versions.slice(index + 1).flatMap(({ changes }) => changes)
      const series = changes.map(({ description }) => [description, this.requests.at(version, description)] as const)
      if (series.length > 0) this.#after.set(version, new Map(series))
      const once = new Set<string>()
      for (const [description] of series) (once.has(description) ? twice : once).add(description)
    }
    if (twice.size > 0) warnOfTwice(twice)
  }

  /** Lets the conversion of a request note the changes that meet it. */
  watch(request: Request, version: string): void {
    if (!this.#after.has(version)) return
    const state = peekState(request) as RequestState
    state.changes?.noteMet(state)
  }

  /**
   * Notes that the changes that met a request so far meet one now.
   *
   * @param consumer the label of its consumer; none without the option.
   * @param by 1 for a request that is over and counts, 0 for one that is open.
   */
  use(request: Request, version: string, consumer: readonly string[], by: 0 | 1): void {
    this.add(version, peekState(request)?.exchange?.met, consumer, by)
  }

  /** Adds to the series of changes, as {@link use} does. */
  add(version: string, met: ReadonlySet<string> | undefined, consumer: readonly string[], by: 0 | 1): void {
    const known = this.#after.get(version)
    if (met === undefined || known === undefined) return
    for (const description of met) {
      const series = known.get(description)
      // Another versioning() may have converted the request, by a history of its own.
      if (series === undefined) continue
      series.value += by
      if (consumer.length > 0) this.byConsumer.at(version, description, ...consumer).value += by
      this.lastRequests.at(version, description, ...consumer).value = Date.now() / 1000
    }
  }
}

/** Warns of changes with one description: they have one label, and so one series. */
function warnOfTwice(descriptions: ReadonlySet<string>): void {
  const list = [...descriptions].map((description) => JSON.stringify(description)).join(', ')
  process.emitWarning(
    `versionMetrics(): several changes have the same description, so they are counted as one: ${list}. Give each its own description.`,
    { code: 'EXPRESS_VERSIONING_METRICS' },
  )
}
