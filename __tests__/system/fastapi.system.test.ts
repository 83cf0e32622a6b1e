import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { python } from './support/debian'
import { install, packed, run, temporary, write } from './support/projects'

// A service in another language: what it responded yesterday is recorded, it changes, and the gateway gives old clients the same.

const temp = temporary()
const COMMAND = join(temp, 'node_modules/express-versioning/dist/command-line/main.js')
const command = (...words: string[]) => run(temp, process.execPath, COMMAND, ...words)
const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill()
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Starts the service, and waits until it responds. */
async function service(name: string): Promise<string> {
  const port = await freePort()
  children.push(
    spawn(python('uvicorn'), [join(__dirname, 'support/seeds.py'), name, String(port)], { stdio: 'inherit' }),
  )
  const origin = `http://127.0.0.1:${port}`
  for (let count = 0; count < 100; count++) {
    const isThere = await fetch(`${origin}/seeds`).catch(() => undefined)
    if (isThere?.ok) return origin
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error('The service does not start.')
}

const REQUESTS = `GET /seeds
###
GET /seeds/1
###
GET /seeds/9
###
GET /seeds/no
###
POST /seeds
Content-Type: application/json

{"name":"Moss"}
###
GET /events
###
PUT /files/a
Content-Type: application/octet-stream

abc
###
GET /nothing
###
DELETE /seeds/1
###
GET /docs
`

let gateway: string
beforeAll(async () => {
  python('fastapi')
  await install(temp, { 'express-versioning': packed().specifier }, { 'old.http': REQUESTS })
  await command('record', 'old.http', '--to', await service('name'), '--out', 'recorded.json')
  const today = await service('label')
  const document = await fetch(`${today}/openapi.json`)
  write(temp, { 'openapi.json': await document.text() })
  const printed = await command('init')
  const [, words = ''] = /^ {2}npx express-versioning (.*)$/m.exec(printed) ?? []
  const versions = readFileSync(join(temp, 'versions.mjs'), 'utf8')
  const change = `.version('2', change('Seeds have a label.', { Seed: fields({ renamed: { name: 'label' } }) }))`
  const changed = versions.replace(/^(export const history = .*)$/m, `$1${change}`)
  write(temp, { 'versions.mjs': `import { change, fields } from 'express-versioning/changes'\n${changed}` })
  const started = [COMMAND, ...words.replace('http://127.0.0.1:8000', today).split(' '), '--port', '0']
  const child = spawn(process.execPath, started, { cwd: temp, stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const [said] = await once(child.stdout, 'data')
  ;[gateway = ''] = String(said).split(' ')
}, 300_000)

test('old clients get what was recorded', async () => {
  const out = await command('compare', 'recorded.json', '--to', gateway, '--as', 'json').catch(String)
  // Items have the spaces of JavaScript, and what the document does not have is the gateway's.
  expect(out.match(/^(?:GET|POST|PUT|DELETE) .*/gm)).toEqual(['GET /events', 'GET /nothing', 'DELETE /seeds/1'])
  expect(out).toContain('body: "data: {\\"id\\": 1, \\"name\\": \\"Kale\\"}')
})

const V2 = { 'X-API-Version': '2' }
test('new clients get the service as it is', async () => {
  const response = await fetch(`${gateway}/seeds/1`, { headers: V2 })
  expect([response.status, await response.text()]).toEqual([200, '{"id":1,"label":"Kale"}'])
})

test.each([{}, V2])('20 MB of JSON, %j', async (headers) => {
  const response = await fetch(`${gateway}/seeds?big=true`, { headers })
  const seeds = (await response.json()) as object[]
  const key = headers === V2 ? 'label' : 'name'
  expect([seeds.length, seeds[19_999]]).toEqual([20_000, { id: 19_999, [key]: 'k'.repeat(1000) }])
})

test('curl sends 2 MB with Expect, and 20 MB pass', async () => {
  for (const size of [2_000_000, 20_000_000]) {
    write(temp, { sent: 'x'.repeat(size) })
    const words = ['-sS', '-m', '20', '-X', 'PUT', '--data-binary', '@sent', '-H', 'Content-Type: text/plain']
    expect(await run(temp, 'curl', ...words, `${gateway}/files/a`)).toBe(String(size))
  }
})
