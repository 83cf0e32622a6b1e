import { request as httpRequest } from 'node:http'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { AcceptHeaderVersioning, QueryParameterVersioning, versioning } from 'express-versioning'
import { listen, type Served, serve } from '../support/serve'

const tell: RequestHandler = (req, res) => void res.json({ version: req.version })
const INVALID = 'Invalid version in "Accept" header.'
const UNSATISFIED = 'Could not satisfy the request Accept header.'
const REFUSED = Symbol('refused')
const NONE_ACCEPTABLE = Symbol('none acceptable')

type Outcome = string | null | typeof REFUSED | typeof NONE_ACCEPTABLE

async function outcome(server: Served, accept: string | undefined): Promise<Outcome> {
  const { status, json } = await server.get('/', accept === undefined ? {} : { Accept: accept })
  if (status === 200) return (json as { version: string | null }).version
  expect([status, (json as { code: string }).code]).toEqual([406, 'ERR_VERSION_NOT_ACCEPTABLE'])
  const { error } = json as { error: string }
  expect([INVALID, UNSATISFIED]).toContain(error)
  return error === INVALID ? REFUSED : NONE_ACCEPTABLE
}

describe('any media type', () => {
  test.each<[accept: string | undefined, version: Outcome]>([
    [undefined, 'standard'],
    ['', 'standard'],
    ['application/json', 'standard'],
    ['application/json; charset=utf-8', 'standard'],
    ['application/json; version=1.2.3', '1.2.3'],
    ['APPLICATION/JSON; VERSION=1', '1'],
    ['*/*; version=2', '2'],
    ['application/*; version=2', '2'],
    ['application/json; version=1; q=0.5', '1'],
    ['application/json; q=0.5; version=1', '1'],
    ['application/json; version="1\\.0"', '1.0'],
    ['application/json; version="1,0"', '1,0'],
    ['application/json; note="a, b; version=9"; version=1', '1'],
    ['application/json; version=""', ''],
    ['application/json; version=v\xe9', 'v\xe9'],
    // the higher q
    ['application/json; version=1; q=0.5, text/html; version=2', '2'],
    ['application/json; version=1; q=0.5, text/html; version=2; q=0.6', '2'],
    // then the more specific
    ['*/*; version=1, application/*; version=2, application/json; version=3', '3'],
    ['*/*; version=1, application/*; version=2', '2'],
    ['application/json; q=0.1; version=3, */*; version=1', '1'],
    // on one level, parameters over none, then order
    ['application/json, text/html; version=2', '2'],
    ['application/json; version=1, text/html; version=2', '1'],
  ])('%j: %p', async (accept, version) => {
    const scheme = new AcceptHeaderVersioning({ defaultVersion: 'standard' })
    expect(await outcome(await serve((app) => app.use(versioning({ scheme }), tell)), accept)).toBe(version)
  })

  test('repeated Accept lines are one header', async () => {
    const server = await serve((app) => app.use(versioning({ scheme: AcceptHeaderVersioning }), tell))
    const answer = await server.raw(
      'GET / HTTP/1.1\r\nHost: x\r\nAccept: text/html;q=0.5;version=1\r\nAccept: application/json;version=2\r\nConnection: close\r\n\r\n',
    )
    expect(answer).toContain('{"version":"2"}')
  })

  test('a header of 15 KB', async () => {
    const server = await serve((app) =>
      app.use(versioning({ scheme: AcceptHeaderVersioning, allowedVersions: ['1'] }), tell),
    )
    expect(await outcome(server, `${'text/html;q=0.1;version=2, '.repeat(540)}application/json;version=1`)).toBe('1')
    expect(await outcome(server, `application/json;version="${'\\1,'.repeat(5000)}"`)).toBe(REFUSED)
  })
})

