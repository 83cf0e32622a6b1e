import * as library from 'express-versioning'
import { byVersion, deprecated, type NamedRoutes, namedRoutes, type VersioningOptions } from 'express-versioning'
import { change, fields, shape, versionHistory } from 'express-versioning/changes'
import { overviewOf } from '../../src/explorer/overview'
import { type Links, pageOf } from '../../src/explorer/page'
import { styleFor } from '../../src/explorer/style'
import { textOf } from '../../src/explorer/text'
import { Surveyor } from '../../src/survey/survey'
import { rows } from '../support/rows'
import { respond, table } from '../support/tables'

const { HeaderVersioning } = library
const allowedVersions = ['v1', 'v2', 'v3']
const NO_LINKS: Links = { changes: undefined, swaggerUi: undefined, document: () => undefined }

const overview = (options: VersioningOptions, mount?: string, origin?: string) =>
  overviewOf(new Surveyor('test', options, mount), { title: 'Shop', origin })
const json = (options: VersioningOptions, mount?: string) => JSON.parse(JSON.stringify(overview(options, mount)))
const html = (options: VersioningOptions, links = NO_LINKS, mount = '/') => {
  const shown = overview(options, mount)
  return pageOf(shown, links, styleFor(shown.versions.toReversed()).text)
}

const bare = (part: string) => part.replaceAll(/(<[^>]*>|\s)+/g, ' ').trim()
const plansIn = (page: string) =>
  page.slice(page.indexOf('<ol>'), page.indexOf('</ol>')).split('\n').slice(1, -1).map(bare)

afterEach(() => jest.restoreAllMocks())
const at = (date: string) => jest.spyOn(Date, 'now').mockReturnValue(Date.parse(date))

const lifecycle = {
  v1: { deprecated: '2024-01-01', sunset: '2025-01-01', afterSunset: 'gone', successor: 'v3' },
  v2: { deprecated: '2026-01-01', sunset: '2026-05-30T12:30:00Z', info: 'https://a.test/?a&b', successor: 'v3' },
  v3: { deprecated: '2029-01-01', sunset: '2030-01-01T00:00:30Z' },
} as const

/** Builds a shop with a gone version, a version behind its end, and routes that came and went. */
function shop(): VersioningOptions {
  const orders = table({ list: '/', export: '/export' }).add('ship', '/ship')
  orders.route('list').post(byVersion({ v1: respond, v3: respond }, { fallback: 'lower' }))
  orders.route('ship').post(respond)
  const routes = table({ status: '/status' }).add('find', '/find').include('/orders', orders, { namespace: 'orders' })
  routes.route('find').get(deprecated({ since: '2025-01-01', sunset: '2031-05-06' }), respond)
  const gone = change('The `export` is\n  gone.', { 'GET orders:export': 'removed' })
  const came = change('Orders <ship>.', { 'POST orders:ship': 'added' })
  const changes = versionHistory('v1').version('v2').version('v3', gone, came).version('v4')
  return { scheme: HeaderVersioning, defaultVersion: 'v4', changes, routes, neutral: ['status'], lifecycle }
}

