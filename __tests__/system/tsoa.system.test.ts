import { join } from 'node:path'
import { hostProject, startHost } from './support/hosts'
import { temporary, tested } from './support/projects'

// The document that tsoa makes, and its controllers behind `convertRequest`.

const temp = temporary()
let running: Awaited<ReturnType<typeof startHost>>
beforeAll(async () => {
  const command = ['tsoa', 'spec-and-routes', '-c', 'tsoa/tsoa.json']
  await hostProject(temp, 'tsoa', { express: tested('express'), tsoa: '^6.6.0' }, { command })
  running = await startHost(join(temp, '__tests__/hosts/tsoa/main.js'), [])
}, 300_000)
afterAll(() => running.close())

const [OLD, NEW] = ['2024-01-01', '2025-01-01']
const LINUS = { id: 3, email: 'linus@example.com', role: 'customer' }
const ZOE = { name: 'Zoë van Dam', email: 'zoe@example.com' }
test.each<[version: string, method: string, path: string, body: object | undefined, status: number, json: object]>([
  [OLD, 'GET', '/users/3', undefined, 200, { ...LINUS, name: 'Linus Torvalds' }],
  [OLD, 'PATCH', '/users/3', { name: 'Linus B Torvalds' }, 200, { ...LINUS, name: 'Linus B Torvalds' }],
  [NEW, 'GET', '/users/3', undefined, 200, { ...LINUS, given: 'Linus', family: 'B Torvalds' }],
  [OLD, 'POST', '/users', { ...ZOE, role: 'admin' }, 201, { id: 4, ...ZOE, role: 'customer' }],
  [OLD, 'POST', '/users', {}, 400, { detail: 'Not valid: email, name' }],
])('in %s, %s %s with %j is %i', async (version, method, path, body, status, json) => {
  const headers = { 'Content-Type': 'application/json', 'X-API-Version': version }
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
  const response = await fetch(`http://127.0.0.1:${running.port}/api${path}`, init)
  expect([response.status, await response.json()]).toEqual([
    status,
    status === 400 ? expect.objectContaining(json) : json,
  ])
})
