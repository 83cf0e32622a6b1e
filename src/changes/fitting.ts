// The compiler's check that the steps of a history fit together.
import type { Change } from './change'
import type { StepContext } from './typing'

/** The demands on the next steps of an operation: `request` and `query` accept a value, `response` and `error` return one. */
// The compiler compares an operation's steps with this type directly, which takes a third of the time of a type for each comparison.
export interface Demand<Request = never, Query = never, Response = unknown, Failure = unknown> {
  /** A step that accepts the body of the older change. */
  readonly request?: ((value: Request, context: never) => unknown) | undefined
  /** A step that accepts the query of the older change. */
  readonly query?: ((value: Query, context: never) => unknown) | undefined
  /** A step that returns the body that the older change takes. */
  readonly response?: ((value: never, context: never) => Response) | undefined
  /** A step that returns the error that the older change takes. */
  readonly error?: ((value: never, context: never) => Failure) | undefined
}

/** The demands on an operation. */
// All operations of a history are a union of these, without the older history: the compiler accepts only a hundred nested
// types. The package exports this type for the declarations of users who export a history.
export interface Demanding<Operation = unknown, Demands = unknown> {
  /** The operation, as changes name it. */
  readonly operation: Operation
  /** Its demands. */
  readonly demand: Demands
}

/** The demands after one more version. */
// Dynamic lists are not checked, and demand nothing later.
export type NextDemands<Last extends Demanding, Changes> = Changes extends readonly []
  ? Last
  : Changes extends readonly [Change<infer Operations>, ...infer Rest]
    ? NextDemands<After<Last, Operations>, Rest>
    : never

/** The verdict on each change of a version: `unknown` if its steps meet the demands, else a sentence that names those that do not. */
export type Fitting<Last extends Demanding, Changes, Found extends readonly unknown[] = []> = Changes extends readonly [
  Change<infer Operations>,
  ...infer Rest,
]
  ? Fitting<Rest extends readonly [] ? never : After<Last, Operations>, Rest, [...Found, Verdict<Last, Operations>]>
  : [...Found, ...unknown[]]

type IsUnknown<Operations> = [keyof Operations] extends [never] ? true : string extends keyof Operations ? true : false

/** The operations that a change names. Shapes are no part of the chain: `versioning()` checks them by name. */
type OperationKey<Key> = Key extends '*' | `${string} ${string}` ? Key : never

/** The demands after a change. */
type After<Last extends Demanding, Operations> =
  IsUnknown<Operations> extends true
    ? never
    : AfterNamed<Last, Operations, ByName<Last>, NameOf<Last>, OperationKey<keyof Operations>>

// The names are passed on, because each `keyof` would compute them anew.
type AfterNamed<Last, Operations, Known, Has extends keyof Known, Names extends keyof Operations> = Renewed<
  Last,
  Operations,
  Known,
  Has,
  Names,
  Names | Longer<Has, Names>
>

// This is no union of named types, because a union remembers the names of its parts, and with them the older history.
type Renewed<Last, Operations, Known, Has extends keyof Known, Names extends keyof Operations, Changed> = [
  Changed,
] extends [never]
  ? Last
  :
      | (Last extends { readonly operation: Changed } ? never : Last)
      | (Changed extends string
          ? Next<Changed, Demanded<Known, Has, Changed>, Said<Operations, Names, Changed>>
          : never)

type NameOf<Last extends Demanding> = Last['operation'] & string
type ByName<Last extends Demanding> = { readonly [Each in Last as Each['operation'] & string]: Each['demand'] }

/** The demands on an operation after its change. */
// The arguments of `Demand` and `Demanding` are inferred names only. The compiler would make any others on use, and anew each time.
type Next<Operation, Last, Steps> =
  Last extends Demand<infer Request, infer Query, infer Response, infer Failure>
    ? [
        'request' extends keyof Steps ? Given<Steps['request']> : Request,
        'query' extends keyof Steps ? Given<Steps['query']> : Query,
        'response' extends keyof Steps ? Taken<Steps['response']> : Response,
        'error' extends keyof Steps ? Taken<Steps['error']> : Failure,
      ] extends [infer Request, infer Query, infer Response, infer Failure]
      ? Demanding<Operation, Demand<Request, Query, Response, Failure>>
      : never
    : never

/** The result of a step; `never` for an untyped one, which demands nothing. */
type Given<Step> =
  NonNullable<Step> extends (...args: never[]) => infer Result ? (unknown extends Result ? never : Result) : never

/** The argument of a step. */
type Taken<Step> = NonNullable<Step> extends (value: infer Value, context: StepContext) => unknown ? Value : unknown

