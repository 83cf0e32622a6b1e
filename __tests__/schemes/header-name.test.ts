import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { HeaderVersioning, versioning } from 'express-versioning'
import { appOf, dispatch } from '../support/dispatch'
import { serve } from '../support/serve'

// Node drops a second line of these headers (see `message.headers`), so two versions would look like one.
const DROPPED = [
  'Age',
  'Authorization',
  'Content-Length',
  'Content-Type',
  'ETag',
  'Expires',
  'From',
  'Host',
  'If-Modified-Since',
  'If-Unmodified-Since',
  'Last-Modified',
  'Location',
  'Max-Forwards',
  'Proxy-Authorization',
  'Referer',
  'Retry-After',
  'Server',
  'User-Agent',
]
// A list, and lines joined by semicolons.
const OTHERWISE = ['Set-Cookie', 'Cookie']

/** How this Node gives two lines of a name. */
function twice(name: string): unknown {
  const message = new IncomingMessage(new Socket()) as IncomingMessage & {
    _addHeaderLine(name: string, value: string, headers: object): void
  }
  const headers: Record<string, unknown> = {}
  for (const value of ['v1', 'v2']) message._addHeaderLine(name, value, headers)
  return headers[name.toLowerCase()]
}

describe('header', () => {
  test.each([...DROPPED, ...OTHERWISE, 'user-agent', 'USER-AGENT'])('%s is a construction error', (header) => {
    expect(twice(header)).not.toBe('v1, v2')
    expect(() => new HeaderVersioning({ header })).toThrow(
      new TypeError(
        `HeaderVersioning: option "header" takes a header whose repeated lines Node joins with commas, so that two versions can be told apart; got '${header}'.`,
      ),
    )
  })

  test.each(['X-API-Version', 'Accept-Version', 'Date', 'From-Version', 'constructor'])('%s is taken', (header) => {
    expect(twice(header)).toBe('v1, v2')
    expect(new HeaderVersioning({ header }).varyOn).toEqual([header])
  })
})

describe('optional whitespace is SP and HTAB alone (RFC 9110, section 5.6.3)', () => {
  test.each<[sent: string, version: string | null]>([
    [' v2', 'v2'],
    ['\tv2\t ', 'v2'],
    ['\xa0v2', '\xa0v2'],
    ['v2\xa0', 'v2\xa0'],
    ['\xa0', '\xa0'],
    [' \xa0v2', '\xa0v2'],
    ['v2,\tv2 ', 'v2'],
    ['', null],
    ['  ', null],
  ])('%j is %j', async (sent, version) => {
    const server = await serve((app) =>
      app.use(versioning({ scheme: HeaderVersioning }), (req, res) => void res.json(req.version)),
    )
    expect((await server.get('/', { 'X-API-Version': sent })).json).toBe(version)
  })

  test.each(['\xa0v2', 'v2\xa0', 'v2, \xa0v2', '\xa0v2,v2'])('%j is not the listed v2', async (sent) => {
    const server = await serve((app) =>
      app.use(
        versioning({ scheme: HeaderVersioning, allowedVersions: ['v2'] }),
        (req, res) => void res.json(req.version),
      ),
    )
    expect((await server.get('/', { 'X-API-Version': sent })).status).toBe(406)
  })

  // Node removes the whitespace around a value; other makers of requests may not.
  test.each([' v1', 'v1\t', ' \t v1 \t', 'v1 ,\tv1', `${' '.repeat(30_000)}v1`, `v1${'\t'.repeat(30_000)}`])(
    'whoever made the request (%#)',
    (value) => {
      const app = appOf((app) => app.use(versioning({ scheme: HeaderVersioning, allowedVersions: ['v1'] })))
      const { req, errors } = dispatch(app, { url: '/', headers: { 'x-api-version': value } })
      expect([req.version, errors]).toEqual(['v1', []])
    },
  )

  test('whitespace inside a version is its own, and costs no time', () => {
    const version = `v${' '.repeat(100_000)}1`
    const app = appOf((app) => app.use(versioning({ scheme: HeaderVersioning })))
    const started = performance.now()
    expect(dispatch(app, { url: '/', headers: { 'x-api-version': version } }).req.version).toBe(version)
    expect(performance.now() - started).toBeLessThan(100)
  })
})
