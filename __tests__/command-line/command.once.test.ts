import { EventEmitter } from 'node:events'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { Server } from 'node:net'
import { join } from 'node:path'
import express from 'express'
import { namedRoutes, QueryParameterVersioning, URLPathVersioning } from 'express-versioning'
import { version } from '../../package.json'
import { CommandError, USAGE } from '../../src/command-line/arguments'
import { findingsOf } from '../../src/command-line/command'
import * as demo from '../../src/command-line/demo/demo'
import { exported } from '../../src/command-line/module'
import { run } from '../../src/command-line/run'
import { ended, folder, read, write } from '../support/folder'
import { rows } from '../support/rows'

// Modules are required here, where Node imports them; `package/command-line` runs the command itself, on modules of each kind.

const SHOP = `
const { byVersion, namedRoutes, QueryParameterVersioning: scheme } = require('express-versioning')
const { openapi } = require('express-versioning/openapi')
const response = (req, res) => res.end()
const routes = namedRoutes({ 'user-list': '/users', export: '/export', later: '/later' })
routes.route('user-list').get(response).post(response)
routes.route('export').get(byVersion({ v1: response }))
const user = { $id: 'User', type: 'object', properties: { id: { type: 'string' } } }
routes.describe('GET user-list', { response: { type: 'array', items: user }, versions: {} })
const options = { scheme, allowedVersions: ['v1', 'v2', 'v3'], routes, lifecycle: {} }
const docs = openapi(options, { info: { title: 'Shop' }, mount: '/api' })
`
let count = 0
/** Writes a module of its own, because each is loaded once. */
function moduleOf(text: string): string {
  const file = `module-${count++}.js`
  write(file, text)
  return file
}
/** Writes a module with the shop, a part of its text replaced. */
const shop = (exports = 'docs', from = '', to = '') => moduleOf(`${SHOP.replace(from, to)}module.exports = ${exports}`)

write('app.js', `${SHOP}exports.options = options`)
write('table.js', `${SHOP}module.exports = namedRoutes({}).include('/v1', routes, { namespace: 'v1' })`)
write('nameless/index.js', `${SHOP}module.exports = routes`)
write('no-versions.js', `${SHOP}module.exports = { scheme, routes }`)
write('two.js', `${SHOP}exports.api = routes\nexports.other = namedRoutes({ other: '/other' })`)
write('odd.js', `${SHOP}module.exports = namedRoutes({ 'a\\u202e\\n': '/b\\u009b{/:c\\u{e0001}}' })`)
write('throws.js', "throw new RangeError('throws')")
write('later.js', `${SHOP}exports.options = { scheme, get routes() { throw new RangeError('later') } }`)
write('wrong.js', `throw Object.assign(new TypeError('Unknown'), { code: 'ERR_UNKNOWN_FILE_EXTENSION' })`)

async function printed(words: string): Promise<string> {
  const { out, ...rest } = await ended(words)
  expect(rest).toEqual({ code: 0, err: '' })
  return out
}

test('the routes of options are a table of versions; of a table, which has none, its methods and names', async () => {
  const heads = `API\n\nv1\nv2\nv3\n\n${' '.repeat(26)}v1   v2       v3\n\n`
  const get = 'GET   /users   user-list  yes  yes      yes\n'
  const others = 'POST  /users   user-list  yes  yes      yes\nGET   /export  export     yes  removed  -\n'
  expect(await printed('routes ./app.js')).toBe(`${heads}${get}${others}`)
  const bare = 'GET   /api/users   user-list\nPOST  /api/users   user-list\nGET   /api/export  export\n'
  expect(await printed('routes nameless --mount /api')).toBe(`API\n\n${bare}-     /api/later   later\n`)
  expect(await printed('routes two.js --export other')).toContain('/other')
})

