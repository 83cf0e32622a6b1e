import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type Service, startService } from '../hosts/gateway'
import { runCases } from '../hosts/run-cases'
import { hostProject, startHost } from './support/hosts'
import { temporary, tested } from './support/projects'

// The shop is a service that knows no versions, behind http-proxy-middleware.

const temp = temporary()
let service: Service

beforeAll(async () => {
  // It needs Node 22.
  const node = `npm:node-${process.platform}-${process.arch}@^22.15.0`
  const dependencies = { express: tested('express'), 'http-proxy-middleware': '^4.2.2', 'node-22': node }
  const more = ['document.ts', 'express-shop.ts', '../../examples/existing/gateway/send-converted.ts']
  await hostProject(temp, 'proxy', dependencies, { isModule: true, more })
  service = await startService()
}, 300_000)
afterAll(() => service.stop())

async function start(versioned: boolean) {
  await service.reset()
  const execPath = join(temp, 'node_modules/node-22/bin/node')
  const program = join(temp, '__tests__/hosts/proxy/main.js')
  return startHost(program, [versioned ? 'versioned' : 'plain', String(service.direct.port)], execPath)
}
runCases({ name: 'http-proxy-middleware', isProxy: true, start })

const OLD = { name: 'Zoë van Dam', email: 'z@example.com' }
const NEW = { given: 'Zoë', family: 'van Dam', email: 'z@example.com' }
const chunked = (body: string) => ({ body: new Blob([body]).stream(), duplex: 'half' })
const compressed = (body: string) => ({ body: gzipSync(body), headers: { 'Content-Encoding': 'gzip' } })
const sent = [
  ['2024-01-01', 'in chunks', OLD, chunked],
  ['2026-01-01', 'in chunks', NEW, chunked],
  ['2024-01-01', 'compressed', OLD, compressed],
  ['2026-01-01', 'compressed', NEW, compressed],
] as const
test.each(sent)('http-proxy-middleware: a body of %s arrives %s', async (version, _, body, encoded) => {
  const running = await start(true)
  const { headers, ...init } = { headers: {}, ...encoded(JSON.stringify(body)) }
  const always = { Authorization: 'Bearer token', 'Content-Type': 'application/json', 'X-API-Version': version }
  const url = `http://127.0.0.1:${running.port}/api/users`
  const response = await fetch(url, { method: 'POST', headers: { ...always, ...headers }, ...init } as RequestInit)
  const made = await response.json()
  await running.close()
  expect([response.status, made]).toEqual([201, { id: 4, ...body, role: 'customer' }])
})
