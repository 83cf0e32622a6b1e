import type { AnySchema, Options, ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020'

const META = new Ajv2020({ strict: false })

/**
 * An Ajv of JSON Schema 2020-12. To compile the schema of schemas takes most of the time of a new one, so all share one. Code that
 * judges few values is not worth optimizing.
 */
export class Ajv extends Ajv2020 {
  constructor(options: Options = {}) {
    super({ strict: false, meta: false, code: { optimize: false }, ...options })
  }

  override validateSchema(schema: AnySchema, throwOrLogError?: boolean): boolean | Promise<unknown> {
    return META.validateSchema(schema, throwOrLogError)
  }
}

/** Returns a function that holds values against schemas of a document. `place` is a JSON pointer into its paths. */
export function judgeOf(document: object): (place: string, value: unknown) => void {
  const ajv = new Ajv({ ownProperties: true, inlineRefs: false, validateSchema: false })
  ajv.addSchema(document, 'document')
  return (place, value) => {
    const validate = ajv.getSchema(`document#/paths/${place}`) as ValidateFunction
    expect(validate(value) || { place, value, errors: validate.errors }).toBe(true)
  }
}
