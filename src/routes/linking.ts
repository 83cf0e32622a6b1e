// Builds the paths of named routes.
import type { LinkArgs, LinkFailure, LinkKwargs } from '../types'
import { alternativesOf, type Params } from './pattern'
import { fullPath, type Place, type Table } from './table'
import type { Template } from './template'
import { below, joined, match } from './walk'

/** Returns the path of a name below the mount of `table`, or the failure. */
export function linkTo(table: Table, viewName: string, args?: LinkArgs, kwargs?: LinkKwargs): string | LinkFailure {
  const place = table.places.get(viewName)
  return place === undefined ? unknown(viewName) : templateOf(place).link(args, kwargs)
}

function unknown(viewName: string): LinkFailure {
  return { viewName, reason: 'is not the name of a route', unknown: true }
}

/** Tells whether a table has a name whose path has a parameter. */
export function takes(table: Table, viewName: string, parameter: string): boolean {
  const place = table.places.get(viewName)
  return place !== undefined && templateOf(place).names.includes(parameter)
}

/** Returns the template of a place. It is compiled for the first link. */
function templateOf(place: Place): Template {
  place.template ??= compiled(place)
  return place.template
}

function compiled(place: Place): Template {
  const tokens = [...place.mounts.flatMap(({ prefix }) => prefix.tokens), ...place.route.pattern.tokens]
  // The readings of a prefix are sorted by length, not by alternative.
  const ordered = place.mounts.every(({ prefix }) => alternativesOf(prefix.tokens).length <= 2)
  // The first link loads this code.
  const { Template }: typeof import('./template') = require('./template')
  return new Template(place.name, fullPath(place), tokens, (path) => readBack(place, path), ordered)
}

/**
 * Returns the parameters with which a request for a path arrives at a place. As in dispatch, the longest reading of a
 * prefix wins that leaves a path of this route.
 */
function readBack(place: Place, path: string, from = 0): Params | undefined {
  const mount = place.mounts[from]
  if (mount === undefined) {
    const found = match(place.route.pattern, path)
    return found === false ? undefined : found.params
  }
  for (const reading of mount.prefix.readings) {
    const found = match(reading, path)
    const inner = found === false ? undefined : readBack(place, below(path, found), from + 1)
    if (found !== false && inner !== undefined) return joined(found.params, inner)
  }
  return undefined
}
