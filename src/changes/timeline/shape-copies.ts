// The copies of shapes in a document, as the option `places` names them: a change of the shape holds for the properties that they have.
import { jsonCopy } from '../../http/json'
import type { RouteRegistry } from '../../registry'
import { propertiesIn, requiredIn } from '../../schemas/keywords'
import { type Direction, isObject, type JsonSchema, type SchemaReading } from '../../schemas/model'
import { objectPartOf, oddKeyword } from '../describe/fields/field-schemas'
import type { CompiledFields } from '../describe/fields/fields'
import type { CompiledShape, StepFunction } from '../describe/shape'

/** The shapes that copies are of, by the names of the copies. */
export type CopiesOfShapes = ReadonlyMap<string, string>

const NO_COPIES: CopiesOfShapes = new Map()

/** The change of a shape, for one copy of it. */
export class ShapeCopy {
  readonly isData: boolean
  readonly older = undefined
  readonly newer = undefined

  constructor(
    /** The name of the shape. */
    readonly of: string,
    readonly change: CompiledShape | CompiledFields,
  ) {
    this.isData = change.isData
  }

  /** The newer names of renamed properties, by their older names. */
  get renamed(): ReadonlyMap<string, string> {
    return this.change.isData ? this.change.renamed : new Map()
  }
}

/** Returns the copies in the documents of a table. */
export function copiedShapes(routes: RouteRegistry | undefined): CopiesOfShapes {
  const documents = routes?.elsewhere()?.documents ?? []
  return documents.length === 0 ? NO_COPIES : new Map(documents.flatMap(({ schemas }) => [...schemas.copies]))
}

/** Adds the copies of shapes to the shapes of a change. What the change itself says of a name counts. */
export function withCopies(
  shapes: ReadonlyMap<string, CompiledShape | CompiledFields>,
  copies: CopiesOfShapes = NO_COPIES,
): ReadonlyMap<string, CompiledShape | CompiledFields | ShapeCopy> {
  const all = new Map<string, CompiledShape | CompiledFields | ShapeCopy>(shapes)
  for (const [name, of] of copies) {
    const change = shapes.get(of)
    if (change !== undefined && !shapes.has(name)) all.set(name, new ShapeCopy(of, change))
  }
  return all
}

/** Lists the name of a shape of a change, and those of its copies. */
export function namesOf(shapes: ReadonlyMap<string, object>, name: string): string[] {
  return [...shapes].flatMap(([copy, one]) =>
    copy === name || (one instanceof ShapeCopy && one.of === name) ? copy : [],
  )
}

/** Returns the names of the properties that an object lists. */
export function propertyNames(reading: SchemaReading): string[] {
  return Object.keys(propertiesIn(objectPartOf(reading).reading.schema))
}

/** Tells whether a definition is an object that lists its properties, so that a copy may have others beside them. */
export function isPlainObject(reading: SchemaReading): boolean {
  return oddKeyword(objectPartOf(reading).reading.schema) === undefined
}

/** The sides of a shape's steps, for a copy that has all properties of the shape. */
interface Sides {
  readonly older: SchemaReading
  readonly newer: SchemaReading
  readonly copy: SchemaReading
  readonly step: StepFunction | undefined
}

/** Makes the older side of a copy: the shape as it was, beside what else the copy has. */
export function olderCopy({ older, newer, copy, step }: Sides, direction: Direction) {
  const { reading, put } = objectPartOf(copy)
  const ofShape = new Set(propertyNames(newer))
  const before = objectPartOf(older).reading.schema
  const others = Object.entries(reading.schema.properties as JsonSchema).filter(([name]) => !ofShape.has(name))
  const needed = new Set(requiredIn(reading.schema))
  const inOlder = propertyNames(older)
  // What the copy requires of the shape tells what it required before: the same names, and for other names all or none.
  const renamed = [...ofShape].filter((name) => !inOlder.includes(name))
  const isStrict = renamed.length > 0 && renamed.every((name) => needed.has(name))
  const isPartial = ![...ofShape].some((name) => needed.has(name))
  const wasNeeded = (name: string) =>
    ofShape.has(name) ? needed.has(name) : isStrict || (!isPartial && requiredIn(before).includes(name))
  const required = [...inOlder.filter(wasNeeded), ...[...needed].filter((name) => !ofShape.has(name))]
  const { required: _names, ...rest } = reading.schema
  const schema = {
    ...rest,
    properties: { ...(before.properties as JsonSchema), ...Object.fromEntries(others) },
    ...(required.length === 0 ? {} : { required }),
  }
  const definitions = new Map([...older.definitions, ...copy.definitions])
  const converted = new Set(direction === 'output' ? ofShape : inOlder)
  return { own: put({ schema, definitions }), step: step && besideOthers(step, converted) }
}

/** Makes a step that gives the step of a shape the properties of the shape, and keeps all others. */
function besideOthers(step: StepFunction, names: ReadonlySet<string>): StepFunction {
  return (value, context) => {
    if (!isObject(value)) return step(value, context)
    const [own, others] = [true, false].map((isOwn) =>
      Object.fromEntries(Object.entries(value).filter(([name]) => names.has(name) === isOwn)),
    )
    const made = step(own, context)
    const lost: unknown[] = []
    const copy = jsonCopy(made, lost)
    // The result is checked later: here, a promise would look like an empty object.
    return isObject(copy) && lost.length === 0 ? { ...copy, ...others } : made
  }
}
