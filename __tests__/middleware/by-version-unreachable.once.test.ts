import type { RequestHandler } from 'express'
import { byVersion, QueryParameterVersioning, servedVersion, versioning } from 'express-versioning'
import { serve } from '../support/serve'

// Keys of byVersion() that the scheme in force does not accept: a preview version, one that was removed, a mistyped one.

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
  // What has handlers already was not meant.
  [['v1', 'v3'], ['v1', 'v2'], '"v3"', ' Did you mean "v2"?'],
  [['v0', 'v1', 'v2'], ['v1', 'v2'], '"v0"', ''],
  [['v3', 'v1', 'v4'], ['v1', 'v2', 'v5'], '"v3", "v4"', ' Did you mean "v2" or "v5"?'],
  [['beta', 'V1'], ['v1', 'beta'], '"V1"', ' Did you mean "v1"?'],
  [['2024-6-01', '2024-01-01'], ['2024-01-01', '2024-06-01'], '"2024-6-01"', ' Did you mean "2024-06-01"?'],
  [['omega'], ['alpha'], '"omega"', ''],
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
