// Text that nobody gave a type is JSON if it is an object or a list. Everything else passes, byte for byte.
import { connect } from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import type { Response } from 'express'
import type { OperationChange } from 'express-versioning/changes'
import { ask, serveOther } from '../../support/changes'

type Show = (res: Response) => unknown
const NEWEST = '{"given":"Łuca"}'
const steps: OperationChange = {
  response: ({ given }: { given: string }) => ({ name: given }),
  error: (value: object) => ({ failed: value }),
}
const OLD = { status: 200, json: { name: 'Łuca' } }
const pieces =
  (...all: (string | Buffer)[]): Show =>
  (res) => {
    for (const piece of all) res.write(piece)
    setImmediate(() => res.end())
  }
const replaced = (res: Response) => Object.assign(res, { json: (value: unknown) => res.end(JSON.stringify(value)) })

test.each<[title: string, show: Show]>([
  ['spaces first', pieces(' ', '\r\n', '\t', NEWEST)],
  ['byte by byte', pieces(...[...Buffer.from(NEWEST)].map((byte) => Buffer.of(byte)))],
  ['a byte order mark, by res.end', (res) => res.end(`\ufeff${NEWEST}`)],
  ['a byte order mark, by res.send', (res) => res.send(`\ufeff${NEWEST}`)],
  ['spaces behind', (res) => res.end(`${NEWEST}\n`)],
  ['an encoded one', (res) => res.set('Content-Encoding', 'gzip').end(gzipSync(NEWEST))],
  ['res.json by res.end', (res) => replaced(res).json(JSON.parse(NEWEST))],
  ['res.jsonp by res.end', (res) => Object.assign(res, { send: res.end }).jsonp(JSON.parse(NEWEST))],
  [
    'res.json of another type by res.end',
    (res) => Object.assign(res.type('text'), { send: res.end }).json(JSON.parse(NEWEST)),
  ],
  [
    'JSON of another type with a number',
    (res) => Object.assign(res.type('text'), { send: res.end }).json({ given: 'Łuca', n: 1e21 }),
  ],
])('it is converted: %s', async (_title, show) => {
  expect(await ask(await serveOther(steps, show), 'v1', '/other')).toMatchObject(OLD)
})

test('res.jsonp by res.end keeps its callback', async () => {
  const server = await serveOther(steps, (res) => Object.assign(res, { send: res.end }).jsonp(JSON.parse(NEWEST)))
  const { text } = await ask(server, 'v1', '/other?callback=f')
  expect(text).toBe(`/**/ typeof f === 'function' && f({"name":"Łuca"});`)
})

const MORE = 'JSON with more text behind it, and without a "Content-Type"'
const NO_JSON = 'a body that is not JSON, though its type says so'
const LATE = 'another "Content-Type" after the response had begun'
test.each<[title: string, got: string, show: Show]>([
  ['more behind it, by res.send', MORE, (res) => res.send(`${NEWEST} ok`)],
  ['more behind it, by res.end', MORE, (res) => res.end(`\ufeff ${NEWEST}x`)],
  ['more behind it, in pieces', MORE, pieces(NEWEST, '\n', NEWEST)],
  ['a string with brackets in it', MORE, (res) => res.end('[{"given":"]}\\\\\\""}] ok')],
  ['another encoding', NO_JSON, (res) => res.end('{"given":"é"}', 'latin1')],
  ['a number that JavaScript cannot hold', 'a number that JavaScript cannot hold', (res) => res.end('{"given":1e400}')],
  ['a type that comes late', LATE, (res) => [res.write('{'), res.type('json').end('}')]],
  ['a type behind the head', LATE, (res) => res.writeHead(200).type('html').end('a')],
  ['an unknown encoding', NO_JSON, (res) => res.set('Content-Encoding', 'zstd').end(NEWEST)],
])('it is an error: %s', async (_title, got, show) => {
  const { status, json } = await ask(await serveOther(steps, show), 'v1', '/other')
  const error = `The change "Odd." failed: its "response" of "GET other" got ${got}.`
  expect([status, json]).toEqual([500, { failed: { code: 'ERR_VERSION_CHANGE', error, name: 'Error' } }])
})

