import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RequestHandler } from 'express'
import { HeaderVersioning, namedRoutes } from 'express-versioning'
import { explorer } from 'express-versioning/explorer'
import { prometheusUsage, type UsageSource } from 'express-versioning/usage'
import { command } from '../../src/command-line/command'
import {
  DAY,
  listening,
  NOW,
  process1,
  prometheus,
  responded,
  type Said,
  type Series,
  used,
  WHOLE,
} from '../support/prometheus'
import { blocks, page as pageOf } from '../support/readme'
import { rows } from '../support/rows'
import { serve } from '../support/serve'

afterEach(() => void jest.restoreAllMocks())

const usageOf = async (said: Said) => prometheusUsage({ url: await prometheus({ ...WHOLE, ...said }) })()

test('who uses which version, and where', async () => {
  const last = (version: string, consumer: string, ago: number, named = 'true'): Series => [
    { version, consumer, named },
    NOW - ago,
  ]
  const usage = await usageOf({
    requests: [
      used('v2', 6),
      used('v2', 2, 'false'),
      used('v1', 0.9),
      used('v1', 0.2, 'true', 'user', 'PUT'),
      used('none', 9),
    ],
    consumers: [
      [{ version: 'v2', named: 'true', consumer: 'acme' }, 6],
      [{ version: 'v2', named: 'false' }, 2],
    ],
    lastRequests: [
      last('v2', 'acme', 60),
      [{ version: 'v2', named: 'false' }, NOW - 30],
      last('v1', 'globex', 40 * DAY),
      last('', 'x', 1),
    ],
    lastWeek: [[{ version: 'v2' }, 3]],
    weekBefore: [[{ version: 'v2' }, 2]],
    known: [...(WHOLE.known as Series[]), [{ ...process1, version: 'v10' }, 1]],
  })
  const at = (ago: number) => new Date((NOW - ago) * 1000)
  const none = {
    requests: 0,
    share: 0,
    named: 0,
    defaulted: 0,
    change: null,
    lastRequest: null,
    consumers: [],
    operations: [],
    changes: [],
    partlyCounted: [],
    unknownTo: [],
  }
  expect(usage).toEqual({
    days: 30,
    until: at(0),
    complete: true,
    since: at(30 * DAY),
    processes: 1,
    missing: [],
    versions: [
      {
        ...none,
        ...{ version: 'v1', requests: 1, share: 1 / 9, named: 1, lastRequest: at(40 * DAY) },
        operations: [{ route: 'user', method: 'GET', requests: 1 }],
      },
      {
        ...none,
        ...{ version: 'v2', requests: 8, share: 8 / 9, named: 6, defaulted: 2, change: 0.5, lastRequest: at(30) },
        consumers: [
          { consumer: '', named: false, lastRequest: at(30), requests: 2, changes: [] },
          { consumer: 'acme', named: true, lastRequest: at(60), requests: 6, changes: [] },
        ],
        operations: [{ route: 'user', method: 'GET', requests: 8 }],
      },
      { ...none, version: 'v10' },
    ],
  })
})

test('a record without labels of routes, and a version that nearly all use', async () => {
  const requests: Series[] = [[{ version: 'v1', named: 'true' }, 1], used('v2', 99_999)]
  const { versions } = await usageOf({ requests, lastRequests: [[{}, NOW]] })
  expect(versions[0]?.operations).toEqual([{ route: '', method: '', requests: 1 }])
  const url = await prometheus({ ...WHOLE, requests })
  expect((await asked(`usage app.js --prometheus ${url}`)).out).toContain('over 99.9 % of all')
})

test('a gauge has a request that its counter missed; without consumers there are none', async () => {
  const { versions } = await usageOf({ lastRequests: [[{ version: 'v1', named: 'true' }, NOW - 5]] })
  expect(versions[0]).toMatchObject({ version: 'v1', requests: 1, share: 1, named: 1, consumers: [], operations: [] })
})

