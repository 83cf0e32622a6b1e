import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import express, { type Application, type ErrorRequestHandler } from 'express'

/** A response, as a test reads it. `json` is the parsed body, or `undefined`. */
export type HttpResponse = { status: number; headers: IncomingHttpHeaders; text: string; json: unknown }

/** A server on 127.0.0.1, and ways to ask it. */
export type Served = ReturnType<typeof at>
type Fields = Record<string, string>

const open = new Set<Server>()

afterEach(async () => {
  for (const server of open) {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
  open.clear()
})

/** Responses an error as JSON with its status, message and code. */
export const jsonErrors: ErrorRequestHandler = (err, _req, res, _next) => {
  res.status(err.status ?? 500).json({ error: err.message, code: err.code, name: err.name })
}

/** Starts an app that `build` fills, adds a JSON error handler, and closes it after the test. */
export async function serve(build: (app: Application) => void): Promise<Served> {
  const app = express()
  build(app)
  return listen(app.use(jsonErrors))
}

/** Starts an app as it is. */
export async function listen(app: Application): Promise<Served> {
  const server = createServer(app)
  open.add(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return at((server.address() as AddressInfo).port)
}

/** Returns functions that send requests to a port of 127.0.0.1. */
export function at(port: number) {
  const open = (bytes: string) => {
    const socket = connect(port, '127.0.0.1')
    socket.write(bytes, 'latin1')
    return socket.setTimeout(5000, () => socket.destroy(new Error(`no response to ${JSON.stringify(bytes)}`)))
  }
  /** Sends bytes as they are and resolves with all that came back. */
  const raw = (bytes: string) => text(open(bytes).setEncoding('latin1'))
  // Raw, because fetch and http.request reject or normalize much. Node reads the response, to a request of which it sends nothing.
  const send = async (method: string, path: string, headers: Fields = {}, body = ''): Promise<HttpResponse> => {
    const length = body === '' ? {} : { 'Content-Length': String(body.length) }
    const lines = Object.entries({ Host: `127.0.0.1:${port}`, ...headers, ...length }).map((line) => line.join(': '))
    const bytes = [`${method} ${path} HTTP/1.1`, ...lines, 'Connection: close', '', body].join('\r\n')
    const createConnection = () => Object.assign(open(bytes), { write: () => true })
    const [response] = (await once(request({ method, createConnection }).end(), 'response')) as [IncomingMessage]
    const fields = Object.entries(response.headersDistinct).map(([name, values]) => [name, values?.join(', ')])
    const content = await text(response)
    let json: unknown
    try {
      json = JSON.parse(content)
    } catch {}
    return { status: response.statusCode as number, headers: Object.fromEntries(fields), text: content, json }
  }
  const get = (path: string, headers?: Fields) => send('GET', path, headers)
  return { origin: `http://127.0.0.1:${port}`, port, raw, send, get }
}
