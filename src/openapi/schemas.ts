import type { JsonSchemaSource, Schema } from '../types'
import type { OpenApiSchema } from './model'
import { plainName, unique } from './paths'
import { escaped, isAddressed, moved, placed, valueAt } from './references'

/** Whether a schema is of what is sent or of what is answered: they differ in defaults and in what transforms. */
export type Direction = 'input' | 'output'

/** JSON Schema of each schema, made once: identity is what shared components are known by. */
export class SchemaSource {
  readonly #made = { input: new WeakMap<object, OpenApiSchema>(), output: new WeakMap<object, OpenApiSchema>() }

  /** As they stand in documents, for those that need no address there. */
  readonly #inline = new WeakMap<object, OpenApiSchema | null>()

  /** JSON Schema that refers to nothing, as it stands in documents; `undefined` for such that refers to parts of itself. */
  inline(json: OpenApiSchema): OpenApiSchema | undefined {
    if (typeof json === 'boolean') return placed(json, '')
    let found = this.#inline.get(json)
    if (found === undefined) {
      found = isAddressed(json) ? null : placed(json, '')
      this.#inline.set(json, found)
    }
    return found ?? undefined
  }

  /** @throws {Error} what the schema's own library throws for a schema that JSON Schema cannot say. */
  json(schema: Schema, direction: Direction): OpenApiSchema {
    if (typeof schema === 'boolean') return schema
    const made = this.#made[direction]
    let found = made.get(schema)
    if (found === undefined) {
      found = isStandard(schema)
        ? { ...schema['~standard'].jsonSchema[direction]({ target: 'draft-2020-12' }) }
        : schema
      made.set(schema, found)
    }
    return found
  }
}

function isStandard(schema: object): schema is JsonSchemaSource {
  return '~standard' in schema
}

/** The schemas of one document. Those that refer to parts of themselves become components, where references can lead to. */
export class DocumentSchemas {
  readonly components: Record<string, OpenApiSchema> = {}
  readonly #source: SchemaSource
  readonly #names = new Set<string>()
  readonly #references = new Map<object, string>()

  constructor(source: SchemaSource) {
    this.#source = source
  }

  /**
   * A schema as it stands in an operation.
   *
   * @param name of the component, should it become one and not bring a name.
   */
  use(schema: Schema, direction: Direction, name: string): OpenApiSchema {
    const json = this.#source.json(schema, direction)
    return this.#source.inline(json) ?? { $ref: this.#referenceTo(json as object, name) }
  }

  /** The properties of the schema of an object; `undefined` for one that does not list them. */
  properties(
    schema: Schema,
    direction: Direction,
    name: string,
  ): { name: string; required: boolean; schema: OpenApiSchema }[] | undefined {
    const json = this.#source.json(schema, direction)
    // A schema with a name of its own refers to itself by it.
    const pointer = typeof json === 'object' && typeof json.$ref === 'string' ? json.$ref.slice(1) : ''
    const { properties, required } = (valueAt(json, pointer) ?? {}) as Readonly<Record<string, unknown>>
    if (typeof properties !== 'object' || properties === null) return undefined
    const alone = this.#source.inline(json) !== undefined
    return Object.entries(properties as Record<string, OpenApiSchema>).map(([property, inner]) => ({
      name: property,
      required: Array.isArray(required) && required.includes(property),
      schema: (alone && this.#source.inline(inner)) || {
        $ref: `${this.#referenceTo(json as object, name)}${moved(pointer)}/properties/${escaped(property)}`,
      },
    }))
  }

  /** One schema for all, such as that of refusals. */
  shared(name: string, schema: OpenApiSchema): OpenApiSchema {
    return { $ref: this.#add(schema as object, name, () => schema) }
  }

  #referenceTo(json: object, name: string): string {
    return this.#add(json, nameOf(json as Readonly<Record<string, unknown>>) ?? name, (place) =>
      placed(json as OpenApiSchema, place),
    )
  }

  #add(key: object, name: string, make: (place: string) => OpenApiSchema): string {
    let reference = this.#references.get(key)
    if (reference === undefined) {
      const component = unique(plainName(name), this.#names)
      reference = `#/components/schemas/${component}`
      this.components[component] = make(reference)
      this.#references.set(key, reference)
    }
    return reference
  }
}

/** What a schema calls itself: its title, or the last part of its address. */
function nameOf({ title, $id }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof title === 'string' && title !== '') return title
  if (typeof $id !== 'string') return undefined
  const address = $id.split(/[?#]/)[0] as string
  const last = address.split(/[/:]/).at(-1) as string
  return last.replace(/\.json$/, '') || undefined
}
