// The visits of values: the conversion of shapes in their places.
import type { RunContext } from '../steps'
import { type Alternative, areApart, hasMarks, LIST, OBJECT, TYPES, typeOf } from './telling'

/** The context of the visit of one value. */
export interface Run {
  readonly context: RunContext
  /** `true` if no step follows this change: its results then need no copy. */
  readonly isLast: boolean
  /** The same context for a pass that is not the last. */
  readonly before?: Run
}

/**
 * A function that converts the shapes in a value. The value is a copy, and is changed in place.
 *
 * @param value anything but `null`, which always stays.
 * @returns the value in its place.
 */
export type Visit = (value: unknown, run: Run) => unknown

/** A function that refuses a value with another JSON type than described. */
export type Misfit = (value: unknown, run: Run) => never

/** The visits of an object's members: by name, by pattern, and all others. */
export interface Members {
  /** The visits of all listed names. */
  readonly named: ReadonlyMap<string, Visit | undefined>
  readonly patterns: readonly { readonly pattern: RegExp; readonly visit: Visit | undefined }[]
  readonly others: Visit | undefined
}

/** The visits of a list's items: the first ones, and all others. */
export interface Items {
  readonly first: readonly (Visit | undefined)[]
  readonly others: Visit | undefined
}

/**
 * Joins the visits of objects and lists.
 *
 * @param types the types that the schema allows, as bits.
 */
export function visitParts(members: Visit | undefined, items: Visit | undefined, types: number, misfit: Misfit): Visit {
  return (value, run) => {
    const type = typeOf(value)
    if ((type & types) === 0) return misfit(value, run)
    if (type === OBJECT) return members === undefined ? value : members(value, run)
    return type === LIST && items !== undefined ? items(value, run) : value
  }
}

export function visitMembers({ named, patterns, others }: Members, misfit: Misfit): Visit | undefined {
  const places = [...named].filter((entry): entry is [string, Visit] => entry[1] !== undefined)
  if (others === undefined && patterns.every(({ visit }) => visit === undefined)) {
    return places.length === 0 ? undefined : visitNamed(places)
  }
  return (value, run) => {
    const record = value as Record<string, unknown>
    for (const name of Object.keys(record)) {
      const inner = record[name]
      if (inner === null) continue
      const matching = patterns.filter(({ pattern }) => pattern.test(name))
      const isListed = named.has(name)
      const visits = new Set([named.get(name), ...matching.map(({ visit }) => visit)])
      if (!isListed && matching.length === 0) visits.add(others)
      visits.delete(undefined)
      // Two visits would convert it twice.
      if (visits.size > 1) return misfit(inner, run)
      const [visit] = visits
      if (visit !== undefined) record[name] = visit(inner, run)
    }
    return record
  }
}

function visitNamed(places: readonly (readonly [string, Visit])[]): Visit {
  const visits = places.map(
    ([name, visit]): Visit =>
      (value, run) => {
        const record = value as Record<string, unknown>
        const inner = Object.hasOwn(record, name) ? record[name] : null
        if (inner !== null) record[name] = visit(inner, run)
        return record
      },
  )
  const [first] = visits as [Visit]
  if (visits.length === 1) return first
  return (value, run) => {
    for (let index = 0; index < visits.length; index++) (visits[index] as Visit)(value, run)
    return value
  }
}

export function visitItems({ first, others }: Items): Visit | undefined {
  if (others === undefined && first.every((visit) => visit === undefined)) return undefined
  return (value, run) => {
    const list = value as unknown[]
    for (let index = 0; index < list.length; index++) {
      const visit = index < first.length ? first[index] : others
      const inner = list[index]
      if (visit !== undefined && inner !== null) list[index] = visit(inner, run)
    }
    return list
  }
}

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
