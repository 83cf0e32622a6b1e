// The visits of values: the conversion of shapes in their places, and in the branches of unions.
import {
  type Alternative,
  areApart,
  hasMarks,
  NULL,
  OBJECT,
  ownOf,
  STRING,
  TYPES,
  typeOf,
} from '../../schemas/alternatives'
import type { Discriminator } from '../../schemas/discriminators'
import type { CompiledStep, RunContext } from './steps'

/** The context of the visit of one value. */
export interface Run {
  readonly context: RunContext
  /** `true` if no step follows this change: its results then need no copy. */
  readonly isLast: boolean
  /** The same context for a pass that is not the last. */
  readonly before?: Run
  /** `true` for a query: its values are strings, and a list of one value is that value. */
  readonly isQuery?: boolean
  /** The collection of the values of shapes that contain others. They are converted later. */
  readonly nesting?: Nesting
  /** The search for the values of shapes. Nothing is converted then. */
  readonly find?: (value: object, inside: Inside | undefined) => void
}

/** The shapes that contain others, in one body on its way through one change. */
export interface Nesting {
  /** Notes the value of a shape, and returns what stands in its place until it is converted. */
  add(value: unknown, step: CompiledStep, inside: Inside | undefined): Waiting
}

/** The visit of a shape's contents. They may contain the shape. */
export interface Inside {
  visit: Visit
}

/** The value of a shape that waits for its conversion, in its place. */
export class Waiting {
  around: Record<string | number, unknown> = {}
  key: string | number = ''

  constructor(
    public value: unknown,
    readonly step: CompiledStep,
    readonly inside: Inside | undefined,
    readonly depth: number,
  ) {}
}

/** Replaces a property. A search changes nothing, and what it searches may be frozen. */
export function replace<Key extends string | number>(around: Record<Key, unknown>, key: Key, value: unknown): void {
  if (value instanceof Waiting) {
    value.around = around
    value.key = key
  }
  if (around[key] !== value) around[key] = value
}

/**
 * A function that converts the shapes in a value.
 *
 * @returns the value in its place.
 */
export type Visit = (value: unknown, run: Run) => unknown

/** A function that rejects a value with another JSON type than described. A search passes it by. */
export type Misfit = Visit

/** Returns the value: visits a schema without shapes to convert. */
export const STAYS: Visit = (value) => value

/** The visits of an object's properties: by name, by pattern, and all others. */
interface Properties {
  /** The visits of all listed names. */
  readonly named: ReadonlyMap<string, Visit | undefined>
  readonly patterns: readonly { readonly pattern: RegExp; readonly visit: Visit | undefined }[]
  readonly others: Visit | undefined
}

/** The visits of a list's items: the first ones, and all others. */
interface Items {
  readonly first: readonly (Visit | undefined)[]
  readonly others: Visit | undefined
}

/**
 * Joins the visits of objects and lists. Few functions call each other on the way down, so that deep values fit on the stack.
 *
 * @param types the types that the schema allows, as bits.
 */
export function visitParts(properties: Properties, items: Items, types: number, misfit: Misfit): Visit | undefined {
  const hasItems = items.others !== undefined || items.first.some((visit) => visit !== undefined)
  const guard: Visit = (value, run) => {
    const type = typeOf(value)
    if ((type & types) !== 0 || type === NULL) return value
    // A query has a list of one value as that value.
    return hasItems && run.isQuery === true && type === STRING ? value : misfit(value, run)
  }
  const visitObject = visitProperties(properties, guard, misfit)
  if (!hasItems) return visitObject
  const visitList = visitItems(items, guard)
  if (visitObject === undefined) return visitList
  return (value, run) => (Array.isArray(value) ? visitList(value, run) : visitObject(value, run))
}

function visitProperties({ named, patterns, others }: Properties, guard: Visit, misfit: Misfit): Visit | undefined {
  const places = [...named].filter((entry): entry is [string, Visit] => entry[1] !== undefined)
  if (others === undefined && patterns.every(({ visit }) => visit === undefined)) {
    return places.length === 0 ? undefined : visitNamed(places, guard)
  }
  return (given, run) => {
    const value = guard(given, run)
    if (typeOf(value) !== OBJECT) return value
    const record = value as Record<string, unknown>
    for (const name of Object.keys(record)) {
      const inner = record[name]
      const matching = patterns.filter(({ pattern }) => pattern.test(name))
      const isListed = named.has(name)
      const visits = new Set([named.get(name), ...matching.map(({ visit }) => visit)])
      if (!isListed && matching.length === 0) visits.add(others)
      visits.delete(undefined)
      // Two visits would convert it twice.
      if (visits.size > 1) return misfit(inner, run)
      const [visit] = visits
      if (visit !== undefined) replace(record, name, visit(inner, run))
    }
    return record
  }
}

function visitNamed(places: readonly (readonly [string, Visit])[], guard: Visit): Visit {
  return (given, run) => {
    const value = guard(given, run)
    if (typeOf(value) !== OBJECT) return value
    const record = value as Record<string, unknown>
    for (let index = 0; index < places.length; index++) {
      const [name, visit] = places[index] as (typeof places)[number]
      if (Object.hasOwn(record, name)) replace(record, name, visit(record[name], run))
    }
    return record
  }
}

