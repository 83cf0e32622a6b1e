// Upgrades to WebSocket: two connections become one.
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { NextFunction, Request, Response } from 'express'
import { fieldsFor } from './forwarded'
import { addressOf, ask, type Service } from './service'

/** Tells whether a request asks for a WebSocket. Node gives it to apps as a request if nobody listens to `upgrade`. */
export function asksForSocket({ method, headers }: Request): boolean {
  const { connection = '', upgrade = '' } = headers
  return method === 'GET' && /(?:^|[\s,])upgrade(?:$|[\s,])/i.test(connection) && upgrade.toLowerCase() === 'websocket'
}

/**
 * Sends the request for a WebSocket to the service, and connects the client with it. A service that does not upgrade has got nothing
 * else: the request goes on as any other.
 */
export function connectSocket(service: Service, req: Request, res: Response, next: NextFunction): void {
  const headers = { ...fieldsFor(req), connection: 'Upgrade', upgrade: 'websocket' }
  const proxyReq = ask(service, { method: 'GET', path: addressOf(service, req), headers })
  const { socket } = req
  const leave = () => {
    socket.off('close', abort)
    proxyReq.destroy()
  }
  const abort = () => proxyReq.destroy()
  socket.once('close', abort)
  proxyReq.setTimeout(service.timeout, leave)
  proxyReq.on('error', () => {
    socket.off('close', abort)
    if (!socket.destroyed) next()
  })
  proxyReq.once('response', (proxyRes) => {
    proxyRes.resume()
    proxyReq.removeAllListeners('error').on('error', () => {})
    leave()
    next()
  })
  proxyReq.once('upgrade', ({ statusCode = 101, rawHeaders }, upstream: Duplex, head: Buffer) => {
    socket.off('close', abort)
    proxyReq.setTimeout(0)
    // Nothing of HTTP reads or ends the connection any more.
    for (const event of ['data', 'end', 'drain', 'timeout']) socket.removeAllListeners(event)
    res.detachSocket(socket)
    socket.setTimeout(0)
    const lines = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : []))
    socket.write(`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1')
    if (head.length > 0) socket.write(head)
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      one.on('error', () => other.destroy())
      one.once('close', () => other.destroy())
      one.pipe(other)
    }
  })
  proxyReq.end()
}
