// The checks of bodies with shapes: steps and schemas that changes lack, references that lead nowhere, and look-alikes of shapes.
import { isSameSchema } from '../../schemas/differences'
import { propertiesOf, type Resolve, resolveUnnamed, wholeOf } from '../../schemas/graph'
import {
  eachSchema,
  isKeyword,
  loneReferenceIn,
  propertiesIn,
  referenceIn,
  strangersIn,
  unionsIn,
  valuesOf,
} from '../../schemas/keywords'
import { locationOf, locationText, type SchemaLocation, within } from '../../schemas/location'
import { isName, isObject, type JsonSchema, type SchemaReading } from '../../schemas/model'
import { type NamedSchemas, resolveIn } from '../../schemas/reach'
import { says } from '../../schemas/responses'
import { ALL } from '../../util/operation'
import { shown } from '../../util/options'
import { describedErrors, errorFormat, type PlacesLine, type Report } from '../../util/problems'
import { didYouMean, near } from '../../util/suggest'
import { quoted } from '../../util/text'
import type { StepKind } from '../convert/steps'
import type { OlderSide } from '../describe/shape'
import type { Definitions } from './definition-table'
import type { PlaceKey } from './descriptions'
import type { ReleasedChange } from './operation-changes'
import type { Body, OperationShapes } from './operation-shapes'
import { isPlainObject, namesOf, ShapeCopy } from './shape-copies'

/** The part of `older` for each kind of step. */
const PARTS = { request: 'body', query: 'query', response: 'response', error: 'error', item: 'item' } as const

/** A changed shape, as far as a schema of another name, or of none, may look like it. */
interface Portrait {
  readonly name: string
  readonly description: string
  /** Its properties since the change. */
  readonly properties: ReadonlyMap<string, SchemaReading>
  /** The properties that the change brought or changed. */
  readonly brought: readonly string[]
  /** The names of all shapes of the change. */
  readonly siblings: ReadonlySet<string>
  /** Its name, and those of its copies. */
  readonly names: ReadonlySet<string>
  /** `true` if all of its changes are by `fields()`, which hold for a part of the properties too. */
  readonly isData: boolean
  /** `true` if a copy may have more properties in all versions. */
  readonly isOpen: boolean
}

/** A schema that may be a copy of a shape, or another thing. */
interface Suspect {
  readonly reading: SchemaReading
  readonly place: SchemaLocation
  /** The name by which a reference led to it; undefined without one. */
  readonly named: string | undefined
  /** The version that has it, if the newest one may lack it. */
  readonly olderVersion: string | undefined
}

/** The schemas that may be copies of shapes, each with these shapes. */
export type Suspected = Map<JsonSchema, readonly string[]>

/** The checks of bodies in one direction: in each version, and in all that they refer to. */
export type ShapeChecks = ReturnType<typeof shapeChecks>

/**
 * Makes the checks of bodies in one direction.
 *
 * @param others the definitions of the other direction: a shape of responses alone may be in bodies without its name.
 * @param keyOf returns the key of the option `places` for a schema.
 * @param suspected gets the schemas that may be copies of shapes, each with these shapes.
 * @param otherThings the schemas that the user calls other things.
 * @param hasComponents `true` if definitions are components of a document, which often has several for one thing.
 */
