// The metrics, whatever reads them: their names, labels and series.
import type { VersioningOptions } from '../middleware/options'
import type { Surveyor } from '../survey/survey'
import type { SurveyedVersion } from '../survey/versions'
import type { ChangeCounts } from './changes'
import type { Counts } from './counting'
import type { Series } from './tally'

/** One metric. */
export interface Family {
  /** The name behind the prefix, without a unit. */
  readonly name: string
  readonly help: string
  readonly kind: 'counter' | 'gauge'
  /** The unit as OpenTelemetry writes it; `undefined` for none. */
  readonly unit: string | undefined
  readonly labels: readonly string[]
  read(): Iterable<Series>
}

/** Lists the metrics of a `versioning()`. */
export function familiesOf(
  surveyor: Surveyor,
  counts: Counts,
  options: VersioningOptions,
  byConsumer: boolean,
): Family[] {
  const versions = () => surveyor.survey.versions
  const consumer = byConsumer ? ['consumer'] : []
  const requests: Family = {
    name: 'requests',
    help: 'Requests by API version, counted when the response closes.',
    kind: 'counter',
    unit: '{request}',
    labels: ['version', 'named', 'route', 'method', 'status', 'code'],
    read: () => {
      counts.begin()
      return counts.requests.series
    },
  }
  const requestsByConsumer: Family = {
    name: 'consumer_requests',
    help: 'The same requests by API version and consumer.',
    kind: 'counter',
    unit: '{request}',
    labels: ['version', 'named', 'consumer'],
    read: () => counts.byConsumer.series,
  }
  return [
    requests,
    ...(byConsumer ? [requestsByConsumer] : []),
    {
      name: 'last_request_timestamp',
      help: 'The time of the last request that was decided as the API version; now, while a response is open.',
      kind: 'gauge',
      unit: 's',
      labels: ['version', 'named', ...consumer],
      read: () => counts.lastRequests(),
    },
    ...(counts.changes === undefined ? [] : familiesOfChanges(counts, counts.changes, byConsumer)),
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

function familiesOfChanges(counts: Counts, changes: ChangeCounts, byConsumer: boolean): Family[] {
  const requests: Family = {
    name: 'change_requests',
    help: 'Requests that a change after their API version met.',
    kind: 'counter',
    unit: '{request}',
    labels: ['version', 'change'],
    read: () => changes.requests.series,
  }
  const requestsByConsumer: Family = {
    name: 'change_consumer_requests',
    help: 'The same requests by change and consumer.',
    kind: 'counter',
    unit: '{request}',
    labels: ['version', 'change', 'consumer'],
    read: () => changes.byConsumer.series,
  }
  const lastRequest: Family = {
    name: 'change_last_request_timestamp',
    help: 'The time of the last request that the change met; now, while a response is open.',
    kind: 'gauge',
    unit: 's',
    labels: ['version', 'change', ...(byConsumer ? ['consumer'] : [])],
    read: () => counts.lastChanges(changes),
  }
  return [requests, ...(byConsumer ? [requestsByConsumer] : []), lastRequest]
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
