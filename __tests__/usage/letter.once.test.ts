import { HeaderVersioning, namedRoutes, type VersioningOptions } from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { explorer } from 'express-versioning/explorer'
import { write } from '../support/folder'
import { ago, DAY, getUser, knownTo, type Said, type Series, targets, WHOLE } from '../support/prometheus'
import { blocks, page as pageOf } from '../support/readme'
import { rows } from '../support/rows'
import { serve } from '../support/serve'
import { asked as askedAll, at, daily, line, usageOf as usageOfAll, writeModule } from './asked'

// Which change touches whom: the numbers of prometheusUsage(), the command, the letter, and the page.

const [NAMES, SUMS, GONE] = ['Users have `given`\n  names.', 'Orders have a `total`.', 'The report is gone.'] as const
/** The series of all changes, which were counted in a part of the days. */
const counted = (part: number): Series[] => [
  [{ version: 'v1', change: NAMES }, part],
  [{ version: 'v1', change: SUMS }, part],
  [{ version: 'v1', change: GONE }, part],
  [{ version: 'v2', change: GONE }, part],
]

/** acme met one of three changes of v1, once; globex two, in v1 and v2. prom-client had a series at 0, which nobody met. */
const TOUCHED: Said = {
  ...WHOLE,
  requests: [
    [{ version: 'v1', named: 'true', ...getUser }, 5],
    [{ version: 'v2', named: 'true', ...getUser }, 3],
    [{ version: 'v3', named: 'true', ...getUser }, 9],
  ],
  consumers: [
    [{ version: 'v1', named: 'true', consumer: 'acme' }, 2],
    [{ version: 'v1', named: 'true', consumer: 'globex' }, 3],
    [{ version: 'v2', named: 'true', consumer: 'globex' }, 3],
  ],
  operations: [
    [{ version: 'v1', consumer: 'acme', ...getUser }, 2],
    [{ version: 'v1', consumer: 'globex', route: 'orders', method: 'GET' }, 3],
    [{ version: 'v2', consumer: 'globex', route: 'report', method: 'GET' }, 3],
  ],
  lastRequests: [
    [{ version: 'v1', named: 'true', consumer: 'acme' }, ago(60)],
    [{ version: 'v1', named: 'true', consumer: 'globex' }, ago(30)],
    [{ version: 'v2', named: 'true', consumer: 'globex' }, ago(90)],
  ],
  changes: [
    [{ version: 'v1', change: NAMES }, 1],
    [{ version: 'v1', change: SUMS }, 3],
    [{ version: 'v1', change: GONE }, 0],
    [{ version: 'v2', change: GONE }, 2],
  ],
  changeConsumers: [
    [{ version: 'v1', change: NAMES, consumer: 'acme' }, 1],
    [{ version: 'v1', change: SUMS, consumer: 'globex' }, 3],
    [{ version: 'v2', change: GONE, consumer: 'globex' }, 2],
    [{ version: 'v1', change: GONE, consumer: 'acme' }, 0],
  ],
  lastChanges: [
    [{ version: 'v1', change: NAMES, consumer: 'acme' }, ago(60)],
    [{ version: 'v1', change: SUMS, consumer: 'globex' }, ago(31)],
    [{ version: 'v2', change: GONE, consumer: 'globex' }, ago(90)],
    [{ version: 'v1', change: SUMS, consumer: 'acme' }, ago(40 * DAY)],
  ],
  countedChanges: counted(1),
}
const usageOf = (record: Said = {}) => usageOfAll({ ...TOUCHED, ...record })
const asked = (words: string, record: Said = {}) => askedAll(words, { ...TOUCHED, ...record })

test('the changes of each version, and of each consumer', async () => {
  const { versions } = await usageOf()
  const sums = { requests: 3, lastRequest: at(31) }
  const names = { requests: 1, lastRequest: at(60) }
  expect(versions[0]).toMatchObject({
    changes: [
      { change: SUMS, ...sums, consumers: [{ consumer: 'globex', ...sums }] },
      { change: NAMES, ...names, consumers: [{ consumer: 'acme', ...names }] },
      { change: GONE, requests: 0, lastRequest: null, consumers: [] },
    ],
    consumers: [
      { consumer: 'globex', changes: [{ change: SUMS, ...sums }] },
      { consumer: 'acme', changes: [{ change: NAMES, ...names }] },
    ],
    partlyCounted: [],
  })
  expect(versions[2]).toMatchObject({ version: 'v3', changes: [], partlyCounted: [] })
})

