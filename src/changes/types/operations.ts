// The types of changes, operations and steps.
import type { Request, Response } from 'express'
import type { ViewName } from '../../express'
import type { OperationMethod, OperationOf, UsualMethod } from '../../routes/typing'
import type { ResponseBody, Responses, Schema, ShapeName, Version } from '../../types'

/** A described change of an API, made by `change()` and listed in a version of a history. */
export interface Change<Operations extends object = OperationChanges> {
  /** The description of the change, for people. */
  readonly description: string
  /** The given object of operations. */
  readonly operations: Operations
  /**
   * Tells whether a request's version has this change, for behaviour that steps cannot express. It never throws. It returns
   * `true` without a decided version, as for the newest one, and if the history of the request does not have the change.
   *
   * @example if (splitName.appliesTo(req)) await notifyByMail(user)
   */
  appliesTo(req: Request): boolean
}

/** The second argument of steps: the caller's version, and the request and response if there are any. */
export interface StepContext {
  /** The version that the value comes from, or goes to. */
  readonly version: Version
  /** The request, if the step runs for one. */
  readonly req?: Request
  /** Its response. Handlers leave data for old versions in `res.locals`. */
  readonly res?: Response
}

/**
 * A function that converts one shape into another. It gets a copy, which it may change, and returns a value that JSON can
 * express. It is synchronous. Handlers leave data for old versions in `res.locals`.
 */
// A method's parameters are compared both ways, so each step can declare its own.
type Step = { step(value: unknown, context: StepContext): unknown }['step']

/**
 * The changes of one operation in a version: steps, and a mark if the version adds or removes it. Each step converts the newer
 * shape to the older one, or the older to the newer.
 */
export interface OperationSteps {
  /** Converts an older body to the newer one. */
  readonly request?: Step | undefined
  /** Converts an older `req.query` to the newer one. */
  readonly query?: Step | undefined
  /** Converts the newer body of a response with a status of 2xx to the older one. */
  readonly response?: Step | undefined
  /** Converts the newer body of a response with a status of 400 or above to the older one. */
  readonly error?: Step | undefined
  /**
   * Converts the newer item of a stream with success to the older one; `null` drops it. The `data` of an event is its JSON, parsed;
   * of its `id` and `retry`, the stream keeps the newer ones.
   */
  readonly item?: Step | undefined
  /**
   * The path that the operation had before the version, with the same parameters. It is below the same prefixes, in the
   * grammar of the route's table.
   */
  readonly path?: string | undefined
  /** `true` if the operation is new in the version. */
  readonly added?: true | undefined
  /** `true` if the version removes the operation. */
  readonly removed?: true | undefined
}

/** The second argument of functions of `headers`. */
export interface HeaderContext extends StepContext {
  /** The status of the response in the older version. */
  readonly status: number
}

/** The value of a header field, as functions of `headers` get and return it. `undefined` means that the field is absent. */
export type HeaderValue = string | readonly string[] | undefined

/** Converts the newer value of a header field to the older one. It may return a number too. */
export type HeaderStep = (value: HeaderValue, context: HeaderContext) => HeaderValue | number

/** The changes of the status and header fields of an operation's responses, whatever their bodies. */
export interface OperationHead {
  /** The older status by the newer one: `{ 201: 200 }`. */
  readonly status?: { readonly [newer: number]: number } | undefined
  /** The header fields by name: a function that returns the older value, or `null` if the older version lacks the field. */
  readonly headers?: { readonly [name: string]: HeaderStep | null } | undefined
}

/** The older schemas of an operation. */
export interface OperationOlder {
  /** The bodies in the older version, which are needed if they contain shapes that have changed by then. */
  readonly older?: OlderBodies | undefined
}

/** The bodies of an operation in an older version, as in `describe()`. */
export interface OlderBodies {
  /** The schema of its body; `null`: no body. */
  readonly body?: Schema | null | undefined
  /** The schema of its query, an object. */
  readonly query?: Schema | undefined
  /** The body of all responses with success, or bodies by status; `null` for a response without a body. */
  readonly response?: ResponseBody | Responses | undefined
  /** The schema of the items of its streams, as `itemSchema` in `describe()`. */
  readonly item?: Schema | undefined
  /** The body of all errors that the change's `error` step converts, or bodies by status. */
  readonly error?: ResponseBody | Responses | undefined
}

/** The change of a shape. */
export interface Shape<Older = unknown, Newer = unknown, OlderValue = unknown, NewerValue = unknown> {
  /** The schema before the change; undefined for that of `fields()`. */
  readonly older: Older
  /** The schema since the change; undefined for whatever the next version has. */
  readonly newer: Newer
  /** The types of responses on both sides. It is for the compiler only. */
  readonly types?: { readonly older: OlderValue; readonly newer: NewerValue } | undefined
}

