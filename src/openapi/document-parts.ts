// The parts of a document around schemas: parameters, bodies, responses, headers, callbacks.

import type { GivenDocument } from '../registry'
import { Addresses, type Located } from '../schemas/addresses'
import { referenceIn } from '../schemas/keywords'
import { isObject, type JsonSchema } from '../schemas/model'
import { below } from '../schemas/pointers'
import { put } from '../util/collections'
import { METHOD_FIELDS } from '../util/operation'
import { isSameParameter, withoutSame } from './document-paths'
import type { SchemasInVersion } from './schemas-in-version'

/** The place of a part. */
export interface PartUse {
  readonly document: GivenDocument
  readonly pointer: string
  /** `true` if the server sends it: responses, and what are requests in callbacks and webhooks. */
  readonly isSent: boolean
  readonly neutral: boolean
}

/** A kind of parts. */
export type Kind = 'parameter' | 'requestBody' | 'response' | 'header' | 'media' | 'callback' | 'pathItem' | 'operation'

/** The fields of a path item that are operations. */
export const FIELDS: ReadonlySet<string> = new Set(METHOD_FIELDS)

/** Writes the parts of documents as a version has them. A part without a changed shape is the same object. */
export class PartsInVersion {
  /** The references of webhooks and callbacks to items of paths. */
  readonly pathItems = new Set<string>()

  constructor(private readonly schemas: SchemasInVersion) {}

  /** Returns a part as the version has it. */
  part(kind: Kind, value: unknown, use: PartUse): unknown {
    if (!isObject(value)) return value
    const reference = referenceIn(value)
    if (reference !== undefined) {
      if (kind === 'pathItem') this.pathItems.add(reference)
      return use.neutral ? this.#inlined(kind, value, use) : value
    }
    switch (kind) {
      case 'media':
      case 'parameter':
      case 'header':
        return this.#described(value, use)
      case 'requestBody':
        return this.#mapped(value, use, (key, one, inner) => (key === 'content' ? this.all('media', one, inner) : one))
      case 'response':
        return this.#mapped(value, use, (key, one, inner) => {
          if (key === 'content') return this.all('media', one, inner)
          return key === 'headers' ? this.all('header', one, inner) : one
        })
      case 'callback':
        return this.all('pathItem', value, { ...use, isSent: true })
      case 'pathItem':
        return this.#mapped(value, use, (key, one, inner) => {
          if (key === 'parameters') return this.all('parameter', one, inner)
          if (key === 'additionalOperations') return this.all('operation', one, inner)
          return FIELDS.has(key) ? this.part('operation', one, inner) : one
        })
      case 'operation':
        return this.#mapped(value, use, (key, one, inner) => {
          if (key === 'parameters') return this.all('parameter', one, inner)
          if (key === 'requestBody') return this.part('requestBody', one, inner)
          if (key === 'responses') return this.all('response', one, { ...inner, isSent: !use.isSent })
          return key === 'callbacks' ? this.all('callback', one, inner) : one
        })
    }
  }

  /** Returns what a reference leads to, where components have the schemas of the version, and an operation those of today. */
  #inlined(kind: Kind, value: JsonSchema, use: PartUse): unknown {
    const target = located(value, use.pointer, use.document)
    const made = this.part(kind, target.value, { ...use, pointer: target.pointer })
    return made === target.value ? value : made
  }

  /** Returns a list or an object of parts as the version has it. */
  all(kind: Kind, value: unknown, use: PartUse): unknown {
    if (Array.isArray(value)) {
      const list = value.map((one, index) => this.part(kind, one, { ...use, pointer: below(use.pointer, index) }))
      return list.every((one, index) => one === value[index]) ? value : list
    }
    return isObject(value) ? this.#mapped(value, use, (_, one, inner) => this.part(kind, one, inner)) : value
  }

  /** Returns a part with a schema. Examples of changed shapes go. */
  #described(value: JsonSchema, use: PartUse): unknown {
    const { document, isSent, neutral } = use
    const direction = isSent ? 'output' : 'input'
    const made = this.#mapped(value, use, (key, one, inner) => {
      if (key === 'content') return this.all('media', one, inner)
      if (key !== 'schema' && key !== 'itemSchema') return one
      return this.schemas.use(one, {
        document,
        direction,
        neutral: neutral || document.schemas.asSent.has(inner.pointer),
        copies: this.schemas.copiesAt(document, inner.pointer),
      })
    })
    if (neutral || (made.schema === value.schema && made.itemSchema === value.itemSchema)) return made
    const { example: _one, examples: _all, ...rest } = made
    return rest
  }

  #mapped(value: JsonSchema, use: PartUse, map: (key: string, value: unknown, use: PartUse) => unknown): JsonSchema {
    let made: Record<string, unknown> | undefined
    for (const key of Object.keys(value)) {
      const one = value[key]
      if (typeof one !== 'object' || one === null) continue
      const other = map(key, one, { ...use, pointer: below(use.pointer, key) })
      if (other === one) continue
      made ??= { ...value }
      made[key] = other
    }
    return made ?? value
  }
}

/** Follows the references of a part. `routesOf()` has checked that they lead to objects of the document. */
export function located(value: JsonSchema, pointer: string, { document }: GivenDocument): Located {
  return new Addresses(document).follow(value, pointer) as Located
}

/** Returns a part of a document with other values of some fields, which stay in their place. A field that is undefined goes. */
export function patched(part: JsonSchema, changes: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries({ ...part, ...changes }).filter(([, value]) => value !== undefined))
}

/**
 * Merges a user's own OpenAPI parts into generated ones. Objects are merged, and parameters by name and place. Everything else
 * is replaced, schemas and objects with a `$ref` too.
 *
 * @param own is not changed. Neither is `made`, whose schemas are filled in later.
 */
export function merged(made: unknown, own: unknown, key = ''): unknown {
  if (own === undefined) return made
  if (key === 'parameters' && Array.isArray(made) && Array.isArray(own)) return mergedParameters(made, own)
  if (!isObject(made) || !isObject(own) || key === 'schema' || '$ref' in own) return own
  const result: Record<string, unknown> = { ...made }
  for (const [name, value] of Object.entries(own)) {
    put(result, name, merged(Object.hasOwn(made, name) ? made[name] : undefined, value, name))
  }
  return result
}

function mergedParameters(made: readonly JsonSchema[], own: readonly JsonSchema[]): unknown[] {
  const ownOf = (parameter: JsonSchema) => own.find((other) => isSameParameter(parameter, other))
  return [...made.map((parameter) => merged(parameter, ownOf(parameter))), ...withoutSame(own, made, (one) => one)]
}
