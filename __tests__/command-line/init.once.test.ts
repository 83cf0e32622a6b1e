import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ended, folder, lend, read, write } from '../support/folder'

let count = 0
/** Writes the files of an app in a folder of its own, and returns the functions that ask about it. */
function app(files: Record<string, unknown>) {
  const directory = String(count++)
  write(join(directory, 'README.md'), '')
  for (const [file, content] of Object.entries(files)) write(join(directory, file), content)
  return {
    directory,
    init: (words = '') => ended(`init ${words}`, directory),
    made: (file = 'versions.cjs') => read(join(directory, file)),
    path: (file = 'versions.cjs') => join(folder, directory, file),
  }
}

const uses = (...names: string[]) => ({ dependencies: Object.fromEntries(names.map((name) => [name, '*'])) })
const document = (version: unknown = '1.4', more = {}) => ({
  ...{ openapi: '3.0.3', info: { title: 'Shop', version }, ...more },
  paths: { '/users': { get: { responses: { 200: { description: 'All' } } } } },
})
const YAML = `openapi: 3.1.0\ninfo: { title: Shop, version: '7' }\npaths: {}\n`
const MAKES = "import express from 'express'\nexport const app = express()\n"

const VERSIONING = 'app.use(versioning(options))'
const PARSED = 'app.use(convertRequest.with(express.json()))'
const required = (file: string) => `const { convertRequest, options, versioning } = require('${file}')`
const imported = (file: string) => `import { convertRequest, options, versioning } from '${file}'`
const server = (url: string) => ({ servers: [{ url }] })
const express = { 'package.json': uses('express') }

