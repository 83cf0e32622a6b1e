import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { blocks, page } from '../support/readme'
import { binary } from './support/debian'
import { fleetOf, freePorts, until } from './support/fleet'
import { root } from './support/projects'

// A real Prometheus that scrapes three processes, and the command that asks it whether a version can go.

const promtool = binary('promtool')
const { folder, served, scraping, stop, usage } = fleetOf(`
const routes = namedRoutes({ user: '/users/:id', old: '/old' })
const response = (req, res) => res.json({ version: req.version })
routes.route('user').get(response)
routes.add('events', '/events').route('events').get((req, res) => res.writeHead(200).write(':'))
routes.route('old').get(byVersion({ v0: response, v1: response }))
const allowedVersions = ['v0', 'v1', 'v2', 'v3', ...(process.env.NEXT ? ['v4'] : [])]
const v0 = { sunset: '2024-01-01', afterSunset: 'gone' }
const lifecycle = { v0, v1: { deprecated: '2026-01-01', sunset: '2999-01-01' } }
exports.options = { scheme: HeaderVersioning, defaultVersion: 'v2', allowedVersions, routes, lifecycle }`)

/** Asks the command whether a version can go. */
function asked(origin: string, version: string, days: number, more: readonly string[] = [], own = {}) {
  const question = more.includes('--ready') ? [] : ['--check', '--no-cache-in-front']
  return usage([version, ...question, '--prometheus', origin, '--days', String(days), ...more], own)
}

/** The exit code, and a part of the errors. */
const ended = (code: number, said: string) => ({ code, err: expect.stringContaining(said) })
const SECONDS = 1 / 86_400

test('can v1 go? no, for one old client; cannot say, while the record is short; yes, after', async () => {
  const ports = await freePorts(3)
  const [one, two, three] = (await Promise.all(ports.map((port) => served(port)))) as [Fleet, Fleet, Fleet]
  const { origin, count } = await scraping(ports)
  await until('all are scraped', async () => (await count('count(api_version_info{version="v1"})')) === 3)

  // One old client asks once; others use v2, scanners the default.
  await one.get('/users/7', { 'X-API-Version': 'v1', 'X-Account': 'acme' })
  for (let times = 0; times < 5; times++) await two.get('/users/7', { 'X-API-Version': 'v2', 'X-Account': 'globex' })
  await three.get('/wp-login.php', { 'X-Account': 'nobody' })
  await until('the requests are scraped', async () => {
    return (await count('count(api_version_consumer_requests_total > 0)')) === 3
  })

  const used = asked(origin, 'v1', 30)
  expect(used).toMatchObject({ code: 1, err: 'express-versioning: In the last 30 days, v1 was used.\n' })
  expect(used.out).toContain(
    'v1: deprecated since 2026-01-01, ends 2999-01-01\n  1 request, 16.7 % of all: 1 named it, 0 got it as the default\n',
  )
  expect(used.out).toMatch(/consumers:\n {4}acme, 20\S+ \S+Z, 1 request\n {2}operations:\n {4}GET user, 1 request\n/)
  expect(used.out).toContain('by 3 processes.')

  const tooShort = expect.stringMatching(/\n {2}The record of job shop is .* long, and not 30 days\.\n$/)
  expect(asked(origin, 'v3', 30)).toMatchObject({ code: 2, err: tooShort })

  // After some seconds, the one request is older than the days asked for.
  await setTimeout(20_000)
  const json = JSON.parse(asked(origin, 'v1', 15 * SECONDS, ['--json']).out)
  const check = { version: 'v1', code: 0, doubts: [] }
  expect(json).toMatchObject({ complete: true, processes: 3, missing: [], check })
  const free = asked(origin, 'v1', 15 * SECONDS)
  expect(free).toMatchObject({ code: 0, err: '' })
  expect(free.out).toMatch(/seconds, v1 had no request\.\nIts last request was .* shortly before\./)
  expect(asked(origin, 'v1', 120 * SECONDS).code).toBe(1)

  // A gone version that is still asked for has users too; a scanner's path does not.
  await two.get('/wp-login.php', { 'X-API-Version': 'v0' })
  await setTimeout(2500)
  expect(asked(origin, 'v0', 15 * SECONDS).code).toBe(0)
  await two.get('/users/7', { 'X-API-Version': 'v0' })
  await setTimeout(2500)
  expect(asked(origin, 'v0', 15 * SECONDS).code).toBe(1)

  // One that is down now, and later was down.
  await stop(three.child)
  await setTimeout(2500)
  expect(asked(origin, 'v3', 15 * SECONDS)).toMatchObject(ended(2, `127.0.0.1:${ports[2]} of job shop is down.\n`))
  await served(ports[2] as number, { NEXT: 'yes' })
  await setTimeout(2500)
  const wasDown = expect.stringMatching(
    / of job shop has a hole from .*, in which it began anew: its last counts are lost\.\n/,
  )
  expect(asked(origin, 'v3', 15 * SECONDS)).toMatchObject({ code: 2, err: wasDown })

  // The processes disagree.
  const [next, unknown] = [{ NEXT: 'yes' }, `127.0.0.1:${ports[0]} of job shop does not know version v4.`]
  expect(asked(origin, 'v4', 15 * SECONDS, [], next)).toMatchObject(ended(2, unknown))
  expect(asked(origin, 'v4', 15 * SECONDS, ['--ready'], next)).toMatchObject(ended(1, unknown))
  expect(asked(origin, 'v3', 15 * SECONDS, ['--ready', '--job', 'shop'])).toMatchObject({ code: 0, err: '' })
  expect(asked(origin, 'v3', 15 * SECONDS, ['--ready', '--job', 'other'])).toMatchObject({ code: 2 })
  expect(asked(origin, 'v3', 15 * SECONDS, ['--prefix', 'shop'])).toMatchObject({ code: 2 })
  expect(asked(origin, 'v3', 15 * SECONDS, ['--job', 'other'])).toMatchObject({ code: 2 })
})

