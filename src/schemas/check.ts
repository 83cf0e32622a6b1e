// The check of schemas: which values may be a schema.
import type { Schema } from '../types'

/** The values that {@link isSchema} accepts, for errors. */
export const SCHEMA_TAKES =
  'JSON Schema 2020-12, or a Standard Schema with "~standard.jsonSchema" (zod 4, arktype, Joi 18)'

/** Tells whether a value is a schema: plain JSON, or a library's object that can write its JSON Schema. */
export function isSchema(value: unknown): value is Schema {
  if (typeof value === 'boolean') return true
  // Schemas of arktype are functions.
  if (value === null || (typeof value !== 'object' && typeof value !== 'function') || Array.isArray(value)) return false
  const { '~standard': standard } = value as { '~standard'?: { jsonSchema?: { input?: unknown; output?: unknown } } }
  if (standard === undefined) return isJson(value)
  return typeof standard.jsonSchema?.input === 'function' && typeof standard.jsonSchema.output === 'function'
}

/** Tells whether JSON can hold a value: it has no functions, no objects of a class, and no loop. */
export function isJson(value: unknown, around: readonly unknown[] = []): boolean {
  if (value === undefined || value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || around.includes(value)) return false
  if (!Array.isArray(value) && !isPlain(value)) return false
  const inside = [...around, value]
  return Object.values(value).every((inner) => isJson(inner, inside))
}

/** Tells whether an object is plain, also one of another realm. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
