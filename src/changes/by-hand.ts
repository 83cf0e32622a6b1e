// The conversions of a history by hand, for webhooks, jobs and tests.

import type { RequestChecks } from '../bound-changes'
import { ITEM_KINDS, type ItemKind, type StreamEvent } from '../http/framing'
import { parsedJson } from '../http/json'
import type { RouteFacts } from '../registry'
import { isObject } from '../schemas/model'
import { type ByStatus, byStatus, itemSchemasOf, statusNumber } from '../schemas/responses'
import type { ResponseBody, ShapeName, Version } from '../types'
import { type Operation, parseOperation } from '../util/operation'
import { shown } from '../util/options'
import { didYouMean, near } from '../util/suggest'
import { type BodyStep, Conversion, converted, copied } from './convert/steps'
import type { ShapeOf, SomeShape } from './describe/shape'
import type { RequestConverter } from './requests'
import { faultOf } from './timeline/bound-history'
import type { Plan, ResponsePlans } from './timeline/operation-plans'
import type { Change, OperationName } from './types/operations'

/** A version in the result of `history.list()`. */
export interface ListedVersion<Name extends string = Version> {
  /** The name of the version. */
  version: Name
  /** The changes of the version, oldest first. */
  changes: {
    /** The description of the change, for people. */
    description: string
    /** The given object of operations. */
    operations: object
  }[]
}

/** The receiver of a conversion by hand, for metrics. */
export interface Recipient {
  /** The consumer whose conversion it is, as the option `consumer` of `versionMetrics()` would name it. */
  readonly consumer?: string | undefined
}

/** The metrics that count conversions by hand, made by `versionMetrics()`. */
export interface ConversionMetrics {
  /** Counts a conversion by hand for the changes that it met. */
  onConversion(version: Version, met: ReadonlySet<string>, consumer: string | undefined): void
}

/** The conversions of a history by hand, of operations and of shapes. */
export interface HistoryByHand<Names extends string = Version, Shapes extends SomeShape = SomeShape> {
  /** The versions, oldest first. */
  readonly versions: readonly Version[]

  /**
   * Converts a body of a version to the newest version. A history with shapes needs a table: use `history.for(options)`.
   *
   * @param recipient is counted where `history.for()` has `metrics`.
   * @returns the result of the steps on a copy; the body itself if nothing changed.
   * @throws {TypeError} for a version that the history lacks, an operation that its table lacks, a body that JSON cannot
   *   express, and for shapes without a table.
   * @throws {VersioningError} 400 for a body that does not fit.
   * @example history.for(options).request('POST user-list', { name: 'Ada Lovelace' }, '2024-01-01')
   */
  request(operation: OperationName, body: unknown, from: Version, recipient?: Recipient): unknown

  /**
   * Converts a body of the newest version to another version, for webhooks, jobs, streams and golden files. A history with
   * shapes needs a table: use `history.for(options)`.
   *
   * @param recipient is counted where `history.for()` has `metrics`.
   * @returns the result of the steps on a copy; the body itself if nothing changed.
   * @throws {TypeError} for a version that the history lacks, an operation that its table lacks, a body that JSON cannot
   *   express, and for shapes without a table.
   * @throws {Error} `ERR_VERSION_CHANGE` if a step fails.
   * @example history.for(options).response('GET user-detail', user, subscriber.version)
   */
  response(operation: OperationName, body: unknown, to: Version, recipient?: Recipient): unknown

  /**
   * Converts an item of the newest version to another version, for WebSockets and queues. The `data` of an event is its JSON,
   * parsed. A history with shapes needs a table: use `history.for(options)`.
   *
   * @param recipient is counted where `history.for()` has `metrics`.
   * @returns the result of the steps on a copy; the item itself if nothing changed, and `null` if a step drops it.
   * @throws {TypeError} as {@link response}, and for an operation without items.
   * @throws {Error} `ERR_VERSION_CHANGE` if a step fails, and for an item that fits no described branch.
   * @example
   * const item = history.for(options).item('GET order-feed', { event: 'created', data: order }, subscriber.version)
   * if (item !== null) socket.send(JSON.stringify(item))
   */
  item(operation: OperationName, item: unknown, to: Version, recipient?: Recipient): unknown

