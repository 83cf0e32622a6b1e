// The option `places` of tables: what schemas leave open, as the user tells it.
import { stepsOf } from '../../schemas/keywords'
import { isObject, type SchemaReading } from '../../schemas/model'
import { statusOf } from '../../schemas/responses'
import type { ToldPlace } from '../../types'
import type { Report } from '../../util/problems'
import { didYouMean, near } from '../../util/suggest'
import type { BranchSelector } from '../convert/visits'
import type { DescribedOperation, Descriptions } from './descriptions'

/** The meanings of places, by the schemas there. */
export interface PlaceMeanings {
  /** The schemas that are other things than the shapes that they look like. */
  readonly others: ReadonlySet<object>
  /** The functions that tell the branches of unions. */
  readonly branches: ReadonlyMap<object, BranchSelector>
}

/**
 * Reads the option.
 *
 * @param report gets the places that do not exist.
 */
export function readPlaces(places: readonly ToldPlace[], descriptions: Descriptions, report: Report): PlaceMeanings {
  const others = new Set<object>()
  const branches = new Map<object, BranchSelector>()
  for (const { place, meaning, schemas } of places) {
    const found = schemas?.length ? schemas : schemasAt(place, descriptions)
    if (typeof found === 'string') report(`option "places" has "${place}", but ${found}`)
    else if (schemas === undefined && typeof meaning === 'string')
      report(`option "places" has "${place}": give the schema its name in describe(), "$id": "${meaning}".`)
    else
      for (const schema of found) {
        if (meaning === null) others.add(schema)
        if (typeof meaning === 'function') branches.set(schema, meaning)
      }
  }
  return { others, branches }
}

/** Returns the schemas at a place in descriptions; a sentence if there are none. */
function schemasAt(place: string, { operations, tables }: Descriptions): readonly object[] | string {
  const hash = `${place}#`.indexOf('#')
  const [name, pointer] = [place.slice(0, hash), place.slice(hash + 1)]
  const shapes = [tables.input, tables.output].flatMap((table) => table.get(name) ?? [])
  const roots = [...operations.flatMap((operation) => partOf(operation, name)), ...shapes]
  if (roots.length === 0) {
    const known = [...tables.output.keys(), ...tables.input.keys(), ...operations.map((one) => one.name)]
    return `no description has it.${didYouMean(near(name, new Set(known)))} A place is the name of a schema, or an operation with a status, "body" or "query".`
  }
  const found = roots.flatMap((root) => inside(root, stepsOf(pointer)) ?? [])
  return found.length > 0 ? found : `there is no schema at "${pointer}".`
}

/** Returns the body, the query, the response or the items (`200 item`) that a place names. */
function partOf({ name, body, query, responses, items }: DescribedOperation, place: string): (SchemaReading | null)[] {
  if (!place.startsWith(`${name} `)) return []
  const part = place.slice(name.length + 1)
  if (part === 'body') return [body]
  if (part === 'query') return [query]
  const [, status = '', isItem] = /^(\S*)( item)?$/.exec(part) ?? []
  const bodies = isItem === undefined ? [...responses] : [...items.events, ...items.lines]
  return bodies.flatMap(([key, reading]) => (statusOf(key) === statusOf(status) ? [reading] : []))
}

function inside(root: SchemaReading | null, steps: readonly string[]): object | undefined {
  if (root === null) return undefined
  let found: unknown = root.schema
  for (const step of steps) {
    while (isObject(found) && typeof found.$ref === 'string' && !Object.hasOwn(found, step)) {
      found = root.definitions.get(found.$ref)
    }
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined
    found = (found as Record<string, unknown>)[step]
  }
  return isObject(found) ? found : undefined
}
