// `nullable` of OpenAPI 3.0 in the words of JSON Schema 2020-12.
import { isRule, referenceIn } from '../../schemas/keywords'
import { isObject, type JsonSchema } from '../../schemas/model'

const NULL: JsonSchema = { type: 'null' }

/**
 * Allows `null` beside what a schema allows. Many documents say `nullable` beside `allOf` or a reference, where OpenAPI 3.0.3 gives it
 * no meaning; they mean it.
 */
export function orNull(schema: JsonSchema): JsonSchema {
  if (isWrapped({ ...schema, nullable: true })) return { anyOf: [schema, NULL] }
  const { type, enum: values, const: only, anyOf, ...others } = schema
  const listed = only === undefined ? values : [only]
  return {
    ...others,
    ...(Array.isArray(anyOf) ? { anyOf: [...anyOf, NULL] } : {}),
    ...(type === undefined ? {} : { type: [...new Set([type, 'null'].flat())] }),
    ...(Array.isArray(listed) ? { enum: [...new Set([...listed, null])] } : {}),
  }
}

/** Tells whether the schema that is read for a given one is a union of it and `null`, at `/anyOf/0`. */
export function isWrapped(given: unknown): boolean {
  if (!isObject(given) || given.nullable !== true || given.anyOf !== undefined) return false
  return [referenceIn(given), given.allOf, given.oneOf].some((part) => part !== undefined)
}

/** Tells whether a given schema says itself that it allows `null`. */
export function allowsNull(given: unknown): boolean {
  return isObject(given) && (given.nullable === true || (Array.isArray(given.type) && given.type.includes('null')))
}

/** Tells whether a branch of a union says nothing but `nullable`: generators write `null` so. */
export function isNullAlone(given: unknown): boolean {
  return (
    isObject(given) && given.nullable === true && Object.keys(given).every((key) => key === 'nullable' || !isRule(key))
  )
}
