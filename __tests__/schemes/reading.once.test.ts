import {
  AcceptHeaderVersioning,
  type BaseVersioning,
  HostNameVersioning,
  NamespaceVersioning,
} from 'express-versioning'
import { rows, text } from '../support/rows'
import { accept, deciding, header, host, namespace, path, tableOf, vendor } from '../support/schemes'

// What each scheme reads from a request. The contract suite shows what schemes have in common.

const LISTED = { allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }
const IN_ACCEPT = '406 ERR_VERSION_NOT_ACCEPTABLE Invalid version in "Accept" header.'
const IN_HEADER = '406 ERR_VERSION_NOT_ACCEPTABLE Invalid version in "X-API-Version" header.'
const IN_HOST = '404 ERR_VERSION_NOT_FOUND Invalid version in hostname.'
const IN_PATH = '404 ERR_VERSION_NOT_FOUND Invalid version in URL path.'
const IN_SPACES = `${IN_PATH} Does not match any version namespace.`
const UNSATISFIED = '406 ERR_VERSION_NOT_ACCEPTABLE Could not satisfy the request Accept header.'

/** Reads the column of an outcome, where a refusal has one text. */
function told(column = '', refusal = ''): string | null {
  if (column === 'none') return null
  if (column === 'refused') return refusal
  return column === 'unsatisfied' ? UNSATISFIED : text(column)
}

