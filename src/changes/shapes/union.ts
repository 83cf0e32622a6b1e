// The choice of a union's branch for a value.
import { type Alternative, areApart, hasMarks, OBJECT, TYPES, typeOf } from './telling'
import type { Misfit, Visit } from './visits'

/** One kind of value that a branch of an `anyOf` or `oneOf` allows. */
interface Candidate {
  readonly alternative: Alternative
  /** The visit; undefined for a branch without shapes. */
  readonly visit: Visit | undefined
}

/**
 * Makes the visit of a value that belongs to one of several branches. The JSON type selects the branch, then properties with a
 * single value.
 *
 * @returns undefined if a branch with a shape cannot be distinguished from another one.
 */
export function visitUnion(candidates: readonly Candidate[], misfit: Misfit): Visit | undefined {
  const byType = TYPES.map((type) => candidates.filter(({ alternative }) => (alternative.types & type) !== 0))
  const cannotBeTold = byType.some((among, at) =>
    among.some((one, index) =>
      among
        .slice(index + 1)
        .some(
          (other) =>
            one.visit !== other.visit && (TYPES[at] !== OBJECT || !areApart(one.alternative, other.alternative)),
        ),
    ),
  )
  if (cannotBeTold) return undefined
  return (value, run) => {
    const among = byType[TYPES.indexOf(typeOf(value))] as readonly Candidate[]
    const [first] = among
    const chosen = among.every(({ visit }) => visit === first?.visit)
      ? first
      : among.find(({ alternative }) => hasMarks(value as object, alternative))
    if (chosen === undefined) return misfit(value, run)
    return chosen.visit === undefined ? value : chosen.visit(value, run)
  }
}
