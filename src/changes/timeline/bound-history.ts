// The meaning of a history in a table, and what the table cannot mean.
import { ITEM_KINDS } from '../../http/framing'
import { areStreams } from '../../http/framings'
import { isBodyless } from '../../http/representation'
import type { RouteFacts, RouteRegistry } from '../../registry'
import { isContent } from '../../schemas/check'
import { byStatus, describedResponses, itemSchemasOf, mayBeJson, saidOf, successesOf } from '../../schemas/responses'
import type { ResponseBody } from '../../types'
import { ALL, OPERATION_METHODS, type Operation, operationMethod, parseOperation, tails } from '../../util/operation'
import { didYouMean, near } from '../../util/suggest'
import { quoted } from '../../util/text'
import { linesOf, warnOnce } from '../../util/warn'
import type { Entry } from '../describe/change'
import { type BoundShapes, boundShapes } from './bound-shapes'
import { movesOf } from './moved-operations'
import {
  type AppliedChange,
  changesByOperation,
  type OperationChanges,
  type Release,
  type ReleasedChange,
  type RouteNames,
  routeNames,
} from './operation-changes'
import { type Plan, timelineOf } from './operation-plans'
import { copiedShapes } from './shape-copies'

/** The meaning of a history in a table: its operations, and the places of its shapes. */
export type BoundHistory = ReturnType<typeof boundHistory>

/**
 * Finds the operations and the shapes of a history in a table.
 *
 * @param isNeutral tells whether a route has no version.
 * @throws {TypeError} for operations and shapes that do not fit the table, and for contradictions.
 */
export function boundHistory(
  releases: readonly Release[],
  routes: RouteRegistry,
  isNeutral: (viewName: string, method: string) => boolean,
) {
  const versions = releases.map(({ version }) => version)
  addRemoved(releases, routes)
  const names = routeNames(routes.names(), versions)
  const changes = changesByOperation(releases, names, copiedShapes(routes))
  checkOperations(changes, names, routes, isNeutral)
  /** The index of each version. */
  const positions: ReadonlyMap<string, number> = new Map(versions.map((version, at) => [version, at]))
  /** The operations with other paths in older versions; undefined if there are none. */
  const moves = movesOf(changes, names, routes, versions, positions)
  const shapes = changes.hasShapes ? boundShapes(changes, routes, isNeutral) : undefined
  const timeline = timelineOf(changes, shapes, (method, viewName, status) => {
    const { describedAs, common } = routes.facts().find((one) => one.viewName === viewName) as RouteFacts
    return itemSchemasOf(saidOf(describedResponses(describedAs(method)?.response, common), status) ?? null, 'events')
  })
  warnOfUndocumented(routes, isNeutral)
  if (shapes !== undefined) warnOfUnconverted(routes, shapes)
  return {
    ...timeline,
    routes,
    isNeutral,
    names,
    versions,
    positions,
    moves,
    /** Returns the plan of an operation in a version; that of an unknown version changes nothing. */
    planIn: (method: string, viewName: string | undefined, version: string): Plan =>
      timeline.of(method, viewName).planOf(positions.get(version)),
  }
}

/** Adds the operations to a table that changes removed, and that only older documents have. */
function addRemoved(releases: readonly Release[], routes: RouteRegistry): void {
  const isRemoved = (key: string) =>
    releases.some(({ changes }) => changes.some(({ entries }) => entries.get(key)?.mark === 'removed'))
  for (const { removable, namespaces } of routes.elsewhere()?.documents ?? []) {
    for (const [operation, add] of removable) {
      const { method, viewName } = parseOperation('removed', operation)
      if (tails([...namespaces, viewName].join(':')).some((name) => isRemoved(`${method} ${name}`))) add()
    }
  }
}

/**
 * Checks that a table has the operations of a history's changes.
 *
 * @param isNeutral tells whether a route has no version.
 * @throws {TypeError} for a name that the table lacks or that fits several routes, for a neutral route, a method without a
 *   handler, a step that does not fit a stream, and a contradiction to older changes.
 */
