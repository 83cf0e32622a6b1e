import { createGzip, type Gzip } from 'node:zlib'
import express, { type RequestHandler, type Response } from 'express'
import { HeaderVersioning, versioning } from 'express-versioning'
import { change } from 'express-versioning/changes'
import { ask, historyOf, tableOf } from '../support/changes'
import { type Served, serve } from '../support/serve'

interface User {
  id: number
  name: string
}

const history = historyOf([
  change('Users have `id` in place of `uid`, and errors are objects.', {
    'GET user-detail': {
      response: ({ id, ...user }: User) => ({ uid: id, ...user }),
      error: ({ error }: { error: { text: string } }) => ({ error: error.text }),
    },
  }),
])

// Long enough to be worth compressing, and of more bytes than characters.
const user: User = { id: 7, name: 'Łukasiewicz '.repeat(200) }
const newest = JSON.stringify(user)
const older = JSON.stringify({ uid: 7, name: user.name })

/** A method of a response that takes the arguments of every overload of Node's. */
type Write = (...args: unknown[]) => unknown

/** As the package `compression`: own `write`, `end` and `writeHead`, and bytes that are written later. */
const compressing: RequestHandler = (req, res, next) => {
  const { write, end, writeHead } = res as object as Record<'write' | 'end' | 'writeHead', Write>
  let gzip: Gzip | undefined
  const begin: Write = (...args) => {
    res.writeHead = writeHead as typeof res.writeHead
    const isWanted = /gzip/.test(String(req.headers['accept-encoding']))
    if (isWanted && req.method !== 'HEAD' && res.hasHeader('Content-Type')) {
      gzip = createGzip()
      gzip.on('data', (chunk) => write.call(res, chunk))
      gzip.on('end', () => end.call(res))
      res.setHeader('Content-Encoding', 'gzip')
      res.removeHeader('Content-Length')
    }
    return writeHead.apply(res, args)
  }
  const begun = () => {
    if (!res.headersSent) res.writeHead(res.statusCode)
    return gzip as object as Record<'write' | 'end', Write> | undefined
  }
  const own: Record<string, Write> = {
    writeHead: begin,
    write(...args) {
      const stream = begun()
      return stream === undefined ? write.apply(res, args) : stream.write(...args)
    },
    end(...args) {
      const stream = begun()
      return stream === undefined ? end.apply(res, args) : stream.end(...args)
    },
  }
  Object.assign(res, own)
  next()
}

/** As the package `morgan`: notes when headers go out, and tells of a request when its answer has been handed over. */
const logging =
  (lines: string[]): RequestHandler =>
  (req, res, next) => {
    let headers = 'none'
    const { writeHead } = res as object as Record<'writeHead', Write>
    Object.assign(res, {
      writeHead(...args: unknown[]) {
        headers = String(res.getHeader('Content-Length'))
        return writeHead.apply(res, args)
      },
    })
    res.on('finish', () => lines.push(`${req.method} ${res.statusCode} ${headers} ${res.getHeader('Content-Length')}`))
    next()
  }

const lines: string[] = []
beforeEach(() => lines.splice(0))

const PLACES = ['alone', 'in front of versioning()', 'behind versioning()'] as const

function served(place: (typeof PLACES)[number], show: (res: Response) => unknown): Promise<Served> {
  return serve((app) => {
    const routes = tableOf()
    routes.route('user-detail').get((_req, res) => void show(res))
    const others = [compressing, logging(lines)]
    if (place === 'in front of versioning()') app.use(others)
    app.use(versioning({ scheme: HeaderVersioning, changes: history, routes }))
    if (place === 'behind versioning()') app.use(others)
    app.use(express.json(), routes)
  })
}

/** Requests a path and returns the answer as a client sees it, decompressed. */
async function read({ origin }: Served, version: string, path = '/users/7') {
  const answer = await fetch(origin + path, { headers: { 'X-API-Version': version }, redirect: 'manual' })
  const { status, headers } = answer
  return { status, headers, text: await answer.text() }
}

const failure = { error: { text: 'gone' } }
const callback = (json: string) => `/**/ typeof f === 'function' && f(${json});`

describe.each(PLACES)('compression and a log %s', (place) => {
  const isPresent = place !== 'alone'

  test.each<[title: string, show: (res: Response) => unknown, status: number, v1: string, v2: string, path?: string]>([
    ['res.json', (res) => res.json(user), 200, older, newest],
    ['res.send of an object', (res) => res.send(user), 200, older, newest],
    ['res.json later', (res) => setImmediate(() => res.json(user)), 200, older, newest],
    ['res.jsonp', (res) => res.jsonp(user), 200, callback(older), callback(newest), '/users/7?callback=f'],
    ['an error', (res) => res.status(410).json(failure), 410, '{"error":"gone"}', JSON.stringify(failure)],
  ])('%s', async (title, show, status, v1, v2, path = '/users/7') => {
    const server = await served(place, show)
    for (const [version, expected] of [
      ['v1', v1],
      ['v2', v2],
    ] as const) {
      const answer = await read(server, version, path)
      expect(answer.status).toBe(status)
      if (title === 'a redirect') expect(answer.headers.get('Location')).toBe('/other')
      else if (title === 'a file') expect(JSON.parse(answer.text)).toEqual(JSON.parse(expected))
      else expect(answer.text).toBe(expected)
      const isCompressed = isPresent && status !== 204
      expect(answer.headers.get('Content-Encoding')).toBe(isCompressed ? 'gzip' : null)
      const length = answer.headers.get('Content-Length')
      if (length !== null) expect(Number(length)).toBe(Buffer.byteLength(answer.text))
      expect(lines).toHaveLength(isPresent ? 1 : 0)
      expect(lines.splice(0).join()).toMatch(isPresent ? RegExp(`^GET ${status} `) : /^$/)

      // HEAD, ETag, 304 and ranges describe the converted body, not the handler's.
      const headers = { 'Accept-Encoding': 'gzip' }
      const head = await ask(server, version, path, { method: 'HEAD', headers })
      expect([head.status, head.text]).toEqual([status, ''])
      for (const name of ['ETag', 'Content-Type', 'Location']) {
        expect([name, head.headers[name.toLowerCase()] ?? null]).toEqual([name, answer.headers.get(name)])
      }
      const told = head.headers['content-length']
      if (told !== undefined && title !== 'a redirect') expect(Number(told)).toBe(Buffer.byteLength(answer.text))
      const etag = answer.headers.get('ETag')
      if (etag !== null && status === 200) {
        const again = await ask(server, version, path, { headers: { ...headers, 'If-None-Match': etag } })
        expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag])
      }
      lines.splice(0)
    }
  })

  test.each([false, true])('a step that fails, in a callback: %p', async (later) => {
    // The step for errors reads a text that is not there.
    const server = await served(place, (res) => {
      const show = () => res.status(410).json({ id: 'secret' })
      if (later) setImmediate(show)
      else show()
    })
    const { status, text, headers } = await read(server, 'v1')
    expect([status, JSON.parse(text).code]).toEqual([500, 'ERR_VERSION_CHANGE'])
    expect(text).not.toContain('secret')
    expect(headers.get('Content-Type')).toBe('application/json; charset=utf-8')
    expect(await read(server, 'v2')).toMatchObject({ status: 410, text: '{"id":"secret"}' })
  })
})
