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
  untyped,
} from './support/programs'
import { install, type Packed, pack, run, temporary, tested, write } from './support/projects'

// These tests use the tarball with the tools between sources and Node: loaders, bundlers, test runners, wrappers, workspaces.

const temp = temporary()
const project = join(temp, 'project')
const bin = (path: string) => join(project, 'node_modules', path)
const node24 = bin('node-24/bin/node')

let packed: Packed

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
  packed = pack()
  await install(project, {
    express: tested('express'),
    'express-versioning': packed.specifier,
    '@types/express': tested('@types/express'),
    '@types/jest': tested('@types/jest'),
    '@types/node': '^24.0.0',
    esbuild: '^0.28.0',
    jest: tested('jest'),
    'node-24': `npm:node-${process.platform}-${process.arch}@^24.0.0`,
    'serverless-http': '^4.0.0',
    'ts-jest': '^29.4.0',
    tsx: '^4.23.0',
    typescript: tested('typescript'),
    vitest: '^5.1.0',
  })
  write(project, {
    'main.ts': programs['main.cts'],
    'main.mts': programs['main.mts'],
    'bundled.js': imported + thenBundled + untyped + server + printed,
    'serverless.cjs': required + untyped.replace('there()', '[]') + server + lambda,
    'vitest/a.test.ts': `import { expect, test } from 'vitest'\n${imported}${thenRequire}${typed}${server}${tests}`,
    'jest/a.test.ts': `${imported}${thenBundled}${typed}${server}${tests}`,
    'jest/jest.config.js': `module.exports = { preset: 'ts-jest', testMatch: ['**/a.test.ts'] }`,
    'jest/tsconfig.json': {
      compilerOptions: {
        target: 'es2022',
        module: 'node16',
        types: ['node', 'jest'],
        strict: true,
        esModuleInterop: true,
        isolatedModules: false,
      },
    },
  })
}, 300_000)

/** Runs a program and parses its output. */
async function printedBy(command: string, ...args: string[]): Promise<unknown> {
  return JSON.parse(await run(project, command, ...args))
}

// Under Node 20, tsx runs no main.cts that imports Express.
test.each(['main.ts', 'main.mts'])('tsx runs %s', async (file) => {
  expect(await printedBy(process.execPath, bin('tsx/dist/cli.mjs'), file)).toEqual(found)
})

test('Node runs main.mts with its types stripped', async () => {
  expect(await printedBy(node24, 'main.mts')).toEqual(found)
})

test.each([
  ['cjs', 'bundle.cjs', []],
  // As its documents say, for packages such as Express that call `require`.
  [
    'esm',
    'bundle.mjs',
    [`--banner:js=import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)`],
  ],
])('esbuild bundles it, with Express, to %s', async (format, file, more) => {
  // The bundle is in another folder, which has no node_modules.
  const bundle = join(temp, 'bundles', file)
  const options = ['--bundle', '--platform=node', `--format=${format}`, `--outfile=${bundle}`, '--log-level=warning']
  await run(project, bin('.bin/esbuild'), 'bundled.js', ...options, ...more)
  expect(await printedBy(process.execPath, bundle)).toEqual(found)
})

test('vitest', async () => {
  await run(project, node24, bin('vitest/vitest.mjs'), 'run', '--root', 'vitest')
})

test('jest with ts-jest, which judges the types, too', async () => {
  await run(project, process.execPath, bin('jest/bin/jest.js'), '--config', 'jest/jest.config.js')
})

// Older resolvers ignore `exports` and find the subpaths as folders.
describe('older resolvers', () => {
  const older = async (name: string, dependencies: Record<string, string>, files: Record<string, string | object>) => {
    const directory = join(temp, name)
    const both = { express: tested('express'), 'express-versioning': packed.specifier }
    await install(directory, { ...both, ...dependencies })
    write(directory, files)
    return directory
  }
  const each = entries.map((entry) => `require('${entry}')`).join(', ')

  // Jest 26 loads no `node:util`, so neither this package nor Express 5.
  test.each([27, 28])('jest %d', async (major) => {
    const found = `test('found', () => {
      const names = [${each}].map((entry) => Object.keys(entry).length > 0)
      expect(names).toEqual([${entries.map(() => 'true').join(', ')}])
      expect(require('express-versioning/changes').versionHistory('v1').versions).toEqual(['v1'])
    })`
    const directory = await older(`jest-${major}`, { jest: `^${major}.0.0` }, { 'a.test.js': found })
    await run(directory, process.execPath, 'node_modules/jest/bin/jest.js', '--rootDir', '.', '--env', 'node')
  })

  test('eslint-plugin-import', async () => {
    const lines = [...entries.map((entry) => `import '${entry}'`), `import 'express-versioning/nothing'`]
    const options = { root: true, parserOptions: { ecmaVersion: 2022, sourceType: 'module' }, plugins: ['import'] }
    const directory = await older(
      'eslint',
      { eslint: '^8.0.0', 'eslint-plugin-import': '^2.0.0' },
      { 'a.js': `${lines.join('\n')}\n`, '.eslintrc.json': { ...options, rules: { 'import/no-unresolved': 'error' } } },
    )
    const linted = run(directory, process.execPath, 'node_modules/eslint/bin/eslint.js', '-f', 'unix', 'a.js')
    await expect(linted).rejects.toThrow(
      /a\.js:6:8: Unable to resolve path to module 'express-versioning\/nothing'[\s\S]*\n1 problem/,
    )
  })
})

test('serverless-http', async () => {
  expect(await printedBy(process.execPath, 'serverless.cjs')).toEqual([
    [200, found.older],
    [200, found.newest],
    [404, false],
  ])
})
