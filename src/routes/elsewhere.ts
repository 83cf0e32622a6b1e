// The facts of tables whose handlers may be outside of them: in plain routers, other frameworks, another service.
import type { ElsewhereFacts, GivenDocument, OpenPart, ToldPlace } from '../registry'
import { joinPaths, type Table } from './table'

/** A table, and the way to it from another one. */
interface Reached {
  readonly table: Table
  readonly prefix: string
  readonly namespaces: readonly string[]
}

/** Lists a table and all that it includes. */
function reached(table: Table, prefix = '', namespaces: readonly string[] = []): Reached[] {
  const inner = table.mounts.flatMap((mount) => {
    if (mount.table === undefined) return []
    const below = mount.namespace === undefined ? namespaces : [...namespaces, mount.namespace]
    return reached(mount.table, joinPaths(prefix, joinPaths(mount.prefix.source, '')), below)
  })
  return [{ table, prefix, namespaces }, ...inner]
}

/** Returns the facts of a table whose handlers may be elsewhere, or that includes such tables; else undefined. */
export function factsElsewhere(table: Table): ElsewhereFacts | undefined {
  const found = reached(table).filter(({ table: { settings } }) => settings.elsewhere !== undefined)
  if (found.length === 0) return undefined
  const passes = found.every(({ table: { settings } }) => settings.elsewhere === 'pass')
  return {
    undocumented: passes ? 'pass' : 'reject',
    documents: found.flatMap(documentIn),
    open: found.flatMap(openIn),
  }
}

function documentIn({ table, prefix, namespaces }: Reached): GivenDocument[] {
  if (table.settings.document === undefined) return []
  const { document, isOfNest, today, removable, schemas } = table.settings.document
  return [{ document, isOfNest, today, removable, schemas, prefix, namespaces }]
}

function openIn({ table, namespaces }: Reached): OpenPart[] {
  return (table.settings.document?.open ?? []).map(({ operation, ...part }) => {
    if (operation === undefined) return part
    const { method, viewName } = operation
    return { ...part, operation: { method, viewName: [...namespaces, viewName].join(':') } }
  })
}

/** Lists the meanings of places that schemas leave open, of a table and all that it includes. */
export function toldPlaces(table: Table): ToldPlace[] {
  return reached(table).flatMap(({ table: { settings }, namespaces }) =>
    [...settings.places].map(([place, meaning]) => {
      const schemas = settings.document?.schemasAt(place)
      return { place: seenFrom(place, namespaces), meaning, ...(schemas === undefined ? {} : { schemas }) }
    }),
  )
}

/** Returns a place as an including table writes it: with the namespaces of its operation. */
function seenFrom(place: string, namespaces: readonly string[]): string {
  const [, method, rest] = /^([A-Z]+) (.*)$/s.exec(place) ?? []
  return method === undefined ? place : `${method} ${[...namespaces, rest].join(':')}`
}
