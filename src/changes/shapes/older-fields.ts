// The older definition of a shape, made of the newer one by `fields()`, and its checks.
import { isDeepStrictEqual } from 'node:util'
import { mapSchemas } from '../../schemas/keywords'
import { type Direction, isName, isObject, type JsonSchema, type SchemaReading } from '../../schemas/model'
import { readSchema } from '../../schemas/reading'
import type { Schema } from '../../types'
import { didYouMean, near } from '../../util/suggest'
import { newerStep, olderStep, type Preset, type ShapeStep } from './field-steps'
import type { CompiledFields } from './fields'
import { type Resolve, schemasIn, typeOf, typesOf, valuesOf } from './telling'

/** The older side of a shape in one direction, and the step of its change. */
export interface OlderSide {
  /** The definition; undefined if nobody knows it. */
  readonly own: SchemaReading | undefined
  /** The named definitions in it. */
  readonly inside: ReadonlyMap<string, SchemaReading>
  readonly step: ShapeStep | undefined
  /** The things that the step lacks, if the shape stands in a body of this direction. */
  readonly lacks: readonly string[]
  /** The reason why JSON Schema cannot express the older side, if it cannot. */
  readonly unreadable: string | undefined
}

/** The settings for making one older side. */
export interface FieldSettings {
  readonly direction: Direction
  readonly resolve: Resolve
  /** `true` if the values of added members are those for this direction. */
  readonly isPreset: boolean
  /** Gets the mistakes. */
  fault(problem: string): void
}

/** The keywords that speak of an object's members beside `properties`, or of the object as a whole. */
const OTHERS =
  '$ref allOf anyOf oneOf not if then else const enum dependentRequired dependentSchemas dependencies propertyNames minProperties maxProperties unevaluatedProperties'.split(
    ' ',
  )

/** Makes the older side of a shape. */
export function olderFields(fields: CompiledFields, newer: SchemaReading, settings: FieldSettings): OlderSide {
  const draft = new Draft(newer, settings)
  if (isPlainObject(newer.schema)) draft.apply(fields)
  else {
    const keyword = OTHERS.find((one) => Object.hasOwn(newer.schema, one)) ?? 'type'
    settings.fault(
      `its newer definition is no object with "properties" alone: fields() cannot follow its "${keyword}". Name the branches of a union, or write shape(older, steps).`,
    )
  }
  const { lacks, presets, unreadable } = draft
  const step = settings.direction === 'input' ? newerStep(fields, presets) : olderStep(fields)
  return { own: draft.finish(), inside: draft.inside, step, lacks, unreadable }
}

/** A definition on its way from the newer version to the older one. */
class Draft {
  readonly inside = new Map<string, SchemaReading>()
  readonly lacks: string[] = []
  readonly #presets: Preset[] = []
  /** The objects that bodies must have. */
  readonly #wholes: Preset[] = []
  unreadable: string | undefined
  readonly #settings: FieldSettings
  readonly #newer: SchemaReading
  readonly #definitions: Map<string, JsonSchema>
  #members: [name: string, schema: JsonSchema][]
  readonly #required: Set<string>
  readonly #requiresNothing: boolean
  /** The nested object of each member, and `true` if it cannot be there without the member. */
  readonly #nested = new Map<string, { readonly object: string; readonly isNeeded: boolean }>()

  constructor(newer: SchemaReading, settings: FieldSettings) {
    this.#newer = newer
    this.#settings = settings
    this.#definitions = new Map(newer.definitions)
    this.#members = membersOf(newer)
    this.#required = requiredOf(newer)
    this.#requiresNothing = this.#required.size === 0
  }

