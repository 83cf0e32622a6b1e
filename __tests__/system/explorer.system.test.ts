import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { RequestHandler } from 'express'
import { byVersion, HeaderVersioning, type NamedRoutes, namedRoutes, versioning } from 'express-versioning'
import { change, fields, type VersionHistory, versionHistory } from 'express-versioning/changes'
import { explorer } from 'express-versioning/explorer'
import { openapi } from 'express-versioning/openapi'
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'
import { shop } from '../../examples/explorer/shop'
import { startDemo } from '../../src/command-line/demo/demo'
import { EXPLORED, type Explored } from '../support/explored'
import { listen, type Served, serve } from '../support/serve'
import { include, respond, table } from '../support/tables'
import { binary } from './support/debian'

const swaggerUi = dirname(require.resolve('swagger-ui-dist/package.json'))
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')
const docs = join(__dirname, '../../docs')

let browser: Browser
beforeAll(async () => {
  // The hosts of the versions are on this machine.
  const args = ['--no-sandbox', '--host-resolver-rules=MAP *.example.com 127.0.0.1']
  browser = await chromium.launch({ executablePath: binary('chromium'), args })
  jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-06-01'))
})
afterAll(() => browser.close())

const complaints: string[] = []
afterEach(async () => {
  for (const context of browser.contexts()) await context.close()
  expect(complaints.splice(0)).toEqual([])
})

