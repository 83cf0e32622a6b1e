import type { LinkFailure } from '../types'
import { didYouMean } from '../util/suggest'

/**
 * The sentence for a name that gave no link. `near` are the names close to it.
 *
 * @example describeFailure(failure, []) // '"user-detail" (/users/:id) needs "id".'
 */
export function describeFailure(failure: LinkFailure, near: readonly string[]): string {
  if (failure.unknown) return `No route named "${failure.viewName}".${didYouMean(near)}`
  return `"${failure.viewName}" (${failure.pattern}) ${failure.reason}.`
}
