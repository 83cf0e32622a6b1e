import { request as httpRequest } from 'node:http'
import type { RequestHandler } from 'express'
import { HeaderVersioning, type VersioningSettings, versioning } from 'express-versioning'
import { appOf, dispatch } from '../support/dispatch'
import { type Served, serve } from '../support/serve'

const tell: RequestHandler = (req, res) => void res.json({ version: req.version })
const REFUSED = Symbol('refused')
type Outcome = string | null | typeof REFUSED

const app = (settings: VersioningSettings & { header?: string } = {}) =>
  serve((app) => app.use(versioning({ scheme: new HeaderVersioning(settings) }), tell))

/** Sends header lines as they are. */
async function outcome(server: Served, lines: readonly string[], header = 'X-API-Version'): Promise<Outcome> {
  const sent = lines.map((line) => `${line}\r\n`).join('')
  const answer = await server.raw(`GET / HTTP/1.1\r\nHost: x\r\n${sent}Connection: close\r\n\r\n`)
  const body = JSON.parse(Buffer.from(answer.slice(answer.indexOf('\r\n\r\n')), 'latin1').toString())
  expect(answer).toMatch(new RegExp(`^Vary: ${header}\r$`, 'm'))
  if (answer.startsWith('HTTP/1.1 200 ')) return body.version
  expect(answer).toMatch(/^HTTP\/1\.1 406 /)
  expect(body).toEqual({
    error: `Invalid version in "${header}" header.`,
    code: lines.length === 0 || lines[0] === 'X-API-Version: ,' ? 'ERR_VERSION_MISSING' : 'ERR_VERSION_NOT_ACCEPTABLE',
    name: 'NotAcceptable',
  })
  return REFUSED
}

describe('the header', () => {
  // The columns are without a list, and with allowedVersions v1 and v2. The default is v1.
  test.each<[lines: string[], free: Outcome, listed: Outcome]>([
    [[], 'v1', 'v1'],
    [['X-API-Version: v2'], 'v2', 'v2'],
    [['x-api-version: v2'], 'v2', 'v2'],
    [['X-API-VERSION:v2'], 'v2', 'v2'],
    [['X-API-Version: \t v2 \t'], 'v2', 'v2'],
    [['X-API-Version: V2'], 'V2', REFUSED],
    [['X-API-Version: v3'], 'v3', REFUSED],
    [['X-API-Version: "v2"'], '"v2"', REFUSED],
    [['X-API-Version: v2;q=1'], 'v2;q=1', REFUSED],
    [['X-API-Version: v\xe9'], 'v\xe9', REFUSED],
    // an empty field is not there
    [['X-API-Version:'], 'v1', 'v1'],
    [['X-API-Version: \t '], 'v1', 'v1'],
    [['X-API-Version:', 'X-API-Version:'], 'v1', 'v1'],
    [['X-API-Version: , ,'], 'v1', 'v1'],
    [['Accept-Version: v2'], 'v1', 'v1'],
    [['X-API-Versions: v2'], 'v1', 'v1'],
    // repeated lines
    [['X-API-Version: v2', 'X-API-Version: v2'], 'v2', 'v2'],
    [['X-API-Version: v2', 'x-api-version: v2', 'X-Api-Version: v2'], 'v2', 'v2'],
    [['X-API-Version: v3', 'X-API-Version: v3'], 'v3', REFUSED],
    [['X-API-Version: v1', 'X-API-Version: v2'], REFUSED, REFUSED],
    [['X-API-Version: v2', 'X-API-Version: v2', 'X-API-Version: v1'], REFUSED, REFUSED],
    [['X-API-Version: v2', 'X-API-Version: V2'], REFUSED, REFUSED],
    [['X-API-Version: v2', 'X-API-Version:'], REFUSED, REFUSED],
    [['X-API-Version:', 'X-API-Version: v2'], REFUSED, REFUSED],
    // which a client or a proxy may have joined already
    [['X-API-Version: v2, v2'], 'v2', 'v2'],
    [['X-API-Version: v2,v2 ,\tv2'], 'v2', 'v2'],
    [['X-API-Version: v1, v2'], REFUSED, REFUSED],
    [['X-API-Version: v1,v2'], REFUSED, REFUSED],
    [['X-API-Version: v2,'], REFUSED, REFUSED],
    [['X-API-Version: ,v2'], REFUSED, REFUSED],
  ])('%j: %p, with a list %p', async (lines, free, listed) => {
    expect(await outcome(await app({ defaultVersion: 'v1' }), lines)).toBe(free)
    expect(await outcome(await app({ defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }), lines)).toBe(listed)
  })

  test.each<[settings: VersioningSettings, Outcome]>([
    [{}, null],
    [{ allowedVersions: ['v1', ''], defaultVersion: 'v1' }, 'v1'],
    [{ allowedVersions: ['v1', null] }, null],
    [{ allowedVersions: ['v1'] }, REFUSED],
    [{ allowedVersions: ['v1'], defaultVersion: 'v9' }, 'v9'],
  ])('%j, when it is absent or empty: %p', async (settings, version) => {
    expect(await outcome(await app(settings), [])).toBe(version)
    expect(await outcome(await app(settings), ['X-API-Version: ,'])).toBe(version)
  })

  test('15 KB of repeated lines', async () => {
    const same = Array.from({ length: 600 }, () => 'X-API-Version: v2')
    const server = await app({ allowedVersions: ['v1', 'v2'] })
    expect(await outcome(server, same)).toBe('v2')
    expect(await outcome(server, [...same, 'X-API-Version: v1'])).toBe(REFUSED)
  })

  test('sent by an ordinary client as a list', async () => {
    const { port } = await app()
    const version = await new Promise((done, fail) => {
      const sent = httpRequest({ port, host: '127.0.0.1', headers: { 'X-API-Version': ['v2', 'v2'] } }, (answer) => {
        answer.setEncoding('utf8').on('data', (text) => done(JSON.parse(text).version))
      })
      sent.on('error', fail).end()
    })
    expect(version).toBe('v2')
  })
})

