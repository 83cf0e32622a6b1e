import type { Request } from 'express'
import { BaseVersioning, namedRoutes, type VersionCarrier } from 'express-versioning'
import { rows, text } from '../support/rows'
import { accept, combined, deciding, header, host, namespace, path, query, tableOf, vendor } from '../support/schemes'
import { inNamespaces } from '../support/tables'
import { catchWarnings } from '../support/warnings'

// What each scheme reads from a request, and what combinations do. The contract suite shows what schemes have in common.

/** The outcomes, as the tables call them. */
const OUTCOMES: Record<string, string | null> = {
  none: null,
  CONFLICT: '400 ERR_VERSION_CONFLICT Conflicting versions in request.',
  HEADER: '406 ERR_VERSION_NOT_ACCEPTABLE Invalid version in "X-API-Version" header.',
  ACCEPT: '406 ERR_VERSION_NOT_ACCEPTABLE Invalid version in "Accept" header.',
  QUERY: '404 ERR_VERSION_NOT_FOUND Invalid version in query parameter.',
  NAMESPACE: '404 ERR_VERSION_NOT_FOUND Invalid version in URL path. Does not match any version namespace.',
  HOST: '404 ERR_VERSION_NOT_FOUND Invalid version in hostname.',
  CUSTOM: '404 ERR_VERSION_NOT_FOUND Invalid version.',
  NO_STRING: 'TypeError Told: a version is a string; got 2.',
  UNSATISFIED: '406 ERR_VERSION_NOT_ACCEPTABLE Could not satisfy the request Accept header.',
}
/** Returns the outcome that a column names. `no HEADER`: the rejection of a request that names no version at all. */
function outcome(column = ''): string | null | undefined {
  if (column.startsWith('no ')) return outcome(column.slice(3))?.replace(/ERR_VERSION_\w+/, 'ERR_VERSION_MISSING')
  return Object.hasOwn(OUTCOMES, column) ? OUTCOMES[column] : text(column)
}

const LISTED = { allowedVersions: ['v1', 'v2'] }
const DEFAULTED = { ...LISTED, defaultVersion: 'v1' }

/** Declares a test for each row: the version, then values of a header that name it. */
function reads(scheme: BaseVersioning, name: string, table: string): void {
  const decide = deciding({ scheme })
  test.each(rows(table))(`${name} reads as %s: %s`, async (version, ...values) => {
    for (const value of values.map(text))
      expect([value, await decide('/', { [name]: value })]).toEqual([value, outcome(version)])
  })
}

const inHeader = String.raw`
  v2      | v2 | \x20\x09v2 \x09\x20 | v2,v2 ,\x09v2
  v2;q=1  | v2;q=1
  // Whitespace is SP and HTAB alone (RFC 9110, section 5.6.3).
  \xa0v2  | \xa0v2 | \x20\xa0v2
  // An empty field is not there.
  v1      | '' | \x20\x09\x20 | \x20, ,
  // Several lines are one version if they are equal.
  HEADER  | v1, v2 | v2,V2 | v2, | ,v2 | v2, \xa0v2`
reads(header({ defaultVersion: 'v1' }), 'X-API-Version', inHeader)

test.each(["!#$%&'*+.^`|~", 'constructor'])('%j is another header', async (name) => {
  const scheme = header({ header: name, ...DEFAULTED })
  const found = [{ [name]: 'v2' }, { [name]: 'v3' }, {}, { 'X-API-Version': 'v2' }].map((one) =>
    deciding({ scheme })('/', one),
  )
  expect(await Promise.all(found)).toEqual(['v2', outcome('HEADER')?.replace('X-API-Version', name), 'v1', 'v1'])
  expect(scheme.varyOn).toEqual([name])
})

const MEDIA_TYPES = { mediaTypes: new Set(['Application/JSON']) }
const producing = Object.assign(accept(DEFAULTED), MEDIA_TYPES)
const inAccept = `
  v2          | application/json; version=v2
  ACCEPT      | application/json; version=v3 | application/json; version=
  UNSATISFIED | text/html; version=v2 | application/json; q=0
  v1          | text/html; version=v2, */*; q=0.1`
for (const scheme of [producing, accept({ ...DEFAULTED, ...MEDIA_TYPES })]) reads(scheme, 'Accept', inAccept)
test('the error for unsatisfied headers has the accepted versions', () => {
  const reading = () => producing.readVersion({ headers: { accept: 'text/html' } } as never)
  expect(reading).toThrow(expect.objectContaining({ status: 406, allowedVersions: ['v1', 'v2'] }))
})

