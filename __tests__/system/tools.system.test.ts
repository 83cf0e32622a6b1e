import { join } from 'node:path'
import { entries, found, imported, printed, server, thenBundled } from './support/programs'
import { install, packed, run, temporary, tested, write } from './support/projects'

// What tools do to an installed package: minifiers rename classes, package managers hide types, peers have other majors, and a
// deployment replaces `node_modules` under a running process.

const temp = temporary()
const both = () => ({ express: tested('express'), 'express-versioning': packed().specifier })

const names = `
const { BaseVersioning, NoReverseMatch, NotAcceptable, NotFound } = entry0
const messageOf = (run) => { try { return run() } catch ({ message }) { return message } }
const errors = [new NotFound(), new NotAcceptable(), new NoReverseMatch('No.'), new VersioningError('No.', { status: 410, code: 'C' })]
class Own extends BaseVersioning { static name = 'Own' }
const schemes = Object.entries(entry0).filter(([name]) => /^(?!Base|Combined|MediaType).*Versioning$/.test(name))
console.log(JSON.stringify([
  errors.map(String),
  schemes.map(([name, Scheme]) => messageOf(() => versioning({ scheme: Scheme, allowedVersions: 'v1' })).startsWith(name + ': ')),
  [BaseVersioning, Own].map((Scheme) => messageOf(() => new Scheme().determineVersion({}, [], {}))),
]))
`
const NAMED = [
  ['NotFound: Not found.', 'NotAcceptable: Not acceptable.', 'NoReverseMatch: No.', 'VersioningError: No.'],
  Array(6).fill(true),
  ['BaseVersioning.determine_version() must be implemented.', 'Own.determine_version() must be implemented.'],
]

const bundlers = join(temp, 'bundlers')
const bin = (file: string) => join(bundlers, 'node_modules/.bin', file)
const webpack = {
  target: 'node',
  mode: 'production',
  entry: './bundled.js',
  output: { path: join(temp, 'webpack'), filename: 'bundle.cjs' },
}
const ESBUILD = ['--bundle', '--platform=node', '--format=cjs', '--minify', '--log-level=warning']
beforeAll(async () => {
  const tools = { esbuild: '^0.28.0', webpack: '^5.100.0', 'webpack-cli': '^6.0.0' }
  await install(
    bundlers,
    { ...both(), ...tools },
    {
      'bundled.js': imported + thenBundled + server + names + printed,
      'webpack.config.js': `module.exports = ${JSON.stringify(webpack)}`,
    },
  )
}, 300_000)

test.each([
  ['esbuild', bin('esbuild'), 'bundled.js', ...ESBUILD, `--outfile=${join(temp, 'esbuild/bundle.cjs')}`],
  ['webpack', bin('webpack'), '--config', 'webpack.config.js'],
])(
  '%s bundles and minifies it, with Express: it converts, and names are those of the sources',
  async (name, ...words) => {
    const [command = '', ...args] = words
    await run(bundlers, command, ...args)
    // The bundle is in a folder without node_modules.
    const lines = (await run(join(temp, name), process.execPath, 'bundle.cjs')).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual([NAMED, found])
  },
)

test.each([
  ['fast-check', '^3.0.0', 'checkHistory() takes fast-check 4 and Ajv 8; got fast-check 3.'],
  ['ajv', '^6.0.0', 'It takes fast-check 4 and Ajv 8.'],
])('an app with %s %s installs it, and checkHistory() says what it takes', async (peer, range, message) => {
  const checked = `
const { HeaderVersioning, namedRoutes } = require('express-versioning')
const { versionHistory } = require('express-versioning/changes')
const options = { scheme: HeaderVersioning, routes: namedRoutes({ a: '/a' }), changes: versionHistory('v1') }
require('express-versioning/testing').checkHistory(options).catch(({ message }) => console.log(message))`
  const others = { 'fast-check': tested('fast-check'), ajv: tested('ajv'), [peer]: range }
  const project = await install(join(temp, peer), { ...both(), ...others }, { 'main.js': checked })
  expect(await run(project, process.execPath, 'main.js')).toContain(message)
})

