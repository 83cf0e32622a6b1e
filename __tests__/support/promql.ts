// A small Prometheus over series that are functions of time: the part of PromQL that the package asks. A system test compares it with a
// real one.

export interface Recorded {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** The value of a scrape; `undefined` for no sample. */
  value(time: number): number | undefined
}

export interface Shown {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

type Point = readonly [time: number, value: number]
interface Ranged {
  readonly labels: Readonly<Record<string, string>>
  readonly points: readonly Point[]
}

/** The longest time for which a sample counts. */
const LOOKBACK = 300

/** Series that are scraped at multiples of an interval, in seconds. */
export class SmallPrometheus {
  readonly #tracks: {
    readonly series: Recorded
    readonly labels: Shown['labels']
    readonly points: Point[]
  }[] = []

  /** @param from the time of the first scrape; the last one is at `to`. */
  constructor(series: readonly Recorded[], interval: number, from: number, to: number) {
    // A process that begins anew goes on with the series of the one before.
    const known = new Map<string, Point[]>()
    for (const one of series) {
      const all = Object.entries({ __name__: one.name, ...one.labels })
      // It takes an empty label for none.
      const labels = Object.fromEntries(all.filter(([, value]) => value !== ''))
      const key = keyOf(labels)
      const points = known.get(key) ?? []
      if (!known.has(key)) this.#tracks.push({ series: one, labels, points })
      known.set(key, points)
      for (let time = Math.ceil(from / interval) * interval; time <= to; time += interval) {
        const found = one.value(time)
        if (found !== undefined) points.push([time, found])
      }
    }
    for (const { points } of this.#tracks) points.sort(([one], [other]) => one - other)
  }

  /** Evaluates a query that gives a value for each series, at several times. */
  instants(query: string, times: readonly number[]): (readonly [time: number, shown: Shown[]])[] {
    const evaluate = new Evaluation(query, this).whole((parser) => parser.expression())
    return times.map((time) => [time, evaluate(time)])
  }

  /** Evaluates a query that gives all samples of a length of time. */
  range(query: string, time: number): Ranged[] {
    return new Evaluation(query, this).whole((parser) => parser.ranged())(time)
  }

  /** Returns the function that finds the samples of some series between two times, both included. */
  samples(matches: (series: Recorded) => boolean): (from: number, to: number) => Ranged[] {
    const own = this.#tracks.filter(({ series }) => matches(series))
    return (from, to) =>
      own.flatMap(({ labels, points }) => {
        const found = points.slice(firstAt(points, from), firstAt(points, to + 0.0001))
        return found.length === 0 ? [] : [{ labels, points: found }]
      })
  }

  /** Returns the function that finds the last sample of some series. */
  latest(matches: (series: Recorded) => boolean): Instant {
    const samples = this.samples(matches)
    return (time) =>
      samples(time - LOOKBACK + 0.001, time).map(({ labels, points }) => ({
        labels,
        value: (points.at(-1) as Point)[1],
      }))
  }
}

/** Returns the index of the first point at a time or later. */
function firstAt(points: readonly Point[], time: number): number {
  let [low, high] = [0, points.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((points[middle] as Point)[0] < time) low = middle + 1
    else high = middle
  }
  return low
}

type Instant = (time: number) => Shown[]
type Range = (time: number) => Ranged[]

const OVER_TIME: Readonly<Record<string, (values: readonly number[]) => number>> = {
  last_over_time: (values) => values.at(-1) as number,
  count_over_time: (values) => values.length,
  sum_over_time: (values) => values.reduce((sum, value) => sum + value, 0),
  present_over_time: () => 1,
  changes: (values) => values.filter((value, at) => at > 0 && value !== values[at - 1]).length,
}

const keyOf = (labels: object) => JSON.stringify(Object.entries(labels).sort())

function without(labels: Shown['labels'], names: readonly string[]): Shown['labels'] {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !names.includes(name)))
}

class Evaluation {
  #rest: string

  constructor(
    query: string,
    private readonly prometheus: SmallPrometheus,
  ) {
    this.#rest = query.trim()
  }