test.each<{ name: string; record: Said; requests: number; consumers: string[]; isWhole: boolean }>([
  {
    name: 'a gauge has what its counter missed',
    record: { changes: [[{ version: 'v1', change: NAMES }, 0]] },
    requests: 1,
    consumers: ['acme'],
    isWhole: true,
  },
  {
    name: 'a gauge alone',
    record: { changes: [], changeConsumers: [] },
    requests: 1,
    consumers: ['acme'],
    isWhole: true,
  },
  {
    name: 'consumers have more',
    record: { changeConsumers: [[{ version: 'v1', change: NAMES, consumer: 'acme' }, 4]] },
    requests: 4,
    consumers: ['acme'],
    isWhole: true,
  },
  {
    name: 'no consumers',
    record: {
      changes: [[{ version: 'v1', change: NAMES }, 2]],
      changeConsumers: [],
      lastChanges: [[{ version: 'v1', change: NAMES }, ago(5)]],
    },
    requests: 2,
    consumers: [],
    isWhole: true,
  },
  {
    name: 'a consumer without a name',
    record: {
      changeConsumers: [
        [{ version: 'v1', change: NAMES }, 1],
        [{ version: 'v1', change: NAMES, consumer: 'acme' }, 3],
      ],
      lastChanges: [],
    },
    requests: 4,
    consumers: ['', 'acme'],
    isWhole: true,
  },
  {
    name: 'counted in the last days only',
    record: { countedChanges: counted(0.2) },
    requests: 1,
    consumers: ['acme'],
    isWhole: false,
  },
  {
    name: 'counted but for some minutes',
    record: { countedChanges: counted(1 - 599 / (30 * 86_400)) },
    requests: 1,
    consumers: ['acme'],
    isWhole: true,
  },
  {
    name: 'counted but for two hours',
    record: { countedChanges: counted(1 - 7200 / (30 * 86_400)) },
    requests: 1,
    consumers: ['acme'],
    isWhole: false,
  },
  {
    name: 'counted, nobody knows how long',
    record: { countedChanges: [] },
    requests: 1,
    consumers: ['acme'],
    isWhole: false,
  },
])('a change that met one request: $name', async ({ record, requests, consumers, isWhole }) => {
  const [v1] = (await usageOf(record)).versions
  const found = v1?.changes?.find(({ change }) => change === NAMES)
  expect([found?.requests, found?.consumers.map(({ consumer }) => consumer)]).toEqual([requests, consumers])
  expect(new Set(v1?.partlyCounted)).toEqual(new Set(isWhole ? [] : [NAMES, SUMS, GONE]))
})

test('the overflow of OpenTelemetry is no change', async () => {
  const [v1] = (
    await usageOf({
      changes: [
        [{ version: 'v1', change: NAMES }, 1],
        [{ version: 'v1' }, 7],
      ],
    })
  ).versions
  expect(v1?.changes?.map(({ change }) => change)).not.toContain('')
})

writeModule(
  'app.js',
  { user: '/users/:id', orders: '/orders', report: '/report' },
  `const [names, sums, gone] = ${JSON.stringify([NAMES, SUMS, GONE])}
const changes = versionHistory('v1')
  .version('v2', change(names, { 'GET user': { response } }), change(sums, { 'GET orders': { response } }))
  .version('v3', change(gone, { 'GET report': 'removed' }))
  .version('v4', change('Secret.', { 'GET user': { response } }))
const lifecycle = { v1: { deprecated: '2020-01-01', sunset: '2999-01-01', successor: 'v3' }, v4: { preview: true } }
exports.options = { scheme, routes, changes, lifecycle }`,
)

