// The style of the page, and the source that admits it (Content Security Policy Level 3).
import { createHash } from 'node:crypto'
import type { OverviewVersion } from './overview'

/** Returns the source that admits one inline style or script, such as `'sha256-...'` (CSP 3, section 2.3.1). */
export function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

/** The widths of columns, in rem: the routes (also on phones), and at least this much for each version. */
const PHONE = 9.5
const ROOMY = { routes: 26, version: 10, name: 1.125 }
/** The widths of many versions: six, with dates as names, are in sight at 1,280 pixels. */
const CLOSE = { routes: 23, version: 8.5, name: 1 }
/** The margins of the page, with room for a scroll bar. */
const MARGINS = 5

/** The colours of pages, in light and dark. */
export const PALETTE = `
:root {
  color-scheme: light dark;
  --paper: #fdfcf9; --ink: #1b1f24; --soft: #59616c; --rule: #e6e2d9; --line: #0b6b5d;
  --end: #b42318; --warn: #7d4b00; --base: #fdf5e2; --closed: #f0ede6; --move: #1c4fc4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171b; --ink: #ece8e1; --soft: #a3abb6; --rule: #2c3138; --line: #54c7b2;
    --end: #ff9186; --warn: #f3c069; --base: #241f12; --closed: #1d2126; --move: #9db8ff;
  }
}`

// The newest version is first. A line runs through the versions that have a route, with a station in each, and a buffer where the
// route was removed.
const STYLE = `${PALETTE}
*, ::before { box-sizing: border-box; margin: 0; padding: 0 }
body {
  max-width: WHOLE; margin: auto; padding: 2.5rem 2rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
}
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1rem }
nav { margin-left: auto }
header p + p, nav + p { width: 100% }
h1 { font-size: 2.25rem; line-height: 1.2; letter-spacing: -.02em }
h2 { margin: 2.5rem 0 1.5rem; font-size: 1.25rem }
h3 { font-size: 1.5rem; line-height: 1.2 }
h4 { margin-top: .75rem; font-size: .875rem }
a { color: var(--line) }
code, kbd, [scope=row] { font: .8125rem/1.5 ui-monospace, monospace }
time { white-space: nowrap }
p, caption, i { color: var(--soft); font: .875rem/1.5 system-ui }
em, strong, td.r { font: 700 .875rem/1.5 system-ui }
em { color: var(--end) }
ol + p { margin: 1.5rem 0 .5rem }
main > details { color: var(--soft); font-size: .875rem }
mark { padding: .1rem .5rem; border-radius: 1rem; background: var(--base); color: var(--warn); font: 600 .8125rem system-ui }
.g mark { background: var(--closed); color: var(--soft) }
thead [class] mark { background: var(--paper) }
:focus-visible { outline: 3px solid var(--line); outline-offset: -3px }
ol { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr)); gap: 2rem 0; list-style: none }
ol > li { position: relative; padding: 1.25rem 2rem 0 0; border-top: 3px solid var(--line); font-size: .875rem }
ol > li::before {
  content: ""; position: absolute; top: -.6rem; width: 1rem; height: 1rem;
  border: 3px solid var(--line); border-radius: 50%; background: var(--paper);
}
ol > .d, .d::before { border-color: var(--warn) }
ol > .g, .g::before { border-color: var(--soft) }
ul { list-style: none }
li li { margin-top: .25rem }
[role=region] { overflow: auto; max-height: 100vh }
table { width: 100%; min-width: WIDTH; table-layout: fixed; border-spacing: 0 }
caption { position: sticky; left: 0; max-width: 90vw; padding-bottom: .75rem }
caption, th { text-align: left }
col.g { width: 10.5rem; font: 700 NAME system-ui }
table .d { background: var(--base) }
table .g { background: var(--closed) }
th, td { vertical-align: top; font-weight: 400 }
th { position: sticky; left: 0; z-index: 1; padding: .7rem 1rem .7rem 0; background: var(--paper) }
thead th { top: 0; z-index: 3; vertical-align: bottom; padding: .7rem .5rem .7rem 1rem; border-bottom: 2px solid var(--ink) }
thead th:first-child { z-index: 4; width: var(--first); padding-left: 0 }
thead b { font: 700 NAME system-ui }
tbody b { display: inline-block; min-width: 3.75rem; color: var(--line); font-size: .75rem }
[scope=row] :is(p, em) { display: block; padding-left: 4.25rem }
.POST { color: var(--warn) }
.PUT, .PATCH { color: var(--move) }
.DELETE { color: var(--end) }
[scope=rowgroup] { padding-top: 2rem; font-weight: 700 }
[scope=row], td { border-top: 1px solid var(--rule) }
td { background: linear-gradient(var(--line), var(--line)) 100% 1.3rem / 100% 3px no-repeat }
th + td, .n + td, .g + td { background-size: calc(100% - 1rem) 3px }
td:last-child, td:has(+ .n), td:has(+ .g), td:has(+ .r) { background-position: 0 1.3rem; background-size: 1rem 3px }
th + td:last-child, :is(th, .n, .g) + td:is(:last-child, :has(+ .n), :has(+ .g)), td.g, td.n { background: none }
[scope=rowgroup] + td { background: var(--paper); border: 0 }
.n { padding: .6rem 1rem; color: var(--soft) }
td.r {
  padding: 1.85rem .5rem .5rem 1rem; color: var(--end);
  background: linear-gradient(var(--line), var(--line)) 100% 1.3rem / calc(100% - 1rem) 3px no-repeat,
    linear-gradient(var(--end), var(--end)) 1rem .9rem / 4px .9rem no-repeat;
}
td summary {
  min-height: 3.5rem; padding: 1.85rem .5rem .5rem 1rem; list-style: none; font-size: 0; cursor: pointer;
  background: radial-gradient(circle at 1.4rem 1.4rem, var(--line) .4rem, #0000 .43rem);
}
td summary:hover { background-color: color-mix(in srgb, var(--line) 12%, #0000) }
td ::-webkit-details-marker { display: none }
summary mark { display: inline-block; margin-top: .2rem }
td summary::after { content: "+"; color: var(--line); font: .875rem system-ui }
td [open] > summary::after { content: "–" }
summary * { margin-right: .5rem }
td p, td details > code { display: block; padding: 0 .75rem .75rem 1rem }
td details > code { user-select: all }
table { --first: ROUTES }
table:has(td [open]) col + col:not(.g) { width: VERSION }
OPENED
@media (min-width: FULL) { [role=region]:not(:has(td [open])) { overflow: visible; max-height: none } }
@media (max-width: FULL) { caption::after { content: " Scroll sideways for older versions." } }
@media (max-width: 60rem) { table { --first: 16rem } }
@media (max-width: 40rem) {
  nav { margin: 0; width: 100% }
  body { padding: 1.5rem 1rem }
  table { --first: PHONE; min-width: NARROW }
  CLOSED
  tbody b { display: block }
  [scope=row] :is(p, em) { padding: 0 }
}
@media print {
  [role=region] { overflow: visible; max-height: none }
  th { position: static }
  * { print-color-adjust: exact }
}
`

