// A definition on its way from the newer version to the older one: each option of `fields()` changes it in turn.

import type { Resolve } from '../../../schemas/graph'
import { mapReferences, propertiesIn, requiredIn } from '../../../schemas/keywords'
import { type Direction, isName, isObject, type JsonSchema, type SchemaReading } from '../../../schemas/model'
import { readSchema } from '../../../schemas/reading'
import type { Schema } from '../../../types'
import { didYouMean, near } from '../../../util/suggest'
import type { RunContext } from '../../convert/steps'

export type Properties = Record<string, unknown>

/** A function that converts the value of a property, or makes one. `whole` is the value that the step got. */
export type Convert = (value: unknown, context: RunContext, whole: Properties) => unknown

const CHANGE_IT = 'change the schema together with them: descriptions, or the document, must have the newest form.'

/** The remedy for an older name or value in the newest schema, whose handlers have changed. */
export const IF_GONE = `If the handlers do not have it any more, ${CHANGE_IT}`

/**
 * Returns the remedies for a newer definition that has the older name and not the newer one: it is still the older definition, or
 * the two are reversed.
 *
 * @param owner the option.
 */
export function swappedOrOld(owner: string, older: unknown, newer: unknown): string {
  const [from, to] = [older, newer].map((name) => JSON.stringify(name))
  return ` It has ${from}. If the handlers have ${to} now, ${CHANGE_IT} If ${from} is the newer one, write { ${to}: ${from} }: ${owner} takes { older: newer }.`
}

/** A property, from its place in the newer version to that in the older one. */
export interface Property {
  /** The name in the version that the draft has reached. */
  name: string
  schema: JsonSchema
  /** The name in the newer version; undefined if the newer version lacks the property. */
  readonly from: string | undefined
  /** The object in the newer version that has the property; undefined for the shape itself. */
  readonly around: Property | undefined
  isRequired: boolean
  /** The properties that must be there if this one is. */
  readonly needs: Set<Property>
  /** The conversions of responses, in their order. */
  readonly older: Convert[]
  /** The conversions of bodies, the last one first. */
  readonly newer: Convert[]
  /** `true` if the older version lacks the property: removed ones stand in its place. */
  isAdded?: boolean
  /** `true` if a conversion makes the value where there is none: it then gets `undefined`. */
  isFilled?: boolean
  /** `true` if it is a list in the newer version, which may have no item for it. */
  mayBeEmpty?: boolean
  /** `true` if responses may lose it on the way. */
  mayLeave?: boolean
  /** The properties of an object that the older version has beside it. */
  inner?: readonly Property[]
}

/** A property that bodies get, if they lack it. */
export interface Preset {
  readonly property: Property
  readonly make: Convert
  /** It is needed if one of these is there; undefined if it always is. */
  readonly when: readonly Property[] | undefined
}

/** A property that responses get. */
interface Made {
  readonly name: string
  readonly make: Convert
}

/** The settings for making one older side. */
export interface FieldSettings {
  readonly direction: Direction
  readonly resolve: Resolve
  /** `true` if the values of added properties are those for this direction. */
  readonly isPreset: boolean
  /** Tells whether bodies need not have a property, although its object requires it: the server sets it. */
  isServed(property: SchemaReading): boolean
  /** Gets the mistakes. */
  fault(problem: string): void
}

/** The definition of a shape between two options, with the ways of its properties. */
export class Draft {
  /** The properties of the newer version. */
  readonly origins: readonly Property[]
  /** The properties in the version that the draft has reached. */
  properties: Property[]
  /** The properties that the definition requires and does not describe. */
  readonly #undescribed: readonly Property[]
  /** `true` if the newer definition requires nothing, such as that of a PATCH. */
  readonly isPartial: boolean
  /** `true` for the side of requests. */
  readonly isBody: boolean
  /** All names that properties had on the way. */
  readonly names: Set<string>
  /** The properties that bodies get, in their order. */
  readonly presets: Preset[] = []
  /** The properties that responses get. */
  readonly made: Made[] = []
  /** The place of the properties that responses get; undefined for the end. */
  place: number | undefined
  readonly lacks: string[] = []
  readonly inside = new Map<string, SchemaReading>()
  unreadable: string | undefined
  readonly #newer: SchemaReading
  readonly #definitions: Map<string, JsonSchema>