const VENDOR_TYPES = rows(`
  // ACME is application/vnd.acme.
  ACME.{version}+json                | none | '' | */* | application/* | ACME.v2+xml | text/html;x="ACME.v2+json"
  ACME.{version}+json                | none | ACME.v2+json;q=0, */*
  ACME.{version}+json                | v2 | \\x20ACME.v2+json ;q=0.5 | ACME.v2+json;a=b
  // The type is case-insensitive, the version is not.
  Application/Vnd.Acme.{version}+JSON | V2-b | APPLICATION/VND.Acme.V2-b+JSON
  ACME.{version}+json                | ACCEPT | ACME.v v+json
  // Weights decide, then the order.
  ACME.{version}+json                | v3 | ACME.v2+json;q=0.1, ACME.v3+json;q=0.2
  ACME.{version}+json                | v2 | text/html, ACME.v2+json;q=0.1, ACME.v3+json;q=0.1
  application/vnd.a+b.{version}      | v2 | application/vnd.a+b.v2
  text/{version}                     | none | text/*
  // Longer templates come first.
  text/{version} text/{version}+json | v2 | text/v2+json
  text/{version}+json text/{version} | v2+xml | text/v2+xml
  text/x{version}x text/{version}    | x | text/x`)
test.each(VENDOR_TYPES)('%s reads %s: %s', async (templates, version, ...accepts) => {
  const whole = (column = '') => text(column).replaceAll('ACME.', 'application/vnd.acme.')
  const decide = deciding({ scheme: vendor(whole(templates).split(' ')) })
  const expected = outcome(version)
  for (const accept of accepts.map(whole)) expect([accept, await decide('/', { accept })]).toEqual([accept, expected])
})

const warned = catchWarnings()

const PATTERNS: Record<string, RegExp> = {
  api: /^api-(\w+)\./,
  digit: /^(v\d)\./i,
  optional: /^(?:x-(v\d))?/,
  empty: /^(\w*)\.example\.com$/,
}
const parsed = { ...DEFAULTED, parseVersion: (text: string) => `v${text}` }
const SETTINGS: Record<string, object> = {
  none: {},
  DEFAULTED,
  null: { allowedVersions: [null] },
  parsed,
  numbers: { allowedVersions: ['127'] },
  empty: { allowedVersions: [''], parseVersion: String },
}
const HOSTS = rows(`
  // settings | pattern | ignored | host | version | the accepted version that it begins with, of which the process warns
  none      | default  | -   | v2.my-shop.com       | none
  null      | default  | -   | v2.my-shop.com       | none
  DEFAULTED | default  | -   | v2.example.com:80:90 | v2
  DEFAULTED | default  | -   | v2.my-shop.com       | v1 | v2
  DEFAULTED | default  | -   | V2.api.example.com   | v1 | v2
  DEFAULTED | default  | -   | v2.example.com.      | v1 | v2
  DEFAULTED | default  | -   | v2                   | v1 | v2
  DEFAULTED | default  | -   | v9.my-shop.com       | v1
  DEFAULTED | default  | -   | localhost:8080       | v1
  DEFAULTED | api      | -   | v2.example.com       | v1 | v2
  DEFAULTED | digit    | -   | v2.my-shop.com.      | v2
  none      | digit    | -   | V1.api.eu.acme.com   | V1
  DEFAULTED | optional | -   | v2.my-shop.com       | v1
  none      | empty    | -   | .example.com         | ''
  empty     | default  | -   | .example.com         | none
  numbers   | default  | -   | 127.0.0.1            | none
  // Texts in the version's place are compared by their parser.
  parsed    | default  | -   | v2.my-shop.com       | v1 | v2
  parsed    | default  | -   | 2.my-shop.com        | v1
  // Ignored labels are no versions, in any letter case.
  DEFAULTED | default  | V2  | v2.my-shop.com       | v1
  DEFAULTED | default  | www | WWW.example.com:8080 | v1
  DEFAULTED | default  | www | wwww.example.com     | HOST
  DEFAULTED | api      | www | api-www.example.com  | v1`)
