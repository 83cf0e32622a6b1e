import type { RequestHandler } from 'express'
import { MediaTypeVersioning, type VersioningSettings, versioning } from 'express-versioning'
import { type Served, serve } from '../support/serve'

const tell: RequestHandler = (req, res) => void res.json({ version: req.version })
const REFUSED = Symbol('refused')
type Outcome = string | null | typeof REFUSED

const JSON_TEMPLATE = 'application/vnd.acme.{version}+json'
const app = (template: string | readonly string[], settings: VersioningSettings = {}) =>
  serve((app) => app.use(versioning({ scheme: new MediaTypeVersioning({ template, ...settings }) }), tell))

async function outcome(
  server: Served,
  accept: string | undefined,
  code = 'ERR_VERSION_NOT_ACCEPTABLE',
): Promise<Outcome> {
  const answer = await server.get('/', accept === undefined ? {} : { Accept: accept })
  expect(answer.headers.vary).toBe('Accept')
  if (answer.status === 200) return (answer.json as { version: string | null }).version
  expect([answer.status, answer.json]).toEqual([
    406,
    { error: 'Invalid version in "Accept" header.', code, name: 'NotAcceptable' },
  ])
  return REFUSED
}

describe('the media type', () => {
  // The columns are without a list, and with allowedVersions v1 and v2. The default is v1.
  test.each<[accept: string | undefined, free: Outcome, listed: Outcome]>([
    [undefined, 'v1', 'v1'],
    ['', 'v1', 'v1'],
    ['*/*', 'v1', 'v1'],
    ['application/*', 'v1', 'v1'],
    ['application/json', 'v1', 'v1'],
    ['application/json; version=v2', 'v1', 'v1'],
    ['application/vnd.acme.v2+json', 'v2', 'v2'],
    ['application/vnd.acme.v2+json; charset=utf-8', 'v2', 'v2'],
    ['  application/vnd.acme.v2+json  ;q=0.5', 'v2', 'v2'],
    ['application/vnd.acme.1.0-beta+json', '1.0-beta', REFUSED],
    // the type is case-insensitive, the version is not
    ['APPLICATION/VND.Acme.v2+JSON', 'v2', 'v2'],
    ['application/vnd.acme.V2+json', 'V2', REFUSED],
    ['application/vnd.acme.v3+json', 'v3', REFUSED],
    // does not fit
    ['application/vnd.acme.v2+xml', 'v1', 'v1'],
  ])('%j: %p, with a list %p', async (accept, free, listed) => {
    expect(await outcome(await app(JSON_TEMPLATE, { defaultVersion: 'v1' }), accept)).toBe(free)
    const settings = { defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }
    expect(await outcome(await app(JSON_TEMPLATE, settings), accept)).toBe(listed)
  })

  test.each<[settings: VersioningSettings, Outcome]>([
    [{}, null],
    [{ allowedVersions: ['v1', null] }, null],
    [{ allowedVersions: ['v1'] }, REFUSED],
    [{ allowedVersions: ['v1'], defaultVersion: 'v9' }, 'v9'],
  ])('%j, when no range fits: %p', async (settings, version) => {
    const server = await app(JSON_TEMPLATE, settings)
    expect(await outcome(server, 'application/json', 'ERR_VERSION_MISSING')).toBe(version)
    expect(await outcome(server, undefined, 'ERR_VERSION_MISSING')).toBe(version)
  })

  test('repeated Accept lines are one header', async () => {
    const { raw } = await app(JSON_TEMPLATE)
    const answer = await raw(
      'GET / HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\nAccept: application/vnd.acme.v2+json\r\nConnection: close\r\n\r\n',
    )
    expect(answer).toContain('{"version":"v2"}')
  })
})

