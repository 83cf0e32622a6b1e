// Inheritance without a union: values of a base with a "discriminator" may be of the schemas derived from it.
import { mappedName, mappingOf } from '../../schemas/discriminators'
import { innerSchemas, isRule } from '../../schemas/keywords'
import { isObject, type JsonSchema, type SchemaReading } from '../../schemas/model'
import { type Holding, type NamedSchemas, resolveIn } from '../../schemas/reach'

/** A derived schema that a change converts, and the place of a base whose values may be of it. */
export interface Heir {
  readonly base: string
  readonly name: string
  /** A schema with the shapes that the base does not have. */
  readonly part: SchemaReading
  /** The shapes; undefined for all in that schema. */
  readonly shapes?: ReadonlySet<string>
}

/** The names of the schemas derived from each base. */
type Families = ReadonlyMap<string, ReadonlySet<string>>

const FAMILIES = new WeakMap<NamedSchemas, Families>()

/** Finds the bases in a schema whose values may be of a derived schema that a change converts, which nothing there tells. */
export function heirsIn(
  root: SchemaReading,
  table: NamedSchemas,
  names: ReadonlySet<string>,
  holding: Holding,
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
    const base = schema.$ref as string
    for (const name of families.get(base) ?? []) {
      const heir = table.get(name) as SchemaReading
      if (names.has(name))
        found.push({ base, name, part: { ...heir, schema: { $ref: name } }, shapes: new Set([name]) })
      else for (const part of ownParts(heir, base, families)) if (holding.holds(part)) found.push({ base, name, part })
    }
    const target = typeof base === 'string' ? resolve(base, reading) : undefined
    if (target !== undefined) open.push(target)
    const isTold = toldIn(schema, families)
    for (const inner of innerSchemas(schema)) {
      open.push((isTold(inner) && table.get(inner.$ref as string)) || { ...reading, schema: inner })
    }
  }
  return found
}

function familiesOf(table: NamedSchemas): Families {
  const bases = [...table].flatMap(([name, { schema }]) => {
    const said = [schema, ...partsIn(schema)]
    const isBase = said.some(({ discriminator }) => isObject(discriminator))
    return isBase && said.every(({ oneOf, anyOf }) => oneOf === undefined && anyOf === undefined) ? [name] : []
  })
  if (bases.length === 0) return new Map()
  const derived = new Map<unknown, string[]>()
  for (const [name, { schema }] of table) {
    for (const { $ref } of partsIn(schema)) derived.set($ref, [...(derived.get($ref) ?? []), name])
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

function partsIn({ allOf }: JsonSchema): JsonSchema[] {
  return Array.isArray(allOf) ? allOf.filter(isObject) : []
}

/** Lists the parts of a derived schema, without those of its family. */
function ownParts(reading: SchemaReading, base: string, families: Families): SchemaReading[] {
  const { allOf: _parts, ...rest } = reading.schema
  const isFamily = ({ $ref }: JsonSchema) => $ref === base || families.get(base)?.has($ref as string)
  return [rest, ...partsIn(reading.schema).filter((part) => !isFamily(part))].map((schema) => ({ ...reading, schema }))
}

/** Makes a function that tells whether a schema in another one is the base itself: a part of a derived one, or beside it. */
function toldIn(schema: JsonSchema, families: Families): (inner: JsonSchema) => boolean {
  const parts = partsIn(schema)
  const isPart = parts.length > 1 || Object.keys(schema).some((key) => isRule(key) && key !== 'allOf' && key !== 'type')
  const branches = [schema.anyOf, schema.oneOf].flat().filter(isObject)
  const isBeside = ({ $ref }: JsonSchema) =>
    branches.some((branch) => families.get($ref as string)?.has(branch.$ref as string))
  return (inner) =>
    families.has(inner.$ref as string) &&
    ((isPart && parts.includes(inner)) || (branches.includes(inner) && isBeside(inner)))
}
