// The visits of unions: how a value tells its branch.
import { type Alternative, areApart, hasMarks, OBJECT, ownOf, STRING, TYPES, typeOf } from '../../schemas/alternatives'
import type { Misfit, Visit } from './visits'

/** One kind of value that a branch of an `anyOf` or `oneOf` allows. */
interface Candidate {
  readonly alternative: Alternative
  /** The visit; undefined for a branch without shapes. */
  readonly visit: Visit | undefined
  /** `true` if the branch allows `null`, in the older or in the newer version. */
  readonly isNullable: boolean
  /** The index of its branch. */
  readonly index: number
  /** The values of the discriminator; undefined without one. */
  readonly tags: ReadonlySet<unknown> | undefined
}

/** A candidate with the required properties that only its branch has. */
interface Told extends Candidate {
  readonly own: readonly string[]
}

/**
 * Makes the visit of a value that belongs to one of several branches. The JSON type selects the branch, then properties with a
 * single value, the discriminator, and required properties that no other branch has.
 *
 * @param tag the property of the discriminator.
 * @returns undefined if a branch with a shape cannot be distinguished from another one.
 */
export function visitUnion(
  candidates: readonly Candidate[],
  misfit: Misfit,
  tag: string | undefined,
): Visit | undefined {
  const byType = TYPES.map((type) => candidates.filter(({ alternative }) => (alternative.types & type) !== 0))
  const objects = toldOf(byType[TYPES.indexOf(OBJECT)] as readonly Candidate[])
  const others = byType.filter((_, at) => TYPES[at] !== OBJECT)
  if (others.some((among) => among.some(({ visit }) => visit !== among[0]?.visit))) return undefined
  if (!areTold(objects)) return undefined
  const visitNull = nullVisit(candidates)
  return (value, run) => {
    if (value === null) return visitNull(null, run)
    const type = typeOf(value)
    const same = byType[TYPES.indexOf(type)] as readonly Candidate[]
    // A query has strings instead of numbers.
    const isText = run.isQuery === true && type === STRING && same.length === 0
    const chosen =
      type === OBJECT
        ? choose(value as Record<string, unknown>, objects, tag)
        : isText
          ? candidates.find(({ alternative }) => hasMarks(Object(value), alternative))
          : same[0]
    if (chosen === undefined) return misfit(value, run)
    return chosen.visit === undefined ? value : chosen.visit(value, run)
  }
}

/**
 * Makes the visit of a value whose branch a function tells.
 *
 * @param names the names of the branches; undefined for a branch without one.
 */
export function visitTold(
  tell: (value: unknown) => string | number | undefined,
  names: readonly unknown[],
  candidates: readonly Candidate[],
  misfit: Misfit,
): Visit {
  const visitNull = nullVisit(candidates)
  const byIndex = new Map(candidates.map((candidate) => [candidate.index, candidate]))
  return (value, run) => {
    if (value === null) return visitNull(null, run)
    let told: string | number | undefined
    try {
      told = tell(value)
    } catch {
      return misfit(value, run)
    }
    const chosen = byIndex.get(typeof told === 'string' ? names.indexOf(told) : (told ?? -1))
    if (chosen === undefined) return misfit(value, run)
    return chosen.visit === undefined ? value : chosen.visit(value, run)
  }
}

/** Returns the visit of `null`, which stays where a branch without shapes allows it, or none does. */
function nullVisit(candidates: readonly Candidate[]): Visit {
  const ofNull = candidates.filter(({ isNullable }) => isNullable)
  const visits = ofNull.map(({ visit }) => visit ?? STAYS)
  return visits.find((visit) => visit === STAYS) ?? visits[0] ?? STAYS
}

const STAYS: Visit = (value) => value

function toldOf(objects: readonly Candidate[]): Told[] {
  return objects.map((one) => {
    const others = objects.filter(({ visit }) => visit !== one.visit).map(({ alternative }) => alternative)
    return { ...one, own: ownOf(one.alternative, others) }
  })
}

/** Tells whether objects show which branch they belong to, as far as it matters. */
function areTold(objects: readonly Told[]): boolean {
  const isApart = (one: Told, other: Told) =>
    one.visit === other.visit ||
    areApart(one.alternative, other.alternative) ||
    (one.tags !== undefined && other.tags !== undefined && isDisjoint(one.tags, other.tags)) ||
    (one.own.length > 0 && other.own.length > 0)
  return objects.every((one, index) => objects.slice(index + 1).every((other) => isApart(one, other)))
}

/** Returns the branch of an object; undefined for an object of none, or of two. */
function choose(value: Record<string, unknown>, objects: readonly Told[], tag: string | undefined): Told | undefined {
  const first = only(objects)
  if (first !== undefined) return first
  const isTagged = ({ tags }: Told) => tag === undefined || tags === undefined || tags.has(own(value, tag))
  const marked = objects.filter((one) => hasMarks(value, one.alternative) && isTagged(one))
  return only(marked) ?? only(marked.filter((one) => one.own.some((name) => Object.hasOwn(value, name))))
}

/** Returns one of several candidates that have the same visit. */
function only<One extends Candidate>(candidates: readonly One[]): One | undefined {
  const [first] = candidates
  return candidates.every(({ visit }) => visit === first?.visit) ? first : undefined
}

function own(value: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined
}

function isDisjoint(one: ReadonlySet<unknown>, other: ReadonlySet<unknown>): boolean {
  return [...one].every((value) => !other.has(value))
}
