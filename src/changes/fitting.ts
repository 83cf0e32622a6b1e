import type { Change } from './change'
import type { OperationSteps, StepContext } from './typing'

type Kind = keyof OperationSteps

/**
 * The steps that come last, by operation, when a history has a version more. Of what is unknown, such as a list of changes that
 * a program made, nothing is asked later.
 */
export type LastSteps<Last, Changes> = Changes extends readonly []
  ? Last
  : Changes extends readonly [Change<infer Operations>, ...infer Rest]
    ? LastSteps<Later<Last, Operations>, Rest>
    : object

/** For each change that a version lists, `unknown` where its steps fit to those that come last, else a sentence that says what does not. */
export type Fitting<Last, Changes> = Changes extends readonly [Change<infer Operations>, ...infer Rest]
  ? [OrUnknown<Misfits<Last, Operations>>, ...Fitting<Later<Last, Operations>, Rest>]
  : readonly unknown[]

type OrUnknown<Found> = [Found] extends [never] ? unknown : Found

type Later<Last, Operations> =
  IsUnknown<Operations> extends true
    ? object
    : { [Operation in keyof Last | keyof Operations]: Over<Said<Last, Operation>, Said<Operations, Operation>> }

type IsUnknown<Operations> = [keyof Operations] extends [never] ? true : string extends keyof Operations ? true : false

/** The older steps, but for the kinds that there are newer ones of. */
type Over<Older, Newer> = [keyof Older] extends [keyof Newer]
  ? Newer
  : [keyof Newer] extends [never]
    ? Older
    : {
        [Each in Kind & (keyof Older | keyof Newer)]: Each extends keyof Newer ? Newer[Each] : Older[Each & keyof Older]
      }

/** What is said of an operation as when it runs: under its name, else with fewer namespaces; of its errors else under `'*'`. */
type Said<By, Operation> = Operation extends keyof By
  ? WithAll<By, By[Operation]>
  : Operation extends `${infer Method} ${string}:${infer Tail}`
    ? Said<By, `${Method} ${Tail}`>
    : WithAll<By, object>

type WithAll<By, Own> = '*' extends keyof By ? ('error' extends keyof Own ? Own : Own & By['*']) : Own

// Over the keys of what comes later, which wait for the operations: the compiler would else begin before it knows them.
type Misfits<Last, Operations> = {
  [Operation in keyof Later<Last, Operations>]: MisfitsOf<Operation, Said<Last, Operation>, Said<Operations, Operation>>
}[keyof Later<Last, Operations>]

type MisfitsOf<Operation, Older, Newer> = MisfitsIn<Operation, Older, Newer, keyof Older & keyof Newer>

type MisfitsIn<Operation, Older, Newer, Kinds extends keyof Older & keyof Newer> = Kinds extends Kind
  ? Misfit<Operation, Kinds, Older[Kinds], Newer[Kinds]>
  : never

type Misfit<Operation, Each extends Kind, Older, Newer> =
  Older extends Takes<infer OlderTaken, infer OlderGiven>
    ? Newer extends Takes<infer NewerTaken, infer NewerGiven>
      ? Each extends 'response' | 'error'
        ? Fits<NewerGiven, OlderTaken> extends true
          ? never
          : `The ${Each} of '${Operation & string}' must give what the ${Each} of the older change takes.`
        : Fits<OlderGiven, NewerTaken> extends true
          ? never
          : `The ${Each} of '${Operation & string}' must take what the ${Each} of the older change gives.`
      : never
    : never

type Takes<Taken, Given> = (value: Taken, context: StepContext) => Given

/** Whether a step takes what another one gives; what is untyped fits. */
type Fits<Given, Taken> = unknown extends Given
  ? true
  : [Given] extends [Taken]
    ? true
    : // Spread out, because an interface does not fit an index signature.
      [{ [Key in keyof Given]: Given[Key] }] extends [Taken]
      ? true
      : false
