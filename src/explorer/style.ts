import { createHash } from 'node:crypto'

/** How wide the columns are, in rem: that of the routes, and each of the versions at the least. */
const ROUTES = 26
const VERSION = 10

// A line that runs through the versions in which a route is there, a station in each, and a buffer where it ends.
const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fdfcf9; --ink: #1b1f24; --soft: #59616c; --rule: #e4e0d7; --line: #0b6b5d;
  --end: #b42318; --warn: #855000; --tint: #fcf1d8; --shut: #e9e5dc;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171b; --ink: #ece8e1; --soft: #a3abb6; --rule: #2e333a; --line: #54c7b2;
    --end: #ff9186; --warn: #f3c069; --tint: #2a2416; --shut: #272c33;
  }
}
* { box-sizing: border-box; margin: 0; padding: 0 }
body {
  max-width: 84rem; margin: auto; padding: 2.5rem 1.5rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums;
}
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1rem }
nav { margin-left: auto }
h1 { font-size: 2.25rem; line-height: 1.2; letter-spacing: -.02em }
h2 { margin: 2.5rem 0 1.5rem; font-size: 1.25rem }
h3 { font-size: 1.5rem; line-height: 1.2 }
h4 { margin-top: .75rem; font-size: .875rem }
a, h4 { color: var(--line) }
code { font: .8125rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere }
time { white-space: nowrap }
small, p, caption { color: var(--soft); font-size: .875rem }
em { color: var(--end); font: 700 .875rem system-ui }
mark { padding: .1rem .5rem; border-radius: 1rem; background: var(--tint); color: var(--warn); font: 600 .8125rem system-ui }
.g mark { background: var(--shut); color: var(--ink) }
:focus-visible { outline: 3px solid var(--line); outline-offset: -3px }
ol { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 2rem 0; list-style: none }
ol > li { position: relative; padding: 1.25rem 2rem 0 0; border-top: 3px solid var(--line); font-size: .875rem }
ol > li::before {
  content: ""; position: absolute; top: -.6rem; width: 1rem; height: 1rem;
  border: 3px solid var(--line); border-radius: 50%; background: var(--paper);
}
ol > .d, .d::before { border-color: var(--warn) }
ol > .g, .g::before { border-color: var(--soft) }
ul { padding-left: 1.1rem }
[role=region] { overflow: auto; max-height: 100vh }
table { width: 100%; min-width: WIDTH; table-layout: fixed; border-spacing: 0 }
caption { padding-bottom: .75rem; text-align: left }
.d { --bg: var(--tint) }
th { position: relative; padding: .6rem 1rem .6rem 0; background: var(--paper); text-align: left; vertical-align: top; font-weight: 400 }
th:first-child { position: sticky; left: 0; z-index: 1; width: ROUTES; overflow-wrap: anywhere }
thead th { position: sticky; top: 0; border-bottom: 2px solid var(--ink) }
thead th:first-child { z-index: 2 }
th b { font: 700 .75rem ui-monospace, monospace; color: var(--soft) }
thead b { color: var(--ink); font: 700 1.125rem system-ui }
th small { display: block }
[scope=rowgroup] { padding-top: 1.75rem; font-weight: 700 }
[scope=row], td { border-top: 1px solid var(--rule) }
td { background: linear-gradient(var(--line), var(--line)) 0 1.3rem / 100% 2px no-repeat; vertical-align: top }
`

/** The style of a page for so many versions, and its hash, by which the policy of the page lets it in. */
export function styleFor(versions: number): { readonly text: string; readonly hash: string } {
  const text = STYLE.replace('WIDTH', `${ROUTES + versions * VERSION}rem`)
    .replace('ROUTES', `${ROUTES}rem`)
    .replace(/\s*\n\s*/g, '')
    .replace(/([:;,{>]) | (?=[{>])/g, '$1')
  return { text, hash: `'sha256-${createHash('sha256').update(text).digest('base64')}'` }
}