  constructor(
    newer: SchemaReading,
    readonly settings: FieldSettings,
  ) {
    this.#newer = newer
    this.#definitions = new Map(newer.definitions)
    const { described, undescribed } = propertiesOf(newer.schema)
    this.origins = described
    this.properties = described
    this.#undescribed = undescribed
    this.names = new Set(described.map(({ name }) => name))
    this.isPartial = [...described, ...undescribed].every(({ isRequired }) => !isRequired)
    this.isBody = settings.direction === 'input'
  }

  /** Returns a property; undefined, with a fault, for an unknown one. */
  find(option: string, name: string, hint?: string): Property | undefined {
    const found = this.properties.find((property) => property.name === name)
    if (found === undefined) this.unknown(option, name, this.properties, hint)
    return found
  }

  /** Reports a name that the definition does not have. */
  unknown(option: string, name: string, known: readonly Property[], hint?: string): void {
    const alike = near(
      name,
      known.map((property) => property.name),
    )
    const remedy = hint ?? (alike.length > 0 ? didYouMean(alike) : ` If the handlers have it, ${CHANGE_IT}`)
    this.settings.fault(`"${option}" says "${name}", which its newer definition does not have.${remedy}`)
  }

  /** Returns a property by its newer name; undefined, with a fault, for an unknown one. */
  findRenamed(option: string, older: string, newer: string): Property | undefined {
    const hasOlder = this.properties.some(({ name }) => name === older)
    return this.find(option, newer, hasOlder ? swappedOrOld(`"${option}"`, older, newer) : undefined)
  }

  /**
   * Tells whether a name of the older version is free, and reports one that is not.
   *
   * @param instead the property whose place it takes.
   */
  isFree(option: string, name: string, instead?: Property): boolean {
    const isFree = this.properties.every((property) => property === instead || property.name !== name)
    if (!isFree)
      this.settings.fault(
        `"${option}" says "${name}" of the older version, but its newer definition has that property already. Change that one too. ${IF_GONE}`,
      )
    return isFree
  }

