// The older side of a shape: what `shape()` says, and what `fields()` makes of the newer side.
import type { SchemaReading } from '../../schemas/model'
import type { RunContext } from './steps'

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
