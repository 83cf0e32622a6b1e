// The changelog: what changed between two versions, as Markdown and as a page.

import { visible } from '../util/text'
import {
  type ChangedPart,
  type ChangesOptions,
  called,
  fateOf,
  newsIn,
  type ToldChange,
  type ToldOperation,
  type ToldShape,
  type ToldVersion,
} from './changed-operations'
import { escaped, sentence } from './page'
import { dateText, eventsOf } from './page-words'
import { hashSource, minified, PALETTE } from './style'

/** A block of the changelog. Texts are Markdown with code spans alone. */
type Block =
  | { readonly kind: 'heading'; readonly level: 1 | 2 | 3; readonly id?: string; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'example'; readonly label: string; readonly value: unknown }

/** Lists the blocks of a changelog, the newest version first. */
function blocksOf(title: string, versions: readonly ToldVersion[], { from, to }: ChangesOptions): Block[] {
  const [start, end] = [from === undefined ? '' : ` from ${from}`, to === undefined ? '' : ` to ${to}`]
  return [
    { kind: 'heading', level: 1, text: `${title}: changes${start}${end}` },
    ...versions
      .toReversed()
      .flatMap((version) => [
        ...headOf(version, from === undefined && version === versions[0]),
        ...version.changes.flatMap(changeOf),
      ]),
  ]
}

function headOf(version: ToldVersion, isFirst: boolean): Block[] {
  const dates = eventsOf(version).map(({ what, at }) => `${what} ${dateText(at)}`)
  const told = version.isPreview ? 'preview' : dates.join(', ')
  const { changes, info } = version
  return [
    { kind: 'heading', level: 2, id: encodeURIComponent(version.version), text: version.version },
    ...text(told === '' ? '' : `${told.charAt(0).toUpperCase()}${told.slice(1)}.`),
    ...text(info === undefined ? '' : `More: ${info}`),
    ...text(changes.length > 0 ? '' : isFirst ? 'The oldest version.' : 'Nothing changed.'),
  ]
}

function changeOf(change: ToldChange): Block[] {
  return [
    { kind: 'heading', level: 3, id: `change-${change.number}`, text: change.description.replace(/\s+/g, ' ') },
    ...change.operations.flatMap((operation) => operationOf(operation, change)),
    ...change.shapes.flatMap((shape) => shapeOf(shape, change)),
  ]
}

function operationOf(operation: ToldOperation, change: ToldChange): Block[] {
  const { kind, parts } = operation
  const name = called(operation)
  const isQuiet = kind === 'changed' && parts.every((part) => newsIn(part, change).length === 0)
  return [
    ...text(fateOf(operation) ?? (isQuiet ? `It is about ${name}.` : '')),
    ...parts.flatMap((part) => [
      ...list(newsIn(part, change).map((one) => `${name}: ${one}`)),
      ...(part.part === 'status' ? [] : examplesOf(part, `${LABELS[part.part]} of ${name}`)),
    ]),
  ]
}

const LABELS: Readonly<Record<ChangedPart['part'], string>> = {
  query: 'Query',
  body: 'Body',
  response: 'Response',
  error: 'Error',
  item: 'Item',
  headers: 'Header fields',
  status: 'Status',
}

function shapeOf(shape: ToldShape, change: ToldChange): Block[] {
  const places = shape.rows.map(called).join(', ')
  const name = `\`${shape.name}\``
  return [
    ...text(places === '' ? `It is about ${name}.` : `It is about ${name} in ${places}.`),
    ...list(newsIn(shape, change)),
    ...examplesOf(shape, name),
  ]
}

function examplesOf({ before, after }: { readonly before?: unknown; readonly after?: unknown }, of: string): Block[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  const both = [
    [`${of} before`, before],
    [`${of} now`, after],
  ] as const
  return both.flatMap(([label, value]) => (value === undefined ? [] : { kind: 'example', label, value }))
}

function text(told: string): Block[] {
  return told === '' ? [] : [{ kind: 'text', text: told }]
}

function list(items: readonly string[]): Block[] {
  return items.length === 0 ? [] : [{ kind: 'list', items }]
}

/** Writes a changelog as Markdown. */
export function changesMarkdown(...changelog: Parameters<typeof blocksOf>): string {
  return `${blocksOf(...changelog)
    .map(markdownOf)
    .join('\n\n')}\n`
}

function markdownOf(block: Block): string {
  if (block.kind === 'heading') {
    const anchor = block.id === undefined ? '' : ` <a id="${escaped(block.id)}"></a>`
    return `${'#'.repeat(block.level)} ${visible(block.text)}${anchor}`
  }
  if (block.kind === 'text') return visible(block.text)
  if (block.kind === 'list') return block.items.map((item) => `- ${visible(item)}`).join('\n')
  return `${visible(block.label)}:\n\n\`\`\`json\n${JSON.stringify(block.value, undefined, 2)}\n\`\`\``
}

const STYLE = minified(`${PALETTE}
*, ::before { box-sizing: border-box; margin: 0; padding: 0 }
body {
  max-width: 50rem; margin: auto; padding: 2.5rem 2rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
h1 { font-size: 2rem; line-height: 1.2 }
h2 { margin: 2.5rem 0 .5rem; padding-top: 1rem; border-top: 3px solid var(--line); font-size: 1.5rem }
h3 { margin: 1.5rem 0 .25rem; font-size: 1.125rem }
p, ul { margin-top: .5rem }
ul { padding-left: 1.25rem }
nav { margin-top: 1rem }
a { color: var(--line) }
code, pre { font: .8125rem/1.5 ui-monospace, monospace }
h3 code { font-size: .9em }
figure { margin-top: .75rem }
figcaption { color: var(--soft); font-size: .875rem }
pre { padding: .75rem; background: var(--closed); white-space: pre-wrap }
:focus-visible { outline: 3px solid var(--line) }
@media (max-width: 40rem) { body { padding: 1.5rem 1rem } }
`)

/** The hash that admits the style of the page. */
export const CHANGES_STYLE = hashSource(STYLE)

/** Writes a changelog as a page without scripts. */
export function changesHtml(...changelog: Parameters<typeof blocksOf>): string {
  const [title, versions] = changelog
  const links = versions
    .toReversed()
    .map(
      ({ version }) => `<a href="#${escaped(encodeURIComponent(encodeURIComponent(version)))}">${escaped(version)}</a>`,
    )
  const [head, ...blocks] = blocksOf(...changelog).map(htmlOf)
  return `<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content="width=device-width"><title>${escaped(title)}: changes</title><style>${STYLE}</style>
<main>${head}<nav aria-label=Versions>${links.join(' · ')}</nav>
${blocks.join('\n')}
</main>
`
}

function htmlOf(block: Block): string {
  if (block.kind === 'heading') {
    const id = block.id === undefined ? '' : ` id="${escaped(block.id)}"`
    return `<h${block.level}${id}>${sentence(block.text)}</h${block.level}>`
  }
  if (block.kind === 'text') return `<p>${sentence(block.text)}`
  if (block.kind === 'list') return `<ul>${block.items.map((item) => `<li>${sentence(item)}`).join('')}</ul>`
  const lines = JSON.stringify(block.value, undefined, 2).split('\n').map(escaped)
  return `<figure><figcaption>${sentence(block.label)}</figcaption><pre>${lines.join('\n')}</pre></figure>`
}
