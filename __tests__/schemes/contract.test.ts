import express, { type ErrorRequestHandler, type Request, type RequestHandler } from 'express'
import {
  NoReverseMatch,
  type VersioningError,
  type VersioningOptions,
  type VersioningSettings,
  versioning,
} from 'express-versioning'
import { type Asked, deciding, queryParameter, schemes } from '../support/schemes'
import { listen, type Served, serve } from '../support/serve'

const { isHttpError } = require(require.resolve('http-errors', { paths: [require.resolve('express')] })) as {
  isHttpError(error: unknown): boolean
}

/** Answers with the handler's view of the request, and keeps `undefined` and `null` apart. */
const tell: RequestHandler = (req, res) => {
  res.json({
    version: req.version === undefined ? 'undefined' : req.version,
    scheme: req.versioningScheme?.constructor.name,
  })
}
/** Hands an error on, and notes something of it. */
const noting =
  (note: (error: VersioningError, req: Request) => void): ErrorRequestHandler =>
  (error, req, _res, next) => {
    note(error, req)
    next(error)
  }
const setting =
  (vary: string | string[]): RequestHandler =>
  (_req, res, next) => {
    res.setHeader('Vary', vary)
    next()
  }

const ask = (server: Served, { path, headers }: Asked, prefix = '') => server.get(prefix + path, headers)

/** Refused, in the columns of the decision table. */
const X = Symbol('refused')
type Outcome = string | null | typeof X

// Columns: v2 is listed, v3 never, v9 is listed nowhere but may be the default; then a request that names none, where the
// default is checked and where it is not.
const decisions: [
  standard: string | undefined,
  list: readonly (string | null)[] | undefined,
  v2: Outcome,
  v3: Outcome,
  v9: Outcome,
  checked: Outcome,
  unchecked: Outcome,
][] = [
  [undefined, undefined, 'v2', 'v3', 'v9', null, null],
  [undefined, [], 'v2', 'v3', 'v9', null, null],
  [undefined, ['v1', 'v2'], 'v2', X, X, X, null],
  [undefined, ['v1', 'v2', null], 'v2', X, X, null, null],
  ['v1', undefined, 'v2', 'v3', 'v9', 'v1', 'v1'],
  ['v1', ['v1', 'v2'], 'v2', X, X, 'v1', 'v1'],
  ['v1', ['v1', 'v2', null], 'v2', X, X, 'v1', 'v1'],
  ['v9', [], 'v2', 'v3', 'v9', 'v9', 'v9'],
  ['v9', ['v1', 'v2'], 'v2', X, 'v9', 'v9', 'v9'],
]

const STRANGERS = ['V1', 'v1 ', ' v1', 'v01', 'v1.0', 'v', 'v11', '1', 'v1,v2', 'v1\0', '', 'null', '__proto__']
const ODD = ['1', '1.0', 'V1', 'a b', '2024-01-01', 'v1/beta', 'constructor', '']