describe('mediaTypes', () => {
  test.each<[accept: string | undefined, version: Outcome]>([
    [undefined, 'standard'],
    ['application/json; version=1', '1'],
    ['Application/JSON; version=1', '1'],
    ['*/*; version=2', '2'],
    ['application/*; version=2', '2'],
    ['text/html', NONE_ACCEPTABLE],
    ['text/html; version=1', NONE_ACCEPTABLE],
    ['text/html; version=1, application/json; version=2; q=0.1', '2'],
    ['text/html; version=1, */*; version=2; q=0.1', '2'],
    ['application/json; q=0', NONE_ACCEPTABLE],
    // the most specific level decides about a type, also by excluding it
    ['application/json; q=0, */*; version=2', '2'],
    ['application/json; q=0, application/xml; q=0, */*; version=2', NONE_ACCEPTABLE],
    ['application/json; q=0, application/*; version=3, */*; version=2', '3'],
    ['application/*; version=1, application/json; version=2; q=0.5, application/xml; q=0.4', '2'],
  ])('%j: %p', async (accept, version) => {
    const scheme = new AcceptHeaderVersioning({
      mediaTypes: ['application/json', 'application/XML'],
      defaultVersion: 'standard',
      allowedVersions: ['1', '2', '3'],
    })
    expect(await outcome(await serve((app) => app.use(versioning({ scheme }), tell)), accept)).toBe(version)
  })

  test.each<[unknown, string]>([
    ['application/json', "'application/json'"],
    [null, 'null'],
    [7, '7'],
    [{ json: true }, '{ json: true }'],
    [[], '[]'],
    [[7], '7'],
    [['json'], "'json'"],
  ])('refuses %j', (mediaTypes, got) => {
    expect(() => new AcceptHeaderVersioning({ mediaTypes: mediaTypes as string[] })).toThrow(
      new TypeError(
        `AcceptHeaderVersioning: option "mediaTypes" takes a list of media types without wildcards and parameters, such as ['application/json']; got ${got}.`,
      ),
    )
  })

  test('an Accept that cannot be satisfied is no reason to refuse a preflight', async () => {
    const scheme = new AcceptHeaderVersioning({ mediaTypes: ['application/json'] })
    const server = await serve((app) => app.use(versioning({ scheme }), tell))
    const preflight = { Origin: 'https://x.example', 'Access-Control-Request-Method': 'GET', Accept: 'text/html' }
    expect((await server.send('OPTIONS', '/', preflight)).json).toEqual({ version: null })
  })
})

test.each<[versionParam: string, got: string]>([
  ['q', "'q'"],
  ['Q', "'Q'"],
  ['a b', "'a b'"],
  ['a;b', "'a;b'"],
  ['version=', "'version='"],
  ['version[]', "'version[]'"],
  ['é', "'é'"],
])('versionParam %j is no media-type parameter', (versionParam, got) => {
  expect(() => versioning({ scheme: AcceptHeaderVersioning, versionParam })).toThrow(
    new TypeError(
      `AcceptHeaderVersioning: option "versionParam" takes the name of a media-type parameter (a token, RFC 9110 section 5.6.2) other than "q"; got ${got}.`,
    ),
  )
})

