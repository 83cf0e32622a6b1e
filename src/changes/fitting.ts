import type { Change } from './change'
import type { OperationSteps, StepContext } from './typing'

/**
 * What the next steps of one operation must meet, because of those that came last: what a `request` or `query` must take, and
 * what a `response` or `error` must give. `unknown` asks nothing.
 */
// All operations of a history are a union of these, which holds nothing of the history before: of types that nest once for each
// version the compiler takes a hundred. Exported by the package, for the declarations of who exports a history.
export interface Demand<
  Operation = unknown,
  Request = unknown,
  Query = unknown,
  Response = unknown,
  Failure = unknown,
> {
  /** Which operation, as changes name it: a union where it is asked of several. */
  readonly operation: Operation
  /** The body that the next `request` must take. */
  readonly request: Request
  /** The query that the next `query` must take. */
  readonly query: Query
  /** The body that the next `response` must give. */
  readonly response: Response
  /** The body that the next `error` must give. */
  readonly error: Failure
}

/** What is demanded when a history has a version more. */
export type NextDemands<Last extends Demand, Changes> = Changes extends readonly []
  ? Last
  : Changes extends readonly [Change<infer Operations>, ...infer Rest]
    ? NextDemands<Exclude<Judged<Last, Operations>, string>, Rest>
    : never

/** For each change of a version: `unknown` where its steps meet what is demanded, else a sentence that says which do not. */
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

/** What is demanded after a change, beside a sentence for each step of it that does not meet what was demanded before. */
// Of lists that a program made nothing is known, and nothing is demanded later.
type Judged<Last extends Demand, Operations> =
  IsUnknown<Operations> extends true ? never : JudgedOperations<Last, Operations, OperationKey<keyof Operations>>

/** Shapes are no part of the chain: `versioning()` checks them by name. */
type OperationKey<Key> = Key extends '*' | `${string} ${string}` ? Key : never

type JudgedOperations<Last extends Demand, Operations, Names extends keyof Operations> = [Names] extends [never]
  ? Last
  : JudgedEach<Known<Last, Names>, Operations, Names>

type IsUnknown<Operations> = [keyof Operations] extends [never] ? true : string extends keyof Operations ? true : false

// From here on the compiler takes one operation after the other: whatever has all of them in hand would cost their square. So the
// names of a change are handed down: it makes them anew at each `keyof`.
/** What is demanded of all operations, those among them that a change is the first to name. */
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

/** What is demanded of an operation, as at run time: under its name, else with fewer namespaces; of its errors under `'*'`. */
type Demanded<Last, Operation> = Operation extends keyof Last
  ? Last[Operation]
  : Operation extends `${infer Method} ${string}:${infer Tail}`
    ? Demanded<Last, `${Method} ${Tail}`>
    : '*' extends keyof Last
      ? Last['*']
      : Demand

/** What a change says of an operation, found in the same way. */
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
      | Untaken<Steps, 'request', Operation, Request>
      | Untaken<Steps, 'query', Operation, Query>
      | Ungiven<Steps, 'response', Operation, Response>
      | Ungiven<Steps, 'error', Operation, Failure>

type Untaken<Steps, Kind extends string, Operation extends string, Value> = Kind extends keyof Steps
  ? Fits<Value, Flow<Steps[Kind]>['taken']> extends true
    ? never
    : `The ${Kind} of '${Operation}' must take what the ${Kind} of the older change gives.`
  : never

type Ungiven<Steps, Kind extends string, Operation extends string, Wanted> = Kind extends keyof Steps
  ? Fits<Flow<Steps[Kind]>['given'], Wanted> extends true
    ? never
    : `The ${Kind} of '${Operation}' must give what the ${Kind} of the older change takes.`
  : never

/** What a step makes of what. */
interface Passage<Taken = unknown, Given = unknown> {
  taken: Taken
  given: Given
}

type Flow<Step> =
  NonNullable<Step> extends (value: infer Taken, context: StepContext) => infer Given ? Passage<Taken, Given> : Passage

/** Whether a step takes what another one gives; what is untyped fits. */
type Fits<Value, Wanted> = unknown extends Value
  ? true
  : Whole<Value> extends Whole<Wanted>
    ? true
    : // Spread out, because an interface does not fit an index signature.
      Whole<{ [Key in keyof Value]: Value[Key] }> extends Whole<Wanted>
      ? true
      : false

/** Unions in it are compared as such. A tuple would do the same, for a hundred times the members. */
interface Whole<Value> {
  value: Value
}
