// The descriptions of a document's operations, as `describe()` takes them.

import { readSchema, schemaOf } from '../../schemas/reading'
import { anyOf } from '../../schemas/responses'
import type { OperationDescription, ResponseBody, Responses, Schema } from '../../types'
import { type Contents, type GivenOperation, isForm } from './operations'
import { queryOf } from './query'
import type { References } from './references'
import type { Schemas } from './schemas'
import { isUnsaid, type Undocumented } from './undocumented'

const OPTIONAL_BODY = { requestBody: { required: false } }

/** Returns the description of an operation. */
export function descriptionOf(
  operation: GivenOperation,
  references: References,
  schemas: Schemas,
  undocumented: Undocumented,
): OperationDescription {
  const { value } = operation
  const { summary, description, tags, deprecated } = value
  const query = queryOf(operation.query, references, schemas)
  return {
    ...(typeof summary === 'string' ? { summary } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(Array.isArray(tags) ? { tags: tags.filter((tag) => typeof tag === 'string') } : {}),
    ...(deprecated === true ? { deprecated } : {}),
    ...(query === undefined ? {} : { query: schemas.made(query) }),
    body: bodyOf(operation, schemas, undocumented),
    // Contracts ask for a described body, unless this says that it may be left out.
    ...(operation.body === undefined || operation.body.isRequired ? {} : { operation: OPTIONAL_BODY }),
    response: responseOf(operation, schemas, undocumented),
  }
}

function bodyOf(operation: GivenOperation, schemas: Schemas, undocumented: Undocumented): Schema | null {
  const { body } = operation
  if (body === undefined) return null
  const known = knownIn(body, schemas, (type) => !isForm(type) && undocumented.addBody(body, type))
  const [first = null, ...others] = [...new Set(Object.values(known))]
  return first === null || others.length === 0 ? first : anyOfThese([first, ...others])
}

/** Returns the schemas of a body that say something, by media type. */
function knownIn(
  { schemas: given }: Contents,
  schemas: Schemas,
  report: (type: string) => void,
): Record<string, Schema> {
  const known: Record<string, Schema> = {}
  for (const { type, schema } of given) {
    if (schema === undefined || isUnsaid(schema.value)) report(type)
    else known[type] = schemas.use(schema.value, schema.pointer)
  }
  return known
}

function anyOfThese(all: readonly Schema[]): Schema {
  const reading = anyOf(all.map((schema) => readSchema(schema, 'input')))
  const made = reading as NonNullable<typeof reading>
  return schemaOf({ input: made, output: made })
}

function responseOf(operation: GivenOperation, schemas: Schemas, undocumented: Undocumented): Responses {
  const found: Record<string, ResponseBody> = {}
  for (const [status, response] of operation.responses) {
    const isError = /^[45]|default/.test(status)
    // Documents rarely write the contents of errors.
    if (isError && !response.hasContent) continue
    const known = knownIn(response, schemas, (type) => undocumented.addResponse(status, response, type))
    const all = Object.entries(known)
    const [[type, schema] = ['', null], ...others] = all
    const isPlain = others.length === 0 && /^application\/json$/i.test(type)
    found[status] = schema === null ? null : isPlain ? schema : { content: known }
    if (!response.hasContent) undocumented.addBlank(status, response)
  }
  const says = Object.keys(found)
  if (!says.some((status) => /^2|default/.test(status))) {
    found['2XX'] = null
    if (operation.responses.size === 0) undocumented.addSilent(operation.pointer)
  }
  return found as Responses
}
