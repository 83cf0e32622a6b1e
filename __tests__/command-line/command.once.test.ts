import { EventEmitter } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { namedRoutes, QueryParameterVersioning, URLPathVersioning } from 'express-versioning'
import { version } from '../../package.json'
import { CommandError, USAGE } from '../../src/command-line/arguments'
import { command } from '../../src/command-line/command'
import { exported } from '../../src/command-line/module'
import { run } from '../../src/command-line/run'
import { rows } from '../support/rows'

// Modules are required here, where Node imports them; `package/command-line` runs the command itself, on modules of each kind.

const folder = mkdtempSync(join(tmpdir(), 'express-versioning-command-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function write(file: string, text: string): void {
  mkdirSync(join(folder, file, '..'), { recursive: true })
  writeFileSync(join(folder, file), text)
}
const read = (file: string) => readFileSync(join(folder, file), 'utf8')

const shop = `
const { byVersion, namedRoutes, QueryParameterVersioning: scheme } = require('express-versioning')
const answer = (req, res) => res.end()
const routes = namedRoutes({ 'user-list': '/users', export: '/export', later: '/later' })
routes.route('user-list').get(answer).post(answer)
routes.route('export').get(byVersion({ v1: answer }))
`
write('app.js', `${shop}exports.options = { scheme, allowedVersions: ['v1', 'v2'], routes }`)
write('table.js', `${shop}module.exports = namedRoutes({}).include('/v1', routes, { namespace: 'v1' })`)
write('nameless/index.js', `${shop}module.exports = routes`)
write('no-versions.js', `${shop}module.exports = { scheme, routes }`)
write('two.js', `${shop}exports.api = routes\nexports.other = namedRoutes({ other: '/other' })`)
write('odd.js', `${shop}module.exports = namedRoutes({ 'a\\u202e\\n': '/b\\u009b{/:c\\u{e0001}}' })`)
write('throws.js', "throw new RangeError('throws')")
write('later.js', `${shop}exports.options = { scheme, get routes() { throw new RangeError('later') } }`)
write('wrong.js', `throw Object.assign(new TypeError('Unknown'), { code: 'ERR_UNKNOWN_FILE_EXTENSION' })`)

const ended = (words: string) => command(words.split(' '), folder)
const printed = async (words: string) => {
  const { code, out, err } = await ended(words)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return out
}

describe('routes', () => {
  test('of options are a table of versions; of a table, which has none, its methods and names', async () => {
    const heads = `API\n\nv1\nv2\n\n${' '.repeat(26)}v1   v2\n\n`
    const get = 'GET   /users   user-list  yes  yes\n'
    const others = 'POST  /users   user-list  yes  yes\nGET   /export  export     yes  removed\n'
    expect(await printed('routes ./app.js')).toBe(`${heads}${get}${others}`)
    const bare = 'GET   /api/users   user-list\nPOST  /api/users   user-list\nGET   /api/export  export\n'
    expect(await printed('routes nameless --mount /api')).toBe(`API\n\n${bare}-     /api/later   later\n`)
    expect(await printed('routes two.js --export other')).toContain('/other')
  })

  test('are printed as JSON, with a mount and a title', async () => {
    const out = await printed('routes app.js --json --mount=/api --title=Shop')
    expect(out).toMatch(/^\{\n {2}"title": "Shop",\n[\s\S]*\n\}\n$/)
    const { versions, routes } = JSON.parse(out)
    expect(versions).toEqual([{ version: 'v1' }, { version: 'v2' }])
    const curl = "curl -X POST 'http://localhost:3000/api/users?version=v1'"
    const post = { method: 'POST', name: 'user-list', path: '/api/users', group: '' }
    const cells = [{ version: 'v1', exists: true, curl }, expect.anything()]
    const removed = expect.objectContaining({ versions: [expect.anything(), { version: 'v2', exists: false }] })
    expect(routes).toEqual([expect.anything(), { ...post, versions: cells }, removed])
    const table = JSON.parse(await printed('routes table.js --json --mount /api/ --title Shop'))
    const route = { method: 'GET', name: 'v1:user-list', path: '/api/v1/users', group: '', versions: [] }
    expect(table).toMatchObject({ versions: [], routes: [route, {}, {}, {}] })
  })

  test('have what is not seen escaped', async () => {
    const out = 'a\\u{1b}[2J\n\n-  /b\\u{9b}{/:c\\u{e0001}}  a\\u{202e}\\u{a}\n'
    expect(await printed('routes odd.js --title a\x1b[2J')).toBe(out)
    const json = await printed('routes odd.js --json --title \x1b\x7f\u2028')
    expect(json).toMatch(/^[\n -~]+$/)
    const route = { name: 'a\u202e\n', path: '/b\u009b{/:c\u{e0001}}' }
    expect(JSON.parse(json)).toMatchObject({ title: '\x1b\x7f\u2028', routes: [route] })
  })
})

test('--help and --version', async () => {
  for (const words of ['--help', '-h', 'routes --help', 'openapi -h']) expect(await printed(words)).toBe(USAGE)
  for (const words of ['--version', '-v']) expect(await printed(words)).toBe(`${version}\n`)
  expect(USAGE).toMatch(/^Usage: express-versioning routes <module> \[options\]\n/)
})

const node = `Node ${process.versions.node}`
test.each(
  rows(`
    ... | a command is missing.
    route app.js | unknown command 'route'. Did you mean "routes"?
    openapi app.js | --out is missing: express-versioning openapi app.js --out api
    openapi app.js --json --out api | openapi takes no --json.
    openapi | the module is missing: express-versioning openapi ./app.js
    routes app.js two.js | one module at a time; got 'app.js', 'two.js'.
    routes app.js --jsn | unknown option '--jsn'. Did you mean "--json"?
    routes app.js --\x1b[2J | unknown option '--\\x1B[2J'.
    routes app.js --mount | Option '--mount <value>' argument missing
    // Without the usage:
    routes app.js --mount api | --mount takes a path such as /api; got 'api'. | alone
    routes no-versions.js | This command needs the option "allowedVersions" of versioning(), or a history of "changes". | alone
    routes app.js --export option | 'app.js' has no export 'option'. Did you mean "options"? | alone
    routes two.js | 'two.js' exports several: 'api', 'other'. Choose one of them with --export. | alone
    routes ../nowhere.js | there is no module '../nowhere.js' in '${folder}'. | alone
    routes wrong.js | ${node} does not read .js files. Give the compiled module, or use Node 22.18 or later, which reads TypeScript. | alone
  `),
)('%j is told: %s', async (words, message, usage = USAGE) => {
  const told = usage === 'alone' ? '' : `\n${usage}`
  const found = await command(words === '...' ? [] : (words as string).split(' '), folder)
  expect(found).toEqual({ code: 1, out: '', err: `express-versioning: ${message}\n${told}` })
})

describe('the export of a module is', () => {
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
    ['a chosen member of the default', { default: { shop: options, options: second } }, { options }, 'shop'],
    ['options with an instance of a scheme', { second }, { options: second }],
    ['a table named routes', { app, other: namedRoutes({}), routes: table }, { table }],
    ['a chosen table', { table, options }, { table }, 'table'],
    ['not an app', { default: app }, ` exports ${anApp}`],
    ['not an app by name', { app }, `: 'app' is ${anApp}`, 'app'],
    ['not null', { default: null }, nothing],
    ['not others', others, nothing],
    ["not Node's own names", { 'module.exports': options, __esModule: true }, nothing],
  ])('%s', (_, module, found = { options } as object, name = '') => {
    const find = () => exported(module, './app.js', name || undefined)
    if (typeof found !== 'string') return expect(find()).toEqual(found)
    const exportThem = 'Export the options that versioning() gets: `export const options = { scheme, routes, ... }`'
    expect(find).toThrow(new CommandError(`'./app.js'${found}. ${exportThem}, or \`exports.options = ...\`.`))
    return expect(find).toThrow(CommandError)
  })
})

