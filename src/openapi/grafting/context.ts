// The parts of a given document that are written for a version.

import type { GivenDocument } from '../../registry'
import type { JsonSchema } from '../../schemas/model'
import type { Operation } from '../../survey/survey'
import type { OperationDescription } from '../../types'

/** The place of a part. */
export interface PartUse {
  readonly document: GivenDocument
  readonly pointer: string
  /** `true` if the server sends what is a request in the document: in callbacks and webhooks. */
  readonly isReversed: boolean
  readonly isResponse: boolean
  readonly neutral: boolean
}

/** An operation before it is written for a version: that of a given document, or an empty one of a table without. */
export interface GivenOperation {
  readonly value: JsonSchema
  readonly use: PartUse
  /** The operation as the table has it. */
  readonly operation: Operation
  /** The description in the document, as the table reads it; undefined for an operation that no document has. */
  readonly given: OperationDescription | undefined
}

/** The parameters of a path, for all its operations. */
export interface SharedParameters {
  readonly value: readonly unknown[]
  readonly pointer: string
}

/** Returns a part of a document with other values of some fields, which stay in their place. A field that is undefined goes. */
export function patched(part: JsonSchema, changes: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries({ ...part, ...changes }).filter(([, value]) => value !== undefined))
}