// Names -----------------------------------------------------------------------------------------------------------------

/** The names of operations that a change means by a shorter name, or by `'*'`. */
type Longer<Key, Names> = '*' extends Names
  ? Exclude<Key, Names>
  : Key extends `${infer Method} ${string}:${infer Tail}`
    ? Key extends Names
      ? never
      : IsMeant<`${Method} ${Tail}`, Names> extends true
        ? Key
        : never
    : never

type IsMeant<Key, Names> = Key extends Names
  ? true
  : Key extends `${infer Method} ${string}:${infer Tail}`
    ? IsMeant<`${Method} ${Tail}`, Names>
    : false

/** The demands on an operation, as at run time: under its name, else with fewer namespaces, else under `'*'` for its errors. */
type Demanded<Known, Has extends keyof Known, Operation> = Operation extends Has
  ? Known[Operation]
  : Operation extends `${infer Method} ${string}:${infer Tail}`
    ? Demanded<Known, Has, `${Method} ${Tail}`>
    : '*' extends Has
      ? Known['*']
      : Demand

/** The part of a change about an operation, found in the same way. */
type Said<Operations, Names extends keyof Operations, Operation> = Operation extends Names
  ? WithAll<Operations, Names, Operations[Operation]>
  : Operation extends `${infer Method} ${string}:${infer Tail}`
    ? Said<Operations, Names, `${Method} ${Tail}`>
    : WithAll<Operations, Names, object>

type WithAll<Operations, Names extends keyof Operations, Own> = '*' extends Names
  ? 'error' extends keyof Own
    ? Own
    : Own & Operations['*']
  : Own

// Verdicts --------------------------------------------------------------------------------------------------------------

/** `unknown` if all steps of a change meet the demands, else the sentences about those that do not. */
type Verdict<Last extends Demanding, Operations> =
  IsUnknown<Operations> extends true
    ? unknown
    : VerdictOf<Operations, ByName<Last>, NameOf<Last>, OperationKey<keyof Operations>>

// The compiler compares all operations at once, and looks at each only if that fails.
type VerdictOf<Operations, Known, Has extends keyof Known, Names extends keyof Operations> = [
  Longer<Has, Names>,
] extends [never]
  ? Operations extends { readonly [Key in Names]: Demanded<Known, Has, Key> }
    ? unknown
    : OrUnknown<Misfits<Operations, Known, Has, Names, Names>>
  : OrUnknown<Misfits<Operations, Known, Has, Names, Names | Longer<Has, Names>>>

type OrUnknown<Found> = [Found] extends [never] ? unknown : Found

type Misfits<Operations, Known, Has extends keyof Known, Names extends keyof Operations, Judged> = Judged extends string
  ? Misfit<Demanded<Known, Has, Judged>, Said<Operations, Names, Judged>, Judged>
  : never

type Misfit<Wanted, Steps, Operation extends string> = Steps extends Wanted
  ? never
  : Wanted extends Demand<infer Request, infer Query, infer Response, infer Failure>
    ?
        | ('request' extends keyof Steps ? Untaken<Request, Steps['request'], 'request', Operation> : never)
        | ('query' extends keyof Steps ? Untaken<Query, Steps['query'], 'query', Operation> : never)
        | ('response' extends keyof Steps ? Ungiven<Steps['response'], Response, 'response', Operation> : never)
        | ('error' extends keyof Steps ? Ungiven<Steps['error'], Failure, 'error', Operation> : never)
    : never

type Untaken<Value, Step, Kind extends string, Operation extends string> =
  NonNullable<Step> extends (value: infer Taken, context: StepContext) => unknown
    ? Fits<Value, Taken> extends true
      ? never
      : `The ${Kind} of '${Operation}' must take what the ${Kind} of the older change gives.`
    : never

type Ungiven<Step, Wanted, Kind extends string, Operation extends string> =
  NonNullable<Step> extends (...args: never[]) => infer Given
    ? Fits<Given, Wanted> extends true
      ? never
      : `The ${Kind} of '${Operation}' must give what the ${Kind} of the older change takes.`
    : never

/** `true` if a step accepts the result of another one. Untyped steps fit. */
type Fits<Value, Wanted> = unknown extends Value
  ? true
  : Whole<Value> extends Whole<Wanted>
    ? true
    : // Spread it, because an interface does not fit an index signature.
      Whole<{ [Key in keyof Value]: Value[Key] }> extends Whole<Wanted>
      ? true
      : false

/** A wrapper that compares unions as a whole. A tuple would do the same, but with a hundred times the members. */
interface Whole<Value> {
  value: Value
}
