// The schemas of given documents in a version: those that do not lead to a changed shape stay as they are.

import type { GivenDocument } from '../registry'
import {
  type Context,
  type Definitions,
  type DescribedNames,
  NO_DEFINITIONS,
  type Source,
} from '../schemas/definitions'
import { mappedName, mappingOf } from '../schemas/discriminators'
import { innerSchemas, mapSchemas, referenceIn, referenceTo } from '../schemas/keywords'
import { type Direction, isObject, type JsonSchema, type SchemaReading } from '../schemas/model'
import { below, stepsOf, valueAt } from '../schemas/pointers'
import { put } from '../util/collections'
import type { Components, GivenSchemas } from './components'
import { insideOf } from './given/document-schemas'
import type { OpenApiSchema } from './openapi-types'
import { allowsNull, inOldWords, NULL, NULL_OF_3_0 } from './words-of-3-0'

const COMPONENTS = '#/components/schemas/'
const NOTHING: SchemaReading = { schema: {}, definitions: new Map() }
const SIDES = ['output', 'input'] as const

/** The place of a given schema. */
export interface GivenUse {
  readonly document: GivenDocument
  readonly direction: Direction
  /** `true` for an operation without a version: it has the schemas of today. */
  readonly neutral: boolean
  /** Its place, if it is a copy of a component or has one in it; else undefined. */
  readonly copies: string | undefined
}

interface Pending {
  readonly value: JsonSchema
  readonly use: GivenUse
  readonly place: Record<string, unknown>
}

/** The schemas of given documents in one version. */
export class SchemasInVersion implements GivenSchemas {
  readonly names: ReadonlySet<string>
  readonly #components = new Map<string, { readonly value: unknown; readonly document: GivenDocument }>()
  readonly #isOld: boolean
  /** The places of schemas that are copies of components, and of all parts around them. */
  readonly #copies = new Map<GivenDocument, Set<string>>()
  readonly #pending: Pending[] = []
  /** The names that were looked up: `true` if they lead to older schemas. */
  readonly #older = new Map<string, boolean>()
  readonly #touched = new WeakMap<object, boolean>()
  /** The schemas that are in the words of the document. */
  readonly #written = new WeakSet<object>()

  /**
   * @param openapi the version of OpenAPI that the document has.
   * @param definitions the definitions of the version.
   * @param described the names in all descriptions.
   */
  constructor(
    private readonly documents: readonly GivenDocument[],
    openapi: string,
    private readonly definitions: Definitions,
    private readonly described: DescribedNames,
  ) {
    this.#isOld = openapi.startsWith('3.0')
    for (const document of documents) {
      this.#copies.set(document, new Set([...document.schemas.copiedAt.keys()].flatMap(withOuter)))
      for (const [name, value] of Object.entries(schemasIn(document))) this.#components.set(name, { value, document })
    }
    this.names = new Set(this.#components.keys())
  }

  /** Returns a place of a document if a copy of a component is there, or inside; else undefined. */
  copiesAt(document: GivenDocument, pointer: string | undefined): string | undefined {
    return pointer !== undefined && this.#copies.get(document)?.has(pointer) === true ? pointer : undefined
  }

  /** Tells whether a given schema has a changed shape in it, or leads to one. */
  #isTouched(value: unknown, { document, copies }: Pick<GivenUse, 'document' | 'copies'>): boolean {
    if (!isObject(value)) return false
    if (copies !== undefined) {
      const name = document.schemas.copiedAt.get(copies)
      if (name !== undefined && this.#isOlder(name)) return true
      let found = this.#leadsToOlder(referenceIn(value))
      mapSchemas(value, (inner, path) => {
        found ||= this.#isTouched(inner, { document, copies: this.copiesAt(document, copies + path) })
        return inner
      })
      return found
    }
    const known = this.#touched.get(value)
    if (known !== undefined) return known
    const found =
      this.#leadsToOlder(referenceIn(value)) ||
      innerSchemas(value).some((inner) => this.#isTouched(inner, { document, copies }))
    this.#touched.set(value, found)
    return found
  }

  /** Tells whether a reference of the document leads to a schema that has changed since. */
  #leadsToOlder(reference: string | undefined): boolean {
    if (!reference?.startsWith(COMPONENTS)) return false
    const [name, ...inner] = stepsOf(reference).slice(2) as [string, ...string[]]
    return inner.length === 0 ? this.#isOlder(name) : this.definitions.get(name)?.isOlder === true
  }

  #isOlder(name: string): boolean {
    let isOlder = this.#older.get(name)
    if (isOlder === undefined) {
      isOlder = this.definitions.size > 0 && this.described.leadsToOlder(name, this.#context('output', false))
      this.#older.set(name, isOlder)
    }
    return isOlder
  }

  #context(direction: Direction, neutral: boolean, hint = '', reading = NOTHING): Context {
    return { reading, direction, definitions: neutral ? NO_DEFINITIONS : this.definitions, hint }
  }

