import { execFile, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { blocks, commandsOf, pages, readme } from '../support/readme'
import { at } from '../support/serve'
import { sentBy } from '../support/shell'

// The examples and the README's server run on the built package, outside of jest. All share a process, because starting one
// takes longer than its requests.
const root = join(__dirname, '../..')
const host = join(__dirname, '../support/host.cjs')
const scratch = join(root, 'dist-examples')
mkdirSync(scratch, { recursive: true })
const scripts = [...readme.matchAll(/(?<=^# node )(\S+)\.mjs$/gm)].map(([, name]) => name as string)
const sources = blocks('js', readme)
// A module that a script imports has its name in the first line.
const named = sources.filter((text) => /^\/\/ \w+\.mjs\n/.test(text))
const unnamed = sources.filter((text) => !named.includes(text))
const written = [
  ...scripts.map((name, at) => [name, unnamed[at] as string] as const),
  ...named.map((text) => [text.slice(3, text.indexOf('.mjs')), text] as const),
]
for (const [name, text] of written)
  writeFileSync(join(scratch, `${name}.ts`), text.replaceAll(/'(\.\/\w+)\.mjs'/g, "'$1'"))

// The examples that serve. The others are parts of them, or tests.
const programs = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' })
  .map((file) => `examples/${file}`)
  .filter((file) => file.endsWith('.ts') && /^ *start\(app, /m.test(readFileSync(join(root, file), 'utf8')))
// Each page gets a server of its own, because some examples count requests.
const shown = pages.flatMap(({ file, text }) => {
  const all = commandsOf(text)
  const servers = [...new Set(all.map(({ server }) => server))]
  return servers.map((server) => ({ file, server, commands: all.filter((one) => one.server === server) }))
})
const servers = [...programs, ...shown.map(({ server }) => server)]
const files = servers.map((server) => join(root, server.replace(/^node (.*)\.mjs$/, 'dist-examples/$1.ts')))

let started: { out: string; port: number }[]
let child: ReturnType<typeof fork>
let complaints: Promise<string>
beforeAll(async () => {
  child = fork(host, files, { cwd: root, silent: true })
  complaints = text(child.stderr as NodeJS.ReadableStream)
  const failed = complaints.then((complaint) => Promise.reject(new Error(complaint)))
  ;[started] = (await Promise.race([once(child, 'message'), failed])) as [typeof started]
  failed.catch(() => {})
  child.disconnect()
})
afterAll(() => child.kill('SIGKILL'))

/** Runs commands in order and returns them with their output. All go to `port`, whatever port they name. */
async function outputsOf(commands: readonly { command: string }[], port: number) {
  const outputs: { command: string; prints: string }[] = []
  const sent = sentBy(commands.map(({ command }) => command.replace(/ \| .*/, '')))
  for (const [index, { command }] of commands.entries()) {
    const { method, origin, target: path, headers, body, head, written } = sent[index] as (typeof sent)[number]
    expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    const asked = { ...headers, Host: headers.Host === origin.slice(7) ? `127.0.0.1:${port}` : headers.Host }
    const requested = request({ host: '127.0.0.1', port, path, method, headers: asked, agent: false }).end(body)
    const [response] = (await once(requested, 'response')) as [IncomingMessage]
    const { httpVersion, statusCode, statusMessage, rawHeaders } = response
    const fields = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? `${name}: ${rawHeaders[at + 1]}\n` : []))
    const above = head ? `HTTP/${httpVersion} ${statusCode} ${statusMessage}\n${fields.join('')}\n` : ''
    const below = written.replace('%{http_code}', String(statusCode)).replace('\\n', '\n')
    const lines = `${above}${await text(response)}${below}`.split(/(?<=\n)/)
    const [, pattern = ''] = / \| grep -iE '(.*)'$/.exec(command) ?? []
    const grep = new RegExp(pattern.replaceAll('{', '\\{'), 'i')
    outputs.push({ command, prints: lines.filter((line) => grep.test(line)).join('') })
  }
  return outputs
}

test.each(programs)('%s responses as it prints', async (name) => {
  const { out = '', port = 0 } = started[programs.indexOf(name)] ?? {}
  const how = name === 'examples/server.ts' ? 'Open it in a browser, or try' : 'Try'
  expect(out.split('\n\n')[0]).toBe(`Listening on http://127.0.0.1:${port}. ${how}, in another terminal:`)
  // Further lines of an output are indented as the first.
  const found = [...out.matchAll(/^(curl .*)\n {2}prints {2}(.*(?:\n {10}.*)*)$/gm)]
  const tries = found.map(([, command = '', text]) => ({ command, prints: `${text?.replaceAll(/\n {10}/g, '\n')}\n` }))
  expect(tries.length).toBeGreaterThanOrEqual(3)
  const own = tries.filter(({ command }) => command.includes(`'http://127.0.0.1:${port}/`))
  expect(own).toHaveLength(out.split('curl').length - 1)
  expect(tries.some(({ prints }) => prints.endsWith(' 200\n'))).toBe(true)
  // Migrating starts with plain Express, which rejects no version.
  const rejects = name !== 'examples/migrating/mounts-0-copied.ts'
  expect(tries.some(({ prints }) => /"Invalid version in .* 40[046]\n$/.test(prints))).toBe(rejects)
  expect(await outputsOf(tries, port)).toEqual(tries)
})

test.each(shown)('$server responds with as $file prints', async ({ file, server, commands }) => {
  const index = shown.findIndex((one) => one.file === file && one.server === server)
  expect(commands).toMatchObject(await outputsOf(commands, started[programs.length + index]?.port as number))
})

test('each command of a page names its server, and each example is on a page', () => {
  const counts = pages.map(({ text }) => [commandsOf(text).length, text.split(/\bcurl -/).length - 1])
  expect(counts.filter(([found, written]) => found !== written)).toEqual([])
  expect(programs.filter((name) => !shown.some(({ server }) => server === name))).toEqual([])
})

test('the page of npm start is static, and leads to an explorer, documents and a book of v2 for each scheme', async () => {
  const port = started[programs.indexOf('examples/server.ts')]?.port as number
  const { get } = at(port)
  const { headers, text: page } = await get('/')
  const [, style = ''] = /<style>(.*)<\/style>/s.exec(page) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  expect(headers['content-security-policy']).toContain(`default-src 'none'; style-src 'sha256-${hash}';`)
  const names = ['accept', 'path', 'namespace', 'host', 'query']
  expect(page.match(/(?<=href=")[^"]+/g)).toEqual(names.flatMap((name) => [`/docs/${name}`, `/openapi/${name}/`]))
  const commands = (page.match(/(?<=<pre>).*(?=<\/pre>)/g) ?? []).map((command) => ({ command }))
  expect(commands.map(({ command }) => command.match(/(?<=:\d+\/)\w+/)?.[0])).toEqual(names)
  const book = { links: {}, author: { given: 'Jane', family: 'Austen' } }
  for (const { prints } of await outputsOf(commands, port)) expect(JSON.parse(prints)).toMatchObject(book)
  for (const name of names) {
    expect((await get(`/docs/${name}`, { Accept: 'text/html' })).text).toContain(`Books, by ${name}`)
    for (const path of [`/docs/${name}/ui/`, `/openapi/${name}/v1.json`, `/openapi/${name}/v2.json`])
      expect([path, (await get(path)).status]).toEqual([path, 200])
  }
})

test('examples/quick.mjs responses itself in both versions, and ends', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['examples/quick.mjs'], { cwd: root })
  expect(stdout).toBe(
    `2025-01-01 200 {"title":"Emma","language":"en"}
2024-01-01 200 {"name":"Emma"}
1999-01-01 406 {"error":"Invalid version in \\"X-API-Version\\" header."}
`,
  )
})

test('the servers stop on Ctrl-C', async () => {
  child.kill('SIGINT')
  expect([await once(child, 'exit'), await complaints]).toEqual([[0, null], ''])
})

test('the tests among the examples pass, and the documents of examples/released are those that are committed', async () => {
  const tests =
    'how-to/unit-test how-to/check-responses changes/golden client/every-version client/hosts from-v1/same existing/express/same'
  const checks = `import { documents } from '../examples/released/shop'
    import { checkDocuments } from '../src/command-line/released'
    process.stdout.write(JSON.stringify(checkDocuments(documents, 'examples/released/api')))`
  writeFileSync(join(scratch, 'released.ts'), checks)
  const paths = tests.split(' ').map((name) => join(root, `examples/${name}.ts`))
  const words = ['--test-reporter=tap', host, join(scratch, 'released.ts'), ...paths]
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root })
  expect(stdout).toContain('{"isGood":true,"isMore":false,"lines":[]}')
  // 2 of a handler, 6 of responses, two for each of six versions and one, three for each of two versions and two more, 2 hosts, 19 requests, 15 requests and one.
  expect(stdout).toContain(`# pass 66\n# fail 0\n`)
})
