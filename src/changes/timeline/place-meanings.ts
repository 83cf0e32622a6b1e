// The option `places`: what it tells of schemas, and the keys by which messages ask for more.

import type { RouteRegistry } from '../../registry'
import { chainOf, resolveOwn } from '../../schemas/graph'
import { eachSchema } from '../../schemas/keywords'
import type { SchemaLocation } from '../../schemas/location'
import { isObject, type JsonSchema, type SchemaReading } from '../../schemas/model'
import { stepsOf } from '../../schemas/pointers'
import type { NamedSchemas } from '../../schemas/reach'
import { statusNumber } from '../../schemas/responses'
import type { Report } from '../../util/problems'
import { didYouMean, near } from '../../util/suggest'
import type { BranchSelector } from '../convert/visits'
import type { DescribedBodies, Descriptions } from './descriptions'

/** The meanings of places, by the schemas there. */
export interface PlaceMeanings {
  /** The schemas that are other things than the shapes that they look like. */
  readonly others: ReadonlySet<object>
  /** The functions that tell the branches of unions. */
  readonly branches: ReadonlyMap<object, BranchSelector>
}

/**
 * Returns the key of the option `places` for a schema.
 *
 * @param olderVersion the version that has the schema, if the newest one may lack it.
 */
export type PlaceKey = (schema: JsonSchema, place: SchemaLocation, olderVersion?: string) => string

/** Returns the key of a schema that no description has. */
export const keyOfOlder: PlaceKey = (_schema, { place, path }, olderVersion) =>
  `${olderVersion === undefined ? '' : `${olderVersion} `}${place}${path === '' ? '' : `#${path}`}`

/** The schemas of an older version that changes have written themselves. */
export interface OlderSchemas {
  readonly version: string
  /** The definitions, in each direction and after each change. */
  readonly tables: readonly NamedSchemas[]
  /** The bodies of operations. */
  readonly bodies: readonly DescribedBodies[]
}

/** The places of a table's schemas. */
export class Places {
  /** The keys of schemas in descriptions. */
  #keys: ReadonlyMap<object, string> | undefined

  constructor(
    private readonly routes: RouteRegistry,
    private readonly descriptions: Descriptions,
  ) {}

  /** A place is a pointer of the document as it was given, or of the description; else one of an older version. */
  readonly keyOf: PlaceKey = (schema, place, olderVersion) => {
    for (const { schemas } of this.routes.elsewhere()?.documents ?? []) {
      const key = schemas.placeOf(schema)
      if (key !== undefined) return key
    }
    this.#keys ??= keysIn(this.descriptions)
    return this.#keys.get(schema) ?? keyOfOlder(schema, place, olderVersion)
  }

  /**
   * Reads the option.
   *
   * @param report gets the places that do not exist.
   */
  meanings(older: readonly OlderSchemas[], report: Report): PlaceMeanings {
    const others = new Set<object>()
    const branches = new Map<object, BranchSelector>()
    for (const { place, meaning, schemas } of this.routes.toldPlaces()) {
      const found = schemas?.length ? schemas : this.#schemasAt(place, older)
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

  /** Returns the schemas at a place; a sentence if there are none. */
  #schemasAt(place: string, older: readonly OlderSchemas[]): readonly object[] | string {
    const hash = `${place}#`.indexOf('#')
    const [name, pointer] = [place.slice(0, hash), place.slice(hash + 1)]
    const { operations, tables } = this.descriptions
    const described = rootsOf(name, operations, [tables.input, tables.output])
    const version = older.find((one) => name.startsWith(`${one.version} `))
    const inVersion = version && rootsOf(name.slice(version.version.length + 1), version.bodies, version.tables)
    const roots = described.length > 0 ? described : (inVersion ?? [])
    if (roots.length === 0) {
      const known = [...tables.output.keys(), ...tables.input.keys(), ...operations.map((one) => one.name)]
      return `no description has it.${didYouMean(near(name, new Set(known)))} A place is the name of a schema, or an operation with a status, "body" or "query"; for a schema that a change has written, with the version in front.`
    }
    const found = roots.flatMap((root) => inside(root, stepsOf(pointer)) ?? [])
    return found.length > 0 ? [...new Set(found)] : `there is no schema at "${pointer}".`
  }
}

type Root = SchemaReading | null

function rootsOf(name: string, bodies: readonly DescribedBodies[], tables: readonly NamedSchemas[]): Root[] {
  return [...bodies.flatMap((one) => partOf(one, name)), ...tables.flatMap((table) => table.get(name) ?? [])]
}

/** Returns the body, the query, the response or the items (`200 item`) that a place names. */
function partOf({ name, body, query, responses, items }: DescribedBodies, place: string): Root[] {
  if (!place.startsWith(`${name} `)) return []
  const part = place.slice(name.length + 1)
  if (part === 'body') return [body]
  if (part === 'query') return [query]
  const [, status = '', isItem] = /^(\S*)( item)?$/.exec(part) ?? []
  const bodies = isItem === undefined ? [...responses] : [...items.events, ...items.lines]
  return bodies.flatMap(([key, reading]) => (statusNumber(key) === statusNumber(status) ? [reading] : []))
}

function inside(root: Root, steps: readonly string[]): object | undefined {
  if (root === null) return undefined
  let found: unknown = root.schema
  for (const step of steps) {
    const chain = isObject(found) ? chainOf({ ...root, schema: found }, resolveOwn) : []
    found = chain.find(({ schema }) => Object.hasOwn(schema, step))?.schema ?? found
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined
    found = (found as Record<string, unknown>)[step]
  }
  return isObject(found) ? found : undefined
}

/** Lists the keys of all schemas in descriptions. The first place of a schema counts. */
function keysIn({ operations, tables }: Descriptions): ReadonlyMap<object, string> {
  const keys = new Map<object, string>()
  const add = (schema: unknown, place: SchemaLocation): void => {
    if (!isObject(schema) || keys.has(schema)) return
    keys.set(schema, keyOfOlder(schema, place))
    eachSchema(schema, (inner, path) => add(inner, { ...place, path: place.path + path }))
  }
  const root = (reading: Root | undefined, place: string) => add(reading?.schema, { root: '', place, path: '' })
  for (const { name, body, query, responses, items } of operations) {
    root(body, `${name} body`)
    root(query, `${name} query`)
    for (const [status, reading] of responses) root(reading, `${name} ${status}`)
    for (const all of [items.events, items.lines]) {
      for (const [status, reading] of all) root(reading, `${name} ${status} item`)
    }
  }
  for (const table of [tables.input, tables.output]) for (const [name, reading] of table) root(reading, name)
  return keys
}