const job = { job: 'shop' }
const ended = { job: 'shop', instance: 'c:1' }
const INCOMPLETE: [what: string, said: Said, missing: (string | RegExp)[]][] = [
  ['one that was down for a moment', { down: [[process1, 1]] }, ['a:1 of job shop was down for 1 second.']],
  ['no series', { jobs: [] }, ['Prometheus has no series api_version_info of these days.']],
  ['series of jobs that are gone', { jobs: [[job, 0]] }, ['No process has the series api_version_info now.']],
  ['a young record', { since: [[job, NOW - 5400]] }, ['The record of job shop is 1.5 hours long, and not 30 days.']],
  ['a job without a beginning', { since: [] }, ['The record of job shop is 0 seconds long, and not 30 days.']],
  [
    'a young record of the targets',
    { jobBefore: [], jobFirst: [[job, NOW - 5400]] },
    [/^The record of job shop is 1.5 hours long/],
  ],
  ['no sample of a target', { jobFirst: [] }, [/^The record of job shop is 0 seconds long/]],
  [
    'a hole of all targets',
    { jobMoments: [[job, 28 * 720 + 1]], jobBegun: [[job, 1]], targetMoments: [[process1, 28 * 720 + 1]] },
    ['The record of job shop has holes of 2 days.'],
  ],
  [
    'three holes of one target',
    { targetMoments: [[process1, 30 * 720 + 1 - 4]], targetBegun: [[process1, 3]] },
    ['The record of a:1 of job shop has holes of 14 minutes.'],
  ],
  [
    'a target that was away in the beginning',
    { targetFirst: [[process1, NOW - 29 * DAY]], targetMoments: [[process1, 29 * 720 + 1]] },
    ['The record of a:1 of job shop has holes of 1 day.'],
  ],
  [
    'a hole of a target that has ended since',
    {
      targetFirst: [...(WHOLE.targetFirst as Series[]), [ended, NOW - 20 * DAY]],
      targetLast: [...(WHOLE.targetLast as Series[]), [ended, NOW - 10 * DAY]],
      targetMoments: [...(WHOLE.targetMoments as Series[]), [ended, 9 * 720 + 1]],
      targetBegun: [[ended, 2]],
    },
    ['The record of c:1 of job shop has holes of 1 day.'],
  ],
  [
    'no targets',
    { targets: [] },
    ['Prometheus has no target of job shop, so it does not know which processes were down.'],
  ],
  ['a target that is down', { targets: [[process1, 0]] }, ['a:1 of job shop is down.']],
  ['one that was down', { down: [[process1, 7200]] }, ['a:1 of job shop was down for 2 hours.']],
  [
    'a target without metrics',
    {
      targets: [
        [process1, 1],
        [{ job: 'shop', instance: 'b:1' }, 1],
      ],
    },
    ['b:1 of job shop has no series api_version_info.'],
  ],
  [
    'one without metrics before',
    { silent: [[process1, 90]] },
    ['a:1 of job shop had no series api_version_info for 1.5 minutes.'],
  ],
  [
    'sets of attributes beyond the limit',
    { overflown: [[{}, 1]] },
    [' of job  adds up requests without their version: raise its limit of attribute sets.'],
  ],
]
test.each(INCOMPLETE)('a record with %s is not complete', async (_what, said, missing) => {
  const expected = missing.map((told) => (typeof told === 'string' ? told : expect.stringMatching(told)))
  expect(await usageOf(said)).toMatchObject({ complete: false, missing: expected })
})

test.each<[what: string, said: Said]>([
  ['holes of nine minutes', { targetMoments: [[process1, 30 * 720 + 1 - 2]], targetBegun: [[process1, 2]] }],
  [
    'a target that is new',
    {
      targetBefore: [],
      targetFirst: [[process1, NOW - DAY]],
      targetMoments: [[process1, 720 + 1]],
      targetBegun: [[process1, 1]],
    },
  ],
  ['one sample of a target', { interval: [] }],
])('a record with %s is complete', async (_what, said) => {
  expect(await usageOf(said)).toMatchObject({ complete: true, missing: [] })
})

test('the format of a log is that of docs/operating.md', async () => {
  const { out } = await asked(`usage app.js --prometheus ${await prometheus(WHOLE)}`)
  const [block = ''] = blocks('nginx', pageOf('docs/operating.md'))
  expect(out).toContain(`nginx:\n  ${block.split('\n')[0]}\n`)
})

