import {
  AcceptHeaderVersioning,
  byVersion,
  deprecated,
  HeaderVersioning,
  NamespaceVersioning,
  namedRoutes,
  URLPathVersioning,
  type VersioningOptions,
} from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { overviewOf } from '../../src/explorer/overview'
import { type Links, pageOf } from '../../src/explorer/page'
import { styleFor } from '../../src/explorer/style'
import { textOf } from '../../src/explorer/text'
import { Surveyor } from '../../src/survey/survey'

const answer = () => {}
const NO_LINKS: Links = { swaggerUi: undefined, document: () => undefined }

const overview = (options: VersioningOptions, mount?: string) =>
  overviewOf(new Surveyor('test', options, mount), { title: 'Shop' })
const html = (options: VersioningOptions, links = NO_LINKS) => {
  const shown = overview(options)
  return pageOf(shown, links, styleFor(shown.versions).text)
}

afterEach(() => jest.restoreAllMocks())
const at = (date: string) => jest.spyOn(Date, 'now').mockReturnValue(Date.parse(date))

/** Builds a shop with a removed version, a version near its end, and routes that came and went. */
function shop(): VersioningOptions {
  const orders = namedRoutes({ list: '/', export: '/export', ship: '/ship' })
  orders
    .route('list')
    .get(answer)
    .post(byVersion({ v1: answer, v3: answer }, { fallback: 'lower' }))
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

test('the text is a table', () => {
  at('2026-06-01')
  const lines = [
    'Shop',
    '',
    'v1: deprecated since 2024-01-01, gone since 2025-01-01, use v3',
    'v2: deprecated since 2026-01-01, ends 2027-06-30 12:30Z, use v3, https://a.test/?a&b',
    'v3: retiring from 2029-01-01, ends 2030-01-01 00:00:30Z',
    '  - The `export` is gone.',
    '  - Orders <ship>.',
    'v4',
    '',
    '                                  v1    v2               v3                           v4',
    '                                  gone  deprecated',
    '',
    'GET   /api/status         status        any version      any version                  any version',
    'GET   /api/find           find          ends 2031-05-06  deprecated, ends 2031-05-06  deprecated, ends 2031-05-06',
    '',
    'orders',
    'GET   /api/orders/        list          yes              yes                          yes',
    'POST  /api/orders/        list          served by v1     yes                          served by v3',
    'GET   /api/orders/export  export        yes              removed                      -',
    'POST  /api/orders/ship    ship          -                yes                          yes',
    '',
  ]
  expect(textOf(overview(shop(), '/api'))).toBe(lines.join('\n'))
})

test('the text of versions without a plan has no line for it, and accents take no width', () => {
  const routes = namedRoutes({ x: '/e\u0301x' })
  routes.route('x').get(answer)
  expect(textOf(overview({ scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], routes }))).toBe(
    ['Shop', '', 'v1', 'v2', '', '             v1   v2', '', 'GET  /e\u0301x  x  yes  yes', ''].join('\n'),
  )
})

