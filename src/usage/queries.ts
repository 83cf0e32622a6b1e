// The questions to Prometheus. Each is simple, so that a record is read in seconds; the arithmetic is in `record.ts` and `counts.ts`.

/** The lengths of time of the questions, in seconds. */
export interface Spans {
  readonly days: number
  /** The distance of the moments at which the record is looked at. Where a process begins or ends, each sample is read. */
  readonly step: number
  /** The number of steps, which go back beyond the days. */
  readonly steps: number
  /** The longest time without samples that does not matter. */
  readonly hole: number
}

const HOUR = 3600

/** A week, in seconds. The last one is compared with the week before. */
export const WEEK = 7 * 24 * HOUR

/** Returns the lengths of time for a number of days. A short time allows for less. */
export function spansOf(days: number): Spans {
  const seconds = days * 24 * HOUR
  const all = Math.max(2 * seconds, 2 * WEEK)
  const step = Math.max(1, Math.ceil(Math.max(seconds / 720, all / 5000)))
  return { days: seconds, step, steps: Math.ceil(all / step), hole: Math.min(HOUR / 6, Math.max(60, seconds / 24)) }
}

/** The labels that the metrics have of their own. All others are those of the target. */
const OWN = [
  ...['version', 'named', 'route', 'method', 'status', 'code', 'consumer', 'change'],
  ...['state', 'source', 'limited', 'date'],
]

/** The labels that OpenTelemetry puts on each series. */
const SCOPE = ['otel_scope_name', 'otel_scope_version', 'otel_scope_schema_url']

const NOT_OF_TARGETS = new Set(['__name__', ...OWN, ...SCOPE])

/** The counters, by their names behind the prefix. */
export const COUNTERS = [
  'requests_total',
  'consumer_requests_total',
  'consumer_operation_requests_total',
  'consumer_errors_total',
  'change_requests_total',
  'change_consumer_requests_total',
] as const

/** The gauges of last requests. OpenTelemetry's own exporter for Prometheus leaves the unit out. */
export const GAUGES = ['last_request_timestamp', 'change_last_request_timestamp'] as const
const UNIT = '(?:_seconds)?'

/** The labels of a process, with their values. */
export type Target = Readonly<Record<string, string>>

/** Returns the labels of a process, which are all but those of the metrics. */
export function targetOf(labels: Readonly<Record<string, string | undefined>>): Target {
  const own = Object.entries(labels).filter(([name, value]) => !NOT_OF_TARGETS.has(name) && value !== undefined)
  return Object.fromEntries(own.sort(([one], [other]) => (one < other ? -1 : 1))) as Target
}

/** Writes a length of time, in seconds, as PromQL does. */
function range(seconds: number): string {
  return `${Math.round(seconds * 1000)}ms`
}

/** Writes the matcher of a label. */
function matcher(name: string, value: string): string {
  return `${name}=${JSON.stringify(value)}`
}

/** The questions about the metrics with a prefix; of one job, if there is one. */
export class Queries {
  readonly #prefix: string
  readonly #job: readonly string[]

  constructor(
    prefix: string,
    private readonly job: string | undefined,
  ) {
    this.#prefix = prefix
    this.#job = job === undefined ? [] : [matcher('job', job)]
  }

  /** Writes the name of a metric. */
  name(name: string): string {
    return `${this.#prefix}_${name}`
  }

  /** The words for the place where no series is. */
  get place(): string {
    return this.job === undefined ? '' : ` of job ${this.job}`
  }

  /** Writes the selector of a metric, or of several by a regular expression. */
  #of(name: string, ...matchers: readonly string[]): string {
    const all = [...this.#job, ...matchers]
    if (/^\w+$/.test(name)) return `${this.name(name)}${all.length === 0 ? '' : `{${all.join(',')}}`}`
    return `{${[`__name__=~${JSON.stringify(`${this.#prefix}_(?:${name})`)}`, ...all].join(',')}}`
  }

  /** Returns the question for the versions that each process knows: the metric that each has from its start. */
  get info(): string {
    return this.#of('info')
  }

