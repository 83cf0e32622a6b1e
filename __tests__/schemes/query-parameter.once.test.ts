import type { RequestHandler } from 'express'
import { QueryParameterVersioning, versioning } from 'express-versioning'
import { type Served, serve } from '../support/serve'

const tell: RequestHandler = (req, res) => void res.json({ version: req.version })
const REFUSED = Symbol('refused')

async function outcome(server: Served, target: string) {
  const { status, json } = await server.get(target)
  if (status === 200) return (json as { version: string | null }).version
  expect([status, json]).toEqual([
    404,
    { error: 'Invalid version in query parameter.', code: 'ERR_VERSION_NOT_FOUND', name: 'NotFound' },
  ])
  return REFUSED
}

const many = Array.from({ length: 1500 }, (_, index) => `p${index}=${index}`).join('&')

const targets: [target: string, version: string | null | typeof REFUSED][] = [
  ['/', null],
  ['/?', null],
  ['/?page=2', null],
  ['/?version=v1', 'v1'],
  ['/?page=2&version=v1&size=3', 'v1'],
  ['/?&&version=v1&&', 'v1'],
  // other names
  ['/?version[]=v1', null],
  ['/?version[a]=v1', null],
  ['/?version%5B%5D=v1', null],
  ['/?version.a=v1', null],
  ['/?Version=v1', null],
  ['/?VERSION=v1', null],
  ['/?aversion=v1', null],
  ['/?versions=v1', null],
  ['/?version%20=v1', null],
  ['/?+version=v1', null],
  ['/?version%00=v1', null],
  ['/?a=version=v1', null],
  ['/?a;version=v1', null],
  ['/?__proto__=v1', null],
  ['/?version[]=v2&version=v1', 'v1'],
  ['/?version=v1&version[]=v2', 'v1'],
  ['/?version=v1&version[a]=v2', 'v1'],
  // encodings of the name and of the value
  ['/?%76ersion=v1', 'v1'],
  ['/?%76%65%72%73%69%6F%6e=v1', 'v1'],
  ['/?version=%76%31', 'v1'],
  ['/?version=1+0', '1 0'],
  ['/?version=1%2B0', '1+0'],
  ['/?version=1%200', '1 0'],
  ['/?version=%C3%A9', 'é'],
  ['/?version=%E9', '\ufffd'],
  ['/?version=%', '%'],
  ['/?version=%zz', '%zz'],
  ['/?version=%2', '%2'],
  ['/?version=%00', '\0'],
  ['/?version=%0d%0aX:1', '\r\nX:1'],
  ['/?version=a=b', 'a=b'],
  ['/?version==v1', '=v1'],
  ['/?version=v1?version=v2', 'v1?version=v2'],
  ['/?version=v1/x', 'v1/x'],
  // an empty string is a version
  ['/?version=', ''],
  ['/?version', ''],
  ['/?version&a=1', ''],
  // there twice
  ['/?version=v1&version=v1', 'v1'],
  ['/?version=v1&%76ersion=%761', 'v1'],
  ['/?version=v1&version=v2', REFUSED],
  ['/?version=v1&version=V1', REFUSED],
  ['/?version=v1&version=', REFUSED],
  ['/?version=v1&version', REFUSED],
  ['/?version=&version', ''],
  [`/?version=v1&${many}&version=v2`, REFUSED],
  // length and place
  [`/?${many}&version=v1`, 'v1'],
  [`/?version=v1&${many}`, 'v1'],
  ['/deep/er?version=v1', 'v1'],
  ['/a=b&version=v2?version=v1', 'v1'],
  ['/version=v2', null],
  ['??version=v1', null],
  ['/??version=v1', null],
  // a fragment is no part of the query
  ['/#?version=v1', null],
  ['/?a=1#&version=v1', null],
  ['/?version=v1#&version=v2', 'v1'],
  ['/?version=v1#v2', 'v1'],
]

const parsers: [setting: string, parser: unknown][] = [
  ["the app's own", undefined],
  ['false', false],
  ['simple', 'simple'],
  ['extended', 'extended'],
  ['a function', () => ({ version: 'of the parser' })],
]

describe.each(parsers)('query parser %s', (_setting, parser) => {
  let server: Served
  const start = async () =>
    serve((app) => {
      if (parser !== undefined) app.set('query parser', parser)
      app.use(versioning({ scheme: QueryParameterVersioning }), tell)
    })

  test('reads the same', async () => {
    server = await start()
    for (const [target, version] of targets) {
      // Node's parser refuses a target that does not begin with a slash.
      if (!target.startsWith('/')) continue
      expect([target, await outcome(server, target)]).toEqual([target, version])
    }
  })
})

test.each(targets.filter(([target]) => target.startsWith('/') && target.length < 100))(
  '%s: %p',
  async (target, version) => {
    expect(
      await outcome(await serve((app) => app.use(versioning({ scheme: QueryParameterVersioning }), tell)), target),
    ).toBe(version)
  },
)

test.each<[versionParam: string, target: string, version: string | null]>([
  ['api-version', '/?api-version=2', '2'],
  ['a b', '/?a+b=2', '2'],
  ['a b', '/?a%20b=2', '2'],
  ['a+b', '/?a+b=2', null],
  ['a+b', '/?a%2Bb=2', '2'],
  ['a%62', '/?a%62=2', null],
  ['a%62', '/?a%2562=2', '2'],
])('versionParam %j, %s: %p', async (versionParam, target, version) => {
  expect(
    await outcome(
      await serve((app) => app.use(versioning({ scheme: QueryParameterVersioning, versionParam }), tell)),
      target,
    ),
  ).toBe(version)
})

test('req.query stays what it was', async () => {
  const server = await serve((app) =>
    app
      .set('query parser', 'extended')
      .use(versioning({ scheme: QueryParameterVersioning }), (req, res) => void res.json(req.query)),
  )
  expect((await server.get('/?version=v1&a[b]=1')).json).toEqual({ version: 'v1', a: { b: '1' } })
})
