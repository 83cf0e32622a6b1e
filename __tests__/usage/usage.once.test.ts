import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import type { RequestHandler } from 'express'
import { HeaderVersioning, namedRoutes } from 'express-versioning'
import { explorer } from 'express-versioning/explorer'
import { prometheusUsage, type UsageSource } from 'express-versioning/usage'
import { write } from '../support/folder'
import {
  ago,
  DAY,
  getUser,
  knownTo,
  listening,
  NOW,
  prometheus,
  responded,
  type Said,
  type Series,
  targets,
  WHOLE,
} from '../support/prometheus'
import { blocks, page as pageOf } from '../support/readme'
import { rows } from '../support/rows'
import { serve } from '../support/serve'
import { asked, at, daily, line, usageOf, writeModule } from './asked'

afterEach(() => void jest.restoreAllMocks())

test('who uses which version, and where', async () => {
  const usage = await usageOf({
    ...WHOLE,
    requests: [
      [{ version: 'v2', named: 'true', ...getUser }, 6],
      [{ version: 'v2', named: 'false', ...getUser }, 2],
      [{ version: 'v1', named: 'true', ...getUser }, 0.9],
      [{ version: 'v1', named: 'true', route: 'user', method: 'PUT' }, 0.2],
      [{ version: 'none', named: 'true', ...getUser }, 9],
    ],
    consumers: [
      [{ version: 'v2', named: 'true', consumer: 'acme' }, 6],
      [{ version: 'v2', named: 'false' }, 2],
    ],
    operations: [[{ version: 'v2', consumer: 'acme', ...getUser }, 6]],
    errors: [
      [{ version: 'v2', consumer: 'acme', status: '4xx' }, 1],
      [{ version: 'v2', consumer: 'acme', status: '5xx', code: 'ERR_VERSION_CHANGE' }, 2],
    ],
    known: knownTo({ 'a:1': ['v1', 'v2', 'v10'] }),
    lastRequests: [
      [{ version: 'v2', named: 'true', consumer: 'acme' }, ago(60)],
      [{ version: 'v2', named: 'false' }, ago(30)],
      [{ version: 'v1', named: 'true', consumer: 'globex' }, ago(40 * DAY)],
      [{ named: 'true', consumer: 'x' }, ago(1)],
    ],
  })
  const no = { requests: 0, share: 0, named: 0, defaulted: 0, change: null, lastRequest: null }
  const none = { ...no, consumers: [], operations: [], changes: [], partlyCounted: [], unknownTo: [] }
  expect(usage).toEqual({
    days: 30,
    until: at(0),
    complete: true,
    since: at(30 * DAY),
    processes: 1,
    missing: [],
    consumers: ['acme', 'globex', 'x'],
    isLimited: false,
    versions: [
      {
        ...none,
        ...{ version: 'v1', requests: 1, share: 1 / 9, named: 1, lastRequest: at(40 * DAY) },
        operations: [{ route: 'user', method: 'GET', requests: 1 }],
      },
      {
        ...none,
        ...{ version: 'v2', requests: 8, share: 8 / 9, named: 6, defaulted: 2, lastRequest: at(30) },
        consumers: [
          {
            ...{ consumer: '', named: false, lastRequest: at(30), requests: 2 },
            ...{ changes: [], operations: [], errors: [] },
          },
          {
            ...{ consumer: 'acme', named: true, lastRequest: at(60), requests: 6, changes: [] },
            operations: [{ route: 'user', method: 'GET', requests: 6 }],
            errors: [
              { status: '5xx', code: 'ERR_VERSION_CHANGE', requests: 2 },
              { status: '4xx', code: '', requests: 1 },
            ],
          },
        ],
        operations: [{ route: 'user', method: 'GET', requests: 8 }],
      },
      { ...none, version: 'v10' },
    ],
  })
})

test('a record without labels of routes, and a version that nearly all use', async () => {
  const said: Said = {
    ...WHOLE,
    requests: [
      [{ version: 'v1', named: 'true' }, 1],
      [{ version: 'v2', named: 'true', ...getUser }, 99999],
    ],
    lastRequests: [[{}, ago(0)]],
  }
  const { versions } = await usageOf(said)
  expect(versions[0]?.operations).toEqual([{ route: '', method: '', requests: 1 }])
  expect((await asked('usage app.js', said)).out).toContain('over 99.9 % of all')
})