test('the command says how many changes touch each version', async () => {
  const { out } = await asked('usage app.js')
  expect(out).toContain('\n  last request: 2027-01-15 07:59:30Z\n  touched by 2 of 4 changes; ')
  const texts = out.split(/^v\d/m).slice(1)
  expect(texts.map((text) => /touched by.*/.exec(text)?.[0])).toEqual([
    'touched by 2 of 4 changes; 1 of them not counted all the time',
    'touched by 1 of 2 changes; 1 of them not counted all the time',
    'touched by 0 of 1 change; 1 of them not counted all the time',
    undefined,
  ])
  const whole = await asked('usage app.js v1', {
    changes: [
      [{ version: 'v1', change: NAMES }, 1],
      [{ version: 'v1', change: SUMS }, 3],
      [{ version: 'v1', change: GONE }, 0],
      [{ version: 'v1', change: 'Secret.' }, 0],
    ],
    countedChanges: [...counted(1), [{ version: 'v1', change: 'Secret.' }, 1]],
  })
  expect(whole.out).toContain('\n  touched by 2 of 4 changes\n')
})

test('the letter to a consumer, as text', async () => {
  expect(await asked('usage app.js v1 --no-cache-in-front --consumer acme')).toEqual({
    code: 0,
    err: '',
    out: `acme: from v1 to v3

v1: deprecated since 2020-01-01, ends 2999-01-01, use v3
In the last 30 days, you sent 2 requests in v1, the last at 2027-01-15 07:59Z.
  GET user, 2 requests

You will notice 1 of 3 changes:
  v2
    - Users have \`given\` names.
      1 request, the last at 2027-01-15 07:59Z

2 changes never met your requests in the last 30 days:
  v2
    - Orders have a \`total\`.
  v3
    - The report is gone.
      \`GET /report\` is removed.
`,
  })
})

test('the letter to a consumer, as Markdown', async () => {
  const { out } = await asked('usage app.js v1 --no-cache-in-front --markdown --consumer <acme>_1', {
    requests: [[{ version: 'v1', named: 'true', ...getUser }, 1]],
    consumers: [[{ version: 'v1', named: 'true', consumer: '<acme>_1' }, 1]],
    lastRequests: [[{ version: 'v1', named: 'true', consumer: '<acme>_1' }, ago(60)]],
    operations: [[{ version: 'v1', consumer: '<acme>_1', ...getUser }, 1]],
    changeConsumers: [[{ version: 'v1', change: NAMES, consumer: '<acme>_1' }, 1]],
    lastChanges: [],
  })
  expect(out).toBe(`# \\<acme\\>\\_1: from v1 to v3

v1: deprecated since 2020-01-01, ends 2999-01-01, use v3

In the last 30 days, you sent 1 request in v1, the last at 2027-01-15 07:59Z.

- GET user, 1 request

## You will notice 1 of 3 changes

### v2

- Users have \`given\` names. (1 request)

## 2 changes never met your requests in the last 30 days

### v2

- Orders have a \`total\`.

### v3

- The report is gone.
  - \`GET /report\` is removed.
`)
})

test('the letter of the docs', async () => {
  const letter = blocks('text', pageOf('docs/operating.md')).find((text) => text.startsWith('acme: ')) as string
  const [, name = ''] = /- (Users .*)/.exec(letter) ?? []
  writeModule(
    'docs.js',
    { user: '/users/:id', report: '/report' },
    `const lifecycle = { v1: { deprecated: '2026-01-01', sunset: '2099-06-30', successor: 'v3' } }
const changes = versionHistory('v1')
  .version('v2', change(${JSON.stringify(name)}, { 'GET user': { response } }))
  .version('v3', change(${JSON.stringify(GONE)}, { 'GET report': 'removed' }))
exports.options = { scheme, routes, lifecycle, changes }`,
  )
  const time = Date.parse('2027-01-10T12:00:00Z') / 1000
  const shown: Said = {
    requests: [[{ version: 'v1', named: 'true', ...getUser }, 12]],
    consumers: [[{ version: 'v1', named: 'true', consumer: 'acme' }, 12]],
    lastRequests: [[{ version: 'v1', named: 'true', consumer: 'acme' }, time]],
    operations: [[{ version: 'v1', consumer: 'acme', ...getUser }, 12]],
    changes: [
      [{ version: 'v1', change: name }, 0],
      [{ version: 'v1', change: GONE }, 0],
    ],
    countedChanges: [
      [{ version: 'v1', change: name }, 1],
      [{ version: 'v1', change: GONE }, 1],
    ],
    changeConsumers: [[{ version: 'v1', change: name, consumer: 'acme' }, 12]],
    lastChanges: [[{ version: 'v1', change: name, consumer: 'acme' }, time]],
  }
  const { out, err } = await askedAll('usage docs.js v1 --no-cache-in-front --consumer acme', { ...TOUCHED, ...shown })
  expect([out.trimEnd(), err]).toEqual([letter.trimEnd(), ''])
})

