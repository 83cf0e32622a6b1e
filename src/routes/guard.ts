import { isPreflight } from '../http/preflight'
import { judge, type Mismatch } from '../request/judge'
import type { RequestState } from '../request/state'
import type { ResolverMatch } from '../types'
import { isEmpty } from './as-router'
import { watches } from './param-callbacks'
import type { Found, Position } from './position'
import { type Entry, handles, type Table } from './table'
import { below, described, matchFrom, Rank, START, search, wayBelow } from './walk'

// What the rest of dispatch asks before it runs anything: whether that is what was decided.

type Verdict = ReturnType<typeof judge>

/** Compares where the app has mounted a table with what was decided, as it is done for the mounts of tables. */
export function compareTable(position: Position): Verdict {
  const { state, req, table, from } = position
  if (state.config?.readsRoute !== true || state.root?.table === from || !position.locate()) return undefined
  if (isDecided(state) && position.step() !== undefined) return undefined
  const way = position.way()
  if (way === START || isPreflight(req)) return undefined
  const step = search(table, position.path, req.method)
  const match = step === undefined ? described(way, null) : matchFrom(way, step)
  return judge(state, req, match, position.baseUrl + position.path)
}

/** Compares the entry that a request is about to reach with what was decided, unless this is what decided. */
export function compareEntry(position: Position, entry: Entry, found: Found): Verdict {
  const { state, req } = position
  if (state.config?.readsRoute !== true) return undefined
  if (isDecided(state) && position.stepAt(entry) !== undefined) return undefined
  // The browser asks it without what the real request names.
  if (isPreflight(req)) return undefined
  const match = matchAt(position, entry, found)
  return match === undefined ? undefined : judge(state, req, match, position.baseUrl + position.path)
}

/** Whether the walk, and it alone, says of the request what was decided, or the route has no say in it. */
export function isDecided({ config, decision }: RequestState): boolean {
  return config?.readsRoute !== true || (decision.fromWalk && decision.version !== undefined)
}

/** Whether a request may go on to an entry all the same. */
export function mayEnter({ table }: Position, entry: Entry, { params }: Found, mismatch: Mismatch): boolean {
  if (mismatch.other) return false
  // What is no version may be anything; what names one in there, or by a longer path, is compared itself.
  return entry.kind === 'middleware' || (entry.kind === 'mount' && entry.table !== undefined && !watches(table, params))
}

/** What a request finds at an entry, as a match; `undefined` for an entry that adds nothing that could name a version. */
export function matchAt(position: Position, entry: Entry, found: Found): ResolverMatch | undefined {
  const way = position.way()
  if (entry.kind === 'route') return described(way, entry, found.params)
  if (entry.kind === 'middleware') return isEmpty(found.params) ? undefined : described(way, null, found.params)
  const beyond = wayBelow(way, entry, found)
  if (entry.table === undefined) return beyond === START ? undefined : described(beyond, null)
  if (beyond === way) return undefined
  const step = search(entry.table, below(position.path, found), position.req.method)
  return step === undefined ? described(beyond, null) : matchFrom(beyond, step)
}

/** Whether an entry has a handler for the request; of a router that is no table nobody knows. */
export function serves({ path, req }: Position, entry: Entry, found: Found): boolean {
  if (entry.kind === 'route') return handles(entry.route, req.method)
  if (entry.kind === 'middleware' || entry.table === undefined) return true
  return hasRoute(entry.table, below(path, found), req.method)
}

/** Whether a table has a route for a path and method, itself or in what it includes. */
export function hasRoute(table: Table, path: string, method: string): boolean {
  return search(table, path, method)?.rank === Rank.route
}
