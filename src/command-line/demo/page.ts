// The page of the demo: one request, sent in every version, and the responses side by side.
import type { RequestHandler } from 'express'
import { hashSource } from '../../explorer/style'

const STYLE = `
:root { color-scheme: light dark; --paper: #fdfcf9; --ink: #1b1f24; --soft: #59616c; --rule: #e4e0d7; --line: #0b6b5d; --tint: #f3f0e8 }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14171b; --ink: #ece8e1; --soft: #a3abb6; --rule: #2e333a; --line: #54c7b2; --tint: #1d2126 }
}
* { box-sizing: border-box; margin: 0 }
body { max-width: 80rem; margin: auto; padding: 2rem 1.25rem; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
h1 { font-size: 1.75rem; line-height: 1.2 }
p { max-width: 48rem; margin: .5rem 0 1.25rem; color: var(--soft) }
nav { display: flex; flex-wrap: wrap; gap: .5rem; margin-bottom: 1.5rem; align-items: center }
button { padding: .5rem .75rem; border: 1px solid var(--line); border-radius: .375rem; background: none; color: var(--ink);
  font: .875rem ui-monospace, monospace; cursor: pointer }
button[aria-pressed=true] { background: var(--line); color: var(--paper) }
ul { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 1.5rem; padding: 0; list-style: none }
li { min-width: 0; border-top: 3px solid var(--line); padding-top: .75rem }
h2 { font-size: 1.125rem }
pre { margin-top: .5rem; padding: .75rem; border-radius: .375rem; background: var(--tint); white-space: pre-wrap; overflow-wrap: anywhere;
  font: .8125rem/1.5 ui-monospace, monospace }
a { color: var(--line) }
:focus-visible { outline: 3px solid var(--line); outline-offset: 2px }
`

const SCRIPT = `
const bodies = ['{"name":"Spoon","price":3.5}', '{"title":"Spoon","price":3.5}', '{"title":"Spoon","price":{"amount":3.5,"currency":"EUR"}}']
let last
async function send(button) {
  last = button
  for (const other of document.querySelectorAll('button')) other.setAttribute('aria-pressed', String(other === button))
  const [method, path] = button.textContent.split(' ')
  for (const [at, item] of [...document.querySelectorAll('li')].entries()) {
    const headers = { 'X-API-Version': item.dataset.version }
    const body = method === 'POST' ? bodies[at] : undefined
    if (body !== undefined) headers['Content-Type'] = 'application/json'
    const response = await fetch('/api' + path, { method, headers, body })
    const json = JSON.stringify(await response.json(), null, 2)
    if (last !== button) return
    const [request, result] = item.querySelectorAll('pre')
    request.textContent = method + ' /api' + path + '\\nX-API-Version: ' + item.dataset.version + (body ? '\\n\\n' + body : '')
    result.textContent = response.status + ' ' + response.statusText + '\\n\\n' + json
  }
}
const buttons = document.querySelectorAll('button')
for (const button of buttons) button.addEventListener('click', () => send(button))
send(buttons[0])
`

const REQUESTS = ['GET /products/1', 'GET /products', 'POST /products', 'GET /bestsellers', 'GET /products/9']

const POLICY = `default-src 'none'; style-src ${hashSource(STYLE)}; script-src ${hashSource(SCRIPT)}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** Makes the start page of the demo. Its script sends a request in each version. */
export function demoPage(versions: readonly string[]): RequestHandler {
  const buttons = REQUESTS.map((request) => `<button type="button" aria-pressed="false">${request}</button>`)
  const items = versions.map(
    (version) => `<li data-version="${version}">
<h2>${version}</h2>
<pre tabindex="0" aria-label="Request in ${version}"></pre>
<pre tabindex="0" role="status" aria-label="Response in ${version}"></pre>
</li>`,
  )
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>express-versioning: a shop in three versions</title>
<style>${STYLE}</style>
<main>
<h1>One handler, three versions</h1>
<p>The handlers of this shop know the newest version only. Five changes describe what older clients send and get. Choose a request to send it in every version. <a href="/docs/">Routes and versions</a>, <a href="/openapi/">OpenAPI documents</a></p>
<nav aria-label="Requests">${buttons.join('')}</nav>
<ul>
${items.join('\n')}
</ul>
</main>
<script>${SCRIPT}</script>
</html>
`
  return (_req, res) => {
    res.set({ 'Content-Security-Policy': POLICY, 'X-Content-Type-Options': 'nosniff' })
    res.type('html').send(html)
  }
}
