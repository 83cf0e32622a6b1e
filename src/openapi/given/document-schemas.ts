// The schemas of a document, read as JSON Schema 2020-12 with the components as definitions.

import type { GivenSchemas } from '../../registry'
import type { Located, Place } from '../../schemas/addresses'
import { isSameSchema } from '../../schemas/differences'
import { chainOf, targetOf, withinReach } from '../../schemas/graph'
import {
  isRule,
  partsIn,
  propertiesIn,
  referenceIn,
  referenceTo,
  requiredIn,
  strangersIn,
  unionsIn,
} from '../../schemas/keywords'
import { isObject, type JsonSchema, type SchemaReading } from '../../schemas/model'
import { oddPatternsIn } from '../../schemas/patterns'
import { below, stepsOf } from '../../schemas/pointers'
import { type Fault, type ReadingPolicy, type Reference, SchemaReader, TYPES } from '../../schemas/reader'
import { schemaOf } from '../../schemas/reading'
import type { PlaceMeaning, Schema } from '../../types'
import { kindOf, shown } from '../../util/options'
import { allowsNull, isNullAlone, isWrapped, orNull, withBounds } from '../words-of-3-0'
import type { References } from './document-copy'
import { type Findings, plain } from './findings'
import { type OpenPlace, openIn } from './undocumented'

const TEXT: JsonSchema = { type: 'string' }
const COMPONENTS = '/components/schemas'

const nowhere = () => undefined

/** The schemas of a document without any. */
export const NO_SCHEMAS: GivenSchemas = {
  originOf: nowhere,
  placeOf: nowhere,
  readingOf: nowhere,
  components: true,
  copies: new Map(),
  copiedAt: new Map(),
  asSent: new Set(),
  oddPatterns: new Set(),
}

/** A schema that references lead to. */
interface Definition {
  readonly schema: JsonSchema
  readonly key: string
}

/** The meaning of a schema, by the option `places`. */
export interface Told {
  /** The key. */
  readonly place: string
  readonly meaning: PlaceMeaning
  /** `false` if the place has several schemas, under several media types. */
  readonly isAlone: boolean
}

/** The reader of a document's schemas. */
export class Schemas implements ReadingPolicy {
  readonly #reader: SchemaReader
  readonly #uses = new Map<string, Schema>()
  /** The schemas of descriptions. */
  readonly #made: JsonSchema[] = []
  readonly #names: ReadonlySet<string>
  readonly #isOld: boolean
  /** The schemas that the meanings of places are about, by pointer. */
  readonly #responded = new Map<string, JsonSchema>()
  /** The given form of each schema that was read. */
  readonly #origins = new Map<object, { readonly value: JsonSchema; readonly pointer: string }>()
  /** The patterns that do not compile in Unicode mode, by place. */
  readonly oddPatterns = new Map<string, string>()
  readonly #readings = new Map<object, object>()
  /** The components that schemas are copies of, by the names of the copies; and these names, by pointer. */
  readonly #copies = new Map<string, string>()
  readonly #copiedAt = new Map<string, string>()
  readonly #asSent = new Set<string>()
  /** The copy that is read as it stands. */
  #copied: string | undefined

