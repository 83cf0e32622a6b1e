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

const template = 'application/vnd.acme.{version}+json'
const header = (name: string, value: string): VersionCarrier => ({ in: 'header', name, value })

describe('what a client sends for v1', () => {
  test.each<[scheme: BaseVersioning, carrier: VersionCarrier | undefined]>([
    [new HeaderVersioning(), header('X-API-Version', 'v1')],
    [new HeaderVersioning({ header: 'Accept-Version' }), header('Accept-Version', 'v1')],
    [new AcceptHeaderVersioning(), header('Accept', 'application/json; version=v1')],
    [new AcceptHeaderVersioning({ versionParam: 'V' }), header('Accept', 'application/json; V=v1')],
    [new AcceptHeaderVersioning({ mediaTypes: ['text/html', 'text/csv'] }), header('Accept', 'text/html; version=v1')],
    [new MediaTypeVersioning({ template }), header('Accept', 'application/vnd.acme.v1+json')],
    [new MediaTypeVersioning({ template: ['text/{version}', template] }), header('Accept', 'text/v1')],
    [new QueryParameterVersioning(), { in: 'query', name: 'version', value: 'v1' }],
    [new QueryParameterVersioning({ versionParam: 'a b' }), { in: 'query', name: 'a b', value: 'v1' }],
    [new URLPathVersioning({ versionParam: 'v' }), { in: 'path', name: 'v', value: 'v1' }],
    [new NamespaceVersioning(), { in: 'namespace', value: 'v1' }],
    [new NamespaceVersioning({ ignore: ['v1'] }), undefined],
    [new HostNameVersioning(), { in: 'host', value: 'v1' }],
    [new HostNameVersioning({ ignore: ['V1'] }), undefined],
    [new HostNameVersioning({ hostnamePattern: /^(v\d)\./ }), undefined],
    [
      new CombinedVersioning({ schemes: [new HostNameVersioning(), new HeaderVersioning()] }),
      { in: 'host', value: 'v1' },
    ],
    [new (class extends BaseVersioning {})(), undefined],
  ])('%p: %j', (scheme, carrier) => {
    expect(scheme.carry('v1')).toEqual(carrier)
  })

  test('a pattern and media types of a class field', () => {
    class Hosts extends HostNameVersioning {
      override hostnamePattern = /^(v\d)\./
    }
    class Types extends AcceptHeaderVersioning {
      override mediaTypes = ['text/csv']
    }
    expect(new Hosts().carry('v1')).toBeUndefined()
    expect(new Types().carry('v1')).toEqual(header('Accept', 'text/csv; version=v1'))
  })
})

describe('a version that the carrier cannot hold has none', () => {
  const shadowed = new MediaTypeVersioning({ template: ['application/vnd.acme.{version}', template] })
  test.each<[scheme: BaseVersioning, versions: string[]]>([
    [new HeaderVersioning(), ['v1,v2', ',', ' v1', 'v1\t', ' ', 'v\u20ac', 'v\n1', 'v\0', 'v\x7f', '\ud800']],
    [new AcceptHeaderVersioning(), ['v\u20ac', 'v\n1', 'v\0', 'v\x7f', '\ud800']],
    [new MediaTypeVersioning({ template }), ['', 'v 1', 'v/1', 'v;1', 'v,1', '"v1"', 'v\xe9', 'v\u20ac']],
    // read by the longer template
    [shadowed, ['v1+json']],
    [new MediaTypeVersioning({ template: 'application/{version}' }), ['*', 'v/1']],
    [new QueryParameterVersioning(), ['\ud800', 'v\udc00']],
    [new URLPathVersioning(), ['', '.', '..', 'v\n', '\0', '\x85', '\ud800']],
    [new NamespaceVersioning(), ['', 'a:b', ':']],
    [new HostNameVersioning(), ['', 'v.1', 'v-1', 'v_1', '\xe9', 'v 1', 'v1:80']],
  ])('%p: %j', (scheme, versions) => {
    for (const version of versions) expect([version, scheme.carry(version)]).toEqual([version, undefined])
  })

  test('and in a combination the next scheme is asked', () => {
    const schemes = [new HostNameVersioning(), new HeaderVersioning(), new QueryParameterVersioning()]
    const scheme = new CombinedVersioning({ schemes })
    expect(scheme.carry('v.1')).toEqual(header('X-API-Version', 'v.1'))
    expect(scheme.carry('v,1')).toEqual({ in: 'query', name: 'version', value: 'v,1' })
    expect(scheme.carry('\ud800')).toBeUndefined()
  })
})

test.each<[version: string, value: string]>([
  ['v1.0', 'v1.0'],
  ['', '""'],
  ['a b', '"a b"'],
  [' v1\t', '" v1\t"'],
  ['a,b', '"a,b"'],
  ['a;q=0', '"a;q=0"'],
  ['a"b', '"a\\"b"'],
  ['a\\b', '"a\\\\b"'],
  ['v\xe9', '"v\xe9"'],
])('Accept quotes %j as %j where it is no token', (version, value) => {
  expect(new AcceptHeaderVersioning().carry(version)?.value).toBe(`application/json; version=${value}`)
})

test.each<[version: string, carried: boolean]>([
  ['v'.repeat(999), true],
  ['v'.repeat(1000), false],
  [`${'v'.repeat(996)} `, true],
  [`${'v'.repeat(997)} `, false],
  ['"'.repeat(498), true],
  ['"'.repeat(499), false],
])('Accept carries no more than is read of a range: %#', (version, carried) => {
  // `application/json; version=` is 25 characters long, and 1,024 are read.
  expect(new AcceptHeaderVersioning({ versionParam: 'versio' }).carry(version) !== undefined).toBe(carried)
})

describe('a version that parseVersion takes for another, or for none, has no carrier', () => {
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
    [new CombinedVersioning({ ...settings, schemes: [new HeaderVersioning()] })],
  ])('%p', (scheme) => {
    expect([scheme.carry('1'), scheme.carry('2')]).toEqual([undefined, undefined])
    expect(scheme.carry('3')).toMatchObject({ in: scheme.carriedIn })
    // What is not allowed is sent as it is, to be refused.
    expect(scheme.carry('v1')).toMatchObject({ in: scheme.carriedIn })
  })

  test('unless another scheme of a combination reads it as it is', () => {
    const scheme = new CombinedVersioning({
      schemes: [new HeaderVersioning({ parseVersion }), new QueryParameterVersioning()],
      allowedVersions: ['1', '3'],
    })
    expect(scheme.carry('1')).toEqual({ in: 'query', name: 'version', value: '1' })
    expect(scheme.carry('3')).toEqual(header('X-API-Version', '3'))
  })
})
