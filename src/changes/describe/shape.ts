// The public API of shapes: `shape()`, its types, and the types of shapes in the versions of a history.
import { isSchema, SCHEMA_TAKES } from '../../schemas/check'
import type { SchemaReading } from '../../schemas/model'
import type { Schema } from '../../types'
import { brand } from '../../util/brand'
import { badOption, checkKeys } from '../../util/options'
import type { RunContext } from '../convert/steps'
import type { IsUnknown } from '../types/fitting'
import type { Change, Shape, StepContext } from '../types/operations'

/** The input type of a schema; `unknown` without types, as for plain JSON Schema. */
type InputOf<Given> = Given extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly input: infer Input }
    ? Input
    : unknown
  : unknown

/** The output type of a schema. */
type OutputOf<Given> = Given extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : unknown
  : unknown

/** The given type, else that of the schema. */
// Through `infer`, the compiler cannot mistake the type of a place with a shape for a given one.
type Given<Type, Otherwise> = [Type] extends [infer Said] ? ([Said] extends [never] ? Otherwise : Said) : never

/** A function that converts one side of a shape to the other. */
// A method's parameters are compared both ways. So without types from the schemas, a step can declare its own.
type ShapeStep<From, To> = { step(value: From, context: StepContext): To }['step']

/** The steps of a shape for {@link shape}. */
export interface ShapeSteps<OlderInput, NewerInput, OlderOutput, NewerOutput> {
  /** Converts the newer shape to the older one, wherever it occurs in responses. */
  readonly response?: ShapeStep<NewerOutput, NoInfer<OlderOutput>> | undefined
  /** Converts the older shape to the newer one, wherever it occurs in bodies. */
  readonly request?: ShapeStep<OlderInput, NoInfer<NewerInput>> | undefined
}

/** The step of a shape. */
export type StepFunction = (value: unknown, context: RunContext) => unknown

/** The older side of a shape in one direction, and the step of its change. */
export interface OlderSide {
  /** The definition; undefined if nobody knows it. */
  readonly own: SchemaReading | undefined
  /** The named definitions in it. */
  readonly inside: ReadonlyMap<string, SchemaReading>
  readonly step: StepFunction | undefined
  /** The things that the step lacks, if the shape is in a body of this direction. */
  readonly lacks: readonly string[]
  /** The properties that responses may lack, though the older side requires them. */
  readonly emptied?: readonly string[]
  /** The reason why JSON Schema cannot express the older side, if it cannot. */
  readonly unreadable: string | undefined
}

const OWNER = 'shape()'

type Steps = Readonly<Partial<Record<'response' | 'request', (value: unknown, context: StepContext) => unknown>>>

/** A checked shape. */
export class CompiledShape implements Shape<Schema, Schema | undefined> {
  readonly isData = false

  /** @param newer undefined for the shape of the next version. */
  constructor(
    readonly older: Schema,
    readonly newer: Schema | undefined,
    readonly steps: Steps,
  ) {
    if (!isSchema(older)) throw badOption(OWNER, 'older', SCHEMA_TAKES, older)
    checkKeys(OWNER, steps, ['response', 'request'])
    for (const [kind, step] of Object.entries(steps)) {
      if (step !== undefined && typeof step !== 'function') throw badOption(OWNER, kind, 'a function', step)
    }
  }
}

brand('shape', CompiledShape.prototype)

/**
 * Describes the change of a shape, under the name of its schema: the steps between its older and newer side, wherever it occurs
 * in the bodies of `describe()`. The types come from the schemas; with plain JSON Schema, write `shape<Older, Newer>(...)`.
 *
 * @param older the schema before the change, with any name.
 * @param newer the schema since the change.
 * @throws {TypeError} for invalid schemas and steps.
 * @example
 * const splitName = change('Users have `given` and `family` instead of `name`.', {
 *   User: shape(UserV1, User, {
 *     response: ({ given, family, ...user }) => ({ ...user, name: `${given} ${family}` }),
 *   }),
 * })
 */
