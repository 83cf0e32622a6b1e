// The steps between a version and the newest, and the operations that a version lacks.
import type { OperationInVersion } from '../../bound-changes'
import type { ItemKind, StreamEvent } from '../../http/framing'
import { isJsonType, olderTypeOf } from '../../http/json'
import { isBodyless, isError, isSuccess } from '../../http/representation'
import { isContent, isItemContent } from '../../schemas/check'
import { textEventsOf } from '../../schemas/events'
import type { SchemaReading } from '../../schemas/model'
import { saidOf } from '../../schemas/responses'
import type { Schema } from '../../types'
import { operationMethod } from '../../util/operation'
import { type BodyStep, ChangeFailure, converted, type ShapeConversion } from '../convert/steps'
import type { HeaderChange } from '../describe/change'
import type { HeaderContext } from '../types/operations'
import type { BoundShapes } from './bound-shapes'
import { readOrReport } from './descriptions'
import { type AppliedChange, type OperationChanges, type Presence, presenceIn } from './operation-changes'
import type { BodyShapes, RejectedTypes } from './operation-shapes'
import { itemTrail, olderBodies, responseTrail, STEP_OF } from './trails'

/** The steps of an operation between a version and the newest, in the order in which values pass them. */
interface Steps extends Presence {
  readonly request: readonly BodyStep[]
  readonly query: readonly BodyStep[]
  /** The plans of its responses, by their status. */
  readonly responses: ResponsePlans
  /** The descriptions of the changes that meet each of its requests: they remove or move it, or add it where the version lacks it. */
  readonly met: readonly string[]
}

/** One operation in one version. */
export interface Plan extends Steps, OperationInVersion {}

/** The conversion of the items of a response's streams of one kind. */
export interface ItemsPlan {
  /** The steps in the order in which an item passes them. */
  readonly steps: readonly BodyStep[]
  /** `true` for a success whose items nobody described. */
  readonly isUnknown: boolean
  /** Tells whether an item stays as it is: the data of an event that is text, and can hold no shape. */
  passes(item: unknown, isJson: boolean): boolean
}

/** The conversion of the responses of one status. */
export interface ResponsePlan {
  /** The steps in the order in which a body passes them. */
  readonly steps: readonly BodyStep[]
  /**
   * The changes of the media type of an error: each has the JSON types that its older definition says, or none where a function made
   * the error and nothing says a type.
   */
  readonly types: readonly (readonly string[])[]
  /** The conversions of the items of its streams, by their kind. */
  readonly items: Readonly<Record<ItemKind, ItemsPlan>>
  /** The media types that nobody converts, and that hold changed shapes. */
  readonly others: readonly RejectedTypes[]
  /** The status in the older version. */
  readonly status: number
  /** The changes of header fields in their order, each with the status on its older side. */
  readonly headers: readonly { readonly change: HeaderChange; readonly status: number }[]
  /** The descriptions of the changes of the status. */
  readonly restated: readonly string[]
  /** The source of the older body: the handler or a step; undefined for no body, because a status on the way has none. */
  readonly source: 'handler' | 'step' | undefined
  /** `true` for the response to a condition on converted bytes. */
  readonly namesNothing: boolean
}

/** The conversions of the responses of one operation in one version, by their status. */
export type ResponsePlans = ReturnType<typeof responsePlans>

/**
 * Makes the conversions of the responses of one operation in one version. Each status is planned once, on first use.
 *
 * @param all the changes, the newest first.
 * @param eventsIn lists the schemas of the events of a status in the newest version.
 */