test('routes are printed as JSON, with a mount and a title', async () => {
  const out = await printed('routes app.js --json --mount=/api --title=Shop')
  expect(out).toMatch(/^\{\n {2}"title": "Shop",\n[\s\S]*\n\}\n$/)
  const curl = "curl -X POST 'http://localhost:3000/api/users?version=v1'"
  const post = { method: 'POST', name: 'user-list', path: '/api/users', group: '' }
  const removed = { versions: [{}, { version: 'v2', exists: false }, {}] }
  const routes = [{}, { ...post, versions: [{ version: 'v1', exists: true, curl }, {}, {}] }, removed]
  const versions = ['v1', 'v2', 'v3'].map((version) => ({ version }))
  expect(JSON.parse(out)).toMatchObject({ versions, routes })
  const table = JSON.parse(await printed('routes table.js --json --mount /api/ --title Shop'))
  const route = { method: 'GET', name: 'v1:user-list', path: '/api/v1/users', group: '', versions: [] }
  expect(table).toMatchObject({ versions: [], routes: [route, {}, {}, {}] })
  const root = JSON.parse(await printed(`routes ${shop("namedRoutes({ home: '' })")} --json`))
  expect(root.routes).toMatchObject([{ name: 'home', path: '/' }])
})

test('routes and openapi have one address of an operation, or all', async () => {
  const scheme =
    'new own.CombinedVersioning({ schemes: [new scheme(), new own.URLPathVersioning()], allowedVersions: ["v1"] })'
  const text = `{ scheme: ${scheme}, routes: namedRoutes({}).include('{/:version}', routes) }`
  const file = shop(text, 'const response', "const own = require('express-versioning')\nconst response")
  const pathsIn = async (words: string) => {
    await printed(`openapi ${file} --out addresses${words}`)
    return Object.keys(JSON.parse(read('addresses/v1.json')).paths)
  }
  expect(await printed(`routes ${file}`)).toContain('GET   /users   user-list')
  expect(await pathsIn('')).toEqual(['/export', '/users'])
  expect(await printed(`routes ${file} --addresses all`)).toContain('GET   {/:version}/users   user-list')
  expect(await pathsIn(' --addresses all')).toEqual(['/export', '/users', '/v1/export', '/v1/users'])
})

const LIGHTS = `
const { HeaderVersioning: scheme, namedRoutes } = require('express-versioning')
const { change, versionHistory } = require('express-versioning/changes')
const routes = namedRoutes({ wicks: '/wicks' })
routes.route('wicks').get((req, res) => res.end())
const changes = versionHistory('v1').version('v2', change('No wicks.', { 'GET wicks': 'removed' })).version('v3')
exports.options = { scheme, changes, routes }`
write('changed.js', LIGHTS)

