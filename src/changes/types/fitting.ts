// The compiler's check that the steps of a history fit together.
import type { Change } from './operations'

/** The demands on the next steps of an operation. */
export interface SomeDemand {
  /** The operation, as changes name it. */
  readonly operation: string
  /** The body that the next `request` must accept; `never` demands nothing. */
  readonly request: unknown
  /** The query that the next `query` must accept; `never` demands nothing. */
  readonly query: unknown
  /** The body that the next `response` must return; `unknown` demands nothing. */
  readonly response: unknown
  /** The body that the next `error` must return; `unknown` demands nothing. */
  readonly error: unknown
  /** The item that the next `item` must return, or `null`; `unknown` demands nothing. */
  readonly item: unknown
  /** The type of steps that meet the demands. */
  readonly steps: unknown
}

/** The demands on the next steps of an operation, from its last ones. */
// All operations of a history are a union of these, without the older history: the compiler accepts only a hundred nested
// types. The package exports this type for the declarations of users who export a history.
export interface Demand<Operation extends string, Request, Query, Response, Failure, Item = unknown>
  extends SomeDemand {
  readonly operation: Operation
  readonly request: Request
  readonly query: Query
  readonly response: Response
  readonly error: Failure
  readonly item: Item
  readonly steps: FittingSteps<Request, Query, Response, Failure, Item>
}

/** The steps that meet the demands. The compiler compares with them all steps of a change at once. */
interface FittingSteps<Request, Query, Response, Failure, Item> {
  /** Accepts the result of the older step. */
  readonly request?: ((value: Request, context: never) => unknown) | undefined
  /** Accepts the result of the older step. */
  readonly query?: ((value: Query, context: never) => unknown) | undefined
  /** Returns the argument of the older step. */
  readonly response?: ((value: never, context: never) => Response) | undefined
  /** Returns the argument of the older step. */
  readonly error?: ((value: never, context: never) => Failure) | undefined
  /** Returns the argument of the older step, or drops the item. */
  readonly item?: ((value: never, context: never) => Item | null) | undefined
}

type NoDemand = Demand<string, never, never, unknown, unknown, unknown>

/** The demands after one more version. */
// Dynamic lists are not checked, and demand nothing later.
export type NextDemands<Last extends SomeDemand, Changes> = Changes extends readonly []
  ? Last
  : Changes extends readonly [Change<infer Operations>, ...infer Rest]
    ? NextDemands<After<Last, Operations>, Rest>
    : never

/** The verdict on each change of a version: `unknown` if its steps meet the demands, else a sentence that names those that do not. */
export type Fitting<
  Last extends SomeDemand,
  Changes,
  Found extends readonly unknown[] = [],
> = Changes extends readonly [Change<infer Operations>, ...infer Rest]
  ? Fitting<Rest extends readonly [] ? never : After<Last, Operations>, Rest, [...Found, Judged<Last, Operations>]>
  : [...Found, ...unknown[]]

export type IsUnknown<Operations> = [keyof Operations] extends [never]
  ? true
  : string extends keyof Operations
    ? true
    : false

/** The operations that a change names. Shapes are no part of the chain: `versioning()` checks them by name. */
type OperationKey<Key> = Key extends '*' | `${string} ${string}` ? Key : never

/** The demands after a change. */
type After<Last extends SomeDemand, Operations> =
  IsUnknown<Operations> extends true
    ? never
    : AfterNamed<Last, Operations, ByName<Last>, NameOf<Last>, OperationKey<keyof Operations>>

// The names are passed on, because each `keyof` would compute them anew.
type AfterNamed<
  Last,
  Operations,
  Known extends Demands,
  Has extends keyof Known,
  Names extends keyof Operations,
> = Renewed<Last, Operations, Known, Has, Names, Names | Longer<Has, Names>>

// This is no union of named types, because a union remembers the names of its parts, and with them the older history.
type Renewed<
  Last,
  Operations,
  Known extends Demands,
  Has extends keyof Known,
  Names extends keyof Operations,
  Changed,
> = [Changed] extends [never]
  ? Last
  :
      | (Last extends { readonly operation: Changed } ? never : Last)
      | (Changed extends string
          ? Next<Changed, Demanded<Known, Has, Changed>, Said<Operations, Names, Changed>>
          : never)

