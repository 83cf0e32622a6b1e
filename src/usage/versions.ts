// The use of each version, from the responses about requests.
import { type ChangeResponses, changesAfter } from './changes'
import type { Sample } from './client'
import type { ConsumerUsage, OperationUsage, VersionUsage } from './model'
import type { Spans } from './queries'
import { processOf } from './record'
import { sumOf, timeOf } from './samples'

/** The responses about requests. */
interface RequestResponses extends ChangeResponses {
  readonly requests: readonly Sample[]
  readonly consumers: readonly Sample[]
  readonly lastRequests: readonly Sample[]
  readonly lastWeek: readonly Sample[]
  readonly weekBefore: readonly Sample[]
  readonly targets: readonly Sample[]
  readonly known: readonly Sample[]
}

/**
 * Lists the versions in the responses with their use.
 *
 * @param now in seconds since 1970.
 */
export function versionsIn(responses: RequestResponses, spans: Spans, now: number): VersionUsage[] {
  const { known, requests, lastRequests } = responses
  const names = new Set([...known, ...requests, ...lastRequests].map(({ labels: { version = '' } }) => version))
  // The first has requests that were decided as no version, the second is that of the overflow of OpenTelemetry.
  const found = [...names].filter((name) => name !== 'none' && name !== '')
  const order = new Intl.Collator('en', { numeric: true })
  const versions = found.sort(order.compare).map((version) => useOf(version, responses, spans, now))
  const all = versions.reduce((sum, { requests }) => sum + requests, 0)
  return versions.map((version) => ({ ...version, share: all === 0 ? 0 : version.requests / all }))
}

function useOf(version: string, responses: RequestResponses, spans: Spans, now: number): VersionUsage {
  const of = (samples: readonly Sample[]) => samples.filter(({ labels }) => labels.version === version)
  const requests = of(responses.requests)
  const last = of(responses.lastRequests)
  const latest = last.reduce((latest, { value }) => Math.max(latest, value), 0)
  const current = last.filter(({ value }) => value > now - spans.days)
  const [named, defaulted] = ['true', 'false'].map((named) => {
    const isNamed = ({ labels }: Sample) => labels.named === named
    // A counter may miss a request that a gauge has.
    return Math.max(sumOf(requests.filter(isNamed)), current.filter(isNamed).length)
  }) as [number, number]
  const consumers = consumersIn(current, of(responses.consumers), { true: named, false: defaulted })
  const { changes, partlyCounted, metBy } = changesAfter(version, responses, spans, now)
  const before = sumOf(of(responses.weekBefore))
  const live = responses.targets.filter(({ value }) => value === 1).map(processOf)
  const knowing = new Set(of(responses.known).map(processOf))
  return {
    version,
    requests: named + defaulted,
    share: 0,
    named,
    defaulted,
    change: before === 0 ? null : (sumOf(of(responses.lastWeek)) - before) / before,
    lastRequest: latest === 0 ? null : timeOf(latest),
    consumers: consumers.map((one) => ({ ...one, changes: metBy(one.consumer) })),
    operations: operationsIn(requests),
    changes,
    partlyCounted,
    unknownTo: live.filter((process) => !knowing.has(process)),
  }
}

/**
 * Lists the consumers, the latest first; none if metrics have no consumers.
 *
 * @param totals the requests that named the version, and that got it as the default.
 */
function consumersIn(
  lastRequests: readonly Sample[],
  counts: readonly Sample[],
  totals: Readonly<Record<'true' | 'false', number>>,
): Omit<ConsumerUsage, 'changes'>[] {
  if (counts.length === 0) return []
  const consumers = (['true', 'false'] as const).flatMap((named) => {
    const found = lastRequests
      .filter(({ labels }) => labels.named === named)
      .map(({ labels: { consumer = '' }, value }) => {
        const own = counts.filter(({ labels }) => (labels.consumer ?? '') === consumer && labels.named === named)
        return { consumer, named: named === 'true', lastRequest: timeOf(value), requests: Math.max(1, sumOf(own)) }
      })
    // A series of a consumer begins with a request. So a restart may hide some, which the series of routes have.
    const lost = totals[named] - found.reduce((sum, { requests }) => sum + requests, 0)
    if (lost <= 0 || found.length === 0) return found
    const heir = found.length === 1 ? found[0] : found.find(({ consumer }) => consumer === '')
    if (heir !== undefined) return found.map((one) => (one === heir ? { ...one, requests: one.requests + lost } : one))
    const lastRequest = timeOf(Math.max(...found.map(({ lastRequest }) => lastRequest.getTime() / 1000)))
    return [...found, { consumer: '', named: named === 'true', lastRequest, requests: lost }]
  })
  return consumers.sort((a, b) => b.lastRequest.getTime() - a.lastRequest.getTime())
}

/** Lists the operations with requests, most first. */
function operationsIn(requests: readonly Sample[]): OperationUsage[] {
  const found = new Map<string, OperationUsage>()
  for (const { labels, value } of requests) {
    const { route = '', method = '' } = labels
    const key = `${method} ${route}`
    found.set(key, { route, method, requests: (found.get(key)?.requests ?? 0) + value })
  }
  const rounded = [...found.values()].map((operation) => ({ ...operation, requests: Math.round(operation.requests) }))
  return rounded.filter(({ requests }) => requests > 0).sort((a, b) => b.requests - a.requests)
}