function responsePlans(
  all: readonly AppliedChange[],
  shapes?: BodyShapes,
  eventsIn: (status: number) => readonly SchemaReading[] = noEvents,
) {
  const converts = ({ index, entry, error, head }: AppliedChange) =>
    (entry?.steps.response ?? entry?.steps.item ?? error ?? head) !== undefined || shapes?.meetsResponses(index)
  const changes = all.filter((applied) => converts(applied) || shapes?.rejectsUnknown(applied.index))
  const byStatus = new Map<number, ResponsePlan | undefined>()
  let convertSuccess: boolean | undefined

  function planOf(newest: number): ResponsePlan | undefined {
    let found: BodyStep[] = []
    const types: (readonly string[])[] = []
    const headers: { change: HeaderChange; status: number }[] = []
    const others: RejectedTypes[] = []
    const trail = responseTrail(newest, changes)
    const restated = trail.filter(({ status }, at) => status !== (trail[at - 1]?.status ?? newest))
    for (const { applied, status, step, source } of trail) {
      if (step !== undefined) found.push(step)
      const conversion = source && shapes?.ofResponse(applied.index, newest, source)
      if (conversion !== undefined) found.push(conversion)
      const other = source === 'handler' ? shapes?.ofOthers(applied.index, newest) : undefined
      if (other !== undefined) others.push(other)
      if (source === undefined) found = []
      const said = typesIn(saidOf(applied.older.responses, status))
      if (isError(status) && (said.length > 0 || step !== undefined || conversion?.isMade)) types.push(said)
      for (const change of applied.head?.headers.values() ?? []) headers.push({ change, status })
    }
    const { status, source } = trail.at(-1) ?? { status: newest, source: 'handler' }
    const steps = fused(found)
    const namesNothing = (newest === 304 || newest === 412) && plans.convertsSuccess()
    const isBare = source === undefined && !isBodyless(newest)
    const items = { events: itemsOf('events', newest), lines: itemsOf('lines', newest) }
    const count = steps.length + headers.length + others.length + items.events.steps.length + items.lines.steps.length
    if (count === 0 && status === newest && !isBare && !namesNothing) return undefined
    const told = restated.map(({ applied }) => applied.description)
    return { steps, types, items, others, status, headers, source, namesNothing, restated: told }
  }

  function itemsOf(kind: ItemKind, newest: number): ItemsPlan {
    const steps = itemTrail(newest, changes).flatMap(({ applied: { index }, step }) =>
      [step, shapes?.ofItem(index, newest, kind)].filter((one) => one !== undefined),
    )
    const rejecting = steps.find((step) => 'rejects' in step)
    const isUnknown = rejecting !== undefined && isSuccess(newest)
    if (rejecting !== undefined) return { steps: [rejecting], isUnknown, passes: () => false }
    const isText = textEventsOf(kind === 'events' && steps.length > 0 ? eventsIn(newest) : [])
    const isOwn = steps.some((step) => !('convert' in step))
    return {
      steps: checked(steps, kind, newest),
      isUnknown,
      passes: (item, isJson) => {
        if (kind !== 'events' || (isJson && isOwn)) return false
        const event = item as StreamEvent
        return (!isJson && !/[{"]/.test(String(event.data))) || isText(event)
      },
    }
  }

  /** Adds a check to the steps for items: the shapes in an item that nobody described are unknown. */
  function checked(steps: readonly BodyStep[], kind: ItemKind, newest: number): readonly BodyStep[] {
    const [first] = steps
    if (first === undefined || steps.every((step) => !('convert' in step))) return steps
    const { kind: part, operation, description } = first
    const check: ShapeConversion = {
      kind: part,
      operation,
      description,
      convert: (item, context) => {
        if (shapes?.describesItem(item, newest, kind)) return item
        throw new ChangeFailure(first, 'got an item that fits no described branch', context)
      },
    }
    return [check, ...fused(steps)]
  }

  const plans = {
    /** `true` if responses of any status change. */
    convert: all.some(converts),

    /** Tells whether responses with success are converted. JSON that nobody described is only rejected. */
    convertsSuccess(): boolean {
      convertSuccess ??= (shapes?.successes ?? [200]).some((status) => {
        const { steps = [], items } = { ...plans.of(status) }
        if (steps.some((step) => !('rejects' in step))) return true
        return Object.values({ ...items }).some((one) => one.steps.length > 0 && !one.isUnknown)
      })
      return convertSuccess
    },

    /** Returns the conversion of responses of a status; `undefined` if they stay as they are. */
    of(status: number): ResponsePlan | undefined {
      if (!byStatus.has(status)) byStatus.set(status, planOf(status))
      return byStatus.get(status)
    },

    /**
     * Returns the conversion of a response without a status: that of the first success with a body, or without one; else of 200.
     *
     * @param described the described statuses of success.
     */
    ofBody(hasBody: boolean, described: readonly number[]): ResponsePlan | undefined {
      const changed = changes.flatMap(({ head }) => [...(head?.status.keys() ?? [])])
      const known = [...described, ...(hasBody ? [] : changed)].find(
        (status) => status >= 200 && status < 300 && isBodyless(status) !== hasBody,
      )
      return plans.of(known ?? 200)
    },
  }
  return plans
}

/** Lists the JSON media types that a description of a response says. */
function typesIn(body: unknown): string[] {
  const media = Object.entries(isContent(body) ? body.content : {})
  return media.flatMap(([type, one]) => (isJsonType(type) && !isItemContent(one) ? [type] : []))
}

/** Converts a status, and lists the header fields that the response lacks. */
function headOf(plan: ResponsePlan | undefined, status: number): ReturnType<OperationInVersion['head']> {
  // The last change of a field decides.
  const fields = new Map(plan?.headers.map(({ change: { name, step } }) => [name.toLowerCase(), step]))
  const without = [...fields].flatMap(([name, step]) => (step === null ? name : []))
  return { status: plan?.status ?? status, without: new Set(without) }
}

/** Converts the media type of a body. */
function mediaTypeOf(plan: ResponsePlan | undefined, type: string, version: string): string {
  const types = plan !== undefined && plan.steps.length > 0 ? plan.types : []
  // The type is that of the last definition which says one.
  const since = types.findLastIndex((said) => said.length > 0) + 1
  let older: unknown = types.slice(since).reduce(olderTypeOf, type)
  for (const { change, status } of plan?.headers ?? []) {
    if (change.name.toLowerCase() !== 'content-type') continue
    try {
      older = change.step?.(older as string, { version, status } as HeaderContext) ?? older
    } catch {
      // It needs a request.
    }
  }
  return older === type ? type : (String(older).split(';')[0] as string).trim()
}

/** Joins consecutive passes into one visit where possible. */
function fused(steps: readonly BodyStep[]): BodyStep[] {
  const found: BodyStep[] = []
  for (const step of steps) {
    const last = found.at(-1)
    const both = last !== undefined && 'convert' in last && 'convert' in step ? last.fusedWith?.(step) : undefined
    if (both !== undefined) found.pop()
    found.push(both ?? step)
  }
  return found
}

function noEvents(): readonly never[] {
  return []
}

/** The steps of an unknown version, in which nothing changes. */
const UNCHANGED: Steps = {
  present: true,
  ahead: false,
  since: undefined,
  request: [],
  query: [],
  responses: responsePlans([]),
  met: [],
}

/** One operation in all versions. */
type OperationPlans = ReturnType<typeof operationPlans>

/**
 * Makes the plans of one operation. Versions between two changes of it share their steps.
 *
 * @param changes the parts of changes about the operation, oldest first.
 */
function operationPlans(
  changes: readonly AppliedChange[],
  versions: readonly string[],
  shapes: BodyShapes | undefined,
  eventsIn: (status: number) => readonly SchemaReading[],
) {
  /** The steps, by the number of its changes that are newer than a version. */
  const composed: Steps[] = []
  /** The plans by the index of the version. */
  const plans: Plan[] = []
  const newerThan = (version: number) => changes.filter(({ versionIndex }) => versionIndex > version)

  /** Lists the steps for a part of requests. The shapes in a body are converted first, then the whole body. */
  const stepsIn = (applied: readonly AppliedChange[], part: 'body' | 'query'): readonly BodyStep[] =>
    fused(
      applied.flatMap(({ index, entry }) =>
        [shapes?.ofRequest(part, index), entry?.steps[STEP_OF[part]]].filter((step) => step !== undefined),
      ),
    )

  /** Lists the steps for a part of requests from one version to a later one. */
  const between = (part: 'body' | 'query', from: number, to: number) =>
    stepsIn(
      newerThan(from).filter(({ versionIndex }) => versionIndex <= to),
      part,
    )

  const stepsOf = (at: number): Steps => {
    const newer = newerThan(at)
    const presence = presenceIn(changes, at)
    const isMoved = ({ entry }: AppliedChange) => presence.present && entry?.path !== undefined
    const mark = presence.present ? 'removed' : 'added'
    const met = newer.filter((applied) => applied.entry?.mark === mark || isMoved(applied))
    composed[newer.length] ??= {
      ...presence,
      met: met.map(({ description }) => description),
      request: stepsIn(newer, 'body'),
      query: stepsIn(newer, 'query'),
      responses: responsePlans(newer.toReversed(), shapes, eventsIn),
    }
    return composed[newer.length] as Steps
  }

  const planned = (at: number): Plan => {
    const steps = at === versions.length ? UNCHANGED : stepsOf(at)
    const { responses } = steps
    const version = versions[at] as string
    const own = changes.filter(({ versionIndex }) => versionIndex === at)
    return {
      ...steps,
      changes: own.map(({ description }) => description),
      bodies: (described = {}, common) => olderBodies(newerThan(at), described, common),
      head: (status) => headOf(responses.of(status), status),
      mediaType: (status, type) => mediaTypeOf(responses.of(status), type, version),
      older: (part, status, value) => {
        const plan = responses.of(status)
        if (plan === undefined) return value
        if (part !== 'body') return converted('changesOf()', plan.items[part].steps, value, version)
        return plan.source === undefined ? undefined : converted('changesOf()', plan.steps, value, version)
      },
      newer: (part, value, to) => converted('changesOf()', between(part, at, versions.indexOf(to)), value, version),
    }
  }

  return {
    changes,
    between,
    /** @param versionIndex undefined for an unknown version, in which nothing changes. */
    planOf(versionIndex = versions.length): Plan {
      plans[versionIndex] ??= planned(versionIndex)
      return plans[versionIndex]
    },
  }
}

/** The operations of a history in all versions. */
export type Timeline = ReturnType<typeof timelineOf>

/**
 * Makes the operations of a history in all versions. Each is planned once, on first use.
 *
 * @param shapes the changed shapes in bodies; undefined for a history without any.
 * @param eventsOf lists the schemas of the events of an operation's responses with a status.
 */
export function timelineOf(
  changes: OperationChanges,
  shapes?: BoundShapes,
  eventsOf: (method: string, viewName: string | undefined, status: number) => readonly Schema[] = noEvents,
) {
  /** The plans by view name and method. A key of both would be hashed anew for each request. */
  const operations = new Map<string | undefined, Map<string, OperationPlans>>()

  /**
   * Returns the plans of an operation.
   *
   * @param method of a request: HEAD is that of GET.
   * @param viewName with its namespaces; undefined without a named route, to which only `'*'` applies.
   */
  function of(method: string, viewName: string | undefined): OperationPlans {
    let methods = operations.get(viewName)
    if (methods === undefined) {
      methods = new Map()
      operations.set(viewName, methods)
    }
    let plans = methods.get(method)
    if (plans === undefined) {
      const operation = operationMethod(method)
      plans = operation === method ? compiled(method, viewName) : of(operation, viewName)
      methods.set(method, plans)
    }
    return plans
  }

  function compiled(method: string, viewName: string | undefined): OperationPlans {
    const own = shapes?.of(method, viewName)
    return operationPlans(
      changes.of(method, viewName, (index) => own?.meets(index) || own?.rejectsUnknown(index) === true),
      changes.versions,
      own,
      // Of a schema that cannot be read, nothing is known.
      (status) => eventsOf(method, viewName, status).map((one) => readOrReport(one, 'output', 'items', () => {})),
    )
  }

  return { changes, shapes, of }
}
