import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { command } from '../../src/command-line/command'

const folder = mkdtempSync(join(tmpdir(), 'express-versioning-init-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let count = 0
/** Writes the files of an app in a folder of its own. */
function app(files: Record<string, unknown>): string {
  const directory = join(folder, String(count++))
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, file)), { recursive: true })
    writeFileSync(join(directory, file), typeof content === 'string' ? content : JSON.stringify(content))
  }
  mkdirSync(directory, { recursive: true })
  return directory
}
const init = (directory: string, words = '') => command(['init', ...words.split(' ').filter(Boolean)], directory)
const read = (directory: string, file = 'versions.mjs') => readFileSync(join(directory, file), 'utf8')

const uses = (...names: string[]) => ({ dependencies: Object.fromEntries(names.map((name) => [name, '*'])) })
const document = (version: unknown = '1.4', more = {}) => ({
  ...{ openapi: '3.0.3', info: { title: 'Shop', version }, ...more },
  paths: { '/users': { get: { responses: { 200: { description: 'All' } } } } },
})
const YAML = `openapi: 3.1.0\ninfo: { title: Shop, version: '7' }\npaths: {}\n`
/** A package of the app that is one of this project. */
const lent = (name: string, real = name) => ({
  [`node_modules/${name}/index.js`]: `module.exports = require(${JSON.stringify(require.resolve(real))})`,
})

const MAKES = "import express from 'express'\nexport const app = express()\n"

type Case = [files: Record<string, unknown>, words: string, said: string, lines: string[], options: string]
test.each<[name: string, ...Case]>([
  [
    'Express, with a document of JSON and modules that require',
    { 'package.json': uses('express'), 'app.js': MAKES, 'openapi.json': document() },
    '',
    'version 1.4 of openapi.json. Paste into app.js',
    [
      `const { convertRequest, options, versioning } = require('./versions.mjs')`,
      'app.use(versioning(options))',
      'app.use(express.json(), convertRequest)',
    ],
    `{ scheme: HeaderVersioning, defaultVersion: '1.4', changes: history, routes: routesOf(document) }`,
  ],
  [
    'the file of sources, not that of tests; the mount of the server',
    {
      'package.json': { ...uses('express'), type: 'module' },
      ...{ 'test/app.js': MAKES, 'src/server/index.js': MAKES, 'node_modules/x/openapi.json': document('9') },
      'docs/api-docs.v1.json': document('v3', { servers: [{ url: 'https://shop.example/api/' }] }),
    },
    '--scheme query',
    'version v3 of docs/api-docs.v1.json. Paste into src/server/index.js',
    [
      `import { convertRequest, options, versioning } from '../../versions.mjs'`,
      `app.use('/api', versioning(options))`,
      `app.use('/api', express.json(), convertRequest)`,
    ],
    `{ scheme: QueryParameterVersioning, defaultVersion: 'v3', changes: history, routes: routesOf(document) }`,
  ],
  [
    'a version in the path, and a server that has one',
    {
      'package.json': uses('express'),
      'app.mjs': '',
      'swagger.json': document('1', { servers: [{ url: '/api/v1' }] }),
    },
    '--scheme path',
    'version 1 of swagger.json. Paste into your app',
    [
      `const { convertRequest, options, versioning } = require('./versions.mjs')`,
      `app.use('/api/:version', versioning(options))`,
      `app.use('/api/:version', express.json(), convertRequest)`,
    ],
    '{ scheme: URLPathVersioning, changes: history, routes: routesOf(document) }',
  ],
  [
    'a gateway, whose server is a pattern; a version that no host can have',
    {
      'package.json': uses('express', 'http-proxy-middleware'),
      ...{ 'gateway.mjs': MAKES, 'openapi.json': document('1.0', { servers: [{ url: '/{tenant}' }] }) },
    },
    '--scheme=host',
    'version v1 of openapi.json. Paste into gateway.mjs, in front of the proxy',
    [
      `import { convertRequest, options, versioning } from './versions.mjs'`,
      'app.use(versioning(options))',
      'app.use(convertRequest.with(express.json()))',
    ],
    `{ scheme: HostNameVersioning, defaultVersion: 'v1', changes: history, routes: routesOf(document) }`,
  ],
  [
    'a module that exports the document; a server that is no URL; a version that is no string',
    {
      'package.json': uses('express'),
      'src/openapi.empty.js': 'exports.nothing = {}',
      'src/swagger.js': `exports.paths = null\nexports.spec = ${JSON.stringify(document(2, { servers: [{ url: '//:' }] }))}`,
    },
    '--scheme accept',
    'version v1 of src/swagger.js. Paste into your app',
    [
      `const { convertRequest, options, versioning } = require('./versions.mjs')`,
      'app.use(versioning(options))',
      'app.use(express.json(), convertRequest)',
    ],
    `{ scheme: AcceptHeaderVersioning, defaultVersion: 'v1', changes: history, routes: routesOf(document) }`,
  ],
  [
    'a Nest app',
    {
      'package.json': uses('@nestjs/core', '@nestjs/swagger', 'express'),
      'src/main.ts': 'await NestFactory.create(App)',
    },
    '',
    'version v1. Paste into src/main.ts, in front of app.listen()',
    [
      `import { convertRequest, optionsFor, versioning } from '../versions.mjs'`,
      'app.use(versioning(optionsFor(SwaggerModule.createDocument(app, config))))',
      'app.useGlobalInterceptors({ intercept: (context, next) => (convertRequest.now(context.switchToHttp().getRequest()), next.handle()) })',
    ],
    `{ scheme: HeaderVersioning, defaultVersion: 'v1', changes: history, routes: routesOf(document) }`,
  ],
])('%s', async (_name, files, words, said, lines, options) => {
  const directory = app(files)
  const { code, out, err } = await init(directory, words)
  expect([code, err]).toEqual([0, ''])
  expect(out).toContain(`versions.mjs is written, with ${said}`)
  expect([...out.matchAll(/^ {2}(.*)$/gm)].map(([, line]) => line)).toEqual(lines)
  expect(read(directory)).toContain(options)
  const again = await init(directory, words)
  expect(again).toEqual({
    code: 1,
    out: '',
    err: 'express-versioning: versions.mjs is there already. Nothing was written.\n',
  })
})

