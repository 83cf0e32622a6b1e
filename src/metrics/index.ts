// The exports of `express-versioning/metrics`.
export type { VersionMetrics, VersionMetricsOptions } from './metrics'
export { versionMetrics } from './metrics'
export type { ObservableResult, OpenTelemetryMeter } from './opentelemetry'
export type { PrometheusModule, PrometheusRegistry } from './prometheus'
