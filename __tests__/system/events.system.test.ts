// A feed that a browser reads with EventSource: in the client's version, as it flows, and again from the last event.
import type { Response } from 'express'
import { namedRoutes, QueryParameterVersioning, versioning } from 'express-versioning'
import { change, events, fields, versionHistory } from 'express-versioning/changes'
import { type Browser, chromium, type Page } from 'playwright-core'
import { serve } from '../support/serve'
import { binary } from './support/debian'

const Order = { $id: 'Order', type: 'object', properties: { total: { type: 'integer' } }, required: ['total'] }
const changes = versionHistory('v1').version(
  'v2',
  change('Orders have a `total`, and are `created` instead of `new`.', {
    Order: fields({ renamed: { amount: 'total' } }),
    'GET feed': {
      item: (event: { event: string; data: object }) => ({ ...event, event: 'new' }),
      older: { item: events({ new: Order }) },
    },
  }),
)

let browser: Browser
beforeAll(async () => {
  browser = await chromium.launch({ executablePath: binary('chromium'), args: ['--no-sandbox'] })
})
afterAll(() => browser.close())

/** Opens a page that listens to the feed in a version, and returns what it has got so far. */
async function listening(page: Page, origin: string, version: string, event: string) {
  await page.goto(`${origin}/page`)
  await page.evaluate(
    `got = []; source = new EventSource('/feed?version=${version}'); source.addEventListener('${event}', ({ data, lastEventId }) => got.push([data, lastEventId]))`,
  )
  return (count: number) => page.waitForFunction(`got.length >= ${count} && JSON.stringify(got)`)
}

test.each([
  ['v1', 'new', 'amount'],
  ['v2', 'created', 'total'],
])('EventSource reads the events of %s, and goes on after its last one', async (version, event, property) => {
  const feeds: { res: Response; last: string | undefined }[] = []
  const routes = namedRoutes({ feed: '/feed' })
  const content = { 'text/event-stream': { itemSchema: events({ created: Order }) } }
  routes.describe('GET feed', { response: { 200: { content } } })
  routes.route('feed').get((req, res) => {
    res.type('text/event-stream').write('retry: 10\n: hello\n\n')
    feeds.push({ res, last: req.get('Last-Event-ID') })
  })
  const { origin } = await serve((app) => {
    app.get('/page', (_req, res) => void res.type('html').send('<!doctype html><link rel=icon href=data:,>'))
    app.use(versioning({ scheme: QueryParameterVersioning, changes, routes }), routes)
  })
  const page = await browser.newPage()
  const got = await listening(page, origin, version, event)
  while (feeds.length < 1) await new Promise(setImmediate)
  // The response stays open: each event arrives by itself, however it is cut.
  feeds[0]?.res.write('id: 1\nevent: created\nda')
  feeds[0]?.res.write('ta: {"total":1}\n\n')
  await got(1)
  feeds[0]?.res.end('id: 2\nevent: created\ndata: {"total":2}\n\n')
  while (feeds.length < 2) await new Promise(setImmediate)
  feeds[1]?.res.write('id: 3\nevent: created\ndata: {"total":3}\n\n')
  const all = await (await got(3)).jsonValue()
  expect(JSON.parse(all as string)).toEqual([1, 2, 3].map((number) => [`{"${property}":${number}}`, `${number}`]))
  expect(feeds.map(({ last }) => last)).toEqual([undefined, '2'])
  await page.close()
})
