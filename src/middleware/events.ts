import { channel } from 'node:diagnostics_channel'
import { inspect } from 'node:util'
import type { Request, Response } from 'express'
import { matchOf } from '../request/place'
import type { Root } from '../request/state'
import type { BaseVersioning } from '../schemes/base'
import { isThenable } from '../util/thenable'
import { isRouteDeprecated } from './deprecated'

/** What {@link VersionEvent} tells, beside the name of the route. */
export interface VersionFacts {
  /** The request that was decided. */
  readonly request: Request
  /** Its answer, not sent yet. */
  readonly response: Response
  /** The version decided on; `undefined` after a refusal (the version that is gone on a 410). */
  readonly version: string | null | undefined
  /** Whether the request named a version, rather than getting the default. */
  readonly named: boolean
  /** The scheme that decided. */
  readonly scheme: BaseVersioning
  /** Whether the version's deprecation date is reached; of an event, or that of its named route, looked up when it is read. */
  readonly deprecated: boolean
  /** The refusal. */
  readonly error?: unknown
}

/** One decision of one `versioning()` about one request. */
export interface VersionEvent extends VersionFacts {
  /** Name of the route that the path belongs to, resolved when it is read; `null` for none. */
  readonly viewName: string | null
}

/** Called once per `versioning()` on a request. What it throws or rejects with breaks no request. */
export type VersionListener = (event: VersionEvent) => unknown

/** Where the same events are published, for tools that do not configure `versioning()`. */
const events = channel('express-versioning:version')

/** The facts, and getters that resolve the route: no properties of their own, so that copying an event resolves nothing. */
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

/** Whether anybody listens; nothing is made for nobody. */
export function isObserved(listener: VersionListener | undefined): boolean {
  return listener !== undefined || events.hasSubscribers
}

const warned = new WeakSet<VersionListener>()

function warnOnce(listener: VersionListener, error: unknown): void {
  if (warned.has(listener)) return
  warned.add(listener)
  // Whatever was thrown: not everything can be made a string of.
  const detail = inspect(error)
  process.emitWarning('An onVersion listener of express-versioning failed; requests go on.', {
    code: 'EXPRESS_VERSIONING_LISTENER',
    detail,
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