test('a gauge has a request that its counter missed; without consumers there are none', async () => {
  const { versions } = await usageOf({ ...WHOLE, lastRequests: [[{ version: 'v1', named: 'true' }, ago(5)]] })
  expect(versions[0]).toMatchObject({ version: 'v1', requests: 1, share: 1, named: 1, consumers: [], operations: [] })
})

test.each<{ name: string; record: Said; told: string }>([
  {
    name: 'no series',
    record: { known: knownTo({}), targets: targets({}) },
    told: 'Prometheus has no series api_version_info of these days.',
  },
  {
    name: 'a young record',
    record: { begun: [[{ instance: 'a:1' }, ago(5280)]] },
    told: 'The record of job shop is 1.4 hours long, and not 30 days.',
  },
  {
    name: 'no targets',
    record: { targets: targets({}) },
    told: 'Prometheus has no target of job shop, so it does not know which processes are down.',
  },
  {
    name: 'a target that is down',
    record: { targets: targets({ 'a:1': 'up', 'b:1': 'down' }) },
    told: 'b:1 of job shop is down.',
  },
  {
    name: 'a target without metrics',
    record: { targets: targets({ 'a:1': 'up', 'b:1': 'up' }) },
    told: 'b:1 of job shop has no series api_version_info.',
  },
  {
    name: 'sets of attributes beyond the limit',
    record: { overflown: [[{}, 1]] },
    told: 'a:1 of job shop (overflow true) adds up requests without their version: raise its limit of attribute sets.',
  },
])('a record with $name: $told', async ({ record, told }) => {
  const { complete, missing = [] } = await usageOf({ ...WHOLE, ...record })
  expect([complete, missing]).toEqual([false, [told]])
})

test('the format of a log is that of docs/operating.md', async () => {
  const [block = ''] = blocks('nginx', pageOf('docs/operating.md'))
  expect((await asked('usage app.js', WHOLE)).out).toContain(`nginx:\n  ${block.split('\n')[0]}\n`)
})

const send =
  (body: string, status = 200): RequestListener =>
  (_req, res) =>
    void res.writeHead(status).end(body)
const MATRIX = '{"status":"success","data":{"resultType":"matrix","result":[]}}'
/** Responds well, but to questions about several times. */
const odd =
  (result: unknown, resultType = 'matrix'): RequestListener =>
  ({ url = '' }, res) => {
    if (url.includes('query_range')) res.end(JSON.stringify({ status: 'success', data: { resultType, result } }))
    else if (url.includes('time'))
      res.end('{"status":"success","data":{"resultType":"scalar","result":[1800000000,"1800000000"]}}')
    else responded(res, [])
  }
const NO_NUMBER = [{ metric: {}, value: [1, 'NaN'] }]
test.each<[what: string, response: RequestListener, message: RegExp]>([
  ['an error', send('{"error":"odd"}', 400), /^Prometheus responded with status 400: odd\.$/],
  ['a page', send('<html>', 502), /^Prometheus responded with status 502\.$/],
  ['no JSON', send('<html>'), /^Prometheus responded with something else than JSON\.$/],
  ['a part', send('{"isPartial":true}'), /^Prometheus responded with a part of what it was asked for\.$/],
  ['warnings', send('{"warnings":["a","b"]}'), /^Prometheus responded with a part .* It warns: a; b$/],
  ['another response', send(MATRIX), /^The response is not one of Prometheus\.$/],
  [
    'no list',
    send('{"status":"success","data":{"resultType":"vector","result":1}}'),
    /^The response is not one of Prometheus\.$/,
  ],
  [
    'a value that is no list',
    (_req, res) => responded(res, [{ metric: {}, value: 1 }]),
    /^The response is not one of Prometheus\.$/,
  ],
  ['values at one time', odd([], 'vector'), /^The response is not one of Prometheus\.$/],
  ['no values at several times', odd([{ metric: {} }]), /^The response is not one of Prometheus\.$/],
  ['odd series at several times', odd([{ metric: null, values: [] }]), /^The response is not one of Prometheus\.$/],
  ['odd series', (_req, res) => responded(res, [{ metric: 1 }]), /^The response is not one of Prometheus\.$/],
  ['NaN', (_req, res) => responded(res, NO_NUMBER), /^Prometheus responded with a value that is not a number\.$/],
  ['no time', (_req, res) => responded(res, []), /^Prometheus does not tell its time\.$/],
  ['silence', () => {}, /^Prometheus did not respond within 0\.2 seconds\.$/],
  ['a broken connection', (req) => void req.socket.destroy(), /^Prometheus cannot be asked: .+\.$/],
  [
    'too much',
    (_req, res) => void res.end(Buffer.alloc(2 ** 26 + 1)),
    /^Prometheus responded with more than 64 MiB\.$/,
  ],
])('%s is an error', async (what, response, message) => {
  const timeout = what === 'silence' ? 200 : 5000
  await expect(prometheusUsage({ url: await listening(response), timeout })()).rejects.toThrow(message)
})

