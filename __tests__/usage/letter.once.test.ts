import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HeaderVersioning, namedRoutes, type VersioningOptions } from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { explorer } from 'express-versioning/explorer'
import { prometheusUsage, type UsageSource } from 'express-versioning/usage'
import { command } from '../../src/command-line/command'
import { DAY, NOW, process1, prometheus, type Said, type Series, used, WHOLE } from '../support/prometheus'
import { blocks, page as pageOf } from '../support/readme'
import { rows } from '../support/rows'
import { serve } from '../support/serve'

// Which change touches whom: the numbers of prometheusUsage(), the command, the letter, and the page.

const [NAMES, SUMS, GONE] = ['Users have `given`\n  names.', 'Orders have a `total`.', 'The report is gone.'] as const
const KNOWN = ['v1', 'v2', 'v3'].map((version) => [{ ...process1, version }, 1] as const)
const touched = (version: string, change: string, value: number, labels = {}): Series => [
  { version, change, ...labels },
  value,
]
const acme = { consumer: 'acme' }
const globex = { consumer: 'globex' }
const last = (version: string, labels: object, ago: number, named = 'true'): Series => [
  { version, named, ...labels },
  NOW - ago,
]
const counted = (part = 1) => [
  ...[NAMES, SUMS, GONE].map((change) => touched('v1', change, part)),
  touched('v2', GONE, part),
]

/** acme met one of three changes of v1, once; globex two, in v1 and v2. */
const TOUCHED: Said = {
  ...WHOLE,
  known: KNOWN,
  requests: [used('v1', 5), used('v2', 3), used('v3', 9)],
  consumers: [
    [{ version: 'v1', named: 'true', ...acme }, 2],
    [{ version: 'v1', named: 'true', ...globex }, 3],
    [{ version: 'v2', named: 'true', ...globex }, 3],
  ],
  lastRequests: [last('v1', acme, 60), last('v1', globex, 30), last('v2', globex, 90)],
  changes: [touched('v1', NAMES, 1), touched('v1', SUMS, 3), touched('v1', GONE, 0), touched('v2', GONE, 2)],
  changeConsumers: [
    touched('v1', NAMES, 1, acme),
    touched('v1', SUMS, 3, globex),
    touched('v2', GONE, 2, globex),
    // What prom-client had at 0, and nobody met.
    touched('v1', GONE, 0, acme),
  ],
  lastChanges: [
    touched('v1', NAMES, NOW - 60, acme),
    touched('v1', SUMS, NOW - 31, globex),
    touched('v2', GONE, NOW - 90, globex),
    touched('v1', SUMS, NOW - 40 * DAY, acme),
  ],
  countedChanges: counted(),
}
const at = (ago: number) => new Date((NOW - ago) * 1000)
const usageOf = async (said: Said) => prometheusUsage({ url: await prometheus({ ...TOUCHED, ...said }) })()

test('the changes of each version, and of each consumer', async () => {
  const { versions } = await usageOf({})
  expect(versions[0]).toMatchObject({
    changes: [
      {
        change: SUMS,
        requests: 3,
        lastRequest: at(31),
        consumers: [{ consumer: 'globex', requests: 3, lastRequest: at(31) }],
      },
      {
        change: NAMES,
        requests: 1,
        lastRequest: at(60),
        consumers: [{ consumer: 'acme', requests: 1, lastRequest: at(60) }],
      },
      { change: GONE, requests: 0, lastRequest: null, consumers: [] },
    ],
    consumers: [
      { consumer: 'globex', changes: [{ change: SUMS, requests: 3, lastRequest: at(31) }] },
      { consumer: 'acme', changes: [{ change: NAMES, requests: 1, lastRequest: at(60) }] },
    ],
    partlyCounted: [],
  })
  expect(versions[2]).toMatchObject({ version: 'v3', changes: [], partlyCounted: [] })
})

