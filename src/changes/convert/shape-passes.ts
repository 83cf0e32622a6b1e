// The conversion of the shapes of a change in a body.

import type { Direction, JsonSchema, SchemaReading } from '../../schemas/model'
import type { Report } from '../../util/problems'
import { CompiledFields } from '../describe/fields/fields'
import { type Definitions, renamedIn, type ShapeChange } from '../timeline/definitions'
import type { Table } from './holding'
import { NestedShapes } from './nested-shapes'
import type { OlderSide, ShapeStep } from './older-side'
import { type Conversion, Places } from './places'
import {
  type BodyStep,
  ChangeFailure,
  type CompiledStep,
  copyOf,
  type RunContext,
  resultOf,
  type ShapePass,
  type StepFacts,
  unfit,
} from './steps'
import type { Inside, Visit } from './visits'

/** Compiles for each change the conversions of its shapes in one direction; undefined for a change without shapes. */
export function passesOf(
  changes: readonly ShapeChange[],
  { direction, tables, older }: Definitions,
  report: Report,
): (ShapePasses | undefined)[] {
  return changes.map((change, index) =>
    change.shapes.size === 0
      ? undefined
      : new ShapePasses(
          change,
          direction,
          older[index] as ReadonlyMap<string, OlderSide>,
          tables[index] as Table,
          tables[index + 1] as Table,
          renamedIn(changes, direction === 'input' ? index : index + 1),
          report,
        ),
  )
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

class Pass implements ShapePass {
  readonly kind
  readonly operation
  readonly description

  constructor(
    private readonly named: StepFacts,
    private readonly visit: Visit,
    private readonly isNested: boolean,
    private readonly isQuery: boolean,
    private readonly alone?: Alone,
  ) {
    this.kind = named.kind
    this.operation = named.operation
    this.description = named.description
  }

  convert(value: unknown, context: RunContext, isLast: boolean): unknown {
    const { isQuery, visit } = this
    const run = { context, isLast, isQuery, before: { context, isLast: false, isQuery } }
    if (!this.isNested) return visit(value, run)
    const nesting = new NestedShapes()
    const isRequest = this.kind === 'request'
    const result = nesting[isRequest ? 'newer' : 'older'](value, visit, { ...run, nesting })
    // A step may have changed what another one made.
    return isLast ? result : copyOf(this.named, result, context)
  }

  joined(next: ShapePass): ShapePass | undefined {
    if (!(next instanceof Pass) || this.alone === undefined || next.alone === undefined) return undefined
    const { name, schema, link, with: visitWith } = this.alone
    const { link: nextLink } = next.alone
    if (name !== next.alone.name || schema !== next.alone.schema) return undefined
    const both: Visit = (value, run) => nextLink(link(value, run.before ?? run), run)
    return new Pass(next.named, visitWith(both), false, this.isQuery, { ...this.alone, link: both })
  }
}

/** Joins consecutive passes into one visit where possible. */
export function joined(steps: readonly BodyStep[]): BodyStep[] {
  const found: BodyStep[] = []
  for (const step of steps) {
    const last = found.at(-1)
    const both = last !== undefined && 'convert' in last && 'convert' in step ? last.joined?.(step) : undefined
    if (both !== undefined) found.pop()
    found.push(both ?? step)
  }
  return found
}

/** The conversions of one change's shapes in bodies of one direction. */
export class ShapePasses {
  readonly #change: ShapeChange
  readonly #kind: 'request' | 'response'
  readonly #places: Places
  readonly #conversion: Conversion
  readonly #report: Report
  readonly #sides: ReadonlyMap<string, OlderSide>
  /** `true` once a converted shape has been found that contains another one. */
  #hasInner = false

  /**
   * @param sides the older sides, with their steps, by shape.
   * @param older the definitions before the change.
   * @param newer the definitions since the change.
   * @param renamed returns the names that the properties of a shape have where values come from, by their names of today.
   * @param report gets the places where a shape cannot be converted.
   */
  constructor(
    change: ShapeChange,
    direction: Direction,
    sides: ReadonlyMap<string, OlderSide>,
    older: Table,
    newer: Table,
    renamed: (name: string) => ReadonlyMap<string, string>,
    report: Report,
  ) {
    this.#change = change
    this.#sides = sides
    this.#kind = direction === 'input' ? 'request' : 'response'
    this.#conversion = {
      table: older,
      newer,
      // Types of requests are checked before anything is converted. In responses, the outer shapes are converted first.
      valued: direction === 'input' ? older : newer,
      names: new Set(change.shapes.keys()),
      isByFields: (name) => change.shapes.get(name) instanceof CompiledFields,
      renamed,
      convert: (name, inside, check) => this.#convert(name, inside, check),
      misfit: (what, { context }) => {
        if (direction === 'input') throw unfit(this.#named, context, new TypeError(`There is ${what}.`))
        throw new ChangeFailure(this.#named, `found ${what}`, context)
      },
    }
    this.#report = report
    this.#places = new Places(this.#conversion, report)
  }

  /**
   * Returns the conversion of a body.
   *
   * @param reading the schema of the body in the older version.
   * @param root the name of the body in errors.
   * @param isQuery `true` for a query.
   * @returns undefined if the body contains none of the shapes.
   */
  passOf(reading: SchemaReading, root: string, isQuery = false): ShapePass | undefined {
    const visit = this.#places.visitOf(reading, root)
    if (visit === undefined) return undefined
    const [name, ...others] = [...this.#change.shapes.keys()] as [string, ...string[]]
    const link = this.#places.shapeVisit(name)
    if (link === undefined || others.length > 0 || this.#hasInner) {
      return new Pass(this.#named, visit, this.#hasInner, isQuery)
    }
    const alone = {
      name,
      schema: reading.schema,
      link,
      // The shape contains no converted one, so the other places stay the same.
      with: (converting: Visit) =>
        new Places({ ...this.#conversion, convert: () => converting }, this.#report).visitOf(reading, root) as Visit,
    }
    return new Pass(this.#named, visit, false, isQuery, alone)
  }

  get #named(): StepFacts {
    return {
      kind: this.#kind,
      operation: [...this.#change.shapes.keys()].join('", "'),
      description: this.#change.description,
    }
  }

  #convert(name: string, inside: Inside | undefined, check: Visit): Visit {
    this.#hasInner ||= inside !== undefined
    const step = this.#step(name)
    return (given, run) => {
      const { nesting, find } = run
      if (find !== undefined) {
        if (typeof given === 'object' && given !== null) find(given, inside)
        return given
      }
      const value = check(given, run)
      // Only `null` stays.
      if (value === undefined) return null
      if (nesting !== undefined) return nesting.add(value, step, inside)
      const result = resultOf(step, value, run.context)
      return run.isLast ? result : copyOf(step, result, run.context)
    }
  }

  /** Returns the step of a shape. A shape without it stands nowhere, which was checked. */
  #step(name: string): CompiledStep {
    const run = this.#sides.get(name)?.step as ShapeStep
    return { kind: this.#kind, operation: name, description: this.#change.description, run }
  }
}