test('nobody there is an error; an empty body too', async () => {
  await expect(prometheusUsage({ url: 'http://127.0.0.1:1' })()).rejects.toThrow('Prometheus cannot be asked: ')
  jest.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(null))
  await expect(prometheusUsage({ url: 'http://127.0.0.1:1' })()).rejects.toThrow('something else than JSON')
  for (const thrown of [new Error('plain'), Object.assign(new Error('x'), { cause: new Error('inner') })]) {
    jest.spyOn(globalThis, 'fetch').mockRejectedValue(thrown)
    await expect(prometheusUsage({ url: 'http://127.0.0.1:1' })()).rejects.toThrow(/asked: (plain|inner)\.$/)
  }
})

test('header fields, a path, and a password in the address', async () => {
  const headers: IncomingHttpHeaders[] = []
  const url = new URL(await prometheus(WHOLE, headers))
  url.username = 'a%20b'
  url.password = 'c'
  await prometheusUsage({ url, days: 1 / 24, prefix: 'shop' })()
  await prometheusUsage({ url: `${url.href}/`, headers: { Authorization: 'Bearer x' } })()
  const found = new Set(headers.map(({ authorization }) => authorization))
  expect([...found]).toEqual([`Basic ${Buffer.from('a b:c').toString('base64')}`, 'Bearer x'])
})

test.each<[object, string]>([
  [{ url: 'x' }, `option "url" takes the http(s) URL of Prometheus, such as 'http://127.0.0.1:9090'.`],
  [{ url: 7 }, 'option "url" takes'],
  [{ url: 'ftp://a' }, 'option "url" takes'],
  [{ days: 0 }, 'option "days" takes a number of days, from a second to 3650; got 0.'],
  [{ days: '1' }, 'option "days" takes'],
  [{ days: 1e9 }, 'option "days" takes'],
  [{ prefix: 'a-b' }, `option "prefix" takes the start of a metric's name, such as 'api_version'; got 'a-b'.`],
  [{ job: 7 }, 'option "job" takes the name of a job of Prometheus; got 7.'],
  [{ timeout: 0.5 }, 'option "timeout" takes a whole number of milliseconds; got 0.5.'],
  [{ headers: { 'a b': 'c' } }, 'option "headers" takes an object of header fields.'],
  [{ headers: 'a' }, 'option "headers" takes an object of header fields.'],
  [{ day: 1 }, 'unknown option "day".'],
])('prometheusUsage(%j): %s', (options, message) => {
  expect(() => prometheusUsage({ url: 'http://a', ...options } as never)).toThrow(`prometheusUsage(): ${message}`)
})

const plan = `{ v1: { deprecated: '2020-01-01', sunset: '2999-01-01', successor: 'v2' } }`
const versions = `allowedVersions: ['v1', 'v2', 'v3']`
writeModule('app.js', { user: '/a' }, `exports.options = { scheme, routes, ${versions}, lifecycle: ${plan} }`)
writeModule('none.js', { user: '/a' }, 'exports.options = { scheme, routes }')
writeModule('table.js', { user: '/a' }, 'exports.routes = routes')