test.each(['yaml', 'js-yaml'])('the document is YAML, which %s reads', async (name) => {
  const files = { 'package.json': uses('express', name), 'openapi.yml': `\uFEFF${YAML}` }
  const parser =
    name === 'yaml' ? lent('yaml') : { 'node_modules/js-yaml/index.js': "exports.load = require('yaml').parse" }
  const directory = app({ ...files, ...parser, ...(name === 'yaml' ? {} : lent('js-yaml/node_modules/yaml', 'yaml')) })
  expect((await init(directory)).out).toContain('with version 7 of openapi.yml')
  const parse = name === 'yaml' ? 'parse' : 'load'
  expect(read(directory)).toContain(`import { ${parse} } from '${name}'`)
  expect(read(directory)).toContain(
    `const document = ${parse}(readFileSync(new URL('./openapi.yml', import.meta.url), 'utf8'))`,
  )
})

test.each([
  ['options', { ...uses('express'), type: 'module' }, 'src/app.ts', 'const app = express()', 'const options: '],
  [
    'optionsFor',
    uses('@nestjs/core', '@nestjs/swagger'),
    'main.ts',
    'NestFactory.create(',
    'function optionsFor(document: object): ',
  ],
])('an app in TypeScript gets the types of %s', async (_name, manifest, main, text, declared) => {
  const directory = app({ 'package.json': manifest, [main]: text, 'openapi.json': document() })
  expect((await init(directory)).code).toBe(0)
  expect(read(directory, 'versions.d.mts')).toContain(`export declare ${declared}VersioningOptions\n`)
  rmSync(join(directory, 'versions.mjs'))
  expect((await init(directory)).err).toContain('versions.d.mts is there already. Nothing was written.')
  expect(existsSync(join(directory, 'versions.mjs'))).toBe(false)
})

test('a constant named document needs no other name', async () => {
  const text = `exports.document = ${JSON.stringify(document('3'))}`
  const directory = app({ 'package.json': uses('express'), 'openapi.js': text })
  expect((await init(directory)).out).toContain('with version 3 of openapi.js')
  expect(read(directory)).toContain("import { document } from './openapi.js'")
})

