import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'

const root = join(__dirname, '../..')
const libraries = realpathSync(join(root, 'node_modules'))
/** The parsed declarations of libraries, which take longer to read than most programs do. */
const parsed = new Map<string, ts.SourceFile | undefined>()

/**
 * Compiles programs on disk and returns the messages. It uses the compiler's API because a process for each program would
 * read all libraries again. It does not check the declarations of libraries; `npm run check:types` does.
 */
export function compile(files: readonly string[], config: string, more: ts.CompilerOptions = {}): string {
  const { config: json } = ts.readConfigFile(config, ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...json, files }, ts.sys, dirname(config), more)
  const host = ts.createCompilerHost(options)
  const { getSourceFile } = host
  host.getSourceFile = (name, ...rest) => {
    if (!name.startsWith(libraries)) return getSourceFile(name, ...rest)
    if (!parsed.has(name)) parsed.set(name, getSourceFile(name, ...rest))
    return parsed.get(name)
  }
  host.getCurrentDirectory = () => root
  const program = ts.createProgram(files, options, host)
  const judged = program.getSourceFiles().filter(({ fileName }) => !fileName.startsWith(libraries))
  const own = judged.filter(({ isDeclarationFile }) => !isDeclarationFile)
  const found = [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...judged.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
    // File by file: emitting all at once judges the libraries first.
    ...(options.noEmit ? [] : own.flatMap((file) => program.emit(file).diagnostics)),
  ]
  return ts.formatDiagnostics(found, host)
}
