// The packages of the user that make values and judge them.
import type * as FastCheck from 'fast-check'
import type { ClosedSchema } from '../schemas/closed'

/** A function that judges a value. It returns the first fault. */
export type Judge = (
  value: unknown,
  isText?: boolean,
) => { readonly path: string[]; readonly message: string } | undefined

/** fast-check, which makes values, and Ajv, which judges them. */
export interface Tools {
  readonly fc: typeof FastCheck
  judgeOf(schema: ClosedSchema): Judge
}

interface Validate {
  (value: unknown): unknown
  errors?: readonly { readonly instancePath: string; readonly message?: string }[] | null
}

type Ajv = new (options: object) => { compile(schema: object): Validate }

const TAKES = 'fast-check 4 and Ajv 8'

/**
 * Loads both packages.
 *
 * @throws {Error} if one is missing, or of another major version.
 */
export async function loadTools(owner: string): Promise<Tools> {
  let fc: typeof FastCheck
  let Ajv2020: Ajv
  try {
    // Its types differ between module systems.
    fc = (await import('fast-check')) as unknown as typeof FastCheck
    Ajv2020 = ((await import('ajv/dist/2020.js')) as unknown as { Ajv2020: Ajv }).Ajv2020
  } catch (cause) {
    const wanted = 'needs two packages beside this one: npm install --save-dev fast-check ajv'
    throw new Error(`${owner} ${wanted}. It takes ${TAKES}.`, { cause })
  }
  // Peers of any version install; Ajv 6 and 7 lack the module above.
  if (!fc.__version.startsWith('4.')) throw new Error(`${owner} takes ${TAKES}; got fast-check ${fc.__version}.`)
  // Formats are for the user's own validator: the values have them, and the steps do not depend on them.
  const settings = { strict: false, validateFormats: false, logger: false }
  const compilerOf = (more: object) => {
    const [strict, loose] = [true, false].map((unicodeRegExp) => new Ajv2020({ ...settings, ...more, unicodeRegExp }))
    return (schema: ClosedSchema): Validate => {
      try {
        return (strict as InstanceType<Ajv>).compile(schema)
      } catch {
        // A pattern may only compile without the flag "u".
        return (loose as InstanceType<Ajv>).compile(schema)
      }
    }
  }
  const [plain, strings] = [compilerOf({}), compilerOf({ coerceTypes: 'array' })]
  const known = new Map<ClosedSchema, Judge>()
  const judgeOf = (schema: ClosedSchema): Judge => {
    const values = plain(schema)
    let queries: Validate | undefined
    return (value, isText = false) => {
      if (isText) queries ??= strings(schema)
      const validate = isText ? (queries as Validate) : values
      if (validate(JSON.parse(JSON.stringify(value))) === true) return undefined
      const [error] = validate.errors as [NonNullable<Validate['errors']>[number]]
      const path = error.instancePath.split('/').slice(1)
      return {
        path: path.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')),
        message: String(error.message),
      }
    }
  }
  return {
    fc,
    judgeOf: (schema) => {
      const judge = known.get(schema) ?? judgeOf(schema)
      known.set(schema, judge)
      return judge
    },
  }
}
