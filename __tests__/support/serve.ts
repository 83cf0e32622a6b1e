import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import express, { type Application, type ErrorRequestHandler } from 'express'

/** An answer, as a test reads it. */
export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** The parsed body, `undefined` when it is no JSON. */
  json: unknown
}

/** A server on 127.0.0.1, and ways to ask it. */
export interface Served {
  origin: string
  port: number
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  send(method: string, path: string, headers?: Record<string, string>, body?: string): Promise<Answer>
  /** Sends bytes as they are and resolves with all that came back. */
  raw(bytes: string): Promise<string>
}

const open = new Set<Server>()

afterEach(async () => {
  await Promise.all(
    [...open].map((server) => {
      server.closeAllConnections()
      return new Promise((done) => server.close(done))
    }),
  )
  open.clear()
})

/** Answers an error as JSON with its status, message and code. */
export const jsonErrors: ErrorRequestHandler = (err, _req, res, _next) => {
  res.status(err.status ?? 500).json({ error: err.message, code: err.code, name: err.name })
}

/** Starts an app that `build` fills, adds a JSON error handler, and closes it after the test. */
export async function serve(build: (app: Application) => void): Promise<Served> {
  const app = express()
  build(app)
  app.use(jsonErrors)
  return listen(app)
}

/** Starts an app as it is. */
export async function listen(app: Application): Promise<Served> {
  const server = createServer(app)
  open.add(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return at((server.address() as AddressInfo).port)
}

/** Returns functions that send requests to a port of 127.0.0.1. */
export function at(port: number): Served {
  const raw = (bytes: string) =>
    new Promise<string>((done, fail) => {
      let received = ''
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'))
      socket.setEncoding('latin1')
      socket.on('data', (chunk) => {
        received += chunk
      })
      socket.on('error', fail)
      socket.on('close', () => done(received))
      socket.setTimeout(5000, () => socket.destroy(new Error(`no answer to ${JSON.stringify(bytes)}`)))
    })
  // Raw, because fetch sets Accept and normalizes paths and hosts.
  const send: Served['send'] = async (method, path, headers = {}, body = '') => {
    const length = body === '' ? {} : { 'Content-Length': String(body.length) }
    const lines = Object.entries({ Host: `127.0.0.1:${port}`, ...headers, ...length }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    )
    return parsed(await raw(`${method} ${path} HTTP/1.1\r\n${lines.join('')}Connection: close\r\n\r\n${body}`))
  }
  return { origin: `http://127.0.0.1:${port}`, port, raw, send, get: (path, headers) => send('GET', path, headers) }
}

function parsed(received: string): Answer {
  const split = received.indexOf('\r\n\r\n')
  const [first = '', ...lines] = received.slice(0, split).split('\r\n')
  const headers: IncomingHttpHeaders = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
  }
  let body = received.slice(split + 4)
  if (headers['transfer-encoding'] === 'chunked') body = dechunked(body)
  const text = Buffer.from(body, 'latin1').toString('utf8')
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    json = undefined
  }
  return { status: Number(first.split(' ')[1]), headers, text, json }
}

function dechunked(body: string): string {
  let text = ''
  let at = 0
  for (;;) {
    const line = body.indexOf('\r\n', at)
    const size = Number.parseInt(body.slice(at, line), 16)
    if (!(size > 0)) return text
    text += body.slice(line + 2, line + 2 + size)
    at = line + 2 + size + 2
  }
}
