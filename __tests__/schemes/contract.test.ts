import express, { type ErrorRequestHandler, type Request, type RequestHandler, Router } from 'express'
import {
  NoReverseMatch,
  type ParseVersion,
  type VersioningError,
  type VersioningOptions,
  type VersioningSettings,
  versioning,
} from 'express-versioning'
import { rows } from '../support/rows'
import { type Asked, deciding, queryParameter, schemes } from '../support/schemes'
import { listen, type Served, serve } from '../support/serve'

const { isHttpError } = require(require.resolve('http-errors', { paths: [require.resolve('express')] })) as {
  isHttpError(error: unknown): boolean
}

/** Answers with the handler's view of the request, and keeps `undefined` and `null` apart. */
const tell: RequestHandler = ({ version, versioningScheme }, res) => {
  res.json({ version: version === undefined ? 'undefined' : version, scheme: versioningScheme?.constructor.name })
}
/** Hands an error on, and notes something of it. */
const noting =
  (note: (error: VersioningError, req: Request) => void): ErrorRequestHandler =>
  (error, req, _res, next) => {
    note(error, req)
    next(error)
  }

const ask = (server: Served, { path, headers }: Asked, prefix = '') => server.get(prefix + path, headers)

// v2 is listed, v3 never, v9 is listed nowhere but may be the default. `X` is refused. The last two columns are for a request
// without a version, where the default is checked and where it is not.
const DECISIONS = rows(`
  // default | allowed    | v2 | v3 | v9 | checked | unchecked
  -          | -          | v2 | v3 | v9 | null    | null
  -          | []         | v2 | v3 | v9 | null    | null
  -          | v1 v2      | v2 | X  | X  | X       | null
  -          | v1 v2 null | v2 | X  | X  | null    | null
  v1         | -          | v2 | v3 | v9 | v1      | v1
  v1         | v1 v2      | v2 | X  | X  | v1      | v1
  v1         | v1 v2 null | v2 | X  | X  | v1      | v1
  v9         | []         | v2 | v3 | v9 | v9      | v9
  v9         | v1 v2      | v2 | X  | v9 | v9      | v9`)
const versionOf = (word: string) => (word === 'null' ? null : word)
const settingsOf = ([standard = '-', list = '-']: string[]): VersioningSettings => ({
  defaultVersion: standard === '-' ? undefined : standard,
  allowedVersions: list === '-' ? undefined : list === '[]' ? [] : list.split(' ').map(versionOf),
})

const STRANGERS = ['V1', 'v1 ', ' v1', 'v01', 'v1.0', 'v', 'v11', '1', 'v1,v2', 'v1\0', '', 'null', '__proto__']
const ODD = ['1', '1.0', 'V1', 'a b', '2024-01-01', 'v1/beta', 'constructor', '']