test('the page says the plan first, then what differs, with headers, landmarks and a command behind each dot', () => {
  at('2026-06-01')
  const document = (version: string) => (version === 'v4' ? undefined : `/openapi/${version}.json?&`)
  const page = html(shop(), { changes: '/docs/changes', swaggerUi: '/docs/ui/?"', document })
  expect(page.startsWith('<!doctype html><html lang=en>')).toBe(true)
  const details = /<details><summary>(.*?)<\/summary><code>(.*?)<\/code><\/details>/g
  expect(details.exec(page)?.[2]).toBe('curl http://localhost:3000/status')
  const body = page.slice(page.indexOf('<header>')).replaceAll(details, '[$1]')
  expect(
    body,
  ).toBe(`<header><h1>Shop</h1><p>6 routes, 4 versions</p><nav><a href="/docs/changes">What changed</a> · <a href="/docs/ui/?&quot;">Try it</a></nav><p>Send <kbd>X-API-Version: v4</kbd></header>
<main><h2>Versions</h2><ol>
<li><h3 id="v4">v4</h3><p>the default
<li><h3 id="v3">v3</h3><p>retiring from <time>2029-01-01</time><p><em>ends <time>2030-01-01 00:00:30Z</time></em><p><a href="/openapi/v3.json?&amp;">OpenAPI</a><h4>Changed</h4><ul><li>The <code>export</code> is gone.<li>Orders &lt;ship&gt;.</ul><h4><em>Removed</em></h4><ul><li><code>GET /orders/export</code></ul><h4>New</h4><ul><li><code>POST /orders/ship</code></ul>
<li class=d><h3 id="v2">v2 <mark>deprecated</mark></h3><p>deprecated since <time>2026-01-01</time><p><em>was to end <time>2026-05-30 12:30Z</time></em><p>use v3 · <a href="https://a.test/?a&amp;b">notice</a> · <a href="/openapi/v2.json?&amp;">OpenAPI</a>
<li class=g><h3 id="v1">v1 <mark>gone</mark></h3><p>deprecated since <time>2024-01-01</time><p><em>gone since <time>2025-01-01</time></em><p>use v3 · <a href="/openapi/v1.json?&amp;">OpenAPI</a>
</ol><h2>Routes</h2><div role=region aria-labelledby=legend tabindex=0><table><caption id=legend>Routes by version. + opens a command.</caption><colgroup><col><col><col><col class=d><col class=g></colgroup><thead><tr><th scope=col>Route<th scope=col><b>v4</b><th scope=col><b>v3</b><p>retiring from <time>2029-01-01</time><p>ends <time>2030-01-01</time> <time>00:00:30Z</time><th scope=col class=d><b>v2</b> <mark>deprecated</mark><p>since <time>2026-01-01</time><p>was to end <time>2026-05-30</time> <time>12:30Z</time><th scope=col class=g><b>v1</b> <mark>gone</mark><p>since <time>2025-01-01</time><tbody>
<tr><th scope=row><b>GET</b> /status<p>status<td>[yes <i>any version</i>]<td>[yes <i>any version</i>]<td>[yes <i>any version</i>]<td class=g>
<tr><th scope=row><b>GET</b> /find<p>find<td>[yes <mark>deprecated</mark> <i>ends 2031-05-06</i>]<td>[yes <mark>deprecated</mark> <i>ends 2031-05-06</i>]<td>[yes <i>ends 2031-05-06</i>]<td class=g>
<tbody><tr><th scope=rowgroup>orders<td class=n colspan=4>
<tr><th scope=row><b>GET</b> /orders/<p>list<td>[yes]<td>[yes]<td>[yes]<td class=g>
<tr><th scope=row><b class=POST>POST</b> /orders/<p>list<td>[yes <i>same as v3</i>]<td>[yes]<td>[yes <i>same as v1</i>]<td class=g>
<tr><th scope=row><b>GET</b> /orders/export <em>until v2</em><p>export<td class=n>–<td class=r>removed<td>[yes]<td class=g>
<tr><th scope=row><b class=POST>POST</b> /orders/ship<p>ship<td>[yes]<td>[yes]<td class=n>–<td class=g>
</table></div></main>
`)
})

const numbered = (count: number, text: string) => Array.from({ length: count }, (_, index) => text + index)
test('the page of many new routes names eight in the plan, and nine if there are no more', () => {
  const plan = (count: number) => {
    const routes = table(Object.fromEntries(numbered(count, '/r').map((path) => [path.slice(1), path])))
    return plansIn(html(spaced(['v1', '/v1', table({})], ['v2', '/v2', routes])))[0]
  }
  const named = (count: number) => `v2 New ${numbered(count, 'GET /v2/r').join(' ')}`
  expect([plan(9), plan(10)]).toEqual([named(9), `${named(8)} and 2 more`])
  // Only requests without a version reach this route.
  expect(plansIn(html({ ...byPath, defaultVersion: 'v2' })).find((plan) => plan.startsWith('v2'))).toBe(
    'v2 the default',
  )
})

