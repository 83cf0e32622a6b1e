import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as parts from './support/programs'
import { install, packed, root, run, temporary, tested } from './support/projects'

// These tests use the tarball with the tools between sources and Node: loaders, bundlers, test runners, wrappers.

const { entries, found, imported, printed, programs, required, server, thenBundled, thenRequire, typed } = parts
const temp = temporary()
const project = join(temp, 'project')
const bin = (path: string) => join(project, 'node_modules', path)
const node24 = bin('node-24/bin/node')
const both = () => ({ express: tested('express'), 'express-versioning': packed().specifier })

const tests = `\ntest('findings', async () => expect(await findings()).toEqual(${JSON.stringify(found)}))\n`
const lambda = `
const handler = require('serverless-http')(app)
findings(async (version) => {
  const { statusCode, body } = await handler({ httpMethod: 'GET', path: '/user', headers: {}, queryStringParameters: { version } }, {})
  return statusCode === 200 ? body : String(statusCode)
}).then((found) => console.log(JSON.stringify(found)))`

const [keepVary = ''] = /function keepVary.*?\n}\n/s.exec(readFileSync(join(root, 'docs/caching.md'), 'utf8')) ?? []
const proxied = `
import express from 'express'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createProxyMiddleware } from 'http-proxy-middleware'
import { HeaderVersioning, versioning } from 'express-versioning'
${keepVary}
const portOf = (server: unknown) => ((server as { address(): AddressInfo }).address()).port
const behind = express().use((_req, res) => void res.set('Vary', 'Accept-Encoding').end()).listen(0, '127.0.0.1', () => {
  const target = \`http://127.0.0.1:\${portOf(behind)}\`
  const app = express()
  app.use(versioning({ scheme: HeaderVersioning, defaultVersion: 'v1' }))
  app.use('/kept', createProxyMiddleware({ target, on: { proxyRes: keepVary } }))
  app.use(createProxyMiddleware({ target }))
  const server = app.listen(0, '127.0.0.1', async () => {
    const varyOf = async (path: string) => (await fetch(\`http://127.0.0.1:\${portOf(server)}\${path}\`)).headers.get('vary')
    console.log(JSON.stringify([await varyOf('/kept'), await varyOf('/')]))
    process.exit()
  })
})`

beforeAll(async () => {
  const options = { target: 'es2022', module: 'node16', types: ['node', 'jest'], strict: true, esModuleInterop: true }
  const dependencies = {
    ...both(),
    ...{ '@types/express': tested('@types/express'), '@types/jest': tested('@types/jest'), '@types/node': '^24.0.0' },
    ...{
      esbuild: '^0.28.0',
      'http-proxy-middleware': '^3.0.11',
      jest: tested('jest'),
      'serverless-http': '^4.0.0',
      'ts-jest': '^29.4.0',
      tsx: '^4.23.0',
    },
    ...{ 'node-24': `npm:node-${process.platform}-${process.arch}@^24.0.0`, vitest: '^5.1.0' },
    typescript: tested('typescript'),
  }
  await install(project, dependencies, {
    'main.ts': programs['main.cts'] as string,
    'main.mts': programs['main.mts'] as string,
    'options.ts': `import { namedRoutes, URLPathVersioning } from 'express-versioning'
      enum Path { list = '/:version/list' }
      export const routes = namedRoutes({ list: Path.list as string })
      routes.route('list').get((_req, res) => void res.json([]))
      export const options = { scheme: URLPathVersioning, allowedVersions: ['v1'], routes }`,
    'bundled.js': imported + thenBundled + server + printed,
    'proxied.mts': proxied,
    'serverless.cjs': required + thenBundled + server + lambda,
    'vitest/a.test.ts': `import { expect, test } from 'vitest'\n${imported}${thenRequire}${typed}${server}${tests}`,
    'jest/a.test.ts': `${imported}${thenBundled}${typed}${server}${tests}`,
    'jest/jest.config.js': `module.exports = { preset: 'ts-jest', testMatch: ['**/a.test.ts'] }`,
    'jest/tsconfig.json': { compilerOptions: { ...options, isolatedModules: false } },
  })
}, 300_000)

test.each([
  // Under Node 20, tsx runs no main.cts that imports Express.
  ['tsx runs main.ts', process.execPath, bin('tsx/dist/cli.mjs'), 'main.ts'],
  ['tsx runs main.mts', process.execPath, bin('tsx/dist/cli.mjs'), 'main.mts'],
  ['Node runs main.mts with its types stripped', node24, 'main.mts'],
  ['serverless-http calls the app', process.execPath, 'serverless.cjs'],
])('%s', async (_, command = '', ...words) => {
  expect(JSON.parse(await run(project, command, ...words))).toEqual(found)
})

test('http-proxy-middleware keeps Vary as the page of caches says', async () => {
  const [kept, lost] = JSON.parse(await run(project, node24, 'proxied.mts'))
  expect({ kept, lost }).toEqual({ kept: 'X-API-Version, Accept-Encoding', lost: 'Accept-Encoding' })
})

test('the command line reads TypeScript by tsx', async () => {
  const told = await run(
    project,
    'env',
    'NODE_OPTIONS=--import tsx',
    'npx',
    'express-versioning',
    'routes',
    './options.ts',
  )
  expect(told).toContain('GET  /:version/list  list  yes')
})

// As its documents say, for packages such as Express that call `require`.
const banner = `--banner:js=import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)`
test.each([
  ['cjs', 'bundle.cjs'],
  ['esm', 'bundle.mjs', banner],
])('esbuild bundles it, with Express, to %s', async (format, file, ...more) => {
  // The bundle is in another folder, which has no node_modules.
  const bundle = join(temp, 'bundles', file)
  const options = ['--bundle', '--platform=node', `--format=${format}`, `--outfile=${bundle}`, '--log-level=warning']
  await run(project, bin('.bin/esbuild'), 'bundled.js', ...options, ...more)
  expect(JSON.parse(await run(project, process.execPath, bundle))).toEqual(found)
})

test.each([
  ['vitest', node24, bin('vitest/vitest.mjs'), 'run', '--root', 'vitest'],
  ['jest with ts-jest, which judges the types', process.execPath, bin('jest/bin/jest.js'), '-c', 'jest/jest.config.js'],
])('%s', async (_, command = '', ...words) => void (await run(project, command, ...words)))

// It ignores `exports` and finds the subpaths as folders. Jest 26 loads no `node:util`, so no Express 5.
test('jest 27', async () => {
  const found = `test('found', () => {
    for (const entry of ${JSON.stringify(entries)}) expect(Object.keys(require(entry)).length).toBeGreaterThan(0)
    expect(require('express-versioning/changes').versionHistory('v1').versions).toEqual(['v1'])
  })`
  const directory = await install(join(temp, 'jest-27'), { ...both(), jest: '^27.0.0' }, { 'a.test.js': found })
  await run(directory, process.execPath, 'node_modules/jest/bin/jest.js', '--rootDir', '.', '--env', 'node')
})
