import type { Change } from './change'
import type { OperationSteps, StepContext } from './typing'

type Kind = keyof OperationSteps

/**
 * What is said of an operation: under its name, else with fewer namespaces; and of its errors, else under `'*'`. `object` where
 * nothing is.
 */
type Said<By, Operation> = Operation extends keyof By
  ? WithAll<By, By[Operation]>
  : Operation extends `${infer Method} ${string}:${infer Tail}`
    ? Said<By, `${Method} ${Tail}`>
    : WithAll<By, object>

type WithAll<By, Own> = By extends { readonly '*': infer All } ? ('error' extends keyof Own ? Own : Own & All) : Own

/** The steps that come last in a history, by operation, when it has a change more. Of what is unknown, nothing is asked. */
type Later<Last, Operations> =
  IsUnknown<Operations> extends true
    ? object
    : {
        [Operation in keyof Last | keyof Operations]: Over<Said<Last, Operation>, Said<Operations, Operation>>
      }

/** Whether it is not known of which operations a change speaks. */
type IsUnknown<Operations> = [keyof Operations] extends [never] ? true : string extends keyof Operations ? true : false

type Over<Older, Newer> = [Kind & keyof Newer] extends [never]
  ? Older
  : [Kind & keyof Older] extends [keyof Newer]
    ? Newer
    : { [Each in Kind & (keyof Older | keyof Newer)]: Each extends keyof Newer ? Newer[Each] : Older[Each & keyof Older] }

/** What does not fit between the steps that come last and those of a change, as sentences. */
type Misfits<Last, Operations> = {
  [Operation in keyof Later<Last, Operations>]: MisfitsOf<
    Operation,
    Said<Last, Operation>,
    Said<Operations, Operation>
  >
}[keyof Later<Last, Operations>]

type MisfitsOf<Operation, Older, Newer> = {
  [Each in Kind & keyof Older & keyof Newer]: Misfit<Operation, Each, Older[Each], Newer[Each]>
}[Kind & keyof Older & keyof Newer]

type Misfit<Operation, Each extends Kind, Older, Newer> = Older extends (value: infer OlderTaken, context: StepContext) => infer OlderGiven
  ? Newer extends (value: infer NewerTaken, context: StepContext) => infer NewerGiven
    ? Each extends 'response' | 'error'
      ? Fits<NewerGiven, OlderTaken> extends true
        ? never
        : `The ${Each} of '${Operation & string}' must give what the ${Each} of the older change takes.`
      : Fits<OlderGiven, NewerTaken> extends true
        ? never
        : `The ${Each} of '${Operation & string}' must take what the ${Each} of the older change gives.`
    : never
  : never

type Fits<Given, Taken> = unknown extends Given
  ? true
  : [Given] extends [Taken]
    ? true
    : // An interface fits an index signature only as an object type.
      [{ [Key in keyof Given]: Given[Key] }] extends [Taken]
      ? true
      : false

export type LastSteps<Last, Changes> = Changes extends readonly []
  ? Last
  : Changes extends readonly [Change<infer Operations>, ...infer Rest]
    ? LastSteps<Later<Last, Operations>, Rest>
    : object

export type Fitting<Last, Changes> = Changes extends readonly [Change<infer Operations>, ...infer Rest]
  ? [Checked<Misfits<Last, Operations>>, ...Fitting<Later<Last, Operations>, Rest>]
  : readonly unknown[]
type Checked<Found> = [Found] extends [never] ? unknown : Found