test('a job and a target without a name are known by their empty ones', async () => {
  const unnamed = {
    jobs: [[{}, 1]],
    since: [[{}, NOW - 30 * DAY]],
    jobFirst: [[{}, NOW - 30 * DAY]],
    jobLast: [[{}, NOW]],
    jobMoments: [[{}, 21_601]],
    targetBefore: [],
    targetFirst: [[{}, NOW - 30 * DAY]],
    targetMoments: [[{}, 21_601]],
    targetBegun: [[{}, 1]],
    targets: [[{}, 1]],
    known: [[{ version: 'v1' }, 1]],
  } as const
  expect(await usageOf(unnamed as unknown as Said)).toMatchObject({ complete: true, missing: [] })
})

const FAILURES: [what: string, response: RequestListener, message: RegExp][] = [
  [
    'an error',
    (_req, res) => void res.writeHead(400).end('{"error":"parse error"}'),
    /^Prometheus responded with status 400: parse error\.$/,
  ],
  ['a page', (_req, res) => void res.writeHead(502).end('<html>'), /^Prometheus responded with status 502\.$/],
  ['no JSON', (_req, res) => void res.end('<html>'), /^Prometheus responded with something else than JSON\.$/],
  [
    'a part',
    (_req, res) => void res.end('{"isPartial":true}'),
    /^Prometheus responded with a part of what it was asked for\.$/,
  ],
  [
    'warnings',
    (_req, res) => void res.end('{"warnings":["a","b"]}'),
    /^Prometheus responded with a part .* It warns: a; b$/,
  ],
  [
    'another response',
    (_req, res) => void res.end('{"status":"success","data":{"resultType":"matrix","result":[]}}'),
    /^The response is not one of Prometheus\.$/,
  ],
  ['odd series', (_req, res) => responded(res, [{ metric: 1 }]), /^The response is not one of Prometheus\.$/],
  [
    'NaN',
    (_req, res) => responded(res, [{ metric: {}, value: [1, 'NaN'] }]),
    /^Prometheus responded with a value that is not a number\.$/,
  ],
  ['no time', (_req, res) => responded(res, []), /^Prometheus does not tell its time\.$/],
  ['silence', () => {}, /^Prometheus did not respond within 0\.2 seconds\.$/],
  ['a broken connection', (req) => void req.socket.destroy(), /^Prometheus cannot be asked: .+\.$/],
  [
    'too much',
    (_req, res) => {
      for (let size = 0; size <= 64; size++) res.write('x'.repeat(2 ** 20))
      res.end()
    },
    /^Prometheus responded with more than 64 MiB\.$/,
  ],
]
test.each(FAILURES)('%s is an error', async (what, response, message) => {
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
  await prometheusUsage({ url: `${url.href}api/`, headers: { Authorization: 'Bearer x' } })()
  const found = new Set(headers.map(({ authorization }) => authorization))
  expect([...found]).toEqual([`Basic ${Buffer.from('a b:c').toString('base64')}`, 'Bearer x'])
})

const WRONG: [object, string][] = [
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
]
test.each(WRONG)('prometheusUsage(%j): %s', (options, message) => {
  expect(() => prometheusUsage({ url: 'http://a', ...options } as never)).toThrow(`prometheusUsage(): ${message}`)
})

