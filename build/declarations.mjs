// Rolls the declarations of the build up: one file for each entry (entries.json), and those that entries share. What no entry leads
// to is left out.
import { readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { isAbsolute, join } from 'node:path'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'

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
await bundle.write({ dir: dist, entryFileNames: '[name].d.ts', chunkFileNames, minifyInternalExports: false })
await bundle.close()
