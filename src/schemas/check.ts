import type { Schema } from '../types'

/** What {@link isSchema} lets through, for errors. */
export const SCHEMA_TAKES =
  'JSON Schema 2020-12, or a Standard Schema with "~standard.jsonSchema" (zod 4, arktype, Joi 18)'

/** Whether a value is a schema that JSON Schema can say: of a library that says so itself, or plain JSON. */
export function isSchema(value: unknown): value is Schema {
  if (typeof value === 'boolean') return true
  // A schema of arktype is a function.
  if (value === null || (typeof value !== 'object' && typeof value !== 'function') || Array.isArray(value)) return false
  const { '~standard': standard } = value as { '~standard'?: { jsonSchema?: { input?: unknown; output?: unknown } } }
  if (standard === undefined) return isJson(value)
  return typeof standard.jsonSchema?.input === 'function' && typeof standard.jsonSchema.output === 'function'
}

/** Whether JSON says all of a value: nothing in it is of a class, a function, or itself. */
export function isJson(value: unknown, around: readonly unknown[] = []): boolean {
  if (value === undefined || value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || around.includes(value)) return false
  if (!Array.isArray(value) && !isPlain(value)) return false
  const inside = [...around, value]
  return Object.values(value).every((inner) => isJson(inner, inside))
}

/** Objects of other realms are plain too. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