  /**
   * Tells whether a version has a change, for webhooks and jobs. For requests, use {@link Change.appliesTo}.
   *
   * @throws {TypeError} for a change or a version that the history lacks.
   * @example if (history.has(splitName, subscriber.version)) await sendWelcome(user)
   */
  has(change: Change<object>, version: Version): boolean

  /**
   * Converts a shape of the newest version, with its inner shapes, to another version, for webhooks and jobs. Without a table,
   * the schemas of {@link shape} describe the contents.
   *
   * @param recipient is counted where `history.for()` has `metrics`.
   * @returns the result of the steps on a copy; the value itself if nothing changed. Its type is that of the shape's schema for
   *   the version, and `unknown` where the compiler does not know the changes.
   * @throws {TypeError} for a shape or a version that the history lacks, and for a value that JSON cannot express.
   * @throws {Error} `ERR_VERSION_CHANGE` if a step fails.
   * @example history.shape('User', user, subscriber.version)
   */
  shape<Name extends ShapeName, To extends Version>(
    name: Name,
    value: unknown,
    to: To,
    recipient?: Recipient,
  ): ShapeOf<Shapes, Name, To>

  /** Lists all versions with their changes, oldest first. */
  list(): ListedVersion<Names>[]
}

/** Makes the conversions of a history by hand in a table, for `history.for()`. */
export function historyInTable(
  history: HistoryByHand,
  { contract, history: bound }: RequestConverter,
  metrics: ConversionMetrics | undefined,
): HistoryByHand {
  const { versions } = history
  const { names, routes, shapes } = bound

  /** Finds an operation, and its plan; undefined for a neutral route, which no change converts. */
  function planned(owner: string, operation: string, version: string): Operation & { readonly plan: Plan | undefined } {
    const asked = parseOperation(owner, operation)
    const versionIndex = positionIn(versions, owner, version)
    const fault = faultOf(asked, names, routes)
    if (fault !== undefined) throw new TypeError(`${owner}: "${operation}" is no operation: ${fault}`)
    const { method } = asked
    const viewName = names.routeIn(asked.viewName, version)
    const plan = bound.isNeutral(viewName, method) ? undefined : bound.of(method, viewName).planOf(versionIndex)
    return { method, viewName, plan }
  }

  /** Runs a conversion, and tells the metrics which changes it met, also if it fails. */
  function counted(
    version: string,
    known: readonly string[],
    recipient: Recipient | undefined,
    convert: (met: Set<string> | undefined) => unknown,
  ): unknown {
    if (metrics === undefined) return convert(undefined)
    const met = new Set(known)
    try {
      return convert(met)
    } finally {
      metrics.onConversion(version, met, recipient?.consumer)
    }
  }

  function factsOf({ viewName }: Operation): RouteFacts | undefined {
    return routes.facts().find((facts) => facts.viewName === viewName)
  }

  /** Returns the described responses with success of an operation, by status. */
  function successes(operation: Operation): ByStatus {
    const described = byStatus<ResponseBody>(factsOf(operation)?.describedAs(operation.method)?.response, '200')
    return new Map([...described].filter(([key]) => key.startsWith('2')))
  }

  return {
    versions,
    has: (change, version) => history.has(change, version),
    list: () => history.list(),

    request(operation: string, body, from: string, recipient) {
      const { plan, viewName, method } = planned('request()', operation, from)
      if (plan === undefined) return body
      const checks = contract?.checksOf(method, viewName, from)
      const given = checks === undefined ? body : checked(checks, body, from)
      return counted(from, plan.met, recipient, (met) => converted('request()', plan.request, given, from, met))
    },

    response(operation: string, body, to: string, recipient) {
      const found = planned('response()', operation, to)
      const { plan } = found
      if (plan === undefined) return body
      const statuses = [...successes(found).keys()].map(statusNumber)
      return counted(to, plan.met, recipient, (met) => olderBody(plan.responses, body, to, statuses, met))
    },

    item(operation: string, item, to: string, recipient) {
      const found = planned('item()', operation, to)
      const streams = [...successes(found)].flatMap(([key, body]) =>
        ITEM_KINDS.filter((kind) => itemSchemasOf(body, kind).length > 0).map((kind) => ({
          kind,
          status: statusNumber(key),
        })),
      )
      if (streams.length === 0) {
        const by = factsOf(found)?.givenFor(found.method) === undefined ? 'describe()' : 'the document'
        throw new TypeError(`item(): ${by} says no { itemSchema } of "${operation}": it has no items.`)
      }
      // Other items are no events.
      const wanted: ItemKind = isEvent(item) ? 'events' : 'lines'
      const { kind, status } =
        streams.find((stream) => stream.kind === wanted) ?? (streams[0] as (typeof streams)[number])
      const { plan } = found
      if (plan === undefined) return item
      const steps = plan.responses.of(status)?.items[kind].steps ?? []
      return counted(to, plan.met, recipient, (met) => olderItem(steps, item, to, kind, met))
    },

    shape(name: string, value: unknown, to: string, recipient?: Recipient): never {
      if (shapes === undefined) return history.shape(name, value, to) as never
      const versionIndex = positionIn(versions, 'shape()', to)
      const { input, output } = shapes.definitions
      const isOnlySent = !output.tables.at(-1)?.has(name) && input.tables.at(-1)?.has(name)
      const steps = shapes.byHand(isOnlySent ? 'any' : 'output')(name, versionIndex)
      return counted(to, [], recipient, (met) => converted('shape()', steps, value, to, met)) as never
    },
  }
}