type Case = [files: object, words: string, file: string, said: string, lines: string[], options: string]
test.each<[name: string, ...Case]>([
  [
    'Express, with a document of JSON and modules that require',
    { ...express, 'app.js': MAKES.replace("import express from 'express'", ''), 'openapi.json': document() },
    '',
    'versions.cjs',
    'version 1.4 of openapi.json. Paste into app.js',
    [required('./versions.cjs'), VERSIONING, PARSED],
    `HeaderVersioning, defaultVersion: '1.4'`,
  ],
  [
    'modules that a compiler makes of others, with a parser of their own',
    { ...express, 'app.js': `${MAKES}app.use(express.json({ limit: '9mb' }))`, 'openapi.json': document() },
    '',
    'versions.cjs',
    'version 1.4 of openapi.json. Paste into app.js',
    [imported('./versions.cjs'), VERSIONING, "app.use(convertRequest.with(express.json({ limit: '9mb' })))"],
    `HeaderVersioning, defaultVersion: '1.4'`,
  ],
  [
    'the file of sources, not that of tests; the mount of the server',
    {
      'package.json': { ...uses('express'), type: 'module' },
      ...{ 'test/app.js': MAKES, 'src/server/index.js': MAKES, 'node_modules/x/openapi.json': document('9') },
      'docs/api-docs.v1.json': document('v3', server('https://shop.example/api/')),
    },
    '--scheme query',
    'versions.mjs',
    'version v3 of docs/api-docs.v1.json. Paste into src/server/index.js',
    [
      imported('../../versions.mjs'),
      `app.use('/api', versioning(options))`,
      `app.use('/api', convertRequest.with(express.json()))`,
    ],
    `QueryParameterVersioning, defaultVersion: 'v3'`,
  ],
  [
    'a version in the path, and a server that has one',
    { ...express, 'app.mjs': MAKES, 'swagger.json': document('1', server('/api/v1')) },
    '--scheme path',
    'versions.mjs',
    'version v1 of swagger.json. Paste into app.mjs',
    [
      imported('./versions.mjs'),
      `app.use('/api', versioning(options))`,
      `app.use('/api', convertRequest.with(express.json()))`,
    ],
    `URLPathVersioning, defaultVersion: 'v1', changes: history, routes: namedRoutes({}).include('{/:version}', routesOf(document))`,
  ],
  [
    'a version in the path, and a server that has none; the package is only there for development',
    {
      'package.json': { ...uses('express'), devDependencies: { 'express-versioning': '*' } },
      'swagger.json': document('1'),
    },
    '--scheme path',
    'versions.cjs',
    'version 1 of swagger.json. Paste into your app',
    [required('./versions.cjs'), VERSIONING, PARSED],
    `URLPathVersioning, defaultVersion: '1', changes: history, routes: namedRoutes({}).include('{/:version}', routesOf(document))`,
  ],
  [
    'a gateway, whose server is a pattern; a version that no host can have',
    {
      'package.json': uses('express', 'http-proxy-middleware'),
      ...{
        'gateway.mjs': `${MAKES}proxy({ target: 'http://10.0.0.1:80' })`,
        'openapi.json': document('1.0', server('/{tenant}')),
      },
    },
    '--scheme=host',
    'versions.mjs',
    'version v1 of openapi.json. Paste into gateway.mjs, in front of the proxy',
    [
      `import { gateway, options } from './versions.mjs'`,
      `app.use(gateway(options, { target: 'http://10.0.0.1:80' }))`,
    ],
    `new HostNameVersioning({ ignore: ['api', 'www'], defaultVersion: 'v1' })`,
  ],
  [
    'hosts of today; a gateway whose service nobody knows',
    {
      'package.json': { ...uses('express', 'http-proxy'), type: 'module' },
      'openapi.json': document('1', {
        servers: [{ url: 'https://api.shop.example' }, { url: 'http://10.1.1.1' }, { url: '/' }],
      }),
    },
    '--scheme=host',
    'versions.mjs',
    'version 1 of openapi.json. Paste into your app, in front of the proxy',
    [
      `import { gateway, options } from './versions.mjs'`,
      `app.use(gateway(options, { target: 'http://127.0.0.1:8000' }))`,
    ],
    `new HostNameVersioning({ ignore: ['api'], defaultVersion: '1' })`,
  ],
  [
    'a module that exports the document; a server that is no URL; a version that is no string',
    {
      ...express,
      'src/openapi.empty.js': 'exports.nothing = {}',
      'src/swagger.js': `exports.paths = null\nexports.spec = ${JSON.stringify(document(2, server('//:')))}`,
    },
    '--scheme accept',
    'versions.cjs',
    'version v1 of src/swagger.js. Paste into your app',
    [required('./versions.cjs'), VERSIONING, PARSED],
    `AcceptHeaderVersioning, defaultVersion: 'v1'`,
  ],
  [
    'pages that the document does not have',
    {
      ...express,
      'app.mjs': `${MAKES}app.get('/health', ok)
app.get('/health', ok)
app.get('/users', list)
app.get('/users/me', me)
app.use('/docs/', swaggerUi.serve)
app.use('/files', files)
app.use('/', express.static('public'))`,
      'openapi.json': { ...document(), paths: { ...document().paths, '/users/{id}': {} } },
    },
    '',
    'versions.mjs',
    'version 1.4 of openapi.json. Paste into app.mjs',
    [imported('./versions.mjs'), VERSIONING, PARSED],
    `HeaderVersioning, defaultVersion: '1.4', changes: history, routes: routesOf(document), neutral: ['GET /health', '/docs{/*rest}']`,
  ],
  [
    'pages outside of the mount',
    { ...express, 'app.mjs': `${MAKES}app.get('/health', ok)`, 'openapi.json': document('1', server('/api')) },
    '',
    'versions.mjs',
    'version 1 of openapi.json. Paste into app.mjs',
    [
      imported('./versions.mjs'),
      `app.use('/api', versioning(options))`,
      `app.use('/api', convertRequest.with(express.json()))`,
    ],
    `HeaderVersioning, defaultVersion: '1', changes: history, routes: routesOf(document)`,
  ],
  [
    'TypeScript that becomes ES modules',
    { 'package.json': { ...uses('express'), type: 'module' }, 'src/http/app.ts': MAKES, 'openapi.json': document() },
    '',
    'src/versions.ts',
    'version 1.4 of openapi.json. Paste into src/http/app.ts',
    [imported('../versions.js'), VERSIONING, PARSED],
    `HeaderVersioning, defaultVersion: '1.4'`,
  ],
  [
    'TypeScript that becomes modules that require',
    { 'package.json': uses('express'), 'api/app.ts': MAKES, 'openapi.json': document() },
    '',
    'api/versions.ts',
    'version 1.4 of openapi.json. Paste into api/app.ts',
    [imported('./versions'), VERSIONING, PARSED],
    `HeaderVersioning, defaultVersion: '1.4'`,
  ],
  [
    'TypeScript whose app nobody finds',
    {
      'package.json': { ...uses('express'), type: 'module', devDependencies: { typescript: '*' } },
      'src/a.ts': '',
      'openapi.json': document(),
    },
    '',
    'src/versions.ts',
    'version 1.4 of openapi.json. Paste into your app',
    [imported('./src/versions.js'), VERSIONING, PARSED],
    `HeaderVersioning, defaultVersion: '1.4'`,
  ],
  [
    'a Nest app',
    {
      'package.json': uses('@nestjs/core', '@nestjs/swagger', 'express'),
      'src/main.ts': 'await NestFactory.create(App)',
    },
    '',
    'src/versions.ts',
    'version v1. Paste into src/main.ts, in front of app.listen()',
    [
      `import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger'`,
      `import { options, VersioningModule } from './versions'`,
      'VersioningModule.setup(app, SwaggerModule.createDocument(app, new DocumentBuilder().build()), options)',
    ],
    `HeaderVersioning, defaultVersion: 'v1'`,
  ],
  [
    'a service in another language, below a path',
    { 'package.json': uses('express-versioning'), 'openapi.json': document('1', server('/api/v1')) },
    '--scheme path',
    'versions.mjs',
    'version 1 of openapi.json. Start the gateway, with the address of your service',
    ['npx express-versioning gateway ./versions.mjs --target http://127.0.0.1:8000'],
    `URLPathVersioning, defaultVersion: '1', changes: history, routes: namedRoutes({}).include('/api/v1{/:version}', routesOf(document)), neutral: ['/openapi.json', '/docs{/*rest}', '/redoc'] }`,
  ],
  [
    'a parameter of today that is named as that of the scheme',
    {
      ...express,
      'openapi.json': {
        ...document(),
        paths: { '/a': {}, '/b': { get: { parameters: [{ in: 'query', name: 'version' }], responses: {} } } },
      },
    },
    '--scheme query',
    'versions.cjs',
    'version 1.4 of openapi.json. Paste into your app',
    [required('./versions.cjs'), VERSIONING, PARSED],
    `QueryParameterVersioning, defaultVersion: '1.4', versionParam: 'api-version', changes`,
  ],
  [
    'a gateway whose service is in a variable',
    {
      'package.json': { ...uses('express', 'http-proxy'), type: 'module' },
      ...{
        'front.js': `${MAKES}proxy({ target: process.env.SERVICE })`,
        'openapi.json': document('1', server('/api')),
      },
    },
    '',
    'versions.mjs',
    'version 1 of openapi.json. Paste into front.js',
    [`import { gateway, options } from './versions.mjs'`, 'app.use(gateway(options, { target: process.env.SERVICE }))'],
    `HeaderVersioning, defaultVersion: '1', changes: history, routes: namedRoutes({}).include('/api', routesOf(document))`,
  ],
  [
    'a gateway whose service is in a variable of the same name',
    {
      'package.json': { ...uses('express', 'http-proxy'), type: 'module' },
      ...{ 'front.js': `${MAKES}proxy({ target })`, 'openapi.json': document('1') },
    },
    '',
    'versions.mjs',
    'version 1 of openapi.json. Paste into front.js',
    [`import { gateway, options } from './versions.mjs'`, 'app.use(gateway(options, { target }))'],
    `HeaderVersioning, defaultVersion: '1'`,
  ],
  [
    'a module that is the document',
    { ...express, 'app.js': MAKES, 'swagger.js': `module.exports = ${JSON.stringify(document('5'))}` },
    '',
    'versions.cjs',
    'version 5 of swagger.js. Paste into app.js',
    [imported('./versions.cjs'), VERSIONING, PARSED],
    `HeaderVersioning, defaultVersion: '5'`,
  ],
  [
    'tsoa',
    {
      'package.json': uses('express'),
      ...{
        'src/app.ts': MAKES,
        'tsoa.json': { spec: { outputDirectory: 'build' } },
        'build/swagger.json': document('6'),
      },
    },
    '',
    'src/versions.ts',
    'version 6 of build/swagger.json. Paste into src/app.ts',
    [imported('./versions'), VERSIONING, PARSED],
    `HeaderVersioning, defaultVersion: '6'`,
  ],
  [
    'swagger-jsdoc in the file of the app',
    {
      ...express,
      'app.js': `const express = require('express')\nconst jsdoc = require('swagger-jsdoc')\nconst app = express()
const spec = jsdoc({ definition: { openapi: '3.0.0', info: { version: '8' }, servers: [{ url: '/api' }] } })
app.get('/api/users', list)\napp.get('/api/health', ok)`,
      'users.js': '/**\n * @openapi\n * /users:\n *   get: {}\n */',
    },
    '--scheme path',
    'versions.cjs',
    'version 8 of app.js. Paste into app.js, in front of your routers; authentication is between the last two lines, and behind the line that makes spec',
    [
      "const { convertRequest, optionsFor, versioning } = require('./versions.cjs')",
      `app.use('/api', versioning(optionsFor(spec)))`,
      `app.use('/api', convertRequest.with(express.json()))`,
    ],
    `URLPathVersioning, defaultVersion: '8', changes: history, routes: namedRoutes({}).include('{/:version}', routesOf(document)), neutral: ['GET /health'] })`,
  ],
])('%s', async (_name, files, words, file, said, lines, options) => {
  const { init, made } = app({ ...files })
  const { code, out, err } = await init(words)
  expect([code, err]).toEqual([0, ''])
  expect(out).toContain(`${file} is written, with ${said}`)
  expect([...out.matchAll(/^ {2}(.*)$/gm)].map(([, line]) => line)).toEqual(lines)
  expect(made(file)).toContain(`{ scheme: ${options}`)
  expect(out).not.toMatch(/docs\/\S+\.md/)
  // A gateway has no routers.
  expect(out.includes('Start the gateway') && made(file).includes('routers')).toBe(false)
  expect(made(file).includes("routesOf(document, { undocumented: 'pass' })")).toBe(made(file).includes('routesOf'))
  expect(out.includes('npm install --save-prod express-versioning')).toBe(
    JSON.stringify(files).includes('"devDependencies":{"express-versioning"'),
  )
  const there = `express-versioning: ${file} is there already. Nothing was written.\n`
  expect(await init(words)).toEqual({ code: 1, out: '', err: there })
})

