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

/** Answers what a handler sees; `undefined` is told from `null`. */
const tell: RequestHandler = (req, res) => {
  res.json({
    version: req.version === undefined ? 'undefined' : req.version,
    scheme: req.versioningScheme?.constructor.name,
  })
}

const ask = (server: Served, { path, headers }: Asked, more: Record<string, string> = {}, prefix = '') =>
  server.get(prefix + path, { ...headers, ...more })

const PREFLIGHT = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'GET' }

const shown = ({ path, headers }: Asked) => (headers === undefined ? path : Object.values(headers).join())

/** Refused, in the columns of the decision table. */
const X = Symbol('refused')
type Outcome = string | null | typeof X
type List = readonly (string | null)[] | undefined

// Columns: v2 is listed, v3 never, v9 is listed nowhere but may be the default; then a request that names none, where the
// default is checked and where it is not.
const decisions: [
  standard: string | undefined,
  list: List,
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
  ['v1', [], 'v2', 'v3', 'v9', 'v1', 'v1'],
  ['v1', ['v1', 'v2'], 'v2', X, X, 'v1', 'v1'],
  ['v1', ['v1', 'v2', null], 'v2', X, X, 'v1', 'v1'],
  ['v9', undefined, 'v2', 'v3', 'v9', 'v9', 'v9'],
  ['v9', [], 'v2', 'v3', 'v9', 'v9', 'v9'],
  ['v9', ['v1', 'v2'], 'v2', X, 'v9', 'v9', 'v9'],
  ['v9', ['v1', 'v2', null], 'v2', X, 'v9', 'v9', 'v9'],
]

