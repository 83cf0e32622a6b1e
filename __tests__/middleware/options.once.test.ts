import { inspect } from 'node:util'
import { deprecated, namedRoutes, problemDetails, URLPathVersioning, versioning } from 'express-versioning'
import { versionHistory } from 'express-versioning/changes'
import { run } from '../support/dispatch'
import { accept, path } from '../support/schemes'

// Every wrong option is a TypeError at construction. It names the option, what it takes and what it got.

const PAST = '2020-01-01'
const DATES = 'a Date, an ISO 8601 date and time with an offset, or a date such as 2026-01-31'
const INFO = "an http(s) URL such as 'https://api.example.com/deprecations'"
const SCHEME = 'a scheme class such as URLPathVersioning, or an instance of one'
const ORIGIN = "an http(s) origin such as 'https://api.example.com'"
const HOSTS = "an iterable of hosts, such as ['api.example.com', 'localhost:3000']"
const PATH = "a path such as '/shop', without a slash at its end, empty or dot segments, query or fragment"
const HISTORY = 'a history made by versionHistory() of express-versioning/changes'
const REPORT = "true or false, or the address of the changelog: an http(s) URL, or a path such as '/explorer/changes'"
const CONTRACT = 'a contract made by contract() of express-versioning/contract'
const NEUTRAL =
  "a list of paths ('/health'), view names ('docs:index') and namespaces ('docs:'), with a method in front or without"
const BASE = "an absolute URL such as 'https://api.example.com/errors/'"

class NoScheme {}
const docs = namedRoutes({ page: '/' })
const inner = namedRoutes({ health: '/health', user: '/users/:id' }).include('/docs', docs, { namespace: 'docs' })
const routes = namedRoutes({}).include('/', inner, { namespace: 'all' })
const changes = versionHistory('v1').version('v2')
const allowedVersions = ['v1', 'v2', null]
const calls = (factory: (options: never) => unknown) => (options: unknown) => () => factory(options as never)
const byPath = (options: object) => calls(versioning)({ scheme: URLPathVersioning, ...options })
const FACTORIES: Record<string, (options: object) => () => unknown> = {
  'versioning()': (options) => byPath({ ...('lifecycle' in options && { allowedVersions }), ...options }),
  'deprecated()': (options) => calls(deprecated)({ since: PAST, ...options }),
  'problemDetails()': calls(problemDetails),
}
const noDates = [
  ...['2026-02-31', '2026-02-29', '2026-02-31T00:00:00Z', '2026-13-01', '2026-01-00', 'x2026-01-31', '', null],
  ...['2026-01-31T12:00:00', '2026-01-31T12:00:00+0200', '2026-01-31T12:00:00+24:00', '2026-01-31Z'],
  ...['2026-01-31T24:00:00Z', '2026-01-31T12:60:00Z', '2026-01-31x', '2026-01-31T12:00:00.1234567890Z'],
]
const noOrigins =
  'h.example https://h.example/v1 https://u:p@h.example ftp://h.example http://h.example// http://h: https:\\\\h'.split(
    ' ',
  )
