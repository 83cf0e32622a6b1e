// What a published OpenAPI 3.0 document says of values, as Ajv reads it.
import Ajv from 'ajv'

/** Judges a value by the schema at a JSON pointer, and lists the misfits. */
export type Judge = (pointer: string, value: unknown) => string[]

/**
 * Returns a function that judges a value by the schema at a JSON pointer of a document, and returns the misfits. Of OpenAPI 3.0's
 * own words, it knows `nullable`. The document must have no boolean `exclusiveMinimum`.
 */
export function judgeOf(document: object): Judge {
  const ajv = new Ajv({
    strict: false,
    validateSchema: false,
    validateFormats: false,
    inlineRefs: false,
    allErrors: true,
  })
  ajv.addSchema(JSON.parse(JSON.stringify(document), withoutNullable), 'document')
  return (pointer, value) => {
    const validate = ajv.getSchema(`document#${encodeURI(pointer)}`)
    if (validate === undefined) throw new Error(`The document has no ${pointer}`)
    return validate(value) ? [] : (validate.errors ?? []).map((error) => JSON.stringify(error))
  }
}

/** Replaces a `nullable` that has no `type` beside it, which Ajv rejects. */
function withoutNullable(_key: string, part: unknown): unknown {
  const { nullable, ...schema } = Object(part) as { nullable?: unknown; type?: unknown }
  return nullable !== true || schema.type !== undefined ? part : { anyOf: [schema, { type: 'null' }] }
}
