// The schemas of a document, read as JSON Schema 2020-12 with the components as definitions.
import { ADDRESSES, PARTS, REFERENCES } from '../../schemas/addresses'
import { isSameSchema } from '../../schemas/differences'
import { isRule, mapSchemas, strangersIn } from '../../schemas/keywords'
import { placesLine } from '../../schemas/location'
import { isObject, type JsonSchema, type SchemaReading } from '../../schemas/model'
import { schemaOf } from '../../schemas/reading'
import type { GivenSchemas, PlaceMeaning, Schema } from '../../types'
import { kindOf, shown } from '../../util/options'
import type { Findings } from './findings'
import { allowsNull, isNullAlone, isWrapped, orNull } from './nullable'
import { below, type Located, type References } from './references'
import { isBare } from './undocumented'

const COMPONENTS = '/components/schemas/'
const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']

/** What the option `places` tells of a schema. */
export interface Told {
  /** The key. */
  readonly place: string
  readonly meaning: PlaceMeaning
  /** `false` if the place has several schemas, under several media types. */
  readonly isAlone: boolean
}

/** The reader of a document's schemas. */
export class Schemas {
  /** The schemas that references lead to: the components by name, others by `#` and their pointer. */
  readonly #definitions = new Map<string, JsonSchema>()
  /** The definitions that are not read yet. A chain of references may be long, so it is no recursion. */
  readonly #waiting: { readonly key: string; readonly pointer: string }[] = []
  readonly #uses = new Map<string, Schema>()
  readonly #names: ReadonlySet<string>
  readonly #isOld: boolean
  /** The definition that is read; `''` for a schema of an operation. */
  #owner = ''
  /** The definitions that each definition refers to. */
  readonly #referred = new Map<string, Set<string>>([['', new Set()]])
  /** The objects of which nothing is known. */
  readonly #bare: { readonly owner: string; readonly pointer: string }[] = []
  /** The schemas that the meanings of places are about, by pointer. */
  readonly #responded = new Map<string, JsonSchema>()

  /** The components that schemas are copies of, by the names of the copies; and these names, by pointer. */
  readonly #copies = new Map<string, string>()
  readonly #copiedAt = new Map<string, string>()

  readonly #origins = new Map<object, { readonly value: object; readonly pointer: string }>()
  readonly #readings = new Map<object, object>()