  apply({ removed, renamed, added, values, converted, nested }: CompiledFields): void {
    for (const [name, members] of nested) this.#unnest(name, members)
    for (const [name, { schema, response, request }] of converted) {
      if (!this.#checkKnown('converted', name)) continue
      this.#set(name, this.#read(name, schema))
      const [kind, step] = this.#settings.direction === 'input' ? ['request', request] : ['response', response]
      if (step === undefined) this.lacks.push(`has no "${kind}" for the converted "${name}"`)
    }
    for (const [name, older] of values) this.#reduce(name, older)
    const place = this.#members.findIndex(([name]) => added.has(name))
    for (const [name, make] of added) this.#drop(name, make)
    this.#rename(renamed)
    const found: [string, JsonSchema][] = []
    for (const [name, { schema, make, isOptional }] of removed) {
      if (this.#checkFree('removed', name)) found.push([name, this.#read(name, schema)])
      if (!isOptional && !this.#requiresNothing) this.#required.add(name)
      if (make === undefined && this.#settings.direction === 'output')
        this.lacks.push(`has no "value" for the removed "${name}"`)
    }
    this.#members.splice(place === -1 ? this.#members.length : place, 0, ...found)
  }

  /** Returns the members that older bodies lack, in the order in which bodies get them. */
  get presets(): readonly Preset[] {
    return [...this.#presets, ...this.#wholes]
  }

  finish(): SchemaReading {
    // These were written for the newer version.
    const { default: _preset, example: _one, examples: _all, required: _names, ...rest } = this.#newer.schema
    const required = this.#required.size === 0 ? {} : { required: [...this.#required] }
    const properties = Object.fromEntries(this.#members)
    return { schema: { ...rest, properties, ...required }, definitions: this.#definitions }
  }

  /** Puts the members of an object beside it. */
  #unnest(name: string, members: readonly string[]): void {
    if (!this.#checkKnown('nested', name)) return
    const found = objectIn(this.#reading(name), this.#settings.resolve)
    if (found === undefined) {
      this.#settings.fault(`"nested" takes objects with "properties" alone, and "${name}" is none.`)
      return
    }
    const own = membersOf(found.reading)
    const inner = new Map(own)
    for (const member of members) if (!inner.has(member)) this.#unknown('nested', member, inner.keys())
    const forgotten = [...inner.keys()].filter((member) => !members.includes(member))
    if (forgotten.length > 0) {
      this.#settings.fault(`"nested" leaves out ${quoted(forgotten)} of "${name}".`)
    }
    const at = this.#members.findIndex(([member]) => member === name)
    this.#members.splice(at, 1)
    const isRequired = this.#required.delete(name)
    const required = requiredOf(found.reading)
    const { isNullable } = found
    // An older body may have none of the members.
    if (isRequired && (isNullable || required.size === 0)) {
      this.#wholes.push({ name, make: () => (isNullable ? null : {}), object: undefined, isAlways: true })
    }
    const brought = own.filter(([member]) => this.#checkFree('nested', member))
    this.#members.splice(
      at,
      0,
      ...brought.map(([member, schema]) => [member, this.#bring({ ...found.reading, schema })] as [string, JsonSchema]),
    )
    for (const [member] of brought) {
      const isNeeded = required.has(member)
      if (isRequired && !isNullable && isNeeded) this.#required.add(member)
      this.#nested.set(member, { object: name, isNeeded })
    }
  }

  /** Takes values away that the older version lacks. */
  #reduce(name: string, older: ReadonlyMap<string, unknown>): void {
    if (!this.#checkKnown('values', name)) return
    const reading = this.#reading(name)
    const all = choicesOf(reading)
    if (all === undefined) {
      const { $ref } = reading.schema
      const hint = typeof $ref === 'string' ? ` Of the shape "${$ref}", say shape(older, steps).` : ''
      this.#settings.fault(`"values" takes members with an "enum" or "const", and "${name}" has none.${hint}`)
      return
    }
    const known = all.map(String)
    const kept = all.filter((value) => !older.has(String(value)))
    for (const [from, to] of older) {
      if (!known.includes(from))
        this.#settings.fault(
          `"values" of "${name}" has ${JSON.stringify(from)}, which its newer definition lacks.${didYouMean(near(from, known))}`,
        )
      if (!kept.includes(to))
        this.#settings.fault(
          `"values" of "${name}" gives ${JSON.stringify(to)}, which its older definition lacks.${didYouMean(near(String(to), kept.map(String)))}`,
        )
    }
    this.#set(
      name,
      withChoices(reading, (value) => kept.includes(value)),
    )
  }

  /** Takes a member away that the older version lacks. */
  #drop(name: string, make: (() => unknown) | undefined): void {
    if (!this.#checkKnown('added', name)) return
    const { direction, resolve, isPreset } = this.#settings
    const isAlways = this.#required.delete(name)
    const { object, isNeeded = false } = this.#nested.get(name) ?? {}
    const isNeededInBodies = direction === 'input' && (isAlways || isNeeded)
    if (make !== undefined && isPreset && !accepts(this.#reading(name), make(), resolve)) {
      this.#settings.fault(`"added" gives "${name}" a value that its schema refuses.`)
    }
    if (isNeededInBodies && make === undefined)
      this.lacks.push(`has no value for the added "${name}", which bodies require`)
    if (isNeededInBodies && make !== undefined) this.#presets.push({ name, make, object, isAlways })
    this.#members = this.#members.filter(([member]) => member !== name)
  }

  #rename(renamed: ReadonlyMap<string, string>): void {
    const older = new Map<string, string>()
    for (const [from, to] of renamed) {
      if (!this.#checkKnown('renamed', to)) continue
      if (older.has(to)) this.#settings.fault(`"renamed" has "${to}" twice.`)
      older.set(to, from)
    }
    for (const from of older.values()) if (!older.has(from)) this.#checkFree('renamed', from)
    const renamedName = (name: string) => older.get(name) ?? name
    this.#members = this.#members.map(([name, schema]) => [renamedName(name), schema])
    const required = [...this.#required].map(renamedName)
    this.#required.clear()
    for (const name of required) this.#required.add(name)
  }

  #checkKnown(option: string, name: string): boolean {
    const known = this.#members.some(([member]) => member === name)
    if (!known)
      this.#unknown(
        option,
        name,
        this.#members.map(([member]) => member),
      )
    return known
  }

  #unknown(option: string, name: string, known: Iterable<string>): void {
    this.#settings.fault(
      `"${option}" says "${name}", which its newer definition does not have.${didYouMean(near(name, known))}`,
    )
  }

  #checkFree(option: string, name: string): boolean {
    const isFree = this.#members.every(([member]) => member !== name)
    if (!isFree)
      this.#settings.fault(
        `"${option}" says "${name}" of the older version, but its newer definition has that member already.`,
      )
    return isFree
  }

  #reading(name: string): SchemaReading {
    const [, schema] = this.#members.find(([member]) => member === name) as [string, JsonSchema]
    return { schema, definitions: this.#definitions }
  }

  #set(name: string, schema: JsonSchema): void {
    this.#members = this.#members.map(([member, own]) => [member, member === name ? schema : own])
  }

  /** Reads the older schema of a member. */
  #read(name: string, schema: Schema): JsonSchema {
    let reading: SchemaReading
    try {
      reading = readSchema(schema, this.#settings.direction)
    } catch (error) {
      this.unreadable = `the schema of "${name}" cannot be expressed in JSON Schema: ${(error as Error).message}`
      return {}
    }
    for (const [key, inner] of reading.definitions) {
      if (isName(key)) this.inside.set(key, { ...reading, schema: inner })
    }
    return this.#bring(reading)
  }

  /** Returns the schema of another reading, and adds its definitions. Those without names get keys that are free here. */
  #bring(reading: SchemaReading): JsonSchema {
    const keys = new Map<unknown, string>()
    for (const key of reading.definitions.keys()) {
      let free = key
      while (!isName(free) && this.#definitions.has(free)) free += '~'
      keys.set(key, free)
    }
    const inNewTerms = (schema: JsonSchema): JsonSchema => {
      const { $ref } = schema
      const called = keys.has($ref) ? { ...schema, $ref: keys.get($ref) } : schema
      return mapSchemas(called, (inner) => (isObject(inner) ? inNewTerms(inner) : inner))
    }
    for (const [key, inner] of reading.definitions) {
      const own = keys.get(key) as string
      if (!this.#definitions.has(own)) this.#definitions.set(own, inNewTerms(inner))
    }
    return inNewTerms(reading.schema)
  }
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}

/** Tells whether a schema is an object of which `properties` says all. */
function isPlainObject(schema: JsonSchema): boolean {
  return isObject(schema.properties) && OTHERS.every((keyword) => !Object.hasOwn(schema, keyword))
}

function membersOf({ schema: { properties } }: SchemaReading): [string, JsonSchema][] {
  return Object.entries(isObject(properties) ? (properties as Record<string, JsonSchema>) : {})
}

function requiredOf({ schema: { required } }: SchemaReading): Set<string> {
  return new Set(Array.isArray(required) ? required : [])
}

/** Returns the schema of an object, which may be `null` and behind references. */
function objectIn(
  reading: SchemaReading,
  resolve: Resolve,
  isNullable = false,
): { readonly reading: SchemaReading; readonly isNullable: boolean } | undefined {
  const { schema } = reading
  if (isPlainObject(schema)) return { reading, isNullable: isNullable || [schema.type].flat().includes('null') }
  const target = typeof schema.$ref === 'string' ? resolve(schema.$ref, reading) : undefined
  if (target !== undefined) return objectIn(target, resolve, isNullable)
  const branches = schemasIn(schema.anyOf ?? schema.oneOf, reading)
  const [object, ...others] = branches.filter(({ schema: { type } }) => type !== 'null')
  if (object === undefined || others.length > 0) return undefined
  return objectIn(object, resolve, isNullable || branches.length > 1)
}

/** Lists the values of an enumeration; undefined for any other schema. */
function choicesOf(reading: SchemaReading): readonly unknown[] | undefined {
  const { schema, definitions } = reading
  const values = valuesOf(schema)
  if (values !== undefined) return values
  const target = typeof schema.$ref === 'string' && !isName(schema.$ref) ? definitions.get(schema.$ref) : undefined
  if (target !== undefined) return choicesOf({ schema: target, definitions })
  if (schema.type === 'null') return [null]
  const branches = schemasIn(schema.anyOf ?? schema.oneOf, reading).map(choicesOf)
  return branches.length > 0 && branches.every((one) => one !== undefined) ? branches.flat() : undefined
}

/** Returns an enumeration with some of its values. */
function withChoices(reading: SchemaReading, isKept: (value: unknown) => boolean): JsonSchema {
  const { default: _preset, example: _one, examples: _all, $ref, ...schema }: JsonSchema = reading.schema
  if ($ref !== undefined) {
    const target = reading.definitions.get($ref as string) as JsonSchema
    return { ...withChoices({ ...reading, schema: target }, isKept), ...schema }
  }
  if (Array.isArray(schema.enum)) return { ...schema, enum: schema.enum.filter(isKept) }
  const keyword = schema.anyOf === undefined ? 'oneOf' : 'anyOf'
  const branches = schemasIn(schema[keyword], reading).filter((branch) => choicesOf(branch)?.some(isKept))
  return branches.length === 0
    ? schema
    : { ...schema, [keyword]: branches.map((branch) => withChoices(branch, isKept)) }
}

/** Tells whether a schema accepts a value, as far as types and listed values tell. */
function accepts(reading: SchemaReading, value: unknown, resolve: Resolve): boolean {
  const { schema } = reading
  const { $ref, type, allOf, anyOf, oneOf } = schema
  const fits = (one: SchemaReading) => accepts(one, value, resolve)
  const target = typeof $ref === 'string' ? resolve($ref, reading) : undefined
  return (
    (typesOf(schema) & typeOf(value)) !== 0 &&
    (type !== 'integer' || Number.isInteger(value)) &&
    (valuesOf(schema)?.some((one) => isDeepStrictEqual(one, value)) ?? true) &&
    (target === undefined || fits(target)) &&
    schemasIn(allOf, reading).every(fits) &&
    [anyOf, oneOf].every((branches) => !Array.isArray(branches) || schemasIn(branches, reading).some(fits))
  )
}
