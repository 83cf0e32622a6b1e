import { parseArgs } from 'node:util'
import { shown } from '../util/options'
import { didYouMean, near } from '../util/suggest'
import { visible } from '../util/visible'
import { CommandError } from './command-error'

export const USAGE = `Usage: express-versioning routes <module> [options]

Prints which routes are served in which version. The module exports the options that versioning() gets,
or a namedRoutes() table alone. It is loaded, and nothing listens.

  --json           print JSON
  --mount <path>   where versioning() and the table stand, such as /api
  --title <text>   what stands above the table
  --export <name>  which export, where there are several
  --help           print this
  --version        print the version of express-versioning
`

const OPTIONS = {
  json: { type: 'boolean' },
  mount: { type: 'string' },
  title: { type: 'string' },
  export: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const

const COMMANDS = ['routes']

/** What is asked for; `file` as it was written. */
export interface Asked {
  readonly help: boolean
  readonly version: boolean
  readonly json: boolean
  readonly file: string
  readonly mount: string
  readonly title: string | undefined
  readonly exportName: string | undefined
}

/**
 * Reads the words behind the name of the program.
 *
 * @throws {CommandError} for what it does not know, and where the command or its module is missing.
 */
export function asked(words: readonly string[]): Asked {
  const { values, positionals } = parsed(words)
  const { json = false, help = false, version = false, mount = '/', title, export: exportName } = values
  const [command, file = '', ...others] = positionals
  const wanted = { help, version, json, file, mount, title, exportName }
  if (help || version) return wanted
  if (command === undefined) throw wrong('a command is missing.')
  if (!COMMANDS.includes(command))
    throw wrong(`unknown command ${shown(command)}.${didYouMean(near(command, COMMANDS))}`)
  if (file === '') throw wrong('the module is missing: express-versioning routes ./app.js')
  if (others.length > 0) throw wrong(`one module at a time; got ${[file, ...others].map(shown).join(', ')}.`)
  if (!mount.startsWith('/')) throw new CommandError(`--mount takes a path such as /api; got ${shown(mount)}.`)
  return wanted
}

function parsed(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true })
  } catch (error) {
    throw wrong(visible((error as Error).message))
  }
}

function wrong(what: string): CommandError {
  return new CommandError(`${what}\n\n${USAGE}`)
}
