import { type Context, type Definitions, DescribedNames, NO_DEFINITIONS, type Source } from '../schemas/definitions'
import type { Direction, JsonSchema } from '../schemas/model'
import { readSchema } from '../schemas/reading'
import type { Schema } from '../types'
import { Components } from './components'
import type { OpenApiSchema } from './model'

/** Where a schema stands. */
export interface Use {
  readonly direction: Direction
  /** The name for parts without one. */
  readonly hint: string
  /** For errors, such as `GET user-list`. */
  readonly operation: string
  /** Whether the operation has no version: names then mean what descriptions say. */
  readonly neutral: boolean
}

/** One property of the schema of an object. */
export interface Property {
  readonly name: string
  readonly required: boolean
  readonly schema: OpenApiSchema
}

/** The schemas of one document. They are filled in when all are known. */
export class DocumentSchemas {
  readonly #definitions: Definitions
  readonly #names = new DescribedNames()
  readonly #pending: { readonly source: Source; readonly place: Record<string, unknown> }[] = []

  /** @param definitions those of the document's version. */
  constructor(definitions = NO_DEFINITIONS) {
    this.#definitions = definitions
  }

  /**
   * A schema as it stands in an operation.
   *
   * @throws {TypeError} for a schema that another operation describes otherwise under the same name, and for what
   *   {@link readSchema} does not read.
   */
  use(schema: Schema, use: Use): OpenApiSchema {
    return this.#later(this.#read(schema, use))
  }

  /** The properties of the schema of an object; `undefined` for one that does not list them. */
  properties(schema: Schema, use: Use): Property[] | undefined {
    let source: Source | undefined = this.#read(schema, use)
    // Where the root is but a reference.
    for (const seen = new Set(); source !== undefined && !seen.has(source.schema); ) {
      const { properties, required, $ref }: JsonSchema = source.schema
      if (typeof properties === 'object' && properties !== null) {
        const { context } = source
        return Object.entries(properties as Record<string, JsonSchema>).map(([name, inner]) => ({
          name,
          required: Array.isArray(required) && required.includes(name),
          schema: this.#later({ schema: inner, context }),
        }))
      }
      seen.add(source.schema)
      source = typeof $ref === 'string' ? this.#names.targetOf($ref, source.context) : undefined
    }
    return undefined
  }

  /** A schema that is a component, such as that of refusals. */
  shared(name: string, schema: JsonSchema): OpenApiSchema {
    const reading = { schema: { $ref: '#' }, definitions: new Map([['#', schema]]) }
    const context: Context = { reading, direction: 'output', definitions: NO_DEFINITIONS, hint: name }
    return this.#later({ schema: reading.schema, context })
  }

  /** Fills all of them in, and gives the components. */
  finish(): Record<string, OpenApiSchema> {
    const components = new Components(this.#names)
    for (const { source } of this.#pending) components.collect(source)
    components.settle()
    for (const { source, place } of this.#pending) Object.assign(place, components.place(source))
    return components.schemas
  }

  #read(schema: Schema, { direction, hint, operation, neutral }: Use): Source {
    const definitions = neutral ? NO_DEFINITIONS : this.#definitions
    const reading = readSchema(schema, direction)
    this.#names.add(schema, direction, definitions, operation)
    return { schema: reading.schema, context: { reading, direction, definitions, hint } }
  }

  #later(source: Source): OpenApiSchema {
    const place = {}
    this.#pending.push({ source, place })
    return place
  }
}
