// The types of shapes in the versions of a history.
import type { IsUnknown } from './fitting'
import type { Change, Shape } from './operations'

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
