// The collection of mistakes, to report all at once.

/** The collection of mistakes, to report all at once. */
export class Problems {
  /** The mistakes, each with the places that have it. */
  readonly #found = new Map<string, Set<string>>()
  readonly report = (problem: string, place?: string): void => {
    const places = this.#found.get(problem) ?? new Set()
    this.#found.set(problem, place === undefined ? places : places.add(place))
  }

  /**
   * Throws the collected mistakes.
   *
   * @param what the part that does not fit, for several mistakes.
   * @throws {TypeError} listing all mistakes, if there are any.
   */
  check(owner: string, what = 'the shapes of "changes"'): void {
    const all = [...this.#found].map(([problem, places]) =>
      places.size === 0 ? problem : `${problem} ${[...places].join(', ')}.`,
    )
    if (all.length === 1) throw new TypeError(`${owner}: ${all[0]}`)
    if (all.length === 0) return
    const list = all.map((problem) => `- ${problem}`).join('\n')
    throw new TypeError(`${owner}: ${all.length} things do not fit in ${what}:\n${list}`)
  }
}

/** A function that collects one mistake. It lists the places of the same mistake behind it. */
export type Report = Problems['report']
