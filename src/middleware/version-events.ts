// The events that observers of decisions get, and the handling of their failures.
import { channel } from 'node:diagnostics_channel'
import type { Request, Response } from 'express'
import { matchOf } from '../request/place'
import type { Root } from '../request/state'
import type { BaseVersioning } from '../schemes/base'
import { inspected } from '../util/text'
import { isThenable } from '../util/thenable'
import { isRouteDeprecated } from './deprecated'

/** The facts of a {@link VersionEvent}, without the route's name. */
export interface VersionFacts {
  /**
   * `'decided'` for the decision, with its `error` if the request is rejected; every request has one. `'failed'` for a failure after it,
   * because of the version.
   */
  readonly phase: 'decided' | 'failed'
  /** The request. */
  readonly request: Request
  /** Its response, not sent yet. */
  readonly response: Response
  /** The decided version, also one that is gone or paused; `undefined` after another rejection. */
  readonly version: string | null | undefined
  /** `true` if the request named a version, `false` if it got the default. */
  readonly named: boolean
  /** The scheme that read the version: of a combination, one of its schemes; itself for the default and for a rejection. */
  readonly scheme: BaseVersioning
  /** `true` once the deprecation date of the version is reached; in an event, that of its named route too, looked up on reading. */
  readonly deprecated: boolean
  /** The rejection, or the failure after the decision. */
  readonly error?: unknown
}

/** One decision of one `versioning()` about one request, or its failure later because of its version. */
export interface VersionEvent extends VersionFacts {
  /** The name of the path's route, resolved on reading; `null` for none. */
  readonly viewName: string | null
}

/**
 * A listener, called for each decision of a `versioning()`, and again if the request is rejected or fails later because of its
 * version. Its errors break no request.
 */
export type VersionListener = (event: VersionEvent) => unknown

/** The diagnostics channel of the same events, for tools that do not configure `versioning()`. */
export const events = channel('express-versioning:version')

/** The facts, and getters that resolve the route. The getters are not own properties, so copying an event resolves nothing. */
class DecisionEvent {
  readonly #deprecated: boolean
  readonly #root: Root | undefined

  constructor({ error, deprecated, ...facts }: VersionFacts, root: Root | undefined) {
    Object.assign(this, facts, error === undefined ? undefined : { error })
    this.#deprecated = deprecated
    this.#root = root
  }

  get deprecated(): boolean {
    return this.#deprecated || isRouteDeprecated(this.#root)
  }

  get viewName(): string | null {
    return matchOf(this.#root)?.viewName ?? null
  }
}

const warned = new WeakSet<VersionListener>()

function warnOnce(listener: VersionListener, error: unknown): void {
  if (warned.has(listener)) return
  warned.add(listener)
  process.emitWarning('An onVersion listener of express-versioning failed; requests go on.', {
    code: 'EXPRESS_VERSIONING_LISTENER',
    detail: inspected(error),
  })
}

/** Tells the listener and the channel. */
export function emitVersion(listener: VersionListener | undefined, facts: VersionFacts, root: Root | undefined): void {
  const event = new DecisionEvent(facts, root) as DecisionEvent & VersionFacts
  if (listener !== undefined) {
    try {
      const result = listener(event)
      if (isThenable(result)) result.then(undefined, (error) => warnOnce(listener, error))
    } catch (error) {
      warnOnce(listener, error)
    }
  }
  events.publish(event)
}
