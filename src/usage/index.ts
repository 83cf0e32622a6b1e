// The exports of `express-versioning/usage`.

export type { PrometheusUsageOptions } from './prometheus-usage'
export { prometheusUsage } from './prometheus-usage'
export type {
  ChangeUsage,
  ConsumerOfChange,
  ConsumerUsage,
  ErrorUsage,
  MetChange,
  OperationUsage,
  Usage,
  UsageSource,
  VersionUsage,
} from './usage-types'
