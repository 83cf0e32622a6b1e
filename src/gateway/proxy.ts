// The handler that sends a request to the service, and its response to the client.
import type { IncomingMessage } from 'node:http'
import type { Request, RequestHandler, Response } from 'express'
import { isFieldValue } from '../http/fields'
import { isJsonType } from '../http/json'
import { setReason } from '../http/representation'
import { breakOff } from '../http/response-calls'
import { appendVary } from '../http/vary'
import { peekState } from '../request/state'
import { GatewayError } from './failures'
import { endToEnd, fieldsFor } from './forwarded'
import { locationFor } from './location-field'
import { sendConverted } from './send-converted'
import { addressOf, ask, type Service } from './service'

/** Makes the handler that sends requests to a service. */
export function proxyTo(service: Service): RequestHandler {
  return function proxy(req, res, next) {
    const path = addressOf(service, req)
    const proxyReq = ask(service, { method: req.method, path, headers: fieldsFor(req) })
    const patience = new Patience(service.timeout, () => fail(new GatewayError(504)))
    let isOver = false
    const fail = (error: GatewayError): void => {
      if (isOver) return
      isOver = true
      patience.end()
      proxyReq.destroy()
      // The connection may be kept, with what the client still sends.
      req.resume()
      next(error)
    }
    // A connection that becomes another protocol, which nobody asked for, only closes.
    for (const event of ['error', 'close']) proxyReq.on(event, () => fail(new GatewayError(502)))
    proxyReq.once('response', (proxyRes) => {
      patience.end()
      if (!isSendable(proxyRes)) {
        fail(new GatewayError(502))
        return
      }
      isOver = true
      respond(req, res, proxyRes, service, path)
    })
    res.once('close', () => {
      isOver = true
      patience.end()
      proxyReq.destroy()
      req.resume()
    })
    sendBody(req, proxyReq, patience)
  }
}

/** Sends the body of a request as it comes. The time for the response begins at its end, or while the service takes no more. */
function sendBody(req: Request, proxyReq: ReturnType<typeof ask>, patience: Patience): void {
  sendConverted(proxyReq, req)
  if (req.readableEnded) {
    proxyReq.end()
    patience.begin()
    return
  }
  req.on('data', (piece: Buffer) => {
    if (proxyReq.destroyed || proxyReq.write(piece)) return
    req.pause()
    patience.begin()
  })
  proxyReq.on('drain', () => {
    patience.end()
    req.resume()
  })
  req.once('end', () => {
    proxyReq.end()
    patience.begin()
  })
}

/** The time that the service has while the client waits for it alone. */
class Patience {
  #timer: NodeJS.Timeout | undefined

  constructor(
    private readonly time: number,
    private readonly over: () => void,
  ) {}

  begin(): void {
    this.end()
    this.#timer = setTimeout(this.over, this.time)
  }

  end(): void {
    clearTimeout(this.#timer)
  }
}

/** Tells whether Node sends the status line of a response. It reads more than it sends. */
function isSendable({ statusCode, statusMessage }: IncomingMessage): boolean {
  return Number(statusCode) >= 100 && isFieldValue(String(statusMessage))
}

/** Sends the response of the service. */
function respond(req: Request, res: Response, proxyRes: IncomingMessage, { target }: Service, path: string): void {
  res.statusCode = proxyRes.statusCode as number
  setReason(res, proxyRes.statusMessage as string)
  writeFields(req, res, proxyRes, target, path)
  proxyRes.on('error', () => {})
  proxyRes.once('close', () => {
    // What has come is not the whole.
    if (!proxyRes.complete && !res.writableEnded) breakOff(res)
  })
  // A stream may be idle at its beginning. JSON may have to be converted first.
  const type = res.getHeader('Content-Type')
  if (type !== undefined && !isJsonType(type)) res.flushHeaders()
  proxyRes.pipe(res)
}

/** Writes the header fields of the service. Those that the package has written about versions stay. */
function writeFields(req: Request, res: Response, proxyRes: IncomingMessage, target: URL, path: string): void {
  const own = new Set(peekState(req)?.written?.fields.map(({ name }) => name.toLowerCase()))
  for (const [name, value] of Object.entries(endToEnd(proxyRes.headersDistinct as IncomingMessage['headers']))) {
    const values = value as string[]
    if (name === 'vary') appendVary(res, values.join(', '))
    else if (name === 'link' && own.has(name)) res.appendHeader(name, values)
    else if (name === 'location') res.setHeader(name, locationFor(req, values[0] as string, target, path))
    else if (!own.has(name)) res.setHeader(name, values.length === 1 ? (values[0] as string) : values)
  }
}