const NEST = { 'package.json': uses('@nestjs/core', '@nestjs/swagger') }
const BOTH = "import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger'\n"
test.each<[name: string, lines: string, document: string]>([
  ['a document', 'const document: object = SwaggerModule.createDocument(app, config)', 'document'],
  ['a function', 'const factory = () => SwaggerModule.createDocument(app, config)', 'factory()'],
  [
    'a description',
    "const config = new DocumentBuilder().build()\n  SwaggerModule.setup('docs', app, SwaggerModule.createDocument(app, config))",
    'SwaggerModule.createDocument(app, config)',
  ],
  [
    'one in a block',
    'if (isOpen) {\n    const document = SwaggerModule.createDocument(app, config)\n  }',
    'SwaggerModule.createDocument(app, new DocumentBuilder().build())',
  ],
])('a Nest app that has %s', async (_name, lines, document) => {
  const main = `${BOTH}async function start() {\n  const app = await NestFactory.create<X>(App)\n  ${lines}\n}`
  const { out } = await app({ ...NEST, 'main.ts': main }).init()
  const printed = [...out.matchAll(/^ {2}(.*)$/gm)].map(([, line]) => line)
  const set = `VersioningModule.setup(app, ${document}, options)`
  expect(printed).toEqual(["import { options, VersioningModule } from './versions'", set])
})

