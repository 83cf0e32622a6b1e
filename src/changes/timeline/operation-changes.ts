// The parts of changes about an operation, and the routes of a table that their names mean.
import { type ByStatus, byStatus } from '../../schemas/responses'
import type { ResponseBody, Schema } from '../../types'
import { grouped } from '../../util/collections'
import { ALL, partsOf, tails } from '../../util/operation'
import type { CompiledStep } from '../convert/steps'
import type { CompiledChange, CompiledHead, Entry } from '../describe/change'
import type { CompiledFields } from '../describe/fields/fields'
import type { CompiledShape } from '../describe/shape'
import type { OlderBodies } from '../types/operations'
import { type CopiesOfShapes, type ShapeCopy, withCopies } from './shape-copies'

/** A version of a history, and its changes. */
export interface Release {
  readonly version: string
  readonly changes: readonly CompiledChange[]
}

/** A change, and its version. */
export interface ReleasedChange extends Pick<CompiledChange, 'description' | 'entries'> {
  readonly change: CompiledChange
  /** The shapes that the change names, and the copies of them in a document, by name. */
  readonly shapes: ReadonlyMap<string, CompiledShape | CompiledFields | ShapeCopy>
  /** The version before. */
  readonly olderVersion: string
  /** The index of its version. */
  readonly versionIndex: number
  readonly version: string
}

/** The part of a change about an operation, and its place. */
export interface AppliedChange<Body = Schema, Response = ResponseBody> {
  /** The index of its version. */
  readonly versionIndex: number
  /** The place of the change among all of the history. */
  readonly index: number
  readonly description: string
  /** The entry of that operation; undefined if the change has only an entry for all operations. */
  readonly entry: Entry | undefined
  /** Its `error` step, or that of all operations. */
  readonly error: CompiledStep | undefined
  /** The changes of its heads, merged over those of all operations. */
  readonly head: CompiledHead | undefined
  /** The bodies in the older version, as far as the change describes them. */
  readonly older: {
    readonly body: Body | null | undefined
    readonly query: Body | undefined
    /** The items of its streams. */
    readonly item: Body | undefined
    /** Its responses by their older status. */
    readonly responses: ByStatus<Response | null>
  }
}

/** Lists all changes of a history, oldest first. */
export function changesOf(releases: readonly Release[], copies?: CopiesOfShapes): ReleasedChange[] {
  return releases.flatMap(({ version, changes }, versionIndex) =>
    changes.map((change) => {
      const { description, entries } = change
      const shapes = withCopies(change.shapes, copies)
      const { version: olderVersion } = releases[versionIndex - 1] as Release
      return { change, versionIndex, version, olderVersion, description, shapes, entries }
    }),
  )
}

/**
 * Makes the changes of a history by operation: what each of them says of one.
 *
 * @param names the meanings of names in a table; undefined without a table.
 */
export function changesByOperation(releases: readonly Release[], names?: RouteNames, copies?: CopiesOfShapes) {
  const all = changesOf(releases, copies)
  return {
    /** All changes of the history, oldest first. */
    all,
    versions: releases.map(({ version }) => version),
    hasShapes: all.some(({ shapes }) => shapes.size > 0),

    /**
     * Lists the parts of changes about an operation, oldest first.
     *
     * @param viewName with its namespaces; undefined without a named route, to which only `'*'` applies.
     * @param meets tells whether a change converts shapes of the operation, by its index.
     */
    of(method: string, viewName: string | undefined, meets: (index: number) => boolean = () => false): AppliedChange[] {
      const keysOf = names?.keysOf ?? tails
      const keys = viewName === undefined ? [] : keysOf(viewName).map((name) => `${method} ${name}`)
      return all.flatMap(({ versionIndex, description, entries }, index) => {
        const entry = entries.get(keys.find((key) => entries.has(key)) ?? '')
        const common = entries.get(ALL)
        if (entry === undefined && common === undefined && !meets(index)) return []
        const own = entry?.steps.error
        const olderError = entry?.older?.error ?? (own === undefined ? common?.older?.error : undefined)
        const { body, query, item, response } = { ...entry?.older }
        return {
          versionIndex,
          index,
          description,
          entry,
          error: own ?? common?.steps.error,
          head: mergedHead(entry?.head, common?.head),
          older: { body, query, item, responses: olderResponses(response, olderError) },
        }
      })
    },
  }
}

export type OperationChanges = ReturnType<typeof changesByOperation>

