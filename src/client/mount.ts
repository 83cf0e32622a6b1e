import { type PatternMatch, routePattern } from '../routes/pattern'
import { Template } from '../routes/template'
import type { LinkFailure, LinkKwargs } from '../types'

const LOOSE = { caseSensitive: false, strict: false }

/** Where `versioning()` and its table are mounted: a pattern, which may have parameters. */
export class Mount {
  readonly #template: Template

  /** @throws {TypeError} for anything but a path. */
  constructor(owner: string, path: unknown) {
    const pattern = routePattern(`${owner}: option "mount"`, path, LOOSE)
    // Where it is `false`, there are no parameters either.
    const readBack = (path: string) => (pattern.match(path) as PatternMatch).params
    this.#template = new Template('mount', pattern.source, pattern.tokens, readBack, true)
  }

  has(parameter: string): boolean {
    return this.#template.names.includes(parameter)
  }

  /** The path of the mount, which does not end with a slash; or why there is none. */
  filled(kwargs: LinkKwargs): string | LinkFailure {
    const path = this.#template.link(undefined, kwargs)
    return typeof path === 'string' && path.endsWith('/') ? path.slice(0, -1) : path
  }
}