describe("Express's own negotiation goes on working", () => {
  const json: RequestHandler = (_req, res) => void res.json({ as: 'json' })
  const html: RequestHandler = (_req, res) => void res.send('<p>html</p>')
  const format: RequestHandler = (req, res, next) =>
    res.format({ json: () => json(req, res, next), html: () => html(req, res, next) })
  const accepts: RequestHandler = (req, res) => {
    res.json({
      json: req.accepts('json'),
      html: req.accepts('html'),
      ranked: req.accepts(['html', 'json']),
      varargs: req.accepts('html', 'json'),
      full: req.accepts('application/json'),
      all: req.accepts(),
      header: req.headers.accept,
      get: req.get('accept'),
      raw: req.rawHeaders[req.rawHeaders.indexOf('Accept') + 1],
      charset: req.acceptsCharsets('utf-8'),
    })
  }
  const v = () => versioning({ scheme: AcceptHeaderVersioning, allowedVersions: ['1', '2'], defaultVersion: '1' })

  test('Express alone answers 406: what this is about', async () => {
    const server = await serve((app) => app.use(format))
    expect((await server.get('/', { Accept: 'application/json; version=1' })).status).toBe(406)
  })

  test.each<[accept: string, status: number, body: string]>([
    ['application/json', 200, '{"as":"json"}'],
    ['application/json; version=1', 200, '{"as":"json"}'],
    ['application/json;VERSION="1"', 200, '{"as":"json"}'],
    ['application/json; version=1; q=0.5, text/html; q=0.9', 200, '<p>html</p>'],
    ['application/json; version=1; q=0.9, text/html; q=0.5; version=2', 200, '{"as":"json"}'],
    ['*/*; version=2', 200, '{"as":"json"}'],
    ['text/html; version=2', 200, '<p>html</p>'],
  ])('res.format for %j: %i %s', async (accept, status, body) => {
    const server = await serve((app) => app.use(v(), format))
    const answer = await server.get('/', { Accept: accept })
    expect(answer.status).toBe(status)
    if (status === 200) expect(answer.text).toBe(body)
    expect(answer.headers.vary).toBe('Accept')
  })

  test('req.accepts in all its forms, and the header as the client sent it', async () => {
    const server = await serve((app) => app.use(v(), accepts))
    const header = 'application/json; version=1, text/html;q=0.5;version="2"'
    expect((await server.get('/', { Accept: header })).json).toEqual({
      json: 'json',
      html: 'html',
      ranked: 'json',
      varargs: 'json',
      full: 'application/json',
      all: ['application/json', 'text/html'],
      header,
      get: header,
      raw: header,
      charset: 'utf-8',
    })
  })

  test('without an Accept header', async () => {
    const server = await serve((app) =>
      app.use(v(), (req, res) => void res.json([req.accepts('json'), req.accepts('html')])),
    )
    expect((await server.get('/')).json).toEqual(['json', 'html'])
  })

  const report: ErrorRequestHandler = (error, req, res, _next) => {
    res.status(error.status ?? 500)
    res.format({
      json: () => void res.json({ error: error.message, accept: req.headers.accept }),
      html: () => void res.send(`<p>${error.message}</p>`),
    })
  }

  test.each<[title: string, accept: string, status: number]>([
    ['a refused request', 'application/json; version=9', 406],
    ['an unusable version', 'application/json; version=', 406],
    ['an error of a handler', 'application/json; version=1', 500],
  ])('res.format in an error handler, for %s', async (_title, accept, status) => {
    const fail: RequestHandler = (_req, _res, next) => next(new Error('later'))
    const server = await listen(express().use('/api', v(), fail).use(report))
    const answer = await server.get('/api', { Accept: accept })
    expect(answer.status).toBe(status)
    expect(answer.json).toEqual({ error: status === 500 ? 'later' : INVALID, accept })
    expect((await server.get('/api', { Accept: accept.replace('application/json', 'text/html') })).text).toMatch(/^<p>/)
  })

  test('requests without this scheme are negotiated as ever, in the same app', async () => {
    const server = await serve((app) =>
      app
        .use('/v', v(), format)
        .use('/query', versioning({ scheme: QueryParameterVersioning }), format)
        .use(format),
    )
    for (const _ of [1, 2]) {
      const statuses = await Promise.all(
        ['/v', '/query', '/bare'].map(
          async (path) => (await server.get(path, { Accept: 'application/json; version=1' })).status,
        ),
      )
      expect(statuses).toEqual([200, 406, 406])
    }
  })

  test('behind another versioning() as well', async () => {
    const server = await serve((app) => app.use(v(), versioning({ scheme: QueryParameterVersioning }), format))
    expect((await server.get('/', { Accept: 'application/json; version=1' })).status).toBe(200)
  })

  test('a proxy forwards what the client sent', async () => {
    const upstream = await serve((app) => app.use((req, res) => void res.json(req.headers.accept)))
    const server = await serve((app) =>
      app.use(v(), (req, res) => {
        req.accepts('json')
        const proxied = httpRequest(upstream.origin, { headers: req.headers }, (answer) => answer.pipe(res))
        req.pipe(proxied)
      }),
    )
    expect((await server.get('/', { Accept: 'application/json; version=1' })).json).toBe('application/json; version=1')
  })
})
