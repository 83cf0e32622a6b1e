import {
  AcceptHeaderVersioning,
  BaseVersioning,
  CombinedVersioning,
  HeaderVersioning,
  HostNameVersioning,
  MediaTypeVersioning,
  NamespaceVersioning,
  NoReverseMatch,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersionCarrier,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { serve } from '../support/serve'

// Settings apply equally, whether they are options, shared objects or class fields.

const ask = async (options: VersioningOptions, path: string, headers: Record<string, string> = {}) => {
  const server = await serve((app) => app.use(versioning(options), (req, res) => void res.json(req.version)))
  const { status, json } = await server.get(path, headers)
  return status === 200 ? json : status
}

test('a one-shot iterator in shared settings says the same to each versioning()', async () => {
  const shared = {
    allowedVersions: (function* () {
      yield 'v1'
    })(),
  }
  for (const _ of [1, 2, 3]) {
    expect(await ask({ ...shared, scheme: QueryParameterVersioning }, '/?version=v1')).toBe('v1')
    expect(await ask({ ...shared, scheme: QueryParameterVersioning }, '/?version=evil')).toBe(404)
  }
})

describe('class fields', () => {
  class Bare extends QueryParameterVersioning {
    override defaultVersion = undefined as never
    override allowedVersions = undefined as never
    override versionParam = undefined as never
  }
  test('without a value omit the setting, and do not take back what was given', async () => {
    const options = { scheme: Bare, allowedVersions: ['v1'], defaultVersion: 'v0', versionParam: 'v' }
    expect(await ask(options, '/?v=v9')).toBe(404)
    expect(await ask(options, '/?v=v1')).toBe('v1')
    expect(await ask(options, '/')).toBe('v0')
  })
})

test.each([['*.example.com'], ['*']])('allowedHosts takes no pattern: %s', (host) => {
  expect(() => versioning({ scheme: URLPathVersioning, allowedHosts: [host] })).toThrow(/option "allowedHosts" takes/)
})

test('a hostnamePattern without a group names nothing, and is refused', () => {
  expect(() => new HostNameVersioning({ hostnamePattern: /^v1\.example\.com$/ })).toThrow(
    /whose first group is the version/,
  )
})

describe('a link to another version of the host scheme', () => {
  const link = async (options: Omit<VersioningOptions, 'routes'>, given: object, host = 'v1.api.com') => {
    const routes = namedRoutes({ x: '/x' })
    routes.use((req, res) => {
      try {
        res.json(req.reverse('x', { absolute: true, ...given }))
      } catch (error) {
        res.json({ known: error instanceof NoReverseMatch, message: (error as Error).message })
      }
    })
    const server = await serve((app) => app.use(versioning({ ...options, routes }), routes))
    return (await server.get('/', { Host: host })).json
  }

  test('with a pattern that has the flag d already', async () => {
    const scheme = new HostNameVersioning({ hostnamePattern: /^(v\d)\.api\.com$/d })
    expect(await link({ scheme }, { version: 'v2' })).toBe('http://v2.api.com/x')
  })

  test('never in another letter case than the version’s: a URL’s host has none', async () => {
    const options = { scheme: HostNameVersioning, allowedVersions: ['V2', 'v1'] }
    expect(await link(options, { version: 'V2' })).toEqual({
      known: true,
      message: 'The host of this request cannot carry that version.',
    })
  })

  test('from an origin that was given is not one of the request’s, which alone allowedHosts are about', async () => {
    const allowedHosts = ['v1.api.com', 'v2.api.com']
    const options = { scheme: HostNameVersioning, allowedHosts }
    expect(await link(options, { version: 'v2', origin: 'https://v1.pub.com' })).toBe('https://v2.pub.com/x')
    expect(await link({ ...options, origin: 'https://v1.pub.com' }, { version: 'v2' })).toBe('https://v2.pub.com/x')
    expect(await link(options, { version: 'v2' })).toBe('http://v2.api.com/x')
    expect(await link(options, { version: 'v3' })).toMatchObject({ known: true })
  })
})

describe('schemes of your own', () => {
  // The base class checks custom schemes; contract.test.ts holds the rules for every scheme.

  describe('invalidVersionError takes a class of refusals', () => {
    const withError = (Refusal: unknown) => {
      class Own extends QueryParameterVersioning {
        override readonly invalidVersionError = Refusal as never
      }
      return Own
    }
    const WRONG = 'Own: "invalidVersionError" takes NotFound, NotAcceptable, or a subclass.'

    test('and no other error, which is told at start-up', () => {
      const Wrong = withError(Error)
      expect(() => versioning({ scheme: Wrong })).toThrow(new TypeError(WRONG))
      expect(() => versioning({ scheme: new Wrong() })).toThrow(new TypeError(WRONG))
      const schemes = [new HeaderVersioning(), new Wrong()]
      expect(() => versioning({ scheme: new CombinedVersioning({ schemes }) })).toThrow(new TypeError(WRONG))
    })
  })

  describe('readVersion gives a string, or nothing', () => {
    const reading = (read: unknown, allowedVersions?: string[]) => {
      class Own extends BaseVersioning {
        override readVersion() {
          return read as never
        }
      }
      return serve((app) => {
        app.use(versioning({ scheme: Own, allowedVersions, defaultVersion: '1' }))
        app.use((req, res) => void res.json(req.version))
      })
    }

    test.each([[2], [true], [['2']], [{}]])('%j is an error, whatever is accepted', async (read) => {
      for (const list of [undefined, ['1', '2']]) {
        for (const one of [read, Promise.resolve(read)]) {
          expect(await (await reading(one, list)).get('/')).toMatchObject({
            status: 500,
            json: { name: 'TypeError', error: expect.stringMatching(/^Own: a version is a string; got /) },
          })
        }
      }
    })

    test.each([[undefined], [null], [Promise.resolve(undefined)], [Promise.resolve(null)]])(
      '%p is the default',
      async (read) => {
        expect((await (await reading(read)).get('/')).json).toBe('1')
      },
    )

    test.each([['2'], [Promise.resolve('2')]])('%p is the version, if it is accepted', async (read) => {
      expect((await (await reading(read, ['1', '2'])).get('/')).json).toBe('2')
      expect((await (await reading(read, ['1', '3'])).get('/')).status).toBe(404)
    })

    test('a scheme that does not say what it reads fails the request', async () => {
      class Own extends BaseVersioning {}
      const { get } = await serve((app) => app.use(versioning({ scheme: Own })))
      expect((await get('/')).json).toMatchObject({ error: 'Own.determine_version() must be implemented.' })
    })
  })
})

describe('carrying a version', () => {
  const template = 'application/vnd.acme.{version}+json'
  const header = (name: string, value: string): VersionCarrier => ({ in: 'header', name, value })

  describe('what a client sends for v1', () => {
    test.each<[scheme: BaseVersioning, carrier: VersionCarrier | undefined]>([
      [
        new AcceptHeaderVersioning({ mediaTypes: ['text/html', 'text/csv'] }),
        header('Accept', 'text/html; version=v1'),
      ],
      [new MediaTypeVersioning({ template }), header('Accept', 'application/vnd.acme.v1+json')],
      [new NamespaceVersioning(), { in: 'namespace', value: 'v1' }],
      [new NamespaceVersioning({ ignore: ['v1'] }), undefined],
      [new HostNameVersioning(), { in: 'host', value: 'v1' }],
      [new HostNameVersioning({ ignore: ['V1'] }), undefined],
      [new HostNameVersioning({ hostnamePattern: /^(v\d)\./ }), undefined],
      [new (class extends BaseVersioning {})(), undefined],
    ])('%p: %j', (scheme, carrier) => {
      expect(scheme.carry('v1')).toEqual(carrier)
    })
  })

  describe('a version that the carrier cannot hold has none', () => {
    test.each<[scheme: BaseVersioning, versions: string[]]>([
      [new HeaderVersioning(), ['v1,v2', ',', ' v1', 'v1\t', ' ', 'v\u20ac', 'v\n1', 'v\0', 'v\x7f', '\ud800']],
      [new AcceptHeaderVersioning(), ['v\u20ac', 'v\n1', 'v\0', 'v\x7f', '\ud800']],
      [new MediaTypeVersioning({ template }), ['', 'v 1', 'v/1', 'v;1', 'v,1', '"v1"', 'v\xe9', 'v\u20ac']],
      [new MediaTypeVersioning({ template: 'application/{version}' }), ['*', 'v/1']],
      [new QueryParameterVersioning(), ['\ud800', 'v\udc00']],
      [new URLPathVersioning(), ['', '.', '..', 'v\n', '\0', '\x85', '\ud800']],
      [new NamespaceVersioning(), ['', 'a:b', ':']],
    ])('%p: %j', (scheme, versions) => {
      for (const version of versions) expect([version, scheme.carry(version)]).toEqual([version, undefined])
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
    // `application/json; version=` has 25 characters, and the scheme reads 1,024.
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
    ])('%p', (scheme) => {
      expect([scheme.carry('1'), scheme.carry('2')]).toEqual([undefined, undefined])
      expect(scheme.carry('3')).toMatchObject({ in: scheme.carriedIn })
      // The client sends a disallowed version unchanged, and the server refuses it.
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
})