const LEVELS: [level: string, prefix: string, build: (middleware: RequestHandler) => RequestHandler][] = [
  ['app', '', (middleware) => express().use(middleware).use(tell)],
  ['mount', '/api', (middleware) => express().use('/api', middleware, tell)],
  ['router', '/api', (middleware) => express().use('/api', Router().use(middleware).use(tell))],
  ['route', '/api', (middleware) => express().get(/^\/api\//, middleware, tell)],
  ['route of a router', '/api', (middleware) => express().use('/api', Router().get(/./, middleware, tell))],
  ['mounted sub-app', '/api', (middleware) => express().use('/api', express().use(middleware).use(tell))],
  ['handler behind it in a sub-app', '/api', (middleware) => express().use('/api', middleware, express().use(tell))],
  ['router that fell through', '', (middleware) => express().use(Router().use(middleware), tell)],
  ['sub-apps that fell through', '', (middleware) => express().use(express().use(express().use(middleware)), tell)],
]

/** `latest` is the newest, and the number is enough. */
const forgiving: ParseVersion = (text, versions) =>
  text === 'latest' ? versions.at(-1) : versions.find((version) => version === text || version === `v${text}`)

describe.each(schemes.map((harness) => [harness.name, harness] as const))('%s', (scheme, harness) => {
  const { Scheme, named, absent, refusal, surroundings, varyOn } = harness
  const { status, code, message } = refusal
  const options = (settings: VersioningSettings = {}) => ({ scheme: Scheme, ...surroundings(), ...settings })
  const v = (settings?: VersioningSettings) => versioning(options(settings))
  const refused = { error: message, code, name: refusal.Class.name }
  const inOneLine = `${status} ${code} ${message}`
  /** Returns a function that decides about requests as one `versioning()` does. */
  const decider = (given: VersioningOptions) => {
    const decide = deciding(given)
    return ({ path, headers }: Asked) => decide(path, headers)
  }

  test.each(DECISIONS)('default %s, allowed %s: %s %s %s, without a version %s or %s', async (...row) => {
    const decide = decider(options(settingsOf(row)))
    const found = ['v2', 'v3', 'v9'].map((version) => decide(named(version)))
    expect(await Promise.all(found)).toEqual(row.slice(2, 5).map((word) => (word === 'X' ? inOneLine : word)))
    const none = row[harness.checksDefault ? 5 : 6] as string
    expect(await decide(absent)).toBe(none === 'X' ? inOneLine.replace(code, 'ERR_VERSION_MISSING') : versionOf(none))
  })

  test('options of the constructor, class fields and fields of an instance compile alike', async () => {
    const decided = (given: VersioningOptions) => Promise.all([named('v2'), named('v3'), absent].map(decider(given)))
    for (const settings of DECISIONS.map(settingsOf)) {
      class Fields extends Scheme {
        override defaultVersion = settings.defaultVersion ?? null
        override allowedVersions = settings.allowedVersions
      }
      const expected = await decided(options(settings))
      for (const one of [new Scheme(settings), Fields, Object.assign(new Scheme(), settings)])
        expect(await decided({ scheme: one, ...surroundings() })).toEqual(expected)
    }
  })

  test('compares exactly, and hands out a version as it is listed, whatever its characters', async () => {
    const decide = decider(options({ allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }))
    for (const version of STRANGERS.filter((version) => harness.canName(version)))
      expect([version, await decide(named(version))]).toEqual([version, inOneLine])
    for (const version of ODD.filter((version) => harness.canName(version)))
      expect(await decider(options({ allowedVersions: [version, 'other'] }))(named(version))).toBe(version)
  })

  test('refuses a version that it cannot use', async () => {
    for (const settings of [{}, { defaultVersion: 'v1' }, { allowedVersions: ['v1', 'v2', null] }]) {
      const decide = decider(options(settings))
      for (const asked of harness.unusable) expect([asked, await decide(asked)]).toEqual([asked, inOneLine])
    }
  })

  test('settings take any iterable, stay as they were given, and are read once', async () => {
    for (const list of [new Set(['v1', 'v2']), ['v1', 'v2'].values(), Object.freeze(['v1', 'v1', 'v2'])]) {
      const decide = decider(Object.freeze(options({ allowedVersions: list })))
      for (const version of ['v1', 'v2', 'v1']) expect(await decide(named(version))).toBe(version)
      expect(await decide(named('v3'))).toBe(inOneLine)
    }
    const list = ['v1', 'v2']
    const given = { ...options({ allowedVersions: list, defaultVersion: 'v1' }) }
    const copy = { ...given, allowedVersions: [...list] }
    const decide = decider(given)
    expect(given).toEqual(copy)
    list.push('v3')
    Object.assign(given, { allowedVersions: ['v3'], defaultVersion: 'v3' })
    expect([await decide(named('v3')), await decide(absent)]).toEqual([inOneLine, 'v1'])
  })

  test('versionParam is the name of the parameter, for schemes that have one', async () => {
    for (const versionParam of harness.usesParam ? ['v', 'api-version', 'toString', 'q2', '0'] : []) {
      const given = options({ versionParam, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' })
      const decide = decider({ ...given, ...surroundings(versionParam) })
      const found = [named('v2', versionParam), named('v3', versionParam), absent].map(decide)
      expect(await Promise.all(found)).toEqual(['v2', inOneLine, 'v1'])
      expect(await decider({ ...given, ...surroundings('other') })(named('v2', 'version'))).toBe('v1')
    }
  })

  test('parseVersion says what a text means, if that is allowed', async () => {
    const parsing = (parseVersion: ParseVersion) =>
      decider({ ...options(), allowedVersions: ['v1', 'v2'], parseVersion })
    const found = ['latest', '1', 'v1', 'v9', 'V1'].map((text) => parsing(forgiving)(named(text)))
    expect(await Promise.all(found)).toEqual(['v2', 'v1', 'v1', inOneLine, inOneLine])
    expect(await parsing(() => 'v9')(named('v1'))).toBe(inOneLine)
  })

  test('a subclass that overrides isAllowedVersion decides', async () => {
    class Even extends Scheme {
      override isAllowedVersion(version: string | null): boolean {
        return version !== null && Number(version.slice(1)) % 2 === 0
      }
    }
    const decide = decider({ ...options(), scheme: Even, allowedVersions: ['v1'] })
    expect([await decide(named('v4')), await decide(named('v1'))]).toEqual(['v4', inOneLine])
  })

  test('a refusal has the shape that http-errors and Express know, and echoes nothing that the client sent', async () => {
    const secret = 'zq9Secret'
    const errors: VersioningError[] = []
    const app = express().use(v({ allowedVersions: ['v1', null], defaultVersion: 'v2' }), tell)
    const answer = await ask(await listen(app.use(noting((error) => errors.push(error)))), named(secret))
    const [error] = errors as [VersioningError]
    expect([errors.length, isHttpError(error), 'headers' in error]).toEqual([1, true, false])
    expect({ ...error }).toEqual({ status, statusCode: status, expose: true, code })
    expect([error.name, error.message, error.constructor]).toEqual([refusal.Class.name, message, refusal.Class])
    expect(error.allowedVersions).toEqual(['v1', null, 'v2'])
    // Where several namespaces are tried, there is no single refused version to tell of.
    expect([secret, undefined]).toContain(error.version)
    // Express itself answers.
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(message.replaceAll('"', '&quot;'))])
    const told = [JSON.stringify(error), String(error), error.stack, answer.text, JSON.stringify(answer.headers)]
    expect(told.join()).not.toContain(secret)
  })

  test('the last versioning() that ran decides, and its refusal leaves its scheme but no version', async () => {
    class Outer extends queryParameter.Scheme {}
    const outer = versioning({ scheme: Outer, versionParam: 'outer', defaultVersion: 'outer' })
    const inner = v({ allowedVersions: ['v1'] })
    const seen: unknown[] = []
    const note = noting((_error, req) => seen.push(req.version, req.versioningScheme?.constructor.name))
    const server = await serve((app) => app.use('/last', inner, outer, tell).use(outer, inner, tell).use(note))
    // The first request prepares the app. The later ones must not differ.
    for (const json of [{ version: 'v1', scheme }, refused, { version: 'v1', scheme }, refused])
      expect((await ask(server, named(json === refused ? 'v3' : 'v1'))).json).toEqual(json)
    expect(seen).toEqual([undefined, scheme, undefined, scheme])
    expect((await ask(server, named('v1'), '/last')).json).toEqual({ version: 'outer', scheme: 'Outer' })
  })

  const merged = ['Origin', ...varyOn].join(', ')
  const lower = (varyOn[0] ?? 'Accept').toLowerCase()
  test.each<[before: string | string[] | undefined, after: string | undefined]>([
    [undefined, varyOn.length === 0 ? undefined : varyOn.join(', ')],
    ['Origin', merged],
    [['Accept-Encoding', 'Origin'], `Accept-Encoding, ${merged}`],
    [lower, lower],
    [`Origin, ${lower.toUpperCase()}`, `Origin, ${lower.toUpperCase()}`],
    ['*', '*'],
  ])('Vary %j is merged on every answer, once, however many versioning() ran', async (before, after) => {
    const strict = v({ allowedVersions: ['v1'] })
    const set: RequestHandler = (_req, res, next) => next(before && void res.setHeader('Vary', before))
    const server = await serve((app) => app.use(set, strict, strict, tell))
    for (const asked of [named('v1'), named('v3'), absent]) {
      const { vary } = (await ask(server, asked)).headers
      expect(vary).toBe(before === undefined || varyOn.length > 0 ? after : [before].flat().join(', '))
    }
  })

  test('headers already sent: neither Vary nor a refusal breaks the answer', async () => {
    const early: RequestHandler = (_req, res, next) => next(void res.write('early '))
    const late: ErrorRequestHandler = (error, _req, res, _next) => void res.end(error.message)
    const app = express().use(early, v({ allowedVersions: ['v1'] }), (req, res) => void res.end(req.version))
    const server = await listen(app.use(late))
    const accepted = await ask(server, named('v1'))
    expect([accepted.status, accepted.text, accepted.headers.vary]).toEqual([200, 'early v1', undefined])
    expect(await ask(server, named('v3'))).toMatchObject({ status: 200, text: `early ${message}` })
  })

  test('a CORS preflight is never refused, and anything else is', async () => {
    const server = await serve((app) => app.use(v({ allowedVersions: ['v1'] }), tell))
    const Origin = 'https://shop.example'
    const preflight = { Origin, 'Access-Control-Request-Method': 'GET' }
    const send = (method: string, asked: Asked, headers: Record<string, string>) =>
      server.send(method, asked.path, { ...asked.headers, ...headers })
    for (const asked of [named('v1'), named('v3'), absent, ...harness.unusable]) {
      const version = JSON.stringify(asked) === JSON.stringify(named('v1')) ? 'v1' : null
      const { status, json, headers } = await send('OPTIONS', asked, preflight)
      expect([status, json, headers.vary]).toEqual([200, { version, scheme }, varyOn[0]])
    }
    const { Origin: _, ...unsent } = preflight
    const others = [send('OPTIONS', named('v3'), { Origin }), send('OPTIONS', named('v3'), unsent)]
    const answers = await Promise.all([...others, send('GET', named('v3'), preflight)])
    expect(answers.map((answer) => answer.status)).toEqual([status, status, status])
  })

  test.each(LEVELS)('at the level of: %s', async (_level, prefix, build) => {
    const server = await serve((app) => app.use(build(v({ allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }))))
    expect((await ask(server, named('v2'), prefix)).json).toEqual({ version: 'v2', scheme })
    expect((await ask(server, absent, prefix)).json).toEqual({ version: 'v1', scheme })
    expect((await ask(server, named('v3'), prefix)).json).toEqual(refused)
  })

  test('version and scheme are still there in an error handler behind sub-apps', async () => {
    const fail: RequestHandler = (_req, _res, next) => next(new Error('later'))
    const report: ErrorRequestHandler = (_error, req, res, next) => tell(req, res, next)
    const server = await serve((app) =>
      app
        .use('/api', express().use(express().use(v())))
        .use(fail)
        .use(report),
    )
    expect((await ask(server, named('v2'), '/api')).json).toEqual({ version: 'v2', scheme })
  })

  test('puts one own property on the request, at the most', async () => {
    const added: PropertyKey[][] = []
    const watched = v({ allowedVersions: ['v1'] })
    const around: RequestHandler = (req, res, next) => {
      const own = Reflect.ownKeys(req)
      watched(req, res, (error) => {
        added.push(Reflect.ownKeys(req).filter((key) => !own.includes(key)))
        next(error)
      })
    }
    const server = await serve((app) => app.use(around, v(), tell))
    for (const asked of [named('v1'), named('v3'), absent]) await ask(server, asked)
    expect(added).toEqual(Array(3).fill([expect.any(Symbol)]))
  })

  test('by hand, without versioning()', () => {
    const scheme = new Scheme({ allowedVersions: ['v1', null], defaultVersion: 'v2' })
    expect(['v1', 'v2', 'v3', null].map((version) => scheme.isAllowedVersion(version))).toEqual([
      true,
      true,
      false,
      true,
    ])
    const allowedVersions = ['v1', null, 'v2']
    expect(scheme.invalidVersion('v3')).toMatchObject({ message, status, version: 'v3', allowedVersions })
    expect(scheme.determineVersion({ url: '/', headers: {} } as Request, [], {})).toBe('v2')
    for (const given of [undefined, {}, { request: {} as Request }]) {
      const reversing = () => new Scheme().reverse('home', given)
      expect(reversing).toThrow(NoReverseMatch)
      expect(reversing).toThrow('No route table in sight: give versioning() the root namedRoutes() table as `routes`')
    }
  })
})