test.each([
  [
    'main.ts',
    { ...NEST, 'main.ts': 'const options = new DocumentBuilder()\nawait NestFactory.create(App)' },
    "import { options as versions, VersioningModule } from './versions'",
    'VersioningModule.setup(app, SwaggerModule.createDocument(app, new DocumentBuilder().build()), versions)',
  ],
  [
    'app.js',
    { ...express, 'app.js': 'const options = {}\nexpress()', 'openapi.json': document('1') },
    "const { convertRequest, options: versions, versioning } = require('./versions.cjs')",
    'app.use(versioning(versions))',
  ],
])('options that %s has already keep their name', async (_name, files, taken, used) => {
  const { out } = await app(files).init()
  expect(out.split('\n')).toEqual(expect.arrayContaining([`  ${taken}`, `  ${used}`]))
})

const JSDOC = "import jsdoc from 'swagger-jsdoc'\n"
const CALL = "jsdoc({ info: { version: '4' } })"
test.each<[text: string, imported: string]>([
  [`${JSDOC}export const spec = ${CALL}`, "import { spec as document } from './spec'"],
  [`${JSDOC}const spec: object = ${CALL}\nexport { other, spec }`, "import { spec as document } from './spec'"],
  [`${JSDOC}const document = ${CALL}\nexport default document`, "import document from './spec'"],
  [`${JSDOC}export default ${CALL}`, "import document from './spec'"],
  ["export const document = { openapi: '3.1.0', info: { version: '4' } }", "import { document } from './spec'"],
  ["export default { 'openapi': '3.1.0', info: { version: '4' } }", "import document from './spec'"],
])('a document of TypeScript: %s', async (text, line) => {
  const { init, made } = app({ ...express, 'src/app.ts': MAKES, 'src/spec.ts': text })
  expect((await init()).out).toContain('src/versions.ts is written, with version 4 of src/spec.ts. ')
  expect(made('src/versions.ts').split('\n')).toContain(line)
})

