import type { RequestHandler } from 'express'
import {
  earlierDate,
  HeaderVersioning,
  namedRoutes,
  type ParseVersion,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { type Asked, deciding, schemes } from '../support/schemes'
import { serve } from '../support/serve'

const ALLOWED = ['v1', 'v2', 'v3']

/** `latest` is the newest, and the number is enough. */
const forgiving: ParseVersion = (text, versions) => {
  if (text === 'latest') return versions.at(-1)
  return versions.find((version) => version === text || version === `v${text}`)
}

afterEach(() => {
  jest.restoreAllMocks()
})

describe.each(schemes)('$name', ({ Scheme, named, absent, surroundings, refusal }) => {
  const refused = `${refusal.status} ${refusal.code} ${refusal.message}`
  const decider = (options: Partial<VersioningOptions>) => {
    const decide = deciding({ scheme: Scheme, allowedVersions: ALLOWED, ...surroundings(), ...options })
    return ({ path, headers }: Asked) => decide(path, headers)
  }

  test('a text means what the parser says, if that is allowed', async () => {
    const decide = decider({ parseVersion: forgiving })
    for (const [text, expected] of [
      ['latest', 'v3'],
      ['2', 'v2'],
      ['v1', 'v1'],
      ['v9', refused],
      ['V1', refused],
    ] as const)
      expect([text, await decide(named(text))]).toEqual([text, expected])
    expect(await decider({ parseVersion: () => 'v9' })(named('v1'))).toBe(refused)
  })

  test.each<[string, unknown, string]>([
    ['throws', () => JSON.parse('{'), 'SyntaxError'],
    ['gives null', () => null, 'It must return a string or undefined; got null.'],
    ['gives an object', () => ({ toString: () => 'v1' }), 'got { toString: [Function: toString] }.'],
    ['gives a promise', async () => 'v1', 'got Promise'],
    ['gives a promise that is broken', () => Promise.reject(new Error('x')), 'got Promise'],
  ])('one that %s refuses, and warns once', async (_title, parseVersion, detail) => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const fresh = () => (parseVersion as () => string)()
    const decide = decider({ parseVersion: fresh, defaultVersion: 'v2' })
    expect([await decide(named('v1')), await decide(named('v2')), await decide(absent)]).toEqual([
      refused,
      refused,
      'v2',
    ])
    const told = { code: 'EXPRESS_VERSIONING_PARSER', detail: expect.stringContaining(detail) }
    expect(warn.mock.calls).toEqual([['A parseVersion of express-versioning failed; the request was refused.', told]])
  })
})

test('a parser gets the accepted versions without null, and cannot change them', () => {
  const parseVersion = jest.fn((text: string, versions: readonly string[]) => {
    expect(versions).toEqual(['v1', 'v9'])
    expect(Object.isFrozen(versions)).toBe(true)
    return text
  })
  const scheme = new HeaderVersioning({ allowedVersions: [null, 'v1', 'v1'], defaultVersion: 'v9', parseVersion })
  expect(scheme.determineVersion({ headers: { 'x-api-version': 'v1' } } as never, [], {})).toBe('v1')
  expect(parseVersion).toHaveBeenCalledTimes(1)
})

test.each([
  ['/3/users', { status: 200, json: 'v3' }],
  ['/latest/users', { status: 200, json: 'v3' }],
  ['/2/users', { status: 404, json: { error: 'Invalid version in URL path.' } }],
  ['/v9/users', { status: 404, json: { error: 'Invalid version in URL path.' } }],
])('dispatch compares accepted versions: /latest/users, rewritten to %s', async (url, expected) => {
  const users = namedRoutes({ user: '/users' })
  users.route('user').get((req, res) => void res.json(req.version))
  const routes = namedRoutes({}).include('/:version', users)
  const rewrite: RequestHandler = (req, _res, next) => {
    req.url = url
    next()
  }
  const options = { scheme: URLPathVersioning, allowedVersions: ALLOWED, parseVersion: forgiving, routes }
  const server = await serve((app) => app.use(versioning(options), rewrite, routes))
  expect(await server.get('/latest/users')).toMatchObject(expected)
})

const DATES = ['2024-06-01', null, '2024-01-01', '2024-02-29', 'preview', '2024-13-01', '2023-02-31']
test.each([
  ['2024-05-03', '2024-02-29'],
  ['2024-02-29', '2024-02-29'],
  ['2024-02-28', '2024-01-01'],
  ['2024-06-01', '2024-06-01'],
  ['2023-12-31', undefined],
  ['preview', 'preview'],
  ['2024-14-01', undefined],
])('earlierDate(%j) is %j', (text, version) => {
  expect(earlierDate(text, DATES)).toBe(version)
})
