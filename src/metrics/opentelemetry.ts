// The metrics for OpenTelemetry.
import type { Family } from './families'
import type { Labels } from './tally'

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