test('the columns of many versions are closer', () => {
  const widthOf = (count: number) => {
    const allowedVersions = Array.from({ length: count }, (_, index) => `v${index}`)
    const page = html({ scheme: library.HeaderVersioning, routes: table({ list: '/' }), allowedVersions })
    return /min-width:([\d.]+)rem/.exec(page)?.[1]
  }
  expect([4, 5, 6].map(widthOf)).toEqual(['66', '65.5', '74'])
})

test('the page of 20 routes in 3 versions has at most 15,360 bytes', () => {
  const routes = namedRoutes({})
  for (const group of ['users', 'orders', 'products', 'payments']) {
    const paths = ['list', 'detail', 'search', 'export', 'archive'].map((name) => [`${group}-${name}`, `/${name}/:id`])
    routes.include(`/${group}`, table(Object.fromEntries(paths)), { namespace: group })
  }
  const ends = { sunset: '2099-06-01', successor: 'v2', info: 'https://api.example.com/ends' }
  const lifecycle = { v1: { deprecated: '2020-01-01', ...ends }, v2: { deprecated: '2099-01-01' } }
  const options = { scheme: HeaderVersioning, routes, lifecycle, allowedVersions }
  const links: Links = {
    changes: '/docs/changes',
    swaggerUi: '/docs/ui/',
    document: (version) => `/openapi/${version}.json`,
  }
  const size = Buffer.byteLength(html(options, links, '/api'))
  expect([routes.list().length, size > 8_000, size <= 15_360]).toEqual([20, true, true])
})

test('the JSON has what is public, and nothing else', () => {
  at('2026-06-01')
  const { title, versions, routes, ...more } = json(shop(), '/api')
  const [v1, v2] = ['2024-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z']
  const gone = { version: 'v1', deprecated: v1, sunset: '2025-01-01T00:00:00.000Z', successor: 'v3', gone: true }
  const ends = { version: 'v2', deprecated: v2, sunset: '2026-05-30T12:30:00.000Z', successor: 'v3' }
  expect([title, versions[0], versions[1], more]).toEqual(['Shop', gone, { ...ends, info: 'https://a.test/?a&b' }, {}])
  const command = (version: string) => `curl -X POST -H 'X-API-Version: ${version}' http://localhost:3000/api/orders/`
  const cells = ['v1', 'v2', 'v3', 'v4'].map((version, index) => {
    const served = { version, exists: true, servedBy: index < 2 ? 'v1' : 'v3' }
    return index === 0 ? served : { ...served, curl: command(version) }
  })
  const route = { method: 'POST', name: 'orders:list', path: '/api/orders/', group: 'orders' }
  expect(routes).toContainEqual({ ...route, versions: cells })
})