test.each<[what: string, said: Said, requests: number, consumers: string[], parts: string[]]>([
  ['a gauge has what its counter missed', { changes: [touched('v1', NAMES, 0)] }, 1, ['acme'], []],
  ['a gauge alone', { changes: [], changeConsumers: [] }, 1, ['acme'], []],
  ['consumers have more', { changeConsumers: [touched('v1', NAMES, 4, acme)] }, 4, ['acme'], []],
  [
    'no consumers',
    { changes: [touched('v1', NAMES, 2)], changeConsumers: [], lastChanges: [touched('v1', NAMES, NOW - 5)] },
    2,
    [],
    [],
  ],
  [
    'a consumer without a name',
    { changeConsumers: [touched('v1', NAMES, 1), touched('v1', NAMES, 3, acme)], lastChanges: [] },
    4,
    ['', 'acme'],
    [],
  ],
  ['counted in the last days only', { countedChanges: counted(0.2) }, 1, ['acme'], [NAMES, SUMS, GONE]],
  ['counted but for some minutes', { countedChanges: counted(1 - 599 / (30 * DAY)) }, 1, ['acme'], []],
  ['counted but for ten minutes', { countedChanges: counted(1 - 601 / (30 * DAY)) }, 1, ['acme'], [NAMES, SUMS, GONE]],
  ['counted, nobody knows how long', { countedChanges: [] }, 1, ['acme'], [NAMES, SUMS, GONE]],
])('a change that met one request: %s', async (_what, said, requests, consumers, parts) => {
  const [v1] = (await usageOf(said)).versions
  const found = v1?.changes?.find(({ change }) => change === NAMES)
  expect([found?.requests, found?.consumers.map(({ consumer }) => consumer)]).toEqual([requests, consumers])
  expect([...(v1?.partlyCounted ?? [])].sort()).toEqual([...parts].sort())
})

test('the overflow of OpenTelemetry is no change', async () => {
  const [v1] = (await usageOf({ changes: [touched('v1', NAMES, 1), [{ version: 'v1' }, 7]] })).versions
  expect(v1?.changes?.map(({ change }) => change)).not.toContain('')
})

