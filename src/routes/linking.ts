import type { LinkArgs, LinkFailure, LinkKwargs } from '../types'
import type { Params } from './pattern'
import { enter, fullPath, type Place, type Table } from './table'
import { Template } from './template'

/** The path of a name below the mount of `table`, or why there is none. */
export function linkTo(table: Table, viewName: string, args?: LinkArgs, kwargs?: LinkKwargs): string | LinkFailure {
  const place = table.places.get(viewName)
  if (place === undefined) return { viewName, reason: 'is not the name of a route', unknown: true }
  place.template ??= templateOf(place)
  return place.template.link(args, kwargs)
}

function templateOf(place: Place): Template {
  const tokens = [...place.mounts.flatMap(({ prefix }) => prefix.tokens), ...place.route.pattern.tokens]
  return new Template(place.name, fullPath(place), tokens, (path) => readBack(place, path))
}

/** The parameters that a request for a path arrives with at a place, by the same steps. */
function readBack({ mounts, route }: Place, path: string): Params | undefined {
  const params: Params = Object.create(null)
  let rest = path
  for (const mount of mounts) {
    const entered = enter(mount, rest)
    if (entered === undefined) return undefined
    Object.assign(params, entered.params)
    rest = entered.rest
  }
  const found = route.pattern.match(rest)
  return found === false ? undefined : Object.assign(params, found.params)
}
