// The option `places`: which schemas of a document its keys name.

import type { Located } from '../../schemas/addresses'
import { isSameSchema } from '../../schemas/differences'
import { referenceIn } from '../../schemas/keywords'
import { isObject, type JsonSchema } from '../../schemas/model'
import { below, stepsOf } from '../../schemas/pointers'
import type { PlaceMeaning } from '../../types'
import { didYouMean, near } from '../../util/suggest'
import { isWrapped } from '../words-of-3-0'
import { contentOf } from './described-operations'
import type { JsonObject, References } from './document-copy'
import type { GivenMedia, GivenOperation } from './document-operations'
import type { Told } from './document-schemas'
import type { Findings } from './findings'

/** Finds the schemas that places name. */
export class PlacesInDocument {
  readonly #components: readonly string[]
  /** The schemas of operations, by their places. */
  readonly #operations = new Map<string, readonly Located<unknown>[]>()
  /** The keys of schemas of operations, by pointer; undefined until a message needs them. */
  #keys: ReadonlyMap<string, string> | undefined
  /** The operations whose query a place may be in. */
  readonly #queries = new Map<string, GivenOperation>()

  constructor(
    private readonly references: References,
    operations: ReadonlyMap<string, readonly GivenOperation[]>,
  ) {
    const components = references.at('/components/schemas')
    this.#components = Object.keys(isObject(components) ? components : {})
    for (const [name, methods] of operations) {
      for (const operation of methods) {
        const key = `${operation.method} ${name}`
        const add = (part: string, contents: GivenOperation['body'], isItem = false) => {
          const media = (contents?.schemas ?? []).filter((one) => one.isItem === isItem)
          const schemas = media.flatMap((one) => one.schema ?? [])
          if (schemas.length === 0) return
          // The nearest key comes first.
          for (const [type, same] of differing(media)) this.#operations.set(`${key} ${part} ${type}`, same)
          this.#operations.set(`${key} ${part}`, schemas)
        }
        add('body', operation.body)
        for (const [status, response] of operation.responses) {
          add(status, response)
          add(`${status} item`, response, true)
        }
        if (operation.query.length > 0) this.#queries.set(`${key} query`, operation)
      }
    }
  }

  /**
   * Returns the meanings by the pointer of the schema in the document; those of whole queries, by their place.
   *
   * @param findings gets the places that do not exist, and the meanings that do not fit.
   */
  meanings(places: ReadonlyMap<string, PlaceMeaning>, findings: Findings): Map<string, Told> {
    const found = new Map<string, Told>()
    for (const [place, meaning] of places) {
      const where = `places: ${place}`
      const isQuery = this.#queries.has(place)
      if (!isQuery && this.#isOfOlderVersion(place)) continue
      const schemas = isQuery ? [] : this.#schemasAt(place)
      if (typeof schemas === 'string') {
        findings.add(where, schemas)
        continue
      }
      if (typeof meaning === 'string' && !this.#components.includes(meaning)) {
        findings.add(where, `no component has the name "${meaning}".${didYouMean(near(meaning, this.#components))}`)
        continue
      }
      if (isQuery) found.set(place, { place, meaning, isAlone: true })
      // Several media types of a response are a union, which is made later.
      if (typeof meaning === 'function' && schemas.length > 1) continue
      for (const { value, pointer } of schemas) {
        if (typeof meaning === 'function' && !isUnion(value)) {
          findings.add(
            where,
            'a function tells the branches of "oneOf" or "anyOf", which the schema there does not have.',
          )
        } else found.set(pointer, { place, meaning, isAlone: schemas.length === 1 })
      }
    }
    return found
  }

  /** Tells whether a place has a version in front. The history knows whether that has it. */
  #isOfOlderVersion(place: string): boolean {
    const [name] = place.split('#', 1) as [string]
    const rest = name.slice(name.indexOf(' ') + 1)
    return rest !== name && !this.#isPlace(name) && this.#isPlace(rest)
  }

