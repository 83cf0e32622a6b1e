import type { Direction, SchemaReading } from '../../schemas/model'
import { ChangeFailure, type CompiledStep, copyOf, resultOf, type ShapePass, unfit } from '../steps'
import type { StepContext } from '../typing'
import type { Definitions, ShapeChange } from './definitions'
import { type Conversion, Places, type Table } from './places'
import type { Report } from './problems'
import type { Visit } from './visits'

/** What each change does to the shapes in bodies of one direction, by its index; undefined where it says nothing of shapes. */
export function passesOf(
  changes: readonly ShapeChange[],
  { direction, tables }: Definitions,
  report: Report,
): (ShapePasses | undefined)[] {
  return changes.map((change, index) =>
    change.shapes.size === 0
      ? undefined
      : new ShapePasses(change, direction, tables[index] as Table, tables[index + 1] as Table, report),
  )
}

/** Compiles what one change does to the shapes in bodies of one direction. */
export class ShapePasses {
  readonly #change: ShapeChange
  readonly #kind: 'request' | 'response'
  readonly #places: Places

  /**
   * @param older the definitions of the version before the change.
   * @param newer those since.
   * @param report is told of places where a shape cannot be converted.
   */
  constructor(change: ShapeChange, direction: Direction, older: Table, newer: Table, report: Report) {
    this.#change = change
    this.#kind = direction === 'input' ? 'request' : 'response'
    const conversion: Conversion = {
      table: older,
      // Of what is on its way in, nothing is converted yet where its type counts; of answers, what stands around it is.
      valued: direction === 'input' ? older : newer,
      names: new Set(change.shapes.keys()),
      convert: (name, inside) => (direction === 'input' ? this.#newer(name, inside) : this.#older(name, inside)),
      misfit: (found, { context }) => {
        if (direction === 'input') throw unfit(context, new TypeError(`There is ${found}.`))
        throw new ChangeFailure(this.#named, `found ${found}`)
      },
    }
    this.#places = new Places(conversion, report)
  }

  /**
   * @param reading the schema of a body in the older version.
   * @param root what it is, for errors.
   * @returns undefined where none of the shapes stands in it.
   */
  passOf(reading: SchemaReading, root: string): ShapePass | undefined {
    const visit = this.#places.visitOf(reading, root)
    if (visit === undefined) return undefined
    return {
      ...this.#named,
      convert: (value, context, isLast) => (value === null ? null : visit(value, { context, isLast })),
    }
  }

  get #named(): Omit<CompiledStep, 'run'> {
    return {
      kind: this.#kind,
      operation: [...this.#change.shapes.keys()].join('", "'),
      description: this.#change.description,
    }
  }

  /** From the outside in: what is inside is still newer when the step sees it. */
  #older(name: string, inside: Visit | undefined): Visit {
    const step = this.#step(name)
    if (step === undefined) return inside ?? ((value) => value)
    return (value, run) => {
      const older = resultOf(step, value, run.context)
      if (inside === undefined && run.isLast) return older
      const copy = copyOf(step, older)
      return inside === undefined || copy === null ? copy : inside(copy, run)
    }
  }

  /** From the inside out: what is inside is newer already. */
  #newer(name: string, inside: Visit | undefined): Visit {
    const step = this.#step(name)
    if (step === undefined) return inside ?? ((value) => value)
    return (value, run) => {
      const older = inside === undefined ? value : inside(value, run)
      return copyOf(step, resultOf(step, older, run.context))
    }
  }

  #step(name: string): CompiledStep | undefined {
    const { shapes, description } = this.#change
    const steps = shapes.get(name)?.steps
    const step = steps?.[this.#kind]
    if (step === undefined) return undefined
    const run: CompiledStep['run'] = (value, context) => step.call(steps, value, context as StepContext)
    return { kind: this.#kind, operation: name, description, run }
  }
}
