// The schemas that all hold for one value: a schema itself, its `$ref`, its `allOf` and its unions.

import { isSameSchema } from '../../schemas/differences'
import { type Resolve, targetOf } from '../../schemas/graph'
import {
  branchesIn,
  isKeyword,
  isRule,
  partsIn,
  patternsIn,
  propertiesIn,
  referenceIn,
  referenceTo,
  requiredIn,
  type Union,
  unionsIn,
} from '../../schemas/keywords'
import { locationOf, type SchemaLocation, within } from '../../schemas/location'
import { isName, isObject, type SchemaReading } from '../../schemas/model'

/** One of the schemas that all hold for a value. */
export interface Conjunct {
  /** The keyword that holds it; `own` for the rules of the schema itself. */
  readonly kind: '$ref' | 'own' | Union
  readonly reading: SchemaReading
  readonly place: SchemaLocation
}

/**
 * Lists the schemas that all hold for a value, by the schemas that describe it: mostly one.
 *
 * @param follows tells whether a reference is followed, or is one of the schemas.
 */
export function conjunctsOf(
  readings: readonly SchemaReading[],
  place: SchemaLocation,
  resolve: Resolve,
  follows: (reference: string) => boolean,
): Conjunct[] {
  const found: Conjunct[] = []
  const seen = new Set<unknown>()
  const add = (reading: SchemaReading, place: SchemaLocation): void => {
    const { schema } = reading
    if (seen.has(schema)) return
    seen.add(schema)
    const name = referenceIn(schema)
    const target = targetOf(reading, resolve)
    if (name !== undefined && target !== undefined) {
      if (follows(name)) add(target, isName(name) ? locationOf(name) : place)
      else if (!seen.has(name)) found.push({ kind: '$ref', reading: { ...reading, schema: referenceTo(name) }, place })
      seen.add(name)
    }
    // Each of the schemas says its type itself.
    if (Object.keys(schema).some((keyword) => isRule(keyword) && keyword !== 'type' && !isKeyword(keyword, 'same'))) {
      found.push({ kind: 'own', reading, place })
    }
    for (const [index, part] of partsIn(schema).entries()) {
      add({ ...reading, schema: part }, within(place, 'allOf', String(index)))
    }
    for (const [kind] of unionsIn(schema)) found.push({ kind, reading, place })
  }
  for (const reading of readings) add(reading, place)
  return found
}

/** The two sides of a change, as far as schemas of one value may contradict each other. */
interface Sides {
  readonly table: Resolve
  readonly newer: Resolve
  /** The shapes that the change converts. */
  readonly names: ReadonlySet<string>
  isByFields(name: string): boolean
  /** Returns the newer names of the properties that the change of a shape renames, by their older names. */
  renamedBy(name: string): ReadonlyMap<string, string>
  /** Tells whether a schema holds a shape that the change converts. */
  holds(reading: SchemaReading): boolean
}

/** The reason why schemas of one value cannot be converted one by one. */
interface Conflict {
  readonly reason: string
  /** The shapes that it is about; undefined for all that are inside. */
  readonly names?: ReadonlySet<string>
}

/** Finds what speaks against the conversion of schemas that all hold for one value. */
export function conflictOf(all: readonly Conjunct[], sides: Sides): Conflict | undefined {
  const parts = all.map((one) => {
    const shapes = [...shapesOf(one, sides)]
    const said = statementOf(one.reading, sides.table, one.kind)
    const places = [...said.properties].filter(([, inner]) => sides.holds(inner)).map(([name]) => name)
    const changed = shapes.map((name) => changedBy(name, sides))
    return { kind: one.kind, shapes, said, places, changed, hasOthers: said.others.some(sides.holds) }
  })
  for (const one of parts) {
    const others = parts.filter((other) => other !== one)
    const speaking = others.filter(({ said }) => said.properties.size + said.required.size + said.others.length > 0)
    const whole = one.shapes.find((name) => !sides.isByFields(name))
    if (whole !== undefined && speaking.length > 0) return { reason: partOf(whole), names: new Set([whole]) }
    for (const other of speaking) {
      const { said, kind } = other
      const { properties } = said
      const both =
        // Nothing joins the schemas of a property inside and outside of branches.
        one.places.find((name) => {
          const inner = properties.get(name)
          return (isUnion(one.kind) || isUnion(kind)) && inner !== undefined && sides.holds(inner)
        }) ??
        one.changed.flatMap((shape) => conflicting(shape, said, other.changed)).at(0) ??
        (one.hasOthers ? [...properties.keys()].find((name) => !one.said.properties.has(name)) : undefined)
      if (both !== undefined)
        return {
          reason: `the property "${both}" is in two schemas of one value: write it in one of them, or change one of them and say by { places } that the other is its copy`,
        }
      if (one.hasOthers && said.others.some(sides.holds)) return { reason: SEVERAL }
    }
    const isConverted = ({ shapes, places, hasOthers }: typeof one) => shapes.length + places.length > 0 || hasOthers
    if (one.kind !== '$ref' && one.shapes.length > 0 && others.some(isConverted)) return { reason: SEVERAL }
  }
  return undefined
}