  #isPlace(name: string): boolean {
    return this.#components.includes(name) || this.#operations.has(name) || this.#queries.has(name)
  }

  /** Returns the key of the option for a pointer of the document; undefined for a pointer that no key names. */
  keyOf(pointer: string): string | undefined {
    this.#keys ??= this.#allKeys()
    const components = '/components/schemas/'
    if (pointer.startsWith(components)) {
      const [name, ...steps] = stepsOf(pointer).slice(2) as [string, ...string[]]
      return keyOf(name, steps)
    }
    for (let end = pointer.length; end > 0; end = pointer.lastIndexOf('/', end - 1)) {
      const key = this.#keys.get(pointer.slice(0, end))
      if (key !== undefined) return keyOf(key, stepsOf(pointer.slice(end)))
    }
    return undefined
  }

  /** Lists the keys of the schemas of operations, by pointer. The first operation with a shared schema counts. */
  #allKeys(): ReadonlyMap<string, string> {
    const keys = new Map<string, string>()
    for (const [key, schemas] of this.#operations) {
      for (const { pointer } of schemas) if (!keys.has(pointer)) keys.set(pointer, key)
    }
    for (const [key, { query }] of this.#queries) {
      for (const { value, pointer } of query) {
        const place = schemaOf({ value, pointer }).pointer
        if (!keys.has(place)) keys.set(place, keyOf(key, ['properties', String(value.name)]))
      }
    }
    return keys
  }

  /** Returns the schemas at a place, or a sentence if there are none. */
  #schemasAt(place: string): readonly Located<unknown>[] | string {
    const hash = `${place}#`.indexOf('#')
    const [name, pointer] = [place.slice(0, hash), place.slice(hash + 1)]
    if (pointer !== '' && !pointer.startsWith('/')) return `behind "#" stands a JSON pointer, which begins with "/".`
    if (this.#queries.has(name)) return this.#inQuery(this.#queries.get(name) as GivenOperation, pointer)
    const roots = this.#rootsOf(name)
    if (roots === undefined) {
      const known = name.includes(' ') ? [...this.#operations.keys(), ...this.#queries.keys()] : this.#components
      return `the document has no such place.${didYouMean(near(name, known))} A place is the name of a component, or an operation with a status, "body" or "query": 'GET /users/{id} 200#/properties/labels/items'.`
    }
    const found = roots.map((root) => this.#inside(root, pointer))
    const there = found.filter((one) => typeof one !== 'string')
    return there.length > 0 ? there : (found[0] as string)
  }

  #rootsOf(name: string): readonly Located<unknown>[] | undefined {
    const own = this.#operations.get(name)
    if (own !== undefined) return own
    if (!this.#components.includes(name)) return undefined
    const pointer = below('/components/schemas', name)
    return [{ value: this.references.at(pointer), pointer }]
  }

  /** Returns the schema of a query parameter, or in it. */
  #inQuery({ query }: GivenOperation, pointer: string): readonly Located<unknown>[] | string {
    const [keyword, name, ...inner] = stepsOf(pointer)
    const names = query.map(({ value }) => String(value.name))
    const parameter = query.find(({ value }) => value.name === name)
    const root = parameter && schemaOf(parameter)
    if (keyword !== 'properties' || root?.value === undefined)
      return `the query has no such parameter.${didYouMean(near(name ?? '', names))} Write "#/properties/<name>".`
    const found = this.#inside(root, below('', ...inner))
    return typeof found === 'string' ? found : [found]
  }

  #inside(root: Located<unknown>, pointer: string): Located<unknown> | string {
    let found = root
    let steps = stepsOf(pointer)
    while (steps.length > 0) {
      const { value } = found
      // Messages name the places in schemas as they are read.
      if (isWrapped(value) && steps[0] === 'anyOf' && steps[1] === '0') steps = steps.slice(2)
      const [step, ...others] = steps
      if (step === undefined) break
      // There, the data of events is parsed.
      if (isObject(value) && !Object.hasOwn(value, step) && isObject(value.contentSchema)) {
        found = { value: value.contentSchema, pointer: below(found.pointer, 'contentSchema') }
        continue
      }
      const reference = isObject(value) ? referenceIn(value) : undefined
      if (reference !== undefined && !Object.hasOwn(value as object, step)) {
        return `there is a reference to "${reference}" on the way. Write the place in that component.`
      }
      const inner = typeof value === 'object' && value !== null ? (value as JsonObject) : {}
      if (!Object.hasOwn(inner, step)) {
        return `there is no "${step}" on the way.${didYouMean(near(step, Object.keys(inner)))}`
      }
      found = { value: inner[step], pointer: below(found.pointer, step) }
      steps = others
    }
    return isObject(found.value) ? found : 'there is no schema that is an object.'
  }
}

/** Lists the different schemas of a body's media types, each with the first of its media types; none if all are equal. */
function differing(media: readonly GivenMedia[]): [type: string, schemas: Located<unknown>[]][] {
  const found: [string, Located<unknown>[]][] = []
  const read = ({ value }: Located<unknown>) => ({ schema: Object(value) as JsonSchema, definitions: new Map() })
  for (const { type, schema } of media) {
    if (schema === undefined) continue
    const same = found.find(([, [first]]) => first !== undefined && isSameSchema(read(first), read(schema)))
    if (same === undefined) found.push([type, [schema]])
    else same[1].push(schema)
  }
  return found.length > 1 ? found : []
}

/** Returns the schema of a query parameter. */
function schemaOf({ value, pointer }: Located): Located<unknown> {
  return contentOf({ value, pointer }) ?? { value: value.schema, pointer: below(pointer, 'schema') }
}

/** Writes a key, which may have a JSON pointer already. */
function keyOf(place: string, steps: readonly string[]): string {
  if (steps.length === 0) return place
  return `${place}${place.includes('#') ? '' : '#'}${below('', ...steps)}`
}

function isUnion(value: unknown): boolean {
  return isObject(value) && (Array.isArray(value.oneOf) || Array.isArray(value.anyOf))
}