/**
 * Returns the style of a page with these versions, and the hash that admits it in the page's policy.
 *
 * @param versions the newest first.
 */
export function styleFor(versions: readonly OverviewVersion[]): { readonly text: string; readonly hash: string } {
  const column = versions.length > 4 ? CLOSE : ROOMY
  const width = column.routes + versions.length * column.version
  const closed = versions.flatMap((version, index) =>
    version.isGone ? `col:nth-child(${index + 2}){width:calc(${digitsOf(version)}ch + 1.25rem)}` : [],
  )
  const narrow = versions.reduce((sum, version) => sum + (version.isGone ? digitsOf(version) : column.version), PHONE)
  const opened = versions.flatMap(({ isGone }, index) =>
    isGone ? [] : `table:has(td:nth-child(${index + 2}) [open]) col:nth-child(${index + 2})`,
  )
  const sizes = {
    ROUTES: `${column.routes}rem`,
    NAME: `${column.name}rem`,
    VERSION: `${column.version}rem`,
    WIDTH: `${width}rem`,
    FULL: `${width + MARGINS}rem`,
    WHOLE: `${Math.max(86, width + MARGINS)}rem`,
    PHONE: `${PHONE}rem`,
    NARROW: `${narrow}rem`,
    // A column with commands is wider.
    OPENED: opened.length === 0 ? '' : `${opened.join(',')}{width:clamp(10rem,100vw - var(--f) - 5rem,24rem)}`,
    CLOSED: closed.length === 0 ? '' : CLOSED + closed.join(''),
  }
  const text = SHORT.replace(/[A-Z]{4,}/g, (name) => sizes[name as keyof typeof sizes] ?? name)
  return { text, hash: hashSource(text) }
}

/** Hides the text below the name of a closed column on phones. The plan above has it too. */
const CLOSED =
  'thead .g{padding-right:0}thead .g mark{padding:0}thead .g p{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}'

/** Returns the width of a closed column on phones, in characters: its version, and the word below. */
function digitsOf({ version }: OverviewVersion): number {
  return Math.min(12, Math.max(version.length, 4))
}

/** The style as sent. */
const SHORT = minified(STYLE)

/** Minifies a style because every page has it: no white space, and names of one letter. */
export function minified(style: string): string {
  return style
    .replace(/\n */g, '')
    .replace(/([:;,{>+]) | (?=[{>}+])|;(?= ?})/g, '$1')
    .replace(/--([a-z])[a-z]+/g, '--$1')
}