test('shapes tell the routes that contain them, on the page, in the text and in the JSON, and bodies have them', () => {
  const schema = ($id: string, properties = {}) => ({ $id, properties, required: Object.keys(properties) })
  const [User, Mail] = [schema('User', { given: { const: 1 } }), schema('Mail')]
  const Post = schema('Post', { author: User })
  const same = { response: (value: object) => value, request: (value: object) => value }
  const to = (newer: library.Schema, older: library.Schema) => shape<object, object>(older, newer, same)
  const older = { properties: { old: { const: 0 } }, required: ['old'] }
  const shapes = { User: to(User, older), Post: to(Post, { properties: { author: User } }), Mail: to(Mail, older) }
  const routes = table({ users: '/users', posts: '/posts', mails: '/mails', none: '/none' })
  const body = { properties: { user: User }, required: ['user'] }
  routes.describe('GET users', { response: null }).describe('POST users', { body, response: { 201: User, 404: null } })
  routes.describe('GET posts', { response: { items: Post } }).describe('GET mails', { response: Mail })
  routes.describe('POST none', { body })
  for (const name of ['users', 'none'] as const) routes.route(name).post(respond)
  const description = 'Users have `given`.'
  const changes = versionHistory('v1').version('v2', change(description, { ...shapes, 'GET mails': 'added' }))
  const options = { scheme: HeaderVersioning, changes, routes, neutral: ['none'] }
  const told = (name: string, ...operations: string[]) => ({ name, sentences: [description], operations })
  const shapesInV2 = [told('User', 'POST users', 'GET posts'), told('Post', 'GET posts'), told('Mail')]
  const operations = [{ method: 'GET', name: 'mails', path: '/api/mails', kind: 'added', parts: [] }]
  const changed = { version: 'v2', changes: [{ description, shapes: shapesInV2, operations }] }
  expect(json(options, '/api').versions).toMatchObject([{ version: 'v1' }, changed])
  const lines = ['User: POST /api/users, GET /api/posts', 'Post: GET /api/posts', 'Mail']
  const said = `\nv2\n  - ${description}\n${lines.map((line) => `    ${line}\n`).join('')}\n`
  expect(textOf(overview(options, '/api'))).toContain(said)
  const commands = JSON.stringify(json(options).routes).replaceAll('\\"', '')
  const [old, now] = ["-d '{user:{old:0}}'", "-d '{user:{given:1}}'"]
  expect(commands.match(/-d '.*?'/g)).toEqual([old, now, now, now])
  const page = html(options)
  expect(plansIn(page)[0]).toMatch(/ Post in GET \/posts Mail New GET \/mails$/)
  expect(page).toContain('<li>Users have <code>given</code>.<p><code>User</code> in <code>POST /users</code>, <code>')
})

const TOTAL = 'Orders have a `total` instead of `sum`.'
/** Builds a shop whose operations change by a step, by a head, by an older body, or by a shape that they contain. */
function changing(): VersioningOptions {
  const Order = { $id: 'Order', type: 'object', properties: { total: { type: 'number' } } }
  const list = { type: 'array', items: Order }
  const older = { response: { type: 'object', properties: { data: list } } }
  const head = { headers: { 'X-A': null } }
  const changes = versionHistory('v1')
    .version(
      'v2',
      change(TOTAL, { Order: fields({ renamed: { sum: 'total' } }) }),
      change('Files are new.', { 'GET file': 'added', 'GET state': head }),
    )
    .version('v3', change('A list has < 9 items.', { 'GET order-list': { response: (list) => list, older } }))
    .version(
      'v4',
      change('Errors have a code.', { '*': { error: (error) => error } }),
      change('A file has a size.', { 'GET file': { older: { response: {} } } }),
      change('A part is one of today.', { 'GET part': head }),
    )
  const routes = table({ 'order-list': '/orders', order: '/orders/:id', file: '/file', state: '/state' })
  routes.add('any', '/any').add('part', '/part{/:id}')
  routes.route('order-list').post(respond)
  routes.route('any').all(respond)
  routes.route('part').get(respond)
  routes.describe('GET order-list', { response: list }).describe('GET order', { response: Order })
  for (const name of ['GET file', 'GET state', 'GET any', 'DELETE any', 'GET part'] as const)
    routes.describe(name, { response: null })
  for (const name of ['POST order-list', 'POST any', 'PUT any', 'PATCH any'] as const)
    routes.describe(name, { body: Order, response: null })
  return { scheme: HeaderVersioning, changes, routes, neutral: ['/part'] }
}

