import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
  ['--out is missing: express-versioning openapi app.js --out api', 'openapi', 'app.js'],
  ['openapi takes no --json.', 'openapi', 'app.js', '--json', '--out', 'api'],
  ['the module is missing: express-versioning openapi ./app.js', 'openapi'],
  ["one module at a time; got 'app.js', 'two.js'.", 'routes', 'app.js', 'two.js'],
])('the usage is told with: %s', async (message, ...words) => {
  expect(await failed(...words)).toBe(`express-versioning: ${message}\n\n${USAGE}`)
})

test.each<[words: string[], said: RegExp]>([
  [['routes', 'app.js', '--jsn'], /^express-versioning: unknown option '--jsn'\. Did you mean "--json"\?\n\nUsage/],
  [['routes', 'app.js', '--\x1b[2J'], /^express-versioning: unknown option '--\\x1B\[2J'\.\n/],
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
  // The name is compared because the error comes from another realm.
  await expect(run('routes', `../${basename(folder)}/${file}`)).rejects.toMatchObject({ name: 'RangeError', message })
})

describe('openapi', () => {
  const shopOf = ({
    shape = 'User',
    title = 'Shop',
    versions = ['v1', 'v2', 'v3'],
    more = '',
    lifecycle = '{}',
  } = {}) => `
const { HeaderVersioning, namedRoutes } = require('express-versioning')
const { openapi } = require('express-versioning/openapi')
const routes = namedRoutes({ 'user-list': '/users', about: '/about' })
const answer = (req, res) => res.end()
routes.route('user-list').get(answer)
routes.route('about').get(answer)
const user = { $id: '${shape}', type: 'object', properties: { id: { type: 'string' } } }
routes.describe('GET user-list', { response: { type: 'array', items: user } ${more} })
const options = { scheme: HeaderVersioning, allowedVersions: ${JSON.stringify(versions)}, routes, lifecycle: ${lifecycle} }
const docs = openapi(options, { info: { title: '${title}' }, mount: '/api' })
`
  let count = 0
  /** A module of its own, because each is loaded once. */
  const module = (text: string, exported = 'exports.docs = docs') => {
    const file = `shop-${count++}.js`
    write(file, `${text}${exported}`)
    return file
  }
  const api = (...words: string[]) => run('openapi', ...words)
  const files = (name: string) => readdirSync(join(folder, name)).sort()

  test('writes a file for each version, whatever the order of declarations', async () => {
    expect(await api(module(shopOf({ versions: ['v1', 'a/b'] })), '--out', 'new/api')).toEqual({
      code: 0,
      out: 'v1.json is written.\na%2Fb.json is written.\n',
      err: '',
    })
    expect(files('new/api')).toEqual(['a%2Fb.json', 'v1.json'])
    const text = readFileSync(join(folder, 'new/api/v1.json'), 'utf8')
    expect(text).toMatch(/^\{\n {2}"openapi": "3\.1\.1",\n[\s\S]*\n\}\n$/)
    expect(Object.keys(JSON.parse(text).paths)).toEqual(['/about', '/users'])
    expect(JSON.parse(text)).toMatchObject({ info: { title: 'Shop', version: 'v1' }, servers: [{ url: '/api' }] })
  })

  test('takes the options of versioning(), with a mount and a title', async () => {
    const file = module(shopOf(), 'module.exports = options')
    expect(await api(file, '--out', 'of-options', '--mount', '/x', '--title', 'T')).toMatchObject({ code: 0 })
    expect(JSON.parse(readFileSync(join(folder, 'of-options/v2.json'), 'utf8'))).toMatchObject({
      info: { title: 'T' },
      servers: [{ url: '/x' }],
    })
    expect(await api(file, '--out', 'of-options', '--check', '--mount', '/x', '--title', 'T')).toMatchObject({
      code: 0,
    })
  })

  const CHANGED =
    'express-versioning: a released version has changed. If that is meant, write the documents without --check, and commit them.\n'

  test.each<[string, now: Parameters<typeof shopOf>[0], prepare: () => void, code: 0 | 1, out: string[]]>([
    ['nothing', {}, () => {}, 0, []],
    [
      'a shape, and where it stands',
      { shape: 'Person' },
      () => {},
      1,
      ['v1', 'v2', 'v3'].flatMap((version) => {
        const file = `${version}.json${version === 'v3' ? ' (the newest)' : ''}`
        return [
          `${file}: GET /users has changed at /responses/200/content/application/json/schema/items/$ref.`,
          `${file}: User was removed.`,
          `${file}: Person is new.`,
        ]
      }),
    ],
    [
      'one version',
      { more: ", versions: { v2: { response: { type: 'array', items: { type: 'string' } } } }" },
      () => {},
      1,
      [
        'v2.json: GET /users has changed at /responses/200/content/application/json/schema/items/$ref.',
        'v2.json: User was removed.',
      ],
    ],
    [
      'the day, which makes a version deprecated or gone',
      { lifecycle: "{ v1: { sunset: '2020-01-01', afterSunset: 'gone' }, v2: { deprecated: '2020-01-01' } }" },
      () => {
        const path = join(folder, 'released/v2.json')
        const document = JSON.parse(readFileSync(path, 'utf8'))
        document.info.description = 'Deprecated: 2020-01-01.'
        writeFileSync(path, JSON.stringify(document))
      },
      0,
      [],
    ],
    [
      'an edited file',
      {},
      () => {
        const document = JSON.parse(readFileSync(join(folder, 'released/v1.json'), 'utf8'))
        document.paths['/about'].get.responses['2XX'] = ['none']
        document.paths['/about'].post = null
        document.components.securitySchemes = { key: {} }
        document.servers = null
        writeFileSync(join(folder, 'released/v1.json'), JSON.stringify(document))
        writeFileSync(join(folder, 'released/v2.json'), '[]')
        writeFileSync(join(folder, 'released/notes.txt'), '')
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
  ])('with --check tells of %s', async (_name, now, prepare, code, out) => {
    rmSync(join(folder, 'released'), { recursive: true, force: true })
    await api(module(shopOf()), '--out', 'released')
    prepare()
    const before = files('released').map((file) => readFileSync(join(folder, 'released', file), 'utf8'))
    const found = await api(module(shopOf(now)), '--out', 'released', '--check')
    expect(found).toEqual({ code, out: out.map((line) => `${line}\n`).join(''), err: code === 0 ? '' : CHANGED })
    expect(files('released').map((file) => readFileSync(join(folder, 'released', file), 'utf8'))).toEqual(before)
  })

  test('tells of files that are missing, all of them', async () => {
    const { code, out } = await api(module(shopOf()), '--out', 'nowhere', '--check')
    expect([code, out.split('\n').length]).toEqual([1, 4])
    expect(existsSync(join(folder, 'nowhere'))).toBe(false)
  })

  test.each<[string, exported: string, message: RegExp, ...words: string[]]>([
    [
      'a mount beside documents',
      'exports.docs = docs',
      /exports the documents of openapi\(\), which have their own mount and title\.$/,
      '--mount',
      '/api',
    ],
    ['a table alone', 'module.exports = routes', /exports a table without versions\. Export the options/],
    ['no such export', 'exports.docs = docs', /has no export 'doc'\. Did you mean "docs"\?$/, '--export', 'doc'],
    ['a folder that is a file', 'exports.docs = docs', /^EEXIST: /, '--out', 'app.js'],
    ['a file that is not JSON', 'exports.docs = docs', /v1\.json is not JSON\.$/, '--check', '--out', 'broken'],
  ])('%s is told', async (_name, exported, message, ...words) => {
    write('broken/v1.json', '{')
    const { code, err } = await api(module(shopOf(), exported), '--out', 'x', ...words)
    expect({ code, err: err.trimEnd().replace('express-versioning: ', '') }).toEqual({
      code: 1,
      err: expect.stringMatching(message),
    })
  })

  test('an export that is chosen', async () => {
    const file = module(
      shopOf(),
      "exports.docs = openapi({ ...options, allowedVersions: ['x'] }); exports.other = docs",
    )
    expect(await api(file, '--out', 'chosen', '--export', 'other')).toMatchObject({ code: 0 })
    expect(files('chosen')).toEqual(['v1.json', 'v2.json', 'v3.json'])
    expect(await api(file, '--out', 'chosen')).toMatchObject({
      out: expect.stringContaining('x.json is written.\nv1.json: there is no such version.'),
    })
  })
})