const folder = mkdtempSync(join(tmpdir(), 'express-versioning-usage-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const OPTIONS = `const { HeaderVersioning: scheme, namedRoutes } = require('express-versioning')
const routes = namedRoutes({ user: '/users/:id' })
routes.route('user').get((req, res) => res.end())
`
const plan = `{ v1: { deprecated: '2020-01-01', sunset: '2999-01-01', successor: 'v2' } }`
writeFileSync(
  join(folder, 'app.js'),
  `${OPTIONS}exports.options = { scheme, routes, allowedVersions: ['v1', 'v2', 'v3'], lifecycle: ${plan} }`,
)
writeFileSync(join(folder, 'none.js'), `${OPTIONS}exports.options = { scheme, routes }`)
writeFileSync(join(folder, 'table.js'), `${OPTIONS}exports.routes = routes`)
const asked = (words: string) => command(words.split(' '), folder)

const LAST: Series[] = [
  [{ version: 'v1', named: 'true', consumer: 'acme' }, NOW - 3.5],
  [{ version: 'v1', named: 'false', consumer: '' }, NOW - DAY],
]
const COUNTS: Series[] = [
  [{ version: 'v1', named: 'true', consumer: 'acme' }, 1],
  [{ version: 'v1', named: 'false', consumer: '' }, 1],
]

test('usage prints who is left', async () => {
  const known = ['v1', 'v2', 'v3', 'v9'].map((version) => [{ ...process1, version }, 1] as const)
  const weeks = {
    lastWeek: [
      [{ version: 'v1' }, 1],
      [{ version: 'v2' }, 2],
      [{ version: 'v9' }, 3],
    ],
    weekBefore: [
      [{ version: 'v1' }, 2],
      [{ version: 'v2' }, 2],
      [{ version: 'v9' }, 2],
    ],
  } as const
  const requests = [
    used('v1', 1),
    used('v1', 1, 'false', 'other'),
    used('v2', 9998),
    ...Array.from({ length: 12 }, (_, at) => used('v9', 1, 'true', `r${at}`)),
  ]
  const url = await prometheus({ ...WHOLE, known, ...weeks, requests, lastRequests: LAST, consumers: COUNTS })
  const { code, out, err } = await asked(`usage app.js --prometheus ${url}`)
  expect([code, err]).toEqual([0, ''])
  expect(out).toContain('Usage of the last 30 days, recorded since ')
  expect(out).toContain(`v1: deprecated since 2020-01-01, ends 2999-01-01, use v2
  2 requests, under 0.1 % of all: 1 named it, 1 got it as the default
  last week 50 % fewer than the week before
  last request: 2027-01-15 07:59:56Z
  consumers:
    acme, 2027-01-15 07:59:56Z, 1 request
    (unknown), 2027-01-14 08:00Z, 1 request without a version
  operations:
    GET user, 1 request
    GET other, 1 request
`)
  expect(out).toContain(
    'v2\n  9,998 requests, 99.9 % of all: 9,998 named it, 0 got it as the default\n  last week as many as the week before\n  last request: none is known\n',
  )
  expect(out).toContain('v9: unknown to the module\n')
  expect(out).toContain('last week 50 % more than the week before')
  expect(out).toContain('    and 2 more\n')
  const json = JSON.parse((await asked(`usage app.js v1 --json --prometheus ${url}`)).out)
  expect(json).toMatchObject({
    complete: true,
    versions: [{ version: 'v1', state: 'deprecated', successor: 'v2', sunset: '2999-01-01T00:00:00.000Z' }],
  })
  const all = JSON.parse((await asked(`usage app.js --json --prometheus ${url} --header A:b`)).out)
  expect(all.versions.map(({ state }: { state: string }) => state)).toEqual([
    'deprecated',
    'served',
    'served',
    'unknown',
  ])
})

const KNOWN = ['v1', 'v2', 'v3'].map((version) => [{ ...process1, version }, 1] as const)
const VERDICTS: [what: string, said: Said, code: number, told: string][] = [
  ['nobody', { requests: [used('v2', 9)] }, 0, 'In the last 30 days, v1 had no request.'],
  ['one client', { requests: [used('v2', 9), used('v1', 1)] }, 1, 'In the last 30 days, v1 was used.'],
  ['a gauge alone', { lastRequests: LAST.slice(0, 1) }, 1, 'v1 was used.'],
  [
    'a client before these days',
    { lastRequests: [[{ version: 'v1', named: 'true' }, NOW - 31 * DAY]] },
    0,
    'had no request.',
  ],
  ['no series of the version', { known: KNOWN.slice(1) }, 2, 'No process has a series of version v1.'],
  [
    'a process that does not know it',
    {
      known: [...KNOWN, [{ job: 'shop', instance: 'b:1', version: 'v2' }, 1]],
      targets: [
        [process1, 1],
        [{ job: 'shop', instance: 'b:1' }, 1],
      ],
    },
    2,
    'b:1 of job shop does not know version v1.',
  ],
  ['an empty Prometheus', { jobs: [] }, 2, 'Prometheus has no series api_version_info of these days.'],
  ...INCOMPLETE.map(
    ([what, said]) => [what, said, 2, 'it cannot be said that there was none:'] as [string, Said, number, string],
  ),
]
test.each(VERDICTS)('usage --check: %s', async (_what, said, expected, told) => {
  const url = await prometheus({ ...WHOLE, known: KNOWN, ...said })
  const { code, out, err } = await asked(`usage app.js v1 --check --no-cache-in-front --prometheus ${url}`)
  expect([code, `${out}${err}`]).toEqual([expected, expect.stringContaining(told)])
  const json = JSON.parse((await asked(`usage app.js v1 --check --no-cache-in-front --json --prometheus ${url}`)).out)
  expect(json.check).toMatchObject({ version: 'v1', code: expected })
})

test('usage --check: caches in front are unknown, until somebody says what they are', async () => {
  const url = await prometheus({ ...WHOLE, known: KNOWN })
  const { code, err } = await asked(`usage app.js v1 --check --prometheus ${url}`)
  expect([code, err]).toEqual([2, expect.stringContaining('  Nothing is known of caches in front')])
})

const time = (ago: number) => new Date((NOW - ago) * 1000).toISOString().replace('.000Z', '+00:00')
const line = (ago: number, state: string, served = 'v2', asked = '-', status = 200) =>
  `${time(ago)} ${status} ${state} a.test "GET /users/7 HTTP/1.1" "${asked}" "*/*" ${served}`
const daily = Array.from({ length: 31 }, (_, day) => line((30.1 - day) * DAY, 'MISS'))
const CACHED: [what: string, lines: string[] | undefined, code: number, told: string][] = [
  ['no hit', daily, 0, 'v1 had no request.'],
  ['hits of another version', [...daily, line(1, 'HIT')], 0, 'v1 had no request.'],
  ['a hit', [...daily, line(1, 'HIT', 'v1')], 1, 'The cache in front responded to 1 request of it.'],
  ['a stale one', [...daily, line(1, 'STALE', 'v1'), line(1, 'UPDATING', 'v1')], 1, 'responded to 2 requests'],
  ['one that was asked for', [...daily, line(1, 'HIT', '-', 'v1', 404)], 1, 'responded to 1 request'],
  // Those reached a process, which has counted them.
  ['a miss', [...daily, line(1, 'MISS', 'v1'), line(1, '-', 'v1')], 0, 'v1 had no request.'],
  ['a hit before these days', [line(31 * DAY, 'HIT', 'v1'), ...daily], 0, 'v1 had no request.'],
  ['a rejection of the cache without a version', [...daily, line(1, 'HIT', '-', 'v9', 404)], 0, 'v1 had no request.'],
  [
    'a hit without a version',
    [...daily, line(1, 'HIT', '-')],
    2,
    'Not every response of the cache in the log has a version',
  ],
  ['no version at all', daily.map((one) => one.replace(/v2$/, '-')), 2, 'No line in the log has a version'],
  ['another format', [...daily, '127.0.0.1 - - "GET / HTTP/1.1" 200'], 2, 'Line 32 of '],
  ['no time', [`soon${daily[0]?.slice(4)}`], 2, 'Line 1 of '],
  ['nothing', [], 2, 'No line in the log has a version'],
  ['a late beginning', daily.slice(2), 2, 'The log begins at '],
  ['a hole', daily.filter((_, day) => day < 9 || day > 11), 2, 'The log has nothing between '],
  ['an early end', daily.slice(0, 20), 2, 'The log has nothing between '],
  ['no file', undefined, 2, 'cannot be read: ENOENT.'],
]
test.each(CACHED)('usage --check --cache-log: %s', async (_what, lines, expected, told) => {
  const file = join(folder, lines === undefined ? 'absent.log' : 'cache.log')
  if (lines !== undefined) writeFileSync(file, lines.map((one) => `${one}\n`).join(''))
  const url = await prometheus({ ...WHOLE, known: KNOWN })
  const { code, out, err } = await asked(`usage app.js v1 --check --cache-log ${file} --prometheus ${url}`)
  expect([code, `${out}${err}`]).toEqual([expected, expect.stringContaining(told)])
})

test('usage --check --cache-log: files in any order', async () => {
  writeFileSync(join(folder, 'one.log'), daily.slice(15).join('\n'))
  writeFileSync(join(folder, 'two.log'), daily.slice(0, 15).join('\r\n'))
  const url = await prometheus({ ...WHOLE, known: KNOWN })
  const { code } = await asked(`usage app.js v1 --check --cache-log one.log --cache-log two.log --prometheus ${url}`)
  expect(code).toBe(0)
})

test.each([
  [31 * DAY, 'Its last request was 31 days ago, shortly before. Look at more days: --days 62.'],
  [30.04 * DAY, 'Its last request was 30 days ago'],
  [61 * DAY, undefined],
])('usage --check: a last request %d seconds ago is told: %s', async (ago, told) => {
  const lastRequests: Series[] = [[{ version: 'v1', named: 'true' }, NOW - ago]]
  const url = await prometheus({ ...WHOLE, known: KNOWN, lastRequests })
  const { code, out } = await asked(`usage app.js v1 --check --no-cache-in-front --prometheus ${url}`)
  expect([code, out.includes('shortly before')]).toEqual([0, told !== undefined])
  if (told !== undefined) expect(out).toContain(told)
})

test('usage --check: one day is one day', async () => {
  const lastRequests: Series[] = [[{ version: 'v1', named: 'true' }, NOW - DAY]]
  const url = await prometheus({ ...WHOLE, known: KNOWN, lastRequests, since: [[job, NOW - DAY]] })
  const { out } = await asked(`usage app.js v1 --check --no-cache-in-front --days 0.9 --prometheus ${url}`)
  expect(out).toContain('Its last request was 1 day ago')
})

const process2 = { job: 'shop', instance: 'b:1' }
const READY: [what: string, said: Said, code: number, told: string][] = [
  ['all know it', {}, 0, 'All of 1 process know v1.'],
  [
    'one does not',
    { known: [...KNOWN, [{ ...process2, version: 'v2' }, 1]] },
    1,
    'b:1 of job shop does not know version v1.',
  ],
  [
    'one is down',
    {
      targets: [
        [process1, 1],
        [process2, 0],
      ],
    },
    2,
    'b:1 of job shop is down.',
  ],
  [
    'one has no metrics',
    {
      targets: [
        [process1, 1],
        [process2, 1],
      ],
    },
    2,
    'b:1 of job shop has no series api_version_info.',
  ],
  ['no targets', { targets: [] }, 2, 'Prometheus has no target of job shop'],
  ['no process', { jobs: [[job, 0]] }, 2, 'No process has the series api_version_info now.'],
  [
    'one is down and another does not know it',
    { known: KNOWN.slice(1), targets: [[process2, 0]] },
    1,
    'a:1 of job shop does not know version v1.',
  ],
]
test.each(READY)('usage --ready: %s', async (_what, said, expected, told) => {
  const url = await prometheus({ ...WHOLE, known: KNOWN, ...said })
  const { code, out, err } = await asked(`usage app.js v1 --ready --prometheus ${url}`)
  expect([code, `${out}${err}`]).toEqual([expected, expect.stringContaining(told)])
  if (told.startsWith('No process')) return
  const { ready } = JSON.parse((await asked(`usage app.js v1 --ready --json --prometheus ${url}`)).out)
  expect(ready).toMatchObject({ version: 'v1', code: expected })
})

test('a job without a name is ready too', async () => {
  const url = await prometheus({ jobs: [[{}, 1]], known: [[{ version: 'v1' }, 1]], targets: [[{}, 1]] })
  expect((await asked(`usage app.js v1 --ready --prometheus ${url}`)).code).toBe(0)
})

test('--job asks about one job alone', async () => {
  const queries: string[] = []
  const said = await prometheus({ ...WHOLE, known: KNOWN })
  const url = await listening((req, res) => {
    queries.push(new URL(req.url ?? '', 'http://x').searchParams.get('query') ?? '')
    void fetch(`${said}${req.url}`).then(async (response) => res.end(await response.text()))
  })
  const words = `usage app.js v1 --no-cache-in-front --check --prometheus ${url}`
  expect((await asked(`${words} --job shop`)).code).toBe(0)
  const metrics = queries.flatMap((query) => query.match(/api_version_\w+(?:\{[^}]*\})?/g) ?? [])
  expect(metrics.filter((metric) => !metric.includes('{job="shop"'))).toEqual([])
  const empty = await prometheus({})
  const { code, err } = await asked(`${words.replace(url, empty)} --job shop`)
  expect([code, err]).toEqual([
    2,
    expect.stringContaining('Prometheus has no series api_version_info of job shop of these days.'),
  ])
  const none = await asked(`usage app.js v1 --ready --prometheus ${empty} --job shop`)
  expect([none.code, none.err]).toEqual([2, expect.stringContaining('No process of job shop has the series')])
})

// After a restart, the series of a consumer begins with a request, and may hide some. Those of routes do not.
const by = (consumer: string, count: number): Series => [{ version: 'v1', named: 'true', consumer }, count]
test.each<[what: string, counts: Series[], expected: Record<string, number>]>([
  ['of one consumer', [by('acme', 3)], { acme: 9 }],
  ['of two consumers', [by('acme', 3), by('globex', 2)], { acme: 3, globex: 2, '': 4 }],
  ['of two, one of whom is unknown', [by('acme', 3), by('', 2)], { acme: 3, '': 6 }],
  ['of two, which have all', [by('acme', 5), by('globex', 4)], { acme: 5, globex: 4 }],
])('the sums %s are not lower than the requests', async (_what, consumers, expected) => {
  const lastRequests = consumers.map(([labels], at): Series => [labels, NOW - at - 1])
  const { versions } = await usageOf({ requests: [used('v1', 9)], consumers, lastRequests })
  const found = versions[0]?.consumers.map(({ consumer, requests }) => [consumer, requests]) ?? []
  expect(Object.fromEntries(found)).toEqual(expected)
})

test.each(FAILURES.filter(([what]) => what !== 'silence'))('usage --check: %s is 2', async (_what, response) => {
  const { code, err } = await asked(`usage app.js v1 --check --prometheus ${await listening(response)}`)
  expect([code, err]).toEqual([2, expect.stringContaining('express-versioning: usage is not known.')])
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
  usage app.js v1 --check --out x | usage takes no --out.
  usage app.js v1 --check --ready --prometheus http://a | --check and --ready are two questions.
  usage app.js --ready --prometheus http://a | --ready needs a version
  usage app.js v9 --ready --prometheus http://a | unknown version 'v9'.
  usage app.js v1 --ready --prometheus http://127.0.0.1:1 | usage is not known. Prometheus cannot be asked
  usage app.js --version v1 --ready | the version stands behind the module
  usage app.js v1 --ready --help | the version stands behind the module
  usage app.js v1 --no-cache-in-front --prometheus http://a | need --check
  usage app.js v1 --cache-log x --prometheus http://a | need --check
  usage app.js v1 --check --cache-log x --no-cache-in-front --prometheus http://a | Give one of them.
  usage app.js v1 --check --job= --prometheus http://a | option "job" takes
`),
)('%s: %s', async (words, message) => {
  expect(await asked(words as string)).toMatchObject({ code: 2, err: expect.stringContaining(message as string) })
})