export function shapeChecks(
  definitions: Definitions,
  report: Report,
  others: Definitions,
  keyOf: PlaceKey,
  suspected: Suspected,
  otherThings: ReadonlySet<object> = new Set(),
  hasComponents = false,
) {
  const { changes, tables, older, holds } = definitions
  const tableAt = (behind: number) => tables[behind] as NamedSchemas
  /** The shapes that each change brought or changed properties of. */
  const portraits = changes.map((_, index) => portraitsOf(index, definitions, others))
  /** The schemas that were searched, by the number of changes that a version includes. */
  const searched = tables.map(() => new Set<JsonSchema>())
  /** The schemas that were also compared with shapes: an operation that comes later may be the first that meets a change. */
  const compared = tables.map(() => new Set<JsonSchema>())
  const lookalikes: PlacesLine[] = []
  const leftEmpty = new Set<string>()

  function checkShape(body: Body, index: number, name: string): void {
    const { description, version } = changes[index] as ReleasedChange
    const of = `the shape "${name}" of the change "${description}"`
    const sides = older[index] as ReadonlyMap<string, OlderSide>
    const { lacks, unreadable, emptied = [] } = sides.get(name) as OlderSide
    const isHeldIn = (behind: number) => holds(body.schemas, behind, name)
    for (const lack of lacks) if (isHeldIn(index)) report(`${of} ${lack}, but is in`, body.location.root)
    if (unreadable !== undefined && (isHeldIn(index) || isHeldIn(index + 1)))
      report(`of ${of}, ${unreadable}; it is in`, body.location.root)
    if (emptied.length > 0 && isHeldIn(index)) {
      const where = `of the shape "${name}", in version ${shown(version)} ("${description}")`
      for (const property of emptied) leftEmpty.add(`"${property}" ${where}`)
    }
  }

  /** Checks a step of an operation: it does not tell where shapes are in its result. */
  function checkOlder(body: Body, index: number, kind: StepKind): void {
    const { versionIndex, version, description } = changes[index] as ReleasedChange
    // An `error` step of all operations may be in any version: it hides the shapes that changed before it.
    const isBefore = (one: ReleasedChange, place: number) =>
      kind === 'error' ? place <= index : one.versionIndex <= versionIndex
    const names = changes.filter(isBefore).flatMap(({ shapes }) => [...shapes.keys()])
    const held = names.filter((name) => holds(body.schemas, index + 1, name))
    if (held.length === 0) return
    report(
      `the change "${description}" of version ${shown(version)} has an own "${kind}", but no { older: { ${PARTS[kind]} } } that says where changed shapes (${quoted([...new Set(held)])}) were before, for`,
      body.location.root,
    )
  }

  /** Returns a changed shape in a body, if there is any: the first one, by the order of changes. */
  function changedIn(body: Body): string | undefined {
    for (const [index, { shapes }] of changes.entries()) {
      const sides = [index, index + 1]
      const name = [...shapes.keys()].find((name) => sides.some((behind) => holds(body.schemas, behind, name)))
      if (name !== undefined) return name
    }
    return undefined
  }

  /** @param named the name by which a reference led to the schema, if it did. */
  function search(
    reading: SchemaReading,
    place: SchemaLocation,
    behind: number,
    among: readonly Portrait[],
    named?: string,
    isPart = false,
  ): void {
    const { schema, definitions } = reading
    const seen = (among.length > 0 ? compared : searched)[behind] as Set<JsonSchema>
    if (seen.has(schema)) return
    seen.add(schema)
    const name = referenceIn(schema)
    if (name !== undefined) {
      const table = tableAt(behind)
      const target = resolveIn(table)(name, reading)
      if (target === undefined) reportNowhere(name, table, place)
      else if (isName(name)) search(target, locationOf(name), behind, among, name)
      else search(target, place, behind, among)
    }
    // A part of an object is compared with the object around it.
    const isOpen = (named === undefined || hasComponents) && !isPart && !otherThings.has(schema)
    const isCompared = isOpen && (isObject(schema.properties) || Array.isArray(schema.allOf))
    const olderVersion = changes[behind]?.olderVersion
    if (isCompared) for (const portrait of among) compare({ reading, place, named, olderVersion }, portrait)
    for (const [keyword, value] of strangersIn(schema)) {
      if (!holdsSchema(value)) continue
      report(
        `a schema is in "${keyword}", which is no keyword of JSON Schema, so it is not followed,`,
        locationText(place),
      )
    }
    eachSchema(schema, (inner, path) => {
      if (!isObject(inner)) return
      const inside = { ...place, path: place.path + path }
      search({ schema: inner, definitions }, inside, behind, among, undefined, path.startsWith('/allOf/'))
    })
  }

  function reportNowhere(reference: string, table: NamedSchemas, place: SchemaLocation): void {
    const hint = didYouMean(near(reference, table.keys()))
    report(
      `a "$ref" leads to "${reference}", but no description has a schema of that name.${hint} Describe it, or write the schema instead of the reference,`,
      locationText(place),
    )
  }

  function compare(suspect: Suspect, portrait: Portrait): void {
    if (isKnown(suspect, portrait)) return
    const { reading, named } = suspect
    const { name, description, properties, brought } = portrait
    const own = propertiesOf(reading, resolveUnnamed)
    const common = [...properties.keys()].filter((property) => own.has(property))
    if (!brought.every((property) => common.includes(property))) return
    if (common.some((property) => isOtherConstant(own.get(property), properties.get(property)))) return
    const all = properties.size
    const isHalf = (part: number, whole: number) => part * 2 >= whole
    if (!hasComponents) {
      if (isHalf(common.length, all))
        reportSuspect(
          `an object without a name looks like the shape "${name}" of the change "${description}", whose properties it has. Libraries drop the name of a schema that is derived from another one. Name it "${name}", or give it a name of its own if it is another thing,`,
          suspect,
          portrait,
        )
      return
    }
    const [others, shared, rest] = [all, common.length, own.size].map((count) => count - brought.length) as [
      number,
      number,
      number,
    ]
    const isSmall = named === undefined && isHalf(common.length, all) && isHalf(common.length, own.size)
    if (isSmall || (isHalf(shared, others) && isHalf(shared, rest)))
      reportSuspect(
        `${named === undefined ? 'objects without a name' : 'components'} have the properties of the shape "${name}" of the change "${description}" too. Tell whether they are copies of it, by { places }; or name them in the same change:`,
        suspect,
        portrait,
      )
    else if (shared < others || others === 0) lookalikes.push(lineFor(suspect, portrait))
  }

  function reportSuspect(problem: string, suspect: Suspect, portrait: Portrait): void {
    const { schema } = suspect.reading
    suspected.set(schema, [...(suspected.get(schema) ?? []), portrait.name])
    report(problem, locationText(suspect.place), lineFor(suspect, portrait))
  }

  /** Returns the line of the option `places` that converts a suspect; if none can, the line that calls it another thing. */
  function lineFor(
    { reading, place, named, olderVersion }: Suspect,
    { name, properties, brought, isData, isOpen }: Portrait,
  ): PlacesLine {
    const own = propertiesOf(reading, resolveUnnamed)
    const isWhole = [...properties.keys()].every((property) => own.has(property))
    // A copy is a plain object: nothing tells which properties a branch of it has.
    const isPlain = wholeOf(reading, resolveUnnamed).every(({ schema }) => unionsIn(schema).length === 0)
    // Its own change brought these properties, so it had others before.
    const isOther = portraits
      .flat()
      .some((one) => one.name === named && one.brought.some((own) => brought.includes(own)))
    const isCopy =
      isPlain && !isOther && (isData || (isWhole && (isOpen || [...own.keys()].every((one) => properties.has(one)))))
    const remedy = `if it is one, change ${named === undefined ? 'it' : `"${named}"`} beside "${name}" in the same change`
    const meaning = isCopy ? `${JSON.stringify(name)} /* null: it is another thing */` : `null /* ${remedy} */`
    return { key: keyOf(reading.schema, place, olderVersion), meaning }
  }

  return {
    /** The schemas that look a little like a changed shape. */
    lookalikes,
    /** The properties that older versions require, and that an empty list of a response does not fill. */
    emptied: leftEmpty as ReadonlySet<string>,

    /**
     * Checks a body.
     *
     * @param meets tells whether the operation meets a change, by its index.
     */
    check(body: Body, meets: (index: number) => boolean): void {
      for (const [index, change] of changes.entries()) {
        if (!meets(index)) continue
        for (const name of change.shapes.keys()) checkShape(body, index, name)
        const kind = body.unsaid.get(index)
        if (kind !== undefined) checkOlder(body, index, kind)
      }
      for (const [behind, schema] of body.schemas.entries()) {
        if (schema === null) continue
        // The parameters of a query are single values.
        const isCompared = behind > 0 && !body.isQuery && meets(behind - 1)
        search(schema, body.location, behind, isCompared ? (portraits[behind - 1] as Portrait[]) : [])
      }
    },

    /**
     * Checks that all errors are described where a changed shape is in any of them: others would have the newest format.
     *
     * @param all the operations that meet a change, and what all operations share.
     * @param isOfNest `true` if Nest makes the table, which has no descriptions but those of the document.
     */
    checkErrors(all: readonly OperationShapes[], isOfNest: boolean): void {
      const errors = all.flatMap(({ received }) =>
        [...received].flatMap(([status, body]) => (status >= 400 ? body : [])),
      )
      const found = errors.map((body) => ({ body, name: changedIn(body) }))
      const changed = found.find(({ name }) => name !== undefined)
      if (changed === undefined) return
      const schema = changed.body.schemas.at(-1)?.schema
      // A copy has a name of its own, which nobody else can use.
      const isCopy = changes.some(({ shapes }) => shapes.get(changed.name ?? '') instanceof ShapeCopy)
      const lone =
        !isCopy &&
        schema !== undefined &&
        loneReferenceIn(schema, (keyword) => !isKeyword(keyword, 'text')) === changed.name
          ? (changed.name as string)
          : null
      const problem = `the shape "${changed.name}" changes and is in ${changed.body.location.root}, so all errors need a description: ${isOfNest ? byNest(lone) : byTable(lone)}. There is none for`
      for (const { name, described } of all) {
        const missing = ['4XX', '5XX'].filter((range) => !says(described.responses, range))
        const place = name === ALL ? 'pages without a route' : `"${name}"`
        if (missing.length > 0) report(problem, `${missing.join(' and ')} of ${place}`, undefined, lone)
      }
    },

    /** Lists the shapes that the objects of a body are, or may be, since a change. A copy has the name of its shape. */
    shapesOf(body: Body, index: number): string[] {
      const schema = body.schemas[index + 1] ?? null
      const shapes = changes[index]?.shapes
      const table = tableAt(index + 1)
      const objects = schema === null ? [] : objectsIn(schema, body.location, resolveIn(table))
      return objects.flatMap(({ reading, named = '' }) => {
        const copy = shapes?.get(named)
        return [copy instanceof ShapeCopy ? copy.of : named, ...(suspected.get(reading.schema) ?? [])]
      })
    },

    /**
     * Checks the body of an operation whose responses have a changed shape: what older clients write under an older name would be lost.
     *
     * @param body its body in the newer version of each change.
     * @param responded returns the shapes in its responses since a change.
     */
    checkWrites(
      body: Body,
      meets: (index: number) => boolean,
      responded: (index: number) => ReadonlySet<string>,
    ): void {
      for (const [index, among] of portraits.entries()) {
        const schema = hasComponents && meets(index) ? (body.schemas[index + 1] ?? null) : null
        const shapes = schema === null || among.length === 0 ? undefined : responded(index)
        if (schema === null || shapes === undefined || shapes.size === 0) continue
        const table = tableAt(index + 1)
        const olderVersion = changes[index + 1]?.olderVersion
        for (const suspect of objectsIn(schema, body.location, resolveIn(table))) {
          if (otherThings.has(suspect.reading.schema)) continue
          const own = propertiesOf(suspect.reading, resolveUnnamed)
          for (const portrait of among) {
            if (isKnown(suspect, portrait) || suspected.has(suspect.reading.schema) || !shapes.has(portrait.name))
              continue
            if (!portrait.brought.some((property) => own.has(property))) continue
            reportSuspect(
              `bodies of operations that respond with the shape "${portrait.name}" of the change "${portrait.description}" have properties that it changes, so what older clients send there would be lost. Tell whether they are copies of it, by { places }; or name them in the same change:`,
              { ...suspect, olderVersion },
              portrait,
            )
          }
        }
      }
    },
  }
}