test('usage prints who is left', async () => {
  const many = Array.from({ length: 12 }, (_, at): Series => {
    return [{ version: 'v9', named: 'true', route: `r${at}`, method: 'GET' }, 1]
  })
  const said: Said = {
    ...WHOLE,
    known: knownTo({ 'a:1': ['v1', 'v2', 'v3', 'v9'] }),
    weekBefore: [
      [{ version: 'v1' }, 4],
      [{ version: 'v2' }, 9998],
      [{ version: 'v9' }, 8],
    ],
    requests: [
      [{ version: 'v1', named: 'true', ...getUser }, 1],
      [{ version: 'v1', named: 'false', route: 'other', method: 'GET' }, 1],
      [{ version: 'v2', named: 'true', ...getUser }, 9998],
      ...many,
    ],
    lastRequests: [
      [{ version: 'v1', named: 'true', consumer: 'acme' }, ago(3.5)],
      [{ version: 'v1', named: 'false' }, ago(DAY)],
    ],
    consumers: [
      [{ version: 'v1', named: 'true', consumer: 'acme' }, 5],
      [{ version: 'v1', named: 'false' }, 1],
    ],
  }
  const { code, out, err } = await asked('usage app.js', said)
  expect([code, err]).toEqual([0, ''])
  expect(out).toContain('Usage of the last 30 days, recorded since ')
  expect(out).toContain(`v1: deprecated since 2020-01-01, ends 2999-01-01, use v2
  6 requests, under 0.1 % of all: 5 named it, 1 got it as the default
  last week 50 % fewer than the week before
  last request: 2027-01-15 07:59:56Z
  consumers:
    acme, 2027-01-15 07:59:56Z, 5 requests
    (unknown), 2027-01-14 08:00Z, 1 request without a version
  operations:
    GET user, 5 requests
    GET other, 1 request
`)
  expect(out).toContain(`v2
  19,996 requests, 99.9 % of all: 19,996 named it, 0 got it as the default
  last week as many as the week before
  last request: none is known
`)
  expect(out).toContain('v9: unknown to the module\n')
  expect(out).toContain('last week 50 % more than the week before')
  expect(out).toContain('    and 3 more\n')
  const json = JSON.parse((await asked('usage app.js v1 --json', said)).out)
  const sunset = '2999-01-01T00:00:00.000Z'
  const first = { version: 'v1', state: 'deprecated', successor: 'v2', sunset }
  expect(json).toMatchObject({ complete: true, versions: [first] })
  const all = JSON.parse((await asked('usage app.js --json --header A:b', said)).out)
  const states = all.versions.map(({ state }: { state: string }) => state)
  expect(states).toEqual(['deprecated', 'served', 'served', 'unknown'])
})

test.each<{ name: string; record: Said; words?: string; code: number; told: string }>([
  {
    name: 'nobody',
    record: { requests: [[{ version: 'v2', named: 'true', ...getUser }, 9]] },
    code: 0,
    told: 'In the last 30 days, v1 had no request.',
  },
  {
    name: 'one client',
    record: {
      requests: [
        [{ version: 'v2', named: 'true', ...getUser }, 9],
        [{ version: 'v1', named: 'true', ...getUser }, 1],
      ],
    },
    code: 1,
    told: 'In the last 30 days, v1 was used.',
  },
  {
    name: 'a gauge alone',
    record: { lastRequests: [[{ version: 'v1', named: 'true', consumer: 'acme' }, ago(3.5)]] },
    code: 1,
    told: 'v1 was used.',
  },
  {
    name: 'no series of the version',
    record: { known: knownTo({ 'a:1': ['v2', 'v3'] }) },
    code: 2,
    told: 'No process has a series of version v1.',
  },
  {
    name: 'a process that does not know it',
    record: { known: knownTo({ 'a:1': ['v1'], 'b:1': ['v2'] }), targets: targets({ 'a:1': 'up', 'b:1': 'up' }) },
    code: 2,
    told: 'b:1 of job shop does not know version v1.',
  },
  {
    name: 'an empty Prometheus',
    record: { known: knownTo({}), targets: targets({}) },
    code: 2,
    told: 'Prometheus has no series api_version_info of these days.',
  },
  {
    name: 'a record that is not complete',
    record: { begun: [[{ instance: 'a:1' }, ago(DAY)]] },
    code: 2,
    told: 'it cannot be said that there was none:',
  },
  // who asks once a month will be back
  {
    name: 'a last request shortly before',
    record: { lastRequests: [[{ version: 'v1', named: 'true' }, ago(31 * DAY)]] },
    code: 0,
    told: 'Its last request was 31 days ago, shortly before. Look at more days: --days 62.',
  },
  {
    name: 'one just before',
    record: { lastRequests: [[{ version: 'v1', named: 'true' }, ago(30.04 * DAY)]] },
    code: 0,
    told: 'Its last request was 30 days ago',
  },
  {
    name: 'one long before',
    record: { lastRequests: [[{ version: 'v1', named: 'true' }, ago(61 * DAY)]] },
    code: 0,
    told: 'v1 had no request.',
  },
  {
    name: 'one day before',
    record: { lastRequests: [[{ version: 'v1', named: 'true' }, ago(DAY)]] },
    words: '--days 0.9',
    code: 0,
    told: 'Its last request was 1 day ago',
  },
])('usage --check: $name', async ({ name, record, words = '', code, told }) => {
  const line = `usage app.js v1 --check --no-cache-in-front ${words}`
  const { out, err, ...rest } = await asked(line, { ...WHOLE, ...record })
  expect([rest, `${out}${err}`]).toEqual([{ code }, expect.stringContaining(told)])
  expect(out.includes('shortly before')).toBe(/(?:shortly|just|day) before$/.test(name))
  const { check } = JSON.parse((await asked(`${line} --json`, { ...WHOLE, ...record })).out)
  expect(check).toMatchObject({ version: 'v1', code })
})

