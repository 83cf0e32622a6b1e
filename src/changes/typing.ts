import type { Request, Response } from 'express'
import type { ViewName } from '../express'
import type { RouteMethod } from '../routes/named-route'
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

/** What happened to one operation in a version. Each step makes the newer shape of the older, or the older of the newer. */
export interface OperationSteps {
  /** The newer body of the older one. */
  readonly request?: Step | undefined
  /** The newer `req.query` of the older one. */
  readonly query?: Step | undefined
  /** The older body of the newer one, of answers with a status of 2xx. */
  readonly response?: Step | undefined
  /** The older body of the newer one, of answers with a status of 400 and above. */
  readonly error?: Step | undefined
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

/** What an operation says of its older side beside steps. */
export interface OperationOlder {
  /** What its bodies are in the older version: needed where shapes stand in them that changed by then. */
  readonly older?: OlderBodies | undefined
}

/** What a change says of a shape; made by {@link shape}. */
export interface Shape<Older = unknown, Newer = unknown> {
  /** Its schema before the change. */
  readonly older: Older
  /** Its schema since. */
  readonly newer: Newer
}

/** `'added'`: absent before the version; `'removed'`: absent from it on; else the steps between the shapes. */
export type OperationChange = 'added' | 'removed' | (OperationSteps & OperationOlder)

/** What happened, by operation: `'GET user-detail'`, or `'*'` for the errors of all. */
export type OperationChanges = { readonly [key: string]: OperationChange | Shape | undefined }

type OperationMethod = Uppercase<Exclude<RouteMethod, 'all' | 'head'>>

/**
 * Nothing more to ask of the operations and shapes of a change, but `never` of what is none: a name that the registered table does
 * not have.
 */
export type KnownOperations<Operations> = {
  [Key in keyof Operations]: string extends Key
    ? unknown
    : IsOperation<Key> extends true
      ? unknown
      : Key extends `${string} ${string}`
        ? never
        : Shape
}

type IsOperation<Key> = Key extends '*'
  ? true
  : Key extends `${OperationMethod} ${infer Name}`
    ? Name extends ViewName
      ? true
      : false
    : false
