import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { bin } from '../../package.json'
import { blocks, page } from '../support/readme'

// The built command, as npm links it into a project, and the modules of each kind, which Node itself loads.
const root = join(__dirname, '../..')
const temp = mkdtempSync(join(tmpdir(), 'express-versioning-command-line-'))
const program = join(temp, 'node_modules/.bin/express-versioning')
afterAll(() => rmSync(temp, { recursive: true, force: true }))

function write(file: string, text: string): void {
  mkdirSync(dirname(join(temp, file)), { recursive: true })
  writeFileSync(join(temp, file), text)
}

function run(command: string, words: readonly string[]): Promise<{ code: unknown; out: string; err: string }> {
  return new Promise((done) => {
    execFile(command, words, { cwd: temp }, (error, out, err) => done({ code: error?.code ?? 0, out, err }))
  })
}

const table = `const users = namedRoutes({ 'user-list': '/users' })
users.route('user-list').get((req, res) => res.end())
const api = namedRoutes({}).include('/:version', users)\n`
const required = `const { namedRoutes, URLPathVersioning, versioning } = require('express-versioning')\n${table}`
const imported = `import { namedRoutes, URLPathVersioning, versioning } from 'express-versioning'\n${table}`
const options = "{ scheme: URLPathVersioning, allowedVersions: ['v1', 'v2'], routes: api }"
const held = "setInterval(() => {}, 1000)\nprocess.on('uncaughtException', () => {})\n"
const server = `import express from 'express'
const app = express().use(versioning(options), api)
app.listen(34571, () => console.log('listening'))
console.log('starting')`

const modules: Record<string, string> = {
  'package.json': '{ "private": true, "name": "shop" }',
  'app.js': `${required}exports.options = ${options}`,
  'assigned.cjs': `${required}module.exports = ${options}`,
  'default.mjs': `${imported}export default ${options}`,
  'esm/package.json': '{ "type": "module" }',
  'esm/app.js': `${imported}export const shop = ${options}`,
  'with space/100% #1/app.mjs': `${imported}export const options = ${options}`,
  'types.mts': `${imported}const typed: object = ${options}\nexport default typed`,
  'lost.mjs': "import './nowhere.mjs'",
  'server.mjs': `${imported}export const options = ${options}\n${held}${server}`,
  'throws.mjs': `${held}throw new RangeError('mine')`,
  'waits.mjs': 'await new Promise(() => {})\nexport const options = {}',
}

beforeAll(() => {
  mkdirSync(join(temp, 'node_modules/.bin'), { recursive: true })
  symlinkSync(root, join(temp, 'node_modules/express-versioning'), 'junction')
  symlinkSync(dirname(require.resolve('express/package.json')), join(temp, 'node_modules/express'), 'junction')
  symlinkSync(join(root, bin['express-versioning']), program)
  for (const [file, text] of Object.entries(modules)) write(file, text)
})

const ROUTES = `API\n\nv1\nv2\n\n${' '.repeat(33)}v1   v2\n\nGET  /:version/users  user-list  yes  yes\n`
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const readsTypes = major > 22 || (major === 22 && minor >= 18)

test.each<[file: string, printed?: RegExp, code?: number]>([
  ['./app.js'],
  ['app'],
  [join(temp, 'assigned.cjs')],
  ['default.mjs'],
  ['esm/app.js'],
  ['with space/100% #1/app.mjs'],
  ['server.mjs', /^express-versioning: the module calls listen\(\).*\nstarting\n$/],
  readsTypes ? ['types.mts'] : ['types.mts', / does not read \.mts files\. .* which reads TypeScript\.\n$/, 1],
  ['lost.mjs', /Cannot find module '.*nowhere\.mjs' imported from .*lost\.mjs/, 1],
  ['throws.mjs', /\n\nRangeError: mine\n {4}at .*throws\.mjs:3:7\n/, 1],
  ['waits.mjs', /^express-versioning: the module ended the process, or waits .*\. Export the options .*\.\n$/, 1],
])('%s', async (file, printed = /^$/, code = 0) => {
  const ended = { code, out: code === 0 ? ROUTES : '', err: expect.stringMatching(printed) }
  expect(await run(program, ['routes', file])).toEqual(ended)
})

test('docs/command-line.md shows what npx prints', async () => {
  const text = page('docs/command-line.md')
  const [[code = ''], [line = ''], [printed = '']] = [blocks('js', text), blocks('sh', text), blocks('text', text)]
  write('shop.mjs', code)
  const [npx = '', ...words] = line.trim().split(' ')
  const [shown, help] = await Promise.all([run(npx, ['--no', ...words]), run(program, ['--help'])])
  expect(shown).toMatchObject({ code: 0, out: printed })
  const listed = [...text.matchAll(/^\| `--(.*?)[ `]/gm)].map(([, option]) => option)
  expect([...help.out.matchAll(/^ {2}--(\w+)/gm)].map(([, option]) => option)).toEqual([...listed, 'version'])
})
