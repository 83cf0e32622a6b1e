// The commands that end: which function runs each, what it prints, and where.
import { resolve } from 'node:path'
import { between, publicVersion, whatChanged } from '../explorer/changed-operations'
import { changesHtml, changesMarkdown } from '../explorer/changelog'
import { Overview, overviewOf } from '../explorer/overview'
import { textOf } from '../explorer/text'
import type { VersioningOptions } from '../middleware/versioning-options'
import type { RouteRegistry } from '../registry'
import { joinPaths } from '../routes/table'
import { Surveyor } from '../survey/survey'
import { type CheckOptions, checkHistory, type HistoryProblem } from '../testing'
import { moduleOf, verdictOf } from '../testing/draft/draft-text'
import { draftOf } from '../testing/draft/drafting'
import { VERSION } from '../util/brand'
import { shown } from '../util/options'
import { ended, visible } from '../util/text'
import { type Asked, asked, asksUsage, CommandError, USAGE, withCommandErrors } from './arguments'
import { askedUsage } from './asked-usage'
import { readDocument } from './documents'
import { initialize } from './init/init'
import { documentsIn, EXPORT_THEM, exported, load, propertyOf } from './module'
import { writeNew, writeText } from './new-file'
import { compare, record } from './recording/recording'
import { checkDocuments, writeDocuments } from './released'

/**
 * Drafts the history of documents.
 *
 * @param files the documents, oldest first.
 * @param out the new file of the history; `''` to print it.
 * @throws {CommandError} for files that cannot be read, documents that do not fit, and a file that is there already.
 */
function draftFrom(
  files: readonly string[],
  out: string,
  directory: string,
): { readonly out: string; readonly err: string } {
  const documents = files.map((file) => readDocument(file, directory).value as object)
  const draft = withCommandErrors(() => draftOf(documents))
  const text = moduleOf(draft)
  const lines = [verdictOf(draft), ...draft.unread.flatMap((one) => `- ${one}`.split('\n'))]
  const report = lines.map((line) => `${visible(line)}\n`).join('')
  if (out === '') return { out: text, err: report }
  const reason = `${shown(out)} is there already, and may have been edited. Give the draft another name.`
  writeNew(resolve(directory, out), text, reason)
  return { out: `${visible(out)} is written.\n${report}`, err: '' }
}

/**
 * Writes the changelog of an API.
 *
 * @throws {CommandError} for unknown versions, and for a file that cannot be written.
 */
function changelogOf(
  options: VersioningOptions,
  { from, to, mount, title, html, json, out }: Asked,
  directory: string,
): string {
  const surveyor = withCommandErrors(() => new Surveyor('This command', options, mount))
  const found = withCommandErrors(() => between(whatChanged(surveyor).versions, { from, to }, 'This command'))
  const text = json
    ? jsonOf({ versions: found.map(publicVersion) })
    : (html ? changesHtml : changesMarkdown)(title ?? surveyor.title, found, { from, to })
  if (out === '') return text
  writeText(resolve(directory, out), text)
  return `${visible(out)} is written.\n`
}

/** Writes the mistakes of steps, each with the smallest value that shows it. */
export function findingsOf(problems: readonly HistoryProblem[]): string[] {
  if (problems.length === 0) return ['No step makes a mistake.']
  const all = problems.flatMap(({ kind, change, version, shape, operation, direction, path, value, got, message }) => {
    const at = path.length === 0 ? '' : ` at ${path.join('/')}`
    const told =
      kind === 'untried' ? [] : [`  value: ${JSON.stringify(value)}`, `  got:   ${JSON.stringify(got) ?? 'nothing'}`]
    return [
      `${shape ?? operation}, ${direction}, in version ${version} ("${change}")${at}:`,
      `  The step ${ended(message)}`,
      ...told,
    ]
  })
  return [...all, `${problems.length} ${problems.length === 1 ? 'mistake' : 'mistakes'}.`]
}

/** Matches invisible characters, except the newlines between the properties of an object. */
const UNSEEN = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/gu

/** Writes a value as JSON. Invisible characters are escaped, because a terminal may interpret them. */
export function jsonOf(value: object): string {
  const json = JSON.stringify(value, undefined, 2)
  const unit = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return `${json.replace(UNSEEN, (character) => character.split('').map(unit).join(''))}\n`
}

/** The output of the command, and the exit code of its process. */
interface Outcome {
  readonly code: 0 | 1 | 2
  readonly out: string
  readonly err: string
}

