import { existsSync, readFileSync, rmSync } from 'node:fs'
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
    made: (file = 'versions.mjs') => read(join(directory, file)),
    path: (file = 'versions.mjs') => join(folder, directory, file),
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
const PARSED = 'app.use(express.json(), convertRequest)'
const required = (file: string) => `const { convertRequest, options, versioning } = require('${file}')`
const imported = (file: string) => `import { convertRequest, options, versioning } from '${file}'`
const server = (url: string) => ({ servers: [{ url }] })
const express = { 'package.json': uses('express') }

type Case = [files: object, words: string, said: string, lines: string[], scheme: string]
test.each<[name: string, ...Case]>([
  [
    'Express, with a document of JSON and modules that require',
    { ...express, 'app.js': MAKES, 'openapi.json': document() },
    '',
    'version 1.4 of openapi.json. Paste into app.js',
    [required('./versions.mjs'), VERSIONING, PARSED],
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
    'version v3 of docs/api-docs.v1.json. Paste into src/server/index.js',
    [
      imported('../../versions.mjs'),
      `app.use('/api', versioning(options))`,
      `app.use('/api', express.json(), convertRequest)`,
    ],
    `QueryParameterVersioning, defaultVersion: 'v3'`,
  ],
  [
    'a version in the path, and a server that has one',
    { ...express, 'app.mjs': '', 'swagger.json': document('1', server('/api/v1')) },
    '--scheme path',
    'version 1 of swagger.json. Paste into your app',
    [
      required('./versions.mjs'),
      `app.use('/api/:version', versioning(options))`,
      `app.use('/api/:version', express.json(), convertRequest)`,
    ],
    'URLPathVersioning',
  ],
  [
    'a gateway, whose server is a pattern; a version that no host can have',
    {
      'package.json': uses('express', 'http-proxy-middleware'),
      ...{ 'gateway.mjs': MAKES, 'openapi.json': document('1.0', server('/{tenant}')) },
    },
    '--scheme=host',
    'version v1 of openapi.json. Paste into gateway.mjs, in front of the proxy',
    [imported('./versions.mjs'), VERSIONING, 'app.use(convertRequest.with(express.json()))'],
    `HostNameVersioning, defaultVersion: 'v1'`,
  ],
  [
    'a module that exports the document; a server that is no URL; a version that is no string',
    {
      ...express,
      'src/openapi.empty.js': 'exports.nothing = {}',
      'src/swagger.js': `exports.paths = null\nexports.spec = ${JSON.stringify(document(2, server('//:')))}`,
    },
    '--scheme accept',
    'version v1 of src/swagger.js. Paste into your app',
    [required('./versions.mjs'), VERSIONING, PARSED],
    `AcceptHeaderVersioning, defaultVersion: 'v1'`,
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
    `HeaderVersioning, defaultVersion: 'v1'`,
  ],
])('%s', async (_name, files, words, said, lines, scheme) => {
  const { init, made } = app({ ...files })
  const { code, out, err } = await init(words)
  expect([code, err]).toEqual([0, ''])
  expect(out).toContain(`versions.mjs is written, with ${said}`)
  expect([...out.matchAll(/^ {2}(.*)$/gm)].map(([, line]) => line)).toEqual(lines)
  expect(made()).toContain(`{ scheme: ${scheme}, changes: history, routes: routesOf(document) }`)
  const there = 'express-versioning: versions.mjs is there already. Nothing was written.\n'
  expect(await init(words)).toEqual({ code: 1, out: '', err: there })
})

test.each([
  ['yaml', 'parse'],
  ['js-yaml', 'load'],
])('the document is YAML, which %s reads', async (name, parse) => {
  const yaml = { 'package.json': uses('express', name), 'openapi.yml': `\uFEFF${YAML}` }
  const load = {
    'node_modules/js-yaml/index.js': `exports.load = require(${JSON.stringify(require.resolve('yaml'))}).parse`,
  }
  const { directory, init, made } = app({ ...yaml, ...(name === 'yaml' ? {} : load) })
  if (name === 'yaml') lend(join(directory, 'node_modules/yaml/index.js'), 'yaml')
  expect((await init()).out).toContain('with version 7 of openapi.yml')
  expect(made()).toContain(`import { ${parse} } from '${name}'`)
  const url = `new URL('./openapi.yml', import.meta.url)`
  expect(made()).toContain(`const document = ${parse}(readFileSync(${url}, 'utf8'))`)
})