  /** Returns the question for the time since when each process counts. */
  get since(): string {
    return this.#of(`counting_since_timestamp${UNIT}`)
  }

  /** Returns the question for all samples of that time. */
  samplesOfSince(seconds: number): string {
    return `${this.since}[${range(seconds)}]`
  }

  /** Returns the question for the last sample of that time in each step. */
  lastSince(step: number): string {
    return `last_over_time(${this.since}[${range(step)}])`
  }

  /** Returns the question for the steps in which that time changed. */
  changesOfSince(step: number): string {
    return `changes(${this.since}[${range(step)}]) > 0`
  }

  /** Returns the question for the number of its samples in each step. */
  countOfSince(step: number): string {
    return `count_over_time(${this.since}[${range(step)}])`
  }

  /** Returns the question for the number of samples of targets in each step; `up` for those in which they were up. */
  countOfTargets(jobs: readonly string[], step: number, what: 'up' | 'all'): string {
    return `${what === 'up' ? 'sum' : 'count'}_over_time(${upOf(jobs)}[${range(step)}])`
  }

  /** Returns the question for the targets of jobs that are up (1) or down (0). */
  targets(jobs: readonly string[]): string {
    return upOf(jobs)
  }

  /** Returns the question for all samples of targets in a length of time. */
  samplesOfTargets(jobs: readonly string[], seconds: number): string {
    return `${upOf(jobs)}[${range(seconds)}]`
  }

  /** Returns the question for the number of targets of any job that Prometheus scraped in a length of time. */
  scraped(seconds: number): string {
    return `count(present_over_time(up[${range(seconds)}]))`
  }

  /** Returns the question for the processes that have a metric, with the sum of its values. */
  presence(name: 'info' | 'requests_total' | 'last_request_timestamp'): string {
    const own = [...OWN, ...SCOPE].join(', ')
    return `sum without (${own}) (${this.#of(name === 'last_request_timestamp' ? `${name}${UNIT}` : name)})`
  }

  /** Returns the question for the values of all counters of processes; of all processes without targets. */
  counters(targets: readonly Target[] | undefined): string {
    return this.#values('sum', COUNTERS.join('|'), targets)
  }

  /** Returns the question for the values of all gauges of last requests. */
  gauges(targets: readonly Target[] | undefined): string {
    return this.#values('max', `(?:${GAUGES.join('|')})${UNIT}`, targets)
  }

  #values(sum: string, names: string, targets: readonly Target[] | undefined): string {
    const selectors = targets?.map((target) =>
      this.#of(names, ...Object.entries(target).map(([name, value]) => matcher(name, value))),
    ) ?? [this.#of(names)]
    return `${sum} by (__name__, ${OWN.join(', ')}) (${selectors.join(' or ')})`
  }

  /** Returns the question for the processes that add up requests without their version. */
  overflown(days: number): string {
    const of = (name: string) => `last_over_time(${this.#of(name, 'version=""')}[${range(days)}])`
    return ['requests_total', 'change_requests_total', 'change_consumer_requests_total'].map(of).join(' or ')
  }

  /** Returns the question for the series whose labels a label of their target has moved. */
  get moved(): string {
    return OWN.map((name) => this.#of(`info|requests_total|${GAUGES[0]}${UNIT}`, `exported_${name}!=""`)).join(' or ')
  }

  /** Returns the question for the part of each version's record in which each change was counted, from 0 to 1. */
  countedChanges(days: number, step: number): string {
    const within = `[${range(days)}:${range(step)}]`
    const count = (by: string, name: string) => `sum_over_time((count by (${by}) (${this.#of(name)}))${within})`
    return `${count('version, change', 'change_requests_total')} / on (version) group_left () ${count('version', 'info')}`
  }

  /** Returns the question for the processes that had more consumers than they tell apart. */
  limited(days: number): string {
    return `last_over_time(${this.#of('consumers_info', 'limited="true"')}[${range(days)}])`
  }
}

/** Selects the targets of jobs. */
function upOf(jobs: readonly string[]): string {
  const names = jobs.map((job) => job.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return `up{job=~${JSON.stringify(names.join('|'))}}`
}
