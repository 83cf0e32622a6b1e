// The text of a draft: a module.

import { describedErrors, placesText } from '../../util/problems'
import type { Draft, DraftVersion } from './draft-model'
import { commentOf, quoted, textOf } from './literal'

/** Writes the module of a draft. */
export function moduleOf(draft: Draft): string {
  const body = `${placesOption(draft)}${historyText(draft)}`
  const names = NAMES.filter((name) => new RegExp(`\\b${name}\\(`).test(body))
  return `${headOf(draft)}import { ${names.join(', ')} } from 'express-versioning/changes'\n\n${body}`
}

/** The functions that a draft may need. */
const NAMES = ['change', 'fields', 'shape', 'todo', 'versionHistory']

/** Says in one line whether a draft is complete. */
export function verdictOf({ todos, unread }: Pick<Draft, 'todos' | 'unread'>): string {
  if (todos === 0 && unread.length === 0) return 'The draft is complete: everything was read, and nothing is to do.'
  const missing = [
    ...(todos === 0 ? [] : [`${todos} todo()`]),
    ...(unread.length === 0
      ? []
      : [`${unread.length} ${unread.length === 1 ? 'thing' : 'things'} that it could not read or say`]),
  ]
  return `The draft is not complete: it has ${missing.join(', and ')}.`
}

function headOf(draft: Draft): string {
  const { title, oldest, versions, unread, removed } = draft
  const newest = versions.at(-1)?.version
  const older = removed.map((_, index) => `older${removed.length === 1 ? '' : index + 1}`)
  const { places, errors } = draft.table
  const options = [
    ...(older.length === 0 ? [] : [`removed: [${older.join(', ')}]`]),
    ...(places.size === 0 ? [] : ['places']),
  ]
  const described = errors === undefined ? '' : `.${describedErrors(errors)}`
  const routes = `routesOf(document${options.length === 0 ? '' : `, { ${options.join(', ')} }`})${described}`
  const given = removed.map(({ version }, index) => `${older[index]} that of ${version}`)
  return [
    `The history of ${title} from ${oldest} to ${newest}, drafted from its documents. Read each line before you use it:`,
    `versioning({ scheme, defaultVersion: ${quoted(String(newest))}, changes: history, routes: ${routes} })`,
    ...(given.length === 0 ? [] : [`Here, document is the OpenAPI document of ${newest}, ${given.join(', ')}.`]),
    verdictOf(draft),
    ...unread.flatMap((one) => one.split('\n').map((line, index) => `${index === 0 ? '- ' : '  '}${line}`)),
  ]
    .map((line) => commentOf(line))
    .join('')
}

/** Writes the option `places` of the table. */
function placesOption({ table }: Draft): string {
  if (table.places.size === 0) return ''
  const lines = [...table.places].map(([key, meaning]) => {
    const code = meaning === null ? 'null' : '(value) => undefined /* the name or the index of its branch */'
    return `  ${placesText({ key, meaning: code })}`
  })
  return `${commentOf('These look like what changed, and did not change with it.')}export const places = {\n${lines.join('\n')}\n}\n\n`
}

function historyText({ oldest, versions }: Draft): string {
  return `export const history = versionHistory(${quoted(oldest)})${versions.map(versionText).join('')}\n`
}

function versionText({ version, changes }: DraftVersion): string {
  if (changes.length === 0) return `\n  .version(${quoted(version)})`
  const all = changes.map(
    ({ description, operations }) => `    change(${quoted(description)}, ${textOf(operations, '    ')}),\n`,
  )
  return `\n  .version(\n    ${quoted(version)},\n${all.join('')}  )`
}
