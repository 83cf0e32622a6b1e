// The exports of `express-versioning/usage`.
export type { ConsumerUsage, OperationUsage, Usage, UsageSource, VersionUsage } from './model'
export type { PrometheusUsageOptions } from './usage'
export { prometheusUsage } from './usage'