  /**
   * @param told the meanings of places, by pointer.
   * @param placeOf returns the key of the option `places` for a pointer.
   */
  constructor(
    private readonly references: References,
    private readonly told: ReadonlyMap<string, Told>,
    private readonly findings: Findings,
    private readonly placeOf: (pointer: string) => string | undefined,
  ) {
    this.#isOld = String(references.document.openapi).startsWith('3.0')
    const components = references.at('/components/schemas')
    this.#names = new Set(Object.keys(isObject(components) ? components : {}).filter(isName))
    for (const name of this.#names) this.#define(name, below('/components/schemas', name))
    this.#finish()
  }

  /** Returns the schema at a pointer, for descriptions. */
  use(value: unknown, pointer: string): Schema {
    let schema = this.#uses.get(pointer)
    if (schema === undefined) {
      schema = this.made(this.read(value, pointer))
      this.#uses.set(pointer, schema)
    }
    return schema
  }

  /** Returns a schema of parts that were read, for descriptions. */
  made(schema: JsonSchema): Schema {
    this.#finish()
    const reading = this.#reading(schema)
    return schemaOf({ input: reading, output: reading })
  }

  #reading(schema: JsonSchema): SchemaReading {
    return { schema, definitions: this.#definitions }
  }

  /** Reads the schema at a pointer. */
  read(value: unknown, pointer: string): JsonSchema {
    const told = this.told.get(pointer)
    const schema =
      typeof told?.meaning === 'string' ? this.#copy(value, pointer, told, told.meaning) : this.#written(value, pointer)
    if (told !== undefined)
      this.#responded.set(pointer, typeof told.meaning === 'string' ? schema : insideOf(schema, value))
    return schema
  }

  /** Reads a copy of a component, which is a definition of its own: what it has beside the component stays. */
  #copy(value: unknown, pointer: string, { place, isAlone }: Told, component: string): JsonSchema {
    const name = this.#nameAt(pointer)
    const [own, other] = [
      this.#partsAt(value, pointer),
      this.#partsAt({ $ref: `#${below('', 'components', 'schemas', component)}` }, ''),
    ]
    const isNowhere = isReference(own[0]?.value)
    if (name !== component && (isNowhere || isSameObject(own, other))) {
      this.#referred.get(this.#owner)?.add(component)
      this.#copiedAt.set(pointer, component)
      return allowsNull(value) ? orNull({ $ref: component }) : { $ref: component }
    }
    const whole = this.#objectAt(value, own, isAlone ? place : undefined)
    if (whole === undefined) return this.#written(value, pointer)
    if (name !== undefined) {
      if (name !== component) this.#copies.set(name, component)
      return whole
    }
    let key = place
    // The same place may be under several media types, mostly with the same schema.
    for (let known = this.#definitions.get(key); known !== undefined; known = this.#definitions.get(key)) {
      if (isSameSchema(this.#reading(known), this.#reading(whole))) break
      key += '~'
    }
    this.#definitions.set(key, whole)
    this.#copies.set(key, component)
    this.#copiedAt.set(pointer, key)
    const reference = { $ref: key }
    if (isObject(value)) this.#origins.set(reference, { value, pointer })
    return reference
  }

  /** Returns a schema of parts that were read, as a copy of a component if the option `places` says so. */
  named(schema: JsonSchema, place: string): JsonSchema {
    const component = this.told.get(place)?.meaning
    if (typeof component !== 'string') return schema
    this.#definitions.set(place, schema)
    this.#copies.set(place, component)
    return { $ref: place }
  }

  /** Returns the component at a pointer; undefined for any other schema. */
  #nameAt(pointer: string): string | undefined {
    const name = pointer.startsWith(COMPONENTS) ? decoded(pointer.slice(COMPONENTS.length)) : undefined
    return name !== undefined && this.#names.has(name) ? name : undefined
  }

  /** Reads an object of its parts; undefined, with a finding, for anything else. */
  #objectAt(value: unknown, parts: readonly Located<unknown>[], place: string | undefined): JsonSchema | undefined {
    const read = parts.map((part) => insideOf(this.#written(part.value, part.pointer), part.value))
    const all = read.map(({ allOf: _parts, ...own }) => own)
    const properties = Object.assign({}, ...all.map((part) => (isObject(part.properties) ? part.properties : {})))
    if (Object.keys(properties).length > 0 && all.every(({ anyOf, oneOf }) => (anyOf ?? oneOf) === undefined)) {
      const isNullable = parts.some((part) => isWrapped(part.value))
      if (parts.length === 1) return read[0]
      const required = [...new Set(all.flatMap((part) => (Array.isArray(part.required) ? part.required : [])))]
      const whole = Object.assign({}, ...all, { properties }, required.length > 0 && { required })
      return isNullable ? orNull(whole) : whole
    }
    if (place !== undefined) {
      const items = `${place}${place.includes('#') ? '' : '#'}/items`
      const hint = isObject(value) && value.items !== undefined ? ` Its items are at "${items}".` : ''
      this.findings.add(`places: ${place}`, `the name of a component is for an object with properties.${hint}`)
    }
    return undefined
  }

  /** Lists an object, behind references, and the parts of its `allOf`. */
  #partsAt(value: unknown, pointer: string): Located<unknown>[] {
    const seen = new Set<string>()
    let found = { value, pointer }
    while (isObject(found.value) && typeof found.value.$ref === 'string' && !seen.has(found.pointer)) {
      seen.add(found.pointer)
      const target = this.references.schema(found.value.$ref, found.pointer, false)
      const value = target === undefined ? undefined : this.references.at(target)
      if (target === undefined || !mayBeSchema(value)) break
      found = { value, pointer: target }
    }
    const { allOf } = Object(found.value) as JsonSchema
    const inner = Array.isArray(allOf)
      ? allOf.flatMap((part, index) => this.#partsAt(part, below(found.pointer, 'allOf', index)))
      : []
    return [found, ...inner]
  }

  /** Returns the schema that the meaning of a place is about. */
  responded(pointer: string): JsonSchema | undefined {
    return this.#responded.get(pointer)
  }

  #written(value: unknown, pointer: string): JsonSchema {
    if (typeof value === 'boolean') return value ? {} : { not: {} }
    if (!isObject(value)) {
      this.findings.add(pointer, `a schema is expected here, got ${kindOf(value)}.`)
      return {}
    }
    if (isBare(value) && !this.told.has(pointer)) this.#bare.push({ owner: this.#owner, pointer })
    const kept: [string, unknown][] = []
    const isAlone = this.#isOld && typeof value.$ref === 'string'
    for (const [key, part] of Object.entries(value)) {
      if (ADDRESSES.has(key) || PARTS.has(key)) continue
      // In OpenAPI 3.0, nothing counts beside a reference. Only `nullable` is widely meant there.
      if (isAlone && key !== '$ref' && key !== 'nullable') continue
      const isOther = this.told.get(pointer)?.meaning === null
      if (!REFERENCES.has(key) || typeof part !== 'string') kept.push([key, part])
      else if (!isOther || this.#leadsToSchema(part, pointer)) kept.push(['$ref', this.#keyOf(part, pointer, key)])
    }
    const schema = mapSchemas(Object.fromEntries(kept), (inner, path) =>
      // Draft 7 has lists of names among `dependencies`.
      Array.isArray(inner) && path.startsWith('/dependencies/')
        ? inner
        : /^\/(?:anyOf|oneOf)\//.test(path) && isNullAlone(inner)
          ? { type: 'null' }
          : this.read(inner, pointer + path),
    )
    const read = this.#inNewTerms(schema as Record<string, unknown>, pointer)
    this.#origins.set(read, { value, pointer })
    // Places are those of the document, without the `null` around.
    this.#origins.set(insideOf(read, value), { value, pointer })
    this.#readings.set(value, read)
    return read
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
      copies: this.#copies,
      copiedAt: this.#copiedAt,
    }
  }

  /** Returns the key of the definition that a reference leads to. */
  #keyOf(reference: string, pointer: string, keyword: string): string {
    // It leads to the schema that it stands in: JSON Schema 2019-09, section 8.2.4.2.
    if (keyword === '$recursiveRef' && this.#owner !== '') return this.#owner
    const target = this.references.schema(reference, pointer, keyword !== '$ref')
    if (target !== undefined && !mayBeSchema(this.references.at(target))) this.#reportNoSchema(reference, pointer)
    const key = target === undefined ? reference : this.#keyAt(target)
    this.#referred.get(this.#owner)?.add(key)
    return key
  }

  #leadsToSchema(reference: string, pointer: string): boolean {
    const target = this.references.schema(reference, pointer, false)
    return target !== undefined && mayBeSchema(this.references.at(target))
  }

