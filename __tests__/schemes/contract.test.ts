import express, { type ErrorRequestHandler, type Request, type RequestHandler, Router } from 'express'
import { type VersioningError, type VersioningOptions, type VersioningSettings, versioning } from 'express-versioning'
import { run } from '../support/dispatch'
import { rows } from '../support/rows'
import { type Asked, deciding, queryParameter, schemes } from '../support/schemes'
import { listen, type Served, serve } from '../support/serve'

const { isHttpError } = require(require.resolve('http-errors', { paths: [require.resolve('express')] })) as {
  isHttpError(error: unknown): boolean
}

const tell: RequestHandler = ({ version, versioningScheme }, res) => {
  res.json({ version: version === undefined ? 'undefined' : version, scheme: versioningScheme?.constructor.name })
}
const noting =
  (note: (error: VersioningError, req: Request) => void): ErrorRequestHandler =>
  (error, req, _res, next) => {
    note(error, req)
    next(error)
  }

const ask = (server: Served, { path, headers }: Asked, prefix = '') => server.get(prefix + path, headers)

const DECISIONS = rows(`
  // \`X\` is rejected. The last two columns are for a request without a version, where the default is checked, or not.
  // default | allowed    | v2 | v3 | v9 | checked | unchecked
  -          | -          | v2 | v3 | v9 | null    | null
  -          | []         | v2 | v3 | v9 | null    | null
  -          | v1 v2      | v2 | X  | X  | X       | null
  -          | v1 v2 null | v2 | X  | X  | null    | null
  v1         | -          | v2 | v3 | v9 | v1      | v1
  v1         | v1 v2 null | v2 | X  | X  | v1      | v1
  v9         | v1 v2      | v2 | X  | v9 | v9      | v9`)
const versionOf = (word: string) => (word === 'null' ? null : word)
const settingsOf = ([standard = '-', list = '-']: string[]): VersioningSettings => ({
  defaultVersion: standard === '-' ? undefined : standard,
  allowedVersions: list === '-' ? undefined : list === '[]' ? [] : list.split(' ').map(versionOf),
})
const LISTED = { allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }
const STRANGERS = ['V1', 'v1 ', ' v1', 'v01', 'v1.0', 'v', 'v11', '1', 'v1,v2', 'v1\0', '', 'null', '__proto__']
const ODD = ['1', '1.0', 'V1', 'a b', '2024-01-01', 'v1/beta', 'constructor', '']

const LEVELS: Record<string, (middleware: RequestHandler) => RequestHandler> = {
  '/route': (middleware) => Router().get(/./, middleware, tell),
  '/sub-app': (middleware) => express().use(middleware).use(tell),
  '/sub-app/behind': (middleware) => Router().use(middleware, express().use(tell)),
  '/fell/through/router': (middleware) => Router().use(Router().use(middleware), tell),
  '/fell/through/sub-apps': (middleware) => Router().use(express().use(express().use(middleware)), tell),
}

type ParseVersion = NonNullable<VersioningSettings['parseVersion']>
/** `latest` is the newest, and the number is enough. */
const forgiving: ParseVersion = (text, versions) =>
  text === 'latest' ? versions.at(-1) : versions.find((version) => version === text || version === `v${text}`)

