import { spawn } from 'node:child_process'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { bin, version } from '../../package.json'
import { blocks, pages } from '../support/readme'

// These tests run the built command, as npm links it into a project, on modules of each kind, and the commands of the docs.
const root = join(__dirname, '../..')
const main = join(root, bin['express-versioning'])
const temp = mkdtempSync(join(tmpdir(), 'express-versioning-command-line-'))
const program = join(temp, 'node_modules/.bin/express-versioning')
const [major, minor] = process.versions.node.split('.').map(Number) as [number, number]
const readsTypes = major > 22 || (major === 22 && minor >= 18)

jest.setTimeout(60_000)
afterAll(() => rmSync(temp, { recursive: true, force: true }))

function write(file: string, text: string): void {
  mkdirSync(dirname(join(temp, file)), { recursive: true })
  writeFileSync(join(temp, file), text)
}

/** A port that only modules of these tests use. */
const PORT = 34_571

const required = "const { namedRoutes, URLPathVersioning, versioning } = require('express-versioning')\n"
const imported = "import { namedRoutes, URLPathVersioning, versioning } from 'express-versioning'\n"
const table = `const api = namedRoutes({}).include('/:version', namedRoutes({ 'user-list': '/users' }))
`
const served = `const users = namedRoutes({ 'user-list': '/users' })
users.route('user-list').get((req, res) => res.end())
const api = namedRoutes({}).include('/:version', users)
`
const object = "{ scheme: URLPathVersioning, allowedVersions: ['v1', 'v2'], routes: api }"
const server = `const app = express()
app.use(versioning(options), api)
app.listen(${PORT}, () => console.log('listening'))
setInterval(() => console.log('tick'), 1)
console.log('starting')
`

beforeAll(() => {
  if (!existsSync(main)) throw new Error('There is no dist: run `npm run build` first (`npm test` does).')
  mkdirSync(join(temp, 'node_modules/.bin'), { recursive: true })
  symlinkSync(root, join(temp, 'node_modules/express-versioning'), 'junction')
  symlinkSync(dirname(require.resolve('express/package.json')), join(temp, 'node_modules/express'), 'junction')
  symlinkSync(main, program)
  write('package.json', JSON.stringify({ private: true, name: 'shop' }))
  write('esm/package.json', JSON.stringify({ type: 'module' }))
  write('app.js', `${required}${served}exports.options = ${object}`)
  write('assigned.cjs', `${required}${served}module.exports = ${object}`)
  write('named.mjs', `${imported}${served}export const options = ${object}`)
  write('default.mjs', `${imported}${served}export default ${object}`)
  write('esm/app.js', `${imported}${served}export const shop = ${object}`)
  write('with space/100% #1/app.mjs', `${imported}${served}export const options = ${object}`)
  write(
    'server.js',
    `${required}const express = require('express')\n${served}const options = ${object}\n${server}\nmodule.exports = options`,
  )
  write('server.mjs', `${imported}import express from 'express'\n${served}export const options = ${object}\n${server}`)
  write(
    'types.mts',
    `${imported}${served}const versions: string[] = ['v1', 'v2']\nexport const options = { scheme: URLPathVersioning, allowedVersions: versions, routes: api }`,
  )
  write('table.mjs', `${imported}${table}export default api`)
  write('app-alone.cjs', "module.exports = require('express')()")
  write('empty.mjs', '')
  write(
    'throws.cjs',
    "setInterval(() => {}, 1000)\nprocess.on('uncaughtException', () => {})\nthrow new RangeError('on its own account')",
  )
  write('broken.mjs', 'export const a =\n foo bar\n')
  write('lost.mjs', "import './nowhere.mjs'")
  write('exits.cjs', 'process.exit(0)')
  write('exits-3.cjs', 'process.exit(3)')
  write('waits.mjs', 'await new Promise(() => {})\nexport const options = {}')
})

interface Ended {
  code: number | null
  out: string
  err: string
}

function run(
  words: readonly string[],
  directory = temp,
  [command, ...first]: readonly string[] = [program],
): Promise<Ended> {
  const child = spawn(command as string, [...first, ...words], { cwd: directory })
  const ended = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    ended.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    ended.err += text
  })
  return new Promise((done, fail) => {
    child.on('error', fail).on('close', (code) => done({ code, ...ended }))
  })
}

const routes = `API

v1
v2

                                v1   v2

GET  /:version/users  user-list  yes  yes
`.replace('                                v1', '                                 v1')

