import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import express from 'express'
import { HeaderVersioning, type VersioningOptions, versioning } from 'express-versioning'
import { blocks, page } from '../support/readme'
import { at, jsonErrors, listen } from '../support/serve'
import { binary } from './support/debian'

// docs/rollouts.md: nginx as it configures it, in front of a process that knows the new version and of one that does not;
// and the log of docs/operating.md.

const nginx = binary('nginx')
const [configuration = ''] = blocks('nginx', page('docs/rollouts.md'))
const [logging = ''] = blocks('nginx', page('docs/operating.md'))

function process(name: string, allowedVersions: string[], own: Partial<VersioningOptions> = {}) {
  const app = express().set('trust proxy', 1)
  app.use(versioning({ scheme: HeaderVersioning, allowedVersions, reportVersions: true, ...own }))
  app.get('/', (req, res) => void res.json({ name, version: req.version, host: req.hostname, protocol: req.protocol }))
  return listen(app.use(jsonErrors))
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

test('a request of the new version reaches only the process that knows it', async () => {
  const versions = ['v1', 'v2', 'v3']
  const [old, fresh] = [
    await process('old', versions),
    await process('new', [...versions, 'v4'], { lifecycle: { v4: { preview: true } } }),
  ]
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'express-versioning-rollout-'))
  const ports: [string, number][] = [
    ['127.0.0.1:3001', old.port],
    ['127.0.0.1:3002', fresh.port],
    ['127.0.0.1:8080', port],
  ]
  const log = `${folder}/versions.log`
  const logged = logging.replace('/var/log/nginx/versions.log', log)
  const http = ports.reduce((text, [from, to]) => text.replaceAll(from, `127.0.0.1:${to}`), configuration)
  const places = ['client_body', 'proxy', 'fastcgi', 'scgi', 'uwsgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, `pid ${folder}/pid;\nevents {}\nhttp {\n${logged}\n${places.join('\n')}\n${http}\n}`)
  const child = spawn(nginx, ['-p', folder, '-c', file, '-e', `${folder}/error.log`, '-g', 'daemon off;'])
  try {
    const front = at(port)
    for (let tries = 0; tries < 100; tries++) {
      const up = await front.get('/').catch(() => undefined)
      if (up !== undefined) break
      await setTimeout(50)
    }
    const names = new Set<string>()
    const announced = new Set<unknown>()
    for (let count = 0; count < 20; count++) {
      const { status, json } = await front.get('/', { 'X-API-Version': 'v4', 'X-Forwarded-Host': 'evil.example' })
      expect([status, json]).toEqual([200, { name: 'new', version: 'v4', host: '127.0.0.1', protocol: 'http' }])
      const { headers, json: other } = await front.get('/', { 'X-API-Version': 'v3' })
      names.add((other as { name: string }).name)
      announced.add(headers['api-supported-versions'])
    }
    expect([[...names].sort(), [...announced]]).toEqual([['new', 'old'], ['v1, v2, v3']])
    // The log has the version asked for and the version served.
    const lines = readFileSync(log, 'utf8')
    expect(lines).toMatch(/ 200 - 127\.0\.0\.1 "GET \/ HTTP\/1\.1" "v4" ".*" v4\n/)
    // Without the map, the old process rejects, and nobody keeps its response.
    const { status, headers } = await old.get('/', { 'X-API-Version': 'v4' })
    expect([status, headers['cache-control']]).toEqual([406, 'no-store'])
  } finally {
    const ended = new Promise((done) => child.once('exit', done))
    child.kill()
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
})