describe('template', () => {
  test.each<[template: string | readonly string[], accept: string, version: Outcome]>([
    ['application/{version}+json', 'application/v2+json', 'v2'],
    ['application/{version}.vnd.acme+json', 'application/v2.vnd.acme+json', 'v2'],
    ['application/vnd.acme.{version}', 'application/vnd.acme.v2', 'v2'],
    ['application/vnd.acme-{version}.user+json', 'application/vnd.acme-v2.user+json', 'v2'],
    ['text/{version}', 'text/v2', 'v2'],
    ['text/{version}', 'text/*', null],
    ['text/{version}', '*/*', null],
    ['Application/Vnd.ACME.{version}+JSON', 'application/vnd.acme.v2+json', 'v2'],
    ['application/vnd.a+b.{version}', 'application/vnd.a+b.v2', 'v2'],
  ])('%j, asked for %j: %p', async (template, accept, version) => {
    expect(await outcome(await app(template), accept)).toBe(version)
  })

  test.each<[unknown, string]>([
    [undefined, 'undefined'],
    ['', "''"],
    ['application/vnd.acme+json', "'application/vnd.acme+json'"],
    ['{version}', "'{version}'"],
    ['application{version}', "'application{version}'"],
    ['{version}/json', "'{version}/json'"],
    [[], '[]'],
  ])('%j is a construction error', (template, got) => {
    expect(() => new MediaTypeVersioning({ template: template as string })).toThrow(
      new TypeError(
        `MediaTypeVersioning: option "template" takes a media type with {version} once in its subtype, such as 'application/vnd.acme.{version}+json', or a list of them; got ${got}.`,
      ),
    )
  })

  test('is needed: without options, and where a class is given', () => {
    const bare = MediaTypeVersioning as unknown as new () => MediaTypeVersioning
    expect(() => new bare()).toThrow('MediaTypeVersioning: option "template" takes')
    expect(() => versioning({ scheme: bare })).toThrow('MediaTypeVersioning: option "template" takes')
    expect(() => versioning({ scheme: bare, template: JSON_TEMPLATE } as never)).toThrow(
      '"template" is an option of the scheme itself: scheme: new MediaTypeVersioning({ template, ... })',
    )
  })
})

describe("Express's own negotiation behind it", () => {
  const V2 = 'application/vnd.acme.v2+json'
  const scheme = () =>
    new MediaTypeVersioning({
      template: ['application/vnd.acme.{version}+json', 'application/vnd.acme.{version}+xml', 'text/x.{version}'],
    })

  /** The columns are the results of `req.accepts` for json, for the vendor type, and for both with html. */
  test.each<[accept: string, json: string | false, vendor: string | false, best: string | false]>([
    [V2, 'json', V2, V2],
    [`${V2};q=0.5`, 'json', V2, V2],
    [`${V2};q=0.0001`, 'json', V2, V2],
    [`application/json;q=0, ${V2}`, false, V2, V2],
    // an excluded vendor type excludes no other
    [`${V2};q=0, */*`, 'json', false, 'json'],
    [`application/vnd.acme.v1+json;q=0.1, ${V2};q=0.9, text/html;q=0.5`, 'json', V2, V2],
    ['application/problem+json', false, false, false],
  ])('%j: %p, %p, %p', async (accept, json, vendor, best) => {
    const server = await serve((app) =>
      app.use(versioning({ scheme: scheme() }), (req, res) => {
        res.json([req.accepts('json'), req.accepts(V2), req.accepts([V2, 'json', 'html']), req.headers.accept])
      }),
    )
    expect((await server.get('/', { Accept: accept })).json).toEqual([json, vendor, best, accept])
  })

  test('+xml is application/xml', async () => {
    const server = await serve((app) =>
      app.use(versioning({ scheme: scheme() }), (req, res) => void res.json(req.accepts('application/xml'))),
    )
    expect((await server.get('/', { Accept: 'application/vnd.acme.v2+xml' })).json).toBe('application/xml')
  })

  test.each<[accept: string, offered: string[], status: number, type: string | undefined]>([
    [V2, ['json'], 200, 'application/json; charset=utf-8'],
    [V2, [V2], 200, `${V2}; charset=utf-8`],
    [V2, ['json', V2], 200, `${V2}; charset=utf-8`],
    [V2, ['html', 'json'], 200, 'application/json; charset=utf-8'],
    [V2, ['application/vnd.acme.v1+json'], 406, undefined],
    [V2, ['html'], 406, undefined],
    [`${V2}, application/json;q=0`, ['json'], 406, undefined],
  ])('res.format of %j with %j: %p %p', async (accept, offered, status, type) => {
    const server = await serve((app) =>
      app.use(versioning({ scheme: scheme() }), (_req, res) => {
        const send = () => void res.send('{}')
        res.format(Object.fromEntries(offered.map((name) => [name, send])))
      }),
    )
    const answer = await server.get('/', { Accept: accept })
    expect(answer.status).toBe(status)
    if (type !== undefined) expect(answer.headers['content-type']).toBe(type)
    expect(answer.headers.vary).toBe('Accept')
  })
})
