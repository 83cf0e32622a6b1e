// The conversion of the shapes of a change in a body, also of those that contain others.
import { typeOf } from '../../schemas/alternatives'
import type { SchemaLocation } from '../../schemas/location'
import type { Direction, JsonSchema, SchemaReading } from '../../schemas/model'
import { type NamedSchemas, resolveIn } from '../../schemas/reach'
import type { Report } from '../../util/problems'
import { wholesOf } from './conjuncts'
import {
  ChangeFailure,
  type CompiledStep,
  copyOf,
  type RunContext,
  resultOf,
  type ShapeConversion,
  type StepFacts,
  unfit,
} from './steps'
import { type ShapeValues, type VisitSettings, visitCompiler } from './visit-compiler'
import { type BranchSelector, type Inside, type Nesting, type Run, replace, type Visit, Waiting } from './visits'

/** The step of a shape, if it has any. */
interface OptionalStep {
  readonly step: CompiledStep['run'] | undefined
}

/** The shapes of a change, by name. */
interface ChangedShapes {
  readonly description: string
  /** `isData` is `true` for a shape by `fields()`. A copy of a shape has the `change` of that. */
  readonly shapes: ReadonlyMap<
    string,
    { readonly isData: boolean; readonly change?: unknown; readonly renamed?: ReadonlyMap<string, string> }
  >
}

/** The pass of a single shape that contains no other converted shape. */
interface Alone {
  readonly name: string
  readonly schema: JsonSchema
  /** Converts the shape. */
  readonly link: Visit
  /** Makes a visit of its places. */
  with(converting: Visit): Visit
}

class CompiledConversion implements ShapeConversion {
  readonly kind
  readonly operation
  readonly description

  constructor(
    { kind, operation, description }: StepFacts,
    private readonly visit: Visit,
    private readonly isNested: boolean,
    private readonly isQuery: boolean,
    readonly isMade: boolean,
    private readonly alone?: Alone,
  ) {
    this.kind = kind
    this.operation = operation
    this.description = description
  }

  convert(value: unknown, context: RunContext, isLast: boolean): unknown {
    const { isQuery, visit } = this
    const run = { context, isLast, isQuery, before: { context, isLast: false, isQuery } }
    if (!this.isNested) return visit(value, run)
    const nesting = new NestedShapes()
    const result = nesting[this.kind === 'request' ? 'newer' : 'older'](value, visit, { ...run, nesting })
    // A step may have changed what another one made.
    return isLast ? result : copyOf(this, result, context)
  }

  fusedWith(next: ShapeConversion): ShapeConversion | undefined {
    if (!(next instanceof CompiledConversion) || this.alone === undefined || next.alone === undefined) return undefined
    const { name, schema, link, with: visitWith } = this.alone
    const { link: nextLink } = next.alone
    if (name !== next.alone.name || schema !== next.alone.schema) return undefined
    const both: Visit = (value, run) => nextLink(link(value, run.before ?? run), run)
    return new CompiledConversion(next, visitWith(both), false, this.isQuery, next.isMade, {
      ...this.alone,
      link: both,
    })
  }
}

/** The conversions of one change's shapes in bodies of one direction. */
export type ShapeConverter = ReturnType<typeof shapeConverter>

/**
 * Makes the conversions of one change's shapes in bodies of one direction.
 *
 * @param steps the steps by shape.
 * @param older the definitions before the change.
 * @param newer the definitions since the change.
 * @param renamed returns the names that the properties of a shape have where values come from, by their names of today.
 * @param keyOf returns the key of the option `places` for a schema.
 * @param report gets the places where a shape cannot be converted.
 */
export function shapeConverter(
  { description, shapes }: ChangedShapes,
  direction: Direction,
  steps: ReadonlyMap<string, OptionalStep>,
  older: NamedSchemas,
  newer: NamedSchemas,
  renamed: (name: string) => ReadonlyMap<string, string>,
  branches: ReadonlyMap<object, BranchSelector>,
  keyOf: VisitSettings['keyOf'],
  report: Report,
) {
  const kind = direction === 'input' ? 'request' : 'response'
  const names = [...shapes.keys()] as [string, ...string[]]
  const named: StepFacts = { kind, operation: names.join('", "'), description }
  /** `true` once a converted shape has been found that contains another one. */
  let hasInner = false

  function convert(name: string, inside: Inside | undefined, { types, convertsNull, misfit }: ShapeValues): Visit {
    hasInner ||= inside !== undefined
    // A shape without a step is in no body, which was checked.
    const run = steps.get(name)?.step as CompiledStep['run']
    const step: CompiledStep = { kind, operation: name, description, run }
    return (value, run) => {
      const { nesting, find, isQuery } = run
      if (find !== undefined) {
        if (typeof value === 'object' && value !== null) find(value, inside)
        return value
      }
      if (value === null && !convertsNull) return null
      const isFit = value === null || (typeOf(value) & types) !== 0 || (isQuery === true && typeof value === 'string')
      if (!isFit) return misfit(value, run)
      run.context.met?.add(description)
      if (nesting !== undefined) return nesting.add(value, step, inside)
      const result = resultOf(step, value, run.context)
      return run.isLast ? result : copyOf(step, result, run.context)
    }
  }

  const settings: VisitSettings = {
    table: older,
    newer,
    // Types of requests are checked before anything is converted. In responses, the outer shapes are converted first.
    valued: direction === 'input' ? older : newer,
    names: new Set(names),
    isByFields: (name) => shapes.get(name)?.isData === true,
    renamedBy: (name) => shapes.get(name)?.renamed ?? new Map(),
    changeOf: (name) => shapes.get(name)?.change ?? shapes.get(name),
    renamed,
    branches,
    keyOf,
    convert,
    misfit: (what, { context }) => {
      if (direction === 'input') throw unfit(named, context, new TypeError(`There is ${what}.`))
      throw new ChangeFailure(named, `found ${what}`, context)
    },
  }
  const compiler = visitCompiler(settings, report)

  return {
    /**
     * Returns the conversion of a body.
     *
     * @param reading the schema of the body in the older version.
     * @param root the place of the body.
     * @param isQuery `true` for a query.
     * @returns undefined if the body contains none of the shapes.
     */
    conversionOf(reading: SchemaReading, root: SchemaLocation, isQuery = false): ShapeConversion | undefined {
      const visit = compiler.visitOf(reading, root)
      if (visit === undefined) return undefined
      const [name, ...others] = names
      const link = compiler.shapeVisit(name)
      const wholes = wholesOf(reading, { table: resolveIn(older), names: settings.names })
      const isMade = wholes.some((whole) => !settings.isByFields(whole))
      if (link === undefined || others.length > 0 || hasInner) {
        return new CompiledConversion(named, visit, hasInner, isQuery, isMade)
      }
      const alone = {
        name,
        schema: reading.schema,
        link,
        // The shape contains no converted one, so the other places stay the same.
        with: (converting: Visit) =>
          visitCompiler({ ...settings, convert: () => converting }, report).visitOf(reading, root) as Visit,
      }
      return new CompiledConversion(named, visit, false, isQuery, isMade, alone)
    },
  }
}