function checkOperations(
  changes: OperationChanges,
  names: RouteNames,
  routes: RouteRegistry,
  isNeutral: (viewName: string, method: string) => boolean,
): void {
  const operations = new Map<string, Operation>()
  const missing = new Map<string, string>()
  let facts: readonly RouteFacts[] | undefined
  for (const { description, entries } of changes.all) {
    for (const [key, entry] of entries) {
      if (key === ALL || missing.has(key)) continue
      const subject = `the change "${description}" speaks of "${key}", but`
      const speaks = `versioning(): ${subject}`
      const operation = parseOperation('changes', key)
      const fault = faultOf(operation, names, routes)
      if (fault !== undefined) {
        missing.set(key, `${subject} ${fault}`)
        continue
      }
      const { method } = operation
      const meant = names.routesOf(operation.viewName)
      for (const viewName of meant) {
        if (isNeutral(viewName, method)) throw new TypeError(`${speaks} "${viewName}" is neutral: it has no version.`)
        if (hasItems(entry)) {
          facts ??= routes.facts()
          checkItems(speaks, { method, viewName }, facts)
        }
        operations.set(`${method} ${viewName}`, { method, viewName })
      }
      if (entry.steps.response === undefined || entry.steps.item !== undefined) continue
      facts ??= routes.facts()
      checkWhole(
        speaks,
        facts.filter(({ viewName }) => meant.includes(viewName)),
        method,
        changes,
      )
    }
  }
  checkMissing([...missing.values()], routes)
  for (const [name, { method, viewName }] of operations) checkMarks(name, changes.of(method, viewName), changes.all)
}

/** @throws {TypeError} listing the operations that a table lacks, if there are any. */
function checkMissing(missing: readonly string[], routes: RouteRegistry): void {
  if (missing.length === 0) return
  const hasDocument = (routes.elsewhere()?.documents ?? []).length > 0
  const remedy = hasDocument
    ? '\nIf changes say that they are removed, older documents may have them: routesOf(document, { removed: [olderDocument] })'
    : ''
  if (missing.length === 1) throw new TypeError(`versioning(): ${missing[0]}${remedy}`)
  const list = missing.map((one) => `- ${one}`).join('\n')
  throw new TypeError(`versioning(): ${missing.length} operations of "changes" are not in "routes":\n${list}${remedy}`)
}

/** Tells whether a change has a step or a schema for the items of an operation. */
function hasItems({ steps, older }: Entry): boolean {
  return steps.item !== undefined || older?.item !== undefined
}

/** Tells whether items of an operation are described. */
function hasStream({ describedAs, common }: RouteFacts, method: string): boolean {
  const bodies = [...describedResponses(describedAs(method)?.response, common).values()]
  return ITEM_KINDS.some((kind) => bodies.some((body) => itemSchemasOf(body, kind).length > 0))
}

/** @throws {TypeError} for an operation without described items. */
function checkItems(speaks: string, { method, viewName }: Operation, all: readonly RouteFacts[]): void {
  const facts = all.find((one) => one.viewName === viewName) as RouteFacts
  if (hasStream(facts, method)) return
  const streams = all.flatMap((one) =>
    OPERATION_METHODS.filter((other) => hasStream(one, other)).map((other) => `${other} ${one.viewName}`),
  )
  const remedy =
    facts.givenFor(method) === undefined
      ? `describe(), so it has no "item": { response: { 200: { content: { 'text/event-stream': { itemSchema } } } } }.`
      : 'the document, so it has no "item". Write "itemSchema" there, whatever its version of OpenAPI: "content": { "text/event-stream": { "itemSchema": ... } }.'
  throw new TypeError(`${speaks} it is no stream by ${remedy}${didYouMean(near(`${method} ${viewName}`, streams))}`)
}

/**
 * Checks that a step for whole responses has some.
 *
 * @param meant the routes of its operation.
 * @throws {TypeError} if all of them only stream.
 */
function checkWhole(speaks: string, meant: readonly RouteFacts[], method: string, changes: OperationChanges): void {
  if (!meant.every((facts) => sendsOnlyStreams(facts, method, changes.of(method, facts.viewName)))) return
  const by = meant.some(({ givenFor }) => givenFor(method) !== undefined) ? 'the document' : 'describe()'
  throw new TypeError(
    `${speaks} it only streams by ${by}, and no "response" gets a stream, so older versions would get the newest items. Write "item" instead, which gets one item at a time; or, if the operation sends JSON too, describe that beside the stream.`,
  )
}

