import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type Application } from 'express'
import { at, jsonErrors, type Served } from './serve'

const open: Server[] = []
afterAll(() => {
  for (const server of open) server.close().closeAllConnections()
})

/** Returns the server of a key, whose app `build` fills when it is asked for first. It lasts for all tests of a file. */
export function lasting<Key>(build: (key: Key, app: Application) => unknown): (key: Key) => Promise<Served> {
  const servers = new Map<Key, Promise<Served>>()
  const begin = async (key: Key) => {
    const app = express()
    build(key, app)
    const server = createServer(app.use(jsonErrors)).listen(0, '127.0.0.1')
    open.push(server)
    await once(server, 'listening')
    return at((server.address() as AddressInfo).port)
  }
  return (key) => {
    const server = servers.get(key) ?? begin(key)
    servers.set(key, server)
    return server
  }
}
