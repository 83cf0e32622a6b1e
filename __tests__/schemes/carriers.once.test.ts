// A scheme of one's own in each kind of carrier: documents, curl commands and clients name the version as the scheme reads it.
import type { Request } from 'express'
import { BaseVersioning, namedRoutes, type VersionCarrier, versioning } from 'express-versioning'
import { inVersion } from 'express-versioning/client'
import { explorer } from 'express-versioning/explorer'
import { openapi } from 'express-versioning/openapi'
import { serve } from '../support/serve'

const read = (text: string | undefined, pattern: RegExp) => pattern.exec(text ?? '')?.[1]

test.each<
  [kind: VersionCarrier['in'], readVersion: (req: Request) => string | undefined, Record<string, string>, string]
>([
  ['cookie', (req) => read(req.get('Cookie'), /(?:^|; )v=([^;]*)/), { Cookie: 'v=2' }, `-H 'Cookie: v=2' URL`],
  ['header', (req) => req.get('v'), { v: '2' }, `-H 'v: 2' URL`],
  ['query', (req) => read(req.originalUrl, /[?&]v=([^&]*)/), {}, `'URL?v=2'`],
])('a version in a %s', async (kind, readVersion, headers, words) => {
  class OwnVersioning extends BaseVersioning {
    override readonly carriedIn = kind
    override readVersion(req: Request) {
      return readVersion(req)
    }
    override carry(value: string): VersionCarrier {
      return { in: kind, name: 'v', value }
    }
  }
  const routes = namedRoutes({ user: '/users/:id' })
  routes.route('user').get((req, res) => void res.json(req.version))
  const options = { scheme: OwnVersioning, defaultVersion: '1', allowedVersions: ['1', '2'], routes }
  const server = await serve((app) => app.use('/docs', explorer(options)).use(versioning(options), routes as never))
  const { document } = openapi(options, { info: { title: 'T' } })
  const { parameters } = document('2').paths['/users/{id}']?.get ?? {}
  const parameter = { name: 'v', in: kind, required: true, schema: { type: 'string', enum: ['2'] } }
  expect(parameters).toContainEqual(expect.objectContaining(parameter))
  const { text } = await server.get('/docs', { Accept: 'application/json' })
  expect(JSON.parse(text).routes[0].versions[1].curl).toBe(`curl ${words.replace('URL', `${server.origin}/users/1`)}`)
  const client = inVersion('2', options)
  expect(client.headers).toEqual(headers)
  const link = client.url('user', { kwargs: { id: 7 } }, server.origin)
  expect(await (await fetch(link, { headers: client.headers })).json()).toBe('2')
})
