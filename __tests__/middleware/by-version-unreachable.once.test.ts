import type { ErrorRequestHandler, RequestHandler } from 'express'
import { byVersion, QueryParameterVersioning, servedVersion, versioning } from 'express-versioning'
import { serve } from '../support/serve'

// Some keys of `byVersion()` are not accepted by the scheme: preview versions, removed versions and typing errors.

const say: RequestHandler = (req, res) => void res.json(`${req.version} by ${servedVersion(req)}`)
const refusing = (list?: (string | null)[], defaultVersion?: string) =>
  versioning({ scheme: QueryParameterVersioning, allowedVersions: list, defaultVersion })
const handlersOf = (keys: string[]) => Object.fromEntries(keys.map((key) => [key, say]))

let warned: jest.SpyInstance

beforeEach(() => {
  warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
})

afterEach(() => jest.restoreAllMocks())

const CODE = { code: 'EXPRESS_VERSIONING_UNREACHABLE' }
const warning = (names: string, hint = '', scheme = 'QueryParameterVersioning') =>
  `byVersion(): no request reaches the handlers of ${names}, which the scheme in force, ${scheme}, does not accept.${hint}`

test.each<[keys: string[], list: (string | null)[], names: string, hint: string]>([
  // The hint leaves out versions that already have handlers.
  [['v1', 'v3'], ['v1', 'v2'], '"v3"', ' Did you mean "v2"?'],
  [['v0', 'v1', 'v2'], ['v1', 'v2'], '"v0"', ''],
  [['v3', 'v1', 'v4'], ['v1', 'v2', 'v5'], '"v3", "v4"', ' Did you mean "v2" or "v5"?'],
  [['beta', 'V1'], ['v1', 'beta'], '"V1"', ' Did you mean "v1"?'],
  [['2024-6-01', '2024-01-01'], ['2024-01-01', '2024-06-01'], '"2024-6-01"', ' Did you mean "2024-06-01"?'],
  [['omega'], ['alpha'], '"omega"', ''],
  [['null'], [null, 'v1'], '"null"', ''],
])('handlers of %j, allowed %j: one warning, and the others are served', async (keys, list, names, hint) => {
  const server = await serve((app) => app.use(refusing(list), byVersion(handlersOf(keys))))
  expect(warned).not.toHaveBeenCalled()
  for (const version of [...list, ...list, ...keys]) {
    const answer = await server.get(version === null ? '/' : `/?version=${version}`)
    const served = list.includes(version) && keys.includes(String(version)) && version !== null
    expect([version, answer.status, served ? answer.json : undefined]).toEqual(
      served ? [version, 200, `${version} by ${version}`] : [version, 404, undefined],
    )
  }
  expect(warned.mock.calls).toEqual([[warning(names, hint), CODE]])
})

test.each<[title: string, keys: string[], list: string[] | undefined, defaultVersion: string | undefined]>([
  ['every key is allowed', ['v1', 'v2'], ['v1', 'v2', 'v3'], undefined],
  ['the default is a key, and not listed', ['v1', 'v0'], ['v1'], 'v0'],
  ['every version is accepted', ['v1', 'any'], undefined, undefined],
])('no warning where %s', async (_title, keys, list, defaultVersion) => {
  const server = await serve((app) => app.use(refusing(list, defaultVersion), byVersion(handlersOf(keys))))
  for (const key of keys) expect((await server.get(`/?version=${key}`)).json).toBe(`${key} by ${key}`)
  expect(warned).not.toHaveBeenCalled()
})

test('where none can be reached, `otherwise` serves all, or each request is refused', async () => {
  const handlers = handlersOf(['v8', 'v9'])
  const server = await serve((app) =>
    app
      .use(refusing(['v1', null]))
      .use('/rest', byVersion(handlers, { otherwise: say }))
      .use('/lower', byVersion(handlers, { fallback: 'lower' })),
  )
  expect((await server.get('/rest?version=v1')).json).toBe('v1 by null')
  expect((await server.get('/rest')).json).toBe('null by null')
  expect((await server.get('/lower?version=v1')).json).toMatchObject({ code: 'ERR_VERSION_UNHANDLED' })
  expect(warned.mock.calls).toEqual([
    [warning('"v8", "v9"', ' Did you mean "v1"?'), CODE],
    [warning('"v8", "v9"', ' Did you mean "v1"?'), CODE],
  ])
})

test("an isAllowedVersion() of one's own that fails is an error of each request", async () => {
  class Broken extends QueryParameterVersioning {
    override isAllowedVersion(version: string | null): boolean {
      if (version === 'v2') throw new Error('no answer')
      return super.isAllowedVersion(version)
    }
  }
  const server = await serve((app) =>
    app.use(versioning({ scheme: Broken, allowedVersions: ['v1'] }), byVersion(handlersOf(['v1', 'v2']))),
  )
  for (let turn = 0; turn < 2; turn++) {
    const { status, json } = await server.get('/?version=v1')
    expect([status, (json as { error: string }).error]).toEqual([500, 'no answer'])
  }
})

describe('servedVersion()', () => {
  const pass: RequestHandler = (_req, _res, next) => next()
  afterEach(() => jest.restoreAllMocks())

  const settings = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2', 'v3'] }

  describe('servedVersion() is that of the last byVersion()', () => {
    test.each<[path: string, method: string, served: unknown]>([
      // The first serves v1 and v2 and passes on, the second only v2.
      ['/?version=v1', 'GET', 'refused undefined'],
      ['/?version=v2', 'GET', 'reached v2'],
      ['/?version=v3', 'GET', 'refused undefined'],
    ])('%s %s', async (path, method, served) => {
      const server = await serve((app) =>
        app
          .use(versioning(settings), byVersion({ v1: pass, v2: pass }, { otherwise: pass }), byVersion({ v2: pass }))
          .use((req, res) => void res.json(`reached ${servedVersion(req)}`))
          .use(((_error, req, res, _next) => void res.json(`refused ${servedVersion(req)}`)) as ErrorRequestHandler),
      )
      expect((await server.send(method, path)).json).toBe(served)
    })
  })
})
