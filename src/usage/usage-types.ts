// The result: who uses which version.

/** The use of each version in the last days. */
export interface Usage {
  /** The number of days. */
  readonly days: number
  /** The end of these days, by the clock of the source; without it, now. */
  readonly until?: Date | undefined
  /** `true` if the record covers the days, and every process. Otherwise "no request" says little: see `missing`. */
  readonly complete: boolean
  /** The beginning of the record in these days; `null` without a record. */
  readonly since: Date | null
  /** The number of processes in the record. Those that Prometheus does not know are not counted. */
  readonly processes?: number | undefined
  /** The sentences that say what is missing in the record; `[]` for a complete one. */
  readonly missing?: readonly string[] | undefined
  /** The consumers that the record has, also those without a request in these days. */
  readonly consumers?: readonly string[] | undefined
  /** `true` if there were more consumers than are told apart: the rest counts as `other`. */
  readonly isLimited?: boolean | undefined
  /** The versions in the record. */
  readonly versions: readonly VersionUsage[]
}

/** The use of one version. */
export interface VersionUsage {
  /** The version. */
  readonly version: string
  /**
   * The number of requests that were decided as the version, without those of paths that no named route has and that were
   * rejected (4xx).
   */
  readonly requests: number
  /** The part of the requests of all versions, 0 to 1. */
  readonly share: number
  /** The number of requests that named the version. */
  readonly named: number
  /** The number of requests that got it as the default. */
  readonly defaulted: number
  /** The change from the week before to the last one: 0.5 for a half more; `null` if the week before had no requests. */
  readonly change: number | null
  /** The time of the last request, also of one before these days; `null` if none is known. */
  readonly lastRequest: Date | null
  /** The consumers of these days, the latest first; `[]` if metrics have no consumers. */
  readonly consumers: readonly ConsumerUsage[]
  /** The operations with requests, most first. */
  readonly operations: readonly OperationUsage[]
  /** The changes after the version, the one with most requests first; `[]` if they are not counted. */
  readonly changes?: readonly ChangeUsage[] | undefined
  /** The changes that were counted in a part of these days only: some processes did not know them yet. */
  readonly partlyCounted?: readonly string[] | undefined
  /** The processes that run now and do not know the version. */
  readonly unknownTo?: readonly string[] | undefined
}

/** The requests of a consumer in a version. */
export interface ConsumerUsage {
  /** The consumer; `''` for requests without one, and for those whose consumer the record lost. */
  readonly consumer: string
  /** `true` for requests that named the version, `false` for those that got it as the default. */
  readonly named: boolean
  /** The time of the last request. */
  readonly lastRequest: Date
  /** The number of requests; at least 1. */
  readonly requests: number
  /** The changes that met requests of the consumer in the version, whether they named it or not. */
  readonly changes?: readonly MetChange[] | undefined
  /** The operations that the consumer asked for in the version, whether it named it or not; most first. */
  readonly operations?: readonly OperationUsage[] | undefined
  /** The errors that it got in the version; most first. */
  readonly errors?: readonly ErrorUsage[] | undefined
}

/** The responses of a kind from status 400 on. */
export interface ErrorUsage {
  /** The class of the status: `4xx` or `5xx`. */
  readonly status: string
  /** The code of an error of this package; `''` for others. */
  readonly code: string
  /** The number of responses. */
  readonly requests: number
}

/** The requests of a version that a later change met. */
export interface MetChange {
  /** The description of the change. */
  readonly change: string
  /** The number of requests. */
  readonly requests: number
  /** The time of the last request, also of one before these days; `null` if none is known. */
  readonly lastRequest: Date | null
}

/** The requests of a version that a later change met, and their consumers. */
export interface ChangeUsage extends MetChange {
  /** The consumers of these days, the latest first; `[]` if metrics have no consumers. */
  readonly consumers: readonly ConsumerOfChange[]
}

/** The requests of a consumer that a change met. */
export interface ConsumerOfChange extends Omit<MetChange, 'change'> {
  /** The consumer; `''` for requests without one. */
  readonly consumer: string
}

/** The requests of an operation in a version. */
export interface OperationUsage {
  /** The view name; `other` for paths without a named route. */
  readonly route: string
  /** The method. */
  readonly method: string
  /** The number of requests. */
  readonly requests: number
}

/** A source of usage, such as the result of `prometheusUsage()`. */
export interface UsageSource {
  /** Asks for the usage of the last days. */
  (): Promise<Usage>
  /** The longest time that a response takes, in milliseconds. */
  readonly timeout?: number | undefined
}