export function shape<Older = never, Newer = never, const O extends Schema = Schema, const N extends Schema = Schema>(
  older: O,
  newer: N,
  steps: ShapeSteps<
    Given<Older, InputOf<O>>,
    Given<Newer, InputOf<N>>,
    Given<Older, OutputOf<O>>,
    Given<Newer, OutputOf<N>>
  >,
): Shape<O, N, Given<Older, OutputOf<O>>, Given<Newer, OutputOf<N>>>
/**
 * Does the same without the newer schema: the newer side is whatever the next version has. So later changes of the shape touch
 * nothing here. The parameter of `response` and the result of `request` have no type: annotate them.
 *
 * @param older the schema before the change, with any name.
 * @throws {TypeError} for invalid schemas and steps.
 * @example
 * const oneName = change('Users have `given` and `family` instead of `name`.', {
 *   User: shape(UserV1, {
 *     response: ({ given, family, ...user }: User) => ({ ...user, name: `${given} ${family}` }),
 *   }),
 * })
 */
export function shape<Older = never, const O extends Schema = Schema>(
  older: O,
  steps: ShapeSteps<Given<Older, InputOf<O>>, unknown, Given<Older, OutputOf<O>>, unknown>,
): Shape<O, undefined, Given<Older, OutputOf<O>>, unknown>
export function shape(older: Schema, newerOrSteps: unknown, ...rest: unknown[]): unknown {
  if (rest.length === 0) return new CompiledShape(older, undefined, newerOrSteps as Steps)
  if (!isSchema(newerOrSteps)) throw badOption(OWNER, 'newer', SCHEMA_TAKES, newerOrSteps)
  return new CompiledShape(older, newerOrSteps, rest[0] as Steps)
}

/** The type of a shape in some versions; `undefined` stands for the versions since its last change. */
// All shapes of a history are a union of these. The package exports this type for the declarations of users who export a history.
export interface ShapeIn<Name extends string, Versions extends string | undefined, Value> {
  /** The name of the shape. */
  readonly name: Name
  /** The names of the versions. */
  readonly versions: Versions
  /** The type of its responses. */
  readonly value: Value
}

/** Any shape in any version. In a history, it says that the compiler does not know its shapes. */
export type SomeShape = ShapeIn<string, string | undefined, unknown>

/** The shapes after the changes of one more version. */
export type NextShapes<Known extends SomeShape, Versions extends string, Changes> = Changes extends readonly []
  ? Known
  : Changes extends readonly [Change<infer Operations>, ...infer Rest]
    ? NextShapes<After<Known, Versions, Operations, ShapeKey<keyof Operations>>, Versions, Rest>
    : SomeShape

type ShapeKey<Key> = Key extends '*' | `${string} ${string}` ? never : Key

/** The shapes after a change: the versions before it that have no other type get the older one. */
type After<Known extends SomeShape, Versions extends string, Operations, Names extends keyof Operations> =
  IsUnknown<Operations> extends true
    ? SomeShape
    : [Names] extends [never]
      ? Known
      :
          | (Known extends { readonly name: Names; readonly versions: undefined } ? never : Known)
          | (Names extends string
              ? Changed<
                  Names,
                  Exclude<Versions, VersionsOf<Known, Names>>,
                  NonNullable<Operations[Names]>,
                  ValueOf<Known, Names, undefined>
                >
              : never)

/** The types of a changed shape. An older side without a type has that of the change before. */
type Changed<Name extends string, Versions extends string, Given, Before> = string extends Versions
  ? SomeShape
  : Given extends Shape<unknown, unknown, infer Older, infer Newer>
    ? ShapeIn<Name, Versions, unknown extends Older ? OrUnknown<Before> : Older> | ShapeIn<Name, undefined, Newer>
    : SomeShape

type VersionsOf<Known, Name> = Known extends { readonly name: Name; readonly versions: infer Versions }
  ? Versions
  : never

/** The type of a shape's responses in a version; `unknown` if the compiler does not know it. */
export type ShapeOf<Known, Name, Version> = Version extends unknown
  ? string extends Version
    ? OrUnknown<ValueOf<Known, Name, string | undefined>>
    : [ValueOf<Known, Name, Version>] extends [never]
      ? OrUnknown<ValueOf<Known, Name, undefined>>
      : ValueOf<Known, Name, Version>
  : never

/** The types in the versions of a union. */
type ValueOf<Known, Name, Versions> =
  Known extends ShapeIn<infer Its, infer Own, infer Value>
    ? Name extends Its
      ? [Extract<Own, Versions> | Extract<Versions, Own>] extends [never]
        ? never
        : Value
      : never
    : never

type OrUnknown<Value> = [Value] extends [never] ? unknown : Value
