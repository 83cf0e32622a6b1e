const { createHash } = require('node:crypto')
const { readFileSync } = require('node:fs')
const { join } = require('node:path')

const root = join(__dirname, '../..')
const CONFIG = join(root, '__tests__/tsconfig.json')
/** What else decides how a file is compiled. */
const settings = [
  require('typescript/package.json').version,
  ...[CONFIG, join(root, 'tsconfig.json'), __filename].map((file) => readFileSync(file, 'utf8')),
]
const hash = (...texts) => createHash('sha256').update(JSON.stringify(texts)).digest('hex')

/** What this process has compiled. Jest keeps it for each project by itself, and so would have all of it compiled twice. */
const compiled = new Map()
let compiler

/** TypeScript takes half a second to load, which nobody waits for where jest has kept everything. */
function loaded() {
  const ts = require('typescript')
  const { config } = ts.readConfigFile(CONFIG, ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, join(root, '__tests__'))
  const { CommonJS } = ts.ModuleKind
  return { ts, compilerOptions: { ...options, module: CommonJS, declaration: false, noEmit: false, sourceMap: true } }
}

function compile(text, fileName) {
  compiler ??= loaded()
  const { ts, compilerOptions } = compiler
  const { outputText, sourceMapText, diagnostics } = ts.transpileModule(text, {
    fileName,
    compilerOptions,
    reportDiagnostics: true,
  })
  // Those without a file are about the options, which are the build's, but for the kind of modules.
  const wrong = diagnostics.filter(({ file }) => file !== undefined)
  if (wrong.length > 0) throw new SyntaxError(ts.formatDiagnostics(wrong, ts.createCompilerHost(compilerOptions)))
  // TypeScript names the source by its base name alone.
  return { code: outputText, map: { ...JSON.parse(sourceMapText), file: fileName, sources: [fileName] } }
}

/** For jest: compiles the sources and the tests file by file, without their types. */
module.exports = {
  getCacheKey(text, path, { configString, instrument }) {
    return hash(text, path, configString, instrument, settings)
  },
  process(text, path) {
    const key = hash(text, path)
    if (!compiled.has(key)) compiled.set(key, compile(text, path))
    return compiled.get(key)
  },
}
