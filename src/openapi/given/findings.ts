// The collection of what does not fit in a document, to report all at once.
import { errorOf, type PlacesLine, PlacesLines } from '../../util/problems'

/** The owner of the errors. */
export const OWNER = 'routesOf()'

/** The findings in a document. */
export class Findings {
  readonly #found = new Map<string, string>()
  /** The lines of the option `places` that answer findings. */
  readonly #lines = new PlacesLines()

  /**
   * Adds a finding. One place has one.
   *
   * @param pointer the JSON pointer of the place.
   * @param message what was found, and the remedy, as sentences.
   * @param line the line of the option `places` that answers it.
   */
  add(pointer: string, message: string, line?: PlacesLine): void {
    if (!this.#found.has(pointer)) this.#found.set(pointer, message)
    if (line !== undefined) this.#lines.add(line)
  }

  /** @throws {TypeError} listing all findings, if there are any. */
  check(): void {
    const all = [...this.#found].map(([pointer, message]) => `"${plain(pointer)}": ${message}`)
    if (all.length === 0) return
    throw errorOf(all.length === 1 ? [`at ${all[0]}`] : all, OWNER, 'the document', this.#lines)
  }
}

/** Writes a pointer of a URI fragment as a plain JSON pointer (RFC 6901, section 3). */
export function plain(pointer: string): string {
  return decodeURIComponent(pointer)
}
