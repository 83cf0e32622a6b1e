import { readFileSync } from 'node:fs'
import express from 'express'
import { HeaderVersioning, type VersioningOptions, versioning } from 'express-versioning'
import { blocks, page } from '../support/readme'
import { jsonErrors, listen } from '../support/serve'
import { startNginx } from './support/nginx'

// docs/releasing.md: nginx as it configures it, in front of a process that knows the new version and of one that does not;
// and the log of docs/operating.md.

const [configuration = ''] = blocks('nginx', page('docs/releasing.md'))
const [logging = ''] = blocks('nginx', page('docs/operating.md'))

function process(name: string, allowedVersions: string[], own: Partial<VersioningOptions> = {}) {
  const app = express().set('trust proxy', 1)
  app.use(versioning({ scheme: HeaderVersioning, allowedVersions, reportVersions: true, ...own }))
  app.get('/', (req, res) => void res.json({ name, version: req.version, host: req.hostname, protocol: req.protocol }))
  return listen(app.use(jsonErrors))
}

test('a request of the new version reaches only the process that knows it', async () => {
  const versions = ['v1', 'v2', 'v3']
  const old = await process('old', versions)
  const fresh = await process('new', [...versions, 'v4'], { lifecycle: { v4: { preview: true } } })
  const { proxy, folder } = await startNginx(`${logging}\n${configuration}`, {
    '127.0.0.1:3001': `127.0.0.1:${old.port}`,
    '127.0.0.1:3002': `127.0.0.1:${fresh.port}`,
    '127.0.0.1:8080': '127.0.0.1:PORT',
    '/var/log/nginx/versions.log': 'FOLDER/versions.log',
  })
  const names = new Set<string>()
  const announced = new Set<unknown>()
  for (let count = 0; count < 20; count++) {
    const { status, json } = await proxy.get('/', { 'X-API-Version': 'v4', 'X-Forwarded-Host': 'evil.example' })
    expect([status, json]).toEqual([200, { name: 'new', version: 'v4', host: '127.0.0.1', protocol: 'http' }])
    const { headers, json: other } = await proxy.get('/', { 'X-API-Version': 'v3' })
    names.add((other as { name: string }).name)
    announced.add(headers['api-supported-versions'])
  }
  expect([[...names].sort(), [...announced]]).toEqual([['new', 'old'], ['v1, v2, v3']])
  // The log has the version asked for and the version served.
  const lines = readFileSync(`${folder}/versions.log`, 'utf8')
  expect(lines).toMatch(/ 200 - 127\.0\.0\.1 "GET \/ HTTP\/1\.1" "v4" ".*" v4\n/)
  // Without the map, the old process rejects, and nobody keeps its response.
  const { status, headers } = await old.get('/', { 'X-API-Version': 'v4' })
  expect([status, headers['cache-control']]).toEqual([406, 'no-store'])
})
