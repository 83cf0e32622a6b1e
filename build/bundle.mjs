// Bundles the sources: one CommonJS file for each entry (entries.json) and for the command, and those that they share. So a process
// reads few files, nothing is loaded late, and every part is there once. Lines and names stay for stack traces; other spaces go.
import assert from 'node:assert/strict'
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

/** Lists the tokens of a script, each with the line breaks in front of it. */
function tokensOf(script) {
  const file = ts.createSourceFile('chunk.js', script, ts.ScriptTarget.ESNext, false)
  const found = []
  let end = 0
  const visit = (node) => {
    const parts = node.getChildren(file)
    if (parts.length > 0) return parts.forEach(visit)
    const text = node.getText(file)
    if (text !== '') found.push({ text, breaksBefore: script.slice(end, node.getStart(file)).includes('\n') })
    end = node.end
  }
  visit(file)
  return found
}

const textsOf = (tokens) => tokens.map(({ text }) => text)

/** Removes the spaces between the tokens of a script, but for those that part two tokens. */
function compact(script) {
  const tokens = tokensOf(script)
  let text = ts.getShebang(script) ?? ''
  for (const token of tokens) {
    const meets = text.slice(-1) + token.text.charAt(0)
    const isParted = /^(?:[\w$][\w$#\\]|\+\+|--|\/[/*]|\d\.)$/.test(meets)
    const isBroken = token.breaksBefore && text !== '' && !/^[)\]}]$/.test(token.text)
    text += (isBroken ? '\n' : isParted ? ' ' : '') + token.text
  }
  assert.deepEqual(textsOf(tokensOf(text)), textsOf(tokens))
  return `${text}\n`
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
  plugins: [{ name: 'compact', renderChunk: compact }],
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
