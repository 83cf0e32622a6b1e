// The references in a part of a document, but for those of named schemas, in place.

import { propertyOf } from '../../openapi/meaning/schemas'
import { isObject } from '../../schemas/model'
import { stepsOf } from '../../schemas/pointers'
import type { DocumentView } from './view'

const COMPONENTS = '#/components/schemas/'

/** Copies a part of a document with what it refers to in place, but for named schemas. */
export function inlined(value: unknown, view: DocumentView, around: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((one) => inlined(one, view, around))
  if (!isObject(value)) return value
  const { $ref } = value
  const isElsewhere = typeof $ref === 'string' && $ref.startsWith('#/') && !isNamed($ref) && !around.includes($ref)
  if (isElsewhere) return inlined(stepsOf($ref).reduce<unknown>(propertyOf, view.document), view, [...around, $ref])
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inlined(one, view, around)]))
}

/** Finds the named schemas that a part of a document refers to. */
export function namesIn(part: unknown): string[] {
  if (Array.isArray(part)) return part.flatMap(namesIn)
  if (!isObject(part)) return []
  const own = typeof part.$ref === 'string' && isNamed(part.$ref) ? stepsOf(part.$ref).at(-1) : undefined
  return [...(own === undefined ? [] : [own]), ...Object.values(part).flatMap(namesIn)]
}

function isNamed(reference: string): boolean {
  return reference.startsWith(COMPONENTS) && !reference.slice(COMPONENTS.length).includes('/')
}
