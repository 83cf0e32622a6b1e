import { createHash } from 'node:crypto'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { startDemo } from '../../src/command-line/demo/demo'
import { folder, lend } from '../support/folder'
import { sentBy } from '../support/shell'

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close().closeAllConnections()
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

test('each version has its products', async () => {
  const { origin } = await started()
  const statuses = async (path: string) => {
    const versions = ['2024-01-01', '2025-01-01', '2026-01-01']
    const asked = versions.map((version) => fetch(`${origin}/api${path}`, { headers: { 'X-API-Version': version } }))
    return (await Promise.all(asked)).map(({ status }) => status)
  }
  expect(await statuses('/products')).toEqual([200, 200, 200])
  expect(await statuses('/products/9')).toEqual([404, 404, 404])
  expect(await statuses('/bestsellers')).toEqual([200, 404, 404])
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
  lend('app/node_modules/swagger-ui-dist/index.js', 'swagger-ui-dist')
  const beside = await started(join(folder, 'app'))
  expect((await fetch(`${beside.origin}/docs/ui/`)).status).toBe(200)
})
