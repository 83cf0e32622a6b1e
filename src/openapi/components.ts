// The components of a document: which schemas become components, and their names.

import type { Context, DescribedNames, Source, Target } from '../schemas/definitions'
import { differenceOf } from '../schemas/differences'
import { type Discriminator, discriminatorIn, mappedName, mappingOf } from '../schemas/discriminators'
import { innerSchemas, mapSchemas, referenceIn, referenceTo, unionsIn } from '../schemas/keywords'
import { type Direction, isObject, type JsonSchema, type SchemaReading } from '../schemas/model'
import { escaped } from '../schemas/pointers'
import { put } from '../util/collections'
import { plainName, unique } from './document-paths'
import type { OpenApiSchema } from './openapi-types'

type Sided<T> = { [Side in Direction]?: T }

/** A component; or two, if requests and responses have different schemas. */
interface Component {
  readonly first: Target
  readonly sides: Sided<Source>
  /** The components whose sides refer to it. */
  readonly holders: Set<Component>
  readonly names: Sided<string>
}

/** The schemas of a given document, as a version has them. */
export interface GivenSchemas {
  /** The names of its components. */
  readonly names: ReadonlySet<string>
  /** Returns the reference to a schema that the version has as it was given; undefined for another schema. */
  kept(reference: string): string | undefined
  /** Returns a schema in the words of the document; undefined if it was not read from there. */
  placed(source: Source, components: Components): OpenApiSchema | undefined
}

/** The components of a document: the schemas that have a name or are referred to. All are collected before any is placed. */
export class Components {
  readonly schemas: Record<string, OpenApiSchema> = {}
  readonly #names: DescribedNames
  readonly #given: GivenSchemas | undefined
  readonly #all = new Map<unknown, Component>()
  readonly #taken = new Set<string>()
  #apart: ReadonlySet<Component> = new Set()

  /** @param given the schemas of the document that these components are added to. */
  constructor(names: DescribedNames, given?: GivenSchemas) {
    this.#names = names
    this.#given = given
    for (const name of given?.names ?? []) this.#taken.add(name)
  }

  /** Collects the schemas that a schema refers to, with theirs. */
  collect({ schema, context }: Source, holder?: Component): void {
    const name = referenceIn(schema)
    const held = name === undefined ? undefined : this.#componentAt(name, context)
    if (holder !== undefined) held?.holders.add(holder)
    for (const [, reference] of mappingOf(schema)) this.#componentAt(mappedName(reference), context)
    for (const inner of innerSchemas(schema)) this.collect({ schema: inner, context }, holder)
  }

  /** Collects the schemas that the schema of a name refers to. */
  collectWritten(name: string, context: Context): void {
    this.collect(this.#names.targetOf(name, context) as Target)
  }

  /** Tells whether a schema has referred to what a reference leads to. */
  has(reference: string, context: Context): boolean {
    return this.#all.has(this.#keyOf(this.#names.targetOf(reference, context)))
  }

  #componentAt(reference: string, context: Context): Component | undefined {
    const target = this.#names.targetOf(reference, context)
    if (target === undefined || this.#given?.kept(reference) !== undefined) return undefined
    const key = this.#keyOf(target)
    let component = this.#all.get(key)
    if (component === undefined) {
      component = { first: target, sides: {}, holders: new Set(), names: {} }
      this.#all.set(key, component)
    }
    if (component.sides[context.direction] === undefined) {
      component.sides[context.direction] = target
      this.collect(target, component)
    }
    return component
  }

  /** Operations without a version have components of their own where a version changes those of a given document. */
  #keyOf(target: Target | undefined): unknown {
    return target !== undefined && this.#isOfToday(target) ? `today ${target.name}` : target?.key
  }