describe('the page', () => {
  const page = () => {
    at('2026-06-01')
    return html(shop(), {
      swaggerUi: '/docs/ui/?"',
      document: (version) => (version === 'v4' ? undefined : `/openapi/${version}.json?&`),
    })
  }
  /** The columns' headers, and the cells of a route, by their texts. */
  const bare = (text: string) =>
    text
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim()
  const heads = (text: string) => {
    const [, head = ''] = /<thead>(.*?)<tbody>/s.exec(text) ?? []
    return head
      .split('<th scope=col')
      .slice(2)
      .map((part) => bare(`<th${part}`))
  }
  const row = (text: string, path: string) => {
    const [line = ''] = text
      .split('\n')
      .filter((one) => one.includes(`<th scope=row>`) && new RegExp(`</b> ${path}[< ]`).test(one))
    return line.split(/(?=<td)/).map(bare)
  }

  test.each([
    ['/status', ['GET /status status', '', 'yes any version curl http://localhost:3000/status']],
    ['/orders/', ['GET /orders/ list', '', `yes curl -H 'X-API-Version: v2' http://localhost:3000/orders/`]],
    ['/orders/export', ['GET /orders/export until v2 export', '']],
    ['/orders/ship', ['POST /orders/ship ship', '', '–']],
  ])('of %s says what differs', (path, cells) => {
    expect(row(page(), path).slice(0, cells.length)).toEqual(cells)
  })

  test('has the plan above the table', () => {
    const text = page()
    const plans = text.slice(text.indexOf('<ol>'), text.indexOf('</ol>')).split('\n').slice(1, -1).map(bare)
    expect(plans).toEqual([
      'v1 gone deprecated since 2024-01-01 gone since 2025-01-01 use v3 · OpenAPI',
      'v2 deprecated deprecated since 2026-01-01 ends 2027-06-30 12:30Z use v3 · notice · OpenAPI',
      'v3 retiring from 2029-01-01 ends 2030-01-01 00:00:30Z OpenAPI Changed The export is gone. Orders &lt;ship&gt;. Removed GET /orders/export New POST /orders/ship',
      'v4 the default',
    ])
    expect(text).toContain('The <code>export</code> is gone.')
    expect(text).toContain('href="https://a.test/?a&amp;b"')
    expect(text).toContain('href="/openapi/v3.json?&amp;"')
    expect(text).toContain('<nav><a href="/docs/ui/?&quot;">Try it</a></nav>')
    expect(text).toContain('<p><em>ends <time>2027-06-30 12:30Z</time></em>')
    expect(text).toContain('<p>deprecated since <time>2026-01-01</time>')
    expect(text).toContain('<h4><em>Removed</em></h4>')
    expect(text.indexOf('<ol>')).toBeLessThan(text.indexOf('<table>'))
  })

  test('is a document with a language, landmarks and a table with headers', () => {
    const text = page()
    expect(text.startsWith('<!doctype html><html lang=en>')).toBe(true)
    for (const part of [
      '<header><h1>Shop</h1><p>6 routes, 4 versions</p>',
      '<main>',
      '<caption id=legend>',
      '<th scope=col>Route',
      ' role=region aria-labelledby=legend tabindex=0>',
    ])
      expect(text).toContain(part)
    expect(text).toContain('<colgroup><col><col class=g><col class=d><col><col></colgroup>')
  })

  test('after its sunset, a version that is served still is', () => {
    at('2028-01-01')
    expect(heads(html(shop()))[1]).toBe('v2 deprecated since 2026-01-01 was to end 2027-06-30 12:30Z')
  })

  test('says where a route is there for requests without a version alone', () => {
    const routes = namedRoutes({ x: '/x' })
    routes.route('x').get(answer)
    const text = html({ scheme: URLPathVersioning, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1', routes })
    expect(row(text, '/x')).toEqual(['GET /x x', 'yes if no version is named curl http://localhost:3000/x', '–'])
    expect(text).not.toContain('until')
  })

  test.each([
    [8, 8],
    [9, 9],
    [10, 8],
  ])('of %i new routes, %i are named in the plan', (count, shown) => {
    const table = (size: number) => {
      const names = Object.fromEntries(Array.from({ length: size }, (_, index) => [`r${index}`, `/r${index}`]))
      const routes = namedRoutes(names)
      for (const name of Object.keys(names)) routes.route(name).get(answer)
      return routes
    }
    const routes = namedRoutes({})
      .include('/v1', table(0), { namespace: 'v1' })
      .include('/v2', table(count), { namespace: 'v2' })
    const text = html({ scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'], routes })
    const plan = text.slice(0, text.indexOf('</ol>'))
    expect(plan.match(/<li><code>GET /g)).toHaveLength(shown)
    expect(plan.includes('<li>and 2 more')).toBe(count === 10)
    expect(plan).toContain('<h4>New</h4>')
  })
})

describe('the size', () => {
  const names = ['list', 'detail', 'search', 'export', 'archive']
  const groups = ['users', 'orders', 'products', 'payments']
  const routes = namedRoutes({})
  for (const group of groups) {
    const table = namedRoutes(Object.fromEntries(names.map((name) => [`${group}-${name}`, `/${name}/:id`])))
    for (const name of names) table.route(`${group}-${name}`).get(answer)
    routes.include(`/${group}`, table, { namespace: group })
  }
  const lifecycle = {
    v1: { deprecated: '2020-01-01', sunset: '2099-06-01', successor: 'v2', info: 'https://api.example.com/ends' },
    v2: { deprecated: '2099-01-01' },
  }
  test.each<[string, VersioningOptions]>([
    ['a header', { scheme: HeaderVersioning, routes }],
    ['Accept', { scheme: AcceptHeaderVersioning, routes }],
    ['the path', { scheme: URLPathVersioning, routes: namedRoutes({}).include('/:version', routes) }],
  ])('of 20 routes in 3 versions, by %s, is at most 15,360 bytes', (_, options) => {
    const surveyor = new Surveyor('test', { ...options, lifecycle, allowedVersions: ['v1', 'v2', 'v3'] }, '/api')
    const found = overviewOf(surveyor, { title: 'Shop', origin: 'http://localhost:3000' })
    expect(found.routes).toHaveLength(20)
    const links: Links = { swaggerUi: '/docs/ui/', document: (version) => `/openapi/${version}.json` }
    const size = Buffer.byteLength(pageOf(found, links, styleFor(found.versions).text))
    expect(size).toBeLessThanOrEqual(15_360)
    expect(size).toBeGreaterThan(8_000)
  })
})