const folder = mkdtempSync(join(tmpdir(), 'express-versioning-letter-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
writeFileSync(
  join(folder, 'app.js'),
  `const { HeaderVersioning: scheme, namedRoutes } = require('express-versioning')
const { change, versionHistory } = require('express-versioning/changes')
const routes = namedRoutes({ user: '/users/:id', orders: '/orders', report: '/report' })
for (const name of ['user', 'orders', 'report']) routes.route(name).get((req, res) => res.end())
const [names, sums, gone] = ${JSON.stringify([NAMES, SUMS, GONE])}
const response = (value) => value
const changes = versionHistory('v1')
  .version('v2', change(names, { 'GET user': { response } }), change(sums, { 'GET orders': { response } }))
  .version('v3', change(gone, { 'GET report': 'removed' }))
  .version('v4', change('Secret.', { 'GET user': { response } }))
const lifecycle = { v1: { deprecated: '2020-01-01', sunset: '2999-01-01', successor: 'v3' }, v4: { preview: true } }
exports.options = { scheme, routes, changes, lifecycle }`,
)
const asked = async (words: string, said: Said = {}) => {
  const url = await prometheus({ ...TOUCHED, ...said })
  return command([...words.split(' '), '--prometheus', url], folder)
}
const TIMES = { acme: '2027-01-15 07:59Z', globex: '2027-01-15 07:59:29Z' }

test('the command says how many changes touch each version', async () => {
  const { out } = await asked('usage app.js')
  expect(out).toContain(
    '\n  last request: 2027-01-15 07:59:30Z\n  touched by 2 of 4 changes; 1 of them not counted all the time\n',
  )
  const [v1 = '', v2 = '', v3 = '', v4 = ''] = out.split(/^v\d/m).slice(1)
  expect([v1, v2, v3, v4].map((text) => /touched by.*/.exec(text)?.[0])).toEqual([
    'touched by 2 of 4 changes; 1 of them not counted all the time',
    'touched by 1 of 2 changes; 1 of them not counted all the time',
    'touched by 0 of 1 change; 1 of them not counted all the time',
    undefined,
  ])
  const secret = ['v1', 'v2', 'v3'].map((version) => touched(version, 'Secret.', 0))
  const whole = await asked('usage app.js v1', {
    changes: [...(TOUCHED.changes as Series[]), ...secret],
    countedChanges: [...counted(), ...secret.map(([labels]): Series => [labels, 1])],
  })
  expect(whole.out).toContain('\n  touched by 2 of 4 changes\n')
})

test('the letter to a consumer, as text', async () => {
  expect(await asked('usage app.js v1 --consumer acme')).toEqual({
    code: 0,
    err: '',
    out: `acme: from v1 to v3

v1: deprecated since 2020-01-01, ends 2999-01-01, use v3
In the last 30 days, you sent 2 requests in v1, the last at ${TIMES.acme}.

You will notice 1 of 3 changes:
  v2
    - Users have \`given\` names.
      1 request, the last at ${TIMES.acme}

2 changes never met your requests in the last 30 days:
  v2
    - Orders have a \`total\`.
  v3
    - The report is gone.
`,
  })
})

test('the letter to a consumer, as Markdown', async () => {
  const odd = { consumer: '<acme>_1' }
  const said = {
    requests: [used('v1', 1)],
    consumers: [[{ version: 'v1', named: 'true', ...odd }, 1]],
    lastRequests: [last('v1', odd, 60)],
    changeConsumers: [touched('v1', NAMES, 1, odd)],
    lastChanges: [],
  } satisfies Said
  expect(
    (await asked('usage app.js v1 --markdown --consumer <acme>_1', said)).out,
  ).toBe(`# \\<acme\\>\\_1: from v1 to v3

v1: deprecated since 2020-01-01, ends 2999-01-01, use v3

In the last 30 days, you sent 1 request in v1, the last at ${TIMES.acme}.

## You will notice 1 of 3 changes

### v2

- Users have \`given\` names. (1 request)

## 2 changes never met your requests in the last 30 days

### v2

- Orders have a \`total\`.

### v3

- The report is gone.
`)
})

test('the letter of the docs', async () => {
  const letter = blocks('text', pageOf('docs/operating.md')).find((text) => text.startsWith('acme: ')) as string
  const [, name = ''] = /- (Users .*)/.exec(letter) ?? []
  writeFileSync(
    join(folder, 'docs.js'),
    `const { HeaderVersioning: scheme, namedRoutes } = require('express-versioning')
const { change, versionHistory } = require('express-versioning/changes')
const routes = namedRoutes({ user: '/users/:id', report: '/report' })
for (const name of ['user', 'report']) routes.route(name).get((req, res) => res.end())
const response = (value) => value
exports.options = {
  scheme,
  routes,
  lifecycle: { v1: { deprecated: '2026-01-01', sunset: '2099-06-30', successor: 'v3' } },
  changes: versionHistory('v1')
    .version('v2', change(${JSON.stringify(name)}, { 'GET user': { response } }))
    .version('v3', change('The report is gone.', { 'GET report': 'removed' })),
}`,
  )
  const time = Date.parse('2027-01-10T12:00:00Z') / 1000
  const all = [name, GONE].map((change) => touched('v1', change, 0))
  const { out, err } = await asked('usage docs.js v1 --consumer acme', {
    requests: [used('v1', 12)],
    consumers: [[{ version: 'v1', named: 'true', ...acme }, 12]],
    lastRequests: [[{ version: 'v1', named: 'true', ...acme }, time]],
    changes: all,
    changeConsumers: [touched('v1', name, 12, acme)],
    lastChanges: [touched('v1', name, time, acme)],
    countedChanges: all.map(([labels]): Series => [labels, 1]),
  })
  expect([out.trimEnd(), err]).toEqual([letter.trimEnd(), ''])
})

test('the letter to a consumer, as JSON', async () => {
  const { out } = await asked('usage app.js v1 --json --consumer globex')
  const met = { requests: 3, lastRequest: at(31).toISOString() }
  const never = { requests: 0, lastRequest: null }
  expect(JSON.parse(out)).toEqual({
    letter: {
      ...{ consumer: 'globex', version: 'v1', newest: 'v3', requests: 3, lastRequest: at(30).toISOString() },
      complete: true,
      doubts: [],
      changes: [
        { version: 'v2', change: NAMES, ...never },
        { version: 'v2', change: SUMS, ...met },
        { version: 'v3', change: GONE, ...never },
      ],
    },
  })
})

test.each<[version: string, consumer: string, heading: string]>([
  ['v3', 'globex', 'No change comes after v3:\n'],
  ['v4', 'globex', 'No change comes after v4:\n'],
  ['v2', 'globex', 'You will notice 1 of 1 change:\n  v3\n    - The report is gone.\n'],
  ['v2', 'acme', 'You will notice 0 of 1 change:\n\n1 change never met your requests'],
])('the letter from %s to %s', async (version, consumer, heading) => {
  const known = [...KNOWN, [{ ...process1, version: 'v4' }, 1] as const]
  const { code, out, err } = await asked(`usage app.js ${version} --consumer ${consumer}`, { known })
  expect([code, err, out]).toEqual([0, '', expect.stringContaining(`\n\n${heading}`)])
  if (consumer === 'acme') expect(out).toContain('no request of yours is known in v2.')
})

const nameless: Series = [{ version: 'v1', named: 'true' }, 2]
const DOUBTS: [what: string, said: Said, doubt: string][] = [
  [
    'the record is too short',
    { since: [[{ job: 'shop' }, NOW - DAY]] },
    'The record of job shop is 1 day long, and not 30 days.',
  ],
  ['a process was down', { down: [[process1, 7200]] }, 'a:1 of job shop was down for 2 hours.'],
  [
    'the changes are new',
    { countedChanges: counted(0.5) },
    `The change "${SUMS}" was counted in a part of these days.`,
  ],
  [
    'the changes are not counted',
    { changes: [], changeConsumers: [], lastChanges: [] },
    `No process counts the change "${SUMS}".`,
  ],
  [
    'requests have no consumer',
    {
      consumers: [...(TOUCHED.consumers as Series[]), nameless],
      lastRequests: [...(TOUCHED.lastRequests as Series[]), last('v1', {}, 9)],
    },
    '2 requests in v1 may be of any consumer.',
  ],
  [
    'no series of the version',
    { known: KNOWN.slice(1), requests: [], lastRequests: [last('v2', acme, 60)] },
    'No process has a series of version v1.',
  ],
]
test.each(DOUBTS)('"never met it" is not said where %s', async (_what, said, doubt) => {
  const { code, out, err } = await asked('usage app.js v1 --consumer acme', said)
  expect([code, out]).toEqual([0, expect.stringMatching(/\nOf [23] changes, no request of yours is known:\n/)])
  expect(out).not.toContain('never')
  expect(err).toContain('express-versioning: It cannot be said that the letter has all:\n')
  expect(err).toContain(`\n  ${doubt}\n`)
  const { letter } = JSON.parse((await asked('usage app.js v1 --json --consumer acme', said)).out)
  expect([letter.complete, letter.doubts]).toEqual([false, expect.arrayContaining([doubt])])
})

const UNUSED: Said = {
  lastRequests: [last('v2', acme, 60)],
  consumers: [[{ version: 'v2', named: 'true', ...acme }, 1]],
}
test.each<[what: string, said: Said, words: string, code: number, told: string]>([
  ['it had requests', {}, '--no-cache-in-front', 1, 'In the last 30 days, acme had requests in v1.'],
  ['it had none', UNUSED, '--no-cache-in-front', 0, 'In the last 30 days, acme had no request in v1.'],
  ['caches are not known', UNUSED, '', 2, 'Nothing is known of caches in front'],
  [
    'the record is too short',
    { ...UNUSED, since: [[{ job: 'shop' }, NOW - DAY]] },
    '--no-cache-in-front',
    2,
    'The record of job shop is',
  ],
  ['changes are new', { ...UNUSED, countedChanges: counted(0.5) }, '--no-cache-in-front', 2, 'was counted in a part'],
])('--check with a consumer: %s', async (_what, said, words, expected, told) => {
  const line = `usage app.js v1 --check --consumer acme ${words}`.trim()
  const { code, out, err } = await asked(line, said)
  expect([code, `${out}${err}`]).toEqual([expected, expect.stringContaining(told)])
  expect(JSON.parse((await asked(`${line} --json`, said)).out).check).toMatchObject({
    code: expected,
    consumer: 'acme',
  })
})

test('--check with a consumer: responses of a cache may be those of any consumer', async () => {
  const line = (ago: number, state: string) =>
    `${new Date((NOW - ago) * 1000).toISOString().replace('.000Z', '+00:00')} 200 ${state} a.test "GET /users/7 HTTP/1.1" "-" "*/*" v1`
  const lines = [...Array.from({ length: 31 }, (_, day) => line((30.1 - day) * DAY, 'MISS')), line(1, 'HIT')]
  writeFileSync(join(folder, 'cache.log'), lines.join('\n'))
  const { code, err } = await asked('usage app.js v1 --check --cache-log cache.log --consumer acme', UNUSED)
  expect([code, err]).toEqual([2, expect.stringContaining('The cache in front responded to 1 request of anybody.')])
})

test.each(
  rows(`
  usage app.js v1 --consumer acm | no request of 'acm' is known in the last 30 days. Did you mean "acme"?
  usage app.js --consumer acme | --consumer acme needs a version
  usage app.js v1 --consumer= | --consumer takes the name of a consumer.
  usage app.js v1 --consumer acme --ready | --consumer and --ready are two questions.
  usage app.js v1 --markdown | --markdown needs --consumer
  usage app.js v1 --consumer acme --markdown --json | --markdown and --json are two forms.
  usage app.js v9 --consumer acme | unknown version 'v9'.
`),
)('%s: %s', async (words, message) => {
  expect(await asked(words as string)).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringContaining(message as string),
  })
})

