// Requests without a network: what Node's HTTP server does between its parser and the 'request' event, on a socket that
// swallows what it is given.
import { EventEmitter } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'

/** Requests on their way at the same time, so that asynchronous handlers are not measured by their waiting. */
const IN_FLIGHT = 32

class SilentSocket extends EventEmitter {
  readable = true
  writable = true
  remoteAddress = '127.0.0.1'
  _writableState = { corked: 0 }
  #lane

  constructor(lane) {
    super()
    this.#lane = lane
  }

  write(chunk, encoding, callback) {
    this.#lane.received(chunk)
    const done = typeof encoding === 'function' ? encoding : callback
    if (done) done()
    return true
  }

  cork() {}
  uncork() {}
  setTimeout() {}
  destroy() {}
}

/** One connection: its socket, and the response on it. */
class Lane {
  socket = new SilentSocket(this)
  res = undefined
  bytes = 0
  /** The written bytes, if a caller collects them. */
  written = undefined

  constructor(finished) {
    this.finished = finished
  }

  received(chunk) {
    this.bytes += chunk.length
    if (this.written !== undefined) this.written += chunk
  }

  send(handler, request) {
    const { socket } = this
    const req = new IncomingMessage(socket)
    req.httpVersionMajor = 1
    req.httpVersionMinor = 1
    req.httpVersion = '1.1'
    req.method = request.method
    req.url = request.url.latin1Slice()
    const raw = request.headers.map(freshText)
    req._addHeaderLines(raw, raw.length)
    const res = new ServerResponse(req)
    res.shouldKeepAlive = true
    res.assignSocket(socket)
    res.on('finish', this.finished)
    this.res = res
    // Node's server looks for "Expect" in every request, so the headers are always parsed by then.
    if (req.headers.expect === undefined) handler(req, res)
    if (request.content === undefined) return
    req.push(request.content)
    req.push(null)
    req.complete = true
  }

  free() {
    this.res.detachSocket(this.socket)
  }
}

/** The parser makes a new string of each value: none comes with its hash or its table entry. */
function freshText(bytes) {
  return typeof bytes === 'string' ? bytes : bytes.latin1Slice()
}

/**
 * @typedef {object} RequestSpec
 * @property {string} url
 * @property {string} [method]
 * @property {string} [content] the body, of type JSON
 * @property {Record<string, string>} [headers] beside the usual ones of an API client
 * @property {string} [body] what the response's body must be
 * @property {number} [status] what the response's status must be
 */

const USUAL = { Host: 'api.example.com', 'User-Agent': 'bench/1.0', Accept: '*/*', 'Accept-Encoding': 'gzip, deflate' }

function rawRequest({ url, method = 'GET', headers = {}, content }) {
  const length = content === undefined ? 0 : Buffer.byteLength(content)
  const sent = length > 0 ? { 'Content-Type': 'application/json', 'Content-Length': String(length) } : {}
  const given = { ...USUAL, ...sent, ...headers }
  return {
    method,
    content: content === undefined ? undefined : Buffer.from(content),
    url: Buffer.from(url, 'latin1'),
    headers: Object.keys(given).flatMap((name) => [name, Buffer.from(given[name], 'latin1')]),
  }
}

/**
 * A request on its way: what the handler that calls `hold(req)` was given, and has not responded yet.
 *
 * @param {(hold: (req: IncomingMessage) => void) => (req: IncomingMessage, res: ServerResponse) => unknown} handlerWith
 * @param {RequestSpec} spec
 * @returns {Promise<IncomingMessage>}
 */
export async function heldRequest(handlerWith, spec) {
  let held
  const handler = handlerWith((req) => {
    held = req
  })
  const lane = new Lane(() => {})
  lane.written = ''
  lane.send(handler, rawRequest(spec))
  await new Promise(setImmediate)
  if (held === undefined) throw new Error(`the request was responded to: ${JSON.stringify(lane.written)}`)
  return held
}

/**
 * Makes an operation of a request handler: `op(n)` responses `n` requests. Rejects unless the response has the expected status and body.
 *
 * @param {(req: IncomingMessage, res: ServerResponse) => unknown} handler
 * @param {RequestSpec} spec
 * @returns {Promise<(n: number) => Promise<void>>}
 */
export async function dispatching(handler, spec) {
  const { status = 200, body = '1' } = spec
  const request = rawRequest(spec)

  let pending = 0
  let wake = () => {}
  const finished = () => {
    if (--pending === 0) wake()
  }
  const lanes = Array.from({ length: IN_FLIGHT }, () => new Lane(finished))

  async function op(n) {
    for (let left = n; left > 0; left -= IN_FLIGHT) {
      const count = Math.min(left, IN_FLIGHT)
      pending = count
      for (let index = 0; index < count; index++) lanes[index].send(handler, request)
      if (pending > 0) {
        await new Promise((resolve) => {
          wake = resolve
        })
      }
      // Lets go of what Node queued for the next tick.
      await new Promise(setImmediate)
      for (let index = 0; index < count; index++) {
        if (lanes[index].res.statusCode !== status) throw new Error(`status ${lanes[index].res.statusCode}`)
        lanes[index].free()
      }
    }
  }

  lanes[0].written = ''
  await op(1)
  const response = lanes[0].written
  lanes[0].written = undefined
  if (!response.endsWith(`\r\n\r\n${body}`))
    throw new Error(`expected the body ${JSON.stringify(body)}, got ${JSON.stringify(response)}`)
  return op
}
