// The discriminators of unions: which property and which values tell the branches in a version.
import { valuesOf } from './keywords'
import { isObject, type JsonSchema } from './model'

/** A schema that a reference leads to. */
interface Target<Context> {
  readonly schema: JsonSchema
  readonly context: Context
}

/** The way through the schemas of one version. */
interface Walk<Context> {
  /** Returns the schema that a reference leads to. */
  target(reference: string, context: Context): Target<Context> | undefined
  /** Returns the names that the properties of today have in the version, of the schema that a reference leads to. */
  renamed(reference: string): ReadonlyMap<string, string>
}

/** The branch of a union in a version. */
interface Branch {
  /** The name that a reference leads to. */
  readonly name: unknown
  /** The values of each property that it has; undefined for any. */
  readonly properties: ReadonlyMap<string, readonly unknown[] | undefined>
  readonly renamed: ReadonlyMap<string, string>
}

/** A discriminator as it is in a version. */
export interface Discriminator {
  readonly propertyName: string
  /** The branches, each with the name that its reference leads to, and its values. */
  readonly branches: readonly { readonly name: unknown; readonly values: readonly unknown[] }[]
}

/** Returns the name at the end of a reference in `mapping`: `User` for `#/components/schemas/User`, `User.json` and `User`. */
export function mappedName(reference: unknown): string {
  const last = String(reference).split(/[/:]/).at(-1) as string
  return last.replace(/\.json$/, '')
}

/** Lists the entries of a `mapping`. */
export function mappingOf({ discriminator }: JsonSchema): [value: string, reference: unknown][] {
  return isObject(discriminator) && isObject(discriminator.mapping) ? Object.entries(discriminator.mapping) : []
}

/**
 * Returns the discriminator of a schema in a version: its property may have had another name, and other values.
 *
 * @param branches the schemas that it tells apart.
 * @returns undefined if the schema has none, or none that holds in the version.
 */
export function discriminatorIn<Context>(
  schema: JsonSchema,
  branches: readonly JsonSchema[],
  context: Context,
  walk: Walk<Context>,
): Discriminator | undefined {
  const { discriminator } = schema
  const written = isObject(discriminator) ? discriminator.propertyName : undefined
  if (typeof written !== 'string') return undefined
  const read = branches.map((branch) => branchOf(branch, context, walk))
  const propertyName = commonName(read, written)
  if (propertyName === undefined) return undefined
  const mapping = mappingOf(schema)
  const told = read.map(({ name, properties }) => {
    const listed = properties.get(propertyName)
    if (listed !== undefined) return { name, values: listed }
    const mapped = mapping.flatMap(([value, reference]) => (mappedName(reference) === name ? value : []))
    return { name, values: mapped.length === 0 ? [name] : mapped }
  })
  return { propertyName, branches: told }
}

/** Returns the name of the discriminator in all branches; undefined where they do not have one. */
function commonName(branches: readonly Branch[], written: string): string | undefined {
  const names = branches.map((branch) => nameIn(written, branch))
  const lists = (name: string, { properties }: Branch) => properties.get(name) !== undefined
  const known = new Set(names.filter((name) => name !== undefined))
  // A branch that no data renames shows by its values which property it is.
  const possible = known.size > 0 ? [...known] : [...(branches[0]?.properties.keys() ?? [])]
  const fitting = possible.filter((name) =>
    branches.every((branch, index) => names[index] === name || (names[index] === undefined && lists(name, branch))),
  )
  return fitting.length === 1 ? fitting[0] : undefined
}

/** Returns the name of a property in a branch; undefined where two may be meant, or none. */
function nameIn(written: string, { properties, renamed }: Branch): string | undefined {
  const older = renamed.get(written)
  if (older === undefined || older === written) return properties.has(written) ? written : undefined
  if (properties.has(written)) return properties.has(older) ? undefined : written
  return properties.has(older) ? older : undefined
}

/** Reads a branch, through references and `allOf`. */
function branchOf<Context>(root: JsonSchema, context: Context, walk: Walk<Context>): Branch {
  const properties = new Map<string, readonly unknown[] | undefined>()
  const renamed = new Map<string, string>()
  const seen = new Set<object>()
  const add = (schema: JsonSchema, context: Context): void => {
    if (seen.has(schema)) return
    seen.add(schema)
    for (const [name, inner] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
      const values = isObject(inner) ? listedIn(inner, context, walk) : undefined
      properties.set(name, values ?? properties.get(name))
    }
    for (const part of Array.isArray(schema.allOf) ? schema.allOf.filter(isObject) : []) add(part, context)
    const { $ref } = schema
    const target = typeof $ref === 'string' ? walk.target($ref, context) : undefined
    if (target === undefined) return
    for (const [newest, own] of walk.renamed($ref as string)) renamed.set(newest, own)
    add(target.schema, target.context)
  }
  add(root, context)
  const only = Array.isArray(root.allOf) && root.allOf.length === 1 ? root.allOf.filter(isObject) : []
  return { name: root.$ref ?? only[0]?.$ref, properties, renamed }
}

function listedIn<Context>(root: JsonSchema, context: Context, walk: Walk<Context>): readonly unknown[] | undefined {
  const seen = new Set<object>()
  let at: Target<Context> | undefined = { schema: root, context }
  while (at !== undefined && !seen.has(at.schema)) {
    seen.add(at.schema)
    const values = valuesOf(at.schema)
    if (values !== undefined) return values
    const { $ref }: JsonSchema = at.schema
    at = typeof $ref === 'string' ? walk.target($ref, at.context) : undefined
  }
  return undefined
}
