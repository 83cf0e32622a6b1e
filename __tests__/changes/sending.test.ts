import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, pipeline, Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import type { Request, Response } from 'express'
import { change } from 'express-versioning/changes'
import { ask, historyOf, serveChanges } from '../support/changes'
import { type Answer, serve } from '../support/serve'

// Each way to send a value must match an app without versions that sends the older value, written by hand.

interface Item {
  id: number
  given: string
}
const older = ({ id, given }: Item) => ({ id, name: given })
const item: Item = { id: 7, given: 'Łuca <a&b>' }
const VALUES: Record<string, [newest: unknown, older: unknown, step: (value: never) => unknown]> = {
  'an object': [item, older(item), older],
  'a list': [[item, item], [item, item].map(older), (items: Item[]) => items.map(older)],
  'a nested value': [
    { page: { items: [item] } },
    { page: { items: [older(item)] } },
    ({ page }: { page: { items: Item[] } }) => ({ page: { items: page.items.map(older) } }),
  ],
}

const folder = mkdtempSync(join(tmpdir(), 'sending-'))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0

/** A server that answers a value as JSON, for proxies. */
async function upstream(value: unknown): Promise<number> {
  const server = createServer((_req, res) => {
    res.writeHead(200, { 'Content-Type': 'application/json', ETag: '"up"', 'X-Up': 'yes' }).end(JSON.stringify(value))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  closers.push(() => server.close())
  return (server.address() as AddressInfo).port
}
const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

type Way = (res: Response, value: unknown, req: Request) => unknown
const text = (value: unknown) => JSON.stringify(value)
const bytes = (value: unknown) => Buffer.from(text(value))
const halves = (value: unknown) => [bytes(value).subarray(0, 9), bytes(value).subarray(9)]

/** `plain`: how the oracle sends it, where its bytes cannot be those of the way itself. */
const WAYS: Record<string, { send: Way; plain?: Way; differs?: string[] }> = {
  'res.json': { send: (res, value) => res.json(value) },
  'res.jsonp': { send: (res, value) => res.jsonp(value) },
  'res.send of a value': { send: (res, value) => res.send(value) },
  'res.send of typed text': { send: (res, value) => res.type('json').send(text(value)) },
  'res.send of text without a type': { send: (res, value) => res.send(text(value)) },
  'res.send of spaced text without a type': {
    send: (res, value) => res.send(` \n${text(value)}`),
    plain: (res, value) => res.send(text(value)),
  },
  'res.send of a typed Buffer': { send: (res, value) => res.type('application/hal+json').send(bytes(value)) },
  'res.end': { send: (res, value) => res.type('json').end(text(value)) },
  'res.end of a Buffer, with its length': {
    send: (res, value) =>
      res
        .type('json')
        .set('Content-Length', String(bytes(value).length))
        .end(bytes(value)),
  },
  'res.end with its type in a list': {
    send: (res, value) => res.setHeader('Content-Type', ['application/json']).end(text(value)),
    plain: (res, value) => res.type('application/json').end(text(value)),
  },
  'writeHead and end': {
    send: (res, value) => res.writeHead(201, { 'Content-Type': 'application/json', 'X-Own': 'a' }).end(text(value)),
    plain: (res, value) => res.status(201).set('X-Own', 'a').type('json').end(text(value)),
  },
  'writeHead with a phrase and a list': {
    send: (res, value) => {
      res.writeHead(200, 'Fine', ['Content-Type', 'application/json', 'X-Own', 'a'])
      res.end(text(value))
    },
    plain: (res, value) => res.set('X-Own', 'a').type('json').end(text(value)),
  },
  'write and end': {
    send: (res, value) => {
      res.type('json')
      const [first, last] = halves(value)
      res.write(first)
      res.end(last)
    },
    plain: (res, value) => res.type('json').end(text(value)),
  },
  'flushed headers, then pieces': {
    send: (res, value) => {
      res.type('json').flushHeaders()
      for (const half of halves(value)) res.write(half.toString('latin1'), 'latin1')
      setImmediate(() => res.end())
    },
    plain: (res, value) => res.type('json').end(text(value)),
  },
  'a stream': {
    send: (res, value) => Readable.from(halves(value)).pipe(res.type('json')),
    plain: (res, value) => res.type('json').end(text(value)),
  },
  'a pipeline': {
    send: (res, value) => pipeline(Readable.from(halves(value)), new PassThrough(), res.type('json'), () => {}),
    plain: (res, value) => res.type('json').end(text(value)),
  },
  'a BOM in front': {
    send: (res, value) => res.type('json').end(`\ufeff${text(value)}`),
    plain: (res, value) => res.type('json').end(text(value)),
  },
  'a file': {
    send(res, value) {
      const path = join(folder, `${files++}.json`)
      writeFileSync(path, text(value))
      res.sendFile(path)
    },
    plain: (res, value) => res.type('json').end(text(value)),
    differs: ['accept-ranges', 'cache-control', 'last-modified'],
  },
  "a proxy's answer": {
    send: async (res, value) => {
      const port = await upstream(value)
      httpRequest({ port, host: '127.0.0.1' }, (answer) => {
        const { connection: _, 'keep-alive': __, ...headers } = answer.headers
        res.writeHead(answer.statusCode as number, headers)
        answer.pipe(res)
      }).end()
    },
    plain: (res, value) => res.set('X-Up', 'yes').type('application/json').end(text(value)),
  },
}

const without = ({ headers, ...answer }: Answer, names: readonly string[]) => {
  const kept = Object.entries(headers).filter(([name]) => !['date', 'x-api-version', ...names].includes(name))
  return {
    ...answer,
    headers: Object.fromEntries(
      kept.map(([name, value]) => [
        name,
        name === 'content-type' ? String(value).toLowerCase().replace('; charset=utf-8', '') : value,
      ]),
    ),
  }
}

describe.each(Object.entries(WAYS))('%s', (way, { send, plain = send, differs = [] }) => {
  test.each(Object.entries(VALUES))('of %s', async (_what, [newest, olderValue, step]) => {
    const history = historyOf([change('Name.', { 'GET other': { response: step as (value: unknown) => unknown } })])
    const server = await serveChanges(history, (routes) => {
      routes.route('other').get((req, res) => void send(res, newest, req))
    })
    const oracle = await serve((app) => {
      app.get('/other', (req, res) => void plain(res, olderValue, req))
    })
    const newestOracle = await serve((app) => {
      app.get('/other', (req, res) => void send(res, newest, req))
    })
    const vary = [
      'vary',
      ...(way === "a proxy's answer"
        ? ['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length']
        : []),
    ]
    for (const method of ['GET', 'HEAD']) {
      const [old, expected] = [await ask(server, 'v1', '/other', { method }), await oracle.send(method, '/other')]
      if (method === 'GET' || plain === send || way.startsWith('res.send'))
        expect([method, without(old, [...vary, ...differs])]).toEqual([
          method,
          without(expected, [...vary, ...differs]),
        ])
      else {
        // An answer to HEAD that is written in pieces or elsewhere has no field that the answer to GET lacks.
        expect([old.text, old.headers.etag]).toEqual(['', undefined])
        expect([undefined, expected.headers['content-length']]).toContain(old.headers['content-length'])
      }
    }
    const volatile = [...vary, 'etag', 'last-modified', 'date']
    expect(without(await ask(server, 'v2', '/other'), volatile)).toEqual(
      without(await newestOracle.get('/other'), volatile),
    )
    const { etag } = (await ask(server, 'v1', '/other')).headers
    if (etag !== undefined) {
      expect((await ask(server, 'v1', '/other', { headers: { 'If-None-Match': etag } })).status).toBe(304)
    }
  })
})

/** An app whose one operation is answered in some way, with a step for answers and one for errors. */
function answering(show: (res: Response, req: Request) => unknown) {
  const error = (value: object) => ({ failed: value })
  const history = historyOf([change('Name.', { 'GET other': { response: older, error } })])
  return serveChanges(history, (routes) => {
    routes.route('other').get((req, res) => void show(res, req))
  })
}
const OLDER = older(item)
const NEWEST = text(item)

describe('of type JSON, and not readable', () => {
  test.each<[title: string, show: (res: Response) => unknown]>([
    ['a prefix, by res.send', (res) => res.type('json').send(`)]}',\n${NEWEST}`)],
    ['a prefix, by res.end', (res) => res.type('json').end(`)]}',\n${NEWEST}`)],
    ['encoded already, by res.end', (res) => res.type('json').set('Content-Encoding', 'gzip').end(gzipSync(NEWEST))],
    ['encoded already, by res.send', (res) => res.type('json').set('Content-Encoding', 'gzip').send(gzipSync(NEWEST))],
    ['not UTF-8', (res) => res.type('json').end(NEWEST.replace('Ł', 'é'), 'latin1')],
    ['cut off, in pieces', (res) => Readable.from([bytes(item).subarray(0, 9)]).pipe(res.type('json'))],
    [
      'by writeHead',
      (res) => res.writeHead(200, 'Fine', { 'Content-Type': 'application/json', 'Content-Length': 3 }).end('{"x'),
    ],
    ['a part', (res) => res.status(206).type('json').set('Content-Range', 'bytes 0-3/9').end(NEWEST.slice(0, 4))],
  ])('%s', async (_title, show) => {
    let finished = 0
    const server = await answering((res) => {
      res.set('ETag', '"newest"').set('Cache-Control', 'public, max-age=60')
      res.on('finish', () => finished++)
      show(res)
    })
    const answer = await ask(server, 'v1', '/other')
    expect(answer).toMatchObject({ status: 500, json: { failed: { code: 'ERR_VERSION_CHANGE' } } })
    expect(answer.text).toContain('got a body that is not JSON, though its type says so.')
    expect(answer.text).not.toContain('given')
    const { etag, 'content-encoding': encoding, 'cache-control': cache, 'content-range': range } = answer.headers
    expect([encoding, cache, range, etag]).toEqual([undefined, undefined, undefined, expect.stringMatching(/^W/)])
    expect(finished).toBe(1)
    expect((await ask(server, 'v2', '/other')).status).not.toBe(500)
  })

  test('is told of whoever ended the answer, too', async () => {
    const ended: string[] = []
    const server = await answering((res) => void res.type('json').end('{', () => ended.push('ended')))
    expect((await ask(server, 'v1', '/other')).status).toBe(500)
    expect(ended).toEqual(['ended'])
  })
})

test.each(['text/csv', 'text/html', 'application/x-ndjson', 'text/event-stream'])(
  '%s passes as it is written, at once',
  async (type) => {
    let res!: Response
    const server = await answering((answer) => {
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
  },
)

test('what a piece is written with holds', async () => {
  const told: unknown[] = []
  const server = await answering((res) => {
    const memory = bytes(item)
    res.type('json')
    told.push(res.write(memory.subarray(0, 5), () => told.push('written')))
    const rest = Buffer.from(memory.subarray(5)).toString('hex')
    // A caller may reuse its buffer after `write()`.
    memory.fill(0)
    told.push(
      res.write(rest, 'hex', () => told.push('written')),
      res.headersSent,
      res.writableEnded,
    )
    setImmediate(() => res.end(() => told.push('finished')))
  })
  expect((await ask(server, 'v1', '/other')).json).toEqual(OLDER)
  await new Promise(setImmediate)
  expect(told).toEqual([true, true, false, false, 'written', 'written', 'finished'])
  const errors: unknown[] = []
  const odd = await answering((res) => {
    for (const send of [() => res.write(5), () => res.writeHead(99), () => res.type('json').end(5)]) {
      try {
        send()
      } catch (error) {
        errors.push((error as { code?: string }).code)
      }
    }
    res.json(item)
  })
  expect((await ask(odd, 'v1', '/other')).json).toEqual(OLDER)
  expect(errors).toEqual(['ERR_INVALID_ARG_TYPE', 'ERR_HTTP_INVALID_STATUS_CODE', 'ERR_INVALID_ARG_TYPE'])
})

test('an error behind the first piece is answered in place of it', async () => {
  const server = await answering((res, req) => {
    res.type('json').write('[1,')
    req.next?.(Object.assign(new Error('broken'), { status: 503 }))
  })
  const answer = await ask(server, 'v1', '/other')
  expect(answer).toMatchObject({ status: 503, json: { failed: { error: 'broken' } } })
})

test('trailers and early hints go out, but for what names the newest bytes', async () => {
  const server = await answering((res) => {
    res.writeEarlyHints({ link: '</a.css>; rel=preload' })
    res.type('json').write(NEWEST)
    res.addTrailers({ 'X-Took': '7', 'Content-MD5': 'newest' })
    res.end()
  })
  const received = await server.raw(
    'GET /other HTTP/1.1\r\nHost: a.b\r\nX-API-Version: v1\r\nConnection: close\r\n\r\n',
  )
  expect(received).toMatch(/^HTTP\/1.1 103 Early Hints\r\nLink: <\/a.css>; rel=preload\r\n\r\nHTTP\/1.1 200 OK\r\n/)
  expect(received).toContain(Buffer.from(text(OLDER)).toString('latin1'))
  expect(received).toMatch(/\r\n0\r\nX-Took: 7\r\n\r\n$/)
})

test.each(['json', 'end'] as const)('what names the newest bytes is dropped: %s', async (way) => {
  const names = ['ETag', 'Content-MD5', 'Digest', 'Content-Digest', 'Repr-Digest', 'Unencoded-Digest']
  const server = await answering((res) => {
    for (const name of names) res.set(name, '"newest"')
    if (way === 'json') res.json(item)
    else res.type('json').end(NEWEST)
  })
  const named = async (version: string) => {
    const { headers } = await ask(server, version, '/other')
    return names.filter((name) => headers[name.toLowerCase()] === '"newest"')
  }
  expect([await named('v1'), await named('v2')]).toEqual([[], names])
})

test('HEAD of what a GET would convert says nothing of the newest bytes', async () => {
  const server = await answering((res) => void res.type('json').set({ ETag: '"n"', 'Content-Length': '99' }).end())
  const { status, headers } = await ask(server, 'v1', '/other', { method: 'HEAD' })
  expect([status, headers.etag, headers['content-length']]).toEqual([200, undefined, undefined])
})

test('an older version gets the whole of a file, whatever range it asks for', async () => {
  const path = join(folder, 'range.json')
  writeFileSync(path, NEWEST)
  const server = await answering((res) => res.sendFile(path))
  const headers = { Range: 'bytes=0-3' }
  expect(await ask(server, 'v1', '/other', { headers })).toMatchObject({ status: 200, json: OLDER })
  expect(await ask(server, 'v2', '/other', { headers })).toMatchObject({ status: 206, text: NEWEST.slice(0, 4) })
})

test('a document nested some thousand levels deep is served, as in the newest version', async () => {
  let deep: unknown = null
  for (let level = 0; level < 3501; level++) deep = level % 2 ? [deep] : { deep }
  const kept = historyOf(
    [change('One.', { 'GET other': { response: (value: unknown) => value } })],
    [change('Two.', { 'GET other': { response: (value: object) => ({ ...value }) } })],
  )
  const server = await serveChanges(kept, (routes) => {
    routes.route('other').get((_req, res) => void res.json(deep))
  })
  for (const version of ['v1', 'v2', 'v3']) {
    const { status, text: sent } = await ask(server, version, '/other')
    expect([version, status, sent.length]).toEqual([version, 200, text(deep).length])
  }
})

describe('status and headers of a change', () => {
  const created = change('Created.', {
    '*': { headers: { 'X-All': null, 'X-Both': () => 'all' }, status: { 422: 400 } },
    'GET other': {
      status: { 201: 200, 204: 200, 202: 204 },
      headers: {
        Location: null,
        'X-Total': (value, { status, version }) => `${version} ${status} ${value}`,
        'X-Both': (value) => value && `own ${value}`,
      },
    },
  })
  const oldest = change('Oldest.', {
    'GET other': { status: { 200: 202 }, headers: { 'x-total': (value) => [`${value}`, 'more'] } },
  })
  const history = historyOf([oldest], [created])
  const served = (show: (res: Response) => unknown) =>
    serveChanges(history, (routes) => {
      routes.route('other').get((_req, res) => {
        res.set({ 'X-All': '1', 'X-Both': 'b', Location: '/x', 'X-Total': '3' })
        show(res)
      })
    })

  test.each<[title: string, show: (res: Response) => unknown, v2: number, v1: number, body: string]>([
    ['res.json', (res) => res.status(201).json('x'), 200, 202, '"x"'],
    ['res.send', (res) => res.status(201).send('x'), 200, 202, 'x'],
    ['res.end', (res) => res.status(201).end('x'), 200, 202, 'x'],
    ['writeHead', (res) => res.writeHead(201, 'Made', { 'X-All': '2' }).end('x'), 200, 202, 'x'],
    [
      'CSV in pieces',
      (res) => Readable.from([Buffer.from('a,'), Buffer.from('b')]).pipe(res.status(201).type('csv')),
      200,
      202,
      'a,b',
    ],
    ['a redirect', (res) => res.redirect('/y'), 302, 302, 'Found. Redirecting to /y'],
    ['204', (res) => res.sendStatus(204), 200, 202, ''],
    ['204 of JSON', (res) => res.status(204).json('x'), 200, 202, ''],
    ['204 in pieces', (res) => res.status(204).write('x', () => res.end('y')), 200, 202, ''],
    ['a status without a body, in pieces', (res) => res.status(202).write('x', () => res.end('y')), 204, 204, ''],
    ['an error', (res) => res.status(422).json('x'), 400, 400, '"x"'],
  ])('%s', async (_title, show, v2, v1, body) => {
    const server = await served(show)
    for (const [version, status] of [
      ['v2', v2],
      ['v1', v1],
    ] as const) {
      const answer = await ask(server, version, '/other')
      const told = `${version} ${v2} 3`
      expect([answer.status, answer.text, answer.headers]).toEqual([
        status,
        body,
        expect.objectContaining({ 'x-both': 'own b', 'x-total': version === 'v1' ? `${told}, more` : told }),
      ])
      expect(answer.headers).not.toHaveProperty('location')
      expect(answer.headers).not.toHaveProperty('x-all')
    }
    const newest = await ask(server, 'v3', '/other')
    expect(newest.headers).toMatchObject({ 'x-total': '3', 'x-both': 'b' })
  })

  test('agree with 304, and with the ETag of Express', async () => {
    const server = await served((res) => res.status(201).json('x'))
    const { headers } = await ask(server, 'v2', '/other')
    const again = await ask(server, 'v2', '/other', { headers: { 'If-None-Match': String(headers.etag) } })
    expect([again.status, again.text, again.headers['x-total']]).toEqual([304, '', 'v2 304 3'])
  })

  test.each<[what: string, gives: () => unknown, failed: string]>([
    [
      'throws',
      () => {
        throw new Error('x')
      },
      'threw',
    ],
    ['gives a promise', () => Promise.resolve('x'), 'returned an object, which is not a value of a header field'],
    ['gives a line break', () => 'a\nb', 'returned a value that no header field can have'],
  ])('a function that %s is 500 ERR_VERSION_CHANGE', async (_what, gives, failed) => {
    const odd = change('Odd.', { 'GET other': { headers: { 'X-Odd': gives as () => string } } })
    for (const show of [
      (res: Response) => res.json(item),
      (res: Response) => res.end(NEWEST),
      (res: Response) => res.write(NEWEST),
    ]) {
      const server = await serveChanges(historyOf([odd]), (routes) => {
        routes.route('other').get((_req, res) => void show(res))
      })
      const answer = await ask(server, 'v1', '/other')
      expect([answer.status, answer.text]).toEqual([500, expect.not.stringContaining('given')])
      expect((answer.json as { error: string }).error).toContain(`its "headers: X-Odd" of "GET other" ${failed}.`)
    }
  })

  test.each<[what: unknown, said: string]>([
    [{ status: { 99: 200 } }, 'takes statuses from 100 to 599, such as { 201: 200 }; got 99.'],
    [{ status: { 200: '201' } }, "takes statuses from 100 to 599, such as { 201: 200 }; got '201'."],
    [{ status: { 200: 600 } }, 'got 600.'],
    [{ status: [200] }, '"status" of "GET other" takes an object; got [ 200 ].'],
    [{ headers: null }, '"headers" of "GET other" takes an object; got null.'],
    [{ headers: { 'a b': null } }, "takes names of header fields; got 'a b'."],
    [{ headers: { Location: 'x' } }, 'takes a function or null for "Location"; got \'x\'.'],
    [{ status: {} }, 'says nothing of "GET other"'],
  ])('change() refuses %p', (operation, said) => {
    expect(() => change('Odd.', { 'GET other': operation as never })).toThrow(said)
  })
})
