import type { Request, Response } from 'express'
import type { ViewName } from '../express'
import type { RouteMethod } from '../routes/named-route'
import type { Version } from '../types'

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

/** `'added'`: absent before the version; `'removed'`: absent from it on; else the steps between the shapes, statuses and header fields. */
export type OperationChange = 'added' | 'removed' | (OperationSteps & OperationHead)

/** What happened, by operation: `'GET user-detail'`, or `'*'` for the errors of all. */
export type OperationChanges = { readonly [operation: string]: OperationChange | undefined }

type OperationMethod = Uppercase<Exclude<RouteMethod, 'all' | 'head'>>

/** Nothing more to ask of the operations of a change, but `never` of what is none: a name that the registered table does not have. */
export type KnownOperations<Operations> = {
  [Key in keyof Operations]: string extends Key ? unknown : IsOperation<Key> extends true ? unknown : never
}

type IsOperation<Key> = Key extends '*'
  ? true
  : Key extends `${OperationMethod} ${infer Name}`
    ? Name extends ViewName
      ? true
      : false
    : false
