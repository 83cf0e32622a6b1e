import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { dirname, join } from 'node:path'
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript'
import { major } from '../support/major'
import { blocks, commandsOf, pages, readme } from '../support/readme'
import { curl } from '../support/shell'

// Real programs outside of jest: the examples, compiled, and the README's server, copied. They import the built package by its
// name, and the Express of this run. Servers share a process, because starting one takes longer than all of its requests.
const root = join(__dirname, '../..')
const folder = join(root, 'dist-examples', `express-${major}`)

// Processes start slowly on a busy machine.
jest.setTimeout(60_000)

const sources = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.replace(/\.ts$/, '').replaceAll('\\', '/'))
  .sort()
// The others are parts of a program, or its tests.
const programs = sources.filter((name) =>
  /^start\(app, /m.test(readFileSync(join(root, 'examples', `${name}.ts`), 'utf8')),
)
// Where migrating starts: plain Express, which refuses no version.
const plain = ['migrating/mounts-0-copied']
/** Starts programs one after the other, each with modules of its own, and prints each name before. */
const host = `
const { log } = console
const names = process.argv.slice(2)
process.setMaxListeners(0)
console.log = (text) => {
  log(text)
  if (text === 'Ctrl-C stops it.') setImmediate(next)
}
function next() {
  if (names.length === 0) return log('All are started.')
  for (const file of Object.keys(require.cache)) {
    if (file.startsWith(__dirname) || file.includes('prom-client')) delete require.cache[file]
  }
  log('### ' + names[0])
  require('./' + names.shift())
}
next()
`
// The answers of these examples depend on earlier requests.
const counting = ['prometheus', 'changes', 'from-v1', 'how-to/validate-requests']

beforeAll(() => {
  if (!existsSync(join(root, 'dist/index.mjs'))) throw new Error('The examples run on dist/. First: npm run build')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  symlinkSync(dirname(require.resolve('express/package.json')), join(folder, 'node_modules/express'), 'junction')
  const compilerOptions = { module: ModuleKind.CommonJS, target: ScriptTarget.ES2023, esModuleInterop: true }
  // Their types are checked by `npm run check:types`.
  for (const name of sources) {
    const { outputText } = transpileModule(readFileSync(join(root, 'examples', `${name}.ts`), 'utf8'), {
      compilerOptions,
    })
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, `${name}.js`), outputText)
  }
  writeFileSync(join(folder, 'host.cjs'), host)
})

const running = new Set<ChildProcess>()
afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
})

/** How a program ended, and all that it printed. */
interface Ended {
  code: number | null
  signal: string | null
  out: string
  err: string
}

/** A started program. */
interface Program {
  child: ChildProcess
  ended: Promise<Ended>
  /** Waits until it printed something that matches. */
  printed(pattern: RegExp): Promise<string>
}

function run(file: string, port: number | string, words: readonly string[] = []): Program {
  const child = spawn(process.execPath, [join(folder, file), ...words], {
    cwd: root,
    env: { ...process.env, PORT: String(port) },
  })
  running.add(child)
  let out = ''
  let err = ''
  const heard = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    out += chunk
    for (const listener of heard) listener()
  })
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    err += chunk
  })
  const ended = new Promise<Ended>((done) => {
    child.once('close', (code, signal) => {
      running.delete(child)
      done({ code, signal, out, err })
    })
  })
  const printed = (pattern: RegExp) =>
    new Promise<string>((done, fail) => {
      const look = () => {
        if (pattern.test(out)) done(out)
      }
      heard.add(look)
      look()
      ended.then(({ err }) => fail(new Error(`${file} ended: ${err}`)))
    })
  return { child, ended, printed }
}

const stopped = { code: 0, signal: null, err: '' }

/** Reads the output of a started example. */
function exampleOf(out: string) {
  const port = Number(/^Listening on http:\/\/127\.0\.0\.1:(\d+)\./.exec(out)?.[1])
  // Further lines of an output are indented as the first.
  const tries = [...out.matchAll(/^(curl .*)\n {2}prints {2}(.*(?:\n {10}.*)*)$/gm)].map(
    ([, command = '', prints = '']) => ({ command, prints: `${prints.replaceAll(`\n${' '.repeat(10)}`, '\n')}\n` }),
  )
  return { out, port, tries }
}

