import type { ResolverMatch } from '../types'
import { includes } from './names'
import { NO_PARAMS, type Params } from './pattern'
import { enter, joinPaths, type Table } from './table'

/** The mounts that were passed on the way down to a table. */
interface Way {
  readonly namespaces: readonly string[]
  readonly params: Params
}

// frozen, because a match without namespaces hands it out
const START: Way = { namespaces: Object.freeze([]), params: NO_PARAMS }

/**
 * What a path belongs to: the first route that matches it whole, in the order in which a request would find it; else the
 * first mount that it is below, and within it the deepest.
 */
export function resolve(table: Table, path: string): ResolverMatch | null {
  return resolveFrom(table, path, START) ?? null
}

function resolveFrom(table: Table, path: string, way: Way): ResolverMatch | undefined {
  let partial: ResolverMatch | undefined
  for (const entry of table.index.find(path)) {
    if (entry.kind === 'route') {
      const found = entry.pattern.match(path)
      if (found !== false) return described(entry.name, way.namespaces, together(way.params, found.params))
    } else if (entry.kind === 'mount') {
      const entered = enter(entry, path)
      if (entered === undefined) continue
      const { namespace, prefix, table: child } = entry
      const namespaces = namespace === undefined ? way.namespaces : [...way.namespaces, namespace]
      const params = prefix.params.length === 0 ? way.params : together(way.params, entered.params)
      const inner = child === undefined ? undefined : resolveFrom(child, entered.rest, { namespaces, params })
      if (inner !== undefined && inner.viewName !== null) return inner
      // what is included at '/' without a namespace says nothing about the path
      partial ??=
        inner ?? (namespace === undefined && prefix.path === '/' ? undefined : described(null, namespaces, params))
    }
  }
  return partial
}

function described(name: string | null, namespaces: readonly string[], params: Params): ResolverMatch {
  const namespace = namespaces.length === 1 ? (namespaces[0] as string) : namespaces.join(':')
  const viewName = name === null || namespace === '' ? name : `${namespace}:${name}`
  // A copy with a prototype, as users expect of params; `__proto__` stays a name like any other in it.
  return { viewName, namespaces, namespace, params: { ...params } }
}

function together(outer: Params, inner: Params): Params {
  if (outer === NO_PARAMS) return inner
  return Object.assign(Object.create(null), outer, inner)
}

/** Whether `target` is entered when `path` follows the mount of `table`; `null` when it is not in `table` at all. */
export function reaches(table: Table, target: Table, path: string): boolean | null {
  if (!includes(table, target)) return null
  if (table === target) return path === '' || path === '/'
  return table.mounts.some(({ prefix, table: child }) => {
    const found = prefix.reach(path)
    return child !== undefined && found !== false && reaches(child, target, path.slice(found.path.length)) === true
  })
}

/** Where `target` stands below `table`, as patterns. */
export function placesOf(table: Table, target: Table): string[] {
  if (table === target) return ['/']
  return table.mounts.flatMap(({ prefix, table: child }) => {
    if (child === undefined) return []
    return placesOf(child, target).map((place) => (place === '/' ? prefix.source : joinPaths(prefix.source, place)))
  })
}
