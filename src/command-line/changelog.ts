// The command `changelog`: what changed between two versions, for the people who call the API.
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { changesHtml, changesMarkdown } from '../explorer/changelog'
import { between, publicVersion, whatChanged } from '../explorer/changes'
import type { VersioningOptions } from '../middleware/options'
import { Surveyor } from '../survey/survey'
import { visible } from '../util/visible'
import { type Asked, CommandError, told } from './arguments'
import { jsonOf } from './json'

/**
 * Writes the changelog of an API.
 *
 * @throws {CommandError} for unknown versions, and for a file that cannot be written.
 */
export function changelogOf(
  options: VersioningOptions,
  { from, to, mount, title, html, json, out }: Asked,
  directory: string,
): string {
  const surveyor = told(() => new Surveyor('This command', options, mount))
  const found = told(() => between(whatChanged(surveyor).versions, { from, to }, 'This command'))
  const text = json
    ? jsonOf({ versions: found.map(publicVersion) })
    : (html ? changesHtml : changesMarkdown)(title ?? surveyor.title, found, { from, to })
  if (out === '') return text
  try {
    writeFileSync(resolve(directory, out), text)
  } catch (error) {
    throw new CommandError((error as Error).message)
  }
  return `${visible(out)} is written.\n`
}