test.each<[title: string, show: Show]>([
  ['a template', (res) => res.end('{{title}} by {{band}}')],
  ['a line of a log', pieces('[', 'INFO', '] ready')],
  ['a list of another language', (res) => res.end("['a']")],
  ['a cut object', pieces('{"given":"a', '"')],
  ['a cut string', (res) => res.end('["\\"]')],
  ['brackets of two kinds', (res) => res.end('[1} {"given":1}')],
  ['an opened object', (res) => res.end('{')],
  ['spaces', pieces(' ', '\n')],
  ['nothing', pieces()],
  ['nothing behind flushed header fields', (res) => [res.flushHeaders(), res.end()]],
  ['bytes', (res) => res.end(Buffer.from([0xff, 0x7b]))],
  ['text in hex', (res) => [res.write('20', 'hex'), res.end('7d', 'hex')]],
  ['encoded text', (res) => res.set({ 'Content-Encoding': 'gzip', ETag: '"own"' }).end(gzipSync('a'))],
  ['text with names of its bytes', (res) => res.set({ ETag: '"own"', Digest: 'a' }).end('{{a}}')],
  ['a string', (res) => res.end('"given"')],
  [
    'HTML of middleware',
    (res) => Object.assign(res, { send: (json: string) => res.type('html').end(`<p>${json}`) }).json({ given: 'a' }),
  ],
  ['no JSON of a callback', (res) => Object.assign(res.type('text'), { send: res.end }).json(undefined)],
])('other text passes: %s', async (_title, show) => {
  const server = await serveOther(steps, show)
  const [old, newest] = [await ask(server, 'v1', '/other'), await ask(server, 'v2', '/other')]
  // Pieces may be joined.
  const { date, 'content-length': length, 'transfer-encoding': coding, ...fields } = newest.headers
  expect(old).toMatchObject({ ...newest, headers: fields })
})

test('other text keeps its trailers', async () => {
  const { raw } = await serveOther(steps, (res) => {
    res.write(' ')
    res.write('x')
    res.addTrailers({ Digest: 'a' })
    res.end()
  })
  const received = await raw('GET /other HTTP/1.1\r\nHost: a\r\nX-API-Version: v1\r\nConnection: close\r\n\r\n')
  expect(received).toMatch(/\r\n0\r\nDigest: a\r\n\r\n$/)
})

test('text that cannot be JSON flows, and back-pressure holds', async () => {
  const written: unknown[] = []
  const { port } = await serveOther(steps, (res) => {
    const piece = 'a'.repeat(1_000_000)
    written.push(res.write(' '), res.write('['), res.write(piece), res.headersSent)
    while (res.write(piece));
    res.once('drain', () => res.end(() => written.push('finished')))
  })
  const socket = connect(port, '127.0.0.1')
  socket.write('GET /other HTTP/1.1\r\nHost: a\r\nX-API-Version: v1\r\nConnection: close\r\n\r\n')
  const received = await readAll(socket)
  expect(received).toContain(' [aaa')
  expect(written).toEqual([true, true, false, true, 'finished'])
})

test('at most maxCollected bytes wait, and their callbacks are called', async () => {
  const called = jest.fn()
  const show: Show = (res) => [res.write('[', called), res.write(`${'1,'.repeat(20)}1`), res.end(']', called)]
  const large = await ask(await serveOther(steps, show, undefined, { maxCollected: 10 }), 'v1', '/other')
  expect(large).toMatchObject({ status: 500, json: { failed: { code: 'ERR_VERSION_CHANGE' } } })
  expect(called).toHaveBeenCalledTimes(2)
})

test.each<[title: string, fields: object, show: Show]>([
  [
    'with the length and names of the newest bytes',
    {},
    (res) => res.set({ 'Content-Length': '99', Digest: 'a' }).end(),
  ],
  ['with text that is no JSON', { digest: 'a' }, (res) => res.set({ Digest: 'a' }).end('{{a}}')],
])('a response to HEAD: %s', async (_title, fields, show) => {
  const server = await serveOther(steps, show)
  const { headers } = await ask(server, 'v1', '/other', { method: 'HEAD' })
  expect({ ...headers, ...fields }).toEqual(headers)
  if (!('digest' in fields)) expect([headers['content-length'], headers.digest]).toEqual([undefined, undefined])
})
