// The page at `/` of server.ts.
import { createHash } from 'node:crypto'
import type { RequestHandler } from 'express'

/** One scheme on the page. */
export interface Card {
  /** Mount path, without the slash. */
  name: string
  scheme: string
  says: string
  /** Request to try: a path, and perhaps a header. */
  path: string
  header?: string
}

const style = `
:root { color-scheme: light dark; --paper: #fdfcf9; --ink: #1b1f24; --soft: #59616c; --rule: #e4e0d7; --line: #0b6b5d; --tint: #f3f0e8 }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14171b; --ink: #ece8e1; --soft: #a3abb6; --rule: #2e333a; --line: #54c7b2; --tint: #1d2126 }
}
* { box-sizing: border-box; margin: 0; padding: 0 }
body { max-width: 84rem; margin: auto; padding: 2.5rem 1.5rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif }
h1 { font-size: clamp(1.75rem, 1.25rem + 2.5vw, 2.25rem); line-height: 1.2; letter-spacing: -.02em }
header p { max-width: 52rem; text-wrap: pretty; margin: .75rem 0 2.5rem; color: var(--soft) }
ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); gap: 2.5rem; list-style: none }
li { position: relative; display: flex; flex-direction: column; min-width: 0; padding-top: 1.25rem; border-top: 3px solid var(--line) }
li::before { content: ""; position: absolute; top: -.6rem; width: 1rem; height: 1rem; border: 3px solid var(--line); border-radius: 50%;
  background: var(--paper) }
h2 { font-size: 1.25rem; line-height: 1.3; overflow-wrap: anywhere }
li p { margin: .25rem 0 1rem; color: var(--soft) }
pre { margin: auto 0 1rem; padding: .75rem 1rem; border-radius: .5rem; background: var(--tint); white-space: pre-wrap;
  font: .8125rem/1.6 ui-monospace, monospace; overflow-wrap: anywhere }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem }
a { color: var(--line); text-underline-offset: .2em }
nav a:first-child { font-weight: 600 }
:focus-visible { outline: 3px solid var(--line); outline-offset: 3px }
`
const hash = createHash('sha256').update(style).digest('base64')

/** Makes the start page: each scheme, its explorer, and a command to try. It has no script. */
export function startPage(cards: readonly Card[]): RequestHandler {
  return (req, res) => {
    const origin = `http://127.0.0.1:${req.socket.localPort}`
    const items = cards.map(({ name, scheme, says, path, header }) => {
      const option = header === undefined ? '' : `-H '${header}' `
      const url = path.includes('?') ? `'${origin}${path}'` : origin + path
      return `<li>
<h2>${scheme}</h2>
<p>${says}</p>
<pre>curl ${option}${url}</pre>
<nav aria-label="${scheme}"><a href="/docs/${name}">Routes and versions</a> <a href="/openapi/${name}/">OpenAPI documents</a></nav>
</li>`
    })
    res.set({
      'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'X-Content-Type-Options': 'nosniff',
    })
    res.send(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>express-versioning: five ways to name a version</title>
<style>${style}</style>
<main>
<header>
<h1>One API, five ways to name its version</h1>
<p>A bookshop in versions v1 and v2, served by the same Express handlers under each scheme of express-versioning. See what is served in which version, then try it in a terminal.</p>
</header>
<ul>
${items.join('\n')}
</ul>
</main>
</html>
`)
  }
}