test('the title is that of the document', async () => {
  write(
    'given.js',
    `const { routesOf } = require('express-versioning/openapi')
const { HeaderVersioning: scheme } = require('express-versioning')
const document = { openapi: '3.1.0', info: { title: 'Lamps', version: '1' }, paths: { '/lamps': { get: { responses: {} } } } }
exports.options = { scheme, allowedVersions: ['v1'], routes: routesOf(document) }`,
  )
  expect(await printed('routes given.js')).toMatch(/^Lamps\n/)
  expect(await printed('changelog given.js')).toMatch(/^# Lamps: changes\n/)
})

test('the changelog is Markdown, a page or JSON, printed or written', async () => {
  const whole = '## v2 <a id="v2"></a>\n\n### No wicks. <a id="change-1"></a>\n\n`GET /api/wicks` is removed.\n'
  const words = 'changelog changed.js --mount /api --title Lights --from v1 --to v2'
  const text = `# Lights: changes from v1 to v2\n\n${whole}`
  expect(await printed(words)).toBe(text)
  expect(await printed(`${words} --markdown --out changes.md`)).toBe('changes.md is written.\n')
  expect(read('changes.md')).toBe(text)
  expect(await printed(`${words} --html`)).toContain('<title>Lights: changes</title>')
  expect(await printed('changelog changed.js')).toMatch(/^# API: changes\n\n## v3 /)
  const removed = { method: 'GET', name: 'wicks', path: '/wicks', kind: 'removed', parts: [] }
  expect(JSON.parse(await printed('changelog changed.js --from v1 --to v2 --json'))).toEqual({
    versions: [{ version: 'v2', changes: [{ description: 'No wicks.', shapes: [], operations: [removed] }] }],
  })
  expect((await ended(`${words} --out none/changes.md`)).err).toContain('ENOENT')
  const wrong = 'This command: option "from" takes a version of the API; got'
  expect((await ended('changelog changed.js --from v')).err).toContain(wrong)
  expect((await ended('changelog table.js')).err).toContain("'table.js' exports a table without versions.")
})

test('routes have what is not seen escaped', async () => {
  const out = 'a\\u{1b}[2J\n\n-  /b\\u{9b}{/:c\\u{e0001}}  a\\u{202e}\\u{a}\n'
  expect(await printed('routes odd.js --title a\x1b[2J')).toBe(out)
  const json = await printed('routes odd.js --json --title \x1b\x7f\u2028')
  expect(json).toMatch(/^[\n -~]+$/)
  const route = { name: 'a\u202e\n', path: '/b\u009b{/:c\u{e0001}}' }
  expect(JSON.parse(json)).toMatchObject({ title: '\x1b\x7f\u2028', routes: [route] })
})

test('--help and --version', async () => {
  for (const words of ['--help', 'routes -h']) expect(await printed(words)).toBe(USAGE)
  for (const words of ['--version', '-v']) expect(await printed(words)).toBe(`${version}\n`)
  expect(USAGE).toMatch(/^Usage: express-versioning routes <module> \[options\]\n/)
})

const node = `Node ${process.versions.node}`
const MISTAKES = rows(`
    ... | a command is missing.
    route app.js | unknown command 'route'. Did you mean "routes"?
    openapi app.js | --out is missing: npx express-versioning openapi app.js --out api
    openapi app.js --json --out api | openapi takes no --json.
    demo app.js | demo takes no module; got 'app.js'.
    changelog changed.js --html --json | --markdown, --html and --json are three forms. Ask for one.
    openapi | the module is missing: npx express-versioning openapi ./app.js --out api
    routes app.js two.js | one module at a time; got 'app.js', 'two.js'.
    routes app.js --jsn | unknown option '--jsn'. Did you mean "--json"?
    routes app.js --\x1b[2J | unknown option '--\\x1B[2J'.
    routes app.js --mount | Option '--mount <value>' argument missing
    // Without the usage:
    routes app.js --mount api | --mount takes a path such as /api; got 'api'. | alone
    routes app.js --addresses first | --addresses takes "all"; got 'first'. | alone
    routes no-versions.js | This command needs the option "allowedVersions" of versioning(), or a history of "changes". | alone
    routes app.js --export option | 'app.js' has no export 'option'. Did you mean "options"? | alone
    routes two.js | 'two.js' exports several: 'api', 'other'. Choose one of them with --export. | alone
    routes ../nowhere.js | there is no module '../nowhere.js' in '${folder}'. | alone
    routes wrong.js | ${node} does not read .js files. For TypeScript, use Node 22.18 or later; or install tsx and set NODE_OPTIONS='--import tsx'; or give the compiled module. | alone`)
test.each(MISTAKES)('%j is told: %s', async (words, message, usage = USAGE) => {
  const told = usage === 'alone' ? '' : `\n${usage}`
  const err = `express-versioning: ${message}\n${told}`
  expect(await ended(words === '...' ? '' : (words as string))).toEqual({ code: 1, out: '', err })
})

const table = namedRoutes({ home: '/' })
const bare = { scheme: URLPathVersioning }
const options = { ...bare, routes: table }
const second = { scheme: new QueryParameterVersioning(), routes: table }
const app = express()
const nothing = ' exports no options of versioning(), and no namedRoutes() table'
const anApp = 'an Express app, which does not tell its versions'
const others = { a: { scheme: 'https' }, b: { scheme: null }, c: 'options', d: express.Router() }

/** What is found, or the beginning of the error. */
test.each<[what: string, module: object, found?: object | string, name?: string]>([
  ['named options, before a default', { default: second, options }],
  ['the default', { default: options, second }],
  ['the only one with options', { shop: options, table, app }],
  ['the only one with routes', { shop: options, second: bare }],
  ['the only options, without routes', { shop: bare }, { options: bare }],
  ['a chosen property of the default', { default: { shop: options, options: second } }, { options }, 'shop'],
  ['options with an instance of a scheme', { second }, { options: second }],
  ['a table named routes', { app, other: namedRoutes({}), routes: table }, { table }],
  ['a chosen table', { table, options }, { table }, 'table'],
  ['not an app', { default: app }, ` exports ${anApp}`],
  ['not an app by name', { app }, `: 'app' is ${anApp}`, 'app'],
  ['not null', { default: null }, nothing],
  ['not others', others, nothing],
  ["not Node's own names", { 'module.exports': options, __esModule: true }, nothing],
])('the export of a module is %s', (_, module, found = { options } as object, name = '') => {
  const find = () => exported(module, './app.js', name || undefined)
  if (typeof found !== 'string') return expect(find()).toEqual(found)
  const exportThem = 'Export the options that versioning() gets: `export const options = { scheme, routes, ... }`'
  expect(find).toThrow(CommandError)
  return expect(find).toThrow(new CommandError(`'./app.js'${found}. ${exportThem}, or \`exports.options = ...\`.`))
})

const meant = 'If that is meant, write the documents without --check, and commit them.'
const CHANGED = `express-versioning: a released version has changed. ${meant}\n`
const files = (name: string) => readdirSync(join(folder, name)).sort()

test('openapi writes a file for each version, whatever the order of declarations', async () => {
  const out = 'v1.json is written.\na%2Fb.json is written.\n'
  expect(await printed(`openapi ${shop('{ docs }', "'v2', 'v3'", "'a/b'")} --out new/api`)).toBe(out)
  expect(files('new/api')).toEqual(['a%2Fb.json', 'v1.json'])
  const text = read('new/api/v1.json')
  expect(text).toMatch(/^\{\n {2}"openapi": "3\.1\.1",\n[\s\S]*\n\}\n$/)
  expect(Object.keys(JSON.parse(text).paths)).toEqual(['/export', '/users'])
  expect(JSON.parse(text)).toMatchObject({ info: { title: 'Shop', version: 'v1' }, servers: [{ url: '/api' }] })
})

test('openapi writes only files whose meaning has changed', async () => {
  await printed(`openapi ${shop()} --out meaning`)
  const mine = read('meaning/v1.json').replace('"Shop"', '"Mine"')
  write('meaning/v1.json', mine)
  write('meaning/v2.json', '{')
  const renamed = shop('docs', "'User'", "'Person'")
  expect(await printed(`openapi ${renamed} --out meaning`)).toBe('v2.json is written.\n')
  expect([read('meaning/v1.json'), read('meaning/v2.json')]).toEqual([mine, expect.stringContaining('schemas/Person')])
  const changed = shop('docs', "id: { type: 'string' }", "id: { type: 'number' }")
  const lines = 'v1.json is written.\nv2.json is written.\nv3.json is written.\n'
  expect(await printed(`openapi ${changed} --out meaning`)).toBe(lines)
  expect(await printed(`openapi ${changed} --out meaning --check`)).toBe('')
})

// What the release of v3 does to the documents of v1 and v2.
const RELEASE = `
const { HeaderVersioning, namedRoutes } = require('express-versioning')
const { change, versionHistory } = require('express-versioning/changes')
const { openapi } = require('express-versioning/openapi')
const routes = namedRoutes({ user: '/users' })
const response = (req, res) => res.end()
routes.route('user').get(response).post(response)
const user = { type: 'object', properties: { id: { type: 'string' }, kind: { enum: ['a', 'b'] } }, required: ['id', 'kind'] }
routes.describe('GET user', { response: user }).describe('POST user', { body: user, response: user })
const same = (value) => value
const changes = versionHistory('v1').version('v2', change('X', { 'POST user': { response: same } }))
const options = { scheme: HeaderVersioning, defaultVersion: 'v2', changes, routes }
module.exports = openapi(options, { problemDetails: true })`
test('openapi --check tells operations that a released version did not have, with the remedy', async () => {
  await printed(`openapi ${moduleOf(RELEASE)} --out more`)
  const more = RELEASE.replace("'/users' }", "'/users', more: '/more' }").replace(
    "describe('GET user', {",
    "describe('GET more', { response: null }).describe('GET user', {",
  )
  const text = more.replace(
    '.get(response)',
    '.get(response); routes.route("more").get(response); routes.route("user")',
  )
  const { code, out, err } = await ended(`openapi ${moduleOf(text)} --out more --check`)
  expect([code, out]).toEqual([1, 'v1.json: GET /more is new.\nv2.json (the newest): GET /more is new.\n'])
  expect(err).toContain("say 'added' in a change; else write the documents without --check")
})

test('openapi --check is quiet about what a new version and a lifecycle bring to older documents', async () => {
  const released = (text: string) => `openapi ${moduleOf(text)} --out release`
  expect(await printed(released(RELEASE))).toBe('v1.json is written.\nv2.json is written.\n')
  const next = RELEASE.replace(
    '{ response: same } }))',
    "{ response: same } })).version('v3', change('Y', { 'POST user': { request: same, older: { body: user } } }))",
  )
    .replace(
      "'v2', changes,",
      "'v3', changes, lifecycle: { v1: { deprecated: '2020-01-01', sunset: '2099-01-01', successor: 'v3' } },",
    )
    .replace("type: 'object'", "$id: 'User', type: 'object', title: 'A user'")
    .replace("['a', 'b']", "['b', 'a']")
  const missing = 'v3.json (the newest): the file is missing.\n'
  const words = released(next)
  expect(await printed(`${words} --check`)).toBe(missing)
  expect(await printed(words)).toBe('v3.json is written.\n')
})

const STREAMED = `
const { HeaderVersioning, namedRoutes } = require('express-versioning')
const { openapi } = require('express-versioning/openapi')
const routes = namedRoutes({ feed: '/feed' })
routes.route('feed').get((req, res) => res.end())
const Order = { $id: 'Order', type: 'object', properties: { id: { type: 'string' } } }
routes.describe('GET feed', { response: { 200: { content: { 'application/jsonl': { itemSchema: { type: 'array', items: Order } } } } } })
const options = { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], routes }
module.exports = openapi(options, { openapi: 'VERSION', webhooks: { told: { body: Order }, made: { body: true } } })`
test.each(['3.1.1', '3.2.0'])('openapi --check knows the items of streams and webhooks, in %s', async (version) => {
  const words = (text: string) => `openapi ${moduleOf(text.replace('VERSION', version))} --out streamed-${version}`
  await printed(words(STREAMED))
  const { webhooks } = JSON.parse(read(`streamed-${version}/v1.json`))
  expect(Object.keys(webhooks)).toEqual(['made', 'told'])
  expect(await printed(`${words(STREAMED.replace("'Order'", "'Thing'"))} --check`)).toBe('')
  const at = 'GET /feed has changed at /responses/200/content/application/jsonl/itemSchema/type'
  const edited = STREAMED.replace("type: 'array', items: Order", "type: 'null'").replace('body: true', 'body: false')
  const made = 'webhook POST made has changed at /requestBody/content/application/json/schema/not'
  const all = ['v1.json', 'v2.json (the newest)'].flatMap((file) => [`${file}: ${at}.`, `${file}: ${made}.`])
  expect(await ended(`${words(edited)} --check`)).toEqual({ code: 1, out: `${all.join('\n')}\n`, err: CHANGED })
})

test('openapi takes the options of versioning(), with a mount and a title, and a chosen export', async () => {
  const words = `openapi ${shop('options')} --out options --mount /x --title T`
  await printed(words)
  expect(JSON.parse(read('options/v2.json'))).toMatchObject({ info: { title: 'T' }, servers: [{ url: '/x' }] })
  expect(await printed(`${words} --check`)).toBe('')
  const two = shop("{ docs: openapi({ ...options, allowedVersions: ['x'] }), other: docs }")
  await printed(`openapi ${two} --out chosen --export other`)
  expect(files('chosen')).toEqual(['v1.json', 'v2.json', 'v3.json'])
  const dropped = 'there is no such version. Delete the file if the version was dropped.'
  const extra = ['v1', 'v2', 'v3'].map((version) => `${version}.json: ${dropped}\n`).join('')
  expect(await printed(`openapi ${two} --out chosen`)).toBe(`x.json is written.\n${extra}`)
  expect(await ended(`openapi ${two} --out chosen --check`)).toEqual({ code: 1, out: extra, err: CHANGED })
})

const at = 'GET /users has changed at /responses/200/content/application/json/schema/items/type.'
const EDITED = `v1.json: GET /export has changed at /responses/2XX.
v1.json: POST /export was removed.
v1.json: GET /users has changed at /responses/200/content/application/json/schema/items/properties/id/type.
v1.json: securitySchemes key was removed.
v1.json: servers has changed.
v2.json: GET /users is new.
v2.json: POST /users is new.
v2.json: openapi is new.
v2.json: servers is new.
v3.json (the newest): the file is missing.
`

test('openapi --check tells what has changed, and writes nothing', async () => {
  await printed(`openapi ${shop()} --out released`)
  const content = () => files('released').map((file) => read(`released/${file}`))
  const check = async (code: number, from?: string, to?: string) => {
    const before = content()
    const { out, ...rest } = await ended(`openapi ${shop('docs', from, to)} --out released --check`)
    expect([rest, content()]).toEqual([{ code, err: code === 0 ? '' : CHANGED }, before])
    return out
  }
  expect(await check(0)).toBe('')
  const newest = "versions: { v3: { response: { type: 'array', items: { type: 'null' } } } }"
  expect(await check(0, 'versions: {}', newest)).toBe(`v3.json (the newest): ${at}\n`)
  const [v1, v2] = ['v1', 'v2'].map((version) => JSON.parse(read(`released/${version}.json`)))
  // Days which make a version deprecated or gone are no change.
  v2.info.description = 'Deprecated: 2020-01-01.'
  write('released/v2.json', JSON.stringify(v2))
  const ends = "{ v1: { sunset: '2020-01-01', afterSunset: 'gone' }, v2: { deprecated: '2020-01-01' } }"
  expect(await check(0, 'lifecycle: {}', `lifecycle: ${ends}`)).toBe('')
  v1.paths['/export'].get.responses['2XX'] = ['none']
  v1.paths['/export'].post = null
  v1.components.securitySchemes = { key: {} }
  v1.components.schemas.User.properties.id.type = 'null'
  write('released/v1.json', JSON.stringify({ ...v1, servers: null }))
  write('released/v2.json', '[]')
  write('released/notes.txt', '')
  rmSync(join(folder, 'released/v3.json'))
  expect(await check(1, "'User'", "'Person'")).toBe(EDITED)
  expect((await ended(`openapi ${shop()} --out nowhere --check`)).code).toBe(1)
  expect(existsSync(join(folder, 'nowhere'))).toBe(false)
})

const own = /exports the documents of openapi\(\), which have their own mount, title and addresses\.\n$/
test.each<[words: string, message: RegExp, exports?: string]>([
  ['--mount /api', own],
  ['--title T', own],
  ['--addresses all', own],
  ['--check', /exports a table without versions\. Export the options/, 'routes'],
  ['--export doc', /has no export 'doc'\. Did you mean "docs"\?\n$/, '{ docs }'],
  ['--out app.js', /^express-versioning: EEXIST: /],
  ['--check --out broken', /v1\.json is not JSON\.\n$/],
])('openapi %s is told: %s', async (words, message, exports = undefined) => {
  write('broken/v1.json', '{')
  const told = { code: 1, out: '', err: expect.stringMatching(message) }
  expect(await ended(`openapi ${shop(exports)} --out x ${words}`)).toEqual(told)
})

const { listen } = Server.prototype
afterEach(() => {
  Server.prototype.listen = listen
})

/** Runs the command in a process of the parts that it uses. `flushes` are the callbacks of its output. */
function start(words = '--version') {
  const all = { printed: [] as string[], exits: [] as unknown[], flushes: [] as (() => void)[] }
  const write =
    (to: string) =>
    (text: string, flushed = () => {}) => {
      if (text !== '') all.printed.push(`${to}: ${text}`)
      all.flushes.push(flushed)
    }
  const stream = (to: string) => Object.assign(new EventEmitter(), { write: write(to) })
  const streams = { stdout: stream('out'), stderr: stream('err'), exitCode: undefined as unknown }
  const parts = { argv: ['node', 'main', ...words.split(' ')], exit: (code?: number) => all.exits.push(code) }
  const fake = Object.assign(new EventEmitter(), streams, parts, { cwd: () => folder })
  fake.on('uncaughtException', () => {}).on('unhandledRejection', () => {})
  return { ...all, fake, running: run(fake as never) }
}

test('the process ends when both streams have what was printed, or if a reader stops early', async () => {
  const { running, printed, exits, flushes, fake } = start('routes table.js --title Shop')
  await running
  expect([printed, exits]).toEqual([[], []])
  flushes.pop()?.()
  expect([printed, exits]).toEqual([[expect.stringMatching(/^out: Shop\n/)], []])
  flushes.pop()?.()
  expect(exits).toEqual([0])
  const failed = start('routes nothing.js')
  await failed.running
  for (const { stdout } of [fake, failed.fake]) stdout.emit('error', new Error('EPIPE'))
  expect([exits, failed.exits]).toEqual([[0, 0], [1]])
})

test('the process prints what others print apart, and tells once that nothing listens', async () => {
  const { running, printed, fake } = start()
  fake.stdout.write('hello\n')
  await running
  const server = createServer()
  expect([server.listen(0), createServer().listen(0).listening]).toEqual([server, false])
  await new Promise(setImmediate)
  expect([server.listening, server.address()]).toEqual([false, null])
  const listens = 'express-versioning: the module calls listen(). Nothing listens here.\n'
  expect(printed).toEqual(['err: hello\n', `err: ${listens}`])
})

const unfinished = 'express-versioning: the module ended the process, or waits for something while it loads.'
test.each<[when: 'before' | 'behind', code: number, exitCode?: number, words?: string]>([
  ['before', 0, 1],
  ['before', 3],
  ['behind', 0],
  // Of usage, 0 and 1 are responses.
  ['before', 0, 2, 'usage app.js v1 --check --prometheus http://127.0.0.1:9'],
  ['before', 1, 2, 'usage app.js v1 --check --prometheus http://127.0.0.1:9'],
])(
  'the process may exit %s the end of the command, with %i',
  async (when, code, exitCode = undefined, words = '--version') => {
    const { fake, running, printed } = start(words)
    if (when === 'behind') await running
    fake.emit('exit', code)
    const told = code === 0 ? [`err: ${unfinished} Export the options from a module of their own.\n`] : []
    expect([fake.exitCode, printed]).toEqual([exitCode, when === 'before' ? told : []])
    await running
  },
)

test('a module has half a minute to load, which keeps the process not alive; a command may take longer', async () => {
  const unref = jest.fn(() => 'limit')
  const timeout = jest.spyOn(globalThis, 'setTimeout').mockReturnValue({ unref } as never)
  const cleared = jest.spyOn(globalThis, 'clearTimeout')
  const exit = jest.spyOn(process, 'exit').mockReturnValue(undefined as never)
  const { running } = start('routes table.js')
  await running
  const [end, limit] = timeout.mock.calls[0] as [() => void, number]
  timeout.mockRestore()
  expect([limit, unref.mock.calls.length, cleared.mock.calls]).toEqual([30_000, 1, [['limit']]])
  end()
  expect(exit.mock.calls).toEqual([[0]])
  for (const spy of [cleared, exit]) spy.mockRestore()
})

test.each(['throws', 'later'])(
  'the process leaves the error of %s.js to Node, whatever it listens to',
  async (name) => {
    const { fake, running, printed, exits } = start(`routes ${name}.js`)
    // The name is compared because the error comes from another realm.
    await expect(running).rejects.toMatchObject({ name: 'RangeError', message: name })
    expect([fake.eventNames(), printed, exits]).toEqual([['exit'], [], []])
  },
)

test.each(['SIGINT', 'SIGTERM'])('the demo responds until %s', async (signal) => {
  const { running, printed, fake, exits } = start('demo')
  await running
  const [, origin = ''] = /Open (\S+) in a browser/.exec(printed.join('')) ?? []
  expect((await fetch(origin)).status).toBe(200)
  fake.emit(signal)
  await expect(fetch(origin)).rejects.toThrow('fetch failed')
  expect([exits, fake.exitCode]).toEqual([[], undefined])
})

test('the demo says what it needs, without a stack', async () => {
  jest.doMock('express', () => {
    throw new Error("Cannot find module 'express'")
  })
  const { running, printed, fake } = start('demo')
  await running
  expect([printed, fake.exitCode]).toEqual([
    ['err: express-versioning: the demo needs Express: npm install express\n'],
    1,
  ])
  jest.dontMock('express')
})

test('other errors of the demo are those of the process', async () => {
  jest.spyOn(demo, 'startDemo').mockRejectedValueOnce(new RangeError('mine'))
  await expect(start('demo').running).rejects.toThrow(RangeError)
})

test('the process is that of the program', () => {
  const running = jest.spyOn(require('../../src/command-line/run'), 'run').mockReturnValue(undefined)
  require('../../src/command-line/main')
  expect(running.mock.calls).toEqual([[process]])
})

const CHECKED = `
const { change, fields, versionHistory } = require('express-versioning/changes')
const Item = { $id: 'Item', type: 'object', properties: { name: { type: 'string' }, language: { type: 'string' } }, required: ['name', 'language'] }
const table = namedRoutes({ item: '/item' })
table.describe('PUT item', { body: Item, response: Item }).route('item').put(response)
const odd = { 'PUT item': { response: (value) => value } }
const changes = versionHistory('v1').version('v2', change('Languages.', { Item: fields({ added: { language: 'en' } }) }))
const checked = { scheme, changes, routes: table }
`
const FOUND = `Item, response, in version v1 ("Languages.") at language:
  The step loses "language" when a client sends back as a whole what it got.
  value: {"name":"","language":""}
  got:   "en"
1 mistake.
`
test('check tries the steps of a history, and prints their mistakes', async () => {
  const lossy = (text: string) => shop(`{ checked, check: ${text} }`, 'const options', `${CHECKED}const options`)
  const [found, known] = [
    shop('{ checked }', 'const options', `${CHECKED}const options`),
    lossy("{ lossy: { Item: ['language'] } }"),
  ]
  const own = (file: string, more = '') => ended(`check ${file} --export checked${more}`)
  expect(await own(found)).toEqual({ code: 1, out: FOUND, err: '' })
  expect(await own(known, ' --runs 5 --seed=-7')).toEqual({ code: 0, out: 'No step makes a mistake.\n', err: '' })
  const { code, out } = await own(found, ' --json')
  expect([code, JSON.parse(out)]).toMatchObject([1, [{ kind: 'lost', shape: 'Item', path: ['language'] }]])
  expect((await own(lossy('{ lossy: { Itme: [] } }'))).err).toContain('"Itme", which no change has.')
  const two = { change: 'C', version: 'v1', direction: 'response' as const, path: [], message: 'was not tried: ...' }
  const lines = findingsOf([
    { ...two, kind: 'untried', operation: 'GET a' },
    { ...two, kind: 'throws', operation: 'GET a', value: 1, message: 'throws: x' },
  ])
  expect(lines.join('\n')).toBe(`GET a, response, in version v1 ("C"):
  The step was not tried: ...
GET a, response, in version v1 ("C"):
  The step throws: x.
  value: 1
  got:   nothing
2 mistakes.`)
})

test.each([
  ['check table.js', 'exports a table without versions.'],
  ['check app.js --runs many', "--runs takes a whole number; got 'many'."],
  ['check app.js --out x', 'check takes no --out.'],
  ['routes app.js --seed 1', 'routes takes no --seed.'],
])('%s: %s', async (words, message) => {
  expect(await ended(words)).toMatchObject({ code: 1, err: expect.stringContaining(message) })
})

test('openapi --check protects no preview', async () => {
  const preview = 'lifecycle: { v3: { preview: true } }'
  const [one, other] = ['{}', "{ v3: { summary: 'x', response: { 202: null } } }"].map((versions) =>
    shop(`openapi({ ...options, ${preview} })`, 'versions: {}', `versions: ${versions}`),
  )
  await printed(`openapi ${one} --out previews`)
  const { code, out } = await ended(`openapi ${other} --out previews --check`)
  expect([code, out]).toEqual([0, expect.stringMatching(/^v3\.json \(a preview\): /)])
})
