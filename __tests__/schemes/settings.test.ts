import {
  HostNameVersioning,
  NoReverseMatch,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { serve } from '../support/serve'

// What happens to settings between the object they are written in and the request that they decide about.

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
