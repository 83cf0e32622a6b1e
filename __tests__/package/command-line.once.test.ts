import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { bin } from '../../package.json'
import { blocks, page } from '../support/readme'

// The built command, as npm links it into a project, and the modules of each kind, which Node itself loads.
const root = join(__dirname, '../..')
const temp = mkdtempSync(join(tmpdir(), 'express-versioning-command-line-'))
const program = join(temp, 'node_modules/.bin/express-versioning')
afterAll(() => rmSync(temp, { recursive: true, force: true }))

function write(file: string, text: string): void {
  mkdirSync(dirname(join(temp, file)), { recursive: true })
  writeFileSync(join(temp, file), text)
}

type Ended = { code: unknown; out: string; err: string }
const run = (command: string, words: readonly string[]) =>
  new Promise<Ended>((done) => {
    execFile(command, words, { cwd: temp }, (error, out, err) => done({ code: error?.code ?? 0, out, err }))
  })

const table = `const users = namedRoutes({ 'user-list': '/users' })
users.route('user-list').get((req, res) => res.end())
const api = namedRoutes({}).include('/:version', users)\n`
const required = `const { namedRoutes, URLPathVersioning, versioning } = require('express-versioning')\n${table}`
const imported = `import { namedRoutes, URLPathVersioning, versioning } from 'express-versioning'\n${table}`
const options = "{ scheme: URLPathVersioning, allowedVersions: ['v1', 'v2'], routes: api }"

const modules: Record<string, string> = {
  'app.js': `${required}exports.options = ${options}`,
  'assigned.cjs': `${required}module.exports = ${options}`,
  'named.mjs': `${imported}export const options = ${options}`,
  'default.mjs': `${imported}export default ${options}`,
  'esm/app.js': `${imported}export const shop = ${options}`,
  'with space/100% #1/app.mjs': `${imported}export const options = ${options}`,
  'types.mts': `${imported}const typed: object = ${options}\nexport default typed`,
}

beforeAll(() => {
  mkdirSync(join(temp, 'node_modules/.bin'), { recursive: true })
  symlinkSync(root, join(temp, 'node_modules/express-versioning'), 'junction')
  symlinkSync(dirname(require.resolve('express/package.json')), join(temp, 'node_modules/express'), 'junction')
  symlinkSync(join(root, bin['express-versioning']), program)
  write('package.json', JSON.stringify({ private: true, name: 'shop' }))
  write('esm/package.json', JSON.stringify({ type: 'module' }))
  for (const [file, text] of Object.entries(modules)) write(file, text)
})

test('a module of each kind is loaded, from any folder', async () => {
  write('lost.mjs', "import './nowhere.mjs'")
  write('broken.mjs', 'export const a =\n foo bar\n')
  const files = ['./app.js', 'app', ...Object.keys(modules).filter((file) => file !== 'types.mts')]
  const ways = [...files.map((file) => [file, temp]), ...files.map((file) => [join(temp, file), tmpdir()])]
  const others = ['lost.mjs', 'broken.mjs', 'types.mts'].map((file) => [file, temp])
  const script = `const { command } = require('${root}/dist/command-line/command.js')
    const loaded = JSON.parse(process.argv[1]).map(([file, folder]) => command(['routes', file], folder).catch(String))
    Promise.all(loaded).then((all) => console.log(JSON.stringify(all)))`
  const { out, err } = await run(process.execPath, ['-e', script, JSON.stringify([...ways, ...others])])
  expect(err).toBe('')
  const found: (Ended | string)[] = JSON.parse(out)
  const routes =
    'API\n\nv1\nv2\n\n                                 v1   v2\n\nGET  /:version/users  user-list  yes  yes\n'
  const loaded = { code: 0, out: routes, err: '' }
  expect(found.slice(0, -3)).toEqual(ways.map(() => loaded))
  const [major, minor] = process.versions.node.split('.').map(Number) as [number, number]
  const unread = `express-versioning: Node ${process.versions.node} does not read .mts files. Give the compiled module, or use Node 22.18 or later, which reads TypeScript.\n`
  const typed = major > 22 || (major === 22 && minor >= 18) ? loaded : { code: 1, out: '', err: unread }
  // Errors of the module, and not of the command.
  const lost = expect.stringMatching(/^Error.*: Cannot find module '.*nowhere\.mjs' imported from .*lost\.mjs$/)
  expect(found.slice(-3)).toEqual([lost, expect.stringMatching(/^SyntaxError: /), typed])
})

test('docs/command-line.md shows what npx prints', async () => {
  const text = page('docs/command-line.md')
  const [[code = ''], [line = ''], [printed = '']] = [blocks('js', text), blocks('sh', text), blocks('text', text)]
  write('shop.mjs', code)
  const [npx = '', ...words] = line.trim().split(' ')
  const [shown, help] = await Promise.all([run(npx, ['--no', ...words]), run(program, ['--help'])])
  expect(shown).toMatchObject({ code: 0, out: printed })
  const listed = [...text.matchAll(/^\| `--(.*?)[ `]/gm)].map(([, option]) => option)
  expect([...help.out.matchAll(/^ {2}--(\w+)/gm)].map(([, option]) => option)).toEqual([...listed, 'version'])
})

test('the modules of a program: a server, which does not listen, one that throws, and one that never ends', async () => {
  const server = `const app = express()
    app.use(versioning(options), api)
    app.listen(34571, () => console.log('listening'))
    console.log('starting')`
  const held = "setInterval(() => {}, 1000)\nprocess.on('uncaughtException', () => {})\n"
  write('server.mjs', `import express from 'express'\n${modules['named.mjs']}\n${held}${server}`)
  write('throws.mjs', `${held}throw new RangeError('mine')`)
  write('waits.mjs', 'await new Promise(() => {})\nexport const options = {}')
  const names = ['server', 'throws', 'waits']
  const ended = await Promise.all(names.map((name) => run(program, ['routes', `${name}.mjs`, '--json'])))
  expect(ended).toEqual([
    {
      code: 0,
      out: expect.stringContaining('"/:version/users"'),
      err: expect.stringMatching(/^.*listen\(\).*\nstarting\n$/),
    },
    { code: 1, out: '', err: expect.stringMatching(/\n\nRangeError: mine\n {4}at .*throws\.mjs:3:7\n/) },
    { code: 1, out: '', err: expect.stringMatching(/^express-versioning: the module .*, or waits .*\.\n$/) },
  ])
})