describe.each(schemes.map((harness) => [harness.name, harness] as const))('%s', (scheme, harness) => {
  const { Scheme, named, absent, rejection, surroundings, varyOn } = harness
  const { status, code, message } = rejection
  const options = (settings: VersioningSettings = {}) => ({ scheme: Scheme, ...surroundings(), ...settings })
  const v = (settings?: VersioningSettings) => versioning(options(settings))
  const rejected = { error: message, code, name: rejection.Class.name }
  const inOneLine = `${status} ${code} ${message}`
  const decider = (given: VersioningOptions) => {
    const decide = deciding(given)
    return ({ path, headers }: Asked) => decide(path, headers)
  }

  test.each(DECISIONS)('default %s, allowed %s: %s %s %s, without a version %s or %s', async (...row) => {
    const settings = settingsOf(row)
    const none = row[harness.checksDefault ? 5 : 6] as string
    const expected: unknown[] = row.slice(2, 5).map((word) => (word === 'X' ? inOneLine : word))
    expected.push(none === 'X' ? inOneLine.replace(code, 'ERR_VERSION_MISSING') : versionOf(none))
    // Options of the constructor, class fields and fields of an instance compile alike.
    class Fields extends Scheme {
      override defaultVersion = settings.defaultVersion ?? null
      override allowedVersions = settings.allowedVersions
    }
    for (const one of [Scheme, new Scheme(settings), Fields, Object.assign(new Scheme(), settings)]) {
      const decide = decider({ scheme: one, ...surroundings(), ...(one === Scheme && settings) })
      expect(await Promise.all([named('v2'), named('v3'), named('v9'), absent].map(decide))).toEqual(expected)
    }
  })

  test('compares exactly, hands out a version as it is listed, and rejects one that it cannot use', async () => {
    const decide = decider(options(LISTED))
    for (const version of STRANGERS.filter((version) => harness.canName(version)))
      expect([version, await decide(named(version))]).toEqual([version, inOneLine])
    for (const version of ODD.filter((version) => harness.canName(version)))
      expect(await decider(options({ allowedVersions: [version, 'other'] }))(named(version))).toBe(version)
    for (const settings of [{}, { defaultVersion: 'v1' }, { allowedVersions: ['v1', 'v2', null] }])
      for (const asked of harness.unusable)
        expect([asked, await decider(options(settings))(asked)]).toEqual([asked, inOneLine])
  })

  test('settings take any iterable, stay as they were given, and are read once', async () => {
    const given = { ...options(LISTED), allowedVersions: new Set(LISTED.allowedVersions) }
    const decide = decider(given)
    expect(given).toMatchObject({ allowedVersions: new Set(LISTED.allowedVersions), defaultVersion: 'v1' })
    given.allowedVersions.add('v3')
    given.defaultVersion = 'v3'
    expect([await decide(named('v3')), await decide(absent)]).toEqual([inOneLine, 'v1'])
  })

  test('versionParam is the name of the parameter, for schemes that have one', async () => {
    for (const versionParam of harness.usesParam ? ['api-version', 'toString', '0'] : []) {
      const given = options({ versionParam, ...LISTED })
      const decide = decider({ ...given, ...surroundings(versionParam) })
      const found = [named('v2', versionParam), named('v3', versionParam), absent].map(decide)
      expect(await Promise.all(found)).toEqual(['v2', inOneLine, 'v1'])
      expect(await decider({ ...given, ...surroundings('other') })(named('v2', 'version'))).toBe('v1')
    }
  })

  test('parseVersion says what a string means, if that is allowed; a subclass may allow others', async () => {
    const parsing = (parseVersion: ParseVersion) => decider({ ...options(), ...LISTED, parseVersion })
    const found = ['latest', '1', 'v1', 'v9', 'V1'].map((text) => parsing(forgiving)(named(text)))
    expect(await Promise.all(found)).toEqual(['v2', 'v1', 'v1', inOneLine, inOneLine])
    expect(await parsing(() => 'v9')(named('v1'))).toBe(inOneLine)
    class Even extends Scheme {
      override isAllowedVersion = (version: string | null) => Number(version?.slice(1)) % 2 === 0
    }
    const decide = decider({ ...options(), scheme: Even, allowedVersions: ['v1'] })
    expect([await decide(named('v4')), await decide(named('v1'))]).toEqual(['v4', inOneLine])
  })

  test('a rejection has the shape that http-errors and Express know, with nothing that the client sent', async () => {
    const errors: VersioningError[] = []
    const app = express().use(v({ allowedVersions: ['v1', null], defaultVersion: 'v2' }), tell)
    const response = await ask(await listen(app.use(noting((error) => errors.push(error)))), named('v9'))
    const [error] = errors as [VersioningError]
    expect([errors.length, isHttpError(error), 'headers' in error]).toEqual([1, true, false])
    expect({ ...error }).toEqual({ status, statusCode: status, expose: true, code })
    expect([error.message, error.constructor]).toEqual([message, rejection.Class])
    expect([error.stack, error.allowedVersions]).toEqual([`${rejection.Class.name}: ${message}`, ['v1', null, 'v2']])
    // Where several namespaces are tried, there is no single rejected version to tell of.
    expect(['v9', undefined]).toContain(error.version)
    const shown = expect.stringContaining(message.replaceAll('"', '&quot;'))
    expect([response.status, response.text]).toEqual([status, shown])
  })

  test('the last versioning() that ran decides, and its rejection leaves its scheme but no version', async () => {
    class Outer extends queryParameter.Scheme {}
    const outer = versioning({ scheme: Outer, versionParam: 'outer', defaultVersion: 'outer' })
    const inner = v({ allowedVersions: ['v1'] })
    const seen: unknown[] = []
    const note = noting((_error, req) => seen.push(req.version, req.versioningScheme?.constructor.name))
    const server = await serve((app) => app.use('/last', inner, outer, tell).use(outer, inner, tell).use(note))
    // The first request prepares the app. The later ones must not differ.
    for (const json of [{ version: 'v1', scheme }, rejected, { version: 'v1', scheme }, rejected])
      expect((await ask(server, named(json === rejected ? 'v3' : 'v1'))).json).toEqual(json)
    expect(seen).toEqual([undefined, scheme, undefined, scheme])
    expect((await ask(server, named('v1'), '/last')).json).toEqual({ version: 'outer', scheme: 'Outer' })
  })

  test('Vary is merged on every response, once, however many versioning() ran', async () => {
    const vary: RequestHandler = (_req, res, next) => next(void res.vary('Origin'))
    const strict = v({ allowedVersions: ['v1'] })
    const server = await serve((app) => app.use(vary, strict, strict, tell))
    for (const asked of [named('v1'), named('v3'), absent])
      expect((await ask(server, asked)).headers.vary).toBe(['Origin', ...varyOn].join(', '))
  })

  test('a CORS preflight is never rejected', async () => {
    const preflight = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'GET' }
    const server = await serve((app) => app.use(v({ allowedVersions: ['v1'] }), tell))
    for (const { path, headers } of [named('v3'), absent, ...harness.unusable]) {
      const response = await server.send('OPTIONS', path, { ...headers, ...preflight })
      expect([response.json, response.headers.vary]).toEqual([{ version: null, scheme }, varyOn[0]])
    }
  })

  test('puts one own property on the request, at the most', () => {
    const look: RequestHandler = (req, res) => {
      // Express has this one anyway.
      const own = [...Reflect.ownKeys(req), '_parsedUrl']
      for (const _ of [1, 2]) v({ allowedVersions: ['v1'] })(req, res, () => {})
      expect(Reflect.ownKeys(req).filter((key) => !own.includes(key))).toEqual([expect.any(Symbol)])
    }
    run(look, { url: named('v1').path })
  })

  test('at each level of an app; behind sub-apps, an error handler still sees version and scheme', async () => {
    const fail: RequestHandler = (_req, _res, next) => next(new Error('later'))
    const report: ErrorRequestHandler = (_error, req, res, next) => tell(req, res, next)
    const server = await serve((app) => {
      for (const [prefix, build] of Object.entries(LEVELS).toReversed()) app.use(prefix, build(v(LISTED)))
      app.use('/fails', express().use(express().use(v())), fail, report)
    })
    for (const prefix of Object.keys(LEVELS)) {
      const responses = [named('v2'), absent, named('v3')].map(async (asked) => (await ask(server, asked, prefix)).json)
      expect(await Promise.all(responses)).toEqual([{ version: 'v2', scheme }, { version: 'v1', scheme }, rejected])
    }
    expect((await ask(server, named('v2'), '/fails')).json).toEqual({ version: 'v2', scheme })
  })

  test('by hand, without versioning()', () => {
    const scheme = new Scheme({ allowedVersions: ['v1', null], defaultVersion: 'v2' })
    const allowed = ['v1', 'v2', 'v3', null].filter((version) => scheme.isAllowedVersion(version))
    expect(allowed).toEqual(['v1', 'v2', null])
    const allowedVersions = ['v1', null, 'v2']
    expect(scheme.invalidVersion('v3')).toMatchObject({ message, status, version: 'v3', allowedVersions })
    const kwargs = { version: null } as never
    expect(scheme.determineVersion({ url: '/', headers: {} } as Request, [], kwargs)).toBe('v2')
    const unseen = 'No route table in sight: give versioning() the root namedRoutes() table as `routes`'
    for (const given of [undefined, {}, { request: {} as Request }])
      expect(() => new Scheme().reverse('home', given)).toThrow(unseen)
  })
})
