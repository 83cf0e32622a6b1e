// The conversion of the shapes of a change in a body.

import type { Direction, JsonSchema, SchemaReading } from '../../schemas/model'
import type { NamedSchemas } from '../../schemas/reach'
import type { Report } from '../../util/problems'
import { NestedShapes } from './nested-shapes'
import {
  type BodyStep,
  ChangeFailure,
  type CompiledStep,
  copyOf,
  type RunContext,
  resultOf,
  type ShapeConversion,
  type StepFacts,
  unfit,
} from './steps'
import { VisitCompiler, type VisitSettings } from './visit-compiler'
import type { BranchSelector, Inside, Visit } from './visits'

/** The step of a shape. */
export type StepFunction = (value: unknown, context: RunContext) => unknown

/** The older side of a shape in one direction, and the step of its change. */
export interface OlderSide {
  /** The definition; undefined if nobody knows it. */
  readonly own: SchemaReading | undefined
  /** The named definitions in it. */
  readonly inside: ReadonlyMap<string, SchemaReading>
  readonly step: StepFunction | undefined
  /** The things that the step lacks, if the shape stands in a body of this direction. */
  readonly lacks: readonly string[]
  /** The reason why JSON Schema cannot express the older side, if it cannot. */
  readonly unreadable: string | undefined
}

/** The shapes of a change, by name. */
interface ChangedShapes {
  readonly description: string
  /** `isData` is `true` for a shape by `fields()`. */
  readonly shapes: ReadonlyMap<string, { readonly isData: boolean }>
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

  fusedWith(next: ShapeConversion): ShapeConversion | undefined {
    if (!(next instanceof CompiledConversion) || this.alone === undefined || next.alone === undefined) return undefined
    const { name, schema, link, with: visitWith } = this.alone
    const { link: nextLink } = next.alone
    if (name !== next.alone.name || schema !== next.alone.schema) return undefined
    const both: Visit = (value, run) => nextLink(link(value, run.before ?? run), run)
    return new CompiledConversion(next.named, visitWith(both), false, this.isQuery, { ...this.alone, link: both })
  }
}

/** Joins consecutive passes into one visit where possible. */
export function fused(steps: readonly BodyStep[]): BodyStep[] {
  const found: BodyStep[] = []
  for (const step of steps) {
    const last = found.at(-1)
    const both = last !== undefined && 'convert' in last && 'convert' in step ? last.fusedWith?.(step) : undefined
    if (both !== undefined) found.pop()
    found.push(both ?? step)
  }
  return found
}

/** The conversions of one change's shapes in bodies of one direction. */
export class ShapeConverter {
  readonly #change: ChangedShapes
  readonly #kind: 'request' | 'response'
  readonly #compiler: VisitCompiler
  readonly #conversion: VisitSettings
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
    change: ChangedShapes,
    direction: Direction,
    sides: ReadonlyMap<string, OlderSide>,
    older: NamedSchemas,
    newer: NamedSchemas,
    renamed: (name: string) => ReadonlyMap<string, string>,
    branches: ReadonlyMap<object, BranchSelector>,
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
      isByFields: (name) => change.shapes.get(name)?.isData === true,
      renamed,
      branches,
      convert: (name, inside, check) => this.#convert(name, inside, check),
      misfit: (what, { context }) => {
        if (direction === 'input') throw unfit(this.#named, context, new TypeError(`There is ${what}.`))
        throw new ChangeFailure(this.#named, `found ${what}`, context)
      },
    }
    this.#report = report
    this.#compiler = new VisitCompiler(this.#conversion, report)
  }

  /**
   * Returns the conversion of a body.
   *
   * @param reading the schema of the body in the older version.
   * @param root the name of the body in errors.
   * @param isQuery `true` for a query.
   * @returns undefined if the body contains none of the shapes.
   */
  conversionOf(reading: SchemaReading, root: string, isQuery = false): ShapeConversion | undefined {
    const visit = this.#compiler.visitOf(reading, root)
    if (visit === undefined) return undefined
    const [name, ...others] = [...this.#change.shapes.keys()] as [string, ...string[]]
    const link = this.#compiler.shapeVisit(name)
    if (link === undefined || others.length > 0 || this.#hasInner) {
      return new CompiledConversion(this.#named, visit, this.#hasInner, isQuery)
    }
    const alone = {
      name,
      schema: reading.schema,
      link,
      // The shape contains no converted one, so the other places stay the same.
      with: (converting: Visit) =>
        new VisitCompiler({ ...this.#conversion, convert: () => converting }, this.#report).visitOf(
          reading,
          root,
        ) as Visit,
    }
    return new CompiledConversion(this.#named, visit, false, isQuery, alone)
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
      run.context.met?.add(step.description)
      if (nesting !== undefined) return nesting.add(value, step, inside)
      const result = resultOf(step, value, run.context)
      return run.isLast ? result : copyOf(step, result, run.context)
    }
  }

  /** Returns the step of a shape. A shape without it stands nowhere, which was checked. */
  #step(name: string): CompiledStep {
    const run = this.#sides.get(name)?.step as StepFunction
    return { kind: this.#kind, operation: name, description: this.#change.description, run }
  }
}