/** Opens a page for a test, and records its errors, its failed requests and the violations of its policy. */
async function opened(url: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await (await browser.newContext(options)).newPage()
  page.setDefaultTimeout(10_000)
  page.on('console', (message) => {
    // Browsers request this icon unless a policy forbids it.
    const isIcon = message.location().url.endsWith('/favicon.ico')
    if (!isIcon && ['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('requestfailed', (request) => complaints.push(`${request.url()} ${request.failure()?.errorText}`))
  await page.goto(url)
  return page
}

/** Returns the violations that axe finds, by all rules of WCAG 2.2 AA and best practice. */
const violations = (page: Page) =>
  page.evaluate(`${axe}; axe.run().then((all) => all.violations.map(({ id, nodes }) => [id, nodes[0].html]))`)
const DESK = { viewport: { width: 1140, height: 1280 } }
const PHONE = { viewport: { width: 360, height: 740 } }

/** Opens the explorer of the example, or another one. */
const shown = async (options: BrowserContextOptions, docs?: RequestHandler) => {
  const { origin } = await (docs === undefined ? listen(shop()) : serve((app) => app.use('/docs', docs)))
  return opened(`${origin}/docs`, options)
}
const linesOf = (parts: Locator) => parts.evaluateAll((all) => all.map((part) => part.getClientRects().length))
/** Tells how far the page could scroll sideways. */
const overflow = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
const styleOf = (page: Page, of: string, name: string) => page.evaluate<string>(`getComputedStyle(${of}).${name}`)
const REGION = "document.querySelector('[role=region]')"
/** The words of the legend, without the room beside them. */
const LEGEND = "(range => (range.selectNodeContents(document.querySelector('caption')), range))(document.createRange())"

/** The lines of the first group. */
async function routesOf(page: Page) {
  const [region, next] = [page.getByRole('region'), page.getByRole('rowheader', { name: 'orders', exact: true })]
  const [all, end] = [await region.boundingBox(), await next.boundingBox()]
  if (all === null || end === null) throw new Error('The page has no lines of routes.')
  return { ...all, height: end.y - all.y }
}

test.each([
  ['explorer.png', 'light', DESK],
  ['explorer-dark.png', 'dark', DESK],
  ['explorer-phone.png', 'light', PHONE],
] as const)('docs/%s, %s: axe finds nothing, nothing breaks, the routes stay', async (file, colorScheme, size) => {
  const page = await shown({ ...size, colorScheme, bypassCSP: true })
  const route = page.locator('tr', { hasText: /POST.*products/ }).first()
  const lastHeading = page.locator('h2').last()
  if (size === PHONE) await lastHeading.evaluate((element) => element.scrollIntoView())
  else {
    await route
      .locator('summary')
      .first()
      .click({ position: { x: 20, y: 20 } })
    await page.evaluate('scrollTo(0, 0)')
  }
  await page.mouse.move(0, 0)
  // The committed pictures have 64 colors: `pngquant 64`.
  const picture = file === 'explorer.png' ? { fullPage: true, clip: await routesOf(page) } : {}
  if (process.env.SCREENSHOTS === 'write') writeFileSync(join(docs, file), await page.screenshot(picture))
  else expect(statSync(join(docs, file)).size).toBeLessThan(60_000)
  expect(await violations(page)).toEqual([])
  const [red = 0] = (await styleOf(page, 'document.body', 'backgroundColor')).match(/\d+/g) ?? []
  expect(Number(red) > 128).toBe(colorScheme === 'light')
  const lines = await linesOf(page.locator('time'))
  expect([lines.length > 5, new Set(lines), (await overflow(page)) <= 0]).toEqual([true, new Set([1]), true])
  const legend = await page.evaluate<number>(`${LEGEND}.getBoundingClientRect().right`)
  expect(legend).toBeLessThanOrEqual(size.viewport.width)
  const [region, rowHeader] = [page.getByRole('region'), page.locator('th[scope=row]').first()]
  // On a phone it begins with the newest version, and scrolls to the older ones.
  await region.evaluate((element) => element.scrollTo(300, 0))
  if (size === PHONE) expect(await region.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0)
  const [outer, inner] = [await region.boundingBox(), await rowHeader.boundingBox()]
  expect(inner?.x).toBeCloseTo(outer?.x as number, 0)
  expect(inner?.width as number).toBeLessThan(size.viewport.width / 2)
  for (const cell of await page.locator('summary').all()) await cell.click({ position: { x: 20, y: 20 } })
  expect(await violations(page)).toEqual([])
})

test('six versions with dates as names are in sight at 1,280 pixels', async () => {
  const article = '/articles/:slug/comments/:id'
  const routes = table({ 'order-detail': '/orders/:id', 'order-list': '/orders', 'article-comments': article })
  for (const name of routes.names()) routes.route(name).delete(respond)
  const days = ['2024-01-01', '2024-06-01', '2025-01-01', '2025-06-01', '2026-01-01', '2026-06-01']
  const renamed = () => change('Orders have a `total`.', { 'GET order-detail': { response: (order) => order } })
  const changes = days
    .slice(1)
    .reduce<VersionHistory>((all, day) => all.version(day, renamed()), versionHistory('2024-01-01'))
  const lifecycle = {
    '2024-01-01': { sunset: '2025-01-01', afterSunset: 'gone' as const },
    '2024-06-01': { deprecated: '2025-01-01', sunset: '2027-01-01' },
  }
  const counts = { share: 1 / 6, named: 12_345, defaulted: 0, change: null, lastRequest: new Date(0), consumers: [] }
  const operations = [{ route: 'order-detail', method: 'GET', requests: 12_345 }]
  const versions = days.map((version) => ({ ...counts, version, requests: 12_345, operations }))
  const usage = async () => ({ days: 30, complete: true, since: new Date(0), versions })
  const docs = explorer({ scheme: HeaderVersioning, changes, routes, lifecycle }, { usage })
  // A scroll bar takes 15 pixels of 1,280.
  const page = await shown({ viewport: { width: 1265, height: 800 } }, docs)
  const oldest = await page.locator('thead th').last().boundingBox()
  expect((oldest?.x as number) + (oldest?.width as number)).toBeLessThanOrEqual(1265)
  expect(new Set(await linesOf(page.locator('thead b, time')))).toEqual(new Set([1]))
  expect(await overflow(page)).toBe(0)
  const cells = await page.locator('tr', { hasText: 'order-detail' }).first().locator('td').allInnerTexts()
  expect(cells).toEqual([...Array(5).fill(expect.stringContaining('yes changed 12,345 requests')), ''])
  expect(await violations(page)).toEqual([])
})

test('fourteen versions and long names never scroll a phone sideways', async () => {
  const long = (character: string) => character.repeat(100)
  const routes: NamedRoutes = namedRoutes({ [long('a')]: `/${long('b')}/:${long('c')}`, x: '/x' })
  routes.route('x').get(byVersion({ [long('9')]: respond, v1: respond, otherwise: respond }))
  routes.route(long('a')).get(respond).post(respond)
  const step = { [`GET ${long('e')}:x`]: { response: (x: unknown) => x } }
  const renamed = () => change(`${long('f')} \`${long('g')}\``, step)
  const newer = [...Array.from({ length: 12 }, (_, index) => `20${index + 14}-01-01`), long('9')]
  const changes = newer.reduce<VersionHistory>((all, version) => all.version(version, renamed()), versionHistory('v1'))
  const lifecycle = {
    v1: { sunset: '2020-01-01', successor: long('9') },
    '2014-01-01': { sunset: '2021-01-01' },
    '2015-01-01': { deprecated: '2021-01-01', sunset: '2099-01-01', info: `https://example.com/${long('h')}` },
  }
  const shared = { scheme: HeaderVersioning, lifecycle, afterSunset: 'gone' as const, changes }
  const options = { ...shared, routes: include(`/${long('d')}`, routes, long('e')) }
  const docs = explorer(options, { title: long('T'), documents: '/openapi' })
  const page = await shown(PHONE, docs)
  // A version that is gone takes no more room than its name.
  const widthOf = async (part: Locator) => (await part.boundingBox())?.width as number
  const widths = await Promise.all((await page.locator('thead th').all()).map(widthOf))
  const [third = 0, second = 0, first = 0] = widths.slice(-3)
  expect(second - (await widthOf(page.locator('thead th').nth(-2).locator('b')))).toBeLessThan(34)
  expect([first < 75, third > 130]).toEqual([true, true])
  expect(await linesOf(page.locator('thead .g b, thead .g mark'))).toEqual([1, 1, 1, 1])
  for (const cell of await page.locator('details').all()) await cell.evaluate('(details) => { details.open = true }')
  expect(await overflow(page)).toBeLessThanOrEqual(0)
  await page.evaluate('scrollTo(1000, 0)')
  expect(await page.evaluate('scrollX')).toBe(0)
})

/** Lists the boxes that lie outside of the one around them, or on a neighbour. Run in the page. */
const astray = `(() => {
  const found = new Set()
  const rectsOf = (element) => {
    const range = document.createRange()
    range.selectNodeContents(element)
    return [...range.getClientRects()].filter((rect) => rect.width > 1 && rect.height > 1)
  }
  const told = (element) => element.tagName + ' ' + element.textContent.slice(0, 30)
  for (const outer of document.querySelectorAll('th, td, li, header, figure, p')) {
    const box = outer.getBoundingClientRect()
    for (const inner of outer.querySelectorAll('*')) {
      const isHidden = (one) => one !== document.body && (getComputedStyle(one).clipPath !== 'none' || isHidden(one.parentElement))
      if (isHidden(inner) || inner.matches('details:not([open]), details:not([open]) > :not(summary), details:not([open]) > :not(summary) *')) continue
      for (const rect of rectsOf(inner)) {
        const isIn = rect.left >= box.left - 1 && rect.right <= box.right + 1 && rect.top >= box.top - 1 && rect.bottom <= box.bottom + 1
        if (!isIn) found.add(told(inner) + ' leaves ' + told(outer))
      }
    }
  }
  for (const row of document.querySelectorAll('tbody tr, thead tr')) {
    const cells = [...row.children].map((cell) => [cell, rectsOf(cell)])
    for (const [cell, rects] of cells) for (const [other, others] of cells) {
      // The names of routes stay while the versions scroll below them.
      if (cell === other || cell.matches(':first-child') || other.matches(':first-child')) continue
      const isOn = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1
      if (rects.some((a) => others.some((b) => isOn(a, b)))) found.add(told(cell) + ' lies on ' + told(other))
    }
  }
  return [...found]
})()`

/** Serves pages with a long body, a moved, an added and a removed operation, and versions that are deprecated and gone. */
function manifold(): RequestHandler {
  const text = { type: 'string' }
  const Menu = { $id: 'Menu', type: 'object', properties: { dish: text, price: text }, required: ['dish', 'price'] }
  const long = 'A soup of the season, with bread and with butter from the farm, every day but on Sundays'
  const NewMenu = { ...Menu, $id: 'NewMenu', examples: [{ dish: long, price: `${long}.${long}` }] }
  const routes = table({ menu: '/menus/:id', menus: '/menus', guests: '/guests', tables: '/tables/:number' })
  routes.describe('GET menu', { response: Menu }).describe('GET menus', { response: { type: 'array', items: Menu } })
  routes.describe('POST menus', { body: NewMenu, response: { 201: Menu } })
  routes.describe('GET guests', { response: null }).describe('GET tables', { response: null })
  routes.route('menus').post(respond)
  const renamed = fields({ renamed: { meal: 'dish' } })
  const changes = versionHistory('2021-03-01')
    .version('2022-03-01', change('A menu has a `dish` instead of a `meal`.', { Menu: renamed, NewMenu: renamed }))
    .version(
      '2023-03-01',
      change('There are guests.', { 'GET guests': 'added', 'POST menus': { status: { 201: 200 } } }),
    )
    .version('2024-03-01', change('Desks were tables.', { 'GET tables': { path: '/desks/:number' } }))
    .version('2025-03-01', change('Guests are private.', { 'GET guests': 'removed' }))
  const lifecycle = {
    '2021-03-01': { sunset: '2024-01-01', afterSunset: 'gone' as const },
    '2022-03-01': { deprecated: '2023-01-01T12:34:56Z', sunset: '2027-01-01T12:34:56Z', successor: '2025-03-01' },
  }
  return explorer(
    { scheme: HeaderVersioning, changes, routes, lifecycle },
    { title: 'Restaurant', documents: '/openapi' },
  )
}

test.each([1280, 768, 360].flatMap((width) => ['light', 'dark'].map((scheme) => [width, scheme] as const)))(
  'at %i pixels, %s: no child leaves its box, nothing overlaps, and the newest version is first',
  async (width, scheme) => {
    const options = { viewport: { width, height: 900 }, colorScheme: scheme as 'light' | 'dark', bypassCSP: true }
    const page = await shown(options, manifold())
    const [newest, plan] = [page.locator('thead th').nth(1), page.locator('h3').first()]
    expect(await newest.innerText()).toMatch(/^2025-03-01/)
    expect(await plan.innerText()).toMatch(/^2025-03-01/)
    const box = await newest.boundingBox()
    expect((box?.x as number) + (box?.width as number)).toBeLessThanOrEqual(width)
    expect(await page.evaluate(astray)).toEqual([])
    for (const details of await page.locator('details').all()) {
      await details.evaluate('(one) => { one.open = true }')
      expect([await page.evaluate(astray), await overflow(page)]).toEqual([[], 0])
    }
    expect(await violations(page)).toEqual([])
    await page.goto(`${page.url()}/changes`)
    expect([await page.evaluate(astray), await overflow(page), await violations(page)]).toEqual([[], 0, []])
  },
)

test('the demo shows the responses of the button that was pressed last', async () => {
  let said = ''
  const server = await startDemo(docs, (text) => {
    said = text
  })
  const page = await opened(/http:\S+/.exec(said)?.[0] as string)
  let isSlow = true
  await page.route('**/api/**', async (route) => {
    if (isSlow) await setTimeout(300)
    await route.continue()
  })
  await page.getByRole('button').first().click()
  isSlow = false
  await page.getByRole('button').nth(1).click()
  await setTimeout(1500)
  const requests = await page.locator('li pre:first-of-type').allTextContents()
  expect(requests.map((text) => text.split('\n')[0])).toEqual(Array(3).fill('GET /api/products'))
  server.close()
})

test('has landmarks, and a table whose cells have headers; its commands are selected whole', async () => {
  const page = await shown(DESK)
  expect(await styleOf(page, "document.querySelector('h1')", 'fontSize')).toBe('36px')
  for (const role of ['banner', 'main', 'region', 'table'] as const) expect(await page.getByRole(role).count()).toBe(1)
  for (const role of ['region', 'table'] as const)
    expect(await page.getByRole(role, { name: 'Routes by version.' }).count()).toBe(1)
  expect(await page.getByRole('columnheader').count()).toBe(5)
  // Readers of the screen hear that a route is there.
  expect(await page.getByRole('row', { name: '/api/orders/export' }).ariaSnapshot()).toMatch(/removed[\s\S]*yes/)
  await page.locator('td summary').first().click()
  await page.locator('td details[open] code').click()
  expect(await page.evaluate('getSelection().toString()')).toMatch(/^curl http\S+$/)
  const changed = page.locator('details', { hasText: 'changed' }).first()
  await changed.locator('summary').click()
  await changed.getByText('curl').click()
  expect(await page.evaluate('getSelection().toString()')).toMatch(/^curl [^\n]+\/products\/$/)
})

test('is worked by the keyboard, and prints', async () => {
  const page = await shown(PHONE)
  await page.getByRole('region').focus()
  await page.keyboard.press('ArrowRight')
  // The policy of the page forbids the polling of the browser's driver.
  while ((await page.evaluate<number>(`${REGION}.scrollLeft`)) === 0) await setTimeout(20)
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.tagName')).toBe('SUMMARY')
  await page.keyboard.press('Enter')
  const command = page.locator('details[open] code')
  expect(await command.innerText()).toMatch(/^curl http:\/\/127\.0\.0\.1:\d+\/api\/status$/)
  expect(await command.isVisible()).toBe(true)
  expect(await styleOf(page, 'document.activeElement', 'outlineWidth')).toBe('3px')
  await page.keyboard.press('Space')
  expect(await page.locator('details[open]').count()).toBe(0)
  await page.emulateMedia({ media: 'print' })
  expect(await styleOf(page, REGION, 'overflow')).toBe('visible')
})

/** Serves the API of a scheme, with its explorer, its documents and "try it". */
const api = ({ options, mount }: Explored): Promise<Served> =>
  serve((app) => {
    // "Try it" is used from another host, where versions are hosts.
    app.use((req, res, next) => {
      res.set({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*' })
      if (req.get('Access-Control-Request-Method') === undefined) next()
      else res.end()
    })
    app.use('/openapi', openapi(options, { mount }))
    app.use('/docs', explorer(options, { mount, documents: '/openapi', swaggerUi }))
    app.use(mount, versioning(options), options.routes as never)
  })

const tries = EXPLORED.flatMap((explored) => ['v2', 'v1'].map((version) => [explored.name, version, explored] as const))
test.each(tries)('%s: a request is tried in %s', async (name, version, explored) => {
  const server = await api(explored)
  // Without an origin, documents say no host.
  const origin = name === 'HostNameVersioning' ? `http://${version}.example.com:${server.port}` : server.origin
  const page = await opened(`${origin}/docs`)
  await page.getByRole('link', { name: 'Try it' }).click()
  const choice = page.locator('select#select')
  await choice.waitFor()
  expect(await choice.locator('option').allTextContents()).toEqual(['v2', 'v1'])
  await choice.selectOption({ label: version })
  const chosen = page.locator('.info .version', { hasText: new RegExp(`^\\s*${version}`) })
  await chosen.first().waitFor()
  const operation = page.locator('.opblock-get', { hasText: /\/users(?!\/)/ }).first()
  await operation.locator('.opblock-summary-control').click()
  await operation.getByRole('button', { name: 'Try it out' }).click()
  const execute = operation.getByRole('button', { name: 'Execute' })
  await execute.waitFor()
  for (const field of await operation.locator('.parameters input[type=text]').all()) await field.fill('1')
  await execute.click()
  const body = operation.locator('.live-responses-table .response-col_description pre').first()
  expect(await body.innerText()).toContain(`"version": "${version}"`)
})

test.each([
  ['light', DESK],
  ['dark', PHONE],
] as const)('the page of the demo sends each request in all versions, %s', async (colorScheme, size) => {
  let printed = ''
  const server = await startDemo(docs, (text) => {
    printed += text
  })
  const page = await opened(/Open (\S+)/.exec(printed)?.[1] as string, { colorScheme, ...size })
  const responses = page.getByRole('status')
  // The script sends one request after the other, so the last response comes last.
  const statuses = async (button: string, last: string) => {
    await page.getByRole('button', { name: button, exact: true }).click()
    await responses.last().getByText(last).waitFor()
    return (await responses.allTextContents()).map((text) => text.slice(0, 3))
  }
  expect(await statuses('GET /products/1', 'Teapot')).toEqual(['200', '200', '200'])
  expect(await statuses('GET /products', 'Cup')).toEqual(['200', '200', '200'])
  expect(await statuses('POST /products', 'Spoon')).toEqual(['200', '200', '201'])
  expect(await violations(page)).toEqual([])
  expect(await overflow(page)).toBeLessThanOrEqual(0)
  server.close().closeAllConnections()
})
