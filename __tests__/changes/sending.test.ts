import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as httpRequest, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, pipeline, Readable } from 'node:stream'
import { createGzip, gzipSync } from 'node:zlib'
import express, { type Request, type RequestHandler, type Response } from 'express'
import { HeaderVersioning, problemDetails, versioning } from 'express-versioning'
import { change } from 'express-versioning/changes'
import { ask, historyOf, serveChanges, tableOf } from '../support/changes'
import { type Answer, type Served, serve } from '../support/serve'

// Every way to send a value, and what an app without versions sends of the older value that was written by hand.

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
  'writeHead and end': {
    send: (res, value) => res.writeHead(201, { 'Content-Type': 'application/json', 'X-Own': 'a' }).end(text(value)),
  },
  'writeHead with a phrase and a list': {
    send: (res, value) => {
      res.writeHead(200, 'Fine', ['Content-Type', 'application/json', 'X-Own', 'a'])
      res.end(text(value))
    },
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
  'early hints before': {
    send: (res, value) => {
      res.writeEarlyHints({ link: '</style.css>; rel=preload' })
      res.json(value)
    },
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
        res.writeHead(answer.statusCode as number, answer.headers)
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
      if (method === 'GET' || plain === send)
        expect([method, without(old, [...vary, ...differs])]).toEqual([
          method,
          without(expected, [...vary, ...differs]),
        ])
      else {
        // Written in pieces or elsewhere, it says nothing that a GET would not.
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
