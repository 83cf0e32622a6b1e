// The compiler's check that the steps of a history fit together.
import type { Change } from './change'
import type { OperationSteps, StepContext } from './typing'

/**
 * The demands on the next steps of one operation, from the steps that came last: the argument of a `request` or `query`, and
 * the result of a `response` or `error`. `unknown` demands nothing.
 */
// All operations of a history are a union of these, without the older history: the compiler accepts only a hundred nested
// types. The package exports this type for the declarations of users who export a history.
export interface Demand<
  Operation = unknown,
  Request = unknown,
  Query = unknown,
  Response = unknown,
  Failure = unknown,
> {
  /** The operation, as changes name it; a union for several. */
  readonly operation: Operation
  /** The body that the next `request` must accept. */
  readonly request: Request
  /** The query that the next `query` must accept. */
  readonly query: Query
  /** The body that the next `response` must return. */
  readonly response: Response
  /** The body that the next `error` must return. */
  readonly error: Failure
}

/** The demands after one more version. */
export type NextDemands<Last extends Demand, Changes> = Changes extends readonly []
  ? Last
  : Changes extends readonly [Change<infer Operations>, ...infer Rest]
    ? NextDemands<Exclude<Judged<Last, Operations>, string>, Rest>
    : never

/** The verdict on each change of a version: `unknown` if its steps meet the demands, else a sentence that names those that do not. */
export type Fitting<Last extends Demand, Changes, Found extends readonly unknown[] = []> = Changes extends readonly [
  Change<infer Operations>,
  ...infer Rest,
]
  ? Fitting<
      Exclude<Judged<Last, Operations>, string>,
      Rest,
      [...Found, OrUnknown<Extract<Judged<Last, Operations>, string>>]
    >
  : [...Found, ...unknown[]]

type OrUnknown<Found> = [Found] extends [never] ? unknown : Found

/** The demands after a change, and a sentence for each of its steps that does not meet the demands before it. */
// Dynamic lists are not checked, and demand nothing later.
type Judged<Last extends Demand, Operations> =
  IsUnknown<Operations> extends true ? never : JudgedOperations<Last, Operations, OperationKey<keyof Operations>>

/** Shapes are no part of the chain: `versioning()` checks them by name. */
type OperationKey<Key> = Key extends '*' | `${string} ${string}` ? Key : never

type JudgedOperations<Last extends Demand, Operations, Names extends keyof Operations> = [Names] extends [never]
  ? Last
  : JudgedEach<Known<Last, Names>, Operations, Names>

type IsUnknown<Operations> = [keyof Operations] extends [never] ? true : string extends keyof Operations ? true : false

// From here on, the compiler handles one operation at a time: types over all operations would take quadratic time. The names of
// a change are passed on, because each `keyof` would compute them anew.
/** The demands on all operations, including those that a change names first. */
type Known<Last extends Demand, Names> = Last | Inherited<Last, Exclude<Names, NameOf<Last>>>

type NameOf<Last> = Last extends Demand<infer Name, unknown, unknown, unknown, unknown> ? Name : never

type Inherited<Last extends Demand, Names> = [Names] extends [never]
  ? never
  : InheritedFrom<{ [Each in Last as NameOf<Each> & string]: Each }, Names>

type InheritedFrom<Last, Names> = Names extends string
  ? Demanded<Last, Names> extends Demand<unknown, infer Request, infer Query, infer Response, infer Failure>
    ? Demand<Names, Request, Query, Response, Failure>
    : never
  : never

/** The demands on an operation, as at run time: under its name, else with fewer namespaces, else under `'*'` for its errors. */
type Demanded<Last, Operation> = Operation extends keyof Last
  ? Last[Operation]
  : Operation extends `${infer Method} ${string}:${infer Tail}`
    ? Demanded<Last, `${Method} ${Tail}`>
    : '*' extends keyof Last
      ? Last['*']
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

type JudgedEach<Last, Operations, Names extends keyof Operations> =
  Last extends Demand<infer Operation extends string, infer Request, infer Query, infer Response, infer Failure>
    ? JudgedBy<Last, Said<Operations, Names, Operation>, Operation, Request, Query, Response, Failure>
    : never

type JudgedBy<Last, Steps, Operation extends string, Request, Query, Response, Failure> = keyof Steps &
  keyof OperationSteps extends never
  ? Last
  :
      | Demand<
          Operation,
          'request' extends keyof Steps ? Flow<Steps['request']>['given'] : Request,
          'query' extends keyof Steps ? Flow<Steps['query']>['given'] : Query,
          'response' extends keyof Steps ? Flow<Steps['response']>['taken'] : Response,
          'error' extends keyof Steps ? Flow<Steps['error']>['taken'] : Failure
        >
      | ('request' extends keyof Steps ? Untaken<Request, Flow<Steps['request']>, 'request', Operation> : never)
      | ('query' extends keyof Steps ? Untaken<Query, Flow<Steps['query']>, 'query', Operation> : never)
      | ('response' extends keyof Steps ? Ungiven<Flow<Steps['response']>, Response, 'response', Operation> : never)
      | ('error' extends keyof Steps ? Ungiven<Flow<Steps['error']>, Failure, 'error', Operation> : never)

type Untaken<Value, Step extends Passage, Kind extends string, Operation extends string> =
  Fits<Value, Step['taken']> extends true
    ? never
    : `The ${Kind} of '${Operation}' must take what the ${Kind} of the older change gives.`

type Ungiven<Step extends Passage, Wanted, Kind extends string, Operation extends string> =
  Fits<Step['given'], Wanted> extends true
    ? never
    : `The ${Kind} of '${Operation}' must give what the ${Kind} of the older change takes.`

/** The argument and the result of a step. */
interface Passage<Taken = unknown, Given = unknown> {
  taken: Taken
  given: Given
}

type Flow<Step> =
  NonNullable<Step> extends (value: infer Taken, context: StepContext) => infer Given ? Passage<Taken, Given> : Passage

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