test('the explorer shows who is left, and keeps it for a minute', async () => {
  const source = jest.fn(
    await (async () =>
      prometheusUsage({
        url: await prometheus({
          ...WHOLE,
          known: KNOWN,
          requests: [
            used('v2', 3),
            used('v2', 1, 'true', 'gone'),
            used('v2', 1, 'true', 'list', 'GET'),
            used('v2', 2, 'true', 'list', 'HEAD'),
            used('v2', 5, 'true', 'any', 'PUT'),
          ],
          lastRequests: [[{ version: 'v2', named: 'true', consumer: 'acme' }, NOW - 1]],
          consumers: [[{ version: 'v2', named: 'true', consumer: 'acme' }, 4]],
        }),
      }))(),
  )
  const app = await serve((app) => app.use('/docs', page(source)))
  const html = (await app.get('/docs/', { Accept: 'text/html' })).text
  expect(html).toContain('<p>12 requests (100 %), last request <time>2027-01-15 07:59:59Z</time>, 1 consumer')
  expect(html).toContain('<p><b>Free to go</b>: no request in the last 30 days')
  expect(html).toContain('<i>3 requests</i>')
  const text = (await app.get('/docs/', { Accept: 'text/plain' })).text
  expect(text).toContain('0 requests (0 %): free to go')
  expect(text).toContain('yes, 3 requests')
  const { json } = await app.get('/docs/', { Accept: 'application/json' })
  expect(json).toMatchObject({ usage: { days: 30, complete: true } })
  const counted = (json as { routes: { method: string; name: string; versions: { requests?: number }[] }[] }).routes
  // HEAD is counted with GET, unless it is a row of its own. What has no version is not counted.
  expect(
    Object.fromEntries(counted.map(({ method, name, versions }) => [`${method} ${name}`, versions[1]?.requests])),
  ).toEqual({
    'GET user': 3,
    'HEAD user': 0,
    'GET list': 3,
    'ALL any': 5,
    'GET health': undefined,
  })
  expect(source).toHaveBeenCalledTimes(1)
  const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 61_000)
  await app.get('/docs/')
  // A clock that is set back does not keep a response forever.
  clock.mockReturnValue(NOW)
  await app.get('/docs/')
  expect(source).toHaveBeenCalledTimes(3)
})