describe('openapi', () => {
  const shop = `
const { HeaderVersioning, namedRoutes } = require('express-versioning')
const { openapi } = require('express-versioning/openapi')
const routes = namedRoutes({ 'user-list': '/users', about: '/about' })
for (const name of ['user-list', 'about']) routes.route(name).get((req, res) => res.end())
const user = { $id: 'User', type: 'object', properties: { id: { type: 'string' } } }
routes.describe('GET user-list', { response: { type: 'array', items: user }, versions: {} })
const options = { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2', 'v3'], routes, lifecycle: {} }
const docs = openapi(options, { info: { title: 'Shop' }, mount: '/api' })
exports.docs = docs`
  let count = 0
  /** Writes a module of its own, because each is loaded once, with a part of its text replaced. */
  const module = (from = '', to = '') => {
    const file = `shop-${count++}.js`
    write(file, shop.replace(from, to))
    return file
  }
  const EXPORTS = 'exports.docs = docs'
  const meant = 'If that is meant, write the documents without --check, and commit them.'
  const CHANGED = `express-versioning: a released version has changed. ${meant}\n`
  const files = (name: string) => readdirSync(join(folder, name)).sort()
  const lines = (...all: string[]) => all.map((line) => `${line}\n`).join('')

  test('writes a file for each version, whatever the order of declarations', async () => {
    const out = lines('v1.json is written.', 'a%2Fb.json is written.')
    expect(await printed(`openapi ${module("'v2', 'v3'", "'a/b'")} --out new/api`)).toBe(out)
    expect(files('new/api')).toEqual(['a%2Fb.json', 'v1.json'])
    const text = read('new/api/v1.json')
    expect(text).toMatch(/^\{\n {2}"openapi": "3\.1\.1",\n[\s\S]*\n\}\n$/)
    expect(Object.keys(JSON.parse(text).paths)).toEqual(['/about', '/users'])
    expect(JSON.parse(text)).toMatchObject({ info: { title: 'Shop', version: 'v1' }, servers: [{ url: '/api' }] })
  })

  test('takes the options of versioning(), with a mount and a title, and a chosen export', async () => {
    const file = module(EXPORTS, 'module.exports = options')
    await printed(`openapi ${file} --out options --mount /x --title T`)
    expect(JSON.parse(read('options/v2.json'))).toMatchObject({ info: { title: 'T' }, servers: [{ url: '/x' }] })
    expect(await printed(`openapi ${file} --out options --check --mount /x --title T`)).toBe('')
    const one = "exports.docs = openapi({ ...options, allowedVersions: ['x'] })"
    const two = module(EXPORTS, `${one}; exports.other = docs`)
    await printed(`openapi ${two} --out chosen --export other`)
    expect(files('chosen')).toEqual(['v1.json', 'v2.json', 'v3.json'])
    const dropped = 'there is no such version. Delete the file if the version was dropped.'
    const extra = lines(...['v1', 'v2', 'v3'].map((name) => `${name}.json: ${dropped}`))
    expect(await printed(`openapi ${two} --out chosen`)).toBe(`x.json is written.\n${extra}`)
    expect(await ended(`openapi ${two} --out chosen --check`)).toEqual({ code: 1, out: extra, err: CHANGED })
  })

  const at = 'GET /users has changed at /responses/200/content/application/json/schema/items/$ref.'
  const ends = "lifecycle: { v1: { sunset: '2020-01-01', afterSunset: 'gone' }, v2: { deprecated: '2020-01-01' } }"
  const newest = "versions: { v3: { response: { type: 'array', items: { type: 'null' } } } }"
  const edited = rows(`
    v1.json: GET /about has changed at /responses/2XX.
    v1.json: POST /about was removed.
    v1.json: ${at}
    v1.json: User was removed.
    v1.json: securitySchemes key was removed.
    v1.json: servers has changed.
    v1.json: Person is new.
    v2.json: GET /about is new.
    v2.json: GET /users is new.
    v2.json: Person is new.
    v2.json: openapi is new.
    v2.json: info is new.
    v2.json: servers is new.
    v3.json (the newest): the file is missing.
  `).flat()

  test('with --check tells what has changed, and writes nothing', async () => {
    await printed(`openapi ${module()} --out released`)
    const content = () => files('released').map((file) => read(`released/${file}`))
    const check = async (file: string) => {
      const before = content()
      const { code, out, err } = await ended(`openapi ${file} --out released --check`)
      expect([err, content()]).toEqual([code === 0 ? '' : CHANGED, before])
      return [code, ...out.split('\n').slice(0, -1)]
    }
    expect(await check(module())).toEqual([0])
    const found = [`v3.json (the newest): ${at}`, 'v3.json (the newest): User was removed.']
    expect(await check(module('versions: {}', newest))).toEqual([0, ...found])
    const [v1, v2] = ['v1', 'v2'].map((version) => JSON.parse(read(`released/${version}.json`)))
    // Days which make a version deprecated or gone are no change.
    v2.info.description = 'Deprecated: 2020-01-01.'
    write('released/v2.json', JSON.stringify(v2))
    expect(await check(module('lifecycle: {}', ends))).toEqual([0])
    v1.paths['/about'].get.responses['2XX'] = ['none']
    v1.paths['/about'].post = null
    v1.components.securitySchemes = { key: {} }
    write('released/v1.json', JSON.stringify({ ...v1, servers: null }))
    write('released/v2.json', '[]')
    write('released/notes.txt', '')
    rmSync(join(folder, 'released/v3.json'))
    expect(await check(module("'User'", "'Person'"))).toEqual([1, ...edited])
    expect((await ended(`openapi ${module()} --out nowhere --check`)).code).toBe(1)
    expect(existsSync(join(folder, 'nowhere'))).toBe(false)
  })

  const own = /exports the documents of openapi\(\), which have their own mount and title\.\n$/
  test.each<[words: string, message: RegExp, exports?: string]>([
    ['--mount /api', own],
    ['--title T', own],
    ['--check', /exports a table without versions\. Export the options/, 'module.exports = routes'],
    ['--export doc', /has no export 'doc'\. Did you mean "docs"\?\n$/],
    ['--out app.js', /^express-versioning: EEXIST: /],
    ['--check --out broken', /v1\.json is not JSON\.\n$/],
  ])('%s is told: %s', async (words, message, exports = EXPORTS) => {
    write('broken/v1.json', '{')
    const told = { code: 1, out: '', err: expect.stringMatching(message) }
    expect(await ended(`openapi ${module(EXPORTS, exports)} --out x ${words}`)).toEqual(told)
  })
})