  /** Returns a given schema as the version has it. It is filled in once all schemas are known. */
  use(value: unknown, use: GivenUse): unknown {
    if (!isObject(value) || !this.#isTouched(value, use)) return value
    const place = {}
    this.#pending.push({ value, use, place })
    return place
  }

  #inside(use: GivenUse, path: string): GivenUse {
    return { ...use, copies: this.copiesAt(use.document, use.copies && use.copies + path) }
  }

  /** Collects the components that the schemas refer to. */
  collect(components: Components): void {
    for (const { value, use } of this.#pending) this.#collect(value, use, components)
    for (const name of this.names) {
      const [output, input] = SIDES.map((direction) => this.#context(direction, false))
      if (!this.#isOlder(name) || components.has(name, input as Context)) continue
      components.collect({ schema: referenceTo(name), context: output as Context })
    }
  }

  #collect(value: unknown, use: GivenUse, components: Components): void {
    if (!isObject(value) || !this.#isTouched(value, use)) return
    const { direction, neutral } = use
    const copy = this.#copyAt(use)
    if (copy?.isComponent === false) components.collectWritten(copy.name, this.#context(direction, neutral))
    const reference = referenceIn(value)
    const own = reference === undefined ? undefined : this.#keyOf(reference)
    const name = copy?.isComponent ? copy.name : own
    if (name !== undefined) {
      components.collect({ schema: referenceTo(name), context: this.#contextFor(name, use) })
    }
    for (const [, mapped] of mappingOf(value)) {
      components.collect({ schema: referenceTo(mappedName(mapped)), context: this.#context(direction, neutral) })
    }
    mapSchemas(value, (inner, path) => {
      this.#collect(inner, this.#inside(use, path), components)
      return inner
    })
  }

  /**
   * Returns the component that a given schema is a copy of, or the name of a copy that has more and has changed since. Others are
   * written as they are given.
   */
  #copyAt({
    document,
    copies,
    neutral,
  }: GivenUse): { readonly name: string; readonly isComponent: boolean } | undefined {
    const name = copies === undefined ? undefined : document.schemas.copiedAt.get(copies)
    if (name === undefined) return undefined
    const isComponent = this.names.has(name)
    const isChanged = !neutral && this.definitions.get(name)?.isOlder === true
    return isComponent || isChanged ? { name, isComponent } : undefined
  }

  /** Returns the key of the definition that a reference leads to: its name, or its pointer. */
  #keyOf(reference: string): string {
    const [name, ...inner] = stepsOf(reference).slice(2) as [string, ...string[]]
    return inner.length === 0 ? name : `#${below('', ...stepsOf(reference))}`
  }

  /** Returns the context of a reference in a given schema. */
  #contextFor(key: string, { direction, neutral, document }: GivenUse): Context {
    if (!key.startsWith('#')) return this.#context(direction, neutral)
    const pointer = key.slice(1)
    const value = valueAt(document.document, pointer)
    const schema = document.schemas.readingOf(Object(value)) as JsonSchema | undefined
    const hint = stepsOf(pointer).slice(2).join('-')
    const definitions = schema === undefined ? NOTHING.definitions : new Map([[key, schema]])
    return this.#context(direction, neutral, hint, { schema: {}, definitions })
  }

  kept(reference: string): string | undefined {
    if (/^#\/(?:components|paths)\//.test(reference)) {
      const isHere = this.documents.some(({ document }) => valueAt(document, reference) !== undefined)
      return !isHere || this.#leadsToOlder(reference) ? undefined : reference
    }
    return this.names.has(reference) && !this.#isOlder(reference)
      ? `#${below('/components/schemas', reference)}`
      : undefined
  }

  placed({ schema, context }: Source, components: Components): OpenApiSchema | undefined {
    for (const document of this.documents) {
      const origin = document.schemas.originOf(schema)
      if (origin === undefined) continue
      const copies = this.copiesAt(document, origin.pointer)
      const neutral = context.definitions.size === 0
      return this.#made(
        origin.value,
        { document, direction: context.direction, neutral, copies },
        components,
        context.hint,
      ) as OpenApiSchema
    }
    return undefined
  }

  /** Returns a given schema with the references of the version. */
  #made(value: unknown, use: GivenUse, components: Components, hint = ''): unknown {
    if (!isObject(value)) return value
    this.#written.add(value)
    const { document, direction, neutral } = use
    if (!this.#isTouched(value, use)) return value
    const copy = this.#copyAt(use)
    if (copy !== undefined && this.#isOlder(copy.name)) {
      const context = this.#context(direction, neutral)
      if (!copy.isComponent) return components.written(copy.name, context)
      const reference = referenceTo(components.referenceTo(copy.name, context) as string)
      return this.#seen(allowsNull(value) ? { anyOf: [reference, this.#isOld ? NULL_OF_3_0 : NULL] } : reference)
    }
    const { default: _preset, example: _one, examples: _all, ...rest } = value
    const made = mapSchemas(neutral ? value : rest, (inner, path) =>
      this.#made(inner, this.#inside(use, path), components),
    )
    const read = document.schemas.readingOf(value) as JsonSchema | undefined
    const told =
      read === undefined
        ? made
        : components.discriminated(
            made,
            { schema: insideOf(read, value), context: this.#context(direction, neutral, hint) },
            made,
          )
    const followed =
      read === undefined || neutral
        ? told
        : this.described.following(
            insideOf(read, value),
            told,
            this.#context(direction, neutral, hint),
            (target) => components.place(target) as JsonSchema,
          )
    const reference = referenceIn(value)
    if (reference === undefined || !this.#leadsToOlder(reference)) return this.#seen(followed)
    const key = this.#keyOf(reference)
    const place = components.referenceTo(key, this.#contextFor(key, use)) ?? reference
    return this.#seen({ ...followed, ...referenceTo(place) })
  }

  #seen<Schema extends object>(schema: Schema): Schema {
    this.#written.add(schema)
    return schema
  }

  /** Writes a schema in the words of the document's version of OpenAPI. */
  inWords(schema: OpenApiSchema): OpenApiSchema {
    if (!this.#isOld) return schema
    return inOldWords(schema, (inner) => this.#written.has(inner)) as OpenApiSchema
  }

  /** Fills in the schemas, and returns the components of the document. */
  finish(components: Components): Record<string, OpenApiSchema> {
    for (const { value, use, place } of this.#pending) Object.assign(place, this.#made(value, use, components))
    const all: Record<string, OpenApiSchema> = {}
    for (const [name, { value }] of this.#components) {
      if (this.#isOlder(name)) components.referenceTo(name, this.#context('output', false))
      put(all, name, value)
    }
    return all
  }
}

function schemasIn({ document: { components } }: GivenDocument): JsonSchema {
  return isObject(components) && isObject(components.schemas) ? components.schemas : {}
}

/** Lists a pointer and those of all parts around it. */
function withOuter(pointer: string): string[] {
  const steps = stepsOf(pointer)
  return [...steps, ''].map((_, index) => below('', ...steps.slice(0, index)))
}