/** Makes the portraits of the shapes of a change. */
function portraitsOf(index: number, definitions: Definitions, others: Definitions): Portrait[] {
  const { shapes, description } = definitions.changes[index] as ReleasedChange
  return [...shapes].flatMap(([name, shape]) => {
    if (shape instanceof ShapeCopy) return []
    const { tables } = definitions.tables[index + 1]?.has(name) === true ? definitions : others
    const newer = tables[index + 1]?.get(name)
    // No body has it.
    if (newer === undefined) return []
    const older = tables[index]?.get(name) as SchemaReading
    const before = propertiesOf(older, resolveIn(tables[index] as NamedSchemas))
    const properties = propertiesOf(newer, resolveIn(tables[index + 1] as NamedSchemas))
    const brought = [...properties].flatMap(([name, since]) => (isChanged(before.get(name), since) ? name : []))
    if (brought.length === 0) return []
    const bySteps = [...definitions.changes.entries()].filter(([, change]) => change.shapes.get(name)?.isData === false)
    const isOpen = bySteps.every(([at]) => isPlainObject(definitions.tables[at]?.get(name) as SchemaReading))
    const siblings = new Set(shapes.keys())
    const names = new Set(namesOf(shapes, name))
    return [{ name, description, properties, brought, siblings, names, isData: bySteps.length === 0, isOpen }]
  })
}