test('JSON, text and page name the changes of each cell', () => {
  type Row = { method: string; name: string; versions: { changes?: string[] }[] }
  const cells = (json(changing()).routes as Row[]).map(({ method, name, versions }) => [
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
  const text = textOf(overview(changing()))
  expect(text).toMatch(/^GET {3}\/orders +order-list +yes +changed +changed +yes$/m)
  expect(text).toMatch(/^GET {3}\/file +file +- +yes +yes +changed$/m)
  const [, row = ''] = /\/orders<p>order-list(.*)/.exec(html(changing())) ?? []
  expect(row.replaceAll(/<code>curl.*?<\/code>/g, '').replaceAll(/<\/?(details|summary)>/g, '|')).toBe(
    '<td>||yes||<td>||yes <strong>changed</strong>|<p>A list has &lt; 9 items.</p>|<td>||yes <strong>changed</strong>|<p>Orders have a <code>total</code> instead of <code>sum</code>.</p><p>Send <code>total</code> instead of <code>sum</code>.</p><p>Responses have <code>total</code> instead of <code>sum</code>.</p><p>before <code>{&quot;sum&quot;:1}</code></p><p>now <code>{&quot;total&quot;:1}</code></p>|<td>||yes||',
  )
})

type Space = readonly [namespace: string, prefix: string, path: string | NamedRoutes]
const spaced = (...spaces: Space[]) => {
  const routes = namedRoutes({})
  for (const [namespace, prefix, path] of spaces)
    routes.include(prefix, typeof path === 'string' ? table({ x: path }) : path, { namespace })
  return { scheme: library.NamespaceVersioning, allowedVersions: ['v1', 'v2'], routes }
}
const below = (namespace: string, path: string) => namedRoutes({}).include('/a', table({ x: path }), { namespace })
const twice: Space[] = [
  ['v1', '/v1', below('a', '/1')],
  ['a', '/a', below('v1', '/2')],
  ['v2', '/v2', below('a', '/1')],
]
const byPath = { allowedVersions, scheme: library.URLPathVersioning, defaultVersion: 'v1', routes: table({ x: '/x' }) }
test.each<[what: string, options: VersioningOptions, ...rows: string[]]>([
  ['the place of the version', spaced(['v1', '/v1', '/a'], ['v2', '/v2', '/a']), 'GET /:version/a x yes yes'],
  ['the path of the newest', spaced(['v2', '/v2', '/b'], ['v1', '/v1', '/a']), 'GET /v2/b x yes yes'],
  ['a shorter path', spaced(['v1', '/v1', '/a/b'], ['v2', '/v2', '/a']), 'GET /v2/a x yes yes'],
  ['a difference that is no version', spaced(['v1', '/old', '/a'], ['v2', '/new', '/a']), 'GET /new/a x yes yes'],
  ['not what is there twice', spaced(...twice), 'a', 'GET /:version/a/1 x yes yes', 'GET /a/a/2 x yes removed'],
  ['only requests without a version', byPath, 'GET /x x if no version is named - -'],
])('one row has %s', (_, options, ...expected) => {
  const [, , , text = ''] = textOf(overview(options)).split('\n\n')
  expect(text.trim().replaceAll(/ +/g, ' ').split('\n')).toEqual(expected)
})

test('the text is a table, in which one row has the methods of one all() unless they are not served alike', () => {
  at('2026-06-01')
  const routes = namedRoutes({ every: '/every', all: '/all', put: '/put', own: '/own{.:format}', any: '/e\u0301' })
  for (const name of ['every', 'all', 'put'] as const) routes.route(name).all(respond)
  routes.route('put').put(respond)
  routes.route('own').get(deprecated({ since: '2025-01-01', sunset: '2031-05-06' }), byVersion({ v3: respond }))
  routes.route('any').get(byVersion({ v3: respond }, { otherwise: respond }))
  const said = namedRoutes({ said: '/said' }).describe('GET said', { deprecated: true })
  said.describe('PUT said', { versions: { v3: { deprecated: true } } })
  said.route('said').all(respond)
  const removed = change('One is\n  gone.', { 'DELETE all': 'removed' })
  const changes = versionHistory('v1').version('v2').version('v3', removed).version('v4')
  const all = namedRoutes({}).include('/', said, { namespace: 'said' }).include('/', routes)
  expect(`\n${textOf(overview({ scheme: HeaderVersioning, changes, routes: all, lifecycle }, '/api'))}`).toBe(`
Shop

v1: deprecated since 2024-01-01, gone since 2025-01-01, use v3
v2: deprecated since 2026-01-01, was to end 2026-05-30 12:30Z, use v3, https://a.test/?a&b
v3: retiring from 2029-01-01, ends 2030-01-01 00:00:30Z
  - One is gone.
v4

                                   v1    v2           v3                           v4
                                   gone  deprecated

said
GET     /api/said           said         yes          deprecated                   deprecated
POST    /api/said           said         yes          yes                          yes
PATCH   /api/said           said         yes          yes                          yes
DELETE  /api/said           said         yes          yes                          yes
PUT     /api/said           said         yes          deprecated                   yes

ALL     /api/every          every        yes          yes                          yes
GET     /api/all            all          yes          yes                          yes
POST    /api/all            all          yes          yes                          yes
PUT     /api/all            all          yes          yes                          yes
PATCH   /api/all            all          yes          yes                          yes
DELETE  /api/all            all          yes          removed                      -
PUT     /api/put            put          yes          yes                          yes
GET     /api/own{.:format}  own          -            deprecated, ends 2031-05-06  removed
GET     /api/e\u0301              any          any version  yes                          any version
`)
})

const HOSTS = rows(`
  http://v1.example.com:8080 | curl http://v2.example.com:8080/x
  http://shop.test:80        | curl -H 'Host: v2.shop.test' http://shop.test:80/x
  https://WWW.Example.com    | curl https://v2.Example.com/x
  http://[::1]:3000          | curl -H 'Host: v2.example.com' 'http://[::1]:3000/x'
`)
test.each(HOSTS)('a version in hosts, from %s: %s', (origin = '', command) => {
  const options = { scheme: library.HostNameVersioning, allowedVersions, routes: table({ x: '/x' }) }
  expect(overview(options, '/', origin).routes[0]?.cells[1]?.curl).toBe(command)
})

class CookieVersioning extends library.BaseVersioning {
  override readVersion() {
    return undefined
  }
  override carry(value: string): library.VersionCarrier | undefined {
    return { in: 'cookie', name: 'version', value }
  }
}
class SilentVersioning extends CookieVersioning {
  override carry() {
    return undefined
  }
}

const inPath = namedRoutes({}).include('{/:version}', table({ x: '/x' }))
const inHost = table({ x: '/x' })
const inNamespace = namedRoutes({}).include('/v3', inHost, { namespace: 'v3' })
const ended = { deprecated: '2020-01-01', sunset: '2021-01-01', afterSunset: 'gone' } as const
test.each<[how: string, VersioningOptions['scheme'], NamedRoutes, newest: string, advice?: string]>([
  ['a header', HeaderVersioning, inPath, 'v 3', 'Send <kbd>X-API-Version: v 3</kbd>'],
  ['the query', library.QueryParameterVersioning, inPath, 'v 3', 'Add <kbd>?version=v+3</kbd>'],
  ['the path', library.URLPathVersioning, inPath, 'v 3', 'Begin the path with <kbd>/v%203</kbd>'],
  ['a namespace', library.NamespaceVersioning, inNamespace, 'v3', 'Begin the path with <kbd>/v3</kbd>'],
  ['the host', library.HostNameVersioning, inHost, 'v3', 'Begin the host with <kbd>v3.</kbd>'],
  ['a cookie', CookieVersioning, inPath, 'v 3', 'Send <kbd>Cookie: version=v 3</kbd>'],
  ['nothing that can be said', SilentVersioning, inPath, 'v 3'],
  ['no header, because it is gone,', HeaderVersioning, inHost, 'gone'],
])('the page says how %s names the newest version', (_, scheme, routes, newest, advice = undefined) => {
  const lifecycle = newest === 'gone' ? { gone: ended } : { v4: { preview: true } }
  const allowedVersions = newest === 'gone' ? [newest] : [newest, 'v4']
  const page = html({ scheme, allowedVersions, routes, lifecycle } as VersioningOptions)
  expect(/<p>([^<]*<kbd>.*?<\/kbd>)/.exec(page)?.[1]).toBe(advice)
})
