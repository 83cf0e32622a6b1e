// Sends a million converted events to a client that reads slowly, and prints the memory of the server: node bench/slow-reader.mjs
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, get } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import express from 'express'
import { change, events, fields, versionHistory } from '../dist/changes/index.mjs'
import { HeaderVersioning, namedRoutes, versioning } from '../dist/index.mjs'

const COUNT = 1_000_000
/** The highest growth of the server's memory, in MB. */
const LIMIT = 60
const megabytes = () => process.memoryUsage().rss / 2 ** 20

const [, , port] = process.argv
if (port === undefined) await serve()
else await readSlowly(Number(port))

async function serve() {
  const Order = { $id: 'Order', type: 'object', properties: { id: { type: 'integer' }, title: { type: 'string' } } }
  const renamed = change('Orders have `title` instead of `name`.', { Order: fields({ renamed: { name: 'title' } }) })
  const api = namedRoutes({ feed: '/feed' })
  const content = { 'text/event-stream': { itemSchema: events({ created: Order }) } }
  api.describe('GET feed', { response: { 200: { content } } })
  api.describe('*', { response: { '4XX': null, '5XX': null } })
  api.route('feed').get(async (_req, res) => {
    await pipeline(Readable.from(eventsOf(COUNT)), res.type('text/event-stream'))
  })
  const changes = versionHistory('v1').version('v2', renamed)
  const app = express().use(versioning({ scheme: HeaderVersioning, defaultVersion: 'v2', changes, routes: api }), api)
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = fork(fileURLToPath(import.meta.url), [String(server.address().port)])
  const before = megabytes()
  let highest = before
  const timer = setInterval(() => {
    highest = Math.max(highest, megabytes())
  }, 50)
  const [count] = await once(client, 'message')
  clearInterval(timer)
  server.close()
  const grown = highest - before
  console.log(`${count} events; memory grew by ${grown.toFixed(0)} MB (limit ${LIMIT})`)
  process.exitCode = count === COUNT && grown <= LIMIT ? 0 : 1
}

function* eventsOf(count) {
  for (let id = 0; id < count; id++) yield `id: ${id}\nevent: created\ndata: {"id":${id},"title":"Teapot"}\n\n`
}

async function readSlowly(port) {
  const [res] = await once(get({ port, path: '/feed', headers: { 'X-API-Version': 'v1' } }), 'response')
  let count = 0
  let chunks = 0
  for await (const chunk of res) {
    for (const byte of chunk) if (byte === 0x64) count += 1
    if (++chunks % 50 === 0) await new Promise((done) => setTimeout(done, 5))
  }
  // Each event has the letter d in `id`, `created` and `data`, and once more in its JSON.
  process.send(count / 4)
  process.disconnect()
}
