import { HeaderVersioning, namedRoutes } from 'express-versioning'
import { change, fields, versionHistory } from 'express-versioning/changes'
import { explorer } from 'express-versioning/explorer'
import { serve } from '../support/serve'
import { respond } from '../support/tables'

// The row of an operation says in which versions it changed: by a step, by its head, by an older body, or by a shape that it contains.

const Order = { $id: 'Order', type: 'object', properties: { total: { type: 'number' } } }
const older = { response: { type: 'object', properties: { data: { type: 'array', items: Order } } } }
const history = versionHistory('v1')
  .version(
    'v2',
    change('Orders have a `total` instead of `sum`.', { Order: fields({ renamed: { sum: 'total' } }) }),
    change('Files are new.', { 'GET file': 'added', 'GET state': { headers: { 'X-A': null } } }),
  )
  .version('v3', change('A list has < 9 items.', { 'GET order-list': { response: (list) => list, older } }))
  .version(
    'v4',
    change('Errors have a code.', { '*': { error: (error) => error } }),
    change('A file has a size.', { 'GET file': { older: { response: {} } } }),
    change('A part is one of today.', { 'GET part': { headers: { 'X-A': null } } }),
  )

const routes = namedRoutes({
  'order-list': '/orders',
  order: '/orders/:id',
  file: '/file',
  state: '/state',
  any: '/any',
  part: '/part{/:id}',
})
for (const name of ['order-list', 'order', 'file', 'state', 'part'] as const) routes.route(name).get(respond)
routes.route('order-list').post(respond)
routes.route('any').all(respond)
routes
  .describe('GET order-list', { response: { type: 'array', items: Order } })
  .describe('GET order', { response: Order })
for (const name of ['GET file', 'GET state', 'GET any', 'DELETE any', 'GET part'] as const)
  routes.describe(name, { response: null })
for (const name of ['POST order-list', 'POST any', 'PUT any', 'PATCH any'] as const)
  routes.describe(name, { body: Order, response: null })

const page = explorer({ scheme: HeaderVersioning, changes: history, routes, neutral: ['/part'] })
const asked = async (Accept: string) => (await serve((app) => app.use('/docs', page))).get('/docs', { Accept })

const TOTAL = 'Orders have a `total` instead of `sum`.'
test('JSON names the changes of each cell', async () => {
  type Cells = { method: string; name: string; versions: { changes?: string[] }[] }
  const { routes } = (await asked('application/json')).json as { routes: Cells[] }
  const cells = routes.map(({ method, name, versions }) => [
    `${method} ${name}`,
    ...versions.map(({ changes }) => changes),
  ])
  expect(cells).toEqual([
    ['GET order-list', undefined, [TOTAL], ['A list has < 9 items.'], undefined],
    ['POST order-list', undefined, [TOTAL], undefined, undefined],
    ['GET order', undefined, [TOTAL], undefined, undefined],
    ['GET file', undefined, undefined, undefined, ['A file has a size.']],
    ['GET state', undefined, ['Files are new.'], undefined, undefined],
    ['ALL any', undefined, [TOTAL], undefined, undefined],
    ['GET part', undefined, undefined, undefined, ['A part is one of today.']],
    // Its path without a version.
    ['GET part', undefined, undefined, undefined, undefined],
  ])
})

test('the text and the page mark them', async () => {
  const { text } = await asked('text/plain')
  expect(text).toMatch(/^GET {3}\/orders +order-list +yes +changed +changed +yes$/m)
  expect(text).toMatch(/^GET {3}\/file +file +- +yes +yes +changed$/m)
  const { text: html } = await asked('text/html')
  const [, row = ''] = /\/orders<p>order-list(.*)/.exec(html) ?? []
  const bare = row.replaceAll(/<code>curl.*?<\/code>/g, '').replaceAll(/<\/?(details|summary)>/g, '|')
  expect(bare).toBe(
    '<td>||yes||<td>||yes <strong>changed</strong>|<p>Orders have a <code>total</code> instead of <code>sum</code>.</p>|<td>||yes <strong>changed</strong>|<p>A list has &lt; 9 items.</p>|<td>||yes||',
  )
})
