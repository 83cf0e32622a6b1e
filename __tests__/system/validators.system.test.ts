import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startHost } from './support/hosts'
import { install, packed, root, temporary, tested } from './support/projects'

// Validators in front of the conversion: old clients read the names that they know, and nobody is warned.

const temp = temporary()
beforeAll(async () => {
  const dependencies = {
    ...{ express: tested('express'), 'express-versioning': packed().specifier, zod: tested('zod'), joi: '^18' },
    ...{ 'class-transformer': '^0.5.1', 'class-validator': '^0.15.1', 'reflect-metadata': '^0.2.2' },
    'express-openapi-validator': tested('express-openapi-validator'),
  }
  await install(temp, dependencies, {
    'main.mjs': readFileSync(join(root, '__tests__/hosts/validators/main.mjs'), 'utf8'),
  })
}, 300_000)

const email = 'ada@example.com'
test.each([
  ['joi', '"name" length must be at least 2 characters long', '"fullName" length must be at least 2 characters long'],
  ['zod', 'name is too short', 'fullName is too short'],
  [
    'class-validator',
    'name must be longer than or equal to 2 characters',
    'fullName must be longer than or equal to 2 characters',
  ],
  [
    'express-openapi-validator',
    'request/body/name must NOT have fewer than 2 characters',
    'request/body/fullName must NOT have fewer than 2 characters',
  ],
])('%s', async (kind, inV1, inV2) => {
  const { port, close } = await startHost(join(temp, 'main.mjs'), [kind])
  const post = async (path: string, version: string, body: object) => {
    const headers = { 'Content-Type': 'application/json', 'X-API-Version': version }
    const sent = { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, sent)
    return [response.status, await response.json()]
  }
  expect(await post('/users', 'v1', { name: 'A', email })).toEqual([400, { message: inV1 }])
  expect(await post('/members', 'v2', { fullName: 'A', email })).toEqual([400, { message: inV2 }])
  expect(await post('/users', 'v1', { name: 'Ada', email })).toEqual([201, { name: 'Ada', email }])
  expect(await post('/members', 'v2', { fullName: 'Ada', email })).toEqual([201, { fullName: 'Ada', email }])
  await close()
})
