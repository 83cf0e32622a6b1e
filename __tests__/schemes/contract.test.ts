import express, { type ErrorRequestHandler, type Request, type RequestHandler } from 'express'
import {
  NoReverseMatch,
  VersioningError,
  type VersioningOptions,
  type VersioningSettings,
  versioning,
} from 'express-versioning'
import { run } from '../support/dispatch'
import { type Asked, queryParameter, type SchemeHarness, schemes } from '../support/schemes'
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

const ask = (server: Served, { path, headers }: Asked, more: Record<string, string> = {}, prefix = '') =>
  server.get(prefix + path, { ...headers, ...more })

const PREFLIGHT = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'GET' }

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
  const { Scheme, named, absent, refusal, surroundings } = harness
  const options = (settings: VersioningSettings = {}): VersioningOptions => ({
    scheme: Scheme,
    ...surroundings(),
    ...settings,
  })
  const v = (settings?: VersioningSettings) => versioning(options(settings))
  const app = (given: VersioningOptions) => serve((app) => app.use(versioning(given), tell))
  const refused = { error: refusal.message, code: refusal.code, name: refusal.Class.name }

  test.each(decisions)(
    'default %p, allowed %p: %p %p %p, without a version %p or %p',
    async (standard, list, v2, v3, v9, checked, unchecked) => {
      const server = await app(options({ defaultVersion: standard, allowedVersions: list }))
      const outcome = async (asked: Asked) => {
        const { status, json } = await ask(server, asked)
        if (status === 200) return (json as { version: string | null }).version
        const code = asked === absent ? 'ERR_VERSION_MISSING' : refusal.code
        expect([status, json]).toEqual([refusal.status, { ...refused, code }])
        return X
      }
      expect(await outcome(named('v2'))).toBe(v2)
      expect(await outcome(named('v3'))).toBe(v3)
      expect(await outcome(named('v9'))).toBe(v9)
      expect(await outcome(absent)).toBe(harness.checksDefault ? checked : unchecked)
    },
  )

  test.each<[way: string, build: (settings: VersioningSettings) => VersioningOptions]>([
    ['options of the constructor', (settings) => ({ scheme: new Scheme(settings), ...surroundings() })],
    ['class fields', (settings) => ({ scheme: fielded(harness, settings), ...surroundings() })],
    ['fields of an instance', (settings) => ({ scheme: Object.assign(new Scheme(), settings), ...surroundings() })],
  ])('%s compile as options of versioning() do', (_way, build) => {
    const decided = (given: VersioningOptions) =>
      [named('v2'), named('v3'), absent].map(({ path, headers = {} }) => {
        const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
        const { req, errors } = run(versioning(given), { url: path, headers: Object.fromEntries(lower) })
        return [req.version, errors]
      })
    for (const [defaultVersion, allowedVersions] of decisions) {
      const settings = { defaultVersion, allowedVersions }
      expect(decided(build(settings))).toEqual(decided(options(settings)))
    }
  })

  test('compares exactly', async () => {
    const server = await app(options({ allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }))
    for (const version of STRANGERS.filter((version) => harness.canName(version))) {
      const { status, json } = await ask(server, named(version))
      expect([version, status, json]).toEqual([version, refusal.status, refused])
    }
  })

  test('hands out a version as it is listed, whatever its characters', async () => {
    for (const version of ODD.filter((version) => harness.canName(version))) {
      const server = await app(options({ allowedVersions: [version, 'other'], defaultVersion: 'other' }))
      expect((await ask(server, named(version))).json).toMatchObject({ version })
      expect((await ask(server, absent)).json).toMatchObject({ version: 'other' })
    }
  })

  test('refuses a version that it cannot use', async () => {
    for (const settings of [{}, { defaultVersion: 'v1' }, { allowedVersions: ['v1', 'v2', null] }]) {
      const server = await app(options(settings))
      for (const asked of harness.unusable) {
        const { status, json } = await ask(server, asked)
        expect([asked, status, json]).toEqual([asked, refusal.status, refused])
      }
    }
  })

  describe('settings', () => {
    test('allowedVersions takes any iterable, and reads it once', async () => {
      function* two() {
        yield 'v1'
        yield 'v2'
      }
      for (const list of [new Set(['v1', 'v2']), two(), Object.freeze(['v1', 'v1', 'v2'])]) {
        const server = await app(Object.freeze(options({ allowedVersions: list })))
        for (const version of ['v1', 'v2', 'v1'])
          expect((await ask(server, named(version))).json).toMatchObject({ version })
        expect((await ask(server, named('v3'))).status).toBe(refusal.status)
      }
    })

    test('stay as they were given, and later changes to them do nothing', async () => {
      const list = ['v1', 'v2']
      const given = { ...options({ allowedVersions: list, defaultVersion: 'v1' }) }
      const copy = structuredClone({ ...given, scheme: undefined, routes: undefined })
      const server = await app(given)
      await ask(server, named('v3'))
      expect({ ...given, scheme: undefined, routes: undefined }).toEqual(copy)
      list.push('v3')
      given.allowedVersions = ['v3']
      given.defaultVersion = 'v3'
      expect((await ask(server, named('v3'))).status).toBe(refusal.status)
      expect((await ask(server, absent)).json).toMatchObject({ version: 'v1' })
    })

    test('two instances never share them', async () => {
      const at = (settings: VersioningSettings) => versioning({ scheme: new Scheme(settings), ...surroundings() })
      const server = await serve((app) =>
        app
          .use('/one', at({ allowedVersions: ['v1'], defaultVersion: 'v1' }), tell)
          .use('/two', at({ allowedVersions: ['v2'], defaultVersion: 'v2' }), tell)
          .use('/bare', at({}), tell),
      )
      const versions = (prefix: string) =>
        Promise.all(
          [named('v1'), named('v2'), absent].map(async (asked) => {
            const { status, json } = await ask(server, asked, {}, prefix)
            return status === 200 ? (json as { version: unknown }).version : status
          }),
        )
      const { status } = refusal
      expect(await versions('/one')).toEqual(['v1', status, 'v1'])
      expect(await versions('/two')).toEqual([status, 'v2', 'v2'])
      expect(await versions('/bare')).toEqual(['v1', 'v2', null])
    })

    test('versionParam is the name of the parameter, for schemes that have one', async () => {
      for (const versionParam of harness.usesParam ? ['v', 'api-version', 'toString', 'q2', '0'] : []) {
        const given = options({ versionParam, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' })
        const server = await app({ ...given, ...surroundings(versionParam) })
        expect((await ask(server, named('v2', versionParam))).json).toMatchObject({ version: 'v2' })
        expect((await ask(server, named('v3', versionParam))).status).toBe(refusal.status)
        expect((await ask(server, absent)).json).toMatchObject({ version: 'v1' })
        const other = await app({ ...given, ...surroundings('other') })
        expect((await ask(other, named('v2', 'version'))).json).toMatchObject({ version: 'v1' })
      }
    })

    test('a subclass that overrides isAllowedVersion decides', async () => {
      class Even extends Scheme {
        override isAllowedVersion(version: string | null): boolean {
          return version !== null && Number(version.slice(1)) % 2 === 0
        }
      }
      const server = await app({ ...options(), scheme: Even, allowedVersions: ['v1'] })
      expect((await ask(server, named('v4'))).json).toEqual({ version: 'v4', scheme: 'Even' })
      expect((await ask(server, named('v1'))).json).toEqual(refused)
    })
  })

  describe('a refusal', () => {
    const secret = 'zq9Secret'

    test('has the shape that http-errors and Express know, without enumerable diagnostics', async () => {
      const errors: VersioningError[] = []
      const middleware = v({ allowedVersions: ['v1', null], defaultVersion: 'v2' })
      const server = await serve((app) => app.use(middleware, tell).use(noting((error) => errors.push(error))))
      await ask(server, named(secret))
      const [error] = errors as [VersioningError]
      expect(errors).toHaveLength(1)
      expect(error).toBeInstanceOf(refusal.Class)
      expect(error).toBeInstanceOf(VersioningError)
      expect(isHttpError(error)).toBe(true)
      const { status, code, message } = refusal
      expect({ ...error }).toEqual({ status, statusCode: status, expose: true, code })
      expect([error.name, error.message, error.constructor]).toEqual([refusal.Class.name, message, refusal.Class])
      expect(error.allowedVersions).toEqual(['v1', null, 'v2'])
      // Where several namespaces are tried, there is no single refused version to tell of.
      expect([secret, undefined]).toContain(error.version)
      expect(JSON.stringify(error) + String(error) + error.stack).not.toContain(secret)
      expect('headers' in error).toBe(false)
    })

    test('echoes nothing that the client sent, in the answer of Express itself', async () => {
      const answer = await ask(await listen(express().use(v({ allowedVersions: ['v1'] }), tell)), named(secret))
      expect(answer.status).toBe(refusal.status)
      expect(answer.text).toContain(refusal.message.replaceAll('"', '&quot;'))
      expect(answer.text + JSON.stringify(answer.headers)).not.toContain(secret)
    })

    test('leaves a scheme but no version on the request, whatever stood there before', async () => {
      const early: RequestHandler = (req, _res, next) => {
        req.version = 'early'
        next()
      }
      const seen: unknown[] = []
      const note = noting(({ message }, req) =>
        seen.push([message, req.version, req.versioningScheme?.constructor.name]),
      )
      const server = await serve((app) => app.use(early, v({ allowedVersions: ['v1'] }), tell).use(note))
      // The first request prepares the app. The later ones must not differ.
      for (const version of ['v3', 'v1', 'v3']) await ask(server, named(version))
      expect(seen).toEqual([1, 2].map(() => [refusal.message, undefined, harness.name]))
      expect((await ask(server, named('v1'))).json).toMatchObject({ version: 'v1' })
    })
  })

  describe('Vary', () => {
    const { varyOn } = harness
    const alone = varyOn.length === 0 ? undefined : varyOn.join(', ')
    const merged = ['Origin', ...varyOn].join(', ')
    const lower = (varyOn[0] ?? 'Accept').toLowerCase()

    test('is on every answer, once, however many versioning() ran', async () => {
      const strict = v({ allowedVersions: ['v1'] })
      const server = await serve((app) => app.use(strict, strict, tell))
      for (const asked of [named('v1'), named('v3'), absent])
        expect((await ask(server, asked)).headers.vary).toBe(alone)
    })

    test.each<[before: string | string[], after: string]>([
      ['Origin', merged],
      [['Accept-Encoding', 'Origin'], `Accept-Encoding, ${merged}`],
      [lower, lower],
      [`Origin, ${lower.toUpperCase()}`, `Origin, ${lower.toUpperCase()}`],
      ['*', '*'],
    ])('%j that is there already', async (before, after) => {
      const set: RequestHandler = (_req, res, next) => {
        res.setHeader('Vary', before)
        next()
      }
      const server = await serve((app) => app.use(set, v({ allowedVersions: ['v1'] }), tell))
      const expected = varyOn.length === 0 ? [before].flat().join(', ') : after
      for (const asked of [named('v1'), named('v3')]) expect((await ask(server, asked)).headers.vary).toBe(expected)
    })

    test('headers already sent: neither Vary nor a refusal breaks the answer', async () => {
      const early: RequestHandler = (_req, res, next) => {
        res.write('early ')
        next()
      }
      const late: ErrorRequestHandler = (error, _req, res, _next) => void res.end(error.message)
      const end: RequestHandler = (req, res) => void res.end(req.version)
      const server = await listen(
        express()
          .use(early, v({ allowedVersions: ['v1'] }), end)
          .use(late),
      )
      const accepted = await ask(server, named('v1'))
      expect([accepted.status, accepted.text, accepted.headers.vary]).toEqual([200, 'early v1', undefined])
      expect(await ask(server, named('v3'))).toMatchObject({ status: 200, text: `early ${refusal.message}` })
    })
  })

  test('a CORS preflight is never refused, and anything else is', async () => {
    const server = await app(options({ allowedVersions: ['v1'] }))
    const send = (method: string, asked: Asked, headers: Record<string, string>) =>
      server.send(method, asked.path, { ...asked.headers, ...headers })
    for (const asked of [named('v3'), absent, named('v1'), ...harness.unusable]) {
      const { status, json, headers } = await send('OPTIONS', asked, PREFLIGHT)
      const version = JSON.stringify(asked) === JSON.stringify(named('v1')) ? 'v1' : null
      expect([status, json]).toEqual([200, { version, scheme: harness.name }])
      expect(headers.vary).toBe(harness.varyOn[0])
    }
    const { Origin } = PREFLIGHT
    expect((await send('OPTIONS', named('v3'), { Origin })).status).toBe(refusal.status)
    expect((await send('GET', named('v3'), PREFLIGHT)).status).toBe(refusal.status)
  })

  test.each(levels)('at the level of: %s', async (_level, prefix, build) => {
    const server = await serve((app) => app.use(build(v({ allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }))))
    expect((await ask(server, named('v2'), {}, prefix)).json).toEqual({ version: 'v2', scheme: harness.name })
    expect((await ask(server, absent, {}, prefix)).json).toEqual({ version: 'v1', scheme: harness.name })
    expect((await ask(server, named('v3'), {}, prefix)).json).toEqual(refused)
  })

  test('nested: the last that ran decides, and its refusal leaves no version of the outer', async () => {
    class Outer extends queryParameter.Scheme {}
    const outer = versioning({ scheme: Outer, versionParam: 'outer', defaultVersion: 'outer' })
    const inner = v({ allowedVersions: ['v1'] })
    const seen: unknown[] = []
    const note = noting((_error, req) => seen.push(req.version, req.versioningScheme?.constructor.name))
    const server = await serve((app) => app.use(outer, inner, tell).use(note))
    expect((await ask(server, named('v1'))).json).toEqual({ version: 'v1', scheme: harness.name })
    expect((await ask(server, named('v3'))).json).toEqual(refused)
    expect(seen).toEqual([undefined, harness.name])
    const between = await serve((app) => app.use(inner, outer, tell))
    expect((await ask(between, named('v1'))).json).toEqual({ version: 'outer', scheme: 'Outer' })
  })

  test.each(behind)('version and scheme are still there behind %s', async (_title, build) => {
    const fail: RequestHandler = (req, _res, next) => next(req.url.includes('fail') ? new Error('later') : undefined)
    const report: ErrorRequestHandler = (error, req, res, next) =>
      error.message === 'later' ? tell(req, res, next) : next(error)
    const server = await serve((app) => app.use(['/api', '/fail'], build(v())).use(fail, tell).use(report))
    for (const [prefix, version] of [
      ['/api', 'v1'],
      ['/api', 'v2'],
      ['/fail', 'v1'],
    ] as const)
      expect((await ask(server, named(version), {}, prefix)).json).toEqual({ version, scheme: harness.name })
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
    for (const asked of [named('v1'), named('v1'), named('v3'), absent]) await ask(server, asked)
    expect(added.map((keys) => keys.length)).toEqual([1, 1, 1, 1])
    expect(added.flat().every((key) => typeof key === 'symbol')).toBe(true)
  })

  test('by hand, without versioning()', () => {
    const scheme = new Scheme({ allowedVersions: ['v1', null], defaultVersion: 'v2' })
    const allowed = ['v1', 'v2', 'v3', null].map((version) => scheme.isAllowedVersion(version))
    expect(allowed).toEqual([true, true, false, true])
    const { message, status, version, allowedVersions } = scheme.invalidVersion('v3')
    expect({ message, status, version, allowedVersions }).toEqual({
      message: refusal.message,
      status: refusal.status,
      version: 'v3',
      allowedVersions: ['v1', null, 'v2'],
    })
    expect(scheme.determineVersion({ url: '/', headers: {} } as Request, [], {})).toBe('v2')
    for (const given of [undefined, {}, { request: {} as Request }]) {
      const reversing = () => new Scheme().reverse('home', given)
      expect(reversing).toThrow(NoReverseMatch)
      expect(reversing).toThrow('No route table in sight: give versioning() the root namedRoutes() table as `routes`')
    }
  })

  test('requests in flight together keep their own', async () => {
    const pause: RequestHandler = (_req, _res, next) => void setTimeout(next, Math.random() * 10)
    const at = (allowedVersions: string[]) => [pause, v({ allowedVersions }), pause, tell]
    const server = await serve((app) => app.use('/a', ...at(['v1', 'v2'])).use('/b', ...at(['v2', 'v3'])))
    const listed: Record<string, string[]> = { '/a': ['v1', 'v2'], '/b': ['v2', 'v3'] }
    const all = Array.from({ length: 36 }, async (_, index) => {
      const prefix = index % 2 === 0 ? '/a' : '/b'
      const version = `v${1 + (index % 3)}`
      const { status, json } = await ask(server, named(version), {}, prefix)
      expect([prefix, version, status]).toEqual([
        prefix,
        version,
        listed[prefix]?.includes(version) ? 200 : refusal.status,
      ])
      if (status === 200) expect(json).toMatchObject({ version })
    })
    await Promise.all(all)
  })
})

/** Makes a subclass that sets the given settings by class fields. */
function fielded({ Scheme }: SchemeHarness, { defaultVersion, allowedVersions }: VersioningSettings) {
  return class Fielded extends Scheme {
    override defaultVersion = defaultVersion ?? null
    override allowedVersions = allowedVersions
  }
}
