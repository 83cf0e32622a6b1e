import {
  AcceptHeaderVersioning,
  byVersion,
  deprecated,
  HeaderVersioning,
  HostNameVersioning,
  NamespaceVersioning,
  namedRoutes,
  URLPathVersioning,
  type VersioningOptions,
} from 'express-versioning'
import { change, shape, versionHistory } from 'express-versioning/changes'
import { overviewOf } from '../../src/explorer/overview'
import { type Links, pageOf } from '../../src/explorer/page'
import { styleFor } from '../../src/explorer/style'
import { textOf } from '../../src/explorer/text'
import { Surveyor } from '../../src/survey/survey'
import { rows } from '../support/rows'

const answer = () => {}
const allowedVersions = ['v1', 'v2', 'v3']
const NO_LINKS: Links = { swaggerUi: undefined, document: () => undefined }

const overview = (options: VersioningOptions, mount?: string, origin?: string) =>
  overviewOf(new Surveyor('test', options, mount), { title: 'Shop', origin })
const json = (options: VersioningOptions, mount?: string) => JSON.parse(JSON.stringify(overview(options, mount)))
const html = (options: VersioningOptions, links = NO_LINKS) => {
  const shown = overview(options)
  return pageOf(shown, links, styleFor(shown.versions).text)
}

/** Builds a table of routes that all answer GET. */
const table = (names: Record<string, string>) => {
  const routes = namedRoutes(names)
  for (const name of Object.keys(names)) routes.route(name).get(answer)
  return routes
}

/** Returns the texts of a part of a page. */
const bare = (part: string) =>
  part
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
const plansIn = (page: string) =>
  page.slice(page.indexOf('<ol>'), page.indexOf('</ol>')).split('\n').slice(1, -1).map(bare)

afterEach(() => jest.restoreAllMocks())
const at = (date: string) => jest.spyOn(Date, 'now').mockReturnValue(Date.parse(date))

/** Builds a shop with a removed version, a version near its end, and routes that came and went. */
function shop(): VersioningOptions {
  const orders = namedRoutes({ list: '/', export: '/export', ship: '/ship' })
  const post = byVersion({ v1: answer, v3: answer }, { fallback: 'lower' })
  orders.route('list').get(answer).post(post)
  orders.route('export').get(answer)
  orders.route('ship').post(answer)
  const routes = namedRoutes({ status: '/status', find: '/find' }).include('/orders', orders, { namespace: 'orders' })
  routes.route('status').get(answer)
  routes.route('find').get(deprecated({ since: '2025-01-01', sunset: '2031-05-06' }), answer)
  const changes = versionHistory('v1')
    .version('v2')
    .version(
      'v3',
      change('The `export` is\n  gone.', { 'GET orders:export': 'removed' }),
      change('Orders <ship>.', { 'POST orders:ship': 'added' }),
    )
    .version('v4')
  return {
    scheme: HeaderVersioning,
    defaultVersion: 'v4',
    changes,
    routes,
    neutral: ['status'],
    lifecycle: {
      v1: { deprecated: '2024-01-01', sunset: '2025-01-01', afterSunset: 'gone', successor: 'v3' },
      v2: { deprecated: '2026-01-01', sunset: '2027-06-30T12:30:00Z', info: 'https://a.test/?a&b', successor: 'v3' },
      v3: { deprecated: '2029-01-01', sunset: '2030-01-01T00:00:30Z' },
    },
  }
}

describe('the text', () => {
  test('is a table', () => {
    at('2026-06-01')
    expect(`\n${textOf(overview(shop(), '/api'))}`).toBe(`
Shop

v1: deprecated since 2024-01-01, gone since 2025-01-01, use v3
v2: deprecated since 2026-01-01, ends 2027-06-30 12:30Z, use v3, https://a.test/?a&b
v3: retiring from 2029-01-01, ends 2030-01-01 00:00:30Z
  - The \`export\` is gone.
  - Orders <ship>.
v4

                                  v1    v2               v3                           v4
                                  gone  deprecated

GET   /api/status         status        any version      any version                  any version
GET   /api/find           find          ends 2031-05-06  deprecated, ends 2031-05-06  deprecated, ends 2031-05-06

orders
GET   /api/orders/        list          yes              yes                          yes
POST  /api/orders/        list          served by v1     yes                          served by v3
GET   /api/orders/export  export        yes              removed                      -
POST  /api/orders/ship    ship          -                yes                          yes
`)
  })

  test('of versions without a plan has no line for it; accents take no width; a group may end', () => {
    const group = namedRoutes({}).include('/g', table({ y: '/y' }), { namespace: 'g' })
    const routes = group.include('/', table({ x: '/e\u0301x' }))
    expect(`\n${textOf(overview({ scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], routes }))}`).toBe(`
Shop

v1
v2

              v1   v2

g
GET  /g/y  y  yes  yes

GET  /e\u0301x   x  yes  yes
`)
  })
})