/** Starts examples on free ports. */
async function startExamples(names: readonly string[]) {
  const program = run('host.cjs', 0, names)
  const out = await program.printed(/^All are started\.\n$/m)
  const examples = out
    .split(/^### .*\n/m)
    .slice(1)
    .map(exampleOf)
  expect(examples).toHaveLength(names.length)
  return { ...program, examples }
}

/** Runs the commands in order, as some examples count requests. Returns each command with its output, to name it in a diff. */
async function all(commands: readonly { command: string }[], port: number) {
  const printed: { command: string; prints: string }[] = []
  for (const { command } of commands) printed.push({ command, prints: await curl(command, port) })
  return printed
}

const commandsFor = (name: string) => `examples/${name}.ts`
const documented = pages.map(({ file, text }) => ({ file, text, commands: commandsOf(text) }))

test.each(documented)(
  '$file shows commands for the servers that are started here, and all of them',
  ({ file, text, commands }) => {
    const servers = [...programs.map(commandsFor), ...(file === 'README.md' ? ['node server.mjs'] : [])]
    expect(servers).toEqual(expect.arrayContaining(commands.map(({ server }) => server)))
    expect(commands).toHaveLength(text.split(/\bcurl -/).length - 1)
  },
)

describe('the examples', () => {
  const shown = documented.flatMap(({ file, commands }) =>
    programs.flatMap((name) => {
      const expected = commands
        .filter(({ server }) => server === commandsFor(name))
        .map(({ command, prints }) => ({ command, prints }))
      return expected.length === 0 ? [] : [{ file, name, expected }]
    }),
  )
  // An example whose answers depend on earlier requests is started once more for each page.
  const afresh = shown.filter(({ name }) => counting.includes(name))

  let started: Awaited<ReturnType<typeof startExamples>>
  const of = (index: number) => started.examples[index] as ReturnType<typeof exampleOf>
  beforeAll(async () => {
    started = await startExamples([...programs, ...afresh.map(({ name }) => name)])
  })

  test.each(programs)('examples/%s.ts answers as it prints', async (name) => {
    const { out, port, tries } = of(programs.indexOf(name))
    expect(tries.length).toBeGreaterThanOrEqual(3)
    expect(tries).toHaveLength(out.split('curl').length - 1)
    expect(tries.some(({ prints }) => prints.endsWith(' 200\n'))).toBe(true)
    expect(tries.some(({ prints }) => /"Invalid version in .* 40[046]\n$/.test(prints))).toBe(!plain.includes(name))
    for (const { command } of tries)
      expect(new URL(/'(http:[^']*)'/.exec(command)?.[1] as string).port).toBe(String(port))
    expect(await all(tries, port)).toEqual(tries)
  })

  test.each(shown)('examples/$name.ts answers as $file prints', async (page) => {
    const { name, expected } = page
    const index = counting.includes(name) ? programs.length + afresh.indexOf(page) : programs.indexOf(name)
    expect(await all(expected, of(index).port)).toEqual(expected)
  })

  test('stop on Ctrl-C', async () => {
    started.child.kill('SIGINT')
    expect(await started.ended).toMatchObject(stopped)
  })
})

test('each program is shown on a page', () => {
  const started = new Set(documented.flatMap(({ commands }) => commands.map(({ server }) => server)))
  expect(programs.filter((name) => !started.has(commandsFor(name)))).toEqual([])
})

test.each([
  ['how-to/unit-test', 2],
  ['how-to/check-answers', 6],
  // Two for each version.
  ['changes/golden', 12],
  // Three for each version, a refusal, a mail.
  ['client/every-version', 8],
  ['client/hosts', 2],
  ['from-v1/same', 19],
])('the tests of examples/%s.ts pass', async (name, count) => {
  const { code, out } = await run(`${name}.js`, 0).ended
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining(`# pass ${count}`) })
})

test('the documents of examples/released are those that are committed', () => {
  const released = join(root, 'examples/released/api')
  const words = ['openapi', join(folder, 'released/shop.js'), '--out', released, '--check']
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'dist/command-line/main.js'), ...words], {
    encoding: 'utf8',
  })
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
  expect(readdirSync(released)).toEqual(['v1.json', 'v2.json'])
})

