// The discriminators of unions, which tell the branches in a version; and those of bases, whose values may be of derived schemas.
import { type Follow, listedIn, type SchemaNode, targetOf, wholeOf } from './graph'
import { innerSchemas, isRule, partsIn, propertiesIn, referenceIn, referenceTo, unionsIn } from './keywords'
import { isObject, type JsonSchema, type SchemaReading } from './model'
import { type NamedSchemas, resolveIn } from './reach'

/** The way through the schemas of one version. */
interface Walk<Node> {
  /** Returns the schema that a reference leads to. */
  readonly follow: Follow<Node>
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
export function discriminatorIn<Node extends SchemaNode>(
  node: Node,
  branches: readonly JsonSchema[],
  walk: Walk<Node>,
): Discriminator | undefined {
  return discriminatorOf(node.schema, node, branches, walk)
}

/**
 * Returns the discriminator of the base that all branches of a union derive from, as `allOf` says it, in a version.
 *
 * @returns undefined if the branches have no such base, or none that tells them apart in the version.
 */
export function baseDiscriminatorIn<Node extends SchemaNode>(
  node: Node,
  branches: readonly JsonSchema[],
  walk: Walk<Node>,
): Discriminator | undefined {
  const [first = [], ...others] = branches.map((schema) =>
    wholeOf({ ...node, schema }, walk.follow).filter((part) => isObject(part.schema.discriminator)),
  )
  const base = first.find(({ schema }) => others.every((parts) => parts.some((part) => part.schema === schema)))
  return base && discriminatorOf(base.schema, node, branches, walk)
}

function discriminatorOf<Node extends SchemaNode>(
  schema: JsonSchema,
  node: Node,
  branches: readonly JsonSchema[],
  walk: Walk<Node>,
): Discriminator | undefined {
  const { discriminator } = schema
  const written = isObject(discriminator) ? discriminator.propertyName : undefined
  if (typeof written !== 'string') return undefined
  const read = branches.map((branch) => branchOf({ ...node, schema: branch }, walk))
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
function branchOf<Node extends SchemaNode>(root: Node, { follow, renamed: renamedIn }: Walk<Node>): Branch {
  const properties = new Map<string, readonly unknown[] | undefined>()
  const renamed = new Map<string, string>()
  for (const node of wholeOf(root, follow)) {
    for (const [name, schema] of Object.entries(propertiesIn(node.schema))) {
      properties.set(name, listedIn({ ...node, schema }, follow) ?? properties.get(name))
    }
    if (targetOf(node, follow) === undefined) continue
    for (const [newest, own] of renamedIn(referenceIn(node.schema) as string)) renamed.set(newest, own)
  }
  const parts = partsIn(root.schema)
  const [part] = parts.length === 1 ? parts : []
  return { name: referenceIn(root.schema) ?? (part && referenceIn(part)), properties, renamed }
}

/** A derived schema that holds searched names, and the base whose values may be of it. */
interface Heir {
  readonly base: string
  readonly name: string
  /** A schema with the names that the base does not have. */
  readonly part: SchemaReading
  /** The names; undefined for all in that schema. */
  readonly names?: ReadonlySet<string>
}

/** The names of the schemas derived from each base. */
type Families = ReadonlyMap<string, ReadonlySet<string>>

const FAMILIES = new WeakMap<NamedSchemas, Families>()

/**
 * Finds the bases in a schema whose values may be of a derived schema that holds some names, which nothing there tells: inheritance
 * without a union.
 */
export function heirsIn(
  root: SchemaReading,
  table: NamedSchemas,
  names: ReadonlySet<string>,
  holds: (reading: SchemaReading) => boolean,
): Heir[] {
  const families = FAMILIES.get(table) ?? familiesOf(table)
  FAMILIES.set(table, families)
  if (families.size === 0) return []
  const found: Heir[] = []
  const resolve = resolveIn(table)
  const seen = new Set<JsonSchema>()
  const open: SchemaReading[] = [root]
  // The loop also visits what it adds.
  for (const reading of open) {
    const { schema } = reading
    if (seen.has(schema)) continue
    seen.add(schema)
    const base = referenceIn(schema) ?? ''
    for (const name of families.get(base) ?? []) {
      const heir = table.get(name) as SchemaReading
      if (names.has(name))
        found.push({ base, name, part: { ...heir, schema: referenceTo(name) }, names: new Set([name]) })
      else for (const part of ownParts(heir, base, families)) if (holds(part)) found.push({ base, name, part })
    }
    const target = targetOf(reading, resolve)
    if (target !== undefined) open.push(target)
    const isTold = toldIn(schema, families)
    for (const inner of innerSchemas(schema)) {
      open.push((isTold(inner) && table.get(referenceIn(inner) as string)) || { ...reading, schema: inner })
    }
  }
  return found
}

function familiesOf(table: NamedSchemas): Families {
  const bases = [...table].flatMap(([name, { schema }]) => {
    const said = [schema, ...partsIn(schema)]
    const isBase = said.some(({ discriminator }) => isObject(discriminator))
    return isBase && said.every((one) => unionsIn(one).length === 0) ? [name] : []
  })
  if (bases.length === 0) return new Map()
  const derived = new Map<unknown, string[]>()
  for (const [name, { schema }] of table) {
    for (const part of partsIn(schema)) {
      const base = referenceIn(part)
      derived.set(base, [...(derived.get(base) ?? []), name])
    }
  }
  return new Map(
    bases.map((base) => {
      const { schema } = table.get(base) as SchemaReading
      const mapped = mappingOf(schema).map(([, reference]) => mappedName(reference))
      const family = new Set([base, ...mapped.filter((name) => table.has(name))])
      // A set also visits what is added to it: the heirs of heirs.
      for (const name of family) for (const one of derived.get(name) ?? []) family.add(one)
      family.delete(base)
      return [base, family]
    }),
  )
}

/** Lists the parts of a derived schema, without those of its family. */
function ownParts(reading: SchemaReading, base: string, families: Families): SchemaReading[] {
  const { allOf: _parts, ...rest } = reading.schema
  const isFamily = (part: JsonSchema) => {
    const name = referenceIn(part)
    return name === base || families.get(base)?.has(name as string)
  }
  return [rest, ...partsIn(reading.schema).filter((part) => !isFamily(part))].map((schema) => ({ ...reading, schema }))
}

/** Makes a function that tells whether a schema in another one is the base itself: a part of a derived one, or beside it. */
function toldIn(schema: JsonSchema, families: Families): (inner: JsonSchema) => boolean {
  const parts = partsIn(schema)
  const isPart = parts.length > 1 || Object.keys(schema).some((key) => isRule(key) && key !== 'allOf' && key !== 'type')
  const branches = unionsIn(schema).flatMap(([, all]) => all)
  const familyOf = (one: JsonSchema) => families.get(referenceIn(one) as string)
  const isBeside = (one: JsonSchema) => branches.some((branch) => familyOf(one)?.has(referenceIn(branch) as string))
  return (inner) =>
    familyOf(inner) !== undefined &&
    ((isPart && parts.includes(inner)) || (branches.includes(inner) && isBeside(inner)))
}