describe.each(schemes.map((harness) => [harness.name, harness] as const))('%s', (_name, harness) => {
  const { Scheme, named, absent, refusal, surroundings } = harness
  const options = (settings: VersioningSettings = {}): VersioningOptions => ({
    scheme: Scheme,
    ...surroundings(),
    ...settings,
  })
  const app = (given: VersioningOptions) => serve((app) => app.use(versioning(given), tell))
  const refused = { error: refusal.message, code: refusal.code, name: refusal.Class.name }

  const waysToSet: [way: string, build: (settings: VersioningSettings) => VersioningOptions][] = [
    ['options of versioning()', options],
    ['options of the constructor', (settings) => ({ scheme: new Scheme(settings), ...surroundings() })],
    ['class fields', (settings) => ({ scheme: fielded(harness, settings), ...surroundings() })],
    ['fields of an instance', (settings) => ({ scheme: Object.assign(new Scheme(), settings), ...surroundings() })],
  ]

  /** Over HTTP: the version that a handler saw, or the refusal. */
  const answered = async (given: VersioningOptions) => {
    const server = await app(given)
    return async (asked: Asked) => {
      const { status, json } = await ask(server, asked)
      return status === 200 ? (json as { version: string | null }).version : { status, json }
    }
  }
  /** The same without a server. */
  const handled = (given: VersioningOptions) => {
    const handler = versioning(given)
    return ({ path, headers = {} }: Asked) => {
      const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
      const { req, served, errors } = run(handler, { url: path, headers: Object.fromEntries(lower) })
      expect(served + errors.length).toBe(1)
      if (served === 1) return req.version
      const [{ status, message, code, name }] = errors as [VersioningError]
      return { status, json: { error: message, code, name } }
    }
  }

  describe.each(waysToSet)('decides by %s', (_way, build) => {
    test.each(decisions)('default %p, allowed %p', async (standard, list, v2, v3, v9, checked, unchecked) => {
      const given = build({ defaultVersion: standard, allowedVersions: list })
      // However they are set, settings are compiled before there is a request: one way goes through a server.
      const send = build === options ? await answered(given) : handled(given)
      const outcome = async (asked: Asked) => {
        const found = await send(asked)
        if (typeof found !== 'object' || found === null) return found
        const code = asked === absent ? 'ERR_VERSION_MISSING' : refusal.code
        expect(found).toEqual({ status: refusal.status, json: { ...refused, code } })
        return X
      }
      expect(await outcome(named('v2'))).toBe(v2)
      expect(await outcome(named('v3'))).toBe(v3)
      expect(await outcome(named('v9'))).toBe(v9)
      expect(await outcome(absent)).toBe(harness.checksDefault ? checked : unchecked)
    })
  })

  describe('compares exactly', () => {
    const strangers = [
      'V1',
      'v1 ',
      ' v1',
      'v01',
      'v1.0',
      'v',
      'v11',
      '1',
      'v1,v2',
      'v1\u0000',
      '',
      'null',
      'undefined',
      'constructor',
      '__proto__',
    ]
    test.each(strangers.filter((version) => harness.canName(version)))('%j is not v1', async (version) => {
      const server = await app(options({ allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }))
      const answer = await ask(server, named(version))
      expect([answer.status, answer.json]).toEqual([refusal.status, refused])
    })

    test.each(
      ['1', '1.0', 'V1', 'a b', '2024-01-01', 'v1/beta', 'constructor', ''].filter((version) =>
        harness.canName(version),
      ),
    )('an allowed %j is handed out as it is listed', async (version) => {
      const server = await app(options({ allowedVersions: [version, 'other'], defaultVersion: 'other' }))
      expect((await ask(server, named(version))).json).toMatchObject({ version })
    })

    if (harness.canName('')) {
      test('the empty string is a named version, not an absent one', async () => {
        const server = await app(options({ defaultVersion: 'v1' }))
        expect((await ask(server, named(''))).json).toMatchObject({ version: '' })
        expect((await ask(server, absent)).json).toMatchObject({ version: 'v1' })
      })
    }
  })

  if (harness.unusable.length > 0) {
    describe.each([
      ['no list, with a default', { defaultVersion: 'v1' }],
      ['a list with null', { allowedVersions: ['v1', 'v2', null] }],
      ['nothing set', {}],
    ])('refuses what is there but unusable: %s', (_title, settings) => {
      test.each(harness.unusable.map((asked) => [shown(asked), asked] as const))('%s', async (_what, asked) => {
        const server = await app(options(settings))
        const answer = await ask(server, asked)
        expect([answer.status, answer.json]).toEqual([refusal.status, refused])
      })
    })
  }

  describe('settings', () => {
    test.each<[string, () => Iterable<string | null>]>([
      ['a Set', () => new Set(['v1', 'v2'])],
      [
        'a generator',
        function* () {
          yield 'v1'
          yield 'v2'
        },
      ],
      [
        'an iterator of a Map',
        () =>
          new Map([
            ['v1', 1],
            ['v2', 2],
          ]).keys(),
      ],
      ['a list with one twice', () => ['v1', 'v1', 'v2', 'v2']],
      ['a frozen list', () => Object.freeze(['v1', 'v2'])],
    ])('allowedVersions takes %s', async (_title, list) => {
      for (const [, build] of waysToSet) {
        const server = await app(build({ allowedVersions: list() }))
        // Twice: an iterator is read only once.
        for (const version of ['v1', 'v2', 'v1'])
          expect((await ask(server, named(version))).json).toMatchObject({ version })
        expect((await ask(server, named('v3'))).status).toBe(refusal.status)
      }
    })

    test('objects passed in are never changed, and later changes to them do nothing', async () => {
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

    test('frozen options do', async () => {
      const frozen = Object.freeze(options({ allowedVersions: Object.freeze(['v1', 'v2']) }))
      expect((await ask(await app(frozen), named('v2'))).json).toMatchObject({ version: 'v2' })
    })

    test('two instances never share settings', async () => {
      const one = new Scheme({ allowedVersions: ['v1'], defaultVersion: 'v1', versionParam: 'version' })
      const two = new Scheme({ allowedVersions: ['v2'], defaultVersion: 'v2', versionParam: 'version' })
      const bare = new Scheme()
      const at = (scheme: typeof one) => versioning({ scheme, ...surroundings() })
      const server = await serve((app) =>
        app.use('/one', at(one), tell).use('/two', at(two), tell).use('/bare', at(bare), tell),
      )
      const versions = async (prefix: string) => {
        const answers = [named('v1'), named('v2'), absent].map((asked) => ask(server, asked, {}, prefix))
        return (await Promise.all(answers)).map(({ status, json }) =>
          status === 200 ? (json as { version: unknown }).version : status,
        )
      }
      const { status } = refusal
      expect(await versions('/one')).toEqual(['v1', status, 'v1'])
      expect(await versions('/two')).toEqual([status, 'v2', 'v2'])
      expect(await versions('/bare')).toEqual(['v1', 'v2', null])
    })

    if (harness.usesParam) {
      test.each(['v', 'api-version', 'toString', 'hasOwnProperty', 'valueOf', 'q2', '0'])(
        'versionParam %j',
        async (versionParam) => {
          for (const [, build] of waysToSet) {
            const server = await app({
              ...build({ versionParam, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }),
              ...surroundings(versionParam),
            })
            expect((await ask(server, named('v2', versionParam))).json).toMatchObject({ version: 'v2' })
            expect((await ask(server, named('v3', versionParam))).status).toBe(refusal.status)
            expect((await ask(server, absent)).json).toMatchObject({ version: 'v1' })
          }
        },
      )

      test('another parameter is none', async () => {
        const server = await app({ ...options({ versionParam: 'v', defaultVersion: 'v1' }), ...surroundings('other') })
        expect((await ask(server, named('v2', 'version'))).json).toMatchObject({ version: 'v1' })
      })
    }

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

  describe('refuses with an error', () => {
    const secret = 'zq9Secret'

    test('of the shape that http-errors and Express know, without enumerable diagnostics', async () => {
      const errors: unknown[] = []
      const collect: ErrorRequestHandler = (error, _req, _res, next) => {
        errors.push(error)
        next(error)
      }
      const server = await serve((app) =>
        app.use(versioning(options({ allowedVersions: ['v1', null], defaultVersion: 'v2' })), tell).use(collect),
      )
      await ask(server, named(secret))
      const [error] = errors as [VersioningError]
      expect(errors).toHaveLength(1)
      expect(error).toBeInstanceOf(refusal.Class)
      expect(error).toBeInstanceOf(VersioningError)
      expect(error).toBeInstanceOf(Error)
      expect(isHttpError(error)).toBe(true)
      expect(error.constructor).toBe(refusal.Class)
      expect({ ...error }).toEqual({
        status: refusal.status,
        statusCode: refusal.status,
        expose: true,
        code: refusal.code,
      })
      expect(error.name).toBe(refusal.Class.name)
      expect(error.message).toBe(refusal.message)
      expect(error.allowedVersions).toEqual(['v1', null, 'v2'])
      // Where several namespaces are tried, there is no single refused version to tell of.
      expect([secret, undefined]).toContain(error.version)
      expect(JSON.stringify(error)).not.toContain(secret)
      expect(Object.keys(error)).not.toContain('headers')
      expect('headers' in error).toBe(false)
      expect(String(error) + error.stack).not.toContain(secret)
    })

    test('that echoes nothing the client sent, in the answer of Express itself', async () => {
      const bare = express().use(versioning(options({ allowedVersions: ['v1'] })), tell)
      const answer = await ask(await listen(bare), named(secret))
      expect(answer.status).toBe(refusal.status)
      expect(answer.text).toContain(refusal.message.replaceAll('"', '&quot;'))
      expect(answer.text + JSON.stringify(answer.headers)).not.toContain(secret)
    })

    test('to next, once, and the request has a scheme but no version', async () => {
      const scheme = new Scheme({ allowedVersions: ['v1'] })
      const seen: unknown[] = []
      const collect: ErrorRequestHandler = (error, req, _res, next) => {
        seen.push([error.message, req.version, req.versioningScheme === scheme])
        next(error)
      }
      const server = await serve((app) => app.use(versioning({ scheme, ...surroundings() }), tell).use(collect))
      await ask(server, named('v3'))
      expect(seen).toEqual([[refusal.message, undefined, true]])
    })
  })

  describe('Vary', () => {
    const set =
      (value: string | string[]): RequestHandler =>
      (_req, res, next) => {
        res.setHeader('Vary', value)
        next()
      }
    const { varyOn } = harness
    const alone = varyOn.length === 0 ? undefined : varyOn.join(', ')
    const merged = ['Origin', ...varyOn].join(', ')
    const [field = 'Accept'] = varyOn
    const lower = field.toLowerCase()
    const upper = `Origin, ${field.toUpperCase()}`

    test.each<[string, Asked, number]>([
      ['an accepted request', named('v1'), 200],
      ['a refused one', named('v3'), refusal.status],
      ['one that names none', absent, harness.checksDefault ? refusal.status : 200],
    ])('on %s', async (_title, asked, status) => {
      const server = await app(options({ allowedVersions: ['v1'] }))
      const answer = await ask(server, asked)
      expect([answer.status, answer.headers.vary]).toEqual([status, alone])
    })

    test.each<[string | string[], string]>([
      ['Origin', merged],
      [['Origin'], merged],
      ['Accept-Encoding, Origin', `Accept-Encoding, ${merged}`],
      [lower, lower],
      [upper, upper],
      ['*', '*'],
    ])('%j that is there already', async (before, after) => {
      const server = await serve((app) => app.use(set(before), versioning(options({ allowedVersions: ['v1'] })), tell))
      // Expectations for a scheme that adds a field; the others leave everything as it was.
      const expected = varyOn.length === 0 ? [before].flat().join(', ') : after
      for (const asked of [named('v1'), named('v3')]) expect((await ask(server, asked)).headers.vary).toBe(expected)
    })

    test('is there once, however many versioning() ran', async () => {
      const server = await serve((app) => app.use(versioning(options()), versioning(options()), tell))
      expect((await ask(server, named('v1'))).headers.vary).toBe(alone)
    })

    test('headers already sent: neither Vary nor a refusal breaks the answer', async () => {
      const early: RequestHandler = (_req, res, next) => {
        res.write('early ')
        next()
      }
      const late: ErrorRequestHandler = (error, _req, res, _next) => void res.end(error.message)
      const server = await listen(
        express()
          .use(early, versioning(options({ allowedVersions: ['v1'] })), (req, res) => void res.end(req.version))
          .use(late),
      )
      const accepted = await ask(server, named('v1'))
      expect([accepted.status, accepted.text, accepted.headers.vary]).toEqual([200, 'early v1', undefined])
      const answer = await ask(server, named('v3'))
      expect([answer.status, answer.text]).toEqual([200, `early ${refusal.message}`])
    })
  })

  describe('CORS preflights', () => {
    const given = () => options({ allowedVersions: ['v1'], defaultVersion: undefined })
    const send = async (method: string, asked: Asked, headers: Record<string, string>) => {
      const server = await app(given())
      return server.send(method, asked.path, { ...asked.headers, ...headers })
    }

    test.each<[string, Asked, string | null]>([
      ['a version that is not allowed', named('v3'), null],
      ['no version', absent, null],
      ['an allowed version', named('v1'), 'v1'],
      ...harness.unusable.map((asked): [string, Asked, null] => [`something unusable, ${shown(asked)}`, asked, null]),
    ])('with %s are never refused', async (_title, asked, version) => {
      const answer = await send('OPTIONS', asked, PREFLIGHT)
      expect([answer.status, answer.json]).toEqual([200, { version, scheme: harness.name }])
      expect(answer.headers.vary).toBe(harness.varyOn[0])
    })

    test.each([
      ['OPTIONS', { Origin: 'https://shop.example' }],
      ['OPTIONS', { 'Access-Control-Request-Method': 'GET' }],
      ['OPTIONS', {}],
      ['GET', PREFLIGHT],
      ['POST', PREFLIGHT],
    ])('%s with %j is none', async (method, headers) => {
      expect((await send(method, named('v3'), headers)).status).toBe(refusal.status)
    })
  })

  describe('at every level', () => {
    const given = () => options({ allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' })
    const levels: [level: string, prefix: string, build: (middleware: RequestHandler) => RequestHandler][] = [
      ['app', '', (middleware) => express().use(middleware).use(tell)],
      ['mount', '/api', (middleware) => express().use('/api', middleware, tell)],
      ['router', '/api', (middleware) => express().use('/api', express.Router().use(middleware).use(tell))],
      ['route', '/api', (middleware) => express().get(/^\/api\//, middleware, tell)],
      ['route of a router', '/api', (middleware) => express().use('/api', express.Router().get(/./, middleware, tell))],
      ['mounted sub-app', '/api', (middleware) => express().use('/api', express().use(middleware).use(tell))],
      [
        'sub-app of a sub-app',
        '/x/api',
        (middleware) => express().use('/x', express().use('/api', express().use(middleware).use(tell))),
      ],
      [
        'handler behind it in a sub-app',
        '/api',
        (middleware) => express().use('/api', middleware, express().use(tell)),
      ],
      [
        'handler behind it two sub-apps deep',
        '/api',
        (middleware) =>
          express()
            .use(middleware)
            .use('/api', express().use(express().use(tell))),
      ],
    ]

    test.each(levels)('%s', async (_level, prefix, build) => {
      const server = await serve((app) => app.use(build(versioning(given()))))
      expect((await ask(server, named('v2'), {}, prefix)).json).toEqual({ version: 'v2', scheme: harness.name })
      expect((await ask(server, absent, {}, prefix)).json).toEqual({ version: 'v1', scheme: harness.name })
      const answer = await ask(server, named('v3'), {}, prefix)
      expect([answer.status, answer.json]).toEqual([refusal.status, refused])
    })
  })

  describe('nested', () => {
    const outer = versioning({
      scheme: class Outer extends queryParameter.Scheme {},
      versionParam: 'outer',
      defaultVersion: 'outer',
    })

    test('the last that ran wins', async () => {
      const inner = versioning(options({ allowedVersions: ['v1'] }))
      const server = await serve((app) => app.use(outer, inner, tell))
      expect((await ask(server, named('v1'))).json).toEqual({ version: 'v1', scheme: harness.name })
      const between = await serve((app) => app.use(inner, outer, tell))
      expect((await ask(between, named('v1'))).json).toEqual({ version: 'outer', scheme: 'Outer' })
    })

    test('a refusal of the inner one leaves no version of the outer', async () => {
      const seen: unknown[] = []
      const collect: ErrorRequestHandler = (error, req, _res, next) => {
        seen.push(req.version, req.versioningScheme?.constructor.name)
        next(error)
      }
      const server = await serve((app) =>
        app.use(outer, versioning(options({ allowedVersions: ['v1'] })), tell).use(collect),
      )
      expect((await ask(server, named('v3'))).json).toEqual(refused)
      expect(seen).toEqual([undefined, harness.name])
    })
  })

  describe('leaves on the request', () => {
    const behind: [title: string, build: (middleware: RequestHandler) => RequestHandler][] = [
      ['a router that fell through', (middleware) => express.Router().use(middleware)],
      ['a sub-app that fell through', (middleware) => express().use(middleware)],
      ['two sub-apps that fell through', (middleware) => express().use(express().use(middleware))],
      [
        'a sub-app in a router in a sub-app',
        (middleware) => express().use(express.Router().use(express.Router().use(middleware))),
      ],
    ]

    test.each(behind)('version and scheme, behind %s', async (_title, build) => {
      const server = await serve((app) => app.use('/api', build(versioning(options()))).use(tell))
      for (const version of ['v1', 'v2']) {
        expect((await ask(server, named(version), {}, '/api')).json).toEqual({ version, scheme: harness.name })
      }
    })

    test.each(behind)('version and scheme in the error handler, behind %s', async (_title, build) => {
      const fail: RequestHandler = (_req, _res, next) => next(new Error('later'))
      const report: ErrorRequestHandler = (error, req, res, _next) =>
        void res.json([error.message, req.version, req.versioningScheme?.constructor.name])
      const server = await serve((app) => app.use('/api', build(versioning(options())), fail).use(report))
      expect((await ask(server, named('v1'), {}, '/api')).json).toEqual(['later', 'v1', harness.name])
    })

    test('one own property, at the most', async () => {
      const added: PropertyKey[][] = []
      const count = (own: PropertyKey[], req: Request) =>
        added.push(Reflect.ownKeys(req).filter((key) => !own.includes(key)))
      const watched = versioning(options({ allowedVersions: ['v1'] }))
      const around: RequestHandler = (req, res, next) => {
        const own = Reflect.ownKeys(req)
        watched(req, res, (error) => {
          count(own, req)
          next(error)
        })
      }
      const server = await serve((app) => app.use(around, versioning(options()), tell))
      for (const asked of [named('v1'), named('v1'), named('v3'), absent]) await ask(server, asked)
      expect(added.map((keys) => keys.length)).toEqual([1, 1, 1, 1])
      expect(added.flat().every((key) => typeof key === 'symbol')).toBe(true)
    })

    test('its own version, where an earlier middleware had put another', async () => {
      const early: RequestHandler = (req, _res, next) => {
        req.version = 'early'
        next()
      }
      const seen: unknown[] = []
      const collect: ErrorRequestHandler = (error, req, _res, next) => {
        seen.push(req.version)
        next(error)
      }
      const server = await serve((app) =>
        app.use(early, versioning(options({ allowedVersions: ['v1'] })), tell).use(collect),
      )
      // The first request of an app is the one that prepares it; the others must not differ.
      for (const version of ['v3', 'v1', 'v3', 'v1']) await ask(server, named(version))
      expect((await ask(server, named('v1'))).json).toMatchObject({ version: 'v1' })
      expect(seen).toEqual([undefined, undefined])
    })
  })

  describe('by hand, without versioning()', () => {
    test('isAllowedVersion() and refusal() are there', () => {
      const scheme = new Scheme({ allowedVersions: ['v1', null], defaultVersion: 'v2' })
      expect(['v1', 'v2', 'v3', null].map((version) => scheme.isAllowedVersion(version))).toEqual([
        true,
        true,
        false,
        true,
      ])
      const error = scheme.invalidVersion('v3')
      expect(error).toBeInstanceOf(refusal.Class)
      expect([error.message, error.status, error.version, error.allowedVersions]).toEqual([
        refusal.message,
        refusal.status,
        'v3',
        ['v1', null, 'v2'],
      ])
    })

    test('determineVersion() of a request that names none is the default', () => {
      const bare = { url: '/', headers: {} } as Request
      const scheme = new Scheme({ defaultVersion: 'v1' })
      expect(scheme.determineVersion(bare, [], {})).toBe('v1')
    })

    test.each([[undefined], [{}], [{ request: {} as Request }]])('reverse() with %j says what is missing', (given) => {
      const reversing = () => new Scheme().reverse('home', given)
      expect(reversing).toThrow(NoReverseMatch)
      expect(reversing).toThrow('No route table in sight: give versioning() the root namedRoutes() table as `routes`')
    })
  })

  test('requests in flight together keep their own', async () => {
    const pause: RequestHandler = (_req, _res, next) => void setTimeout(next, Math.random() * 10)
    const at = (settings: VersioningSettings) => [pause, versioning(options(settings)), pause, tell]
    const build = () =>
      serve((app) =>
        app
          .use('/a', ...at({ allowedVersions: ['v1', 'v2'] }))
          .use('/b', ...at({ allowedVersions: ['v2', 'v3'] }))
          .use('/c', ...at({})),
      )
    const servers = await Promise.all([build(), build()])
    const listed: Record<string, string[]> = { '/a': ['v1', 'v2'], '/b': ['v2', 'v3'], '/c': ['v1', 'v2', 'v3'] }
    const all = Array.from({ length: 60 }, async (_, index) => {
      const prefix = ['/a', '/b', '/c'][index % 3] as string
      const version = `v${1 + (Math.floor(index / 3) % 3)}`
      const answer = await ask(servers[index % 2] as Served, named(version), {}, prefix)
      expect([prefix, version, answer.status]).toEqual([
        prefix,
        version,
        listed[prefix]?.includes(version) ? 200 : refusal.status,
      ])
      if (answer.status === 200) expect(answer.json).toMatchObject({ version })
    })
    await Promise.all(all)
  })
})

/** A subclass that sets what is given by class fields, and leaves out what is not. */
function fielded({ Scheme }: SchemeHarness, { defaultVersion, allowedVersions, versionParam }: VersioningSettings) {
  class WithDefault extends Scheme {
    override defaultVersion = defaultVersion ?? null
  }
  class WithList extends WithDefault {
    override allowedVersions = allowedVersions
  }
  if (versionParam === undefined) return WithList
  return class WithParam extends WithList {
    override versionParam = versionParam as string
  }
}
