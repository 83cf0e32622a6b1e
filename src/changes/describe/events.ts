// The public API of event streams: `events()`.
import { isSchema, SCHEMA_TAKES } from '../../schemas/check'
import { eventsSchema } from '../../schemas/events'
import type { Schema } from '../../types'
import { badOption, shown } from '../../util/options'

const OWNER = 'events()'

/**
 * Makes the schema of the items of an event stream, as OpenAPI 3.2 has it: the name of an event tells the schema of its data, which
 * is JSON in a string.
 *
 * @param data the schemas of the data by the name of the event. `message` is the name of events without one.
 * @throws {TypeError} for no events, for a name that no event can have, and for what is no schema.
 * @example
 * api.describe('GET order-feed', {
 *   response: { 200: { content: { 'text/event-stream': { itemSchema: events({ created: Order, deleted: OrderRef }) } } } },
 * })
 */
export function events(data: { readonly [event: string]: Schema }): Schema {
  const given = typeof data === 'object' && data !== null ? Object.entries(data) : []
  if (given.length === 0) {
    throw new TypeError(
      `${OWNER} takes the schemas of events by their names, such as { created: Order }; got ${shown(data)}.`,
    )
  }
  for (const [name, schema] of given) {
    if (name === '' || /[\r\n\0]/.test(name)) throw new TypeError(`${OWNER} takes names of events; got ${shown(name)}.`)
    if (!isSchema(schema)) throw badOption(OWNER, name, SCHEMA_TAKES, schema)
  }
  return eventsSchema(new Map(given))
}