const got = (value: unknown) => inspect(value, { depth: 0, breakLength: Number.POSITIVE_INFINITY })
test.each<[owner: string, option: string, takes: string, ...wrong: unknown[]]>([
  ['versioning()', 'scheme', SCHEME, undefined, null, 'v1', NoScheme, new NoScheme(), Object],
  ['versioning()', 'routes', 'a table made by namedRoutes()', null, '/users', { link() {} }, { resolve() {} }],
  ['versioning()', 'origin', ORIGIN, null, ...noOrigins],
  ['versioning()', 'allowedHosts', HOSTS, null, 'h.example'],
  [
    'versioning()',
    'publicPath',
    PATH,
    null,
    'shop',
    '',
    ...'/shop/ //shop /a/../b /%2E /shop? /shop# /a\\b'.split(' '),
  ],
  ['versioning()', 'onVersion', 'a function', null, 'x', {}],
  ['versioning()', 'reportVersions', 'true or false', 'yes', null],
  ['versioning()', 'reportChanges', REPORT, 'yes', '', '/a?b', '//a', 'ftp://a.test', 1, null],
  ['versioning()', 'lifecycle', 'an object of plans by version', null, 'v1', [], new Map()],
  ['versioning()', 'afterSunset', "'serve' or 'gone'", '410', null],
  ['versioning()', 'changes', HISTORY, null, {}, { bind() {}, versions: 1 }, { versions: [] }],
  ['versioning()', 'contract', CONTRACT, null, {}, 1, { bind: 1 }],
  ['versioning()', 'maxCollected', 'a whole number of bytes above 0', null, 0, -1, 1.5, '1mb', Infinity, 2 ** 53],
  ['versioning()', 'neutral', NEUTRAL, null, '/health', [''], [':'], [7]],
  ['versioning()', 'lifecycle.v1.successor', 'another version', 'v1'],
  ['versioning()', 'lifecycle.v1.afterSunset', "'serve' or 'gone'", 'later', null],
  ['versioning()', 'lifecycle.v1.info', INFO, '', 'ftp://example.com/', 'javascript:alert(1)', 42, null],
  ['versioning()', 'lifecycle.v1.deprecated', DATES, ...noDates],
  ['versioning()', 'lifecycle.v1.sunset', DATES, 'soon'],
  ['versioning()', 'lifecycle.v1.brownouts', 'a list such as [{ from, to }], or [{ from, to, every, for }]', {}],
  ['versioning()', 'lifecycle.v1.extended', 'a function of a request, which returns a date or undefined', '2030-01-01'],
  ['versioning()', 'lifecycle.v1.preview', 'true or false', 'yes'],
  ['deprecated()', 'since', DATES, undefined, 'soon', 0, new Date(Number.NaN), new Date(8e15)],
  ['deprecated()', 'info', INFO, '/relative', 7],
  ['deprecated()', 'successor', 'a view name', '', 7, null],
  ['problemDetails()', 'base', BASE, null, 1, '', '/errors', new URL('https://h.example/')],
  ['problemDetails()', 'instance', 'true or false', '/users', null],
  ['problemDetails()', 'supportedVersions', 'true or false', ['v1'], null],
  ['problemDetails()', 'convert', 'true or false', 1, null],
])('%s: %s takes %s', (owner, option, takes, ...wrong) => {
  const [name = '', version, own = ''] = option.split('.')
  for (const value of wrong) {
    const given = { [name]: version === undefined ? value : { [version]: { [own]: value } } }
    const told = `${owner}: option "${option}" takes ${takes}; got ${got(value)}.`
    expect(FACTORIES[owner]?.(given)).toThrow(new TypeError(told))
  }
})

const KEYS =
  'It takes "scheme", "defaultVersion", "allowedVersions", "versionParam", "parseVersion", "routes", "origin", "allowedHosts", ' +
  '"publicPath", "lifecycle", "afterSunset", "reportVersions", "reportChanges", "onVersion", "neutral", "changes", "maxCollected", "contract".'
