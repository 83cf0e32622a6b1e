import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as library from 'express-versioning'
import { parse } from 'yaml'
import entries from '../../build/entries.json'
import manifest from '../../package.json'
import { serve } from '../support/serve'
import { compilerOptions } from '../tsconfig.json'

// What holds the repository together: entries, ARCHITECTURE.md, the checks of docstrings, workflows, the changelog, issue forms.

const root = join(__dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
const sources = files.filter((file) => file.endsWith('.ts'))

// package.json and the compiler's paths cannot read build/entries.json, which the ES module faces and jest's mapper are made from.
test('the entries are those of package.json and of the compiler, and the main one loads no other', () => {
  const subpaths = Object.keys(entries)
  expect(Object.keys(manifest.exports)).toEqual([...subpaths, './package.json'])
  const paths = Object.entries(entries).map(([subpath, file]) => [
    manifest.name + subpath.slice(1),
    [`../src/${file}.ts`],
  ])
  expect(compilerOptions.paths).toEqual(Object.fromEntries(paths))
  const apart = [...subpaths.slice(1).map((subpath) => subpath.slice(2)), 'command-line']
  const main = sources.filter((file) => !apart.some((folder) => file.startsWith(folder)))
  const imported = main.flatMap((file) => read(`src/${file}`).match(/(?<=from ')[^']+(?=')/g) ?? [])
  expect(imported.filter((path) => apart.some((folder) => path.split('/').includes(folder)))).toEqual([])
  expect(main.length).toBeGreaterThan(40)
})

test('two copies of the package, as a workspace of pnpm has them, share what was decided', async () => {
  const { QueryParameterVersioning: scheme, versioning } = library
  let { byVersion, problemDetails } = library
  jest.isolateModules(() => {
    ;({ byVersion, problemDetails } = require('express-versioning'))
  })
  expect(byVersion).not.toBe(library.byVersion)
  const { get } = await serve((app) => {
    app.use(versioning({ scheme, allowedVersions: ['v1', 'v2'] }))
    app.use(byVersion({ v1: (req, res) => void res.json(req.version) }), problemDetails())
  })
  expect(await get('/?version=v1')).toMatchObject({ status: 200, json: 'v1' })
  const problem = { 'content-type': 'application/problem+json' }
  for (const [version, code] of Object.entries({ v2: 'ERR_VERSION_UNHANDLED', v9: 'ERR_VERSION_NOT_FOUND' }))
    expect(await get(`/?version=${version}`)).toMatchObject({ status: 404, headers: problem, json: { code } })
})

test('ARCHITECTURE.md has at most 150 lines, and names each folder of src; each file says what it is for', () => {
  const page = read('ARCHITECTURE.md')
  expect(page.split('\n').length).toBeLessThanOrEqual(151)
  const [, floors = ''] = /^## Folders\n(.*?)\n\n(?=[^|I])/ms.exec(page) ?? []
  const named = floors.match(/^\| `[^|]*/gm)?.flatMap((cell) => cell.match(/[^`| ,][^`|]*(?=`)/g) ?? [])
  // express.ts has the types of requests: no floor of its own.
  const folders = sources.filter((file) => file !== 'express.ts').map((file) => file.replace(/\/.*/, ''))
  expect(new Set(named)).toEqual(new Set(folders))
  expect(sources.filter((file) => !/^(?:#!.*\n)?\/\/ \S.*\.\n/.test(read(`src/${file}`)))).toEqual([])
})

/** For each check of docstrings a string, in which each line names its faults behind ` //! `. */
const CHECKED = {
  'build/api.mjs': `
const helper = () => { throw new Error() }
function deep() { [1].map(() => helper()) }
/** Makes. */ export function calls() { deep() } //! "calls" throws, and its docstring has no @throws
/** Makes. */ export function hands() { return () => { throw new Error() } }
/** Makes. */ export function catches() { try { helper() } catch {} }
/** @throws {Error} always. */ export function says() { helper() }
/** @throws when it fails. */ export function vague() { helper() } //! @throws does not name the class first, and then say when
/** Leads to {@link says} and {@link nothing}. */ export const links = 1 //! {@link nothing} does not resolve
/** Has properties. */ export class Thing {
  constructor() { helper() } //! "__constructor" has no docstring //! "__constructor" throws, and its docstring has no @throws
  protected own() {} //! "own" has no docstring
  private hidden() {}
  #secret() {}
}
/** Has properties. */ export interface Shape {
  /** Runs. */ method(): void //! "method" throws, and its docstring has no @throws
  field: number //! "field" has no docstring
}
export const shape = (): Shape => ({ method() { deep() }, field: 1 }) //! "shape" has no docstring
/** Has properties. */ export type Alias = { field: number } //! "field" has no docstring
declare global { interface Window { added: number } } //! "added" has no docstring`,
  'build/words.mjs': `
/** Returns it. */ function good() {}
/** The way to it. */ const arrow = () => {} //! "The" is no verb in the third person
/** What it is. */ const value = 1 //! "What" opens a clause; begin with a noun
/** Of two, the first. */ class Thing { //! "Of" opens a clause; begin with a noun
  /** Makes one. */ constructor() {}
  /** \`Code\` of it. */ get got() { return 1 }
  /** Return it. */ method() {} //! "Return" is no verb in the third person
  /** @throws {Error} always. */ silent() {}
}`,
}

test.each(Object.entries(CHECKED))('%s finds the faults of docstrings', (check, text) => {
  const folder = mkdtempSync(join(tmpdir(), 'express-versioning-api-'))
  const lines = text.split('\n').map((line) => line.split(' //! '))
  const file = join(folder, 'index.ts')
  writeFileSync(file, lines.map(([code]) => code).join('\n'))
  const { stderr } = spawnSync(process.execPath, [check, file], { cwd: root, encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  const expected = lines.flatMap(([, ...faults], at) => faults.map((fault) => `${at + 1}: ${fault}`))
  expect(stderr.match(/(?<=index\.ts:).*/g)?.sort()).toEqual(expected.sort())
})

type Step = { uses?: string; run?: string; with?: object }
const workflow = (file: string) => parse(read(`.github/workflows/${file}`))

test.each([
  ['ci.yml', {}],
  ['release.yml', { 'id-token': 'write' }],
])('%s pins actions by commits, grants what it needs, keeps no token, ends, runs known scripts', (file, more) => {
  const { permissions, jobs } = workflow(file)
  const all: { permissions?: object; 'timeout-minutes': number; steps: Step[] }[] = Object.values(jobs)
  const steps = all.flatMap((job) => job.steps)
  const uses = read(`.github/workflows/${file}`).match(/(?<=^\s*(?:- )?uses:).*$/gm)
  expect(uses).toEqual(steps.flatMap((step) => (step.uses ? expect.stringContaining(` ${step.uses} `) : [])))
  for (const action of uses ?? []) expect(action).toMatch(/^ [\w-]+(?:\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  expect(Object.assign({}, permissions, ...all.map((job) => job.permissions))).toEqual({ contents: 'read', ...more })
  expect(permissions).not.toHaveProperty('id-token')
  for (const job of all) expect(job['timeout-minutes']).toBeLessThanOrEqual(60)
  for (const step of steps.filter((step) => step.uses?.startsWith('actions/checkout@')))
    expect(step.with).toMatchObject({ 'persist-credentials': false })
  const commands = steps.flatMap(({ run = [] }) => run).join('\n')
  const named = commands.match(/(?<=npm (?:run )?)(?!ci\b|pkg\b|publish\b|run\b)[\w:]+/g)
  expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(named as string[]))
  // Nothing that others write becomes a part of a command.
  expect(commands).not.toMatch(/\$\{\{(?! *matrix\.)/)
})

test('CI runs the tests on each Node and each Express that is supported; a release has provenance, after all tests', () => {
  expect(workflow('ci.yml').jobs.test.strategy.matrix).toEqual({ node: [20, 22, 24], express: [4, 5] })
  expect(manifest.engines.node).toBe('>=20')
  expect(read('docs/stability.md')).toContain('| Node | the range of `engines` in `package.json`: 20 and later |')
  const { projects } = jest.requireActual('../../jest.config.js') as { projects: { displayName: string }[] }
  expect(projects.map(({ displayName }) => displayName)).toEqual(['express 5', 'express 4'])
  expect(read('.github/workflows/ci.yml')).toContain('--selectProjects "express $' + '{{ matrix.express }}"')
  const { steps }: { steps: Step[] } = workflow('release.yml').jobs.publish
  const commands = steps.map(({ run = '' }) => run).join('\n')
  expect(commands).toMatch(/\nnpm ci\nnpm run check\nnpm run test:system\n[\s\S]*npm publish --provenance.*\n$/)
})

test('CHANGELOG.md begins with the version of package.json', () => {
  const [, version] = /^## \[(\d+\.\d+\.\d+)\] - (?:Unreleased|\d{4}-\d\d-\d\d)\n/m.exec(read('CHANGELOG.md')) ?? []
  expect(version).toBe(manifest.version)
})

test('issue forms ask for all that it takes to see a bug, and list the schemes of the package', () => {
  const text = read('.github/ISSUE_TEMPLATE/bug.yml')
  const { body }: { body: { id?: string; validations?: { required: boolean } }[] } = parse(text)
  const required = body.flatMap(({ id, validations }) => (validations?.required ? id : []))
  expect(required.join(' ')).toBe('package express node scheme options request expected actual')
  const schemes = Object.keys(library).filter((name) => /.Versioning$/.test(name))
  expect(schemes.filter((scheme) => !text.includes(`- ${scheme}\n`))).toEqual(['BaseVersioning'])
})
