// The mount path in the links of clients.
import { routePattern } from '../routes/pattern'
import { Template } from '../routes/template'
import { match, type PatternMatch } from '../routes/walk'
import type { LinkFailure, LinkKwargs } from '../types'

const LOOSE = { caseSensitive: false, strict: false }

/** The mount of `versioning()` and its table: a pattern, maybe with parameters. */
export class Mount {
  readonly #template: Template

  /** @throws {TypeError} for a value that is not a path. */
  constructor(owner: string, path: unknown) {
    const pattern = routePattern(`${owner}: option "mount"`, path, LOOSE)
    // `false` means that there are no parameters either.
    const readBack = (path: string) => (match(pattern, path) as PatternMatch).params
    this.#template = new Template('mount', pattern.source, pattern.tokens, readBack, true)
  }

  has(parameter: string): boolean {
    return this.#template.names.includes(parameter)
  }

  /** Returns the path of the mount, without a slash at its end; or the reason why it failed. */
  filled(kwargs: LinkKwargs): string | LinkFailure {
    const path = this.#template.link(undefined, kwargs)
    return typeof path === 'string' && path.endsWith('/') ? path.slice(0, -1) : path
  }
}
