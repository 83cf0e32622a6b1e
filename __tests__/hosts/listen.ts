import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Application } from 'express'
import type { Running } from './run-cases'

/** Serves an app on a free port of 127.0.0.1. */
export async function listen(app: Application): Promise<Running> {
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.closeAllConnections()
      return new Promise((done) => server.close(done))
    },
  }
}
