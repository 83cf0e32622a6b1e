// The items of streams in documents before OpenAPI 3.2, which does not know `itemSchema`: the description of their response has them.
import { parsedJson } from '../http/json'
import { isObject, type JsonSchema } from '../schemas/model'

/** The key of a media type's items while a document is made that has them in words. JSON has no symbols. */
const TOLD = Symbol('itemSchema')

/** Returns the key of a media type's items in a version of OpenAPI. */
export function itemKeyOf(openapi: string): string | symbol {
  return /^3\.[01]/.test(openapi) ? TOLD : 'itemSchema'
}

/** Adds the items that have no field to the descriptions of their responses. */
export function withItemWords<Paths extends object>(paths: Paths): Paths {
  return mapResponses(paths, (response, content) => {
    const words = Object.entries(content).flatMap(([type, media]) =>
      isObject(media) && TOLD in media ? [wordsOf(type, media[TOLD])] : [],
    )
    return words.length === 0 ? response : { ...response, description: [response.description, ...words].join('\n\n') }
  }) as Paths
}

function wordsOf(type: string, schema: unknown): string {
  const json = JSON.stringify(schema, undefined, 2).replaceAll('`', '\\u0060')
  return `Each item of \`${type}\` has this schema:\n\n\`\`\`json\n${json}\n\`\`\``
}

const WORDS = /Each item of `([^`\n]*)` has this schema:\n\n```json\n([^`]*)\n```/g

/** Returns the paths of a document with the items that its descriptions have as fields. */
export function withItemSchemas(paths: unknown): unknown {
  return mapResponses(paths, (response, content) => {
    const items = [...String(response.description).matchAll(WORDS)].map(([, type, json]) => [
      type,
      parsedJson(json as string)?.value,
    ])
    const told = Object.fromEntries(
      items.map(([type, itemSchema]) => [type, { ...Object(content[type as string]), itemSchema }]),
    )
    return { ...response, content: { ...content, ...told } }
  })
}

/** Maps the responses with content. */
function mapResponses(paths: unknown, map: (response: JsonSchema, content: JsonSchema) => JsonSchema): unknown {
  const response = (one: unknown) => (isObject(one) && isObject(one.content) ? map(one, one.content) : one)
  const operation = (one: unknown) =>
    isObject(one) && isObject(one.responses) ? { ...one, responses: mapped(one.responses, response) } : one
  return mapped(paths, (item) => mapped(item, operation))
}

/** Maps the values of an object, and returns any other value as it is. */
function mapped(value: unknown, map: (value: unknown) => unknown): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, map(one)]))
}
