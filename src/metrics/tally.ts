// Numbers by label values.

/** The values of labels, by name. */
export type Labels = Record<string, string>

/** A number, with its labels. */
export interface Series {
  readonly labels: Labels
  value: number
}

/** A level of the maps: the last one holds series. */
type Level = Map<string, Level | Series>

/** Numbers by the values of some labels. Nested maps are cheaper than keys of joined texts. */
export class Tally {
  readonly #names: readonly string[]
  readonly #first: Level = new Map()
  readonly #series: Series[] = []

  constructor(...names: readonly string[]) {
    this.#names = names
  }

  /** All series, in the order in which they began. */
  get series(): readonly Series[] {
    return this.#series
  }

  /** Returns the series of these values, one for each label. A new one begins at 0. */
  at(...values: readonly string[]): Series {
    const last = values.length - 1
    let level = this.#first
    for (let index = 0; index < last; index++) {
      let next = level.get(values[index] as string) as Level | undefined
      if (next === undefined) {
        next = new Map()
        level.set(values[index] as string, next)
      }
      level = next
    }
    const found = level.get(values[last] as string) as Series | undefined
    return found ?? this.#begun(level, values)
  }

  #begun(level: Level, values: readonly string[]): Series {
    const labels = Object.fromEntries(this.#names.map((name, index) => [name, values[index] as string]))
    const series = { labels, value: 0 }
    level.set(values.at(-1) as string, series)
    this.#series.push(series)
    return series
  }
}
