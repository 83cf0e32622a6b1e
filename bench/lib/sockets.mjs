import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'

const LOAD = fileURLToPath(new URL('./load.mjs', import.meta.url))

/**
 * Makes an operation of a request handler that is served on a loopback socket: `op(n)` responses `n` requests of another process.
 *
 * @param {import('node:http').RequestListener} handler
 * @param {{ url: string, headers?: Record<string, string> }} spec
 */
export async function serving(handler, { url, headers = {} }) {
  const server = createServer(handler)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const load = fork(LOAD, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  await once(load, 'message')
  const { port } = server.address()
  // One operation is a fixed number of requests, so that connecting is a small part of each batch.
  const REQUESTS = 1000
  return async (n) => {
    for (let index = 0; index < n; index++) {
      load.send({ port, path: url, headers, amount: REQUESTS })
      const [{ responded, wrong }] = await once(load, 'message')
      if (wrong > 0 || responded < REQUESTS) throw new Error(`${responded} responses of 2xx, ${wrong} others`)
    }
  }
}
