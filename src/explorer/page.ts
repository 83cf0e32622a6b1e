// The overview as an HTML page.
import { CACHES, LOG_FORMAT } from '../usage/verdict'
import { countOf, daysText } from '../usage/words'
import { visible } from '../util/text'
import { sentencesIn, type ToldOperation, type ToldShape } from './changed-operations'
import type { Overview, OverviewCell, OverviewRoute, OverviewVersion } from './overview'
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

/** The links to other pages. */
export interface Links {
  /** The URL of "try it". */
  readonly swaggerUi: string | undefined
  /** The URL of the changelog; undefined if nothing ever changed. */
  readonly changes: string | undefined
  /** Returns the URL of a version's document. */
  document(version: string): string | undefined
}

/** The limit of routes named in the plan of a version. The table has all of them. */
const NAMED = 8

/** Writes an overview as a page without scripts. It omits optional end tags, because there are many cells. */
export function pageOf(overview: Overview, links: Links, style: string): string {
  const { title, routes, usage, advice } = overview
  const versions = overview.versions.toReversed()
  const pages = [
    [links.changes, 'What changed'],
    [links.swaggerUi, 'Try it'],
  ].flatMap(([url, text]) => (url === undefined ? [] : `<a href="${escaped(url)}">${text}</a>`))
  const nav = pages.length === 0 ? '' : `<nav>${pages.join(' · ')}</nav>`
  const plans = versions.map((version, at) =>
    planOf(version, versions.length - 1 - at, routes, links.document(version.version), usage?.days ?? 0),
  )
  const heads = versions.map((version) => `<th scope=col${classOf(version)}>${headOf(version)}`)
  const used =
    usage === undefined
      ? ''
      : `<p>${escaped(usageText(usage))}<details><summary>Caches in front</summary><p>${escaped(CACHES)}<p><code>${escaped(LOG_FORMAT)}</code></details>`
  const [verb, text = ''] = advice ?? []
  const named = verb === undefined ? '' : `<p>${verb} <kbd>${escaped(text)}</kbd>`
  const cols = versions.map((version) => `<col${classOf(version)}>`)
  return `<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content="width=device-width"><title>${escaped(title)}: routes by version</title><style>${style}</style>
<header><h1>${escaped(title)}</h1><p>${count(routes.length, 'route')}, ${count(versions.length, 'version')}</p>${nav}${named}</header>
<main><h2>Versions</h2><ol>
${plans.join('\n')}
</ol>${used}<h2>Routes</h2><div role=region aria-labelledby=legend tabindex=0><table><caption id=legend>Routes by version. + opens a command.</caption><colgroup><col>${cols.join('')}</colgroup><thead><tr><th scope=col>Route${heads.join('')}<tbody>
${rowsOf(routes, versions).join('\n')}
</table></div></main>
`
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes a string for HTML, also inside quoted attributes. */
export function escaped(text: string): string {
  return visible(text).replace(/[&<>"]/g, (character) => ENTITIES[character] as string)
}

function classOf(version: OverviewVersion): string {
  const state = stateOf(version)
  return state === undefined ? '' : ` class=${state.charAt(0)}`
}

function markOf(version: OverviewVersion): string {
  const state = stateOf(version)
  return state === undefined ? '' : ` <mark>${state}</mark>`
}

/** Writes the header of a column: the version, its mark, and its dates. The mark replaces the word before a date where possible. */
function headOf(version: OverviewVersion): string {
  const dates = eventsOf(version)
    .filter(({ ends }) => ends || !version.isGone)
    .map(({ what, at }) => {
      // A date and its time break into two lines.
      const times = dateText(at)
        .split(' ')
        .map((part) => `<time>${part}</time>`)
      return `<p>${what.replace(/^(?:gone|deprecated) /, '')} ${times.join(' ')}`
    })
  return `<b>${escaped(version.version)}</b>${markOf(version)}${dates.join('')}`
}

function planOf(
  version: OverviewVersion,
  index: number,
  routes: readonly OverviewRoute[],
  document: string | undefined,
  days: number,
): string {
  const { successor, info, changes, isDefault, use } = version
  const dates = eventsOf(version).map(({ what, at, ends }) => {
    const date = `${what} <time>${dateText(at)}</time>`
    return `<p>${ends ? `<em>${date}</em>` : date}`
  })
  const notes = [
    ...(isDefault ? ['the default'] : []),
    ...(successor === undefined ? [] : [`use ${escaped(successor)}`]),
    ...(info === undefined ? [] : [`<a href="${escaped(info)}">notice</a>`]),
    ...(document === undefined ? [] : [`<a href="${escaped(document)}">OpenAPI</a>`]),
  ]
  const said = changes.map((change) => {
    const { description, shapes, touch } = change
    const places = shapes.map(({ name, rows }) => placesOf(name, rows))
    const touched = touch === undefined ? [] : [`<p>${escaped(touchText(touch))}`]
    const sentences = sentencesIn(change, true).map((one) => `<p>${sentence(one)}`)
    return [sentence(description), ...touched, ...places, ...sentences].join('')
  })
  const ended = routes.filter(({ cells }) => cells[index]?.removed)
  const begun = index === 0 ? [] : routes.filter(({ cells }) => isNew(cells, index))
  return [
    `<li${classOf(version)}><h3 id="${escaped(encodeURIComponent(version.version))}">${escaped(version.version)}${markOf(version)}</h3>`,
    ...dates,
    notes.length === 0 ? '' : `<p>${notes.join(' · ')}`,
    use === undefined ? '' : `<p>${escaped(useText(use)).replace(DATE, '<time>$&</time>')}`,
    isFreeToGo(version) ? `<p><b>Free to go</b>: no request in ${daysText(days)}` : '',
    listed('Changed', said),
    listed('<em>Removed</em>', ended.map(operation)),
    listed('New', begun.map(operation)),
  ].join('')
}

/** Names a shape and the routes that contain it. */
function placesOf(shape: string, routes: ToldShape['rows']): string {
  const name = `<p><code>${escaped(shape)}</code>`
  return routes.length === 0 ? name : `${name} in ${first(routes.map(operation)).join(', ')}`
}

function isNew(cells: readonly OverviewCell[], index: number): boolean {
  const cell = cells[index] as OverviewCell
  return cell.exists && !cell.unnamed && cells.slice(0, index).every(({ exists }) => !exists)
}

function operation({ method, path }: Pick<OverviewRoute, 'method' | 'path'>): string {
  return `<code>${escaped(`${method} ${path}`)}</code>`
}

function listed(heading: string, items: readonly string[]): string {
  if (items.length === 0) return ''
  return `<h4>${heading}</h4><ul>${first(items)
    .map((item) => `<li>${item}`)
    .join('')}</ul>`
}

/** A date of {@link dateText}. */
const DATE = /\d{4}-\d\d-\d\d(?: [\d:]+Z)?/

/** Shortens a long list. */
function first(items: readonly string[]): readonly string[] {
  const more = items.length - NAMED
  return more > 1 ? [...items.slice(0, NAMED), `and ${more} more`] : items
}

/** Writes a text with its code spans of Markdown. */
export function sentence(description: string): string {
  return escaped(description.replace(/\s+/g, ' ')).replace(/`([^`]+)`/g, '<code>$1</code>')
}

function rowsOf(routes: readonly OverviewRoute[], versions: readonly OverviewVersion[]): string[] {
  return routes.map((route, index) => {
    const { group } = route
    const begins = group !== (routes[index - 1]?.group ?? '')
    const heading = begins
      ? `<tbody><tr><th scope=rowgroup>${escaped(group)}<td class=n colspan=${versions.length}>\n`
      : ''
    return `${heading}<tr><th scope=row>${routeOf(route, versions)}${route.cells
      .toReversed()
      .map((cell, column) => cellOf(cell, versions[column] as OverviewVersion))
      .join('')}`
  })
}

/** @param versions the newest first. */
function routeOf({ cells, method, path, ...names }: OverviewRoute, versions: readonly OverviewVersion[]): string {
  const end = cells.findIndex(({ removed }) => removed)
  const until = end === -1 ? '' : ` <em>until ${escaped((versions.at(-end) as OverviewVersion).version)}</em>`
  const color = COLORED.has(method) ? ` class=${method}` : ''
  return `<b${color}>${escaped(method)}</b> ${escaped(path)}${until}<p>${escaped(shortName(names))}`
}

/** The methods with a colour of their own. The others have that of GET. */
const COLORED = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

function cellOf(cell: OverviewCell, version: OverviewVersion): string {
  if (version.isGone) return '<td class=g>'
  if (cell.curl === undefined) return cell.removed ? '<td class=r>removed' : '<td class=n>–'
  const notes = differences(cell, version).map((what) =>
    what === 'deprecated' ? '<mark>deprecated</mark>' : `<i>${escaped(what)}</i>`,
  )
  if (cell.changes.length > 0) notes.unshift('<strong>changed</strong>')
  if (cell.requests !== undefined) notes.push(`<i>${countOf(cell.requests, 'request')}</i>`)
  // A command within the paragraph would be copied with it.
  const changes = cell.changes.flatMap(({ description, said }) => [
    `<p>${sentence(description)}</p>`,
    ...said.flatMap((one) => saidOf(one, description)),
  ])
  const commands = cell.curl.split('\n').map((command) => `<code>${escaped(command)}</code>`)
  return `<td><details><summary>${['yes', ...notes].join(' ')}</summary>${[...changes, ...commands].join('')}</details>`
}

/** The most characters of an example in a cell. The changelog has all of them. */
const SHORT = 400

/** Writes what a change says of a route, and its examples. */
function saidOf(one: ToldShape | ToldOperation, description: string): string[] {
  const parts = 'parts' in one ? one.parts : [one]
  return parts.flatMap((part) => {
    const texts = part.sentences.filter((text) => text !== description).map((text) => `<p>${sentence(text)}</p>`)
    // Statuses are in their sentence.
    if ('part' in part && part.part === 'status') return texts
    const [before, after] = [part.before, part.after].map((value) => JSON.stringify(value) ?? '') as [string, string]
    const isShown = [before, after].every((text) => text !== '' && text.length <= SHORT) && before !== after
    const examples = `<p>before <code>${escaped(before)}</code></p><p>now <code>${escaped(after)}</code></p>`
    return isShown ? [...texts, examples] : texts
  })
}
