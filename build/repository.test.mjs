// Checks what holds the repository together: entries, ARCHITECTURE.md, the checks of docstrings, workflows, the changelog, issue forms.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

const root = fileURLToPath(new URL('..', import.meta.url))
const require = createRequire(import.meta.url)
const entries = require('./entries.json')
const manifest = require('../package.json')
const read = (file) => readFileSync(join(root, file), 'utf8')
const sources = readdirSync(join(root, 'src'), { recursive: true }).filter((file) => file.endsWith('.ts'))

// package.json and the compiler's paths cannot read entries.json, which the ES module faces and jest's mapper are made from.
test('the entries are those of package.json and of the compiler, and the main one loads no other', () => {
  const subpaths = Object.keys(entries)
  assert.deepEqual(Object.keys(manifest.exports), [...subpaths, './package.json'])
  const paths = Object.entries(entries).map(([subpath, file]) => [
    manifest.name + subpath.slice(1),
    [`../src/${file}.ts`],
  ])
  assert.deepEqual(require('../__tests__/tsconfig.json').compilerOptions.paths, Object.fromEntries(paths))
  const apart = [...subpaths.slice(1).map((subpath) => subpath.slice(2)), 'command-line']
  const main = sources.filter((file) => !apart.some((folder) => file.startsWith(folder)))
  const imported = main.flatMap((file) => read(`src/${file}`).match(/(?<=from ')[^']+(?=')/g) ?? [])
  const across = imported.filter((path) => apart.some((folder) => path.split('/').includes(folder)))
  assert.deepEqual(across, [])
  assert.ok(main.length > 40)
})

test('ARCHITECTURE.md has at most 150 lines, and names each folder of src', () => {
  const page = read('ARCHITECTURE.md')
  assert.ok(page.trimEnd().split('\n').length <= 150)
  const [, floors = ''] = /^## Folders\n(.*?)\n\n(?=[^|I])/ms.exec(page) ?? []
  const named = floors.match(/^\| `[^|]*/gm)?.flatMap((cell) => cell.match(/[^`| ,][^`|]*(?=`)/g) ?? [])
  // express.ts has the types of requests: no floor of its own.
  const folders = sources.filter((file) => file !== 'express.ts').map((file) => file.replace(/\/.*/, ''))
  assert.deepEqual(new Set(named), new Set(folders))
})

test('nothing is loaded late but what users install, and what users may import is a list', () => {
  const late = sources.filter((file) =>
    /(?<![.\w])require\(['"]|await import\('\./.test(read(`src/${file}`).replaceAll(/^ *(?:\*|\/\/).*|"[^"]*"/gm, '')),
  )
  assert.deepEqual(late, ['command-line/demo/demo.ts'])
  const whole = sources.filter((file) => /^export (?:type )?\*/m.test(read(`src/${file}`)))
  assert.deepEqual(whole, [])
})

test('each file of src says what it is for', () => {
  const silent = sources.filter((file) => !/^(?:#!.*\n)?\/\/ \S.*\.\n/.test(read(`src/${file}`)))
  assert.deepEqual(silent, [])
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

for (const [check, text] of Object.entries(CHECKED)) {
  test(`${check} finds the faults of docstrings`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'express-versioning-api-'))
    const lines = text.split('\n').map((line) => line.split(' //! '))
    const file = join(folder, 'index.ts')
    writeFileSync(file, lines.map(([code]) => code).join('\n'))
    const { stderr } = spawnSync(process.execPath, [check, file], { cwd: root, encoding: 'utf8' })
    rmSync(folder, { recursive: true })
    const expected = lines.flatMap(([, ...faults], at) => faults.map((fault) => `${at + 1}: ${fault}`))
    assert.deepEqual(stderr.match(/(?<=index\.ts:).*/g)?.sort(), expected.sort())
  })
}

const workflow = (file) => parse(read(`.github/workflows/${file}`))
const WORKFLOWS = { 'ci.yml': {}, 'release.yml': { 'id-token': 'write' } }

for (const [file, more] of Object.entries(WORKFLOWS)) {
  const { permissions, jobs } = workflow(file)
  const all = Object.values(jobs)
  const steps = all.flatMap((job) => job.steps)
  const commands = steps.flatMap(({ run = [] }) => run).join('\n')

  test(`${file} pins actions by commits, and keeps no token`, () => {
    const uses = read(`.github/workflows/${file}`).match(/(?<=^\s*(?:- )?uses:).*$/gm) ?? []
    assert.deepEqual(
      uses.map((line) => line.split(' ')[1]),
      steps.flatMap((step) => step.uses ?? []),
    )
    for (const action of uses) assert.match(action, /^ [\w-]+(?:\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    for (const step of steps.filter((step) => step.uses?.startsWith('actions/checkout@')))
      assert.equal(step.with['persist-credentials'], false)
  })

  test(`${file} grants what it needs, and ends`, () => {
    const granted = Object.assign({}, permissions, ...all.map((job) => job.permissions))
    assert.deepEqual(granted, { contents: 'read', ...more })
    assert.ok(!('id-token' in permissions))
    for (const job of all) assert.ok(job['timeout-minutes'] <= 60)
  })

  test(`${file} runs known scripts`, () => {
    const named = commands.match(/(?<=npm (?:run )?)(?!ci\b|pkg\b|publish\b|run\b)[\w:]+/g) ?? []
    assert.ok(named.length > 0)
    assert.deepEqual(
      named.filter((name) => !(name in manifest.scripts)),
      [],
    )
    // Nothing that others write becomes a part of a command.
    assert.doesNotMatch(commands, /\$\{\{(?! *matrix\.)/)
  })
}

test('CI runs the tests on each Node and each Express that is supported', () => {
  assert.deepEqual(workflow('ci.yml').jobs.test.strategy.matrix, { node: [20, 22, 24], express: [4, 5] })
  assert.equal(manifest.engines.node, '>=20')
  assert.ok(read('docs/works-with.md').includes('| Node | the range of `engines` in `package.json`: 20 and later |'))
  const names = require('../jest.config.js').projects.map(({ displayName }) => displayName)
  assert.deepEqual(names, ['express 5', 'express 4'])
  assert.ok(read('.github/workflows/ci.yml').includes('--selectProjects "express $' + '{{ matrix.express }}"'))
})

test('a release has provenance, after all tests', () => {
  const commands = workflow('release.yml')
    .jobs.publish.steps.map(({ run = '' }) => run)
    .join('\n')
  assert.match(commands, /\nnpm ci\nnpm run check\nnpm run test:system\n[\s\S]*npm publish --provenance.*\n$/)
})

test('the brands and CHANGELOG.md have the version of package.json', () => {
  assert.ok(read('src/util/brand.ts').includes(`VERSION = '${manifest.version}'`))
  const [, version] = /^## \[(\d+\.\d+\.\d+)\] - (?:Unreleased|\d{4}-\d\d-\d\d)\n/m.exec(read('CHANGELOG.md')) ?? []
  assert.equal(version, manifest.version)
})

test('issue forms ask for all that it takes to see a bug, and list the schemes of the package', () => {
  const text = read('.github/ISSUE_TEMPLATE/bug.yml')
  const required = parse(text).body.flatMap(({ id, validations }) => (validations?.required ? id : []))
  assert.equal(required.join(' '), 'package express node scheme options request expected actual')
  const schemes = new Set(read('src/index.ts').match(/\b\w+Versioning\b/g))
  assert.ok(schemes.size > 6)
  const missing = [...schemes].filter((scheme) => !text.includes(`- ${scheme}\n`))
  assert.deepEqual(missing, ['BaseVersioning'])
})