test('usage --check: caches in front are unknown, until somebody says what they are', async () => {
  const { code, err } = await asked('usage app.js v1 --check', WHOLE)
  expect([code, err]).toEqual([2, expect.stringContaining('  Nothing is known of caches in front')])
})

test.each<[what: string, lines: string[] | undefined, code: number, told: string]>([
  ['no hit', daily, 0, 'v1 had no request.'],
  ['hits of another version', [...daily, line(1, 'HIT')], 0, 'v1 had no request.'],
  ['a hit', [...daily, line(1, 'HIT', 'v1')], 1, 'The cache in front responded to 1 request of it.'],
  ['a stale one', [...daily, line(1, 'STALE', 'v1'), line(1, 'UPDATING', 'v1')], 1, 'responded to 2 requests'],
  ['one that was asked for', [...daily, line(1, 'HIT', '-', 'v1', 404)], 1, 'responded to 1 request'],
  // Those reached a process, which has counted them.
  ['a miss', [...daily, line(1, 'MISS', 'v1'), line(1, '-', 'v1')], 0, 'v1 had no request.'],
  ['a hit before these days', [line(31 * DAY, 'HIT', 'v1'), ...daily], 0, 'v1 had no request.'],
  ['a rejection of the cache without a version', [...daily, line(1, 'HIT', '-', 'v9', 404)], 0, 'v1 had no request.'],
  ['a hit without a version', [...daily, line(1, 'HIT', '-')], 2, 'Not every response of the cache in the log has a'],
  ['no version at all', daily.map((one) => one.replace(/v2$/, '-')), 2, 'No line in the log has a version'],
  ['another format', [...daily, '127.0.0.1 - - "GET / HTTP/1.1" 200'], 2, 'Line 32 of '],
  ['no time', [`soon${daily[0]?.slice(4)}`], 2, 'Line 1 of '],
  ['nothing', [], 2, 'No line in the log has a version'],
  ['a late beginning', daily.slice(2), 2, 'The log begins at '],
  ['a hole', daily.filter((_, day) => day < 9 || day > 11), 2, 'The log has nothing between '],
  ['an early end', daily.slice(0, 20), 2, 'The log has nothing between '],
  ['no file', undefined, 2, 'cannot be read: ENOENT.'],
])('usage --check --cache-log: %s', async (_what, lines, expected, told) => {
  const file = lines === undefined ? 'absent.log' : 'cache.log'
  if (lines !== undefined) write(file, lines.map((one) => `${one}\n`).join(''))
  const { code, out, err } = await asked(`usage app.js v1 --check --cache-log ${file}`, WHOLE)
  expect([code, `${out}${err}`]).toEqual([expected, expect.stringContaining(told)])
})

