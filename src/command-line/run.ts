import { Server } from 'node:net'
import { command } from './command'

/** How long a module may load. */
const LIMIT = 30_000

const LISTENS = 'express-versioning: the module calls listen(). Nothing listens here; only its routes are shown.\n'
const UNFINISHED =
  'express-versioning: the module ended the process, or waits for something while it loads. Export the options from a module of their own.\n'

/**
 * The command in its process, which it ends when all is printed, whatever the module has opened or started by then. Nothing
 * listens, and what the module prints goes to the standard error, where it is not among what is asked for.
 *
 * @throws what the module throws, for Node to tell as it tells any uncaught error.
 */
export async function run(process: NodeJS.Process): Promise<void> {
  const { stdout, stderr } = process
  const print = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr) as typeof print
  let told = false
  Server.prototype.listen = function notListening() {
    if (!told) stderr.write(LISTENS)
    told = true
    return this
  }

  let finished = false
  process.on('exit', (code) => {
    if (finished || code !== 0) return
    stderr.write(UNFINISHED)
    process.exitCode = 1
  })
  setTimeout(() => process.exit(0), LIMIT).unref()

  try {
    const { code, out, err } = await command(process.argv.slice(2), process.cwd())
    finished = true
    // Who reads no further, such as `head`, has what it wants.
    stdout.on('error', () => process.exit(code))
    stderr.write(err, () => print(out, () => process.exit(code)))
  } catch (error) {
    // The module's own listeners would keep its error from being told.
    process.removeAllListeners('uncaughtException').removeAllListeners('unhandledRejection')
    throw error
  }
}