/** The change of one operation: `'added'` or `'removed'` by the version, or steps, statuses and header fields. */
export type OperationChange = 'added' | 'removed' | (OperationSteps & OperationHead & OperationOlder)

/**
 * The changes by operation: `'GET user-detail'`, or `'*'` for the errors of all. Changes of shapes are listed by the shape's
 * name.
 */
export type OperationChanges = { readonly [key: string]: OperationChange | Shape | undefined }

/** The name of an operation of the registered table; any string without a registered table. */
export type OperationName = string extends ViewName ? string : OperationOf<ViewName & string>

/** The keys that editors offer in a change: operations of the registered table, and registered shapes. */
export type OfferedOperations = {
  readonly [Name in string extends ViewName ? never : `${UsualMethod} ${ViewName & string}`]?:
    | OperationChange
    | undefined
} & { readonly [Name in string extends ShapeName ? never : ShapeName]?: Shape | undefined }

/** The check of a change's operations: `unknown` for a valid one, else a sentence that explains the mistake. */
// It first checks all operations at once, which takes the compiler a quarter of the time.
export type KnownOperations<Operations> = [Doubtful<Operations>] extends [never] ? unknown : ToldOperations<Operations>

/** The parts of a change that require a look at each operation. */
type Doubtful<Operations> =
  | DoubtfulKey<keyof Operations>
  | NoChange<Operations[keyof Operations]>
  | Exclude<KeyOf<Operations[keyof Operations]>, keyof OperationSteps | keyof OperationHead>
  | Unreturnable<ResultOf<Operations[keyof Operations]>>

type DoubtfulKey<Key> = Key extends `${infer Method} ${infer Name}`
  ? Method extends OperationMethod
    ? Name extends ViewName
      ? never
      : Key
    : Key
  : Key

/** The values that are neither a mark nor an object of steps. */
type NoChange<Value> = Exclude<Value, 'added' | 'removed' | object | undefined> | Extract<Value, AnyFunction>

type KeyOf<Operation> = Operation extends object ? keyof Operation : never

/** The results of an operation's steps, without those of untyped ones. */
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
      ? [Exclude<keyof Operations[Key], 'error' | 'older' | keyof OperationHead>] extends [never]
        ? KnownSteps<Operations[Key], Key>
        : Told<Operations[Key], `'*' takes { error, status, headers, older } alone.`>
      : // A template with all methods would be slow: the compiler would compare them one by one.
        Key extends `${infer Method} ${infer Name}`
        ? Method extends OperationMethod
          ? Name extends ViewName
            ? KnownSteps<Operations[Key], Key>
            : Told<Operations[Key], `The registered table has no route named '${Name}'.`>
          : Told<Operations[Key], NoOperation<Key>>
        : NonNullable<Operations[Key]> extends Shape
          ? Key extends ShapeName
            ? unknown
            : `'${Key & string}' is not a registered shape.`
          : Told<Operations[Key], NoOperation<Key & string>>
}

type NoOperation<Key extends string> = `'${Key}' is not an operation: a method in capitals, a space, and a view name.`

/** A sentence as the type of a value, so that the compiler shows it. An intersection of two strings would be `never`. */
type Told<Value, Sentence extends string> = Value extends string ? Wrong<Sentence> : Sentence

interface Wrong<Sentence> {
  readonly wrong: Sentence
}

type KnownSteps<Steps, Operation extends string> = [NoChange<Steps>] extends [never]
  ? KnownKeys<Steps, Operation>
  : Told<Steps, `'${Operation}' takes 'added', 'removed', or an object of steps.`>

type KnownKeys<Steps, Operation extends string> = Steps extends string | undefined
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

// This finds values with methods, such as a Date or a promise. It uses the union of all properties of a level, because a mapped
// type takes the compiler ten times as long. It looks at three levels, because recursive types have no end.
/** The parts of a value that JSON cannot express, other than `undefined`. */
type Unsayable<Value, Depth extends readonly unknown[] = [0, 0, 0]> =
  | Extract<Value, bigint | symbol | AnyFunction>
  | (Depth extends readonly [unknown, ...infer Rest]
      ? [PropertyOf<Value>] extends [never]
        ? never
        : Unsayable<PropertyOf<Value>, Rest>
      : never)

type PropertyOf<Value> = Value extends Plain
  ? never
  : Value extends readonly (infer Item)[]
    ? PropertyOf<Item> | Extract<Item, bigint | symbol | AnyFunction>
    : unknown extends Value[keyof Value]
      ? never
      : Value[keyof Value]

type Plain = string | number | boolean | null | undefined
type AnyFunction = (...args: never[]) => unknown