function visitItems({ first, others }: Items, guard: Visit): Visit {
  return (given, run) => {
    const value = guard(given, run)
    const isOne = run.isQuery === true && typeof value === 'string'
    if (!isOne && !Array.isArray(value)) return value
    const list: unknown[] = isOne ? [value] : (value as unknown[])
    for (let index = 0; index < list.length; index++) {
      const visit = index < first.length ? first[index] : others
      if (visit !== undefined) replace(list, index, visit(list[index], run))
    }
    return isOne ? list[0] : list
  }
}

/** Joins the visits of schemas that all hold for one value. */
export function sequence(visits: readonly (Visit | undefined)[]): Visit | undefined {
  const all = visits.filter((visit) => visit !== undefined)
  if (all.length < 2) return all[0]
  return (given, run) => all.reduce((value, visit) => visit(value, run), given)
}

/** One kind of value that a branch of an `anyOf` or `oneOf` allows. */
interface Candidate {
  readonly alternative: Alternative
  /** The visit; undefined for a branch without shapes. */
  readonly visit: Visit | undefined
  /** `true` if the branch allows `null`, in the older or in the newer version. */
  readonly isNullable: boolean
  /** The index of its branch. */
  readonly index: number
}

/** A candidate with the values of the discriminator (undefined without one), and the required properties that only its branch has. */
interface Told extends Candidate {
  readonly tags: ReadonlySet<unknown> | undefined
  readonly own: readonly string[]
}

/**
 * Makes the visit of a value that belongs to one of several branches. The JSON type selects the branch, then properties with a
 * single value, the discriminator, and required properties that no other branch has.
 *
 * @param told the discriminator, if there is one.
 * @returns undefined if a branch with a shape cannot be distinguished from another one.
 */
export function visitUnion(
  candidates: readonly Candidate[],
  misfit: Misfit,
  told: Discriminator | undefined,
): Visit | undefined {
  const byType = TYPES.map((type) => candidates.filter(({ alternative }) => (alternative.types & type) !== 0))
  const objects = toldOf(byType[TYPES.indexOf(OBJECT)] as readonly Candidate[], told)
  const others = byType.filter((_, at) => TYPES[at] !== OBJECT)
  if (others.some((among) => among.some(({ visit }) => visit !== among[0]?.visit))) return undefined
  if (!areTold(objects)) return undefined
  return visitChosen(candidates, misfit, (value, run) => {
    const type = typeOf(value)
    if (type === OBJECT) return choose(value as Record<string, unknown>, objects, told?.propertyName)
    const same = byType[TYPES.indexOf(type)] as readonly Candidate[]
    // A query has strings instead of numbers.
    const isText = run.isQuery === true && type === STRING && same.length === 0
    return isText ? candidates.find(({ alternative }) => hasMarks(Object(value), alternative)) : same[0]
  })
}

/** A function that tells the branch of a value: its name or its index; undefined for none. */
export type BranchSelector = (value: unknown) => string | number | undefined

/**
 * Makes the visit of a value whose branch a function tells.
 *
 * @param names the names of the branches; undefined for a branch without one.
 */
export function visitTold(
  tell: BranchSelector,
  names: readonly unknown[],
  candidates: readonly Candidate[],
  misfit: Misfit,
): Visit {
  const byIndex = new Map(candidates.map((candidate) => [candidate.index, candidate]))
  return visitChosen(candidates, misfit, (value) => {
    try {
      const told = tell(value)
      return byIndex.get(typeof told === 'string' ? names.indexOf(told) : (told ?? -1))
    } catch {
      return undefined
    }
  })
}

/**
 * Makes the visit of a value of a union. `null` stays where a branch without shapes allows it, or none does.
 *
 * @param branchOf returns the branch of a value; undefined if it has none.
 */
function visitChosen(
  candidates: readonly Candidate[],
  misfit: Misfit,
  branchOf: (value: unknown, run: Run) => Candidate | undefined,
): Visit {
  const ofNull = candidates.filter(({ isNullable }) => isNullable)
  const visits = ofNull.map(({ visit }) => visit ?? STAYS)
  const visitNull = visits.find((visit) => visit === STAYS) ?? visits[0] ?? STAYS
  return (value, run) => {
    if (value === null) return visitNull(null, run)
    const chosen = branchOf(value, run)
    if (chosen === undefined) return misfit(value, run)
    return chosen.visit === undefined ? value : chosen.visit(value, run)
  }
}

function toldOf(objects: readonly Candidate[], told: Discriminator | undefined): Told[] {
  return objects.map((one) => {
    const others = objects.filter(({ visit }) => visit !== one.visit).map(({ alternative }) => alternative)
    const tags = told && new Set(told.branches[one.index]?.values)
    return { ...one, tags, own: ownOf(one.alternative, others) }
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
  const alone = only(marked)
  if (alone !== undefined) return alone
  const has = (name: string) => Object.hasOwn(value, name)
  const found = marked.filter((one) => one.own.some(has))
  // It may have some of another branch's too.
  return only(found) ?? only(found.filter((one) => one.own.every(has)))
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