  whole<Result>(read: (parser: this) => Result): Result {
    const result = read(this)
    if (this.#rest !== '') throw new Error(`Unexpected: ${this.#rest}`)
    return result
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    const found = new RegExp(`^(?:${pattern.source})\\s*`).exec(this.#rest)
    if (found === null) return undefined
    this.#rest = this.#rest.slice(found[0].length)
    return found
  }

  #need(pattern: RegExp): RegExpExecArray {
    const found = this.#take(pattern)
    if (found === undefined) throw new Error(`Expected ${pattern.source}: ${this.#rest}`)
    return found
  }

  expression(): Instant {
    let left = this.#quotient()
    while (this.#take(/or\b/)) {
      const [one, other] = [left, this.#quotient()]
      left = (time) => {
        const found = one(time)
        const keys = new Set(found.map(({ labels }) => keyOf(without(labels, ['__name__']))))
        return [...found, ...other(time).filter(({ labels }) => !keys.has(keyOf(without(labels, ['__name__']))))]
      }
    }
    return left
  }

  #quotient(): Instant {
    const left = this.#value()
    if (this.#take(/> 0/)) return (time) => left(time).filter(({ value }) => value > 0)
    const on = this.#take(/\/ on \((\w+)\) group_left \(\)/)?.[1]
    if (on === undefined) return left
    const right = this.#value()
    return (time) => {
      const divisors = right(time)
      return left(time).flatMap(({ labels, value }) => {
        const divisor = divisors.find((one) => one.labels[on] === labels[on])
        return divisor === undefined ? [] : [{ labels, value: value / divisor.value }]
      })
    }
  }

  #value(): Instant {
    const aggregation = this.#take(/(sum|max|count)(?: (by|without) \(([\w, ]*)\))? ?\(/)
    if (aggregation !== undefined) {
      const [, operator = '', kind = 'by', list = ''] = aggregation
      const inner = this.expression()
      this.#need(/\)/)
      return aggregated(operator, kind, list.split(/,\s*/).filter(Boolean), inner)
    }
    const name = this.#take(/(\w+_over_time|changes)\(/)?.[1]
    if (name !== undefined) {
      const range = this.ranged()
      this.#need(/\)/)
      const keepsName = name === 'last_over_time'
      return (time) =>
        range(time).map(({ labels, points }) => ({
          labels: keepsName ? labels : without(labels, ['__name__']),
          value: OVER_TIME[name]?.(points.map(([, value]) => value)) as number,
        }))
    }
    if (this.#take(/\(/)) {
      const inner = this.expression()
      this.#need(/\)/)
      return inner
    }
    return this.prometheus.latest(this.#selector())
  }

  ranged(): Range {
    const isInner = this.#rest.startsWith('(')
    const inner = isInner ? this.#value() : undefined
    const samples = inner === undefined ? this.prometheus.samples(this.#selector()) : undefined
    const [, text = '', steps] = this.#need(/\[(\d+)ms(?::(\d+)ms)?\]/)
    const length = Number(text) / 1000
    if (samples !== undefined) return (time) => samples(time - length, time)
    const step = Number(steps) / 1000
    return (time) => {
      const found = new Map<string, { labels: Shown['labels']; points: Point[] }>()
      for (let at = Math.ceil((time - length) / step) * step; at <= time; at += step)
        for (const { labels, value } of inner?.(at) ?? []) {
          const own = found.get(keyOf(labels)) ?? { labels, points: [] }
          found.set(keyOf(labels), own)
          own.points.push([at, value])
        }
      return [...found.values()]
    }
  }

  #selector(): (series: Recorded) => boolean {
    const name = this.#take(/[a-z_]\w*/)?.[0].trim()
    const matchers: ((series: Recorded) => boolean)[] = name === undefined ? [] : [(series) => series.name === name]
    if (this.#take(/\{/)) {
      while (!this.#take(/\}/)) {
        const [, label = '', operator, text = '""'] = this.#need(/(\w+)(=~|!=|=)("(?:[^"\\]|\\.)*")/)
        const wanted = JSON.parse(text) as string
        const pattern = operator === '=~' ? new RegExp(`^(?:${wanted})$`) : undefined
        matchers.push(({ name, labels }) => {
          const value = label === '__name__' ? name : (labels[label] ?? '')
          if (pattern !== undefined) return pattern.test(value)
          return (value === wanted) === (operator === '=')
        })
        this.#take(/,/)
      }
    }
    return (series) => matchers.every((matches) => matches(series))
  }
}

function aggregated(operator: string, kind: string, names: readonly string[], inner: Instant): Instant {
  return (time) => {
    const groups = new Map<string, { labels: Shown['labels']; values: number[] }>()
    for (const { labels, value } of inner(time)) {
      const own =
        kind === 'without'
          ? without(labels, ['__name__', ...names])
          : Object.fromEntries(names.flatMap((name) => (labels[name] === undefined ? [] : [[name, labels[name]]])))
      const group = groups.get(keyOf(own)) ?? { labels: own, values: [] }
      groups.set(keyOf(own), group)
      group.values.push(value)
    }
    return [...groups.values()].map(({ labels, values }) => ({
      labels,
      value:
        operator === 'count'
          ? values.length
          : operator === 'max'
            ? Math.max(...values)
            : values.reduce((sum, value) => sum + value, 0),
    }))
  }
}
