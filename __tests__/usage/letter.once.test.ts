import { HeaderVersioning, namedRoutes, type VersioningOptions } from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { explorer } from 'express-versioning/explorer'
import { write } from '../support/folder'
import { type Said, saying, WHOLE } from '../support/prometheus'
import { blocks, page as pageOf } from '../support/readme'
import { rows } from '../support/rows'
import { serve } from '../support/serve'
import { asked as askedAll, at, daily, line, usageOf as usageOfAll, writeModule } from './asked'

// Which change touches whom: the numbers of prometheusUsage(), the command, the letter, and the page.

const [NAMES, SUMS, GONE] = ['Users have `given`\n  names.', 'Orders have a `total`.', 'The report is gone.'] as const
const counted = (part: number) => `countedChanges v1,names=${part} v1,sums=${part} v1,gone=${part} v2,gone=${part}`
const said = (text = ''): Said => saying(text, { names: NAMES, sums: SUMS, gone: GONE, secret: 'Secret.' })

/** acme met one of three changes of v1, once; globex two, in v1 and v2. prom-client had a series at 0, which nobody met. */
const TOUCHED: Said = {
  ...WHOLE,
  ...said(`
    requests v1,true,user,GET=5 v2,true,user,GET=3 v3,true,user,GET=9;
    consumers v1,true,acme=2 v1,true,globex=3 v2,true,globex=3;
    operations v1,acme,user,GET=2 v1,globex,orders,GET=3 v2,globex,report,GET=3;
    lastRequests v1,true,acme=-60 v1,true,globex=-30 v2,true,globex=-90;
    changes v1,names=1 v1,sums=3 v1,gone=0 v2,gone=2;
    changeConsumers v1,names,acme=1 v1,sums,globex=3 v2,gone,globex=2 v1,gone,acme=0;
    lastChanges v1,names,acme=-60 v1,sums,globex=-31 v2,gone,globex=-90 v1,sums,acme=-40d; ${counted(1)}`),
}
const touched = (text = ''): Said => ({ ...TOUCHED, ...said(text.replace(/^-$/, '')) })
const usageOf = (text: string) => usageOfAll(touched(text))
const asked = (words: string, text?: string) => askedAll(words, touched(text))

