// The command `changelog`: what changed between two versions, for the people who call the API.
import { resolve } from 'node:path'
import { between, publicVersion, whatChanged } from '../explorer/changed-operations'
import { changesHtml, changesMarkdown } from '../explorer/changelog'
import type { VersioningOptions } from '../middleware/versioning-options'
import { Surveyor } from '../survey/survey'
import { visible } from '../util/visible'
import { type Asked, withCommandErrors } from './arguments'
import { writeText } from './new-file'
import { jsonOf } from './printed-json'

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
  const surveyor = withCommandErrors(() => new Surveyor('This command', options, mount))
  const found = withCommandErrors(() => between(whatChanged(surveyor).versions, { from, to }, 'This command'))
  const text = json
    ? jsonOf({ versions: found.map(publicVersion) })
    : (html ? changesHtml : changesMarkdown)(title ?? surveyor.title, found, { from, to })
  if (out === '') return text
  writeText(resolve(directory, out), text)
  return `${visible(out)} is written.\n`
}
