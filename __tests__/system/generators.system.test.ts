import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import express from 'express'
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { change, fields, versionHistory } from 'express-versioning/changes'
import { openapi } from 'express-versioning/openapi'
import { chromium } from 'playwright-core'
import { serve } from '../support/serve'
import { binary } from './support/debian'
import { install, run, temporary, tested } from './support/projects'

// The document of each version, in generators of clients: what they generate compiles, sends its version, and gets that version's
// response. Where a version is required, a client that forgets it does not compile. Redoc shows the documents.

const text = { type: 'string' }
const User = { $id: 'User', type: 'object', properties: { id: text, fullName: text }, required: ['id', 'fullName'] }
const routes = namedRoutes({ users: '/users', user: '/users/:id' })
routes.describe('GET user', { response: User }).describe('POST users', { body: User, response: { 201: User } })
routes.route('user').get((req, res) => void res.json({ id: req.params.id, fullName: 'Ada' }))
routes.route('users').post((req, res) => void res.status(201).json(req.body))
const changes = versionHistory('v1')
  .version('v2', change('Users have `fullName`.', { User: fields({ renamed: { name: 'fullName' } }) }))
  .version('v3', change('Users are created.', { 'POST users': { status: { 201: 200 } } }))
const options = { scheme: HeaderVersioning, defaultVersion: 'v1', changes, routes }
const documents = openapi(options, { info: { title: 'Users' } })

/** The version of each client, its name of a property, and the status of a created user. The first version is the default. */
const CLIENTS = [
  ['v1', 'name', 200],
  ['v2', 'fullName', 200],
  ['v3', 'fullName', 201],
] as const
const HEADER = 'X-API-Version'
const unsent = (version: string) => (version === 'v1' ? '' : '// @ts-expect-error the version is required\n')

const openapiFetch = (version: string, name: string) => `
import createClient from 'openapi-fetch'
import type { paths } from './${version}.js'
const client = createClient<paths>({ baseUrl: process.argv[2] as string })
const header = { '${HEADER}': '${version}' } as const
const read = await client.GET('/users/{id}', { params: { path: { id: '7' }, header } })
const written = await client.POST('/users', { params: { header }, body: { id: '8', ${name}: 'Bo' } })
console.log(JSON.stringify([read.data?.${name}, written.response.status, written.data?.${name}]))
export const forgets = () =>
  ${unsent(version)}  client.GET('/users/{id}', { params: { path: { id: '7' } } })
`
const orval = (version: string, name: string) => `
import { getUser, postUsers } from './${version}-orval.js'
const base = process.argv[2] as string
const asked = globalThis.fetch
globalThis.fetch = (path, init) => asked(base + String(path), init)
const header = { '${HEADER}': '${version}' } as const
const read = await getUser('7', header)
const written = await postUsers({ id: '8', ${name}: 'Bo' }, header)
console.log(JSON.stringify([read.data.${name}, written.status, written.data.${name}]))
export const forgets = () =>
  ${unsent(version)}  getUser('7', {})
`
const temp = temporary()
const bin = (path: string) => join(temp, 'node_modules', path)

beforeAll(async () => {
  const clients = CLIENTS.flatMap(([version, name]) => [
    [`${version}.json`, documents.document(version)] as const,
    [`${version}-fetch.mts`, openapiFetch(version, name)] as const,
    [`${version}-client.mts`, orval(version, name)] as const,
  ])
  const dependencies = {
    '@types/node': tested('@types/node'),
    'openapi-fetch': '0.17.0',
    'openapi-typescript': '7.13.0',
    orval: '7.13.2',
    redoc: '2.5.4',
    typescript: '~5.9.0',
  }
  const settings = Object.fromEntries(
    CLIENTS.map(([version]) => [
      version,
      { input: `./${version}.json`, output: { target: `./${version}-orval.ts`, client: 'fetch', headers: true } },
    ]),
  )
  await install(
    temp,
    dependencies,
    { ...Object.fromEntries(clients), 'orval.config.cjs': `module.exports = ${JSON.stringify(settings)}` },
    { type: 'module' },
  )
  await Promise.all([
    ...CLIENTS.map(([version]) =>
      run(temp, process.execPath, bin('openapi-typescript/bin/cli.js'), `${version}.json`, '-o', `${version}.d.ts`),
    ),
    run(temp, process.execPath, bin('orval/dist/bin/orval.js'), '--config', './orval.config.cjs'),
  ])
  const files = CLIENTS.flatMap(([version]) => [`${version}-fetch.mts`, `${version}-client.mts`])
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck']
  const target = ['--target', 'es2022', '--module', 'nodenext', '--types', 'node']
  await run(temp, process.execPath, bin('typescript/bin/tsc'), ...strict, ...target, ...files)
}, 300_000)

test.each(
  CLIENTS.flatMap(([version, , status]) => [
    [version, 'openapi-fetch', `${version}-fetch.mjs`, status] as const,
    [version, 'orval', `${version}-client.mjs`, status] as const,
  ]),
)('a client of %s by %s sends its version', async (version, _, file, status) => {
  const sent: unknown[] = []
  const server = await serve((app) => {
    app.use((req, _res, next) => {
      sent.push(req.headers['x-api-version'])
      next()
    })
    app.use(versioning(options), express.json(), routes)
  })
  expect(JSON.parse(await run(temp, process.execPath, file, server.origin))).toEqual(['Ada', status, 'Bo'])
  expect(sent).toEqual([version, version])
})

test('Redoc shows the document of each version', async () => {
  const script = readFileSync(bin('redoc/bundles/redoc.standalone.js'), 'utf8')
  const browser = await chromium.launch({ executablePath: binary('chromium'), args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage()
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(String(error)))
    for (const [version, name] of CLIENTS) {
      await page.setContent('<main></main>')
      await page.addScriptTag({ content: script })
      const document = JSON.stringify(documents.document(version))
      await page.evaluate(`new Promise((done) => Redoc.init(${document}, {}, document.querySelector('main'), done))`)
      const shown = await page.locator('main').innerText()
      for (const words of [`(${version})`, '/users/{id}', HEADER, name]) expect(shown).toContain(words)
    }
    expect(complaints).toEqual([])
  } finally {
    await browser.close()
  }
})