test('the letter says what to send instead', async () => {
  writeModule(
    'titled.js',
    { user: '/users/:id' },
    `const { fields } = require('express-versioning/changes')
const User = { $id: 'User', type: 'object', properties: { title: { type: 'string' } } }
routes.describe('GET user', { response: User })
const titled = change(${JSON.stringify(NAMES)}, { User: fields({ renamed: { name: 'title' } }) })
module.exports = { scheme, routes, changes: versionHistory('v1').version('v2', titled) }`,
  )
  const sentence = '`User`: Responses have `title` instead of `name`.'
  const letter = async (words = '') => (await askedAll(`usage titled.js v1 --consumer acme${words}`, TOUCHED)).out
  const met = '1 request, the last at 2027-01-15 07:59Z'
  expect(await letter()).toContain(`    - Users have \`given\` names.\n      ${met}\n      ${sentence}\n`)
  expect(await letter(' --markdown')).toContain(`- Users have \`given\` names. (${met})\n  - ${sentence}\n`)
  expect(JSON.parse(await letter(' --json')).letter.changes).toMatchObject([{ sentences: [sentence] }])
})

test('the letter to a consumer, as JSON', async () => {
  const { out } = await asked('usage app.js v1 --no-cache-in-front --json --consumer globex')
  const met = { requests: 3, lastRequest: at(31).toISOString() }
  const never = { requests: 0, lastRequest: null }
  expect(JSON.parse(out)).toEqual({
    letter: {
      ...{ consumer: 'globex', version: 'v1', newest: 'v3', requests: 3, lastRequest: at(30).toISOString() },
      complete: true,
      doubts: [],
      operations: [{ route: 'orders', method: 'GET', requests: 3 }],
      changes: [
        { version: 'v2', change: NAMES, answer: 'never', ...never },
        { version: 'v2', change: SUMS, answer: 'met', ...met },
        { version: 'v3', change: GONE, answer: 'never', sentences: ['`GET /report` is removed.'], ...never },
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
  const record = { known: knownTo({ 'a:1': ['v1', 'v2', 'v3', 'v4'] }) }
  const { code, out, err } = await asked(`usage app.js ${version} --no-cache-in-front --consumer ${consumer}`, record)
  expect([code, err, out]).toEqual([0, '', expect.stringContaining(`\n\n${heading}`)])
  if (consumer === 'acme') expect(out).toContain('no request of yours is known in v2.')
})

test.each<{ name: string; record: Said; doubt: string }>([
  {
    name: 'the record is too short',
    record: { begun: [[{ instance: 'a:1' }, ago(DAY)]] },
    doubt: 'The record of job shop is 1 day long, and not 30 days.',
  },
  {
    name: 'a process is down',
    record: { targets: targets({ 'a:1': 'up', 'b:1': 'down' }) },
    doubt: 'b:1 of job shop is down.',
  },
  {
    name: 'the changes are new',
    record: { countedChanges: counted(0.5) },
    doubt: `The change "${SUMS}" was counted in a part of these days.`,
  },
  {
    name: 'the changes are not counted',
    record: { changes: [], changeConsumers: [], lastChanges: [], countedChanges: [] },
    doubt: `No process counts the change "${SUMS}".`,
  },
  {
    name: 'requests have no consumer',
    record: {
      consumers: [
        [{ version: 'v1', named: 'true', consumer: 'acme' }, 2],
        [{ version: 'v1', named: 'true', consumer: 'globex' }, 3],
        [{ version: 'v1', named: 'true' }, 2],
      ],
      lastRequests: [
        [{ version: 'v1', named: 'true', consumer: 'acme' }, ago(60)],
        [{ version: 'v1', named: 'true', consumer: 'globex' }, ago(30)],
        [{ version: 'v1', named: 'true' }, ago(9)],
      ],
    },
    doubt: '2 requests in v1 may be of any consumer.',
  },
  {
    name: 'no series of the version',
    record: {
      known: knownTo({ 'a:1': ['v2'] }),
      requests: [],
      lastRequests: [[{ version: 'v2', named: 'true', consumer: 'acme' }, ago(60)]],
    },
    doubt: 'No process has a series of version v1.',
  },
])('"never met it" is not said where $name', async ({ record, doubt }) => {
  const { code, out, err } = await asked('usage app.js v1 --no-cache-in-front --consumer acme', record)
  expect([code, out]).toEqual([0, expect.stringMatching(/\nOf [23] changes, no request of yours is known:\n/)])
  expect(out).not.toContain('never')
  expect(err).toContain('express-versioning: It cannot be said that the letter has all:\n')
  expect(err).toContain(`\n  ${doubt}\n`)
  const json = await asked('usage app.js v1 --no-cache-in-front --json --consumer acme', record)
  const { letter } = JSON.parse(json.out)
  expect([letter.complete, letter.doubts]).toEqual([false, expect.arrayContaining([doubt])])
})

const UNUSED: Said = {
  lastRequests: [[{ version: 'v2', named: 'true', consumer: 'acme' }, ago(60)]],
  consumers: [[{ version: 'v2', named: 'true', consumer: 'acme' }, 1]],
  changeConsumers: [[{ version: 'v1', change: SUMS, consumer: 'globex' }, 3]],
  lastChanges: [[{ version: 'v1', change: SUMS, consumer: 'globex' }, ago(31)]],
}
test.each<{ name: string; record: Said; words: string; code: number; told: string }>([
  {
    name: 'it had requests',
    record: {},
    words: '--no-cache-in-front',
    code: 1,
    told: 'In the last 30 days, acme had requests in v1.',
  },
  {
    name: 'it had none',
    record: UNUSED,
    words: '--no-cache-in-front',
    code: 0,
    told: 'In the last 30 days, acme had no request in v1.',
  },
  {
    name: 'caches are not known',
    record: UNUSED,
    words: '',
    code: 2,
    told: 'Nothing is known of caches in front',
  },
  {
    name: 'the record is too short',
    record: { ...UNUSED, begun: [[{ instance: 'a:1' }, ago(DAY)]] },
    words: '--no-cache-in-front',
    code: 2,
    told: 'The record of job shop is',
  },
  {
    name: 'changes are new',
    record: { ...UNUSED, countedChanges: counted(0.5) },
    words: '--no-cache-in-front',
    code: 2,
    told: 'was counted in a part',
  },
])('--check with a consumer: $name', async ({ record, words, code, told }) => {
  const line = `usage app.js v1 --check --consumer acme ${words}`.trim()
  const { out, err, ...rest } = await asked(line, record)
  expect([rest, `${out}${err}`]).toEqual([{ code }, expect.stringContaining(told)])
  const { check } = JSON.parse((await asked(`${line} --json`, record)).out)
  expect(check).toMatchObject({ code, consumer: 'acme' })
})

test('--check with a consumer: responses of a cache may be those of any consumer', async () => {
  write('cache.log', [...daily, line(1, 'HIT', 'v1')].join('\n'))
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
)('%s: %s', async (words = '', message = '') => {
  expect(await asked(words)).toEqual({ code: 2, out: '', err: expect.stringContaining(message) })
})

test('metrics without consumers have no letter', async () => {
  const { code, err } = await asked('usage app.js v1 --consumer acme', {
    consumers: [],
    lastRequests: [],
    changeConsumers: [],
    lastChanges: [],
  })
  expect([code, err]).toEqual([2, expect.stringContaining('The metrics have no consumers: see the option "consumer"')])
})

function page(record: Said) {
  const routes = namedRoutes({ user: '/users/:id' })
  routes.route('user').get((_req, res) => void res.end())
  const same = { 'GET user': { response: (value: object) => value } }
  const changes = versionHistory('v1')
    .version('v2', change(NAMES, same), change(SUMS, same))
    .version('v3', change(GONE, same), change('Not counted.', same))
  const options: VersioningOptions = { scheme: HeaderVersioning, routes, changes }
  return serve((app) => app.use('/docs', explorer(options, { usage: () => usageOf(record) })))
}

test('the explorer shows how many consumers each change touches', async () => {
  const app = await page({
    changeConsumers: [
      [{ version: 'v1', change: NAMES, consumer: 'acme' }, 1],
      [{ version: 'v1', change: SUMS, consumer: 'globex' }, 3],
      [{ version: 'v2', change: GONE, consumer: 'globex' }, 2],
      [{ version: 'v1', change: GONE, consumer: 'acme' }, 1],
      [{ version: 'v1', change: GONE, consumer: 'globex' }, 1],
    ],
  })
  const text = (await app.get('/docs/', { Accept: 'text/plain' })).text
  expect(text).toContain('  - Users have `given` names.\n    touches 1 consumer\n')
  // globex in v1 and v2 is one consumer.
  expect(text).toContain('  - The report is gone.\n    touches 2 consumers\n')
  expect(text).toMatch(/ {2}- Not counted\.\n(?! {4}touches)/)
  const html = (await app.get('/docs/', { Accept: 'text/html' })).text
  expect(html).toContain('<li>Users have <code>given</code> names.<p>touches 1 consumer')
  const { json } = await app.get('/docs/', { Accept: 'application/json' })
  const { versions } = json as { versions: { changes?: object[] }[] }
  expect(versions.map(({ changes }) => changes)).toMatchObject([
    undefined,
    [
      { description: NAMES, requests: 1, consumers: 1 },
      { description: SUMS, requests: 3, consumers: 1 },
    ],
    [{ description: GONE, requests: 4, consumers: 2 }, { description: 'Not counted.' }],
  ])
})

const NOBODY: Said = { changeConsumers: [], changes: [[{ version: 'v1', change: NAMES }, 0]], lastChanges: [] }
test.each<{ name: string; record: Said; told: string }>([
  { name: 'nobody', record: NOBODY, told: 'touches no consumer' },
  {
    name: 'nobody that is known',
    record: { ...NOBODY, countedChanges: [] },
    told: 'touches no consumer that is known',
  },
  {
    name: 'nobody, in a record that is too short',
    record: { ...NOBODY, begun: [[{ instance: 'a:1' }, ago(DAY)]] },
    told: 'touches no consumer that is known',
  },
  {
    name: 'requests without a consumer',
    record: { changeConsumers: [[{ version: 'v1', change: NAMES }, 2]], lastChanges: [] },
    told: 'touches 2 requests of unknown consumers',
  },
])('the explorer shows a change that touches $name', async ({ record, told }) => {
  const { text: shown } = await (await page(record)).get('/docs/', { Accept: 'text/plain' })
  expect(shown).toContain(`  - Users have \`given\` names.\n    ${told}\n`)
})

test('conversions by hand are a use, though no request was served', async () => {
  const record: Said = {
    requests: [[{ version: 'v2', named: 'true', ...getUser }, 1]],
    consumers: [],
    operations: [],
    lastRequests: [],
    changes: [[{ version: 'v1', change: NAMES }, 1]],
    changeConsumers: [[{ version: 'v1', change: NAMES, consumer: 'hooks' }, 1]],
    lastChanges: [[{ version: 'v1', change: NAMES, consumer: 'hooks' }, ago(60)]],
    countedChanges: counted(1),
  }
  const check = await asked('usage app.js v1 --check --no-cache-in-front', record)
  expect([check.code, check.out]).toEqual([
    1,
    expect.stringContaining('Changes met conversions by hand, such as webhooks.'),
  ])
  const letter = await asked('usage app.js v1 --check --no-cache-in-front --consumer hooks', record)
  expect([letter.code, letter.out]).toEqual([1, expect.stringContaining('You will notice 1 of 3 changes')])
  const all = await asked('usage app.js v1 --all --out hand --no-cache-in-front', record)
  expect(all.out).toContain('1 letter to consumers of v1\n  hooks.txt: hooks\n')
})

const NONE: Said = {
  known: knownTo({ 'a:1': ['v2'] }),
  requests: [[{ version: 'v2', named: 'true', ...getUser }, 1]],
  lastRequests: [[{ version: 'v2', named: 'true', consumer: 'acme' }, ago(60)]],
  consumers: [[{ version: 'v2', named: 'true', consumer: 'acme' }, 1]],
  operations: [],
  changes: [],
  changeConsumers: [],
  lastChanges: [],
  countedChanges: [],
}
test.each<{ words: string; record: Said; code: number; said: string }>([
  { words: '--all --out none', record: NONE, code: 0, said: '0 letters to consumers of v1' },
  { words: '--change given', record: NONE, code: 0, said: 'it met 0 requests in v1.' },
  { words: '--consumer acme --errors', record: NONE, code: 0, said: 'acme had 0 requests in v1, and got 0 errors.' },
  { words: '--all --out md --markdown', record: {}, code: 0, said: 'acme.md: acme\n' },
  { words: '--change Secret.', record: {}, code: 0, said: 'v4: Secret.\n' },
  { words: '--change are', record: {}, code: 2, said: 'no change after' },
  { words: '--change ve', record: {}, code: 2, said: 'more than one change after' },
  {
    words: '--change given',
    record: { changeConsumers: [[{ version: 'v1', change: NAMES }, 1]] },
    code: 0,
    said: '\n  (unknown), 1 request',
  },
  {
    words: '--change total --no-cache-in-front',
    record: {
      operations: [[{ version: 'v1', route: 'orders', method: 'GET' }, 1]],
      consumers: [[{ version: 'v1', named: 'true' }, 1]],
      lastRequests: [[{ version: 'v1', named: 'true' }, ago(60)]],
      changeConsumers: [],
      lastChanges: [],
    },
    code: 0,
    said: ':\n  (unknown)\n',
  },
  {
    words: '--consumer acme --errors',
    record: {
      errors: [
        [{ version: 'v1', consumer: 'acme', status: '5xx' }, 1],
        [{ version: 'v1', consumer: 'acme', status: '4xx', code: 'ERR_VERSION_BODY' }, 2],
      ],
    },
    code: 0,
    said: '  4xx ERR_VERSION_BODY, 2 responses\n  5xx of the app, 1 response\n',
  },
  {
    words: '--consumer acme --no-cache-in-front',
    record: { limited: [[{ source: 'function' }, 1]] },
    code: 0,
    said: 'There were more consumers than "maxConsumers" tells apart.',
  },
  {
    words: '--consumer globex --no-cache-in-front --markdown',
    record: { operations: [], changes: [[{ version: 'v1', change: NAMES }, 0]] },
    code: 0,
    said: '3 requests of the consumer in v1 may be for any operation.',
  },
  {
    words: '--check --no-cache-in-front --without acme --without globex',
    record: { operations: [], changes: [], changeConsumers: [], lastChanges: [] },
    code: 0,
    said: 'v1 had no request.',
  },
])('usage v1 $words: exit code $code, $said', async ({ words, record, code, said }) => {
  const { out, err, ...rest } = await asked(`usage app.js v1 ${words}`, record)
  expect([rest, `${out}${err}`]).toEqual([{ code }, expect.stringContaining(said)])
})

test('the letter of a module without changes', async () => {
  writeModule(
    'plain.js',
    { user: '/users/:id', orders: '/orders', report: '/report' },
    `exports.options = { scheme, routes, allowedVersions: ['v1', 'v2'] }`,
  )
  const { code, out } = await asked('usage plain.js v1 --no-cache-in-front --consumer acme')
  expect([code, out]).toEqual([0, expect.stringContaining('No change comes after v1')])
})
