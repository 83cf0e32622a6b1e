import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import express from 'express'
import { namedRoutes, QueryParameterVersioning, URLPathVersioning } from 'express-versioning'
import { CommandError, USAGE } from '../../src/command-line/arguments'
import { command } from '../../src/command-line/command'
import { exported } from '../../src/command-line/module'

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
write('throws.js', "throw new RangeError('on its own account')")
write(
  'later.js',
  `${shop}exports.options = { scheme, get allowedVersions() { throw new RangeError('later') }, routes }`,
)
write('wrong.js', `throw Object.assign(new TypeError('Unknown'), { code: 'ERR_UNKNOWN_FILE_EXTENSION' })`)

const run = (words: string | readonly string[]) => command(typeof words === 'string' ? words.split(' ') : words, folder)
const printed = async (words: string | readonly string[]) => {
  const { code, out, err } = await run(words)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return out
}
const failed = async (words: string | readonly string[]) => {
  const { code, out, err } = await run(words)
  expect({ code, out }).toEqual({ code: 1, out: '' })
  return err
}

describe('routes', () => {
  test('of options are a table of versions; one with a table alone has no versions', async () => {
    expect(await printed('routes ./app.js')).toBe(`API

v1
v2

                          v1   v2

GET   /users   user-list  yes  yes
POST  /users   user-list  yes  yes
GET   /export  export     yes  removed
`)
    expect(await printed('routes nameless --mount /api')).toBe(`API

GET   /api/users   user-list
POST  /api/users   user-list
GET   /api/export  export
-     /api/later   later
`)
    expect(await printed('routes two.js --export other')).toContain('/other')
  })

  test('are printed as JSON, with a mount and a title', async () => {
    const out = await printed('routes app.js --json --mount=/api --title=Shop')
    expect(out).toMatch(/^\{\n {2}"title": "Shop",\n[\s\S]*\n\}\n$/)
    const { versions, routes } = JSON.parse(out)
    const curl = (version: string, options = '') => ({
      ...{ version, exists: true },
      curl: `curl ${options}'http://localhost:3000/api/users?version=${version}'`,
    })
    expect(versions).toEqual([{ version: 'v1' }, { version: 'v2' }])
    const users = { name: 'user-list', path: '/api/users', group: '' }
    expect(routes).toEqual([
      { method: 'GET', ...users, versions: [curl('v1'), curl('v2')] },
      { method: 'POST', ...users, versions: [curl('v1', '-X POST '), curl('v2', '-X POST ')] },
      expect.objectContaining({ versions: [expect.anything(), { version: 'v2', exists: false }] }),
    ])
    const table = JSON.parse(await printed('routes table.js --json --mount /api/ --title Shop'))
    const route = { method: 'GET', name: 'v1:user-list', path: '/api/v1/users', group: '', versions: [] }
    expect(table).toMatchObject({ title: 'Shop', versions: [], routes: [route, {}, {}, {}] })
  })

  test('have what is not seen escaped', async () => {
    expect(await printed('routes odd.js --title a\x1b[2J')).toBe(
      'a\\u{1b}[2J\n\n-  /b\\u{9b}{/:c\\u{e0001}}  a\\u{202e}\\u{a}\n',
    )
    const json = await printed('routes odd.js --json --title \x1b\x7f\u2028')
    const route = { name: 'a\u202e\n', path: '/b\u009b{/:c\u{e0001}}' }
    expect(json).toMatch(/^[\n -~]+$/)
    expect(JSON.parse(json)).toMatchObject({ title: '\x1b\x7f\u2028', routes: [route] })
  })
})

test('--help and --version', async () => {
  const { version } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8'))
  for (const words of ['--help', '-h', 'routes --help', 'openapi -h']) expect(await printed(words)).toBe(USAGE)
  for (const words of ['--version', '-v']) expect(await printed(words)).toBe(`${version}\n`)
  expect(USAGE).toMatch(/^Usage: express-versioning routes <module> \[options\]\n/)
})

