// The names of schemas: which schema a name means in a version.
import { isDeepStrictEqual } from 'node:util'
import type { VersionSchema } from '../bound-changes'
import type { Schema } from '../types'
import { differenceOf } from './differences'
import { propertiesOf } from './graph'
import { loneReferenceIn, partsIn, referenceIn } from './keywords'
import {
  byDirection,
  type Direction,
  definitionOf,
  isName,
  isObject,
  type JsonSchema,
  OTHER_DIRECTION,
  type SchemaReading,
} from './model'
import { Reach } from './reach'
import { readSchema } from './reading'

/**
 * The schemas of a version by name, where they differ from the descriptions. Each replaces the described schema of that name,
 * whatever it calls itself.
 */
export type Definitions = ReadonlyMap<string, VersionSchema>

export const NO_DEFINITIONS: Definitions = new Map()

/** The context that gives the references in a schema their meaning. */
export interface Context {
  readonly reading: SchemaReading
  readonly direction: Direction
  readonly definitions: Definitions
  /** The name for parts without one. */
  readonly hint: string
  /** The two names of a schema that replaces another one: its own key, and the name here. */
  readonly self?: { readonly key: string; readonly name: string }
  /** `true` in a schema that was written for this or an older version. */
  readonly isOlder?: boolean
}

/** A schema with its context. */
export interface Source {
  readonly schema: JsonSchema
  readonly context: Context
}

/** The target of references. */
export interface Target extends Source {
  /** The same for all references that mean it. */
  readonly key: unknown
  readonly name: string
  /** The source of the name: a version's own table or a description; undefined if the name is generated. */
  readonly namedBy: 'version' | 'description' | undefined
}

interface FoundDefinition {
  readonly reading: SchemaReading
  readonly operation: string
}

/** The names that the operations of a document define. */
export class DescribedNames {
  /** The definitions that were added. The schemas of an OpenAPI document share theirs. */
  readonly #added = byDirection(() => new Set<object>())
  readonly #described = byDirection(() => new Map<string, FoundDefinition>())
  /** The searches for older definitions, until another name is added. */
  readonly #older = byDirection(() => new Map<Definitions, Reach<Source>>())

  /**
   * Adds the names of an operation's schema.
   *
   * @param definitions the version's own schemas, whose names descriptions do not decide.
   * @param operation the name in errors, such as `GET user-list`.
   * @throws {TypeError} if another operation gives a name to a different schema. The two sides of one schema count as the same.
   */
  add(schema: Schema, direction: Direction, definitions: Definitions, operation: string): void {
    this.#add(readSchema(schema, direction), direction, definitions, operation)
    let other: SchemaReading
    try {
      other = readSchema(schema, OTHER_DIRECTION[direction])
    } catch {
      // JSON Schema cannot express this side, but no operation needs it.
      return
    }
    this.#add(other, OTHER_DIRECTION[direction], definitions, operation)
  }

  #add(reading: SchemaReading, direction: Direction, definitions: Definitions, operation: string): void {
    const described = this.#described[direction]
    if (this.#added[direction].has(reading.definitions)) return
    this.#added[direction].add(reading.definitions)
    for (const name of [...reading.definitions.keys()].filter(isName)) {
      const known = described.get(name)
      if (known === undefined) {
        described.set(name, { reading, operation })
        this.#older[direction].clear()
      } else if (known.reading !== reading && !definitions.has(name)) {
        const at = differenceOf(definitionOf(known.reading, name), definitionOf(reading, name))
        if (at === undefined) continue
        throw new TypeError(`its schema "${name}" differs from that of "${known.operation}" at "${at}"`)
      }
    }
  }

  /**
   * Returns a schema for this version. One with a schema of a name that has changed since loses its examples and its default,
   * which were written for the newest version.
   */
  inVersion(source: Source): JsonSchema {
    const { schema, context } = source
    if (context.definitions.size === 0 || context.isOlder === true || !this.#holdsOlder(source)) return schema
    const { default: _preset, example: _one, examples: _all, ...rest } = schema
    return rest
  }

  #holdsOlder(source: Source): boolean {
    const { direction, definitions } = source.context
    const all = this.#older[direction]
    const reach =
      all.get(definitions) ??
      new Reach<Source>(
        (_, target) => (definitions.get((target as Target | undefined)?.name as string)?.isOlder === true ? 1n : 0n),
        (reference, { context }) => this.targetOf(reference, context),
      )
    all.set(definitions, reach)
    return reach.of(source) !== 0n
  }

  /**
   * Returns a schema whose parts follow the changed shapes beside them: what `allOf` requires and describes of a shape in another
   * part has the names of this version.
   *
   * @param read the schema as it was read.
   * @param written the same schema, in other words.
   * @param write returns a part behind a reference in these words: it stands there itself if it has such a property.
   */
  following(
    read: JsonSchema,
    written: JsonSchema,
    context: Context,
    write: (target: Target) => JsonSchema,
  ): JsonSchema {
    if (context.isOlder === true || context.definitions.size === 0) return written
    const isAlone = referenceIn(read) === undefined || loneReferenceIn(read) !== undefined
    if (partsIn(read).length === 0 && isAlone) return written
    const names = new Map<string, string | undefined>()
    this.#addOlderNames(read, context, names, new Set())
    return names.size === 0 ? written : this.#renamed(read, written, { names, context, write, outer: new Set() })
  }