test('a stream that is open all the time is seen', async () => {
  const [port = 0] = await freePorts(1)
  await served(port)
  const { origin, count } = await scraping([port])
  const client = get({ host: '127.0.0.1', port, path: '/events', headers: { 'X-API-Version': 'v1' } })
  client.on('error', () => {})
  await until(
    'the stream is scraped',
    async () => (await count('count(api_version_last_request_timestamp_seconds > 0)')) === 1,
  )
  await setTimeout(10_000)
  expect(asked(origin, 'v1', 5 * SECONDS)).toMatchObject({ code: 1 })
  client.destroy()
})
type Fleet = Awaited<ReturnType<typeof served>>

test('a process without the metrics, one that is never scraped, and one that dies between two scrapes', async () => {
  const ports = await freePorts(3)
  const [one = 0, two = 0, three = 0] = ports
  await served(one)
  const silent = await served(two, { SILENT: 'yes' })
  const { origin, count } = await scraping([one, two])
  await until('all are scraped', async () => (await count('sum(up)')) === 2)
  await setTimeout(12_000)
  const lacking = `127.0.0.1:${two} of job shop has no series api_version_info.`
  expect(asked(origin, 'v3', 8 * SECONDS)).toMatchObject(ended(2, lacking))
  await stop(silent.child)

  const unscraped = await scraping([one, three])
  await setTimeout(12_000)
  const never = `127.0.0.1:${three} of job shop is down.\n`
  expect(asked(unscraped.origin, 'v3', 8 * SECONDS)).toMatchObject(ended(2, never))
})

