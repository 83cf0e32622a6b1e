// The collection of mistakes, to report all at once.

/** The collection of mistakes, to report all at once. */
export class Problems {
  /** The mistakes, each with the places that have it. */
  readonly #found = new Map<string, Set<string>>()
  /** The lines of the option `places` for them. */
  readonly #lines = new Set<string>()
  /** The places that they are about. */
  readonly #told = new Set<string>()

  /** @param takesPlaces `true` if the table has the option `places`, so that messages end with the lines to paste. */
  constructor(private readonly takesPlaces = false) {}

  readonly report = (problem: string, place?: string, line?: string): void => {
    if (line !== undefined) this.#addLine(line)
    const places = this.#found.get(problem) ?? new Set()
    this.#found.set(problem, place === undefined ? places : places.add(place))
  }

  /** Adds a line; as a comment behind another one about its place, which may look like two shapes. */
  #addLine(line: string): void {
    if (this.#lines.has(line)) return
    const place = line.slice(0, line.indexOf('": '))
    this.#lines.add(this.#told.has(place) ? `  // or${line.slice(1)}` : line)
    this.#told.add(place)
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
    if (all.length === 0) return
    const hasLines = this.takesPlaces && this.#lines.size > 0
    const paste = hasLines ? toPaste(this.#lines) : ''
    if (all.length === 1) throw new TypeError(`${owner}: ${all[0]}${paste}`)
    const list = all.map((problem) => `- ${problem}`).join('\n')
    throw new TypeError(`${owner}: ${all.length} things do not fit in ${what}:\n${list}${paste}`)
  }
}

/** Returns the end of a message that has lines of the option `places`. */
export function toPaste(lines: Iterable<string>): string {
  return `\nOr tell what they are, in the options of the table:\nplaces: {\n${[...lines].join('\n')}\n}`
}

/** Returns the lines of the option `places` at the end of a message, by their keys. */
export function pastedIn(message: string): Map<string, string> {
  const [, lines = ''] = message.split('\nplaces: {\n')
  const found = [...lines.matchAll(/^ {2}("(?:[^"\\]|\\.)*"): (.*),$/gm)]
  return new Map(found.map(([, key = '', meaning = '']) => [JSON.parse(key), meaning]))
}

/** A function that collects one mistake. It lists the places of the same mistake behind it. */
export type Report = Problems['report']
