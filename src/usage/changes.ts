// The changes that met the requests of a version, from the responses about changes.
import type { Sample } from './client'
import { type RequestResponses, sumOf, timeOf, totalOf } from './counts'
import type { Spans } from './queries'
import type { ChangeUsage, ConsumerOfChange, MetChange } from './usage-types'

/** The changes after one version. */
interface ChangesOfVersion {
  /** The changes, the one with most requests first. */
  readonly changes: ChangeUsage[]
  /** The changes that were counted in a part of the days only. */
  readonly partlyCounted: string[]
  /** Lists the changes that met requests of a consumer. */
  metBy(consumer: string): MetChange[]
}

/**
 * Lists the changes after a version with the requests that they met.
 *
 * @param now in seconds since 1970.
 */
export function changesAfter(
  version: string,
  responses: RequestResponses,
  spans: Spans,
  now: number,
): ChangesOfVersion {
  const of = (samples: readonly Sample[]) => samples.filter(({ labels }) => labels.version === version)
  const [all, byConsumer] = ['change_requests_total', 'change_consumer_requests_total'].map((name) =>
    of(responses.counts(name)),
  ) as [Sample[], Sample[]]
  const [last, counted] = [of(responses.gauges('change_last_request_timestamp')), of(responses.countedChanges)]
  const start = now - spans.days
  const { isVague } = responses.counts
  const names = new Set([...all, ...byConsumer, ...last].map(nameOf))
  // The one without a name is the overflow of OpenTelemetry.
  names.delete('')
  const changes = [...names].map((change): ChangeUsage => {
    const own = (samples: readonly Sample[]) => samples.filter((sample) => nameOf(sample) === change)
    const consumers = consumersIn(own(byConsumer), own(last), start, isVague)
    const whole = useIn(own(all), own(last), start, isVague)
    const requests = totalOf(consumers)
    return { change, ...whole, requests: Math.max(whole.requests, requests), consumers }
  })
  // Processes have the series of all changes of their history, from their start.
  const part = (change: string) => counted.find((sample) => nameOf(sample) === change)?.value ?? 0
  return {
    changes: changes.sort((a, b) => b.requests - a.requests),
    partlyCounted: [...names].filter((change) => (1 - part(change)) * spans.days > spans.hole + spans.step),
    metBy: (wanted) =>
      changes.flatMap(({ change, consumers }) =>
        consumers.flatMap(({ consumer, ...met }) => (consumer === wanted ? { change, ...met } : [])),
      ),
  }
}

function nameOf({ labels: { change = '' } }: Sample): string {
  return change
}

/** Returns the requests in the days, and the time of the last one. A counter may miss a request that a gauge has. */
function useIn(
  counts: readonly Sample[],
  last: readonly Sample[],
  start: number,
  isVague: boolean,
): Omit<MetChange, 'change'> {
  const latest = last.reduce((latest, { value }) => Math.max(latest, value), 0)
  return {
    // The gauge tells whether requests are from before the days.
    requests: isVague && latest > 0 && latest <= start ? 0 : Math.max(sumOf(counts), latest > start ? 1 : 0),
    lastRequest: latest === 0 ? null : timeOf(latest),
  }
}

/** Lists the consumers of a change, the latest first; none if metrics have no consumers. */
function consumersIn(
  counts: readonly Sample[],
  last: readonly Sample[],
  start: number,
  isVague: boolean,
): ConsumerOfChange[] {
  if (counts.length === 0 && last.every(({ labels }) => labels.consumer === undefined)) return []
  const consumerOf = ({ labels: { consumer = '' } }: Sample) => consumer
  const names = new Set([...counts, ...last].map(consumerOf))
  const consumers = [...names].map((consumer) => {
    const own = (samples: readonly Sample[]) => samples.filter((sample) => consumerOf(sample) === consumer)
    return { consumer, ...useIn(own(counts), own(last), start, isVague) }
  })
  return consumers.filter(({ requests }) => requests > 0).sort((a, b) => Number(b.lastRequest) - Number(a.lastRequest))
}