describe('header', () => {
  test.each(['Accept-Version', 'api-version', 'V', 'x_version', "!#$%&'*+.^`|~", 'constructor', 'toString', 'valueOf'])(
    '%j names another one',
    async (header) => {
      const server = await serve((app) =>
        app.use(
          versioning({ scheme: new HeaderVersioning({ header, defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }) }),
          tell,
        ),
      )
      const ask = async (headers: Record<string, string>) => {
        const { status, headers: got, json } = await server.get('/', headers)
        expect(got.vary).toBe(header)
        return status === 200 ? (json as { version: string }).version : [status, (json as { error: string }).error]
      }
      expect(await ask({ [header]: 'v2' })).toBe('v2')
      expect(await ask({ [header.toUpperCase()]: 'v2' })).toBe('v2')
      expect(await ask({ [header]: 'v3' })).toEqual([406, `Invalid version in "${header}" header.`])
      expect(await ask({ 'X-API-Version': 'v2' })).toBe('v1')
      expect(await ask({})).toBe('v1')
    },
  )

  test.each<[unknown, string]>([
    ['', "''"],
    ['X API', "'X API'"],
    ['X-API:', "'X-API:'"],
    ['X-API\r\nEvil', String.raw`'X-API\r\nEvil'`],
    ['X-\u00e9', "'X-\u00e9'"],
    ['a,b', "'a,b'"],
    ['"v"', `'"v"'`],
    [null, 'null'],
    [7, '7'],
    [['X-API-Version'], "[ 'X-API-Version' ]"],
  ])('%j is a construction error', (header, got) => {
    expect(() => new HeaderVersioning({ header: header as string })).toThrow(
      new TypeError(`HeaderVersioning: option "header" takes a header field name (RFC 9110, section 5.1); got ${got}.`),
    )
  })

  test('undefined is the default one', () => {
    expect(new HeaderVersioning({ header: undefined }).varyOn).toEqual(['X-API-Version'])
  })

  test('beside the class, or mistyped, says where it belongs', () => {
    expect(() => versioning({ scheme: HeaderVersioning, header: 'V' } as never)).toThrow(
      '"header" is an option of the scheme itself: scheme: new HeaderVersioning({ header, ... })',
    )
    expect(() => new HeaderVersioning({ headers: 'V' } as never)).toThrow(
      'unknown option "headers". Did you mean "header"?',
    )
  })
})

test('the whitespace around a lone value is not its own, whoever made the request', () => {
  const scheme = new HeaderVersioning({ allowedVersions: ['v1'] })
  const app = appOf((app) => app.use(versioning({ scheme })))
  const { req, errors } = dispatch(app, { url: '/', headers: { 'x-api-version': ' v1\t' } })
  expect([req.version, errors]).toEqual(['v1', []])
})
