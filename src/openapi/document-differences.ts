// The comparison of two documents of a version by their meaning.

import { isDeepStrictEqual } from 'node:util'
import { Addresses, behindReferences } from '../schemas/addresses'
import { type Comparing, first, orderedSet, SchemaComparison } from '../schemas/differences'
import { isKeyword } from '../schemas/keywords'
import { isObject, type JsonSchema } from '../schemas/model'
import { below, stepsOf } from '../schemas/pointers'
import { withItemSchemas } from './item-words'
import { CARRIER_WORDS, GONE, PROBLEM, PROBLEM_TYPE } from './version-facts'

/** A part in which two documents differ. */
export interface DocumentDifference {
  /** An operation as `GET /users`, the name of a schema, or another part. */
  readonly part: string
  readonly isOperation: boolean
  readonly kind: 'new' | 'removed' | 'changed'
  /** The place of the change, as a JSON pointer without escapes; empty for the part itself. */
  readonly at: string
}

/** Returns a difference as a sentence without its end. */
export function differenceText({ part, kind, at }: DocumentDifference): string {
  if (kind === 'new') return `${part} is new`
  if (kind === 'removed') return `${part} was removed`
  return `${part} has changed${at === '' ? '' : ` at ${at}`}`
}

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
export function differencesOf(before: unknown, now: unknown): DocumentDifference[] {
  const [old, young] = [documentOf(before), documentOf(now)]
  const [was, is] = [partsOf(old), partsOf(young)]
  const operations = new Map([...operationsOf(old), ...operationsOf(young)])
  const comparison = new Comparison(old, young)
  const parts =
    GONE in young ? [...is.keys()].filter((part) => !isRejection(is.get(part))) : [...was.keys(), ...is.keys()]
  const found = new Map<string, DocumentDifference>()
  const add = (part: string, kind: DocumentDifference['kind'], at = '') => {
    const difference = { part, isOperation: operations.has(part), kind, at }
    found.set(differenceText(difference), difference)
  }
  for (const part of new Set(parts)) {
    if (part === GONE) continue
    if (!is.has(part)) add(part, 'removed')
    else if (!was.has(part)) add(part, 'new')
    else {
      const at = comparison.between(was.get(part), is.get(part), part)
      if (at !== undefined) add(part, 'changed', at)
    }
  }
  for (const [name, at] of comparison.shapes()) if (at !== undefined) add(name, 'changed', at)
  return [...found.values()]
}

/** Returns a document with the items of streams as fields, which documents of OpenAPI 3.1 have in words. */
function documentOf(given: unknown): JsonSchema {
  const document = objectOf(given)
  return 'paths' in document ? { ...document, paths: withItemSchemas(document.paths) } : document
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
    const { parameters, additionalOperations, ...own } = objectOf(behindReferences(item, document))
    return [...propertiesOf(own), ...propertiesOf(additionalOperations)]
      .filter(([key]) => !isKeyword(key, 'text'))
      .map(([method, one]): [string, unknown] => {
        // The last parameter of a place and name counts.
        const all = Array.isArray(parameters) && isObject(one) ? [...parameters, ...[one.parameters ?? []].flat()] : []
        return [`${method.toUpperCase()} ${path}`, all.length === 0 ? one : { ...(one as JsonSchema), parameters: all }]
      })
  })
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

/** The side of a schema. In responses, `additionalProperties: false` has no meaning, because libraries add it there. */
type Side = keyof typeof OTHER_SIDE

/** A schema in a document. */
interface DocumentSchema {
  readonly schema: JsonSchema
  readonly document: Addresses
}

/** A comparison of two documents. */
class Comparison {
  readonly #old: JsonSchema
  readonly #young: JsonSchema
  readonly #addresses: readonly [Addresses, Addresses]
  readonly #schemas: Readonly<Record<Side, SchemaComparison<DocumentSchema>>>
  /** The names that are at one place in both documents. Their schemas are parts of their own. */
  readonly #names: Readonly<Record<Side, Set<string>>> = { request: new Set(), response: new Set() }
  /** The parameters that carry the version. */
  readonly #carriers: ReadonlySet<string>

  constructor(old: JsonSchema, young: JsonSchema) {
    this.#old = old
    this.#young = young
    this.#addresses = [new Addresses(old), new Addresses(young)]
    this.#carriers = carriersIn(young)
    this.#schemas = { request: this.#comparing('request'), response: this.#comparing('response') }
  }

