// A service in another process, and a proxy to it.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { join } from 'node:path'
import type { RequestHandler } from 'express'
import { sendConverted } from '../../examples/existing/gateway/send-converted'
import type { Running } from './run-cases'

export interface Service {
  /** The service without a gateway. */
  direct: Running
  proxy: RequestHandler
  /** Lets it begin again with its first data. */
  reset(): Promise<unknown>
  stop(): void
}

/** Starts the shop in another process. */
export async function startService(): Promise<Service> {
  const child = fork(join(__dirname, '../support/host.cjs'), [join(__dirname, 'service.ts')])
  const [[{ port }]] = (await once(child, 'message')) as [[{ port: number }]]
  return {
    direct: { port, close: () => undefined },
    proxy: proxyTo(port),
    reset: () => fetch(`http://127.0.0.1:${port}/reset`),
    stop: () => void child.kill('SIGKILL'),
  }
}

/** Sends requests on, with the converted body and query if they were converted here. */
function proxyTo(port: number): RequestHandler {
  return (req, res, next) => {
    const { method, baseUrl, url, headers } = req
    const proxyReq = request({ host: '127.0.0.1', port, method, path: baseUrl + url, headers }, (answer) => {
      res.writeHead(answer.statusCode as number, answer.headers)
      answer.pipe(res)
    })
    proxyReq.on('error', next)
    sendConverted(proxyReq, req)
    req.pipe(proxyReq)
  }
}
