import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDemo } from '../../src/command-line/demo/demo'
import { sentBy } from '../support/shell'

const folder = mkdtempSync(join(tmpdir(), 'express-versioning-demo-'))
const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close().closeAllConnections()
  rmSync(folder, { recursive: true, force: true })
})

async function started(directory = folder): Promise<{ origin: string; text: string }> {
  let text = ''
  servers.push(await startDemo(directory, (more) => (text += more)))
  return { origin: /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0] as string, text }
}

test('it prints five commands, and they show what the changes do', async () => {
  const { text } = await started()
  const commands = [...text.matchAll(/^ {2}(curl .*)$/gm)].map(([, command]) => command as string)
  const outputs: [number, unknown][] = []
  for (const { origin, target, method, headers, body } of sentBy(commands)) {
    const response = await fetch(origin + target, { method, headers, body: body || null } as RequestInit)
    outputs.push([response.status, await response.json()])
  }
  expect(outputs).toEqual([
    [200, { id: 1, name: 'Teapot', price: 24.5 }],
    [200, { id: 1, title: 'Teapot', price: { amount: 24.5, currency: 'EUR' } }],
    [200, { id: 3, name: 'Spoon', price: 3.5 }],
    [404, expect.objectContaining({ code: 'ERR_VERSION_UNHANDLED' })],
    [406, expect.objectContaining({ code: 'ERR_VERSION_NOT_ACCEPTABLE' })],
  ])
})

test.each([
  ['GET', '/products', { '2024-01-01': 200, '2025-01-01': 200, '2026-01-01': 200 }],
  ['GET', '/products/9', { '2024-01-01': 404, '2025-01-01': 404, '2026-01-01': 404 }],
  ['GET', '/bestsellers', { '2024-01-01': 200, '2025-01-01': 404, '2026-01-01': 404 }],
])('%s %s by version', async (method, path, statuses) => {
  const { origin } = await started()
  for (const [version, status] of Object.entries(statuses)) {
    const response = await fetch(`${origin}/api${path}`, { method, headers: { 'X-API-Version': version } })
    expect([version, response.status]).toEqual([version, status])
  }
})

test('the page allows its own script and style, and nothing else', async () => {
  const { origin } = await started()
  const response = await fetch(origin)
  const policy = response.headers.get('Content-Security-Policy')
  const html = await response.text()
  for (const tag of ['style', 'script']) {
    const text = new RegExp(`<${tag}>(.*?)</${tag}>`, 's').exec(html)?.[1] as string
    const hash = createHash('sha256').update(text).digest('base64')
    expect(policy).toContain(`${tag}-src 'sha256-${hash}'`)
  }
  expect(html.match(/<li data-version/g)).toHaveLength(3)
  expect(html.match(/<button /g)).toHaveLength(5)
  const links = [...html.matchAll(/href="(.*?)"/g)].map(([, href]) => href as string)
  const found = await Promise.all(links.map(async (href) => (await fetch(origin + href)).status))
  expect([links, found]).toEqual([
    ['/docs/', '/openapi/'],
    [200, 200],
  ])
})

test('it takes the Swagger UI of the folder', async () => {
  const without = await started()
  expect((await fetch(`${without.origin}/docs/ui/`)).status).toBe(404)
  const other = join(folder, 'app/node_modules/swagger-ui-dist')
  mkdirSync(other, { recursive: true })
  const real = require.resolve('swagger-ui-dist')
  writeFileSync(join(other, 'index.js'), `module.exports = require(${JSON.stringify(real)})`)
  const beside = await started(join(folder, 'app'))
  expect((await fetch(`${beside.origin}/docs/ui/`)).status).toBe(200)
})

test('it says that it needs Express', async () => {
  jest.doMock('express', () => {
    throw new Error("Cannot find module 'express'")
  })
  await expect(started()).rejects.toThrow('the demo needs Express: npm install express')
  jest.dontMock('express')
})
