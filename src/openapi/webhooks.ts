// The requests that the server sends to its clients: the option `webhooks`.
import { isSchema, SCHEMA_TAKES } from '../schemas/check'
import type { JsonSchema } from '../schemas/model'
import { JSON_TYPE } from '../survey/described'
import type { Schema } from '../types'
import { badOption, checkKeys } from '../util/options'
import { ended } from '../util/text'
import { plainName, unique } from './document-paths'
import type { OpenApiPathItem } from './openapi-types'
import type { DocumentSchemas } from './user-schemas'
import { SUCCESS } from './version-facts'

/** A request that the server sends to its clients, by POST. */
export interface OpenApiWebhook {
  /** The schema of its body, which is JSON, in the newest version. */
  body: Schema
}

/** The bodies of webhooks by name. */
export type Webhooks = ReadonlyMap<string, Schema>

/**
 * Reads the option.
 *
 * @throws {TypeError} for anything but objects with the schema of a body.
 */
export function checkedWebhooks(owner: string, given: unknown): Webhooks {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw badOption(owner, 'webhooks', "an object such as { 'order-created': { body: Order } }", given)
  }
  const all = Object.entries(given).filter(([, webhook]) => webhook !== undefined)
  return new Map(
    all.map(([name, webhook]) => {
      const place = `webhooks.${name}`
      checkKeys(`${owner}: option "${place}"`, webhook, ['body'])
      if (!isSchema(webhook.body)) throw badOption(owner, `${place}.body`, SCHEMA_TAKES, webhook.body)
      return [name, webhook.body]
    }),
  )
}

/**
 * Describes the webhooks in the version of a document.
 *
 * @param document the fields that the document has already. Its webhooks of other names stay.
 */
export function webhooksIn(
  webhooks: Webhooks,
  document: JsonSchema,
  schemas: DocumentSchemas,
  ids: Set<string>,
): object {
  if (webhooks.size === 0) return {}
  const own = [...webhooks].map(([name, body]): [string, OpenApiPathItem] => {
    const operationId = unique(`webhook-${plainName(name, '-')}`, ids)
    const use = {
      direction: 'output',
      hint: `${operationId}-body`,
      operation: `webhook ${name}`,
      neutral: false,
    } as const
    const content = { [JSON_TYPE]: { schema: used(name, () => schemas.use(body, use)) } }
    return [
      name,
      {
        post: { operationId, requestBody: { required: true, content }, responses: { '2XX': { description: SUCCESS } } },
      },
    ]
  })
  // OpenAPI 3.0 has no webhooks. Tools know them under this name.
  const field = String(document.openapi).startsWith('3.0') ? 'x-webhooks' : 'webhooks'
  return { [field]: { ...(document[field] as object | undefined), ...Object.fromEntries(own) } }
}

function used<Schema>(name: string, use: () => Schema): Schema {
  try {
    return use()
  } catch (cause) {
    const { message } = cause as Error
    throw new TypeError(`openapi(): the webhook "${name}" cannot be written as OpenAPI: ${ended(message)}`, { cause })
  }
}
