/** Is told of what does not fit, so that all of it can be told at once. */
export class Problems {
  readonly #found = new Set<string>()
  readonly report = (problem: string): void => {
    this.#found.add(problem)
  }

  /** @throws {TypeError} that tells them all, if there are any. */
  check(owner: string): void {
    const all = [...this.#found]
    if (all.length === 1) throw new TypeError(`${owner}: ${all[0]}`)
    if (all.length === 0) return
    const list = all.map((problem) => `- ${problem}`).join('\n')
    throw new TypeError(`${owner}: ${all.length} things do not fit in the shapes of "changes":\n${list}`)
  }
}

/** Is told of one thing that does not fit. */
export type Report = Problems['report']
