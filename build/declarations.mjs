// Leaves in the build only the declarations that the entries (entries.json) lead to. Those that declare nothing public lose their
// comments: no editor shows them.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import ts from 'typescript'

const dist = join(import.meta.dirname, '../dist')
const entries = Object.values(createRequire(import.meta.url)('./entries.json')).map((entry) =>
  join(dist, `${entry}.d.ts`),
)

/** Lists the declarations that a file imports or exports. */
function importsOf(file) {
  return ts
    .preProcessFile(readFileSync(file, 'utf8'))
    .importedFiles.flatMap(({ fileName }) => (fileName.startsWith('.') ? join(dirname(file), `${fileName}.d.ts`) : []))
}

const reached = new Set(entries)
// A set that grows while it is walked.
for (const file of reached) for (const imported of importsOf(file)) reached.add(imported)
const published = new Set([...entries, ...entries.flatMap(importsOf)])
const printer = ts.createPrinter({ removeComments: true })

for (const name of readdirSync(dist, { recursive: true })) {
  const file = join(dist, name)
  if (!file.endsWith('.d.ts')) continue
  if (!reached.has(file)) rmSync(file)
  else if (!published.has(file)) {
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest)
    writeFileSync(file, printer.printFile(source))
  }
}