test('metrics without consumers have no letter', async () => {
  const { code, err } = await asked('usage app.js v1 --consumer acme', { consumers: [] })
  expect([code, err]).toEqual([2, expect.stringContaining('The metrics have no consumers: see the option "consumer"')])
})

function page(usage: UsageSource) {
  const routes = namedRoutes({ user: '/users/:id' })
  routes.route('user').get((_req, res) => void res.end())
  const same = { 'GET user': { response: (value: object) => value } }
  const changes = versionHistory('v1')
    .version('v2', change(NAMES, same), change(SUMS, same))
    .version('v3', change(GONE, same), change('Not counted.', same))
  const options: VersioningOptions = { scheme: HeaderVersioning, routes, changes }
  return serve((app) => app.use('/docs', explorer(options, { usage })))
}

test('the explorer shows how many consumers each change touches', async () => {
  const both = [...(TOUCHED.changeConsumers as Series[]), touched('v1', GONE, 1, acme), touched('v1', GONE, 1, globex)]
  const app = await page(() => usageOf({ changeConsumers: both }))
  const text = (await app.get('/docs/', { Accept: 'text/plain' })).text
  expect(text).toContain('  - Users have `given` names.\n    touches 1 consumer\n')
  // globex in v1 and v2 is one consumer.
  expect(text).toContain('  - The report is gone.\n    touches 2 consumers\n')
  expect(text).toMatch(/ {2}- Not counted\.\n(?! {4}touches)/)
  const html = (await app.get('/docs/', { Accept: 'text/html' })).text
  expect(html).toContain('<li>Users have <code>given</code> names.<p>touches 1 consumer')
  const { json } = await app.get('/docs/', { Accept: 'application/json' })
  const { versions } = json as { versions: { changes?: object[] }[] }
  expect(versions.map(({ changes }) => changes)).toEqual([
    undefined,
    [
      { change: NAMES, requests: 1, consumers: 1 },
      { change: SUMS, requests: 3, consumers: 1 },
    ],
    [{ change: GONE, requests: 4, consumers: 2 }],
  ])
})

test.each<[what: string, said: Said, told: string]>([
  ['nobody', { changeConsumers: [], changes: [touched('v1', NAMES, 0)], lastChanges: [] }, 'touches no consumer\n'],
  [
    'nobody that is known',
    { changeConsumers: [], changes: [touched('v1', NAMES, 0)], lastChanges: [], countedChanges: [] },
    'touches no consumer that is known\n',
  ],
  [
    'nobody, in a record that is too short',
    { changeConsumers: [], changes: [touched('v1', NAMES, 0)], lastChanges: [], since: [[{ job: 'shop' }, NOW - DAY]] },
    'touches no consumer that is known\n',
  ],
  [
    'requests without a consumer',
    { changeConsumers: [touched('v1', NAMES, 2)], lastChanges: [] },
    'touches 2 requests of unknown consumers\n',
  ],
])('the explorer shows a change that touches %s', async (_what, said, told) => {
  const app = await page(() => usageOf(said))
  expect((await app.get('/docs/', { Accept: 'text/plain' })).text).toContain(
    `  - Users have \`given\` names.\n    ${told}`,
  )
})