  #reportNoSchema(reference: string, pointer: string): void {
    const place = this.placeOf(pointer)
    const isComponent = this.#names.has(this.#owner)
    const meaning = isComponent ? `${JSON.stringify(this.#owner)} /* null: it is another thing */` : 'null'
    this.findings.add(
      pointer,
      `the reference leads to "${reference}", which is no schema.`,
      place === undefined ? undefined : placesLine(place, meaning),
    )
  }

  #keyAt(target: string): string {
    const name = this.#nameAt(target)
    if (name !== undefined) return name
    const key = `#${target}`
    if (!this.#definitions.has(key)) this.#define(key, target)
    return key
  }

  #define(key: string, pointer: string): void {
    // Reserve the place in the order before its parts are defined.
    this.#definitions.set(key, {})
    this.#waiting.push({ key, pointer })
  }

  #finish(): void {
    // The loop also visits the definitions that it adds.
    for (const { key, pointer } of this.#waiting) {
      this.#owner = key
      this.#referred.set(key, new Set())
      this.#definitions.set(key, this.read(this.references.at(pointer), pointer))
    }
    this.#owner = ''
    this.#waiting.length = 0
  }

  /** Returns the words of OpenAPI 3.0, and tuples of draft 7, in those of JSON Schema 2020-12. */
  #inNewTerms(schema: Record<string, unknown>, pointer: string): JsonSchema {
    this.#checkType(schema, pointer)
    for (const [bound, open] of [
      ['minimum', 'exclusiveMinimum'],
      ['maximum', 'exclusiveMaximum'],
    ] as const) {
      if (typeof schema[open] !== 'boolean') continue
      const isOpen = schema[open] && typeof schema[bound] === 'number'
      if (isOpen) schema[open] = schema[bound]
      else delete schema[open]
      if (isOpen) delete schema[bound]
    }
    if (Array.isArray(schema.items)) {
      schema.prefixItems = schema.items
      delete schema.items
      if (schema.additionalItems !== undefined) schema.items = schema.additionalItems
      delete schema.additionalItems
    }
    if (schema.nullable === undefined) return schema
    const { nullable, ...others } = schema
    return nullable === true ? orNull(others) : others
  }

  #checkType(schema: Record<string, unknown>, pointer: string): void {
    const { type } = schema
    if (type === undefined || TYPES.includes(type as string)) return
    const other = [type].flat().find((name) => !TYPES.includes(name as string))
    if (other === undefined) return
    this.findings.add(below(pointer, 'type'), `JSON Schema has no type ${shown(other)}. It has ${TYPES.join(', ')}.`)
    delete schema.type
  }

  /** Lists the pointers of the objects in operations of which nothing is known. */
  bare(): string[] {
    const reached = new Set([''])
    // The loop also visits the definitions that it adds.
    for (const key of reached) for (const other of this.#referred.get(key) ?? []) reached.add(other)
    return this.#bare.filter(({ owner }) => reached.has(owner)).map(({ pointer }) => pointer)
  }

  /** Finds the definitions that are nothing but references back to themselves. */
  checkCycles(): void {
    const ended = new Set<string>()
    for (const start of this.#definitions.keys()) {
      const seen = new Set<string>()
      let key: unknown = start
      while (typeof key === 'string' && !ended.has(key)) {
        if (seen.has(key)) {
          this.findings.add(pointerOf(key), 'the references lead back to themselves. Write what they stand for.')
          break
        }
        seen.add(key)
        key = this.#definitions.get(key)?.$ref
      }
      for (const one of seen) ended.add(one)
    }
  }
}