test('usage --check --cache-log: files in any order', async () => {
  write('one.log', daily.slice(15).join('\n'))
  write('two.log', daily.slice(0, 15).join('\r\n'))
  const { code } = await asked('usage app.js v1 --check --cache-log one.log --cache-log two.log', WHOLE)
  expect(code).toBe(0)
})

test.each<{ name: string; record: Said; code: number; told: string }>([
  { name: 'all know it', record: {}, code: 0, told: 'All of 1 process know v1.' },
  {
    name: 'one does not',
    record: { known: knownTo({ 'a:1': ['v1'], 'b:1': ['v2'] }) },
    code: 1,
    told: 'b:1 of job shop does not know version v1.',
  },
  {
    name: 'one is down',
    record: { targets: targets({ 'a:1': 'up', 'b:1': 'down' }) },
    code: 2,
    told: 'b:1 of job shop is down.',
  },
  {
    name: 'one has no metrics',
    record: { targets: targets({ 'a:1': 'up', 'b:1': 'up' }) },
    code: 2,
    told: 'b:1 of job shop has no series api_version_info.',
  },
  { name: 'no targets', record: { targets: targets({}) }, code: 2, told: 'Prometheus has no target of job shop' },
  {
    name: 'no process',
    record: { known: knownTo({}) },
    code: 2,
    told: 'No process has the series api_version_info now.',
  },
  {
    name: 'one is down and another does not know it',
    record: { known: knownTo({ 'a:1': ['v2'] }), targets: targets({ 'b:1': 'down' }) },
    code: 1,
    told: 'a:1 of job shop does not know version v1.',
  },
])('usage --ready: $name', async ({ record, code, told }) => {
  const given = { ...WHOLE, ...record }
  const { out, err, ...rest } = await asked('usage app.js v1 --ready', given)
  expect([rest, `${out}${err}`]).toEqual([{ code }, expect.stringContaining(told)])
  if (told.startsWith('No process')) return
  const { ready } = JSON.parse((await asked('usage app.js v1 --ready --json', given)).out)
  expect(ready).toMatchObject({ version: 'v1', code })
})

test('--job asks about one job alone', async () => {
  const queries: string[] = []
  const said = await prometheus(WHOLE)
  const url = await listening((req, res) => {
    queries.push(new URL(req.url ?? '', 'http://x').searchParams.get('query') ?? '')
    void fetch(`${said}${req.url}`).then(async (response) => res.end(await response.text()))
  })
  const words = 'usage app.js v1 --no-cache-in-front --check --job shop'
  expect((await asked(`${words} --prometheus ${url}`)).code).toBe(0)
  const metrics = queries.flatMap((query) => query.match(/api_version_\w+(?:\{[^}]*\})?/g) ?? [])
  expect(metrics.filter((metric) => !metric.includes('{job="shop"'))).toEqual([])
  const none = 'Prometheus has no series api_version_info of job shop of these days.'
  expect(await asked(words, {})).toMatchObject({ code: 2, err: expect.stringContaining(none) })
  const ready = await asked('usage app.js v1 --ready --job shop', {})
  expect(ready).toMatchObject({ code: 2, err: expect.stringContaining('No process of job shop has the series') })
})