/** Tells whether an operation sends nothing but streams, by its description and its changes. */
function sendsOnlyStreams(
  { describedAs, givenFor, isStreaming, common }: RouteFacts,
  method: string,
  applied: readonly AppliedChange[],
): boolean {
  const { response, versions = {} } = describedAs(method) ?? {}
  const responses = describedResponses(response, common)
  const bodies = [...successesOf(responses).values()]
  const isGiven = response === givenFor(method)?.response && isStreaming(method)
  if (!isGiven && (bodies.length === 0 || !bodies.every(isStream))) return false
  // A document may give streams without their items.
  const given = successesOf(byStatus(isGiven ? response : undefined, '200'))
  const streams = (status: number) =>
    !isBodyless(status) && (saidOf(given, status) !== undefined || isStream(saidOf(responses, status) ?? null))
  // A handler may still send JSON to older versions, or with another status.
  const isOther = applied.some(
    ({ entry, head, older }) =>
      (entry?.steps.response === undefined && [...older.responses.keys()].some((key) => key.startsWith('2'))) ||
      [...(head?.status.keys() ?? [])].some((status) => status < 400 && !streams(status)),
  )
  return !isOther && Object.values(versions).every((version) => version?.response === undefined)
}

function isStream(body: ResponseBody): boolean {
  return isContent(body) && areStreams(Object.keys(body.content))
}

/** Returns the end of a sentence that tells why a table lacks an operation; undefined if it has the operation. */
export function faultOf({ method, viewName }: Operation, names: RouteNames, routes: RouteRegistry): string | undefined {
  const meant = names.routesOf(viewName)
  if (meant.length === 0) return `"routes" has no name "${viewName}".${didYouMean(near(viewName, names.all))}`
  if (names.isAmbiguous(viewName)) {
    return `its name fits several routes: ${quoted(meant)}. Write it with more of its namespaces.`
  }
  // Handlers may be added later.
  if (meant.some((name) => routes.methodsOf(name).length === 0)) return undefined
  if (meant.some((name) => routes.serves(name, method))) return undefined
  const methods = meant.flatMap((name) => routes.methodsOf(name))
  if (method === 'GET' && methods.includes('HEAD')) return undefined
  const own = methods.map((other) => `${operationMethod(other)} ${viewName}`)
  return `its route has no handler for ${method}.${didYouMean([...new Set(own)])}`
}

/**
 * Checks the marks of an operation.
 *
 * @throws {TypeError} for an operation that is added or removed twice, and for steps of a removed one.
 */
function checkMarks(operation: string, appliedChanges: readonly AppliedChange[], all: readonly ReleasedChange[]): void {
  let last: { readonly mark: string; readonly version: string | undefined } | undefined
  for (const { index, description, entry } of appliedChanges) {
    if (entry === undefined) continue
    const { mark } = entry
    const version = all[index]?.version
    const says = `versioning(): the change "${description}" of version "${version}"`
    if (mark !== undefined && mark === last?.mark) {
      throw new TypeError(
        `${says} says of "${operation}" that it is ${mark}, as version "${last.version}" says already.`,
      )
    }
    if (mark === undefined && last?.mark === 'removed') {
      throw new TypeError(
        `${says} has steps for "${operation}", which version "${last.version}" removed. Steps of the version that removes it go beside the mark: { removed: true, response: ... }.`,
      )
    }
    if (mark !== undefined) last = { mark, version }
  }
}

/** Warns once of the bodies of a table in which nothing tells where shapes are. They are not converted. */
function warnOfUndocumented(routes: RouteRegistry, isNeutral: (viewName: string, method: string) => boolean): void {
  const open = (routes.elsewhere()?.open ?? []).filter(
    ({ operation: one }) =>
      one === undefined || (routes.serves(one.viewName, one.method) && !isNeutral(one.viewName, one.method)),
  )
  if (open.length === 0) return
  const what =
    'The document does not say what these parts hold, so no change converts them. Where shapes change, a JSON response without a schema is 500 in older versions:'
  warnOnce(
    routes,
    'EXPRESS_VERSIONING_UNDOCUMENTED',
    what +
      linesOf(
        open.map(({ message }) => message),
        '.',
      ),
  )
}

/** Warns once of the media types of a table that nobody converts, though they hold shapes that change. */
function warnOfUnconverted(routes: RouteRegistry, { operations }: BoundShapes): void {
  const lines = operations.flatMap(({ name, unconverted }) =>
    unconverted
      .filter(({ type }) => !mayBeJson(type))
      .map(({ status, type, changed }) => {
        const [shape] = changed.values()
        return `the response ${status} of "${name}" as "${type}", with the shape "${shape}"`
      }),
  )
  const what = 'These media types have shapes that change, but are not converted. They are 500 in older versions:'
  if (lines.length > 0) warnOnce(routes, 'EXPRESS_VERSIONING_MEDIA_TYPE', what + linesOf(lines, '.'))
}
