// The schemas of users in a document.
import {
  type Context,
  type Definitions,
  type DescribedNames,
  NO_DEFINITIONS,
  type Source,
} from '../schemas/definitions'
import { chainOf, type Follow } from '../schemas/graph'
import { propertiesIn, referenceTo, requiredIn } from '../schemas/keywords'
import { type Direction, isObject, type JsonSchema } from '../schemas/model'
import { readSchema } from '../schemas/reading'
import type { Schema } from '../types'
import { Components } from './components'
import type { OpenApiSchema } from './openapi-types'
import type { SchemasInVersion } from './schemas-in-version'

/** The place of a schema in a document. */
export interface Use {
  readonly direction: Direction
  /** The name for parts without one. */
  readonly hint: string
  /** The name in errors, such as `GET user-list`. */
  readonly operation: string
  /** `true` if the operation has no version: names then have the meaning of the descriptions. */
  readonly neutral: boolean
}

/** One property of the schema of an object. */
export interface Property {
  readonly name: string
  readonly required: boolean
  readonly schema: OpenApiSchema
}

/** The schemas of one document. They are filled in once all are known. */
export class DocumentSchemas {
  readonly #definitions: Definitions
  readonly #names: DescribedNames
  readonly #pending: { readonly source: Source; readonly place: Record<string, unknown> }[] = []
  readonly #given: SchemasInVersion | undefined

  /**
   * @param definitions the definitions of the document's version.
   * @param names the names that its operations define, in several documents of one version.
   * @param given the schemas of the given document that it is made of.
   */
  constructor(definitions: Definitions, names: DescribedNames, given?: SchemasInVersion) {
    this.#definitions = definitions
    this.#names = names
    this.#given = given
  }

  /** Adds the names in a schema that a given document has. */
  know(schema: Schema, operation: string): void {
    this.#names.add(schema, 'output', this.#definitions, operation)
  }

  /**
   * Returns the schema for a place in an operation.
   *
   * @throws {TypeError} if another operation describes a different schema under the same name, and for schemas that {@link
   *   readSchema} rejects.
   */
  use(schema: Schema, use: Use): OpenApiSchema {
    return this.#later(this.#read(schema, use))
  }

  /** Lists the properties of an object schema; `undefined` if the schema does not list them. */
  properties(schema: Schema, use: Use): Property[] | undefined {
    const follow: Follow<Source> = (reference, from) => this.#names.targetOf(reference, from.context)
    // The root may be a mere reference.
    const source = chainOf(this.#read(schema, use), follow).find((one) => isObject(one.schema.properties))
    if (source === undefined) return undefined
    const required = requiredIn(source.schema)
    return Object.entries(propertiesIn(source.schema)).map(([name, inner]) => ({
      name,
      required: required.includes(name),
      schema: this.#later({ ...source, schema: inner }),
    }))
  }

  /** Returns a reference to a schema that becomes a component, such as that of rejections. */
  shared(name: string, schema: JsonSchema): OpenApiSchema {
    const reading = { schema: referenceTo('#'), definitions: new Map([['#', schema]]) }
    const context: Context = { reading, direction: 'output', definitions: NO_DEFINITIONS, hint: name }
    return this.#later({ schema: reading.schema, context })
  }

  /** Fills in all schemas, and returns the components. */
  finish(): Record<string, OpenApiSchema> {
    const components = new Components(this.#names, this.#given)
    for (const { source } of this.#pending) components.collect(source)
    this.#given?.collect(components)
    components.settle()
    const inWords = (schema: OpenApiSchema) => this.#given?.inWords(schema) ?? schema
    for (const { source, place } of this.#pending) Object.assign(place, inWords(components.place(source)))
    const given = this.#given?.finish(components) ?? {}
    const all = Object.entries(components.schemas).map(([name, schema]) => [name, inWords(schema)] as const)
    return { ...given, ...Object.fromEntries(all) }
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
