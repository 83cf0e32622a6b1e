// The search for schemas that may be a changed shape without saying so: references that lead nowhere, and look-alikes.
import { differenceOf } from '../../schemas/differences'
import { eachSchema, strangersIn } from '../../schemas/keywords'
import { isName, isObject, type JsonSchema, type SchemaReading } from '../../schemas/model'
import { didYouMean, near } from '../../util/suggest'
import { type Definitions, isRule, type ShapeChange } from './definitions'
import type { Body } from './operations'
import { at, resolveIn, type SchemaPlace, type Table } from './places'
import type { Report } from './problems'
import { valuesOf } from './telling'

/** A changed shape, as far as a schema without its name may look like it. */
interface Portrait {
  readonly name: string
  readonly description: string
  /** Its members since the change. */
  readonly members: JsonSchema
  /** The members that the change brought or changed. */
  readonly brought: readonly string[]
}

type Sides = [older: SchemaReading, newer: SchemaReading]

/** The search in the bodies of operations, and in all that they refer to, in each version. */
export class Overlooked {
  /** The shapes that each change brought or changed members of. */
  readonly #portraits: readonly (readonly Portrait[])[]
  /** The schemas that were searched, by the number of changes that a version includes. */
  readonly #searched: readonly Set<JsonSchema>[]
  /** The schemas that were also compared with shapes: an operation that comes later may be the first that meets a change. */
  readonly #compared: readonly Set<JsonSchema>[]

  /** @param others the definitions of the other direction: a shape of answers alone may stand in bodies without its name. */
  constructor(
    changes: readonly ShapeChange[],
    private readonly definitions: Definitions,
    private readonly report: Report,
    others: Definitions = definitions,
  ) {
    this.#portraits = changes.map(({ shapes, description }, index) =>
      [...shapes.keys()].flatMap((name) => {
        const { tables } = definitions.tables[index + 1]?.has(name) === true ? definitions : others
        const newer = tables[index + 1]?.get(name)
        // No body has it.
        if (newer === undefined) return []
        const older = tables[index]?.get(name) as SchemaReading
        const members = membersOf(newer)
        const brought = Object.keys(members).filter((member) => isChanged(member, older, newer))
        return brought.length === 0 ? [] : { name, description, members, brought }
      }),
    )
    this.#searched = definitions.tables.map(() => new Set())
    this.#compared = definitions.tables.map(() => new Set())
  }

  /**
   * Searches a body in all versions.
   *
   * @param meets tells whether the operation meets a change, by its index.
   */
  check({ label, schemas }: Body, meets: (index: number) => boolean): void {
    for (const [behind, schema] of schemas.entries()) {
      if (schema === null) continue
      const portraits = behind > 0 && meets(behind - 1) ? (this.#portraits[behind - 1] as Portrait[]) : []
      this.#search(schema, { root: label, path: '' }, behind, portraits)
    }
  }

  /** @param named the name by which a reference led to the schema, if it did. */
  #search(
    reading: SchemaReading,
    place: SchemaPlace,
    behind: number,
    portraits: readonly Portrait[],
    named?: string,
  ): void {
    const { schema, definitions } = reading
    const searched = (portraits.length > 0 ? this.#compared : this.#searched)[behind] as Set<JsonSchema>
    if (searched.has(schema)) return
    searched.add(schema)
    const { $ref } = schema
    if (typeof $ref === 'string') {
      const table = this.definitions.tables[behind] as Table
      const target = resolveIn(table)($ref, reading)
      const isOther = isName($ref)
      if (target === undefined) this.#reportNowhere($ref, table, place)
      else if (isOther) this.#search(target, { root: `"${$ref}"`, path: '' }, behind, portraits, $ref)
      else this.#search(target, place, behind, portraits)
    }
    if (named === undefined) for (const portrait of portraits) this.#compare(reading, portrait, place)
    for (const [keyword, value] of strangersIn(schema)) {
      if (!holdsSchema(value)) continue
      this.report(
        `a schema stands behind "${keyword}", which is no keyword of JSON Schema, so it is not followed,`,
        at(place),
      )
    }
    eachSchema(schema, (inner, path) => {
      if (!isObject(inner)) return
      this.#search({ schema: inner, definitions }, { ...place, path: place.path + path }, behind, portraits)
    })
  }

  #reportNowhere(reference: string, table: Table, place: SchemaPlace): void {
    const hint = didYouMean(near(reference, table.keys()))
    this.report(
      `a "$ref" leads to "${reference}", but no description has a schema of that name.${hint} Describe it, or write the schema in place of the reference,`,
      at(place),
    )
  }

  #compare(reading: SchemaReading, { name, description, members, brought }: Portrait, place: SchemaPlace): void {
    const own = membersOf(reading)
    const common = Object.keys(members).filter((member) => Object.hasOwn(own, member))
    if (!brought.every((member) => common.includes(member)) || common.length * 2 < Object.keys(members).length) return
    if (common.some((member) => isOtherConstant(own[member], members[member]))) return
    this.report(
      `an object without a name looks like the shape "${name}" of the change "${description}", whose members it has. Libraries drop the name of a schema that is derived from another one. Name it "${name}", or give it a name of its own if it is another thing,`,
      at(place),
    )
  }
}

/** Returns the members of an object, which may be split over `allOf`. */
function membersOf({ schema: { properties, allOf } }: SchemaReading): JsonSchema {
  const parts = Array.isArray(allOf) ? allOf.filter(isObject) : []
  const own = parts.map((schema) => membersOf({ schema, definitions: new Map() }))
  return Object.assign({}, ...own, isObject(properties) ? properties : {})
}

function isChanged(member: string, ...sides: Sides): boolean {
  if (!Object.hasOwn(membersOf(sides[0]), member)) return true
  const [before, since] = sides.map((reading) => ({ ...reading, schema: membersOf(reading)[member] })) as Sides
  return differenceOf(before, since, isRule) !== undefined
}

/** Tells whether a value has a schema in it that has a name, refers to one, or lists members. */
function holdsSchema(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsSchema)
  if (!isObject(value)) return false
  const { $id, $ref, properties } = value
  if (typeof $id === 'string' || typeof $ref === 'string') return true
  return (isObject(properties) && Object.values(properties).some(isObject)) || Object.values(value).some(holdsSchema)
}

/** Tells whether two schemas allow one value each, and not the same. */
function isOtherConstant(one: unknown, other: unknown): boolean {
  // A reading has no boolean schemas there.
  const [left, right] = [one, other].map((schema) => valuesOf(schema as JsonSchema))
  return left?.length === 1 && right?.length === 1 && left[0] !== right[0]
}
