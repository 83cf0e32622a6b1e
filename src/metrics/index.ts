// The exports of `express-versioning/metrics`.

export type { ObservableResult, OpenTelemetryMeter, PrometheusModule, PrometheusRegistry } from './exporters'
export type { VersionMetrics, VersionMetricsOptions } from './metrics'
export { versionMetrics } from './metrics'
