// Writes the ES module face of the build: it re-exports by name what the CommonJS build exports, so that the two cannot
// drift apart and `NotFound` is one class in either world.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const dist = new URL('../dist/', import.meta.url)
const names = Object.keys(createRequire(import.meta.url)('../dist/index.js')).sort()

writeFileSync(
  new URL('index.mjs', dist),
  `export {\n${names.map((name) => `  ${name},\n`).join('')}} from './index.js'\n`,
)
writeFileSync(new URL('index.d.mts', dist), "export * from './index.js'\n")

// Fails on linking when Node's lexer cannot see a name in the CommonJS text.
assert.deepEqual(Object.keys(await import(new URL('index.mjs', dist).href)).sort(), names)
