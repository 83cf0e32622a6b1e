// The type of a change, as users see it.
import type { Request } from 'express'
import type { OperationChanges } from './operations'

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
