// The part of an object that says its properties, where `allOf` splits the object.
import { isObject, type JsonSchema, type SchemaReading } from '../../schemas/model'

/** The part of a definition that says its properties. */
interface ObjectPart {
  readonly reading: SchemaReading
  /** Returns the definition with another part in its place. */
  put(part: SchemaReading): SchemaReading
}

/** Finds the part of an object that has its own properties; the whole, if it has none or several. */
export function objectPartOf(reading: SchemaReading): ObjectPart {
  const { schema, definitions } = reading
  const { allOf, ...own } = schema
  const whole = { reading, put: (part: SchemaReading) => part }
  if (!Array.isArray(allOf)) return whole
  if (isObject(own.properties)) {
    // References stay where they are.
    if (allOf.some((part) => isObject(part) && part.$ref === undefined)) return whole
    const put = (part: SchemaReading) => ({ ...part, schema: { ...part.schema, allOf } })
    return { reading: { schema: own, definitions }, put }
  }
  const inline = allOf.filter((part) => isObject(part) && isObject(part.properties))
  const [part] = inline as JsonSchema[]
  if (part === undefined || inline.length > 1) return whole
  const isOwn = (name: unknown) => Object.hasOwn(part.properties as object, name as string)
  const [required, inner] = [listOf(own.required), listOf(part.required)]
  const rest = required.filter((name) => !isOwn(name))
  const all = [...new Set([...inner, ...required.filter(isOwn)])]
  const { required: _all, ...outer } = own
  return {
    reading: { schema: { ...part, ...(all.length === 0 ? {} : { required: all }) }, definitions },
    put: ({ schema, definitions }) => ({
      schema: {
        ...outer,
        ...(rest.length === 0 ? {} : { required: rest }),
        allOf: allOf.map((one) => (one === part ? schema : one)),
      },
      definitions,
    }),
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
