// The metrics for prom-client and for OpenTelemetry.

import type { Labels } from './counting'
import type { Family } from './families'

/** The receiver of observed values. */
export interface ObservableResult {
  /** Takes a value with its attributes. */
  observe(value: number, attributes: Labels): void
}

/** The options of an instrument. */
interface InstrumentOptions {
  description: string
  unit?: string
}

/** An instrument that is read when metrics are collected. */
interface Observable {
  /** Adds a function that observes the values. */
  addCallback(callback: (result: ObservableResult) => void): void
}

/** The parts of an OpenTelemetry meter that are used. */
export interface OpenTelemetryMeter {
  /** Makes a counter. */
  createObservableCounter(name: string, options: InstrumentOptions): Observable
  /** Makes a gauge. */
  createObservableGauge(name: string, options: InstrumentOptions): Observable
}

/** Makes the instruments of metrics, which read their series when they are collected. */
export function createInstruments(meter: OpenTelemetryMeter, prefix: string, families: readonly Family[]): void {
  for (const { name, help, kind, unit, read } of families) {
    const options = { description: help, ...(unit === undefined ? {} : { unit }) }
    const full = `${prefix}_${name}`
    const instrument =
      kind === 'counter' ? meter.createObservableCounter(full, options) : meter.createObservableGauge(full, options)
    instrument.addCallback((result) => {
      for (const { labels, value } of read()) result.observe(value, labels)
    })
  }
}

/** The configuration of a metric of prom-client. */
interface MetricConfiguration {
  name: string
  help: string
  labelNames: string[]
  registers?: never[]
  aggregator?: 'max' | 'min'
  collect: () => void
}

/** The parts of the module `prom-client` that are used. */
export interface PrometheusModule {
  /** The class of counters. */
  readonly Counter: new (
    configuration: MetricConfiguration,
  ) => { reset(): void; inc(labels: Labels, value: number): void }
  /** The class of gauges. */
  readonly Gauge: new (
    configuration: MetricConfiguration,
  ) => { reset(): void; set(labels: Labels, value: number): void }
}

/** The parts of a registry of prom-client that are used. */
export interface PrometheusRegistry {
  /** Adds a metric. */
  registerMetric(metric: never): void
}

/** The units at the end of names. */
const SUFFIXES: Readonly<Record<string, string>> = { counter: '_total', s: '_seconds' }

/** Registers metrics, which read their series when they are collected. */
export function registerMetrics(
  { Counter, Gauge }: PrometheusModule,
  register: PrometheusRegistry | undefined,
  prefix: string,
  families: readonly Family[],
): void {
  for (const { name, help, kind, unit, labels, read, aggregator = 'max' } of families) {
    const common = {
      name: `${prefix}_${name}${SUFFIXES[kind] ?? SUFFIXES[unit ?? ''] ?? ''}`,
      help,
      labelNames: [...labels],
      ...(register === undefined ? {} : { registers: [register] as never[] }),
    }
    if (kind === 'counter') {
      const collect = () => {
        counter.reset()
        for (const { labels, value } of read()) counter.inc(labels, value)
      }
      const counter = new Counter({ ...common, collect })
    } else {
      const collect = () => {
        gauge.reset()
        for (const { labels, value } of read()) gauge.set(labels, value)
      }
      // The sum of the processes of a cluster would be no time.
      const gauge = new Gauge({ ...common, aggregator, collect })
    }
  }
}