test('the file of the command is executable', () => {
  expect(() => accessSync(main, constants.X_OK)).not.toThrow()
  expect(readFileSync(main, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
})

describe('a module of each kind', () => {
  test.each([
    './app.js',
    'app.js',
    'app',
    'assigned.cjs',
    'named.mjs',
    'default.mjs',
    'esm/app.js',
    './with space/100% #1/app.mjs',
  ])('%s', async (file) => {
    const ways = [run(['routes', file]), run(['routes', join(temp, file)], tmpdir())]
    for (const ended of await Promise.all(ways)) expect(ended).toEqual({ code: 0, out: routes, err: '' })
  })

  test('TypeScript, where Node reads it', async () => {
    const { code, out, err } = await run(['routes', 'types.mts'])
    if (readsTypes) expect({ code, out }).toEqual({ code: 0, out: routes })
    else {
      const message = `Node ${process.versions.node} does not read .mts files. Give the compiled module, or use Node 22.18 or later, which reads TypeScript.`
      expect({ code, out, err }).toEqual({ code: 1, out: '', err: `express-versioning: ${message}\n` })
    }
  })

  test('a table alone', async () => {
    expect(await run(['routes', 'table.mjs'])).toEqual({
      code: 0,
      out: 'API\n\n-  /:version/users  user-list\n',
      err: '',
    })
  })
})

test('npx finds it', async () => {
  const { code, out } = await run(['routes', './app.js'], temp, ['npx', '--no', 'express-versioning'])
  expect({ code, out }).toEqual({ code: 0, out: routes })
})

test.each(['server.js', 'server.mjs'])('%s does not listen, and what it prints is apart', async (file) => {
  const running = run(['routes', file, '--json'])
  const [connected, { code, out, err }] = await Promise.all([reached(running), running])
  expect({ code, connected }).toEqual({ code: 0, connected: false })
  expect(JSON.parse(out)).toMatchObject({ routes: [{ method: 'GET', path: '/:version/users' }] })
  expect(err).toContain('starting\n')
  expect(err).toContain('Nothing listens here; only its routes are shown.\n')
  expect(err).not.toContain('listening')
})

/** Tells whether the port opens before `until` settles. */
async function reached(until: Promise<unknown>): Promise<boolean> {
  let over = false
  until.finally(() => {
    over = true
  })
  while (!over) {
    const connected = await new Promise<boolean>((done) => {
      const socket = connect(PORT, '127.0.0.1', () => done(true)).on('error', () => done(false))
      socket.once('close', () => socket.destroy())
    })
    if (connected) return true
    await new Promise((done) => setTimeout(done, 20))
  }
  return false
}

test('a reader that stops early does no harm', async () => {
  const pipe = `'${program}' routes app.js | head -c 1; echo " \${PIPESTATUS[0]}"`
  expect(await run(['-c', pipe], temp, ['bash'])).toMatchObject({ code: 0, out: 'A 0\n', err: '' })
})

test.each<[string[], string]>([
  [['--version'], `${version}\n`],
  [
    ['routes', 'app.js', '--title', 'Shop', '--mount', '/api'],
    routes.replace('API', 'Shop').replaceAll('/:version', '/api/:version').replace('v1   v2', '    v1   v2'),
  ],
])('%j', async (words, out) => {
  expect(await run(words)).toEqual({ code: 0, out, err: '' })
})

test.each<[file: string, err: RegExp]>([
  ['nowhere.js', /^express-versioning: there is no module 'nowhere\.js' in '.*'\.\n$/],
  ['app-alone.cjs', /^express-versioning: 'app-alone\.cjs' exports an Express app, .*\. Export the options .*\.\n$/],
  [
    'empty.mjs',
    /^express-versioning: 'empty\.mjs' exports no options of versioning\(\), .*\. Export the options .*\.\n$/,
  ],
  ['throws.cjs', /\n\nRangeError: on its own account\n {4}at .*throws\.cjs:3:7\)\n/],
  ['broken.mjs', /broken\.mjs:2\n foo bar\n[\s\S]*\nSyntaxError: .*\n {4}at /],
  ['lost.mjs', /Cannot find module '.*nowhere\.mjs' imported from .*lost\.mjs\n {4}at /],
  ['exits.cjs', /^express-versioning: the module ended the process, or waits .*\. Export the options .*\.\n$/],
  ['waits.mjs', /^express-versioning: the module ended the process, or waits .*\. Export the options .*\.\n$/],
])('%s is a failure', async (file, said) => {
  const { code, out, err } = await run(['routes', file])
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toMatch(said)
})

test('the exit code of a module that fails by itself stays', async () => {
  expect(await run(['routes', 'exits-3.cjs'])).toEqual({ code: 3, out: '', err: '' })
})

test('docs/command-line.md shows what is printed', async () => {
  const page = pages.find(({ file }) => file === 'docs/command-line.md')?.text as string
  const [[code = ''], [line = ''], [printed = '']] = [blocks('js', page), blocks('sh', page), blocks('text', page)]
  write('shop.mjs', code)
  const [npx, name, ...words] = line.trim().split(' ')
  expect([npx, name]).toEqual(['npx', 'express-versioning'])
  expect(await run(words)).toEqual({ code: 0, out: printed, err: '' })
  const options = [...page.matchAll(/^\| `--(.*?)[ `]/gm)].map(([, option]) => option)
  const { out } = await run(['--help'])
  expect([...out.matchAll(/^ {2}--(\w+)/gm)].map(([, option]) => option)).toEqual([...options, 'version'])
})