const REGISTERS = "registry.registerPath({ method: 'get', path: '/users' })\n"
const GENERATES = "generator.generateDocument({ openapi: '3.0.0', info: { version: '4' } })"
test.each<[text: string, lines: string[]]>([
  [`export const spec = ${GENERATES}`, ["import { spec as document } from './spec'"]],
  [
    `export function specOf() {\n  return ${GENERATES}\n}`,
    ["import { specOf as makeDocument } from './spec'", 'const document = makeDocument()'],
  ],
  [
    `const makeDocument = () => ${GENERATES}\nexport default makeDocument`,
    ["import makeDocument from './spec'", 'const document = makeDocument()'],
  ],
])('a document of zod-to-openapi: %s', async (text, lines) => {
  const main = `${MAKES}app.get('/users', list)\napp.get('/health', fine)`
  const { init, made } = app({ ...express, 'src/app.ts': main, 'src/spec.ts': text, 'src/users.ts': REGISTERS })
  expect((await init()).out).toContain('src/versions.ts is written, with version 4 of src/spec.ts. ')
  expect(made('src/versions.ts').split('\n')).toEqual(expect.arrayContaining(lines))
  expect(made('src/versions.ts')).toContain("neutral: ['GET /health']")
})

test('a function of the file of the app that makes its document', async () => {
  const { init } = app({ ...express, 'src/app.ts': `${MAKES}export function specOf() {\n  return ${GENERATES}\n}` })
  expect((await init()).out).toContain('app.use(versioning(optionsFor(specOf())))')
})

test('a document in the file of an app of TypeScript', async () => {
  const { init, made } = app({ ...express, 'src/app.ts': `${MAKES}${JSDOC}const spec = ${CALL}` })
  expect((await init()).out).toContain('app.use(versioning(optionsFor(spec)))')
  expect(made('src/versions.ts')).toContain(
    'export const optionsFor = (document: object) => ({ scheme: HeaderVersioning',
  )
})

test('the packages that the app needs at run time', async () => {
  const files = { ...express, 'openapi.json': document() }
  expect((await app(files).init()).out).toContain('at run time: npm install express-versioning\n')
  const { out } = await app({ ...files, 'package.json': uses('express', 'express-versioning') }).init()
  expect(out).not.toContain('at run time')
})

test.each([
  ['yaml', 'parse'],
  ['js-yaml', 'load'],
])('the document is YAML, which %s reads', async (name, parse) => {
  const files = {
    'package.json': uses('express', name),
    'openapi.yml': `\uFEFF${YAML}`,
    'app.mjs': MAKES,
    'main.js': '',
  }
  const load = {
    'node_modules/js-yaml/index.js': `exports.load = require(${JSON.stringify(require.resolve('yaml'))}).parse`,
  }
  const { directory, init, made } = app({ ...files, ...(name === 'yaml' ? {} : load) })
  if (name === 'yaml') lend(join(directory, 'node_modules/yaml/index.js'), 'yaml')
  expect((await init()).out).toContain('with version 7 of openapi.yml')
  const text = made('versions.mjs')
  expect(text).toContain(`import { ${parse} } from '${name}'`)
  const url = `new URL('./openapi.yml', import.meta.url)`
  expect(text).toContain(`const document = ${parse}(readFileSync(${url}, 'utf8'))`)
})

