import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { USAGE } from '../../src/command-line/arguments'
import { command } from '../../src/command-line/command'

// Modules are required here, where Node imports them; `package/command-line` runs the command itself, on modules of each kind.

const folder = mkdtempSync(join(tmpdir(), 'express-versioning-command-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function write(file: string, text: string): void {
  mkdirSync(join(folder, file, '..'), { recursive: true })
  writeFileSync(join(folder, file), text)
}

const shop = `
const { byVersion, namedRoutes, QueryParameterVersioning } = require('express-versioning')
const answer = (req, res) => res.end()
const routes = namedRoutes({ 'user-list': '/users', export: '/export', later: '/later' })
routes.route('user-list').get(answer).post(answer)
routes.route('export').get(byVersion({ v1: answer }))
`
write('app.js', `${shop}exports.options = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'], routes }`)
write('table.js', `${shop}module.exports = namedRoutes({}).include('/v1', routes, { namespace: 'v1' })`)
write('nameless/index.js', `${shop}module.exports = routes`)
write('no-versions.js', `${shop}module.exports = { scheme: QueryParameterVersioning, routes }`)
write('two.js', `${shop}exports.api = routes\nexports.other = namedRoutes({ other: '/other' })`)
write('odd.js', `${shop}module.exports = namedRoutes({ 'a\\u202e\\n': '/b\\u009b{/:c\\u{e0001}}' })`)
write('throws.js', "throw new RangeError('on its own account')")
write(
  'throws-later.js',
  `${shop}
exports.options = { scheme: QueryParameterVersioning, get allowedVersions() { throw new RangeError('later') }, routes }`,
)
write(
  'wrong.js',
  `throw Object.assign(new TypeError('Unknown file extension'), { code: 'ERR_UNKNOWN_FILE_EXTENSION' })`,
)

const run = (...words: string[]) => command(words, folder)
const printed = async (...words: string[]) => {
  const { code, out, err } = await run(...words)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return out
}
const failed = async (...words: string[]) => {
  const { code, out, err } = await run(...words)
  expect({ code, out }).toEqual({ code: 1, out: '' })
  return err
}

test('the routes of a module that exports options', async () => {
  expect(await printed('routes', './app.js')).toBe(`API

v1
v2

                          v1   v2

GET   /users   user-list  yes  yes
POST  /users   user-list  yes  yes
GET   /export  export     yes  removed
`)
})

test('where they are mounted, and what they are called', async () => {
  const out = await printed('routes', 'app.js', '--mount', '/api', '--title', 'Shop')
  expect(out).toMatch(/^Shop\n/)
  expect(out).toMatch(/^GET {3}\/api\/users {3}user-list {2}yes {2}yes$/m)
})

test('as JSON', async () => {
  const out = await printed('routes', 'app.js', '--json', '--mount=/api', '--title=Shop')
  expect(out).toMatch(/^\{\n {2}"title": "Shop",\n[\s\S]*\n\}\n$/)
  const curl = (options: string, version: string) =>
    `curl ${options}'http://localhost:3000/api/users?version=${version}'`
  const [list, post, gone, ...others] = JSON.parse(out).routes
  expect(others).toEqual([])
  expect(JSON.parse(out).versions).toEqual([{ version: 'v1' }, { version: 'v2' }])
  expect(list).toMatchObject({
    method: 'GET',
    name: 'user-list',
    path: '/api/users',
    versions: [
      { version: 'v1', exists: true, curl: curl('', 'v1') },
      { version: 'v2', exists: true, curl: curl('', 'v2') },
    ],
  })
  expect(post).toMatchObject({ method: 'POST', versions: [{ curl: curl('-X POST ', 'v1') }, {}] })
  expect(gone).toMatchObject({ name: 'export', versions: [{ exists: true }, { version: 'v2', exists: false }] })
})

test.each(['table.js', './table.js', './table', join(folder, 'table.js')])(
  'a table alone is printed without versions: %s',
  async (file) => {
    expect(await printed('routes', file)).toBe(`API

GET   /v1/users   v1:user-list
POST  /v1/users   v1:user-list
GET   /v1/export  v1:export
-     /v1/later   v1:later
`)
  },
)

test('a table as JSON, with a mount and a title', async () => {
  const out = await printed('routes', 'table.js', '--json', '--mount', '/api/', '--title', 'Shop')
  const route = { method: 'GET', name: 'v1:user-list', path: '/api/v1/users', group: '', versions: [] }
  expect(JSON.parse(out)).toMatchObject({ title: 'Shop', versions: [], routes: [route, {}, {}, {}] })
})

test('the index of a folder', async () => {
  expect(await printed('routes', 'nameless')).toContain('user-list')
})

test('one of several', async () => {
  expect(await printed('routes', 'two.js', '--export', 'other')).toContain('/other')
  expect(await failed('routes', 'two.js')).toBe(
    "express-versioning: 'two.js' exports several: 'api', 'other'. Choose one of them with --export.\n",
  )
})

test('what is not seen is escaped', async () => {
  expect(await printed('routes', 'odd.js', '--title', 'a\x1b[2J')).toBe(`a\\u{1b}[2J

-  /b\\u{9b}{/:c\\u{e0001}}  a\\u{202e}\\u{a}
`)
  const json = await printed('routes', 'odd.js', '--json', '--title', '\x1b\x7f\u2028')
  expect(json).toMatch(/^[\n -~]+$/)
  expect(JSON.parse(json)).toMatchObject({
    title: '\x1b\x7f\u2028',
    routes: [{ name: 'a\u202e\n', path: '/b\u009b{/:c\u{e0001}}' }],
  })
})

test.each(['--help', '-h'])('%s', async (option) => {
  expect(await printed(option)).toBe(USAGE)
  expect(await printed('routes', option)).toBe(USAGE)
  expect(USAGE).toMatch(/^Usage: express-versioning routes <module> \[options\]\n/)
})

test.each(['--version', '-v'])('%s', async (option) => {
  const { version } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8'))
  expect(await printed(option)).toBe(`${version}\n`)
})

test.each<[message: string, ...words: string[]]>([
  ['a command is missing.'],
  ['unknown command \'route\'. Did you mean "routes"?', 'route', 'app.js'],
  ["unknown command 'app.js'.", 'app.js'],
  ['the module is missing: express-versioning routes ./app.js', 'routes'],
  ['the module is missing: express-versioning routes ./app.js', 'routes', ''],
  ["one module at a time; got 'app.js', 'two.js'.", 'routes', 'app.js', 'two.js'],
])('the usage is told with: %s', async (message, ...words) => {
  expect(await failed(...words)).toBe(`express-versioning: ${message}\n\n${USAGE}`)
})

test.each<[words: string[], said: RegExp]>([
  [['routes', 'app.js', '--jsn'], /^express-versioning: Unknown option '--jsn'/],
  [['routes', 'app.js', '--\x1b[2J'], /^express-versioning: Unknown option '--\\u\{1b\}\[2J'/],
  [['routes', 'app.js', '--mount'], /^express-versioning: Option '--mount <value>' argument missing/],
  [['routes', 'app.js', '--json=yes'], /^express-versioning: Option '--json' does not take an argument/],
])('%j is no way to ask', async (words, said) => {
  const err = await failed(...words)
  expect(err).toMatch(said)
  expect(err.endsWith(`\n\n${USAGE}`)).toBe(true)
})

test.each<[file: string, message: string, ...words: string[]]>([
  ['no-versions.js', 'This command needs the option "allowedVersions" of versioning(), or a history of "changes".'],
  ['app.js', "--mount takes a path such as /api; got 'api'.", '--mount', 'api'],
  ['table.js', "--mount takes a path such as /api; got ''.", '--mount', ''],
  ['app.js', `'app.js' has no export 'option'. Did you mean "options"?`, '--export', 'option'],
  ['../nowhere.js', `there is no module '../nowhere.js' in '${folder}'.`],
  [
    'wrong.js',
    `Node ${process.versions.node} does not read .js files. Give the compiled module, or use Node 22.18 or later, which reads TypeScript.`,
  ],
])('%s: %s', async (file, message, ...words) => {
  expect(await failed('routes', file, ...words)).toBe(`express-versioning: ${message}\n`)
})

test.each([
  ['throws.js', 'on its own account'],
  ['throws-later.js', 'later'],
])("a module's own error is not the command's to tell: %s", async (file, message) => {
  // By its name, because the error is of another realm than this file.
  await expect(run('routes', `../${basename(folder)}/${file}`)).rejects.toMatchObject({ name: 'RangeError', message })
})
