// The questions to Prometheus.

/** The lengths of time of the questions, in seconds. */
export interface Spans {
  readonly days: number
  /** The distance of the moments at which the record is looked at. */
  readonly step: number
  /** The longest time without a sample that is no gap. */
  readonly gap: number
  /** The longest time that a process may miss. */
  readonly limit: number
}

const HOUR = 3600

/** Returns the lengths of time for a number of days. A short time allows for short gaps only. */
export function spansOf(days: number): Spans {
  const seconds = days * 24 * HOUR
  const limit = Math.min(HOUR, seconds / 24)
  return {
    days: seconds,
    step: Math.max(1, Math.min(HOUR / 4, Math.ceil(seconds / 2000))),
    gap: Math.max(HOUR / 12, limit),
    limit,
  }
}

/** Writes a length of time, in seconds, as PromQL does. */
function range(seconds: number): string {
  return `${Math.round(seconds * 1000)}ms`
}

/** The labels of a process beside those of Prometheus. */
const PROCESS = 'job, instance'

/** The questions about the metrics with a prefix, in the last days. */
export class Queries {
  readonly #prefix: string
  readonly #spans: Spans
  readonly #all: string

  constructor(prefix: string, spans: Spans) {
    this.#prefix = prefix
    this.#spans = spans
    this.#all = range(spans.days)
  }

  /** The metric that every process has from its start. */
  get info(): string {
    return `${this.#prefix}_info`
  }

  /** Returns the question for the jobs in the record: 1 for those that are recorded now, else 0. */
  get jobs(): string {
    return `group by (job) (${this.info}) or 0 * group by (job) (last_over_time(${this.info}[${this.#all}]))`
  }

  /** Returns the question for the number of processes in the record. */
  get processes(): string {
    return `count(group without (version, state) (last_over_time(${this.info}[${this.#all}])))`
  }

  /** Returns the question for the beginning of each job's record. */
  get since(): string {
    const whole = `min_over_time(timestamp(${this.#recorded})${this.#steps})`
    // The steps of many days are long. The last hour is looked at more closely, for a record that is young.
    const last = Math.min(HOUR, this.#spans.days)
    const lately = `min_over_time(timestamp(${this.#recorded})[${range(last)}:${range(Math.ceil(last / 720))}])`
    return `${lately} < ${whole} or ${whole} or ${lately}`
  }

  /** Returns the question for the number of steps at which a job was recorded. */
  get recorded(): string {
    return `count_over_time(${this.#recorded}${this.#steps})`
  }

  get #recorded(): string {
    return `group by (job) (present_over_time(${this.info}[${range(this.#spans.gap)}]))`
  }

  get #steps(): string {
    return `[${this.#all}:${range(this.#spans.step)}]`
  }

  /** Returns the question for the targets of jobs that are up (1) or down (0) now. */
  targets(jobs: readonly string[]): string {
    return `max by (${PROCESS}) (${upOf(jobs)})`
  }

  /** Returns the question for the seconds that targets were down. */
  down(jobs: readonly string[]): string {
    const up = upOf(jobs)
    const span = `(max_over_time(timestamp(${up})${this.#steps}) - min_over_time(timestamp(${up})${this.#steps}))`
    return `max by (${PROCESS}) ((1 - avg_over_time(${up}[${this.#all}])) * ${span}) > ${this.#spans.limit}`
  }

  /** Returns the question for the seconds that targets were up, and without the metrics. */
  silent(jobs: readonly string[]): string {
    const silent = `(${upOf(jobs)} == 1 unless on (${PROCESS}) ${this.info})`
    return `max by (${PROCESS}) (count_over_time(${silent}${this.#steps})) * ${this.#spans.step} > ${this.#spans.limit}`
  }

  /** Returns the question for the processes that add up requests without their version. */
  get overflown(): string {
    const all = this.#lasts(`{version=""}`).concat(
      `last_over_time(${this.#prefix}_requests_total{version=""}[${this.#all}])`,
    )
    return `group by (${PROCESS}) (${all.join(' or ')})`
  }

  /** Returns the question for the versions that each process knows now. */
  get known(): string {
    return `group by (${PROCESS}, version) (${this.info})`
  }

  /** Returns the question for the requests of each operation in each version. */
  get requests(): string {
    const counts = this.#used.map((selector) => `sum by (version, named, route, method) (${this.#counted(selector)})`)
    return counts.join(' or ')
  }

  /** Returns the question for the requests of each consumer in each version. */
  get consumers(): string {
    return `sum by (version, named, consumer) (${this.#counted(`${this.#prefix}_consumer_requests_total`)})`
  }

  /** Returns the question for the last request of each consumer in each version, in seconds since 1970. */
  get lastRequests(): string {
    return `max by (version, named, consumer) (${this.#lasts('').join(' or ')})`
  }

  /** Returns the question for the requests of a week in each version. */
  week(ago: number): string {
    const offset = ago === 0 ? '' : ` offset ${ago}d`
    return `sum by (version) (${this.#used.map((selector) => `increase(${selector}[7d]${offset})`).join(' or ')})`
  }

  /** The selectors of requests that use a version: no refused ones of paths without a named route. */
  get #used(): readonly string[] {
    const all = `${this.#prefix}_requests_total`
    return [`${all}{route!="other"}`, `${all}{route="other",status!="4xx"}`]
  }

  /** Lists the queries for the times of last requests. OpenTelemetry's own exporter for Prometheus leaves the unit out. */
  #lasts(selector: string): string[] {
    return ['_seconds', ''].map(
      (unit) => `max_over_time(${this.#prefix}_last_request_timestamp${unit}${selector}[${this.#all}])`,
    )
  }

  /**
   * Counts what a counter has counted. `increase()` alone would miss the first request of a series that begins with it, and
   * stretches the others to the whole time; it is left for counters that began again.
   */
  #counted(selector: string): string {
    const within = `${selector}[${this.#all}]`
    const begun = `max_over_time(${within}) unless last_over_time(${selector}[${range(this.#spans.gap)}] offset ${this.#all})`
    return `(increase(${within}) and resets(${within}) > 0) or (${begun}) or (max_over_time(${within}) - min_over_time(${within}))`
  }
}

/** Selects the targets of jobs. */
function upOf(jobs: readonly string[]): string {
  const names = jobs.map((job) => job.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return `up{job=~${JSON.stringify(names.join('|'))}}`
}
