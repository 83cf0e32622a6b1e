import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HeaderVersioning, type VersioningOptions } from 'express-versioning'
import { change, fields, versionHistory } from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'

const Song = { $ref: '#/components/schemas/Song' }
const json = { 'application/json': { schema: Song } }
const ok = (content: object) => ({ 200: { description: 'OK', content } })
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
const player = { type: 'object', properties: { id: { type: 'string' } } }
const players = ok({ 'application/json': { schema: player } })

/** The document of a service with songs, which had a `title`, and players, which were phones. */
export const document = {
  openapi: '3.2.0',
  info: { title: 'Songs', version: '2' },
  paths: {
    '/songs': {
      get: { responses: ok(json) },
      post: {
        requestBody: { content: { ...json, 'application/x-www-form-urlencoded': { schema: Song } } },
        responses: ok(json),
      },
      put: { requestBody: { content: { 'application/x-www-form-urlencoded': { schema: Song } } }, responses: ok(json) },
    },
    '/feed': {
      get: {
        responses: ok({
          'text/event-stream': {
            itemSchema: {
              type: 'object',
              properties: { data: { contentMediaType: 'application/json', contentSchema: Song } },
            },
          },
        }),
      },
    },
    '/files/{id}': {
      parameters: [id],
      get: {
        responses: {
          200: { description: 'OK', content: { 'application/octet-stream': {} } },
        },
      },
      put: { requestBody: { content: { 'application/octet-stream': {} } }, responses: { 204: { description: 'OK' } } },
      delete: { responses: { 204: { description: 'OK' } } },
    },
    '/players': { post: { responses: players } },
    '/players/{id}': { parameters: [id], get: { responses: players } },
  },
  components: {
    schemas: { Song: { type: 'object', properties: { name: { type: 'string' }, plays: { type: 'number' } } } },
  },
}

/** The options of a gateway in front of it. */
export const songs: VersioningOptions = {
  scheme: HeaderVersioning,
  defaultVersion: '1',
  routes: routesOf(document),
  changes: versionHistory('1').version(
    '2',
    change('Songs have a name; players were phones.', {
      Song: fields({ renamed: { title: 'name' } }),
      'POST /players': { path: '/phones' },
      'GET /players/{id}': { path: '/phones/{id}' },
    }),
  ),
}

const open = new Set<Server>()
afterEach(() => {
  for (const server of open) server.close().closeAllConnections()
  open.clear()
})

/** Starts a service on a free port, and returns its address. */
export async function service(respond: RequestListener): Promise<string> {
  const server = createServer(respond)
  open.add(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Returns a service that responds with what it got. */
export const echo = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
  const pieces: Buffer[] = []
  for await (const piece of req) pieces.push(piece)
  res.setHeader('X-Got', JSON.stringify([req.method, req.url, req.headers]))
  res.setHeader('Content-Type', req.headers['content-type'] ?? 'text/plain')
  res.end(Buffer.concat(pieces))
}
