// The overview as text for terminals.
import { CACHES, LOG_FORMAT } from '../usage/verdict'
import { countOf } from '../usage/words'
import { visible } from '../util/text'
import { sentencesIn } from './changed-operations'
import type { Overview, OverviewCell, OverviewVersion } from './overview'
import {
  dateText,
  differences,
  eventsOf,
  isFreeToGo,
  shortName,
  stateOf,
  touchText,
  usageText,
  useText,
} from './page-words'

const BETWEEN = '  '

/** Writes an overview as a table for terminals. Control characters are written as code points. */
export function textOf({ title, versions, routes, usage }: Overview): string {
  const [names, states, ...lines] = aligned([
    ['', '', '', ...versions.map(({ version }) => version)],
    ['', '', '', ...versions.map((version) => stateOf(version) ?? '')],
    ...routes.map(({ cells, ...route }) => [
      route.method,
      route.path,
      shortName(route),
      ...cells.map((cell, index) => cellText(cell, versions[index] as OverviewVersion)),
    ]),
  ]) as [string, string, ...string[]]
  const head = [visible(title)]
  if (usage !== undefined) head.push('', usageText(usage), CACHES, `  ${LOG_FORMAT}`)
  // The command line also shows tables without versions.
  if (versions.length > 0) head.push('', ...versions.flatMap(planOf), '', names)
  if (states !== '') head.push(states)
  const groups = routes.map(({ group }) => group)
  const body = lines.flatMap((line, index) => {
    const group = groups[index] as string
    return group === groups[index - 1] ? [line] : group === '' ? ['', line] : ['', visible(group), line]
  })
  return `${[...head, ...body].join('\n')}\n`
}

/** Writes rows as lines with aligned columns. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const shown = rows.map((row) => row.map(visible))
  const widths: number[] = []
  for (const row of shown) {
    for (const [column, text] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, widthOf(text))
  }
  return shown.map((row) =>
    row
      .map((text, column) => text + ' '.repeat((widths[column] as number) - widthOf(text)))
      .join(BETWEEN)
      .trimEnd(),
  )
}

/** Counts the characters of a string: code points without combining marks. */
function widthOf(text: string): number {
  return [...text.replace(/\p{M}/gu, '')].length
}

function cellText(cell: OverviewCell, version: OverviewVersion): string {
  if (version.isGone) return ''
  if (!cell.exists) return cell.removed ? 'removed' : '-'
  const marks = cell.changes.length > 0 ? ['changed'] : []
  const said = [...marks, ...differences(cell, version)].join(', ') || 'yes'
  return cell.requests === undefined ? said : `${said}, ${countOf(cell.requests, 'request')}`
}

/** Lists the plan of a version in one line, then one line for each change and each of its shapes. */
function planOf(version: OverviewVersion): string[] {
  const { successor, info, changes, use } = version
  const plan = [
    ...eventsOf(version).map(({ what, at }) => `${what} ${dateText(at)}`),
    ...(successor === undefined ? [] : [`use ${successor}`]),
    ...(info === undefined ? [] : [info]),
  ].join(', ')
  const lines = [
    plan === '' ? version.version : `${version.version}: ${plan}`,
    ...(use === undefined ? [] : [`  ${useText(use)}${isFreeToGo(version) ? ': free to go' : ''}`]),
    ...changes.flatMap((change) => [
      `  - ${change.description.replace(/\s+/g, ' ')}`,
      ...(change.touch === undefined ? [] : [`    ${touchText(change.touch)}`]),
      ...change.shapes.map(({ name, rows }) => {
        const places = rows.map(({ method, path }) => `${method} ${path}`).join(', ')
        return `    ${places === '' ? name : `${name}: ${places}`}`
      }),
      ...sentencesIn(change, true).map((sentence) => `    ${sentence}`),
    ]),
  ]
  return lines.map(visible)
}