describe('the page of npm start', () => {
  let program: Program
  let example: ReturnType<typeof exampleOf>
  let page: string
  let headers: Headers
  const get = (path: string, accept = 'text/html') =>
    fetch(`http://127.0.0.1:${example.port}${path}`, { headers: { accept } })
  beforeAll(async () => {
    program = run('server.js', 0)
    example = exampleOf(await program.printed(/Ctrl-C stops it\.\n$/))
    const answer = await get('/')
    headers = answer.headers
    page = await answer.text()
  })

  test('is named first', () => {
    const address = `http://127.0.0.1:${example.port}`
    expect(
      example.out.startsWith(`Listening on ${address}. Open it in a browser, or try, in another terminal:\n`),
    ).toBe(true)
  })

  test('is static, as its policy says', () => {
    const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(page) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
    expect(page).not.toMatch(/<script|style=|<img|<link/)
  })

  const NAMES = ['accept', 'path', 'namespace', 'host', 'query']

  test('leads to an explorer and the documents of each scheme', async () => {
    const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link)
    expect(links).toEqual(NAMES.flatMap((name) => [`/docs/${name}`, `/openapi/${name}/`]))
    for (const name of NAMES) {
      const explorer = await get(`/docs/${name}`)
      expect([explorer.status, await explorer.text()]).toEqual([200, expect.stringContaining(`Books, by ${name}`)])
      expect((await get(`/docs/${name}/ui/`)).status).toBe(200)
      const { documents } = (await (await get(`/openapi/${name}/`)).json()) as { documents: { url: string }[] }
      expect(documents.map(({ url }) => url)).toEqual([`/openapi/${name}/v1.json`, `/openapi/${name}/v2.json`])
      for (const { url } of documents) expect((await get(url)).status).toBe(200)
    }
  })

  test('shows commands that get a book of v2', async () => {
    const commands = [...page.matchAll(/<pre>(.*)<\/pre>/g)].map(([, command = '']) => command)
    expect(commands).toHaveLength(5)
    for (const [index, command] of commands.entries()) {
      const [url = ''] = /http:[^' ]*/.exec(command) ?? []
      expect(new URL(url)).toMatchObject({
        port: String(example.port),
        pathname: expect.stringMatching(`^/${NAMES[index]}/`),
      })
      expect(JSON.parse(await curl(command, example.port))).toMatchObject({ links: {}, author: { given: 'Jane' } })
    }
  })

  test('and each command of its explorers is answered', async () => {
    for (const name of NAMES) {
      const overview = (await (await get(`/docs/${name}`, 'application/json')).json()) as {
        routes: { versions: { curl?: string }[] }[]
      }
      const commands = overview.routes.flatMap(({ versions }) => versions.flatMap(({ curl }) => curl ?? []))
      expect(commands.length).toBeGreaterThanOrEqual(6)
      for (const command of commands) {
        expect([command, await curl(`${command} -w ' %{http_code}'`, example.port)]).toEqual([
          command,
          expect.stringMatching(/ 200$/),
        ])
      }
    }
  })

  test('stops on Ctrl-C', async () => {
    program.child.kill('SIGINT')
    expect(await program.ended).toMatchObject(stopped)
  })
})

test('a port in use is told', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await new Promise((done) => taken.once('listening', done))
  const { port } = taken.address() as AddressInfo
  const ended = await run('server.js', port).ended
  taken.close()
  expect(ended).toEqual({
    code: 1,
    signal: null,
    out: '',
    err: `Port ${port} is in use. Choose another one, such as PORT=${port + 1}, or 0 for any free one.\n`,
  })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

async function accepts(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const connected = await new Promise<boolean>((done) => {
      const socket = connect(port, '127.0.0.1', () => done(true)).on('error', () => done(false))
      socket.unref()
      socket.once('connect', () => socket.destroy())
    })
    if (connected) return
    await new Promise((done) => setTimeout(done, 50))
  }
  throw new Error(`Nothing listens on ${port}`)
}

test("the README's server answers as the README prints", async () => {
  const [code = ''] = blocks('js', readme)
  const port = await freePort()
  const here = code.replace('listen(3000,', `listen(${port},`)
  expect(here).not.toBe(code)
  writeFileSync(join(folder, 'server.mjs'), here)
  const { child, ended } = run('server.mjs', '')
  await Promise.race([accepts(port), ended.then(({ err }) => Promise.reject(new Error(err)))])
  const expected = commandsOf(readme)
    .filter(({ server }) => server === 'node server.mjs')
    .map(({ command, prints }) => ({ command, prints }))
  expect(expected).toHaveLength(4)
  expect(await all(expected, port)).toEqual(expected)
  child.kill()
  await ended
})