describe('the process', () => {
  const { listen } = Server.prototype
  afterEach(() => {
    Server.prototype.listen = listen
  })

  /** Runs the command in a process of the parts that it uses. `flushes` are the callbacks of its output. */
  function start(words = '--version') {
    const all = { printed: [] as string[], exits: [] as unknown[], flushes: [] as (() => void)[] }
    const stream = (to: string) => {
      const write = (text: string, flushed?: () => void) => {
        if (text !== '') all.printed.push(`${to}: ${text}`)
        if (flushed !== undefined) all.flushes.push(flushed)
        return true
      }
      return Object.assign(new EventEmitter(), { write })
    }
    const streams = { stdout: stream('out'), stderr: stream('err'), exitCode: undefined as unknown }
    const parts = { argv: ['node', 'main', ...words.split(' ')], exit: (code?: number) => all.exits.push(code) }
    const fake = Object.assign(new EventEmitter(), streams, parts, { cwd: () => folder })
    fake.on('uncaughtException', () => {}).on('unhandledRejection', () => {})
    return { ...all, fake, running: run(fake as never) }
  }

  test('ends when both streams have what was printed, or if a reader stops early', async () => {
    const { running, printed, exits, flushes, fake } = start('routes table.js --title Shop')
    await running
    expect([printed, exits]).toEqual([[], []])
    flushes.pop()?.()
    expect([printed, exits]).toEqual([[expect.stringMatching(/^out: Shop\n/)], []])
    flushes.pop()?.()
    expect(exits).toEqual([0])
    fake.stdout.emit('error', new Error('EPIPE'))
    expect(exits).toEqual([0, 0])
    const failed = start('routes nothing.js')
    await failed.running
    failed.fake.stdout.emit('error', new Error('EPIPE'))
    expect(failed.exits).toEqual([1])
  })

  test('prints what others print apart, and tells once that nothing listens', async () => {
    const { running, printed, fake } = start()
    fake.stdout.write('hello\n')
    await running
    const server = createServer()
    expect(server.listen(0)).toBe(server)
    createServer().listen(0)
    await new Promise(setImmediate)
    expect([server.listening, server.address()]).toEqual([false, null])
    const listens = 'express-versioning: the module calls listen(). Nothing listens here; only its routes are shown.\n'
    expect(printed).toEqual(['err: hello\n', `err: ${listens}`])
  })

  const unfinished = 'express-versioning: the module ended the process, or waits for something while it loads.'
  test.each<[when: 'before' | 'behind', code: number, exitCode?: number]>([
    ['before', 0, 1],
    ['before', 3],
    ['behind', 0],
  ])('may exit %s the end of the command, with %i', async (when, code, exitCode = undefined) => {
    const { fake, running, printed } = start()
    if (when === 'behind') await running
    fake.emit('exit', code)
    const told = exitCode && [`err: ${unfinished} Export the options from a module of their own.\n`]
    expect([fake.exitCode, printed]).toEqual([exitCode, told ?? []])
    await running
  })

  test('gives a module half a minute to load, which keeps it not alive', async () => {
    const unref = jest.fn()
    const timeout = jest.spyOn(globalThis, 'setTimeout').mockImplementation(() => ({ unref }) as never)
    const { running, exits } = start()
    await running
    const [end, limit] = timeout.mock.calls[0] as [() => void, number]
    timeout.mockRestore()
    end()
    expect([limit, unref.mock.calls.length, exits]).toEqual([30_000, 1, [0]])
  })

  test.each(['throws', 'later'])('leaves the error of %s.js to Node, whatever it listens to', async (message) => {
    const { fake, running, printed, exits } = start(`routes ${message}.js`)
    // The name is compared because the error comes from another realm.
    await expect(running).rejects.toMatchObject({ name: 'RangeError', message })
    expect([fake.eventNames(), printed, exits]).toEqual([['exit'], [], []])
  })

  test('is that of the program', () => {
    const run = jest.fn()
    jest.isolateModules(() => {
      jest.doMock('../../src/command-line/run', () => ({ run }))
      require('../../src/command-line/main')
    })
    expect(run.mock.calls).toEqual([[process]])
  })
})
