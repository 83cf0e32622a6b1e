// Compiles programs as a user does, against the built package. Reads a list of them as JSON, their files by name. Prints the
// messages of each, its declarations, and what an editor offers at each `¦`. Within jest, the compiler takes twice as long.
const { readFileSync } = require('node:fs')
const { join } = require('node:path')
const ts = require('typescript')

const root = join(__dirname, '../..')
// Programs share the parsed libraries.
const registry = ts.createDocumentRegistry()
const { compilerOptions } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config
const own = { rootDir: root, noUnusedLocals: false, alwaysStrict: true }
const { options } = ts.convertCompilerOptionsFromJson({ ...compilerOptions, ...own }, root)

function responseTo({ files, more = {} }) {
  const texts = new Map(Object.entries(files).map(([name, text]) => [join(__dirname, `${name}.ts`), text]))
  const read = (path) => texts.get(path)?.replaceAll('¦', '') ?? ts.sys.readFile(path)
  const service = ts.createLanguageService(
    {
      ...ts.sys,
      fileExists: (path) => texts.has(path) || ts.sys.fileExists(path),
      readFile: read,
      getScriptFileNames: () => [...texts.keys()],
      getScriptVersion: () => '1',
      getScriptSnapshot: (path) => ts.ScriptSnapshot.fromString(read(path)),
      getCurrentDirectory: () => root,
      getCompilationSettings: () => ({ ...options, ...more }),
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      useCaseSensitiveFileNames: () => true,
    },
    registry,
  )
  return [...texts].map(([path, text]) => {
    const parts = text.split('¦')
    const ends = parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('').length)
    const found = [...service.getSyntacticDiagnostics(path), ...service.getSemanticDiagnostics(path)]
    return {
      messages: found.map(({ file, start, messageText }) => {
        const { line } = file.getLineAndCharacterOfPosition(start)
        return `${line + 1}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
      }),
      declared: text.includes('// declared') ? service.getEmitOutput(path, true).outputFiles.at(-1)?.text : '',
      offered: ends.map((end) => service.getCompletionsAtPosition(path, end, {}).entries.map(({ name }) => name)),
    }
  })
}

const programs = JSON.parse(readFileSync(0, 'utf8'))
process.stdout.write(JSON.stringify(programs.map(responseTo)))