  #comparing(side: Side): SchemaComparison<DocumentSchema> {
    const comparing: Comparing<DocumentSchema> = {
      follow: (reference, { document }) => {
        const place = document.resolve(reference, '')
        return typeof place === 'object' ? { schema: document.at(place.pointer) as JsonSchema, document } : undefined
      },
      counts: (keyword, value) =>
        !isKeyword(keyword, 'text') && !(side === 'response' && keyword === 'additionalProperties' && value === false),
    }
    return new SchemaComparison<DocumentSchema>({
      ...comparing,
      whole: new SchemaComparison(comparing),
      isSameName: (one, other) => {
        const name = one === other ? nameIn(one) : undefined
        if (name !== undefined) this.#names[side].add(name)
        return name !== undefined
      },
    })
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
        const place = below('/components/schemas', name)
        yield [name, this.#between(side, ...this.#addresses.map((document) => document.at(place)))]
      }
    }
  }

  #between(side: Side, ...schemas: readonly unknown[]): string | undefined {
    const [a, b] = schemas.map((schema, index) => ({ schema, document: this.#addresses[index] }))
    return this.#schemas[side].differenceOf(a as DocumentSchema, b as DocumentSchema)
  }

  /** @param byName `true` for an object whose properties have names that people gave, or a list of such objects. */
  #objects(one: unknown, other: unknown, path: string, byName: boolean, side: Side): string | undefined {
    const [a, b] = [behindReferences(one, this.#old), behindReferences(other, this.#young)]
    if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
      return first(a.keys(), (index) => this.#objects(a[index], b[index], `${path}/${index}`, byName, side))
    }
    if (!isObject(a) || !isObject(b)) return Object.is(a, b) ? undefined : path
    const [x, y] = byName ? [a, b] : [this.#told(a, this.#old), this.#told(b, this.#young)]
    return first(new Set([...Object.keys(x), ...Object.keys(y)]), (key) => {
      const place = `${path}/${key}`
      const own = key === 'responses' ? OTHER_SIDE[side] : side
      if (byName) return this.#objects(x[key], y[key], place, false, own)
      if (key === 'schema' || key === 'itemSchema') {
        const at = this.#between(own, x[key], y[key])
        return at === undefined ? undefined : place + at
      }
      if (key === 'tags' || isKeyword(key, 'set'))
        return isDeepStrictEqual(orderedSet(x[key]), orderedSet(y[key])) ? undefined : place
      return this.#objects(x[key], y[key], place, BY_NAME.has(key), own)
    })
  }

  /** Returns an object of a document without what has no meaning. */
  #told(object: JsonSchema, document: JsonSchema): JsonSchema {
    const told = Object.entries(object).filter(
      ([key, value]) => !isKeyword(key, 'text') && !(key === 'required' && value === false),
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
      const parameter = objectOf(behindReferences(one, document))
      const place = placeOf(parameter)
      if (!this.#carriers.has(place)) return [place, parameter]
      const { default: _version, ...schema } = objectOf(parameter.schema)
      return [place, { ...parameter, required: false, schema }]
    })
    return Object.fromEntries(named)
  }
}

/** Returns the name of the component that a reference leads to; undefined for another part. */
function nameIn(reference: string): string | undefined {
  const [start, kind, name, ...inner] = stepsOf(reference)
  return start === 'components' && kind === 'schemas' && inner.length === 0 ? name : undefined
}

/** Lists the parameters that carry the version, by place and name. */
function carriersIn(document: JsonSchema): Set<string> {
  const parameters = operationsOf(document).flatMap(([, operation]) => [objectOf(operation).parameters ?? []].flat())
  const resolvedOnes = parameters.map((one) => objectOf(behindReferences(one, document)))
  return new Set(resolvedOnes.filter(({ description }) => description === CARRIER_WORDS).map(placeOf))
}

function placeOf(parameter: JsonSchema): string {
  return `${parameter.in} ${parameter.name}`
}

/** Returns responses without the rejection of a body that does not fit: a newer version may convert it. */
function withoutMisfit({ 400: misfit, ...responses }: JsonSchema, document: JsonSchema): JsonSchema {
  const { content, ...response } = objectOf(behindReferences(misfit, document))
  const others = propertiesOf(content).filter(
    ([type, media]) =>
      type !== PROBLEM_TYPE || !isDeepStrictEqual(behindReferences(objectOf(media).schema, document), PROBLEM),
  )
  return others.length === 0 ? responses : { ...responses, 400: { ...response, content: Object.fromEntries(others) } }
}
