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
  // Without a list, and with allowedVersions v1 and v2; the default is v1.
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
  ])('%j: %p, with a list %p', async (accept, free, listed) => {
    expect(await outcome(await app(JSON_TEMPLATE, { defaultVersion: 'v1' }), accept)).toBe(free)
    const settings = { defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }
    expect(await outcome(await app(JSON_TEMPLATE, settings), accept)).toBe(listed)
  })
})

describe('template', () => {
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

  /** What `req.accepts` gives for json, for the vendor type, and of both and html. */
  test.each<[accept: string, json: string | false, vendor: string | false, best: string | false]>([
    [V2, 'json', V2, V2],
    [`${V2};q=0.5`, 'json', V2, V2],
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
})
