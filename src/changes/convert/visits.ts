// The visits of values: the conversion of shapes in their places.

import { NULL, OBJECT, STRING, typeOf } from '../../schemas/alternatives'
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

/** A function that returns a value, and rejects one of another JSON type than described. */
type Guard = Visit

/**
 * Joins the visits of objects and lists. Few functions call each other on the way down, so that deep values fit on the stack.
 *
 * @param types the types that the schema allows, as bits.
 */
export function visitParts(properties: Properties, items: Items, types: number, misfit: Misfit): Visit | undefined {
  const hasItems = items.others !== undefined || items.first.some((visit) => visit !== undefined)
  const guard: Guard = (value, run) => {
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

function visitProperties({ named, patterns, others }: Properties, guard: Guard, misfit: Misfit): Visit | undefined {
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

function visitNamed(places: readonly (readonly [string, Visit])[], guard: Guard): Visit {
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

function visitItems({ first, others }: Items, guard: Guard): Visit {
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