/**
 * Checks a body by the contract of its version, and returns a copy without the properties that the version lacks.
 *
 * @throws {TypeError} with `issues` for a body that does not fit.
 */
function checked({ operation, body: check, withBody }: RequestChecks, body: unknown, version: string): unknown {
  if (check === undefined) return body
  const issues: object[] = []
  let copy: unknown
  if (check !== null) {
    copy = copied('request()', body)
    check(copy, false, true, issues)
  } else if (body !== undefined) issues.push(...withBody)
  if (issues.length === 0) return copy
  const told = `request(): the body does not fit "${operation}" in version ${shown(version)}.`
  throw Object.defineProperty(new TypeError(told), 'issues', { value: issues })
}

/**
 * Returns the index of a version.
 *
 * @throws {TypeError} for an unknown version.
 */
export function positionIn(versions: readonly string[], owner: string, version: string): number {
  const index = versions.indexOf(version)
  if (index !== -1) return index
  throw new TypeError(
    `${owner}: the history has no version ${shown(version)}.${didYouMean(near(String(version), versions))}`,
  )
}

/**
 * Converts a body of the newest version, which by hand has no status: it is that of the first success with a body, and no body
 * that of one without.
 *
 * @param statuses the described statuses of success.
 * @param met gets the descriptions of the changes that met the body.
 * @returns undefined if the older response has no body.
 */
export function olderBody(
  responses: ResponsePlans,
  body: unknown,
  to: string,
  statuses: readonly number[] = [],
  met?: Set<string>,
): unknown {
  const plan = responses.ofBody(body !== undefined, statuses)
  if (plan === undefined) return body
  for (const description of plan.restated) met?.add(description)
  if (plan.source === undefined) return undefined
  if (plan.source === 'handler') return converted('response()', plan.steps, body, to, met)
  return JSON.parse(new Conversion(plan.steps, { version: to, met }).runToJson(undefined))
}

/**
 * Converts an item of the newest version.
 *
 * @param met gets the descriptions of the changes that met the item.
 * @returns `null` if a step drops it.
 */
export function olderItem(
  steps: readonly BodyStep[],
  item: unknown,
  to: string,
  kind?: ItemKind,
  met?: Set<string>,
): unknown {
  // Data that is no JSON is a string, which holds no shape.
  const isText =
    kind !== 'lines' && isEvent(item) && typeof item.data === 'string' && parsedJson(item.data) === undefined
  return isText ? item : converted('item()', steps, item, to, met)
}

/** Tells whether a value is an event: it has data, and only fields of events. */
function isEvent(item: unknown): item is StreamEvent {
  return isObject(item) && 'data' in item && Object.keys(item).every((name) => EVENT_FIELDS.has(name))
}

const EVENT_FIELDS = new Set(['data', 'event', 'id', 'retry'])
