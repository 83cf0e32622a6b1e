import { join } from 'node:path'
import {
  entries,
  found,
  imported,
  printed,
  programs,
  required,
  server,
  thenBundled,
  thenRequire,
  typed,
} from './support/programs'
import { install, packed, run, temporary, tested, write } from './support/projects'

// These tests use the tarball with the tools between sources and Node: loaders, bundlers, test runners, wrappers, workspaces.

const temp = temporary()
const project = join(temp, 'project')
const bin = (path: string) => join(project, 'node_modules', path)
const node24 = bin('node-24/bin/node')
const both = () => ({ express: tested('express'), 'express-versioning': packed().specifier })

const tests = `
test('findings', async () => {
  expect(await findings()).toEqual(${JSON.stringify(found)})
})
`
const lambda = `
const serverless = require('serverless-http')
const ask = (version) =>
  serverless(app)({ httpMethod: 'GET', path: '/user', headers: {}, queryStringParameters: { version } }, {})
Promise.all(['v1', 'v2', 'x'].map(ask)).then((answers) => {
  console.log(JSON.stringify(answers.map(({ statusCode, body }) => [statusCode, statusCode === 200 && JSON.parse(body)])))
})
`

beforeAll(async () => {
  const options = { target: 'es2022', module: 'node16', types: ['node', 'jest'], strict: true, esModuleInterop: true }
  const dependencies = {
    ...both(),
    ...{ '@types/express': tested('@types/express'), '@types/jest': tested('@types/jest'), '@types/node': '^24.0.0' },
    ...{ esbuild: '^0.28.0', jest: tested('jest'), 'serverless-http': '^4.0.0', 'ts-jest': '^29.4.0', tsx: '^4.23.0' },
    ...{ 'node-24': `npm:node-${process.platform}-${process.arch}@^24.0.0`, vitest: '^5.1.0' },
    typescript: tested('typescript'),
  }
  await install(project, dependencies, {
    'main.ts': programs['main.cts'],
    'main.mts': programs['main.mts'],
    'bundled.js': imported + thenBundled + server + printed,
    'serverless.cjs': required + server + lambda,
    'vitest/a.test.ts': `import { expect, test } from 'vitest'\n${imported}${thenRequire}${typed}${server}${tests}`,
    'jest/a.test.ts': `${imported}${thenBundled}${typed}${server}${tests}`,
    'jest/jest.config.js': `module.exports = { preset: 'ts-jest', testMatch: ['**/a.test.ts'] }`,
    'jest/tsconfig.json': { compilerOptions: { ...options, isolatedModules: false } },
  })
}, 300_000)

/** Runs a program and parses its output. */
async function printedBy(command: string, ...args: string[]): Promise<unknown> {
  return JSON.parse(await run(project, command, ...args))
}

test.each([
  // Under Node 20, tsx runs no main.cts that imports Express.
  ['tsx runs main.ts', process.execPath, bin('tsx/dist/cli.mjs'), 'main.ts'],
  ['tsx runs main.mts', process.execPath, bin('tsx/dist/cli.mjs'), 'main.mts'],
  ['Node runs main.mts with its types stripped', node24, 'main.mts'],
])('%s', async (_, command = '', ...words) => {
  expect(await printedBy(command, ...words)).toEqual(found)
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
  expect(await printedBy(process.execPath, bundle)).toEqual(found)
})

test.each([
  ['vitest', node24, bin('vitest/vitest.mjs'), 'run', '--root', 'vitest'],
  ['jest with ts-jest, which judges the types', process.execPath, bin('jest/bin/jest.js'), '-c', 'jest/jest.config.js'],
])('%s', async (_, command = '', ...words) => {
  await run(project, command, ...words)
})

test('serverless-http', async () => {
  const [older, newest, unknown] = (await printedBy(process.execPath, 'serverless.cjs')) as unknown[][]
  expect([older, newest, unknown?.[0]]).toEqual([[200, found.older], [200, found.newest], 404])
})

// It ignores `exports` and finds the subpaths as folders. Jest 26 loads no `node:util`, so no Express 5.
test('jest 27', async () => {
  const found = `test('found', () => {
    for (const entry of ${JSON.stringify(entries)}) expect(Object.keys(require(entry)).length).toBeGreaterThan(0)
    expect(require('express-versioning/changes').versionHistory('v1').versions).toEqual(['v1'])
  })`
  const directory = await install(join(temp, 'jest-27'), { ...both(), jest: '^27.0.0' }, { 'a.test.js': found })
  await run(directory, process.execPath, 'node_modules/jest/bin/jest.js', '--rootDir', '.', '--env', 'node')
})

// pnpm gives packages of a workspace separate copies if their peers differ. Here the types of Express differ, and Express is one
// copy. Each copy of the library must know the decision of the other.
test('two copies in a pnpm workspace share what was decided', async () => {
  const shared = `
const { byVersion, problemDetails, VersioningError } = require('express-versioning')
const tell = (req, res) => res.json({ of: req.version })
const at = require.resolve('express-versioning')
module.exports = { at, VersioningError, users: byVersion({ v1: tell, v2: tell }), problems: problemDetails() }
`
  const app = `
import { createRequire } from 'node:module'
import express from 'express'
import { QueryParameterVersioning, VersioningError, versioning } from 'express-versioning'
import shared from 'shared'

const app = express()
app.use(versioning({ scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2', 'v3'] }))
app.get('/users', shared.users)
app.use(shared.problems)
const server = app.listen(0, '127.0.0.1', async () => {
  const answers = []
  for (const version of ['v2', 'v3', 'x']) {
    const answer = await fetch('http://127.0.0.1:' + server.address().port + '/users?version=' + version)
    const { of, code } = await answer.json()
    answers.push([answer.status, answer.headers.get('content-type').split(';')[0], of ?? code].join(' '))
  }
  server.close()
  const copies = new Set([shared.at, createRequire(import.meta.url).resolve('express-versioning')]).size
  console.log(JSON.stringify([copies, new Set([VersioningError, shared.VersioningError]).size, ...answers]))
})
`
  const needs = (types: string) => ({ ...both(), '@types/express': types })
  const workspace = join(temp, 'workspace')
  write(workspace, {
    'package.json': { private: true },
    'pnpm-workspace.yaml': 'packages: [shared, app]\n',
    'shared/package.json': { name: 'shared', version: '1.0.0', dependencies: needs('^4.0.0') },
    'shared/index.js': shared,
    'app/package.json': { name: 'app', dependencies: { ...needs('^5.0.0'), shared: 'workspace:*' } },
    'app/main.mjs': app,
  })
  const pnpm = join(await install(join(temp, 'tools'), { pnpm: '^10.0.0' }), 'node_modules/pnpm/bin/pnpm.cjs')
  const options = ['--no-frozen-lockfile', '--ignore-scripts', '--prefer-offline', '--store-dir', join(temp, 'store')]
  await run(workspace, process.execPath, pnpm, 'install', ...options)
  expect(JSON.parse(await run(join(workspace, 'app'), process.execPath, 'main.mjs'))).toEqual([
    ...[2, 2, '200 application/json v2'],
    '404 application/problem+json ERR_VERSION_UNHANDLED',
    '404 application/problem+json ERR_VERSION_NOT_FOUND',
  ])
})