const OWN = `an option of the scheme itself: scheme: new AcceptHeaderVersioning({ mediaTypes, ... }), with the scheme's other settings.`
const BESIDE = `beside a scheme instance, which brings its own: pass it to new URLPathVersioning({ ... }), or give the class as "scheme".`
const NEEDS = 'needs "allowedVersions", which it reports.'
const DURATION = 'a duration such as 30s, 5m, 1h or 1d'
const VISIBLE = 'needs versions of visible ASCII characters without commas; got'
const LACKS = 'which "routes" does not have (names are written with their namespaces).'
test.each<[owner: string, options: object, message: string]>([
  ['versioning()', { allowedversions: 1 }, `unknown option "allowedversions". Did you mean "allowedVersions"? ${KEYS}`],
  ['versioning()', { mediaTypes: 1, scheme: accept() }, `"mediaTypes" is ${OWN}`],
  [
    'versioning()',
    { scheme: path(), allowedVersions: ['v1'], versionParam: 'v' },
    `"allowedVersions", "versionParam" ${BESIDE}`,
  ],
  ['versioning()', { reportVersions: true, allowedVersions: [null] }, `option "reportVersions" ${NEEDS}`],
  [
    'versioning()',
    { reportVersions: true, allowedVersions: [], defaultVersion: 'v1' },
    `option "reportVersions" ${NEEDS}`,
  ],
  [
    'versioning()',
    { reportVersions: true, allowedVersions: ['v1', 'v1,v2'] },
    `option "reportVersions" ${VISIBLE} 'v1,v2' among them.`,
  ],
  [
    'versioning()',
    { reportVersions: true, allowedVersions: [null, 'v 1'] },
    `option "reportVersions" ${VISIBLE} 'v 1' among them.`,
  ],
  [
    'versioning()',
    { reportVersions: true, allowedVersions: ['v1', ''] },
    `option "reportVersions" ${VISIBLE} '' among them.`,
  ],
  [
    'versioning()',
    { reportChanges: true },
    `option "reportChanges" needs "changes", a history. An API of one version writes versionHistory('v1').`,
  ],
  [
    'versioning()',
    { changes: changes },
    'option "changes" needs "routes", the table that has the names of its operations.',
  ],
  [
    'versioning()',
    { changes: changes, routes: routes, allowedVersions: ['v1', 'v3'] },
    `option "changes" has no version 'v3', which the scheme accepts. Did you mean "v1" or "v2"?`,
  ],
  [
    'versioning()',
    { changes: changes, routes: routes, defaultVersion: 'beta' },
    `option "changes" has no version 'beta', which the scheme accepts.`,
  ],
  [
    'versioning()',
    { neutral: ['/x', 'all:', 'all:HEALTH', 'all:heath'], routes: routes },
    `option "neutral" names "all:HEALTH", "all:heath", ${LACKS} Did you mean "all:health"?`,
  ],
  [
    'versioning()',
    { neutral: ['alll:', 'all:usr'], routes: routes },
    `option "neutral" names "alll:", "all:usr", ${LACKS} Did you mean "all:" or "all:user"?`,
  ],
  [
    'versioning()',
    { neutral: ['constructor', '__proto__:'], routes: routes },
    `option "neutral" names "constructor", "__proto__:", ${LACKS}`,
  ],
  [
    'versioning()',
    { lifecycle: { beta: {} } },
    `option "lifecycle.beta" names 'beta', which is not an accepted version.`,
  ],
  ['versioning()', { lifecycle: { v1: null } }, 'option "lifecycle.v1" takes an object of options; got null.'],
  [
    'versioning()',
    { lifecycle: { v1: { since: 1 } } },
    'option "lifecycle.v1": unknown option "since". It takes "deprecated", "sunset", "info", "successor", "afterSunset", "brownouts", "extended", "preview".',
  ],
  [
    'versioning()',
    { lifecycle: { v1: { successor: 'v9' } } },
    `option "lifecycle.v1.successor" names 'v9', which is not an accepted version. Did you mean "v1" or "v2"?`,
  ],
  [
    'versioning()',
    { lifecycle: { v1: { successor: null } } },
    'option "lifecycle.v1.successor" names null, which is not an accepted version.',
  ],
  [
    'versioning()',
    { lifecycle: { v1: { deprecated: '2026-02-01', sunset: '2026-01-31' } } },
    `option "lifecycle.v1.sunset" ('2026-01-31') lies before "lifecycle.v1.deprecated" ('2026-02-01').`,
  ],
  [
    'versioning()',
    { lifecycle: { v1: { sunset: '2030-02-01', brownouts: [{ from: '2030-01-10', until: '2030-01-11' }] } } },
    'option "lifecycle.v1.brownouts.0": unknown option "until". It takes "from", "to", "every", "for".',
  ],
  [
    'versioning()',
    { lifecycle: { v1: { sunset: '2030-02-01', brownouts: [{ from: '2030-01-10' }] } } },
    'option "lifecycle.v1.brownouts.0" needs "to", a date.',
  ],
  [
    'versioning()',
    { lifecycle: { v1: { sunset: '2030-02-01', brownouts: [{ from: 'x', to: '2030-01-11' }] } } },
    `option "lifecycle.v1.brownouts.0.from" takes ${DATES}; got 'x'.`,
  ],
  [
    'versioning()',
    { lifecycle: { v1: { sunset: '2030-02-01', brownouts: [{ from: '2030-01-11', to: '2030-01-10' }] } } },
    'option "lifecycle.v1.brownouts.0" ends before it begins.',
  ],
  [
    'versioning()',
    { lifecycle: { v1: { sunset: '2030-02-01', brownouts: [{ from: '2030-01-10', to: '2030-02-02' }] } } },
    'option "lifecycle.v1.brownouts.0" reaches beyond the sunset.',
  ],
  [
    'versioning()',
    {
      lifecycle: {
        v1: {
          sunset: '2030-02-01',
          brownouts: [
            { from: '2030-01-10T12:00Z', to: '2030-01-11' },
            { from: '2030-01-10', to: '2030-01-11' },
          ],
        },
      },
    },
    'option "lifecycle.v1.brownouts" has brownouts that overlap at 2030-01-10T12:00:00.000Z.',
  ],
  [
    'versioning()',
    { lifecycle: { v1: { sunset: '2030-02-01', brownouts: [{ from: '2030-01-10', to: '2030-01-11', every: '1h' }] } } },
    `option "lifecycle.v1.brownouts.0.for" takes ${DURATION}; got undefined.`,
  ],
  [
    'versioning()',
    {
      lifecycle: {
        v1: { sunset: '2030-02-01', brownouts: [{ from: '2030-01-10', to: '2030-01-11', every: '1w', for: '5m' }] },
      },
    },
    `option "lifecycle.v1.brownouts.0.every" takes ${DURATION}; got '1w'.`,
  ],
  [
    'versioning()',
    {
      lifecycle: {
        v1: { sunset: '2030-02-01', brownouts: [{ from: '2030-01-10', to: '2030-01-11', every: '5m', for: '300s' }] },
      },
    },
    'option "lifecycle.v1.brownouts.0" has pauses ("for") that are not shorter than "every".',
  ],
  [
    'versioning()',
    { lifecycle: { v1: { extended: () => undefined } } },
    'option "lifecycle.v1.extended" needs "sunset", the date that it extends.',
  ],
  [
    'versioning()',
    { lifecycle: { v1: { successor: 'v2' }, v2: { preview: true } } },
    `option "lifecycle.v1.successor" names 'v2', which is a preview.`,
  ],
  [
    'versioning()',
    { lifecycle: { v1: { preview: true } }, defaultVersion: 'v1' },
    "the default version 'v1' cannot be a preview.",
  ],
  [
    'versioning()',
    { allowedHosts: ['ok.example', 'h.example/'] },
    `option "allowedHosts" takes ${HOSTS}; got 'h.example/' among them.`,
  ],
  [
    'versioning()',
    { allowedHosts: ['u@h.example'] },
    `option "allowedHosts" takes ${HOSTS}; got 'u@h.example' among them.`,
  ],
  ['versioning()', { allowedHosts: ['*'] }, `option "allowedHosts" takes ${HOSTS}; got '*' among them.`],
  ['versioning()', { allowedHosts: [null] }, `option "allowedHosts" takes ${HOSTS}; got null among them.`],
  ['deprecated()', { from: 1 }, 'unknown option "from". It takes "since", "sunset", "info", "successor".'],
  ['deprecated()', { sunset: '2019-01-01' }, `option "sunset" ('2019-01-01') lies before "since" ('2020-01-01').`],
  [
    'problemDetails()',
    { bas: 1 },
    'unknown option "bas". Did you mean "base"? It takes "base", "instance", "supportedVersions", "convert".',
  ],
])('%s with %j: %s', (owner, options, message) => {
  expect(FACTORIES[owner]?.(options)).toThrow(new TypeError(`${owner}: ${message}`))
})

