import { request as httpRequest } from 'node:http'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import {
  AcceptHeaderVersioning,
  CombinedVersioning,
  HeaderVersioning,
  MediaTypeVersioning,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { major } from '../support/major'
import { listen, type Served, serve } from '../support/serve'

// Schemes on a server of Express: its parameters, its negotiation, and header lines as Node hands them on.

const tell: RequestHandler = (req, res) => void res.json(req.version)
const telling = (options: VersioningOptions) => serve((app) => app.use(versioning(options), tell))
const json = async (server: Served, path: string, headers?: Record<string, string>) =>
  (await server.get(path, headers)).json
const LISTED = { allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }

describe('URLPathVersioning', () => {
  const v = (settings = {}) => versioning({ scheme: URLPathVersioning, ...settings })
  const { Router } = express

  test.each<[place: string, build: (middleware: RequestHandler) => RequestHandler]>([
    ['a mount', (middleware) => express().use('/:version', middleware, tell)],
    ['a mounted sub-app', (middleware) => express().use('/:version', middleware, express().use(tell))],
    ['a route of a router', (middleware) => express().use(Router().get('/:version/items', middleware, tell))],
    [
      'a mount of a router, merged',
      (middleware) => express().use('/:version', Router({ mergeParams: true }).use(middleware, tell)),
    ],
  ])('the parameter of %s', async (_place, build) => {
    const server = await serve((app) => app.use(build(v(LISTED))))
    const free = await serve((app) => app.use(build(v())))
    const error = { error: 'Invalid version in URL path.', code: 'ERR_VERSION_NOT_FOUND', name: 'NotFound' }
    for (const [target, listed, text] of [
      ['/v1/items', 'v1', 'v1'],
      ['/%76%32/items', 'v2', 'v2'],
      ['/V1/items', error, 'V1'],
      ['/v1%2Fx/items', error, 'v1/x'],
      ['/v1%0d%0aSet-Cookie:a=b/items', error, 'v1\r\nSet-Cookie:a=b'],
      ['/%E2%82%AC%00/items', error, '€\0'],
    ] as const)
      expect([target, await json(server, target), await json(free, target)]).toEqual([target, listed, text])
    // Express itself refuses malformed escapes.
    for (const target of ['/%E0%A4%A/items', '/%/items']) expect((await server.get(target)).status).toBe(400)
  })

  test.each<[place: string, build: (middleware: RequestHandler) => RequestHandler]>([
    ['the app', (middleware) => express().use(middleware, tell)],
    ['a mount with another', (middleware) => express().use('/:shop', middleware, tell)],
    ['a router without mergeParams', (middleware) => express().use('/:version', Router().use(middleware, tell))],
    ['a RegExp route', (middleware) => express().get(/^\/(items)$/, middleware, tell)],
    [
      'an optional one',
      (middleware) => express().get(major === 5 ? '{/:version}/items' : '/:version?/items', middleware, tell),
    ],
  ])('a parameter that is not there, of %s: the default', async (_place, build) => {
    expect(await json(await serve((app) => app.use(build(v(LISTED)))), '/items')).toBe('v1')
  })

  test("a wildcard's list is refused, whatever the default", async () => {
    // Express 4 has no wildcards by name.
    const named: RequestHandler = (req, _res, next) => {
      if (major === 4) req.params = { version: req.path.slice(1).split('/') } as never
      next()
    }
    for (const settings of [{}, LISTED, { allowedVersions: ['v1', null] }]) {
      const server = await serve((app) => app.get(major === 5 ? '/*version' : '/*', named, v(settings), tell))
      for (const target of ['/v1', '/v1/v2']) expect((await server.get(target)).status).toBe(404)
    }
  })
})

test('the query is read raw, whatever the query parser, and req.query stays', async () => {
  for (const parser of [undefined, false, 'simple', 'extended', () => ({ version: 'of the parser' })]) {
    const server = await serve((app) => {
      if (parser !== undefined) app.set('query parser', parser)
      app.use(versioning({ scheme: QueryParameterVersioning }), (req, res) => void res.json([req.version, req.query]))
    })
    expect(await json(server, '/?version[]=v2&version=v1')).toEqual(['v1', expect.anything()])
    if (parser === 'extended')
      expect(await json(server, '/?version=v1&a[b]=1')).toEqual(['v1', { version: 'v1', a: { b: '1' } }])
  }
})

describe('header lines', () => {
  const answer = async (options: VersioningOptions, ...lines: string[]) => {
    const { raw } = await telling(options)
    const received = await raw(['GET / HTTP/1.1', 'Host: x', ...lines, 'Connection: close\r\n\r\n'].join('\r\n'))
    return [Number(received.slice(9, 12)), received.slice(received.indexOf('\r\n\r\n') + 4)]
  }
  const header = { scheme: HeaderVersioning, ...LISTED }
  const accept = { scheme: AcceptHeaderVersioning }
  const vendor = { scheme: new MediaTypeVersioning({ template: 'application/vnd.acme.{version}+json' }) }

  test.each<[options: VersioningOptions, lines: string[], status: number, body: string]>([
    [header, ['x-api-version:\tv2 '], 200, '"v2"'],
    [header, ['X-API-Version: v2', 'x-api-version: v2', 'X-Api-Version: v2'], 200, '"v2"'],
    [header, ['X-API-Version:', 'X-API-Version:'], 200, '"v1"'],
    [header, ['X-API-Version: v1', 'X-API-Version: v2'], 406, ''],
    [header, ['X-API-Version: v2', 'X-API-Version:'], 406, ''],
    [accept, ['Accept: text/html;q=0.5;version=1', 'Accept: application/json;version=2'], 200, '"2"'],
    [accept, [`Accept: ${'text/html;q=0.1;version=2, '.repeat(540)}application/json;version=1`], 200, '"1"'],
    [accept, [`Accept: application/json;version="${'\\1,'.repeat(5000)}"`], 406, ''],
    [vendor, ['Accept: text/html', 'Accept: application/vnd.acme.v2+json'], 200, '"v2"'],
  ])('%#: %p %j', async (options, lines, status, body) => {
    const found = await answer(options, ...lines)
    expect(found).toEqual([status, status === 200 ? body : expect.stringContaining('"name":"NotAcceptable"')])
  })

  test('sent by an ordinary client as a list', async () => {
    const { port } = await telling(header)
    const version = await new Promise((done, fail) => {
      const sent = httpRequest({ port, host: '127.0.0.1', headers: { 'X-API-Version': ['v2', 'v2'] } }, (answer) => {
        answer.setEncoding('utf8').on('data', done)
      })
      sent.on('error', fail).end()
    })
    expect(version).toBe('"v2"')
  })
})

describe("Express's own negotiation goes on working", () => {
  const format: RequestHandler = (_req, res) =>
    void res.format({ json: () => void res.json('json'), html: () => void res.send('<p>html</p>') })
  const v = () => versioning({ scheme: AcceptHeaderVersioning, allowedVersions: ['1', '2'], defaultVersion: '1' })
  const V2 = 'application/vnd.acme.v2+json'
  const template = ['application/vnd.acme.{version}+json', 'application/vnd.acme.{version}+xml', 'text/x.{version}']
  const vendor = () => new MediaTypeVersioning({ template })

  test('requests without the Accept scheme get 406 for a version, in the same app; behind it they do not', async () => {
    const query = () => versioning({ scheme: QueryParameterVersioning })
    const server = await serve((app) =>
      app.use('/v', v(), format).use('/inner', v(), query(), format).use('/query', query(), format).use(format),
    )
    const html = await server.get('/v', { Accept: 'application/json;version=1;q=0.5, text/html;version=2' })
    expect([html.text, html.headers.vary]).toEqual(['<p>html</p>', 'Accept'])
    for (const [path, status] of [...Array(2).fill(['/v', 200]), ['/inner', 200], ['/query', 406], ['/bare', 406]])
      expect([path, (await server.get(path, { Accept: 'application/json; version=1' })).status]).toEqual([path, status])
  })

  test('req.accepts in all its forms, and the header as the client sent it', async () => {
    const server = await serve((app) =>
      app.use(v(), (req, res) => {
        const forms = [req.accepts('json'), req.accepts(['html', 'json']), req.accepts('html', 'json'), req.accepts()]
        const raw = req.rawHeaders[req.rawHeaders.indexOf('Accept') + 1]
        res.json([...forms, req.acceptsCharsets('utf-8'), req.headers.accept, req.get('accept'), raw])
      }),
    )
    const Accept = 'application/json; version=1, text/html;q=0.5;version="2"'
    const all = ['application/json', 'text/html']
    expect(await json(server, '/', { Accept })).toEqual(['json', 'json', 'json', all, 'utf-8', Accept, Accept, Accept])
    expect(((await json(server, '/')) as unknown[]).slice(0, 2)).toEqual(['json', 'html'])
  })

  test('res.format in an error handler', async () => {
    const report: ErrorRequestHandler = (error, _req, res, _next) => {
      res.status(error.status ?? 500)
      res.format({ json: () => void res.json(error.message), html: () => void res.send(`<p>${error.message}</p>`) })
    }
    const fail: RequestHandler = (_req, _res, next) => next(new Error('later'))
    const server = await listen(express().use('/api', v(), fail).use(report))
    for (const [version, status, message] of [
      ['9', 406, 'Invalid version in "Accept" header.'],
      ['', 406, 'Invalid version in "Accept" header.'],
      ['1', 500, 'later'],
    ] as const) {
      const ask = (type: string) => server.get('/api', { Accept: `${type}; version=${version}` })
      expect(await ask('application/json')).toMatchObject({ status, json: message })
      expect((await ask('text/html')).text).toBe(`<p>${message}</p>`)
    }
  })

  test('a proxy forwards what the client sent', async () => {
    const upstream = await serve((app) => app.use((req, res) => void res.json(req.headers.accept)))
    const server = await serve((app) =>
      app.use(v(), (req, res) => {
        req.accepts('json')
        req.pipe(httpRequest(upstream.origin, { headers: req.headers }, (answer) => answer.pipe(res)))
      }),
    )
    expect(await json(server, '/', { Accept: 'application/json; version=1' })).toBe('application/json; version=1')
  })

  // The columns are the results of `req.accepts` for json, the vendor type, both with html, and xml.
  test.each<[accept: string, ...(string | false)[]]>([
    [V2, 'json', V2, V2, false],
    [`${V2};q=0.0001`, 'json', V2, V2, false],
    [`application/json;q=0, ${V2}`, false, V2, V2, false],
    [`${V2};q=0, */*`, 'json', false, 'json', 'application/xml'],
    [`application/vnd.acme.v1+json;q=0.1, ${V2};q=0.9, text/html;q=0.5`, 'json', V2, V2, false],
    ['application/problem+json', false, false, false, false],
    ['application/vnd.acme.v2+xml', false, false, false, 'application/xml'],
  ])('behind a vendor type, %j: %p, %p, %p, %p', async (Accept, ...expected) => {
    const server = await serve((app) =>
      app.use(versioning({ scheme: vendor() }), (req, res) => {
        const offers = ['json', V2, [V2, 'json', 'html'], 'application/xml']
        res.json([...offers.map((offer) => req.accepts(offer as string)), req.headers.accept])
      }),
    )
    expect(await json(server, '/', { Accept })).toEqual([...expected, Accept])
  })

  test.each<[accept: string, offered: string[], type: string | undefined]>([
    [V2, ['html', 'json'], 'application/json'],
    [V2, ['json', V2], V2],
    [V2, ['application/vnd.acme.v1+json', 'html'], undefined],
    [`${V2}, application/json;q=0`, ['json'], undefined],
  ])('res.format of %j with %j: %p', async (accept, offered, type) => {
    const server = await serve((app) =>
      app.use(versioning({ scheme: vendor() }), (_req, res) => {
        res.format(Object.fromEntries(offered.map((name) => [name, () => void res.send('{}')])))
      }),
    )
    const { status, headers } = await server.get('/', { Accept: accept })
    const expected = type === undefined ? 406 : 200
    expect([status, headers.vary]).toEqual([expected, 'Accept'])
    if (type !== undefined) expect(headers['content-type']).toBe(`${type}; charset=utf-8`)
  })

  test('behind a combination it sees what each of the schemes lets it see', async () => {
    const scheme = new CombinedVersioning({ schemes: [new AcceptHeaderVersioning(), vendor()] })
    const server = await serve((app) =>
      app.use(versioning({ scheme }), (req, res) => {
        res.json([req.version, req.accepts('json'), req.accepts('application/vnd.acme.v1+json')])
      }),
    )
    const asked = (type: string) => json(server, '/', { Accept: `${type}; version=v1` })
    expect(await asked('application/json')).toEqual(['v1', 'json', false])
    const type = 'application/vnd.acme.v1+json'
    expect(await asked(type)).toEqual(['v1', 'json', type])
  })
})
