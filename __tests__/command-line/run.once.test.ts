import { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../../src/command-line/run'

const folder = mkdtempSync(join(tmpdir(), 'express-versioning-run-'))
writeFileSync(join(folder, 'table.js'), "exports.routes = require('express-versioning').namedRoutes({ home: '/' })")
writeFileSync(join(folder, 'throws.js'), "throw new RangeError('on its own account')")
const { listen } = Server.prototype
afterEach(() => {
  Server.prototype.listen = listen
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const LISTENS = 'express-versioning: the module calls listen(). Nothing listens here; only its routes are shown.\n'
const UNFINISHED =
  'express-versioning: the module ended the process, or waits for something while it loads. Export the options from a module of their own.\n'

/** The parts of a process that the command uses. */
class FakeProcess extends EventEmitter {
  exitCode: number | undefined
  readonly printed: string[] = []
  readonly exits: (number | undefined)[] = []
  readonly stdout = this.#stream('out')
  readonly stderr = this.#stream('err')
  /** Callbacks that must run before all output counts as written. */
  readonly flushes: (() => void)[] = []

  constructor(private readonly words: string) {
    super()
  }

  cwd = () => folder
  exit = (code?: number) => this.exits.push(code)
  run = () => run(Object.assign(this as object as NodeJS.Process, { argv: ['node', 'main', ...this.words.split(' ')] }))

  #stream(to: string) {
    const write = (text: string, flushed?: () => void) => {
      if (text !== '') this.printed.push(`${to}: ${text}`)
      if (flushed !== undefined) this.flushes.push(flushed)
      return true
    }
    return Object.assign(new EventEmitter(), { write })
  }

  flushed(): void {
    for (const flush of this.flushes.splice(0)) flush()
  }
}

test('it ends when both streams have what was printed', async () => {
  const process = new FakeProcess('routes table.js --title Shop')
  await process.run()
  expect(process).toMatchObject({ printed: [], exits: [] })
  process.flushed()
  expect(process).toMatchObject({ printed: ['out: Shop\n\n-  /  home\n'], exits: [] })
  process.flushed()
  expect(process.exits).toEqual([0])
})

test('a reader that stops early is no error', async () => {
  const process = new FakeProcess('routes nothing.js')
  await process.run()
  process.stdout.emit('error', new Error('EPIPE'))
  expect(process.exits).toEqual([1])
})

test('prints of others do not stand among the routes', async () => {
  const process = new FakeProcess('--version')
  const running = process.run()
  process.stdout.write('hello\n')
  await running
  process.stdout.write('good-bye\n')
  expect(process.printed).toEqual(['err: hello\n', 'err: good-bye\n'])
})

test('nothing listens, which is told once', async () => {
  const process = new FakeProcess('--version')
  await process.run()
  const server = createServer()
  expect(server.listen(0)).toBe(server)
  createServer().listen(0)
  await new Promise(setImmediate)
  expect([server.listening, server.address()]).toEqual([false, null])
  expect(process.printed).toEqual([`err: ${LISTENS}`])
})

test.each<[when: 'before' | 'behind', code: number, exitCode: number | undefined, printed: string[]]>([
  ['before', 0, 1, [`err: ${UNFINISHED}`]],
  ['before', 3, undefined, []],
  ['behind', 0, undefined, []],
])('an exit of the process %s the end of the command, with %i', async (when, code, exitCode, printed) => {
  const process = new FakeProcess('--version')
  const running = process.run()
  if (when === 'behind') await running
  process.emit('exit', code)
  expect([process.exitCode, process.printed]).toEqual([exitCode, printed])
  await running
})

test('a module has half a minute to load, which keeps no process alive', async () => {
  const unref = jest.fn()
  const timeout = jest.spyOn(globalThis, 'setTimeout').mockImplementation(() => ({ unref }) as never)
  const process = new FakeProcess('--version')
  await process.run()
  const [end, limit] = timeout.mock.calls[0] as [() => void, number]
  timeout.mockRestore()
  end()
  expect([limit, unref.mock.calls.length, process.exits]).toEqual([30_000, 1, [0]])
})

test("a module's error is left to Node, whatever the module listens to", async () => {
  const process = new FakeProcess('routes throws.js')
  process.on('uncaughtException', () => {}).on('unhandledRejection', () => {})
  await expect(process.run()).rejects.toMatchObject({ name: 'RangeError' })
  expect(process.eventNames()).toEqual(['exit'])
  expect(process).toMatchObject({ printed: [], exits: [] })
})

test('the program runs the command in its own process', () => {
  const ran: unknown[] = []
  jest.isolateModules(() => {
    jest.doMock('../../src/command-line/run', () => ({ run: (given: unknown) => ran.push(given) }))
    require('../../src/command-line/main')
  })
  jest.dontMock('../../src/command-line/run')
  expect(ran).toEqual([process])
})