type NameOf<Last extends SomeDemand> = Last['operation']
type Demands = { readonly [operation: string]: SomeDemand }
type ByName<Last extends SomeDemand> = { readonly [Each in Last as Each['operation']]: Each }

/** The demands on an operation after its change. */
type Next<Operation extends string, Last extends SomeDemand, Steps> = Made<
  Operation,
  'request' extends keyof Steps ? Given<Steps['request']> : Last['request'],
  'query' extends keyof Steps ? Given<Steps['query']> : Last['query'],
  'response' extends keyof Steps ? Taken<Steps['response']> : Last['response'],
  'error' extends keyof Steps ? Taken<Steps['error']> : Last['error'],
  'item' extends keyof Steps ? Taken<Steps['item']> : Last['item']
>

// A conditional type, which makes a demand of plain parameters at once. The compiler would make any other on use, and anew each time.
type Made<Operation extends string, Request, Query, Response, Failure, Item> = Operation extends string
  ? Demand<Operation, Request, Query, Response, Failure, Item>
  : never

/** The result of a step; `never` for an untyped one, which demands nothing. */
type Given<Step> =
  NonNullable<Step> extends (...args: never[]) => infer Result ? (unknown extends Result ? never : Result) : never

/** The argument of a step. */
type Taken<Step> = NonNullable<Step> extends (value: infer Value, context: never) => unknown ? Value : unknown

// Names -----------------------------------------------------------------------------------------------------------------

/** The names of operations that a change means by a shorter name, or by `'*'`. */
type Longer<Key, Names> = '*' extends Names
  ? Key
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
type Demanded<Known extends Demands, Has extends keyof Known, Operation> = Operation extends Has
  ? Known[Operation]
  : Operation extends `${infer Method} ${string}:${infer Tail}`
    ? Demanded<Known, Has, `${Method} ${Tail}`>
    : '*' extends Has
      ? Known['*']
      : NoDemand

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
type Judged<Last extends SomeDemand, Operations> =
  IsUnknown<Operations> extends true
    ? unknown
    : VerdictOf<Operations, ByName<Last>, NameOf<Last>, OperationKey<keyof Operations>>

// The compiler compares all operations at once, and looks at each only if that fails.
type VerdictOf<Operations, Known extends Demands, Has extends keyof Known, Names extends keyof Operations> = [
  Longer<Has, Names> | Lenient,
] extends [never]
  ? Operations extends { readonly [Key in Names]: Demanded<Known, Has, Key>['steps'] }
    ? unknown
    : OrUnknown<Misfits<Operations, Known, Has, Names, Names>>
  : OrUnknown<Misfits<Operations, Known, Has, Names, Names | Longer<Has, Names>>>

/** `true` without `strictFunctionTypes`, where functions are no measure of the values that they take; else `never`. */
type Lenient = ((value: 0) => unknown) extends (value: number) => unknown ? true : never

type OrUnknown<Found> = [Found] extends [never] ? unknown : Found

type Misfits<
  Operations,
  Known extends Demands,
  Has extends keyof Known,
  Names extends keyof Operations,
  Judged,
> = Judged extends string ? Misfit<Demanded<Known, Has, Judged>, Said<Operations, Names, Judged>, Judged> : never

type Misfit<Last extends SomeDemand, Steps, Operation extends string> = Steps extends (
  [Lenient] extends [never]
    ? Last['steps']
    : never
)
  ? never
  :
      | ('request' extends keyof Steps ? Untaken<Last['request'], Steps['request'], 'request', Operation> : never)
      | ('query' extends keyof Steps ? Untaken<Last['query'], Steps['query'], 'query', Operation> : never)
      | ('response' extends keyof Steps ? Ungiven<Steps['response'], Last['response'], 'response', Operation> : never)
      | ('error' extends keyof Steps ? Ungiven<Steps['error'], Last['error'], 'error', Operation> : never)
      | ('item' extends keyof Steps ? Ungiven<Steps['item'], Last['item'] | null, 'item', Operation> : never)

type Untaken<Value, Step, Kind extends string, Operation extends string> =
  NonNullable<Step> extends (value: infer Taken, context: never) => unknown
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

/** A wrapper that compares unions as a whole. A tuple would do the same, but with a hundred times the properties. */
interface Whole<Value> {
  value: Value
}