// After a restart, the series of a consumer begins with a request, and may hide some. Those of routes do not.
test.each<{ name: string; consumers: Series[]; lastRequests: Series[]; expected: object }>([
  {
    name: 'of one consumer',
    consumers: [[{ version: 'v1', named: 'true', consumer: 'acme' }, 3]],
    lastRequests: [[{ version: 'v1', named: 'true', consumer: 'acme' }, ago(1)]],
    expected: { acme: 3, '': 6 },
  },
  {
    name: 'of two consumers',
    consumers: [
      [{ version: 'v1', named: 'true', consumer: 'acme' }, 3],
      [{ version: 'v1', named: 'true', consumer: 'globex' }, 2],
    ],
    lastRequests: [
      [{ version: 'v1', named: 'true', consumer: 'acme' }, ago(1)],
      [{ version: 'v1', named: 'true', consumer: 'globex' }, ago(2)],
    ],
    expected: { acme: 3, globex: 2, '': 4 },
  },
  {
    name: 'of two, one of whom is unknown',
    consumers: [
      [{ version: 'v1', named: 'true', consumer: 'acme' }, 3],
      [{ version: 'v1', named: 'true' }, 2],
    ],
    lastRequests: [
      [{ version: 'v1', named: 'true', consumer: 'acme' }, ago(1)],
      [{ version: 'v1', named: 'true' }, ago(2)],
    ],
    expected: { acme: 3, '': 6 },
  },
  {
    name: 'of two, which have all',
    consumers: [
      [{ version: 'v1', named: 'true', consumer: 'acme' }, 5],
      [{ version: 'v1', named: 'true', consumer: 'globex' }, 4],
    ],
    lastRequests: [
      [{ version: 'v1', named: 'true', consumer: 'acme' }, ago(1)],
      [{ version: 'v1', named: 'true', consumer: 'globex' }, ago(2)],
    ],
    expected: { acme: 5, globex: 4 },
  },
])('the sums $name are not lower than the requests', async ({ consumers, lastRequests, expected }) => {
  const requests: Series[] = [[{ version: 'v1', named: 'true', ...getUser }, 9]]
  const { versions } = await usageOf({ ...WHOLE, requests, consumers, lastRequests })
  const found = versions[0]?.consumers.map(({ consumer, requests }) => [consumer, requests]) ?? []
  expect(Object.fromEntries(found)).toEqual(expected)
})

test.each(
  rows(`
  usage app.js v1 --check | --prometheus is missing
  usage app.js --check --prometheus http://a | --check needs a version
  usage app.js v9 --check --prometheus http://a | unknown version 'v9'. Did you mean
  usage none.js v1 --check --prometheus http://a | unknown version 'v1'. The module names no versions.
  usage table.js v1 --check --prometheus http://a | exports a table without versions.
  usage nothing.js v1 --check --prometheus http://a | there is no module
  usage app.js v1 --check --prometheus ftp://a | option "url" takes
  usage app.js v1 --check --prometheus http://a --days many | option "days" takes
  usage app.js v1 --check --prometheus http://a --header secret | --header takes a header field
  usage app.js v1 --check --prometheus http://a --days= | option "days" takes
  usage app.js v1 v2 --check --prometheus http://a | one module at a time
  usage app.js --version v1 --check | the version stands behind the module
  usage app.js v1 --check --help | the version stands behind the module
  usage app.js v1 --check --out x --prometheus http://a | usage takes --out with --all only.
  usage app.js v1 --check --prometheus http://127.0.0.1:1 | usage is not known. Prometheus cannot be asked
  usage app.js v1 --check --ready --prometheus http://a | --check and --ready are two questions.
  usage app.js --ready --prometheus http://a | --ready needs a version
  usage app.js v9 --ready --prometheus http://a | unknown version 'v9'.
  usage app.js v1 --ready --prometheus http://127.0.0.1:1 | usage is not known. Prometheus cannot be asked
  usage app.js --version v1 --ready | the version stands behind the module
  usage app.js v1 --ready --help | the version stands behind the module
  usage app.js v1 --no-cache-in-front --prometheus http://a | need --check, --consumer, --change or --all.
  usage app.js v1 --cache-log x --prometheus http://a | need --check, --consumer, --change or --all.
  usage app.js v1 --check --cache-log x --no-cache-in-front --prometheus http://a | Give one of them.
  usage app.js v1 --check --job= --prometheus http://a | option "job" takes
`),
)('%s: %s', async (words, message) => {
  expect(await asked(words as string)).toMatchObject({ code: 2, err: expect.stringContaining(message as string) })
})

function page(usage: UsageSource) {
  const routes = namedRoutes({ user: '/users/:id', list: '/users', any: '/any', health: '/health' })
  const response: RequestHandler = (_req, res) => void res.end()
  routes.route('user').get(response).head(response)
  routes.route('list').get(response)
  routes.route('any').all(response)
  routes.route('health').get(response)
  const options = { allowedVersions: ['v1', 'v2', 'v3'], lifecycle: { v1: { deprecated: '2020-01-01' } } }
  const shown = explorer({ ...options, scheme: HeaderVersioning, routes, neutral: ['health'] }, { usage })
  return serve((app) => app.use('/docs', shown))
}