  /**
   * @param told the meanings of places, by pointer; those of whole queries, by place.
   * @param placeOf returns the key of the option `places` for a pointer.
   */
  constructor(
    private readonly references: References,
    private readonly told: ReadonlyMap<string, Told>,
    private readonly findings: Findings,
    private readonly placeOf: (pointer: string) => string | undefined,
  ) {
    this.#reader = new SchemaReader(references, this)
    this.#isOld = String(references.document.openapi).startsWith('3.0')
    const components = references.at(COMPONENTS)
    this.#names = new Set(Object.keys(isObject(components) ? components : {}).filter(isName))
    for (const name of this.#names) this.#reader.define(below(COMPONENTS, name))
    this.#reader.finish()
  }

  /** Returns the schema at a pointer, for descriptions. */
  use(value: unknown, pointer: string): Schema {
    let schema = this.#uses.get(pointer)
    if (schema === undefined) {
      schema = this.describing(this.read(value, pointer))
      this.#uses.set(pointer, schema)
    }
    return schema
  }

  /** Returns a schema of parts that were read, for descriptions. */
  describing(schema: JsonSchema): Schema {
    this.#reader.finish()
    this.#made.push(schema)
    const reading = this.#reading(schema)
    return schemaOf({ input: reading, output: reading })
  }

  #reading(schema: JsonSchema): SchemaReading {
    return { schema, definitions: this.#reader.definitions }
  }

  /** Reads the schema at a pointer. */
  read(value: unknown, pointer: string): JsonSchema {
    return this.#reader.read(value, pointer)
  }

  /** Returns a string that holds a value of a schema. Nothing converts what is in it. */
  asText({ value, pointer }: Located<unknown>): JsonSchema {
    const isOther = value === undefined || this.told.get(pointer)?.meaning === null
    if (isOther) this.#asSent.add(pointer)
    return isOther ? TEXT : { ...TEXT, contentSchema: this.read(value, pointer) }
  }

  /** Returns the schema that the meaning of a place is about. */
  responded(pointer: string): JsonSchema | undefined {
    return this.#responded.get(pointer)
  }

  /** Returns how the schemas were given. */
  given(): GivenSchemas {
    return {
      originOf: (read) => this.#origins.get(read),
      placeOf: (read) => {
        const origin = this.#origins.get(read)
        return origin && this.placeOf(origin.pointer)
      },
      readingOf: (given) => this.#readings.get(given),
      components: this.describing({}),
      copies: this.#copies,
      copiedAt: this.#copiedAt,
      asSent: this.#asSent,
      oddPatterns: new Set(this.oddPatterns.values()),
    }
  }

  isDefinition(): boolean {
    return false
  }

  keyOf(pointer: string): string {
    const name = nameAt(pointer)
    return name !== undefined && this.#names.has(name) ? name : `#${pointer}`
  }

  instead(value: unknown, pointer: string): JsonSchema | undefined {
    const isBranch = /\/(?:anyOf|oneOf)\/\d+$/.test(pointer)
    if (isBranch && isNullAlone(this.references.follow(value, pointer).value)) return { type: 'null' }
    const told = pointer === this.#copied ? undefined : this.told.get(pointer)
    if (typeof told?.meaning !== 'string') return undefined
    const schema = this.#copy(value, pointer, told, told.meaning)
    if (schema !== undefined) this.#responded.set(pointer, schema)
    return schema
  }

  /** Reads a copy of a component. With other properties, it is a definition of its own: what it has beside the component stays. */
  #copy(value: unknown, pointer: string, { place, isAlone }: Told, component: string): JsonSchema | undefined {
    const name = nameAt(pointer)
    const own = this.partsAt(value, pointer)
    const whole = this.partsAt({ $ref: `#${below(COMPONENTS, component)}` }, '')
    const isNowhere = referenceIn(Object(own[0]?.value)) !== undefined
    if (name !== component && (isNowhere || isSameObject(own, whole))) {
      this.#copiedAt.set(pointer, component)
      return allowsNull(value) ? orNull(referenceTo(component)) : referenceTo(component)
    }
    const schema = this.#objectAt(value, own, isAlone ? place : undefined)
    if (schema === undefined) return undefined
    if (name !== undefined && this.#names.has(name)) {
      if (name !== component) this.#copies.set(name, component)
      return schema
    }
    const { definitions } = this.#reader
    let key = place
    // The same place may be under several media types, mostly with the same schema.
    for (let known = definitions.get(key); known !== undefined; known = definitions.get(key)) {
      if (isSameSchema(this.#reading(known), this.#reading(schema))) break
      key += '~'
    }
    definitions.set(key, schema)
    this.#copies.set(key, component)
    this.#copiedAt.set(pointer, key)
    const reference = referenceTo(key)
    this.#origins.set(reference, { value: value as JsonSchema, pointer })
    return reference
  }

  /** Returns a schema of parts that were read, as a copy of a component if the option `places` says so. */
  named(schema: JsonSchema, place: string): JsonSchema {
    const component = this.told.get(place)?.meaning
    return typeof component === 'string' ? this.copied(schema, place, component) : schema
  }

  /** Returns a schema of parts that were read, as a copy of a component. */
  copied(schema: JsonSchema, key: string, component: string): JsonSchema {
    this.#reader.definitions.set(key, schema)
    // It may be a copy itself.
    this.#copies.set(key, this.#copies.get(component) ?? component)
    return referenceTo(key)
  }

  /** Tells whether the option `places` has a place. */
  isTold(place: string): boolean {
    return this.told.has(place)
  }

  /** Returns the name of the component at a pointer; undefined for another schema. */
  componentAt(pointer: string): string | undefined {
    const name = nameAt(pointer)
    return name !== undefined && this.#names.has(name) ? name : undefined
  }

  /** Reads an object of its parts; undefined, with a finding, for anything else. */
  #objectAt(value: unknown, parts: readonly Located<unknown>[], place: string | undefined): JsonSchema | undefined {
    const read = parts.map((part) => {
      this.#copied = part.pointer
      const schema = insideOf(this.#reader.again(part.pointer), part.value)
      this.#copied = undefined
      return schema
    })
    const properties = Object.assign({}, ...read.map(propertiesIn))
    if (Object.keys(properties).length > 0 && read.every((schema) => unionsIn(schema).length === 0)) {
      if (parts.length === 1) return read[0]
      const required = [...new Set(read.flatMap(requiredIn))]
      const { allOf: _parts, ...whole } = Object.assign(
        {},
        ...read,
        { properties },
        required.length > 0 && { required },
      )
      return parts.some((part) => isWrapped(part.value)) ? orNull(whole) : whole
    }
    if (place !== undefined) {
      const items = `${place}${place.includes('#') ? '' : '#'}/items`
      const hint = isObject(value) && value.items !== undefined ? ` Its items are at "${items}".` : ''
      this.findings.add(`places: ${place}`, `the name of a component is for an object with properties.${hint}`)
    }
    return undefined
  }

  /** Lists an object, behind references, and the parts of its `allOf`. */
  partsAt(value: unknown, pointer: string, outer: readonly unknown[] = []): Located<unknown>[] {
    const { value: behind, pointer: there } = this.references.follow(value, pointer)
    const found = mayBeSchema(behind) ? { value: behind, pointer: there } : { value, pointer }
    // A part that leads back says nothing more.
    if (outer.includes(found.value)) return []
    const within = [...outer, found.value]
    const parts = isObject(found.value) ? partsIn(found.value) : []
    return [found, ...parts.flatMap((part, index) => this.partsAt(part, below(found.pointer, 'allOf', index), within))]
  }

  checked(schema: JsonSchema, pointer: string): JsonSchema {
    const { $recursiveRef, ...others } = schema
    const [component] = stepsOf(pointer.slice(COMPONENTS.length))
    // It leads to the schema that it stands in: JSON Schema 2019-09, section 8.2.4.2.1.
    const isInside = pointer.startsWith(`${COMPONENTS}/`) && component !== undefined
    const root = isInside ? `#${below(COMPONENTS, component)}` : '#'
    const kept = $recursiveRef === '#' ? { ...others, $ref: root } : schema
    const { $ref, nullable, ...beside } = kept as JsonSchema
    if (typeof $ref !== 'string') return kept
    const place = this.references.resolve($ref, pointer)
    if (typeof place === 'object' && !mayBeSchema(this.references.at(place.pointer))) {
      if (this.told.get(pointer)?.meaning !== null) this.#reportNoSchema($ref, pointer, component)
      return beside
    }
    // In OpenAPI 3.0, nothing counts beside a reference. Only `nullable` is widely meant there.
    return this.#isOld ? { $ref, nullable } : kept
  }

  #reportNoSchema(reference: string, pointer: string, component: string | undefined): void {
    const place = this.placeOf(pointer)
    const isComponent = component !== undefined && this.#names.has(component) && pointer.startsWith(`${COMPONENTS}/`)
    const meaning = isComponent ? `${JSON.stringify(component)} /* null: it is another thing */` : 'null'
    const line = place === undefined ? undefined : { key: place, meaning }
    this.findings.add(pointer, `the reference leads to "${reference}", which is no schema.`, line)
  }

  keyOutside({ reference, pointer }: Reference, place: Place): string {
    this.references.addLost(reference, pointer, place)
    return reference
  }

  fault({ kind, value, pointer }: Fault): JsonSchema {
    const problems = {
      schema: `a schema is expected here, got ${kindOf(value)}.`,
      type: `JSON Schema has no type ${shown(value)}. It has ${TYPES.join(', ')}.`,
      dynamic: 'the "$dynamicRef" may lead to several schemas. Write "$ref" to one of them.',
    }
    this.findings.add(pointer, problems[kind])
    return {}
  }

  /** Returns a schema with the words of OpenAPI 3.0 as JSON Schema has them. */
  made(schema: JsonSchema, value: JsonSchema, pointer: string): JsonSchema {
    const { nullable, ...others } = withBounds(schema)
    const read = nullable === true ? orNull(others) : others
    this.#origins.set(read, { value, pointer })
    // Places are those of the document, without the `null` around.
    const inside = insideOf(read, value)
    if (inside !== read) this.#origins.set(inside, { value, pointer })
    this.#readings.set(value, read)
    for (const [path, source] of oddPatternsIn(value)) this.oddPatterns.set(plain(pointer + path), source)
    if (this.told.has(pointer)) this.#responded.set(pointer, inside)
    return read
  }

  /** Lists the places in schemas of operations in which anything may be. */
  open(): OpenPlace[] {
    const used = this.#made.map((schema) => ({ schema, key: '' }))
    const reached = new Set<object>(withinReach(used, (key) => this.#definition(key)).map(({ schema }) => schema))
    return [...this.#origins].flatMap(([read, { value, pointer }]) =>
      reached.has(read) ? openIn(value, pointer).filter((place) => !this.told.has(place.pointer)) : [],
    )
  }

  #definition(key: string): Definition | undefined {
    const schema = this.#reader.definitions.get(key)
    return schema && { schema, key }
  }

  /** Finds the definitions that are nothing but references back to themselves. */
  checkCycles(): void {
    const ended = new Set<JsonSchema>()
    const follow = (reference: string) => {
      const target = this.#definition(reference)
      return target === undefined || ended.has(target.schema) ? undefined : target
    }
    for (const key of this.#reader.definitions.keys()) {
      const chain = chainOf(this.#definition(key) as Definition, follow)
      const again = targetOf(chain.at(-1) as Definition, follow)
      if (again !== undefined)
        this.findings.add(pointerOf(again.key), 'the references lead back to themselves. Write what they stand for.')
      for (const { schema } of chain) ended.add(schema)
    }
  }
}

/** Tells whether two objects have and require the same properties, by their parts. */
function isSameObject(one: readonly Located<unknown>[], other: readonly Located<unknown>[]): boolean {
  const [own, same] = [one, other].map((parts) => {
    const schemas = parts.map(({ value }) => value).filter(isObject)
    const names = [schemas.flatMap((schema) => Object.keys(propertiesIn(schema))), schemas.flatMap(requiredIn)]
    return JSON.stringify(names.map((list) => [...new Set(list)].sort()))
  })
  return own === same
}

/** Tells whether a value may be a schema. Other parts of a document have no keyword of JSON Schema. */
function mayBeSchema(value: unknown): boolean {
  return !isObject(value) || strangersIn(value).length === 0 || Object.keys(value).some(isRule)
}

/** Returns a schema that was read, without `null` around it. */
export function insideOf(schema: JsonSchema, given: unknown): JsonSchema {
  return isWrapped(given) ? ((schema.anyOf as unknown[])[0] as JsonSchema) : schema
}

/** Tells whether a component's name can be that of a shape. Others are known by their pointer. */
function isName(name: string): boolean {
  return name !== '' && !name.startsWith('#') && !name.includes('\n')
}

/** Returns the name of the component at a pointer; undefined for another schema. */
function nameAt(pointer: string): string | undefined {
  if (!pointer.startsWith(`${COMPONENTS}/`)) return undefined
  const [name, ...inner] = stepsOf(pointer.slice(COMPONENTS.length))
  return inner.length === 0 ? name : undefined
}

function pointerOf(key: string): string {
  return key.startsWith('#') ? key.slice(1) : below(COMPONENTS, key)
}