/**
 * Runs the command of the program's arguments.
 *
 * @param directory the base of relative paths.
 * @throws the errors of the module.
 */
export async function command(words: readonly string[], directory: string): Promise<Outcome> {
  try {
    return { code: 0, err: '', ...(await done(asked(words), directory)) }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return { code: asksUsage(words) ? 2 : 1, out: '', err: `express-versioning: ${error.message.trimEnd()}\n` }
  }
}

async function done(wanted: Asked, directory: string): Promise<Pick<Outcome, 'out'> & Partial<Outcome>> {
  if (wanted.help) return { out: USAGE }
  if (wanted.version) return { out: `${VERSION}\n` }
  if (wanted.command === 'draft') return draftFrom(wanted.documents, wanted.out, directory)
  if (wanted.command === 'init') return { out: await initialize(wanted.scheme, directory) }
  if (wanted.command === 'record') return record(wanted, directory)
  if (wanted.command === 'compare') return compare(wanted, directory)
  const module = await load(wanted.file, directory)
  if (wanted.command === 'openapi') return released(module, wanted, directory)
  if (wanted.command === 'check') return tried(module, wanted)
  if (wanted.command === 'changelog') return { out: changelogOf(optionsOf(module, wanted), wanted, directory) }
  if (wanted.command === 'usage') {
    const options = optionsOf(module, wanted)
    const cacheLogs = wanted.cacheLogs.map((file) => resolve(directory, file))
    const out = resolve(directory, wanted.out)
    const asking = withCommandErrors(() => askedUsage(options, { ...wanted, out, cacheLogs }))
    const { code, json, text, err } = await asking()
    return { code, out: wanted.json ? jsonOf(json) : text, err }
  }
  const overview = withCommandErrors(() => seen(module, wanted))
  return { out: wanted.json ? jsonOf(overview) : textOf(overview) }
}

/** @throws {CommandError} for a module that only exports a table. */
function optionsOf(module: object, { file, exportName }: Asked): VersioningOptions {
  const { options } = exported(module, file, exportName)
  if (options !== undefined) return options
  throw new CommandError(`${shown(file)} exports a table without versions. ${EXPORT_THEM}`)
}

/** Makes the overview of a module. */
function seen(module: object, { file, exportName, mount, title, addresses }: Asked): Overview {
  const { options, table } = exported(module, file, exportName)
  if (table !== undefined) return tableOverview(table, mount ?? '/', title)
  return overviewOf(new Surveyor('This command', options, mount, addresses), { title })
}

/** Makes the overview of a table without versions: each method of each name, and the names without handlers. */
function tableOverview(table: RouteRegistry, mount: string, title = 'API'): Overview {
  const routes = table.facts().flatMap(({ viewName, pattern, methods }) =>
    (methods.length === 0 ? ['-'] : methods).map((method) => ({
      method,
      name: viewName,
      path: joinPaths(mount, pattern) || '/',
      group: '',
      cells: [],
    })),
  )
  return new Overview(title, [], routes)
}

/** Writes the documents of a module, or compares them with their files. */
function released(module: object, { file, exportName, out, check, ...settings }: Asked, directory: string): Outcome {
  const found = withCommandErrors(() => {
    const documents = documentsIn(module, file, exportName, settings)
    const folder = resolve(directory, out)
    return check ? checkDocuments(documents, folder) : writeDocuments(documents, folder)
  })
  const lines = found.lines.map((line) => `${visible(line)}\n`).join('')
  return { code: found.isGood ? 0 : 1, out: lines, err: found.isGood ? '' : found.isMore ? ADDED : CHANGED }
}

/** Tries the steps of a module's history. */
async function tried(module: object, { file, exportName, json, runs, seed }: Asked): Promise<Outcome> {
  const { options } = exported(module, file, exportName)
  if (options === undefined) throw new CommandError(`${shown(file)} exports a table without versions.`)
  const { lossy } = Object(propertyOf(module, 'check')) as CheckOptions
  let problems: HistoryProblem[]
  try {
    problems = await checkHistory(options, { runs, seed, lossy })
  } catch (error) {
    throw new CommandError((error as Error).message)
  }
  const code = problems.length === 0 ? 0 : 1
  return { code, err: '', out: json ? jsonOf(problems) : `${findingsOf(problems).map(visible).join('\n')}\n` }
}

const CHANGED =
  'express-versioning: a released version has changed. If that is meant, write the documents without --check, and commit them.\n'

const ADDED =
  "express-versioning: a released version has new operations. If only newer versions are to have them, say 'added' in a change; else write the documents without --check, and commit them.\n"