test('the explorer shows who is left, and keeps it for a minute', async () => {
  const said: Said = {
    ...WHOLE,
    requests: [
      [{ version: 'v2', named: 'true', ...getUser }, 3],
      [{ version: 'v2', named: 'true', route: 'gone', method: 'GET' }, 1],
      [{ version: 'v2', named: 'true', route: 'list', method: 'GET' }, 1],
      [{ version: 'v2', named: 'true', route: 'list', method: 'HEAD' }, 2],
      [{ version: 'v2', named: 'true', route: 'any', method: 'PUT' }, 5],
    ],
    lastRequests: [[{ version: 'v2', named: 'true', consumer: 'acme' }, ago(1)]],
    consumers: [[{ version: 'v2', named: 'true', consumer: 'acme' }, 4]],
  }
  const source = jest.fn(prometheusUsage({ url: await prometheus(said) }))
  const app = await page(source)
  const html = (await app.get('/docs/', { Accept: 'text/html' })).text
  expect(html).toContain('<p>12 requests (100 %), last request <time>2027-01-15 07:59:59Z</time>, 1 consumer')
  expect(html).toContain('<p><b>Free to go</b>: no request in the last 30 days')
  expect(html).toContain('<i>3 requests</i>')
  const text = (await app.get('/docs/', { Accept: 'text/plain' })).text
  expect(text).toContain('0 requests (0 %): free to go')
  expect(text).toContain('yes, 3 requests')
  const { json } = await app.get('/docs/', { Accept: 'application/json' })
  expect(json).toMatchObject({ usage: { days: 30, complete: true } })
  const { routes } = json as { routes: { method: string; name: string; versions: { requests?: number }[] }[] }
  const counted = routes.map(({ method, name, versions }) => [`${method} ${name}`, versions[1]?.requests])
  // HEAD is counted with GET, unless it is a row of its own. What has no version is not counted.
  expect(counted).toEqual([
    ['GET user', 3],
    ['HEAD user', 0],
    ['GET list', 3],
    ['ALL any', 5],
    ['GET health', undefined],
  ])
  expect(source).toHaveBeenCalledTimes(1)
  const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 61_000)
  await app.get('/docs/')
  // A clock that is set back does not keep a response forever.
  clock.mockReturnValue(NOW)
  await app.get('/docs/')
  expect(source).toHaveBeenCalledTimes(3)
})

const UNKNOWN = 'Usage is not known: its source gave no whole response in time.'
const PARTLY = 'Usage is that of the last day, not recorded. The record is not complete'
test.each<[what: string, source: UsageSource, told: string]>([
  ['fails', () => Promise.reject(new Error('secret')), UNKNOWN],
  ['is slow', Object.assign(() => new Promise<never>(() => {}), { timeout: 20 }), UNKNOWN],
  ['lacks much', async () => ({ days: 1, complete: false, since: null, versions: [] }), PARTLY],
])('a source that %s costs a sentence, and says no reason', async (_what, source, told) => {
  const app = await page(source)
  for (const Accept of ['text/html', 'text/plain', 'application/json']) {
    const { status, text } = await app.get('/docs/', { Accept })
    expect([status, text]).toEqual([200, expect.not.stringContaining('secret')])
    if (Accept !== 'application/json') expect(text).toContain(told)
  }
})

test('a source is a function', () => {
  expect(() => page('usage' as never)).toThrow('option "usage" takes a function')
})

test.each([
  [true, undefined, true],
  [false, undefined, false],
  // A source may know a last request that it did not count, or one shortly before these days.
  [true, 0.1, false],
  [true, 1.5, false],
  [true, 2.5, true],
])('complete: %p, last request %p days ago: free to go: %p', async (complete, ago, isFree) => {
  const lastRequest = ago === undefined ? null : new Date(Date.now() - ago * DAY * 1000)
  const counts = { requests: 0, share: 0, named: 0, defaulted: 0, change: null }
  const use = { version: 'v1', ...counts, lastRequest, consumers: [], operations: [] }
  const app = await page(async () => ({ days: 1, complete, since: null, versions: [use] }))
  expect((await app.get('/docs/', { Accept: 'text/plain' })).text.includes('free to go')).toBe(isFree)
})
