// The warning about parts of an OpenAPI document that say too little.
import type { RouteRegistry } from '../../types'

/** The number of parts that the warning lists. */
const LISTED = 20

/** The tables that were warned of. Documents and pages bind the same table again. */
const warned = new WeakSet<RouteRegistry>()

/** Warns once of the bodies of a table in which nothing tells where shapes are. They are not converted. */
export function warnOfUndocumented(routes: RouteRegistry, isNeutral: (viewName: string) => boolean): void {
  const open = (routes.elsewhere()?.open ?? []).filter(
    ({ operation }) => operation === undefined || !isNeutral(operation.viewName),
  )
  if (open.length === 0 || warned.has(routes)) return
  warned.add(routes)
  const list = open.slice(0, LISTED).map(({ message }) => `- ${message}`)
  const rest = open.length > LISTED ? [`- and ${open.length - LISTED} more.`] : []
  process.emitWarning(
    `The document does not say what these parts hold, so no change converts them. A JSON response without a schema is 500 in older versions:\n${[...list, ...rest].join('\n')}`,
    { code: 'EXPRESS_VERSIONING_UNDOCUMENTED' },
  )
}
