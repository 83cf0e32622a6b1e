// Rolls the declarations of the build up: one file for each entry (entries.json), and those that entries share. They have nothing
// that no entry leads to, and no docstrings of what no entry exports.
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { isAbsolute, join } from 'node:path'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import ts from 'typescript'

const dist = join(import.meta.dirname, '../dist')
const entries = Object.values(createRequire(import.meta.url)('./entries.json'))
const input = Object.fromEntries(entries.map((entry) => [entry, join(dist, `${entry}.d.ts`)]))

const bundle = await rollup({
  input,
  plugins: [dts()],
  external: (id) => !id.startsWith('.') && !isAbsolute(id),
  onwarn: ({ code, message }) => {
    // Some types have no name outside of the package on purpose: users get them from functions.
    if (!/private shared type exports/.test(message)) throw new Error(`${code}: ${message}`)
  },
})
for (const name of readdirSync(dist, { recursive: true })) if (name.endsWith('.d.ts')) rmSync(join(dist, name))
const chunkFileNames = ({ name }) => `types/${name.replace(/\.d$/, '')}.d.ts`
const { output } = await bundle.write({
  dir: dist,
  entryFileNames: '[name].d.ts',
  chunkFileNames,
  minifyInternalExports: false,
})
await bundle.close()

const exported = new Set(output.flatMap((chunk) => (chunk.isEntry ? chunk.exports : [])))
for (const { fileName, code } of output) {
  const told = withoutInternalDocs(code).replace(/^(?: {4})+/gm, (spaces) => ' '.repeat(spaces.length / 4))
  writeFileSync(join(dist, fileName), told)
}

/** Removes the docstrings of the declarations that no entry exports. */
function withoutInternalDocs(code) {
  const file = ts.createSourceFile('chunk.d.ts', code, ts.ScriptTarget.ESNext)
  return file.statements
    .map((statement) => {
      const text = statement.getFullText(file)
      const { name } = statement
      return name === undefined || exported.has(name.text) ? text : text.replace(/\/\*\*[\s\S]*?\*\/\s*/g, '')
    })
    .join('')
}
