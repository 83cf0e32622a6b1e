// The schemas of a document, read as JSON Schema 2020-12 with the components as definitions.
import type { Place } from '../../schemas/addresses'
import { chainOf, targetOf, withinReach } from '../../schemas/graph'
import { referenceTo } from '../../schemas/keywords'
import { isObject, type JsonSchema, type SchemaReading } from '../../schemas/model'
import { below, stepsOf } from '../../schemas/pointers'
import { type Fault, type ReadingPolicy, type Reference, SchemaReader, TYPES } from '../../schemas/reader'
import { schemaOf } from '../../schemas/reading'
import type { GivenSchemas, PlaceMeaning, Schema } from '../../types'
import { kindOf, shown } from '../../util/options'
import type { Findings } from './findings'
import { allowsNull, isWrapped, orNull } from './nullable'
import type { References } from './references'
import { isBare } from './undocumented'

const COMPONENTS = '/components/schemas'

/** A schema that references lead to. */
interface Definition {
  readonly schema: JsonSchema
  readonly key: string
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
  /** How read schemas were given. */
  readonly #origins = new Map<object, { readonly value: JsonSchema; readonly pointer: string }>()
  readonly #readings = new Map<object, object>()

  /** @param responses the meanings of places, by pointer. */
  constructor(
    private readonly references: References,
    private readonly responses: ReadonlyMap<string, PlaceMeaning>,
    private readonly findings: Findings,
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
    const reading: SchemaReading = { schema, definitions: this.#reader.definitions }
    return schemaOf({ input: reading, output: reading })
  }

  /** Reads the schema at a pointer. */
  read(value: unknown, pointer: string): JsonSchema {
    return this.#reader.read(value, pointer)
  }

  /** Returns the schema that the meaning of a place is about. */
  responded(pointer: string): JsonSchema | undefined {
    return this.#responded.get(pointer)
  }

  /** Returns how the schemas were given. */
  given(): GivenSchemas {
    const copies = [...this.responses].filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    return {
      originOf: (read) => this.#origins.get(read),
      readingOf: (given) => this.#readings.get(given),
      copies: new Map(copies),
    }
  }

  isDefinition(): boolean {
    return false
  }

  keyOf(pointer: string): string {
    const name = nameAt(pointer)
    return name !== undefined && this.#names.has(name) ? name : `#${pointer}`
  }

  /** Returns the schema of an inline copy of a shape. */
  instead(value: unknown, pointer: string): JsonSchema | undefined {
    const name = this.responses.get(pointer)
    if (typeof name !== 'string') return undefined
    const schema = referenceTo(name)
    this.#responded.set(pointer, schema)
    return allowsNull(value) ? orNull(schema) : schema
  }

  checked(schema: JsonSchema): JsonSchema {
    const { $ref, nullable } = schema
    // In OpenAPI 3.0, nothing counts beside a reference. Only `nullable` is widely meant there.
    return this.#isOld && typeof $ref === 'string' ? { $ref, nullable } : schema
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
    this.#readings.set(value, read)
    if (this.responses.has(pointer)) this.#responded.set(pointer, insideOf(read, value))
    return read
  }

  /** Lists the pointers of the objects in operations of which nothing is known. */
  bare(): string[] {
    const used = this.#made.map((schema) => ({ schema, key: '' }))
    const reached = new Set<object>(withinReach(used, (key) => this.#definition(key)).map(({ schema }) => schema))
    return [...this.#origins].flatMap(([read, { value, pointer }]) =>
      reached.has(read) && isBare(value) && !this.responses.has(pointer) ? pointer : [],
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

/** Returns exclusive bounds as JSON Schema has them: in OpenAPI 3.0, they are `true` beside the bound. */
function withBounds(schema: JsonSchema): JsonSchema {
  const found: Record<string, unknown> = { ...schema }
  for (const [bound, open] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (typeof schema[open] !== 'boolean') continue
    const isOpen = schema[open] && typeof schema[bound] === 'number'
    if (isOpen) found[open] = schema[bound]
    else delete found[open]
    if (isOpen) delete found[bound]
  }
  return found
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