/** Lists the objects that a body is: itself, the items of a list, and those in an envelope around either. */
function objectsIn(root: SchemaReading, location: SchemaLocation, resolve: Resolve): Omit<Suspect, 'olderVersion'>[] {
  const found: Omit<Suspect, 'olderVersion'>[] = []
  const seen = new Set<object>()
  const add = (reading: SchemaReading, place: SchemaLocation, isInside: boolean, named?: string): void => {
    const { schema } = reading
    if (seen.has(schema)) return
    seen.add(schema)
    const inner = (part: unknown, ...steps: string[]) => {
      if (isObject(part)) add({ ...reading, schema: part }, within(place, ...steps), isInside)
    }
    const reference = referenceIn(schema)
    const target = reference === undefined ? undefined : resolve(reference, reading)
    if (target !== undefined && reference !== undefined) {
      const isOther = isName(reference)
      add(target, isOther ? locationOf(reference) : place, isInside, isOther ? reference : named)
    }
    if (isObject(schema.properties) || Array.isArray(schema.allOf)) found.push({ reading, place, named })
    inner(schema.items, 'items')
    for (const [keyword, branches] of unionsIn(schema)) {
      for (const [index, branch] of branches.entries()) inner(branch, keyword, String(index))
    }
    if (isInside) return
    for (const [name, part] of Object.entries(propertiesIn(schema))) {
      add({ ...reading, schema: part }, within(place, 'properties', name), true)
    }
  }
  add(root, location, false)
  return found
}

