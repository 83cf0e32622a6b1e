import { fullPath, type RouterRoute, type Table } from './table'

/** One named route, as `table.list()` describes it. */
export interface ListedRoute {
  /** With namespaces. */
  name: string
  /** The full pattern, prefixes included. */
  path: string
  /** Names of the parameters, those of the prefixes first. */
  params: string[]
  /** The methods that have handlers, in upper case; `ALL` for those of `.all()`. */
  methods: string[]
}

/** All names of a table, in the order of their declaration. */
export function listed(table: Table): ListedRoute[] {
  return [...table.places.values()].map((place) => ({
    name: place.name,
    path: fullPath(place),
    params: [...place.mounts.flatMap(({ prefix }) => prefix.params), ...place.route.pattern.params],
    methods: methodsOf(place.route.route),
  }))
}

function methodsOf(route: RouterRoute | undefined): string[] {
  const layers = route?.stack ?? []
  return [...new Set(layers.map(({ method }) => (method ?? 'all').toUpperCase()))]
}
