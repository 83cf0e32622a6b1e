// The schemas of a document, read as JSON Schema 2020-12 with the components as definitions.
import { ADDRESSES, PARTS, REFERENCES } from '../../schemas/addresses'
import { mapSchemas } from '../../schemas/keywords'
import { isObject, type JsonSchema, type SchemaReading } from '../../schemas/model'
import { oddPatternsIn } from '../../schemas/patterns'
import { schemaOf } from '../../schemas/reading'
import type { GivenSchemas, PlaceMeaning, Schema } from '../../types'
import { kindOf, shown } from '../../util/options'
import { type Findings, plain } from './findings'
import { allowsNull, isWrapped, orNull } from './nullable'
import { below, type References } from './references'
import { isBare } from './undocumented'

const COMPONENTS = '/components/schemas/'
const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']

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

  /** The patterns that do not compile in Unicode mode, by place. */
  readonly oddPatterns = new Map<string, string>()
  readonly #origins = new Map<object, { readonly value: object; readonly pointer: string }>()
  readonly #readings = new Map<object, object>()

  /** @param responses the meanings of places, by pointer. */
  constructor(
    private readonly references: References,
    private readonly responses: ReadonlyMap<string, PlaceMeaning>,
    private readonly findings: Findings,
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
    const reading: SchemaReading = { schema, definitions: this.#definitions }
    return schemaOf({ input: reading, output: reading })
  }

  /** Reads the schema at a pointer. */
  read(value: unknown, pointer: string): JsonSchema {
    const response = this.responses.get(pointer)
    const schema = typeof response === 'string' ? this.#named(response, value) : this.#written(value, pointer)
    if (response !== undefined) this.#responded.set(pointer, insideOf(schema, value))
    return schema
  }

  /** Returns the schema of an inline copy of a shape. */
  #named(name: string, copy: unknown): JsonSchema {
    this.#referred.get(this.#owner)?.add(name)
    return allowsNull(copy) ? orNull({ $ref: name }) : { $ref: name }
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
    if (isBare(value) && !this.responses.has(pointer)) this.#bare.push({ owner: this.#owner, pointer })
    for (const [below, source] of oddPatternsIn(value)) this.oddPatterns.set(plain(pointer + below), source)
    const kept: [string, unknown][] = []
    const isAlone = this.#isOld && typeof value.$ref === 'string'
    for (const [key, part] of Object.entries(value)) {
      if (ADDRESSES.has(key) || PARTS.has(key)) continue
      // In OpenAPI 3.0, nothing counts beside a reference. Only `nullable` is widely meant there.
      if (isAlone && key !== '$ref' && key !== 'nullable') continue
      if (!REFERENCES.has(key) || typeof part !== 'string') kept.push([key, part])
      else kept.push(['$ref', this.#keyOf(part, pointer, key !== '$ref')])
    }
    const schema = mapSchemas(Object.fromEntries(kept), (inner, path) =>
      // Draft 7 has lists of names among `dependencies`.
      Array.isArray(inner) && path.startsWith('/dependencies/') ? inner : this.read(inner, pointer + path),
    )
    const read = this.#inNewTerms(schema as Record<string, unknown>, pointer)
    this.#origins.set(read, { value, pointer })
    this.#readings.set(value, read)
    return read
  }

  /** Returns how the schemas were given. */
  given(): GivenSchemas {
    const copies = [...this.responses].filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    return {
      originOf: (read) => this.#origins.get(read),
      readingOf: (given) => this.#readings.get(given),
      copies: new Map(copies),
      oddPatterns: new Set(this.oddPatterns.values()),
    }
  }

  /** Returns the key of the definition that a reference leads to. */
  #keyOf(reference: string, pointer: string, isDynamic: boolean): string {
    const target = this.references.schema(reference, pointer, isDynamic)
    const key = target === undefined ? reference : this.#keyAt(target)
    this.#referred.get(this.#owner)?.add(key)
    return key
  }

  #keyAt(target: string): string {
    const name = target.startsWith(COMPONENTS) ? decoded(target.slice(COMPONENTS.length)) : undefined
    if (name !== undefined && this.#names.has(name)) return name
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
