// The public API of metrics: `versionMetrics()` and its options.

import type { VersionListener } from '../middleware/version-events'
import type { VersioningOptions } from '../middleware/versioning-options'
import { isPathParameter } from '../schemes/carriers'
import { Surveyor } from '../survey/survey'
import { badOption, checkKeys } from '../util/options'
import { type ConsumerOf, consumerLabels, type KnownConsumers } from './consumers'
import { Counts } from './counting'
import {
  createInstruments,
  type OpenTelemetryMeter,
  type PrometheusModule,
  type PrometheusRegistry,
  registerMetrics,
} from './exporters'
import { familiesOf } from './families'

/** Options of {@link versionMetrics}: `prometheus` or `meter`, and what both take. */
export interface VersionMetricsOptions {
  /** The module `prom-client`. */
  prometheus?: PrometheusModule | undefined
  /** The registry of prom-client. Default: its global one. */
  register?: PrometheusRegistry | undefined
  /** A meter of OpenTelemetry, instead of `prometheus`. */
  meter?: OpenTelemetryMeter | undefined
  /** The start of the names. Default `api_version`. */
  prefix?: string | undefined
  /**
   * The function that tells who sent a request, such as `(req, res) => res.locals.account`. It is called when the response closes.
   * Nothing counts as empty. Needs `consumers`.
   */
  consumer?: ConsumerOf | undefined
  /** The known consumers, as a list or a function. Others count as `other`, so that clients choose no labels. */
  consumers?: KnownConsumers | undefined
  /** The number of consumers that are told apart where `consumers` is a function; the rest counts as `other`. Default 1000. */
  maxConsumers?: number | undefined
}

/** The metrics of one `versioning()`. */
export interface VersionMetrics {
  /** The listener for the option `onVersion` of `versioning()`. Your own listener may call it. */
  readonly onVersion: VersionListener
  /**
   * Counts a conversion by hand in the series of changes. `history.for({ ...options, metrics })` calls it.
   *
   * @param version the older version.
   * @param met the descriptions of the changes that met it.
   * @param consumer the consumer whose conversion it is; `undefined` for nobody.
   */
  onConversion(version: string, met: ReadonlySet<string>, consumer: string | undefined): void
}

const OWNER = 'versionMetrics()'

/**
 * Makes metrics of the requests by version, for prom-client or OpenTelemetry.
 *
 * @param options the same object as for `versioning()`, with `routes` and known versions.
 * @throws {TypeError} for options without `routes` or allowed versions, and for wrong or unknown options of its own.
 * @example const metrics = versionMetrics(options, { prometheus: client })
 *   app.use(versioning({ ...options, onVersion: metrics.onVersion }))
 */
export function versionMetrics(options: VersioningOptions, given: VersionMetricsOptions): VersionMetrics {
  checkKeys(OWNER, given, ['prometheus', 'register', 'meter', 'prefix', 'consumer', 'consumers', 'maxConsumers'])
  const { consumer, consumers, maxConsumers } = given
  const write = exporterOf(given)
  if ((consumer === undefined) !== (consumers === undefined)) {
    throw new TypeError(`${OWNER}: options "consumer" and "consumers" need each other: clients must not choose labels.`)
  }
  const whole = new Surveyor(OWNER, options, '/', 'all')
  const parameter = missingParameter(whole)
  const surveyor = parameter === undefined ? whole : new Surveyor(OWNER, options, `/:${parameter}`, 'all')
  const consumerOf = consumer === undefined ? undefined : consumerLabels(OWNER, consumer, consumers, maxConsumers)
  const counts = new Counts(surveyor, options.changes, consumerOf)
  write(familiesOf(surveyor, counts, options, consumerOf))
  return {
    onVersion: (event) => counts.note(event),
    onConversion(version, met, consumer) {
      counts.changes?.add(version, met, consumerOf === undefined ? [] : [consumerOf.labelOf(() => consumer)], 1)
    },
  }
}

/** Returns the function that hands metrics to prom-client or OpenTelemetry. */
function exporterOf({ prometheus, register, meter, prefix = 'api_version' }: VersionMetricsOptions) {
  if ((prometheus === undefined) === (meter === undefined)) {
    throw new TypeError(
      `${OWNER} takes either "prometheus", the module prom-client, or "meter", a meter of OpenTelemetry.`,
    )
  }
  if (typeof prefix !== 'string' || !/^[a-z]\w*$/i.test(prefix)) {
    throw badOption(OWNER, 'prefix', "the start of a metric's name, such as 'api_version'", prefix)
  }
  if (register !== undefined && (meter !== undefined || !has(register, 'registerMetric'))) {
    throw badOption(OWNER, 'register', 'a registry of prom-client, beside "prometheus"', register)
  }
  if (meter !== undefined) {
    if (has(meter, 'createObservableCounter', 'createObservableGauge')) {
      return (families: Parameters<typeof createInstruments>[2]) => createInstruments(meter, prefix, families)
    }
    throw badOption(OWNER, 'meter', 'a meter of OpenTelemetry', meter)
  }
  if (!has(prometheus, 'Counter', 'Gauge')) throw badOption(OWNER, 'prometheus', 'the module prom-client', prometheus)
  return (families: Parameters<typeof registerMetrics>[3]) =>
    registerMetrics(prometheus as PrometheusModule, register, prefix, families)
}

function has(value: unknown, ...functions: readonly string[]): boolean {
  const properties = value as Readonly<Record<string, unknown>> | null | undefined
  return functions.every((name) => typeof properties?.[name] === 'function')
}

/** Returns the path parameter of the version, if no route of the table has it: then the mount has it. */
function missingParameter({ options: { scheme }, routes }: Surveyor): string | undefined {
  const carriers = scheme.acceptedVersions.flatMap((version) => (version === null ? [] : scheme.carriers(version)))
  const parts = routes.facts().flatMap(({ paths }) => paths.flat())
  const isInRoutes = (name: string | undefined) => parts.some((part) => typeof part !== 'string' && part.name === name)
  return carriers.find((carrier) => isPathParameter(carrier) && !isInRoutes(carrier.name))?.name
}
