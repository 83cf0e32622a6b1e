// Bundles the sources: one CommonJS file for each entry (entries.json) and for the command, and those that they share. So a process
// reads few files, nothing is loaded late, and every part is there once.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rollup } from 'rollup'
import ts from 'typescript'

const root = fileURLToPath(new URL('..', import.meta.url))
const { config } = ts.readConfigFile(join(root, 'tsconfig.build.json'), ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
const compilerOptions = {
  ...options,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  declaration: false,
  removeComments: true,
}

const COMMAND = 'command-line/main'
/** The entries whose modules stay together. */
const WHOLE = [
  ['main', 'index'],
  ['changes', 'changes/index'],
]
const folderOf = (file) => basename(dirname(file))
const fileOf = (entry) => join(root, 'src', `${entry}.ts`)
const entries = [...Object.values(createRequire(import.meta.url)('./entries.json')), COMMAND]

const bundle = await rollup({
  input: Object.fromEntries(entries.map((entry) => [entry, fileOf(entry)])),
  external: (id) => !id.startsWith('.') && !id.startsWith(root),
  // As package.json says.
  treeshake: { moduleSideEffects: false },
  plugins: [
    {
      name: 'typescript',
      resolveId(id, importer) {
        if (importer === undefined || !id.startsWith('.')) return null
        const path = join(dirname(importer), id)
        return [`${path}.ts`, join(path, 'index.ts')].find((file) => existsSync(file)) ?? null
      },
      load: (id) => ts.transpileModule(readFileSync(id, 'utf8'), { fileName: id, compilerOptions }).outputText,
    },
  ],
  onwarn: ({ code, message }) => {
    throw new Error(`${code}: ${message}`)
  },
})

/** Returns the modules that an entry loads. */
function loadedBy(entry, { getModuleInfo }) {
  const found = new Set([fileOf(entry)])
  for (const id of found) for (const path of getModuleInfo(id).importedIds) if (path.startsWith(root)) found.add(path)
  return found
}

const parts = new Map()
await bundle.write({
  dir: join(root, 'dist'),
  format: 'cjs',
  exports: 'named',
  interop: 'auto',
  esModule: true,
  externalLiveBindings: false,
  hoistTransitiveImports: false,
  entryFileNames: '[name].js',
  chunkFileNames: ({ name, moduleIds }) => `shared/${name === 'index' ? folderOf(moduleIds.at(-1)) : name}.js`,
  banner: ({ name }) => (name === COMMAND ? '#!/usr/bin/env node' : ''),
  // Servers load the first two; both are one file each, whatever else shares them.
  manualChunks(id, modules) {
    for (const [name, entry] of WHOLE) {
      if (!parts.has(name)) parts.set(name, loadedBy(entry, modules))
      if (parts.get(name).has(id)) return name
    }
    return undefined
  },
})
await bundle.close()