test('what it writes works', async () => {
  const directory = app({ 'package.json': uses('express'), 'openapi.json': document() })
  await init(directory)
  // Jest reads the sources of the package, and no import.meta.
  const text = read(directory).replaceAll(
    'import.meta.url',
    JSON.stringify(pathToFileURL(join(directory, 'versions.mjs')).href),
  )
  writeFileSync(join(directory, 'versions.ts'), text)
  const { options, versioning, convertRequest } = await import(join(directory, 'versions.ts'))
  expect(versioning(options)).toBeInstanceOf(Function)
  expect([typeof convertRequest, options.routes.list().map(({ name }: { name: string }) => name)]).toEqual([
    'function',
    ['/users'],
  ])
})

test('the document is JSON behind a byte order mark', async () => {
  const directory = app({ 'package.json': uses('express'), 'openapi.json': `\uFEFF${JSON.stringify(document())}` })
  await init(directory)
  const [, line = ''] = /^const document = (.*)$/m.exec(read(directory)) ?? []
  expect(line).toContain(`'utf8').replace('\\uFEFF', ''))`)
  const url = JSON.stringify(pathToFileURL(join(directory, 'versions.mjs')).href)
  const parse = new Function('readFileSync', `return ${line.replace('import.meta.url', url)}`)
  expect(parse(readFileSync)).toEqual(document())
})

test('the example of a change may be pasted in the place of the history', async () => {
  const directory = app({ 'package.json': uses('express'), 'openapi.json': document() })
  await init(directory)
  const [, comment = '', history] = /^((?:\/\/ .*\n)+)(export const history = .*\n)/m.exec(read(directory)) ?? []
  const [, ...example] = comment.split('\n').map((line) => line.slice(3))
  expect(example.join('\n')).toBe(
    `${history}  .version('NEXT', change('Users have a \`title\` instead of a \`name\`.', { User: fields({ renamed: { name: 'title' } }) }))\n`,
  )
})

test.each<[name: string, packages: string[], place: string | undefined]>([
  ['Express', ['express'], 'your routers'],
  ['a gateway', ['express', 'http-proxy'], 'the proxy'],
  ['Nest', ['@nestjs/core', '@nestjs/swagger'], undefined],
])('it says how rejections are sent, and how to try changes, for %s', async (_name, packages, place) => {
  const { out } = await init(app({ 'package.json': uses(...packages), 'openapi.json': document() }))
  const said = `Rejections are errors with a status, for your error handler. To send them as problem details, add
app.use(problemDetails()) of express-versioning behind ${place}.
To try the steps of changes: npm install --save-dev ajv fast-check && npx express-versioning check ./versions.mjs
`
  if (place === undefined) expect(out).not.toContain('problemDetails')
  else expect(out).toContain(said)
  expect(out).toContain('\nThe next step is the first change: docs/existing-apis.md\n')
})

test.each<[message: string | RegExp, files: Record<string, unknown>, words: string]>([
  [/there is no readable package\.json in '.*'\. Run it in the folder of your app\./, {}, ''],
  [/there is no readable package\.json/, { 'package.json': '{' }, ''],
  [/has neither express nor @nestjs\/core\./, { 'package.json': { dependencies: { koa: '*' } } }, ''],
  [/comes from @nestjs\/swagger: npm install @nestjs\/swagger/, { 'package.json': uses('@nestjs/core') }, ''],
  [/there is no OpenAPI document of version 3 here/, { 'package.json': uses('express'), 'openapi.json': [] }, ''],
  [/openapi\.json' is not JSON: /, { 'package.json': uses('express'), 'openapi.json': '{' }, ''],
  [
    /openapi\.yaml' is YAML, which needs the package "yaml"/,
    { 'package.json': uses('express'), 'openapi.yaml': YAML },
    '',
  ],
  [/swagger/i, { 'package.json': uses('express'), 'swagger.json': { swagger: '2.0', paths: {} } }, ''],
  [
    /--scheme takes one of header, accept, query, path, host; got 'hedaer'\. Did you mean "header"\?/,
    {},
    '--scheme hedaer',
  ],
  [/--scheme takes one of .*; got 'constructor'\./, {}, '--scheme constructor'],
  [/init takes no module; got 'x'\./, {}, 'x'],
  [/init takes no --json\./, {}, '--json'],
  [/read "path versions" in/, { 'package.json': uses('@nestjs/core', '@nestjs/swagger') }, '--scheme path'],
])('%s', async (message, files, words) => {
  const directory = app(files)
  const { code, out, err } = await init(directory, words)
  expect([code, out]).toEqual([1, ''])
  expect(err).toMatch(message)
  expect(existsSync(join(directory, 'versions.mjs'))).toBe(false)
})
