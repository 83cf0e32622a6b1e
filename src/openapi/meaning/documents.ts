// The comparison of two documents of a version by their meaning.

import { isDeepStrictEqual } from 'node:util'
import { first } from '../../schemas/differences'
import { isObject, type JsonSchema } from '../../schemas/model'
import { escaped } from '../../schemas/pointers'
import { GONE } from '../document'
import { withItemSchemas } from '../item-words'
import { CARRIER_WORDS } from '../operation'
import { PROBLEM, PROBLEM_TYPE } from '../responses'
import { DocumentPlace, orderedSet, resolved, SchemaClasses, SETS, type Side, WORDS } from './schemas'

/**
 * Lists the operations, shapes and other parts in which two documents of a version differ.
 *
 * Only differences in meaning count. References are followed, so a schema may get a name. The order of lists does not matter where
 * they are sets. Texts for people, examples and dates do not count, nor does what a newer version brings to older ones: a version
 * that is no longer the default, and the rejection of bodies that do not fit. In the document of a version that is gone, only
 * the operations count that are still served.
 *
 * @param before the document as committed: any value.
 */
export function differencesOf(before: unknown, now: unknown): string[] {
  const [old, young] = [documentOf(before), documentOf(now)]
  const [was, is] = [partsOf(old), partsOf(young)]
  const comparison = new Comparison(old, young)
  const parts =
    GONE in young ? [...is.keys()].filter((part) => !isRejection(is.get(part))) : [...was.keys(), ...is.keys()]
  const lines = [...new Set(parts)].flatMap((part) => {
    if (part === GONE) return []
    if (!is.has(part)) return `${part} was removed`
    if (!was.has(part)) return `${part} is new`
    return changeOf(part, comparison.between(was.get(part), is.get(part), part))
  })
  const shapes = [...comparison.shapes()].flatMap(([name, at]) => changeOf(name, at))
  return [...new Set([...lines, ...shapes])]
}

/** Returns a document with the items of streams as fields, which documents of OpenAPI 3.1 have in words. */
function documentOf(given: unknown): JsonSchema {
  const document = objectOf(given)
  return 'paths' in document ? { ...document, paths: withItemSchemas(document.paths) } : document
}

function changeOf(part: string, at: string | undefined): string[] {
  return at === undefined ? [] : [`${part} has changed${at === '' ? '' : ` at ${at}`}`]
}

/**
 * Splits a document into parts: operations as `GET /users`, webhooks as `webhook POST told`, security schemes, and its other
 * properties but texts. Other components are no parts: they count where references lead to them.
 */
function partsOf(document: JsonSchema): Map<string, unknown> {
  const { paths: _paths, webhooks, components, info: _info, tags: _tags, externalDocs: _docs, ...rest } = document
  const told = operationsIn(webhooks, document).map(([name, one]): [string, unknown] => [WEBHOOK + name, one])
  const schemes = propertiesOf(objectOf(components).securitySchemes).map(([name, one]): [string, unknown] => [
    `securitySchemes ${name}`,
    one,
  ])
  return new Map([...operationsOf(document), ...told, ...schemes, ...Object.entries(rest)])
}

/** The start of the names of webhooks. */
const WEBHOOK = 'webhook '

function operationsOf(document: JsonSchema): [string, unknown][] {
  return operationsIn(document.paths, document)
}

/** Lists the operations of path items by name, each with the parameters of its path. */
function operationsIn(items: unknown, document: JsonSchema): [string, unknown][] {
  return propertiesOf(items).flatMap(([path, item]) => {
    const { parameters, additionalOperations, ...own } = objectOf(target(item, document))
    return [...propertiesOf(own), ...propertiesOf(additionalOperations)]
      .filter(([key]) => !WORDS.has(key))
      .map(([method, one]): [string, unknown] => {
        // The last parameter of a place and name counts.
        const all = Array.isArray(parameters) && isObject(one) ? [...parameters, ...[one.parameters ?? []].flat()] : []
        return [`${method.toUpperCase()} ${path}`, all.length === 0 ? one : { ...(one as JsonSchema), parameters: all }]
      })
  })
}

/** Follows a reference that is no schema's: what stands beside it does not count. */
function target(value: unknown, document: JsonSchema): unknown {
  return resolved(isObject(value) && typeof value.$ref === 'string' ? { $ref: value.$ref } : value, document)
}

function objectOf(value: unknown): JsonSchema {
  return isObject(value) ? value : {}
}

function propertiesOf(value: unknown): [string, unknown][] {
  return Object.entries(objectOf(value))
}

/** Tells whether an operation gets 410 alone. */
function isRejection(operation: unknown): boolean {
  return Object.keys(objectOf(objectOf(operation).responses)).join() === '410'
}

/** The properties of an OpenAPI object that hold objects by names, or lists of such objects. */
const BY_NAME = new Set(
  'content responses headers links callbacks encoding variables scopes parameters security'.split(' '),
)

const OTHER_SIDE = { request: 'response', response: 'request' } as const

/** A comparison of two documents. */
class Comparison {
  readonly #old: JsonSchema
  readonly #young: JsonSchema
  readonly #classes: Readonly<Record<Side, SchemaClasses>>
  /** The names that differ, and stand at one place in both documents. They are parts of their own. */
  readonly #names: Readonly<Record<Side, Set<string>>> = { request: new Set(), response: new Set() }
  /** The parameters that carry the version. */
  readonly #carriers: ReadonlySet<string>

