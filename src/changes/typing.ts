import type { Request, Response } from 'express'
import type { ViewName } from '../express'
import type { OperationMethod, OperationOf, UsualMethod } from '../routes/named-route'
import type { Schema, Version } from '../types'

/** What a step is told beside the value: the caller's version, and on a request that and its answer. */
export interface StepContext {
  /** The version that the value comes from, or goes to. */
  readonly version: Version
  /** The request, where the step runs for one. */
  readonly req?: Request
  /** Its answer: what only old versions need, a handler leaves in `res.locals`. */
  readonly res?: Response
}

/**
 * A step: makes one shape of another. It may change the value that it gets, which is a copy, and gives what JSON can say. It
 * is synchronous: what only old versions need, a handler leaves in `res.locals`.
 */
// As a method, whose parameters are compared either way: each step says itself what it takes.
type Step = { step(value: unknown, context: StepContext): unknown }['step']

/** What happened to one operation in a version: steps, with a mark where it came or went in it too. Each step makes the newer shape of the older, or the older of the newer. */
export interface OperationSteps {
  /** The newer body of the older one. */
  readonly request?: Step | undefined
  /** The newer `req.query` of the older one. */
  readonly query?: Step | undefined
  /** The older body of the newer one, of answers with a status of 2xx. */
  readonly response?: Step | undefined
  /** The older body of the newer one, of answers with a status of 400 and above. */
  readonly error?: Step | undefined
  /** `true`: it was absent before the version. */
  readonly added?: true | undefined
  /** `true`: it is absent from the version on. */
  readonly removed?: true | undefined
}

/** What a function of `headers` is told beside the value. */
export interface HeaderContext extends StepContext {
  /** The status that the answer has in the older version. */
  readonly status: number
}

/** Makes the older value of a header field of the newer one; `undefined` is a field that is not there. */
export type HeaderStep = (
  value: string | readonly string[] | undefined,
  context: HeaderContext,
) => string | number | readonly string[] | undefined

/** What happened to the status and the header fields of an operation's answers, whatever their bodies. */
export interface OperationHead {
  /** The older status by the newer one: `{ 201: 200 }`. */
  readonly status?: { readonly [newer: number]: number } | undefined
  /** By name: what makes the older value, or `null` for a field that the older version does not have. */
  readonly headers?: { readonly [name: string]: HeaderStep | null } | undefined
}

/** What an operation says of its older side beside steps. */
export interface OperationOlder {
  /** What its bodies are in the older version: needed where shapes stand in them that changed by then. */
  readonly older?: OlderBodies | undefined
}

/** What bodies of an operation are in an older version, as `describe()` takes them. */
export interface OlderBodies {
  /** `null` for none. */
  readonly body?: Schema | null | undefined
  /** The schema of an object. */
  readonly query?: Schema | undefined
  /** A schema, which is that of all answers with success, or schemas by status; `null` for an answer without a body. */
  readonly response?: Schema | null | { readonly [status: number]: Schema | null } | undefined
}

/** What a change says of a shape. */
export interface Shape<Older = unknown, Newer = unknown> {
  /** Its schema before the change. */
  readonly older: Older
  /** Its schema since. */
  readonly newer: Newer
}

/** `'added'`: absent before the version; `'removed'`: absent from it on; else the steps between the shapes, statuses and header fields. */
export type OperationChange = 'added' | 'removed' | (OperationSteps & OperationHead & OperationOlder)

/** What happened, by operation: `'GET user-detail'`, or `'*'` for the errors of all; or by the name of a shape. */
export type OperationChanges = { readonly [key: string]: OperationChange | Shape | undefined }

/** An operation of the registered table, or any string without one. */
export type OperationName = string extends ViewName ? string : OperationOf<ViewName & string>

/** The keys that editors offer in a change. */
export type OfferedOperations = {
  readonly [Name in string extends ViewName ? never : `${UsualMethod} ${ViewName & string}`]?:
    | OperationChange
    | undefined
}

/** Nothing more to ask of the operations of a change, but a sentence of what is wrong with one. */
// All of them are judged at once at first: that takes the compiler a quarter of the time.
export type KnownOperations<Operations> = [Doubtful<Operations>] extends [never] ? unknown : ToldOperations<Operations>

