import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parse } from 'yaml'
import { fleetOf, freePorts, until } from './support/fleet'
import { install, root, run, temporary, tested } from './support/projects'

// Changes that meet requests of a fleet: the letter to one consumer, and the dashboard of docs/operating/grafana.json.

const temp = temporary()
const { served, scraping, usage } = fleetOf(`
const routes = namedRoutes({ user: '/users/:id', orders: '/orders', report: '/report' })
routes.route('user').get((req, res) => res.json({ given: 'Ada', family: 'Lovelace' }))
routes.route('orders').get((req, res) => res.json([{ total: 1 }])).post((req, res) => res.json(req.body))
routes.route('report').get((req, res) => res.json({}))
const changes = versionHistory('v0')
  .version('v1', change('The report is new.', { 'GET report': 'added' }))
  .version(
    'v2',
    change('Users have \`given\` and \`family\` instead of \`name\`.', {
      'GET user': { response: ({ given, family }) => ({ name: given + ' ' + family }) },
    }),
    change('Orders have \`total\` instead of \`sum\`.', {
      'GET orders': { response: (orders) => orders.map(({ total }) => ({ sum: total })) },
      'POST orders': { request: ({ sum }) => ({ total: sum }) },
    }),
  )
  .version('v3', change('The report is gone.', { 'GET report': 'removed' }))
const lifecycle = {
  v0: { deprecated: '2023-01-01', sunset: '2024-01-01', afterSunset: 'gone' },
  v1: { deprecated: '2024-01-01', sunset: '2999-01-01', successor: 'v3' },
}
exports.options = { scheme: HeaderVersioning, defaultVersion: 'v2', changes, routes, lifecycle }`)

const dashboard = JSON.parse(readFileSync(join(root, 'docs/operating/grafana.json'), 'utf8'))
const panels = dashboard.panels as { title: string; targets: { expr: string }[] }[]

/** Replaces the variables of Grafana, as it does. */
const plain = (expr: string) =>
  expr
    .replaceAll(/\$\{prefix\}/g, 'api_version')
    .replaceAll('$job', 'shop')
    .replaceAll('$__rate_interval', '10s')
    .replaceAll('$__range', '1h')

test('the letter to a consumer that one change of three touched, and the queries of the dashboard', async () => {
  const ports = await freePorts(3)
  const [one, two, three] = (await Promise.all(ports.map((port) => served(port)))) as [Fleet, Fleet, Fleet]
  const { origin, query, count } = await scraping(ports)
  await until('all are scraped', async () => (await count('count(api_version_info{version="v1"})')) === 3)

  // The counter of this consumer begins with 1, and so has no increase.
  await one.get('/users/7', { 'X-API-Version': 'v1', 'X-Account': 'acme' })
  await two.get('/orders', { 'X-API-Version': 'v1', 'X-Account': 'globex' })
  await two.get('/report', { 'X-API-Version': 'v2', 'X-Account': 'globex' })
  await three.get('/users/7', { 'X-API-Version': 'v9' })
  await three.get('/users/7', { 'X-API-Version': 'v0' })
  await three.get('/users/7')
  await until('the requests are scraped', async () => {
    return (await count('count(api_version_change_consumer_requests_total > 0)')) === 3
  })
  await setTimeout(12_000)

  const days = ['--prometheus', origin, '--days', String(30 / 86_400)]
  const letter = usage(['v1', '--consumer', 'acme', '--no-cache-in-front', ...days])
  expect(letter).toMatchObject({ code: 0, err: '' })
  const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ`
  expect(letter.out).toMatch(
    new RegExp(`^acme: from v1 to v3

v1: deprecated since 2024-01-01, ends 2999-01-01, use v3
In the last .* seconds, you sent 1 request in v1, the last at ${time}.
  GET user, 1 request

You will notice 1 of 3 changes:
  v2
    - Users have \`given\` and \`family\` instead of \`name\`.
      1 request, the last at ${time}

2 changes never met your requests in the last .* seconds:
  v2
    - Orders have \`total\` instead of \`sum\`.
  v3
    - The report is gone.
      \`GET /report\` is removed.
$`),
  )
  const short = ['--prometheus', origin, '--days', '30']
  expect(usage(['v1', '--consumer', 'acme', '--no-cache-in-front', ...short])).toEqual({
    code: 0,
    out: expect.stringContaining('\nOf 2 changes, no request of yours is known:\n'),
    err: expect.stringMatching(/^[^\n]* It cannot be said that the letter has all:\n {2}The record of job shop is /),
  })
  const gate = (version: string) => usage([version, '--consumer', 'acme', '--check', '--no-cache-in-front', ...days])
  expect(gate('v2')).toMatchObject({ code: 2, err: expect.stringContaining('1 request in v2 may be of any consumer.') })
  expect(gate('v1').code).toBe(1)
  expect(usage(['v1', ...days]).out).toContain('\n  touched by 2 of 3 changes\n')

  expect(panels).toHaveLength(8)
  for (const { title, targets } of panels) {
    for (const { expr } of targets) {
      // A process of yesterday has holes, and these began today; nor is there a sample of each five minutes.
      const hasSeries = title !== 'Holes of the record' && !/^sum .*rate_interval|:5m\]/.test(expr)
      const found = (await query(plain(expr))).length
      expect([title, expr, hasSeries ? found > 0 : found >= 0]).toEqual([title, expr, true])
    }
  }
})
type Fleet = Awaited<ReturnType<typeof served>>

test('the dashboard finds the holes that the alert finds, which promtool tests', () => {
  const { groups } = parse(readFileSync(join(root, 'examples/operating/rules.yml'), 'utf8'))
  const rules: { record?: string; expr: string }[] = groups[0].rules
  const expr = panels.find(({ title }) => title === 'Holes of the record')?.targets[0]?.expr ?? ''
  const known = rules.find(({ record }) => record === 'process:api_version_lost_seconds')?.expr
  expect(plain(expr).replaceAll('{job=~"shop"}', '').replace(' > 0', '')).toBe(
    `max_over_time((${known?.trim().replaceAll('\n', ' ')})[1d:2m])`,
  )
})

test("the dashboard has Grafana's own types", async () => {
  const typed = (name: string, dashboard: object) =>
    `export const ${name}: Plain<Dashboard> = ${JSON.stringify(dashboard)}`
  const [panel, ...others] = dashboard.panels
  const source = `import type { Dashboard } from '@grafana/schema'
// Its enumerations are strings in JSON.
type Plain<T> = T extends string ? \`\${T}\` : T extends object ? { [K in keyof T]: Plain<T[K]> } : T
${typed('dashboard', dashboard)}
// @ts-expect-error
${typed('unknown', { ...dashboard, colour: 'red' })}
// @ts-expect-error
${typed('wrong', { ...dashboard, panels: [{ ...panel, gridPos: 1 }, ...others] })}`
  const config = { strict: true, noEmit: true, module: 'node16', target: 'es2022', skipLibCheck: true, types: [] }
  const project = await install(
    join(temp, 'grafana'),
    { '@grafana/schema': '^13.2.0', typescript: tested('typescript') },
    {
      'check.ts': source,
      'tsconfig.json': { compilerOptions: config, files: ['check.ts'] },
    },
  )
  expect(await run(project, 'npx', 'tsc')).toBe('')
})
