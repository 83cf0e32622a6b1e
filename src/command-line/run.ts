// The process of the command: the limits for modules, and its end.
import { Server } from 'node:net'
import { asked, asksUsage, CommandError, lastingCommand } from './arguments'
import { command } from './command'
import { startDemo } from './demo/demo'
import { startGateway } from './gateway-command'

const LISTENS = 'express-versioning: the module calls listen(). Nothing listens here.\n'
const UNFINISHED =
  'express-versioning: the module ended the process, or waits for something while it loads. Export the options from a module of their own.\n'

/**
 * Runs the command, and ends its process once all is printed, whatever the module has opened or started. `listen()` does
 * nothing, and prints of the module go to the standard error, apart from the command's own output.
 *
 * @throws the errors of the module, which Node prints as any uncaught error.
 */
export async function run(process: NodeJS.Process): Promise<void> {
  const { stdout, stderr } = process
  const lasting = lastingCommand(process.argv.slice(2))
  if (lasting !== undefined) {
    await keepRunning(process, lasting)
    return
  }
  const print = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr) as typeof print
  let told = false
  Server.prototype.listen = function notListening() {
    if (!told) stderr.write(LISTENS)
    told = true
    return this
  }

  const isUsage = asksUsage(process.argv.slice(2))
  let outcome: number | undefined
  process.on('exit', (code) => {
    if (code === outcome) return
    if (code === 0) stderr.write(UNFINISHED)
    // The exit codes 0 and 1 of `usage` are results; a failing module has none.
    if (isUsage) process.exitCode = 2
    else if (code === 0) process.exitCode = 1
  })

  try {
    const { code, out, err } = await command(process.argv.slice(2), process.cwd())
    outcome = code
    // A reader that stops early, such as `head`, has enough.
    stdout.on('error', () => process.exit(code))
    stderr.write(err, () => print(out, () => process.exit(code)))
  } catch (error) {
    // The module's own listeners would hide its error.
    process.removeAllListeners('uncaughtException').removeAllListeners('unhandledRejection')
    throw error
  }
}

/** Runs a server until Ctrl-C or SIGTERM. Requests to a gateway end first. */
async function keepRunning(process: NodeJS.Process, command: 'demo' | 'gateway'): Promise<void> {
  const print = (text: string) => process.stdout.write(text)
  try {
    const directory = process.cwd()
    const server =
      command === 'demo'
        ? await startDemo(directory, print)
        : await startGateway(asked(process.argv.slice(2)), directory, print)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        server.close()
        if (command === 'demo') server.closeAllConnections()
        else server.closeIdleConnections()
      })
    }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    process.stderr.write(`express-versioning: ${error.message.trimEnd()}\n`)
    process.exitCode = 1
  }
}
