import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Overview, overviewOf } from '../explorer/overview'
import { textOf } from '../explorer/text'
import { Surveyor } from '../survey/survey'
import { type Asked, asked, USAGE } from './arguments'
import { CommandError } from './command-error'
import { exported } from './exports'
import { load } from './load'
import { tableOverview } from './table'

/** But for the newlines between the members. */
const UNSEEN = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/gu

/** What the command prints, and the exit code of its process. */
export interface Outcome {
  readonly code: 0 | 1
  readonly out: string
  readonly err: string
}

/**
 * Does what the words behind the program's name ask for.
 *
 * @param directory where paths start.
 * @throws what the module throws.
 */
export async function command(words: readonly string[], directory: string): Promise<Outcome> {
  try {
    return { code: 0, out: await printed(asked(words), directory), err: '' }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return { code: 1, out: '', err: `express-versioning: ${error.message.trimEnd()}\n` }
  }
}

async function printed(wanted: Asked, directory: string): Promise<string> {
  if (wanted.help) return USAGE
  if (wanted.version) return `${ownVersion()}\n`
  const overview = seen(await load(wanted.file, directory), wanted)
  return wanted.json ? jsonOf(overview) : textOf(overview)
}

function ownVersion(): string {
  return JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')).version
}

/** What a module has to show. */
function seen(module: object, { file, exportName, mount, title }: Asked): Overview {
  const { options, table } = exported(module, file, exportName)
  try {
    if (table !== undefined) return tableOverview(table, mount, title)
    return overviewOf(new Surveyor('This command', options, mount), { title })
  } catch (error) {
    // What `versioning()` itself would say of the options.
    if (error instanceof TypeError) throw new CommandError(error.message)
    throw error
  }
}

/** What is not seen is escaped, as `JSON.stringify` does with a part of it: a terminal may show it. */
function jsonOf(overview: Overview): string {
  const json = JSON.stringify(overview, undefined, 2)
  const unit = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return `${json.replace(UNSEEN, (character) => character.split('').map(unit).join(''))}\n`
}