// The older record, in minutes before now.
const DAYS = 4
const MINUTES = (DAYS + 1) * 24 * 60 + 3
const EVERY = 4
type Outage = readonly [from: number, minutes: number]
/** `down`: Prometheus scraped the second target in vain; `nothing`: it recorded nothing of it; `all`: nor of the first. */
type What = 'down' | 'nothing' | 'all'
const thrice = (minutes: number): Outage[] => [1000, 2000, 3000].map((from) => [from - minutes, minutes])
const LOST = ' in which it began anew: its last counts are lost.'
const SHORT = ' days long, and not 4 days.'
/** The doubt where the processes began anew in each outage. Where their counts went on, there is none. */
const OUTAGES: [what: What, title: string, outages: readonly Outage[], doubt: string][] = [
  ['all', 'never', [], ''],
  ['down', 'for two hours', [[2000, 120]], LOST],
  ['down', 'for half an hour', [[2000, 30]], LOST],
  ['down', 'for three times half an hour', thrice(30), LOST],
  ['nothing', 'for a quarter of an hour', [[2000, 15]], LOST],
  ['all', 'for a day', [[2000, 1440]], LOST],
  ['all', 'for two hours', [[2000, 120]], LOST],
  ['all', 'for three times 50 minutes', thrice(50), LOST],
  [
    'down',
    'until it had metrics',
    [[2000, Number.POSITIVE_INFINITY]],
    ' before the record has it: its counts are lost.',
  ],
]
/** Makes the record of a target, whose process began anew in each outage, or counted on. */
function recorded(
  port: number,
  isHit: boolean,
  what: What,
  outages: readonly Outage[],
  sinces: readonly number[],
  now: number,
) {
  const labels = `job="shop",instance="127.0.0.1:${port}"`
  const lines: Record<string, string[]> = {}
  const add = (name: string, own: string, value: number, time: number) => {
    lines[name] ??= []
    lines[name].push(`${name}{${labels}${own}} ${value} ${time}`)
  }
  for (let ago = MINUTES; ago > 2; ago -= EVERY) {
    const time = now - ago * 60
    const isOut = outages.some(([from, minutes]) => ago > from && ago < from + minutes)
    if (isOut && (what === 'all' || (what === 'nothing' && isHit))) continue
    const isUp = !(isOut && isHit)
    add('up', '', isUp ? 1 : 0, time)
    if (!isUp) continue
    const since = sinces.findLast((since) => since < time) as number
    add('api_version_counting_since_timestamp_seconds', '', since, time)
    add('api_version_info', ',version="v1",state="deprecated"', 1, time)
    const none = ',version="v1",named="true"'
    add('api_version_requests_total', `${none},route="user",method="GET",status="2xx",code=""`, 0, time)
    add('api_version_last_request_timestamp_seconds', `${none},consumer="acme"`, 0, time)
  }
  return lines
}
test.each([
  ...OUTAGES.map(([what, title, outages, doubt]) => [what, `${title}, and began anew`, outages, doubt, true] as const),
  ...OUTAGES.map(([what, title, outages]) => [what, `${title}, and counted on`, outages, '', false] as const),
  ['all', 'before the last three days', [[3 * 1440, Number.POSITIVE_INFINITY]], SHORT, false] as const,
])('four days that are recorded, but for %s %s', async (what, _, outages, doubt, isAnew) => {
  const ports = await freePorts(2)
  const now = Math.floor(Date.now() / 1000)
  const begun = [now - 2 * MINUTES * 60 + 0.25]
  const sinces = isAnew
    ? [...begun, ...outages.map(([from]) => now - from * 60 - 30.5).sort((one, other) => one - other)]
    : begun
  const targets = ports.map((_, at) => (what === 'all' || at === 1 ? sinces : begun))
  await Promise.all(ports.map((port, at) => served(port, { SINCE: String(targets[at]?.at(-1)) })))
  const data = mkdtempSync(join(folder, 'data-'))
  const lines: Record<string, string[]> = {}
  for (const [at, port] of ports.entries())
    for (const [name, own] of Object.entries(
      recorded(port, what === 'all' || at === 1, what, outages, targets[at] ?? [], now),
    ))
      lines[name] = [...(lines[name] ?? []), ...own]
  const families = Object.entries(lines).map(([name, samples]) => {
    const type = name.endsWith('_total') ? 'counter' : 'gauge'
    return `# TYPE ${name.replace(/_total$/, '')} ${type}\n${samples.join('\n')}\n`
  })
  const file = join(data, 'record.txt')
  writeFileSync(file, `${families.join('')}# EOF\n`)
  const words = ['tsdb', 'create-blocks-from', 'openmetrics', '--max-block-duration=1440h', '-q', file, `${data}/tsdb`]
  const made = spawnSync(promtool, words, { encoding: 'utf8' })
  expect([made.status, made.stderr]).toEqual([0, ''])
  const { origin, count } = await scraping(ports, data)
  await until('all are scraped', async () => (await count('count(api_version_info{version="v1"})')) === 2)
  expect(asked(origin, 'v1', DAYS)).toMatchObject(ended(doubt === '' ? 0 : 2, doubt))
})

test('the rules of the example are right, and do what they say', () => {
  const cwd = join(root, 'examples/operating')
  for (const words of ['check rules rules.yml', 'test rules rules.test.yml', 'check config prometheus.yml']) {
    const { status, stdout, stderr } = spawnSync(promtool, words.split(' '), { cwd, encoding: 'utf8' })
    expect([status, stdout, stderr]).toEqual([0, expect.stringContaining('SUCCESS'), ''])
  }
  const shown = `# examples/operating/prometheus.yml\n${readFileSync(join(cwd, 'prometheus.yml'), 'utf8')}`
  expect(blocks('yaml', page('docs/operating.md'))[0]).toBe(shown)
})
