// The questions to Prometheus.

/** The lengths of time of the questions, in seconds. */
export interface Spans {
  readonly days: number
  /** The distance of the moments at which the beginning of the record is looked for. */
  readonly step: number
  /** The distance of the moments at which holes in the record are looked for. */
  readonly fine: number
  /** The longest time without a sample after which a series goes on. */
  readonly gap: number
  /** The longest time that a process may be down, all its times added. */
  readonly limit: number
  /** The longest time without samples, all holes added. */
  readonly hole: number
}

const HOUR = 3600

/** Returns the lengths of time for a number of days. A short time allows for less. */
export function spansOf(days: number): Spans {
  const seconds = days * 24 * HOUR
  const limit = Math.min(HOUR, seconds / 24)
  return {
    days: seconds,
    step: Math.max(1, Math.min(HOUR / 4, Math.ceil(seconds / 2000))),
    // A part of the longest hole, so that its moments add up to it.
    fine: Math.max(1, Math.min(HOUR / 30, Math.ceil(seconds / 2000)), Math.ceil(seconds / 21_600)),
    gap: Math.max(HOUR / 12, limit),
    limit,
    hole: Math.min(HOUR / 6, Math.max(60, limit)),
  }
}

/** Writes a length of time, in seconds, as PromQL does. */
function range(seconds: number): string {
  return `${Math.round(seconds * 1000)}ms`
}

/** The labels of a process beside those of Prometheus. */
const PROCESS = 'job, instance'

/** The questions about the metrics with a prefix, in the last days; of one job, if there is one. */
export class Queries {
  readonly #prefix: string
  readonly #job: string | undefined
  readonly #spans: Spans
  readonly #all: string

  constructor(prefix: string, job: string | undefined, spans: Spans) {
    this.#prefix = prefix
    this.#job = job
    this.#spans = spans
    this.#all = range(spans.days)
  }

  /** The metric that every process has from its start. */
  get info(): string {
    return `${this.#prefix}_info`
  }

  /** The words for the place where no series is. */
  get place(): string {
    return this.#job === undefined ? '' : ` of job ${this.#job}`
  }

