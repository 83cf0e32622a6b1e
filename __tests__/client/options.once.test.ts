import {
  HeaderVersioning,
  HostNameVersioning,
  namedRoutes,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { inVersion, versionsOf } from 'express-versioning/client'

const allowedVersions = ['v1', 'v2']
const once = <Item>(...items: Item[]) => items.values()

describe('versionsOf()', () => {
  test.each<[options: Omit<VersioningOptions, 'scheme'>, versions: string[]]>([
    [{ allowedVersions: ['v2', 'v1', null, 'v2'] }, ['v2', 'v1']],
    [{ allowedVersions, defaultVersion: 'v1' }, ['v1', 'v2']],
    [{ allowedVersions, defaultVersion: 'v0' }, ['v1', 'v2', 'v0']],
    [{ allowedVersions: [null], defaultVersion: 'v0' }, ['v0']],
    [{ allowedVersions: new Set(allowedVersions) }, ['v1', 'v2']],
    [{ defaultVersion: 'v1' }, ['v1']],
    [{}, []],
  ])('of %p: %j', (options, versions) => {
    expect(versionsOf({ scheme: HeaderVersioning, ...options })).toEqual(versions)
  })
})

describe('a one-shot iterator in the options is read once, whichever function comes first', () => {
  const routes = () => namedRoutes({ docs: '/docs', user: '/user' })
  const build: Readonly<Record<string, () => VersioningOptions>> = {
    allowedVersions: () => ({ scheme: HeaderVersioning, allowedVersions: once('v1', 'v2'), routes: routes() }),
    neutral: () => ({ scheme: URLPathVersioning, allowedVersions, neutral: once('docs'), routes: routes() }),
    allowedHosts: () => ({ scheme: HeaderVersioning, allowedVersions, allowedHosts: once('a.test'), routes: routes() }),
  }
  const told = (options: VersioningOptions) => [
    versionsOf(options),
    inVersion('v1', options, { unchecked: true }).headers,
    options.neutral === undefined ? undefined : inVersion('v1', options).path('docs'),
  ]

  test.each(Object.keys(build))('%s', (name) => {
    const make = build[name] as () => VersioningOptions
    const expected = told({ ...make(), [name]: [...(make()[name as keyof VersioningOptions] as Iterable<string>)] })
    const after = make()
    versioning(after)
    expect(told(after)).toEqual(expected)
    const before = make()
    expect(told(before)).toEqual(expected)
    expect(told(before)).toEqual(expected)
    versioning(before)
    expect(told({ ...before })).toEqual(expected)
  })
})

describe('inVersion() refuses', () => {
  const scheme = HeaderVersioning
  test.each<[version: unknown, options: unknown, client: unknown, message: string]>([
    ['v1', { scheme }, { mont: '/api' }, 'inVersion(): unknown option "mont". Did you mean "mount"?'],
    ['v1', { scheme }, null, 'inVersion() takes an object of options; got null.'],
    ['v1', { scheme }, { mount: 7 }, 'inVersion(): option "mount" takes a path (a string); got 7.'],
    ['v1', { scheme }, { unchecked: 1 }, 'inVersion(): option "unchecked" takes true or false; got 1.'],
    [7, { scheme }, {}, 'inVersion() takes a version (a string); got 7.'],
    ['v3', { scheme, allowedVersions: [null, 'w'] }, {}, "version 'v3' is not allowed. Allowed: 'w'. To test"],
    ['v,1', { scheme }, { unchecked: true }, 'carry() of HeaderVersioning'],
  ])('%j of %p with %j: %s', (version, options, client, message) => {
    const made = () => inVersion(version as string, options as VersioningOptions, client as never)
    expect(made).toThrow(expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(message) }))
  })

  test.each(['', 7, null, 'localhost', 'a.b.c', 'example.com/', 'example.com:x'])('the host %j', (host) => {
    const made = () => inVersion('v1', { scheme: HostNameVersioning }, { host: host as string })
    expect(made).toThrow(
      new TypeError(
        `inVersion(): option "host" takes a host of two labels of letters and digits, and maybe a port, such as 'example.com' or 'example.test:3000'; got ${typeof host === 'string' ? `'${host}'` : host}.`,
      ),
    )
  })
})
