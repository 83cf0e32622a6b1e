// The reading of users' schemas as plain JSON Schema, with their definitions apart.
import type { JsonSchemaSource, Schema } from '../types'
import { sharedByLoads } from '../util/brand'
import { kindOf, shown } from '../util/options'
import { Addresses, type Place } from './addresses'
import { differenceOf } from './differences'
import { eachSchema, isKeyword } from './keywords'
import { type Direction, definitionOf, isObject, type JsonSchema, type SchemaReading } from './model'
import { stepsOf } from './pointers'
import { type Fault, type ReadingPolicy, type Reference, SchemaReader } from './reader'

const READ = sharedByLoads('readings', () => ({
  input: new WeakMap<object, SchemaReading>(),
  output: new WeakMap<object, SchemaReading>(),
  plain: new WeakMap<object, SchemaReading>(),
}))

/**
 * Reads a user's schema, once. Later calls return the same object; for plain JSON Schema, both directions do.
 *
 * @throws {TypeError} for a reference to a part that does not exist, and for two different schemas with one name.
 * @throws {Error} from the schema's own library, for a schema that JSON Schema cannot express.
 */
export function readSchema(schema: Schema, direction: Direction): SchemaReading {
  if (typeof schema === 'boolean') return readingOf(schema)
  const readings = READ[isStandard(schema) ? direction : 'plain']
  let reading = readings.get(schema)
  if (reading === undefined) {
    reading =
      MADE.get(schema)?.(direction) ??
      (isStandard(schema) ? readingOf(jsonOf(schema, direction), schema['~standard'].vendor) : readingOf(schema))
    readings.set(schema, reading)
  }
  return reading
}

type Read = (direction: Direction) => SchemaReading

/** The readings of schemas that are made of others. */
const MADE = sharedByLoads('made schemas', () => new WeakMap<object, Read>())

/**
 * Makes a schema of others. It refers to definitions by their names.
 *
 * @param read returns its reading. It is called once for each direction in which the schema is read.
 */
export function schemaFrom(read: Read): Schema {
  const schema: JsonSchemaSource = {
    '~standard': { jsonSchema: { input: () => read('input').schema, output: () => read('output').schema } },
  }
  MADE.set(schema, read)
  return schema
}

/** Makes a schema whose readings are known. */
export function schemaOf(readings: Readonly<Record<Direction, SchemaReading>>): Schema {
  return schemaFrom((direction) => readings[direction])
}

/** Tells whether a schema is a Standard Schema. Schemas of arktype are functions. */
function isStandard(schema: object): schema is JsonSchemaSource {
  return '~standard' in schema
}

function jsonOf(schema: JsonSchemaSource, direction: Direction): JsonSchema {
  const json: unknown = schema['~standard'].jsonSchema[direction]({ target: 'draft-2020-12' })
  if (!isObject(json)) throw new TypeError(`"~standard.jsonSchema" returned ${kindOf(json)}`)
  return json
}

/** The words of OpenAPI 3.0 that JSON Schema does not have, and those of OpenAPI 3.1. */
const OLD_WORDS = {
  nullable: [[true], `{ type: ['string', 'null'] }, or { anyOf: [{ ... }, { type: 'null' }] }`],
  exclusiveMinimum: [[true, false], '{ exclusiveMinimum: 0 } instead of { minimum: 0, exclusiveMinimum: true }'],
  exclusiveMaximum: [[true, false], '{ exclusiveMaximum: 9 } instead of { maximum: 9, exclusiveMaximum: true }'],
} as const

/** The names that libraries generate for `$defs`. The vendor of a Standard Schema tells which; plain JSON Schema is of any. */
const GENERATED = /^(?:__schema|alias|domain|intersection|morph|proto|union|unit)\d+$/
const GENERATED_BY = new Map([
  ['zod', /^__schema\d+$/],
  ['arktype', /^(?:alias|domain|intersection|morph|proto|type|union|unit)\d+$/],
])

/** The start of references to the components of an OpenAPI document. */
const COMPONENTS = '#/components/schemas/'

/** The names in a user's schema, and the schemas that references lead to. What does not fit is thrown. */
class UserSchema implements ReadingPolicy {
  readonly addresses: Addresses
  /** The references out of the schema as written, by their name. */
  readonly outside = new Map<string, string>()
  /** The names of schemas, by pointer. */
  readonly #names = new Map<string, string>()
  readonly #visited = new Set<string>()
  readonly #targets = new Set<string>()
  readonly #references: Reference[] = []