test.each(HOSTS)(
  '%s, pattern %s, ignored %s, %s: %s',
  async (settings = '', name = '', label = '', Host = '', ...told) => {
    const [version, begun] = told
    const [given, hostnamePattern, ignore] = [SETTINGS[settings], PATTERNS[name], label === '-' ? undefined : [label]]
    const fields = { hostnamePattern: hostnamePattern ?? host().hostnamePattern, ignore }
    const place = `a host begins with the accepted version '${begun}', but does not match "hostnamePattern"`
    const remedy = 'Give a "hostnamePattern" for such hosts, or list the label in "ignore".'
    const text = `HostNameVersioning: ${place}, so it gets the default. ${remedy}`
    for (const scheme of [host({ ...given, hostnamePattern, ignore }), Object.assign(host(given), fields)]) {
      const decide = deciding({ scheme })
      expect([await decide('/', { Host }), await decide('/', { Host })]).toEqual([outcome(version), outcome(version)])
      const found = warned.splice(0).filter(([, options]) => Object(options).code === 'EXPRESS_VERSIONING_HOST')
      expect(found.map(([message]) => message)).toEqual(begun === undefined ? [] : [text])
    }
  },
)

const NAMESPACES = rows(`
  // namespaces | with a list | ignoring admin, api and V1 | ignoring those without a list
  admin    | NAMESPACE | v1      | none
  v2:v1    | v2      | v2      | v2
  api:v9   | NAMESPACE | NAMESPACE | v9
  v9:v2    | v2      | v2      | v9
  V1       | NAMESPACE | v1      | none
  toString | NAMESPACE | NAMESPACE | toString`)
test.each(NAMESPACES)('the namespaces %s: %s, %s, %s', async (column, ...expected) => {
  const spaces = text(column)
  const routes = tableOf(() => ({ namespace: spaces, namespaces: spaces === '' ? [] : spaces.split(':') }))
  const field = { ignore: ['admin', 'api', 'V1'] }
  const given = namespace({ ...DEFAULTED, ignore: field.ignore.values() })
  const fields = [Object.assign(namespace(DEFAULTED), field), Object.assign(namespace(), field)]
  const schemes = [namespace(DEFAULTED), given, ...fields]
  const found = schemes.map((scheme) => deciding({ scheme, routes })('/items'))
  const [listed, ignoring, free] = expected.map(outcome)
  expect(await Promise.all(found)).toEqual([listed, ignoring, ignoring, free])
})

// Combinations

const FIRST = { onConflict: 'first' } as const
const IGNORE = { ignore: ['admin', 'www'] }

/** A scheme that overrides `determineVersion` alone. */
class Told extends BaseVersioning {
  constructor(readonly says: () => unknown) {
    super()
  }
  override determineVersion = () => this.says() as string | null
}

