// The places of shapes in schemas, compiled to visits of values.

import { isDeepStrictEqual } from 'node:util'
import { alternativesOf, NULL, typesAllowed, typesOf } from '../../schemas/alternatives'
import { isCompared, SchemaComparison } from '../../schemas/differences'
import { baseDiscriminatorIn, type Discriminator, discriminatorIn, heirsIn } from '../../schemas/discriminators'
import { propertiesOf, type Resolve } from '../../schemas/graph'
import {
  branchesIn,
  contentsIn,
  eachSchema,
  isKeyword,
  referenceIn,
  referenceTo,
  type Union,
  unionsIn,
} from '../../schemas/keywords'
import { locationOf, locationText, type SchemaLocation, within } from '../../schemas/location'
import { isName, isObject, type JsonSchema, type SchemaReading } from '../../schemas/model'
import { stepsOf, valueAt } from '../../schemas/pointers'
import { holding, type NamedSchemas, resolveIn } from '../../schemas/reach'
import { kindOf } from '../../util/options'
import type { PlacesLine, Report } from '../../util/problems'
import { type Conjunct, conflictOf, conjunctsOf } from './conjuncts'
import {
  type BranchSelector,
  type Inside,
  type Misfit,
  type Run,
  STAYS,
  sequence,
  type Visit,
  visitParts,
  visitTold,
  visitUnion,
} from './visits'

/** The settings for compiling places: one change in one direction. */
export interface VisitSettings {
  /** The definitions that locate shapes: those of the older version. */
  readonly table: NamedSchemas
  /** The definitions of the newer version. */
  readonly newer: NamedSchemas
  /** The definitions that values have when their branches and types are checked. */
  readonly valued: NamedSchemas
  /** The shapes that the change converts. */
  readonly names: ReadonlySet<string>
  /**
   * Makes the visit of a shape.
   *
   * @param inside the visit of its contents, known when the visit runs.
   */
  convert(name: string, inside: Inside | undefined, values: ShapeValues): Visit
  /** Tells whether the change of a shape is said by `fields()`, so that it holds for a part of an object too. */
  isByFields(name: string): boolean
  /** Returns the newer names of the properties that the change of a shape renames, by their older names. */
  renamedBy(name: string): ReadonlyMap<string, string>
  /** Returns the change of a shape: shapes that change alike have equal ones. */
  changeOf(name: string): unknown
  /** Returns the names that the properties of a shape have in the version of the values, by their names of today. */
  renamed(name: string): ReadonlyMap<string, string>
  /** The functions that tell the branches of unions, by their schemas. */
  readonly branches: ReadonlyMap<object, BranchSelector>
  /** Returns the key of the option `places` for a schema of the older version, or of the newer one. */
  keyOf(schema: JsonSchema, place: SchemaLocation, isNewer: boolean): string
  /** Rejects a value. */
  misfit(what: string, run: Run): never
}

/** The values that a shape may have in its place. */
export interface ShapeValues {
  /** Their types, as bits. */
  readonly types: number
  /** `true` if `null` is converted. Where both sides allow it, it means the same. */
  readonly convertsNull: boolean
  /** Rejects all others. */
  readonly misfit: Misfit
}

/** Returns the name of a shape among schemas that all hold for a value. */
function nameOf({ reading }: Conjunct): string {
  return referenceIn(reading.schema) as string
}

const UNTOLD =
  'its branch cannot be told from another one, by the JSON type, a property with one value, the "discriminator", or a required property that no other branch has'

/** The compiler of schemas to visits of the places of one change's shapes. */
export type VisitCompiler = ReturnType<typeof visitCompiler>

/**
 * Makes the compiler of schemas to visits of the places of one change's shapes.
 *
 * @param report gets the places where a shape cannot be converted.
 */