describe('the page', () => {
  test('says the plan first, then what differs, with headers, landmarks and a command behind each dot', () => {
    at('2026-06-01')
    const document = (version: string) => (version === 'v4' ? undefined : `/openapi/${version}.json?&`)
    const page = html(shop(), { swaggerUi: '/docs/ui/?"', document })
    expect(page.startsWith('<!doctype html><html lang=en>')).toBe(true)
    const details = /<details><summary>(.*?)<\/summary><code>(.*?)<\/code><\/details>/g
    const [, , first] = details.exec(page) as RegExpExecArray
    expect(first).toBe('curl http://localhost:3000/status')
    expect(
      page.slice(page.indexOf('<header>')).replaceAll(details, '[$1]'),
    ).toBe(`<header><h1>Shop</h1><p>6 routes, 4 versions</p><nav><a href="/docs/ui/?&quot;">Try it</a></nav></header>
<main><h2>Versions</h2><ol>
<li class=g><h3>v1 <mark>gone</mark></h3><p>deprecated since <time>2024-01-01</time><p><em>gone since <time>2025-01-01</time></em><p>use v3 · <a href="/openapi/v1.json?&amp;">OpenAPI</a>
<li class=d><h3>v2 <mark>deprecated</mark></h3><p>deprecated since <time>2026-01-01</time><p><em>ends <time>2027-06-30 12:30Z</time></em><p>use v3 · <a href="https://a.test/?a&amp;b">notice</a> · <a href="/openapi/v2.json?&amp;">OpenAPI</a>
<li><h3>v3</h3><p>retiring from <time>2029-01-01</time><p><em>ends <time>2030-01-01 00:00:30Z</time></em><p><a href="/openapi/v3.json?&amp;">OpenAPI</a><h4>Changed</h4><ul><li>The <code>export</code> is gone.<li>Orders &lt;ship&gt;.</ul><h4><em>Removed</em></h4><ul><li><code>GET /orders/export</code></ul><h4>New</h4><ul><li><code>POST /orders/ship</code></ul>
<li><h3>v4</h3><p>the default
</ol><h2>Routes</h2><div role=region aria-labelledby=legend tabindex=0><table><caption id=legend>Routes by version. A dot opens its curl command.</caption><colgroup><col><col class=g><col class=d><col><col></colgroup><thead><tr><th scope=col>Route<th scope=col class=g><b>v1</b> <mark>gone</mark><p>since <time>2025-01-01</time><th scope=col class=d><b>v2</b> <mark>deprecated</mark><p>since <time>2026-01-01</time><p>ends <time>2027-06-30 12:30Z</time><th scope=col><b>v3</b><p>retiring from <time>2029-01-01</time><p>ends <time>2030-01-01 00:00:30Z</time><th scope=col><b>v4</b><tbody>
<tr><th scope=row><b>GET</b> /status<p>status<td class=g><td>[yes<i>any version</i>]<td>[yes<i>any version</i>]<td>[yes<i>any version</i>]
<tr><th scope=row><b>GET</b> /find<p>find<td class=g><td>[yes<i>ends 2031-05-06</i>]<td>[yes<mark>deprecated</mark><i>ends 2031-05-06</i>]<td>[yes<mark>deprecated</mark><i>ends 2031-05-06</i>]
<tbody><tr><th scope=rowgroup>orders<td class=n colspan=4>
<tr><th scope=row><b>GET</b> /orders/<p>list<td class=g><td>[yes]<td>[yes]<td>[yes]
<tr><th scope=row><b>POST</b> /orders/<p>list<td class=g><td>[yes<i>served by v1</i>]<td>[yes]<td>[yes<i>served by v3</i>]
<tr><th scope=row><b>GET</b> /orders/export <em>until v2</em><p>export<td class=g><td>[yes]<td class=r>removed<td class=n>–
<tr><th scope=row><b>POST</b> /orders/ship<p>ship<td class=g><td class=n>–<td>[yes]<td>[yes]
</table></div></main>
`)
  })

  test('says a sunset that is over, and where a route is there for requests without a version alone', () => {
    at('2028-01-01')
    const head = '<p>since <time>2026-01-01</time><p>was to end <time>2027-06-30 12:30Z</time>'
    expect(html(shop())).toContain(head)
    const byPath = { scheme: URLPathVersioning, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }
    const text = bare(html({ ...byPath, routes: table({ x: '/x' }) }))
    expect(text).toMatch(/GET \/x x yes if no version is named curl http:\/\/localhost:3000\/x –$/)
  })

  test('of many new routes names eight in the plan, and nine if there are no more', () => {
    const plan = (count: number) => {
      const names = Object.fromEntries(Array.from({ length: count }, (_, index) => [`r${index}`, `/r${index}`]))
      const routes = namedRoutes({}).include('/v1', table({}), { namespace: 'v1' })
      routes.include('/v2', table(names), { namespace: 'v2' })
      return plansIn(html({ scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'], routes }))[1]
    }
    const named = (count: number) => Array.from({ length: count }, (_, index) => `GET /v2/r${index}`).join(' ')
    expect([plan(9), plan(10)]).toEqual([`v2 New ${named(9)}`, `v2 New ${named(8)} and 2 more`])
  })

  test('of 20 routes in 3 versions has at most 15,360 bytes', () => {
    const routes = namedRoutes({})
    for (const group of ['users', 'orders', 'products', 'payments']) {
      const names = ['list', 'detail', 'search', 'export', 'archive'].map((name) => [
        `${group}-${name}`,
        `/${name}/:id`,
      ])
      routes.include(`/${group}`, table(Object.fromEntries(names)), { namespace: group })
    }
    const plan = {
      deprecated: '2020-01-01',
      sunset: '2099-06-01',
      successor: 'v2',
      info: 'https://api.example.com/ends',
    }
    const lifecycle = { v1: plan, v2: { deprecated: '2099-01-01' } }
    const found = overview({ scheme: AcceptHeaderVersioning, routes, lifecycle, allowedVersions }, '/api')
    const links: Links = { swaggerUi: '/docs/ui/', document: (version) => `/openapi/${version}.json` }
    const size = Buffer.byteLength(pageOf(found, links, styleFor(found.versions).text))
    expect([found.routes.length, size > 8_000, size <= 15_360]).toEqual([20, true, true])
  })
})

test('the JSON has what is public, and nothing else', () => {
  const lifecycle = {
    v1: { deprecated: '2020-01-01', sunset: '2020-06-01T12:30:00+02:00', afterSunset: 'gone', successor: 'v2' },
    v2: { deprecated: '2021-01-01', info: 'https://api.example.com/end' },
  } as const
  const routes = namedRoutes({}).include('/users', table({ detail: '/:id' }), { namespace: 'users' })
  const curl = (version: string) => `curl -H 'X-API-Version: ${version}' http://localhost:3000/api/users/1`
  const sunset = '2020-06-01T10:30:00.000Z'
  const cells = [
    { version: 'v1', exists: true },
    ...['v2', 'v3'].map((version) => ({ version, exists: true, curl: curl(version) })),
  ]
  expect(json({ scheme: HeaderVersioning, allowedVersions, routes, lifecycle }, '/api')).toEqual({
    title: 'Shop',
    versions: [
      { version: 'v1', deprecated: '2020-01-01T00:00:00.000Z', sunset, successor: 'v2', gone: true },
      { version: 'v2', deprecated: '2021-01-01T00:00:00.000Z', info: 'https://api.example.com/end' },
      { version: 'v3' },
    ],
    routes: [{ method: 'GET', name: 'users:detail', path: '/api/users/:id', group: 'users', versions: cells }],
  })
})

describe('the shapes of a change', () => {
  const text = { type: 'string' }
  const schema = ($id: string, properties: object) => ({ $id, type: 'object', properties })
  const User = schema('User', { given: text })
  const Post = schema('Post', { title: text, author: User })
  const Mail = schema('Mail', { to: User, at: text })
  const same = (value: object) => value
  const shapes = {
    User: shape<object, object>(schema('User', { name: text }), User, { response: same, request: same }),
    Post: shape<object, object>(schema('Post', { text, author: User }), Post, { response: same }),
  }
  const user = change('Users have `given`.', shapes)
  const history = (first = user) =>
    versionHistory('v1')
      .version('v2', first)
      .version('v3', change('Other errors.', { '*': { error: (body) => body } }))
  /** Describes all operations without bodies. */
  const silent = (routes: ReturnType<typeof namedRoutes>) => {
    for (const { viewName, methods } of routes.facts()) {
      for (const method of methods) routes.describe(`${method} ${viewName}`, { response: null, body: null })
    }
    return routes
  }

  test('tell the routes that contain them, also inside other shapes, on the page, in the text and in the JSON', () => {
    const routes = table({ users: '/users', posts: '/posts', none: '/none', mails: '/mails' })
    routes.route('users').post(answer)
    silent(routes)
      .describe('POST users', { body: User, response: { 201: User, 404: null } })
      .describe('GET posts', { response: { type: 'array', items: Post } })
      .describe('GET mails', { response: Mail })
    const mail = shape<object, object>(schema('Mail', { to: User }), Mail, { response: same })
    const changes = history(change('Users have `given`.', { ...shapes, 'GET mails': 'added', Mail: mail }))
    const options = { scheme: HeaderVersioning, changes, routes }
    const told = (name: string, ...operations: string[]) => ({ name, change: 'Users have `given`.', operations })
    const shapesInV2 = [told('User', 'POST users', 'GET posts'), told('Post', 'GET posts'), told('Mail')]
    const versions = [{ version: 'v1' }, { version: 'v2', shapes: shapesInV2 }, { version: 'v3' }]
    expect(json(options, '/api').versions).toEqual(versions)
    expect(textOf(overview(options, '/api'))).toContain(`
v2
  - Users have \`given\`.
    User: POST /api/users, GET /api/posts
    Post: GET /api/posts
    Mail
v3
  - Other errors.
`)
    const page = html(options)
    expect(plansIn(page)[1]).toBe(
      'v2 Changed Users have given . User in POST /users , GET /posts Post in GET /posts Mail New GET /mails',
    )
    expect(page).toContain('<li>Users have <code>given</code>.<p><code>User</code> in <code>POST /users</code>, ')
  })

  test('tell a route once, in whatever namespaces and methods it stands; the page shortens long lists', () => {
    const own = table(Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`r${index}`, `/r${index}`])))
    const all = namedRoutes({ all: '/all' })
    all.route('all').all(answer)
    for (const { viewName } of own.facts()) own.describe(`GET ${viewName}`, { response: Post, body: null })
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      all.describe(`${method} all`, { body: null, response: method === 'PUT' ? User : null })
    }
    const routes = namedRoutes({}).include('/v2', own, { namespace: 'v2' })
    routes.include('/v1', namedRoutes({}).include('/', own).include('/', all), { namespace: 'v1' })
    const options = { scheme: NamespaceVersioning, changes: history(), routes }
    const [, { shapes }] = json(options).versions
    expect(shapes[1].operations).toEqual(Array.from({ length: 10 }, (_, index) => `GET r${index}`))
    expect(shapes[0].operations).toEqual([...shapes[1].operations, 'ALL all'])
    const named = [0, 1, 2, 3, 4, 5, 6, 7].map((index) => `GET /:version/r${index}`).join(' , ')
    expect(plansIn(html(options))[1]).toContain(`User in ${named} , and 3 more Post in ${named} , and 2 more`)
  })
})

