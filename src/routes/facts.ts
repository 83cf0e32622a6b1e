// Describes the routes of a table for documents.
import type { PathPart, RouteFacts } from '../types'
import { descriptionIn } from './description'
import { alternativesOf } from './segments'
import { fullPath, methodsOf, type Place, type Table } from './table'

/** Returns the facts of all names seen from a table, in the order of their declaration. */
export function factsOf(table: Table): readonly RouteFacts[] {
  return [...table.places.values()].map((place) => ({
    viewName: place.name,
    pattern: fullPath(place),
    methods: methodsOf(place.route.route),
    paths: pathsOf(place),
    describedAs: (method) => descriptionIn(table, place, method),
  }))
}

/** Returns a number that grows with each name, handler and description seen from a table. */
export function revisionOf(table: Table): number {
  let revision = table.descriptionsMade + table.routes.size
  for (const { route } of table.routes.values()) revision += route?.stack.length ?? 0
  for (const mount of table.mounts) revision += 1 + (mount.table === undefined ? 0 : revisionOf(mount.table))
  return revision
}

function pathsOf({ mounts, route }: Place): PathPart[][] {
  const tokens = [...mounts.flatMap(({ prefix }) => prefix.tokens), ...route.pattern.tokens]
  return alternativesOf(tokens).map((alternative) => {
    const parts: PathPart[] = []
    for (const token of alternative) {
      if (token.type !== 'text') parts.push({ name: token.name, wildcard: token.type === 'wildcard' })
      else if (typeof parts.at(-1) === 'string') parts.push(`${parts.pop()}${token.value}`)
      else parts.push(token.value)
    }
    return parts.length === 0 ? ['/'] : parts
  })
}