test.each<[words: string, message: string | RegExp]>([
  ['', 'a command is missing.'],
  ['route app.js', 'unknown command \'route\'. Did you mean "routes"?'],
  ['openapi app.js', '--out is missing: express-versioning openapi app.js --out api'],
  ['openapi app.js --json --out api', 'openapi takes no --json.'],
  ['openapi', 'the module is missing: express-versioning openapi ./app.js'],
  ['routes app.js two.js', "one module at a time; got 'app.js', 'two.js'."],
  ['routes app.js --jsn', 'unknown option \'--jsn\'. Did you mean "--json"?'],
  ['routes app.js --\x1b[2J', "unknown option '--\\x1B[2J'."],
  ['routes app.js --mount', "Option '--mount <value>' argument missing"],
  ['routes app.js --json=yes', "Option '--json' does not take an argument"],
])('%j is told the usage', async (words, message) => {
  expect(await failed(words.split(' ').filter((word) => word !== ''))).toBe(
    `express-versioning: ${message}\n\n${USAGE}`,
  )
})

test.each<[words: readonly string[], message: string]>([
  [['no-versions.js'], 'This command needs the option "allowedVersions" of versioning(), or a history of "changes".'],
  [['app.js', '--mount', 'api'], "--mount takes a path such as /api; got 'api'."],
  [['table.js', '--mount', ''], "--mount takes a path such as /api; got ''."],
  [['app.js', '--export', 'option'], `'app.js' has no export 'option'. Did you mean "options"?`],
  [['two.js'], "'two.js' exports several: 'api', 'other'. Choose one of them with --export."],
  [['../nowhere.js'], `there is no module '../nowhere.js' in '${folder}'.`],
  [
    ['wrong.js'],
    `Node ${process.versions.node} does not read .js files. Give the compiled module, or use Node 22.18 or later, which reads TypeScript.`,
  ],
])('routes %j: %s', async (words, message) => {
  expect(await failed(['routes', ...words])).toBe(`express-versioning: ${message}\n`)
})

test.each([
  ['throws.js', 'on its own account'],
  ['later.js', 'later'],
])("a module's own error is not the command's to tell: %s", async (file, message) => {
  // The name is compared because the error comes from another realm.
  await expect(run(`routes ../${basename(folder)}/${file}`)).rejects.toMatchObject({ name: 'RangeError', message })
})

describe('the export of a module is', () => {
  const table = namedRoutes({ home: '/' })
  const options = { scheme: URLPathVersioning, routes: table }
  const second = { scheme: new QueryParameterVersioning(), routes: table }
  const app = express()

  test.each<[what: string, module: object, name?: string | undefined, expected?: object]>([
    ['named options', { options, second }],
    ['named options before a default', { default: second, options }],
    ['the default', { default: options, second }],
    ['module.exports', { default: options, 'module.exports': second }],
    ['the only one with options', { shop: options, table, app }],
    ['the only one with routes', { shop: options, second: { scheme: URLPathVersioning } }],
    [
      'the only options, without routes',
      { shop: { scheme: URLPathVersioning } },
      undefined,
      { options: { scheme: URLPathVersioning } },
    ],
    ['a chosen member of the default', { default: { shop: options, options: second } }, 'shop'],
    ['options with an instance of a scheme', { second }, undefined, { options: second }],
    ['a table', { table, app }, undefined, { table }],
    ['a chosen table', { table, options }, 'table', { table }],
  ])('%s', (_, module, name = '', expected = { options } as object) => {
    expect(exported(module, './app.js', name || undefined)).toEqual(expected)
  })

  const nothing = 'no options of versioning(), and no namedRoutes() table'
  const anApp = 'an Express app, which does not tell its versions'
  test.each<[what: string, module: object, told: string, name?: string]>([
    ['an app', { default: app }, `'./app.js' exports ${anApp}`],
    ['an app by name', { app }, `'./app.js': 'app' is ${anApp}`, 'app'],
    ['null', { default: null }, `'./app.js' exports ${nothing}`],
    ['a router', { default: express.Router() }, `'./app.js' exports ${nothing}`],
    ['others', { a: { scheme: 'https' }, b: { scheme: null }, c: 'options' }, `'./app.js' exports ${nothing}`],
    ["Node's own names", { 'module.exports': options, __esModule: true }, `'./app.js' exports ${nothing}`],
  ])('not %s', (_, module, told, name = '') => {
    const exportThem = 'Export the options that versioning() gets: `export const options = { scheme, routes, ... }`'
    const message = `${told}. ${exportThem}, or \`exports.options = ...\`.`
    const find = () => exported(module, './app.js', name || undefined)
    expect(find).toThrow(CommandError)
    expect(find).toThrow(new Error(message))
  })
})