  #isOfToday({ name, context, namedBy }: Target): boolean {
    return namedBy !== undefined && context.definitions.size === 0 && this.#given?.names.has(name) === true
  }

  /** Assigns the names that people gave, before generated names can take them. Called when all schemas are collected. */
  settle(): void {
    const all = [...this.#all.values()]
    this.#apart = apartOf(all)
    for (const namedBy of ['version', 'description']) {
      for (const component of all) {
        if (component.first.namedBy === namedBy) this.#nameOf(component, this.#sideOf(component, 'output'))
      }
    }
    for (const component of this.#apart) this.#nameOf(component, 'input')
  }

  /** Returns the schema with references to components, and places those components. */
  place(source: Source): OpenApiSchema {
    const { context } = source
    const given = this.#given?.placed(source, this)
    if (given !== undefined) return given
    const schema = this.#names.inVersion(source)
    const copy = mapSchemas(schema, (inner) => (isObject(inner) ? this.place({ schema: inner, context }) : inner))
    const own = this.#names.following(
      schema,
      this.discriminated(copy, source, schema),
      context,
      (target) => this.place(target) as JsonSchema,
    )
    const name = referenceIn(schema)
    const reference = name === undefined ? undefined : this.referenceTo(name, context)
    return reference === undefined ? asWritten(own, context) : { ...own, ...referenceTo(reference) }
  }

  /** Returns the schema of a name, which is no component. */
  written(name: string, context: Context): OpenApiSchema {
    return this.place(this.#names.targetOf(name, context) as Target)
  }

  /** Places a component, and returns the reference to it; `undefined` if the reference leads out of all schemas. */
  referenceTo(reference: string, context: Context): string | undefined {
    const kept = this.#given?.kept(reference)
    if (kept !== undefined) return kept
    const component = this.#all.get(this.#keyOf(this.#names.targetOf(reference, context)))
    if (component === undefined) return undefined
    const side = this.#sideOf(component, context.direction)
    const name = this.#nameOf(component, side)
    if (!Object.hasOwn(this.schemas, name)) {
      // Reserve the place in the order before its parts are placed.
      put(this.schemas, name, {})
      put(this.schemas, name, this.place(component.sides[side] as Source))
    }
    return `#/components/schemas/${escaped(name)}`
  }

  /**
   * Returns a schema with its discriminator as this version has it, if there is one.
   *
   * @param inVersion the schema for this version; another object if a shape inside has changed since.
   */
  discriminated(copy: JsonSchema, { schema, context }: Source, inVersion: JsonSchema): JsonSchema {
    const { discriminator, ...others } = copy
    if (!isObject(discriminator)) return copy
    const { definitions, hint, isOlder } = context
    const isChanged = schema !== inVersion || (isOlder !== true && definitions.get(hint)?.isOlder === true)
    const told = isChanged ? this.#told(schema, context) : undefined
    if (isChanged && told === undefined) return others
    const mapping = mappingOf(schema).flatMap(([value, reference]): [string, unknown][] => {
      const name = mappedName(reference)
      const place = this.referenceTo(name, context) ?? reference
      const values = told?.branches.find((branch) => branch.name === name)?.values
      const isKept = values === undefined || values.includes(value)
      return isKept ? [[value, place]] : values.map((one) => [String(one), place])
    })
    const own = mapping.length === 0 ? {} : { mapping: Object.fromEntries(mapping) }
    return { ...copy, discriminator: { ...discriminator, ...(told && { propertyName: told.propertyName }), ...own } }
  }

  #told(schema: JsonSchema, context: Context): Discriminator | undefined {
    const branches = unionsIn(schema).flatMap(([, all]) => all)
    // Without branches, it speaks of the schemas that extend this one.
    const isOwn = this.#names.targetOf(context.hint, context)?.schema === schema
    const own = isOwn ? referenceTo(context.hint) : schema
    return discriminatorIn<Source>({ schema, context }, branches.length === 0 ? [own] : branches, {
      follow: (reference, from) => this.#names.targetOf(reference, from.context),
      renamed: (reference) => context.definitions.get(reference)?.renamed ?? new Map(),
    })
  }

  /** Returns the side that the document shows. If both sides are the same, the side that takes more stands for both. */
  #sideOf(component: Component, direction: Direction): Direction {
    if (this.#apart.has(component)) return direction
    return component.sides.input === undefined ? 'output' : 'input'
  }

  #nameOf(component: Component, side: Direction): string {
    const { first, names } = component
    const suffix = side === 'input' && this.#apart.has(component) ? 'Input' : ''
    const isNamed = suffix === '' && first.namedBy !== undefined && !this.#isOfToday(first)
    const isGiven = isNamed && this.#given?.names.has(first.name) === true
    names[side] ??= isGiven ? first.name : unique(plainName(`${first.name}${suffix}`), this.#taken)
    return names[side]
  }
}

/** Returns a schema with its reference as written, if that leads out of all schemas. */
function asWritten(copy: JsonSchema, { reading: { outside } }: Context): OpenApiSchema {
  const written = outside?.get(referenceIn(copy) as string)
  return written === undefined ? copy : { ...copy, ...referenceTo(written) }
}

/** Finds the components whose two sides differ, or that hold one of these. */
function apartOf(all: readonly Component[]): ReadonlySet<Component> {
  const found = new Set(all.filter(({ sides: { input, output } }) => differs(input, output)))
  // The loop also visits the components that it adds.
  for (const { holders } of found) for (const holder of holders) found.add(holder)
  return new Set([...found].filter(({ sides }) => sides.input !== undefined && sides.output !== undefined))
}

function differs(input: Source | undefined, output: Source | undefined): boolean {
  if (input === undefined || output === undefined) return false
  return differenceOf(readingOf(input), readingOf(output), isTold) !== undefined
}

function readingOf({ schema, context }: Source): SchemaReading {
  return { schema, definitions: context.reading.definitions }
}

/** Tells whether a keyword counts as a difference. Libraries add `additionalProperties: false` only to responses. */
function isTold(keyword: string, value: unknown): boolean {
  return keyword !== 'additionalProperties' || value !== false
}