export function visitCompiler(conversion: VisitSettings, report: Report) {
  const { table, newer, names, isByFields } = conversion
  const holds = holding(table, names)
  const resolve = resolveIn(table)
  const resolveNewer = resolveIn(newer)
  const resolveValued = resolveIn(conversion.valued)
  /** The comparison of schemas that are converted alike: a name counts if the change converts it. */
  const alike = new SchemaComparison<SchemaReading>({
    follow: (name, from) => (names.has(name) ? undefined : resolve(name, from)),
    counts: isCompared,
  })
  /** The visits by name, or by schema without a name. Each is stored before its contents, which may refer to it. */
  const visits = new Map<string | JsonSchema, Visit>()
  /** The visits of values that several schemas describe, by these schemas. */
  const joint = new Map<string, Visit>()
  const ids = new Map<JsonSchema, number>()
  const bySide = <Result>(find: (resolve: Resolve) => Result): [Result, Result] => [find(resolve), find(resolveNewer)]

  /**
   * @param isOwned `true` for the definition of a shape by `shape()`, whose step converts the whole value.
   * @param others the other schemas of the value, if it is in several parts of an object.
   */
  function visitOne(
    reading: SchemaReading,
    place: SchemaLocation,
    isOwned = false,
    others: readonly SchemaReading[] = [],
  ): Visit | undefined {
    const readings = [reading, ...others.filter((other) => !alike.isSame(reading, other))]
    if (!readings.some(holds)) return undefined
    const direct = conjunctsOf(readings, place, resolve, () => isOwned)
    if (direct.length < 2) return direct[0] && visitConjunct(direct[0])
    const key = readings.map(({ schema }) => idOf(schema)).join()
    const known = joint.get(key)
    if (known !== undefined) return known
    // Its visit is made last, because the contents may contain the schema.
    const inside = {} as Inside
    joint.set(key, (value, run) => inside.visit(value, run))
    inside.visit = visitIntersection(readings, place, isOwned) ?? STAYS
    return inside.visit
  }

  function idOf(schema: JsonSchema): number {
    const id = ids.get(schema) ?? ids.size
    ids.set(schema, id)
    return id
  }

  /** Reports a parameter of a query that is one string, whatever is in it. */
  function rejectText(schema: JsonSchema, definitions: SchemaReading['definitions'], place: SchemaLocation): void {
    const line = { key: conversion.keyOf(schema, place, false), meaning: 'null /* it stays as it is sent */' }
    const reason =
      'the parameter is one string. Write a "query" step of the operation, with { older: { query } }; or let the parameter have the style "deepObject"'
    reject({ schema, definitions }, place, reason, names, line)
  }

  /** @param among the schemas that all hold for the value. */
  function visitConjunct(one: Conjunct, among: readonly Conjunct[] = [one]): Visit | undefined {
    const { kind, reading, place } = one
    if (kind === '$ref') return visitReference(reading, place)
    if (kind !== 'own') return visitOfUnion(reading, kind, place)
    const { schema, definitions } = reading
    eachSchema(schema, (inner, path) => {
      const [keyword] = stepsOf(path) as [string]
      if (isKeyword(keyword, 'shown') || !isObject(inner)) return
      const hidden = { ...place, path: place.path + path }
      if (keyword === 'contentSchema' && place.place.endsWith(' query')) rejectText(inner, definitions, place)
      else reject({ schema: inner, definitions }, hidden, `values do not show "${keyword}"`)
    })
    return visitContents(one, among)
  }

  /** Joins schemas that all hold for one value. Shapes among them are converted first in responses, and last in requests. */
  function visitIntersection(
    readings: readonly SchemaReading[],
    place: SchemaLocation,
    isOwned: boolean,
  ): Visit | undefined {
    const isConverted = (name: string) => names.has(name) && !isOwned
    const every = conjunctsOf(readings, place, resolve, (name) => !isConverted(name))
    const all = every.filter((one, at) =>
      every.every((other, index) => {
        const isFirst = index < at || !covers(one, other)
        return index === at || !isFirst || !covers(other, one)
      }),
    )
    const { renamedBy } = conversion
    const sides = { table: resolve, newer: resolveNewer, names, isByFields, renamedBy, holds }
    const conflict = conflictOf(all, sides)
    if (conflict !== undefined) {
      for (const reading of readings) reject(reading, place, conflict.reason, conflict.names)
      return undefined
    }
    // The contents of shapes by fields() stand beside those of other parts: a property may be in several.
    const shapes = new Set<string>()
    const covered = new Set(every.filter((one) => !all.includes(one)).map(nameOf))
    const parts = conjunctsOf(readings, place, resolve, (name) => {
      if (isConverted(name) && !covered.has(name)) shapes.add(name)
      return !isConverted(name) || isByFields(name)
    })
    const visit = sequence(
      parts.map((one) => {
        if (one.kind !== '$ref') return visitConjunct(one, parts)
        const name = nameOf(one)
        return visitOne(table.get(name) as SchemaReading, locationOf(name), true)
      }),
    )
    const [reading] = readings as [SchemaReading]
    return [...shapes].reduceRight((rest, name) => visitShape(name, reading, rest && { visit: rest }, place), visit)
  }

  /** Tells whether a shape is converted along with another one: both change alike, and it has no other changed properties. */
  function covers(one: Conjunct, other: Conjunct): boolean {
    const { changeOf } = conversion
    if (one.kind !== '$ref' || other.kind !== '$ref') return false
    const [name, inside] = [nameOf(one), nameOf(other)]
    if (!isByFields(name) || !isDeepStrictEqual(changeOf(name), changeOf(inside))) return false
    const [all, own] = [name, inside].map((shape) => changedIn(shape)) as [Set<string>, Set<string>]
    return [...own].every((property) => all.has(property))
  }

  /** Returns the properties of a shape that differ between the sides of the change. */
  function changedIn(name: string): Set<string> {
    const [older, newer] = bySide((resolve) =>
      propertiesOf<SchemaReading>({ schema: referenceTo(name), definitions: new Map() }, resolve),
    )
    const isSame = (property: string) => {
      const [before, since] = [older.get(property), newer.get(property)]
      return before !== undefined && since !== undefined && alike.isSame(before, since)
    }
    return new Set([...older.keys(), ...newer.keys()].filter((property) => !isSame(property)))
  }

  /** Reports the shapes in a schema that cannot be converted there. */
  function reject(
    reading: SchemaReading,
    place: SchemaLocation,
    reason: string,
    about: Iterable<string> = names,
    line?: PlacesLine,
  ): void {
    for (const name of about) {
      if (!holding(table, [name])(reading)) continue
      report(`the shape "${name}" cannot be converted ${locationText(place)}: ${reason}.`, undefined, line)
    }
  }

  function misfitAt(place: SchemaLocation): Misfit {
    return (value, run) =>
      run.find === undefined
        ? conversion.misfit(`${kindOf(value)} ${locationText(place)}, which its schema does not allow`, run)
        : value
  }

  function visitReference(reading: SchemaReading, place: SchemaLocation): Visit {
    const key = referenceIn(reading.schema) as string
    const target = resolve(key, reading) as SchemaReading
    const isConverted = names.has(key)
    const hasInside = holds(target)
    const known = visits.get(isName(key) ? key : target.schema)
    if (known !== undefined) return known
    // Its visit is made last, because the contents may contain the shape.
    const inside = {} as Inside
    const visit: Visit = isConverted
      ? visitShape(key, reading, hasInside ? inside : undefined, place)
      : (value, run) => inside.visit(value, run)
    visits.set(isName(key) ? key : target.schema, visit)
    const root = isName(key) ? locationOf(key) : place
    const isOwned = isConverted && !isByFields(key)
    inside.visit = visitOne(target, root, isOwned) ?? STAYS
    return visit
  }

  function visitShape(name: string, reading: SchemaReading, inside: Inside | undefined, place: SchemaLocation): Visit {
    const named = { ...reading, schema: referenceTo(name) }
    const types = typesAllowed(named, resolveValued)
    const [older, newer] = bySide((resolve) => typesAllowed(named, resolve) & NULL)
    return conversion.convert(name, inside, { types, convertsNull: older !== newer, misfit: misfitAt(place) })
  }

  /** Visits the contents of a value. A part of it that several schemas describe is visited with the first of them. */
  function visitContents(own: Conjunct, among: readonly Conjunct[]): Visit | undefined {
    const { reading, place } = own
    const { schema, definitions } = reading
    const { named, matched, others, first, rest } = contentsIn(schema)
    const visitOf = (one: (typeof named)[number]) => {
      const all = among.flatMap((other) => {
        const inner = other.kind === 'own' ? valueAt(other.reading.schema, one.path) : undefined
        const found = { schema: inner as JsonSchema, definitions: other.reading.definitions }
        return isObject(inner) && holds(found) ? [found] : []
      })
      const isFirst = all[0]?.schema === one.schema
      const location = { ...place, path: place.path + one.path }
      return isFirst ? visitOne({ schema: one.schema, definitions }, location, false, all.slice(1)) : undefined
    }
    const misfit = misfitAt(place)
    const byPattern = matched.map((one) => ({ ...one, visit: visitOf(one) }))
    const visitOfOthers = others && visitOf(others)
    // A pattern matters only if a shape stands behind it, or in the properties that it does not match.
    const matters = visitOfOthers !== undefined || byPattern.some(({ visit }) => visit !== undefined)
    const patterns = matters ? byPattern.map(({ key, visit }) => ({ pattern: patternOf(key, place), visit })) : []
    const object = {
      named: new Map(named.map((one) => [one.key, visitOf(one)])),
      patterns,
      others: visitOfOthers,
    }
    return visitParts(object, { first: first.map(visitOf), others: rest && visitOf(rest) }, typesOf(schema), misfit)
  }

  /** Compiles a key of `patternProperties`, and reports an invalid one. */
  function patternOf(source: string, place: SchemaLocation): RegExp {
    try {
      return new RegExp(source, 'u')
    } catch (error) {
      const patterns = within(place, 'patternProperties')
      report(`there is no valid pattern ${locationText(patterns)}: ${(error as Error).message}.`)
      return /(?:)/
    }
  }

  function visitOfUnion(reading: SchemaReading, keyword: Union, place: SchemaLocation): Visit | undefined {
    const own = typesOf(reading.schema)
    const schemas = branchesIn(reading.schema, keyword)
    const branches = schemas.map((schema) => ({ ...reading, schema }))
    const walk = { follow: resolveValued, renamed: conversion.renamed }
    const told = discriminatorIn(reading, schemas, walk)
    const visits: (Visit | undefined)[] = []
    const candidates = branches.flatMap((branch, index) => {
      // Equal branches need not be told apart.
      const same = branches.findIndex((other) => other === branch || alike.isSame(other, branch))
      const visit = same < index ? visits[same] : visitOne(branch, within(place, keyword, String(index)))
      visits.push(visit)
      // `null` may mean something on one side alone.
      const isNullable = bySide((resolve) => typesAllowed(branch, resolve) & own & NULL).some((bits) => bits !== 0)
      return alternativesOf(branch, resolveValued).map((alternative) => ({
        visit,
        isNullable,
        index,
        alternative: { ...alternative, types: alternative.types & own },
      }))
    })
    if (candidates.every(({ visit }) => visit === undefined)) return undefined
    const tell = conversion.branches.get(reading.schema)
    if (tell !== undefined) {
      const names = schemas.map(referenceIn)
      return visitTold(tell, names, candidates, misfitAt(place))
    }
    const visitBy = (one: Discriminator | undefined) => visitUnion(candidates, misfitAt(place), one)
    // The base of the branches may have said how to tell them, as springdoc writes it.
    const visit =
      visitBy(told) ?? (told === undefined ? visitBy(baseDiscriminatorIn(reading, schemas, walk)) : undefined)
    if (visit === undefined) {
      const rejectUntold = (schema: JsonSchema, isNewer: boolean) => {
        const key = conversion.keyOf(schema, place, isNewer)
        const line = { key, meaning: '(value) => undefined /* the name or the index of its branch */' }
        reject(reading, within(place, keyword), UNTOLD, names, line)
      }
      const since = untoldSince(place, reading.schema)
      if (since !== undefined) rejectUntold(since, true)
      rejectUntold(reading.schema, false)
    }
    return visit
  }

  /** Returns another union that the newer version has in a place, and that nothing tells either: one message asks for both. */
  function untoldSince({ place, path }: SchemaLocation, older: JsonSchema): JsonSchema | undefined {
    const named = newer.get(place)
    const schema = named && valueAt(named.schema, path)
    if (named === undefined || !isObject(schema) || schema === older || conversion.branches.has(schema))
      return undefined
    const inNewer = holding(newer, names)
    const all = unionsIn(schema).flatMap(([, inner]) => inner.map((one) => ({ ...named, schema: one })))
    const candidates = all.flatMap((branch, index) => {
      const visit: Visit | undefined = inNewer(branch) ? STAYS.bind(undefined) : undefined
      const alternatives = alternativesOf(branch, resolveNewer)
      return alternatives.map((alternative) => ({ alternative, visit, isNullable: false, index }))
    })
    return visitUnion(candidates, STAYS, undefined) === undefined ? schema : undefined
  }

  return {
    /**
     * Returns the visit of a schema.
     *
     * @param place its place, for errors.
     * @returns undefined for a schema without shapes that the change converts.
     */
    visitOf(reading: SchemaReading, place: SchemaLocation): Visit | undefined {
      for (const { base, name, part, names: heirs } of heirsIn(reading, table, names, holds)) {
        const reason = `the values of "${base}" may be of "${name}", by its "discriminator", and no "oneOf" tells them apart. Describe it with { oneOf: [{ $ref: '${name}' }, ...], discriminator: { ... } }, or without the "discriminator"`
        reject(part, place, reason, heirs)
      }
      return visitOne(reading, place)
    },

    /** Returns the visit of a shape, after a visit of a schema that contains it. */
    shapeVisit(name: string): Visit | undefined {
      return visits.get(name)
    },
  }
}
