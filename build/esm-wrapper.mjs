// Writes the ES module face of each entry of the build (entries.json: subpath to file of `src`): it re-exports by name what the
// CommonJS build exports, so that the two cannot drift apart and `NotFound` is one class in either world. For resolvers that know no
// `exports` (Jest 27, eslint-plugin-import, TypeScript's node10), each subpath becomes a folder that leads to its entry.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename } from 'node:path'

const require = createRequire(import.meta.url)

for (const [subpath, entry] of Object.entries(require('./entries.json'))) {
  const base = new URL(`../dist/${entry}`, import.meta.url).href
  const names = Object.keys(require(`../dist/${entry}.js`)).sort()
  const commonjs = `./${basename(entry)}.js`
  writeFileSync(
    new URL(`${base}.mjs`),
    `export {\n${names.map((name) => `  ${name},\n`).join('')}} from '${commonjs}'\n`,
  )
  writeFileSync(new URL(`${base}.d.mts`), `export * from '${commonjs}'\n`)

  // Fails on linking when Node's lexer cannot see a name in the CommonJS text.
  assert.deepEqual(Object.keys(await import(`${base}.mjs`)).sort(), names)

  if (subpath === '.') continue
  const folder = new URL(`../${subpath}/`, import.meta.url)
  mkdirSync(folder, { recursive: true })
  const leads = { main: `../dist/${entry}.js`, types: `../dist/${entry}.d.ts`, sideEffects: false }
  writeFileSync(new URL('package.json', folder), `${JSON.stringify(leads, null, 2)}\n`)
}
