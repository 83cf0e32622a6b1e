import { type Alternative, areApart, hasMarks, OBJECT, TYPES, typeOf } from './telling'
import type { Misfit, Visit } from './visits'

/** One kind of value that a branch of an `anyOf` or `oneOf` allows. */
interface Candidate {
  readonly alternative: Alternative
  /** Undefined for a branch in which no shape stands. */
  readonly visit: Visit | undefined
}

/**
 * The visit of a value that is of one branch among several: told by its JSON type, then by properties with one value.
 *
 * @returns undefined where a branch with a shape and another one cannot be told apart.
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