/** Declares a test for each row: the version, then values of a header that name it. */
function reads(scheme: BaseVersioning, name: string, refusal: string, table: string): void {
  const decide = deciding({ scheme })
  test.each(rows(table))(`${name} reads as %s: %s`, async (version, ...values) => {
    for (const value of values.map(text))
      expect([value, await decide('/', { [name]: value })]).toEqual([value, told(version, refusal)])
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
  refused | v1, v2 | v2,V2 | v2, | ,v2 | v2, \xa0v2`
reads(header({ defaultVersion: 'v1' }), 'X-API-Version', IN_HEADER, inHeader)

test.each(["!#$%&'*+.^`|~", 'constructor'])('%j is another header', async (name) => {
  const scheme = header({ header: name, ...LISTED })
  const found = [{ [name]: 'v2' }, { [name]: 'v3' }, {}, { 'X-API-Version': 'v2' }].map((one) =>
    deciding({ scheme })('/', one),
  )
  expect(await Promise.all(found)).toEqual(['v2', IN_HEADER.replace('X-API-Version', name), 'v1', 'v1'])
  expect(scheme.varyOn).toEqual([name])
})

class Producing extends AcceptHeaderVersioning {
  override mediaTypes = ['Application/JSON']
}
const inAccept = `
  v2          | application/json; version=v2
  refused     | application/json; version=v3 | application/json; version=
  unsatisfied | text/html; version=v2 | application/json; q=0
  v1          | text/html; version=v2, */*; q=0.1`
for (const scheme of [new Producing(LISTED), accept({ mediaTypes: new Set(['Application/JSON']), ...LISTED })])
  reads(scheme, 'Accept', IN_ACCEPT, inAccept)

test('the error for unsatisfied headers has the accepted versions', () => {
  const reading = () => new Producing(LISTED).readVersion({ headers: { accept: 'text/html' } } as never)
  expect(reading).toThrow(expect.objectContaining({ status: 406, allowedVersions: ['v1', 'v2'] }))
})

test.each(
  rows(`
  // ACME is application/vnd.acme.
  ACME.{version}+json                | none | '' | */* | application/* | ACME.v2+xml | text/html;x="ACME.v2+json"
  ACME.{version}+json                | none | ACME.v2+json;q=0, */*
  ACME.{version}+json                | v2 | \\x20ACME.v2+json ;q=0.5 | ACME.v2+json;a=b
  // The type is case-insensitive, the version is not.
  Application/Vnd.Acme.{version}+JSON | V2-b | APPLICATION/VND.Acme.V2-b+JSON
  ACME.{version}+json                | refused | ACME.v v+json
  // Weights decide, then the order.
  ACME.{version}+json                | v3 | ACME.v2+json;q=0.1, ACME.v3+json;q=0.2
  ACME.{version}+json                | v2 | text/html, ACME.v2+json;q=0.1, ACME.v3+json;q=0.1
  application/vnd.a+b.{version}      | v2 | application/vnd.a+b.v2
  text/{version}                     | none | text/*
  // Longer templates come first.
  text/{version} text/{version}+json | v2 | text/v2+json
  text/{version}+json text/{version} | v2+xml | text/v2+xml
  text/x{version}x text/{version}    | x | text/x`),
)('%s reads %s: %s', async (templates, version, ...accepts) => {
  const whole = (column = '') => text(column).replaceAll('ACME.', 'application/vnd.acme.')
  const decide = deciding({ scheme: vendor(whole(templates).split(' ')) })
  const expected = told(version, IN_ACCEPT)
  for (const accept of accepts.map(whole)) expect([accept, await decide('/', { accept })]).toEqual([accept, expected])
})

const inHost = `
  v1       | v1.example.com | v1.EXAMPLE.com:8080 | v1.example.com:80:90 | v1.example.com.:8080
  refused  | v2.example.com | V1.example.com | 1.2.3 | v1.example.com..
  // A host that does not match is refused if its first label is an accepted version.
  refused  | v1.my-shop.com | V1.my-shop.com:8080 | v1.my-shop.com. | v1.api.example.com | v1 | v1.example.com/x
  refused  | 127.my-shop.com | standard.my-shop.com | v3.my-shop.com
  // Any other one gets the default, unchecked.
  standard | '' | v9.my-shop.com | localhost:8080 | .v1.example.com | v_1.example.com | 127.0.0.1:8080 | [::1]:8080`
reads(host({ allowedVersions: ['v1', 'V3', '127'], defaultVersion: 'standard' }), 'Host', IN_HOST, inHost)

const PATTERNS: Record<string, RegExp> = {
  api: /^api-(\w+)\./,
  digit: /^(v\d)\./i,
  optional: /^(?:x-(v\d))?/,
  empty: /^(\w*)\.example\.com$/,
}
const parsed = { ...LISTED, parseVersion: (text: string) => `v${text}` }
const SETTINGS: Record<string, object> = { none: {}, LISTED, null: { allowedVersions: [null] }, parsed }
test.each(
  rows(`
  // settings | pattern | ignored | host | version
  none   | default     | -   | v2.my-shop.com       | none
  null   | default     | -   | v2.my-shop.com       | none
  LISTED | api         | -   | v2.example.com       | refused
  LISTED | digit       | -   | v2.my-shop.com.      | v2
  none   | digit       | -   | V1.api.eu.acme.com   | V1
  LISTED | optional    | -   | v2.my-shop.com       | v1
  none   | empty       | -   | .example.com         | ''
  // Texts in the version's place are compared by their parser.
  parsed | default     | -   | v2.my-shop.com       | refused
  parsed | default     | -   | 2.my-shop.com        | v1
  // Ignored labels are no versions, in any letter case.
  LISTED | default     | V2  | v2.my-shop.com       | v1
  LISTED | default     | www | WWW.example.com:8080 | v1
  LISTED | default     | www | wwww.example.com     | refused
  LISTED | api         | www | api-www.example.com  | v1`),
)('settings %s, pattern %s, ignored %s, %s: %s', async (settings = '', name = '', label = '', Host = '', version) => {
  const [given, hostnamePattern, ignore] = [SETTINGS[settings], PATTERNS[name], label === '-' ? undefined : [label]]
  class Fields extends HostNameVersioning {
    override hostnamePattern = hostnamePattern ?? host().hostnamePattern
    override ignore = ignore
  }
  for (const scheme of [host({ ...given, hostnamePattern, ignore }), new Fields(given)])
    expect(await deciding({ scheme })('/', { Host })).toBe(told(version, IN_HOST))
})

test.each<[url: string, params: object | undefined, version: string]>([
  ['/v1/items#x', {}, 'v1'],
  ['http://example.com/v2/items', {}, 'v2'],
  // Express's own parameter goes before the table's. Express 4 writes undefined for one that is not there.
  ['/v1/items', { version: 'v2' }, 'v2'],
  ['/v2/items', { version: undefined }, 'v2'],
  ['/items', { version: null }, 'v1'],
  // In a plain server, the table alone says the version.
  ['/v2/items', undefined, 'v2'],
])('the path %s, %j: %p', async (url, params, version) => {
  const routes = tableOf((version) => ({ params: { version } }))
  expect(await deciding({ scheme: path(LISTED), routes })(url, {}, { params } as never)).toBe(version)
  // A parameter of the prototype is not read.
  expect(await deciding({ scheme: path({ versionParam: 'toString' }) })('/')).toBe(null)
})

test.each(
  rows(`
  // namespaces | with a list | ignoring admin, api and V1 | ignoring those without a list
  ''       | v1      | v1      | none
  admin    | refused | v1      | none
  v2:v1    | v2      | v2      | v2
  api:v9   | refused | refused | v9
  v9:v2    | v2      | v2      | v9
  V1       | refused | v1      | none
  // Namespaces are compared exactly.
  Admin    | refused | refused | Admin
  toString | refused | refused | toString`),
)('the namespaces %s: %s, %s, %s', async (column, ...expected) => {
  const spaces = text(column)
  const routes = tableOf(() => ({ namespace: spaces, namespaces: spaces === '' ? [] : spaces.split(':') }))
  const ignore = ['admin', 'api', 'V1']
  class Fields extends NamespaceVersioning {
    override ignore = ignore
  }
  const schemes = [
    namespace(LISTED),
    namespace({ ...LISTED, ignore: ignore.values() }),
    new Fields(LISTED),
    new Fields(),
  ]
  const found = schemes.map((scheme) => deciding({ scheme, routes })('/items'))
  const [listed, ignoring, free] = expected.map((outcome) => told(outcome, IN_SPACES))
  expect(await Promise.all(found)).toEqual([listed, ignoring, ignoring, free])
})
