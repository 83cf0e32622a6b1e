// Upgrades to WebSocket: two connections become one.
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
  let isOver = false
  const leave = () => {
    isOver = true
    proxyReq.destroy()
  }
  const goOn = () => {
    socket.off('close', leave)
    if (isOver) return
    leave()
    next()
  }
  socket.once('close', leave)
  proxyReq.setTimeout(service.timeout, goOn).on('error', goOn).once('response', goOn)
  proxyReq.once('upgrade', ({ statusMessage, rawHeaders }, upstream: Duplex, head: Buffer) => {
    socket.off('close', leave)
    proxyReq.setTimeout(0)
    // Nothing of HTTP reads or ends the connection any more.
    for (const event of ['data', 'end', 'drain', 'timeout']) socket.removeAllListeners(event)
    res.detachSocket(socket)
    socket.setTimeout(0)
    const lines = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : []))
    socket.write(`HTTP/1.1 101 ${statusMessage}\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1')
    socket.write(head)
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