  /** Lists the properties that cannot be there without another one. */
  needing(property: Property): Property[] {
    return [...this.properties, ...this.#undescribed].filter(({ needs }) => needs.has(property))
  }

  /** Removes a property, and puts others in its place. */
  replace(property: Property, others: readonly Property[] = []): void {
    this.properties = this.properties.flatMap((one) => (one === property ? others : one))
    for (const one of this.needing(property)) one.needs.delete(property)
    for (const { name } of others) this.names.add(name)
  }

  /** Adds properties that only the older version has. */
  add(properties: readonly Property[]): void {
    this.properties = this.properties.toSpliced(this.place ?? this.properties.length, 0, ...properties)
    for (const { name } of properties) this.names.add(name)
  }

  /** Names properties as the older version does, all at once. */
  rename(older: ReadonlyMap<Property, string>): void {
    for (const [property, name] of older) {
      property.name = name
      this.names.add(name)
    }
  }

  readingOf({ schema }: Pick<Property, 'schema'>): SchemaReading {
    return { schema, definitions: this.#definitions }
  }

  /** Reads a schema of the older version. */
  read(name: string, schema: Schema): JsonSchema {
    let reading: SchemaReading
    try {
      reading = readSchema(schema, this.settings.direction)
    } catch (error) {
      this.unreadable = `the schema of "${name}" cannot be expressed in JSON Schema: ${(error as Error).message}`
      return {}
    }
    for (const [key, inner] of reading.definitions) {
      if (isName(key)) this.inside.set(key, { ...reading, schema: inner })
    }
    return this.bring(reading)
  }

  /** Returns the schema of another reading, and adds its definitions. Those without names get keys that are free here. */
  bring(reading: SchemaReading): JsonSchema {
    if (reading.definitions === this.#definitions) return reading.schema
    const keys = new Map<string, string>()
    for (const key of reading.definitions.keys()) {
      let free = key
      while (!isName(free) && this.#definitions.has(free)) free += '~'
      keys.set(key, free)
    }
    const inNewTerms = (schema: JsonSchema) => mapReferences(schema, (key) => keys.get(key) ?? key)
    for (const [key, inner] of reading.definitions) {
      const own = keys.get(key) as string
      if (!this.#definitions.has(own)) this.#definitions.set(own, inNewTerms(inner))
    }
    return inNewTerms(reading.schema)
  }

  /** Lists the properties that the older version requires, and that an empty list of the newer one does not fill. */
  get emptied(): string[] {
    const isEmptied = ({ mayBeEmpty, isRequired, isFilled }: Property) =>
      mayBeEmpty === true && isRequired && isFilled !== true
    return this.properties.flatMap((one) => (isEmptied(one) ? one.name : []))
  }

  /** Returns the definition that the draft has reached. */
  finish(): SchemaReading {
    // These were written for the newer version.
    const { default: _preset, example: _one, examples: _all, ...newer } = this.#newer.schema
    const { required: _names, dependentRequired: _needs, ...rest } = newer
    const all = [...this.properties, ...this.#undescribed]
    const required = all.filter(({ isRequired }) => isRequired).map(({ name }) => name)
    const needs = all
      .map(({ name, needs }) => [name, [...needs].filter((one) => !one.isRequired).map((one) => one.name)] as const)
      .filter(([, names]) => names.length > 0)
    const schema = {
      ...rest,
      properties: Object.fromEntries(this.properties.map(({ name, schema }) => [name, schema])),
      ...(required.length === 0 ? {} : { required }),
      ...(needs.length === 0 ? {} : { dependentRequired: Object.fromEntries(needs) }),
    }
    return { schema, definitions: this.#definitions }
  }
}

/**
 * Returns the properties of an object's schema.
 *
 * @param around the object, for one that is in the shape.
 */
export function propertiesOf(schema: JsonSchema, around?: Property) {
  const { dependentRequired } = schema
  const made = new Map<string, Property>()
  const called = (name: string, schema: JsonSchema = {}): Property => {
    const known = made.get(name)
    if (known !== undefined) return known
    const property = propertyOf({ name, schema, from: name, around })
    made.set(name, property)
    return property
  }
  const described = Object.entries(propertiesIn(schema)).map(([name, inner]) => called(name, inner))
  for (const name of requiredIn(schema)) called(name).isRequired = true
  for (const [name, names] of Object.entries(isObject(dependentRequired) ? dependentRequired : {})) {
    for (const other of [names].flat() as string[]) called(name).needs.add(called(other))
  }
  // A set also visits what is added to it: the needs of needs.
  for (const { needs } of made.values()) for (const one of needs) for (const other of one.needs) needs.add(other)
  for (const { isRequired, needs } of made.values()) if (isRequired) for (const one of needs) one.isRequired = true
  for (const one of made.values()) one.needs.delete(one)
  return { described, undescribed: [...made.values()].filter((one) => !described.includes(one)) }
}

/** Makes a property, which nothing has converted yet. */
export function propertyOf(
  given: Pick<Property, 'name' | 'schema'> & Partial<Pick<Property, 'from' | 'around' | 'isRequired'>>,
): Property {
  const { name, schema, from, around, isRequired = false } = given
  return { name, schema, from, around, isRequired, needs: new Set(), older: [], newer: [] }
}
