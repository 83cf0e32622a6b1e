// This suite compares the cost of a converted item with the same done by hand.
import { expressOf, packageWith, responding } from './apps.mjs'

const text = { type: 'string' }
const objectOf = (properties) => ({ type: 'object', properties, required: Object.keys(properties) })
const Order = {
  $id: 'Order',
  ...objectOf({ id: { type: 'integer' }, given: text, family: text, email: text, since: text }),
}
const OLD = objectOf({ id: { type: 'integer' }, name: text, email: text, since: text })
const orderOf = (id) => ({
  id,
  given: 'Ada',
  family: 'Lovelace',
  email: 'ada@example.com',
  since: '1843-09-01T00:00:00.000Z',
})
const toOld = ({ given, family, ...order }) => ({ ...order, name: `${given} ${family}` })
const ORDERS = Array.from({ length: 1000 }, (_, id) => orderOf(id))

const KINDS = {
  events: {
    type: 'text/event-stream',
    write: (order) => `event: created\ndata: ${JSON.stringify(order)}\n\n`,
    itemOf: (events) => events({ created: Order }),
    step: (event) => ({ ...event, data: toOld(event.data) }),
  },
  lines: {
    type: 'application/x-ndjson',
    write: (order) => `${JSON.stringify(order)}\n`,
    itemOf: () => Order,
    step: toOld,
  },
}

/** The last chunk, which is empty. */
const END = ''

/** Converts an item by hand, where its text is written. */
const byHand = (kind) => (item) => kind.write(toOld(JSON.parse(item.slice(item.indexOf('{')))))

/** @param said the changes of the operation and of shapes; undefined for an app without `changes` */
async function appWith(major, kind, { said, version, convert = (item) => item }) {
  const { HeaderVersioning, namedRoutes, versioning } = await packageWith('namedRoutes', 'HeaderVersioning')
  const { change, events, shape, versionHistory } = await import('express-versioning/changes')
  const express = await expressOf(major)
  const api = namedRoutes({ feed: '/feed' })
  api.describe('GET feed', { response: { 200: { content: { [kind.type]: { itemSchema: kind.itemOf(events) } } } } })
  api.describe('*', { response: { '4XX': null, '5XX': null } })
  api.route('feed').get((_req, res) => {
    res.type(kind.type)
    for (const order of ORDERS) res.write(convert(kind.write(order)))
    res.end()
  })
  const app = express()
  const given =
    said === undefined
      ? { allowedVersions: ['v1', 'v2'] }
      : { changes: versionHistory('v1').version('v2', change('Names.', said(shape, kind))) }
  app.use(versioning({ scheme: HeaderVersioning, routes: api, ...given }), api)
  return responding(app, { url: '/feed', headers: { 'X-API-Version': version }, body: END })
}

const byShape = (shape) => ({ Order: shape(OLD, Order, { response: toOld }) })
const byStep = (_shape, { step }) => ({ 'GET feed': { item: step } })

/** @param {4 | 5} major of Express */
export function streams(major) {
  const cases = Object.entries(KINDS).flatMap(([id, kind]) => {
    const one = (name, label, asked, more = {}) => ({
      id: `${id}-${name}`,
      label: `${label}: 1,000 ${id}`,
      ...more,
      prepare: () => appWith(major, kind, asked),
    })
    const older = { version: 'v1' }
    return [
      one('hand', 'by hand', { ...older, convert: byHand(kind) }),
      one('step', '**an `item` step**', { ...older, said: byStep }, { floor: `${id}-hand`, limits: { ratio: 2.5 } }),
      // A case with a floor is no floor of others.
      one('by-step', 'an `item` step', { ...older, said: byStep }),
      one('shape', '**a shape**', { ...older, said: byShape }, { floor: `${id}-by-step`, limits: { ratio: 1.3 } }),
      one('without', 'without `changes`', { version: 'v2' }),
      one(
        'newest',
        '**the newest version**',
        { version: 'v2', said: byShape },
        { floor: `${id}-without`, limits: { ratio: 1.05 } },
      ),
    ]
  })
  return {
    id: `streams-${major}`,
    batchMs: 60,
    generations: 3,
    rounds: 6,
    title: `Streams, over the same done by hand, Express ${major}`,
    about: 'Streams of 1,000 items, each written alone; by hand, each item is parsed, converted and written again.',
    cases,
  }
}