/** Returns the remedy for tables. */
function byTable(format: string | null): string {
  return `of all operations by routes.${describedErrors(format)} of the outermost table, or of one operation by describe() (null for errors without JSON)`
}

/** Returns the remedy for Nest, whose own errors are JSON, and whose decorators leave out the status of a success. */
function byNest(format: string | null): string {
  return `of all operations by the option errors: ${format === null ? "{ type: 'object' }" : errorFormat(format)}, or of one operation by @ApiResponse({ status: '4XX' }). A response without a status is one of errors too; if it is a success, say so: @ApiResponse({ status: 200 })`
}

/** Tells whether a change names an object, or the object has the shape as one of its parts. */
function isKnown({ reading, named = '' }: Pick<Suspect, 'reading' | 'named'>, { siblings, names }: Portrait): boolean {
  const parts = wholeOf(reading, resolveUnnamed)
  return siblings.has(named) || parts.some(({ schema }) => names.has(referenceIn(schema) ?? ''))
}

/** Tells whether a change brought a property, or changed it. */
function isChanged(before: SchemaReading | undefined, since: SchemaReading): boolean {
  return before === undefined || !isSameSchema(before, since)
}

/** Tells whether a value has a schema in it that has a name, refers to one, or lists properties. */
function holdsSchema(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsSchema)
  if (!isObject(value)) return false
  const { $id, $ref, properties } = value
  if (typeof $id === 'string' || typeof $ref === 'string') return true
  return (isObject(properties) && Object.values(properties).some(isObject)) || Object.values(value).some(holdsSchema)
}

/** Tells whether two schemas allow one value each, and not the same. */
function isOtherConstant(one: SchemaReading | undefined, other: SchemaReading | undefined): boolean {
  const [left, right] = [one, other].map((side) => side && valuesOf(side.schema))
  return left?.length === 1 && right?.length === 1 && left[0] !== right[0]
}
