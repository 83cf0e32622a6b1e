// The use of each version, from the responses about requests.
import { changesAfter } from './changes'
import type { Sample } from './client'
import { type RequestResponses, sumOf, timeOf, totalOf, type Values } from './counts'
import { processOf } from './present'
import { type Spans, targetOf } from './queries'
import type { ConsumerUsage, ErrorUsage, OperationUsage, VersionUsage } from './usage-types'

/** Returns the counts of requests that use a version: no rejected ones of paths without a named route. */
function usedIn(counts: Values): readonly Sample[] {
  return counts('requests_total').filter(({ labels }) => labels.route !== 'other' || labels.status !== '4xx')
}

/**
 * Lists the versions in the responses with their use.
 *
 * @param now in seconds since 1970.
 */
export function versionsIn(responses: RequestResponses, spans: Spans, now: number): VersionUsage[] {
  const all = [responses.info, responses.counts('requests_total'), responses.gauges('last_request_timestamp')].flat()
  const names = new Set(all.map(({ labels: { version = '' } }) => version))
  // The first has requests that were decided as no version, the second is that of the overflow of OpenTelemetry.
  const found = [...names].filter((name) => name !== 'none' && name !== '')
  const order = new Intl.Collator('en', { numeric: true })
  const versions = found.sort(order.compare).map((version) => useOf(version, responses, spans, now))
  const sum = totalOf(versions)
  return versions.map((version) => ({ ...version, share: sum === 0 ? 0 : version.requests / sum }))
}

function useOf(version: string, responses: RequestResponses, spans: Spans, now: number): VersionUsage {
  const of = (samples: readonly Sample[]) => samples.filter(({ labels }) => labels.version === version)
  const requests = of(usedIn(responses.counts))
  const last = of(responses.gauges('last_request_timestamp'))
  const latest = last.reduce((latest, { value }) => Math.max(latest, value), 0)
  const hasGauge = responses.gauges('last_request_timestamp').length > 0
  const current = last.filter(({ value }) => value > now - spans.days)
  const [named, defaulted] = ['true', 'false'].map((named) => {
    const isNamed = ({ labels }: Sample) => labels.named === named
    const latest = last.filter(isNamed).reduce((latest, { value }) => Math.max(latest, value), 0)
    // The gauge tells whether requests are from before the days. Where no version has it, nobody knows, and the record says so.
    if (responses.counts.isVague && (latest > 0 ? latest <= now - spans.days : !hasGauge)) return 0
    // A counter may miss a request that a gauge has.
    return Math.max(sumOf(requests.filter(isNamed)), current.filter(isNamed).length)
  }) as [number, number]
  const consumers = consumersIn(current, of(responses.counts('consumer_requests_total')), {
    true: named,
    false: defaulted,
  })
  const { changes, partlyCounted, metBy } = changesAfter(version, responses, spans, now)
  const [week, before] = [responses.lastWeek, responses.weekBefore].map((counts) => sumOf(of(usedIn(counts)))) as [
    number,
    number,
  ]
  const nameOf = ({ labels }: Sample) => processOf(targetOf(labels))
  const knowing = new Set(of(responses.info).map(nameOf))
  const unknownTo = new Set(responses.info.map(nameOf).filter((process) => !knowing.has(process)))
  const operations = of(responses.counts('consumer_operation_requests_total'))
  const errors = of(responses.counts('consumer_errors_total'))
  return {
    version,
    requests: named + defaulted,
    share: 0,
    named,
    defaulted,
    change: before === 0 ? null : (week - before) / before,
    lastRequest: latest === 0 ? null : timeOf(latest),
    consumers: consumers.map((one) => {
      const own = (samples: readonly Sample[]) =>
        samples.filter(({ labels }) => (labels.consumer ?? '') === one.consumer)
      return {
        ...one,
        changes: metBy(one.consumer),
        operations: operationsIn(own(operations)),
        errors: errorsIn(own(errors)),
      }
    }),
    operations: operationsIn(requests),
    changes,
    partlyCounted,
    unknownTo: [...unknownTo],
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
): Omit<ConsumerUsage, 'changes' | 'operations' | 'errors'>[] {
  if (counts.length === 0) return []
  const consumers = (['true', 'false'] as const).flatMap((named) => {
    const found = lastRequests
      .filter(({ labels }) => labels.named === named)
      .map(({ labels: { consumer = '' }, value }) => {
        const own = counts.filter(({ labels }) => (labels.consumer ?? '') === consumer && labels.named === named)
        return { consumer, named: named === 'true', lastRequest: timeOf(value), requests: Math.max(1, sumOf(own)) }
      })
    // The series of consumers may be dropped where those of routes are not.
    const lost = totals[named] - totalOf(found)
    if (lost <= 0 || found.length === 0) return found
    const heir = found.find(({ consumer }) => consumer === '')
    if (heir !== undefined) return found.map((one) => (one === heir ? { ...one, requests: one.requests + lost } : one))
    const lastRequest = timeOf(Math.max(...found.map(({ lastRequest }) => lastRequest.getTime() / 1000)))
    return [...found, { consumer: '', named: named === 'true', lastRequest, requests: lost }]
  })
  return consumers.sort((a, b) => b.lastRequest.getTime() - a.lastRequest.getTime())
}

/** Lists the errors, most first. */
function errorsIn(counts: readonly Sample[]): ErrorUsage[] {
  return counts
    .map(({ labels: { status, code = '' }, value }) => ({
      status: status as string,
      code,
      requests: Math.round(value),
    }))
    .filter(({ requests }) => requests > 0)
    .sort((a, b) => b.requests - a.requests)
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