  constructor(
    root: unknown,
    private readonly generated: RegExp,
  ) {
    this.addresses = new Addresses(root)
    this.#visit(root, '')
    // The loop also visits the references that it adds.
    for (const { reference, pointer } of this.#references) {
      const place = this.addresses.resolve(reference, pointer)
      if (typeof place !== 'object') continue
      this.#targets.add(place.pointer)
      // It may stand behind an unknown keyword.
      if (!this.#visited.has(place.pointer)) this.#visit(this.addresses.at(place.pointer), place.pointer)
    }
  }

  #visit(schema: unknown, pointer: string, part?: string): void {
    if (part !== undefined && !this.generated.test(part)) this.#names.set(pointer, part)
    if (!isObject(schema)) return
    this.#visited.add(pointer)
    this.addresses.add(schema, pointer)
    for (const [keyword, reference] of Object.entries(schema)) {
      if (isKeyword(keyword, 'reference') && typeof reference === 'string')
        this.#references.push({ keyword, reference, pointer })
    }
    const name = nameIn(schema.$id)
    if (name !== undefined) this.#names.set(pointer, name)
    eachSchema(schema, (inner, path) => this.#visit(inner, pointer + path, partName(path)))
  }

  isDefinition(pointer: string): boolean {
    return this.#names.has(pointer) || this.#targets.has(pointer)
  }

  keyOf(pointer: string): string {
    return this.#names.get(pointer) ?? `#${pointer}`
  }

  checked(schema: JsonSchema, pointer: string): JsonSchema {
    for (const [keyword, [values, remedy]] of Object.entries(OLD_WORDS)) {
      const value = schema[keyword]
      if (!(values as readonly unknown[]).includes(value)) continue
      const place = pointer === '' ? '' : ` at "${pointer}"`
      throw new TypeError(`it has "${keyword}: ${value}"${place}, as OpenAPI 3.0 has it; OpenAPI 3.1 says ${remedy}`)
    }
    return schema
  }

  fault({ kind, value }: Fault): JsonSchema {
    // The user's own tools reject a value that is no schema.
    if (kind === 'schema') return (value ?? {}) as JsonSchema
    throw new TypeError(
      kind === 'type'
        ? `it has the "type" ${shown(value)}, which JSON Schema does not have`
        : `its "$dynamicRef" "${value}" may lead to several schemas; write "$ref" to one of them`,
    )
  }

  keyOutside({ reference, pointer }: Reference, place: Place, define: (pointer: string) => string): string {
    // `extend` may add components.
    if (place !== 'outside' && !reference.startsWith('#/components/'))
      throw new TypeError(
        `it refers to "${reference}", which ${place === 'nowhere' ? 'does not exist' : 'is no schema'}`,
      )
    const name = this.#nameOutside(reference, pointer)
    if (name === undefined) return reference
    const [known] = [...this.#names].find(([, own]) => own === name) ?? []
    if (known !== undefined) return define(known)
    this.outside.set(name, reference)
    return name
  }

  /**
   * Returns the name that a reference out of the root means: `User` for `User.json`, `https://example.com/User` and
   * `#/components/schemas/User`; `undefined` for a reference to a part of another schema.
   */
  #nameOutside(reference: string, pointer: string): string | undefined {
    if (reference.startsWith(COMPONENTS)) {
      const [name, ...inner] = stepsOf(`/${reference.slice(COMPONENTS.length)}`)
      return inner.length === 0 ? name : undefined
    }
    return /#./.test(reference) ? undefined : nameIn(this.addresses.addressFrom(reference, pointer))
  }
}

/** Returns the key of a schema that only references use. */
function partName(path: string): string | undefined {
  const [keyword, name] = stepsOf(path) as [string, string?]
  // A name that begins with `#` would look like a pointer.
  return isKeyword(keyword, 'part') && name !== '' && !name?.startsWith('#') ? name : undefined
}

/** Returns the name at the end of an address: `User` of `https://example.com/User.json`. */
function nameIn($id: unknown): string | undefined {
  if (typeof $id !== 'string') return undefined
  const [address] = $id.split(/[?#]/) as [string]
  const last = address.split(/[/:]/).at(-1) as string
  return last.replace(/\.json$/, '') || undefined
}

/** @param vendor the vendor of the Standard Schema; undefined for plain JSON Schema. */
function readingOf(root: JsonSchema | boolean, vendor?: string): SchemaReading {
  const user = new UserSchema(root, GENERATED_BY.get(vendor ?? '') ?? GENERATED)
  const reader = new SchemaReader(user.addresses, user)
  const schema = reader.read(root, '')
  reader.finish()
  const { definitions } = reader
  const reading = { schema, definitions, outside: user.outside }
  // The loop also visits the doubles that reading adds.
  for (const [pointer, key] of reader.doubles) {
    const other = { schema: reader.again(pointer), definitions }
    reader.finish()
    if (differenceOf(definitionOf(reading, key), other))
      throw new TypeError(`two different schemas in it have the name "${key}"`)
  }
  return reading
}
