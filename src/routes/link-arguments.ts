import type { LinkArgs, LinkKwargs } from '../types'
import { shown } from '../util/options'

/** The values given for a route's parameters, `args` after `kwargs`; or the reason, as a clause, why they cannot be its. */
export function givenValues(
  names: readonly string[],
  args: LinkArgs | undefined,
  kwargs: LinkKwargs | undefined,
): Map<string, unknown> | string {
  const given = new Map<string, unknown>()
  for (const [name, value] of Object.entries(kwargs ?? {})) {
    if (value === undefined) continue
    if (!names.includes(name)) return `takes no "${name}"; ${taken(names)}`
    given.set(name, value)
  }
  if (args === undefined || args === null) return given
  if (!Array.isArray(args)) return `takes a list of args; got ${shown(args)}`
  const open = names.filter((name) => !given.has(name))
  if (args.length > open.length) return `takes ${open.length} args here, and got ${args.length}; ${taken(names)}`
  for (const [index, value] of args.entries()) given.set(open[index] as string, value)
  return given
}

function taken(names: readonly string[]): string {
  return names.length === 0 ? 'it has no parameters' : `it takes ${quoted(names)}`
}

/** Names as a message lists them. */
export function quoted(names: Iterable<string>): string {
  return [...names].map((name) => `"${name}"`).join(' and ')
}
