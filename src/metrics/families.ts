// The metrics, whatever reads them: their names, labels and series.
import type { VersioningOptions } from '../middleware/versioning-options'
import type { Surveyor } from '../survey/survey'
import type { SurveyedVersion } from '../survey/versions'
import type { ConsumerLabels } from './consumers'
import type { ChangeCounts, Counts, Series } from './counting'

/** One metric. */
export interface Family {
  /** The name behind the prefix, without a unit. */
  readonly name: string
  readonly help: string
  readonly kind: 'counter' | 'gauge'
  /** The unit as OpenTelemetry writes it; `undefined` for none. */
  readonly unit: string | undefined
  readonly labels: readonly string[]
  /** The way in which the processes of a cluster make one gauge; the default is `max`. */
  readonly aggregator?: 'min'
  read(): Iterable<Series>
}

/** Lists the metrics of a `versioning()`. */
export function familiesOf(
  surveyor: Surveyor,
  counts: Counts,
  options: VersioningOptions,
  consumers: ConsumerLabels | undefined,
): Family[] {
  const versions = () => surveyor.survey.versions
  const consumer = consumers === undefined ? [] : ['consumer']
  // When metrics are made, so that nothing has been counted before.
  const since = Date.now() / 1000
  return [
    counter('requests', 'Requests by API version, counted when the response closes.', REQUEST_LABELS, () => {
      counts.begin()
      return counts.requests.series
    }),
    ...(consumers === undefined ? [] : familiesOfConsumers(counts)),
    lastRequest(
      'last_request_timestamp',
      'The time of the last request that was decided as the API version; now, while a response is open.',
      ['version', 'named', ...consumer],
      () => counts.lastRequests(),
    ),
    ...(counts.changes === undefined ? [] : familiesOfChanges(counts, counts.changes, consumer)),
    {
      name: 'counting_since_timestamp',
      help: 'The time when this process began to count.',
      kind: 'gauge',
      unit: 's',
      labels: [],
      // A cluster counts since its first worker.
      aggregator: 'min',
      read: () => [{ labels: {}, value: since }],
    },
    {
      name: 'consumers_info',
      help: 'Where consumers are known from, and whether there were too many to tell apart: 1.',
      kind: 'gauge',
      unit: undefined,
      labels: ['source', 'limited'],
      read: () => [
        { labels: { source: consumers?.source ?? 'none', limited: String(consumers?.isLimited() ?? false) }, value: 1 },
      ],
    },
    {
      name: 'date_timestamp',
      help: 'The dates of the API version.',
      kind: 'gauge',
      unit: 's',
      labels: ['version', 'date'],
      read: () => versions().flatMap((version) => datesOf(version, counts.extended.get(version.version))),
    },
    {
      name: 'info',
      help: 'The state of the API version: 1.',
      kind: 'gauge',
      unit: undefined,
      labels: ['version', 'state'],
      read: () =>
        versions().map((version) => ({
          labels: { version: version.version, state: stateOf(version, options) },
          value: 1,
        })),
    },
  ]
}

const REQUEST_LABELS = ['version', 'named', 'route', 'method', 'status', 'code']

function familiesOfConsumers({ byConsumer, operations, errors }: Counts): Family[] {
  return [
    counter(
      'consumer_requests',
      'The same requests by API version and consumer.',
      ['version', 'named', 'consumer'],
      () => byConsumer.series,
    ),
    counter(
      'consumer_operation_requests',
      'The same requests by API version, consumer and operation.',
      ['version', 'consumer', 'route', 'method'],
      () => operations.series,
    ),
    counter(
      'consumer_errors',
      'The responses from status 400 on, by API version and consumer.',
      ['version', 'consumer', 'status', 'code'],
      () => errors.series,
    ),
  ]
}

/** @param consumer the label of consumers; none without the option. */
function familiesOfChanges(counts: Counts, changes: ChangeCounts, consumer: readonly string[]): Family[] {
  const labels = ['version', 'change']
  const byConsumer = counter(
    'change_consumer_requests',
    'The same requests by change and consumer.',
    [...labels, ...consumer],
    () => changes.byConsumer.series,
  )
  return [
    counter(
      'change_requests',
      'Requests that a change after their API version met.',
      labels,
      () => changes.requests.series,
    ),
    ...(consumer.length > 0 ? [byConsumer] : []),
    lastRequest(
      'change_last_request_timestamp',
      'The time of the last request that the change met; now, while a response is open.',
      [...labels, ...consumer],
      () => counts.lastChanges(changes),
    ),
  ]
}

function counter(name: string, help: string, labels: readonly string[], read: Family['read']): Family {
  return { name, help, kind: 'counter', unit: '{request}', labels, read }
}

function lastRequest(name: string, help: string, labels: readonly string[], read: Family['read']): Family {
  return { name, help, kind: 'gauge', unit: 's', labels, read }
}

function datesOf({ version, deprecated, sunset }: SurveyedVersion, extended: number | undefined): Series[] {
  return Object.entries({ deprecated, sunset, extended }).flatMap(([date, instant]) =>
    instant === undefined ? [] : [{ labels: { version, date }, value: instant / 1000 }],
  )
}

function stateOf({ version, isGone, isDeprecated }: SurveyedVersion, { lifecycle }: VersioningOptions): string {
  if (isGone) return 'gone'
  const plan: { readonly preview?: unknown } = Object(lifecycle?.[version])
  if (plan.preview === true) return 'preview'
  return isDeprecated ? 'deprecated' : 'served'
}