  constructor(old: JsonSchema, young: JsonSchema) {
    this.#old = old
    this.#young = young
    this.#carriers = carriersIn(young)
    const classesOf = (side: Side) => new SchemaClasses(side, [old, young])
    this.#classes = { request: classesOf('request'), response: classesOf('response') }
  }

  /** Returns where two parts of the documents differ, as a JSON pointer without escapes; `undefined` for equal ones. */
  between(one: unknown, other: unknown, part: string): string | undefined {
    // The server sends the body of a webhook.
    return this.#objects(one, other, '', BY_NAME.has(part), part.startsWith(WEBHOOK) ? 'response' : 'request')
  }

  /** Lists the schemas of one name that differ, each with the place of its difference. */
  *shapes(): Iterable<[name: string, at: string | undefined]> {
    for (const side of ['request', 'response'] as const) {
      // The loop also visits the names that it adds.
      for (const name of this.#names[side]) {
        const $ref = `#/components/schemas/${escaped(name)}`
        yield [
          name,
          this.#differenceOf(new DocumentPlace({ $ref }, this.#old), new DocumentPlace({ $ref }, this.#young), side),
        ]
      }
    }
  }

  #differenceOf(one: DocumentPlace, other: DocumentPlace, side: Side): string | undefined {
    return this.#classes[side].differenceOf(one, other, (name) => this.#names[side].add(name))
  }

  /** @param byName `true` for an object whose properties have names that people gave, or a list of such objects. */
  #objects(one: unknown, other: unknown, path: string, byName: boolean, side: Side): string | undefined {
    const [a, b] = [target(one, this.#old), target(other, this.#young)]
    if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
      return first(a.keys(), (index) => this.#objects(a[index], b[index], `${path}/${index}`, byName, side))
    }
    if (!isObject(a) || !isObject(b)) return Object.is(a, b) ? undefined : path
    const [x, y] = byName ? [a, b] : [this.#told(a, this.#old), this.#told(b, this.#young)]
    return first(new Set([...Object.keys(x), ...Object.keys(y)]), (key) => {
      const below = `${path}/${key}`
      const own = key === 'responses' ? OTHER_SIDE[side] : side
      if (byName) return this.#objects(x[key], y[key], below, false, own)
      if (key === 'schema' || key === 'itemSchema') return this.#schemas(x[key], y[key], below, own)
      if (SETS.has(key)) return isDeepStrictEqual(orderedSet(x[key]), orderedSet(y[key])) ? undefined : below
      return this.#objects(x[key], y[key], below, BY_NAME.has(key), own)
    })
  }

  /** Returns an object of a document without what has no meaning. */
  #told(object: JsonSchema, document: JsonSchema): JsonSchema {
    const told = Object.entries(object).filter(
      ([key, value]) => !WORDS.has(key) && !(key === 'required' && value === false),
    )
    return Object.fromEntries(
      told.map(([key, value]) => {
        if (key === 'parameters' && Array.isArray(value)) return [key, this.#parameters(value, document)]
        return [key, key === 'responses' && isObject(value) ? withoutMisfit(value, document) : value]
      }),
    )
  }

  /** Returns parameters by place and name. The one that carries the version may be left out as long as that is the default. */
  #parameters(list: readonly unknown[], document: JsonSchema): JsonSchema {
    const named = list.map((one): [string, unknown] => {
      const parameter = objectOf(resolved(one, document))
      const place = placeOf(parameter)
      return [place, this.#carriers.has(place) ? { ...parameter, required: false } : parameter]
    })
    return Object.fromEntries(named)
  }

  #schemas(one: unknown, other: unknown, path: string, side: Side): string | undefined {
    const [a, b] = [new DocumentPlace(one, this.#old), new DocumentPlace(other, this.#young)]
    if (this.#classes[side].isSame(a, b)) return undefined
    if (a.name !== undefined && a.name === b.name) {
      this.#names[side].add(a.name)
      return undefined
    }
    const at = this.#differenceOf(a, b, side)
    return at === undefined ? undefined : path + at
  }
}

/** Lists the parameters that carry the version, by place and name. */
function carriersIn(document: JsonSchema): Set<string> {
  const parameters = operationsOf(document).flatMap(([, operation]) => [objectOf(operation).parameters ?? []].flat())
  const resolvedOnes = parameters.map((one) => objectOf(resolved(one, document)))
  return new Set(resolvedOnes.filter(({ description }) => description === CARRIER_WORDS).map(placeOf))
}

function placeOf(parameter: JsonSchema): string {
  return `${parameter.in} ${parameter.name}`
}

/** Returns responses without the rejection of a body that does not fit: a newer version may convert it. */
function withoutMisfit({ 400: misfit, ...responses }: JsonSchema, document: JsonSchema): JsonSchema {
  const { content, ...response } = objectOf(resolved(misfit, document))
  const others = propertiesOf(content).filter(
    ([type, media]) => type !== PROBLEM_TYPE || !isDeepStrictEqual(resolved(objectOf(media).schema, document), PROBLEM),
  )
  return others.length === 0 ? responses : { ...responses, 400: { ...response, content: Object.fromEntries(others) } }
}
