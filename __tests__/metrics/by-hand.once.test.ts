import type { RequestHandler } from 'express'
import { HeaderVersioning, namedRoutes } from 'express-versioning'
import { change, shape, versionHistory } from 'express-versioning/changes'
import { versionMetrics } from 'express-versioning/metrics'
import client, { Registry } from 'prom-client'

// Conversions by hand, counted for the changes that they meet.

const same = (value: unknown) => value
const end: RequestHandler = (_req, res) => void res.end()
const failing = () => {
  throw new Error('mine')
}
const HISTORY = versionHistory('v1')
  .version('v2', change('Orders have a total.', { 'GET order': { response: same }, 'POST order': { request: same } }))
  .version(
    'v3',
    change('The report is gone.', { 'GET report': 'removed' }),
    change('Events have a time.', { 'GET feed': { item: same } }),
    change('Creations are 201.', { 'PUT order': { status: { 201: 200 } } }),
    change('It fails.', { 'DELETE order': { response: failing } }),
  )
const SHAPES = versionHistory('v1').version(
  'v3',
  change('Items have a price.', {
    Item: shape({ type: 'object' }, { type: 'object' }, { response: same, request: same }),
  }),
)
function orders() {
  const routes = namedRoutes({ order: '/order', report: '/report', feed: '/feed', health: '/health' })
  for (const name of ['order', 'report', 'feed', 'health'] as const) routes.route(name).all(end)
  routes.describe('PUT order', { response: { 201: {} } })
  routes.describe('GET feed', { response: { 200: { content: { 'application/x-ndjson': { itemSchema: {} } } } } })
  return routes
}
function items() {
  const routes = namedRoutes({ list: '/list', health: '/health' })
  routes.route('list').get(end)
  routes.route('health').get(end)
  routes.describe('GET list', { response: { type: 'array', items: { type: 'object', $id: 'Item' } } })
  return routes
}

function byHand(consumers: Iterable<string> | ((name: string) => boolean) | undefined, hasShapes = false) {
  const [changes, routes] = hasShapes ? [SHAPES, items()] : [HISTORY, orders()]
  const options = { scheme: HeaderVersioning, defaultVersion: 'v3', changes, routes, neutral: ['health'] }
  const register = new Registry()
  const given = consumers === undefined ? {} : { consumer: () => undefined, consumers }
  const metrics = versionMetrics(options, { prometheus: client, register, ...given })
  const counted = async (name: string) => {
    const lines = (await register.metrics()).split('\n').filter((line) => line.startsWith(`api_version_${name}{`))
    const valuesOf = (line: string) => [...line.matchAll(/="(.*?)"/g)].map(([, value]) => value).join('|')
    return lines
      .filter((line) => !line.endsWith(' 0'))
      .map((line) => `${valuesOf(line)} ${line.split(' ').at(-1)}`)
      .sort()
  }
  return { hand: changes.for({ ...options, metrics }), counted, options }
}

type Convert = (hand: ReturnType<typeof byHand>['hand'], to: { consumer: string }) => unknown
test.each<[what: string, convert: Convert, met: string[]]>([
  ['a response', (hand, to) => hand.response('GET order', {}, 'v1', to), ['Orders have a total.']],
  ['a response with a shape', (hand, to) => hand.response('GET list', [{}], 'v1', to), ['Items have a price.']],
  ['a response without a place', (hand, to) => hand.response('GET list', [], 'v1', to), []],
  ['a request', (hand, to) => hand.request('POST order', {}, 'v1', to), ['Orders have a total.']],
  ['a shape', (hand, to) => hand.shape('Item', {}, 'v1', to), ['Items have a price.']],
  ['an item', (hand, to) => hand.item('GET feed', {}, 'v2', to), ['Events have a time.']],
  [
    'an operation that is removed later',
    (hand, to) => hand.response('GET report', {}, 'v2', to),
    ['The report is gone.'],
  ],
  ['a status', (hand, to) => hand.response('PUT order', {}, 'v2', to), ['Creations are 201.']],
  ['the newest version', (hand, to) => hand.response('GET order', {}, 'v3', to), []],
  ['a neutral route', (hand, to) => hand.response('GET health', {}, 'v1', to), []],
])('%s', async (what, convert, met) => {
  const { hand, counted } = byHand(['acme'], what.includes('shape') || what.includes('place'))
  convert(hand, { consumer: 'acme' })
  const short = (lines: string[]) => lines.map((line) => line.replace(/^v\d\|/, ''))
  expect(short(await counted('change_requests_total'))).toEqual(met.map((change) => `${change} 1`))
  expect(short(await counted('change_consumer_requests_total'))).toEqual(met.map((change) => `${change}|acme 1`))
  const last = await counted('change_last_request_timestamp_seconds')
  expect(last.map((line) => Math.abs(Number(line.split(' ').at(-1)) - Date.now() / 1000) < 60)).toEqual(
    met.map(() => true),
  )
})

test('a conversion that fails counts too', async () => {
  const { hand, counted } = byHand(undefined)
  expect(() => hand.response('DELETE order', {}, 'v2', { consumer: 'acme' })).toThrow('It fails.')
  expect(await counted('change_requests_total')).toEqual(['v2|It fails. 1'])
  expect(await counted('change_consumer_requests_total')).toEqual([])
})

test('the receiver is one of the consumers, another one, or nobody', async () => {
  const { hand, counted } = byHand((name) => name === 'acme')
  for (const consumer of ['acme', 'globex', undefined]) hand.request('POST order', {}, 'v1', { consumer })
  hand.request('POST order', {}, 'v1')
  const labels = ['acme 1', 'other 1', ' 2'].map((count) => `v1|Orders have a total.|${count}`)
  expect(await counted('change_consumer_requests_total')).toEqual(labels.sort())
})

test('without metrics nothing is counted, and wrong ones are rejected', () => {
  const { options } = byHand(undefined)
  const plain = HISTORY.for(options)
  expect(plain.response('GET order', {}, 'v1', { consumer: 'acme' })).toEqual({})
  for (const metrics of [null, {}, 'x'])
    expect(() => HISTORY.for({ ...options, metrics: metrics as never })).toThrow(
      'for(): option "metrics" takes the result of versionMetrics(); got ',
    )
  expect(() => HISTORY.for({ ...options, metric: 1 } as never)).toThrow('Did you mean "metrics"?')
})

test('metrics without a history count no conversion by hand', () => {
  const { options } = byHand(undefined)
  const other = { ...options, changes: undefined, neutral: [], allowedVersions: ['v1', 'v2', 'v3'] }
  const metrics = versionMetrics(other, { prometheus: client, register: new Registry() })
  expect(HISTORY.for({ ...options, metrics }).response('GET order', {}, 'v1')).toEqual({})
})