/** Returns a schema that was read, without `null` around it. */
export function insideOf(schema: JsonSchema, given: unknown): JsonSchema {
  return isWrapped(given) ? ((schema.anyOf as unknown[])[0] as JsonSchema) : schema
}

/** Tells whether a value may be a schema. Other parts of a document have no keyword of JSON Schema. */
function mayBeSchema(value: unknown): boolean {
  return !isObject(value) || strangersIn(value).length === 0 || Object.keys(value).some(isRule)
}

function isReference(value: unknown): boolean {
  return isObject(value) && typeof value.$ref === 'string'
}

/** Tells whether two objects have and require the same properties, by their parts. */
function isSameObject(one: readonly Located<unknown>[], other: readonly Located<unknown>[]): boolean {
  const [all, same] = [one, other].map((parts) => {
    const schemas = parts.map(({ value }) => Object(value) as JsonSchema)
    const properties = schemas.flatMap((schema) => Object.keys(Object(schema.properties)))
    return JSON.stringify(
      [properties, schemas.flatMap(({ required = [] }) => required)].map((list) => [...new Set(list)].sort()),
    )
  })
  return all === same
}

/** Tells whether a component's name can be that of a shape. Others are known by their pointer. */
function isName(name: string): boolean {
  return name !== '' && !name.startsWith('#') && !name.includes('\n')
}

function decoded(step: string): string | undefined {
  return step.includes('/') ? undefined : decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
}

function pointerOf(key: string): string {
  return key.startsWith('#') ? key.slice(1) : below('/components/schemas', key)
}
