import type { OpenApiSchema } from './model'

type SchemaObject = Exclude<OpenApiSchema, boolean>

// Where JSON Schema 2020-12, and what is still used of its drafts, has schemas; elsewhere, `$ref` is data.
const SCHEMA = new Set(
  'items additionalItems contains additionalProperties propertyNames unevaluatedItems unevaluatedProperties not if then else contentSchema'.split(
    ' ',
  ),
)
const SCHEMAS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'])
const SCHEMAS_BY_NAME = new Set('properties patternProperties dependentSchemas $defs definitions'.split(' '))

/** What is there to be referred to. */
const PARTS = new Set(['$defs', 'definitions'])

/** Where `false` is said as a rule. */
const BOOLEAN = new Set([
  'items',
  'additionalItems',
  'additionalProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
])

/** What gives a schema an address, which in a document is its place there. */
const ADDRESSES = new Set(['$schema', '$id', '$anchor', '$dynamicAnchor', '$recursiveAnchor'])
const REFERENCES = new Set(['$ref', '$dynamicRef', '$recursiveRef'])

/** Stands for the address of a schema that has none. */
const NOWHERE = 'schema://nowhere/'

/** Whether a schema refers to parts of itself, or brings parts to be referred to. */
export function isAddressed(schema: OpenApiSchema): boolean {
  let found = false
  walk(schema, '', NOWHERE, (part) => {
    found ||= ['$id', '$defs', 'definitions', ...REFERENCES].some((key) => Object.hasOwn(part, key))
  })
  return found
}

/**
 * A schema as a part of a document: what it says of its own address is gone, and what refers to parts of it (by pointer, `$id` or
 * anchor) refers to where they are now.
 *
 * @param place where the schema will stand: `#/components/schemas/User`.
 * @returns a copy.
 * @throws {TypeError} for a reference to a part that is not there. Other addresses stay as they are, and so does what points to
 *   `#/components/...`, which `extend` may add.
 */
export function placed(schema: OpenApiSchema, place: string): OpenApiSchema {
  const targets = new Map<string, string>()
  walk(schema, '', NOWHERE, (part, pointer, base) => {
    if (pointer === '' || typeof part.$id === 'string') targets.set(base, pointer)
    for (const anchor of [part.$anchor, part.$dynamicAnchor]) {
      if (typeof anchor === 'string' && !targets.has(`${base}#${anchor}`)) targets.set(`${base}#${anchor}`, pointer)
    }
  })
  const resolved: Resolve = (reference, base) => {
    const hash = `${reference}#`.indexOf('#')
    const fragment = reference.slice(hash + 1)
    const resource = addressOf(reference.slice(0, hash), base)
    const isPointer = fragment === '' || fragment.startsWith('/')
    const root = targets.get(resource)
    const pointer = isPointer ? root !== undefined && root + fragment : targets.get(`${resource}#${fragment}`)
    if (typeof pointer === 'string' && valueAt(schema, pointer) !== undefined) return place + moved(pointer)
    if (root === undefined || reference.startsWith('#/components/')) return reference
    throw new TypeError(`it refers to "${reference}", which is not there`)
  }
  return rewritten(schema, NOWHERE, resolved) as OpenApiSchema
}

type Resolve = (reference: string, base: string) => string

function rewritten(schema: unknown, outer: string, resolved: Resolve): unknown {
  // The same as an object, which is what validators and generators expect.
  if (typeof schema === 'boolean') return schema ? {} : { not: {} }
  if (typeof schema !== 'object' || schema === null) return schema
  const part = schema as SchemaObject
  const base = baseOf(part, outer)
  const inside = (inner: unknown) => rewritten(inner, base, resolved)
  const entries = Object.entries(part).flatMap(([key, value]): [string, unknown][] => {
    if (ADDRESSES.has(key)) return []
    if (REFERENCES.has(key) && typeof value === 'string') return [['$ref', resolved(value, base)]]
    if (SCHEMAS.has(key) && Array.isArray(value)) return [[key, value.map(inside)]]
    if (SCHEMA.has(key) && !(typeof value === 'boolean' && BOOLEAN.has(key))) return [[key, inside(value)]]
    if (!SCHEMAS_BY_NAME.has(key) || typeof value !== 'object' || value === null) return [[key, value]]
    const called = PARTS.has(key) ? partName : (name: string) => name
    return [[key, Object.fromEntries(Object.entries(value).map(([name, inner]) => [called(name), inside(inner)]))]]
  })
  return Object.fromEntries(entries)
}

/** The name of a part, in the characters that names within components have (3.1.1, section 4.8.7.1). */
function partName(name: string): string {
  return name.replace(/[^\w.-]/gu, (character) => `_${character.codePointAt(0)?.toString(16)}_`)
}

/** A pointer in a schema whose parts are called otherwise now. */
export function moved(pointer: string): string {
  const steps = pointer.split('/')
  return steps.map((step, index) => (PARTS.has(steps[index - 1] ?? '') ? partName(unescaped(step)) : step)).join('/')
}

function baseOf({ $id }: SchemaObject, outer: string): string {
  return typeof $id === 'string' ? addressOf($id, outer).replace(/#$/, '') : outer
}

/** Visits a schema and all schemas in it, with their pointers and the addresses that references in them are relative to. */
function walk(
  schema: unknown,
  pointer: string,
  outer: string,
  visit: (part: SchemaObject, pointer: string, base: string) => void,
): void {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return
  const part = schema as SchemaObject
  const base = baseOf(part, outer)
  visit(part, pointer, base)
  for (const [key, value] of Object.entries(part)) {
    const below = `${pointer}/${escaped(key)}`
    if (SCHEMAS.has(key) && Array.isArray(value)) {
      for (const [index, inner] of value.entries()) walk(inner, `${below}/${index}`, base, visit)
    } else if (SCHEMA.has(key)) walk(value, below, base, visit)
    else if (SCHEMAS_BY_NAME.has(key) && typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) walk(inner, `${below}/${escaped(name)}`, base, visit)
    }
  }
}

/** An address, relative to another one; what is none, as it is. */
function addressOf(reference: string, base: string): string {
  if (reference === '') return base
  return URL.canParse(reference, base) ? new URL(reference, base).href : reference
}

/** A name as a step of a JSON pointer in a URI fragment (RFC 6901, sections 3 and 6). */
export function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1')).replaceAll('%24', '$')
}

/** What a JSON pointer in a URI fragment leads to; `undefined` for nothing. */
export function valueAt(schema: unknown, pointer: string): unknown {
  let value = schema
  for (const step of pointer.split('/').slice(1)) {
    const name = unescaped(step)
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

/** The name that a step of a pointer stands for. */
function unescaped(step: string): string {
  return decoded(step).replaceAll('~1', '/').replaceAll('~0', '~')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