const majors = (text: string) => (text.endsWith('.0') ? `v${text.slice(0, -2)}` : undefined)
const COMBINATIONS: Record<string, () => BaseVersioning> = {
  three: () => combined([header(), query(), accept()], { onConflict: 'reject', ...DEFAULTED }),
  first: () => combined([header(), query(), accept()], { ...FIRST, ...DEFAULTED }),
  inner: () => combined([combined([header(), accept()], FIRST), query()], DEFAULTED),
  parsing: () => combined([header(), query({ parseVersion: majors })], { ...LISTED, parseVersion: (one) => `v${one}` }),
  listed: () => combined([header(), query()], LISTED),
  nested: () => combined([combined([header()]), query()], LISTED),
  custom: () => combined([new Told(() => null), query()], LISTED),
  nullable: () => combined([header(), query()], { allowedVersions: ['v1', null] }),
  other: () => combined([header(), query()], { ...LISTED, defaultVersion: 'v9' }),
  any: () => combined([host(), query()]),
  spaces: () => combined([namespace(), header()], LISTED),
  ignoring: () => combined([namespace(IGNORE), header()], LISTED),
  defaulting: () => combined([namespace(IGNORE), header()], DEFAULTED),
  hosts: () => combined([host(), header()], LISTED),
  firstOfHosts: () => combined([header(), host()], { ...FIRST, ...LISTED }),
  ignoringHosts: () => combined([host(IGNORE), header()], DEFAULTED),
}
const FIELDS: Record<string, string> = { X: 'x-api-version', A: 'accept', H: 'host' }
const users = () => namedRoutes({ users: '/users' })
const admin = inNamespaces(users(), { v2: users() })
const spaces = inNamespaces(namedRoutes({}), { v1: users(), admin })
const COMBINED = rows(`
  // X is X-API-Version, A is the version in Accept, and H is Host.
  three         | /                       | v1
  three         | / A=v2                  | v2
  three         | /?version=v2 X=v2 A=v2  | v2
  // Two different versions conflict, also if one is the default. Each is checked before they are compared.
  three         | /?version=v2 X=v1       | CONFLICT
  three         | / X=v3                  | HEADER
  three         | /?version=v3 X=v1       | QUERY
  // An empty field is not there.
  three         | /?version=v2 X=,        | v2
  first         | /?version=v2 A=v1       | v2
  first         | /?version=v1 X=v3       | HEADER
  first         | /?version=v3 X=v1       | v1
  inner         | /?version=v1 X=v1 A=v2  | v1
  inner         | /?version=v2 X=v1       | CONFLICT
  // The parser of the combination, that of a scheme, the text of a version, and two texts of one or of two versions
  parsing       | / X=1                   | v1
  parsing       | /?version=1.0           | v1
  parsing       | /?version=1             | QUERY
  parsing       | / X=v1                  | HEADER
  parsing       | /?version=1.0 X=1       | v1
  parsing       | /?version=2.0 X=1       | CONFLICT
  // Without a version, a combination rejects as its first scheme does.
  listed        | /                       | no HEADER
  nested        | /                       | no HEADER
  custom        | /                       | no CUSTOM
  nullable      | /                       | none
  other         | /                       | v9
  any           | /                       | none
  // A place that is no version is rejected, unless it is ignored.
  spaces        | /admin/users            | NAMESPACE
  spaces        | /admin/users X=v2       | NAMESPACE
  spaces        | /v1/users X=v2          | CONFLICT
  spaces        | /admin/v2/users         | v2
  spaces        | /elsewhere X=v2         | v2
  ignoring      | /admin/users            | no NAMESPACE
  ignoring      | /admin/users X=v2       | v2
  ignoring      | /admin/users X=v3       | HEADER
  defaulting    | /admin/users            | v1
  hosts         | / H=www.example.com X=v2 | HOST
  hosts         | / H=v1.example.com X=v2 | CONFLICT
  hosts         | / H=localhost           | no HOST
  firstOfHosts  | / H=v1.example.com X=v2 | v2
  firstOfHosts  | / H=www.example.com X=v2 | v2
  ignoringHosts | / H=www.example.com     | v1
  ignoringHosts | / H=www.example.com X=v2 | v2
  // A host that does not match its pattern names no version.
  ignoringHosts | / H=v2.my-shop.com X=v1 | v1`)
test.each(COMBINED)('%s: %s: %s', async (name = '', asked = '', expected) => {
  const [url, ...fields] = asked.split(' ')
  const sent = fields.map((field) => [FIELDS[field.slice(0, 1)], field.slice(2)] as const)
  const headers = Object.fromEntries(sent)
  if (headers.accept !== undefined) headers.accept = `application/json; version=${headers.accept}`
  const scheme = COMBINATIONS[name]?.() as BaseVersioning
  expect(await deciding({ scheme, routes: spaces })(url, headers)).toBe(outcome(expected))
})

/** A version, a promise of it, and one of another library. */
const WAYS: ((value: unknown) => unknown)[] = [
  (value) => value,
  (value) => new Promise((done) => setTimeout(done, 1, value)),
  // biome-ignore lint/suspicious/noThenProperty: a promise of another library
  (value) => ({ then: (done: (value: unknown) => void) => done(value) }),
]
test.each([
  ['v2', 'v2', 'v2'],
  ['v1', 'v1', 'CONFLICT'],
  [null, 'v1', 'v2'],
  [undefined, 'v1', 'v2'],
  ['v3', 'CUSTOM', 'CUSTOM'],
  [2, 'NO_STRING', 'NO_STRING'],
])('the version %j of a custom scheme is compared with that of a header', async (value, alone, beside) => {
  for (const way of WAYS) {
    const one = () => new Told(() => way(value))
    for (const schemes of [() => [one(), header()], () => [header(), one()], () => [combined([one()]), header()]]) {
      const decide = deciding({ scheme: combined(schemes(), DEFAULTED) })
      const found = [await decide('/'), await decide('/', { 'X-API-Version': 'v2' })]
      expect([way, ...found]).toEqual([way, outcome(alone), outcome(beside)])
    }
  }
})

test('by hand, promises are of the platform, the first may decide, and the combination requires a version', async () => {
  const byHand = (schemes: BaseVersioning[], settings = {}) =>
    combined(schemes, settings).determineVersion({ url: '/', headers: {} } as Request, [], {})
  expect(byHand([new Told(async () => 'v2')])).toBeInstanceOf(Promise)
  expect(byHand([new Told(() => 'v1'), path()], FIRST)).toBe('v1')
  const part = header()
  combined([part], LISTED)
  expect([null, 'v1', 'v3'].map((version) => part.isAllowedVersion(version))).toEqual([true, true, false])
})