const NEST = uses('@nestjs/core', '@nestjs/swagger')
const FOR = 'function optionsFor(document: object): '
test.each([
  ['options', { ...uses('express'), type: 'module' }, 'src/app.ts', 'const app = express()', 'const options: '],
  ['optionsFor', NEST, 'main.ts', 'NestFactory.create(', FOR],
])('an app in TypeScript gets the types of %s', async (_name, manifest, main, text, declared) => {
  const { init, made, path } = app({ 'package.json': manifest, [main]: text, 'openapi.json': document() })
  expect((await init()).code).toBe(0)
  expect(made('versions.d.mts')).toContain(`export declare ${declared}VersioningOptions\n`)
  rmSync(path())
  expect((await init()).err).toContain('versions.d.mts is there already. Nothing was written.')
  expect(existsSync(path())).toBe(false)
})

test('a constant named document needs no other name', async () => {
  const text = `exports.document = ${JSON.stringify(document('3'))}`
  const { init, made } = app({ ...express, 'openapi.js': text })
  expect((await init()).out).toContain('with version 3 of openapi.js')
  expect(made()).toContain("import { document } from './openapi.js'")
})

test('what it writes works', async () => {
  const { directory, init, made, path } = app({ ...express, 'openapi.json': document() })
  await init()
  // Jest reads the sources of the package, and no import.meta.
  const text = made().replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path()).href))
  write(join(directory, 'versions.ts'), text)
  const { options, versioning, convertRequest } = await import(path('versions.ts'))
  expect([typeof versioning(options), typeof convertRequest]).toEqual(['function', 'function'])
  expect(options.routes.list().map(({ name }: { name: string }) => name)).toEqual(['/users'])
})

test('the document is JSON behind a byte order mark', async () => {
  const { init, made, path } = app({ ...express, 'openapi.json': `\uFEFF${JSON.stringify(document())}` })
  await init()
  const [, line = ''] = /^const document = (.*)$/m.exec(made()) ?? []
  expect(line).toContain(`'utf8').replace('\\uFEFF', ''))`)
  const parse = new Function(
    'readFileSync',
    `return ${line.replace('import.meta.url', JSON.stringify(pathToFileURL(path()).href))}`,
  )
  expect(parse(readFileSync)).toEqual(document())
})

test('the example of a change may be pasted in the place of the history', async () => {
  const { init, made } = app({ ...express, 'openapi.json': document() })
  await init()
  const [, comment = '', history] = /^((?:\/\/ .*\n)+)(export const history = .*\n)/m.exec(made()) ?? []
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
  const { out } = await app({ 'package.json': uses(...packages), 'openapi.json': document() }).init()
  const said = `Rejections are errors with a status, for your error handler. To send them as problem details, add
app.use(problemDetails()) of express-versioning behind ${place}.
To try the steps of your changes later: npm install --save-dev ajv fast-check && npx express-versioning check ./versions.mjs
`
  if (place === undefined) expect(out).not.toContain('problemDetails')
  else expect(out).toContain(said)
  expect(out).toContain('\nThe next step is the first change: docs/existing-apis.md\n')
})

const SCHEMES = /--scheme takes one of header, accept, query, path, host; got 'hedaer'\. Did you mean "header"\?/
test.each<[message: RegExp, files: Record<string, unknown>, words: string]>([
  [/there is no readable package\.json in '.*'\. Run it in the folder of your app\./, {}, ''],
  [/there is no readable package\.json/, { 'package.json': '{' }, ''],
  [/has neither express nor @nestjs\/core\./, { 'package.json': { dependencies: { koa: '*' } } }, ''],
  [/comes from @nestjs\/swagger: npm install @nestjs\/swagger/, { 'package.json': uses('@nestjs/core') }, ''],
  [/there is no OpenAPI document of version 3 here/, { ...express, 'openapi.json': [] }, ''],
  [/openapi\.json' is not JSON: /, { ...express, 'openapi.json': '{' }, ''],
  [/openapi\.yaml' is YAML, which needs the package "yaml"/, { ...express, 'openapi.yaml': YAML }, ''],
  [/swagger/i, { ...express, 'swagger.json': { swagger: '2.0', paths: {} } }, ''],
  [SCHEMES, {}, '--scheme hedaer'],
  [/--scheme takes one of .*; got 'constructor'\./, {}, '--scheme constructor'],
  [/init takes no module; got 'x'\./, {}, 'x'],
  [/init takes no --json\./, {}, '--json'],
  [/read "path versions" in/, { 'package.json': NEST }, '--scheme path'],
])('%s', async (message, files, words) => {
  const { init, path } = app(files)
  expect(await init(words)).toEqual({ code: 1, out: '', err: expect.stringMatching(message) })
  expect(existsSync(path())).toBe(false)
})