  /** Writes the selector of a metric. */
  #of(name: string, ...labels: readonly string[]): string {
    const all = this.#job === undefined ? labels : [`job=${JSON.stringify(this.#job)}`, ...labels]
    return `${this.#prefix}_${name}${all.length === 0 ? '' : `{${all.join(',')}}`}`
  }

  /** Returns the question for the jobs in the record: 1 for those that are recorded now, else 0. */
  get jobs(): string {
    const info = this.#of('info')
    return `group by (job) (${info}) or 0 * group by (job) (last_over_time(${info}[${this.#all}]))`
  }

  /** Returns the question for the number of processes in the record. */
  get processes(): string {
    return `count(group without (version, state) (last_over_time(${this.#of('info')}[${this.#all}])))`
  }

  /** Returns the question for the beginning of each job's record. */
  get since(): string {
    const whole = `min_over_time(timestamp(${this.#recorded})${this.#steps})`
    // The steps of many days are long. The last hour is looked at more closely, for a record that is young.
    const last = Math.min(HOUR, this.#spans.days)
    const lately = `min_over_time(timestamp(${this.#recorded})[${range(last)}:${range(Math.ceil(last / 720))}])`
    return `${lately} < ${whole} or ${whole} or ${lately}`
  }

  get #recorded(): string {
    return `group by (job) (present_over_time(${this.#of('info')}[${range(this.#spans.gap)}]))`
  }

  get #steps(): string {
    return `[${this.#all}:${range(this.#spans.step)}]`
  }

  /** The moments at which holes are looked for. */
  get #moments(): string {
    return `[${this.#all}:${range(this.#spans.fine)}]`
  }

  /** Returns the question for the targets of jobs that are up (1) or down (0) now. */
  targets(jobs: readonly string[]): string {
    return `max by (${PROCESS}) (${upOf(jobs)})`
  }

  /** Returns the question for the longest time, in seconds, between two samples of a target as a rule: no hole. */
  interval(jobs: readonly string[]): string {
    const up = upOf(jobs)
    const time = `timestamp(${up})${this.#steps}`
    return `max((max_over_time(${time}) - min_over_time(${time})) / (count_over_time(${up}[${this.#all}]) - 1 > 0))`
  }

  /**
   * Returns the questions for the presence of targets, or of jobs, in the record: its first and last moment, the number of moments, how
   * often it began, and who was there before.
   *
   * @param by the labels of one thing that is present.
   * @param window the longest time between two samples that is no hole, in seconds.
   */
  presence(jobs: readonly string[], by: string, window: number) {
    const up = upOf(jobs)
    const present = (offset = '') => `group by (${by}) (present_over_time(${up}[${range(window)}]${offset}))`
    const time = `timestamp(${present()})${this.#moments}`
    return {
      first: `min_over_time(${time})`,
      last: `max_over_time(${time})`,
      moments: `count_over_time(${present()}${this.#moments})`,
      begun: `count_over_time((${present()} unless ${present(` offset ${range(this.#spans.fine)}`)})${this.#moments})`,
      before: `group by (${by}) (present_over_time(${up}[1d] offset ${this.#all}))`,
    }
  }

  /** Returns the question for the seconds that targets were down. */
  down(jobs: readonly string[]): string {
    return this.#long(`${upOf(jobs)} == 0`, this.#spans.limit)
  }

  /** Returns the question for the seconds that targets were up, and without the metrics. */
  silent(jobs: readonly string[]): string {
    return this.#long(`${upOf(jobs)} == 1 unless on (${PROCESS}) ${this.#of('info')}`, this.#spans.hole)
  }

  /** Returns the question for the seconds in which something was so, if they are too many. */
  #long(what: string, limit: number): string {
    const { fine } = this.#spans
    return `max by (${PROCESS}) (count_over_time((${what})${this.#moments})) * ${fine} > ${limit}`
  }

  /** Returns the question for the processes that add up requests without their version. */
  get overflown(): string {
    const counters = ['requests', 'change_requests', 'change_consumer_requests']
    const all = [
      ...this.#lasts('last_request_timestamp', this.#all, 'version=""'),
      ...counters.map((name) => `last_over_time(${this.#of(`${name}_total`, 'version=""')}[${this.#all}])`),
    ]
    return `group by (${PROCESS}) (${all.join(' or ')})`
  }

  /** Returns the question for the versions that each process knows now. */
  get known(): string {
    return `group by (${PROCESS}, version) (${this.#of('info')})`
  }

  /** Returns the question for the requests of each operation in each version. */
  get requests(): string {
    const counts = this.#used.map((selector) => `sum by (version, named, route, method) (${this.#counted(selector)})`)
    return counts.join(' or ')
  }

  /** Returns the question for the requests of each consumer in each version. */
  get consumers(): string {
    return `sum by (version, named, consumer) (${this.#counted(this.#of('consumer_requests_total'))})`
  }

  /** Returns the question for the last request of each consumer in each version, in seconds since 1970; also of one before these days. */
  get lastRequests(): string {
    return `max by (version, named, consumer) (${this.#lasts('last_request_timestamp', range(2 * this.#spans.days)).join(' or ')})`
  }

  /** Returns the question for the requests of each version that each change met. */
  get changes(): string {
    return `sum by (version, change) (${this.#counted(this.#of('change_requests_total'))})`
  }

  /** Returns the question for these requests of each consumer. */
  get changeConsumers(): string {
    return `sum by (version, change, consumer) (${this.#counted(this.#of('change_consumer_requests_total'))})`
  }

  /** Returns the question for the last of these requests of each consumer, in seconds since 1970; also of one before these days. */
  get lastChanges(): string {
    const lasts = this.#lasts('change_last_request_timestamp', range(2 * this.#spans.days))
    return `max by (version, change, consumer) (${lasts.join(' or ')})`
  }

  /** Returns the question for the part of each version's record in which each change was counted, from 0 to 1. */
  get countedChanges(): string {
    const samples = (name: string) => `count_over_time(${this.#of(name)}[${this.#all}])`
    return `sum by (version, change) (${samples('change_requests_total')}) / on (version) group_left () sum by (version) (${samples('info')})`
  }

  /** Returns the question for the requests of a week in each version. */
  week(ago: number): string {
    const offset = ago === 0 ? '' : ` offset ${ago}d`
    return `sum by (version) (${this.#used.map((selector) => `increase(${selector}[7d]${offset})`).join(' or ')})`
  }

  /** The selectors of requests that use a version: no rejected ones of paths without a named route. */
  get #used(): readonly string[] {
    return [this.#of('requests_total', 'route!="other"'), this.#of('requests_total', 'route="other"', 'status!="4xx"')]
  }

  /** Lists the queries for the times of last requests. OpenTelemetry's own exporter for Prometheus leaves the unit out. */
  #lasts(name: string, within: string, ...labels: readonly string[]): string[] {
    return ['_seconds', ''].map((unit) => `max_over_time(${this.#of(`${name}${unit}`, ...labels)}[${within}])`)
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