const levels: [level: string, prefix: string, build: (middleware: RequestHandler) => RequestHandler][] = [
  ['app', '', (middleware) => express().use(middleware).use(tell)],
  ['mount', '/api', (middleware) => express().use('/api', middleware, tell)],
  ['router', '/api', (middleware) => express().use('/api', express.Router().use(middleware).use(tell))],
  ['route', '/api', (middleware) => express().get(/^\/api\//, middleware, tell)],
  ['route of a router', '/api', (middleware) => express().use('/api', express.Router().get(/./, middleware, tell))],
  ['mounted sub-app', '/api', (middleware) => express().use('/api', express().use(middleware).use(tell))],
  ['handler behind it in a sub-app', '/api', (middleware) => express().use('/api', middleware, express().use(tell))],
]
const behind: [title: string, build: (middleware: RequestHandler) => RequestHandler][] = [
  ['a router that fell through', (middleware) => express.Router().use(middleware)],
  ['two sub-apps that fell through', (middleware) => express().use(express().use(middleware))],
]

describe.each(schemes.map((harness) => [harness.name, harness] as const))('%s', (_name, harness) => {
  const { Scheme, named, absent, refusal, surroundings, varyOn } = harness
  const options = (settings: VersioningSettings = {}) => ({ scheme: Scheme, ...surroundings(), ...settings })
  const v = (settings?: VersioningSettings) => versioning(options(settings))
  const refused = { error: refusal.message, code: refusal.code, name: refusal.Class.name }
  const inOneLine = `${refusal.status} ${refusal.code} ${refusal.message}`
  const missing = inOneLine.replace(refusal.code, 'ERR_VERSION_MISSING')
  /** Returns a function that decides about requests as one `versioning()` does. */
  const decider = (given: VersioningOptions) => {
    const decide = deciding(given)
    return ({ path, headers }: Asked) => decide(path, headers)
  }

  test.each(decisions)(
    'default %p, allowed %p: %p %p %p, without a version %p or %p',
    async (standard, list, v2, v3, v9, checked, unchecked) => {
      const decide = decider(options({ defaultVersion: standard, allowedVersions: list }))
      const expected = [v2, v3, v9].map((outcome) => (outcome === X ? inOneLine : outcome))
      expect(await Promise.all(['v2', 'v3', 'v9'].map((version) => decide(named(version))))).toEqual(expected)
      const none = harness.checksDefault ? checked : unchecked
      expect(await decide(absent)).toBe(none === X ? missing : none)
    },
  )

  test.each<[way: string, build: (settings: VersioningSettings) => VersioningOptions]>([
    ['options of the constructor', (settings) => ({ scheme: new Scheme(settings), ...surroundings() })],
    ['class fields', (settings) => ({ scheme: fielded(settings), ...surroundings() })],
    ['fields of an instance', (settings) => ({ scheme: Object.assign(new Scheme(), settings), ...surroundings() })],
  ])('%s compile as options of versioning() do', async (_way, build) => {
    const decided = (given: VersioningOptions) => Promise.all([named('v2'), named('v3'), absent].map(decider(given)))
    for (const [defaultVersion, allowedVersions] of decisions) {
      const settings = { defaultVersion, allowedVersions }
      expect(await decided(build(settings))).toEqual(await decided(options(settings)))
    }
  })

  /** Makes a subclass that sets the settings by class fields. */
  function fielded({ defaultVersion, allowedVersions }: VersioningSettings) {
    return class Fielded extends Scheme {
      override defaultVersion = defaultVersion ?? null
      override allowedVersions = allowedVersions
    }
  }

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
    given.allowedVersions = ['v3']
    given.defaultVersion = 'v3'
    expect([await decide(named('v3')), await decide(absent)]).toEqual([inOneLine, 'v1'])
  })

  test('versionParam is the name of the parameter, for schemes that have one', async () => {
    for (const versionParam of harness.usesParam ? ['v', 'api-version', 'toString', 'q2', '0'] : []) {
      const given = options({ versionParam, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' })
      const decide = decider({ ...given, ...surroundings(versionParam) })
      expect(await decide(named('v2', versionParam))).toBe('v2')
      expect(await decide(named('v3', versionParam))).toBe(inOneLine)
      expect(await decide(absent)).toBe('v1')
      expect(await decider({ ...given, ...surroundings('other') })(named('v2', 'version'))).toBe('v1')
    }
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
    const middleware = v({ allowedVersions: ['v1', null], defaultVersion: 'v2' })
    const app = express().use(middleware, tell)
    const answer = await ask(await listen(app.use(noting((error) => errors.push(error)))), named(secret))
    const [error] = errors as [VersioningError]
    expect(errors).toHaveLength(1)
    expect(isHttpError(error)).toBe(true)
    const { status, code, message } = refusal
    expect({ ...error }).toEqual({ status, statusCode: status, expose: true, code })
    expect([error.name, error.message, error.constructor]).toEqual([refusal.Class.name, message, refusal.Class])
    expect(error.allowedVersions).toEqual(['v1', null, 'v2'])
    // Where several namespaces are tried, there is no single refused version to tell of.
    expect([secret, undefined]).toContain(error.version)
    expect('headers' in error).toBe(false)
    // Express itself answers.
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(message.replaceAll('"', '&quot;'))])
    const told = [JSON.stringify(error), String(error), error.stack, answer.text, JSON.stringify(answer.headers)]
    expect(told.join()).not.toContain(secret)
  })

  test('a refusal leaves a scheme but no version on the request, whatever stood there before', async () => {
    const early: RequestHandler = (req, _res, next) => {
      req.version = 'early'
      next()
    }
    const seen: unknown[] = []
    const note = noting((_error, req) => seen.push(req.version, req.versioningScheme?.constructor.name))
    const server = await serve((app) => app.use(early, v({ allowedVersions: ['v1'] }), tell).use(note))
    // The first request prepares the app. The later ones must not differ.
    for (const version of ['v3', 'v1', 'v3']) await ask(server, named(version))
    expect(seen).toEqual([undefined, harness.name, undefined, harness.name])
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
    const set = before === undefined ? [] : [setting(before)]
    const server = await serve((app) => app.use(...set, strict, strict, tell))
    for (const asked of [named('v1'), named('v3'), absent]) {
      const { vary } = (await ask(server, asked)).headers
      expect(vary).toBe(before === undefined || varyOn.length > 0 ? after : [before].flat().join(', '))
    }
  })

  test('headers already sent: neither Vary nor a refusal breaks the answer', async () => {
    const early: RequestHandler = (_req, res, next) => {
      res.write('early ')
      next()
    }
    const late: ErrorRequestHandler = (error, _req, res, _next) => void res.end(error.message)
    const app = express().use(early, v({ allowedVersions: ['v1'] }), (req, res) => void res.end(req.version))
    const server = await listen(app.use(late))
    const accepted = await ask(server, named('v1'))
    expect([accepted.status, accepted.text, accepted.headers.vary]).toEqual([200, 'early v1', undefined])
    expect(await ask(server, named('v3'))).toMatchObject({ status: 200, text: `early ${refusal.message}` })
  })

  test('a CORS preflight is never refused, and anything else is', async () => {
    const server = await serve((app) => app.use(v({ allowedVersions: ['v1'] }), tell))
    const Origin = 'https://shop.example'
    const preflight = { Origin, 'Access-Control-Request-Method': 'GET' }
    const send = (method: string, asked: Asked, headers: Record<string, string>) =>
      server.send(method, asked.path, { ...asked.headers, ...headers })
    const asks: [Asked, string | null][] = [named('v3'), absent, ...harness.unusable].map((asked) => [asked, null])
    for (const [asked, version] of [...asks, [named('v1'), 'v1'] as const]) {
      const { status, json, headers } = await send('OPTIONS', asked, preflight)
      expect([status, json, headers.vary]).toEqual([200, { version, scheme: harness.name }, varyOn[0]])
    }
    expect((await send('OPTIONS', named('v3'), { Origin })).status).toBe(refusal.status)
    expect((await send('GET', named('v3'), preflight)).status).toBe(refusal.status)
  })

  test.each(levels)('at the level of: %s', async (_level, prefix, build) => {
    const server = await serve((app) => app.use(build(v({ allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }))))
    expect((await ask(server, named('v2'), prefix)).json).toEqual({ version: 'v2', scheme: harness.name })
    expect((await ask(server, absent, prefix)).json).toEqual({ version: 'v1', scheme: harness.name })
    expect((await ask(server, named('v3'), prefix)).json).toEqual(refused)
  })

  test('nested: the last that ran decides, and its refusal leaves no version of the outer', async () => {
    class Outer extends queryParameter.Scheme {}
    const outer = versioning({ scheme: Outer, versionParam: 'outer', defaultVersion: 'outer' })
    const inner = v({ allowedVersions: ['v1'] })
    const seen: unknown[] = []
    const note = noting((_error, req) => seen.push(req.version, req.versioningScheme?.constructor.name))
    const server = await serve((app) => app.use('/last', inner, outer, tell).use(outer, inner, tell).use(note))
    expect((await ask(server, named('v1'))).json).toEqual({ version: 'v1', scheme: harness.name })
    expect((await ask(server, named('v3'))).json).toEqual(refused)
    expect(seen).toEqual([undefined, harness.name])
    expect((await ask(server, named('v1'), '/last')).json).toEqual({ version: 'outer', scheme: 'Outer' })
  })

  test.each(behind)('version and scheme are still there behind %s', async (_title, build) => {
    const fail: RequestHandler = (req, _res, next) => next(req.url.includes('fail') ? new Error('later') : undefined)
    const report: ErrorRequestHandler = (error, req, res, next) =>
      error.message === 'later' ? tell(req, res, next) : next(error)
    const server = await serve((app) => app.use(['/api', '/fail'], build(v())).use(fail, tell).use(report))
    for (const prefix of ['/api', '/fail'])
      expect((await ask(server, named('v2'), prefix)).json).toEqual({ version: 'v2', scheme: harness.name })
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
    expect(added).toEqual(Array.from({ length: 3 }, () => [expect.any(Symbol)]))
  })

  test('by hand, without versioning()', () => {
    const scheme = new Scheme({ allowedVersions: ['v1', null], defaultVersion: 'v2' })
    const allowed = ['v1', 'v2', 'v3', null].map((version) => scheme.isAllowedVersion(version))
    expect(allowed).toEqual([true, true, false, true])
    const { message, status } = refusal
    const allowedVersions = ['v1', null, 'v2']
    expect(scheme.invalidVersion('v3')).toMatchObject({ message, status, version: 'v3', allowedVersions })
    expect(scheme.determineVersion({ url: '/', headers: {} } as Request, [], {})).toBe('v2')
    for (const given of [undefined, {}, { request: {} as Request }]) {
      const reversing = () => new Scheme().reverse('home', given)
      expect(reversing).toThrow(NoReverseMatch)
      expect(reversing).toThrow('No route table in sight: give versioning() the root namedRoutes() table as `routes`')
    }
  })

  test('two instances share nothing, and requests in flight together keep their own', async () => {
    const pause: RequestHandler = (_req, _res, next) => void setTimeout(next, Math.random() * 10)
    const at = (one: string, other: string) => {
      const scheme = new Scheme({ allowedVersions: [one, other], defaultVersion: other })
      return [pause, versioning({ scheme, ...surroundings() }), pause, tell]
    }
    const server = await serve((app) => app.use('/a', ...at('v1', 'v2')).use('/b', ...at('v2', 'v3')))
    const rows = [
      ['/a', named('v1'), 'v1'],
      ['/a', named('v2'), 'v2'],
      ['/a', named('v3'), undefined],
      ['/a', absent, 'v2'],
      ['/b', named('v1'), undefined],
      ['/b', named('v3'), 'v3'],
      ['/b', absent, 'v3'],
    ] as const
    const all = [...rows, ...rows, ...rows].map(async ([prefix, asked, version]) => {
      const { status, json } = await ask(server, asked, prefix)
      const expected = version === undefined ? [refusal.status, refused] : [200, { version, scheme: harness.name }]
      expect([prefix, asked, status, json]).toEqual([prefix, asked, ...expected])
    })
    await Promise.all(all)
  })
})
