import { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../../src/command-line/run'

const folder = mkdtempSync(join(tmpdir(), 'express-versioning-run-'))
const { listen } = Server.prototype
afterEach(() => {
  Server.prototype.listen = listen
  jest.useRealTimers()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const LISTENS = 'express-versioning: the module calls listen(). Nothing listens here; only its routes are shown.\n'
const UNFINISHED =
  'express-versioning: the module ended the process, or waits for something while it loads. Export the options from a module of their own.\n'

/** The parts of a process that the command uses. */
class FakeProcess extends EventEmitter {
  exitCode: number | undefined
  readonly printed: { to: string; text: string }[] = []
  readonly exits: (number | undefined)[] = []
  readonly stdout = this.#stream('out')
  readonly stderr = this.#stream('err')
  readonly argv: string[]
  /** Callbacks that must run before all output counts as written. */
  readonly flushes: (() => void)[] = []

  constructor(...words: string[]) {
    super()
    this.argv = ['node', 'main.js', ...words]
  }

  cwd = () => folder
  exit = (code?: number) => {
    this.exits.push(code)
  }

  #stream(to: string) {
    const write = (text: string, flushed?: () => void) => {
      if (text !== '') this.printed.push({ to, text })
      if (flushed !== undefined) this.flushes.push(flushed)
      return true
    }
    return Object.assign(new EventEmitter(), { write })
  }

  flushed(): void {
    for (const flush of this.flushes.splice(0)) flush()
  }

  run = () => run(this as object as NodeJS.Process)
}

function write(file: string, text: string): void {
  writeFileSync(join(folder, file), text)
}
write('table.js', "exports.routes = require('express-versioning').namedRoutes({ home: '/' })")
write('throws.js', "throw new RangeError('on its own account')")

test('it ends when both streams have what was printed', async () => {
  const process = new FakeProcess('routes', 'table.js', '--title', 'Shop')
  await process.run()
  expect(process.printed).toEqual([])
  expect(process.exits).toEqual([])
  process.flushed()
  expect(process.printed).toEqual([{ to: 'out', text: 'Shop\n\n-  /  home\n' }])
  expect(process.exits).toEqual([])
  process.flushed()
  expect(process.exits).toEqual([0])
})

test('who reads no further is no error', async () => {
  const process = new FakeProcess('routes', 'nothing.js')
  await process.run()
  process.stdout.emit('error', new Error('EPIPE'))
  expect(process.exits).toEqual([1])
})

test('what is printed by others does not stand among the routes', async () => {
  const process = new FakeProcess('--version')
  const running = process.run()
  process.stdout.write('hello\n')
  await running
  process.stdout.write('good-bye\n')
  expect(process.printed).toEqual([
    { to: 'err', text: 'hello\n' },
    { to: 'err', text: 'good-bye\n' },
  ])
})

test('nothing listens, which is told once', async () => {
  const process = new FakeProcess('--version')
  await process.run()
  const server = createServer()
  expect(server.listen(0)).toBe(server)
  createServer().listen(0)
  await new Promise(setImmediate)
  expect(server.listening).toBe(false)
  expect(server.address()).toBeNull()
  expect(process.printed).toEqual([{ to: 'err', text: LISTENS }])
})

describe('an end before that of the command', () => {
  test('is told, and is a failure', async () => {
    const process = new FakeProcess('--version')
    const running = process.run()
    process.emit('exit', 0)
    expect(process).toMatchObject({ exitCode: 1, printed: [{ to: 'err', text: UNFINISHED }] })
    await running
  })

  test('has told of itself where it is a failure already', async () => {
    const process = new FakeProcess('--version')
    const running = process.run()
    process.emit('exit', 3)
    expect(process).toMatchObject({ exitCode: undefined, printed: [] })
    await running
  })

  test('is none behind it', async () => {
    const process = new FakeProcess('--version')
    await process.run()
    process.emit('exit', 0)
    expect(process).toMatchObject({ exitCode: undefined, printed: [] })
  })
})

test('a module has half a minute to load, which keeps no process alive', async () => {
  jest.useFakeTimers()
  const unref = jest.fn()
  const timeout = jest.spyOn(globalThis, 'setTimeout').mockImplementation(() => ({ unref }) as never)
  const process = new FakeProcess('--version')
  await process.run()
  const [end, limit] = timeout.mock.calls[0] as [() => void, number]
  timeout.mockRestore()
  expect(limit).toBe(30_000)
  expect(unref).toHaveBeenCalledTimes(1)
  end()
  expect(process.exits).toEqual([0])
})

test("a module's error is left to Node, whatever the module listens to", async () => {
  const process = new FakeProcess('routes', 'throws.js')
  process.on('uncaughtException', () => {}).on('unhandledRejection', () => {})
  await expect(process.run()).rejects.toMatchObject({ name: 'RangeError' })
  expect(process.listenerCount('uncaughtException')).toBe(0)
  expect(process.listenerCount('unhandledRejection')).toBe(0)
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
