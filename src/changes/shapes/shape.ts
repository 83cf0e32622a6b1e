import { isSchema, SCHEMA_TAKES } from '../../schemas/check'
import type { Schema } from '../../types'
import { badOption, checkKeys } from '../../util/options'
import type { Shape, StepContext } from '../typing'

/** What a schema takes; `unknown` for one without types, such as plain JSON Schema. */
type InputOf<Given> = Given extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly input: infer Input }
    ? Input
    : unknown
  : unknown

/** What a schema gives. */
type OutputOf<Given> = Given extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : unknown
  : unknown

/** The type that was named, else that of the schema. */
type Named<Type, Otherwise> = [Type] extends [never] ? Otherwise : Type

/** Makes one side of a shape of the other. */
// As a method, whose parameters are compared either way: without types from the schemas, a step says itself what it takes.
type ShapeStep<From, To> = { step(value: From, context: StepContext): To }['step']

/** The steps of a shape: what {@link shape} takes. */
export interface ShapeSteps<OlderInput, NewerInput, OlderOutput, NewerOutput> {
  /** Makes the older shape of the newer one, wherever it stands in answers. */
  readonly response?: ShapeStep<NewerOutput, NoInfer<OlderOutput>> | undefined
  /** Makes the newer shape of the older one, wherever it stands in bodies. */
  readonly request?: ShapeStep<OlderInput, NoInfer<NewerInput>> | undefined
}

const OWNER = 'shape()'

/** A shape, checked. */
export class CompiledShape implements Shape<Schema, Schema> {
  constructor(
    readonly older: Schema,
    readonly newer: Schema,
    readonly steps: Readonly<
      Partial<Record<'response' | 'request', (value: unknown, context: StepContext) => unknown>>
    >,
  ) {
    if (!isSchema(older)) throw badOption(OWNER, 'older', SCHEMA_TAKES, older)
    if (!isSchema(newer)) throw badOption(OWNER, 'newer', SCHEMA_TAKES, newer)
    checkKeys(OWNER, steps, ['response', 'request'])
    for (const [kind, step] of Object.entries(steps)) {
      if (step !== undefined && typeof step !== 'function') throw badOption(OWNER, kind, 'a function', step)
    }
  }
}

/**
 * What a change says of a shape, under the name that its schema has: the steps between its older and its newer side, wherever it
 * stands in what `describe()` says of bodies. Types come from the schemas; plain JSON Schema says `shape<Older, Newer>(...)`.
 *
 * @param older its schema before the change, whatever name that has.
 * @param newer its schema since.
 * @throws {TypeError} for schemas and steps that are none.
 * @example
 * const splitName = change('Users have `given` and `family` in place of `name`.', {
 *   User: shape(UserV1, User, {
 *     response: ({ given, family, ...user }) => ({ ...user, name: `${given} ${family}` }),
 *   }),
 * })
 */
export function shape<Older = never, Newer = never, const O extends Schema = Schema, const N extends Schema = Schema>(
  older: O,
  newer: N,
  steps: ShapeSteps<
    Named<Older, InputOf<O>>,
    Named<Newer, InputOf<N>>,
    Named<Older, OutputOf<O>>,
    Named<Newer, OutputOf<N>>
  >,
): Shape<O, N> {
  return new CompiledShape(older, newer, steps as CompiledShape['steps']) as Shape<Schema, Schema> as Shape<O, N>
}
