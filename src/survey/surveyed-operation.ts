// One operation in a survey.
import type { RouteDeprecation } from '../middleware/deprecated'
import type { OperationDescriptions } from './described'
import type { Address } from './operation-addresses'

/** An operation in one version. */
export interface Served {
  /** The addresses; at least one. */
  readonly addresses: readonly Address[]
  /** The version whose handlers `byVersion()` runs; `null` for its `otherwise`, undefined without a `byVersion()`. */
  readonly by: string | null | undefined
}

/** One operation of the API: a method of a named route. */
export interface Operation extends OperationDescriptions {
  readonly method: string
  /** `true` if only `.all()` has handlers for it. */
  readonly fromAll: boolean
  /** The view name with its namespaces. */
  readonly viewName: string
  /** The pattern below the mount. */
  readonly pattern: string
  /** The namespaces without the version's, and the name without any. */
  readonly namespaces: readonly string[]
  readonly name: string
  /** `true` if the operation has no version. All versions then serve it. */
  readonly neutral: boolean
  /** Tells whether its requests are converted or checked in a version. Those that do not fit are rejected. */
  readsRequests(version: string): boolean
  /** The description that `deprecated()` left. */
  readonly deprecation: RouteDeprecation | undefined
  /** The versions that serve the operation. */
  readonly served: ReadonlyMap<string, Served>
  /** The versions that a change removed the operation from. */
  readonly removed: ReadonlySet<string>
}