test('the changes of each version, and of each consumer', async () => {
  const { versions } = await usageOf('')
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

test.each(
  rows(`
  a gauge has what its counter missed | changes v1,names=0 | 1 | acme | whole
  a gauge alone | changes; changeConsumers | 1 | acme | whole
  consumers have more | changeConsumers v1,names,acme=4 | 4 | acme | whole
  no consumers | changes v1,names=2; changeConsumers; lastChanges v1,names=-5 | 2 |  | whole
  a consumer without a name | changeConsumers v1,names=1 v1,names,acme=3; lastChanges | 4 | ,acme | whole
  counted in the last days only | ${counted(0.2)} | 1 | acme | part
  counted but for some minutes | ${counted(1 - 599 / (30 * 86_400))} | 1 | acme | whole
  counted but for two hours | ${counted(1 - 7200 / (30 * 86_400))} | 1 | acme | part
  counted, nobody knows how long | countedChanges | 1 | acme | part
`),
)('a change that met one request: %s', async (what, text = '', requests, consumers, record) => {
  const [v1] = (await usageOf(text)).versions
  const found = v1?.changes?.find(({ change }) => change === NAMES)
  const known = what === 'no consumers' ? [] : consumers?.split(',')
  expect([found?.requests, found?.consumers.map(({ consumer }) => consumer)]).toEqual([Number(requests), known])
  expect(new Set(v1?.partlyCounted)).toEqual(new Set(record === 'part' ? [NAMES, SUMS, GONE] : []))
})

test('the overflow of OpenTelemetry is no change', async () => {
  const [v1] = (await usageOf('changes v1,names=1 v1=7')).versions
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
  const whole = await asked(
    'usage app.js v1',
    `changes v1,names=1 v1,sums=3 v1,gone=0 v1,secret=0; ${counted(1)} v1,secret=1`,
  )
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
  const { out } = await asked(
    'usage app.js v1 --no-cache-in-front --markdown --consumer <acme>_1',
    `requests v1,true,user,GET=1; consumers v1,true,<acme>_1=1; lastRequests v1,true,<acme>_1=-60;
    operations v1,<acme>_1,user,GET=1;
    changeConsumers v1,names,<acme>_1=1; lastChanges`,
  )
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
  const shown = saying(
    `requests v1,true,user,GET=12; consumers v1,true,acme=12; lastRequests v1,true,acme=${time};
    operations v1,acme,user,GET=12;
    changes v1,name=0 v1,gone=0; countedChanges v1,name=1 v1,gone=1;
    changeConsumers v1,name,acme=12; lastChanges v1,name,acme=${time}`,
    { name, gone: GONE },
  )
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
  const known = 'known a:1,v1=1 a:1,v2=1 a:1,v3=1 a:1,v4=1'
  const { code, out, err } = await asked(`usage app.js ${version} --no-cache-in-front --consumer ${consumer}`, known)
  expect([code, err, out]).toEqual([0, '', expect.stringContaining(`\n\n${heading}`)])
  if (consumer === 'acme') expect(out).toContain('no request of yours is known in v2.')
})

test.each(
  rows(`
  the record is too short | begun a:1=-1d | The record of job shop is 1 day long, and not 30 days.
  a process is down | targets a:1=1 b:1=0 | b:1 of job shop is down.
  the changes are new | ${counted(0.5)} | The change "${SUMS}" was counted in a part of these days.
  the changes are not counted | changes; changeConsumers; lastChanges; countedChanges | No process counts the change "${SUMS}".
  requests have no consumer | consumers v1,true,acme=2 v1,true,globex=3 v1,true=2; lastRequests v1,true,acme=-60 v1,true,globex=-30 v1,true=-9 | 2 requests in v1 may be of any consumer.
  no series of the version | known a:1,v2=1; requests; lastRequests v2,true,acme=-60 | No process has a series of version v1.
`),
)('"never met it" is not said where %s', async (_what, text, doubt) => {
  const { code, out, err } = await asked('usage app.js v1 --no-cache-in-front --consumer acme', text)
  expect([code, out]).toEqual([0, expect.stringMatching(/\nOf [23] changes, no request of yours is known:\n/)])
  expect(out).not.toContain('never')
  expect(err).toContain('express-versioning: It cannot be said that the letter has all:\n')
  expect(err).toContain(`\n  ${doubt}\n`)
  const { letter } = JSON.parse((await asked('usage app.js v1 --no-cache-in-front --json --consumer acme', text)).out)
  expect([letter.complete, letter.doubts]).toEqual([false, expect.arrayContaining([doubt])])
})

const UNUSED =
  'lastRequests v2,true,acme=-60; consumers v2,true,acme=1; changeConsumers v1,sums,globex=3; lastChanges v1,sums,globex=-31'
test.each(
  rows(`
  it had requests | - | --no-cache-in-front | 1 | In the last 30 days, acme had requests in v1.
  it had none | ${UNUSED} | --no-cache-in-front | 0 | In the last 30 days, acme had no request in v1.
  caches are not known | ${UNUSED} |  | 2 | Nothing is known of caches in front
  the record is too short | ${UNUSED}; begun a:1=-1d | --no-cache-in-front | 2 | The record of job shop is
  changes are new | ${UNUSED}; ${counted(0.5)} | --no-cache-in-front | 2 | was counted in a part
`),
)('--check with a consumer: %s', async (_what, text, words, expected, told = '') => {
  const line = `usage app.js v1 --check --consumer acme ${words}`.trim()
  const { code, out, err } = await asked(line, text)
  expect([code, `${out}${err}`]).toEqual([Number(expected), expect.stringContaining(told)])
  const { check } = JSON.parse((await asked(`${line} --json`, text)).out)
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
  const { code, err } = await asked(
    'usage app.js v1 --consumer acme',
    'consumers; lastRequests; changeConsumers; lastChanges',
  )
  expect([code, err]).toEqual([2, expect.stringContaining('The metrics have no consumers: see the option "consumer"')])
})

function page(text: string) {
  const routes = namedRoutes({ user: '/users/:id' })
  routes.route('user').get((_req, res) => void res.end())
  const same = { 'GET user': { response: (value: object) => value } }
  const changes = versionHistory('v1')
    .version('v2', change(NAMES, same), change(SUMS, same))
    .version('v3', change(GONE, same), change('Not counted.', same))
  const options: VersioningOptions = { scheme: HeaderVersioning, routes, changes }
  return serve((app) => app.use('/docs', explorer(options, { usage: () => usageOf(text) })))
}

test('the explorer shows how many consumers each change touches', async () => {
  const app = await page(
    'changeConsumers v1,names,acme=1 v1,sums,globex=3 v2,gone,globex=2 v1,gone,acme=1 v1,gone,globex=1',
  )
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

const NOBODY = 'changeConsumers; changes v1,names=0; lastChanges'
test.each(
  rows(`
  nobody | ${NOBODY} | touches no consumer
  nobody that is known | ${NOBODY}; countedChanges | touches no consumer that is known
  nobody, in a record that is too short | ${NOBODY}; begun a:1=-1d | touches no consumer that is known
  requests without a consumer | changeConsumers v1,names=2; lastChanges | touches 2 requests of unknown consumers
`),
)('the explorer shows a change that touches %s', async (_what, text = '', told) => {
  const { text: shown } = await (await page(text)).get('/docs/', { Accept: 'text/plain' })
  expect(shown).toContain(`  - Users have \`given\` names.\n    ${told}\n`)
})

test('conversions by hand are a use, though no request was served', async () => {
  const none = 'requests v2,true,user,GET=1; consumers; operations; lastRequests'
  const record = `${none}; changes v1,names=1; changeConsumers v1,names,hooks=1; lastChanges v1,names,hooks=-60; ${counted(1)}`
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
