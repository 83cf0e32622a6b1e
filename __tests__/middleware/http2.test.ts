import { once } from 'node:events'
import { connect, createServer, Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { AddressInfo } from 'node:net'
import express, { type Application, type ErrorRequestHandler } from 'express'
import { HeaderVersioning, namedRoutes, problemDetails, versioning } from 'express-versioning'
import { change, fields, versionHistory } from 'express-versioning/changes'
import { catchWarnings } from '../support/warnings'

// An app on HTTP/2, which has neither `Host` nor reason phrases.

const warnings = catchWarnings()
const Song = { $id: 'Song', type: 'object', required: ['title'], properties: { title: { type: 'string' } } }
const renamed = { Song: fields({ renamed: { name: 'title' } }) }
const changes = versionHistory('v1').version(
  'v2',
  change('Songs have a title, and are there at once.', { ...renamed, 'GET made': { status: { 201: 200 } } } as never),
)

/** Lets an app of Express take requests of HTTP/2, as packages for that do. */
function bridged(app: Application): Application {
  for (const [own, { prototype }] of [
    [(app as object as typeof express).request, Http2ServerRequest],
    [(app as object as typeof express).response, Http2ServerResponse],
  ] as const) {
    const express = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(own))
    Object.setPrototypeOf(own, Object.create(prototype, express))
  }
  return app
}

async function ask(path: string, headers: Record<string, string> = {}): Promise<[status: number, body: unknown]> {
  const routes = namedRoutes({ song: '/song', broken: '/broken', made: '/made' })
  routes.route('song').get((req, res) => void res.json({ title: req.reverse('song', { absolute: true }) }))
  routes.route('broken').get((_req, res) => void res.type('json').end('{'))
  routes
    .route('made')
    .get((_req, res) => void res.writeHead(201, 'Made', { 'Content-Type': 'application/json' }).end('{"title":"x"}'))
  for (const name of ['song', 'broken', 'made'] as const) routes.describe(`GET ${name}`, { response: { '2XX': Song } })
  const failed: ErrorRequestHandler = (error, _req, res, _next) => void res.status(500).json(error.code)
  const app = express().use(versioning({ scheme: HeaderVersioning, defaultVersion: 'v1', changes, routes }), routes)
  const server = createServer(bridged(app.use(problemDetails(), failed)) as never).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  try {
    const stream = session.request({ ':path': path, ':authority': 'songs.example:8443', ...headers })
    const [fields] = await once(stream, 'response')
    const text = (await stream.setEncoding('utf8').toArray()).join('')
    return [fields[':status'], JSON.parse(text)]
  } finally {
    session.close()
    server.close()
  }
}

test.each<[what: string, path: string, version: string, status: number, body: unknown]>([
  ['a link begins with the authority', '/song', 'v1', 200, { name: 'http://songs.example:8443/song' }],
  ['a rejection', '/song', 'v9', 406, expect.objectContaining({ code: 'ERR_VERSION_NOT_ACCEPTABLE' })],
  ['a response of another status', '/made', 'v1', 200, { name: 'x' }],
  ['a response that does not fit', '/broken', 'v1', 500, 'ERR_VERSION_CHANGE'],
])('%s, without a reason phrase', async (_what, path, version, status, body) => {
  expect(await ask(path, { 'x-api-version': version })).toEqual([status, body])
  expect(warnings).toEqual([])
})

test('of two equal hosts, one is in links', async () => {
  const [, body] = await ask('/song', { host: 'songs.example:8443' })
  expect(body).toEqual({ name: 'http://songs.example:8443/song' })
})
