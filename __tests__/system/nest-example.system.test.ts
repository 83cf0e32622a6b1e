import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { faultyOf } from '../support/lint-openapi'
import { install, packed, root, run, temporary } from './support/projects'

// examples/existing/nest, in a folder of its own, as somebody would copy it.

const temp = temporary()
let origin: string
const server: { stop?: () => Promise<unknown> } = {}

beforeAll(async () => {
  cpSync(join(root, 'examples/existing/nest'), temp, { recursive: true })
  const { dependencies, devDependencies, ...manifest } = JSON.parse(readFileSync(join(temp, 'package.json'), 'utf8'))
  const all = { ...dependencies, 'express-versioning': packed().specifier }
  await install(temp, all, {}, { ...manifest, devDependencies })
  await run(temp, 'npx', '--no', 'tsc')
  const child = spawn(process.execPath, ['dist/server.js'], { cwd: temp, env: { ...process.env, PORT: '0' } })
  server.stop = () => {
    child.kill()
    return once(child, 'exit')
  }
  const [printed] = await once(child.stdout, 'data')
  origin = String(printed)
    .trim()
    .replace(/^curl (.*)\/users$/, '$1')
}, 300_000)
afterAll(() => server.stop?.())

const ADA = { id: 1, given: 'Ada', family: 'Lovelace' }
const V2 = { 'X-API-Version': 'v2' }
type Row = [method: string, path: string, headers: Record<string, string>, sent: unknown, status: number, body: unknown]
const rows: Row[] = [
  ['GET', '/users', {}, undefined, 200, [{ id: 1, name: 'Ada Lovelace' }]],
  ['GET', '/users', V2, undefined, 200, [ADA]],
  ['GET', '/users/1', {}, undefined, 200, { id: 1, name: 'Ada Lovelace' }],
  ['GET', '/users/9', {}, undefined, 404, { statusCode: 404, message: 'Not Found' }],
  ['POST', '/users', {}, { name: 'Alan Turing' }, 201, { id: 2, name: 'Alan Turing' }],
  ['POST', '/users', V2, { given: 'Grace', family: 'Hopper' }, 201, { id: 3, given: 'Grace', family: 'Hopper' }],
  ['POST', '/users', {}, {}, 400, expect.objectContaining({ status: 400, code: 'ERR_VERSION_BODY' })],
]

test.each(rows)('%s %s %j %j: %i', async (method, path, headers, sent, status, body) => {
  const response = await fetch(origin + path, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
  })
  expect([response.status, await response.json()]).toEqual([status, body])
})

test('the documents of both versions are on its pages, and valid', async () => {
  const get = async (path: string) => (await fetch(origin + path)).text()
  const [v1, v2] = [JSON.parse(await get('/docs/v1-json')), JSON.parse(await get('/docs/v2-json'))]
  expect(await faultyOf([v1, v2])).toEqual([])
  const names = [v1, v2].map(({ components }) => Object.keys(components.schemas.User.properties))
  expect(names).toEqual([
    ['id', 'name'],
    ['given', 'family', 'id'],
  ])
  expect(await get('/docs/v1')).toContain('swagger-ui')
})
