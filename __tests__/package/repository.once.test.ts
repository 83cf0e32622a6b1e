import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import entries from '../../build/entries.json'
import manifest from '../../package.json'
import { compilerOptions } from '../tsconfig.json'

// What holds the repository together: entries, ARCHITECTURE.md, the checks of docstrings, workflows, the changelog, issue forms.

const root = join(__dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
)

// package.json and the compiler's paths cannot read build/entries.json, which the ES module faces and jest's mapper are made from.
describe('the entries', () => {
  const list = Object.entries(entries)
  const names = list.map(([subpath]) => manifest.name + subpath.slice(1))
  const folders = list.map(([subpath]) => subpath.slice(2)).filter((folder) => folder !== '')

  test('are exported by package.json, beside itself', () => {
    const face = (file: string, s: string) => ({ types: `./dist/${file}.d.${s}ts`, default: `./dist/${file}.${s}js` })
    const faces = (file: string) => ({ import: face(file, 'm'), require: face(file, '') })
    const exported = Object.fromEntries(list.map(([subpath, file]) => [subpath, faces(file)]))
    expect(manifest.exports).toEqual({ ...exported, './package.json': './package.json' })
    expect(manifest).toMatchObject({ main: `./dist/${entries['.']}.js`, types: `./dist/${entries['.']}.d.ts` })
  })

  test('are tested as the sources have them', () => {
    const files = list.map(([, file]) => `src/${file}.ts`)
    expect(names.map((name) => require.resolve(name))).toEqual(files.map((file) => join(root, file)))
    expect(compilerOptions.paths).toEqual(Object.fromEntries(names.map((name, at) => [name, [`../${files[at]}`]])))
  })

  test('are folders of the tarball for older resolvers, and no part of the repository', () => {
    const ignored = read('.gitignore').split('\n')
    expect(manifest.files).toEqual(expect.arrayContaining(folders))
    expect(ignored).toEqual(expect.arrayContaining(folders.map((folder) => `/${folder}/`)))
    for (const folder of folders) {
      const { main, types } = JSON.parse(read(`${folder}/package.json`))
      expect([main, types]).toEqual([`../dist/${folder}/index.js`, `../dist/${folder}/index.d.ts`])
    }
  })

  test('are not loaded by the main one', () => {
    const apart = [...folders, 'command-line']
    const outside = sources.filter((file) => !apart.some((folder) => file.startsWith(folder)))
    const paths = outside.flatMap((file) => read(`src/${file}`).match(/(?<=from ')[^']+(?=')/g) ?? [])
    expect(paths.filter((path) => apart.some((folder) => path.split('/').includes(folder)))).toEqual([])
    expect(outside.length).toBeGreaterThan(40)
  })

  test('give the same names and values to require and import', () => {
    // A package finds itself by its name, through its own `exports`.
    const script = `
      import { createRequire } from 'node:module'
      const require = createRequire(process.cwd() + '/')
      const found = process.argv.slice(1).map(async (entry) => {
        const [imported, required] = [await import(entry), require(entry)]
        const same = Object.keys(required).filter((name) => required[name] === imported[name])
        return [Object.keys(imported), Object.keys(required).sort(), same.sort()]
      })
      console.log(JSON.stringify(await Promise.all(found)))`
    const words = ['--input-type=module', '-e', script, ...names]
    const found: string[][][] = JSON.parse(execFileSync(process.execPath, words, { cwd: root, encoding: 'utf8' }))
    expect(found).toEqual(found.map(([imports]) => [imports, imports, imports]))
    expect(found.filter(([imports = []]) => imports.length > 0)).toHaveLength(names.length)
  })
})

test('ARCHITECTURE.md has at most 150 lines, and names each folder of src; each file says what it is for', () => {
  const page = read('ARCHITECTURE.md')
  expect(page.split('\n').length).toBeLessThanOrEqual(151)
  const [, floors = ''] = /^## Folders\n(.*?)\n\n(?=[^|I])/ms.exec(page) ?? []
  const named = floors.match(/^\| `[^|]*/gm)?.flatMap((cell) => cell.match(/[^`| ,][^`|]*(?=`)/g) ?? [])
  const expected = new Set(sources.map((file) => file.replace(/\/.*/, '')))
  expected.delete('express.ts') // the types of requests: no floor of its own
  expect(new Set(named)).toEqual(expected)
  expect(sources.filter((file) => !/^(?:#!.*\n)?\/\/ \S.*\.\n/.test(read(`src/${file}`)))).toEqual([])
})

/** For each check of docstrings a text, in which each line names its faults behind ` //! `. */
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
export const silent = 1 //! "silent" has no docstring
/** Has members. */ export class Thing {
  constructor() { helper() } //! "__constructor" has no docstring //! "__constructor" throws, and its docstring has no @throws
  field = 1 //! "field" has no docstring
  protected own() {} //! "own" has no docstring
  private hidden() {}
  #secret() {}
}
/** Has members. */ export interface Shape {
  /** Runs. */ method(): void //! "method" throws, and its docstring has no @throws
  field: number //! "field" has no docstring
}
/** Makes one. */ export const shape = (): Shape => ({ method() { deep() }, field: 1 })
/** Has members. */ export type Alias = { field: number } //! "field" has no docstring
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
  const found = stderr.split('\n').slice(0, -1)
  const expected = lines.flatMap(([, ...faults], at) => faults.map((fault) => `${at + 1}: ${fault}`))
  expect(found.map((line) => line.replace(/^.*?index\.ts:/, '')).sort()).toEqual(expected.sort())
})

/** A job of a workflow, as far as these tests read one. */
type Job = { permissions?: object; strategy?: { matrix: object }; 'timeout-minutes'?: number; steps: Step[] }
type Step = { uses?: string; run?: string; with?: object }
const workflow = (file: string): { permissions?: object; jobs: Record<string, Job> } =>
  parse(read(`.github/workflows/${file}`))

test.each([
  ['ci.yml', {}],
  ['release.yml', { 'id-token': 'write' }],
])(
  '%s pins actions by their commits, grants what it needs, keeps no token, ends, and runs known scripts',
  (file, more) => {
    const { permissions, jobs } = workflow(file)
    const all = Object.values(jobs)
    const steps = all.flatMap((job) => job.steps)
    const lines = read(`.github/workflows/${file}`).match(/^\s*(?:- )?uses:.*$/gm) ?? []
    expect(lines).toHaveLength(steps.filter(({ uses }) => uses !== undefined).length)
    for (const line of lines) expect(line).toMatch(/uses: [\w-]+(?:\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    expect(Object.assign({}, permissions, ...all.map((job) => job.permissions))).toEqual({ contents: 'read', ...more })
    expect(permissions).not.toHaveProperty('id-token')
    for (const job of all) expect(job['timeout-minutes']).toBeLessThanOrEqual(60)
    for (const step of steps.filter(({ uses }) => uses?.startsWith('actions/checkout@')))
      expect(step.with).toMatchObject({ 'persist-credentials': false })
    const commands = steps.flatMap(({ run = [] }) => run).join('\n')
    const named = commands.match(/(?<=npm (?:run )?)(?!ci\b|pkg\b|publish\b|run\b)[\w:]+/g) ?? []
    expect(named.length).toBeGreaterThan(0)
    expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(named))
    // Nothing that others write becomes a part of a command.
    expect(commands).not.toMatch(/\$\{\{(?! *matrix\.)/)
  },
)

test('CI runs the tests on each Node and each Express that is supported; a release has provenance, after all tests', () => {
  expect(workflow('ci.yml').jobs.test?.strategy?.matrix).toEqual({ node: [20, 22, 24], express: [4, 5] })
  expect(manifest.engines.node).toBe('>=20')
  expect(read('docs/stability.md')).toContain('| Node | the range of `engines` in `package.json`: 20 and later |')
  const { projects } = jest.requireActual('../../jest.config.js') as { projects: { displayName: string }[] }
  expect(projects.map(({ displayName }) => displayName)).toEqual(['express 5', 'express 4'])
  expect(read('.github/workflows/ci.yml')).toContain('--selectProjects "express $' + '{{ matrix.express }}"')
  const { steps = [] } = workflow('release.yml').jobs.publish ?? {}
  const wanted = ['npm ci', 'npm run check', 'npm run test:system', 'npm publish --provenance']
  const found = steps.flatMap(({ run = '' }) => wanted.find((text) => run.includes(text)) ?? [])
  expect([found, steps.at(-1)?.run]).toEqual([wanted, expect.stringContaining('npm publish --provenance')])
})

test('CHANGELOG.md begins with the version of package.json', () => {
  const [, version] = /^## \[(\d+\.\d+\.\d+)\] - (?:Unreleased|\d{4}-\d\d-\d\d)\n/m.exec(read('CHANGELOG.md')) ?? []
  expect(version).toBe(manifest.version)
})

test('issue forms ask for all that it takes to see a bug, and list the schemes of the package', () => {
  type Field = { id?: string; validations?: { required: boolean } }
  const schemes = Object.keys(require('../../dist')).filter((name) => /.Versioning$/.test(name))
  const text = read('.github/ISSUE_TEMPLATE/bug.yml')
  const { body }: { body: Field[] } = parse(text)
  const required = body.flatMap(({ id, validations }) => (validations?.required ? id : []))
  expect(required.join(' ')).toBe('package express node scheme options request expected actual')
  expect(schemes.filter((scheme) => !text.includes(`- ${scheme}\n`))).toEqual(['BaseVersioning'])
})