/** Returns each route in a line: method, path, name, and the versions that have it. */
const lines = (options: VersioningOptions) =>
  overview(options).routes.map(({ method, path, name, cells }) => {
    const there = cells.filter(({ exists }) => exists).map(({ version }) => version)
    return `${method} ${path} ${name} ${there.join(',')}`
  })

test.each(
  rows(`
    a place for the version, where only that differs        | /v1 /a | /v2 /a | /:version/a
    the path of the newest, where more differs              | /v1 /a | /v2 /b | /v2/b
    and an older one has a longer one                       | /v1 /a/b | /v2 /a | /v2/a
    and where the difference is not the version             | /old /a | /new /a | /new/a
  `),
)('one row has %s', (_, v1 = '', v2 = '', path) => {
  const places = { v1: v1.split(' '), v2: v2.split(' ') }
  for (const order of [['v1', 'v2'] as const, ['v2', 'v1'] as const]) {
    const routes = namedRoutes({})
    for (const namespace of order) {
      const [prefix = '', below = ''] = places[namespace]
      routes.include(prefix, table({ x: below }), { namespace })
    }
    expect(lines({ scheme: NamespaceVersioning, allowedVersions, routes })).toEqual([`GET ${path} x v1,v2`])
  }
})

test('one row is not that of operations that one version has twice', () => {
  const in1 = (path: string) => namedRoutes({}).include('/a', table({ x: path }), { namespace: 'a' })
  const inA = namedRoutes({}).include('/v1', table({ x: '/2' }), { namespace: 'v1' })
  const routes = namedRoutes({}).include('/v1', in1('/1'), { namespace: 'v1' })
  routes.include('/a', inA, { namespace: 'a' }).include('/v2', in1('/1'), { namespace: 'v2' })
  const told = ['GET /:version/a/1 a:x v1,v2', 'GET /a/v1/2 a:x v1']
  expect(lines({ scheme: NamespaceVersioning, allowedVersions, routes })).toEqual(told)
})