test.each<[scheme: string, settings: string, versions: string, version: string]>([
  ['header', "{ type: VersioningType.HEADER, header: 'X-API-Version', defaultVersion: '1' }", '', '1'],
  ['header', "{ type: VersioningType.HEADER, header: 'X-API-Version' }", "version: ['2', '10'],\nversion: '9'", '10'],
  ['accept', "{ type: VersioningType.MEDIA_TYPE, key: 'version=' }", "@Version('3')", '3'],
  ['header', '{ type: VersioningType.HEADER, header: 1 }', '', 'v1'],
  ['accept', "{ type: VersioningType.HEADER, header: 'X-API-Version', defaultVersion: '1' }", '', 'v1'],
  ['host', "{ type: VersioningType.URI, defaultVersion: '1' }", '', 'v1'],
])(
  'in a Nest app that has versions in the place of --scheme %s, %s %s, the newest of them is the first: %s',
  async (scheme, settings, versions, version) => {
    const main = `NestFactory.create(Root)\napp.enableVersioning(${settings})\n`
    const { init, made } = app({ ...NEST, 'src/main.ts': main, 'src/cats.controller.ts': versions })
    await init(`--scheme ${scheme}`)
    expect(made('src/versions.ts')).toContain(`defaultVersion: '${version}'`)
  },
)

test('in a Nest app, versions in the path stand behind its prefix, and its module makes the table', async () => {
  const { init, made } = app({ 'package.json': uses('@nestjs/core', '@nestjs/swagger') })
  const said =
    'Every address of today stays, as version v1. Later versions have theirs behind the global prefix: /NEXT.\n'
  expect((await init('--scheme path')).out).toContain(said)
  expect(made()).toContain("options = { scheme: URLPathVersioning, defaultVersion: 'v1', changes: history }\n")
})

test.each([
  ['a Nest app', uses('@nestjs/core', '@nestjs/swagger')],
  ['a document without servers', uses('express')],
])('the usual labels are ignored where no host is known: %s', async (_name, manifest) => {
  const { init, made } = app({ 'package.json': manifest, 'openapi.json': document() })
  expect((await init('--scheme host')).code).toBe(0)
  expect(made()).toContain("scheme: new HostNameVersioning({ ignore: ['api', 'www'], defaultVersion")
})

test.each([
  ['no dependency', {}, 'npm install yaml\n'],
  ['one of development', { devDependencies: { yaml: '*' } }, 'npm install --save-prod yaml\n'],
])('the package that reads YAML is %s', async (_name, more, says) => {
  const { directory, init } = app({ 'package.json': { ...uses('express'), ...more }, 'openapi.yml': YAML })
  lend(join(directory, 'node_modules/yaml/index.js'), 'yaml')
  expect(await init()).toMatchObject({ code: 1, err: expect.stringContaining(says) })
})

test('a constant named document needs no other name', async () => {
  const text = `exports.document = ${JSON.stringify(document('3'))}`
  const { init, made } = app({ ...express, 'openapi.js': text })
  expect((await init()).out).toContain('with version 3 of openapi.js')
  expect(made()).toContain("const { document } = require('./openapi.js')")
})

test.each([
  ['versions.cjs', { ...express }],
  ['versions.ts', { ...express, 'app.ts': MAKES }],
  ['versions.mjs', { 'package.json': { ...uses('express'), type: 'module' } }],
  ['versions.cjs', { 'package.json': uses('express', 'http-proxy') }],
])('what it writes works: %s', async (file, files) => {
  const { directory, init, made, path } = app({ ...files, 'openapi.json': `\uFEFF${JSON.stringify(document())}` })
  await init()
  // Jest reads the sources of the package, and no import.meta; a TypeScript app starts in its folder.
  const text = made(file)
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path()).href))
    .replace("readFileSync('openapi.json'", `readFileSync(${JSON.stringify(path('openapi.json'))}`)
  const own = file.endsWith('.cjs') ? `own-${file.replace('.cjs', '.js')}` : 'own.ts'
  write(join(directory, own), text)
  const { options, history, ...handlers } = await import(path(own))
  const names = Object.keys(handlers).filter((name) => name !== 'default' && name !== '__esModule')
  const isGateway = JSON.stringify(files).includes('http-proxy')
  expect(names.sort()).toEqual(isGateway ? ['gateway'] : ['convertRequest', 'versioning'])
  expect(history.versions).toEqual(['1.4'])
  expect(options.routes.list().map(({ name }: { name: string }) => name)).toEqual(['/users'])
})

