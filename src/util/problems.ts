// The collection of mistakes, to report all at once, and what answers them.

/** A line of the option `places`. */
export interface PlacesLine {
  readonly key: string
  /** The meaning, as code. */
  readonly meaning: string
}

/** Returns a line as text. */
export function placesText({ key, meaning }: PlacesLine): string {
  return `${JSON.stringify(key)}: ${meaning},`
}

/** Returns the format of errors as code: the name of a schema, or `null` for errors without JSON. */
export function errorFormat(name: string | null): string {
  return name === null ? 'null' : `{ $ref: '${name}' }`
}

/**
 * Returns the call of a table that describes the errors of all operations, as text.
 *
 * @param name the schema of errors; `null` for errors without JSON.
 */
export function describedErrors(name: string | null): string {
  const format = errorFormat(name)
  return `describe('*', { response: { '4XX': ${format}, '5XX': ${format} } })`
}

/** The lines of the option `places` that a message prints, by their keys. The first meaning of a key counts, others are comments. */
export class PlacesLines {
  readonly #meanings = new Map<string, Set<string>>()

  add({ key, meaning }: PlacesLine): void {
    const known = this.#meanings.get(key) ?? new Set()
    this.#meanings.set(key, known.add(meaning))
  }

  /** The first meaning of each key. */
  get first(): Map<string, string> {
    return new Map([...this.#meanings].map(([key, [meaning]]) => [key, meaning as string]))
  }

  /** The option as text. */
  get text(): string {
    const lines = [...this.#meanings].flatMap(([key, meanings]) =>
      [...meanings].map((meaning, at) => `  ${at === 0 ? '' : '// or '}${placesText({ key, meaning })}`),
    )
    return `places: {\n${lines.join('\n')}\n}`
  }

  /** The end of a message that has these lines; empty without any. */
  get end(): string {
    return this.#meanings.size === 0 ? '' : `\nOr tell what they are, in the options of the table:\n${this.text}`
  }
}

/** The answers that the message of an error prints. */
export interface Answers {
  readonly places: ReadonlyMap<string, string>
  /** The schema of errors that no operation describes: a name, or `null`; undefined if nothing asks for it. */
  readonly errors: string | null | undefined
}

const answers = new WeakMap<object, Answers>()

/** Returns the answers that the message of an error prints. */
export function answersIn(error: object): Answers {
  return answers.get(error) ?? { places: new Map(), errors: undefined }
}

/** Makes an error of mistakes. */
export function errorOf(
  all: readonly string[],
  owner: string,
  what: string,
  lines: PlacesLines,
  errors?: Answers['errors'],
) {
  const list =
    all.length === 1
      ? all[0]
      : `${all.length} things do not fit in ${what}:\n${all.map((one) => `- ${one}`).join('\n')}`
  const error = new TypeError(`${owner}: ${list}${lines.end}`)
  answers.set(error, { places: lines.first, errors })
  return error
}

/** The collection of mistakes, to report all at once. */
export class Problems {
  /** The mistakes, each with the places that have it. */
  readonly #found = new Map<string, Set<string>>()
  readonly #lines = new PlacesLines()
  #errors: Answers['errors']

  /** @param takesPlaces `true` if the table has the option `places`, so that messages end with the lines to paste. */
  constructor(private readonly takesPlaces = false) {}

  /**
   * Adds a mistake.
   *
   * @param line the line of the option `places` that answers it.
   * @param errors the schema of errors that it asks for.
   */
  readonly report = (problem: string, place?: string, line?: PlacesLine, errors?: Answers['errors']): void => {
    if (line !== undefined && this.takesPlaces) this.#lines.add(line)
    if (errors !== undefined) this.#errors = errors
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
    if (all.length > 0) throw errorOf(all, owner, what, this.#lines, this.#errors)
  }
}

/** A function that collects one mistake. It lists the places of the same mistake behind it. */
export type Report = Problems['report']