/** Merges the head changes of an operation over those of all operations. */
function mergedHead(own: CompiledHead | undefined, all: CompiledHead | undefined): CompiledHead | undefined {
  if (own === undefined || all === undefined) return own ?? all
  return {
    status: new Map([...all.status, ...own.status]),
    headers: new Map([...all.headers, ...own.headers]),
  }
}

/** Returns the older responses that a change describes, by their older status. */
function olderResponses(response: OlderBodies['response'], error: OlderBodies['error']): ByStatus {
  const { default: others, ...errors } = Object.fromEntries(byStatus(error, 'default'))
  const ofErrors = others === undefined ? errors : { '4XX': others, '5XX': others, ...errors }
  return new Map([...Object.entries(ofErrors), ...byStatus(response, '2XX')])
}

/**
 * Finds the routes that names in changes mean. A name has as many namespaces as needed. Namespaces of versions never distinguish
 * routes. The meanings are those at the time when `versioning()` gets the table.
 */
export function routeNames(table: Iterable<string>, versions: readonly string[]) {
  const full = new Set(table)
  const known = new Set(versions)
  /** The full names that end in a name. */
  const ending = grouped([...full].flatMap((name) => tails(name).map((tail) => [tail, name] as const)))
  // The last part is the route's own.
  const versionAt = (name: string) =>
    partsOf(name)
      .slice(0, -1)
      .findIndex((part) => known.has(part))
  const withoutVersion = (name: string) => {
    const at = versionAt(name)
    return at === -1 ? name : partsOf(name).toSpliced(at, 1).join(':')
  }
  /** Lists the full names that a name fits. A full name always means its own route, whatever other names end in it. */
  const routesOf = (name: string): readonly string[] => {
    const routes = ending.get(name) ?? []
    return full.has(name) ? routes.filter((route) => withoutVersion(route) === withoutVersion(name)) : routes
  }
  /** Returns the meaning of a name. Names that were added later mean themselves. */
  const meaningOf = (name: string) => withoutVersion(routesOf(name)[0] ?? name)
  /** Returns the version among the namespaces of a full name. */
  const versionIn = (viewName: string): string | undefined => partsOf(viewName).slice(0, -1)[versionAt(viewName)]
  return {
    /** All names, with and without their namespaces. */
    all: [...ending.keys()],
    routesOf,
    versionIn,

    /** Returns the full name that a known name means in a version. If several differ by the version's namespace, the version's own counts. */
    routeIn(name: string, version: string): string {
      const routes = routesOf(name)
      const own = full.has(name) ? name : routes.find((route) => versionIn(route) === version)
      return own ?? (routes[0] as string)
    },

    /** Tells whether the routes of a name differ by more than the version's namespace. */
    isAmbiguous: (name: string) => new Set(routesOf(name).map(withoutVersion)).size > 1,

    /** Lists the names by which changes may name a route, the longest first. */
    keysOf(viewName: string): string[] {
      const meant = meaningOf(viewName)
      return tails(viewName).filter((tail) => meaningOf(tail) === meant)
    },

    /** Returns a full name in another version, if the table has it. */
    inVersion(viewName: string, version: string): string {
      const at = versionAt(viewName)
      const name = at === -1 ? viewName : partsOf(viewName).with(at, version).join(':')
      return full.has(name) ? name : viewName
    },
  }
}

export type RouteNames = ReturnType<typeof routeNames>

/** The presence of an operation in a version. */
export interface Presence {
  /** `true` if the version has the operation. */
  readonly present: boolean
  /** `true` if a later version adds the operation; `false` if it was removed. */
  readonly ahead: boolean
  /** The index of the version that adds or removed it; undefined if no change says so. */
  readonly since: number | undefined
}

/**
 * Tells whether a version has an operation. The last mark up to the version decides. Without one, the first mark after it does:
 * an operation that is removed later exists.
 */
export function presenceIn(
  changes: readonly Pick<AppliedChange, 'versionIndex' | 'entry'>[],
  version: number,
): Presence {
  const marked = changes.filter(({ entry }) => entry?.mark !== undefined)
  const last = marked.findLast(({ versionIndex }) => versionIndex <= version)
  const ahead = last === undefined && marked[0]?.entry?.mark === 'added'
  const since = (ahead ? marked[0] : last)?.versionIndex
  return { present: !ahead && last?.entry?.mark !== 'removed', ahead, since }
}