test('a process goes on when its node_modules are replaced: the first nested query, lifecycle and document', async () => {
  const program = `
const { rmSync } = require('node:fs')
${entries.map((entry, index) => `const entry${index} = require('${entry}')`).join('\n')}
rmSync('node_modules', { recursive: true })
const { deprecated, HeaderVersioning, namedRoutes, versioning } = entry0
const routes = namedRoutes({ user: '/user' })
routes.route('user').get(deprecated({ since: '2020-01-01' }), () => {})
routes.describe('GET user', { response: { $id: 'User', type: 'object', properties: { name: {} } } })
const { change, fields, versionHistory } = entry1
const { openapi } = entry${entries.indexOf('express-versioning/openapi')}
const changes = versionHistory('v1').version('v2', change('C.', { User: fields({ renamed: { title: 'name' } }), 'GET user': { path: '/person' } }))
const options = { scheme: HeaderVersioning, changes, routes, lifecycle: { v1: { sunset: '2030-01-01' } }, neutral: ['/health'], reportVersions: true }
versioning(options)
console.log(routes.reverse('user', { query: { filter: { name: 'Ada' } } }), Object.keys(openapi(options).document('v1').paths).join())`
  const project = await install(join(temp, 'replaced'), both(), { 'main.js': program })
  expect(await run(project, process.execPath, 'main.js')).toBe('/user?filter%5Bname%5D=Ada /person\n')
})

test('what the functions return has a name in the declarations of an app under pnpm', async () => {
  const exported = `
import type { RequestHandler } from 'express'
import { byVersion, deprecated, HeaderVersioning, namedRoutes, problemDetails, versioning } from 'express-versioning'
import { change, convertRequest, events, fields, shape, versionHistory } from 'express-versioning/changes'
import { inVersion } from 'express-versioning/client'
import { contract } from 'express-versioning/contract'
import { explorer } from 'express-versioning/explorer'
import { versionMetrics } from 'express-versioning/metrics'
import { openapi, routesOf } from 'express-versioning/openapi'
import { prometheusUsage } from 'express-versioning/usage'
export const routes = namedRoutes({ user: '/users/:id' })
export const user = routes.route('user')
export const options = { scheme: HeaderVersioning, allowedVersions: ['v1'], routes }
export const decided = versioning(options)
export const dispatched = byVersion({ v1: (_req, res) => void res.json(1) })
const own: RequestHandler<{ id: string }> = (req, res) => void res.json(req.params.id)
export const dispatchedWith = byVersion({ v1: own })
export const ending = deprecated({ since: '2020-01-01' })
export const problems = problemDetails()
export const page = explorer(options)
export const docs = openapi(options)
export const parsed = convertRequest.with()
export const renamed = change('C.', { User: fields({ added: ['x'] }), Other: shape({}, {}, {}), 'GET user': { response: (user: { id: string }) => user } })
export const history = versionHistory('v1').version('v2', renamed)
export const stream = events({ created: {} })
export const client = inVersion('v1', options)
export const judge = contract({ standard: true })
export const counted = versionMetrics
export const usage = prometheusUsage({ url: 'http://prometheus' })
export const given = routesOf({})
`
  const tools = join(temp, 'pnpm-tools')
  await install(tools, { pnpm: '^10.0.0' })
  const project = join(temp, 'pnpm')
  const dependencies = { ...both(), '@types/express': tested('@types/express'), typescript: tested('typescript') }
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2023',
    strict: true,
    declaration: true,
    rootDir: 'src',
    outDir: 'out',
    skipLibCheck: true,
    types: [],
  }
  write(project, {
    'package.json': { private: true, dependencies },
    'src/all.ts': exported,
    'tsconfig.json': { compilerOptions, include: ['src'] },
  })
  await run(project, process.execPath, join(tools, 'node_modules/pnpm/bin/pnpm.cjs'), 'install', '--ignore-scripts')
  expect(await run(project, process.execPath, 'node_modules/typescript/bin/tsc', '-p', '.')).toBe('')
})