/** Whatever makes it worth to look at each operation of a change. */
type Doubtful<Operations> =
  | DoubtfulKey<keyof Operations>
  | Exclude<KeyOf<Operations[keyof Operations]>, keyof OperationSteps | keyof OperationHead>
  | Unreturnable<ResultOf<Operations[keyof Operations]>>

type DoubtfulKey<Key> = Key extends `${infer Method} ${infer Name}`
  ? Method extends OperationMethod
    ? Name extends ViewName
      ? never
      : Key
    : Key
  : Key

type KeyOf<Operation> = Operation extends object ? keyof Operation : never

/** What any step of an operation returns; of what is untyped nothing is known. */
type ResultOf<Operation> = Operation extends object ? Returned<Operation[keyof Operation]> : never
type Returned<Given> = Given extends (...args: never[]) => infer Result
  ? unknown extends Result
    ? never
    : Result
  : never

type ToldOperations<Operations> = {
  [Key in keyof Operations]: string extends Key
    ? unknown
    : Key extends '*'
      ? [Exclude<keyof Operations[Key], 'error' | keyof OperationHead>] extends [never]
        ? KnownSteps<Operations[Key], Key>
        : Told<Operations[Key], `'*' takes { error, status, headers } alone.`>
      : // Not a template with all methods, which the compiler would compare one by one.
        Key extends `${infer Method} ${infer Name}`
        ? Method extends OperationMethod
          ? Name extends ViewName
            ? KnownSteps<Operations[Key], Key>
            : Told<Operations[Key], `The registered table has no route named '${Name}'.`>
          : Told<Operations[Key], NoOperation<Key>>
        : Operations[Key] extends Shape
          ? unknown
          : Told<Operations[Key], NoOperation<Key & string>>
}

type NoOperation<Key extends string> =
  `'${Key}' is no operation: that is a method in capitals, a space, and a view name.`

/** A sentence as the type of a value, so that the compiler tells it. Of two texts it would make `never`. */
type Told<Value, Sentence extends string> = Value extends string ? Wrong<Sentence> : Sentence

interface Wrong<Sentence> {
  readonly wrong: Sentence
}

type KnownSteps<Steps, Operation extends string> = Steps extends string | undefined
  ? unknown
  : {
      [Key in keyof Steps]: Key extends keyof (OperationSteps & OperationHead & OperationOlder)
        ? KnownStep<Steps[Key], Key, Operation>
        : Key extends keyof OperationHead
          ? unknown
          : string extends Key
            ? unknown
            : `'${Key & string}' is not a step.`
    }

type KnownStep<Given, Kind extends string, Operation extends string> = [Unreturnable<Returned<Given>>] extends [never]
  ? unknown
  : Extract<Returned<Given>, PromiseLike<unknown>> extends never
    ? `The ${Kind} of '${Operation}' must return what JSON can say: no undefined, Date, bigint, function or class.`
    : `The ${Kind} of '${Operation}' must not be async: steps are synchronous.`

type Unreturnable<Result> = Extract<Result, void> | Unsayable<Result>

// What has methods, such as a Date or a promise, is found by these. By the union of all members of a level: a mapped type takes the
// compiler ten times as long. Recursive types have no end, so it looks at three levels.
/** What JSON cannot say in a value, other than `undefined`. */
type Unsayable<Value, Depth extends readonly unknown[] = [0, 0, 0]> =
  | Extract<Value, bigint | symbol | AnyFunction>
  | (Depth extends readonly [unknown, ...infer Rest]
      ? [MemberOf<Value>] extends [never]
        ? never
        : Unsayable<MemberOf<Value>, Rest>
      : never)

type MemberOf<Value> = Value extends Plain
  ? never
  : Value extends readonly (infer Item)[]
    ? MemberOf<Item> | Extract<Item, bigint | symbol | AnyFunction>
    : unknown extends Value[keyof Value]
      ? never
      : Value[keyof Value]

type Plain = string | number | boolean | null | undefined
type AnyFunction = (...args: never[]) => unknown