test('the example of a change may be pasted in the place of the history', async () => {
  const { init, made } = app({ ...express, 'openapi.json': document() })
  await init()
  const [, comment = '', history] = /^((?:\/\/ .*\n)+)(const history = .*\n)/m.exec(made()) ?? []
  const [, ...example] = comment.split('\n').map((line) => line.slice(3))
  expect(example.join('\n')).toBe(
    `${history}  .version('NEXT', change('Users have a \`title\` instead of a \`name\`.', { User: fields({ renamed: { name: 'title' } }) }))\n`,
  )
})

test.each<[name: string, packages: string[], said: string]>([
  ['Express', ['express'], 'app.use(problemDetails()) of express-versioning behind your routers.\n'],
  ['a gateway', ['express', 'http-proxy'], 'without one, they are sent as problem details.\n'],
  ['Nest', ['@nestjs/core', '@nestjs/swagger'], 'The next step is the first change: versions.cjs has an example.\n'],
])('it says how rejections are sent, and how to try changes, for %s', async (name, packages, said) => {
  const { out } = await app({ 'package.json': uses(...packages), 'openapi.json': document() }).init()
  expect(out).toContain(said)
  const tries = 'npm install --save-dev ajv fast-check && npx express-versioning check ./versions.cjs'
  expect(out.includes(tries)).toBe(name !== 'Nest')
})

const SCHEMES = /--scheme takes one of header, accept, query, path, host; got 'hedaer'\. Did you mean "header"\?/
test.each<[message: RegExp, files: Record<string, unknown>, words: string]>([
  [/there is no readable package\.json in '.*'\. Run it in the folder of your app\./, {}, ''],
  [/there is no readable package\.json/, { 'package.json': '{' }, ''],
  [/has neither express nor @nestjs\/core\./, { 'package.json': { dependencies: { koa: '*' } } }, ''],
  [/comes from @nestjs\/swagger: npm install @nestjs\/swagger/, { 'package.json': uses('@nestjs/core') }, ''],
  [/there is no OpenAPI document of version 3 here/, { ...express, 'openapi.json': [], 'tsoa.json': '{' }, ''],
  [
    /tsoa has not written 'out\/api\.yaml' yet: npx tsoa spec/,
    { ...express, 'tsoa.json': { spec: { outputDirectory: 'out', specFileBaseName: 'api', yaml: true } } },
    '',
  ],
  [/'spec\.js' makes an OpenAPI document that no other/, { ...express, 'spec.js': `${JSDOC}const spec = ${CALL}` }, ''],
  [
    /'app\.js' makes an OpenAPI document that no other file can have/,
    { ...express, 'app.js': `${MAKES}${JSDOC}export default ${CALL}` },
    '',
  ],
  [/openapi\.json' is not JSON: /, { ...express, 'openapi.json': '{' }, ''],
  [/openapi\.yaml' is YAML, which needs the package "yaml"/, { ...express, 'openapi.yaml': YAML }, ''],
  [/swagger/i, { ...express, 'swagger.json': { swagger: '2.0', paths: {} } }, ''],
  [SCHEMES, {}, '--scheme hedaer'],
  [/--scheme takes one of .*; got 'constructor'\./, {}, '--scheme constructor'],
  [/init takes no module; got 'x'\./, {}, 'x'],
  [/init takes no --json\./, {}, '--json'],
  [/get requests and responses of Fastify/, { 'package.json': uses('fastify') }, ''],
  [/of Fastify/, { 'package.json': uses('@nestjs/core', '@nestjs/platform-fastify') }, ''],
])('%s', async (message, files, words) => {
  const { init, path } = app(files)
  expect(await init(words)).toEqual({ code: 1, out: '', err: expect.stringMatching(message) })
  expect(existsSync(path())).toBe(false)
})
