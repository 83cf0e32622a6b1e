import { parseArgs } from 'node:util'
import { shown } from '../util/options'
import { didYouMean, near } from '../util/suggest'
import { visible } from '../util/visible'
import { CommandError } from './command-error'

export const USAGE = `Usage: express-versioning routes <module> [options]
       express-versioning openapi <module> --out <folder> [--check] [options]

routes prints which routes are served in which version. openapi writes the OpenAPI document of each version as a file;
with --check it writes nothing, and fails where the document of a version other than the newest differs from its file.
The module exports the options that versioning() gets; for routes, a namedRoutes() table alone will do, and for openapi,
the documents that openapi() gives. It is loaded, and nothing listens.

  --json           print JSON (routes)
  --out <folder>   where the documents are (openapi)
  --check          compare them, and write nothing (openapi)
  --mount <path>   where versioning() and the table stand, such as /api
  --title <text>   what stands above the table, or in the documents
  --export <name>  which export, where there are several
  --help           print this
  --version        print the version of express-versioning
`

const OPTIONS = {
  json: { type: 'boolean' },
  out: { type: 'string' },
  check: { type: 'boolean' },
  mount: { type: 'string' },
  title: { type: 'string' },
  export: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const

/** The commands, and which options others have that they do not take. */
const COMMANDS = { routes: ['out', 'check'], openapi: ['json'] } as const

/** What is asked for; `file` as it was written. */
export interface Asked {
  readonly command: keyof typeof COMMANDS
  readonly help: boolean
  readonly version: boolean
  readonly json: boolean
  readonly out: string
  readonly check: boolean
  readonly file: string
  readonly mount: string | undefined
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
  const { json = false, out = '', check = false, help = false, version = false, mount, title } = values
  const [command = '', file = '', ...others] = positionals
  const known = isCommand(command)
  const wanted: Asked = {
    command: known ? command : 'routes',
    ...{ help, version, json, out, check, file, mount, title, exportName: values.export },
  }
  if (help || version) return wanted
  if (command === '') throw wrong('a command is missing.')
  if (!known) throw wrong(`unknown command ${shown(command)}.${didYouMean(near(command, Object.keys(COMMANDS)))}`)
  if (file === '') throw wrong(`the module is missing: express-versioning ${command} ./app.js`)
  if (others.length > 0) throw wrong(`one module at a time; got ${[file, ...others].map(shown).join(', ')}.`)
  const foreign = COMMANDS[command].find((option) => values[option] !== undefined)
  if (foreign !== undefined) throw wrong(`${command} takes no --${foreign}.`)
  if (command === 'openapi' && out === '') throw wrong(`--out is missing: express-versioning openapi ${file} --out api`)
  if (mount?.startsWith('/') === false)
    throw new CommandError(`--mount takes a path such as /api; got ${shown(mount)}.`)
  return wanted
}

function isCommand(word: string): word is keyof typeof COMMANDS {
  return Object.hasOwn(COMMANDS, word)
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
