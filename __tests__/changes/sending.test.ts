import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, pipeline, Readable } from 'node:stream'
import { createGzip, type Gzip, gzipSync } from 'node:zlib'
import type { RequestHandler, Response } from 'express'
import { HeaderVersioning, versioning } from 'express-versioning'
import { change, type OperationChange } from 'express-versioning/changes'
import { ask, historyOf, serveChanges, serveOther, tableOf } from '../support/changes'
import { type Answer, type Served, serve } from '../support/serve'

interface Item {
  id: number
  given: string
}
const toOld = ({ id, given }: Item) => ({ id, name: given })
const steps = { response: toOld, error: (value: object) => ({ failed: value }) }
const ITEM: Item = { id: 7, given: 'Łuca <a&b>' }
const OLD = toOld(ITEM)
const NEWEST = JSON.stringify(ITEM)

const folder = mkdtempSync(join(tmpdir(), 'sending-'))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0
function fileOf(text: string): string {
  const path = join(folder, `${files++}.json`)
  writeFileSync(path, text)
  return path
}

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})
/** A server that answers a JSON text, for proxies. */
async function upstream(text: string): Promise<number> {
  const server = createServer((_req, res) => {
    res.writeHead(200, { 'Content-Type': 'application/json', ETag: '"up"', 'X-Up': 'yes' }).end(text)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  closers.push(() => server.close())
  return (server.address() as AddressInfo).port
}

type Way = (res: Response, text: string) => unknown
const halves = (text: string) => [Buffer.from(text).subarray(0, 9), Buffer.from(text).subarray(9)]
const end: Way = (res, text) => res.type('json').end(text)
const JSON_TYPE = { 'Content-Type': 'application/json' }

/** `plain`: how the oracle sends it, if its bytes cannot be those of the way itself. */
const WAYS: [title: string, send: Way, plain?: Way][] = [
  ['res.json', (res, text) => res.json(JSON.parse(text))],
  ['res.json of another type', (res, text) => res.type('application/x-own').json(JSON.parse(text))],
  ['res.json of toJSON', (res, text) => res.json({ toJSON: () => JSON.parse(text) })],
  [
    'res.json of getters',
    (res, text) => res.json(Object.defineProperty({}, 'page', { get: () => JSON.parse(text).page, enumerable: true })),
  ],
  ['res.json later', (res, text) => setTimeout(() => res.json(JSON.parse(text)), 1)],
  ['res.format', (res, text) => res.format({ json: () => res.json(JSON.parse(text)) })],
  ['res.jsonp', (res, text) => res.jsonp(JSON.parse(text))],
  ['res.send of a value', (res, text) => res.send(JSON.parse(text))],
  ['res.send of typed text', (res, text) => res.type('json').send(text)],
  ['res.send of text', (res, text) => res.send(text)],
  ['res.send of spaced text', (res, text) => res.send(` \n${text}`), (res, text) => res.send(text)],
  ['res.send of a Buffer', (res, text) => res.type('application/hal+json').send(Buffer.from(text))],
  ['res.end', end],
  [
    'res.end of a Buffer',
    (res, text) =>
      res
        .type('json')
        .set('Content-Length', `${Buffer.byteLength(text)}`)
        .end(text),
  ],
  ['types in a list', (res, text) => res.setHeader('Content-Type', ['application/json']).end(text), end],
  [
    'writeHead with fields',
    (res, text) => res.writeHead(201, { ...JSON_TYPE, 'X-Own': 'a', '': 'none', 'X-None': undefined }).end(text),
    (res, text) => res.status(201).set('X-Own', 'a').type('json').end(text),
  ],
  [
    'writeHead with a phrase and a list',
    (res, text) => res.writeHead(200, 'Fine', ['Content-Type', 'application/json', 'X-Own', 'a']).end(text),
    (res, text) => res.set('X-Own', 'a').type('json').end(text),
  ],
  [
    'writeHead with pairs',
    (res, text) => res.writeHead(200, [['Content-Type', 'application/json'], ['X-Own', 'a']] as never).end(text), // biome-ignore format: a row
    (res, text) => res.set('X-Own', 'a').type('json').end(text),
  ],
  [
    'writeHead alone',
    (res, text) => res.type('json').writeHead(201).end(text),
    (res, text) => end(res.status(201), text),
  ],
  ['write and end', (res, text) => (res.type('json').write(halves(text)[0]) ? res.end(halves(text)[1]) : res), end],
  [
    'flushed headers, then pieces',
    (res, text) => {
      res.type('json').flushHeaders()
      for (const half of halves(text)) res.write(half.toString('latin1'), 'latin1')
      setImmediate(() => res.end())
    },
    end,
  ],
  ['a stream', (res, text) => Readable.from(halves(text)).pipe(res.type('json')), end],
  [
    'a pipeline',
    (res, text) => pipeline(Readable.from(halves(text)), new PassThrough(), res.type('json'), () => {}),
    end,
  ],
  ['a BOM in front', (res, text) => res.type('json').end(`\ufeff${text}`), end],
  ['a file', (res, text) => res.sendFile(fileOf(text)), end],
  [
    "a proxy's answer",
    async (res, text) => {
      httpRequest({ port: await upstream(text), host: '127.0.0.1' }, (answer) => {
        const { connection: _, 'keep-alive': __, date: ___, ...headers } = answer.headers
        res.writeHead(answer.statusCode as number, headers)
        answer.pipe(res)
      }).end()
    },
    (res, text) => res.set('X-Up', 'yes').type('application/json').end(text),
  ],
]

/** The fields that tell nothing of the way: of dates, of the version, of a file, of a proxy's connection. */
const OTHERS = 'date vary accept-ranges cache-control last-modified transfer-encoding x-api-version'.split(' ')
const without = ({ headers, ...answer }: Answer, ...names: string[]) => ({
  ...answer,
  headers: Object.entries(headers)
    .filter(([name]) => ![...OTHERS, ...names].includes(name))
    .map(([name, value]) => [name, name === 'content-type' ? String(value).toLowerCase().split(';')[0] : value])
    .sort(),
})

test.each(WAYS)('%s: an older answer is as that of an app without versions', async (title, send, plain = send) => {
  const older = ({ page }: { page: Item[] }) => ({ page: page.map(toOld) })
  const newest = { page: [ITEM, ITEM] }
  const server = await serveOther({ response: older }, (res) => void send(res, JSON.stringify(newest)))
  const oracle = await serve((app) => {
    app.get('/other', (_req, res) => void plain(res, JSON.stringify(older(newest))))
    app.get('/newest', (_req, res) => void send(res, JSON.stringify(newest)))
  })
  const lengths = title.startsWith('a ') ? ['content-length'] : []
  const old = await ask(server, 'v1', '/other')
  expect(without(old, ...lengths)).toEqual(without(await oracle.get('/other'), ...lengths))
  const latest = await ask(server, 'v2', '/other')
  expect(without(latest, 'etag')).toEqual(without(await oracle.get('/newest'), 'etag'))
  const head = await ask(server, 'v1', '/other', { method: 'HEAD' })
  const plainHead = await oracle.send('HEAD', '/other')
  if (plain === send || title.startsWith('res.')) expect(without(head)).toEqual(without(plainHead))
  // An answer to HEAD that is written in pieces has no field that the answer to GET lacks.
  else expect([head.text, head.headers.etag]).toEqual(['', undefined])
  expect([undefined, plainHead.headers['content-length']]).toContain(head.headers['content-length'])
  const asked = async (etag: string) =>
    (await ask(server, 'v1', '/other', { headers: { 'If-None-Match': etag } })).status
  if (old.headers.etag === undefined) return
  expect([await asked(old.headers.etag), await asked(String(latest.headers.etag))]).toEqual([304, 200])
})

test.each<[title: string, show: (res: Response) => unknown]>([
  ['a prefix, by res.send', (res) => res.type('json').send(`)]}',\n${NEWEST}`)],
  ['a prefix, by res.end', (res) => res.type('json').end(`)]}',\n${NEWEST}`)],
  ['encoded, by res.end', (res) => res.type('json').set('Content-Encoding', 'gzip').end(gzipSync(NEWEST))],
  ['encoded, by res.send', (res) => res.type('json').set('Content-Encoding', 'gzip').send(gzipSync(NEWEST))],
  ['not UTF-8', (res) => res.type('json').end(NEWEST.replace('Ł', 'é'), 'latin1')],
  ['cut off, in pieces', (res) => Readable.from(halves(NEWEST).slice(0, 1)).pipe(res.type('json'))],
  ['by writeHead', (res) => res.writeHead(200, 'Fine', { ...JSON_TYPE, 'Content-Length': 3 }).end('{"x')],
  ['a part', (res) => res.status(206).type('json').set('Content-Range', 'bytes 0-3/9').end(NEWEST.slice(0, 4))],
])('a body of type JSON that is not readable is 500: %s', async (_title, show) => {
  let finished = 0
  const server = await serveOther(steps, (res) => {
    res.set({ ETag: '"newest"', 'Cache-Control': 'public, max-age=60' }).on('finish', () => finished++)
    show(res)
  })
  const { status, json, headers } = await ask(server, 'v1', '/other')
  const error =
    'The change "Odd." failed: its "response" of "GET other" got a body that is not JSON, though its type says so.'
  expect([status, json]).toEqual([500, { failed: { code: 'ERR_VERSION_CHANGE', error, name: 'Error' } }])
  const { 'content-encoding': encoding, 'cache-control': cache, 'content-range': range, etag } = headers
  expect([encoding, cache, range, etag]).toEqual([undefined, undefined, undefined, expect.stringMatching(/^W/)])
  expect(finished).toBe(1)
  expect((await ask(server, 'v2', '/other')).status).not.toBe(500)
})

test.each(['text/csv', 'text/html', 'application/x-ndjson', 'text/event-stream'])('%s passes at once', async (type) => {
  let res!: Response
  const server = await serveOther(steps, (answer) => {
    res = answer
    answer.set('ETag', '"own"').writeHead(200, { 'Content-Type': type })
    answer.flushHeaders()
    answer.write(`${NEWEST}\n`)
  })
  const answer = await fetch(`${server.origin}/other`, { headers: { 'X-API-Version': 'v1' } })
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
  const read = async () => Buffer.from((await reader.read()).value ?? []).toString()
  expect([answer.headers.get('ETag'), await read()]).toEqual(['"own"', `${NEWEST}\n`])
  res.end('last')
  expect([await read(), await read()]).toEqual(['last', ''])
})

test('pieces keep their encoding and callbacks; a wrong call throws as in Node', async () => {
  const told: unknown[] = []
  const server = await serveOther(steps, (res) => {
    for (const send of [() => res.write(5), () => res.writeHead(99), () => res.type('json').end(5)]) {
      try {
        send()
      } catch (error) {
        told.push((error as { code?: string }).code)
      }
    }
    const memory = Buffer.from(NEWEST)
    told.push(res.write(memory.subarray(0, 5), () => told.push('written')))
    const rest = Buffer.from(memory.subarray(5)).toString('hex')
    // A caller may reuse its buffer after `write()`.
    memory.fill(0)
    told.push(res.write(rest, 'hex'), res.headersSent, res.writableEnded)
    setImmediate(() => res.end(() => told.push('finished')))
  })
  expect((await ask(server, 'v1', '/other')).json).toEqual(OLD)
  await new Promise(setImmediate)
  const codes = ['ERR_INVALID_ARG_TYPE', 'ERR_HTTP_INVALID_STATUS_CODE', 'ERR_INVALID_ARG_TYPE']
  expect(told).toEqual([...codes, true, true, false, false, 'written', 'finished'])
})

test('an error is answered in place of a failed answer and of its rest, whose writer is told of the end', async () => {
  let ended = 0
  const server = await serveOther(steps, (res, req, next) => {
    res.type('json').set('Cache-Control', 'no-store')
    if (req.query.first !== undefined) {
      res.write('[1,')
      next({ status: 503 })
    } else if (req.query.end !== undefined) res.end('{', () => ended++)
    else
      for (const rest of [res.json(null), res.writeHead(200), res.write('x'), res.end('y', () => ended++), res.end()])
        void rest
  })
  for (const [query, status] of Object.entries({ first: 503, end: 500, rest: 500 })) {
    const answer = await ask(server, 'v1', `/other?${query}`)
    expect(answer).toMatchObject({
      status,
      json: { failed: expect.anything() },
      headers: { 'cache-control': 'no-store' },
    })
  }
  expect(ended).toBe(2)
})

test('trailers and early hints are sent, except what names the newest bytes', async () => {
  const server = await serveOther(steps, (res, req) => {
    res.writeEarlyHints({ link: '</a.css>; rel=preload' })
    res.type('json').write(NEWEST)
    const trailers: [string, string][] = [['X-Took', '7'], ['Content-MD5', 'newest']] // biome-ignore format: a row
    res.addTrailers(req.query.list ? (trailers as never) : Object.fromEntries(trailers))
    res.end()
  })
  for (const path of ['/other', '/other?list=1']) {
    const head = `GET ${path} HTTP/1.1\r\nHost: a.b\r\nX-API-Version: v1\r\nConnection: close\r\n\r\n`
    const received = await server.raw(head)
    expect(received).toMatch(/^HTTP\/1.1 103 Early Hints\r\nLink: <\/a.css>; rel=preload\r\n\r\nHTTP\/1.1 200 OK\r\n/)
    expect(received).toContain(Buffer.from(JSON.stringify(OLD)).toString('latin1'))
    expect(received).toMatch(/\r\n0\r\nX-Took: 7\r\n\r\n$/)
  }
})

test.each(['json', 'end'] as const)('names of the newest bytes are dropped: %s', async (way) => {
  const names = ['ETag', 'Content-MD5', 'Digest', 'Content-Digest', 'Repr-Digest', 'Unencoded-Digest']
  const server = await serveOther(steps, (res) => {
    for (const name of names) res.set(name, '"newest"')
    return way === 'json' ? res.json(ITEM) : res.type('json').end(NEWEST)
  })
  const named = async (version: string) => {
    const { headers } = await ask(server, version, '/other')
    return names.filter((name) => headers[name.toLowerCase()] === '"newest"')
  }
  expect([await named('v1'), await named('v2')]).toEqual([[], names])
})

test('HEAD of what a GET would convert has no length and no ETag of the newest', async () => {
  const server = await serveOther(steps, (res) => res.type('json').set({ ETag: '"n"', 'Content-Length': '99' }).end())
  const { status, headers } = await ask(server, 'v1', '/other', { method: 'HEAD' })
  expect([status, headers.etag, headers['content-length']]).toEqual([200, undefined, undefined])
})

test('an older version gets the whole of a file, whatever range it asks for', async () => {
  const path = fileOf(NEWEST)
  const server = await serveOther(steps, (res) => res.sendFile(path))
  const headers = { Range: 'bytes=0-3' }
  expect(await ask(server, 'v1', '/other', { headers })).toMatchObject({ status: 200, json: OLD })
  expect(await ask(server, 'v2', '/other', { headers })).toMatchObject({ status: 206, text: NEWEST.slice(0, 4) })
})

test('a document of some thousand levels is served, as in the newest version', async () => {
  let deep: unknown = null
  for (let level = 0; level < 3501; level++) deep = level % 2 ? [deep] : { deep }
  const kept = historyOf(
    [change('One.', { 'GET other': { response: (value: unknown) => value } })],
    [change('Two.', { 'GET other': { response: (value: object) => ({ ...value }) } })],
  )
  const server = await serveChanges(kept, (routes) => routes.route('other').get((_req, res) => void res.json(deep)))
  for (const version of ['v1', 'v2', 'v3']) {
    const { status, text } = await ask(server, version, '/other')
    expect([version, status, text.length]).toEqual([version, 200, JSON.stringify(deep).length])
  }
})

const heads: OperationChange = {
  status: { 201: 200, 204: 200, 202: 204 },
  headers: {
    Location: null,
    'X-Total': (value, { status, version }) => `${version} ${status} ${value}`,
    'X-Both': (value) => value && `own ${value}`,
    'X-Gone': () => undefined,
    Age: (value) => (typeof value === 'string' ? 7 : 0),
  },
}
const created = change('Created.', {
  '*': { headers: { 'X-All': null, 'X-Both': () => 'all' }, status: { 422: 400 } },
  'GET other': heads,
})
const oldest = change('Oldest.', {
  'GET other': { status: { 200: 202 }, headers: { 'x-total': (value) => [`${value}`, 'more'] } },
})
const serveHeads = (show: (res: Response) => unknown) =>
  serveChanges(historyOf([oldest], [created]), (routes) => {
    routes.route('other').get((_req, res) => {
      res.set({ 'X-All': '1', 'X-Both': 'b', Location: '/x', 'X-Total': '3', 'X-Gone': '1' }).setHeader('Age', 1)
      show(res)
    })
  })

test.each<[title: string, show: (res: Response) => unknown, v2: number, v1: number, body: string]>([
  ['res.json', (res) => res.status(201).json('x'), 200, 202, '"x"'],
  ['res.send', (res) => res.status(201).send('x'), 200, 202, 'x'],
  ['res.end', (res) => res.status(201).end('x'), 200, 202, 'x'],
  ['writeHead', (res) => res.writeHead(201, 'Made', { 'X-All': '2' }).end('x'), 200, 202, 'x'],
  ['CSV in pieces', (res) => Readable.from(halves('a,b')).pipe(res.status(201).type('csv')), 200, 202, 'a,b'],
  ['a redirect', (res) => res.redirect('/y'), 302, 302, 'Found. Redirecting to /y'],
  ['204', (res) => res.sendStatus(204), 200, 202, ''],
  ['204 of JSON', (res) => res.status(204).json('x'), 200, 202, ''],
  ['204 in pieces', (res) => res.status(204).write('x', () => res.end('y')), 200, 202, ''],
  ['204 at once', (res) => (res.status(204).write('x') ? res.end(() => {}) : res), 200, 202, ''],
  ['a status without a body', (res) => res.status(202).write('x', () => res.end('y')), 204, 204, ''],
  ['an error', (res) => res.status(422).json('x'), 400, 400, '"x"'],
])('status and header fields change: %s', async (_title, show, v2, v1, body) => {
  const server = await serveHeads(show)
  for (const [version, status, total] of [
    ['v2', v2, `v2 ${v2} 3`],
    ['v1', v1, `v1 ${v2} 3, more`],
  ] as const) {
    const { headers, ...answer } = await ask(server, version, '/other')
    expect(answer).toMatchObject({ status, text: body })
    expect(headers).toMatchObject({ 'x-both': 'own b', 'x-total': total, age: '7' })
    for (const name of ['location', 'x-all', 'x-gone']) expect(headers).not.toHaveProperty(name)
  }
  expect((await ask(server, 'v3', '/other')).headers).toMatchObject({ 'x-total': '3', 'x-both': 'b', age: '1' })
})

test('header fields agree with 304', async () => {
  const server = await serveHeads((res) => res.status(201).json('x'))
  const { headers } = await ask(server, 'v2', '/other')
  const again = await ask(server, 'v2', '/other', { headers: { 'If-None-Match': String(headers.etag) } })
  expect([again.status, again.text, again.headers['x-total']]).toEqual([304, '', 'v2 304 3'])
})

describe.each<[what: string, gives: () => unknown, failed: string]>([
  ['throws', () => JSON.parse('{'), 'threw'],
  ['gives a promise', async () => 'x', 'returned an object, which is not a value of a header field'],
  ['gives a line break', () => 'a\nb', 'returned a value that no header field can have'],
])('a function for a header field that %s is 500', (_what, gives, failed) => {
  test.each<[title: string, show: (res: Response) => unknown]>([
    ['res.json', (res) => res.json(ITEM)],
    ['res.end', (res) => res.end(NEWEST)],
    ['res.write', (res) => res.write(NEWEST)],
    ['CSV in pieces', (res) => [res.type('csv').write('given'), res.write('x'), res.end('y')]],
    ['CSV after writeHead', (res) => [res.writeHead(200, { 'Content-Type': 'text/csv' }).write('given'), res.end('y')]],
    ['CSV from a stream', (res) => Readable.from(['given', 'x', 'y']).pipe(res.type('csv'))],
  ])('%s', async (_title, show) => {
    const server = await serveOther({ headers: { 'X-Odd': gives as () => string } }, show)
    const { status, json } = await ask(server, 'v1', '/other')
    const error = `The change "Odd." failed: its "headers: X-Odd" of "GET other" ${failed}.`
    expect([status, json]).toEqual([500, { code: 'ERR_VERSION_CHANGE', error, name: 'Error' }])
  })
})

/** A method of a response that takes the arguments of every overload of Node's. */
type Write = (...args: unknown[]) => unknown

/** As the package `compression`: own `write`, `end` and `writeHead`, and bytes that are written later. */
const compressing: RequestHandler = (req, res, next) => {
  const { write, end, writeHead } = res as object as Record<'write' | 'end' | 'writeHead', Write>
  let gzip: Gzip | undefined
  const begun = () => {
    if (!res.headersSent) res.writeHead(res.statusCode)
    return gzip as object as Record<'write' | 'end', Write> | undefined
  }
  const own: Record<string, Write> = {
    writeHead(...args) {
      res.writeHead = writeHead as typeof res.writeHead
      if (/gzip/.test(String(req.headers['accept-encoding'])) && req.method !== 'HEAD') {
        gzip = createGzip()
        gzip.on('data', (chunk) => write.call(res, chunk))
        gzip.on('end', () => end.call(res))
        res.setHeader('Content-Encoding', 'gzip')
        res.removeHeader('Content-Length')
      }
      return writeHead.apply(res, args)
    },
    write: (...args) => begun()?.write(...args) ?? write.apply(res, args),
    end: (...args) => begun()?.end(...args) ?? end.apply(res, args),
  }
  Object.assign(res, own)
  next()
}

describe.each(['in front of versioning()', 'behind versioning()'])('compression %s', (place) => {
  // Long enough to be worth compressing, and of more bytes than characters.
  const long = { id: 7, given: 'Łuca '.repeat(300) }
  const texts = [JSON.stringify(toOld(long)), JSON.stringify(long)] as const
  const serveZipped = (show: (res: Response) => unknown): Promise<Served> =>
    serve((app) => {
      const routes = tableOf()
      routes.route('other').get((_req, res) => void show(res))
      const changes = historyOf([change('Odd.', { 'GET other': steps })])
      const versions = versioning({ scheme: HeaderVersioning, changes, routes })
      app.use(...(place.startsWith('in front') ? [compressing, versions] : [versions, compressing]), routes)
    })

  test.each<[title: string, show: (res: Response) => unknown, path: string, wrap: (json: string) => string]>([
    ['res.json', (res) => res.json(long), '/other', String],
    ['res.send of an object', (res) => res.send(long), '/other', String],
    ['res.json later', (res) => setImmediate(() => res.json(long)), '/other', String],
    [
      'res.jsonp',
      (res) => res.jsonp(long),
      '/other?callback=f',
      (json) => `/**/ typeof f === 'function' && f(${json});`,
    ],
  ])('%s', async (_title, show, path, wrap) => {
    const server = await serveZipped(show)
    for (const [index, version] of ['v1', 'v2'].entries()) {
      const answer = await fetch(server.origin + path, { headers: { 'X-API-Version': version } })
      const expected = wrap(texts[index] as string)
      expect([await answer.text(), answer.headers.get('Content-Encoding')]).toEqual([expected, 'gzip'])
      const head = await ask(server, version, path, { method: 'HEAD', headers: { 'Accept-Encoding': 'gzip' } })
      const etag = answer.headers.get('ETag') as string
      expect([head.text, head.headers.etag]).toEqual(['', etag])
      expect([undefined, String(Buffer.byteLength(expected))]).toContain(head.headers['content-length'])
      const again = await ask(server, version, path, { headers: { 'If-None-Match': etag } })
      expect([again.status, again.text]).toEqual([304, ''])
    }
  })

  test('a step that fails', async () => {
    const server = await serveZipped((res) => res.json(null))
    const answer = await fetch(`${server.origin}/other`, { headers: { 'X-API-Version': 'v1' } })
    expect([answer.status, await answer.json()]).toMatchObject([500, { failed: { code: 'ERR_VERSION_CHANGE' } }])
  })
})