test('one row has the methods of one all(), as ALL, unless they are not served alike', () => {
  const names = ['all', 'put', 'head', 'gone', 'said', 'own']
  const routes = namedRoutes(Object.fromEntries(names.map((name) => [name, `/${name}`])))
  for (const name of ['all', 'put', 'gone', 'said', 'own']) routes.route(name).all(answer)
  routes.route('put').put(answer)
  routes.route('head').head(answer)
  routes.describe('GET said', { deprecated: true }).describe('GET own', { versions: { v2: { deprecated: true } } })
  const changes = versionHistory('v1').version('v2', change('No deleting.', { 'DELETE gone': 'removed' }))
  const five = (name: string, last = 'v1,v2') => [
    ...['GET', 'POST', 'PUT', 'PATCH'].map((method) => `${method} /${name} ${name} v1,v2`),
    `DELETE /${name} ${name} ${last}`,
  ]
  const few = ['ALL /all all v1,v2', 'PUT /put put v1,v2', 'HEAD /head head v1,v2']
  const told = [...few, ...five('gone', 'v1'), ...five('said'), ...five('own')]
  expect(lines({ scheme: HeaderVersioning, changes, routes })).toEqual(told)
})

test('a cell says who serves the route and its end; nothing is removed where the default has it by itself', () => {
  const names = ['own', 'any', 'off', 'soon', 'said']
  const routes = namedRoutes(Object.fromEntries(names.map((name) => [name, `/${name}{.:format}`])))
  routes.route('own').get(byVersion({ v2: answer }))
  routes.route('any').get(byVersion({ v2: answer }, { otherwise: answer }))
  routes.route('off').get(deprecated({ since: '2020-01-01', sunset: '2099-01-01' }), answer)
  routes.route('soon').get(deprecated({ since: '2099-01-01' }), answer)
  routes.route('said').get(answer)
  routes.describe('GET said', { deprecated: true, versions: { v1: { deprecated: false } } })
  const found = overview({ scheme: HeaderVersioning, allowedVersions, routes })
  expect(textOf(found).split('\n').slice(-6).join('\n')).toBe(`\
GET  /own{.:format}   own   -                            yes                          removed
GET  /any{.:format}   any   any version                  yes                          any version
GET  /off{.:format}   off   deprecated, ends 2099-01-01  deprecated, ends 2099-01-01  deprecated, ends 2099-01-01
GET  /soon{.:format}  soon  yes                          yes                          yes
GET  /said{.:format}  said  yes                          deprecated                   deprecated
`)
  expect(found.routes[2]?.cells[0]?.curl).toBe("curl -H 'X-API-Version: v1' http://localhost:3000/off")
  const paths = table({ home: '/' }).include('/:version', table({ x: '/x' }))
  const byPath = overview({ scheme: URLPathVersioning, allowedVersions, defaultVersion: 'v2', routes: paths })
  expect(textOf(byPath).split('\n').slice(-3).join('\n')).toBe(`\
GET  /            home  -    if no version is named  -
GET  /:version/x  x     yes  yes                     yes
`)
})

test.each(
  rows(`
    http://v1.example.com:8080 | curl http://v2.example.com:8080/x
    https://WWW.Example.com    | curl https://v2.Example.com/x
    http://127.0.0.1:3000      | curl -H 'Host: v2.example.com' http://127.0.0.1:3000/x
    http://[::1]:3000          | curl -H 'Host: v2.example.com' 'http://[::1]:3000/x'
  `),
)('a version in hosts, from %s: %s', (origin = '', command) => {
  const options = { scheme: HostNameVersioning, allowedVersions, routes: table({ y: '/y', x: '/x' }), neutral: ['y'] }
  const neutral = origin.includes('[') ? `curl '${origin}/y'` : `curl ${origin}/y`
  expect(overview(options, '/', origin).routes.map(({ cells }) => cells[1]?.curl)).toEqual([neutral, command])
})
