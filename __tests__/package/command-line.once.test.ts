import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { bin } from '../../package.json'
import { USAGE } from '../../src/command-line/arguments'
import { blocks, page } from '../support/readme'

// The built command, as npm links it into a project, and the modules of each kind, which Node itself loads.
const root = join(__dirname, '../..')
const temp = mkdtempSync(join(tmpdir(), 'express-versioning-command-line-'))
const program = join(temp, 'node_modules/.bin/express-versioning')
afterAll(() => rmSync(temp, { recursive: true, force: true }))

function write(file: string, text: string): void {
  mkdirSync(dirname(resolve(temp, file)), { recursive: true })
  writeFileSync(resolve(temp, file), text)
}

function run(words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(program, words, { cwd: temp, encoding: 'utf8' })
  return { code: status, out: stdout, err: stderr }
}

const table = `const users = namedRoutes({ 'user-list': '/users' })
users.route('user-list').get((req, res) => res.end())
const api = namedRoutes({}).include('/:version', users)\n`
const required = `const { namedRoutes, URLPathVersioning } = require('express-versioning')\n${table}`
const imported = `import { namedRoutes, URLPathVersioning } from 'express-versioning'\n${table}`
const options = "{ scheme: URLPathVersioning, allowedVersions: ['v1', 'v2'], routes: api }"
const held = "setInterval(() => {}, 1000)\nprocess.on('uncaughtException', () => {})\n"
beforeAll(() => {
  mkdirSync(join(temp, 'node_modules/.bin'), { recursive: true })
  symlinkSync(root, join(temp, 'node_modules/express-versioning'), 'junction')
  symlinkSync(join(root, bin['express-versioning']), program)
  write('package.json', '{ "private": true, "name": "shop" }')
  write('esm/package.json', '{ "type": "module" }')
})

const ROUTES = `API\n\nv1\nv2\n\n${' '.repeat(33)}v1   v2\n\nGET  /:version/users  user-list  yes  yes\n`
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const readsTypes = major > 22 || (major === 22 && minor >= 18)

const types = `${imported}const typed: object = ${options}\nexport default typed`
const noTypes = / does not read \.mts files\. .*NODE_OPTIONS='--import tsx'.*\n$/
test.each<[file: string, text: string, printed?: RegExp, code?: number]>([
  ['./app.js', `${required}exports.options = ${options}`],
  [join(temp, 'assigned.cjs'), `${required}module.exports = ${options}`],
  ['esm/app.js', `${imported}export const shop = ${options}`],
  ['with space/100% #1/app.mjs', `${imported}export const options = ${options}`],
  readsTypes ? ['types.mts', types] : ['types.mts', types, noTypes, 1],
  ['lost.mjs', "import './nowhere.mjs'", /Cannot find module '.*nowhere\.mjs' imported from .*lost\.mjs/, 1],
  ['throws.mjs', `${held}throw new RangeError('mine')`, /\n\nRangeError: mine\n {4}at .*throws\.mjs:3:7\n/, 1],
  ['waits.mjs', 'await new Promise(() => {})', /^express-versioning: the module ended .*, or waits .*\.\n$/, 1],
])('%s', (file, text, printed = /^$/, code = 0) => {
  write(file, text)
  const ended = { code, out: code === 0 ? ROUTES : '', err: expect.stringMatching(printed) }
  expect(run(['routes', file])).toEqual(ended)
})

test('docs/command-line.md shows what the command prints, and all of its options', () => {
  const text = page('docs/command-line.md')
  const [[code = ''], [line = ''], [printed = '']] = [blocks('js', text), blocks('sh', text), blocks('text', text)]
  write('shop.mjs', code)
  const [npx, name, ...words] = line.trim().split(' ')
  expect([npx, name]).toEqual(['npx', 'express-versioning'])
  expect(run(words)).toMatchObject({ code: 0, out: printed })
  const listed = [...text.matchAll(/^\| `--(.*?)[ `]/gm)].map(([, option]) => option)
  const known = [...USAGE.matchAll(/^ {2}--([\w-]+)/gm)].map(([, option]) => option)
  expect(known).toEqual([...listed, 'version'])
})