  /** Returns the parts of an object, and what stands beside them, with other names of properties. */
  #renamed(read: JsonSchema, written: JsonSchema, by: Renaming): JsonSchema {
    const parts = Array.isArray(read.allOf) ? read.allOf : []
    const made = withNames(written, by.names)
    if (!Array.isArray(made.allOf)) return made
    return { ...made, allOf: made.allOf.map((part, at) => this.#renamedPart(parts[at], part, by)) }
  }

  #renamedPart(read: unknown, part: unknown, by: Renaming): unknown {
    if (!isObject(part) || !isObject(read)) return part
    const reference = referenceIn(read)
    if (reference === undefined) return this.#renamed(read, part, by)
    const target = this.targetOf(reference, by.context)
    if (target === undefined || target.namedBy === 'version' || by.outer.has(reference)) return part
    const written = by.write(target)
    const made = this.#renamed(target.schema, written, { ...by, outer: new Set([...by.outer, reference]) })
    return isDeepStrictEqual(made, written) ? part : made
  }

  /** Adds the names in this version of the properties that the shapes of an object have today; undefined for those that came later. */
  #addOlderNames(
    schema: JsonSchema,
    context: Context,
    names: Map<string, string | undefined>,
    seen: Set<unknown>,
  ): void {
    if (seen.has(schema)) return
    seen.add(schema)
    for (const part of partsIn(schema)) this.#addOlderNames(part, context, names, seen)
    const reference = referenceIn(schema)
    if (reference === undefined) return
    const today = this.targetOf(reference, { ...context, definitions: NO_DEFINITIONS })
    if (today === undefined) return
    this.#addOlderNames(today.schema, context, names, seen)
    const own = context.definitions.get(reference)
    const older = own?.isOlder === true ? this.targetOf(reference, context) : undefined
    if (own === undefined || older === undefined) return
    const before = propertiesOf<Source>(older, NOWHERE)
    for (const name of propertiesOf<Source>(today, NOWHERE).keys()) {
      const renamed = own.renamed?.get(name)
      if (renamed !== undefined) names.set(name, renamed)
      else if (!before.has(name)) names.set(name, undefined)
    }
  }

  /** Tells whether a name is that of a schema that has changed since a version, or leads to one. */
  leadsToOlder(name: string, context: Context): boolean {
    if (context.definitions.get(name)?.isOlder === true) return true
    const target = this.targetOf(name, context)
    return target !== undefined && this.#holdsOlder(target)
  }

  /** Returns the schema that a reference leads to; `undefined` for a reference that leads out of all schemas. */
  targetOf(reference: string, context: Context): Target | undefined {
    const { reading, direction, definitions, hint, self } = context
    if (!isName(reference) && reference !== self?.key) {
      const schema = reading.definitions.get(reference)
      // A part of the document that `extend` adds, or of another schema.
      if (schema === undefined) return undefined
      const name = titleOf(schema) ?? (reference === '#' ? hint : `${hint}-part`)
      return { schema, context, key: schema, name, namedBy: undefined }
    }
    const name = reference === self?.key ? self.name : reference
    const own = definitions.get(name)
    if (own !== undefined) return { ...standIn(own, name, context), key: `version ${name}`, name, namedBy: 'version' }
    const described = this.#described[direction].get(name)?.reading
    const schema = (described ?? reading).definitions.get(name)
    if (schema === undefined) return undefined
    const from = described === undefined ? context : { reading: described, direction, definitions }
    return { schema, context: { ...from, hint: name }, key: `description ${name}`, name, namedBy: 'description' }
  }
}

/** The names in a version of the properties that the parts of an object have today. */
interface Renaming {
  readonly names: ReadonlyMap<string, string | undefined>
  readonly context: Context
  /** Returns a part behind a reference, in the words of the document. */
  write(target: Target): JsonSchema
  /** The references to the parts around. */
  readonly outer: ReadonlySet<string>
}

/** Returns a schema with other names of its properties. */
function withNames(schema: JsonSchema, names: ReadonlyMap<string, string | undefined>): JsonSchema {
  const { required, properties } = schema
  const renamed = (name: string) => (names.has(name) ? (names.get(name) ?? []) : name)
  const made: Record<string, unknown> = { ...schema }
  if (Array.isArray(required)) made.required = required.flatMap(renamed)
  if (isObject(properties)) {
    made.properties = Object.fromEntries(
      Object.entries(properties).flatMap(([name, inner]) => [renamed(name)].flat().map((own) => [own, inner] as const)),
    )
  }
  // Draft 4, which OpenAPI 3.0 is based on, has no empty list there.
  if (Array.isArray(made.required) && made.required.length === 0) delete made.required
  return made
}

/** Follows no reference: the parts behind it have names of their own. */
const NOWHERE = () => undefined

function titleOf({ title }: JsonSchema): string | undefined {
  return typeof title === 'string' && title !== '' ? title : undefined
}

/** Returns a version's own schema of a name. */
function standIn(
  { schema, isOlder, isDerived }: VersionSchema,
  name: string,
  { direction, definitions }: Context,
): Source {
  const reading = readSchema(schema, direction)
  const key = loneReferenceIn(reading.schema) as string
  const root = reading.definitions.get(key)
  const context = { reading, direction, definitions, hint: name, isOlder: isOlder && isDerived !== true }
  return root === undefined
    ? { schema: reading.schema, context }
    : { schema: root, context: { ...context, self: { key, name } } }
}
