// The collection of mistakes, to report all at once.

/** The collection of mistakes, to report all at once. */
export class Problems {
  readonly #found = new Set<string>()
  readonly report = (problem: string): void => {
    this.#found.add(problem)
  }

  /**
   * Throws the collected mistakes.
   *
   * @throws {TypeError} listing all mistakes, if there are any.
   */
  check(owner: string): void {
    const all = [...this.#found]
    if (all.length === 1) throw new TypeError(`${owner}: ${all[0]}`)
    if (all.length === 0) return
    const list = all.map((problem) => `- ${problem}`).join('\n')
    throw new TypeError(`${owner}: ${all.length} things do not fit in the shapes of "changes":\n${list}`)
  }
}

/** A function that collects one mistake. */
export type Report = Problems['report']
