import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import entries from '../../build/entries.json'
import manifest from '../../package.json'
import { compile } from '../support/compile'

// The tarball as npm would publish it, installed beside each major of Express and used from each kind of project. npm itself
// installs it where INSTALL=npm, as in `.ci/run`; elsewhere it is unpacked beside links to what its dependencies ask for, and the
// types of Express 4, which only npm brings, are left out.
const byNpm = process.env.INSTALL === 'npm'
const root = join(__dirname, '../..')
const temp = mkdtempSync(join(tmpdir(), 'express-versioning-package-'))
const execute = promisify(execFile)

jest.setTimeout(120_000)
afterAll(() => rmSync(temp, { recursive: true, force: true }))

async function run(directory: string, command: string, ...args: string[]): Promise<string> {
  // What an outer `npm test` says about its own folder must not reach the inner npm.
  const { npm_config_local_prefix, npm_config_prefix, ...env } = process.env
  try {
    return (await execute(command, args, { cwd: directory, env })).stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${command} ${args.join(' ')} failed in ${directory}\n${stdout}\n${stderr}`)
  }
}

function installed(name: string): string {
  return JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version
}

/** The same server in each language and module system, after a header that imports what it uses; it prints its findings. */
const program = `
const routes = namedRoutes({ user: '/user' })
routes.route('user').get((req, res) => {
  res.json({ name: 'Ada', of: req.version })
})
const changes = versionHistory('v1').version('v2', change('Users have a name.', { 'GET user': { response: toV1 } }))
const app = express()
app.use(versioning({ scheme: QueryParameterVersioning, changes, routes }), routes)
const server = app.listen(0, '127.0.0.1', async () => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const get = (query) => fetch('http://127.0.0.1:' + address.port + '/user?version=' + query)
  const older = await get('v1')
  const newest = await get('v2')
  const unknown = await get('x')
  const [other, otherChanges] = await fromTheOtherSystem()
  console.log(
    JSON.stringify({
      older: await older.json(),
      newest: await newest.json(),
      unknown: unknown.status,
      byHand: changes.response('GET user', { name: 'Ada' }, 'v1'),
      same: other.NotFound === NotFound && otherChanges.change === change,
    }),
  )
  server.close()
})
`

/** What that program prints. */
const findings = {
  older: { title: 'Ada', of: 'v1' },
  newest: { name: 'Ada', of: 'v2' },
  unknown: 404,
  byHand: { title: 'Ada' },
  same: true,
}

const required = `
const express = require('express')
const { namedRoutes, NotFound, QueryParameterVersioning, versioning } = require('express-versioning')
const { change, versionHistory } = require('express-versioning/changes')
const fromTheOtherSystem = () => Promise.all([import('express-versioning'), import('express-versioning/changes')])
`
const imported = `
import express from 'express'
import { namedRoutes, NotFound, QueryParameterVersioning, versioning } from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
`
const thenImport = `
const fromTheOtherSystem = () => Promise.all([import('express-versioning'), import('express-versioning/changes')])
`
const thenRequire = `
import { createRequire } from 'node:module'
const requireHere = createRequire(import.meta.url)
const fromTheOtherSystem = async () => [requireHere('express-versioning'), requireHere('express-versioning/changes')]
`
const step = `
const toV1 = ({ name, ...user }) => ({ title: name, ...user })
`
const typedStep = `
const toV1 = ({ name, ...user }: { name: string }) => ({ title: name, ...user })
`
const typed = `
import type { LinkOptions } from 'express-versioning'
declare module 'express-versioning' {
  interface Register { versions: 'v1' | 'v2' }
}
app.get('/typed', (req, res) => {
  const version: 'v1' | 'v2' | null | undefined = req.version
  const link: LinkOptions = { version: 'v2' }
  // @ts-expect-error a version that was not registered
  const mistyped: LinkOptions = { version: 'v3' }
  res.json([version, link, mistyped])
})
`
const typedProgram = typedStep + program.replace('(query)', '(query: string)') + typed

const projects: Record<string, { type: string; file: string; text: string }> = {
  'js-cjs': { type: 'commonjs', file: 'index.js', text: required + step + program },
  'js-mjs': { type: 'commonjs', file: 'index.mjs', text: imported + thenRequire + step + program },
  'ts-cjs': { type: 'commonjs', file: 'index.ts', text: imported + thenImport + typedProgram },
  'ts-esm': { type: 'module', file: 'index.ts', text: imported + thenRequire + typedProgram },
}

const compilerOptions = {
  module: 'nodenext',
  target: 'es2023',
  lib: ['es2023'],
  types: ['node'],
  strict: true,
  esModuleInterop: true,
  skipLibCheck: false,
}

/** A folder with the tarball, one Express and its types; the projects in it share its node_modules. */
async function install(major: 4 | 5, tarball: string): Promise<void> {
  const directory = join(temp, `express-${major}`)
  mkdirSync(directory)
  const express = major === 4 ? 'express4' : 'express'
  if (byNpm) {
    const dependencies = {
      express: installed(express),
      '@types/express': `^${major}.0.0`,
      '@types/node': installed('@types/node'),
      'express-versioning': `file:${tarball}`,
    }
    writeFileSync(join(directory, 'package.json'), JSON.stringify({ private: true, dependencies }))
    await run(directory, 'npm', 'install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund')
  } else {
    await unpack(directory, express, tarball)
  }
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  for (const [name, { type, file, text }] of Object.entries(projects)) {
    mkdirSync(join(directory, name))
    writeFileSync(join(directory, name, 'package.json'), JSON.stringify({ private: true, type }))
    writeFileSync(join(directory, name, file), text)
  }
}

/** What npm makes of the tarball, of links: nothing is found that is no dependency. */
async function unpack(directory: string, express: string, tarball: string): Promise<void> {
  const modules = join(directory, 'node_modules')
  mkdirSync(modules)
  await run(modules, 'tar', '-xzf', tarball)
  renameSync(join(modules, 'package'), join(modules, 'express-versioning'))
  const { dependencies } = JSON.parse(readFileSync(join(modules, 'express-versioning/package.json'), 'utf8'))
  const links = { express, ...Object.fromEntries([...Object.keys(dependencies), ...TYPES].map((name) => [name, name])) }
  for (const [name, found] of Object.entries(links)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(realpathSync(join(root, 'node_modules', found)), join(modules, name), 'junction')
  }
}

/** Older compilers that the types must suit; the project has the newest. */
const COMPILERS = ['5.5', '5.9']

async function installCompilers(): Promise<void> {
  const directory = join(temp, 'compilers')
  mkdirSync(directory)
  const dependencies = Object.fromEntries(COMPILERS.map((version) => [`ts${version}`, `npm:typescript@~${version}.0`]))
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ private: true, dependencies }))
  await run(directory, 'npm', 'install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund')
}

const TYPES = ['@types/express', '@types/node']
let packed: string[]

beforeAll(async () => {
  if (!existsSync(join(root, 'dist'))) throw new Error('There is no dist: run `npm run build` first (`npm test` does).')
  const output = await run(root, 'npm', 'pack', '--ignore-scripts', '--json', '--pack-destination', temp)
  const [{ filename, files }] = JSON.parse(output)
  packed = files.map((file: { path: string }) => file.path)
  await Promise.all([install(4, join(temp, filename)), install(5, join(temp, filename))])
  if (byNpm) await installCompilers()
})

test('the tarball holds the build, the documents and nothing else', () => {
  const stray = packed.filter((path) => !/^(dist|docs)\/|^(package\.json|README\.md|CHANGELOG\.md|LICENSE)$/.test(path))
  expect(stray).toEqual([])
  const built = Object.values(entries).flatMap((file) =>
    ['js', 'd.ts', 'mjs', 'd.mts'].map((end) => `dist/${file}.${end}`),
  )
  expect(packed).toEqual(expect.arrayContaining(built))
})

test.each(Object.keys(entries))(
  'require and import of %s give the names of the sources, and one value for each',
  async (subpath) => {
    const entry = `express-versioning${subpath.slice(1)}`
    const script = `
      import * as imported from '${entry}'
      import { createRequire } from 'node:module'
      const required = createRequire(process.cwd() + '/')('${entry}')
      const same = Object.keys(required).filter((name) => required[name] === imported[name])
      console.log(JSON.stringify({ imported: Object.keys(imported), required: Object.keys(required), same }))`
    const output = await run(join(temp, 'express-5'), process.execPath, '--input-type=module', '-e', script)
    const names = Object.entries(require(entry))
      .filter(([, value]) => value !== undefined)
      .map(([name]) => name)
      .sort()
    const { imported, required, same } = JSON.parse(output) as Record<string, string[]>
    expect(imported).toEqual(names)
    expect(required?.sort()).toEqual(names)
    expect(same?.sort()).toEqual(names)
  },
)

describe.each([4, 5])('with Express %d', (major) => {
  const directory = join(temp, `express-${major}`)

  test.each(Object.keys(projects).filter((name) => name.startsWith('js-')))('%s', async (name) => {
    const { file } = projects[name] as { file: string }
    expect(JSON.parse(await run(join(directory, name), process.execPath, file))).toEqual(findings)
  })

  test('the command', async () => {
    const table = "module.exports = require('express-versioning').namedRoutes({ user: '/user' })"
    writeFileSync(join(directory, 'table.js'), table)
    const program = join(directory, 'node_modules/express-versioning', manifest.bin['express-versioning'])
    expect(await run(directory, program, 'routes', './table.js')).toBe('API\n\n-  /user  user\n')
  })

  if (major === 4 && !byNpm) return

  test('ts-cjs and ts-esm', async () => {
    const names = Object.keys(projects).filter((name) => name.startsWith('ts-'))
    const files = names.map((name) => join(directory, name, 'index.ts'))
    // Together, as each file's own package.json says which kind of module it is.
    expect(compile(files, join(directory, 'tsconfig.json'))).toBe('')
    for (const name of names) {
      expect(JSON.parse(await run(join(directory, name), process.execPath, 'index.js'))).toEqual(findings)
    }
  })
  if (!byNpm) return

  const fixtures = ['register', 'register-several']
  test.each(COMPILERS.flatMap((version) => fixtures.map((name) => [version, name] as const)))(
    'TypeScript %s: fixtures/%s compiles, its expected errors being errors',
    async (version, name) => {
      const app = `${name}.ts`
      writeFileSync(join(directory, app), readFileSync(join(root, '__tests__/fixtures', name, 'app.ts')))
      // Libraries may need newer compilers than the types of this package do.
      const config = { compilerOptions: { ...compilerOptions, skipLibCheck: true, noEmit: true }, files: [app] }
      writeFileSync(join(directory, `${name}.json`), JSON.stringify(config))
      const compiler = join(temp, 'compilers/node_modules', `ts${version}`, 'bin/tsc')
      expect(await run(directory, process.execPath, compiler, '-p', `${name}.json`)).toBe('')
    },
  )
})