/** The limit of nesting. JSON is not written so deep: a step that puts a shape into itself would never end. */
const DEPTH = 10_000

/**
 * The conversion of shapes that contain others, in one body on its way through one change. It is a loop, because values may be nested
 * deeper than the stack allows. Each value is copied once for each change.
 */
class NestedShapes implements Nesting {
  readonly #waiting: Waiting[] = []
  #depth = 0

  /** Notes the value of a shape. The result stands in its place until then. */
  add(value: unknown, step: CompiledStep, inside: Inside | undefined): Waiting {
    if (this.#depth > DEPTH) throw new RangeError('The value is nested too deep.')
    const waiting = new Waiting(value, step, inside, this.#depth)
    this.#waiting.push(waiting)
    return waiting
  }

  /** Converts the shapes in a response from the outside in: the step of a shape sees newer inner shapes. */
  older(value: unknown, visit: Visit, run: Run): unknown {
    const own = new OwnParts(value)
    const root = { value }
    replace(root, 'value', visit(value, run))
    // The loop also visits the values that it adds.
    for (const { value: newer, step, inside, depth, around, key } of this.#waiting) {
      this.#depth = depth + 1
      const result = resultOf(step, newer, run.context)
      if (inside === undefined) around[key] = result
      else {
        const copy = copyOf(step, result, run.context, own.within(newer, innerIn(result, inside, own, run)))
        own.add(copy)
        replace(around, key, inside.visit(copy, run))
      }
    }
    return root.value
  }

  /**
   * Converts the shapes in a request from the inside out: the step of a shape sees newer inner shapes. Its result is copied but
   * for the results of inner steps, which are copies already.
   */
  newer(value: unknown, visit: Visit, run: Run): unknown {
    const root = { value }
    replace(root, 'value', visit(value, run))
    for (const waiting of this.#waiting) {
      this.#depth = waiting.depth + 1
      const { inside, value: older } = waiting
      if (inside !== undefined) replace(waiting as { value: unknown }, 'value', inside.visit(older, run))
    }
    const results = new Set<object>()
    for (const { value: older, step, around, key } of this.#waiting.reverse()) {
      const copy = copyOf(step, resultOf(step, older, run.context), run.context, results)
      if (typeof copy === 'object' && copy !== null) results.add(copy)
      around[key] = copy
    }
    return root.value
  }
}

/** Returns the values of inner shapes that the result of a step has from the conversion. */
function innerIn(result: unknown, inside: Inside, own: OwnParts, run: Run): ReadonlySet<object> {
  const found = new Set<object>()
  const search: Run = {
    ...run,
    find: (value, within) => {
      if (own.has(value)) found.add(value)
      // A step made it. It may contain values of the conversion.
      else within?.visit(value, search)
    },
  }
  try {
    inside.visit(result, search)
  } catch {
    // A getter failed, or there is a loop. The copy tells which.
  }
  return found
}

/** The objects and lists that a conversion has copied, each with the one around it. */
class OwnParts {
  readonly #around = new Map<object, object | undefined>()

  constructor(root: unknown) {
    this.add(root)
  }

  /** Adds a copy. Its parts from earlier copies stay. */
  add(copy: unknown): void {
    if (typeof copy !== 'object' || copy === null) return
    this.#around.set(copy, undefined)
    // A loop, because a value may be nested deeper than the stack allows.
    const open: object[] = [copy]
    for (let part = open.pop(); part !== undefined; part = open.pop()) {
      for (const inner of Object.values(part)) {
        if (typeof inner !== 'object' || inner === null || this.#around.has(inner)) continue
        this.#around.set(inner, part)
        open.push(inner)
      }
    }
  }

  has(part: object): boolean {
    return this.#around.has(part)
  }

  /** Returns those of some parts that are inside of a value, and in none of the others. */
  within(value: unknown, parts: ReadonlySet<object>): Set<object> {
    return new Set([...parts].filter((part) => this.#isAlone(part, value, parts)))
  }

  #isAlone(part: object, value: unknown, parts: ReadonlySet<object>): boolean {
    for (let around = this.#around.get(part); around !== undefined; around = this.#around.get(around)) {
      if (around === value) return true
      if (parts.has(around)) return false
    }
    return false
  }
}
