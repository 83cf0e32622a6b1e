import {
  AcceptHeaderVersioning,
  BaseVersioning,
  CombinedVersioning,
  HeaderVersioning,
  HostNameVersioning,
  MediaTypeVersioning,
  NamespaceVersioning,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersionCarrier,
} from 'express-versioning'

// `carry()`: how a client names a version.

const template = 'application/vnd.acme.{version}+json'
const header = (name: string, value: string): VersionCarrier => ({ in: 'header', name, value })

test.each<[scheme: BaseVersioning, carrier: VersionCarrier | undefined]>([
  [new HeaderVersioning({ header: 'V' }), header('V', 'v1')],
  [new AcceptHeaderVersioning({ mediaTypes: ['text/html', 'text/csv'] }), header('Accept', 'text/html; version=v1')],
  [new MediaTypeVersioning({ template }), header('Accept', 'application/vnd.acme.v1+json')],
  [new QueryParameterVersioning({ versionParam: 'v' }), { in: 'query', name: 'v', value: 'v1' }],
  [new URLPathVersioning({ versionParam: 'v' }), { in: 'path', name: 'v', value: 'v1' }],
  [new NamespaceVersioning(), { in: 'namespace', value: 'v1' }],
  [new NamespaceVersioning({ ignore: ['v1'] }), undefined],
  [new HostNameVersioning(), { in: 'host', value: 'v1' }],
  [new HostNameVersioning({ ignore: ['V1'] }), undefined],
  [new HostNameVersioning({ hostnamePattern: /^(v\d)\./ }), undefined],
  [new (class extends BaseVersioning {})(), undefined],
])('%p carries v1 as %j', (scheme, carrier) => {
  expect([scheme.carry('v1'), scheme.carriers('v1')]).toEqual([carrier, carrier === undefined ? [] : [carrier]])
})

test.each<[scheme: BaseVersioning, versions: string[]]>([
  [new HeaderVersioning(), ['', 'v1,v2', ',', ' v1', 'v1\t', ' ', 'v\u20ac', 'v\n1', 'v\0', 'v\x7f', '\ud800']],
  [new AcceptHeaderVersioning(), ['v\u20ac', 'v\n1', 'v\0', 'v\x7f', '\ud800']],
  [new MediaTypeVersioning({ template }), ['', 'v 1', 'v/1', 'v;1', 'v,1', '"v1"', 'v\xe9', 'v\u20ac']],
  [new MediaTypeVersioning({ template: 'application/{version}' }), ['*', 'v/1']],
  [new QueryParameterVersioning(), ['\ud800', 'v\udc00']],
  [new URLPathVersioning(), ['', '.', '..', 'v\n', '\0', '\x85', '\ud800']],
  [new NamespaceVersioning(), ['', 'a:b', ':']],
  [new HostNameVersioning(), ['', 'v.1', 'v-1', 'v\xe9']],
])('%p has no carrier for %j, which it cannot hold', (scheme, versions) => {
  for (const version of versions) expect([version, scheme.carry(version)]).toEqual([version, undefined])
})

test.each([
  ['v1.0', 'v1.0'],
  ['', '""'],
  [' v1\t', '" v1\t"'],
  ['a,b;q=0', '"a,b;q=0"'],
  ['a"b', '"a\\"b"'],
])('Accept carries %j as %s', (version, value) => {
  expect(new AcceptHeaderVersioning().carry(version)?.value).toBe(`application/json; version=${value}`)
})

// `application/json; versio=` has 24 characters, and the scheme reads 1,024.
test.each<[version: string, carried: boolean]>([
  ['v'.repeat(999), true],
  ['v'.repeat(1000), false],
  ['"'.repeat(498), true],
  ['"'.repeat(499), false],
])('Accept carries no more than is read of a range: %#', (version, carried) => {
  expect(new AcceptHeaderVersioning({ versionParam: 'versio' }).carry(version) !== undefined).toBe(carried)
})

describe('a version that parseVersion takes for another one, or for none, has no carrier', () => {
  const parseVersion = (text: string) => ({ v1: '1', '1': '2', '3': '3' })[text]
  const settings = { allowedVersions: ['1', '2', '3'], parseVersion }
  test.each<[scheme: BaseVersioning]>([
    [new HeaderVersioning(settings)],
    [new AcceptHeaderVersioning(settings)],
    [new MediaTypeVersioning({ ...settings, template })],
    [new QueryParameterVersioning(settings)],
    [new URLPathVersioning(settings)],
    [new NamespaceVersioning(settings)],
    [new HostNameVersioning(settings)],
  ])('%p', (scheme) => {
    expect([scheme.carry('1'), scheme.carry('2')]).toEqual([undefined, undefined])
    expect(scheme.carry('3')).toMatchObject({ in: scheme.carriedIn })
    // The client sends a disallowed version unchanged, and the server refuses it.
    expect(scheme.carry('v1')).toMatchObject({ in: scheme.carriedIn })
  })

  test('unless another scheme of a combination reads it as it is', () => {
    const schemes = [new HeaderVersioning({ parseVersion }), new QueryParameterVersioning()]
    const scheme = new CombinedVersioning({ schemes, allowedVersions: ['1', '3'] })
    expect(scheme.carry('1')).toEqual({ in: 'query', name: 'version', value: '1' })
    expect(scheme.carriers('3')).toEqual([header('X-API-Version', '3'), { in: 'query', name: 'version', value: '3' }])
  })
})