describe('openapi', () => {
  const shopOf = ({ shape = 'User', title = 'Shop', versions = ['v1', 'v2', 'v3'], more = '', ends = '{}' } = {}) => `
const { HeaderVersioning, namedRoutes } = require('express-versioning')
const { openapi } = require('express-versioning/openapi')
const routes = namedRoutes({ 'user-list': '/users', about: '/about' })
const answer = (req, res) => res.end()
routes.route('user-list').get(answer)
routes.route('about').get(answer)
const user = { $id: '${shape}', type: 'object', properties: { id: { type: 'string' } } }
routes.describe('GET user-list', { response: { type: 'array', items: user } ${more} })
const options = { scheme: HeaderVersioning, allowedVersions: ${JSON.stringify(versions)}, routes, lifecycle: ${ends} }
const docs = openapi(options, { info: { title: '${title}' }, mount: '/api' })
`
  const DOCS = 'exports.docs = docs'
  let count = 0
  /** Writes a module of its own, because each is loaded once. */
  const module = (text = shopOf(), exports = DOCS) => {
    const file = `shop-${count++}.js`
    write(file, `${text}${exports}`)
    return file
  }
  const files = (name: string) => readdirSync(join(folder, name)).sort()

  test('writes a file for each version, whatever the order of declarations', async () => {
    const file = module(shopOf({ versions: ['v1', 'a/b'] }))
    expect(await printed(`openapi ${file} --out new/api`)).toBe('v1.json is written.\na%2Fb.json is written.\n')
    expect(files('new/api')).toEqual(['a%2Fb.json', 'v1.json'])
    const text = read('new/api/v1.json')
    expect(text).toMatch(/^\{\n {2}"openapi": "3\.1\.1",\n[\s\S]*\n\}\n$/)
    expect(Object.keys(JSON.parse(text).paths)).toEqual(['/about', '/users'])
    expect(JSON.parse(text)).toMatchObject({ info: { title: 'Shop', version: 'v1' }, servers: [{ url: '/api' }] })
  })

  test('takes the options of versioning(), with a mount and a title, and a chosen export', async () => {
    const file = module(shopOf(), 'module.exports = options')
    await printed(`openapi ${file} --out options --mount /x --title T`)
    expect(JSON.parse(read('options/v2.json'))).toMatchObject({ info: { title: 'T' }, servers: [{ url: '/x' }] })
    expect(await printed(`openapi ${file} --out options --check --mount /x --title T`)).toBe('')
    const two = module(shopOf(), "exports.docs = openapi({ ...options, allowedVersions: ['x'] }); exports.other = docs")
    await printed(`openapi ${two} --out chosen --export other`)
    expect(files('chosen')).toEqual(['v1.json', 'v2.json', 'v3.json'])
    const extra = ['v1', 'v2', 'v3'].map(
      (version) => `${version}.json: there is no such version. Delete the file if the version was dropped.\n`,
    )
    expect(await printed(`openapi ${two} --out chosen`)).toBe(`x.json is written.\n${extra.join('')}`)
    expect(await run(`openapi ${two} --out chosen --check`)).toEqual({ code: 1, out: extra.join(''), err: CHANGED })
  })

  const CHANGED =
    'express-versioning: a released version has changed. If that is meant, write the documents without --check, and commit them.\n'
  const edited = (file: string, edit: (document: ReturnType<typeof JSON.parse>) => unknown) => {
    const document = JSON.parse(read(file))
    edit(document)
    write(file, JSON.stringify(document))
  }
  const at = 'GET /users has changed at /responses/200/content/application/json/schema/items/$ref.'
  const newest = 'v3.json (the newest)'

  test.each<[string, now: Parameters<typeof shopOf>[0], edit: () => void, code: 0 | 1, out: string[]]>([
    ['nothing', {}, () => {}, 0, []],
    [
      'a shape, and where it stands',
      { shape: 'Person' },
      () => {},
      1,
      ['v1.json', 'v2.json', newest].flatMap((file) => [
        ...[`${file}: ${at}`, `${file}: User was removed.`, `${file}: Person is new.`],
      ]),
    ],
    [
      'the newest alone',
      { more: ", versions: { v3: { response: { type: 'array', items: { type: 'null' } } } }" },
      () => {},
      0,
      [
        `${newest}: GET /users has changed at /responses/200/content/application/json/schema/items/$ref.`,
        `${newest}: User was removed.`,
      ],
    ],
    [
      'one version',
      { more: ", versions: { v2: { response: { type: 'array', items: { type: 'string' } } } }" },
      () => {},
      1,
      [`v2.json: ${at}`, 'v2.json: User was removed.'],
    ],
    [
      'the day, which makes a version deprecated or gone',
      { ends: "{ v1: { sunset: '2020-01-01', afterSunset: 'gone' }, v2: { deprecated: '2020-01-01' } }" },
      () => edited('released/v2.json', ({ info }) => Object.assign(info, { description: 'Deprecated: 2020-01-01.' })),
      0,
      [],
    ],
    [
      'an edited file',
      {},
      () => {
        edited('released/v1.json', ({ paths, components, ...others }) => {
          paths['/about'].get.responses['2XX'] = ['none']
          paths['/about'].post = null
          components.securitySchemes = { key: {} }
          return others
        })
        edited('released/v1.json', (document) => Object.assign(document, { servers: null }))
        write('released/v2.json', '[]')
        write('released/notes.txt', '')
      },
      1,
      [
        'v1.json: GET /about has changed at /responses/2XX.',
        'v1.json: POST /about was removed.',
        'v1.json: securitySchemes key was removed.',
        'v1.json: servers has changed.',
        ...['GET /about', 'GET /users', 'User', 'openapi', 'info', 'servers'].map((part) => `v2.json: ${part} is new.`),
      ],
    ],
  ])('with --check tells of %s, and writes nothing', async (_, now, edit, code, out) => {
    rmSync(join(folder, 'released'), { recursive: true, force: true })
    await printed(`openapi ${module()} --out released`)
    edit()
    const before = files('released').map((file) => read(`released/${file}`))
    const told = { code, out: out.map((line) => `${line}\n`).join(''), err: code === 0 ? '' : CHANGED }
    expect(await run(`openapi ${module(shopOf(now))} --out released --check`)).toEqual(told)
    expect(files('released').map((file) => read(`released/${file}`))).toEqual(before)
  })

  test('with --check tells of all missing files', async () => {
    const out = `v1.json: the file is missing.\nv2.json: the file is missing.\n${newest}: the file is missing.\n`
    expect(await run(`openapi ${module()} --out nowhere --check`)).toEqual({ code: 1, out, err: CHANGED })
    expect(existsSync(join(folder, 'nowhere'))).toBe(false)
  })

  const own = /exports the documents of openapi\(\), which have their own mount and title\.$/
  test.each<[string, words: string, message: RegExp, exports: string]>([
    ['a mount beside documents', '--mount /api', own, DOCS],
    ['a title beside documents', '--title T', own, DOCS],
    ['a table alone', '', /exports a table without versions\. Export the options/, 'module.exports = routes'],
    ['no such export', '--export doc', /has no export 'doc'\. Did you mean "docs"\?$/, DOCS],
    ['a folder that is a file', '--out app.js', /^EEXIST: /, DOCS],
    ['a file that is not JSON', '--check --out broken', /v1\.json is not JSON\.$/, DOCS],
  ])('%s is told', async (_, words, message, exports) => {
    write('broken/v1.json', '{')
    const err = await failed(`openapi ${module(shopOf(), exports)} --out x ${words}`.trim())
    expect(err.trimEnd().replace('express-versioning: ', '')).toMatch(message)
  })
})
