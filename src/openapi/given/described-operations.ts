// The descriptions of a document's operations, as `describe()` takes them.

import type { OtherMedia } from '../../registry'
import { readSchema, schemaOf } from '../../schemas/reading'
import { anyOf, successesOf } from '../../schemas/responses'
import type { OperationDescription, ResponseBody, Responses, Schema } from '../../types'
import { type Contents, type GivenMedia, type GivenOperation, isUpload, isUrlencoded } from './document-operations'
import type { Schemas } from './document-schemas'
import { queryOf } from './query-parameters'
import type { References } from './references'
import { isUnsaid, type Undocumented } from './undocumented'

const OPTIONAL_BODY = { requestBody: { required: false } }

/** Returns the description of an operation. */
export function descriptionOf(
  operation: GivenOperation,
  path: string,
  references: References,
  schemas: Schemas,
  undocumented: Undocumented,
): OperationDescription {
  const { value } = operation
  const { summary, description, tags, deprecated } = value
  const query = queryOf(operation.query, `${operation.method} ${path} query`, references, schemas)
  return {
    ...(typeof summary === 'string' ? { summary } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(Array.isArray(tags) ? { tags: tags.filter((tag) => typeof tag === 'string') } : {}),
    ...(deprecated === true ? { deprecated } : {}),
    ...(query === undefined ? {} : { query: schemas.describing(query) }),
    body: bodyOf(operation, schemas, undocumented),
    // Contracts ask for a described body, unless this says that it may be left out.
    ...(operation.body === undefined || operation.body.isRequired ? {} : { operation: OPTIONAL_BODY }),
    response: responseOf(operation, schemas, undocumented),
  }
}

function bodyOf(operation: GivenOperation, schemas: Schemas, undocumented: Undocumented): Schema | null {
  const { body } = operation
  if (body === undefined) return null
  const known = knownIn(body, schemas, ({ type }) => {
    if (!isUrlencoded(type) && !isUpload(type)) undocumented.addBody(body, type)
  })
  const [first = null, ...others] = [...new Set(known.values())]
  return first === null || others.length === 0 ? first : anyOfThese([first, ...others])
}

/** Returns the schemas of a body that say something, by media type. */
function knownIn(
  { schemas: given }: Contents,
  schemas: Schemas,
  report: (media: GivenMedia) => void,
): Map<GivenMedia, Schema> {
  const known = new Map<GivenMedia, Schema>()
  for (const media of given) {
    const { schema } = media
    if (schema === undefined || isUnsaid(schema.value)) report(media)
    else known.set(media, schemas.use(schema.value, schema.pointer))
  }
  return known
}

function anyOfThese(all: readonly Schema[]): Schema {
  const reading = anyOf(all.map((schema) => readSchema(schema, 'input')))
  const made = reading as NonNullable<typeof reading>
  return schemaOf({ input: made, output: made })
}

/** Returns the media types of an operation's successes that nobody converts, by status. */
export function othersOf({ responses }: GivenOperation, schemas: Schemas): ReadonlyMap<string, readonly OtherMedia[]> {
  const others = [...successesOf(responses)].map(([status, response]) => {
    const media = response.others.map(({ type, schema, isItem }) => {
      return { type, schema: schemas.use(schema.value, schema.pointer), isItem }
    })
    return [status, media] as const
  })
  return new Map(others)
}

function responseOf(operation: GivenOperation, schemas: Schemas, undocumented: Undocumented): Responses {
  const found: Record<string, ResponseBody> = {}
  for (const [status, response] of operation.responses) {
    const isError = /^[45]|default/.test(status)
    // Documents rarely write the contents of errors.
    if (isError && !response.hasContent) continue
    const known = [...knownIn(response, schemas, (media) => undocumented.addResponse(status, response, media))]
    const [[first, schema] = [undefined, null], ...others] = known
    const isPlain = others.length === 0 && /^application\/json$/i.test(String(first?.type))
    const content = known.map(([{ type, isItem }, one]) => [type, isItem ? { itemSchema: one } : one])
    found[status] = schema === null ? null : isPlain ? schema : { content: Object.fromEntries(content) }
    if (!response.hasContent) undocumented.addBlank(status, response)
  }
  const says = Object.keys(found)
  if (!says.some((status) => /^2|default/.test(status))) {
    found['2XX'] = null
    if (operation.responses.size === 0) undocumented.addSilent(operation.pointer)
  }
  return found as Responses
}