const FACTORY = 'versioning is a factory of middleware: app.use(versioning({ scheme: ... })), not app.use(versioning).'
const WITHIN = 'versioning() takes an object of options with the scheme in it: versioning({ scheme: ... }).'
const VARY = `Odd: option "varyOn" takes a list of header names, such as ['Accept'], or a function of the request that gives one`
const varying = (varyOn: unknown) =>
  byPath({
    scheme: class Odd extends URLPathVersioning {
      override varyOn = varyOn as string[]
    },
  })
type Mistake = [make: () => unknown, message: string]
test.each<Mistake>([
  ...[undefined, null, 'v1', [], () => ({})].map(
    (options): Mistake => [calls(versioning)(options), `versioning() takes an object of options; got ${got(options)}.`],
  ),
  ...[['Not A Header'], ['Accept', ''], [1], 'Accept', undefined].map(
    (one): Mistake => [varying(one), `${VARY}; got ${got(one)}.`],
  ),
  [calls(versioning)(JSON.parse('{"__proto__": 1}')), `versioning(): unknown option "__proto__". ${KEYS}`],
  [calls(versioning)(URLPathVersioning), WITHIN],
  [calls(versioning)(path()), WITHIN],
  [() => run(versioning as never, { url: '/' }), FACTORY],
  [calls(deprecated)([]), 'deprecated() takes an object of options; got [].'],
  [calls(problemDetails)(null), 'problemDetails() takes an object of options; got null.'],
])('%#: %s', (make, message) => {
  expect(make).toThrow(new TypeError(message))
})

test('a neutral path must be one of path-to-regexp', () => {
  const told = 'versioning(): option "neutral": \'/a/:id?\' is no path: Unexpected ? at index 6'
  expect(byPath({ neutral: ['/a/:id?'] })).toThrow(told)
})