const tenant = Object.assign(new Told(() => 'v1'), { varyOn: () => ['X-Tenant', 'X-API-Version'] })
test.each<[schemes: BaseVersioning[], varyOn: string, statuses: string, settings?: object]>([
  [[header(), query()], 'X-API-Version', '406 404', FIRST],
  [[query(), header(), accept()], 'X-API-Version Accept', '404 406 400'],
  [[header()], 'X-API-Version', '406'],
  [[host(), header()], 'X-API-Version', '404 400 406', FIRST],
  [[header(), tenant], 'X-API-Version X-Tenant', '406 404 400'],
])('%#: the Vary and the statuses of its schemes: %s, %s', (schemes, varyOn, statuses, settings = {}) => {
  const scheme = combined(schemes, settings)
  const vary = typeof scheme.varyOn === 'function' ? scheme.varyOn({} as Request) : scheme.varyOn
  expect([vary.join(' '), scheme.rejectionStatuses.join(' ')]).toEqual([varyOn, statuses])
})

// `carry()`: how a client names a version

const asHeader = (name: string, value: string): VersionCarrier => ({ in: 'header', name, value })
const asAccept = (value: string) => asHeader('Accept', value)
const inPlace = (place: VersionCarrier['in']) => ({ in: place, value: 'v1' })
const json = 'application/json; version='
test.each<[scheme: BaseVersioning, carrier: VersionCarrier | undefined, unfit?: string[]]>([
  [header({ header: 'V' }), asHeader('V', 'v1'), ['', 'v1,v2', ',', ' v1', 'v1\t', 'v\n1', 'v\x7f']],
  [accept({ mediaTypes: ['text/html', 'text/csv'] }), asAccept('text/html; version=v1')],
  [accept(), asAccept(`${json}v1`), ['v\u20ac', 'v\n1', 'v\x7f']],
  [vendor(), asAccept('application/vnd.acme.v1+json'), ['', 'v 1', 'v/1']],
  [vendor(['a/b.{version}', 'a/b.c.{version}+json']), asAccept('a/b.v1'), ['c.v1+json']],
  [query({ versionParam: 'v' }), { name: 'v', ...inPlace('query') }, ['\ud800', 'v\udc00']],
  [path({ versionParam: 'v' }), { name: 'v', ...inPlace('path') }, ['', '..', 'v\n', '\ud800']],
  [namespace(), inPlace('namespace'), ['', 'a:b', ':']],
  [namespace({ ignore: ['v1'] }), undefined],
  [host(), inPlace('host'), ['', 'v.1', 'v-1', 'v\xe9']],
  [host({ ignore: ['V1'] }), undefined],
  [host({ hostnamePattern: /^(v\d)\./ }), undefined],
  [new (class extends BaseVersioning {})(), undefined],
])('%#: what a scheme carries, and what it cannot', (scheme, carrier, unfit = []) => {
  expect([scheme.carry('v1'), scheme.carriers('v1')]).toEqual([carrier, carrier === undefined ? [] : [carrier]])
  for (const version of unfit) expect([version, scheme.carry(version)]).toEqual([version, undefined])
})

test('a version that parseVersion takes for another one, or for none, has no carrier', () => {
  const parseVersion = (text: string) => ({ v1: '1', '1': '2', '3': '3' })[text]
  const settings = { allowedVersions: ['1', '2', '3'], parseVersion }
  for (const make of [header, accept, query, path, namespace, host, (given: object) => vendor('a/{version}', given)]) {
    const scheme = make(settings)
    // The client sends the disallowed v1 unchanged, and the server rejects it.
    const found = ['1', '2', '3', 'v1'].map((version) => scheme.carry(version)?.in)
    expect(found).toEqual([undefined, undefined, scheme.carriedIn, scheme.carriedIn])
  }
  // Another scheme of a combination reads it as it is.
  const scheme = combined([header({ parseVersion }), query()], { allowedVersions: ['1', '3'] })
  const inQuery = (value: string) => ({ in: 'query', name: 'version', value })
  expect(scheme.carry('1')).toEqual(inQuery('1'))
  expect(scheme.carriers('3')).toEqual([asHeader('X-API-Version', '3'), inQuery('3')])
})
