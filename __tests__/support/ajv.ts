import type { AnySchema, Options } from 'ajv'
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