function isUnion(kind: Conjunct['kind']): kind is Union {
  return kind !== '$ref' && kind !== 'own'
}

const SEVERAL = 'several schemas speak of one value'

function partOf(name: string): string {
  return `it is a part of an object, and shape() of "${name}" converts whole values: give the object a name, and say its change beside that of "${name}", or write fields()`
}

/** Lists the changed shapes that a whole value may be. */
export function wholesOf(reading: SchemaReading, sides: Pick<Sides, 'table' | 'names'>): string[] {
  const parts = conjunctsOf([reading], NOWHERE, sides.table, (name) => !sides.names.has(name))
  return parts.flatMap((part) => [...shapesOf(part, sides)])
}

/** Lists the changed shapes that the whole value may be. */
function shapesOf({ kind, reading }: Conjunct, { table, names }: Pick<Sides, 'table' | 'names'>): Set<string> {
  const found = new Set<string>()
  const seen = new Set<object>()
  const add = (kind: Conjunct['kind'], reading: SchemaReading): void => {
    if (kind === '$ref') found.add(referenceIn(reading.schema) as string)
    if (!isUnion(kind) || seen.has(reading.schema)) return
    seen.add(reading.schema)
    for (const branch of branchesOf(reading, kind)) {
      const parts = conjunctsOf([branch], NOWHERE, table, (name) => !names.has(name))
      for (const part of parts) add(part.kind, part.reading)
    }
  }
  add(kind, reading)
  return found
}

/** Lists the branches of one union of a schema. */
function branchesOf(reading: SchemaReading, kind: Union): SchemaReading[] {
  return branchesIn(reading.schema, kind).map((schema) => ({ ...reading, schema }))
}

const NOWHERE: SchemaLocation = { root: '', place: '', path: '' }

/** The statements of a shape before and since a change, and the properties that the change renames. */
interface Changed {
  readonly renamed: ReadonlyMap<string, string>
  readonly older: Statement
  readonly newer: Statement
}

function changedBy(name: string, { table, newer, renamedBy }: Sides): Changed {
  const reading = { schema: referenceTo(name), definitions: new Map() }
  return { renamed: renamedBy(name), older: statementOf(reading, table), newer: statementOf(reading, newer) }
}

/** Lists the changed properties of a shape that another part contradicts. It follows names that only the newer version has. */
function conflicting(
  { older, newer, renamed }: Changed,
  { properties, required }: Statement,
  others: readonly Changed[],
) {
  return [...older.properties].flatMap(([name, before]) => {
    const since = newer.properties.get(name)
    if (since !== undefined) return properties.has(name) && !isSameSchema(before, since) ? name : []
    const to = renamed.get(name)
    // One value has not two older names.
    if (to !== undefined && others.some((other) => [...other.renamed.values()].includes(to))) return to
    return properties.has(name) || required.has(name) ? name : []
  })
}

/** The statement of a schema about the properties of an object. */
interface Statement {
  /** The schemas by property. */
  readonly properties: Map<string, SchemaReading>
  /** The properties that it requires, by themselves or with others. */
  readonly required: Set<string>
  /** The schemas of properties without a name. */
  readonly others: SchemaReading[]
}

/** Returns the statement of a schema, through references, `allOf` and unions. */
function statementOf(reading: SchemaReading, resolve: Resolve, kind?: Conjunct['kind']): Statement {
  const found: Statement = { properties: new Map(), required: new Set(), others: [] }
  const seen = new Set<object>()
  const add = (reading: SchemaReading): void => {
    const { schema } = reading
    if (seen.has(schema)) return
    seen.add(schema)
    addOwn(found, reading)
    const target = targetOf(reading, resolve)
    if (target !== undefined) add(target)
    const branches = unionsIn(schema).flatMap(([, all]) => all)
    for (const inner of [...partsIn(schema), ...branches]) add({ ...reading, schema: inner })
  }
  if (kind === 'own') addOwn(found, reading)
  else if (kind === undefined || kind === '$ref') add(reading)
  else for (const one of branchesOf(reading, kind)) add(one)
  return found
}

function addOwn({ properties, required, others }: Statement, { schema, definitions }: SchemaReading): void {
  for (const [name, inner] of Object.entries(propertiesIn(schema))) properties.set(name, { schema: inner, definitions })
  const { dependentRequired } = schema
  const together = isObject(dependentRequired) ? (Object.entries(dependentRequired).flat(2) as string[]) : []
  for (const name of [...requiredIn(schema), ...together]) required.add(name)
  const patterns = patternsIn(schema).map(([, inner]) => inner)
  const unnamed = [...patterns, schema.additionalProperties, schema.unevaluatedProperties].filter(isObject)
  others.push(...unnamed.map((inner) => ({ schema: inner, definitions })))
}