function page(usage: UsageSource) {
  const routes = namedRoutes({ user: '/users/:id', list: '/users', any: '/any', health: '/health' })
  const response: RequestHandler = (_req, res) => void res.end()
  routes.route('user').get(response).head(response)
  routes.route('list').get(response)
  routes.route('any').all(response)
  routes.route('health').get(response)
  const options = { allowedVersions: ['v1', 'v2', 'v3'], lifecycle: { v1: { deprecated: '2020-01-01' } } }
  return explorer({ ...options, scheme: HeaderVersioning, routes, neutral: ['health'] }, { usage })
}

test('a source that fails or is slow costs a sentence, and says no reason', async () => {
  const failed = async () => {
    throw new Error('secret')
  }
  const slow = Object.assign(() => new Promise<never>(() => {}), { timeout: 20 })
  const odd = async () => ({ days: 1, complete: false, since: null, versions: [] })
  const told = 'Usage is not known: its source gave no whole response in time.'
  for (const [source, expected] of [
    [failed, told],
    [slow, told],
    [odd, 'Usage is that of the last day, not recorded. The record is not complete'],
  ] as const) {
    const app = await serve((app) => app.use('/docs', page(source)))
    for (const Accept of ['text/html', 'text/plain', 'application/json']) {
      const { status, text } = await app.get('/docs/', { Accept })
      expect([status, text]).toEqual([200, expect.not.stringContaining('secret')])
      if (Accept !== 'application/json') expect(text).toContain(expected)
    }
  }
  expect(() => page('usage' as never)).toThrow('option "usage" takes a function')
  const use = {
    version: 'v1',
    requests: 0,
    share: 0,
    named: 0,
    defaulted: 0,
    change: null,
    lastRequest: null,
    consumers: [],
    operations: [],
  }
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000)
  for (const [complete, lastRequest, isFree] of [
    [true, null, true],
    [false, null, false],
    // A source may know a last request that it did not count, or one shortly before these days.
    [true, ago(0.1), false],
    [true, ago(1.5), false],
    [true, ago(2.5), true],
  ] as const) {
    const told = async () => ({ days: 1, complete, since: null, versions: [{ ...use, lastRequest }] })
    const app = await serve((app) => app.use('/docs', page(told)))
    expect((await app.get('/docs/', { Accept: 'text/plain' })).text.includes('free to go')).toBe(isFree)
  }
})
